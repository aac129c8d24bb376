"""One test file in processes of its own: a crash loses only the method that crashed."""

import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_CHILD = Path(__file__).with_name("in_wheel") / "child.py"
_LOADING = "(loading)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one process may take."""

    method_seconds: float
    file_seconds: float
    megabytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A test method, why it ended so, and what explains it best."""

    name: str
    reason: str
    detail: str


@dataclass(slots=True)
class _Progress:
    """What is known of a file while processes run it."""

    deadline: float
    methods: list[str] = field(default_factory=list)
    ended: dict[str, Ended] = field(default_factory=dict)
    running: str = _LOADING
    whole: bool = False

    def end(self, name: str, reason: str, detail: str) -> None:
        self.ended[name] = Ended(name=name, reason=reason, detail=detail)

    def take(self, row: dict[str, Any]) -> None:
        """Take a line of the child's."""
        if "unloaded" in row:
            for name in row["unloaded"]:
                self.end(name, row["reason"], row["detail"])
            self.whole = True
        elif "methods" in row:
            self.methods = row["methods"]
            self.running = ""
        elif "begin" in row:
            self.running = row["begin"]
        else:
            self.end(row["end"], row["reason"], row["detail"])
            self.running = ""


def run_file(python: Path, tree: Path, file: Path, limits: Limits) -> tuple[Ended, ...]:
    """How each method of the file ended, by name."""
    progress = _Progress(deadline=time.monotonic() + limits.file_seconds)
    while not progress.whole:
        before = len(progress.ended)
        why, said = _run_once(python, tree, file, limits, progress)
        if progress.whole:
            break
        if progress.running == _LOADING:
            progress.end(_LOADING, why, said)
            break
        if progress.running:
            progress.end(progress.running, why, said)
        left = [name for name in progress.methods if name not in progress.ended]
        if not left:
            break
        if time.monotonic() > progress.deadline or len(progress.ended) == before:
            for name in left:
                progress.end(name, "timed out", "not begun: the file's time was over")
            break
    return tuple(progress.ended[name] for name in sorted(progress.ended))


def _run_once(
    python: Path, tree: Path, file: Path, limits: Limits, progress: _Progress
) -> tuple[str, str]:
    """Run what has not ended yet; return how the process ended, and what it said."""
    progress.running = _LOADING
    with tempfile.TemporaryDirectory(prefix="tensorflow-tests-") as scratch:
        out, into = os.pipe()
        with Path(scratch, "said").open("w+b") as said:
            words = [python, _CHILD, tree, tree / file, into, limits.megabytes]
            child = subprocess.Popen(
                [str(word) for word in words],
                stdin=subprocess.PIPE, stdout=said, stderr=said, pass_fds=(into,), cwd=scratch,
                env=_environment(scratch, tree), start_new_session=True,
            )  # fmt: skip
            os.close(into)
            try:
                why = _follow(child, out, limits, progress)
            finally:
                os.close(out)
                _stop(child)
            said.seek(max(0, said.seek(0, os.SEEK_END) - 2000))
            return why, " ".join(said.read().decode(errors="replace").split())[-300:]


def _environment(scratch: str, tree: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    given = {"TEST_TMPDIR": scratch, "TENSORFLOW_TREE": str(tree), "PYTHONWARNINGS": "ignore"}
    same = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return {**kept, **given, **same}


def _follow(child: "subprocess.Popen[bytes]", out: int, limits: Limits, progress: _Progress) -> str:
    """Take the child's lines until it ends or its time is over; return which it was."""
    assert child.stdin
    with contextlib.suppress(BrokenPipeError), child.stdin as names:
        names.write("\n".join(progress.ended).encode())
    rest = b""
    seconds = 2 * limits.method_seconds
    while True:
        until = min(seconds, progress.deadline - time.monotonic() + limits.method_seconds)
        ready, _, _ = select.select([out], [], [], max(until, 0))
        if not ready:
            return "timed out"
        piece = os.read(out, 1 << 16)
        if not piece:
            return "crashed"
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            progress.take(json.loads(line))
        seconds = limits.method_seconds
        if time.monotonic() > progress.deadline and not progress.running:
            return "timed out"


def _stop(child: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
