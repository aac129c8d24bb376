"""What the machine's sources offer of a source package."""

from pathlib import Path

import pytest

from tests.failing import fails
from tests.fakes import FakeEnvironment, says
from tfbuild.inputs import debian_offer as offers
from tfbuild.inputs.debian_offer import Offer, debian_offer

SHOWN = f"""\
Package: tiny
Version: 1:1.0.0+dfsg-2
Checksums-Sha256:
 {"a" * 64} 10 tiny_1.0.0.orig.tar.gz

Package: tiny
Version: 1.2.0-1~deb12u1
Checksums-Sha256:
 {"b" * 64} 10 tiny_1.2.0.orig.tar.xz
 {"c" * 64} 10 tiny_1.2.0-1.debian.tar.xz
"""


@pytest.fixture(autouse=True)
def apt(fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("deb http://example.test/debian stable main\n")
    fake_env.runner.answers |= {
        "apt-config": says(f"L='{tmp_path / 'list'}'", f"P='{tmp_path}/parts/'"),
        "apt-get": says(),
        "apt-cache": says(*SHOWN.splitlines()),
    }
    monkeypatch.setattr(offers, "find_program", lambda name: f"/usr/bin/{name}")


def test_the_newest_is_offered_with_the_hash_of_its_source_code(fake_env: FakeEnvironment) -> None:
    assert debian_offer("tiny", fake_env.tools) == Offer("1.2.0", "b" * 64)
    assert any("update" in command.argv for command in fake_env.runner.commands)


def test_what_is_not_offered_names_the_way_out(
    fake_env: FakeEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fails("source-package-unknown", "other", "--source"):
        debian_offer("other", fake_env.tools)
    monkeypatch.setattr(offers, "find_program", lambda _name: "")
    with fails("apt-missing", "tiny"):
        debian_offer("tiny", fake_env.tools)
