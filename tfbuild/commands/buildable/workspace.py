"""Targets of any Bazel workspace."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tfbuild.builds.build_matrix import Axes, Subject
from tfbuild.builds.run import Build
from tfbuild.ci.pipeline import split_word
from tfbuild.commands.context import log_of
from tfbuild.core.deadline import read_deadline
from tfbuild.core.errors import BadRequest
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import named_path
from tfbuild.core.reports import Cell
from tfbuild.core.settings import Settings, is_yes
from tfbuild.core.words import split_words
from tfbuild.core.workspaces import Override, WorkspacePlan, WorkspaceReport, WorkspaceRequest
from tfbuild.facts.installed import open_tables
from tfbuild.facts.targets import target_of


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildableWorkspace:
    """Targets of a workspace."""

    request: WorkspaceRequest

    @property
    def output(self) -> Path | None:
        """The folder that files are collected in; None where they are not."""
        return self.request.output if self.request.collect else None

    @property
    def subject(self) -> Subject:
        """Builds of the workspace, by the name of its folder."""
        return Subject(title=self.request.workspace.name, noun="build")

    def axes(self, matrix: Sequence[str]) -> Axes:
        """Releases of Bazel; BadRequest for another axis, and where nothing is collected."""
        if not self.request.collect:
            raise BadRequest(
                "a matrix of a workspace collects what its cells build",
                code="matrix-needs-collect",
                hint="add --collect, with --output for the folder of all",
            )
        found = tuple((name, values) for name, values in map(split_word, matrix))
        for name, values in found:
            if name != "bazel":
                raise BadRequest(
                    f"'{name}' is no axis of a matrix of a workspace",
                    code="matrix-axis-unknown",
                    hint="write bazel=RELEASE,RELEASE",
                )
            if not values:
                raise BadRequest(
                    f"'{name}=' is not NAME=VALUE,VALUE",
                    code="not-axis-values",
                    hint="write bazel=RELEASE,RELEASE",
                )
        return found

    def plan(self, tools: Tools) -> WorkspacePlan:
        """The plan; raises what plan_workspace raises."""
        from tfbuild.builds.workspace_plan import plan_workspace

        return plan_workspace(self.request, open_tables(), tools)

    def plan_document(self, plan: WorkspacePlan) -> dict[str, Any]:
        """The plan as a JSON document."""
        from tfbuild.builds.workspace_build import plan_document

        return plan_document(plan)

    def plan_script(self, plan: WorkspacePlan) -> str:
        """The plan as a POSIX script."""
        from tfbuild.reporting.workspace_text import workspace_plan_script

        return workspace_plan_script(plan)

    def plan_text(self, plan: WorkspacePlan, tools: Tools) -> str:
        """The plan as a person reads it."""
        from tfbuild.reporting.workspace_text import workspace_plan_text

        del tools  # nothing is tried
        return workspace_plan_text(plan)

    def build(self, tools: Tools) -> Build[Any]:
        """The build of the targets."""
        from tfbuild.builds.workspace_build import WorkspaceBuild

        return WorkspaceBuild(self.request, open_tables(), tools)

    def report_document(self, report: WorkspaceReport) -> dict[str, Any]:
        """The report as a JSON document."""
        from tfbuild.builds.workspace_build import workspace_document

        return workspace_document(report)

    def report_text(self, report: WorkspaceReport, run: Path) -> str:
        """What was built, and where its report is."""
        from tfbuild.reporting.workspace_text import workspace_text

        return workspace_text(report, run)

    def placed(self, cell: Cell, tools: Tools) -> Cell:
        """The cell with its Bazel and its plan."""
        plan, host = self.plan(tools), tools.host
        return replace(
            cell,
            system=f"{host.distribution} {host.distribution_version}".strip(),
            versions=(("bazel", plan.bazel.preferred or plan.bazel.accepted),),
            plan=plan.id,
        )

    def finished(self, cell: Cell, report: WorkspaceReport, tools: Tools) -> Cell:
        """The cell with the folder of its files."""
        return replace(
            cell,
            state="passed",
            product=str(report.plan.output),
            tag=target_of(tools.host).version,
            size=sum(file.size for file in report.files),
            report=str(tools.folders.run / "report.html"),
            log=log_of(tools),
        )


def read_workspace(settings: Settings) -> BuildableWorkspace:
    """The request that settings mean; BadRequest names the first thing that cannot be."""
    from tfbuild.builds.services import read_services
    from tfbuild.builds.stages.request import read_jobs
    from tfbuild.builds.workspace_plan import workspace_at

    bazel = settings.get("bazel")
    request = WorkspaceRequest(
        workspace=workspace_at(settings.text("workspace")),
        targets=_targets(settings),
        bazel=bazel.value if bazel else "",
        bazel_origin=bazel.origin if bazel else "",
        configs=_list(settings, "bazel-config"),
        flags=_flags(settings),
        overrides=tuple(_override(word) for word in _list(settings, "override-repository")),
        stand_ins=is_yes(settings.get("stand-ins")),
        offline=is_yes(settings.get("offline")),
        jobs=read_jobs(settings.text("jobs")),
        collect=is_yes(settings.get("collect")),
        output=named_path(settings.text("output") or "dist").absolute(),
        services=read_services(settings),
        deadline=read_deadline(settings.text("deadline"), dt.datetime.now().astimezone()),
    )
    return BuildableWorkspace(request=request)


# --- inside ------------------------------------------------------------------------------------


def _list(settings: Settings, name: str) -> tuple[str, ...]:
    try:
        words = tuple(split_words(settings.text(name)))
    except ValueError as error:
        raise BadRequest(
            f"{name} is '{settings.text(name)}'",
            code="quotes-not-closed",
            why=str(error),
            hint="close the quotes",
        ) from error
    if any(not word.isprintable() or not word for word in words):
        raise BadRequest(
            f"{name} holds an empty word or a line break",
            code="list-word-wrong",
            hint="write it on one line",
        )
    return words


def _targets(settings: Settings) -> tuple[str, ...]:
    """The targets; BadRequest for an option in their place, and where there is none to build."""
    targets = _list(settings, "target")
    if not any(not target.startswith("-") for target in targets):
        raise BadRequest(
            "no target is named",
            code="target-not-named",
            hint="say what to build: --target //... is all of the workspace",
        )
    for target in targets:
        bare = target.removeprefix("-")
        if bare.startswith("-") or "=" in bare.partition(":")[0]:
            raise BadRequest(
                f"--target is '{target}', which is no label",
                code="target-not-label",
                hint="write //..., //folder:name",
            )
    return targets


def _flags(settings: Settings) -> tuple[str, ...]:
    flags = _list(settings, "bazel-flag")
    for flag in flags:
        if not flag.startswith("-") or flag == "--":
            raise BadRequest(
                f"--bazel-flag is '{flag}', which is no option",
                code="bazel-flag-wrong",
                hint="write it as one word, such as --bazel-flag=--copt=-O1",
            )
    return flags


def _override(word: str) -> Override:
    name, _, text = word.partition("=")
    path = named_path(text).absolute()
    if not name or not text or not path.is_dir():
        raise BadRequest(
            f"--override-repository is '{word}'",
            code="override-repository-wrong",
            why="" if not text else f"there is no folder {path}",
            hint="write NAME=DIR, with a folder that is there",
        )
    return Override(name=name, path=path)
