"""Records what a real Bazel says while it builds, with times: `benchmarks/estimate.py` replays it.

    python -m benchmarks.record OUTPUT.jsonl.gz --cwd TREE --bazel 4.2.3 -- bazel build //...

The flags that make Bazel report are added behind `build`. A recording holds the lines of the
display, the actions as they ended, and at its head the profile.
"""

import argparse
import gzip
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from tfbuild.bazel.events import EventFile, action, progress
from tfbuild.bazel.fewer_jobs import jobs_of
from tfbuild.bazel.follower import read_action
from tfbuild.bazel.following import watching_flags
from tfbuild.bazel.profile import read_profile
from tfbuild.core.process import run
from tfbuild.core.records import Command

_CODES = tuple(range(64))
_POLL_SECONDS = 0.25


class _Recorder:
    """Takes lines and events with their times."""

    def __init__(self, events: Path) -> None:
        self.rows: list[list[Any]] = []
        self.events = EventFile(path=events, hear=self._hear)
        self._began = time.monotonic()
        self._polled = 0.0

    def take(self, line: str) -> None:
        """A line of the display, or none while nothing is said."""
        if line and (progress(line) or action(line)):
            self.rows.append([self._now(), "line", line])
        elif not line and time.monotonic() - self._polled > _POLL_SECONDS:
            self._polled = time.monotonic()
            self.events.poll()

    def _hear(self, line: bytes) -> None:
        if ended := read_action(line):
            self.rows.append([self._now(), "end", ended.output, ended.kind, ended.name])

    def _now(self) -> float:
        return round(time.monotonic() - self._began, 2)


def main() -> None:
    """Run the command and write what it said."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--cwd", required=True)
    parser.add_argument("--bazel", required=True, help="its release, as 4.2.3")
    parser.add_argument("argv", nargs="+")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        record(given.output, given.argv, given.cwd, given.bazel, Path(folder))


def record(output: Path, argv: list[str], cwd: str, bazel: str, folder: Path) -> None:
    """Write one recording; folder is where Bazel puts its events and its profile."""
    at = argv.index("build") + 1
    events = folder / "events.json"
    flags = [flag.replace("{work}", str(folder)) for flag in watching_flags(bazel)]
    flags += ["--build_event_publish_all_actions", f"--build_event_json_file={events}"]
    flags += ["--color=no", "--curses=yes", "--show_progress_rate_limit=0.5"]
    command = Command(
        argv=(*argv[:at], *flags, *argv[at:]), cwd=cwd, pty=True, ok_codes=_CODES, quiet=True
    )
    recorder = _Recorder(events)
    completed = run(command, watch=recorder.take)
    recorder.events.poll()
    profile = read_profile(folder / "profile.gz")
    head = {
        "bazel": bazel,
        "jobs": jobs_of(command),
        "seconds": round(completed.seconds, 2),
        "code": completed.code,
        "profile": [[a.name, a.output, round(a.seconds, 3), a.is_hit] for a in profile.actions],
    }
    with gzip.open(output, "wt") as stream:
        for row in (head, *recorder.rows):
            stream.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
