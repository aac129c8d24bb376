"""What the package index knows that a matrix does not: each axis looks for its own rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tfbuild.matrix_text import MatrixText
from tfbuild.releases import (
    LINUX,
    Index,
    Release,
    allowed,
    by_age,
    by_minor,
    covers,
    python_range,
    releases,
    requirement,
)
from tfbuild.versions import minor, newest_first, parse_version

_ALL = (LINUX, "linux-aarch64", "macos-x86_64", "macos-arm64", "windows-x86_64")
# What a release has in common with its patch releases, and no index tells.
_INHERITED = (
    *("architectures", "c_api", "target", "hermetic_python", "hermetic_cuda", "wheel_target"),
    "build_numpy",
)
_PARTS = ("requires", "expects")
_OLDEST_CUDA = 11  # packages are named for no older one


@dataclass
class News:
    """What one axis found out, before it becomes text; source and date are still missing."""

    added: list[dict[str, Any]] = field(default_factory=list)
    changed: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What an axis works on: its own matrix, the others by file name, and the index."""

    matrix: MatrixText
    others: Mapping[str, MatrixText]
    index: Index

    def missing(self, found: Mapping[str, Release]) -> dict[str, Release]:
        """Releases, cut to the length of the rows, that no row speaks of and that are not old."""
        parts = len(self.matrix.versions[0].split("."))
        oldest = parse_version(newest_first(self.matrix.versions)[-1])
        absent = [str(row.get("version", "")) for row in self.matrix.content.get("absent") or ()]
        known = [*self.matrix.versions, *absent]
        return {
            version: release
            for version, release in by_minor(found, parts).items()
            if parse_version(version) > oldest and not any(covers(k, version) for k in known)
        }

    def relative(self, version: str) -> Mapping[str, Any]:
        """The newest row of the same minor version, or nothing."""
        rows = [row for row in self.matrix.rows if minor(row["version"]) == minor(version)]
        return rows[0] if rows else {}

    def parts(self, version: str, axis: str, usual: str) -> tuple[str, ...]:
        """Where its neighbours speak of an axis: in requires, in expects, or in both."""
        ours = parse_version(version)
        older = [row for row in self.matrix.rows if parse_version(row["version"]) <= ours]
        for row in (self.relative(version), *older, *self.matrix.rows):
            if found := tuple(part for part in _PARTS if axis in row.get(part, {})):
                return found
        return (usual,)


class _NewRow:
    """A row in the making; it begins with what its minor version has in common."""

    def __init__(self, task: Task, version: str, unknown: str = "") -> None:
        self._task = task
        self._relative = task.relative(version)
        self._told: set[str] = set()
        self._remarks: list[str] = []
        self._lacks = "" if self._relative else unknown
        self._ranges = {part: dict(self._relative.get(part, {})) for part in _PARTS}
        self._fields: dict[str, Any] = {"version": version}
        self._fields |= {key: self._relative[key] for key in _INHERITED if key in self._relative}

    def say(self, axis: str, spec: str, *, usual: str = "requires") -> None:
        """Write the range of an axis where the newest row writes it, else where it is usual."""
        for ranges in self._ranges.values():
            ranges.pop(axis, None)
        self._told.add(axis)
        for part in self._task.parts(self._fields["version"], axis, usual) if spec else ():
            self._ranges[part][axis] = spec

    def set(self, name: str, value: object) -> None:
        """Write a field of the row."""
        self._fields[name] = value

    def remark(self, words: str) -> None:
        """Add to the note."""
        self._remarks.append(words)

    def add_to(self, news: News) -> None:
        """Finish the row: its note says what a neighbour has lent, and what nobody has told."""
        lent = [axis for part in _PARTS for axis in self._ranges[part] if axis not in self._told]
        lent += [key for key in _INHERITED if key in self._fields]
        if lent:
            self.remark(f"{', '.join(dict.fromkeys(lent))} as in {self._relative['version']}")
        if self._lacks:
            self.remark(f"not known from the index: {self._lacks}")
            where = f"{self._task.matrix.name} {self._fields['version']}"
            news.notes.append(f"{where}: fill in {self._lacks} before relying on it")
        news.added.append({**self._fields, **self._ranges, "note": "; ".join(self._remarks)})


def _numpy(task: Task, news: News) -> None:
    found = releases(task.index, "numpy", (LINUX,))
    known = by_age(p for release in found.values() for p in release.pythons(LINUX))
    for version, release in task.missing(found).items():
        row = _NewRow(task, version, "the C interface and the oldest numpy to run on")
        row.say("python", python_range(release.pythons(LINUX)))
        row.say("glibc", f">={release.glibc}" if release.glibc else "", usual="expects")
        row.set("free_threaded", list(release.pythons(LINUX, free_threaded=True)))
        row.add_to(news)
    for old in task.matrix.rows:
        now = by_minor(found, len(old["version"].split("."))).get(old["version"])
        if now is not None:
            _compare(task, old, (now, known), news)


def _compare(
    task: Task, row: Mapping[str, Any], now: tuple[Release, Sequence[str]], news: News
) -> None:
    """A changed row where other Pythons have wheels now than it says."""
    release, known = now
    part = task.parts(row["version"], "python", "requires")[0]
    said = row.get(part, {}).get("python", "")
    pythons = release.pythons(LINUX)
    free = list(release.pythons(LINUX, free_threaded=True))
    is_same = said and {p for p in known if allowed(said, p)} == set(pythons)
    if is_same and row.get("free_threaded", []) == free:
        return
    new = {**row, "free_threaded": free}
    if not is_same:
        new[part] = {**row.get(part, {}), "python": python_range(pythons)}
        news.notes.append(f"numpy {row['version']} has wheels for {', '.join(pythons)} now")
    news.changed.append(new)


def _python(task: Task, news: News) -> None:
    found = releases(task.index, "numpy", (LINUX,))
    pythons = {p: [v for v, r in found.items() if p in r.pythons(LINUX)] for p in _seen(found)}
    free = {p for r in found.values() for p in r.pythons(LINUX, free_threaded=True)}
    made = {p: found[versions[0]] for p, versions in pythons.items()}
    for version in task.missing(made):
        minors = list(dict.fromkeys(minor(v) for v in reversed(pythons[version])))
        span = minors[0] if len(minors) == 1 else f"{minors[0]} to {minors[-1]}"
        row = _NewRow(task, version)
        row.set("free_threaded", [f"{version}t"] if f"{version}t" in free else [])
        has = "has" if len(minors) == 1 else "have"
        row.remark(f"numpy {span} {has} Linux x86_64 wheels for it")
        row.add_to(news)


def _seen(found: Mapping[str, Release]) -> tuple[str, ...]:
    pythons = by_age(p for release in found.values() for p in release.pythons(LINUX))
    return tuple(reversed(pythons))


def _tensorflow(task: Task, news: News) -> None:
    found = releases(task.index, "tensorflow", _ALL)
    for version, release in task.missing(found).items():
        row = _NewRow(task, version, "Bazel, compilers, CUDA and cuDNN")
        wheels = {platform: release.pythons(platform) for platform in _ALL}
        wheels = {platform: pythons for platform, pythons in wheels.items() if pythons}
        published = {python for pythons in wheels.values() for python in pythons}
        row.say("python", python_range(tuple(published)), usual="expects")
        row.say("platform", " | ".join(wheels), usual="expects")
        _read_requirements(task, row, release)
        row.set("wheels", {platform: " ".join(pythons) for platform, pythons in wheels.items()})
        row.add_to(news)


def _read_requirements(task: Task, row: _NewRow, release: Release) -> None:
    """Numpy and protobuf out of the METADATA of one wheel, Linux x86_64 before others."""
    files = release.on(LINUX) or release.files
    metadata = task.index.metadata(files[-1])
    if metadata is None:
        row.remark("what it requires could not be read from the index")
        return
    for axis in ("numpy", "protobuf"):
        row.say(axis, requirement(metadata, axis))


def _protobuf(task: Task, news: News) -> None:
    for version, release in task.missing(releases(task.index, "protobuf", _ALL)).items():
        row = _NewRow(task, version)
        row.say("python", release.requires_python)
        row.add_to(news)


def _cuda(task: Task, news: News) -> None:
    toolkits = releases(task.index, "cuda-toolkit", (LINUX,))
    compilers = releases(task.index, "nvidia-cuda-nvcc", (LINUX,))
    # The compiler counts builds where the toolkit counts updates: they agree in two numbers.
    new = task.missing(toolkits)
    fresh = task.missing(by_minor(compilers, 2))
    new |= {v: r for v, r in fresh.items() if not any(covers(known, v) for known in new)}
    for version in newest_first(new):
        row = _NewRow(task, version, "architectures, host compilers and driver")
        names = {"cuda-toolkit": toolkits, "nvidia-cuda-nvcc": compilers}
        seen = [
            f"{name} {by_minor(found, 2)[minor(version)].version}"
            for name, found in names.items()
            if minor(version) in by_minor(found, 2)
        ]
        row.remark(f"seen as {' and '.join(seen)}")
        row.add_to(news)


def _nvidia(project: str) -> Callable[[Task, News], None]:
    """What looks for a library that NVIDIA publishes once per CUDA major version."""

    def look(task: Task, news: News) -> None:
        found: dict[str, Release] = {}
        cudas: dict[str, list[str]] = {}
        for major in _cuda_majors(task):
            here = releases(task.index, f"{project}-cu{major}", (LINUX, "linux-aarch64"))
            for version, release in here.items():
                cudas.setdefault(version, []).append(major)
                found.setdefault(version, release)
        ordered = {version: found[version] for version in newest_first(found)}
        for version in task.missing(ordered):
            row = _NewRow(task, version)
            majors = sorted({m for v in cudas if covers(version, v) for m in cudas[v]}, key=int)
            row.say("cuda", " | ".join(majors), usual="expects")
            row.remark(f"published for CUDA {' and '.join(majors)}")
            row.add_to(news)

    return look


def _cuda_majors(task: Task) -> tuple[str, ...]:
    """The CUDA versions with packages of their own: those with a row, and those just published."""
    matrix = task.others.get("cuda.yaml")
    versions = [
        *(matrix.versions if matrix else ()),
        *releases(task.index, "cuda-toolkit", (LINUX,)),
    ]
    majors = {int(version.partition(".")[0]) for version in versions}
    return tuple(str(major) for major in sorted(majors) if major >= _OLDEST_CUDA)


AXES: Mapping[str, Callable[[Task, News], None]] = {
    "tensorflow": _tensorflow,
    "python": _python,
    "numpy": _numpy,
    "protobuf": _protobuf,
    "cuda": _cuda,
    "cudnn": _nvidia("nvidia-cudnn"),
    "nccl": _nvidia("nvidia-nccl"),
}
