"""Checks of what a wheel installs and where: beside its package, or to run unasked."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import PurePosixPath

from packaging.utils import canonicalize_name

from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRequest
from tfbuild.core.reports import AuditFinding
from tfbuild.facts.build_rows import ImportNameRow
from tfbuild.facts.installed import open_tables
from tfbuild.wheels.audit_subject import AuditSubject, finding, judged, some
from tfbuild.wheels.data_places import obeyed
from tfbuild.wheels.elf import is_elf
from tfbuild.wheels.entry_points import list_text, loaded_unasked
from tfbuild.wheels.installation import SCHEMES, SITE, Installed, installed_paths
from tfbuild.wheels.libraries import is_library_name
from tfbuild.wheels.path_lists import Leads, PathList, parse_path_list
from tfbuild.wheels.requirements import read_requirements
from tfbuild.wheels.wheel_file import WheelContent, file_word

_RUN_AT_START = {"sitecustomize", "usercustomize"}
_SITE_FOLDERS = {"", ".", "site-packages", "dist-packages"}
_IMPORTABLE = re.compile(r"\.(?:pyc?|so)$")
_DESCRIPTIONS = {"METADATA", "WHEEL", "RECORD", "licenses", "sboms"}
_LISTED = re.compile(
    r"[^/]+\.(?:dist-info|egg-info|egg/EGG-INFO)/entry_points\.txt$", re.IGNORECASE
)
# Machine code that no Python imports on Linux, and bytecode that stands for a source unseen.
_MAGIC = {
    b"!<arch>\n": "a static library",
    b"\xcf\xfa\xed\xfe": "machine code of macOS",
    b"\xca\xfe\xba\xbe": "machine code of macOS or bytecode of Java",
    b"\0asm": "WebAssembly",
}


def check_places(subject: AuditSubject) -> AuditFinding:
    """Whether everything is installed below the package, its libraries and its description."""
    content, folders = subject.content, subject.policy.folders
    places = installed_paths(content)
    known = {*folders, content.dist_info}
    outside = [
        place.name
        for place in places
        if place.scheme != SITE or (folders and place.below.split("/")[0] not in known)
    ]
    info = [p.below.split("/") for p in places if p.below.startswith(f"{content.dist_info}/")]
    more = ["/".join(parts) for parts in info if folders and parts[1] not in _DESCRIPTIONS]
    tops = sorted({_top(place) for place in places} - {content.dist_info})
    return judged(
        subject,
        "places of files",
        asked=f"in {' '.join(folders)}" if folders else "those of its package",
        built=" ".join(tops) or "none",
        wrong=[
            *_misplaced(places, content.name.name),
            *_of_others(subject),
            *_bytecode_of_others(places),
            *_descriptions_of_others(places, content.name.name),
        ],
        unasked=[f"{name} lies outside" for name in outside]
        + [f"{name} does not describe the wheel" for name in more],
    )


def check_start(subject: AuditSubject) -> AuditFinding:
    """Whether nothing of it runs in every Python that starts, whether it is imported or not.

    Of a wheel without a plan, a list that holds nothing but paths is only stated.
    """
    places, own = installed_paths(subject.content), subject.content.name.name
    found = [place for place in places if _is_read_at_start(place)]
    lists, wrong = _path_lists(subject.content, found)
    leads = Leads(lists.values())
    if lists:  # they may lead to any folder
        found += [p for p in places if not _is_read_at_start(p) and _is_start_module(p)]
    runs = [p.name for p in found if p.name not in lists or lists[p.name].runs]
    wrong += [f"{name} runs in every Python that starts, whatever it imports" for name in runs]
    wrong += [
        f"{who} leads to the file {place.name}, of which every Python would import"
        for place in places
        if (who := leads.to_file(place))
    ]
    unasked = [
        f"{place.name} runs in programs that do not know it: {who} imports it wherever it is there"
        for place in places
        if place.scheme == SITE
        for module in _modules(place.below)[: None if lists else 1]
        if (who := _importer(module)) and not _is_named_after(own, module)
    ]
    paths = sorted({place.name for place in found}.difference(runs))
    return judged(
        subject,
        "run at every start",
        asked="nothing",
        built=counted(len(found) + len(unasked), "file") if found or unasked else "nothing",
        wrong=[*wrong, *unasked],
        unasked=[f"{name} adds to where every Python looks for modules" for name in paths],
    )


def check_plugins(subject: AuditSubject) -> AuditFinding:
    """Whether no other program loads it without being asked.

    Python finds entry points in any folder that is named as a description, not in the wheel's own
    alone; and below other folders, too, where a list of paths makes it look there.
    """
    content = subject.content
    places = installed_paths(content)
    leads = any(place.name.lower().endswith(".pth") for place in places)
    listed = _LISTED.search if leads else _LISTED.match
    lists = [p.name for p in places if leads or p.scheme == SITE if listed(p.below)]
    found, wrong = list[str](), list[str]()
    for name, raw in content.read_lists(lists):
        try:
            groups = loaded_unasked(list_text(raw), content.name.name)
        except ValueError as error:
            wrong.append(f"{name} cannot be read: {str(error).splitlines()[0]}")
            continue
        found += [group for group, _ in groups]
        wrong += [
            f"{who} loads the entry points of {group} whenever it runs"
            for group, who in groups
            if who
        ]
    return finding("loaded by other programs", "nothing", " ".join(found) or "nothing", some(wrong))


def check_machine_code(subject: AuditSubject) -> AuditFinding:
    """Whether machine code is only in libraries that are named as such, whose code is audited."""
    unasked, libraries = [], 0
    for name, begin in subject.content.beginnings(8):
        if is_elf(begin) and is_library_name(name):
            libraries += 1
        elif is_elf(begin):
            unasked.append(f"{name} is machine code by another name")
        elif what := _other_code(name, begin):
            unasked.append(f"{name} is {what}")
    return judged(
        subject,
        "machine code",
        asked="in libraries alone",
        built=f"{counted(libraries, 'library')}, {counted(len(unasked), 'other file')}",
        wrong=(),
        unasked=unasked,
    )


# --- inside ------------------------------------------------------------------------------------


def _top(place: Installed) -> str:
    return place.below.split("/")[0] if place.scheme == SITE else f"{place.scheme}:"


def _misplaced(places: Sequence[Installed], own: str) -> Iterator[str]:
    for place in places:
        yield from (f"{place.name} {why}" for why in obeyed(place, own))
        if place.scheme not in {SITE, *SCHEMES}:
            yield f"installers do not know where to put {place.name}"
        elif place.scheme == SITE and place.below.split("/")[0].endswith(".data"):
            yield f"{place.name} lies in a .data folder of another name, which installers unpack"


def _of_others(subject: AuditSubject) -> Iterator[str]:
    """Files in packages and modules that other distributions bring, unless they were asked for."""
    content = subject.content
    own = content.name.name
    taken = {
        name
        for row in _import_names()
        if own != row.distribution and not any(fnmatchcase(own, other) for other in row.also)
        for name in row.names
    }
    with suppress(BadRequest):  # another check reports that its requirements cannot be read
        required = read_requirements(content.metadata).values()
        taken |= {file_word(line.name) for line in required if canonicalize_name(line.name) != own}
    taken -= set(subject.policy.folders)
    held = {name for row in _import_names() if own == row.distribution for name in row.names}
    shared = {name.partition("/")[0] for name in taken if "/" in name}
    shared -= {*subject.policy.folders, *(name.partition("/")[0] for name in held)}
    places = installed_paths(content)
    lists, _ = _path_lists(content, [place for place in places if _is_read_at_start(place)])
    leads = Leads(lists.values())
    for place in places:
        if place.scheme == SITE and not place.below.endswith(".pth"):
            paths = (place.below, *leads.below(place))
            for name in sorted(set().union(*map(_imported_as, paths)) & taken):
                yield f"{place.name} lies in the package {name}, which another distribution brings"
            for name in sorted({_module(path) for path in paths} & shared):
                yield f"{place.name} takes the place of {name}, which distributions share"


def _bytecode_of_others(places: Sequence[Installed]) -> Iterator[str]:
    """Bytecode where Python looks for that of a module which the wheel does not hold.

    Where another distribution has the module, Python runs the bytecode in its place: one whose
    flags say so is not compared with its source (PEP 552).
    """
    sources = {(place.scheme, place.below) for place in places}
    for place in places:
        *folders, folder, file = ["", *place.below.split("/")]
        module = file.split(".")[0]
        source = "/".join((*filter(None, folders), f"{module}.py"))
        if folder == "__pycache__" and (place.scheme, source) not in sources:
            yield f"{place.name} is bytecode of {module}.py, which the wheel does not hold"


def _descriptions_of_others(places: Sequence[Installed], own: str) -> Iterator[str]:
    """Descriptions by which Python takes another distribution for installed."""
    tops = {place.below.split("/")[0] for place in places if place.scheme == SITE}
    for top in sorted(tops):
        name, dot, kind = top.rpartition(".")
        if dot and kind.lower() in {"egg-info", "dist-info"}:
            described = canonicalize_name(name.partition("-")[0])
            if described != own:
                yield f"{top} describes {described}, another distribution"


def _imported_as(path: str) -> set[str]:
    """By which names a file or the folder of it is imported: google, and google/protobuf."""
    *folders, file = path.split("/")
    parts = [*folders, file.split(".")[0]]
    return {parts[0], "/".join(parts[:2])}


def _module(path: str) -> str:
    """Of which package or module, by its path, a file is the code; empty for other files."""
    if not _IMPORTABLE.search(path):
        return ""
    folder, _, file = path.rpartition("/")
    name = file.split(".")[0]
    return folder if name == "__init__" else "/".join(filter(None, (folder, name)))


@cache
def _import_names() -> tuple[ImportNameRow, ...]:
    return open_tables().import_names()


def _path_lists(
    content: WheelContent, found: Sequence[Installed]
) -> tuple[dict[str, PathList], list[str]]:
    """The lists of paths among the files that Python reads at its start, and what is wrong."""
    names = [place.name for place in found if place.name.lower().endswith(".pth")]
    raws = dict(content.read_lists(names))
    wrong = [
        f"{name} is larger than any list of paths" for name, raw in raws.items() if raw is None
    ]
    # One that is not read may hold code as well.
    return {
        name: PathList(name=name, runs=True) if raw is None else parse_path_list(name, raw)
        for name, raw in raws.items()
    }, wrong


def _is_start_module(place: Installed) -> bool:
    return any(part.split(".")[0] in _RUN_AT_START for part in place.below.split("/"))


def _modules(path: str) -> list[str]:
    """By which names the file and its folders may be imported, the outermost first."""
    *folders, file = path.split("/")
    return [*folders, file.split(".")[0]] if _IMPORTABLE.search(file) else folders


@lru_cache(maxsize=1000)
def _importer(module: str) -> str:
    """Who imports a module of this name wherever it is there; empty if nobody."""
    names, patterns = _imported_unasked()
    return names.get(module) or next(
        (who for pattern, who in patterns.items() if fnmatchcase(module, pattern)), ""
    )


@cache
def _imported_unasked() -> tuple[dict[str, str], dict[str, str]]:
    """Who imports which names, and which patterns of names."""
    found = {name: row.distribution for row in _import_names() for name in row.unasked}
    patterns = {name: who for name, who in found.items() if "*" in name}
    return {name: who for name, who in found.items() if name not in patterns}, patterns


def _is_named_after(own: str, module: str) -> bool:
    """Whether a distribution says by its name that it brings the module: psycopg2-binary."""
    name = canonicalize_name(module)
    return own == name or own.startswith(f"{name}-")


def _is_read_at_start(place: Installed) -> bool:
    """Whether Python's own start reads it: a list of paths may hold code, and two modules are."""
    path = PurePosixPath(place.below)
    if place.scheme not in {SITE, "data"}:
        return False
    if path.name.lower().endswith((".pth", ".start")):  # the latter name code, from 3.15 on
        return path.parent.name in _SITE_FOLDERS
    names = {path.name.split(".")[0]: path.parent.name, path.parent.name: path.parent.parent.name}
    return any(names.get(name, "?") in _SITE_FOLDERS for name in _RUN_AT_START)


def _other_code(name: str, begin: bytes) -> str:
    if name.endswith((".pyc", ".pyo")):
        return "bytecode"
    if begin.startswith(b"MZ") and name.endswith((".exe", ".dll", ".pyd")):
        return "machine code of Windows"
    return next((what for magic, what in _MAGIC.items() if begin.startswith(magic)), "")
