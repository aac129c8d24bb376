"""The data folders: matrices and presets as typed rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tfbuild.core.errors import BadRecipe
from tfbuild.core.records import Pairs
from tfbuild.core.versions import did_you_mean
from tfbuild.core.yaml_rows import read_facts_file, read_rows, read_sources, record_of
from tfbuild.facts.build_rows import (
    ActionRow,
    BuildToolRow,
    ImageRow,
    ImportNameRow,
    LiteRow,
    LoadedGroupRow,
    MemoryRow,
    NeedRow,
    PitfallRow,
    RunnerRow,
    SystemCommandRow,
    VariableRow,
    WheelRow,
)
from tfbuild.facts.rows import (
    AbsentRow,
    AxisRow,
    GpuFamilyRow,
    GpuRow,
    RuleRow,
    SeriesRow,
    Target,
    TestedRow,
)

Row = TypeVar("Row")
_PRESETS = "wheels"  # the folder of recipes/ with the presets of wheels
PLATFORM = "platform"  # the axis whose values are targets


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
        return read_sources(self.matrices / f"{name}.yaml", self.kept)

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
            raise BadRecipe(
                f"there is no recipe '{name}'",
                code="recipe-unknown",
                hint=did_you_mean(name, known),
            )
        return record_of(Recipe, read_facts_file(path), f"recipes/{_PRESETS}/{path.name}")

    def _rows(self, name: str, kind: type[Row], key: str = "rows") -> tuple[Row, ...]:
        return read_rows(self.matrices / name, kind, key=key, kept=self.kept)  # type: ignore[arg-type]
