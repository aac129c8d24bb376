"""What is reported of an environment that changed, and when it is an error."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tests.planning import placed
from tests.sample_report import a_report, an_environment
from tfbuild.containers.drift import changes, remember, report_drift, require_same
from tfbuild.core.environments import EnvironmentLock
from tfbuild.core.plans import Plan
from tfbuild.core.records import Versions

THEN = an_environment(
    "dpkg gcc-12 12.2.0-14 amd64", "dpkg gone 1-1 all", "dpkg libc6 2.36-9 amd64", "pip3.11 pip 23"
)
NOW = an_environment(
    "dpkg gcc-12 12.2.0-15 amd64", "dpkg libc6 2.36-9 amd64", "dpkg new 2-1 all", "pip3.11 pip 24",
    id="sha256:2",
)  # fmt: skip
LINES = (
    "gcc-12 12.2.0-14 became 12.2.0-15",
    "pip (pip3.11) 23 became 24",
    "new 2-1 came",
    "gone 1-1 went",
)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return a_report(tmp_path).plan


def warnings(env: FakeEnvironment) -> list[str]:
    said = [words[1] for words in env.reporter.said if words[0] == "warn"]
    env.reporter.said.clear()
    return said


def test_each_package_that_changed_has_a_line() -> None:
    assert changes(THEN, NOW) == LINES


def test_the_same_packages_are_the_same_environment() -> None:
    assert changes(THEN, replace(THEN, id="sha256:9", image="a:2", base_id="sha256:8")) == ()


def test_architectures_are_named_where_there_are_several() -> None:
    one = an_environment("dpkg libc6 2.36-9 amd64")
    two = an_environment("dpkg libc6 2.36-9 amd64", "dpkg libc6 2.36-9 i386")
    assert changes(one, two) == ("libc6:i386 2.36-9 came",)
    assert changes(one, an_environment("dpkg libc6 2.36-9 all")) == (
        "libc6:all 2.36-9 came",
        "libc6:amd64 2.36-9 went",
    )


def test_another_system_is_named_first() -> None:
    assert changes(THEN, replace(NOW, release="13"))[0] == "debian 12 became debian 13"


def test_an_image_without_dpkg_is_compared_by_its_identity() -> None:
    fedora = an_environment("pip3.11 pip 23", system="fedora", release="42")
    assert changes(fedora, fedora) == ()
    (line,) = changes(fedora, replace(fedora, id="sha256:2"))
    assert line.startswith("the image sha256:1 became sha256:2")


@pytest.mark.parametrize(
    ("is_kept", "digest", "remedy"),
    [(True, "", "--image sha256:1,"), (False, "a@sha256:5", "--image a@sha256:5,"),
     (False, "", "")],
)  # fmt: skip
def test_a_lock_is_held(is_kept: bool, digest: str, remedy: str) -> None:
    require_same(THEN, replace(THEN, id="sha256:3"), is_kept=False)
    with fails("environment-drifted", "tfbuild/env:bookworm-1", remedy) as caught:
        require_same(replace(THEN, digest=digest), NOW, is_kept=is_kept)
    assert caught.value.why == "\n".join(LINES)
    assert ("--image" in caught.value.hint) is bool(remedy)


def test_many_changes_are_counted() -> None:
    bare = an_environment("dpkg libc6 2.36-9 amd64")
    full = an_environment(*(f"dpkg lib{n:02} 1 all" for n in range(40)))
    with fails("environment-drifted") as caught:
        require_same(bare, full, is_kept=False)
    lines = caught.value.why.splitlines()
    assert lines[0] == "lib00 1 came"
    assert (len(lines), lines[-1]) == (7, "and 35 more changes")


def test_drift_since_the_last_build_that_passed(plan: Plan, fake_env: FakeEnvironment) -> None:
    tools = fake_env.tools
    report_drift(plan, THEN, tools)
    assert warnings(fake_env) == [], "nothing is known yet"
    remember(plan, THEN, tools.folders.work)
    report_drift(plan, THEN, tools)
    assert warnings(fake_env) == []
    for _ in range(2):  # until a build passes
        report_drift(plan, NOW, tools)
        assert warnings(fake_env) == [f"environment drifted: {line}" for line in LINES]
    report_drift(placed(plan, lock=NOW), NOW, tools)
    assert warnings(fake_env) == [], "the lock has decided"
    remember(plan, NOW, tools.folders.work)
    report_drift(plan, NOW, tools)
    assert warnings(fake_env) == []


def test_each_kind_of_environment_has_its_own_last_one(
    plan: Plan, fake_env: FakeEnvironment
) -> None:
    tools = fake_env.tools
    remember(plan, THEN, tools.folders.work)
    choices = tuple(
        replace(c, value="3.9") if c.axis == "python" else c for c in plan.versions.choices
    )
    report_drift(replace(plan, versions=Versions(choices=choices)), NOW, tools)
    report_drift(plan, replace(NOW, release="13"), tools)
    report_drift(placed(plan, image="mine:1"), NOW, tools)
    assert warnings(fake_env) == [], "they were never built in"
    report_drift(replace(plan, id="another", perf_probes=()), NOW, tools)
    assert warnings(fake_env), "it needs the same of an image"


def test_a_name_that_means_another_image_is_seen(plan: Plan, fake_env: FakeEnvironment) -> None:
    tools = fake_env.tools
    plan = placed(plan, image="mine:1")
    remember(plan, THEN, tools.folders.work)
    report_drift(plan, replace(NOW, release="13"), tools)
    assert warnings(fake_env)[0] == "environment drifted: debian 12 became debian 13"


def test_a_record_that_was_damaged_or_of_another_tfbuild_is_none(
    plan: Plan, fake_env: FakeEnvironment
) -> None:
    tools = fake_env.tools
    remember(plan, THEN, tools.folders.work)
    (record,) = (tools.folders.work / "environments").iterdir()
    edited = record.read_text().replace("12.2.0-14", "12.2.0-13")
    for content in ('{"id": 7}', "", "null", edited):
        record.write_text(content)
        report_drift(plan, NOW, tools)
        assert warnings(fake_env) == []


def test_on_the_host_nothing_is_kept(plan: Plan, fake_env: FakeEnvironment) -> None:
    work = fake_env.tools.folders.work
    remember(plan, EnvironmentLock(), work)
    assert not (work / "environments").exists()
