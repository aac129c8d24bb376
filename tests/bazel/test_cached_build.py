"""One build with all caches that the plan names, and what came from where."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import tfbuild.bazel.cached_build as bazel_cached_build
import tfbuild.bazel.remote as bazel_remote
from tests.failing import fails
from tests.fakes import FakeEnvironment, says
from tfbuild.bazel.cached_build import CachedBuild, build_cached
from tfbuild.bazel.probe import Outlook
from tfbuild.core.environments import NO_SERVICES, Services
from tfbuild.core.interfaces import Watch
from tfbuild.core.records import Command, Completed

BUILD = Command(argv=("{bazel}", "build", "--jobs=2", "//..."), stage="build", cwd="{source}")
CACHE, FARM = Services(cache="http://cache"), Services(executor="grpc://farm:1")
PYTHON = Path(sys.executable).name


@pytest.fixture(autouse=True)
def services_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("probe_cache", "probe_executor"):
        monkeypatch.setattr(bazel_remote, name, lambda *_: Outlook())
    monkeypatch.setattr(bazel_remote, "farm_trouble", lambda *_: "")


def build(
    env: FakeEnvironment, services: Services, summary: str, *, new_results: int = 0
) -> CachedBuild:
    """A build whose Bazel ends with these words, and whose disk has so many new results."""
    env.runner.answers["bazel"] = says(f"INFO: 99 processes: {summary}.")
    env.runner.answers[PYTHON] = says(json.dumps({"new_results": new_results}))
    return build_cached(BUILD, services, env)


@pytest.mark.parametrize(
    ("services", "summary", "new", "counts"),
    [
        (NO_SERVICES, "3 internal, 9 linux-sandbox", 9, (9, 0, 0, 0)),
        (NO_SERVICES, "9 remote cache hit, 1 internal", 0, (0, 0, 9, 0)),  # a Bazel before 5
        (CACHE, "9 remote cache hit, 2 linux-sandbox", 7, (2, 0, 9, 5)),
        (CACHE, "9 remote cache hit, 2 linux-sandbox", 2, (2, 0, 9, 0)),
        (CACHE, "4 disk cache hit, 5 remote cache hit, 2 linux-sandbox", 0, (2, 0, 9, 5)),
        (FARM, "9 remote cache hit, 3 remote, 1 linux-sandbox", 0, (4, 3, 9, 9)),
    ],
)
def test_what_came_from_where(
    fake_env: FakeEnvironment, services: Services, summary: str, new: int, counts: tuple[int, ...]
) -> None:
    made = build(fake_env, services, summary, new_results=new)
    assert (made.executed, made.elsewhere, made.cache_hits, made.remote_hits) == counts


def test_the_call_as_it_was_made_names_the_toolchain_and_no_service(
    fake_env: FakeEnvironment,
) -> None:
    made = build(fake_env, CACHE, "1 internal")
    assert any(word.startswith("--action_env=TFBUILD_TOOLCHAIN=") for word in made.command.argv)
    assert not any("remote_cache" in word for word in made.command.argv)
    (called,) = [c.argv for c in fake_env.runner.commands if "build" in c.argv]
    assert "--remote_cache=http://cache" in called


def test_no_disk_cache(fake_env: FakeEnvironment) -> None:
    made = build(fake_env, replace(NO_SERVICES, disk_limit_mb=0), "1 internal")
    assert "--disk_cache=" in made.command.argv


def test_a_failure_leaves_the_disk_cache_in_order(fake_env: FakeEnvironment) -> None:
    fake_env.runner.answers["bazel"] = says("ERROR: broken", code=1)
    with fails("bazel-failed", "ERROR: broken"):
        build_cached(BUILD, NO_SERVICES, fake_env)
    assert any(str(c.argv[3]).endswith("disk_cache.py") for c in fake_env.runner.commands
               if Path(c.argv[0]).name == PYTHON)  # fmt: skip


def test_a_lie_is_answered_by_a_build_without_caches(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bazel_cached_build, "recheck", lambda *_, **__: ("a.o",))
    asked: list[tuple[str, ...]] = []

    def answer(command: Command, _: Watch | None) -> Completed:
        asked.append(command.argv)
        is_first = sum("build" in argv for argv in asked) == 1
        said = "9 remote cache hit" if is_first else "9 linux-sandbox"
        return Completed(code=0, stdout=f"INFO: 9 processes: {said}.\n")

    fake_env.runner.answers["bazel"] = answer
    made = build_cached(BUILD, replace(CACHE, checked=0.1), fake_env)
    first, clean, second = asked
    assert "clean" in clean
    assert "--noremote_accept_cached" in second
    assert "--noremote_accept_cached" not in first
    assert (made.executed, made.cache_hits) == (9, 0)
    assert any("gives something else for 1 result" in words[1] for words in fake_env.reporter.said)


def test_nothing_is_compiled_again_where_nothing_came_from_a_cache(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bazel_cached_build, "recheck", lambda *_, **__: pytest.fail("it was"))
    build(fake_env, replace(CACHE, checked=1.0), "9 linux-sandbox")
