"""How often `tfbuild diagnose` names the right cause first, and what it costs.

Run it with `python -m benchmarks.diagnose`. The logs are excerpts from public threads, labelled
before any pattern was written; a third of them was set aside by a fixed seed (`held_out`), and some
came when the catalogue was done (`later`: 7 of 16 were right before it learned from them). Silence
counts as wrong only where the excerpt holds the cause; a cause named where there is none is wrong.
`--log-size 200` also times a log of that many MB.
"""

import argparse
import io
import random
import resource
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from benchmarks.terminal import say
from tfbuild.core.safe_files import read_yaml
from tfbuild.diagnosis.findings import diagnosis_of

SEED = 20261122
THREADS = Path(__file__).parents[1] / "tests" / "diagnosis" / "threads"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """An excerpt of a log, the cause that its thread settled on, and the pitfalls that say so."""

    name: str
    thread: str
    part: str  # seen, held_out, later
    cause: str
    expected: tuple[str, ...]  # any of them is right; empty where the excerpt holds no cause
    log: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How many first causes are right, of how many that count; and the wrong ones."""

    right: int
    counted: int
    silent: int  # excerpts without a cause of which none was named
    wrong: tuple[tuple[Thread, str], ...]

    @property
    def share(self) -> float:
        """The right ones of those that count."""
        return self.right / self.counted if self.counted else 0.0


def main() -> None:
    """Print both scores, the wrong ones, and the cost of a large log."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("seen", "held_out", "later"), help="only this part")
    parser.add_argument("--log-size", type=int, default=0, metavar="MB")
    given = parser.parse_args()
    threads = read_threads(THREADS)
    for part in (given.part,) if given.part else ("seen", "held_out", "later"):
        found = score([thread for thread in threads if thread.part == part])
        say(
            f"{part}: {found.right} of {found.counted} right ({found.share:.1%}), "
            f"{found.silent} without a cause passed over in silence"
        )
        for thread, named in found.wrong:
            say(f"  {thread.name}: {named or 'silence'}, not {' or '.join(thread.expected)}")
    if given.log_size:
        _time(given.log_size)


def read_threads(folder: Path) -> tuple[Thread, ...]:
    """The excerpts of a folder, by name."""
    found = []
    for path in sorted(folder.glob("*.yaml")):
        content = read_yaml(path)
        content["expected"] = tuple(content["expected"])
        found.append(Thread(name=path.stem, **content))
    return tuple(found)


def score(threads: Sequence[Thread]) -> Score:
    """What the diagnosis makes of the excerpts."""
    right, silent, wrong = 0, 0, []
    for thread in threads:
        diagnosis = diagnosis_of(io.BytesIO(thread.log.encode()))
        named = diagnosis.findings[0].id if diagnosis.findings else ""
        if not thread.expected and not diagnosis.is_known:
            silent += 1
        elif named in thread.expected:
            right += 1
        else:
            wrong.append((thread, named))
    return Score(right=right, counted=len(threads) - silent, silent=silent, wrong=tuple(wrong))


# --- a large log -------------------------------------------------------------------------------

_MODULES = ("error_codes", "status_errors", "fatal_logging", "conv_ops", "failed_call")
_LINES = (
    (
        "  external/local_config_cuda/crosstool/clang/bin/crosstool_wrapper_driver_is_not_gcc -MD "
        "-MF bazel-out/k8-opt/bin/tensorflow/core/kernels/_objs/{m}/{m}.pic.d -DEIGEN_MPL2_ONLY "
        "-Werror=return-type -iquote . -c tensorflow/core/kernels/{m}.cc -o {m}.pic.o)"
    ),
    "tensorflow/core/kernels/{m}.cc:{n}:7: warning: comparison of signs [-Wsign-compare]",
    "\x1b[32m[{n} / 14,094]\x1b[0m Compiling tensorflow/core/kernels/{m}.cc; {n}s local\r",
    "In file included from ./tensorflow/core/lib/core/errors.h:{n}:0,",
    (
        "WARNING: Download from https://host/{m}.tar.gz failed: class "
        "java.io.FileNotFoundException GET returned 404 Not Found"
    ),
)
_FAILURE = (
    "ERROR: /w/BUILD:1221:18: Compiling conv_ops.cc failed: (Exit 1): gcc failed: error executing "
    "command (from target //w:conv_ops) /usr/bin/gcc\nconv_ops.cc:640:36: error: no match\n"
)


def _time(megabytes: int) -> None:
    """The seconds and the memory of one diagnosis; the failure is at the end."""
    with tempfile.TemporaryFile() as log:
        _write_log(log, megabytes * 1_000_000)
        log.seek(0)
        started, used = time.monotonic(), time.process_time()
        diagnosis = diagnosis_of(log)
        seconds, busy = time.monotonic() - started, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    say(
        f"{megabytes} MB, {diagnosis.lines} lines: {seconds:.1f} s ({busy:.1f} s of a core), "
        f"peak {peak:.0f} MB, first {diagnosis.findings[0].id}"
    )


def _write_log(log: BinaryIO, size: int) -> None:
    draw = random.Random(SEED)
    written = 0
    while written < size:
        lines = draw.choices(_LINES, weights=(35, 30, 15, 15, 5), k=1000)
        piece = "\n".join(
            line.format(m=draw.choice(_MODULES), n=draw.randrange(9000)) for line in lines
        )
        written += log.write(piece.encode() + b"\n")
    log.write(_FAILURE.encode())


if __name__ == "__main__":
    main()
