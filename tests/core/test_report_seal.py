"""A report is known again by its seal, and by no other."""

import json
from pathlib import Path

import pytest

from tests.failing import fails
from tfbuild.core.layout import SECRET
from tfbuild.core.paths import state_folder
from tfbuild.core.report_seal import is_own, sealed

DOCUMENT = {"schema": "tfbuild.report/2", "plan": {"of": [1.5, "é", None]}}


def test_only_what_was_sealed_is_ones_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mine = json.loads(json.dumps(sealed(DOCUMENT)))
    assert is_own(mine)
    assert not is_own({**mine, "plan": {}}), "changed"
    assert not is_own({**mine, "seal": "é"})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    assert not is_own(mine), "the seal of another user"


@pytest.mark.parametrize("read", [None, [], "", {}, {"seal": ""}, {"seal": [1]}])
def test_what_is_no_report_is_nobodys(read: object) -> None:
    assert not is_own(read)


def test_a_damaged_secret_is_reported() -> None:
    mine = sealed(DOCUMENT)
    SECRET.path(state_folder()).write_bytes(b"short")
    with fails("state-secret-damaged", "reports"):
        is_own(mine)
