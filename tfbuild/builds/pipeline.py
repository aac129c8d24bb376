"""The build, stage by stage: the one place where their order stands."""

import json
import shutil
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.builds.bill import write_bill
from tfbuild.builds.obtainable import require_obtainable
from tfbuild.builds.stages.audit import audit_wheel
from tfbuild.builds.stages.build import run_build
from tfbuild.builds.stages.configure import configure
from tfbuild.builds.stages.container import open_container
from tfbuild.builds.stages.environment import open_environment
from tfbuild.builds.stages.perf import measure_wheel
from tfbuild.builds.stages.plan import make_plan
from tfbuild.builds.stages.report import deliver
from tfbuild.builds.stages.resolve import resolve
from tfbuild.builds.stages.smoke import smoke_wheel
from tfbuild.builds.stages.wheel import make_wheel
from tfbuild.builds.timeline import Timeline
from tfbuild.builds.verdict import (
    Run,
    check_audit,
    check_bars,
    check_smoke,
    is_lasting,
    reported,
    write_run,
)
from tfbuild.containers.drift import remember
from tfbuild.containers.images import find_place
from tfbuild.containers.systems import System
from tfbuild.core.disk_space import telling_need
from tfbuild.core.interfaces import Environment, Tools
from tfbuild.core.paths import file_digest, tree_digest, write_aside
from tfbuild.core.records import BuildOutput, Plan, Request, Versions, Wheel
from tfbuild.core.reports import AuditReport, PerfReport, Report, SmokeReport
from tfbuild.core.run_folder import alone
from tfbuild.core.serialization import to_plain
from tfbuild.core.stage_cache import StageCache
from tfbuild.facts.tables import Tables
from tfbuild.reporting.summary import tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """A finished build: the report, and where the wheel lies."""

    report: Report
    wheel: Path


def build(
    request: Request, tables: Tables, tools: Tools, timeline: Timeline | None = None
) -> Delivered:
    """Run every stage in order; the first failure stops the build.

    Who brings the timeline has the times of a build that fails, too. Raises the TfbuildError of
    the stage that failed. What was measured until then is in the report of the run's folder; the
    output folder is only touched by a build that passed.
    """
    folders, timeline = tools.folders, timeline or Timeline(reporter=tools.reporter)
    memo = StageCache(folders=folders)
    with alone(folders.work), ExitStack() as stack:
        place = find_place(request, tables, tools)
        versions = timeline.run("resolve", lambda: resolve(request, tables, place.host), _told)
        require_obtainable(request, versions, tables, place.host)
        plan = timeline.run("plan", lambda: make_plan(request, versions, tables, place.host))
        stack.enter_context(telling_need(plan.estimate.disk_mb, folders.cache))
        _write_plan(plan, folders.run)
        env = timeline.run(
            "environment",
            lambda: stack.enter_context(_environment(plan, request, tools, place.system)),
        )
        configured = timeline.run("configure", lambda: configure(plan, env))
        output = timeline.run("build", lambda: run_build(plan, configured, env), _counted)
        wheel = timeline.run("wheel", lambda: _wheel(memo, plan, output, env), _sized)
        audit = timeline.run("audit", lambda: _audit(memo, plan, wheel, env), _tallied)
        run = Run(request, versions, plan, env, output, wheel, timeline)
        with reported(run, audit):
            check_audit(audit)
        smoke = timeline.run("smoke", lambda: _smoke(memo, plan, wheel, env), _climbed)
        with reported(run, audit, smoke):
            check_smoke(smoke)
        perf = _perf(memo, plan, wheel, env, timeline)
        with reported(run, audit, smoke, perf):
            check_bars(perf)
        report = write_run(run, audit, smoke, perf)
        write_bill(run, memo)
        remember(plan, request, env.toolchain.lock.environment, folders.work)
        return Delivered(report=report, wheel=deliver(wheel, folders.run, request.output))


def _environment(
    plan: Plan, request: Request, tools: Tools, system: System | None
) -> AbstractContextManager[Environment]:
    """Where the plan is carried out: on this machine, or in a container."""
    if request.env == "docker":
        return open_container(plan, request, tools, system)
    return open_environment(plan, request, tools)


def _write_plan(plan: Plan, folder: Path) -> None:
    document = {"schema": "tfbuild.plan/1", **to_plain(plan)}
    write_aside(folder / "plan.json", json.dumps(document, indent=1) + "\n")


# --- stages with memory ------------------------------------------------------------------------


def _wheel(memo: StageCache, plan: Plan, output: BuildOutput, env: Environment) -> Wheel:
    """The wheel, made anew unless the same files were packed before."""
    parts = [to_plain(plan.wheel), to_plain(plan.audit)]
    parts += [[name, file_digest(path)] for name, path in output.files]
    parts += [tree_digest(env.toolchain.source / plan.wheel.frontend), env.toolchain.image]
    folder = env.tools.folders.work / "wheels"

    def make() -> Wheel:
        aside = env.tools.folders.run / "wheel"
        wheel = make_wheel(plan, output, env, aside)
        target = folder / wheel.sha256[:16] / wheel.path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(wheel.path, target)
        return replace(wheel, path=target)

    return memo.get_or_make("wheel", parts, Wheel, make, holds=_is_whole)


def _audit(memo: StageCache, plan: Plan, wheel: Wheel, env: Environment) -> AuditReport:
    return memo.get_or_make(
        "audit",
        [wheel.sha256, to_plain(plan.audit)],
        AuditReport,
        lambda: audit_wheel(plan.audit, wheel.path, env.tools, _cuobjdump(env)),
        keep=lambda report: all(f.state != "failed" for f in report.findings),
    )


def _smoke(memo: StageCache, plan: Plan, wheel: Wheel, env: Environment) -> SmokeReport:
    return memo.get_or_make(
        "smoke",
        [wheel.sha256, plan.smoke_probes, plan.smoke_requirements, _machine(env)],
        SmokeReport,
        lambda: smoke_wheel(
            wheel.path,
            plan.smoke_probes,
            env.toolchain.python,
            env.tools,
            requirements=plan.smoke_requirements,
        ),
        keep=lambda report: all(r.state != "failed" for r in report.rungs),
    )


def _perf(
    memo: StageCache, plan: Plan, wheel: Wheel, env: Environment, timeline: Timeline
) -> PerfReport:
    if not plan.perf_probes:
        timeline.skip("perf", "asked for by --skip-perf")
        return PerfReport(wheel=wheel.path.name, sha256=wheel.sha256, measurements=(), ratios=())
    return timeline.run(
        "perf",
        lambda: memo.get_or_make(
            "perf",
            [wheel.sha256, plan.perf_probes, plan.against, plan.perf_bars, _machine(env)],
            PerfReport,
            lambda: measure_wheel(
                wheel.path,
                plan.perf_probes,
                env.toolchain.python,
                env.tools,
                against=plan.against,
                bars=plan.perf_bars,
            ),
            keep=is_lasting,
        ),
        _compared,
    )


def _machine(env: Environment) -> list[object]:
    """What of the machine a check of behaviour or speed depends on."""
    host, chain = env.tools.host, env.toolchain
    hardware = [host.cpu_model, host.cpus, host.glibc, host.driver, to_plain(host.gpus)]
    return [*hardware, chain.python, chain.python_version, chain.image]


def _cuobjdump(env: Environment) -> str:
    path = Path(env.toolchain.cuda, "bin", "cuobjdump")
    return str(path) if env.toolchain.cuda and path.is_file() else ""


def _is_whole(wheel: Wheel) -> bool:
    return wheel.path.is_file() and file_digest(wheel.path) == wheel.sha256


# --- a few words per stage ---------------------------------------------------------------------


def _told(versions: Versions) -> str:
    return ", ".join(f"{c.axis} {c.value}" for c in versions.choices if c.axis != "gpu")


def _counted(output: BuildOutput) -> str:
    return f"{output.actions} actions, {output.cache_hits} from the cache"


def _sized(wheel: Wheel) -> str:
    return f"{wheel.path.name}, {wheel.size / 1e6:.1f} MB"


def _tallied(audit: AuditReport) -> str:
    return tally([finding.state for finding in audit.findings])


def _climbed(smoke: SmokeReport) -> str:
    return tally([rung.state for rung in smoke.rungs])


def _compared(perf: PerfReport) -> str:
    return f"{len(perf.measurements)} measurements, {len(perf.ratios)} ratios"
