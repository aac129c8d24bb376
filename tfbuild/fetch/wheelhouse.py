"""Wheels: pip fetches them by hash into the content-addressed cache, and they are unpacked there.

pip itself does the fetching, so its index, proxy and certificate settings are obeyed.
"""

import datetime as dt
import hashlib
import importlib.util
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.core.disk_space import require_room
from tfbuild.core.errors import FetchFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.kept_json import read_record, write_kept
from tfbuild.core.layout import RESOLUTIONS
from tfbuild.core.parts import part_folder, sweep
from tfbuild.core.paths import PACKAGE, file_digest
from tfbuild.core.records import Artifact, Command
from tfbuild.facts.targets import target_of
from tfbuild.fetch.damage import (
    artifact_path,
    drop_damaged_files,
    drop_damaged_trees,
    naming,
    seal_file,
    tree_path,
)
from tfbuild.fetch.foreign_wheels import resolve_foreign
from tfbuild.fetch.held_files import held_versions, require_held
from tfbuild.fetch.package_index import open_index
from tfbuild.fetch.pip_config import index_name
from tfbuild.fetch.pip_errors import IndexUnreachable, WrongFile, explained, pip_missing
from tfbuild.fetch.pip_report import read_pip_report
from tfbuild.fetch.requirement_lines import hashed_line, wanted_line
from tfbuild.fetch.unpack import unpack_wheel
from tfbuild.wheels.manylinux import loadable_platforms

_SPARE_MB = 200
_LONGEST_SECONDS = 3600.0  # for a question to an index, or a file of which no size is known
_LEAST_BYTES = 50_000  # a second, in the middle of a file
_LASTS_SECONDS = 86400.0  # how long the newest version of something counts as the newest


def fetch(
    artifacts: Sequence[Artifact], tools: Tools, *, python: str = "", in_full: bool = False
) -> tuple[Path, ...]:
    """The files of artifacts, in their order; only those that the cache lacks are fetched.

    python is the interpreter whose tags decide where a version has several files. Each file
    appears in the cache when it is whole and its hash is right, so a killed fetch goes on after
    the last file; one that is damaged counts as lacking, and in_full reads them all to know.
    Raises FetchFailed, and DiskFull with the room that is needed.
    """
    damage = drop_damaged_files(artifacts, tools, in_full=in_full)
    missing = [artifact for artifact in artifacts if not artifact_path(artifact, tools).is_file()]
    if missing:
        need = sum(artifact.size for artifact in missing) // 1_000_000 + _SPARE_MB
        require_room(tools.folders.artifacts, need, "fetching the wheels")
        sweep(tools.folders.artifacts)
    for number, artifact in enumerate(missing):
        size = f" ({artifact.size // 1_000_000} MB)" if artifact.size > 1_000_000 else ""
        tools.reporter.progress(
            f"fetching {artifact.distribution} {artifact.version}{size}", number, len(missing)
        )
        with naming(artifact.filename if artifact in damage else ""):
            _fetch_one(artifact, tools, python or sys.executable)
    for artifact in artifacts:
        os.utime(artifact_path(artifact, tools).parent)
    return tuple(artifact_path(artifact, tools) for artifact in artifacts)


def with_sizes(artifacts: Iterable[Artifact], tools: Tools) -> tuple[Artifact, ...]:
    """The artifacts, each with the size that its file in the cache has; once gone, as it was."""

    def sized(artifact: Artifact) -> Artifact:
        path = artifact_path(artifact, tools)
        return replace(artifact, size=path.stat().st_size) if path.is_file() else artifact

    return tuple(sized(artifact) for artifact in artifacts)


def unpack_all(
    artifacts: Sequence[Artifact], tools: Tools, *, python: str = "", in_full: bool = False
) -> tuple[Path, ...]:
    """The unpacked folders of artifacts; what is unpacked already is not even fetched again.

    One that is damaged is unpacked anew, and in_full reads all files to know. Raises what fetch
    raises.
    """
    sweep(tools.folders.unpacked)
    damage = drop_damaged_trees(artifacts, tools, in_full=in_full)
    needed = [artifact for artifact in artifacts if not tree_path(artifact, tools).is_dir()]
    with naming(*damage):
        fetch(needed, tools, python=python, in_full=True)
    return tuple(_unpack(artifact, tools) for artifact in artifacts)


def resolve_requirements(
    requirements: Sequence[str],
    tools: Tools,
    *,
    python: str,
    version: str,
    kind: str,
    held: Sequence[Artifact] = (),
) -> tuple[Artifact, ...]:
    """All files that requirements mean in a fresh environment of python, of the guest's if any.

    The answer is kept, and taken again for the same words, Python version and index: for a day
    (what a requirement needs is open even where it is an exact version), or while the index gives
    none. Of packages of which held has files, those are taken, and no others.
    Raises FetchFailed, WrongHash for another file than held, and what `wanted_line` raises.
    """
    requirements = [wanted_line(text) for text in requirements]
    fitting = fitting_flags(tools, version)
    indexes = index_name(tools.runner)
    has_several = "extra-index-url=" in indexes and "no-index=" not in indexes
    facts = [version, kind, tools.host.machine, *fitting[-1:], indexes, *sorted(map(_named, held))]
    words = json.dumps([sorted(requirements), *facts])
    key = hashlib.sha256(words.encode()).hexdigest()[:24]
    path = RESOLUTIONS.path(tools.folders.cache) / f"{key}.json"
    kept = read_record(path, words, _Answer)
    if kept and kept.age < _LASTS_SECONDS:
        os.utime(path)
        return kept.artifacts
    tools.reporter.progress(f"choosing files for {(asked := ', '.join(requirements))}")
    try:
        with explained(f"resolving {asked}", tools, need_mb=_SPARE_MB):
            if tools.guest is None and not has_several:
                found = _ask_pip(requirements, tools, python, kind, held_versions(held))
            else:
                found = resolve_foreign(
                    requirements, tools, version=version, kind=kind, limits=held_versions(held)
                )
            if has_several:
                _compare_indexes(found, tools)
    except IndexUnreachable:
        if kept is None:
            raise
        text = f"the package index cannot be reached: {asked} as chosen on {kept.day}"
        tools.reporter.warn(text, code="package-index-unreached")
        os.utime(path)
        return kept.artifacts
    _hold_to(kept, found)
    require_held(found, held)
    write_kept(path, words, _Answer(asked_at=time.time(), artifacts=found))
    return found


def fitting_flags(tools: Tools, version: str) -> tuple[str, ...]:
    """pip's flags for the files of another system and its Python; none for this one.

    The last word names the newest platform that fits, which is the system's own.
    """
    if tools.guest is None:
        return ()
    platforms = reversed(loadable_platforms(tools.host.glibc, target_of(tools.host)))
    return (
        *("--only-binary", ":all:", "--implementation", "cp", "--python-version", version),
        *(word for name in platforms for word in ("--platform", name)),
    )


# --- inside ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What pip chose, and when it was asked, in seconds since 1970."""

    asked_at: float
    artifacts: tuple[Artifact, ...]

    @property
    def age(self) -> float:
        """Seconds since pip was asked; endless where that lies in the future."""
        age = time.time() - self.asked_at
        return age if age >= 0 else float("inf")

    @property
    def day(self) -> str:
        """When it was asked: 2026-11-30."""
        return f"{dt.datetime.fromtimestamp(self.asked_at, dt.UTC):%Y-%m-%d}"


def _named(artifact: Artifact) -> str:
    """The file, and which package a lock says that it is of."""
    return f"{artifact.distribution} {artifact.version} {artifact.filename} {artifact.sha256}"


def _compare_indexes(artifacts: Sequence[Artifact], tools: Tools) -> None:
    """Ask all indexes for the chosen packages; WrongHash where they disagree on a file."""
    index = open_index(tools.runner)
    for artifact in artifacts:
        index.files(artifact.distribution)


def _hold_to(kept: _Answer | None, found: Sequence[Artifact]) -> None:
    """A file that was chosen once is that file: one of its name with another hash is none."""
    known = {artifact.filename: artifact.sha256 for artifact in kept.artifacts} if kept else {}
    for artifact in found:
        before = known.get(artifact.filename, artifact.sha256)
        if before != artifact.sha256:
            why = f"it was {before}, and the index now says {artifact.sha256}"
            raise WrongFile(artifact.filename, why, code="index-file-changed")


def _ask_pip(
    requirements: Sequence[str], tools: Tools, python: str, kind: str, limits: Sequence[str]
) -> tuple[Artifact, ...]:
    with _aside(tools) as folder:
        constraints = folder / "constraints.txt"
        constraints.write_text("".join(f"{line}\n" for line in limits))
        limited = ("--constraint", str(constraints)) if limits else ()
        completed = tools.runner.run(
            Command(
                argv=(
                    *_pip(python),
                    *("install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"),
                    *("--only-binary", ":all:", *limited, *requirements),
                ),
                purpose="resolve " + ", ".join(requirements),
                env=(("TMPDIR", str(folder)),),
                timeout=_LONGEST_SECONDS,
                quiet=True,
            )
        )
    return read_pip_report(completed.stdout, kind)


@contextmanager
def _aside(tools: Tools) -> Iterator[Path]:
    """A folder for what pip writes; what a killed run leaves of it is swept."""
    base = tools.folders.artifacts
    base.mkdir(parents=True, exist_ok=True)
    with part_folder(base, "fetch") as aside:
        yield aside


def _version_of(python: str, tools: Tools) -> str:
    """The version of an interpreter that was looked at, 3.11."""
    found = (p.version for p in tools.host.pythons if p.path == python)
    return ".".join(next(found, "").split(".")[:2])


def _pip(python: str) -> tuple[str, ...]:
    """pip of this very installation, run by another interpreter where one is named.

    It starts no other program; EnvironmentFailed where this Python has none.
    """
    found = importlib.util.find_spec("pip")
    if found is None or found.origin is None:
        raise pip_missing()
    runner = Path(found.origin).with_name("__pip-runner__.py")
    words = ("-I", str(PACKAGE / "fetch" / "run_pip.py"), str(runner))
    return (python or sys.executable, *words, "--disable-pip-version-check", "--no-input")


def _unpack(artifact: Artifact, tools: Tools) -> Path:
    target = tree_path(artifact, tools)
    if not target.is_dir():
        tools.reporter.progress(f"unpacking {artifact.distribution} {artifact.version}")
        tools.folders.unpacked.mkdir(parents=True, exist_ok=True)
        unpack_wheel(artifact_path(artifact, tools), target)
    os.utime(target)
    return target


def _fetch_one(artifact: Artifact, tools: Tools, python: str) -> None:
    with _aside(tools) as aside:
        wanted = aside / "requirements.txt"
        wanted.write_text(f"{hashed_line(artifact)}\n")
        what = f"{artifact.distribution} {artifact.version}"
        with explained(f"fetching {what}", tools, need_mb=artifact.size // 1_000_000 + _SPARE_MB):
            tools.runner.run(
                Command(
                    argv=(
                        *_pip(python if tools.guest is None else ""),
                        *("download", "--quiet", "--no-deps", "--require-hashes"),
                        *fitting_flags(tools, _version_of(python, tools)),
                        # Of what is only unpacked, the hash says that it is right.
                        *("--only-binary", ":all:", "--ignore-requires-python"),
                        *("--no-cache-dir", "--dest", str(aside)),
                        *("--requirement", str(wanted)),
                    ),
                    purpose=f"fetch {what}",
                    env=(("TMPDIR", str(aside)),),
                    timeout=_LONGEST_SECONDS + artifact.size / _LEAST_BYTES,
                    quiet=True,
                )
            )
        _accept(artifact, aside, tools)


def _accept(artifact: Artifact, aside: Path, tools: Tools) -> None:
    """Move the fetched file to its place once its name and hash are those of the pin."""
    fetched = aside / artifact.filename
    if not fetched.is_file():
        names = sorted(p.name for p in aside.iterdir() if p.suffix == ".whl")
        raise FetchFailed(
            f"pip fetched another file for {artifact.distribution} {artifact.version}",
            code="pip-fetched-other-file",
            why=f"expected {artifact.filename}, got {', '.join(names) or 'nothing'}",
            hint="the pin does not fit this interpreter or machine; see matrices/wheels.yaml",
        )
    found = file_digest(fetched)
    if found != artifact.sha256:
        raise WrongFile(artifact.filename, f"expected {artifact.sha256}, received {found}")
    target = artifact_path(artifact, tools)
    target.parent.mkdir(parents=True, exist_ok=True)
    with fetched.open("rb") as stream:
        os.fsync(stream.fileno())
    fetched.replace(target)
    seal_file(target, found)
