"""Containers in which a plan's library is built, and tried with what it says it needs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tfbuild.containers.engine import Mount
from tfbuild.core.interfaces import Runner, Tools, Watch, fill
from tfbuild.core.records import Command, Completed
from tfbuild.lite.records import LitePlan
from tfbuild.places.container import open_container


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
    source, work = str(plan.tree.source), str(tools.folders.work)
    mounts = (
        Mount(source=source, target=source),
        Mount(source=work, target=work, writable=True),
    )
    with open_container(
        tools,
        system=plan.system,
        packages=packages,
        mounts=mounts,
        cpus=plan.cpus,
        memory_mb=plan.memory_mb,
    ) as container:
        yield Workshop(
            runner=container.runner,
            words={"source": source, "work": work},
            image=container.image.id,
        )
