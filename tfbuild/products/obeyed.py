"""Text that other programs obey: what it names outside of the folder that it lies in.

The linker reads a text as a script whatever its name; CMake, pkg-config, libtool, qmake, Python and
the kernel obey files by their names or first letters. A path in one leads a build, or a program,
to code that was not looked at. A file of CMake is a program: what it computes is not known here,
only what stands in it.
"""

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from tfbuild.core.paths import real_path
from tfbuild.products.folder import begin_of, files_below, text_in
from tfbuild.products.obeyed_words import cmake_words, libtool_words, linker_words, package_words
from tfbuild.wheels.libraries import is_library_name
from tfbuild.wheels.link_checks import stays_below

SCRIPT_WORDS = ("/* GNU ld script", "INPUT", "GROUP", "OUTPUT_FORMAT")
# Where systems have what everybody may use.
_SYSTEM = re.compile(r"/(?:usr/)?(?:lib(?:64|x?32)?|include|bin|share)(?:/|$)")
_BETWEEN_SETTINGS = re.compile(r"[\s\"'`;,(=<]+")  # not behind a bracket: ${X}/lib is no whole path
# A name alone, as in "/lib.*" and "/W3", is part of an expression or an option; these are folders.
_TOP = re.compile(r"/(?:tmp|var|home|opt|srv|mnt|media|root|dev|run|proc)")
_UPWARDS = re.compile(r"\$\{\w+\}((?:/\.\.)+)(?:/|$)")
_OPTION = re.compile(r"-[LIFB]|\$SYSROOT")
_HERE = ("${CMAKE_CURRENT_LIST_DIR}/", "${pcfiledir}/")  # the folder of the file itself
_ARCHIVES = {b"!<arch>\n": "", b"!<thin>\n": "members that are other files"}
_COMPILED = (b"\x7fELF", b"BC\xc0\xde")
_UNREAD = "what cannot be read as text"


def leading_out(folder: Path) -> Iterator[tuple[str, str]]:
    """Each file that something obeys and that names what lies elsewhere, and what it names."""
    root = real_path(folder)
    for name in files_below(folder):
        path = real_path(folder / name)  # a link gives a text another name
        if path.is_relative_to(root) and path.is_file() and (found := _found(name, path)):
            yield name, found


# --- inside ------------------------------------------------------------------------------------


def _found(name: str, path: Path) -> str:
    """What a file names outside; empty where it names nothing, or nothing obeys it."""
    begin = begin_of(path, 64)
    if begin.startswith(_COMPILED):
        return ""
    if (members := _ARCHIVES.get(begin[:8])) is not None:
        return members
    look = _look(name, begin)
    if look is None:
        return ""
    text = text_in(path)
    if text is None:  # of one that is named as a library, another check says it
        return "" if is_library_name(name) else _UNREAD
    return look(text, name.count("/"))


def _look(name: str, begin: bytes) -> Callable[[str, int], str] | None:
    """How the text of a file is judged; None where it is no text that something obeys."""
    file = PurePosixPath(name)
    by_name = {
        ".pc": _of_package, ".cmake": _of_cmake, ".la": _of_libtool, ".prl": _of_qmake,
        ".pri": _of_qmake, ".pth": _of_python, ".egg-link": _of_python, "._pth": _of_python,
        "pyvenv.cfg": _of_python,
    }  # fmt: skip
    if found := by_name.get(file.suffix) or by_name.get(file.name):
        return found
    words = begin.decode(errors="replace").lstrip()
    if words.startswith("#!"):
        return _of_program
    is_linked = is_library_name(name) or file.suffix in {".a", ".o", ".ld", ".lds"}
    return _of_linker if is_linked or words.startswith(SCRIPT_WORDS) else None


def _of_package(text: str, depth: int) -> str:
    """pkg-config: no path at all but those that begin at the file."""
    words = list(package_words(text))
    outside = [word for word in words if word.startswith("/")]
    return next(iter((*outside, *(word for word in words if _is_above(word, depth)))), "")


def _of_libtool(text: str, _depth: int) -> str:
    """libtool: folders and other archives."""
    return next(filter(None, map(_outside, libtool_words(text))), "")


def _of_cmake(text: str, depth: int) -> str:
    """CMake: what stands in its arguments."""
    return next(filter(None, (_of_setting(word, depth) for word in cmake_words(text))), "")


def _of_qmake(text: str, depth: int) -> str:
    """qmake: settings, line by line."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    words = (word for line in lines for word in _BETWEEN_SETTINGS.split(line))
    return next(filter(None, (_of_setting(word, depth) for word in words)), "")


def _of_setting(word: str, depth: int) -> str:
    upwards = _UPWARDS.search(word)
    if _is_above(word, depth) or (upwards and upwards[1].count("..") > depth + 1):
        return word
    for path in () if "://" in word else word.split(":"):
        if (path.count("/") > 1 or _TOP.fullmatch(path)) and (found := _outside(path)):
            return found
    return ""


def _of_python(text: str, depth: int) -> str:
    """Python: a line is a folder where it looks for modules, or code."""
    for line in text.splitlines():
        word = line.rpartition("=")[2].strip()
        if _outside(word) or line.startswith(("import ", "import\t")):
            return line
        if not stays_below(word, depth):
            return word
    return ""


def _of_program(text: str, _depth: int) -> str:
    """The kernel: the program in the first line runs the file."""
    return _outside(next(iter(text.lstrip()[2:].split()), ""))


def _of_linker(text: str, depth: int) -> str:
    """The linker: paths of files, and of folders where it looks."""
    for word in linker_words(text):
        if found := _outside(word):
            return found
        if not stays_below(word, depth):
            return word
    return ""


def _outside(word: str) -> str:
    """The absolute path in a word; empty for none, and for one of the system's own."""
    path = _OPTION.sub("", word, count=1) if word.startswith(("-", "$")) else word
    if not path.startswith("/") or not path.strip("/."):
        return ""
    whole = posixpath.normpath(f"/{path.lstrip('/')}")
    return "" if _SYSTEM.match(whole) else path


def _is_above(word: str, depth: int) -> bool:
    """Whether a path that begins at the file leads out of the folder of all."""
    at = max((word.find(here) + len(here) for here in _HERE if here in word), default=0)
    return at > 0 and not stays_below(word[at:], depth)
