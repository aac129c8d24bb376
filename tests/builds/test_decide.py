"""Where and of what it is built: on this machine, in a named image, in a container of a system."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, a_host, a_request
from tests.sample_report import an_environment
from tfbuild.bazel.history import History, LearnedAction, machine_key, tree_key
from tfbuild.builds.decide import Decision, decide
from tfbuild.containers import images
from tfbuild.containers.image_contents import ImageContents
from tfbuild.containers.images import BuildImage
from tfbuild.core.environments import EnvironmentLock
from tfbuild.core.records import Pin
from tfbuild.facts.tables import Tables


def decided(tables: Tables, fake: FakeEnvironment, **more: object) -> Decision:
    return decide(a_request(fake.tools.folders.work, **more), tables, fake.tools)


def test_on_this_machine_nothing_is_asked_of_an_engine(
    tables: Tables, fake_env: FakeEnvironment
) -> None:
    here = decided(tables, fake_env, environment=an_environment())
    assert here.host == fake_env.tools.host
    assert here.plan.environment.kind == "host"
    assert here.plan.environment.lock == EnvironmentLock(), "it cannot be held to one"


def test_a_container_is_of_a_system_and_has_its_limits(
    tables: Tables, fake_env: FakeEnvironment
) -> None:
    there = decided(tables, fake_env, env="docker", memory_mb=900)
    place = there.plan.environment
    name = f"{there.host.distribution} {there.host.distribution_version}"
    assert (place.system.name, place.memory_mb, there.host.memory_mb) == (name, 900, 900)


def test_a_named_image_is_planned_by_its_identity(
    tables: Tables, fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[EnvironmentLock] = []
    ids = iter(("sha256:1", "sha256:2"))

    def look(name: str, lock: EnvironmentLock, _: object) -> tuple[BuildImage, ImageContents]:
        held.append(lock)
        return BuildImage(name=name, id=next(ids)), ImageContents(host=a_host(cpus=8))

    monkeypatch.setattr(images, "look_at_named", look)
    lock = an_environment("dpkg gcc-12 12.2.0-15 amd64")
    first = decided(tables, fake_env, env="docker", image="mine", cpus=1.0, environment=lock)
    second = decided(tables, fake_env, env="docker", image="mine", cpus=1.0, environment=lock)
    assert (first.plan.environment.image_id, first.host.cpus) == ("sha256:1", 1)
    assert first.plan.environment.system.name == ""
    assert held == [lock, lock]
    assert first.plan.id != second.plan.id, "the name means another image now"


@pytest.mark.parametrize("spec", [">=2.17", "2.36", "<2.37", ">=2.17,<2.40"])
def test_the_glibc_of_the_machine_is_the_wheels(
    tables: Tables, fake_env: FakeEnvironment, spec: str
) -> None:
    plan = decided(tables, fake_env, pins=(Pin(axis="glibc", spec=spec),)).plan
    assert plan.versions.value("glibc") == plan.audit.glibc_ceiling == "2.36"


@pytest.mark.parametrize("spec", ["<2.36", "2.28", ">=2.17,<2.30"])
def test_another_glibc_than_the_machines_is_a_conflict(
    tables: Tables, fake_env: FakeEnvironment, spec: str
) -> None:
    with fails("versions-collide", "glibc=2.36") as caught:
        decided(tables, fake_env, pins=(Pin(axis="glibc", spec=spec),))
    assert ("debian 11" in caught.value.hint) is (spec == "<2.36")


def test_no_way_out_needs_another_machine(tables: Tables, fake_env: FakeEnvironment) -> None:
    constraints = (Pin(axis="glibc", spec="2.41"), Pin(axis="os", spec="debian 13"))
    with fails("versions-collide", "glibc=2.36 os=debian 12", "--env docker"):
        decided(tables, fake_env, pins=constraints)


def test_what_no_fact_covers_is_in_no_container_either(
    tables: Tables, fake_env: FakeEnvironment
) -> None:
    with fails("version-not-covered", "sm_999") as caught:
        decided(tables, fake_env, pins=(Pin(axis="gpu", spec="sm_999"),))
    assert "docker" not in caught.value.hint


def test_a_container_is_of_a_system_with_the_glibc_that_was_asked_for(
    tables: Tables, fake_env: FakeEnvironment
) -> None:
    older = (Pin(axis="glibc", spec="<2.36"),)
    plan = decided(tables, fake_env, env="docker", pins=older).plan
    assert plan.environment.system.glibc == plan.versions.value("glibc") < "2.36"
    with fails("no-system-fits", "glibc<2.10"):
        decided(tables, fake_env, env="docker", pins=(Pin(axis="glibc", spec="<2.10"),))


def test_nothing_is_written(tables: Tables, tmp_path: Path) -> None:
    fake = FakeEnvironment(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    decided(tables, fake, env="docker")
    assert sorted(tmp_path.rglob("*")) == before


def test_jobs_follow_what_actions_took_in_earlier_builds(
    tables: Tables, fake_env: FakeEnvironment
) -> None:
    host = a_host(cpus=8, memory_mb=8000)
    tools = replace(fake_env.tools, host=host)
    request = a_request(fake_env.tools.folders.work, jobs=0)
    before = decide(request, tables, tools).plan
    assert before.jobs == 8
    assert "as many as processors" in before.jobs_because
    tree = tree_key(before.source, before.bazel.targets)
    history = History(cache=tools.folders.cache, machine=machine_key(host), tree=tree)
    action = LearnedAction(output="a.o", kind="CppCompile", seconds=9.0, memory_mb=2000.0)
    history.learn([action], seconds=9.0, jobs=8, total=1, speed=1.0)
    after = decide(request, tables, tools).plan
    assert after.jobs == 3
    assert "2.0 GB per CppCompile (measured over 1 action)" in after.jobs_because
    assert "--jobs=3" in after.commands[-1].argv
    assert after.id == before.id
    asked = decide(replace(request, jobs=8), tables, tools).plan
    assert asked.jobs == 8
