"""Wheels: of the bundled runtime, and of TensorFlow source trees."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tfbuild.builds.build_matrix import Axes, Subject
from tfbuild.builds.run import Build
from tfbuild.commands.context import log_of
from tfbuild.core.interfaces import Tools
from tfbuild.core.lock_file import lock_path
from tfbuild.core.plans import Plan
from tfbuild.core.records import Request
from tfbuild.core.reports import Cell, Report, is_gpu_untried
from tfbuild.core.serialization import to_plain
from tfbuild.core.settings import TRUST, Settings, axis_name, is_yes
from tfbuild.facts.installed import open_tables
from tfbuild.reporting.summary import install_command
from tfbuild.wheels.components import sbom_name


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildableWheel:
    """A wheel whose versions are chosen by the facts."""

    request: Request
    doubt: str = ""  # why nothing of the source tree is run for a plan

    @property
    def output(self) -> Path:
        """The folder of the wheel."""
        return self.request.output

    @property
    def subject(self) -> Subject:
        """Wheels, of whatever cells."""
        return Subject(title="Wheels", noun="wheel")

    def axes(self, matrix: Sequence[str]) -> Axes:
        """Those that are named, of the axes that the facts know."""
        return fact_axes(matrix)

    def plan(self, tools: Tools) -> Plan:
        """The plan; raises what decide raises."""
        from tfbuild.builds.decide import decide

        return decide(self.request, open_tables(), tools).plan

    def plan_document(self, plan: Plan) -> dict[str, Any]:
        """The plan as a JSON document."""
        return {"schema": "tfbuild.plan/2", **to_plain(plan)}

    def plan_script(self, plan: Plan) -> str:
        """The plan as a POSIX script."""
        from tfbuild.reporting.text import plan_script

        return plan_script(plan)

    def plan_text(self, plan: Plan, tools: Tools) -> str:
        """The plan, and of a tree what its configure.py writes where it is tried."""
        from tfbuild.builds.configuration import try_configuration
        from tfbuild.reporting.text import plan_text, trial_text

        return plan_text(plan) + trial_text(try_configuration(plan, tools, self.doubt))

    def build(self, tools: Tools) -> Build[Any]:
        """The build of the wheel."""
        from tfbuild.builds.wheel_build import WheelBuild

        return WheelBuild(self.request, open_tables(), tools)

    def report_document(self, report: Report) -> dict[str, Any]:
        """The report as a JSON document, with the path of the wheel."""
        from tfbuild.builds.stages.report import report_document

        return {**report_document(report), "delivered": str(_delivered(report))}

    def report_text(self, report: Report, run: Path) -> str:
        """The tallies of the checks, and what to type next."""
        from tfbuild.reporting.text import report_text

        del run  # all of it lies beside the wheel
        return report_text(report, str(_delivered(report)))

    def placed(self, cell: Cell, tools: Tools) -> Cell:
        """The cell with its system, versions and plan; NoSolution where it is impossible."""
        return placed_cell(self.request, cell, tools)[0]

    def finished(self, cell: Cell, report: Report, tools: Tools) -> Cell:
        """The cell with its wheel."""
        from tfbuild.wheels.wheel_file import parse_name

        wheel = _delivered(report)
        sbom = wheel.with_name(sbom_name(wheel))
        return replace(
            cell,
            state="passed",
            product=str(wheel),
            beside=(("lock", str(lock_path(wheel))), ("sbom", str(sbom))),
            command=install_command(str(wheel)),
            tag=parse_name(wheel.name).tag,
            size=report.wheel.size,
            is_gpu_untried=is_gpu_untried(report),
            report=str(wheel.with_name("report.html")),
            log=log_of(tools),
        )


def fact_axes(matrix: Sequence[str]) -> Axes:
    """The axes of NAME=V,V words, of those that the facts know; BadRequest where a word is none."""
    from tfbuild.ci.wheels import wheel_axes

    named = {axis_name(word.partition("=")[0]) for word in matrix}
    return tuple(pair for pair in wheel_axes(matrix) if pair[0] in named)


def placed_cell(request: Request, cell: Cell, tools: Tools) -> tuple[Cell, Plan]:
    """The cell with what is decided of a request, and the plan; raises what decide raises."""
    from tfbuild.builds.decide import decide

    decision = decide(request, open_tables(), tools)
    host, plan = decision.host, decision.plan
    found = replace(
        cell,
        system=f"{host.distribution} {host.distribution_version}".strip(),
        versions=tuple((choice.axis, choice.value) for choice in plan.versions.choices),
        plan=plan.id,
    )
    return found, plan


def doubt_of_tree(settings: Settings) -> str:
    """Why nothing of a source tree is run for a plan; empty where the user himself named it."""
    if "source" not in settings.of_project() or is_yes(settings.get(TRUST)):
        return ""
    return (
        f"{settings.project} names the tree, and not you; to try it, "
        "add --source with the folder, or --trust-project"
    )


# --- inside ------------------------------------------------------------------------------------


def _delivered(report: Report) -> Path:
    """Where the wheel was delivered."""
    return report.plan.output / report.wheel.path.name
