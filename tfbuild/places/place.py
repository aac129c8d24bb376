"""Where a product is built: this machine, or a container of a distribution.

Folders have the same paths inside and outside. A container has each of them by itself, and what it
must not change only to read.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from tfbuild.builds.stand_ins import own_stand_ins
from tfbuild.containers.drift import require_same
from tfbuild.containers.engine import Mount
from tfbuild.containers.image_contents import ImageContents
from tfbuild.containers.images import environment_of, looked_at
from tfbuild.core.child_environment import USUAL_PATH, search_path
from tfbuild.core.environments import NO_ENVIRONMENT, EnvironmentLock
from tfbuild.core.errors import CommandFailed, EnvironmentFailed
from tfbuild.core.interfaces import Runner, Tools, Watch, fill, literal
from tfbuild.core.layout import BAZELS, CACHE_INSIDE
from tfbuild.core.records import Artifact, Command, Completed, Pairs
from tfbuild.core.run_folder import make_work
from tfbuild.places.container import open_container
from tfbuild.places.folders import BuildFolders, make_folders, work_of
from tfbuild.places.needs import index_tools, packages_of, require_needs
from tfbuild.recipes.records import (
    BazelBuild,
    BuildStep,
    CMakeBuild,
    ConfigureMake,
    MesonBuild,
    Need,
    ProductPlan,
)

# What programs of a build see of the caller's variables: where they find programs and libraries,
# as modules of clusters set it, and nothing that changes what is built, or is a secret.
_SEEN = frozenset(
    (
        *("HOME", "PATH", "TMPDIR", "USER", "LOGNAME", "TERM"),
        *("LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"),
        *("PKG_CONFIG_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH"),
    )
)
_TOOLS: dict[type[BuildStep], tuple[str, ...]] = {
    CMakeBuild: ("cmake", "ninja"),
    ConfigureMake: ("make",),
    MesonBuild: ("meson", "ninja"),
}
# What lies there may be protected from its own owner; neither goes through a link.
_ODD = frozenset(
    ":;,'\"\\$&|<>*?()[]{}!#`%="
)  # separators and quotes of shells, make, loaders, mounts
_EMPTY = 'chmod -R u+rwX "$1" && find "$1" -mindepth 1 -delete'


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place that is open: runs commands with their {placeholders} filled in."""

    runner: Runner
    words: Mapping[str, str]  # source, build, stage, work, files
    is_container: bool = False
    inside: ImageContents | None = None  # what the container's image has
    path: str = ""  # folders that go before PATH
    artifacts: tuple[Artifact, ...] = ()  # what came from the package index
    environment: EnvironmentLock = field(default=NO_ENVIRONMENT)

    def run(self, command: Command, watch: Watch | None = None) -> Completed:
        """Fill the placeholders in and run it here; raises what the runner raises."""
        return self.runner.run(self.filled(command), watch)

    def filled(self, command: Command) -> Command:
        """The command as it is run here: placeholders filled in, variables set and hidden."""
        words = {"brace": "{", **self.words}
        env = tuple((name, fill(text, words)) for name, text in command.env)
        return replace(
            command,
            argv=tuple(fill(word, words) for word in command.argv),
            cwd=fill(command.cwd, words),
            env=(*env, *self._path(command)),
            unset=(*command.unset, *self._hidden()),
        )

    def _path(self, command: Command) -> Pairs:
        if not self.path or "PATH" in dict(command.env):
            return ()
        return (("PATH", f"{self.path}:{USUAL_PATH if self.is_container else search_path()}"),)

    def _hidden(self) -> tuple[str, ...]:
        """A container has none of the caller's variables."""
        return () if self.is_container else tuple(sorted(set(os.environ) - _SEEN))


def _require_plain(folder: Path) -> None:
    """Raise EnvironmentFailed for a path that tools of a build take apart, or that is no text."""
    odd = sorted({c for c in str(folder) if c.isspace() or c in _ODD or "\ud800" <= c <= "\udfff"})
    if odd:
        raise EnvironmentFailed(
            f"no product can be built in {folder}",
            code="work-folder-unfit",
            why=f"there is {odd[0]!r} in its path, at which build tools break",
            hint="set TFBUILD_WORK_DIR to a folder with letters and digits alone",
        )


@contextmanager
def open_place(plan: ProductPlan, tools: Tools, folders: BuildFolders) -> Iterator[Place]:
    """This machine or a new container, as the plan has it, with all that the plan needs.

    The container has no network, none of the caller's rights, and of his folders only those that
    this plan's build writes to, and the plan's own files to read; it is gone when left. Raises
    EnvironmentFailed that names everything that is missing, FetchFailed when a package of the
    system is not to be had, DiskFull.
    """
    _require_plain(folders.root)
    make_work(tools.folders.work)
    make_folders(folders, tools.folders.work)
    with _for_build(plan, tools, folders) as place:
        if plan.held.environment != NO_ENVIRONMENT:
            # The image itself cannot be asked for: what its packages are is all that counts.
            then = replace(plan.held.environment, digest="")
            require_same(then, place.environment, is_kept=False)
        require_needs(plan.needs, place)
        yield place


def open_here(needs: Sequence[Need], tools: Tools) -> Place:
    """This machine with these tools, for what builds nothing.

    Raises EnvironmentFailed that names all which is missing.
    """
    place = _host(needs, tools, {})
    require_needs(needs, place)
    return place


def open_trial_place(
    plan: ProductPlan, place: Place, packages: Sequence[str], tools: Tools, folders: BuildFolders
) -> AbstractContextManager[Place]:
    """Where the product is tried that lies in folders.trial, with these packages of the system.

    That is a container of its own, which has nothing of the build, reads the product, and writes to
    one folder beside it; without containers it is the place of the build itself. Raises what
    open_place does.
    """
    if not place.is_container:
        return nullcontext(place)
    mounts = (_mount(folders.trial), _mount(work_of(folders.trial), writable=True))
    return _inside(plan, tools, folders, packages, mounts)


def open_unused_place(
    plan: ProductPlan, place: Place, tools: Tools, folders: BuildFolders
) -> AbstractContextManager[Place]:
    """Where nothing of the build has run, to be asked about the system that it was built in.

    That is a container of its own, without folders; without containers it is the place of the
    build itself. Raises what open_place does.
    """
    if not place.is_container:
        return nullcontext(place)
    return _inside(plan, tools, folders, packages_of(plan.needs), ())


def empty(folder: Path, place: Place) -> None:
    """Remove all that is in a folder, by the place that writes to it; raises what it raises."""
    argv = ("sh", "-c", _EMPTY, "sh", literal(str(folder)))
    place.run(Command(argv=argv, purpose=f"empty {folder.name}", cwd="/", quiet=True))


def describe_tools(place: Place, step: BuildStep) -> Pairs:
    """What compilers and build system of a step say that they are, as far as they are there."""
    found = []
    for name in ("cc", "c++", *_TOOLS.get(type(step), ())):
        ask = Command(argv=(name, "--version"), cwd="/", quiet=True)
        try:
            said = place.run(ask).stdout.strip().partition("\n")[0]
        except (CommandFailed, EnvironmentFailed):
            continue
        found.append((name, said.strip()))
    return tuple(found)


# --- inside ------------------------------------------------------------------------------------


def _for_build(
    plan: ProductPlan, tools: Tools, folders: BuildFolders
) -> AbstractContextManager[Place]:
    if plan.env == "host":
        return nullcontext(_host(plan.needs, tools, _words(folders), plan.held.artifacts))
    writable = (_mount(folder, writable=True) for folder in folders.writable)
    mounts = (*writable, _mount(folders.files), *_for_bazel(plan, tools, folders))
    return _inside(plan, tools, folders, packages_of(plan.needs), mounts)


def _for_bazel(plan: ProductPlan, tools: Tools, folders: BuildFolders) -> tuple[Mount, ...]:
    """Where a Bazel inside keeps what it makes; and to be read, fetched Bazels and stand-ins.

    What it keeps has another path inside: what it writes there names nothing on this machine.
    """
    if not any(isinstance(step, BazelBuild) for step in plan.steps):
        return ()
    bazels = BAZELS.path(tools.folders.cache)
    for folder in (folders.bazel, bazels):
        folder.mkdir(parents=True, exist_ok=True)
    kept = Mount(source=str(folders.bazel), target=CACHE_INSIDE, writable=True)
    return kept, _mount(bazels), _mount(own_stand_ins())


def _host(
    needs: Sequence[Need], tools: Tools, words: Mapping[str, str], held: tuple[Artifact, ...] = ()
) -> Place:
    added, artifacts = index_tools(needs, tools, held)
    path = ":".join(str(folder) for folder in added)
    return Place(runner=tools.runner, words=words, path=path, artifacts=artifacts)


@contextmanager
def _inside(
    plan: ProductPlan,
    tools: Tools,
    folders: BuildFolders,
    packages: Sequence[str],
    mounts: tuple[Mount, ...],
) -> Iterator[Place]:
    with open_container(
        tools,
        system=plan.system,
        packages=packages,
        mounts=mounts,
        cpus=plan.cpus,
        memory_mb=plan.memory_mb,
        pids=plan.pids,
    ) as container:
        contents = looked_at(container.engine, container.image.id, tools)
        yield Place(
            runner=container.runner,
            words=_words(folders),
            is_container=True,
            inside=contents,
            environment=environment_of(container.engine, container.image, contents),
        )


def _mount(folder: Path, *, writable: bool = False) -> Mount:
    return Mount(source=str(folder), target=str(folder), writable=writable)


def _words(folders: BuildFolders) -> dict[str, str]:
    return {
        "source": str(folders.source),
        "build": str(folders.build),
        "stage": str(folders.stage),
        "work": str(folders.root),
        "files": str(folders.files),
    }
