"""What each of Bazel's endings means."""

from pathlib import Path

import pytest

from tests.fakes import FakeEnvironment
from tfbuild.bazel import endings
from tfbuild.bazel.endings import ending_error
from tfbuild.bazel.events import EventFile, Failure
from tfbuild.core.records import Completed


def ended(code: int, *lines: str) -> Completed:
    return Completed(code=code, stdout="\n".join(lines), last_lines=lines)


def events(tmp_path: Path, message: str | None = None, code: int = 1) -> EventFile:
    """The events of a call in which one action failed so, or none."""
    file = EventFile(path=tmp_path / "events.json")
    if message is not None:
        failure = Failure(label="//a:b", kind="CppCompile", exit_code=code, message=message)
        file.failures.append(failure)
    return file


def test_a_compile_error_is_reported_in_the_compilers_words(
    fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    message = "In file included from b.cc:\na.h:3:5: error: expected ';'\n    3 | x\n"
    error = ending_error(ended(1), events(tmp_path, message), fake_env)
    assert error.code == "action-failed"
    assert "//a:b" in error.message
    assert "a.h:3:5: error: expected ';'" in error.why


@pytest.mark.parametrize(
    ("message", "code"),
    [("", 137), ("g++: fatal error: Killed signal terminated program cc1plus", 1)],
)
def test_a_killed_compiler_means_memory(
    fake_env: FakeEnvironment, tmp_path: Path, message: str, code: int
) -> None:
    error = ending_error(ended(1), events(tmp_path, message, code), fake_env)
    assert error.code == "out-of-memory"
    assert "--jobs" in error.hint


def test_a_full_disk_is_reported_with_numbers(fake_env: FakeEnvironment, tmp_path: Path) -> None:
    said = ended(36, "write failed: No space left on device")
    error = ending_error(said, events(tmp_path), fake_env)
    assert error.code == "disk-full-building"


def test_a_silent_failure_on_a_full_disk_is_a_full_disk(
    fake_env: FakeEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endings, "free_mb", lambda _: 1)
    assert ending_error(ended(1), events(tmp_path, ""), fake_env).code == "disk-full-building"


def test_an_interrupted_bazel(fake_env: FakeEnvironment, tmp_path: Path) -> None:
    error = ending_error(ended(8), events(tmp_path), fake_env)
    assert error.code == "interrupted"


def test_a_known_pitfall_is_reported_with_its_way_out(
    fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    message = "a.cc:46:22: error: 'uint32_t' was not declared in this scope\n"
    error = ending_error(ended(1), events(tmp_path, message), fake_env)
    assert "<cstdint>" in error.why
    assert message.strip() in error.why
    assert "GCC 12" in error.hint
    assert error.code == "action-failed"


def test_bazels_own_error_is_reported_with_its_cause(
    fake_env: FakeEnvironment, tmp_path: Path
) -> None:
    said = ended(2, "ERROR: Config value 'mkl' is not defined in any .rc file")
    error = ending_error(said, events(tmp_path), fake_env)
    assert error.code == "bazel-failed"
    assert "./configure" in error.hint


def test_a_server_that_vanished_means_memory(fake_env: FakeEnvironment, tmp_path: Path) -> None:
    said = ended(37, "Server terminated abruptly (error code: 14, error message: 'Socket closed')")
    assert ending_error(said, events(tmp_path), fake_env).code == "out-of-memory"
