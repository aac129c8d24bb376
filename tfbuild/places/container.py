"""Containers of a distribution with some of its packages, in which native code is built or run."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tfbuild.containers.engine import Container, ContainerSpec, Engine, Mount, open_engine
from tfbuild.containers.images import BuildImage, make_image
from tfbuild.containers.ownership import clear
from tfbuild.containers.packages import PACKAGED, dockerfile_with
from tfbuild.containers.runner import ContainerRunner, script_head
from tfbuild.core.environments import System
from tfbuild.core.interfaces import Tools
from tfbuild.core.layout import LOG, SCRIPT
from tfbuild.core.run_folder import make_work
from tfbuild.fetch.cache import hold_cache


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeContainer:
    """A running container: what runs programs in it, its image, and the engine that has both."""

    runner: ContainerRunner
    image: BuildImage
    engine: Engine


@contextmanager
def open_container(
    tools: Tools,
    *,
    system: System,
    packages: Sequence[str],
    mounts: tuple[Mount, ...],
    cpus: float = 0.0,
    memory_mb: int = 0,
    pids: int = 0,
) -> Iterator[NativeContainer]:
    """A container of that system with those packages, without a network; gone when left.

    It runs as the caller, who has no rights inside beyond those of any user. Raises
    EnvironmentFailed when there is no engine, FetchFailed when a package is not to be had, DiskFull
    and BadRecipe.
    """
    text = dockerfile_with(packages)
    make_work(tools.folders.work)
    with hold_cache(tools.folders.cache), open_engine() as engine:
        clear(engine)
        image = make_image(engine, text, system, tools, target=PACKAGED, kind=PACKAGED)
        spec = ContainerSpec(
            image=image.id,
            kind="build",
            mounts=mounts,
            env=(("HOME", "/tmp"), ("LANG", "C.UTF-8")),  # noqa: S108  (inside the container)
            cpus=cpus,
            memory_mb=memory_mb,
            pids=pids,
        )
        _begin_script(script_head(spec, engine.user_of(spec)), tools)
        with engine.open(spec) as container:
            yield NativeContainer(runner=_runner(container, tools), image=image, engine=engine)


def _runner(container: Container, tools: Tools) -> ContainerRunner:
    run = tools.folders.run
    return ContainerRunner(
        container=container,
        log=run / LOG if run.is_dir() else None,
        script=run / SCRIPT if (run / SCRIPT).is_file() else None,
        reporter=tools.reporter,
    )


def _begin_script(head: str, tools: Tools) -> None:
    script = tools.folders.run / SCRIPT
    if script.is_file():
        with script.open("a") as stream:
            stream.write(head)
