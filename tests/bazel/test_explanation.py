"""Actions with their reasons, targets and seconds, out of three files of Bazel's."""

import gzip
from pathlib import Path

import pytest

from tests.bazel.bazel_events import event_lines
from tests.fakes import FakeEnvironment
from tfbuild.bazel.explanation import RanAction, read_explanation

EXPLAINED = """\
Build options: --copt=-O1 --jobs=2
Executing action 'WorkspaceStatus stable-status.txt': unconditional execution is requested.
Executing action 'Compiling a/b.cc': One of the files has changed.
Executing action 'Compiling a/b.cc': One of the files has changed.
Executing action 'Compiling t.cc [for host]': no entry in the cache (action is new).
Executing action 'Linking a/libb.a': action command has changed (try --verbose_explanations).
New action: Linking a/libb.a
  Argument: /usr/bin/ar
.
Executing action 'Executing genrule //a:it's': Effective client environment has changed. Now using
  PATH=/bin
"""


def ran(label: str, output: str, *argv: str) -> dict[str, object]:
    of = {"label": label, "primaryOutput": output}
    return {
        "id": {"actionCompleted": of},
        "action": {"success": True, "label": label, "commandLine": argv},
    }


EVENTS = event_lines(
    ran("//a:b", "bazel-out/k8/bin/a/_objs/b.o", "gcc", "-c", "a/b.cc"),
    ran("//a:b", "bazel-out/k8/bin/a/_objs/b.pic.o", "gcc", "-fPIC", "-c", "a/b.cc"),
    ran("//:tool", "bazel-out/host/bin/t.o", "gcc", "-c", "t.cc"),
    ran("//a:b", "bazel-out/k8/bin/a/libb.a", "ar", "@a.params"),
    ran("//a:it's", "bazel-out/k8/bin/a/out", "/bin/bash"),
)
PROFILE = """{"otherData":{},"traceEvents":[
{"cat":"action processing","name":"Compiling a/b.cc","ph":"X","ts":1,"dur":1000000,"pid":1},
{"cat":"action processing","name":"Compiling a/b.cc","ph":"X","ts":1,"dur":3000000,"pid":1},
{"cat":"general information","name":"Linking a/libb.a","ph":"X","ts":1,"dur":9000000,"pid":1},
{"cat": "action processing", "name": "Linking a/libb.a", "ph": "X", "ts": 1, "dur": 500000}
]}
"""


def explained(env: FakeEnvironment, *, profile: bytes = b"") -> tuple[RanAction, ...]:
    work = env.toolchain.work
    (work / "explain.txt").write_text(EXPLAINED)
    (work / "events.json").write_text(EVENTS + '{"action":{"label"')
    if profile:
        (work / "profile.gz").write_bytes(profile)
    return read_explanation(env)


def test_every_action_has_its_reason_and_its_target(fake_env: FakeEnvironment) -> None:
    found = [(action.name, action.reason, action.target) for action in explained(fake_env)]
    assert found == [
        ("Compiling a/b.cc", "One of the files has changed", "//a:b"),
        ("Compiling a/b.cc", "One of the files has changed", "//a:b"),
        ("Compiling t.cc [for host]", "no entry in the cache (action is new)", "//:tool"),
        ("Linking a/libb.a", "action command has changed", "//a:b"),
        ("Executing genrule //a:it's", "Effective client environment has changed", "//a:it's"),
    ]


def test_seconds_are_those_of_the_profile(fake_env: FakeEnvironment) -> None:
    found = explained(fake_env, profile=gzip.compress(PROFILE.encode(), mtime=0))
    assert [action.seconds for action in found] == [2.0, 2.0, 0.0, 0.5, 0.0]


@pytest.mark.parametrize(
    "profile", [b"no gzip", gzip.compress(PROFILE.encode())[:40]], ids=["no gzip", "cut short"]
)
def test_a_profile_that_is_broken_gives_no_seconds(
    fake_env: FakeEnvironment, profile: bytes
) -> None:
    found = explained(fake_env, profile=profile)
    assert len(found) == 5
    assert {action.seconds for action in found} == {0.0}


def test_nothing_to_do_is_nothing_to_explain(fake_env: FakeEnvironment, tmp_path: Path) -> None:
    assert read_explanation(fake_env) == ()


def test_events_of_another_form_explain_nothing(fake_env: FakeEnvironment) -> None:
    """A build in a container can write anything there."""
    explained(fake_env)
    lines = ('{"action":{"label":7,"commandLine":7}}', '{"id":[],"action":{"label":"//a","x":1}}')
    (fake_env.toolchain.work / "events.json").write_text("\n".join(lines))
    assert {action.target for action in read_explanation(fake_env)} == {""}
