"""What a command line asks to build, and what every kind of it can do for `build` and `plan`."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tfbuild.builds.build_matrix import Axes, Subject
from tfbuild.builds.run import Build
from tfbuild.core.interfaces import Tools
from tfbuild.core.reports import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a command line asks to build."""

    words: tuple[str, ...] = ()  # a recipe or none, then AXIS=SPEC and NAME=VALUE
    flags: Mapping[str, str]
    models: Sequence[str] = ()  # files to try what is built with
    matrix: tuple[str, ...] = ()  # NAME=V,V
    more: Collection[str] = ()  # options that were typed and are no settings


class Buildable(Protocol):
    """A request that was read: how it is planned, built and shown.

    A plan and a report are those of its kind; nothing outside looks into them.
    """

    @property
    def output(self) -> Path | None:
        """Where what is built goes; None where it stays where it is."""

    @property
    def subject(self) -> Subject:
        """What the cells of a matrix of it are, in words."""

    def axes(self, matrix: Sequence[str]) -> Axes:
        """The axes of NAME=V,V words and their values; BadRequest where a word is none."""

    def plan(self, tools: Tools) -> Any:  # noqa: ANN401
        """What would be done; raises what the kind's own planning raises."""

    def plan_document(self, plan: Any) -> dict[str, Any]:  # noqa: ANN401
        """A plan as a JSON document."""

    def plan_script(self, plan: Any) -> str:  # noqa: ANN401
        """A plan as a POSIX script."""

    def plan_text(self, plan: Any, tools: Tools) -> str:  # noqa: ANN401
        """A plan as a person reads it."""

    def build(self, tools: Tools) -> Build[Any]:
        """What `execute` carries out."""

    def report_document(self, report: Any) -> dict[str, Any]:  # noqa: ANN401
        """A report as a JSON document."""

    def report_text(self, report: Any, run: Path) -> str:  # noqa: ANN401
        """The few lines at the end of a build; run is the folder of the run."""

    def placed(self, cell: Cell, tools: Tools) -> Cell:
        """A cell of a matrix with its system, versions and plan; NoSolution: it is impossible."""

    def finished(self, cell: Cell, report: Any, tools: Tools) -> Cell:  # noqa: ANN401
        """A cell of a matrix with what was built."""
