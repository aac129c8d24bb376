"""The plan and the report of a build by a recipe, as plain text for people and for shells."""

import shlex
from dataclasses import replace
from pathlib import Path

from tfbuild.core.counts import counted
from tfbuild.core.durations import about
from tfbuild.recipes.records import BuildStep, Patch, ProductPlan, ProductReport
from tfbuild.reporting import text
from tfbuild.reporting.html import megabytes
from tfbuild.reporting.summary import near, tally, unpack_command
from tfbuild.reporting.text import command_line, comment_line
from tfbuild.run.tree_code import code_of


def plan_text(plan: ProductPlan, here: str) -> str:
    """The plan as a person reads it, on a machine of the platform here."""
    if plan.tree_plan:
        return text.plan_text(replace(plan.tree_plan, id=plan.id)) + _ending(plan)
    source = plan.source
    lines = [
        f"plan {plan.id}: {plan.recipe} {plan.version} for {plan.target}, {plan.summary}",
        f"source   {source.place}" + (f", sha256 {source.sha256}" if source.sha256 else ""),
        f"options  {' '.join(f'{name}={value}' for name, value in plan.options) or 'none'}",
        f"place    {_place(plan, here)}",
        f"needs    {' '.join(need.name for need in plan.needs)}",
        f"jobs     {plan.jobs_because}" + _unless_here(plan, here, ", counted on this machine"),
    ]
    lines += [f"patch    {step.name}" for step in plan.steps if isinstance(step, Patch)]
    files = [pair for step in plan.steps if isinstance(step, BuildStep) for pair in step.files]
    for name, content in files:
        lines += [f"file     {name}", *(f"  {line}" for line in content.splitlines())]
    for command in plan.commands:
        lines += ["", command.title, f"  {command_line(command)}"]
    return "\n".join(lines) + "\n" + _ending(plan)


def plan_script(plan: ProductPlan, recipe: str) -> str:
    """A POSIX script that builds exactly this plan; recipe is a name or the path of a file."""
    if plan.tree_plan:
        return text.plan_script(replace(plan.tree_plan, id=plan.id))
    words = [recipe, f"version={plan.version}", f"platform={plan.target}"]
    words += [f"{name}={value}" for name, value in plan.options]
    if plan.source.kind == "debian":
        words.append("--source=debian")
    elif not plan.source.place.startswith("https://"):
        words.append(f"--source={plan.source.place}")
    if plan.env == "docker":
        words += ["--env=docker", f"os={plan.system.image}"]
    words += [f"--model={model}" for model in plan.models]
    words += [f"--jobs={plan.jobs}", f"--output={plan.output}"]
    lines = ["#!/bin/sh", f"# Builds plan {plan.id}.", "set -eu"]
    lines += [f"exec tfbuild build {shlex.join(words)}", ""]
    lines.append("# What that runs; {words} stand for folders of the build:")
    lines += [comment_line(command) for command in plan.commands]
    return "\n".join(lines) + "\n"


def report_text(report: ProductReport, folder: Path) -> str:
    """The end of a build: what it made, whether to trust it, and what to type next."""
    audit = tally([line.state for line in report.audit.findings])
    smoke = tally([line.state for line in report.smoke.checks])
    packages = sorted({need.package for need in report.needs if need.package})
    archive = near(report.archive)
    lines = [
        f"archive {archive}",
        f"        {megabytes(report.size)}",
        f"        sha256 {report.sha256}",
    ]
    lines += [f"needs   {' '.join(packages)}"] if packages else []
    lines += [f"audit   {audit}", f"smoke   {smoke}", f"report  {folder / 'report.html'}"]
    lines.append(f"next    {unpack_command(str(archive))}")
    return "\n".join(lines) + "\n"


# --- inside ------------------------------------------------------------------------------------


def _ending(plan: ProductPlan) -> str:
    """How the product is proven, what it takes, and where it will be."""
    estimate = plan.estimate
    exports = f", {counted(len(plan.exports), 'symbol')}" if plan.exports else ""
    probes = [probe.name for probe in plan.probes] or ["headers alone"]
    probes += [code_of(plan.tree).proves] if plan.tree else []
    probes += [str(model) for model in plan.models]
    takes = f"about {about(estimate.seconds)} on two cores, {estimate.disk_mb} MB of disk"
    lines = [
        "",
        f"audit    libraries, hardening, paths{exports}",
        f"smoke    {', '.join(probes)}",
        *([] if plan.tree_plan else [f"takes    {takes}"]),  # its own text has it
        f"into     {plan.output / plan.archive}",
        "next     the same with `build` in place of `plan`",
    ]
    return "\n".join(lines) + "\n"


def _place(plan: ProductPlan, here: str) -> str:
    """Where it is built: nothing here compiles for another platform."""
    where = _unless_here(
        plan, here, f"a machine that is {plan.target}: run it there, this one is {here}"
    )
    if not plan.system.name:
        return where or "this machine"
    return f"a container of {plan.system.name}" + (f", on {where}" if where else "")


def _unless_here(plan: ProductPlan, here: str, words: str) -> str:
    return "" if plan.target == here else words
