"""The real pip, with names and requirements that mean more to it than a package of an index."""

import io
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment
from tfbuild.core.interfaces import Tools
from tfbuild.core.paths import file_digest
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Artifact
from tfbuild.fetch.wheelhouse import fetch, resolve_requirements

TINY = Artifact(
    distribution="tiny", version="1.0", filename="tiny-1.0-py3-none-any.whl", sha256="ab" * 32,
    kind="smoke",
)  # fmt: skip


@pytest.fixture
def tools(fake_env: FakeEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    """The real pip, whose index is an empty folder."""
    (tmp_path / "index").mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    return replace(fake_env.tools, runner=ProcessRunner())


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A wheel that no index has."""
    path = tmp_path / "elsewhere" / "tiny-9.0-py3-none-any.whl"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in (
            ("METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 9.0\n"),
            ("WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
            ("RECORD", ""),
        ):
            archive.writestr(f"tiny-9.0.dist-info/{name}", text)
    return path


def asked(tools: Tools, word: str, *held: Artifact) -> tuple[Artifact, ...]:
    return resolve_requirements([word], tools, python="", version="3.11", kind="smoke", held=held)


def test_a_file_of_a_lock_leads_pip_nowhere_else(tools: Tools, elsewhere: Path) -> None:
    """pip also runs the code of a source distribution there, whatever its options say of wheels."""
    digest = file_digest(elsewhere)
    evil = replace(
        TINY, distribution=f"tiny @ {elsewhere.as_uri()} --hash=sha256:{digest} #",
        filename=elsewhere.name, sha256=digest,
    )  # fmt: skip
    with fails("pin-malformed"):
        fetch([evil], tools)
    for field, words in (
        ("distribution", f"tiny @ {elsewhere.as_uri()}\n#"),
        ("version", f"9.0\n--find-links={elsewhere.parent}"),
    ):
        with fails("pin-malformed"):
            asked(tools, "tiny", replace(TINY, **{field: words}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("tiny @ {0}", "requirement-from-address"),
        ("{1}", "pip-failed"),
        ("{1}; python_version > '3'", "pip-failed"),
    ],
)
def test_a_requirement_leads_pip_nowhere_else(
    tools: Tools, elsewhere: Path, word: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as one of a wheel's METADATA, or one that is the name of a file in this folder."""
    monkeypatch.chdir(elsewhere.parent)
    with fails(code):
        asked(tools, word.format(elsewhere.as_uri(), elsewhere.name))


def a_source_distribution(place: Path, ran: Path) -> Path:
    """One whose build backend, which is its own, leaves a file."""
    backend = (
        f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n"
        "def get_requires_for_build_wheel(config_settings=None): return []\n"
    )
    project = '[build-system]\nrequires = []\nbuild-backend = "evil"\nbackend-path = ["."]\n'
    path = place / "evil-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in (
            ("pyproject.toml", project),
            ("evil.py", backend),
            ("PKG-INFO", "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n"),
        ):
            member = tarfile.TarInfo(f"evil-1.0/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


def test_metadata_that_names_source_code_runs_nothing(tools: Tools, tmp_path: Path) -> None:
    """pip builds it to learn what it requires, although it was asked for wheels only."""
    ran = tmp_path / "ran"
    evil = a_source_distribution(tmp_path, ran)
    with zipfile.ZipFile(tmp_path / "index" / "tiny-1.0-py3-none-any.whl", "w") as archive:
        said = f"Name: tiny\nVersion: 1.0\nRequires-Dist: evil @ {evil.as_uri()}\n"
        archive.writestr("tiny-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\n{said}")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "")
    with fails("package-must-be-built"):
        asked(tools, "tiny")
    assert not ran.exists()
