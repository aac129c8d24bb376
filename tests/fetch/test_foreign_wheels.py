"""What another system's Python would install: the real uv against a folder of small wheels."""

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, a_host
from tfbuild.core.interfaces import Tools, Watch
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Command, Completed
from tfbuild.fetch.foreign_wheels import platform_name, read_answer, resolve_foreign


def a_wheel(folder: Path, name: str, version: str, *lines: str, tag: str = "py3-none-any") -> None:
    head = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-{tag}.whl", "w") as archive:
        words = ("Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *lines)
        archive.writestr(f"{head}/METADATA", "".join(f"{line}\n" for line in words))
        archive.writestr(
            f"{head}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n"
        )
        archive.writestr(f"{head}/RECORD", "")


@pytest.fixture
def guest(fake_env: FakeEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    """A guest of glibc 2.31 whose only packages are those in a folder."""
    folder = tmp_path / "links"
    folder.mkdir()
    a_wheel(folder, "tiny", "1.0", "Requires-Python: >=3.9",
            "Requires-Dist: older ; python_version < '3.10'",
            "Requires-Dist: newer ; python_version >= '3.10'")  # fmt: skip
    a_wheel(folder, "tiny", "2.0", "Requires-Python: >=3.13")
    a_wheel(folder, "older", "1.0")
    a_wheel(folder, "newer", "1.0")
    for glibc in (28, 31, 36):
        tag = f"cp39-cp39-manylinux_2_{glibc}_x86_64"
        a_wheel(folder, "native", f"1.{glibc}", tag=tag)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return replace(fake_env.tools, runner=ProcessRunner(), host=a_host(glibc="2.31"))


def names(tools: Tools, *requirements: str, version: str) -> list[str]:
    found = resolve_foreign(requirements, tools, version=version, kind="smoke")
    return [f"{artifact.distribution} {artifact.version}" for artifact in found]


@pytest.mark.slow
def test_conditions_are_read_as_the_other_python_reads_them(guest: Tools) -> None:
    assert names(guest, "tiny", version="3.9") == ["older 1.0", "tiny 1.0"]
    assert names(guest, "tiny", version="3.12") == ["newer 1.0", "tiny 1.0"]
    assert names(guest, "tiny", version="3.14") == ["tiny 2.0"]


@pytest.mark.slow
def test_files_are_those_that_the_other_system_can_load(guest: Tools) -> None:
    assert names(guest, "native", version="3.9") == ["native 1.31"]
    older = replace(guest, host=a_host(glibc="2.30"))
    assert names(older, "native", version="3.9") == ["native 1.28"]


@pytest.mark.slow
def test_of_several_files_the_closest_is_taken(guest: Tools, tmp_path: Path) -> None:
    """Of a package with a file for all platforms, too, as protobuf's."""
    for tag in (
        "py3-none-any",
        "cp38-abi3-manylinux2014_x86_64",
        "cp39-cp39-manylinux_2_28_x86_64",
    ):
        a_wheel(tmp_path / "links", "both", "1.0", tag=tag)
    for version, closest in (
        ("3.9", "cp39-cp39-manylinux_2_28"),
        ("3.11", "cp38-abi3-manylinux2014"),
    ):
        (found,) = resolve_foreign(["both"], guest, version=version, kind="smoke")
        assert found.filename == f"both-1.0-{closest}_x86_64.whl"


def test_the_settings_are_those_of_pip(
    guest: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "constraints.txt").write_text("tiny==2.0\n")
    monkeypatch.setenv("UV_CONSTRAINT", str(tmp_path / "constraints.txt"))
    assert names(guest, "tiny", version="3.9") == ["older 1.0", "tiny 1.0"]


def test_no_answer_says_why(guest: Tools) -> None:
    with fails("command-failed", "3.13"):
        names(guest, "tiny==2.0", version="3.9")


@pytest.mark.parametrize(
    ("glibc", "expected"), [("2.43", "2_40"), ("2.36", "2_36"), ("2.30", "2_28"), ("2.12", "2_17")]
)
def test_the_newest_platform_that_fits(guest: Tools, glibc: str, expected: str) -> None:
    tools = replace(guest, host=a_host(glibc=glibc))
    assert platform_name(tools) == f"x86_64-manylinux_{expected}"


@pytest.mark.parametrize(
    "text", ["[[packages]]", "no toml", "[[packages]]\nname = 'a'\nwheels = []"]
)
def test_another_answer_is_refused(text: str) -> None:
    with fails("pip-report-malformed"):
        read_answer(text, "smoke", [])


def test_the_settings_with_their_passwords_are_on_no_disk(
    guest: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "tmp").mkdir()
    asked: list[str] = []
    left: list[Path] = []
    run = ProcessRunner.run

    def watched(self: ProcessRunner, command: Command, watch: Watch | None = None) -> Completed:
        done = run(self, command, watch)
        if "--config-file" in command.argv:
            settings = Path(command.argv[command.argv.index("--config-file") + 1])
            asked.append(settings.read_text())
            left.extend((tmp_path / "tmp").rglob("*"))
        return done

    monkeypatch.setattr(ProcessRunner, "run", watched)
    assert names(guest, "tiny", version="3.9") == ["older 1.0", "tiny 1.0"]
    assert "no-index" in asked[0]
    assert left == []
