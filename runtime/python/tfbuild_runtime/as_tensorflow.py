"""Runs a program that imports tensorflow on this runtime: python -m tfbuild_runtime.as_tensorflow.

In this process and in those of multiprocessing, however they are started, `import tensorflow` and
what is below it give tfbuild_runtime.compat.v1. A Python that the program starts by itself does not
know it.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import runpy
import sys
import types
from collections.abc import Sequence
from typing import Any

_NAME = "tensorflow"
_FOR_WORKERS = os.path.join(os.path.dirname(__file__), "as_tensorflow_path")  # noqa: PTH118, PTH120
_SAME = ("", "compat.v1", "_api.v1.v1", "_api.v2.compat.v1")
_USAGE = "usage: python -m tfbuild_runtime.as_tensorflow [-m MODULE | PROGRAM.py] [ARGUMENT ...]\n"


class _Stand(types.ModuleType):
    """A module of TensorFlow's name that has the attributes of one of ours."""

    def __init__(self, name: str, target: Any) -> None:
        super().__init__(name, getattr(target, "__doc__", None))
        self.__dict__["_target"] = target

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        return getattr(self._target, name)

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *dir(self._target)})


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds tensorflow and all modules below it in the runtime."""

    def find_spec(self, fullname: str, path: Any = None,
                  target: Any = None) -> importlib.machinery.ModuleSpec | None:  # fmt: skip
        """Return where a module comes from; None for one that is not TensorFlow's."""
        del path, target
        if fullname != _NAME and not fullname.startswith(f"{_NAME}."):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Return the module; raises ModuleNotFoundError with what to use instead."""
        place = spec.name[len(_NAME) + 1 :]
        found: Any = importlib.import_module("tfbuild_runtime.compat.v1")
        for part in [] if place in _SAME else place.split("."):
            try:
                found = getattr(found, part)
            except AttributeError as error:  # noqa: PERF203
                raise ModuleNotFoundError(str(error), name=spec.name) from None
        if not isinstance(found, types.ModuleType):
            raise ModuleNotFoundError(f"{spec.name} is no module", name=spec.name)
        return _Stand(spec.name, found)

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: the module is whole."""


def install() -> None:
    """Let `import tensorflow` give this runtime in this process from now on."""
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())


def main(argv: Sequence[str]) -> int:
    """Run the program that the command line names; return 2 when it names none."""
    if not argv or argv[0] in ("-h", "--help"):
        (sys.stdout if argv else sys.stderr).write(_USAGE)
        return 0 if argv else 2
    install()
    sys.path.insert(1, _FOR_WORKERS)
    if argv[0] == "-m":
        if len(argv) < 2:
            sys.stderr.write(_USAGE)
            return 2
        sys.argv = list(argv[1:])
        sys.path[0] = os.getcwd()  # noqa: PTH109 (as python -m has it)
        runpy.run_module(argv[1], run_name="__main__", alter_sys=True)
        return 0
    if not os.path.exists(argv[0]):  # noqa: PTH110
        sys.stderr.write(f"there is no program {argv[0]}\n{_USAGE}")
        return 2
    sys.argv = list(argv)
    sys.path[0] = os.path.dirname(os.path.abspath(argv[0]))  # noqa: PTH100, PTH120
    runpy.run_path(argv[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
