"""The command of a failed action, out of what every release of Bazel writes."""

import os
from pathlib import Path

import pytest

from tests.bazel.bazel_events import BASE, FAILURES, SCRIPT, event_lines
from tests.failing import fails
from tests.fakes import FakeEnvironment
from tfbuild.bazel.failed_action import (
    find_failed_actions,
    keep_failed_actions,
    keep_recipe,
    read_failed_actions,
)

GOOD = {"id": {"actionCompleted": {"label": "//:good"}}, "action": {"success": True}}


@pytest.fixture
def events(fake_env: FakeEnvironment) -> Path:
    return fake_env.toolchain.work / "events.json"


@pytest.mark.parametrize("release", FAILURES)
def test_words_variables_and_folder_are_those_of_the_build(events: Path, release: str) -> None:
    events.write_text(event_lines(GOOD, *FAILURES[release]))
    (action,) = read_failed_actions(events)
    assert (action.label, action.mnemonic) == ("//:bad", "Genrule")
    assert action.argv == ("/bin/bash", "-c", SCRIPT)
    assert action.env == (("A", "a b'c"), ("PATH", "/bin:/usr/bin"))
    assert action.folder == f"{BASE}/execroot/tiny"
    assert "/sandbox/" in action.sandbox
    assert action.exit_code == (3 if release >= "4" else 0)


def failure(label: str, argv: list[str], said: str) -> dict[str, object]:
    of = {"label": label, "primaryOutput": f"bazel-out/bin/{label[3:]}.o"}
    return {
        "id": {"actionCompleted": of},
        "action": {"type": "CppLink", "commandLine": argv, "failureDetail": {"message": said}},
    }


def test_each_of_several_gets_its_own_command(events: Path) -> None:
    """A list of files in a parameter file makes the words differ: then the output decides."""
    events.write_text(
        event_lines(
            failure("//:a", ["ld", "1", "2"], "(cd /e && \\\n  exec env - \\\n  ld @bin/b.params)"),
            failure(
                "//:b", ["ld", "3"],
                "(cd /e && \\\n  exec env - \\\n    X=1 \\\n  ld @bazel-out/bin/a.o-2.params)\n"
                "(cd /e && \\\n  exec env - \\\n  ld 3)",
            ),
        )
    )  # fmt: skip
    first, second = read_failed_actions(events)
    assert first.argv == ("ld", "@bazel-out/bin/a.o-2.params")
    assert first.env == (("X", "1"),)
    assert second.argv == ("ld", "3")
    assert (second.folder, second.sandbox) == ("/e", "")


@pytest.mark.parametrize(
    "said",
    ["", "(cd /e && ls)", "(cd /e && \\\n  exec env - \\\n  gcc 'never closed", "(cd", "(cd )"],
)
def test_without_a_command_there_is_nothing_to_run_again(events: Path, said: str) -> None:
    events.write_text(event_lines(failure("//:a", ["gcc"], said)) + '{"id": {"cut')
    assert read_failed_actions(events) == ()


def test_what_was_kept_of_the_last_failed_run_is_found(
    fake_env: FakeEnvironment, events: Path
) -> None:
    work = fake_env.toolchain.work
    with fails("nothing-kept-of-run"):
        find_failed_actions(work)
    assert keep_failed_actions(fake_env) == 0
    events.write_text(event_lines(*FAILURES["4.2.3"]))
    assert keep_failed_actions(fake_env) == 1
    (work / "runs" / "zzz").mkdir()  # a later run that ended well
    kept = find_failed_actions(work)
    assert (kept.run, kept.environment, kept.bazel_version) == ("one", "host", "4.2.3")
    assert kept == find_failed_actions(work, "one")
    with fails("nothing-kept-of-run", "zzz"):
        find_failed_actions(work, "zzz")
    with fails("run-missing", "zzy", str(work / "runs"), "'zzz'"):
        find_failed_actions(work, "zzy")


def test_what_was_edited_is_not_run(fake_env: FakeEnvironment, events: Path) -> None:
    events.write_text(event_lines(*FAILURES["4.2.3"]))
    keep_failed_actions(fake_env)
    path = fake_env.tools.folders.run / "failed_actions.json"
    path.write_text(path.read_text().replace("exit 3", "exit 4"))
    with fails("nothing-kept-of-run"):
        find_failed_actions(fake_env.toolchain.work)


def test_the_recipe_by_which_bazel_was_called_is_noted(
    fake_env: FakeEnvironment, events: Path
) -> None:
    run = fake_env.tools.folders.run
    keep_recipe("greet", run)  # nothing is kept of it
    with fails("nothing-kept-of-run"):
        find_failed_actions(fake_env.toolchain.work)
    events.write_text(event_lines(*FAILURES["4.2.3"]))
    keep_failed_actions(fake_env)
    keep_recipe("greet", run)
    kept = find_failed_actions(fake_env.toolchain.work)
    assert (kept.recipe, kept.bazel_version, kept.actions[0].label) == ("greet", "4.2.3", "//:bad")


STRANGE = (
    b'{"action":{"label":7,"commandLine":7}}', b'{"action":[],"id":[]}',
    b'{"progress":[],"a":"exec env - "}',
    b'{"action":{"failureDetail":[],"commandLine":[[]],"exitCode":[]},"id":{"actionCompleted":1}}',
)  # fmt: skip


def test_events_of_another_form_are_none(events: Path) -> None:
    """A build in a container can write anything there."""
    before = read_failed_actions(events)
    with events.open("ab") as stream:
        stream.write(b"\n".join((b"", *STRANGE, b"")))
    assert len(read_failed_actions(events)) == len(before)


def test_holes_in_the_events_are_not_read_without_an_end(tmp_path: Path) -> None:
    (tmp_path / "events.json").touch()
    os.truncate(tmp_path / "events.json", 1 << 42)
    assert read_failed_actions(tmp_path / "events.json") == ()
