"""A matrix of builds: every combination in turn, going on after a failure, one summary for all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from time import monotonic

from tfbuild.errors import Interrupted, TfbuildError
from tfbuild.records import Pairs

Axes = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One combination of a matrix, and what became of it."""

    axes: Pairs
    state: str  # passed, failed
    seconds: float
    wheel: str = ""  # where the finished wheel is
    message: str = ""  # why there is none
    hint: str = ""
    exit_code: int = 0

    @property
    def name(self) -> str:
        """The combination as a folder's name: python3.11-gcc12."""
        return cell_name(self.axes)


def cross(axes: Axes) -> tuple[Pairs, ...]:
    """Every combination of the axes' values, in the order given."""
    names = [name for name, _ in axes]
    return tuple(
        tuple(zip(names, row, strict=True)) for row in product(*(values for _, values in axes))
    )


def cell_name(axes: Pairs) -> str:
    """A folder's name for a combination."""
    return "-".join(f"{axis}{value}".replace(" ", "_").replace(":", "_") for axis, value in axes)


def run_cells(
    cells: Sequence[Pairs], build: Callable[[Pairs], str], tell: Callable[[str], None]
) -> tuple[Cell, ...]:
    """Build each cell; a cell that fails is told, and the next one is begun.

    build gives the wheel's path. Interrupted passes through: whoever stops one means all.
    """
    found = []
    for number, axes in enumerate(cells, 1):
        tell(f"cell {number} of {len(cells)}: {' '.join(f'{a}={v}' for a, v in axes)}")
        start = monotonic()
        try:
            wheel = build(axes)
        except Interrupted:
            raise
        except TfbuildError as error:
            tell(f"failed: {error.message}")
            found.append(
                Cell(
                    axes=axes, state="failed", seconds=monotonic() - start,
                    message=error.message, hint=error.hint, exit_code=error.exit_code,
                )
            )  # fmt: skip
        else:
            seconds = monotonic() - start
            found.append(Cell(axes=axes, state="passed", seconds=seconds, wheel=wheel))
    return tuple(found)
