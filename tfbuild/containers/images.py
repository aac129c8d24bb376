"""The images of a plan: the one that builds, and one of the same base that has only Python."""

import hashlib
import os
import re
from dataclasses import dataclass

from tfbuild.containers.base_image import REPOSITORY, make_base
from tfbuild.containers.buildkit_progress import step_reporter
from tfbuild.containers.dockerfile import TOOLCHAIN, dockerfile_text
from tfbuild.containers.drift import require_same
from tfbuild.containers.engine import ContainerSpec, Engine, open_engine
from tfbuild.containers.host_network import needs_host_network, network_files
from tfbuild.containers.image_contents import SCRIPT, ImageContents, look_inside, read_inside
from tfbuild.containers.image_spec import ImageSpec
from tfbuild.containers.ownership import KIND, cache_labels
from tfbuild.containers.packages import PACKAGED, dockerfile_with
from tfbuild.containers.runner import ContainerRunner
from tfbuild.core.environments import NO_ENVIRONMENT, EnvironmentLock, System
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.core.interfaces import Tools
from tfbuild.core.kept_json import read_record, write_kept
from tfbuild.core.layout import RESOLUTIONS
from tfbuild.core.paths import data_folder
from tfbuild.core.plans import NO_TREE, Plan
from tfbuild.core.process import find_program

_BASE = "org.opencontainers.image.base.name"
_DATA = "dockerfiles"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildImage:
    """An image that builds: what it is called, and its identity, which never means another."""

    name: str
    id: str


def look_at_named(
    name: str, lock: EnvironmentLock, tools: Tools
) -> tuple[BuildImage, ImageContents]:
    """An image by its name, pulled if it is not there, and what it has.

    Raises EnvironmentFailed where it is not to be had, or is not that of the lock.
    """
    with open_engine() as engine:
        image = BuildImage(name=name, id=named_image(engine, name, tools))
        contents = looked_at(engine, image.id, tools)
        # Before its versions are held against the lock's: that it is another says more.
        hold_to_lock(engine, lock, environment_of(engine, image, contents))
    return image, contents


def looked_at(engine: Engine, image: str, tools: Tools) -> ImageContents:
    """What an image has: asked once, as an image never changes."""
    name = _digest(image, SCRIPT)
    path, subject = RESOLUTIONS.path(tools.folders.cache) / f"image-{name}.json", f"{image} {name}"
    text = read_record(path, subject, str)
    if text is None:
        tools.reporter.step("looking at the image")
        with engine.open(ContainerSpec(image=image, kind="look")) as container:
            text = look_inside(ContainerRunner(container=container))
        write_kept(path, subject, text)
    os.utime(path)
    return read_inside(text, tools.host)


def environment_of(engine: Engine, image: BuildImage, inside: ImageContents) -> EnvironmentLock:
    """What a lock says of an image; its label names the base, if tfbuild made it."""
    base = engine.image_labels(image.id).get(_BASE, "")
    is_exact = base.startswith(f"{REPOSITORY}:") or "@" in base  # other tags may have moved since
    return EnvironmentLock(
        image=image.name,
        id=image.id,
        digest=engine.image_digest(image.id),
        base=base,
        base_id=engine.image_id(base) if is_exact else "",
        system=inside.host.distribution,
        release=inside.host.distribution_version,
        packages=inside.packages,
    )


def hold_to_lock(engine: Engine, then: EnvironmentLock, now: EnvironmentLock) -> None:
    """Raise EnvironmentFailed where a lock names another environment than this."""
    if then != NO_ENVIRONMENT:
        is_kept = bool(then.id and engine.image_id(then.id))
        require_same(then, now, is_kept=is_kept)


def named_image(engine: Engine, name: str, tools: Tools) -> str:
    """The identity of an image, which is pulled if the engine does not have it."""
    if found := engine.image_id(name):
        return found
    tools.reporter.step(f"pulling {name}")
    return engine.pull(name)


def provide_image(engine: Engine, plan: Plan, tools: Tools) -> BuildImage:
    """The image that builds: the named one, else one made for the plan, once."""
    environment, system = plan.environment, plan.environment.system
    if environment.image:
        return BuildImage(name=environment.image, id=environment.image_id)
    if plan.tree != NO_TREE:
        text = dockerfile_with(plan.tree.packages)
        named = environment.base
        return make_image(engine, text, system, tools, target=PACKAGED, kind="tree", named=named)
    text = dockerfile_text(plan, data_folder(_DATA), stage=TOOLCHAIN)
    return make_image(engine, text, system, tools, target=TOOLCHAIN)


def make_image(
    engine: Engine,
    text: str,
    system: System,
    tools: Tools,
    *,
    target: str,
    kind: str = "env",
    named: str = "",
) -> BuildImage:
    """The image that a Dockerfile makes of a system, for the caller to work in; made once.

    It stands on the image that is named, which is pulled, else on one of the system alone.
    """
    base = _pulled(engine, named, tools) if named else _base(engine, system, tools)
    identity = (f"{os.getuid()}", f"{os.getgid()}")
    # The plan's number is no part of the name: what it does not change need not be made again.
    words = (engine.image_id(base), *identity, re.sub(r"(?m)^ARG (PLAN|VERSIONS)=.*$", "", text))
    tag = f"tfbuild/{kind}:{system.suite}-{_digest(*words)}"
    if found := engine.image_id(tag):
        return BuildImage(name=tag, id=found)
    tools.reporter.step(f"making the image {tag} of {system.name}")
    files = network_files(tools.runner, tools.host, system)
    spec = ImageSpec(
        dockerfile=text,
        tag=tag,
        target=target,
        labels=((KIND, "environment"), *cache_labels(tools.folders.cache).items()),
        files=tuple(files.items()),
        host_network=needs_host_network(files, engine),
        args=(("BASE", base), ("USER_ID", identity[0]), ("GROUP_ID", identity[1])),
    )
    return BuildImage(name=tag, id=engine.build_image(spec, step_reporter(tools.reporter)))


def trial_image(engine: Engine, image: str, python: str, tools: Tools, system: System) -> str:
    """The base of an image with Python and nothing else; the image itself where that is unknown."""
    base = engine.image_labels(image).get(_BASE, "")
    identity = engine.image_id(base) if base else ""
    if not identity or not system.name:
        return image
    text = (data_folder(_DATA) / "trial.Dockerfile").read_text()
    tag = f"tfbuild/trial:{system.suite}-py{python}-{_digest(identity, python, text)}"
    if found := engine.image_id(tag):
        return found
    tools.reporter.step(f"making an image of {base} that has only Python {python}")
    files = network_files(tools.runner, tools.host, system)
    wanted = ImageSpec(
        dockerfile=text,
        tag=tag,
        labels=((KIND, "trial"), (_BASE, base), *cache_labels(tools.folders.cache).items()),
        files=tuple(files.items()),
        host_network=needs_host_network(files, engine),
        args=(("BASE", base), ("PYTHON", python)),
    )
    return engine.build_image(wanted, step_reporter(tools.reporter))


# --- inside ------------------------------------------------------------------------------------


def _pulled(engine: Engine, name: str, tools: Tools) -> str:
    """The image of that name, as exactly as the engine knows it."""
    named_image(engine, name, tools)
    return engine.image_digest(name) or name


def _base(engine: Engine, system: System, tools: Tools) -> str:
    """The name of the base: made of the distribution's packages, or pulled where it cannot be."""
    if system.family == "debian" and find_program("mmdebstrap"):
        return make_base(system, tools, engine).tag
    try:
        named_image(engine, system.image, tools)
    except EnvironmentFailed as error:
        if system.family == "debian":
            error.hint = (
                "install mmdebstrap: then the image is made of the distribution's own packages; "
                "or name one with --image"
            )
        raise
    return engine.image_digest(system.image) or system.image


def _digest(*words: str) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:12]
