"""Original archives of Debian source packages: which version, what is kept, what is refused."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, says
from tests.shared_libraries import real_tools
from tfbuild.core.interfaces import Watch
from tfbuild.core.layout import SOURCES
from tfbuild.core.process import ProcessRunner
from tfbuild.core.records import Command, Completed
from tfbuild.doctor.survey import look_at_host
from tfbuild.inputs import debian
from tfbuild.inputs.debian import provide_debian

RAW = b"an archive"
DIGEST = hashlib.sha256(RAW).hexdigest()
SHOWN = """\
Package: tiny
Binary: libtiny1
Version: 1:1.0.0+dfsg-2
Checksums-Sha256:
 aa 10 tiny_1.0.0.orig.tar.gz

Package: tiny-data
Version: 9-1

Package: tiny
Version: 1:1.2.0-1~deb12u1
"""


class Apt:
    """apt as far as it is used."""

    def __init__(self, env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch, etc: Path) -> None:
        (etc / "parts").mkdir(parents=True)
        (etc / "list").write_text("deb http://example.test/debian stable main\n")
        self.fetched: list[str] = []
        env.runner.answers |= {
            "apt-config": says(f"L='{etc / 'list'}'", f"P='{etc}/parts/'"),
            "apt-get": self.get,
            "apt-cache": lambda _command, _watch: Completed(code=0, stdout=SHOWN),
        }
        monkeypatch.setattr(debian, "find_program", lambda name: f"/usr/bin/{name}")

    def get(self, command: Command, _watch: Watch | None) -> Completed:
        if "source" in command.argv:
            self.fetched.append(command.argv[-1])
            (Path(command.cwd) / "tiny_1.0.0.orig.tar.gz").write_bytes(RAW)
            (Path(command.cwd) / "tiny_1.0.0.orig-more.tar.gz").write_bytes(b"more")
        return Completed(code=0)


@pytest.fixture
def apt(fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Apt:
    return Apt(fake_env, monkeypatch, tmp_path / "etc")


def test_the_version_is_that_without_what_debian_adds(fake_env: FakeEnvironment, apt: Apt) -> None:
    path, digest = provide_debian("tiny", "1.0.0", "", fake_env.tools)
    assert (path.read_bytes(), path.name, digest) == (RAW, "tiny_1.0.0.orig.tar.gz", DIGEST)
    assert apt.fetched == ["tiny=1:1.0.0+dfsg-2"]
    left = sorted(p.name for p in SOURCES.path(fake_env.tools.folders.cache).iterdir())
    assert left == [DIGEST, "debian-tiny-1.0.0.json"]


def test_what_was_fetched_is_not_fetched_again(fake_env: FakeEnvironment, apt: Apt) -> None:
    first = provide_debian("tiny", "1.0.0", "", fake_env.tools)
    assert provide_debian("tiny", "1.0.0", "", fake_env.tools) == first
    assert provide_debian("tiny", "1.0.0", DIGEST, fake_env.tools) == first
    assert len(apt.fetched) == 1


def test_without_a_version_the_newest_is_asked_for(fake_env: FakeEnvironment, apt: Apt) -> None:
    provide_debian("tiny", "", "", fake_env.tools)
    assert apt.fetched == ["tiny=1:1.2.0-1~deb12u1"]


def test_what_cannot_be_had_names_the_way_out(fake_env: FakeEnvironment, apt: Apt) -> None:
    with fails("source-package-version-missing", "tiny 3.0", "1.2.0", "--source"):
        provide_debian("tiny", "3.0", "", fake_env.tools)
    with fails("source-package-unknown", "other", "--source"):
        provide_debian("other", "3.0", "", fake_env.tools)
    with fails("archive-hash-mismatch", "tiny_1.0.0.orig.tar.gz", "0" * 64):
        provide_debian("tiny", "1.0.0", "0" * 64, fake_env.tools)
    with fails("package-name-invalid", "--evil"):
        provide_debian("--evil", "1.0.0", "", fake_env.tools)


def test_a_machine_without_apt_says_so(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debian, "find_program", lambda _name: "")
    with fails("apt-missing", "tiny", "--source"):
        provide_debian("tiny", "1.0.0", "", fake_env.tools)


@pytest.mark.network
@pytest.mark.slow
def test_a_real_source_package_is_fetched(tmp_path: Path) -> None:
    runner = ProcessRunner()
    tools = replace(real_tools(tmp_path), runner=runner, host=look_at_host(runner, tmp_path))
    # Not one that was just updated: mirrors have the index of security before its files.
    path, digest = provide_debian("jansson", "", "", tools)
    assert ".orig.tar." in path.name
    assert path.parent.name == digest


@pytest.mark.usefixtures("apt")
def test_a_source_package_without_source_code(fake_env: FakeEnvironment) -> None:
    fake_env.runner.answers["apt-get"] = says()
    with fails("source-package-empty", "tiny 1:1.0.0+dfsg-2", "--source"):
        provide_debian("tiny", "1.0.0", "", fake_env.tools)


@pytest.mark.usefixtures("apt")
def test_an_apt_without_sources(fake_env: FakeEnvironment, tmp_path: Path) -> None:
    (tmp_path / "etc" / "list").write_text("")
    with fails("apt-sources-missing", "tiny", "--source"):
        provide_debian("tiny", "1.0.0", "", fake_env.tools)
