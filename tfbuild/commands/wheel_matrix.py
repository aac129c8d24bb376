"""The matrix of wheels: its axes are those of the facts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.builds.build_matrix import Subject, cross
from tfbuild.builds.timeline import Timeline
from tfbuild.ci.wheels import wheel_axes
from tfbuild.commands.context import log_of, read_request
from tfbuild.core.interfaces import Tools
from tfbuild.core.lock_file import lock_path
from tfbuild.core.records import Pairs, Request
from tfbuild.core.reporter import SilentReporter
from tfbuild.core.reports import Cell, cell_name, is_gpu_untried
from tfbuild.core.settings import axis_name
from tfbuild.facts.tables import Tables
from tfbuild.reporting.console import ConsoleReporter
from tfbuild.reporting.summary import install_command
from tfbuild.wheels.components import bill_name


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelMatrix:
    """What `--matrix` asks of wheels, beside what all cells share."""

    matrix: tuple[str, ...]  # AXIS=V,V
    words: tuple[str, ...]
    flags: Mapping[str, str]

    @property
    def subject(self) -> Subject:
        """Wheels, of whatever cells."""
        return Subject(title="Wheels", noun="wheel")

    def requests(self, reporter: ConsoleReporter) -> tuple[Path, Mapping[Pairs, Request]]:
        """The output folder of all, and what each cell asks for; odd settings are told of once."""
        output = read_request(self.words, self.flags, reporter).output
        named = {axis_name(word.partition("=")[0]) for word in self.matrix}
        found = {}
        for axes in cross(tuple(pair for pair in wheel_axes(self.matrix) if pair[0] in named)):
            flags = {**self.flags, "output": str(output / cell_name(axes))}
            wishes = (*self.words, *(f"{axis}={value}" for axis, value in axes))
            found[axes] = read_request(wishes, flags, SilentReporter())
        return output, found

    def place(self, cell: Cell, request: Request, tables: Tables, tools: Tools) -> Cell:
        """The cell with its system, versions and plan; NoSolution where it is impossible."""
        from tfbuild.builds.decide import decide

        decision = decide(request, tables, tools)
        host, plan = decision.host, decision.plan
        return replace(
            cell,
            system=f"{host.distribution} {host.distribution_version}".strip(),
            versions=tuple((choice.axis, choice.value) for choice in plan.versions.choices),
            plan=plan.id,
        )

    def build(
        self, cell: Cell, request: Request, tables: Tables, tools: Tools, timeline: Timeline
    ) -> Cell:
        """The cell with its wheel; raises the TfbuildError of the stage that failed."""
        from tfbuild.builds.pipeline import build
        from tfbuild.wheels.wheel_file import parse_name

        made = build(request, tables, tools, timeline)
        bill = made.wheel.with_name(bill_name(made.wheel))
        return replace(
            cell,
            state="passed",
            product=str(made.wheel),
            beside=(("lock", str(lock_path(made.wheel))), ("bill", str(bill))),
            command=install_command(str(made.wheel)),
            tag=parse_name(made.wheel.name).tag,
            size=made.report.wheel.size,
            is_gpu_untried=is_gpu_untried(made.report),
            report=str(made.wheel.with_name("report.html")),
            log=log_of(tools),
        )
