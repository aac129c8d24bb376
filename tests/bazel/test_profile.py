"""Profiles as each Bazel writes them."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tfbuild.bazel.profile import Profile, read_profile


def a_slice(category: str, name: str, began: int, took: int, **more: Any) -> dict[str, Any]:
    return {
        "cat": category, "name": name, "ph": "X", "ts": began, "dur": took, "tid": 1, **more
    }  # fmt: skip


EVENTS = [
    {"name": "thread_name", "ph": "M", "args": {"name": "x"}},
    a_slice("action processing", "Compiling a.cc", 0, 2_500_000, out="bazel-out/a.o"),
    a_slice("action processing", "Compiling b.cc", 3_000_000, 40_000),
    a_slice("remote output download", "download outputs", 3_010_000, 20_000),
    a_slice("action processing", "Compiling c.cc", 3_000_000, 40_000, tid=2),
    a_slice("critical path component", "action 'Linking all'", 0, 1_000_000, tid=0),
    a_slice("critical path component", "runfiles for //:all", 0, 10, tid=0),
]


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("document", [{"otherData": {}, "traceEvents": EVENTS}, EVENTS])
def test_actions_hits_and_the_path(tmp_path: Path, packed: bool, document: object) -> None:
    path = tmp_path / "profile.gz"
    raw = json.dumps(document).encode()
    path.write_bytes(gzip.compress(raw, mtime=0) if packed else raw)
    profile = read_profile(path)
    assert [(a.name, a.seconds, a.is_hit) for a in profile.actions] == [
        ("Compiling a.cc", 2.5, False),
        ("Compiling b.cc", 0.04, True),
        ("Compiling c.cc", 0.04, False),  # its thread fetched nothing
    ]
    assert [a.output for a in profile.actions] == ["bazel-out/a.o", "", ""]
    assert [a.name for a in profile.critical_path] == ["Linking all"]


@pytest.mark.parametrize(
    "raw",
    [b"", b"\x1f\x8b\x08", b"[1, 2", b'{"traceEvents": 7}', b"7", gzip.compress(b"[", mtime=0)],
)
def test_what_cannot_be_read_is_empty(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "profile.gz"
    assert read_profile(path) == Profile()
    path.write_bytes(raw)
    assert read_profile(path) == Profile()


def test_slices_of_another_form_are_none(tmp_path: Path) -> None:
    """A build in a container can write anything there."""
    odd = (
        {"dur": 1, "cat": [], "tid": {}},
        {**a_slice("action processing", "a", 1, 2, tid=[]), "ts": "x"},
    )
    (tmp_path / "profile").write_text(json.dumps(odd))
    assert [action.name for action in read_profile(tmp_path / "profile").actions] == ["a"]
