"""Attacks the parsers and prints what was tried: `python -m benchmarks.attack.parsers --help`."""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

from benchmarks.attack.parsers.engine import Fuzzed, FuzzTarget, fuzz
from benchmarks.attack.parsers.native import build_native, native_targets
from benchmarks.attack.parsers.python_targets import PYTHON_TARGETS
from benchmarks.attack.trial import fresh
from benchmarks.terminal import say
from tfbuild.core.paths import cache_folder

_ROOT = Path(__file__).resolve().parents[3]
_WORK = _ROOT / ".attack-parsers"
_CHILD = "benchmarks.attack.parsers.python_child"


def main() -> None:
    """Run every target that was asked for; ends with 1 where one found something."""
    given = _arguments()
    folder = Path(given.folder).absolute()
    corpus = Path(given.corpus).absolute() if given.corpus else folder / "corpus"
    targets = _targets(given, folder)
    share = max(1, given.seconds * given.jobs // len(targets))
    with ThreadPoolExecutor(given.jobs) as threads:
        done = list(
            threads.map(
                lambda target: fuzz(target, share, given.seed, corpus, folder / "found"), targets
            )
        )
    say(document(done) if given.json else table(done))
    if any(one.findings for one in done):
        sys.exit(1)


def table(done: Sequence[Fuzzed]) -> str:
    """A line per target, then each finding with the command that does it again."""
    heads = ("target", "executions", "edges", "at first", "new inputs", "slowest s", "findings")
    rows = [
        (
            one.target, str(one.executions), str(one.edges), str(one.edges_before),
            str(one.new_inputs), str(one.slowest),
            ", ".join(finding.what for finding in one.findings) or "none",
        )
        for one in done
    ]  # fmt: skip
    wide = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads))]
    lines = ["  ".join(f"{cell:<{w}}" for cell, w in zip(row, wide, strict=True)).rstrip()
             for row in (heads, *rows)]  # fmt: skip
    lines.append(f"{sum(one.executions for one in done)} executions")
    for one in done:
        for finding in one.findings:
            lines.append(f"\n{one.target}: {finding.what}; kept in {finding.kept}")
            lines += [f"  {finding.again}", finding.said]
    return "\n".join(lines)


def document(done: Sequence[Fuzzed]) -> str:
    """The same as JSON."""
    return json.dumps({"targets": [asdict(one) for one in done]}, indent=1)


# --- inside ------------------------------------------------------------------------------------


def _targets(given: argparse.Namespace, folder: Path) -> list[FuzzTarget]:
    native = native_targets()
    known = (*native, *PYTHON_TARGETS)
    names = given.only.split(",") if given.only else known
    if wrong := sorted(set(names) - set(known)):
        sys.exit(f"there is no target {wrong[0]!r}; there are: {', '.join(known)}")
    compiled = [name for name in names if name in native]
    targets = []
    if compiled:
        built = build_native(compiled, folder / "built", cache_folder(), given.jobs)
        targets += [
            FuzzTarget(name=name, command=(str(built / name),), inputs=built / "inputs" / name)
            for name in compiled
        ]
    return targets + [_python_target(name, folder) for name in names if name in PYTHON_TARGETS]


def _python_target(name: str, folder: Path) -> FuzzTarget:
    if not find_spec("atheris"):
        sys.exit("there is no Atheris: `pip install 'tfbuild[dev]'` brings it")
    command = ("env", f"PYTHONPATH={_ROOT}", sys.executable, "-m", _CHILD, name)
    inputs = fresh(folder / "inputs" / name)
    with tempfile.TemporaryDirectory() as scratch:
        for number, content in enumerate(PYTHON_TARGETS[name].inputs(Path(scratch))):
            (inputs / f"seed-{number}").write_bytes(content)
    return FuzzTarget(name=name, command=command, inputs=inputs)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.attack.parsers", description=__doc__
    )
    parser.add_argument("--seconds", type=int, default=120, help="of all targets together")
    parser.add_argument("--seed", type=int, default=1, help="another seed makes other inputs")
    parser.add_argument("--jobs", type=int, default=2, help="targets side by side")
    parser.add_argument("--only", default="", metavar="TARGET,...", help="these targets alone")
    parser.add_argument("--corpus", default="", metavar="DIR", help="what earlier runs learned")
    parser.add_argument("--folder", default=str(_WORK), help="programs, and inputs that are found")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser.parse_args()


if __name__ == "__main__":
    main()
