"""What Bazel writes, as it was seen."""

import json
import os
from pathlib import Path

import pytest

from tfbuild.bazel.events import EventFile, action, executed_and_hits, progress


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "[58 / 1,501] Compiling kernels/a.cc; 3s linux-sandbox",
            (58, 1501, "Compiling kernels/a.cc"),
        ),
        ("[2 / 9] 2 actions, 1 running", (2, 9, "")),
        ("[0 / 3] [Prepa] Action stable-status.txt", (0, 3, "Action stable-status.txt")),
        ("[2 / 9] 2 actions running", (2, 9, "")),
        ("INFO: Analyzed 2 targets", None),
    ],
)
def test_progress(line: str, expected: tuple[int, int, str] | None) -> None:
    assert progress(line) == expected


def test_closing_line() -> None:
    line = "INFO: 1,073 processes: 28 internal, 1,000 linux-sandbox, 45 disk cache hit."
    assert executed_and_hits(f"x\n{line}\ny") == (1000, 45)
    assert executed_and_hits("INFO: 1 process: 1 internal.") == (0, 0)
    assert executed_and_hits("nothing") == (0, 0)


def test_events_are_read_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "events.json"
    events = EventFile(path=path)
    assert not events.poll()
    failed = json.dumps({"id": {}, "action": {"type": "CppCompile", "label": "//a:b"}})
    with path.open("a") as stream:
        stream.write('{"id":{},"action":{"success":true}}\n' + failed[:10])
    assert events.poll()
    assert events.failures == []
    with path.open("a") as stream:
        stream.write(failed[10:] + "\nnot json\n")
    assert events.poll()
    assert [f.label for f in events.failures] == ["//a:b"]
    assert not events.poll()


def test_the_message_is_read_at_once(tmp_path: Path) -> None:
    stderr = tmp_path / "with space"
    stderr.write_text("a.cc:1: error: x\n")
    uri = f"file://{str(stderr).replace(' ', '%20')}"
    event = {"id": {}, "action": {"stderr": {"uri": uri}, "exitCode": 1}}
    path = tmp_path / "events.json"
    path.write_text(json.dumps(event) + "\n")
    events = EventFile(path=path)
    events.poll()
    stderr.unlink()
    assert events.failures[0].message == "a.cc:1: error: x"
    assert events.failures[0].exit_code == 1


def test_actions_on_lines_of_their_own() -> None:
    assert action("    [Scann] Compiling a.cc") == "Compiling a.cc"
    assert action("    Compiling kernels/b.cc; 12s linux-sandbox") == "Compiling kernels/b.cc"
    assert action("INFO: x") == ""


def test_holes_in_the_events_take_no_memory(tmp_path: Path) -> None:
    """A build in a container writes the file, and may make it of any size."""
    path = tmp_path / "events.json"
    path.write_bytes(b'{"aborted":{"description":"first"}}\n')
    os.truncate(path, 1 << 40)
    events = EventFile(path=path)
    assert events.poll()
    assert events.aborted == ["first"]
    assert len(events._rest) < 32 << 20
    assert not events.poll(), "no more of it is read"
