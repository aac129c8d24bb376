"""Plans and reports as plain text, for people and for shells."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from tfbuild.core.counts import counted
from tfbuild.core.durations import about, clock
from tfbuild.core.environments import NO_ENVIRONMENT
from tfbuild.core.interfaces import shell_words
from tfbuild.core.lock_file import LockFile, lock_text
from tfbuild.core.masking import mask
from tfbuild.core.plans import Plan
from tfbuild.core.records import Command
from tfbuild.core.reports import Cell, PerfReport, Report, Trial, is_gpu_untried
from tfbuild.reporting.summary import (
    COMPARED,
    install_command_here,
    load_text,
    near,
    peak_text,
    tally,
    undecided_text,
    versions_text,
)

_VERDICTS = {  # as tallies say them
    "faster": "faster",
    "same": "the same",
    "slower": "slower",
    "undecidable": "undecided",
}
_NAMED = 5  # of the slower ones
_LONGEST_COMMAND = 200  # letters of a command in a plan that people read
Table = tuple[tuple[str, ...], list[tuple[str, ...]]]  # heads, rows


def plan_text(plan: Plan) -> str:
    """The plan as a person reads it."""
    lines = [f"plan {plan.id}: recipe {plan.recipe}, built {_where(plan)}", plan.jobs_because]
    lines += ["", "versions"]
    left_open = {"gcc": plan.compiler.accepted, "bazel": plan.bazel.accepted}
    lines += [
        f"  {choice.axis:<8} {choice.value}{_or_any(left_open.get(choice.axis, '=='))}"
        f"  ({choice.evidence})"
        for choice in plan.versions.choices
    ]
    lines.append("  why these: add -v, or `tfbuild resolve --explain AXIS`")
    lines += ["", f"fetched once ({plan.estimate.download_mb} MB)"]
    lines += [f"  {a.kind:<6} {a.distribution} {a.version}  {a.filename}" for a in plan.artifacts]
    for command in plan.commands:
        lines += ["", command.title, f"  {_shortened(command_line(command))}"]
    lines += ["", "the commands in full: `tfbuild plan --format script`"]
    lines += [] if plan.tree.product == "cc" else _wheel_lines(plan)
    lines += ["", f"estimate on an empty cache: {_costs(plan)}"]
    lines.append("next: the same with `build` in place of `plan`")
    return "\n".join(lines) + "\n"


def reasons_text(plan: Plan) -> str:
    """What speaks for each version of a plan, with its sources."""
    lines = ["why these versions"]
    for choice in plan.versions.choices:
        lines.append(f"  {choice.axis:<8} {choice.value}")
        lines += [f"           because {reason}" for reason in choice.because]
    return "\n".join(lines) + "\n"


def _shortened(command: str) -> str:
    """The command, or its first and last words."""
    if len(command) <= _LONGEST_COMMAND:
        return command
    first = command[:_LONGEST_COMMAND].rpartition(" ")[0]
    last = command[-_LONGEST_COMMAND // 2 :].partition(" ")[2]
    return f"{first} ... {last}"


def _or_any(accepted: str) -> str:
    return "" if accepted.startswith("==") else f", or any in {accepted}"


def _wheel_lines(plan: Plan) -> list[str]:
    """What the wheel will be, and what is tried of it."""
    wheel = plan.wheel
    tags = "-".join(filter(None, (wheel.build_tag, wheel.python_tag, wheel.abi_tag)))
    return [
        "",
        "wheel",
        f"  {wheel.distribution} {wheel.version}, {tags}",
        f"  glibc at most {plan.audit.glibc_ceiling}, at most {plan.audit.max_size_mb:g} MB",
        f"  into {plan.output}",
        "",
        "checks",
        f"  smoke: {', '.join(plan.smoke_probes) or 'the whole suite'}",
        f"  perf:  {'skipped' if not plan.perf_probes else ', '.join(plan.perf_probes)}",
        *(
            [f"  against {', '.join(baseline.name for baseline in plan.baselines)}"]
            if plan.baselines
            else []
        ),
    ]


def trial_text(trial: Trial) -> str:
    """What configure.py of a source tree wrote when it was tried; empty where none was to be."""
    if trial.skipped:
        return f"\nconfigure.py was not tried: {trial.skipped}\n"
    if not trial.lines:
        return ""
    return "\n".join(
        (
            "\ntried in a folder of its own, configure.py writes what was planned:",
            *(f"  {line}" for line in trial.lines),
            "",
        )
    )


def plan_script(plan: Plan) -> str:
    """A POSIX script that builds exactly this plan: all that it decides is spelled out.

    Where the plan leaves open which compiler or Bazel will do, so does the script.
    """
    left_open = {"gcc": plan.compiler.accepted.removesuffix(".*"), "bazel": plan.bazel.accepted}
    words = [
        _axis_word(choice.axis, left_open.get(choice.axis, choice.value))
        for choice in plan.versions.choices
    ]
    if plan.environment.system.name:
        words.append(f"os={plan.environment.system.name}")
    command = f"tfbuild build {shlex.join((*words, *_build_options(plan)))}"
    lines = ["#!/bin/sh", f"# Builds plan {plan.id}.", "set -eu", *_script_body(plan, command), ""]
    lines.append("# What that runs, with {words} for what the environment finds or fetches:")
    lines += [comment_line(command) for command in plan.commands]
    return "\n".join(lines) + "\n"


def command_line(command: Command) -> str:
    """The command as one would type it, placeholders left as they are and secrets hidden."""
    words = (
        shlex.quote(w).replace("'", "") if "{" in w else shlex.quote(w)
        for w in shell_words(command)
    )
    return mask(" ".join(words))


def comment_line(command: Command) -> str:
    """The command as a comment of a script: every line of it is one."""
    return "\n".join(f"#   {line}" for line in command_line(command).splitlines())


def report_text(report: Report, wheel: str) -> str:
    """The end of a build: what it made, whether to trust it, and what to type next."""
    audit = report.audit.findings
    checks = report.smoke.checks
    place = near(Path(wheel))
    lines = [
        f"wheel   {place}",
        f"        {report.wheel.size / 1e6:.1f} MB",
        f"        sha256 {report.wheel.sha256}",
        f"audit   {tally([finding.state for finding in audit])}",
        f"smoke   {tally([check.state for check in checks])}",
    ]
    reasons = [check.reason for check in checks if check.state == "skipped"]
    lines += [f"        {reasons.count(why)} skipped: {why}" for why in dict.fromkeys(reasons)]
    for number, line in enumerate(_speed_tallies(report.perf)):
        lines.append(("        " if number else "perf    ") + line)
    if is_gpu_untried(report):
        lines.append("gpu     compiled for GPUs and not executed: try it on a machine with one")
    lines.append(f"report  {place.with_name('report.html')}")
    for number, command in enumerate(install_command_here(str(place)).split(" && ")):
        lines.append(("        " if number else "next    ") + command)
    return "\n".join(lines) + "\n"


def perf_text(perf: PerfReport) -> str:
    """Measurements, ratios, shares of the peak, how busy the machine was, what was skipped."""
    lines = [f"{m.name:<24} {m.subject:<24} {m.value:>12.3f} {m.unit}" for m in perf.measurements]
    lines += ["", *ratio_lines(perf), ""]
    lines += [
        peak_text(r.name, achieved=r.achieved, peak=r.peak, low=r.low, high=r.high)
        + f", {r.peak:.3f} {r.unit}"
        for r in perf.roofline
    ]
    lines.append(
        f"other programs took {perf.others:.0%} of the processors' time meanwhile, a hypervisor "
        f"{perf.stolen:.0%}; {load_text(perf.load, perf.cpus)}"
    )
    lines += [f"skipped: {name}: {reason}" for name, reason in perf.skipped]
    return "\n".join(lines) + "\n"


def ratio_lines(perf: PerfReport) -> list[str]:
    """One line per ratio; without numbers where nothing was decided."""
    return [
        f"{ratio.name} against {ratio.against}: "
        + (
            undecided_text(perf.load, perf.cpus)
            if ratio.verdict == "undecidable"
            else f"{ratio.value:.2f}x ({ratio.low:.2f} to {ratio.high:.2f}), {ratio.verdict}"
        )
        for ratio in perf.ratios
    ]


def _speed_tallies(perf: PerfReport) -> list[str]:
    """One line per baseline: how many quantities came out how, and the names of the slower ones."""
    lines = []
    for baseline in dict.fromkeys(ratio.against for ratio in perf.ratios):
        ratios = [ratio for ratio in perf.ratios if ratio.against == baseline]
        tallied = tally([_VERDICTS[ratio.verdict] for ratio in ratios], [*_VERDICTS.values()])
        if any(ratio.verdict == "undecidable" for ratio in ratios):
            tallied += f" ({load_text(perf.load, perf.cpus)})"
        slower = sorted((r for r in ratios if r.verdict == "slower"), key=lambda r: r.value)
        named = ", ".join(f"{ratio.name} {ratio.value:.2f}x" for ratio in slower[:_NAMED])
        more = f" and {len(slower) - _NAMED} more" if len(slower) > _NAMED else ""
        lines.append(
            f"against {baseline}: {tallied}" + (f" (slower: {named}{more})" if named else "")
        )
    return lines


def planned_cells(cells: Sequence[Cell]) -> Table:
    """What of a matrix will be built where, and of what."""
    axes = [axis for axis in COMPARED if any(axis in dict(cell.versions) for cell in cells)]
    rows = []
    for cell in cells:
        versions = dict(cell.versions)
        said = f"the plan of {cell.same_as}" if cell.same_as else cell.plan or cell.state
        rows.append((cell.name, cell.system, *(versions.get(axis, "") for axis in axes), said))
    return ("cell", "system", *axes, "plan"), rows


def finished_cells(cells: Sequence[Cell]) -> Table:
    """What became of each cell of a matrix."""
    rows: list[tuple[str, ...]] = [
        (
            cell.state,
            cell.name,
            cell.system,
            versions_text(dict(cell.versions)),
            cell.tag,
            f"{cell.size / 1e6:.1f} MB" if cell.size else "",
            f"as {cell.same_as}" if cell.same_as else clock(cell.seconds) if cell.stages else "",
            cell.audit,
            cell.smoke,
        )
        for cell in cells
    ]
    return ("", "cell", "system", "versions", "tag", "size", "time", "audit", "smoke"), rows


def troubles_text(cells: Sequence[Cell]) -> str:
    """Why nothing was made of cells, and what to do about it."""
    lines = []
    for cell in cells:
        if cell.same_as or not cell.message:
            continue
        code = f" with exit code {cell.exit_code}" if cell.state == "failed" else ""
        lines.append(f"{cell.name} {cell.state}{code}: {cell.message}")
        # What speaks against versions can be long: the page and the document have it.
        why = "" if cell.state == "impossible" else cell.why
        parts = (("why", why), ("do this", cell.hint), ("log", cell.log))
        said = (f"{title}: {text}" for title, text in parts if text)
        lines += [f"  {line}" for text in said for line in text.splitlines()]
    return "".join(f"{line}\n" for line in lines)


def _where(plan: Plan) -> str:
    """On this machine, or in which container."""
    place = plan.environment
    if place.kind == "host":
        return "on this machine"
    limits = [counted(place.cpus, "processor")] if place.cpus else []
    limits += [f"{place.memory_mb} MB memory"] if place.memory_mb else []
    limits += [counted(place.pids, "process")] if place.pids else []
    of = f"image {place.image} ({place.image_id})" if place.image else place.system.name
    of += f" on {place.base}" if place.base else ""
    held = "" if place.lock == NO_ENVIRONMENT else "; its packages must be those of the lock"
    return f"in a container of {', '.join((of, *limits))}{held}"


def _axis_word(axis: str, spec: str) -> str:
    """A choice as one types it: python=3.11, gcc>=9,<17."""
    if spec[:1] in "<>!~":
        return f"{axis}{spec}"
    return f"{axis}={spec.replace(' ', ',') if axis == 'gpu' else spec.removeprefix('==')}"


def _build_options(plan: Plan) -> list[str]:
    """All that a plan decides beside versions, as options."""
    place = plan.environment
    options = [f"--source={plan.source}", f"--output={plan.output}", f"--jobs={plan.jobs}"]
    options += [f"--against={baseline.name}" for baseline in plan.baselines]
    options += [] if plan.perf_probes else ["--skip-perf"]
    options += [f"--build-file={plan.tree.build_file}"] if plan.tree.build_file else []
    options += ["--cc"] if plan.tree.product == "cc" else []
    options += ["--install-system-packages"] if place.install_system_packages else []
    if place.kind == "docker":
        options.append("--env=docker")
        options += [f"--image={place.image_id or place.image}"] if place.image else []
        options += [f"--cpus={place.cpus:g}"] if place.cpus else []
        options += [f"--memory={place.memory_mb}m"] if place.memory_mb else []
        options += [f"--pids={place.pids}"] if place.pids else []
    return options


def _script_body(plan: Plan, command: str) -> list[str]:
    """The command; where a container is held to a lock, that lock goes with it."""
    lock = plan.environment.lock
    if lock == NO_ENVIRONMENT:
        return [f"exec {command}"]
    return [
        "lock=$(mktemp)",
        "trap 'rm -f \"$lock\"' EXIT",
        "cat >\"$lock\" <<'END_OF_LOCK'",
        lock_text(LockFile(environment=lock)).rstrip("\n"),
        "END_OF_LOCK",
        f'{command} --lock "$lock"',
    ]


def _costs(plan: Plan) -> str:
    costs = plan.estimate
    return f"{about(costs.seconds)}, {costs.memory_mb} MB memory, {costs.disk_mb} MB on disk"
