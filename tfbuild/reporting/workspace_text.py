"""The plan and the record of a workspace's build as plain text, for people and for shells."""

import shlex
from pathlib import Path

from tfbuild.core.counts import counted
from tfbuild.core.workspaces import WorkspacePlan, WorkspaceReport
from tfbuild.reporting.html import megabytes
from tfbuild.reporting.text import command_line, comment_line

_MOST_FILES = 5


def workspace_plan_text(plan: WorkspacePlan) -> str:
    """The plan as a person reads it."""
    accepted = "" if plan.bazel.accepted.startswith("==") else f", or any {plan.bazel.accepted}"
    lines = [
        f"plan {plan.id}: {plan.workspace}",
        f"jobs     {plan.jobs_because}",
        f"Bazel    {plan.bazel.preferred}{accepted} ({plan.bazel_because})",
        f"targets  {' '.join(plan.bazel.targets)}",
    ]
    lines += [f"config   {name}" for name in plan.configs]
    lines += [f"replaced {override.name} by {override.path}" for override in plan.overrides]
    if plan.stand_ins:
        lines.append("stand-ins for rule sets, as the Bazel needs them")
    if plan.offline:
        lines.append("nothing is downloaded")
    lines.append(f"files    {'copied to ' + str(plan.output) if plan.collect else 'listed'}")
    for command in plan.commands:
        lines += ["", command.title, f"  {command_line(command)}"]
    return "\n".join(lines) + "\n"


def workspace_plan_script(plan: WorkspacePlan) -> str:
    """A POSIX script that builds exactly this plan."""
    words = [f"bazel{_spec(plan.bazel.accepted)}", f"--workspace={plan.workspace}"]
    words += [f"--target={target}" for target in plan.bazel.targets]
    words += [f"--bazel-config={name}" for name in plan.configs]
    words += [f"--override-repository={o.name}={o.path}" for o in plan.overrides]
    words += [f"--bazel-flag={flag}" for flag in plan.asked_flags]
    words += [
        f"--{name}"
        for name, is_asked in (
            ("stand-ins", plan.stand_ins), ("offline", plan.offline), ("collect", plan.collect),
        )
        if is_asked
    ]  # fmt: skip
    words += [f"--jobs={plan.jobs}", f"--output={plan.output}"]
    lines = ["#!/bin/sh", f"# Builds plan {plan.id}.", "set -eu"]
    lines += [f"exec tfbuild build {shlex.join(words)}", ""]
    lines.append("# What that runs, with {words} for what the environment finds or fetches:")
    lines += [comment_line(command) for command in plan.commands]
    return "\n".join(lines) + "\n"


def workspace_text(report: WorkspaceReport, folder: Path) -> str:
    """The end of a build: what it made, whether to trust it, and what to type next."""
    files, size = report.files, megabytes(sum(file.size for file in report.files))
    lines = [
        f"built   {counted(report.targets, 'target')}, {counted(len(files), 'file')}, {size}",
        f"actions {report.actions} ran, {report.cache_hits} from the cache",
    ]
    if report.plan.collect:
        lines.append(f"files   in {report.plan.output}")
    else:
        some = [file.path for file in files[:_MOST_FILES]]
        more = len(files) - len(some)
        lines += [f"file    {path}" for path in some]
        lines += [f"        and {more} more, see the report"] if more else []
    lines.append("checks  none: what a workspace builds is neither audited nor tried")
    lines.append(f"report  {folder / 'report.html'}")
    if not report.plan.collect:
        lines.append("next    add --collect to copy the files out of Bazel's folders")
    return "\n".join(lines) + "\n"


def _spec(accepted: str) -> str:
    """A range as it stands after the name of an axis: ==4.2.3 is typed as =4.2.3."""
    return accepted[1:].removesuffix(".*") if accepted.startswith("==") else accepted
