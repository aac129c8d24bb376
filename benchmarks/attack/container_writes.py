"""What a container writes into one of its few folders: anything, by its name, kind, size or text.

Each function does one thing to a folder, as a program inside could. Holes come from outside, by
hard links: the limits of the trial hold who writes here, too.
"""

import json
import os
import random
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

from benchmarks.attack.mutations import changed, damaged
from tfbuild.core.any_tree import remove_what_can, walk

_STRANGER = 54321  # the number of a user who is not there
_LARGEST_READ = 1 << 20
_DEEPEST = 50  # folders within each other are looked through
_NAMES = (
    "\x1b]0;x\x07", "a\nb", "\u202etxt.so", "\udcff.h", "-rf", "--help", "a b", "*", "$(touch x)",
    "\x9b31m", "x" * 255, "é" * 100, "{stage}", "lib%s.so", "<script>", "'", '"', "\\", "\r", ":",
)  # fmt: skip
# Names that mean something to who reads what is left.
_KNOWN = (
    "LICENSE", "CMakeCache.txt", "config.h", "Makefile", "config.status", ".tfbuild-seal.json",
    "configure", "tiny.c", "CMakeFiles/CMakeError.log", "config.log", "meson-logs/meson-log.txt",
    "bazel-out", "__pycache__/a.pyc", "opt", "opt/tiny", "opt/tiny/lib", "opt/tiny/lib/libtiny.so",
    "opt/tiny/lib/pkgconfig/tiny.pc", "opt/tiny/share/licenses", "opt/tiny/bin/tiny",
    "opt/tiny/include/tiny.h", "events.json", "options.json", "explain.txt", "profile.gz",
    "opt/tiny/lib/cmake/tiny/tinyConfig.cmake", "out/tool", "opt/tiny/share/licenses/tiny/LICENSE",
)  # fmt: skip
_TEXTS = (
    b"A" * 900_000, b"\n" * 300_000, b"A:STRING=" * 50_000, b"#define A " * 40_000,
    b'S["A"]="' + b"B" * 500_000, b"\x1b[2J\x07\n" * 1000, b"\xff\xfe" * 9000, b"\0" * 9000,
    b"prefix=/opt/tiny\n" * 20_000, b"/opt/tiny" * 50_000, b"#!/bin/sh\nA=/opt/tiny" * 9000,
    b"list(append import_check_targets a )\n" * 20_000, b"{" * 100_000, b'{"a":' * 50_000,
    b"[" * 100_000, b'{"action":{"label":7,"commandLine":7}}\n' * 99, b"!<arch>\n", b"\x7fELF",
    b'{"id":[],"action":[],"completed":[],"namedSetOfFiles":[],"progress":[]}\n', b"INPUT(a)\n",
    b'{"action":{"failureDetail":[],"success":false,"stderr":7},"id":{"actionCompleted":[]}}\n',
    b'{"optionsParsed":{"cmdLine":[7,{}]}}\n', b'{"traceEvents":[{"dur":"x"},{"dur":1,"cat":[]}]}',
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hold:
    """A folder that the container writes to, and what else it knows of: what lies outside of it."""

    folder: Path
    outside: Path  # of the user's, which it cannot see, but can name
    holes: Path  # files without content, of many sizes
    chance: random.Random

    def path(self) -> Path:
        """A place for something, whose folder is there; often one that means something."""
        name = self.chance.choice((*_KNOWN, *_NAMES))
        path = self.folder / self._below() / name
        if self.chance.random() < 0.6 and (there := self.some(lambda _: True)):
            path = there
        if not self._is_inside(path.parent):
            path = self.folder / PurePath(name).name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def free(self) -> Path:
        """The same with nothing there any more."""
        path = self.path()
        if path.is_dir() and not path.is_symlink():
            remove_what_can(path)
        else:
            path.unlink(missing_ok=True)
        return path

    def some(self, fits: Callable[[os.stat_result], bool]) -> Path | None:
        """One of what is there and fits."""
        found = []
        for place, names, files in walk(self.folder):
            if place.count("/") - str(self.folder).count("/") > _DEEPEST:
                break
            found += [Path(place, name) for name in (*names, *files)]
        fitting = [path for path in sorted(found) if fits(path.lstat())]
        return self.chance.choice(fitting) if fitting else None

    def file(self) -> Path | None:
        """A file that is there."""
        return self.some(lambda was: stat.S_ISREG(was.st_mode) and was.st_size < _LARGEST_READ)

    def _is_inside(self, path: Path) -> bool:
        """Whether links lead to no place that the container does not see."""
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self.folder))

    def _below(self) -> str:
        return self.chance.choice(("", "", "", "opt/tiny/lib", "opt/tiny", "opt/tiny/bin", "a/b"))


def write_some(hold: Hold) -> None:
    """Write one to four things into the folder; what the system refuses is not written."""
    for _ in range(hold.chance.randint(1, 4)):
        with suppress(OSError):
            hold.chance.choice(WRITES)(hold)


# --- what is written ---------------------------------------------------------------------------


def _link(hold: Hold) -> None:
    """A link that leads somewhere else, or to itself."""
    ends = (
        hold.outside, hold.outside / "keys", hold.outside / "keys" / "id_secret", "/", "/dev/zero",
        hold.outside / "new", "/proc/self/environ", "/dev/tty", ".", "..", "x", hold.folder,
        os.path.relpath(hold.outside / "keys" / "id_secret", hold.folder), "../" * 30 + "etc",
        hold.folder.parent / "product", "../product", "../.source.staged.json", "a" * 4000,
    )  # fmt: skip
    hold.free().symlink_to(hold.chance.choice(ends))


def _folder_by_link(hold: Hold) -> None:
    """A link in the place of a folder with files, which now lie elsewhere; or are the user's."""
    there = hold.some(lambda was: stat.S_ISDIR(was.st_mode))
    if there:
        aside = hold.folder / f"aside-{hold.chance.randrange(99)}"
        there.rename(aside)
        end = (aside, hold.outside, hold.outside / "keys", hold.outside / "notes")
        there.symlink_to(hold.chance.choice(end))


def _row(hold: Hold) -> None:
    """Links in a row, longer than any that is followed."""
    length = hold.chance.choice((3, 39, 41, 500))
    for number in range(length):
        (hold.folder / f"r{number}").symlink_to(f"r{number + 1}")
    (hold.folder / f"r{length}").symlink_to(hold.outside / "keys" / "id_secret")


def _special(hold: Hold) -> None:
    """What is neither a file nor a folder: who opens it waits, or reads without an end."""
    path = hold.free()
    match hold.chance.randrange(3):
        case 0:
            os.mkfifo(path)
        case 1:
            folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(f"/proc/self/fd/{folder}/s")  # its own path would be too long
            os.close(folder)
            path.with_name("s").rename(path)
        case _:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))  # zeros without an end


def _names(hold: Hold) -> None:
    """Names that a terminal, a shell or a page would obey, or that are no text."""
    for name in hold.chance.sample(_NAMES, 3):
        path = hold.path().parent / name
        if not os.path.lexists(path):
            path.write_bytes(hold.chance.choice((b"", b"a", b"\x7fELF")))


def _hard_links(hold: Hold) -> None:
    """Many names of one file."""
    file = hold.file()
    for number in range(hold.chance.choice((1, 300)) if file else 0):
        os.link(file or hold.folder, hold.folder / f"h{number}")


def _holes(hold: Hold) -> None:
    """A file of gigabytes that takes no room."""
    os.link(hold.chance.choice(sorted(hold.holes.iterdir())), hold.free())


def _deep(hold: Hold) -> None:
    """Folders within each other, deeper than a path can say."""
    above = os.open(hold.path().parent, os.O_RDONLY | os.O_DIRECTORY)
    name = hold.chance.choice(("d", "e" * 200))
    for _ in range(hold.chance.choice((30, 99, 101, 1200))):
        os.mkdir(name, dir_fd=above)
        below = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=above)
        os.close(above)
        above = below
    os.close(os.open("last", os.O_WRONLY | os.O_CREAT, dir_fd=above))
    os.close(above)


def _many(hold: Hold) -> None:
    """More files than anybody wants to list."""
    folder = hold.path().parent / "many"
    folder.mkdir()
    for number in range(hold.chance.choice((500, 2000))):
        (folder / f"{number}.h").touch()


def _modes(hold: Hold) -> None:
    """Files that run as another user, or that nobody may read; folders that nobody may enter."""
    if path := hold.some(lambda was: not stat.S_ISLNK(was.st_mode)):
        path.chmod(hold.chance.choice((0, 0o4755, 0o6777, 0o1777, 0o200, 0o400, 0o555, 0o111)))


def _owner(hold: Hold) -> None:
    """A file of another user's, as engines that map numbers leave it."""
    if path := hold.file():
        os.chown(path, _STRANGER, _STRANGER)
        path.chmod(hold.chance.choice((0o644, 0o600)))


def _damage(hold: Hold) -> None:
    """A file that is there with other bytes."""
    if path := hold.file():
        raw = path.read_bytes()
        if path.suffix == ".json" and hold.chance.random() < 0.8:
            with suppress(ValueError):  # it was damaged before
                raw = _other_values(raw, hold.chance)
        path.write_bytes(raw if path.suffix == ".json" else damaged(raw, hold.chance))


def _text(hold: Hold) -> None:
    """A text that takes long to read where it is read carelessly."""
    hold.free().write_bytes(hold.chance.choice(_TEXTS))


def _gone(hold: Hold) -> None:
    """What was there is there no more."""
    hold.free()


def _other_values(raw: bytes, chance: random.Random) -> bytes:
    """Lines of JSON, in which some values are others."""
    lines = [json.dumps(changed(json.loads(line), chance)) for line in raw.splitlines()]
    return "\n".join((*lines, "")).encode("utf-8", "surrogatepass")


WRITES: tuple[Callable[[Hold], None], ...] = (
    _link, _link, _folder_by_link, _row, _special, _names, _hard_links, _holes, _holes, _deep,
    _many, _modes, _owner, _damage, _damage, _text, _text, _gone,
)  # fmt: skip
