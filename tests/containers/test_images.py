"""Which image builds, and in which one the wheel is tried; no engine is asked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, a_host, a_request
from tests.local_container import Box
from tests.planning import planned
from tests.sample_report import an_environment
from tfbuild.containers import images as container_images
from tfbuild.containers.base_image import BaseImage
from tfbuild.containers.engine import ContainerSpec
from tfbuild.containers.image_contents import read_inside
from tfbuild.containers.image_spec import ImageSpec
from tfbuild.containers.images import (
    BuildImage,
    environment_of,
    hold_to_lock,
    look_at_named,
    provide_image,
    trial_image,
)
from tfbuild.containers.ownership import CACHE_OF
from tfbuild.containers.systems import read_system
from tfbuild.core.environments import EnvironmentLock, System
from tfbuild.core.errors import EnvironmentFailed
from tfbuild.facts.tables import Tables

BASE = "tfbuild/base:bookworm-123"


class Images:
    """An engine that knows names."""

    def __init__(self, **ids: str) -> None:
        self.ids = {"tfbuild/base:bookworm-123": "sha256:base", **ids}
        self.labels: dict[str, dict[str, str]] = {}
        self.built: list[ImageSpec] = []
        self.pulled: list[str] = []
        self.opened: list[ContainerSpec] = []
        self.missing = "missing:1"

    def image_id(self, name: str) -> str:
        return self.ids.get(name, "")

    def image_labels(self, name: str) -> dict[str, str]:
        return self.labels.get(name, {})

    def image_digest(self, name: str) -> str:
        return f"{name}@sha256:1" if name.removeprefix("sha256:") in self.pulled else ""

    def pull(self, name: str) -> str:
        if name == self.missing:
            raise EnvironmentFailed(f"there is no image {name}")
        self.pulled.append(name)
        self.ids[name] = f"sha256:{name}"
        return self.ids[name]

    def build_image(self, spec: ImageSpec, report: Callable[[str], None]) -> str:
        report("step 1")
        self.built.append(spec)
        self.ids[spec.tag] = f"sha256:{len(self.built)}"
        return self.ids[spec.tag]

    @contextmanager
    def open(self, spec: ContainerSpec) -> Iterator[Box]:
        self.opened.append(spec)
        yield Box()


@pytest.fixture(autouse=True)
def no_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        container_images, "make_base", lambda *_: BaseImage(system="debian 12", tag=BASE, id="x")
    )
    monkeypatch.setattr(container_images, "find_program", lambda _: "/usr/bin/mmdebstrap")
    monkeypatch.setattr(container_images, "network_files", lambda *_: {"network/apt.conf": b"a"})


@pytest.fixture
def system(tables: Tables) -> System:
    return read_system("debian 12", tables.axis("os"))


def provide(engine: Images, tables: Tables, env: FakeEnvironment, **more: Any) -> str:
    plan = planned(a_request(env.tools.folders.work, env="docker", **more), tables)
    image = provide_image(engine, plan, env.tools)  # type: ignore[arg-type]
    assert engine.image_id(image.name) == image.id
    return image.id


def test_an_image_is_made_once_for_what_is_in_it(tables: Tables, fake_env: FakeEnvironment) -> None:
    engine = Images()
    first = provide(engine, tables, fake_env)
    assert provide(engine, tables, fake_env, skip_perf=True) == first
    (spec,) = engine.built
    assert spec.tag.startswith("tfbuild/env:bookworm-")
    assert dict(spec.args)["BASE"] == BASE
    assert dict(spec.files) == {"network/apt.conf": b"a"}
    assert dict(spec.labels)[CACHE_OF] == str(fake_env.tools.folders.cache)
    assert "g++-" in spec.dockerfile


def test_a_new_base_is_a_new_image(tables: Tables, fake_env: FakeEnvironment) -> None:
    engine = Images()
    first = provide(engine, tables, fake_env)
    engine.ids[BASE] = "sha256:newer"
    assert provide(engine, tables, fake_env) != first
    assert len({spec.tag for spec in engine.built}) == 2


def test_a_registrys_image_serves_where_none_can_be_made(
    tables: Tables, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container_images, "find_program", lambda _: "")
    engine = Images()
    provide(engine, tables, fake_env)
    assert engine.pulled == ["debian:bookworm"]
    assert dict(engine.built[0].args)["BASE"] == "debian:bookworm@sha256:1"


def test_without_registry_and_mmdebstrap_the_remedy_is_named(
    tables: Tables, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container_images, "find_program", lambda _: "")
    engine = Images()
    engine.missing = "debian:bookworm"
    with pytest.raises(EnvironmentFailed) as caught:
        provide(engine, tables, fake_env)
    assert "mmdebstrap" in caught.value.hint


def test_a_named_image_is_the_one_that_was_planned(
    tables: Tables, fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    engine = Images(mine="sha256:mine")
    plan = planned(a_request(tmp_path, env="docker"), tables)
    place = replace(plan.environment, system=System(), image="mine", image_id="sha256:mine")
    image = provide_image(engine, replace(plan, environment=place), fake_env.tools)  # type: ignore[arg-type]
    assert image == BuildImage(name="mine", id="sha256:mine")
    assert engine.built == []


def test_a_wheel_is_tried_on_the_base_with_python(
    fake_env: FakeEnvironment, system: System
) -> None:
    engine = Images()
    engine.labels["sha256:1"] = {"org.opencontainers.image.base.name": BASE}
    tools = fake_env.tools
    found = trial_image(engine, "sha256:1", "3.11", tools, system)  # type: ignore[arg-type]
    again = trial_image(engine, "sha256:1", "3.11", tools, system)  # type: ignore[arg-type]
    assert found == again == "sha256:1"
    (spec,) = engine.built
    assert dict(spec.args) == {"BASE": BASE, "PYTHON": "3.11"}
    assert dict(spec.labels)[CACHE_OF] == str(tools.folders.cache)
    assert "g++" not in spec.dockerfile


def test_an_image_of_unknown_base_tries_its_own_wheels(
    fake_env: FakeEnvironment, system: System
) -> None:
    engine = Images()
    assert trial_image(engine, "sha256:7", "3.11", fake_env.tools, system) == "sha256:7"  # type: ignore[arg-type]


def test_a_named_image_is_looked_at_once(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Images(mine="sha256:mine")

    @contextmanager
    def opened() -> Iterator[Images]:
        yield engine

    monkeypatch.setattr(container_images, "open_engine", opened)
    monkeypatch.setattr(
        container_images, "look_inside", lambda _: "id=debian\nversion=11\nglibc=glibc 2.31\n"
    )
    for _ in range(2):
        image, contents = look_at_named("mine", EnvironmentLock(), fake_env.tools)
        assert (image.id, contents.host.glibc) == ("sha256:mine", "2.31")
    assert len(engine.opened) == 1
    (kept,) = (fake_env.tools.folders.cache / "resolutions").iterdir()
    for content in ("", kept.read_text().replace("2.31", "2.30")):
        kept.write_text(content)
        _, contents = look_at_named("mine", EnvironmentLock(), fake_env.tools)
        assert contents.host.glibc == "2.31", "what was damaged is asked for anew"
    assert len(engine.opened) == 3


def test_a_named_image_is_held_to_the_lock(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Images(mine="sha256:mine")

    @contextmanager
    def opened() -> Iterator[Images]:
        yield engine

    said = "id=debian\nversion=12\nglibc=glibc 2.36\ndpkg=gcc-12 12.2.0-15 amd64\n"
    monkeypatch.setattr(container_images, "open_engine", opened)
    monkeypatch.setattr(container_images, "look_inside", lambda _: said)
    locked = an_environment("dpkg gcc-12 12.2.0-15 amd64")
    look_at_named("mine", locked, fake_env.tools)
    locked = an_environment("dpkg gcc-12 12.2.0-14 amd64")
    with fails("environment-drifted", "mine") as caught:
        look_at_named("mine", locked, fake_env.tools)
    assert caught.value.why == "gcc-12 12.2.0-14 became 12.2.0-15"
    assert "--image" not in caught.value.hint, "this engine does not have the lock's image"
    engine.ids["sha256:1"] = "sha256:1"
    with fails("environment-drifted", "--image sha256:1"):
        hold_to_lock(engine, locked, an_environment())  # type: ignore[arg-type]
    with fails("environment-drifted"):
        hold_to_lock(engine, replace(locked, id=""), an_environment())  # type: ignore[arg-type]


def test_what_a_lock_says_of_an_image() -> None:
    engine = Images(mine="sha256:mine")
    inside = read_inside("id=debian\nversion=12\ndpkg=a 1-1 all\n", a_host())

    def locked(base: str) -> EnvironmentLock:
        engine.labels["sha256:mine"] = {"org.opencontainers.image.base.name": base}
        image = BuildImage(name="mine", id="sha256:mine")
        return environment_of(engine, image, inside)  # type: ignore[arg-type]

    lock = locked(BASE)
    assert (lock.image, lock.id, lock.digest) == ("mine", "sha256:mine", "")
    assert (lock.base, lock.base_id) == (BASE, "sha256:base")
    assert (lock.system, lock.release, lock.packages) == ("debian", "12", inside.packages)
    engine.ids |= {"debian:bookworm": "sha256:today", "debian@sha256:5": "sha256:then"}
    assert locked("debian:bookworm").base_id == "", "the name may mean another image since"
    assert locked("debian@sha256:5").base_id == "sha256:then"
    engine.pulled.append("mine")
    assert locked("").digest == "sha256:mine@sha256:1"
