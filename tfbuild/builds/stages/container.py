"""Opens a plan's environment in a container: image, cache volume, and a second one for trials."""

import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tfbuild.bazel.folders import require_usable
from tfbuild.builds.tool_choice import find_compiler, find_python
from tfbuild.containers.drift import report_drift
from tfbuild.containers.engine import Container, ContainerSpec, Engine, Mount, open_engine
from tfbuild.containers.image_contents import ImageContents
from tfbuild.containers.images import (
    environment_of,
    hold_to_lock,
    looked_at,
    provide_image,
    trial_image,
)
from tfbuild.containers.ownership import KIND, LABEL, cache_labels, clear
from tfbuild.containers.runner import (
    ContainerRunner,
    DockerEnvironment,
    LazyRunner,
    script_head,
)
from tfbuild.containers.system_choice import limited
from tfbuild.core.counts import counted
from tfbuild.core.errors import CommandFailed, EnvironmentFailed
from tfbuild.core.file_locks import try_lock
from tfbuild.core.interfaces import Tools
from tfbuild.core.layout import CACHE_INSIDE, CONTAINERS, ENVIRONMENTS, EXCHANGE, LOG, SCRIPT
from tfbuild.core.parts import part_folder
from tfbuild.core.paths import data_folder, real_path
from tfbuild.core.plans import NO_TREE, Plan
from tfbuild.core.records import Command, Interpreter, Lock, Program, Toolchain
from tfbuild.core.run_folder import make_work
from tfbuild.core.versions import contains
from tfbuild.fetch.bazel import provide_bazel
from tfbuild.fetch.cache import hold_cache, name_cache, note_use
from tfbuild.fetch.cuda_toolkit import assemble_toolkit
from tfbuild.fetch.wheelhouse import unpack_all

_HOME = f"{CACHE_INSIDE}/home"  # in a named volume, as Bazel's outputs belong to no machine
_WAIT_SECONDS = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The tools of the image that the plan means."""

    python: Interpreter
    compiler: Program
    bazel: Program


@contextmanager
def open_container(plan: Plan, tools: Tools) -> Iterator[DockerEnvironment]:
    """A container with everything ready that the plan needs; it is gone when left.

    What comes from outside is fetched here, by this machine, and only read inside, where there is
    no network. Where the image has other packages than for the last build, tfbuild warns. Raises
    EnvironmentFailed when the engine, the image or a tool in it is missing, no image can be made
    for the plan, or the environment is not that of the plan's lock, FetchFailed, and DiskFull.
    """
    _require_image(plan)
    require_usable(plan.source, tools.folders)
    make_work(tools.folders.work)
    with ExitStack() as stack:
        stack.enter_context(hold_cache(tools.folders.cache))
        engine = stack.enter_context(open_engine())
        if gone := clear(engine):
            tools.reporter.note(f"removed {counted(gone, 'container')} that killed builds had left")
        engine.forget_left()
        image = provide_image(engine, plan, tools)
        inside = looked_at(engine, image.id, tools)
        environment = environment_of(engine, image, inside)
        hold_to_lock(engine, plan.environment.lock, environment)
        report_drift(plan, environment, tools)
        found = _find_tools(plan, inside, tools)
        spec = _spec(image.id, plan, tools)
        folder = stack.enter_context(_folder_of_trials(tools))
        trials = _Trials(
            plan=plan, spec=spec, engine=engine, tools=tools, stack=stack, folder=folder
        )
        tools = replace(trials.tools_with_it, host=limited(inside.host, plan.environment))
        chain = _toolchain(plan, inside, found, tools)
        lock = replace(chain.lock, environment=environment)
        volume = _volume(plan, inside, found, tools)
        # Below the container: Bazel has ended with it before another build may have the volume.
        hold = _Hold(volume=volume, tools=tools, stack=stack.enter_context(ExitStack()))
        note_use(tools.folders.cache, spec.image, volume)
        labels = {LABEL: "1", KIND: "cache", **cache_labels(tools.folders.cache)}
        engine.make_volume(volume, labels)
        cache = Mount(source=volume, target=CACHE_INSIDE, writable=True, is_volume=True)
        spec = replace(spec, mounts=(*spec.mounts, cache))
        _own(engine, spec)
        container = stack.enter_context(engine.open(spec))
        runner = _runner(container, tools)
        _begin_script(script_head(spec, engine.user_of(spec)), tools)
        yield DockerEnvironment(
            toolchain=replace(chain, image=spec.image, lock=lock), tools=tools, runner=runner,
            hold=hold.take,
        )  # fmt: skip


# --- the image and what it has -------------------------------------------------------------------


def _require_image(plan: Plan) -> None:
    """EnvironmentFailed for a tree that needs what no package of a distribution has."""
    place = plan.environment
    if place.image or not plan.tree.unpackaged:
        return
    value = plan.versions.value
    raise EnvironmentFailed(
        f"tfbuild makes no image for TensorFlow {plan.tree.release}",
        code="image-not-makeable",
        why=f"no distribution packages {', '.join(plan.tree.unpackaged)}, which its build imports",
        hint=f"name one with --image: {place.base or place.system.image} with g++ {value('gcc')}, "
        f"Python {value('python')} with headers and {', '.join(plan.tree.unpackaged)}, and "
        f"the packages {' '.join(plan.tree.packages)}",
    )


def _fetched_bazel(plan: Plan, tools: Tools) -> Program | None:
    """The Bazel of a tree, which no distribution packages, from the cache; none for other plans.

    The cache has the same path inside.
    """
    if plan.tree == NO_TREE:
        return None
    # One on this machine's PATH is no file of the container.
    found = provide_bazel(plan.bazel, replace(tools, host=replace(tools.host, bazels=())))
    return Program(name="bazel", path=found.path, version=found.version)


def _find_tools(plan: Plan, inside: ImageContents, tools: Tools) -> _Found:
    """The image's compiler, Python and Bazel; EnvironmentFailed names what it lacks."""
    host = inside.host
    python, compiler = find_python(plan, host.pythons), find_compiler(plan, host.compilers)
    bazel = next((b for b in host.bazels if contains(plan.bazel.accepted, b.version)), None)
    bazel = bazel or _fetched_bazel(plan, tools)
    if python and compiler and bazel:
        return _Found(python=python, compiler=compiler, bazel=bazel)
    value = plan.versions.value
    lacks = [
        name
        for name, there in (
            (f"Python {value('python')} with its headers", python),
            (f"g++ {value('gcc')}", compiler),
            (f"Bazel {plan.bazel.accepted}", bazel),
        )
        if not there
    ]
    has = [f"{p.name} {p.version}" for p in (*host.compilers, *host.bazels)]
    has += [f"Python {p.version}" for p in host.pythons]
    raise EnvironmentFailed(
        f"the image {plan.environment.image or 'of this plan'} has no {' and no '.join(lacks)}",
        code="image-lacks-tools",
        why=f"it is {host.distribution} {host.distribution_version} with "
        f"{', '.join(has) or 'none of the tools'}",
        hint="leave --image out: then one is made that has what the plan needs",
    )


def _toolchain(plan: Plan, inside: ImageContents, found: _Found, tools: Tools) -> Toolchain:
    folders = unpack_all(plan.artifacts, tools, python=found.python.path)
    wheels = tuple(zip(plan.artifacts, folders, strict=True))
    toolkit = tuple(wheel for wheel in wheels if wheel[0].kind == "cuda")
    return Toolchain(
        bazel=found.bazel.path,
        bazel_version=found.bazel.version,
        bazel_origin="image" if found.bazel in inside.host.bazels else "cache",
        bazel_rules=inside.rules if contains(">=7", found.bazel.version) else "",
        python=found.python.path,
        python_version=found.python.version,
        python_headers=found.python.headers,
        compiler=found.compiler.path,
        compiler_version=found.compiler.version,
        source=plan.source,
        cache=Path(CACHE_INSIDE),
        work=_exchange(tools),
        artifacts=tuple((artifact.distribution, folder) for artifact, folder in wheels),
        cuda=str(assemble_toolkit(toolkit, tools)) if toolkit else "",
        lock=Lock(plan_id=plan.id, artifacts=plan.artifacts),
    )


# --- containers ----------------------------------------------------------------------------------


def _exchange(tools: Tools) -> Path:
    """The folder for all that a Bazel inside and this side write for each other."""
    folder = EXCHANGE.path(tools.folders.work)
    folder.mkdir(exist_ok=True)
    return folder


def _spec(image: str, plan: Plan, tools: Tools) -> ContainerSpec:
    """A container that sees sources and cache read-only, and the exchange, where they are."""
    folders, exchange = tools.folders, _exchange(tools)
    return ContainerSpec(
        image=image,
        kind="build",
        mounts=(
            # A TensorFlow tree is configured, and built from, in its own folder.
            Mount(source=str(plan.source), target=str(plan.source), writable=plan.tree != NO_TREE),
            Mount(source=str(folders.cache), target=str(folders.cache)),
            # What this side believes of the work folder lies where no container writes.
            Mount(source=str(exchange), target=str(exchange), writable=True),
        ),
        env=(("HOME", _HOME), ("USER", "builder"), ("LANG", "C.UTF-8")),
        cpus=plan.environment.cpus,
        memory_mb=plan.environment.memory_mb,
        pids=plan.environment.pids,
    )


def _runner(container: Container, tools: Tools) -> ContainerRunner:
    run = tools.folders.run
    return ContainerRunner(
        container=container,
        log=run / LOG if run.is_dir() else None,
        script=run / SCRIPT if (run / SCRIPT).is_file() else None,
        reporter=tools.reporter,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trials:
    """Opens a fresh container of the same base that has only Python: there the wheel must work."""

    plan: Plan
    spec: ContainerSpec
    engine: Engine
    tools: Tools
    stack: ExitStack
    folder: Path  # what is tried in it writes there alone

    @property
    def tools_with_it(self) -> Tools:
        """The tools, with the container as the guest that is opened when it is first used."""
        guest = LazyRunner(make=self.open)
        return replace(self.tools, guest=guest, guest_folder=self.folder)

    def open(self) -> ContainerRunner:
        """The runner of the container, which ends with the environment."""
        version, system = self.plan.versions.value("python"), self.plan.environment.system
        image = trial_image(self.engine, self.spec.image, version, self.tools, system)
        note_use(self.tools.folders.cache, image)
        cache = tuple(m for m in self.spec.mounts if m.source == str(self.tools.folders.cache))
        place = Mount(source=str(self.folder), target=str(self.folder), writable=True)
        wanted = replace(
            self.spec,
            image=image,
            kind="trial",
            mounts=(*cache, place),
            env=(("HOME", "/tmp"), *(pair for pair in self.spec.env if pair[0] != "HOME")),  # noqa: S108
            gpus=self._gpus(),
        )
        container = self.stack.enter_context(self.engine.open(wanted))
        return replace(_runner(container, self.tools), script=None)

    def _gpus(self) -> bool:
        """Whether to pass GPUs on; says why they are not, where the wheel could use them."""
        if self.plan.device != "cuda":
            return False
        if not self.engine.passes_gpus:
            self.tools.reporter.warn(
                f"smoke and perf run without a GPU: {self.engine.name} here has no runtime nvidia "
                "(nvidia-container-toolkit brings it)",
                code="gpu-not-passed",
            )
        return self.engine.passes_gpus


@contextmanager
def _folder_of_trials(tools: Tools) -> Iterator[Path]:
    environments = ENVIRONMENTS.path(tools.folders.cache)
    environments.mkdir(parents=True, exist_ok=True)
    with part_folder(environments, "guest") as folder:
        yield folder


def _own(engine: Engine, spec: ContainerSpec) -> None:
    """See that the caller may write into the cache volume, which at first belongs to root."""
    with engine.open(replace(spec, kind="look")) as container:
        runner = ContainerRunner(container=container)
        make = Command(argv=("mkdir", "-p", _HOME), quiet=True)
        try:
            runner.run(make)
            return
        except CommandFailed:
            pass
    root = replace(
        spec,
        kind="own",
        mounts=tuple(m for m in spec.mounts if m.is_volume),
        as_root=True,
        capabilities=("CHOWN", "DAC_OVERRIDE"),
    )
    with engine.open(root) as container:
        ids = f"{os.getuid()}:{os.getgid()}"
        words = ("sh", "-c", f"mkdir -p {_HOME} && chown {ids} {CACHE_INSIDE} {_HOME}")
        try:
            ContainerRunner(container=container).run(Command(argv=words, quiet=True))
        except CommandFailed as error:
            raise EnvironmentFailed(
                f"the engine's volume for {CACHE_INSIDE} cannot be written",
                code="cache-volume-unwritable",
                why=error.why,
                hint="remove it (`docker volume ls` names it) and run the same command again",
            ) from error


def _begin_script(head: str, tools: Tools) -> None:
    script = tools.folders.run / SCRIPT
    if script.is_file():
        with script.open("a") as stream:
            stream.write(head)


# --- the cache volume ----------------------------------------------------------------------------


def _volume(plan: Plan, inside: ImageContents, found: _Found, tools: Tools) -> str:
    """The volume of this compiler, this Bazel and this source tree.

    Another compiler must never meet its results; nor another tree: what is built in a container can
    write to the volume, and Bazel believes what it finds there.
    """
    host = inside.host
    own = plan.source == data_folder("runtime")
    facts = (
        *(() if own else (str(real_path(plan.source)),)),
        *(host.distribution, host.distribution_version, host.glibc, found.compiler.path),
        *(found.compiler.version, found.bazel.version, str(os.getuid())),
        name_cache(tools.folders.cache),
    )
    key = hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]
    name = f"{host.distribution}{host.distribution_version}".replace("/", "-")
    return f"tfbuild-{name}-gcc{found.compiler.version}-bazel{found.bazel.version}-{key}"


@dataclass(slots=True, kw_only=True)
class _Hold:
    """The volume is held once Bazel writes to it: a build with nothing to do waits for no other."""

    volume: str
    tools: Tools
    stack: ExitStack
    is_taken: bool = False

    def take(self) -> None:
        """Wait for the volume, and keep it until the environment is left."""
        if not self.is_taken:
            self.stack.enter_context(_alone(self.volume, self.tools))
            self.is_taken = True


@contextmanager
def _alone(volume: str, tools: Tools) -> Iterator[None]:
    """Hold the volume: Bazel's own lock does not hold between containers, they see other numbers.

    Raises EnvironmentFailed when another build keeps it for an hour.
    """
    path = CONTAINERS.path(tools.folders.cache) / f"{volume}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + _WAIT_SECONDS
    while True:
        with try_lock(path) as is_ours:
            if is_ours:
                yield
                return
        if time.monotonic() > until:
            raise EnvironmentFailed(
                f"another build has been using the volume {volume} for an hour",
                code="cache-volume-busy",
                hint="wait for it to end, or stop it",
            )
        tools.reporter.progress(f"waiting: another build uses the volume {volume}")
        time.sleep(1.0)
