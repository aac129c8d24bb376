"""Looks at a running Bazel: progress to the reporter, and alarms for full disks and hangs."""

import time

from tfbuild.bazel.events import EventFile, action, progress
from tfbuild.bazel.follower import Follower
from tfbuild.bazel.server import has_children, server_pid
from tfbuild.core.counts import counted
from tfbuild.core.disk_space import FLOOR_MB, free_mb
from tfbuild.core.errors import RoomMissing, TfbuildError
from tfbuild.core.interfaces import Environment

_SILENCE_SECONDS = 600.0
_DISK_SECONDS = 2.0


class BazelStuck(TfbuildError):
    """Bazel says nothing, and nothing runs below its server."""

    exit_code = 6
    code = "bazel-hangs"


class BazelWatch:
    """Fed with every line of Bazel's terminal, and with "" in between; raises to stop the build."""

    def __init__(self, env: Environment, events: EventFile, follower: Follower) -> None:
        self._toolchain = env.toolchain
        self._reporter = env.tools.reporter
        self._events = events
        self._follower = follower
        self._done = self._total = 0
        self._expects_action = False
        self._heard = self._disk_seen = time.monotonic()

    @property
    def so_far(self) -> str:
        """How far the build has come, in words; empty before Bazel has said so."""
        return f"{self._done} of {counted(self._total, 'action')} done" if self._total else ""

    def take(self, line: str) -> None:
        """Look at one line, at the event file and at the disk."""
        now = time.monotonic()
        if line:
            self._heard = now
            self._follower.line(line)
            self._show(line)
            return
        if self._events.poll():
            self._heard = now
        self._follower.tick()
        if now - self._disk_seen > _DISK_SECONDS:
            self._disk_seen = now
            self._check_disk()
        if now - self._heard > _SILENCE_SECONDS:
            self._heard = now
            if not has_children(server_pid(self._toolchain)):
                raise BazelStuck("Bazel hangs: it is silent and runs nothing")

    def _show(self, line: str) -> None:
        found = progress(line)
        if found:
            done, self._total, running = found
            self._done = max(self._done, done)
            self._expects_action = not running
        elif self._expects_action and (running := action(line)):
            self._expects_action = False  # the first of several running ones will do
        else:
            return
        if running:
            words = self._follower.words()
            if not words.endswith(running):  # which it names, with the time that it has taken
                words = ", ".join(part for part in (words, running) if part)
            done = min(self._done, self._total)
            self._reporter.progress(words, done, self._total, is_growing=True)

    def _check_disk(self) -> None:
        for place in (self._toolchain.cache, self._toolchain.work):
            free = free_mb(place)
            if free < FLOOR_MB:
                raise RoomMissing(
                    f"the disk is filling up: {free} MB are free at {place}",
                    code="disk-nearly-full",
                    why=f"the build was stopped in order at {FLOOR_MB} MB",
                    hint="free some room (`tfbuild cache prune`), then run the same command "
                    "again; finished work is kept",
                )
