"""The axes, as matrices/axes.yaml has them; what is known of their values is in `facts`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

from tfbuild.core.errors import BadRecipe

LONGEST_SPEC = 1000  # letters of what is asked of an axis: a version, a range, a list of products
TARGETS = ("tensorflow", "runtime")  # the axes of what is built
_LAST = 99
# What the code itself speaks of: without a row for each of them nothing works.
_NEEDED = (
    "tensorflow", "runtime", "python", "numpy", "protobuf", "cuda", "cudnn", "nccl", "gpu", "bazel",
    "gcc", "clang", "driver", "glibc", "os", "platform",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A row of matrices/axes.yaml."""

    axis: str
    # required: a build has it; optional: a build may do without; beside: a build may have it and
    # nothing needs it, so it counts where it is named.
    role: str = field(metadata={"form": "required|optional|beside"})
    label: str = ""  # in sentences; empty: its name
    names: tuple[str, ...] = ()  # what people write for it in AXIS=SPEC and in settings
    packages: tuple[str, ...] = ()  # what lists of packages call it
    kind: str = field(default="version", metadata={"form": "version|word"})  # what its values are
    # The targets that have to do with it.
    of: tuple[str, ...] = field(default=("tensorflow",), metadata={"form": "|".join(TARGETS)})
    # Places, of which the first is 1; of several with one place the first in the file comes first.
    solved: int = _LAST  # as the solver meets them: what decides before what follows from it
    importance: int = _LAST  # a conflict of several axes is explained by the first of them
    cost: int = 2  # of a change, to a person: another Bazel is a download, another GPU a machine
    weight: int = 2  # of a step between known cases and a question: see resolver/neighbours
    offered: int = 0  # how much it weighs that a system has it in its own packages
    # The releases of which two numbers make a series; of the others one does.
    minors: str = field(default="", metadata={"form": r"(any|<\d+)?"})
    meets: str = ""  # through which axis others bear on it: a GPU and a GCC through CUDA
    only_on: str = ""  # the platform, or what tested rows call several, that alone has it
    makes: bool = False  # a wheel is made with it: no question for a published one
    patches: bool = False  # every patch release has a row: one without means no other
    between: bool = True  # a version between two rows is judged by their ranges
    given: bool = False  # a person has it, and changes no part of it for a build: a GPU
    any_asks: bool = True  # the word `any` says something of it
    assumed: bool = False  # some of it is there anyway: `n/a` leaves it open

    @property
    def is_optional(self) -> bool:
        """Whether a build may do without it."""
        return self.role != "required"


@cache
def axes() -> Mapping[str, Axis]:
    """The axes of this installation by their names, in the order of the file.

    BadRecipe points at what is wrong in it.
    """
    from tfbuild.core.paths import data_folder

    return read_axes(data_folder("matrices") / "axes.yaml")


def read_axes(path: Path) -> Mapping[str, Axis]:
    """The axes of a file; BadRecipe for a wrong field, a name given twice, and a missing row."""
    from tfbuild.core.versions import did_you_mean
    from tfbuild.core.yaml_rows import read_rows

    found: dict[str, Axis] = {}
    owners: dict[str, str] = {}
    for number, row in enumerate(read_rows(path, Axis), 1):
        for name in sorted({row.axis, *row.names, *row.packages}):
            if name in owners:
                where = f"matrices/{path.name}, entry {number} ({row.axis})"
                why = f"it is already a name of {owners[name]}"
                raise BadRecipe(
                    f"{where}: '{name}' stands there twice", code="axis-name-twice", why=why
                )
            owners[name] = row.axis
        found[row.axis] = row
    for name in (*_NEEDED, *(row.meets for row in found.values() if row.meets)):
        if name not in found:
            raise BadRecipe(
                f"matrices/{path.name}: there is no row for '{name}'",
                code="axis-row-missing",
                hint=did_you_mean(name, found),
            )
    return found


@cache
def solving_order() -> tuple[str, ...]:
    """The axes as the solver meets them, and the facts are summed up."""
    return tuple(sorted(axes(), key=lambda name: axes()[name].solved))


@cache
def by_importance() -> tuple[str, ...]:
    """The axes, those first by which a conflict is explained if it can be."""
    return tuple(sorted(axes(), key=lambda name: axes()[name].importance))


def with_matrix() -> tuple[str, ...]:
    """The axes with a matrix of their name, in the order of solving; gpus.yaml is that of gpu."""
    return tuple(name for name in solving_order() if name != "gpu")


@cache
def beside() -> frozenset[str]:
    """The axes that count only where they are named."""
    return frozenset(name for name, row in axes().items() if row.role == "beside")


@lru_cache(maxsize=256)  # it is asked hundreds of times for one answer
def is_word(axis: str) -> bool:
    """Whether the values of an axis are words, not versions; False for what is no axis."""
    row = axes().get(axis)
    return row is not None and row.kind == "word"


def label(axis: str) -> str:
    """The name of an axis in a sentence; any other word as it is."""
    row = axes().get(axis)
    return row.label or axis if row else axis
