"""Containers in which a plan's library is built, and tried with what it says it needs."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tfbuild.containers.engine import Container, ContainerSpec, Mount, open_engine
from tfbuild.containers.images import make_image
from tfbuild.containers.ownership import clear
from tfbuild.containers.runner import ContainerRunner, script_head
from tfbuild.core.errors import BadRecipe
from tfbuild.core.interfaces import Runner, Tools, Watch, fill
from tfbuild.core.layout import LOG, SCRIPT
from tfbuild.core.paths import data_folder
from tfbuild.core.records import Command, Completed
from tfbuild.core.run_folder import make_work
from tfbuild.core.safe_files import read_text
from tfbuild.fetch.cache import hold_cache
from tfbuild.lite.records import LitePlan

_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+(:[a-z0-9]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """A container that sees the tree read-only and the work folder, where they are."""

    runner: Runner
    words: dict[str, str]
    image: str

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        """Fill {source} and {work} in and run it inside; raises what the runner raises."""
        return self.runner.run(
            replace(
                command,
                argv=tuple(fill(word, self.words) for word in command.argv),
                cwd=fill(command.cwd, self.words),
            ),
            watch,
        )


@contextmanager
def open_workshop(plan: LitePlan, tools: Tools, packages: Sequence[str]) -> Iterator[Workshop]:
    """A container of the plan's system with those packages, without a network; gone when left.

    Raises EnvironmentFailed when there is no engine, FetchFailed when a package is not to be had,
    DiskFull.
    """
    make_work(tools.folders.work)
    with hold_cache(tools.folders.cache), open_engine() as engine:
        clear(engine)
        text = dockerfile_of(packages)
        image = make_image(engine, text, plan.system, tools, target="lite", kind="lite")
        spec = _spec(image.id, plan, tools)
        _begin_script(script_head(spec, engine.user_of(spec)), tools)
        with engine.open(spec) as container:
            yield Workshop(
                runner=_runner(container, tools),
                words={"source": str(plan.tree.source), "work": str(tools.folders.work)},
                image=image.id,
            )


def dockerfile_of(packages: Sequence[str]) -> str:
    """dockerfiles/lite.Dockerfile with those packages; BadRecipe for what is no package's name."""
    for name in packages:
        if not _PACKAGE.fullmatch(name):
            raise BadRecipe(f"'{name}' is not the name of a package", hint="see matrices/lite.yaml")
    text = read_text(data_folder("dockerfiles") / "lite.Dockerfile")
    line = f'ARG PACKAGES="{" ".join(packages)}"'
    return re.sub(r'(?ms)^ARG PACKAGES=".*?"$', lambda _: line, text)


def _spec(image: str, plan: LitePlan, tools: Tools) -> ContainerSpec:
    source, work = str(plan.tree.source), str(tools.folders.work)
    return ContainerSpec(
        image=image,
        kind="build",
        mounts=(
            Mount(source=source, target=source),
            Mount(source=work, target=work, writable=True),
        ),
        env=(("HOME", "/tmp"), ("LANG", "C.UTF-8")),  # noqa: S108  (inside the container)
        cpus=plan.cpus,
        memory_mb=plan.memory_mb,
    )


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
