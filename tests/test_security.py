"""The threat model names tests and kinds of the attack that exist."""

import re
from pathlib import Path

from benchmarks.attack.__main__ import KINDS

ROOT = Path(__file__).parent.parent
ROW = re.compile(r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)


def test_what_holds_a_promise_is_there() -> None:
    (head, *rows) = ROW.findall((ROOT / "SECURITY.md").read_text())
    assert head[0] == "who"
    assert len(rows) > 8
    for who, holding in rows:
        kinds, tests = re.findall(r"\*([^*]+)\*", holding), re.findall(r"`([^`]+)`", holding)
        assert set(kinds) <= set(KINDS), who
        assert all((ROOT / name).is_file() for name in tests), who
        assert kinds, f"no attack holds what is promised against {who}"
