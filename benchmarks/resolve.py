"""How long `tfbuild resolve` takes: warm, cold, and with ten times as many facts.

Run it with `python -m benchmarks.resolve`. Warm is one call with the facts in memory, cold a whole
process. The larger facts are the same rows nine times more, under versions of their own.
"""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import yaml

from benchmarks.terminal import say
from tfbuild.core.paths import data_folder
from tfbuild.core.records import Pin
from tfbuild.facts.rules import Facts, load_facts
from tfbuild.facts.tables import Tables
from tfbuild.resolver.question import Question
from tfbuild.resolver.resolver import resolve

QUESTIONS: dict[str, tuple[str, ...]] = {
    "the bundled runtime": (),
    "the bundled runtime with CUDA": ("cuda=any",),
    "TensorFlow 2.6.5 for an RTX 3090": ("tensorflow=2.6.5", "gpu=RTX 3090"),
    "any TensorFlow for an RTX 5090": ("tensorflow=>=2.4", "gpu=RTX 5090"),
    "a conflict, with alternatives": ("tensorflow=2.6.5", "gpu=RTX 3090", "cuda=11.0"),
    "two conflicts": ("tensorflow=2.6.5", "numpy=1.21", "bazel=5.0.0", "python=3.9"),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--memory", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    rounds = given.rounds
    small = load_facts(Tables(matrices=data_folder("matrices"), recipes=data_folder("recipes")))
    if given.memory:
        for words in QUESTIONS.values():
            resolve(Question(pins=tuple(_pin(word) for word in words)), small)
        status = Path("/proc/self/status").read_text()  # ru_maxrss counts the parent's memory too
        say(str(int(status.partition("VmHWM:")[2].split()[0]) / 1024))
        return
    with tempfile.TemporaryDirectory() as folder:
        large = _larger(Path(folder), times=10)
        say(f"{'warm, in process (ms)':<36} {'as it is':>22} {'ten times the facts':>24} ratio")
        for title, words in QUESTIONS.items():
            _compare(title, words, (small, large), rounds)
    rows = [sum(len(rows) for rows in facts.rows.values()) for facts in (small, large)]
    say(f"rows {rows[0]} and {rows[1]}, rules {len(small.rules)} and {len(large.rules)}")
    for title, call in (
        ("a whole process, cold", partial(_process, "resolve", "tensorflow=2.6.5", "gpu=RTX 3090")),
        ("of which tfbuild --version", partial(_process, "--version")),
    ):
        times = _timed(call, max(5, rounds // 2))
        say(f"{title:<36} {_spread(times)} ms")
    say(f"{'most memory, facts and answers':<36} {_memory():.0f} MB")


def _compare(title: str, words: tuple[str, ...], both: tuple[Facts, Facts], rounds: int) -> None:
    """One question on both sets of facts, in turn."""
    question = Question(pins=tuple(_pin(word) for word in words))
    times: tuple[list[float], list[float]] = ([], [])
    for facts in both:
        resolve(question, facts)  # the problem is made once
    for _ in range(rounds):
        for facts, found in zip(both, times, strict=True):
            found.extend(_timed(partial(resolve, question, facts), 1))
    ratio = statistics.median(times[1]) / statistics.median(times[0])
    say(f"{title:<36} {_spread(times[0]):>22} {_spread(times[1]):>24} {ratio:5.1f}")


def _pin(word: str) -> Pin:
    axis, _, spec = word.partition("=")
    return Pin(axis=axis, spec=spec)


def _timed(call: Callable[[], object], times: int) -> list[float]:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        found.append((time.perf_counter() - start) * 1000)
    return found


def _process(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "tfbuild", *words], check=True, capture_output=True)


def _memory() -> float:
    """The most memory, in MB, of a process that answers every question once and nothing else."""
    words = [sys.executable, "-m", "benchmarks.resolve", "--memory"]
    return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def _spread(times: list[float]) -> str:
    return f"{statistics.median(times):.1f} ({min(times):.1f} to {max(times):.1f})"


def _larger(folder: Path, *, times: int) -> Facts:
    """The facts, and every row of an axis again under later versions that nobody asks for."""
    source = data_folder("matrices")
    for path in source.glob("*.yaml"):
        content = yaml.safe_load(path.read_text())
        rows = content["rows"]
        copies = [
            {**row, "version": f"{_text(row['version'])}.0.{number}"}
            for number in range(1, times)
            for row in rows
            if re.fullmatch(r"[0-9.]+", _text(row.get("version", "")))
        ]
        content["rows"] = [*rows, *copies]
        (folder / path.name).write_text(yaml.safe_dump(_plain(content)))
    return load_facts(Tables(matrices=folder, recipes=data_folder("recipes")))


def _text(version: object) -> str:
    return str(version)


def _plain(value: object) -> object:
    """Dates back to text: YAML reads an unquoted day as a date."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


if __name__ == "__main__":
    main()
