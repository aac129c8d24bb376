"""The build of a wheel, stage by stage: the bundled runtime's, or a TensorFlow tree's."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tfbuild.builds.open_place import open_place
from tfbuild.builds.run import RequestedBuild, Run
from tfbuild.builds.run_sbom import write_sbom
from tfbuild.builds.speed import can_miss, noise_of
from tfbuild.builds.stages.audit import audit_wheel, readers
from tfbuild.builds.stages.build import run_build
from tfbuild.builds.stages.configure import configure
from tfbuild.builds.stages.perf import (
    PerfNeeds,
    measure_wheel,
    measuring_code,
    perf_needs,
)
from tfbuild.builds.stages.report import deliver, lock_of_build, write_report
from tfbuild.builds.stages.smoke import smoke_needs, smoke_wheel
from tfbuild.builds.stages.wheel import describe_wheel, make_wheel, wheel_inputs
from tfbuild.builds.timeline import Timeline
from tfbuild.builds.tree_plan import is_tree
from tfbuild.builds.tree_stages import actions_of, decided, run_tree_stages, source_of
from tfbuild.builds.verdict import (
    check_audit,
    check_bars,
    check_smoke,
    is_proof,
    missed_bars,
    tallied,
    warn_if_busy,
)
from tfbuild.containers.drift import remember
from tfbuild.core.counts import counted
from tfbuild.core.errors import WheelFailed
from tfbuild.core.interfaces import Environment, Tools
from tfbuild.core.layout import WHEELS
from tfbuild.core.lock_file import lock_path, lock_text
from tfbuild.core.outputs import NO_WHEEL, BuildOutput, Wheel
from tfbuild.core.paths import file_digest, tree_digest, write_aside
from tfbuild.core.plans import Plan
from tfbuild.core.process import find_program
from tfbuild.core.records import Artifact, Interpreter, Lock, Request
from tfbuild.core.reports import AuditReport, PerfReport, Report, SmokeReport
from tfbuild.core.serialization import to_plain
from tfbuild.core.stage_cache import StageCache
from tfbuild.facts.targets import target_of
from tfbuild.fetch.projects import forget_older
from tfbuild.fetch.seals import discard
from tfbuild.fetch.wheelhouse import with_sizes
from tfbuild.reporting.summary import tally


@dataclass(frozen=True, slots=True)
class WheelBuild(RequestedBuild[Request]):
    """A wheel: of the bundled runtime, or of a TensorFlow source tree."""

    def decide(self, run: Run) -> Report:
        """The plan; raises what decide raises."""
        plan = decided(self.request, self.tables, run)
        return run.begun(Report, request=self.request, versions=plan.versions, plan=plan)

    def build(self, report: Report, run: Run) -> Iterator[Report]:
        """Build, audit, smoke test and perf; raises the TfbuildError of the stage that failed."""
        run.announce(*stages_of(report.plan))
        plan, cache = source_of(report.plan, run), StageCache(folders=self.tools.folders)
        env = run.opened("environment", open_place(plan, self.tools))
        yield (report := replace(report, lock=env.toolchain.lock))
        output = (_of_tree if is_tree(plan) else _of_runtime)(plan, env, run)
        yield (report := replace(report, build=output))
        wheel = run.stage("wheel", lambda: _packed(cache, plan, output, env), _sized)
        yield (report := replace(report, wheel=wheel))
        audit = run.stage("audit", lambda: _audit(cache, plan, wheel, env), tallied)
        yield (report := replace(report, audit=audit))
        check_audit(audit)
        smoke = run.stage("smoke", lambda: _smoke(cache, plan, wheel, env), _passed)
        yield (report := replace(report, smoke=smoke))
        check_smoke(smoke)
        before = partial(self._deliver_first, report, env, cache, run)
        perf = _perf(cache, plan, wheel, env, run.timeline, before=before)
        yield (report := replace(report, perf=perf))
        check_bars(perf)
        yield _with_papers(report, env, cache)
        remember(plan, env.toolchain.lock.environment, self.tools.folders.work)

    def made(self, report: Report) -> Path | None:
        """The wheel, once it is packed, and until it is delivered."""
        wheel, place = report.wheel, report.plan.output / report.wheel.path.name
        if wheel == NO_WHEEL or (place.is_file() and file_digest(place) == wheel.sha256):
            return None
        return wheel.path

    def write(self, report: Report, folder: Path) -> Path:
        """Write report.json and report.html; the path of the page."""
        return write_report(report, folder)

    def deliver(self, report: Report, run: Run) -> Report:
        """Put the wheel, its report, lock and SBOM into the output folder."""
        self.write(report, run.tools.folders.run)
        deliver(report, run.tools.folders.run, report.plan.output)
        return report

    def _deliver_first(self, report: Report, env: Environment, cache: StageCache, run: Run) -> None:
        """Deliver before minutes of measuring, which are worth nothing on a busy machine.

        Not where a threshold can be missed: what misses it is never delivered.
        """
        if can_miss(report.plan.perf_bars, report.plan.baselines):
            return
        stages = tuple(run.timeline.stages)
        self.deliver(replace(_with_papers(report, env, cache), stages=stages), run)
        place = report.plan.output / report.wheel.path.name
        run.tools.reporter.note(f"{place} is proven and can be used; its speed is measured now")


def stages_of(plan: Plan) -> tuple[str, ...]:
    """The stages behind the plan, in their order."""
    first = ("source", "environment", "patch", "configure", "readback")
    made = first if is_tree(plan) else ("environment", "configure")
    perf = ("perf",) if plan.perf_probes else ()
    return (*made, "build", "wheel", "audit", "smoke", *perf)


# --- inside ------------------------------------------------------------------------------------


def _of_runtime(plan: Plan, env: Environment, run: Run) -> BuildOutput:
    """What Bazel makes of the bundled runtime."""
    configured = run.stage("configure", lambda: configure(plan, env))
    return run.stage("build", lambda: run_build(plan, configured, env), actions_of)


def _of_tree(plan: Plan, env: Environment, run: Run) -> BuildOutput:
    """What Bazel makes of a TensorFlow source tree, whose own rules pack the wheel."""
    return run_tree_stages(plan, env, run.timeline)


def _packed(cache: StageCache, plan: Plan, output: BuildOutput, env: Environment) -> Wheel:
    """The wheel: of a tree the one that its rules have packed."""
    return _own_wheel(output) if is_tree(plan) else _wheel(cache, plan, output, env)


def _with_papers(report: Report, env: Environment, cache: StageCache) -> Report:
    """The report with all that was fetched; lock and SBOM are written into the run's folder."""
    report = replace(report, lock=_whole_lock(report, env.tools))
    locked = lock_text(lock_of_build(report.lock, env.toolchain, report))
    write_aside(env.tools.folders.run / lock_path(report.wheel.path).name, locked)
    write_sbom(report, env, cache)
    return report


def _whole_lock(report: Report, tools: Tools) -> Lock:
    """The lock with what the checks have installed, and the sizes that an index did not state."""
    lock = report.lock
    fetched = (*lock.artifacts, *report.smoke.artifacts, *report.perf.artifacts)
    # What two stages have used is one line.
    return replace(lock, artifacts=tuple(dict.fromkeys(with_sizes(fetched, tools))))


def _own_wheel(output: BuildOutput) -> Wheel:
    """The wheel among the files that a tree made."""
    wheels = [path for name, path in output.files if name.endswith(".whl")]
    if len(wheels) != 1:
        raise WheelFailed(
            f"the tree made {counted(len(wheels), 'wheel')}, and one is expected",
            code="tree-wheel-count",
            why=", ".join(name for name, _ in output.files),
            hint="see targets: in the build file",
        )
    return describe_wheel(wheels[0])


# --- stages with memory ------------------------------------------------------------------------


def _wheel(cache: StageCache, plan: Plan, output: BuildOutput, env: Environment) -> Wheel:
    """The wheel, made anew unless the same files were packed before."""
    parts = [to_plain(plan.wheel), to_plain(plan.audit)]
    parts += [[name, file_digest(path)] for name, path in output.files]
    parts += [tree_digest(env.toolchain.source / plan.wheel.frontend), wheel_inputs(env)]
    folder = WHEELS.path(env.tools.folders.work)

    def make() -> Wheel:
        aside = env.tools.folders.run / "wheel"
        wheel = make_wheel(plan, output, env, aside)
        target = _place_of(wheel, folder)
        discard(target.parent)  # what is kept under that name was not believed
        target.parent.mkdir(parents=True)
        shutil.move(wheel.path, target)
        forget_older(WHEELS, env.tools.folders.work)
        return replace(wheel, path=target)

    return cache.get_or_make(
        "wheel", parts, Wheel, make, holds=lambda wheel: _is_whole(wheel, folder)
    )


def _audit(cache: StageCache, plan: Plan, wheel: Wheel, env: Environment) -> AuditReport:
    cuobjdump = _cuobjdump(env)
    programs = (cuobjdump, str(Path(cuobjdump).parent / "nvdisasm"))
    return cache.get_or_make(
        "audit",
        [wheel.sha256, to_plain(plan.audit), *map(_digest_of, programs), readers()],
        AuditReport,
        lambda: audit_wheel(plan.audit, wheel.path, env.tools, cuobjdump),
        holds=lambda report: report.sha256 == wheel.sha256,
        keep=is_proof,
    )


def _smoke(cache: StageCache, plan: Plan, wheel: Wheel, env: Environment) -> SmokeReport:
    python = _interpreter(env)
    needs = smoke_needs(
        wheel.path, plan.smoke_requirements, python, env.tools, _held(plan, "smoke")
    )
    return cache.get_or_make(
        "smoke",
        [
            wheel.sha256,
            plan.smoke_probes,
            _digests(needs),
            _digest_of(find_program(target_of(env.tools.host).emulator)),
            _machine(plan, env),
        ],
        SmokeReport,
        lambda: smoke_wheel(wheel.path, plan.smoke_probes, python, env.tools, needs=needs),
        holds=lambda report: report.sha256 == wheel.sha256,
        keep=is_proof,
    )


def _perf(
    cache: StageCache,
    plan: Plan,
    wheel: Wheel,
    env: Environment,
    timeline: Timeline,
    *,
    before: Callable[[], None],
) -> PerfReport:
    """The speed of the wheel; before is called where it has to be measured."""
    if not plan.perf_probes:
        timeline.skip("perf", "asked for by --skip-perf")
        return PerfReport(wheel=wheel.path.name, sha256=wheel.sha256, measurements=(), ratios=())

    def measure(needs: PerfNeeds) -> PerfReport:
        before()
        return measure_wheel(
            *(wheel.path, plan.perf_probes, _interpreter(env), env.tools),
            needs=needs,
            bars=plan.perf_bars,
            brief=_is_brief(plan),
        )

    def measured() -> PerfReport:
        python = _interpreter(env)
        needs = perf_needs(wheel.path, plan.baselines, python, env.tools, _held(plan, "perf"))
        baselines = [
            [baseline.sha256 or baseline.name, _digests(n)] for baseline, n in needs.baselines
        ]
        return cache.get_or_make(
            "perf",
            [
                *(wheel.sha256, plan.perf_probes, plan.perf_bars, _is_brief(plan)),
                *(_digests(needs.wheel), baselines, _machine(plan, env)),
            ],
            PerfReport,
            lambda: measure(needs),
            holds=lambda report: report.sha256 == wheel.sha256,
            keep=lambda report: not missed_bars(report),
            code=measuring_code(),
        )

    report = timeline.run("perf", measured, _compared)
    warn_if_busy(report, env.tools.reporter)
    if report.brief and not noise_of(report):  # else the warning names the same command
        place = plan.output / wheel.path.name
        env.tools.reporter.note(f"measured briefly; more rounds: tfbuild perf {place}")
    return report


def _is_brief(plan: Plan) -> bool:
    """Whether a minute will do: nothing is compared on purpose, and no threshold can be missed."""
    return not (plan.baselines or can_miss(plan.perf_bars, plan.baselines))


def _held(plan: Plan, kind: str) -> tuple[Artifact, ...]:
    """The files of that kind which a lock names."""
    return tuple(artifact for artifact in plan.held if artifact.kind == kind)


def _interpreter(env: Environment) -> Interpreter:
    """The Python that the wheel is tried with."""
    chain = env.toolchain
    return Interpreter(path=chain.python, version=chain.python_version, tag="")


def _machine(plan: Plan, env: Environment) -> list[object]:
    """What of the machine a check of behaviour or speed depends on."""
    host, chain = env.tools.host, env.toolchain
    hardware = [host.cpu_model, host.cpus, host.glibc, host.driver, to_plain(host.gpus)]
    hardware += [plan.environment.cpus, plan.environment.memory_mb]
    python = chain.image or _digest_of(chain.python)
    return [*hardware, chain.python_version, python]


def _digests(artifacts: Sequence[Artifact]) -> list[str]:
    return [artifact.sha256 for artifact in artifacts]


def _digest_of(program: str) -> str:
    """The digest of a program's file; empty where there is none."""
    return file_digest(Path(program)) if program and Path(program).is_file() else ""


def _cuobjdump(env: Environment) -> str:
    path = Path(env.toolchain.cuda, "bin", "cuobjdump")
    return str(path) if env.toolchain.cuda and path.is_file() else ""


def _place_of(wheel: Wheel, folder: Path) -> Path:
    """Where a packed wheel is kept."""
    return folder / wheel.sha256[:16] / wheel.path.name


def _is_whole(wheel: Wheel, folder: Path) -> bool:
    """Whether it is the file that was packed, and lies where such files are kept."""
    is_there = wheel.path == _place_of(wheel, folder) and wheel.path.is_file()
    if not is_there or file_digest(wheel.path) != wheel.sha256:
        return False
    os.utime(wheel.path)  # what was used lately is not pruned
    return True


# --- a few words per stage ---------------------------------------------------------------------


def _sized(wheel: Wheel) -> str:
    return f"{wheel.path.name}, {wheel.size / 1e6:.1f} MB"


def _passed(smoke: SmokeReport) -> str:
    return tally([check.state for check in smoke.checks])


def _compared(perf: PerfReport) -> str:
    return f"{counted(len(perf.measurements), 'measurement')}, {counted(len(perf.ratios), 'ratio')}"
