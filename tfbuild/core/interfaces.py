"""The adapters that stages get: Runner, Tools, Environment; and this machine as an environment."""

import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.paths import Folders
from tfbuild.core.records import Command, Completed, Host, Toolchain
from tfbuild.core.reporter import Reporter

Watch = Callable[[str], None]  # gets each line, and "" at least twice a second; may raise to stop


class Runner(Protocol):
    """Runs commands; the real one is ProcessRunner, tests replay answers."""

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        """Run it; CommandFailed when its code is not among command.ok_codes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The adapters that a build needs, handed to the stages; tests fill it with fakes."""

    runner: Runner
    reporter: Reporter
    folders: Folders
    host: Host
    guest: Runner | None = None  # runs what tries a wheel, where that is another system
    guest_folder: Path | None = None  # the one to which it writes; of all others it only reads

    @property
    def trial(self) -> Runner:
        """Runs what tries a wheel: where the wheel belongs, which may be another system."""
        return self.guest or self.runner


class Environment(Protocol):
    """Where a plan is carried out."""

    @property
    def toolchain(self) -> Toolchain:
        """What is ready inside."""

    @property
    def tools(self) -> Tools:
        """The adapters it was opened with."""

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        """Fill the placeholders in and run it inside."""

    def read(self, path: str) -> bytes:
        """The content of a file inside."""

    def copy_out(self, path: str, target: Path) -> Path:
        """Copy a file from inside to target and return target."""

    def outer_pid(self) -> int:
        """The first process inside as this machine numbers it; 0: this machine, or not seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostEnvironment:
    """This machine itself as the environment: paths inside are paths outside."""

    toolchain: Toolchain
    tools: Tools

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        """Fill the placeholders in and run it on this machine."""
        return self.tools.runner.run(expand(command, self.toolchain), watch)

    def read(self, path: str) -> bytes:
        """The content of a file."""
        return Path(path).read_bytes()

    def copy_out(self, path: str, target: Path) -> Path:
        """Copy a file to target and return target."""
        target.parent.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy2(path, target))

    def outer_pid(self) -> int:
        """None but this machine's own."""
        return 0


def placeholders(toolchain: Toolchain) -> dict[str, str]:
    """The words that a plan's commands may hold in braces, with their values here."""
    words = {
        "bazel": toolchain.bazel,
        "python": toolchain.python,
        "bazel_version": toolchain.bazel_version,
        "bazel_rules": toolchain.bazel_rules,
        "python_headers": toolchain.python_headers,
        "compiler": toolchain.compiler,
        "source": str(toolchain.source),
        "cache": str(toolchain.cache),
        "work": str(toolchain.work),
        "cuda": toolchain.cuda,
        "brace": "{",
    }
    return words | {f"artifact:{name}": str(path) for name, path in toolchain.artifacts}


def fill(text: str, words: Mapping[str, str]) -> str:
    """The text with its {placeholders} filled in; one that ends in ? may be empty.

    Raises EnvironmentFailed for one that the environment does not know.
    """

    def value(match: re.Match[str]) -> str:
        if not words.get(match[1]) and not match[2]:
            raise EnvironmentFailed(
                f"the environment has no {match[1]}",
                code="environment-value-missing",
                why=f"the plan asks for it in '{text}'",
                hint="this is a bug in tfbuild; please report it with `tfbuild plan --json`",
            )
        return words.get(match[1], "")

    return re.sub(r"\{([a-z][a-z0-9:_.-]*)(\??)\}", value, text)


def literal(text: str) -> str:
    """The text as a word of a command in which nothing is filled in: a path may hold braces."""
    return text.replace("{", "{brace}")


def expand(command: Command, toolchain: Toolchain) -> Command:
    """The command with its {placeholders} filled in and the flags of this Bazel put in place."""
    words = placeholders(toolchain)
    lists = {
        "{bazel_startup_flags}": toolchain.bazel_startup_flags,
        "{bazel_flags}": toolchain.bazel_flags,
    }
    argv = [part for word in command.argv for part in lists.get(word, (word,))]
    return replace(
        command,
        argv=tuple(fill(word, words) for word in argv),
        cwd=fill(command.cwd, words),
        env=tuple((name, fill(text, words)) for name, text in command.env),
    )


def shell_words(command: Command) -> tuple[str, ...]:
    """The words that one would type, variables first."""
    return (*(f"{name}={text}" for name, text in command.env), *command.argv)


def shell_line(command: Command) -> str:
    """The command as one would type it, without its folder."""
    variables = [f"{name}={shlex.quote(text)}" for name, text in command.env]
    return " ".join([*variables, shlex.join(command.argv)])
