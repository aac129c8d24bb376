"""What the package index knows that a matrix does not: each axis looks for its own rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tfbuild.core.errors import BadRequest
from tfbuild.core.versions import minor, newest_first, parse_version
from tfbuild.curation.matrix_file import MatrixText
from tfbuild.curation.releases import (
    Index,
    Release,
    allowed,
    by_minor,
    covers,
    oldest_first,
    python_range,
    releases,
    requirement,
)
from tfbuild.facts.targets import all_targets, usual_target

# What a release has in common with its patch releases, and no index states.
_INHERITED = (
    *("architectures", "c_api", "target", "hermetic_python", "hermetic_cuda", "wheel_target"),
    "build_numpy",
)
_PARTS = ("requires", "expects")
_REQUIRED = ("numpy", "protobuf")  # what a wheel of TensorFlow says of other axes
_OLDEST_CUDA = 11  # packages are named for no older one


@dataclass
class NewRows:
    """What one axis found out, before it becomes text; source and date are still missing."""

    added: list[dict[str, Any]] = field(default_factory=list)
    changed: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lacks: dict[str, list[str]] = field(default_factory=dict)  # what is not known -> of which


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
        """The row before this version in the same minor version, else the one after, or nothing."""
        rows = [row for row in self.matrix.rows if minor(row["version"]) == minor(version)]
        ours = parse_version(version)
        older = [row for row in rows if parse_version(row["version"]) <= ours]
        return next(iter(older), rows[-1] if rows else {})

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
        self._stated: set[str] = set()
        self._remarks: list[str] = []
        self._lacks = "" if self._relative else unknown
        self._ranges = {part: dict(self._relative.get(part, {})) for part in _PARTS}
        self._fields: dict[str, Any] = {"version": version}
        self._fields |= {key: self._relative[key] for key in _INHERITED if key in self._relative}

    def say(self, axis: str, spec: str, *, usual: str = "requires") -> None:
        """Write the range of an axis where the neighbours write it, else where it is usual."""
        parts = self._task.parts(self._fields["version"], axis, usual) if spec else ()
        self.say_in(axis, **dict.fromkeys(parts, spec))

    def say_in(self, axis: str, *, requires: str = "", expects: str = "") -> None:
        """Write the ranges of an axis; what a neighbour has lent is gone."""
        self._stated.add(axis)
        for part, spec in (("requires", requires), ("expects", expects)):
            self._ranges[part].pop(axis, None)
            if spec:
                self._ranges[part][axis] = spec

    def set(self, name: str, value: object) -> None:
        """Write a field of the row."""
        self._fields[name] = value

    def remark(self, words: str) -> None:
        """Add to the note."""
        self._remarks.append(words)

    def add_to(self, news: NewRows) -> None:
        """Finish the row: its note says what a neighbour has lent, and what nobody has stated."""
        lent = [axis for part in _PARTS for axis in self._ranges[part] if axis not in self._stated]
        lent += [key for key in _INHERITED if key in self._fields]
        if lent:
            self.remark(f"{', '.join(dict.fromkeys(lent))} as in {self._relative['version']}")
        if self._lacks:
            self.remark(f"not known from the index: {self._lacks}")
            news.lacks.setdefault(self._lacks, []).append(self._fields["version"])
        news.added.append({**self._fields, **self._ranges, "note": "; ".join(self._remarks)})


def _usual() -> str:
    """The platform whose wheels speak for a release."""
    return usual_target("linux").version


def _every() -> tuple[str, ...]:
    return tuple(target.version for target in all_targets())


def _numpy(task: Task, news: NewRows) -> None:
    found = releases(task.index, "numpy", (_usual(),))
    known = oldest_first(p for release in found.values() for p in release.pythons(_usual()))
    for version, release in task.missing(found).items():
        row = _NewRow(task, version, "the C interface and the oldest numpy to run on")
        row.say("python", python_range(release.pythons(_usual())))
        row.say("glibc", f">={release.glibc}" if release.glibc else "", usual="expects")
        row.set("free_threaded", list(release.pythons(_usual(), free_threaded=True)))
        row.add_to(news)
    for old in task.matrix.rows:
        now = by_minor(found, len(old["version"].split("."))).get(old["version"])
        if now is not None:
            _compare(task, old, (now, known), news)


def _compare(
    task: Task, row: Mapping[str, Any], now: tuple[Release, Sequence[str]], news: NewRows
) -> None:
    """A changed row where other Pythons have wheels now than it says."""
    release, known = now
    part = task.parts(row["version"], "python", "requires")[0]
    said = row.get(part, {}).get("python", "")
    pythons = release.pythons(_usual())
    free = list(release.pythons(_usual(), free_threaded=True))
    is_same = said and {p for p in known if allowed(said, p)} == set(pythons)
    if is_same and row.get("free_threaded", []) == free:
        return
    new = {**row, "free_threaded": free}
    if not is_same:
        new[part] = {**row.get(part, {}), "python": python_range(pythons)}
        news.notes.append(f"numpy {row['version']} has wheels for {', '.join(pythons)} now")
    news.changed.append(new)


def _python(task: Task, news: NewRows) -> None:
    found = releases(task.index, "numpy", (_usual(),))
    pythons = {p: [v for v, r in found.items() if p in r.pythons(_usual())] for p in _seen(found)}
    free = {p for r in found.values() for p in r.pythons(_usual(), free_threaded=True)}
    made = {p: found[versions[0]] for p, versions in pythons.items()}
    for version in task.missing(made):
        minors = list(dict.fromkeys(minor(v) for v in reversed(pythons[version])))
        span = minors[0] if len(minors) == 1 else f"{minors[0]} to {minors[-1]}"
        row = _NewRow(task, version)
        row.set("free_threaded", [f"{version}t"] if f"{version}t" in free else [])
        has = "has" if len(minors) == 1 else "have"
        row.remark(f"numpy {span} {has} wheels for it on {_usual()}")
        row.add_to(news)


def _seen(found: Mapping[str, Release]) -> tuple[str, ...]:
    pythons = oldest_first(p for release in found.values() for p in release.pythons(_usual()))
    return tuple(reversed(pythons))


def _tensorflow(task: Task, news: NewRows) -> None:
    found = releases(task.index, "tensorflow", _every())
    for version, release in task.missing(found).items():
        row = _NewRow(task, version, "Bazel, compilers, CUDA and cuDNN")
        wheels = {platform: release.pythons(platform) for platform in _every()}
        wheels = {platform: pythons for platform, pythons in wheels.items() if pythons}
        published = {python for pythons in wheels.values() for python in pythons}
        row.say("python", python_range(tuple(published)), usual="expects")
        row.say("platform", " | ".join(wheels), usual="expects")
        _read_requirements(task, row, release)
        row.set("wheels", {platform: " ".join(pythons) for platform, pythons in wheels.items()})
        row.add_to(news)


def _read_requirements(task: Task, row: _NewRow, release: Release) -> None:
    """Numpy and protobuf out of the METADATA of one wheel, Linux x86_64 before others."""
    files = release.on(_usual()) or release.files
    metadata = task.index.metadata(files[-1])
    try:
        said = {axis: requirement(metadata, axis) for axis in _REQUIRED} if metadata else {}
    except BadRequest:
        said = {}
    if not said:
        row.remark("what it requires could not be read from the index")
    for axis, spec in said.items():
        row.say(axis, spec)


def _protobuf(task: Task, news: NewRows) -> None:
    newest = by_minor(releases(task.index, "protobuf", _every()), 2).values()
    # Its matrix keeps the newest of each minor release: older ones were left out on purpose.
    for version, release in task.missing({r.version: r for r in newest}).items():
        row = _NewRow(task, version)
        row.say("python", release.requires_python)
        row.add_to(news)


def _cuda(task: Task, news: NewRows) -> None:
    toolkits = releases(task.index, "cuda-toolkit", (_usual(),))
    compilers = releases(task.index, "nvidia-cuda-nvcc", (_usual(),))
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


def _cudnn(task: Task, news: NewRows) -> None:
    for version, majors in _per_cuda("nvidia-cudnn", task):
        row = _NewRow(task, version, "the GPUs that it has code for")
        row.say_in("cuda", requires=" | ".join(majors))  # a build for one CUDA loads no other
        row.remark(f"published for CUDA {' and '.join(majors)}")
        row.add_to(news)


def _nccl(task: Task, news: NewRows) -> None:
    for version, majors in _per_cuda("nvidia-nccl", task):
        row = _NewRow(task, version)
        row.say_in("cuda", requires="any", expects=" | ".join(majors))  # built from source for any
        row.remark(f"published for CUDA {' and '.join(majors)}")
        row.add_to(news)


def _per_cuda(project: str, task: Task) -> Iterator[tuple[str, list[str]]]:
    """New versions of a library that has one package per CUDA major version, and for which."""
    found: dict[str, Release] = {}
    cudas: dict[str, list[str]] = {}
    linux = [target.version for target in all_targets() if target.system == "linux"]
    for major in _cuda_majors(task):
        here = releases(task.index, f"{project}-cu{major}", linux)
        for version, release in here.items():
            cudas.setdefault(version, []).append(major)
            found.setdefault(version, release)
    for version in task.missing({v: found[v] for v in newest_first(found)}):
        yield version, sorted({m for v in cudas if covers(version, v) for m in cudas[v]}, key=int)


def _cuda_majors(task: Task) -> tuple[str, ...]:
    """The CUDA versions with packages of their own: those with a row, and those just published."""
    matrix = task.others.get("cuda.yaml")
    versions = [
        *(matrix.versions if matrix else ()),
        *releases(task.index, "cuda-toolkit", (_usual(),)),
    ]
    majors = {int(version.partition(".")[0]) for version in versions}
    return tuple(str(major) for major in sorted(majors) if major >= _OLDEST_CUDA)


AXES: Mapping[str, Callable[[Task, NewRows], None]] = {
    "tensorflow": _tensorflow,
    "python": _python,
    "numpy": _numpy,
    "protobuf": _protobuf,
    "cuda": _cuda,
    "cudnn": _cudnn,
    "nccl": _nccl,
}
