"""An unpacked product under trial: compiles and runs against it as its users would.

What is written for a trial lies where the place only reads; what programs write lies in a folder
of which this side reads nothing, and in which it makes nothing itself.
"""

import os
import re
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from tfbuild.core.errors import CommandFailed, CommandTimedOut, EnvironmentFailed, OutOfMemory
from tfbuild.core.interfaces import Runner, literal
from tfbuild.core.records import Command, Completed, Pairs
from tfbuild.core.reports import SmokeCheck
from tfbuild.core.words import split_words
from tfbuild.recipes.recipe import Product

SECONDS = 120.0  # for each program
OpenPlace = Callable[[], AbstractContextManager[Runner]]  # opens one more place, while it is used
# What a caller's environment must not add: the product has to be found by itself.
_UNSET = (
    "LD_LIBRARY_PATH", "LD_PRELOAD", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CMAKE_PREFIX_PATH",
    "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR",
)  # fmt: skip
_WITH_INPUT = 'given=$1; shift; exec "$@" < "$given"'
_NEW_FOLDER = 'rm -rf "$1" && mkdir -p "$1"'
_COMPILERS = {
    "c": ("cc", "-std=c99", "-pedantic", "-O1"),
    "c++": ("c++", "-std=c++17", "-pedantic", "-O1"),
}


class TrialFailed(Exception):
    """Why a trial failed, in words for the report."""


class TrialSkipped(Exception):
    """Why a trial could not be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A product that was unpacked, two folders beside it, and where programs run."""

    product: Path
    given: Path  # what programs get to read
    work: Path  # to which they write
    place: Runner
    promised: Product

    def new_folder(self, name: str) -> Path:
        """An empty folder for one trial, which the place makes; TrialFailed where it cannot."""
        path = self.work / re.sub(r"[^\w.-]+", "-", name)[:80]
        argv = ("sh", "-c", _NEW_FOLDER, "sh", literal(str(path)))
        try:
            self.place.run(Command(argv=argv, purpose="make a folder", cwd="/", quiet=True))
        except CommandFailed as error:
            raise TrialFailed(f"{path.name}: no folder{_last(error.last_lines)}") from error
        return path

    def give(self, cwd: Path, name: str, text: str) -> Path:
        """A file with that text for the trial in a folder, to be read there and not changed."""
        path = self.given / cwd.name / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(
        self, purpose: str, argv: Sequence[str], *, cwd: Path, env: Pairs = (), given: str = ""
    ) -> Completed:
        """Run a program to a good end; TrialFailed with its last lines."""
        text = self.give(cwd, "input", given)
        command = Command(
            argv=("sh", "-c", _WITH_INPUT, "sh", *map(literal, (str(text), *argv))),
            stage="smoke",
            purpose=purpose,
            cwd=literal(str(cwd)),
            env=tuple((name, literal(value)) for name, value in env),
            unset=_UNSET,
            timeout=SECONDS,
        )
        try:
            return self.place.run(command)
        except CommandTimedOut as error:
            said = _last(error.last_lines)
            raise TrialFailed(f"{purpose}: it ran longer than {SECONDS:.0f} s{said}") from error
        except CommandFailed as error:
            how = _ending(error.status)
            raise TrialFailed(f"{purpose}: it {how}{_last(error.last_lines)}") from error
        except (OutOfMemory, EnvironmentFailed) as error:
            raise TrialFailed(f"{purpose}: {error.message}") from error

    def has(self, program: str) -> bool:
        """Whether the place has a program."""
        argv = ("sh", "-c", 'command -v "$1" >/dev/null', "sh", program)
        codes = (0, 1, 2, 126, 127)
        return self.place.run(Command(argv=argv, cwd="/", quiet=True, ok_codes=codes)).code == 0

    def ask_package(self, module: str, *words: str, cwd: Path) -> str:
        """What pkg-config says of a module of the product.

        TrialFailed where it does not find it there, TrialSkipped without pkg-config.
        """
        if not self.has("pkg-config"):
            raise TrialSkipped("there is no pkg-config")
        paths = [str(self.product / name / "pkgconfig") for name in ("lib", "share")]
        env = (("PKG_CONFIG_PATH", ":".join(paths)),)
        ask = ("pkg-config", "--print-errors")
        purpose = f"pkg-config {module}"
        argv = (*ask, "--variable=pcfiledir", module)
        lies = self.run(purpose, argv, cwd=cwd, env=env).stdout.strip()
        if not _is_below(lies, self.product):
            raise TrialFailed(f"pkg-config finds {module} elsewhere: {lies or 'nowhere'}")
        return self.run(purpose, (*ask, *words, module), cwd=cwd, env=env).stdout.strip()

    def ask_flags(self, module: str, *words: str, cwd: Path) -> list[str]:
        """What pkg-config says in answer, in words; raises as `ask_package`."""
        said = self.ask_package(module, *words, cwd=cwd)
        try:
            return split_words(said)
        except ValueError as error:
            raise TrialFailed(
                f"pkg-config {module}: no words of a command line: {error}"
            ) from error

    def compile(self, program: Path, language: str, module: str, *, cwd: Path) -> Path:
        """The program, compiled and linked into a folder as its users would."""
        target = cwd / "program"
        if module:
            words = self.ask_flags(module, "--cflags", "--libs", cwd=cwd)
        else:
            words = [f"-I{self.product / 'include'}", f"-L{self.product / 'lib'}"]
            words += [f"-l:{Path(name).name}" for name in self.promised.libraries]
        found = [word[2:] for word in words if word.startswith("-L")]
        folders = [one for one in found if _is_below(one, self.product)]
        rpath = [w for one in folders for w in ("-Xlinker", "-rpath", "-Xlinker", one)]
        argv = (*_COMPILERS[language], "-o", str(target), str(program), *words, *rpath)
        self.run("compile the program", argv, cwd=cwd)
        return target

    def compile_header(self, name: str, language: str, flags: Sequence[str], cwd: Path) -> None:
        """Whether a header of the product compiles alone; TrialFailed where it does not."""
        own = name.removeprefix("include/")
        source = f"#include <{own}>\n#include <{own}>\n"
        text = self.give(cwd, f"header.{'c' if language == 'c' else 'cc'}", source)
        include = f"-I{self.product / 'include'}"
        argv = (*_COMPILERS[language], "-fsyntax-only", include, *flags, str(text))
        self.run(f"compile {name} alone", argv, cwd=cwd)


def check(name: str, trial: Callable[[], Pairs]) -> SmokeCheck:
    """What came of a trial, which says details, or raises TrialFailed or TrialSkipped."""
    started = time.monotonic()
    try:
        detail = trial()
    except TrialSkipped as error:
        return SmokeCheck(name=name, state="skipped", reason=str(error))
    except TrialFailed as error:
        seconds = time.monotonic() - started
        return SmokeCheck(name=name, state="failed", seconds=seconds, reason=str(error))
    return SmokeCheck(name=name, state="passed", seconds=time.monotonic() - started, detail=detail)


def require_output(ended: Completed, prints: str) -> None:
    """TrialFailed where a program has not printed what it should."""
    said = "\n".join((ended.stdout, *ended.last_lines))
    if prints and prints not in said:
        raise TrialFailed(f"it did not print '{prints}'{_last(ended.last_lines)}")


def is_same_version(one: str, other: str) -> bool:
    """Whether two versions are the same, as far as both say it: 20220623 and 20220623.1."""
    parts, others = one.split("."), other.split(".")
    count = min(len(parts), len(others))
    return bool(one and other) and parts[:count] == others[:count]


# --- inside ------------------------------------------------------------------------------------


def _last(lines: Sequence[str]) -> str:
    kept = [line.rstrip() for line in lines if line.strip()][-6:]
    return ":\n" + "\n".join(kept) if kept else ""


def _ending(code: int) -> str:
    signal = -code if code < 0 else code - 128
    return f"was ended by signal {signal}" if code < 0 or 128 < code < 160 else f"ended with {code}"


def _is_below(text: str, folder: Path) -> bool:
    return bool(text) and Path(os.path.realpath(text)).is_relative_to(os.path.realpath(folder))
