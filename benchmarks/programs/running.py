"""One program in a process of its own: what it fetched, and how it ended."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CHILD = Path(__file__).with_name("in_wheel") / "child.py"
_GRACE = 30  # seconds that a process gets beyond its time, to end by itself
_KINDS = ("reference", "ours")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one program may take."""

    steps: int
    seconds: float
    megabytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a program ended, what explains it best, and the values of each call of a session."""

    ending: str  # ended, stopped (at the steps), failed, timed out, crashed
    detail: str
    calls: tuple[tuple[dict[str, Any], ...], ...]

    @property
    def fetched(self) -> int:
        """How many values all calls gave."""
        return sum(len(values) for values in self.calls)


def run_program(
    python: Path, kind: str, folder: Path, program: Path, limits: Limits, *,
    threads: int | None = None,
) -> Run:  # fmt: skip
    """Run the program, one of the folder's, on a copy of what lies beside it.

    The kind is 'reference', where the interpreter has TensorFlow 2, or 'ours'. With a number of
    threads TensorFlow runs as many operations of a step at once, unless the program says more.
    """
    assert kind in _KINDS
    with tempfile.TemporaryDirectory(prefix="programs-") as scratch:
        place, records = _copied(folder, program, Path(scratch)), Path(scratch, "records")
        words = [
            python, _CHILD, kind, place, records, limits.steps, limits.seconds, limits.megabytes
        ]  # fmt: skip
        with Path(scratch, "said").open("w+b") as said:
            child = subprocess.Popen(
                [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                cwd=place.parent, env=_environment(scratch, threads), start_new_session=True,
            )  # fmt: skip
            why = "crashed"
            try:
                child.wait(limits.seconds + _GRACE)
            except subprocess.TimeoutExpired:
                why = "timed out"
            finally:
                _stop(child)
            said.seek(max(0, said.seek(0, os.SEEK_END) - 2000))
            last = " ".join(said.read().decode(errors="replace").split())[-300:]
        return _read(records, why, last)


def _copied(folder: Path, program: Path, scratch: Path) -> Path:
    """Copy the folder directly below the given one that holds the program; return its place."""
    beside = folder / program.parts[0] if len(program.parts) > 1 else folder
    left_out = shutil.ignore_patterns(".git", "__pycache__")
    shutil.copytree(beside, scratch / "copy", ignore=left_out, ignore_dangling_symlinks=True)
    return scratch.joinpath("copy", *program.parts[1:] or program.parts)


def _environment(scratch: str, threads: int | None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    if threads is not None:
        kept["TF_NUM_INTEROP_THREADS"] = str(threads)
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONWARNINGS": "ignore", "MPLBACKEND": "Agg"}
    return {**kept, **quiet, "PYTHONHASHSEED": "0", "TF_USE_LEGACY_KERAS": "1", "TMPDIR": scratch}


def _read(records: Path, why: str, last: str) -> Run:
    rows = []
    if records.exists():
        for line in records.read_text().splitlines():
            with contextlib.suppress(json.JSONDecodeError):  # the last one, of a killed process
                rows.append(json.loads(line))
    calls = tuple(tuple(row["values"]) for row in rows if "values" in row)
    endings = [row for row in rows if "ending" in row]
    if endings:
        return Run(ending=endings[-1]["ending"], detail=endings[-1]["detail"], calls=calls)
    return Run(ending=why, detail=last, calls=calls)


def _stop(child: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
