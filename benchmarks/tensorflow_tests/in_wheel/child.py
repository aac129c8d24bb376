"""Runs the tests of one file of TensorFlow's tree; each begin and end is a line of JSON.

python child.py TREE FILE LINES_TO_FD MEGABYTES, and on standard input the names of the methods that
are not to be run, one a line.
"""

from __future__ import annotations

import ast
import contextlib
import faulthandler
import json
import os
import resource
import sys
import types
import unittest
from pathlib import Path
from typing import Any

_OWN = {
    "python.framework.test_util": "test_util",
    "python.platform.test": "test_main",
    "python.platform.googletest": "test_main",
    "python.eager.test": "test_main",
    "python.platform.benchmark": "test_main",
    "python.eager.context": "eager_context",
    "python.framework.combinations": "combinations",
    "python.distribute.combinations": "combinations",
    "python.ops.gradient_checker": "gradient_checker",
    "python.ops.gradient_checker_v2": "gradient_checker",
    "python.compat.compat": "dates",
    "python.ops.linalg.linear_operator_circulant": "circulant_helpers",
    "python.tf2": "version_2",
    "python.training.training_util": "training_helpers",
}


class _Result(unittest.TestResult):
    """Keeps the error that decides how a test ended: the first."""

    def __init__(self) -> None:
        super().__init__()
        self.error: Any = None

    def _keep(self, error: Any) -> None:
        self.error = self.error or error

    def addError(self, test: Any, err: Any) -> None:
        self._keep(err[1])

    addFailure = addError

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        if err is not None:
            self._keep(err[1])

    def addSkip(self, test: Any, reason: str) -> None:
        self._keep(unittest.SkipTest(reason))


def main(tree: Path, file: Path, fd: int, megabytes: int) -> None:
    """Run all tests of the file that the standard input does not name."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    lines = os.fdopen(fd, "w", buffering=1)

    def say(**row: Any) -> None:
        lines.write(json.dumps(row) + "\n")

    done = set(sys.stdin.read().split("\n"))
    import old_names
    from import_paths import install

    old_names.restore()
    install(tree, _OWN)
    from endings import ending

    try:
        tests = _load(file)
    except BaseException as error:  # whatever the file's own code raises is its ending
        reason, detail = ending(error)
        say(unloaded=_written(file), reason=reason, detail=detail)
        return
    say(methods=[_name(test) for test in tests])
    for test in tests:
        name = _name(test)
        if name in done:
            continue
        say(begin=name)
        reason, detail = _run(test, ending)
        say(end=name, reason=reason, detail=detail)
    lines.flush()
    os._exit(0)  # what tests leave running is not waited for


def _name(test: Any) -> str:
    return f"{type(test).__name__}.{test._testMethodName}"


def _load(file: Path) -> list[Any]:
    from missing import Loading

    module = types.ModuleType("__main__")
    module.__file__ = str(file)
    sys.modules["__main__"] = module
    sys.argv = [str(file)]
    Loading.active = True
    try:
        with contextlib.suppress(SystemExit):
            exec(compile(file.read_text(), str(file), "exec"), vars(module))  # noqa: S102 (the test)
    finally:
        Loading.active = False
    found: list[Any] = []

    def walk(tests: Any) -> None:
        for test in tests:
            walk(test) if isinstance(test, unittest.TestSuite) else found.append(test)

    walk(unittest.defaultTestLoader.loadTestsFromModule(module))
    return sorted((test for test in found if test._testMethodName != "test_session"), key=_name)


def _written(file: Path) -> list[str]:
    """Return the methods that can be read in a file that cannot be loaded."""
    return [
        f"{node.name}.{item.name}"
        for node in ast.parse(file.read_text()).body if isinstance(node, ast.ClassDef)
        for item in node.body if isinstance(item, ast.FunctionDef) and item.name.startswith("test")
    ]  # fmt: skip


def _run(test: Any, ending: Any) -> tuple[str, str]:
    result = _Result()
    try:
        unittest.TestSuite([test]).run(result)
    except BaseException as error:  # KeyboardInterrupt and SystemExit of a test
        result.error = result.error or error
    return ending(result.error) if result.error is not None else ("passed", "")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
