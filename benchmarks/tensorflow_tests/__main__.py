"""How many of TensorFlow's own tests pass on the runtime's wheel, and why the rest do not.

Run it with `python -m benchmarks.tensorflow_tests TREE --wheel PYTHON`: the tree is one of
TensorFlow's sources (1.15 is what the runtime follows; nothing of it is kept), the interpreter has
the wheel, absl-py and six. Names that the runtime has not are listed apart from values that are
wrong, and these apart from differences that `explained.yaml` has a reason for.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.interpreters import lack_of
from benchmarks.tensorflow_tests.explained import judge, read_explanations
from benchmarks.tensorflow_tests.files import test_files
from benchmarks.tensorflow_tests.report import document, file_line, summary, verdict
from benchmarks.tensorflow_tests.running import Limits, run_file
from benchmarks.terminal import say


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, and return 1 where a value is wrong without explanation, or a process crashed."""
    given = _parser().parse_args(arguments)
    tree, python = given.tree.absolute(), given.wheel.absolute()
    files = test_files(tree, given.only)
    problem = _problem(tree, python, files)
    if problem:
        sys.stderr.write(f"{problem}\n")
        return 2
    explanations = read_explanations()
    limits = Limits(
        method_seconds=given.seconds, file_seconds=given.file_seconds, megabytes=given.megabytes
    )
    results = {}
    with ThreadPoolExecutor(given.jobs) as pool:
        ended = pool.map(lambda file: run_file(python, tree, file, limits), files)
        for file, one in zip(files, ended, strict=True):
            results[file] = one
            say(file_line(file, one))
    if given.json:
        given.json.write_text(document(results))
    judged = judge(results, explanations)
    say(summary(results, given.names))
    say(verdict(judged))
    return int(bool(judged.unexplained))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tensorflow_tests", description=__doc__
    )
    parser.add_argument("tree", type=Path, help="a TensorFlow source tree")
    parser.add_argument("--wheel", type=Path, required=True, help="an interpreter with the wheel")
    parser.add_argument("--only", default="*", metavar="GLOB", help="files whose path or name fits")
    parser.add_argument("--jobs", type=int, default=1, help="files at the same time")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every ending there")
    parser.add_argument("--seconds", type=float, default=60, help="of one method")
    parser.add_argument("--file-seconds", type=float, default=900, help="of one file")
    parser.add_argument("--megabytes", type=int, default=6000, help="address space of a process")
    parser.add_argument("--names", type=int, default=40, help="how many missing names to print")
    return parser


def _problem(tree: Path, python: Path, files: Sequence[Path]) -> str:
    """What keeps the tests from being run, with what to do; '' where nothing does."""
    if not (tree / "tensorflow" / "python").is_dir():
        return f"{tree} is no TensorFlow source tree: it has no tensorflow/python"
    if not files:
        return "no test file fits: --only takes a pattern such as 'slice_*' or '*/training/*'"
    if lack := lack_of(python, "import absl.testing, six, tfbuild_runtime.compat.v1"):
        return f"{lack}: install the wheel, absl-py and six there"
    return ""


if __name__ == "__main__":
    sys.exit(main())
