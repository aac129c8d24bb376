"""The one file that says how a TensorFlow tree is to be built: answers, options, patches."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from tfbuild.core.errors import BadRecipe, BadRequest
from tfbuild.core.paths import file_digest
from tfbuild.core.plans import PatchPlan
from tfbuild.core.records import Pairs
from tfbuild.core.rephrasing import rephrased
from tfbuild.core.versions import check_range, contains, did_you_mean
from tfbuild.core.yaml_rows import read_facts_file, record_of
from tfbuild.facts.build_rows import VariableRow
from tfbuild.sources.tensorflow_tree import TensorFlowTree

NAME = "tensorflow.build.yaml"  # beside the tree or where the command is given


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchEntry:
    """A change of the tree for some releases, as a unified diff."""

    file: str
    sha256: str
    releases: str = ""  # a range; empty: all
    strip: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChange:
    """A line that configure.py wrote, by how it begins: dropped, or another in its place."""

    line: str
    to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainKeys:
    """The keys of a build file that hold texts, lists and mappings of texts."""

    variables: Pairs = ()  # for configure.py
    configs: tuple[str, ...] = ()
    copt: tuple[str, ...] = ()
    host_copt: tuple[str, ...] = ()
    cxxopt: tuple[str, ...] = ()
    linkopt: tuple[str, ...] = ()
    per_file_copt: tuple[str, ...] = ()
    define: Pairs = ()
    repo_env: Pairs = ()
    action_env: Pairs = ()
    host_action_env: Pairs = ()
    system_libs: tuple[str, ...] = ()
    distdir: tuple[str, ...] = ()
    override_repository: Pairs = ()
    startup: tuple[str, ...] = ()  # options before the word build
    flags: tuple[str, ...] = ()  # any other option of the build
    targets: tuple[str, ...] = ()  # instead of the wheel's
    wheel_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFile(PlainKeys):
    """What a build file says; every key may be left out."""

    folder: Path = Path()  # that paths in it are relative to
    patches: tuple[PatchEntry, ...] = ()
    rc_changes: tuple[LineChange, ...] = ()

    def options(self) -> tuple[str, ...]:
        """What it says to Bazel, as options of the build; each of them must hold."""
        found = [f"--config={name}" for name in self.configs]
        for name in ("copt", "host_copt", "cxxopt", "linkopt", "per_file_copt"):
            found += [f"--{name}={value}" for value in getattr(self, name)]
        for name in ("define", "repo_env", "action_env", "host_action_env"):
            found += [f"--{name}={key}={value}" for key, value in getattr(self, name)]
        found += [f"--distdir={self.folder / place}" for place in self.distdir]
        found += [
            f"--override_repository={key}={self.folder / place}"
            for key, place in self.override_repository
        ]
        return (*found, *self.flags)


NO_BUILD_FILE = BuildFile()
_LISTS = ("patches", "rc_changes")
Entry = TypeVar("Entry", PatchEntry, LineChange)
_KEYS = tuple(field.name for field in fields(BuildFile) if field.name != "folder")


def read_build_file(path: Path) -> BuildFile:
    """What a file says; BadRequest points at the first wrong key or value."""
    try:
        content = read_facts_file(path)
        if content is None:
            return BuildFile(folder=path.parent)
        if not isinstance(content, dict):
            raise BadRecipe(
                f"{path.name} must hold a mapping",
                code="build-file-not-mapping",
                hint="write 'key: value' lines",
            )
        return _read(content, path)
    except BadRecipe as error:
        raise rephrased(error, BadRequest) from error


def check_build_file(said: BuildFile, tree: TensorFlowTree, rows: tuple[VariableRow, ...]) -> None:
    """Raise BadRequest for what this tree does not have: configs, system libraries, patches."""
    # `opt` is defined by what configure.py writes.
    configs = {*tree.rc.configs, "opt"}
    for name in said.configs:
        if name not in configs:
            known = [row for row in rows if row.kind == "config" and row.name == name]
            why = f"{known[0].says} ({known[0].releases})" if known else ""
            raise BadRequest(
                f"TensorFlow {tree.release} has no --config={name}",
                code="tree-config-unknown",
                why=why or f"{tree.folder / '.bazelrc'} does not define it",
                hint=did_you_mean(name, configs),
            )
    for flag in (*said.flags, *said.startup):
        if not flag.startswith("-"):
            raise BadRequest(
                f"flags: '{flag}' is no option",
                code="build-flag-invalid",
                hint=f"write --{flag}, or say it in targets",
            )
    for name, _ in (*said.repo_env, *said.action_env, *said.host_action_env, *said.variables):
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise BadRequest(
                f"'{name}' is no name of a variable",
                code="variable-name-invalid",
                hint="write NAME: value",
            )
    if said.system_libs and "TF_SYSTEM_LIBS" in dict(said.variables):
        raise BadRequest(
            "system libraries are named twice",
            code="system-libraries-twice",
            why="in system_libs and in variables",
            hint="leave TF_SYSTEM_LIBS out",
        )


def planned_patches(said: BuildFile, release: str) -> tuple[PatchPlan, ...]:
    """The patches for a release, in their order, each as it was meant by its checksum.

    Raises BadRequest for one that is missing or another file than was named.
    """
    found = []
    for entry in said.patches:
        if entry.releases and not contains(entry.releases, release):
            continue
        path = (said.folder / entry.file).absolute()
        try:
            digest = file_digest(path)
        except OSError as error:
            raise BadRequest(
                f"the patch {path} cannot be read",
                code="patch-unreadable",
                why=error.strerror or str(error),
                hint="paths of a build file are relative to its folder",
            ) from error
        if digest != entry.sha256:
            raise BadRequest(
                f"the patch {path} is not the one that the build file names",
                code="patch-hash-mismatch",
                why=f"its sha256 is {digest}, not {entry.sha256}",
                hint="look at what changed in it, and write the new checksum down",
            )
        found.append(PatchPlan(name=path.name, path=str(path), sha256=digest, strip=entry.strip))
    return tuple(found)


# --- inside --------------------------------------------------------------------------------------


def _read(content: Mapping[str, Any], path: Path) -> BuildFile:
    for key in content:
        if key not in _KEYS:
            raise BadRecipe(
                f"{path.name}: unknown key '{key}'",
                code="build-file-key-unknown",
                hint=did_you_mean(str(key), _KEYS),
            )
    plain = {k: v for k, v in content.items() if k not in _LISTS}
    patches = _entries(PatchEntry, content, "patches", path)
    for patch in patches:
        if patch.releases:
            check_range(patch.releases)
    said = record_of(PlainKeys, plain, path.name)
    return BuildFile(
        **{field.name: getattr(said, field.name) for field in fields(PlainKeys)},
        folder=path.parent.absolute(),
        patches=patches,
        rc_changes=_entries(LineChange, content, "rc_changes", path),
    )


def _entries(
    kind: type[Entry], content: Mapping[str, Any], key: str, path: Path
) -> tuple[Entry, ...]:
    listed = content.get(key, [])
    if not isinstance(listed, list):
        raise BadRecipe(
            f"{path.name}: {key} must be a list",
            code="build-file-not-list",
            hint="start each entry with '- '",
        )
    return tuple(
        record_of(kind, entry, f"{path.name}, {key}, entry {number}")
        for number, entry in enumerate(listed, 1)
    )
