"""Matrices and recipes as typed rows; errors name file, entry and field."""

import datetime
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path
from types import GenericAlias
from typing import Any, TypeVar, get_type_hints

from tfbuild.core import safe_files
from tfbuild.core.errors import BadRecipe
from tfbuild.core.records import Pairs
from tfbuild.core.versions import did_you_mean
from tfbuild.facts.kept_matrices import kept_matrices
from tfbuild.facts.rows import (
    AbsentRow,
    ActionRow,
    AxisRow,
    BuildToolRow,
    GpuFamilyRow,
    GpuRow,
    ImageRow,
    ImportNameRow,
    LiteRow,
    LoadedGroupRow,
    MemoryRow,
    NeedRow,
    PitfallRow,
    RuleRow,
    RunnerRow,
    SeriesRow,
    SystemCommandRow,
    Target,
    TestedRow,
    VariableRow,
    WheelRow,
)

Row = TypeVar("Row")
_MATRIX_KEYS = ("about", "sources", "rows", "absent")
_VERSION = r"(\d{1,4}(\.\d{1,4})*)?"  # or nothing
# Words that rules are made of: what a text, or each of a list, must be.
_FORMS: Mapping[tuple[type, str], str] = {
    (AxisRow, "architectures"): r"sm_\d{2,3}",
    (GpuRow, "capability"): r"\d{1,2}\.\d",
    (GpuFamilyRow, "capability"): r"\d{1,2}\.\d",
    (SeriesRow, "began"): r"\d{4}-(0[1-9]|1[0-2])",
    (TestedRow, "platform"): "linux|macos|windows",
    (TestedRow, "device"): "cpu|cuda",
    (TestedRow, "cuda"): _VERSION,
    (TestedRow, "cudnn"): _VERSION,
}
_PRESETS = "wheels"  # the folder of recipes/ with the presets of wheels
PLATFORM = "platform"  # the axis whose values are targets
EVIDENCE = ("proven", "documented", "metadata", "measured", "derived")  # best first


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A named preset: everything about a build that is not a version."""

    summary: str
    device: str
    axes: tuple[str, ...]
    configure: Pairs
    bazel_startup: tuple[str, ...]
    bazel_flags: tuple[str, ...]
    targets: tuple[str, ...]
    outputs: tuple[str, ...]
    distribution: str
    package: str
    frontend: str
    wheel_summary: str
    requires: tuple[str, ...]
    extras: Pairs
    max_size_mb: float
    libstdcxx_ceiling: str
    cpu_level: str
    excluded_libraries: tuple[str, ...]
    runtime_libraries: tuple[str, ...]
    smoke: tuple[str, ...]
    smoke_requirements: tuple[str, ...]
    smoke_full: tuple[str, ...]
    smoke_full_requirements: tuple[str, ...]
    perf: tuple[str, ...]
    perf_bars: tuple[str, ...]
    disk_mb: int
    memory_kind: str  # of matrices/memory.yaml: what most actions take
    seconds_on_two_cores: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """The data folders, read when asked."""

    matrices: Path
    recipes: Path
    kept: Path | None = None  # where the matrices are kept for the next start

    def targets(self) -> tuple[Target, ...]:
        """The rows of matrices/platform.yaml."""
        return self._rows(f"{PLATFORM}.yaml", Target)

    def axis(self, name: str) -> tuple[AxisRow, ...]:
        """The rows of matrices/<name>.yaml, newest first as they stand there."""
        return self._rows(f"{name}.yaml", Target if name == PLATFORM else AxisRow)

    def absent(self, name: str) -> tuple[AbsentRow, ...]:
        """Versions that matrices/<name>.yaml knows never to have been released."""
        return self._rows(f"{name}.yaml", AbsentRow, key="absent")

    def sources(self, name: str) -> Mapping[str, str]:
        """The documents of matrices/<name>.yaml, by the keys that its rows use."""
        return _sources(_matrix(self.matrices / f"{name}.yaml", self.kept), f"matrices/{name}.yaml")

    def rules(self) -> tuple[RuleRow, ...]:
        """What cannot be, beyond what single versions require."""
        return self._rows("rules.yaml", RuleRow)

    def tested(self) -> tuple[TestedRow, ...]:
        """Published tables of tested builds."""
        return self._rows("tested.yaml", TestedRow)

    def series(self) -> tuple[SeriesRow, ...]:
        """When the series of releases began, by axis."""
        return self._rows("series.yaml", SeriesRow)

    def wheels(self) -> tuple[WheelRow, ...]:
        """The known files of package indexes."""
        return self._rows("wheels.yaml", WheelRow)

    def gpus(self) -> tuple[GpuRow, ...]:
        """The known GPU products."""
        return self._rows("gpus.yaml", GpuRow)

    def gpu_families(self) -> tuple[GpuFamilyRow, ...]:
        """The families of GPUs by their names."""
        return self._rows("gpu_families.yaml", GpuFamilyRow)

    def import_names(self) -> tuple[ImportNameRow, ...]:
        """Which distributions bring what is imported by well-known names."""
        return self._rows("import_names.yaml", ImportNameRow)

    def system_commands(self) -> tuple[SystemCommandRow, ...]:
        """Which commands come with systems, by package."""
        return self._rows("system_commands.yaml", SystemCommandRow)

    def loaded_groups(self) -> tuple[LoadedGroupRow, ...]:
        """Which programs load groups of entry points without being asked."""
        return self._rows("loaded_groups.yaml", LoadedGroupRow)

    def images(self) -> tuple[ImageRow, ...]:
        """The known container images with a CUDA toolkit."""
        return self._rows("images.yaml", ImageRow)

    def actions(self) -> tuple[ActionRow, ...]:
        """The actions that workflows may take, by commit."""
        return self._rows("actions.yaml", ActionRow)

    def runners(self) -> tuple[RunnerRow, ...]:
        """The machines of CI systems of which it is known what they have."""
        return self._rows("runners.yaml", RunnerRow)

    def pitfalls(self) -> tuple[PitfallRow, ...]:
        """The known ways to fail, a file of matrices/pitfalls/ per family."""
        paths = sorted((self.matrices / "pitfalls").glob("*.yaml"))
        return tuple(row for path in paths for row in read_rows(path, PitfallRow))

    def variables(self) -> tuple[VariableRow, ...]:
        """What configure.py of TensorFlow reads, by release."""
        return self._rows("configure.yaml", VariableRow)

    def memory(self) -> tuple[MemoryRow, ...]:
        """What actions take of memory, where nothing was measured on this machine."""
        return self._rows("memory.yaml", MemoryRow)

    def build_tools(self) -> tuple[BuildToolRow, ...]:
        """What building a TensorFlow tree takes beside the axes."""
        return self._rows("build_tools.yaml", BuildToolRow)

    def lite(self) -> tuple[LiteRow, ...]:
        """What TensorFlow Lite's CMake build asks for, and where distributions have it."""
        return self._rows("lite.yaml", LiteRow)

    def needs(self) -> tuple[NeedRow, ...]:
        """What recipes need of a place, and where systems have it."""
        return self._rows("needs.yaml", NeedRow)

    def recipe(self, name: str) -> Recipe:
        """The recipe of that name; BadRecipe names the nearest one when there is none."""
        path = self.recipes / _PRESETS / f"{name}.yaml"
        if not path.is_file():
            known = sorted(p.stem for p in (self.recipes / _PRESETS).glob("*.yaml"))
            raise BadRecipe(f"there is no recipe '{name}'", hint=did_you_mean(name, known))
        return record_of(Recipe, read_facts_file(path), f"recipes/{_PRESETS}/{path.name}")

    def _rows(self, name: str, kind: type[Row], key: str = "rows") -> tuple[Row, ...]:
        return read_rows(self.matrices / name, kind, key=key, kept=self.kept)  # type: ignore[arg-type]


def read_facts_file(path: Path) -> Any:  # noqa: ANN401  (whatever the file holds)
    """The content of a YAML file; BadRecipe says in which line it is broken."""
    try:
        return safe_files.read_yaml(path)
    except OSError as error:
        raise BadRecipe(f"cannot read {path}", why=error.strerror or str(error)) from error
    except ValueError as error:
        raise BadRecipe(f"{path.name} is not valid YAML", why=str(error)) from error


def read_facts_record(kind: type[Row], path: Path) -> Row:
    """The one record that a YAML file holds; BadRecipe points at the first wrong field."""
    return record_of(kind, read_facts_file(path), path.name)


def record_of(kind: type[Row], entry: object, where: str) -> Row:
    """One record out of one mapping; BadRecipe points at the first wrong field."""
    return kind(**_values(kind, entry, where))


@cache
def read_rows(
    path: Path, kind: type[Row], *, key: str = "rows", kept: Path | None = None
) -> tuple[Row, ...]:
    """The rows of a matrix; BadRecipe points at the first wrong entry.

    Sources stand in a row as keys; in the record they are the words that the keys mean.
    """
    content, name = _matrix(path, kept), f"matrices/{path.name}"
    entries = content.get(key, [])
    if not isinstance(entries, list):
        raise BadRecipe(f"{name}: {key} must be a list", hint="start each entry with '- '")
    sources = _sources(content, name)
    found = []
    for number, entry in enumerate(entries, 1):
        where = f"{name}, entry {number}{_title(entry)}"
        values = _values(kind, entry, where)
        values["source"] = _words(values["source"], sources, where)
        found.append(kind(**values))
    return tuple(found)


# --- inside ------------------------------------------------------------------------------------


@cache
def _matrix(path: Path, kept: Path | None) -> dict[str, Any]:
    """The mapping that a matrix is: about, sources, rows, absent."""
    known = kept_matrices(path.parent, kept) if kept else {}
    content = known[path.name] if path.name in known else read_facts_file(path)
    name = f"matrices/{path.name}"
    if not isinstance(content, dict) or "rows" not in content:
        raise BadRecipe(
            f"{name} must hold a mapping with rows", hint="write about:, sources: and rows:"
        )
    for key in content:
        if key not in _MATRIX_KEYS:
            raise BadRecipe(f"{name}: unknown key '{key}'", hint=did_you_mean(key, _MATRIX_KEYS))
    return content


def _sources(content: Mapping[str, Any], name: str) -> Mapping[str, str]:
    """The sources of a matrix by their keys."""
    try:
        return dict(_pairs(content.get("sources", {})))
    except TypeError as error:
        raise BadRecipe(f"{name}: sources {error}", hint="write 'key: the document'") from error


def _words(keys: Iterable[str], sources: Mapping[str, str], where: str) -> tuple[str, ...]:
    """What the source keys of a row mean."""
    for key in keys:
        if key not in sources:
            said = f"{where}, field source: '{key}' is not among the file's sources"
            raise BadRecipe(said, hint=did_you_mean(key, sources))
    return tuple(sources[key] for key in keys)


def _title(entry: object) -> str:
    keys = ("version", "name", "id", "distribution", "tensorflow", "cuda", "need")
    known = entry if isinstance(entry, dict) else {}
    return next((f" ({known[key]})" for key in keys if key in known), "")


def _values(kind: type[Row], entry: object, where: str) -> dict[str, Any]:
    """The fields of one record out of one mapping, each of them checked."""
    if not isinstance(entry, dict):
        raise BadRecipe(f"{where}: must be a mapping of fields", hint="write 'field: value' lines")
    readers, required = _shape(kind)  # type: ignore[arg-type]
    for key in entry:
        if key not in readers:
            raise BadRecipe(f"{where}: unknown field '{key}'", hint=did_you_mean(str(key), readers))
    for name in required:
        if name not in entry:
            raise BadRecipe(f"{where}: field '{name}' is missing", hint=f"add '{name}: ...'")
    values: dict[str, Any] = {}
    for name, raw in entry.items():
        try:
            values[name] = readers[name](raw)
            _check_form(values[name], _FORMS.get((kind, name), ""))
        except (TypeError, ValueError) as error:
            why = f"it holds {raw!r}"
            raise BadRecipe(f"{where}, field {name}: {error}", why=why) from error
    if "checked" in readers:
        _check_date(values["checked"], where)
        _check_evidence(values, where)
    return values


@cache
def _shape(kind: type) -> tuple[Mapping[str, Callable[[object], object]], tuple[str, ...]]:
    """How each field of a record is read, and which fields must be there."""
    hints = get_type_hints(kind)
    names = {
        name: str(hint) if isinstance(hint, GenericAlias) else getattr(hint, "__name__", "")
        for name, hint in hints.items()
    }
    required = [field.name for field in fields(kind) if field.default is MISSING]
    return {name: _READERS[kind_of] for name, kind_of in names.items()}, tuple(required)


def _text(raw: object) -> str:
    if isinstance(raw, (str, int)) and not isinstance(raw, bool):
        return str(raw)
    raise TypeError("must be text")


def _flag(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    raise TypeError("must be true or false")


def _whole(raw: object) -> int:
    if isinstance(raw, int) and not isinstance(raw, bool):
        return raw
    raise TypeError("must be a whole number")


def _number(raw: object) -> float:
    if isinstance(raw, (str, int)):
        return float(raw)
    raise TypeError("must be a number")


def _texts(raw: object) -> tuple[str, ...]:
    if isinstance(raw, list):
        return tuple(_text(item) for item in raw)
    raise TypeError("must be a list")


def _pairs(raw: object) -> Pairs:
    if isinstance(raw, Mapping):
        return tuple((_text(key), _text(value)) for key, value in raw.items())
    raise TypeError("must be a mapping")


_READERS: dict[str, Callable[[object], object]] = {
    "str": _text,
    "bool": _flag,
    "int": _whole,
    "float": _number,
    "tuple[str, ...]": _texts,
    "tuple[tuple[str, str], ...]": _pairs,
}


def _check_form(value: Any, form: str) -> None:  # noqa: ANN401  (a text or a list of them)
    """ValueError for a text that is not of that form."""
    for word in (value if isinstance(value, tuple) else (value,)) if form else ():
        if not re.fullmatch(form, word, re.ASCII):
            raise ValueError(f"'{word}' is not {form.replace('|', ' or ')}")


def _check_evidence(values: Mapping[str, Any], where: str) -> None:
    """A fact without a source or with an unknown kind of evidence is none."""
    if not values["source"]:
        raise BadRecipe(f"{where}: field 'source' is empty", hint="name a key of the sources")
    if values["evidence"] not in EVIDENCE:
        said = f"{where}, field evidence: '{values['evidence']}' is unknown"
        raise BadRecipe(said, hint=did_you_mean(values["evidence"], EVIDENCE))


def _check_date(text: str, where: str) -> None:
    if not _is_date(text):
        said = f"{where}, field checked: '{text}' is not a date"
        raise BadRecipe(said, hint="write it as 2026-11-20")


@cache
def _is_date(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True
