"""Versions and recipe to a Plan: every command, file and check is decided here."""

from collections.abc import Sequence
from dataclasses import replace

from packaging.utils import canonicalize_name

from tfbuild.core.environments import EnvironmentPlan
from tfbuild.core.errors import BadRecipe, BadRequest, NoSolution
from tfbuild.core.identity import plan_id
from tfbuild.core.layout import ANSWERS, BAZEL_DISK, BAZEL_OUTPUTS, CONFIGURE_RC, EVENTS, EXPLAIN
from tfbuild.core.paths import file_digest, named_path
from tfbuild.core.plans import (
    AuditPolicy,
    BaselinePlan,
    BazelPlan,
    CompilerPlan,
    Estimate,
    Plan,
    WheelPlan,
)
from tfbuild.core.records import Artifact, Command, Device, Host, Request, Versions
from tfbuild.core.versions import contains, parse_range
from tfbuild.facts.build_rows import MemoryRow, WheelRow
from tfbuild.facts.job_count import JobCount, choose_jobs, job_words, usual_jobs, usual_need
from tfbuild.facts.names import version_word
from tfbuild.facts.rows import Target
from tfbuild.facts.tables import Recipe, Tables
from tfbuild.facts.targets import target_of
from tfbuild.fetch.requirement_lines import wanted_line
from tfbuild.wheels.requirements import parse_requirement
from tfbuild.wheels.wheel_file import file_word

# What every build passes, whatever the recipe. Each has its reason:
STARTUP_FLAGS = (
    "--nohome_rc",  # a developer's ~/.bazelrc must not change the wheel
    f"--output_user_root={{cache}}/{BAZEL_OUTPUTS.name}",  # an output base of our own
    "--max_idle_secs=900",  # leave no server behind for hours
    "--noblock_for_lock",  # we wait ourselves, and say for whom
)
BUILD_FLAGS = (
    "--symlink_prefix=/",  # no bazel-* links: later builds would walk into them
    "--nosandbox_debug",  # Debian's bazelrc turns it on: noise, and every sandbox is kept
    "--incompatible_strict_action_env",  # PATH of the caller is not an input
    f"--disk_cache={{cache}}/{BAZEL_DISK.name}",  # a killed server loses nothing that was finished
    "--experimental_guard_against_concurrent_changes",  # an edited source never poisons the cache
    "--color=no",
    "--curses=yes",
    "--show_progress_rate_limit=0.5",
    "--progress_in_terminal_title=no",
    "--build_event_publish_all_actions",
    f"--build_event_json_file={{work}}/{EVENTS.name}",
    f"--explain={{work}}/{EXPLAIN.name}",  # why each action ran
    "--verbose_failures",  # the whole command of what failed, for `tfbuild debug`
)


def make_plan(
    request: Request,
    versions: Versions,
    tables: Tables,
    host: Host,
    environment: EnvironmentPlan,
) -> Plan:
    """The Plan for a host that is, or will be, as the environment has it.

    Raises BadRecipe when matrices and recipe do not give what it needs, and BadRequest where a
    wheel to compare with is not there.
    """
    recipe = tables.recipe(request.recipe)
    architectures = _architectures(versions)
    is_runtime = "runtime" in recipe.axes  # other trees bring what they are made of themselves
    artifacts = _artifacts(tables.wheels(), versions) if is_runtime else ()
    count = _job_count(request, recipe, tables.memory(), host)
    bazel = _bazel(recipe, versions, request, tables, host)
    listed = " ".join(architectures)
    answers = tuple((n, t.replace("{architectures}", listed)) for n, t in recipe.configure)
    plan = Plan(
        id="", recipe=request.recipe,
        device=_device(recipe, request.recipe),
        source=request.source, output=request.output,
        versions=versions, environment=environment, artifacts=artifacts,
        configure_answers=answers,
        compiler=_compiler(versions, request, tables, host),
        bazel=bazel,
        wheel=_wheel(recipe, versions, request, target_of(host)),
        audit=_audit(recipe, versions, request, architectures),
        commands=(_configure_command(), _build_command(bazel)),
        smoke_probes=recipe.smoke,
        smoke_requirements=(f"numpy=={versions.value('numpy')}", *recipe.smoke_requirements),
        perf_probes=() if request.skip_perf else recipe.perf,
        perf_bars=tuple(read_bar(text) for text in recipe.perf_bars),
        baselines=read_baselines(request.against),
        held=request.held,
        architectures=architectures,
        services=replace(request.services, jobs=request.jobs or request.services.jobs),
        estimate=_estimate(recipe, tables.wheels(), artifacts, count),
        jobs=count.jobs, jobs_because=count.because,
    )  # fmt: skip
    jobs_flags = (f"--jobs={count.jobs}", f"--local_cpu_resources={count.jobs}")
    named = replace(plan, id=plan_id(plan))
    configure, build = named.commands
    build = replace(build, argv=(*build.argv[: -len(bazel.targets)], *jobs_flags, *bazel.targets))
    return replace(named, commands=(configure, build))


def read_baselines(against: Sequence[str]) -> tuple[BaselinePlan, ...]:
    """What to compare with, in a fixed order. BadRequest where a wheel is not there."""
    return tuple(sorted({_baseline(word) for word in against}, key=BaselinePlan.key_parts))


def _baseline(word: str) -> BaselinePlan:
    if not word.endswith(".whl"):
        try:
            requirement = parse_requirement(wanted_line(word))
        except BadRequest as error:
            raise BadRequest(
                f"'{word}' is not something to compare with",
                code="baseline-not-requirement",
                why=error.why or error.message,
                hint="write a requirement such as tensorflow-cpu==2.21.0, or the path of a wheel",
            ) from error
        requirement.name = canonicalize_name(requirement.name)
        return BaselinePlan(name=str(requirement))  # in one spelling, however it was typed
    path = named_path(word).absolute()
    if not path.is_file():
        raise BadRequest(
            f"there is no wheel {word} to compare with",
            code="baseline-wheel-missing",
            hint="name a file, or a requirement such as tensorflow-cpu==2.21.0",
        )
    return BaselinePlan(name=str(path), sha256=file_digest(path))


def _device(recipe: Recipe, name: str) -> Device:
    if recipe.device == "cpu":
        return "cpu"
    if recipe.device == "cuda":
        return "cuda"
    raise BadRecipe(
        f"recipes/wheels/{name}.yaml: device is '{recipe.device}'",
        code="recipe-device-unknown",
        hint="write device: cpu or cuda",
    )


def _architectures(versions: Versions) -> tuple[str, ...]:
    return tuple(
        word for c in versions.choices if c.axis == "gpu" for word in c.value.split() if word
    )


def _artifacts(rows: Sequence[WheelRow], versions: Versions) -> tuple[Artifact, ...]:
    """The files that this plan fetches, in a fixed order."""
    chosen = {choice.axis: choice.value for choice in versions.choices}
    taken = [
        Artifact(
            distribution=row.distribution,
            version=row.version,
            filename=row.filename,
            sha256=row.sha256,
            kind=row.kind,
            size=row.size,
        )
        for row in rows
        if _is_wanted(row, chosen)
    ]
    _check_toolkit(taken, chosen)
    return tuple(sorted(taken, key=lambda artifact: (artifact.kind, artifact.distribution)))


def _check_toolkit(taken: Sequence[Artifact], chosen: dict[str, str]) -> None:
    """NoSolution where the packages of the chosen CUDA and cuDNN are not pinned."""
    if "cuda" not in chosen:
        return
    parts = {a.distribution: a.version for a in taken if a.kind == "cuda"}
    if not parts:
        raise NoSolution(
            f"matrices/wheels.yaml has no packages of CUDA {chosen['cuda']}",
            code="cuda-not-pinned",
            why="a toolkit is put together from packages that are pinned by their hashes",
            hint="ask for a CUDA that `tfbuild resolve --cuda` answers with, or leave it out",
        )
    cudnn = next((v for name, v in parts.items() if "cudnn" in name), "")
    if not cudnn.startswith(chosen["cudnn"]):
        raise NoSolution(
            f"CUDA {chosen['cuda']} comes with cuDNN {cudnn} here, not {chosen['cudnn']}",
            code="cudnn-not-with-cuda",
            why="matrices/wheels.yaml pins one cuDNN for each CUDA",
            hint="leave cudnn out",
        )


def _is_wanted(row: WheelRow, chosen: dict[str, str]) -> bool:
    if row.cuda and chosen.get("cuda") != row.cuda:
        return False
    if row.python and not contains(row.python, chosen["python"]):
        return False
    if row.kind == "cuda":
        return "cuda" in chosen
    return row.kind in {"build", "tool"}


def _bazel(
    recipe: Recipe, versions: Versions, request: Request, tables: Tables, host: Host
) -> BazelPlan:
    chosen = versions.value("bazel")
    is_here = any(program.version == chosen for program in host.bazels)
    return BazelPlan(
        preferred=chosen,
        accepted=f"=={chosen}" if is_here else _left_open("bazel", versions, request, tables),
        startup_flags=(*STARTUP_FLAGS, *recipe.bazel_startup),
        flags=(*BUILD_FLAGS, *recipe.bazel_flags),
        targets=recipe.targets,
        outputs=recipe.outputs,
        sha256=next((r.sha256 for r in tables.axis("bazel") if r.version == chosen), ()),
    )


def _compiler(versions: Versions, request: Request, tables: Tables, host: Host) -> CompilerPlan:
    chosen = versions.value("gcc")
    exact = f"=={chosen}.*"
    is_here = any(p.name.startswith("g++") and contains(exact, p.version) for p in host.compilers)
    accepted = exact if is_here else _left_open("gcc", versions, request, tables)
    return CompilerPlan(preferred=chosen, accepted=accepted)


def _left_open(axis: str, versions: Versions, request: Request, tables: Tables) -> str:
    """What will do of a tool that the machine lacks: what was asked for, else what any can use."""
    for pin in request.pins:
        if pin.axis == axis and pin.spec != "any":
            return _in_one_spelling(version_word(axis, pin.spec))
    names = {choice.axis: choice.value for choice in versions.choices}
    if "runtime" not in names:
        return f"=={names[axis]}"  # a TensorFlow tree takes the very Bazel and compiler chosen
    runtime = next(r for r in tables.axis("runtime") if r.version == names["runtime"])
    return _in_one_spelling(dict(runtime.requires)[axis])


def _in_one_spelling(spec: str) -> str:
    """A range as `>=3.5,<8`, however it was typed."""
    return ",".join(sorted(map(str, parse_range(spec)), reverse=True))


def _configure_command() -> Command:
    return Command(
        argv=(
            "{python}",
            "{source}/configure.py",
            f"--answers={{work}}/{ANSWERS.name}",
            f"--output={{work}}/{CONFIGURE_RC.name}",
        ),
        stage="configure",
        purpose="write Bazel's configuration",
        cwd="{source}",
    )


def _build_command(bazel: BazelPlan) -> Command:
    return Command(
        argv=(
            "{bazel}",
            "{bazel_startup_flags}",
            *bazel.startup_flags,
            f"--bazelrc={{work}}/{CONFIGURE_RC.name}",
            "build",
            "{bazel_flags}",
            *bazel.flags,
            *bazel.targets,
        ),
        stage="build",
        purpose="compile and link",
        cwd="{source}",
        pty=True,
    )


def _wheel(recipe: Recipe, versions: Versions, request: Request, target: Target) -> WheelPlan:
    tag = "cp" + versions.value("python").replace(".", "")
    return WheelPlan(
        distribution=recipe.distribution,
        package=recipe.package,
        version=request.source_version,
        python_tag=tag,
        abi_tag=tag,
        platform=target.wheel_platform,
        build_tag=_build_tag(versions),
        summary=recipe.wheel_summary,
        requires_python=f"=={versions.value('python')}.*",
        requires=recipe.requires,
        extras=tuple(
            (name, tuple(part.strip() for part in text.split(";"))) for name, text in recipe.extras
        ),
        frontend=recipe.frontend,
        extension=f"_runtime.cpython-{tag[2:]}-{target.multiarch}.so",
    )


def _build_tag(versions: Versions) -> str:
    """Distinguishes the wheels of each CUDA from the one without; empty for that one.

    A local version (0.1.0+cu130) would say it as well, but indexes refuse those.
    """
    cuda = next((c.value for c in versions.choices if c.axis == "cuda"), "")
    return f"1cu{cuda.replace('.', '')}" if cuda else ""


def _audit(
    recipe: Recipe, versions: Versions, request: Request, architectures: tuple[str, ...]
) -> AuditPolicy:
    return AuditPolicy(
        version=request.source_version,
        python_tag="cp" + versions.value("python").replace(".", ""),
        architectures=architectures,
        glibc_ceiling=versions.value("glibc"),
        libstdcxx_ceiling=recipe.libstdcxx_ceiling,
        cpu_level=recipe.cpu_level,
        max_size_mb=recipe.max_size_mb,
        excluded_libraries=recipe.excluded_libraries,
        runtime_libraries=recipe.runtime_libraries,
        folders=(recipe.package, f"{file_word(recipe.distribution)}.libs"),
        packed_by_tree="runtime" not in recipe.axes,
    )


def read_bar(text: str) -> tuple[str, str, float]:
    """Measurement, against and least ratio of one line of perf_bars; BadRecipe on nonsense."""
    try:
        measurement, against, least = text.split()
        parse_requirement(against)
        return measurement, against, float(least)
    except (BadRequest, ValueError) as error:
        raise BadRecipe(
            f"perf_bars: '{text}' is not understood",
            code="speed-threshold-malformed",
            hint="write: MEASUREMENT AGAINST LEAST_RATIO",
        ) from error


def _job_count(request: Request, recipe: Recipe, rows: Sequence[MemoryRow], host: Host) -> JobCount:
    """As many as there are processors and memory for, unless a number was asked for."""
    count = usual_jobs(recipe.memory_kind, rows, host)
    if not request.jobs:
        return count
    asked = choose_jobs(request.jobs, 0, usual_need(recipe.memory_kind, rows))
    also = f"; {count.because} is what tfbuild would take" if request.jobs > count.jobs else ""
    return replace(asked, because=f"{job_words(request.jobs)}: asked for{also}")


def _estimate(
    recipe: Recipe, rows: Sequence[WheelRow], artifacts: Sequence[Artifact], count: JobCount
) -> Estimate:
    sizes = {row.filename: row.size for row in rows}
    download = sum(sizes[artifact.filename] for artifact in artifacts)
    return Estimate(
        download_mb=download // 1_000_000,
        disk_mb=recipe.disk_mb,
        memory_mb=count.memory_mb,
        seconds=recipe.seconds_on_two_cores * 2 // max(count.jobs, 1),
    )
