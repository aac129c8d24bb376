"""What is wrong with a recipe file: all of it together, each with its line and what was meant."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tfbuild.core.counts import counted
from tfbuild.core.errors import BadRecipe
from tfbuild.core.rephrasing import rephrased
from tfbuild.core.yaml_file import lines_of

MOST = 20  # are shown; whoever has more corrects these first and asks again


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fault:
    place: tuple[str, ...]  # the keys that lead there; [2] is the second of a list
    what: BadRecipe


@dataclass(slots=True)
class Faults:
    """Takes faults as they are found; the first twenty are kept."""

    path: Path
    found: list[_Fault] = field(default_factory=list)
    is_more: bool = False

    def add(self, place: tuple[str, ...], what: BadRecipe) -> None:
        """Take one in: an error whose words need the place before them."""
        if len(self.found) >= MOST:
            self.is_more = True
            return
        self.found.append(_Fault(place=place, what=what))

    def concerns(self, place: tuple[str, ...]) -> bool:
        """Whether a fault is known of what lies there, above or below."""
        return any(place[: len(fault.place)] == fault.place[: len(place)] for fault in self.found)

    def require_none(self, text: str) -> None:
        """Raise BadRecipe with all that were found; text is that of the file."""
        if not self.found:
            return
        lines = lines_of(text)
        ordered = sorted(self.found, key=lambda fault: _line(fault.place, lines))
        if len(ordered) == 1:
            (fault,) = ordered
            at = f", {_at(fault, lines)}" if _line(fault.place, lines) else f": {_keys(fault)}"
            raise rephrased(fault.what, BadRecipe, f"{self.path.name}{at}{fault.what.message}")
        many = counted(len(ordered), "fault")
        many = f"more than {MOST} faults" if self.is_more else many
        raise BadRecipe(
            f"{self.path.name} has {many}",
            code="recipe-has-faults",
            why="\n".join(_sentences(ordered, lines)),
            hint="correct them there; `tfbuild recipes fields` explains every key",
        )


# --- inside ------------------------------------------------------------------------------------


def _sentences(faults: Iterable[_Fault], lines: dict[tuple[str, ...], int]) -> Iterator[str]:
    for fault in faults:
        more = "; ".join(filter(None, (fault.what.why, fault.what.hint)))
        yield f"{_at(fault, lines)}{fault.what.message}" + (f" ({more})" if more else "")


def _at(fault: _Fault, lines: dict[tuple[str, ...], int]) -> str:
    line = _line(fault.place, lines)
    return (f"line {line}: " if line else "") + _keys(fault)


def _keys(fault: _Fault) -> str:
    return f"{': '.join(fault.place).replace(': [', '[')}: " if fault.place else ""


def _line(place: tuple[str, ...], lines: dict[tuple[str, ...], int]) -> int:
    """The line of what lies there, or of the nearest above it; 0 where there is none."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 0)
