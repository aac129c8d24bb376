"""Commands in odd surroundings: folders, owners, umasks, locales, variables and current folders.

The surroundings are the user's own or another user's of the machine; none may end a command
without a reason in words, and a stranger's modules in the current folder may not be run.
"""

import os
import random
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.attack.cold import DELETED
from benchmarks.attack.oracles import Canary, make_canary
from benchmarks.attack.planted import PlantedState, foreign_modules
from benchmarks.attack.trial import Call, fresh

_STRANGER = 54321  # the number of a user who is not there
_UMASKS = (0o022, 0o022, 0, 0o077, 0o777, 0o027)
_PLACES = (".", ".", DELETED, "unreadable", "deep", "modules", "strange\n\x1b[31m\u202e", "sticky")
# Variables of folders, each of which may lead to something odd.
_FOLDERS = (
    "HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
    "XDG_DATA_HOME", "TFBUILD_CACHE_DIR", "TFBUILD_WORK_DIR",
)  # fmt: skip
_LOCALES = ("C", "POSIX", "C.UTF-8", "tr_TR.UTF-8", "de_DE.UTF-8", "none", "", "\x1b", "en_US")
# What else may be set, by what it is for; MODULES is a folder with modules of a stranger's.
_VARIABLES: dict[str, tuple[str, ...]] = {
    "LC_ALL": _LOCALES, "LANG": _LOCALES, "LC_NUMERIC": _LOCALES, "LC_CTYPE": _LOCALES,
    "LANGUAGE": ("tr:de", "x"), "TERM": ("dumb", "", "xterm-256color", "\x1b[c"),
    "COLUMNS": ("0", "1", "-1", "99999", "x"), "LINES": ("0", "-5", "1"),
    "TZ": ("", ":/dev/zero", "XXX+25", "Europe/Nowhere", "\x1b"), "NO_COLOR": ("", "1"),
    "PYTHONOPTIMIZE": ("2",), "PYTHONUTF8": ("0", "1"), "PYTHONIOENCODING": ("ascii", "utf-8"),
    "PYTHONDONTWRITEBYTECODE": ("1",), "PYTHONUNBUFFERED": ("1",), "PYTHONSAFEPATH": ("1", ""),
    "PYTHONCOERCECLOCALE": ("0", "warn"), "PYTHONHASHSEED": ("0", "1"),
    "PYTHONSTARTUP": ("MODULES/pip.py",), "PYTHONUSERBASE": ("MODULES",),
    "LD_BIND_NOW": ("1",), "LD_LIBRARY_PATH": ("MODULES", "."),
    "GIT_DIR": ("MODULES", "/dev/null"), "GIT_CONFIG_GLOBAL": ("/dev/full",),
    "GIT_WORK_TREE": ("/nowhere",), "CDPATH": ("/",), "IFS": ("/",),
    "BASH_ENV": ("MODULES/planted.sh",), "ENV": ("MODULES/planted.sh",),
    "MAKEFLAGS": ("-j99 --eval=x",), "CMAKE_GENERATOR": ("x",), "CXXFLAGS": ("-x",),
    "PIP_REQUIRE_VIRTUALENV": ("1",), "PIP_TARGET": ("MODULES",), "PIP_USER": ("1",),
    "PIP_CONFIG_FILE": ("/dev/full", "/nowhere"), "PIP_LOG": ("MODULES/log",),
    "SOURCE_DATE_EPOCH": ("-1", "99999999999999", "x"), "DOCKER_HOST": ("x", "tcp://", "unix:///"),
}  # fmt: skip
_WORDS: tuple[tuple[str, ...], ...] = (
    ("build",), ("plan",), ("plan", "--json"), ("doctor",), ("doctor", "--json"), ("resolve",),
    ("resolve", "--here"), ("cache", "show"), ("cache", "prune"), ("config", "show"),
    ("audit", "tiny.whl"), ("sbom", "tiny.whl"), ("facts", "list"), ("env", "conda"),
    ("env", "dockerfile", "-o", "new"), ("debug",), ("smoke", "tiny.whl"),
    ("resolve", "--lock", "new.lock.yaml"), ("resolve", "tensorflow=2.6.5", "gpu=RTX 3090"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Makes surroundings, and a command to be given in them."""

    wheel: bytes
    wheel_name: str

    def make(self, chance: random.Random, folder: Path) -> Call:
        """A current folder, folders that variables name, other variables and a umask."""
        canary = make_canary(fresh(folder.with_name(f"{folder.name}.canary")), chance)
        modules = folder / "all-modules"
        modules.mkdir()
        foreign_modules(modules, canary)
        place = chance.choice(_PLACES)
        here = self._current(folder, place, canary)
        environ = {}
        for name in chance.sample(_FOLDERS, chance.randrange(4)):
            path = folder / f"for {name}"
            chance.choice(ODD)(path)
            environ[name] = str(path)
        for name in chance.sample(tuple(_VARIABLES), chance.randrange(5)):
            environ[name] = chance.choice(_VARIABLES[name]).replace("MODULES", str(modules))
        words = tuple(self.wheel_name if w == "tiny.whl" else w for w in chance.choice(_WORDS))
        return Call(
            words=words, environ=environ, place=str(here), umask=chance.choice(_UMASKS),
            after=lambda said: canary.fault(said, folder),
        )  # fmt: skip

    def _current(self, folder: Path, place: str, canary: Canary) -> Path:
        """The folder of that name, in which the command runs, with the wheel where it may be."""
        parts = ["d" * 100] * 25 if place == "deep" else [place]
        here = folder.joinpath(*parts)
        here.mkdir(parents=True, exist_ok=True)
        if place != DELETED:
            (here / self.wheel_name).write_bytes(self.wheel)
        if place == "modules":
            foreign_modules(here, canary)
        if place == "sticky":
            _owned(here, 0o1777)
        if place == "unreadable":
            _owned(here, 0o000)
        return here.relative_to(folder)


def surroundings(planted: PlantedState) -> Surroundings:
    """The maker, with the same wheel as that of planted files."""
    return Surroundings(planted.wheel, planted.wheel_name)


# --- what is odd in the place of a folder ------------------------------------------------------


def _owned(path: Path, mode: int) -> None:
    """Give it to a stranger where that is allowed, and let it have that mode."""
    with suppress(PermissionError):
        os.chown(path, _STRANGER, _STRANGER)
    path.chmod(mode)


def _of_mode(mode: int, *, strange: bool = False) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.mkdir()
        if strange:
            _owned(path, mode)
        else:
            path.chmod(mode)

    return make


def _socket(path: Path) -> None:
    """A socket that nobody listens at; its name is too long for most paths, so it is moved."""
    short = Path(f"/tmp/.attack-{os.getpid()}")  # noqa: S108
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(short))
    os.rename(short, path)  # noqa: PTH104


def _file(path: Path) -> None:
    path.write_text("a file")


def _nothing(path: Path) -> None:
    """Leave it to who wants it."""


ODD: tuple[Callable[[Path], None], ...] = (
    _nothing,
    _file,
    os.mkfifo,
    _socket,
    lambda path: path.symlink_to(path.name),
    lambda path: path.symlink_to("/dev/full"),
    lambda path: path.symlink_to("/proc"),
    _of_mode(0o000),
    _of_mode(0o555),
    _of_mode(0o333),
    _of_mode(0o777, strange=True),
    _of_mode(0o1777, strange=True),
    _of_mode(0o700, strange=True),
)
