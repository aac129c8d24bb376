"""Bazel in the container of a recipe: the system's own, else the release that the workspace names.

What it keeps lies in the folder of the build, and is of one state of the source code: actions there
may write to it, and a Bazel that goes on believes what it finds.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from tfbuild.bazel.folders import require_usable
from tfbuild.builds.stand_ins import IsFolder, stand_in_flags
from tfbuild.containers.image_contents import ImageContents
from tfbuild.containers.runner import ContainerRunner, DockerEnvironment
from tfbuild.core.errors import CommandFailed, EnvironmentFailed
from tfbuild.core.interfaces import Environment
from tfbuild.core.layout import CACHE_INSIDE
from tfbuild.core.paths import write_aside
from tfbuild.core.records import Command, Program, Toolchain
from tfbuild.core.safe_files import text_of
from tfbuild.core.versions import contains
from tfbuild.core.workspaces import WorkspacePlan
from tfbuild.drivers.site import Site
from tfbuild.fetch.bazel import MIRROR_VARIABLE, provide_bazel, require_sound
from tfbuild.places.place import Place, empty
from tfbuild.recipes.records import BuildStep

_OTHERWISE = (
    "ask for another system with os=, whose Bazel the workspace accepts, or name a mirror of "
    f"Bazel's releases in {MIRROR_VARIABLE}"
)


@contextmanager
def open_inside(plan: WorkspacePlan, site: Site) -> Iterator[Environment]:
    """The container of the place with the Bazel of a plan.

    Raises EnvironmentFailed and FetchFailed where there is none, or none that runs in it.
    """
    place, inside = site.place, site.place.inside
    assert inside and isinstance(place.runner, ContainerRunner), "a container has an image"
    require_usable(plan.workspace, site.tools.folders)
    tools = replace(site.tools, host=inside.host)
    bazel = _bazel(plan, inside, site)
    flags = stand_in_flags(bazel.version, bazel.path, _asking(place)) if plan.stand_ins else ()
    compiler = next(iter(inside.host.compilers), Program(name="", path="", version=""))
    python = next((one.path for one in inside.host.pythons), "")
    chain = Toolchain(
        bazel=bazel.path,
        bazel_version=bazel.version,
        bazel_origin=bazel.name,
        bazel_flags=flags,
        python=python,
        python_version="",
        compiler=compiler.path,
        compiler_version=compiler.version,
        source=plan.workspace,
        cache=Path(CACHE_INSIDE),
        work=site.folders.exchange,
        image=place.environment.id,
    )
    yield DockerEnvironment(toolchain=chain, tools=tools, runner=place.runner)


def begin_inside(step: BuildStep, site: Site, env: Environment) -> None:
    """See that what Bazel keeps is of this source code, this step and these tools; else nothing."""
    chain = env.toolchain
    words = (site.source_sha256, step, site.folders.root, chain.image, chain.bazel_version)
    mark = hashlib.sha256(repr(words).encode()).hexdigest()
    if text_of(site.folders.configured) == mark:
        return
    site.folders.configured.unlink(missing_ok=True)
    for folder in (Path(CACHE_INSIDE), site.folders.build):
        empty(folder, site.place)
    write_aside(site.folders.configured, mark)


def end_inside(plan: WorkspacePlan, env: Environment) -> None:
    """End the server: what follows needs its memory. With the container it would end anyway."""
    words = ("{bazel}", "{bazel_startup_flags}", *plan.bazel.startup_flags, "shutdown")
    with suppress(CommandFailed):
        env.run(Command(argv=words, purpose="end Bazel's server", cwd="{source}", quiet=True))


# --- inside ------------------------------------------------------------------------------------


def _bazel(plan: WorkspacePlan, inside: ImageContents, site: Site) -> Program:
    """The image's, where the workspace accepts it; else one of the cache, at the same path inside.

    The name of the program is where it came from.
    """
    accepted = plan.bazel.accepted
    for program in inside.host.bazels:
        if contains(accepted, program.version):
            return replace(program, name="image")
    tools = site.tools  # one on this machine's PATH is no file of the container
    try:
        found = provide_bazel(plan.bazel, replace(tools, host=replace(tools.host, bazels=())))
    except EnvironmentFailed as error:
        if error.code == "bazel-not-obtainable":
            error.hint = _OTHERWISE
        raise
    require_sound(found.path, tools)
    try:
        site.place.run(Command(argv=(found.path, "--version"), cwd="/", quiet=True))
    except (CommandFailed, EnvironmentFailed) as error:
        raise EnvironmentFailed(
            f"the Bazel {found.version} of the cache does not run in the container",
            code="bazel-not-run-inside",
            why=error.why or error.message,
            hint=_OTHERWISE,
        ) from error
    return Program(name=found.origin, path=found.path, version=found.version)


def _asking(place: Place) -> IsFolder:
    def is_folder(path: Path) -> bool:
        words = ("test", "-d", str(path))
        return place.run(Command(argv=words, cwd="/", ok_codes=(0, 1), quiet=True)).code == 0

    return is_folder
