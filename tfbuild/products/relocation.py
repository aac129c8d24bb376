"""Makes what was installed independent of where it lies: libraries, pkg-config, CMake, scripts."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Command
from tfbuild.core.safe_files import read_bytes
from tfbuild.fetch.patchelf import find_patchelf
from tfbuild.products.folder import LARGEST, elf_files, files_below, text_in, write_text
from tfbuild.wheels.elf import Elf, read_elf

# A library of the system by its whole path, as CMake's finders give it: -lNAME finds it anywhere.
_SYSTEM_LIBRARY = (
    r"(?<![\w./-])/(?:usr/)?lib(?:64|/[\w-]+)?/lib([\w+-][\w.+-]*?)\.(?:so|a)(?![\w./])"
)
_SYSTEM_FOLDER = re.compile(r"\s-(?:L/(?:usr/)?lib(?:64|/[\w-]+)?|I/usr/include)/?(?=\s|$)")
_APPEND, _TARGETS, _FILES = "list(append ", "import_check_targets", "import_check_files_for_"
_SHELL = re.compile(r"#! ?(?:/usr)?/bin/(?:env )?(?:ba|da)?sh\b")
_HERE = 'tfbuild_prefix=$(CDPATH= cd -- "$(dirname -- "$(readlink -f -- "$0")")/{up}" && pwd)'


def relocate(folder: Path, prefix: str) -> None:
    """Let the files of a product, that were installed to prefix, find each other by their places.

    What cannot be changed stays: `held_paths` finds it. Raises EnvironmentFailed without patchelf.
    """
    _point_libraries(folder, prefix)
    for name in files_below(folder):
        path = folder / name
        text = text_in(path)
        if text is None:
            continue
        changed = text
        if name.endswith(".pc"):
            changed = _package(name, text, prefix)
        elif name.endswith(".cmake"):
            changed = _cmake(folder, name, text, prefix)
        elif _SHELL.match(text):
            changed = _script(name, text, prefix)
        if changed != text:
            write_text(path, changed)


def held_paths(folder: Path, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each text file of the folder that holds one of the paths, and which."""
    wanted = "|".join(re.escape(path) for path in dict.fromkeys(paths) if path not in {"", "/"})
    pattern = re.compile(rf"(?:{wanted})(?![\w.+-]*\w)")
    for name in files_below(folder) if wanted else ():
        text = text_in(folder / name)
        if text is not None and (match := pattern.search(text)):
            yield name, match[0]


# --- inside ------------------------------------------------------------------------------------


def _point_libraries(folder: Path, prefix: str) -> None:
    """Give libraries and programs search paths that begin at them, and reach what they need."""
    facts = dict(_read_all(folder))
    homes: dict[str, str] = {}  # where each library lies, by the names that others need
    for name in files_below(folder):
        if ".so" in PurePosixPath(name).name:
            homes.setdefault(PurePosixPath(name).name, str(PurePosixPath(name).parent))
    for name, elf in facts.items():
        wanted = _search_of(name, elf, prefix, folder, homes)
        if wanted == elf.search:
            continue
        words = ("--set-rpath", ":".join(wanted)) if wanted else ("--remove-rpath",)
        argv = (find_patchelf(), *words, str(folder / name))
        ProcessRunner().run(Command(argv=argv, purpose=f"set the search path of {name}"))


def _read_all(folder: Path) -> Iterator[tuple[str, Elf]]:
    """Those that can be read; the audit says which cannot."""
    for name in elf_files(folder):
        try:
            yield name, read_elf(name, read_bytes(folder / name, LARGEST))
        except ValueError:
            continue


def _search_of(
    name: str, elf: Elf, prefix: str, folder: Path, homes: dict[str, str]
) -> tuple[str, ...]:
    """The search path that it should have: folders that are there, and those of what it needs."""
    at = str(PurePosixPath(name).parent)
    found = [_inside(entry, at, prefix) for entry in elf.search]
    places = [place for place in found if place is not None and (folder / place).is_dir()]
    places += [homes[needed] for needed in elf.needed if needed in homes]
    return tuple(dict.fromkeys(_from_origin(at, place) for place in places))


def _inside(entry: str, at: str, prefix: str) -> str | None:
    """The folder of the product that an entry names; None for one elsewhere."""
    if entry == prefix or entry.startswith(f"{prefix}/"):
        found = os.path.normpath(entry.removeprefix(prefix).strip("/") or ".")
    elif match := re.match(r"\$(?:ORIGIN|\{ORIGIN\})(?:/(.*))?$", entry):
        found = os.path.normpath(f"{at}/{match[1] or '.'}")
    else:
        return None
    return None if found.split("/")[0] == ".." else found


def _from_origin(at: str, folder: str) -> str:
    way = os.path.relpath(folder, at)
    return "$ORIGIN" if way == "." else f"$ORIGIN/{way}"


def _up(name: str) -> str:
    """From the folder of a file to the top of the product: ../.. for lib/pkgconfig/x.pc."""
    return "/".join([".."] * name.count("/")) or "."


def _package(name: str, text: str, prefix: str) -> str:
    """A file of pkg-config whose prefix is where it lies."""
    own = f"prefix=${{pcfiledir}}/{_up(name)}"
    lines = [line for line in text.splitlines() if not re.match(r"prefix\s*=", line)]
    body = _without_prefix("\n".join(lines), prefix, "${prefix}")
    body = re.sub(_SYSTEM_LIBRARY, r"-l\1", body)
    return f"{own}\n{_SYSTEM_FOLDER.sub('', body)}\n"


def _without_prefix(text: str, prefix: str, word: str) -> str:
    return re.sub(rf"{re.escape(prefix)}(?![\w.+-]*\w)", lambda _: word, text)


def _cmake(folder: Path, name: str, text: str, prefix: str) -> str:
    """A file of a CMake package; what it would look for and is not delivered is not looked for."""
    text = _without_prefix(text, prefix, f"${{CMAKE_CURRENT_LIST_DIR}}/{_up(name)}")
    lines = [
        re.sub(_SYSTEM_LIBRARY, r"\1", line) if "LINK_LIBRARIES" in line else line
        for line in text.splitlines(keepends=True)
    ]
    return _without_left_out("".join(lines), folder)


def _without_left_out(text: str, folder: Path) -> str:
    """The text without lines that check for static libraries which are not there.

    It may be anybody's, and megabytes: each line is looked at once, without patterns.
    """
    lines = [(line, *_appended(line)) for line in text.splitlines(keepends=True)]
    left_out = {
        name.partition(_FILES)[2]
        for _, name, value in lines
        if _FILES in name and value.endswith('.a"') and not _are_there(value, folder)
    }
    return "".join(
        line
        for line, name, value in lines
        if not (name.endswith(_TARGETS) and value in left_out)
        and not (name.partition(_FILES)[2] in left_out and not _are_there(value, folder))
    )


def _appended(line: str) -> tuple[str, str]:
    """To which variable, in small letters up to the target, a line of CMake appends, and what."""
    text = line.strip()
    if text[: len(_APPEND)].lower() != _APPEND or not text.endswith(" )"):
        return "", ""
    name, _, value = text[len(_APPEND) : -2].partition(" ")
    at = name.lower().find(_FILES)
    if at >= 0:
        return f"{name[:at].lower()}{_FILES}{name[at + len(_FILES) :]}", value
    return name.lower(), value


def _are_there(value: str, folder: Path) -> bool:
    return all(_is_there(word, folder) for word in value.split('"')[1::2])


def _is_there(word: str, folder: Path) -> bool:
    return (folder / word.removeprefix("${_IMPORT_PREFIX}").lstrip("/")).is_file()


def _script(name: str, text: str, prefix: str) -> str:
    """A shell script that holds the prefix in plain assignments: it finds out where it lies."""
    pattern = re.compile(rf"(?m)^(\w+)=([\"']?){re.escape(prefix)}(/[\w/.+-]*)?\2$")
    if not pattern.search(text):
        return text
    changed = pattern.sub(lambda m: f'{m[1]}="${{tfbuild_prefix}}{m[3] or ""}"', text)
    first, _, rest = changed.partition("\n")
    return f"{first}\n{_HERE.format(up=_up(name))}\n{rest}"
