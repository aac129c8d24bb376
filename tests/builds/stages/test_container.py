"""The container stage: what is shared and how, whose the volume is, and what is left."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.failing import fails
from tests.fakes import RUNNING, FakeEnvironment, a_host, a_request
from tests.local_container import Box
from tests.planning import placed, planned
from tests.sample_report import an_environment
from tfbuild.builds.stages import container
from tfbuild.builds.stages.container import open_container
from tfbuild.containers.drift import remember
from tfbuild.containers.engine import ContainerSpec
from tfbuild.containers.image_contents import ImageContents
from tfbuild.containers.images import BuildImage
from tfbuild.containers.runner import DockerEnvironment
from tfbuild.core.environments import Package
from tfbuild.core.interfaces import Tools
from tfbuild.core.layout import CACHE_INSIDE
from tfbuild.core.plans import Plan
from tfbuild.core.records import Command, Program, Request
from tfbuild.facts.tables import Tables


@dataclass
class Engine:
    """An engine whose containers run here."""

    name: str = "docker"
    passes_gpus: bool = False
    orphans: int = 0
    opened: list[ContainerSpec] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    volumes: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    def labelled(self, _label: str) -> list[tuple[str, str]]:
        return [(f"old{n}", "") for n in range(self.orphans)]

    def forget_left(self) -> int:
        return 0

    def make_volume(self, name: str, labels: dict[str, str]) -> bool:
        self.volumes.append(name)
        return True

    def image_labels(self, _image: str) -> dict[str, str]:
        return {}

    def image_digest(self, _image: str) -> str:
        return ""

    def image_id(self, _image: str) -> str:
        return ""

    def user_of(self, _spec: ContainerSpec) -> str:
        return "7:8"

    @contextmanager
    def open(self, spec: ContainerSpec) -> Iterator[Box]:
        self.opened.append(spec)
        try:
            yield Box(spec=spec)
        finally:
            self.closed.append(spec.kind)


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture(autouse=True)
def no_outside(monkeypatch: pytest.MonkeyPatch, engine: Engine, tmp_path: Path) -> None:
    @contextmanager
    def opened() -> Iterator[Engine]:
        yield engine

    monkeypatch.setattr(container, "open_engine", opened)
    monkeypatch.setattr(
        container, "provide_image", lambda *_: BuildImage(name="i:1", id="sha256:1")
    )
    monkeypatch.setattr(container, "trial_image", lambda *_: "sha256:trial")
    monkeypatch.setattr(container, "looked_at", lambda *_: ImageContents(host=a_host(), rules="/r"))
    monkeypatch.setattr(
        container, "unpack_all", lambda found, *_, **__: tuple(tmp_path for _ in found)
    )
    monkeypatch.setattr(container, "_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(container, "_WAIT_SECONDS", 0.0)


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    return a_request(tmp_path, env="docker", cpus=1.5, memory_mb=3000)


@pytest.fixture
def plan(request_: Request, tables: Tables, host: Any) -> Plan:
    return planned(request_, tables, host)


def test_sources_are_only_read_and_one_folder_of_work_is_shared(
    engine: Engine, plan: Plan, fake_env: FakeEnvironment
) -> None:
    with open_container(plan, fake_env.tools) as env:
        (spec,) = [o for o in engine.opened if o.kind == "build"]
        assert env.run(Command(argv=("echo", "{compiler} {cache}"))).stdout == (
            f"/usr/bin/g++ {CACHE_INSIDE}\n"
        )
        assert env.toolchain.image == "sha256:1"
        assert env.toolchain.bazel_rules == ""
        assert env.tools.host.cpus == 1
    assert "build" in engine.closed
    mounts = {mount.target: mount for mount in spec.mounts}
    folders = fake_env.tools.folders
    assert not mounts[str(plan.source)].writable
    assert not mounts[str(folders.cache)].writable
    exchange = folders.work / "exchange"
    assert env.toolchain.work == exchange
    assert {m.source for m in spec.mounts if m.writable and not m.is_volume} == {str(exchange)}
    assert mounts[CACHE_INSIDE].is_volume
    assert (spec.cpus, spec.memory_mb, spec.network) == (1.5, 3000, False)


@pytest.mark.parametrize(("version", "rules"), [("6.5.0", ""), ("7.4.1", "/r"), ("10.0.0", "/r")])
def test_newer_bazels_take_the_rule_sets_of_the_image(
    plan: Plan, fake_env: FakeEnvironment, version: str, rules: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    found = a_host(bazels=(Program(name="bazel", path="/usr/bin/bazel", version=version),))
    looked = ImageContents(host=found, rules="/r")
    monkeypatch.setattr(container, "looked_at", lambda *_: looked)
    plan = replace(plan, bazel=replace(plan.bazel, accepted=">=4"))
    assert open_again(plan, fake_env).toolchain.bazel_rules == rules


def test_the_wheel_is_tried_in_a_second_container_only_when_it_is_tried(
    engine: Engine, plan: Plan, fake_env: FakeEnvironment
) -> None:
    with open_container(plan, fake_env.tools) as env:
        assert "trial" not in [spec.kind for spec in engine.opened]
        assert env.tools.trial.run(Command(argv=("echo", "tried"))).stdout == "tried\n"
    trial = next(spec for spec in engine.opened if spec.kind == "trial")
    assert trial.image == "sha256:trial"
    assert not trial.gpus
    (own,) = [Path(m.source) for m in trial.mounts if m.writable]
    assert own == env.tools.guest_folder
    assert own.parent == fake_env.tools.folders.cache / "environments", "programs are beside it"
    assert not own.exists()
    assert str(plan.source) not in [m.source for m in trial.mounts]
    assert {"trial", "build"} <= set(engine.closed)


@pytest.mark.parametrize("passes", [True, False])
def test_gpus_are_passed_on_or_the_reason_is_named(
    engine: Engine, plan: Plan, fake_env: FakeEnvironment, passes: bool
) -> None:
    engine.passes_gpus = passes
    plan = replace(plan, device="cuda")
    with open_container(plan, fake_env.tools) as env:
        env.tools.trial.run(Command(argv=("true",)))
    assert next(o for o in engine.opened if o.kind == "trial").gpus is passes
    warned = [words for words in fake_env.reporter.said if words[0] == "warn"]
    assert bool(warned) is not passes


def test_what_killed_builds_left_is_cleared_first(
    engine: Engine, plan: Plan, fake_env: FakeEnvironment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(container, "clear", lambda _: 2)
    notes: list[str] = []
    monkeypatch.setattr(fake_env.reporter, "note", notes.append)
    with open_container(plan, fake_env.tools):
        pass
    assert notes == ["removed 2 containers that killed builds had left"]


def test_a_volume_belongs_to_one_compiler_and_one_build(
    engine: Engine, plan: Plan, fake_env: FakeEnvironment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    with open_container(plan, fake_env.tools) as env:
        (volume,) = engine.volumes
        env.hold()
        lock = fake_env.tools.folders.cache / "containers" / f"{volume}.lock"
        with lock.open("w") as stream, pytest.raises(BlockingIOError):
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with open_container(plan, fake_env.tools) as other_env:
            with fails("cache-volume-busy", volume):
                other_env.hold()
            other_env.run(Command(argv=("true",)))
    other = a_host(compilers=(Program(name="g++", path="/usr/bin/g++", version="12.2.1"),))
    monkeypatch.setattr(container, "looked_at", lambda *_: ImageContents(host=other))
    open_again(plan, fake_env)
    assert len(set(engine.volumes)) == 2


def test_a_volume_belongs_to_one_source_tree(
    engine: Engine, plan: Plan, fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    trees = [tmp_path / "a", tmp_path / "b", plan.source]
    for tree in trees[:2]:
        shutil.copytree(plan.source, tree)
    for tree in trees:
        open_again(replace(plan, source=tree), fake_env)
    assert len(set(engine.volumes)) == 3
    open_again(replace(plan, source=trees[0]), fake_env)
    assert len(set(engine.volumes)) == 3


def test_only_bazel_asks_for_the_volume_and_keeps_it_until_its_container_is_gone(
    engine: Engine, plan: Plan, fake_env: FakeEnvironment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    bazel = Program(name="bazel", path="/bin/true", version="4.2.3")
    inside = ImageContents(host=a_host(bazels=(bazel,)))
    monkeypatch.setattr(container, "looked_at", lambda *_: inside)
    seen: list[str] = []
    alone = container._alone

    @contextmanager
    def watched(volume: str, tools: Tools) -> Iterator[None]:
        with alone(volume, tools):
            seen.append("held")
            yield
        seen.append("free, " + " ".join(engine.closed))

    monkeypatch.setattr(container, "_alone", watched)
    with open_container(plan, fake_env.tools) as env:
        env.run(Command(argv=("{python}", "-c", "")))
        assert seen == []
        for _ in range(2):
            env.run(Command(argv=("{bazel}", "build")))
        assert seen == ["held"]
    assert seen[1:] == ["free, look build"]


def open_again(plan: Plan, env: FakeEnvironment) -> DockerEnvironment:
    with open_container(plan, env.tools) as opened:
        return opened


def test_a_volume_of_roots_is_given_to_the_caller(
    engine: Engine, plan: Plan, fake_env: FakeEnvironment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(container, "_HOME", "/proc/not/writable")
    with fails("cache-volume-unwritable", CACHE_INSIDE):
        open_again(plan, fake_env)
    own = next(spec for spec in engine.opened if spec.kind == "own")
    assert own.as_root
    assert own.capabilities == ("CHOWN", "DAC_OVERRIDE")
    assert [m.target for m in own.mounts] == [CACHE_INSIDE]


def test_an_image_without_tools_says_what_it_has(
    plan: Plan, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = ImageContents(host=a_host(bazels=(), compilers=()))
    monkeypatch.setattr(container, "looked_at", lambda *_: bare)
    with fails("image-lacks-tools", "mine:1", "g++ 12.2", "Bazel", f"Python {RUNNING}", "--image"):
        open_again(placed(plan, image="mine:1"), fake_env)


def test_the_environment_is_in_the_lock_and_drift_is_reported(
    plan: Plan, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def holds(version: str) -> None:
        packages = (Package(manager="dpkg", name="g++-12", version=version, architecture="amd64"),)
        inside = ImageContents(host=a_host(), packages=packages)
        monkeypatch.setattr(container, "looked_at", lambda *_: inside)

    holds("12.2.0-14")
    lock = open_again(plan, fake_env).toolchain.lock.environment
    assert (lock.image, lock.id, lock.system, lock.release) == ("i:1", "sha256:1", "debian", "12")
    assert [p.version for p in lock.packages] == ["12.2.0-14"]
    remember(plan, lock, fake_env.tools.folders.work)
    open_again(plan, fake_env)
    assert "warn" not in [words[0] for words in fake_env.reporter.said]
    holds("12.2.0-15")
    open_again(plan, fake_env)
    warning = "environment drifted: g++-12 12.2.0-14 became 12.2.0-15"
    assert ("warn", warning) in fake_env.reporter.said
    with fails("environment-drifted") as caught:
        open_again(placed(plan, lock=lock), fake_env)
    assert warning.endswith(caught.value.why)


def test_drift_is_reported_before_a_tool_is_missed(
    plan: Plan, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = ImageContents(host=a_host(bazels=()))
    monkeypatch.setattr(container, "looked_at", lambda *_: bare)
    locked = an_environment("dpkg bazel-bootstrap 4.2.3+ds-11 amd64")
    with fails("environment-drifted", "bazel-bootstrap 4.2.3+ds-11 "):
        open_again(placed(plan, lock=locked), fake_env)
