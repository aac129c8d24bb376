"""Which Bazel is on PATH, also where it does not say its version."""

from pathlib import Path

import pytest

from tests.fakes import FakeRunner, says
from tfbuild.fetch import bazel_on_path
from tfbuild.fetch.bazel_on_path import find_bazels


def a_bazel_on_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "bin" / "bazel"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))


def test_a_bazel_on_path_says_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a_bazel_on_path(tmp_path, monkeypatch)
    runner = FakeRunner(answers={"bazel": says("bazel 7.7.1")})
    assert [p.version for p in find_bazels(runner)] == ["7.7.1"]
    runner.answers["bazel"] = says("broken", code=1)
    assert find_bazels(runner) == ()
    monkeypatch.setenv("PATH", "/nonexistent")
    assert find_bazels(runner) == ()


def test_a_bazel_without_a_version_is_known_by_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_bazel_on_path(tmp_path, monkeypatch)
    runner = FakeRunner(answers={"bazel": says("bazel no_version")})
    assert [p.version for p in find_bazels(runner)] == [""], "it is no system file"
    monkeypatch.setattr(bazel_on_path, "_is_packaged", lambda _path: True)
    runner.answers["dpkg-query"] = says("4.2.3+ds-9")
    assert [p.version for p in find_bazels(runner)] == ["4.2.3"]
