"""Bazel: version, .bazelversion, Java, start; the starters are scripts."""

from pathlib import Path

import pytest

from tests.doctor.checks.contexts import a_context, a_script, the_line
from tfbuild.core.records import Program
from tfbuild.doctor.checks import bazel
from tfbuild.doctor.checks.model import BuildNeeds, CheckContext
from tfbuild.fetch.bazel import FoundBazel

CONSTRAINT = BuildNeeds(bazel=">=3.5,<8", fetches=("bazel",))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder without .bazelversion, and no settings of the developer."""
    folder = tmp_path / "tree" / "inner"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    for name in ("USE_BAZEL_VERSION", "JAVA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def with_bazel(
    tmp_path: Path, *lines: str, version: str = "4.2.3", needs: BuildNeeds = CONSTRAINT
) -> CheckContext:
    program = Program(
        name="bazel", path=a_script(tmp_path / "bin" / "bazel", *lines), version=version
    )
    return a_context(tmp_path, bazels=(program,), needs=needs)


def test_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert the_line(bazel.version(a_context(tmp_path, needs=CONSTRAINT))).state == "pass"
    monkeypatch.setattr(bazel, "find_program", lambda name: "/x" if name == "apt-get" else "")
    line = the_line(bazel.version(a_context(tmp_path, bazels=(), needs=CONSTRAINT)))
    assert (line.state, line.fix) == ("pass", ""), "nothing has to be done"
    assert "a build fetches one" in line.detail
    line = the_line(bazel.version(with_bazel(tmp_path, version="8.1.0")))
    assert (line.state, "8.1.0" in line.detail) == ("pass", True)
    line = the_line(bazel.version(a_context(tmp_path, bazels=(), needs=BuildNeeds(bazel="3.7.2"))))
    assert (line.state, "3.7.2" in line.fix) == ("failure", True)


@pytest.mark.parametrize(("name", "used"), [("release-4.2.3", True), ("release-9.0", False)])
def test_a_bazel_in_the_cache_is_good_enough(tmp_path: Path, name: str, used: bool) -> None:
    context = a_context(tmp_path, bazels=(), needs=CONSTRAINT)
    a_script(context.tools.folders.cache / "bazels" / name / "bin" / "bazel", "echo hello")
    line = the_line(bazel.version(context))
    assert (line.state, line.detail.startswith("in the cache: ")) == ("pass", used)


def test_nobody_asks_for_a_version(tmp_path: Path) -> None:
    assert the_line(bazel.pinned(a_context(tmp_path, needs=CONSTRAINT))).state == "skipped"


@pytest.mark.parametrize(
    ("starter", "asked", "expected"),
    [
        ("# BAZELISK_HOME", "6.1.0", "pass bazelisk"),
        ("# reads .bazelversion", "4.2.3", "pass"),
        ("# reads .bazelversion", "6.1.0", "warning"),
        ("exit 0", "6.1.0", "warning"),
        ("# BAZELISK_HOME", "8.0.0", "warning"),
        ("# BAZELISK_HOME", "latest", "pass bazelisk"),
    ],
)
def test_a_bazelversion_above_is_held_against_path_and_constraint(
    tmp_path: Path, elsewhere: Path, starter: str, asked: str, expected: str
) -> None:
    (elsewhere.parent / ".bazelversion").write_text(f"{asked}\n")
    line = the_line(bazel.pinned(with_bazel(tmp_path, starter)))
    assert asked in line.detail
    assert line.state == expected.split(maxsplit=1)[0]
    assert expected.partition(" ")[2] in line.detail


def test_an_endless_bazelversion_is_not_shown_whole(tmp_path: Path, elsewhere: Path) -> None:
    (elsewhere / ".bazelversion").write_text("7" * 4000)
    line = the_line(bazel.pinned(with_bazel(tmp_path, "")))
    assert line.state == "warning"
    assert len(line.detail) < 1000


def test_a_bazelversion_that_leads_elsewhere_is_not_shown(tmp_path: Path, elsewhere: Path) -> None:
    (tmp_path / "key").write_text("sesame\n")
    (elsewhere / ".bazelversion").symlink_to(tmp_path / "key")
    line = the_line(bazel.pinned(with_bazel(tmp_path, "")))
    assert "sesame" not in line.detail


def test_the_variable_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USE_BAZEL_VERSION", "5.4.0")
    line = the_line(bazel.pinned(a_context(tmp_path, bazels=(), needs=CONSTRAINT)))
    assert line.detail.startswith("USE_BAZEL_VERSION asks for 5.4.0")


@pytest.mark.parametrize(
    ("java", "expected"),
    [
        ("echo 'openjdk version \"17.0.15\" 2025' >&2", "pass"),
        ("echo 'java version \"1.8.0_402\"' >&2", "failure"),
        ("echo 'cannot open shared object' >&2; exit 1", "failure"),
        ("", "failure"),
    ],
)
def test_a_packaged_bazel_needs_a_java(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, java: str, expected: str
) -> None:
    path = a_script(tmp_path / "java", java) if java else ""
    monkeypatch.setattr(bazel, "find_program", lambda name: path if name == "java" else "")
    monkeypatch.setattr(bazel, "_is_packaged", lambda _path: True)
    line = the_line(bazel.java(a_context(tmp_path, needs=CONSTRAINT)))
    assert line.state == expected
    if expected == "failure":
        assert "jdk" in line.fix


def test_other_javas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "its own" in the_line(bazel.java(with_bazel(tmp_path, "exit 0"))).detail
    assert the_line(bazel.java(a_context(tmp_path, bazels=(), needs=CONSTRAINT))).state == "skipped"
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "none"))
    line = the_line(bazel.java(a_context(tmp_path, needs=CONSTRAINT)))
    assert (line.state, line.fix) == ("warning", "unset JAVA_HOME")


def test_a_bazel_starts_in_the_temporary_folder(tmp_path: Path) -> None:
    context = with_bazel(tmp_path, 'echo "$*" > words; echo release 4.2.3')
    assert the_line(bazel.starts(context)).detail == "starts: release 4.2.3"
    words = (context.folder / "words").read_text()
    assert f"--output_user_root={context.folder}" in words
    assert "--batch" in words


def test_a_bazel_that_does_not_start(tmp_path: Path) -> None:
    context = with_bazel(tmp_path, "echo 'FATAL: corrupt installation: file missing' >&2; exit 36")
    line = the_line(bazel.starts(context))
    assert (line.state, "corrupt" in line.detail) == ("failure", True)


def test_a_bazelisk_would_fetch_so_it_is_not_started(tmp_path: Path) -> None:
    context = with_bazel(tmp_path, "# BAZELISK_HOME", "touch started")
    assert the_line(bazel.starts(context)).state == "skipped"
    assert not (context.folder / "started").exists()
    assert (
        the_line(bazel.starts(a_context(tmp_path, bazels=(), needs=CONSTRAINT))).state == "skipped"
    )


@pytest.mark.bazel
def test_a_real_bazel_starts(tmp_path: Path, a_bazel: FoundBazel) -> None:
    program = Program(name="bazel", path=a_bazel.path, version=a_bazel.version)
    context = a_context(tmp_path, bazels=(program,))
    assert the_line(bazel.starts(context)).state == "pass"
