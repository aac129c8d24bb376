"""Checks of a wheel as a zip file: its form, and names, permissions and types of its entries."""

import stat
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tfbuild.core.counts import counted
from tfbuild.core.reports import AuditFinding
from tfbuild.wheels.archive import Archive, Entry
from tfbuild.wheels.audit_subject import AuditSubject, finding, judged, some
from tfbuild.wheels.installation import installed_paths

_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}  # control, format, surrogate, private, separators
_SPECIAL = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX


def check_zip(archive: Archive) -> AuditFinding:
    """Whether every reader of zip files sees the same in this one, and nothing else lies in it."""
    built = counted(len(archive.entries), "entry")
    return finding(
        "zip file", "entries that follow one another, and no more", built, some(archive.problems)
    )


def check_names(subject: AuditSubject) -> AuditFinding:
    """Whether each name is a plain relative path, and no two are one when installed."""
    names = [entry.name for entry in subject.archive.entries]
    wrong = [f"{name!a} {why}" for name in names for why in _faults_of(name)]
    files = [entry.name for entry in subject.archive.entries if not entry.is_folder]
    places = Counter(place.path for place in installed_paths(subject.content, files))
    wrong += [f"{path} is installed {n} times" for path, n in places.items() if n > 1]
    # What lies in a folder follows its name in order; all folders of deep paths would be too many.
    ordered = sorted(f"{path}/" for path in places)
    wrong += [
        f"{path[:-1]} is a file and a folder"
        for path, following in pairwise(ordered)
        if following.startswith(path)
    ]
    seen = {path: unicodedata.normalize("NFKC", path) for path in places}
    spelled, letters = Counter(seen.values()), Counter(text.casefold() for text in seen.values())
    wrong += [
        f"{path!a} looks like another name, and is spelled with other characters"
        for path, text in seen.items()
        if spelled[text] > 1
    ]
    alike = [path for path, text in seen.items() if letters[text.casefold()] > spelled[text]]
    return judged(
        subject,
        "names of files",
        asked="plain relative paths, each once",
        built=counted(len(names), "name"),
        wrong=wrong,
        unasked=[f"{path} differs from another by the case of letters only" for path in alike],
    )


def check_modes(subject: AuditSubject) -> AuditFinding:
    """Whether there are only files and folders, which nobody but their owner may change."""
    entries = subject.archive.entries
    return judged(
        subject,
        "permissions and types",
        asked="files and folders, not writable by everybody",
        built=_modes_of(entries),
        wrong=[f"{one.name} is {why}" for one in entries for why in _strange_mode(one)],
        unasked=[
            f"{one.name} is writable by everybody" for one in entries if one.mode & stat.S_IWOTH
        ],
    )


# --- inside ------------------------------------------------------------------------------------


def _faults_of(name: str) -> Iterator[str]:
    parts = name.removesuffix("/").split("/")
    if "\\" in name or ".." in parts or name.startswith("/") or name[1:2] == ":":
        yield "leads out of the site folder"
    elif "." in parts or "" in parts:
        yield "is not written as paths are"
    if any(unicodedata.category(letter) in _INVISIBLE for letter in name):
        yield "has letters that cannot be seen"


def _strange_mode(one: Entry) -> Iterator[str]:
    kind = stat.S_IFMT(one.mode)
    if kind not in {0, stat.S_IFDIR if one.is_folder else stat.S_IFREG}:
        yield f"a {_KINDS.get(kind, 'file of an unknown type')}"
    if one.mode & _SPECIAL:
        yield f"given special rights ({stat.S_IMODE(one.mode):o})"


_KINDS = {
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
    stat.S_IFDIR: "folder by its type and a file by its name",
    stat.S_IFREG: "file by its type and a folder by its name",
}


def _modes_of(entries: Sequence[Entry]) -> str:
    """The permissions there are, and how often: 644 (90), 755 (3)."""
    counts = Counter(f"{stat.S_IMODE(one.mode):o}" for one in entries)
    return ", ".join(f"{mode} ({count})" for mode, count in sorted(counts.items()))
