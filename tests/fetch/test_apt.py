"""apt with a state of its own, and the machine's sources as sources of source code."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, says
from tfbuild.fetch.apt import Apt

LINES = """\
# deb http://example.test/commented stable main
deb http://example.test/debian stable main
deb [arch=amd64 signed-by=/usr/share/key.gpg] http://example.test/more stable main
deb-src http://example.test/debian stable main
"""
STANZAS = """\
# The usual one
Types: deb deb-src
URIs: http://example.test/debian
Suites: stable
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc

Enabled: no
Types: deb
URIs: http://example.test/off
Suites: stable

X-Name: nothing
"""


@pytest.fixture
def etc(tmp_path: Path, fake_env: FakeEnvironment) -> Path:
    folder = tmp_path / "etc"
    (folder / "parts").mkdir(parents=True)
    fake_env.runner.answers["apt-config"] = says(f"L='{folder / 'list'}'", f"P='{folder}/parts/'")
    return folder


def test_both_forms_of_sources_are_read(
    tmp_path: Path, etc: Path, fake_env: FakeEnvironment
) -> None:
    (etc / "list").write_text(LINES)
    (etc / "parts" / "debian.sources").write_text(STANZAS)
    apt = Apt(tmp_path / "state", fake_env.tools)
    assert apt.use_source_packages()
    made = tmp_path / "state" / "sources"
    assert (made / "machine.list").read_text().splitlines() == [
        "deb-src http://example.test/debian stable main",
        "deb-src [arch=amd64 signed-by=/usr/share/key.gpg] http://example.test/more stable main",
    ]
    stanza = (made / "machine.sources").read_text()
    assert stanza.startswith("Types: deb-src\nURIs: http://example.test/debian\n")
    assert " -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc" in stanza, "the key goes along"
    assert "example.test/off" not in stanza


def test_a_machine_without_sources_says_so(
    tmp_path: Path, etc: Path, fake_env: FakeEnvironment
) -> None:
    assert not Apt(tmp_path / "state", fake_env.tools).use_source_packages()


def test_all_of_its_state_lies_with_us(tmp_path: Path, fake_env: FakeEnvironment) -> None:
    fake_env.runner.answers["apt-get"] = says("fine")
    apt = Apt(tmp_path / "state", fake_env.tools)
    apt.count_as_installed("Package: x\n")
    assert apt.run("do it", "apt-get", "update") == "fine\n"
    words = fake_env.runner.commands[-1].argv
    for name in ("Dir::State::lists", "Dir::State::status", "Dir::Cache"):
        assert any(word.startswith(f"-o{name}={tmp_path}") for word in words)
    assert (tmp_path / "state" / "status").read_text() == "Package: x\n"
    assert apt.archives.is_dir()


def test_what_apt_refuses_is_reported_in_its_words(
    tmp_path: Path, fake_env: FakeEnvironment
) -> None:
    fake_env.runner.answers["apt-get"] = says("Get:1 x", "E: no such host", code=100)
    with fails("apt-failed", "fetch it", "E: no such host"):
        Apt(tmp_path / "state", fake_env.tools).run("fetch it", "apt-get", "source")
