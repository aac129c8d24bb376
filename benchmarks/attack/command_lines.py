"""Command lines out of the real words: every command, its options, axes and their versions.

Left out are options that write into the installation or into a shell's files, and the one that asks
for tracebacks. What names a file is below the child's own folder.
"""

import os
import random
import string
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.attack.mutations import NASTY, VALUES
from benchmarks.attack.trial import Call
from tfbuild.core.axes import axes
from tfbuild.core.settings import OPTIONS
from tfbuild.facts.installed import open_tables
from tfbuild.facts.rules import load_facts

_LEFT_OUT = {"--write", "--debug", "--install-completion", "--show-completion"}
# What stands where a file, a folder or a number may stand.
PLACES = ("file", "folder", "fifo", "loop", "gone/away", "new", "large", "zero", "a b", "n" * 300)
_NUMBERS = ("0", "1", "2", "-3", "1e3", "inf", "nan", "9" * 400, "6g", "0g", "12q", "half", "๕")
_CELLS = ("python=3.11,3.13", "cuda=none,13.0", "python=3.9,", "gcc=9,9", "=1,2", "os=,")


@dataclass(frozen=True, slots=True)
class CommandLines:
    """Makes command lines; commands are words, and the options and arguments that each takes."""

    commands: tuple[tuple[tuple[str, ...], tuple[tuple[str, bool], ...], int], ...]
    versions: dict[str, tuple[str, ...]]

    def make(self, chance: random.Random, folder: Path) -> Call:
        """A command line, and in the folder what its words may name."""
        make_places(folder)
        words, options, arguments = chance.choice(self.commands)
        made = list(words)
        for _ in range(chance.randrange(4)):
            name, is_flag = chance.choice(options) if options else ("--json", True)
            made.append(name)
            if not is_flag and chance.random() < 0.95:
                made.append(self._value(name, chance))
        made += [
            self.spec(chance) if chance.random() < 0.8 else self._value("", chance)
            for _ in range(chance.randrange(4) if arguments < 0 else arguments)
        ]
        if chance.random() < 0.03:
            made.append("--help")
        if chance.random() < 0.1:
            made.insert(chance.randrange(len(made) + 1), chance.choice(NASTY))
        if chance.random() < 0.1:
            chance.shuffle(made)
        return Call(words=tuple(safe_word(word) for word in made if word not in _LEFT_OUT))

    def spec(self, chance: random.Random) -> str:
        """AXIS=SPEC, mostly of what there is."""
        axis = chance.choice((*axes(), "tf", "py", "np"))
        sign = chance.choice(("=", "=", "=", "==", ">=", "<", "!=", "~=", ">=", ""))
        return f"{axis}{sign}{self.version(axis, chance)}"

    def version(self, axis: str, chance: random.Random) -> str:
        """A version of an axis, a range, or something else."""
        known = self.versions.get(axis) or ("1.0",)
        match chance.randrange(6):
            case 0:
                return f">={chance.choice(known)},<{chance.choice(known)}"
            case 1 if chance.random() < 0.3:
                return chance.choice(NASTY)
            case 2:
                return ",".join(chance.choice(known) for _ in range(chance.randint(2, 6)))
            case _:
                return chance.choice(known)

    def _value(self, option: str, chance: random.Random) -> str:
        match chance.randrange(6):
            case 0:
                return chance.choice(PLACES)
            case 1 if chance.random() < 0.5:
                return chance.choice(_NUMBERS)
            case 2 if chance.random() < 0.5:
                return chance.choice(NASTY)
            case 3:
                return chance.choice(_CELLS) if option == "--matrix" else self.spec(chance)
            case 4:
                letters = string.printable.replace("/", "").replace("~", "")
                return "".join(chance.choices(letters, k=chance.randint(1, 30)))
            case _:
                usual = (
                    "json",
                    "table",
                    "conda",
                    "script",
                    "cpu",
                    "docker",
                    "host",
                    "none",
                    "cuda",
                )
                return chance.choice((*usual, "newest,here", "sm_90", "RTX 3090", "native", "."))


@dataclass(frozen=True, slots=True)
class Environments:
    """Makes environments: variables of tfbuild and of programs that it knows, with any value."""

    lines: CommandLines

    def make(self, chance: random.Random, folder: Path) -> Call:
        """A command that reads settings, under up to five variables."""
        make_places(folder)
        names = [f"TFBUILD_{name.upper().replace('-', '_')}" for name in (*axes(), *OPTIONS)]
        places = ["TFBUILD_CACHE_DIR", "TFBUILD_WORK_DIR", "XDG_CACHE_HOME", "XDG_STATE_HOME",
                  "HOME", "TMPDIR"]  # fmt: skip
        others = ["SOURCE_DATE_EPOCH", "TFBUILD_BAZEL_MIRROR", "COLUMNS", "LINES", "TERM", "LANG",
                  "LC_ALL", "NO_COLOR", "FORCE_COLOR", "TZ", "PATH", "DOCKER_HOST",
                  "CONTAINER_HOST",
                  "PIP_INDEX_URL", "HTTPS_PROXY", "NETRC", "TFBUILD_X", "CC", "CXX", "PYENV_ROOT",
                  "USE_BAZEL_VERSION", "CUDA_HOME", "CUDA_VISIBLE_DEVICES"]  # fmt: skip
        environ = {}
        for _ in range(chance.randint(1, 5)):
            kind = chance.random()
            name = chance.choice(names if kind < 0.5 else places if kind < 0.65 else others)
            axis = name.removeprefix("TFBUILD_").lower()
            value = (
                chance.choice(PLACES)
                if name in places
                else self.lines.version(axis, chance)
                if axis in axes() and chance.random() < 0.7
                else str(chance.choice(VALUES))
            )
            environ[name] = safe_word(value)
        words = chance.choice((
            ("config", "show"), ("plan",), ("resolve",), ("build",), ("cache", "show"), ("--help",),
            ("env", "dockerfile"), ("ci", "github", "--install", "."), ("doctor", "--list-checks"),
            ("sbom", "file"), ("facts", "list"), ("audit", "file", "--json"),
        ))  # fmt: skip
        return Call(words=words, environ=environ)


def command_lines() -> CommandLines:
    """The commands of the command line as they are, and the versions that the facts know."""
    import typer.main

    from tfbuild.cli.app import app

    found: list[tuple[tuple[str, ...], tuple[tuple[str, bool], ...], int]] = []
    _collect(typer.main.get_command(app), (), found)
    facts = load_facts(open_tables())
    versions = {axis: tuple(facts.versions(axis)) for axis in axes()}
    versions["gpu"] += tuple(row.name for row in facts.gpus)
    return CommandLines(tuple(found), versions)


def make_places(folder: Path) -> None:
    """What a word can name that is no usual file; a device where the user may make one."""
    (folder / "file").write_text("python: 3.11\n")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    (folder / "loop").symlink_to("loop")
    with (folder / "large").open("wb") as stream:
        stream.truncate(50_000_000)
    try:
        os.mknod(folder / "zero", 0o020600, os.makedev(1, 5))
    except PermissionError:
        (folder / "zero").write_bytes(bytes(1000))


def safe_word(word: str) -> str:
    """The word without what no program can be given, nor a place outside of the child's folder."""
    if word in PLACES:
        return word
    return word.replace("\0", "").replace("/", "\u2044").removeprefix("~")


def _collect(command: Any, above: tuple[str, ...], found: list[Any]) -> None:  # noqa: ANN401
    """Every command below, with its options and the number of its arguments; -1 for any."""
    for name, below in getattr(command, "commands", {}).items():
        _collect(below, (*above, name), found)
    options, arguments = [], 0
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            arguments = -1 if parameter.nargs != 1 or arguments < 0 else arguments + 1
        else:
            flag = bool(parameter.is_flag or parameter.count)
            options += [(name, flag) for name in parameter.opts if name not in _LEFT_OUT]
    found.append((above, tuple(options), arguments))
