"""With what a call is followed."""

from dataclasses import replace

import pytest

from tests.fakes import FakeEnvironment
from tfbuild.bazel.following import follow, observed, server_finder, watching_flags
from tfbuild.bazel.history import LearnedAction
from tfbuild.core.records import Command

BUILD = Command(argv=("bazel", "--nohome_rc", "build", "--jobs=3", "//a", "//b"))


@pytest.mark.parametrize(
    ("version", "known", "unknown"),
    [
        ("0.26.1", "--experimental_json_trace_compression", "--noslim_profile"),
        ("2.1.0", "--experimental_generate_json_trace_profile", "compression"),
        ("4.2.3", "--experimental_profile_include_primary_output", "json_trace"),
        ("7.7.1", "--noslim_profile", "json_trace"),
    ],
)
def test_a_bazel_gets_the_flags_that_it_knows(version: str, known: str, unknown: str) -> None:
    flags = watching_flags(version)
    assert known in flags
    assert not any(unknown in flag for flag in flags)
    assert watching_flags("") == ()


def test_flags_stand_behind_build_and_other_calls_stay(fake_env: FakeEnvironment) -> None:
    words = observed(BUILD, fake_env.toolchain).argv
    assert words[:3] == ("bazel", "--nohome_rc", "build")
    assert words[-3:] == ("--jobs=3", "//a", "//b")
    assert "--profile={work}/profile.gz" in words
    other = Command(argv=("bazel", "shutdown"))
    assert observed(other, fake_env.toolchain) == other


def test_the_follower_expects_what_the_last_one_learnt(fake_env: FakeEnvironment) -> None:
    first = follow(BUILD, fake_env)
    assert first.estimator.jobs == 3
    action = LearnedAction(output="a.o", kind="CppCompile", seconds=4.0, memory_mb=700.0)
    first.history.learn([action], seconds=9.0, jobs=3, total=5, speed=1.0)
    second = follow(BUILD, fake_env)
    assert second.estimator.expects.seconds == {"a.o": 4.0}
    assert second.governor.expected_mb("a.o") == 700.0
    assert second.governor.expected_mb("b.o") == 0.0
    other = follow(replace(BUILD, argv=(*BUILD.argv[:-1], "//c")), fake_env)
    assert other.estimator.expects.seconds == {}


def test_no_server_is_seen_where_there_is_none(fake_env: FakeEnvironment) -> None:
    assert server_finder(fake_env)() == 0
