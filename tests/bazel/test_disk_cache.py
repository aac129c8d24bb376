"""The disk cache around a build: what is asked of the script, and what is reported."""

import json
import sys
import time
from pathlib import Path

from tests.bazel.test_disk_script import BLOCK, DiskCache
from tests.fakes import FakeEnvironment, says
from tfbuild.bazel.disk_cache import disk_flags, tend_disk_cache, use_disk_cache
from tfbuild.core.file_locks import try_lock
from tfbuild.core.process import ProcessRunner

PYTHON = Path(sys.executable).name


def for_real(env: FakeEnvironment) -> DiskCache:
    """Let the environment's Python be a real one; its disk cache, empty."""
    env.runner.answers[PYTHON] = lambda command, watch: ProcessRunner().run(command, watch)
    return DiskCache(env.toolchain.cache)


def test_the_limit_is_kept_and_reported(fake_env: FakeEnvironment) -> None:
    cache = for_real(fake_env)
    for n in range(500):
        cache.put(n.to_bytes(2, "big") * BLOCK, days=n)
    state = tend_disk_cache(fake_env, 2, since=0.0)
    assert 1_500_000 < state.bytes <= 1_800_000
    assert state.removed > 200
    assert not any(words[0] == "warn" for words in fake_env.reporter.said)


def test_damage_that_bazel_met_is_looked_for_everywhere(fake_env: FakeEnvironment) -> None:
    cache = for_real(fake_env)
    cache.put(b"a").write_bytes(b"b")
    state = tend_disk_cache(fake_env, 100, since=0.0, has_met_damage=True)
    assert state.damaged == 1
    (said,) = [words[1] for words in fake_env.reporter.said if words[0] == "warn"]
    assert said.startswith("removed 1 damaged result ")


def test_a_held_cache_is_left_alone(fake_env: FakeEnvironment) -> None:
    cache = for_real(fake_env)
    cache.put(b"a" * 2_000_000, days=9)
    with use_disk_cache(fake_env.toolchain):
        assert tend_disk_cache(fake_env, 1, since=0.0).is_busy
    assert tend_disk_cache(fake_env, 1, since=0.0).removed == 1


def test_several_builds_hold_it_together(fake_env: FakeEnvironment) -> None:
    lock = fake_env.toolchain.cache / "bazel-disk.lock"
    held = use_disk_cache(fake_env.toolchain), use_disk_cache(fake_env.toolchain)
    with held[0], held[1], try_lock(lock) as is_ours:
        assert not is_ours


def test_a_script_that_fails_fails_no_build(fake_env: FakeEnvironment) -> None:
    for answer in (says("Traceback", code=1), says("no JSON"), says(json.dumps({"odd": 1}))):
        fake_env.runner.answers[PYTHON] = answer
        assert tend_disk_cache(fake_env, 1, since=time.time()).entries == 0
    assert len([words for words in fake_env.reporter.said if words[0] == "warn"]) == 3


def test_a_limit_of_nothing_turns_it_off() -> None:
    assert disk_flags(0) == ("--disk_cache=",)
    assert disk_flags(100) == ()
