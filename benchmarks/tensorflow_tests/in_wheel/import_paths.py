"""TensorFlow's import paths, in this process: every module that the source tree has is found here.

What a module has is looked up, in this order: our own test modules; test helpers of the tree; the
runtime's own stand-ins for TensorFlow's modules; and its public names, by their last part, of which
the namespace that is nearest to the module goes first.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import re
import sys
import types
from functools import cache
from pathlib import Path
from typing import Any

from missing import Missing

_ROOT = "tensorflow"
_PUBLIC = "tfbuild_runtime.compat.v1"
_NOTHING = object()  # what is not there; None is a value
_TEST_HELPER = re.compile(
    r"(^|/)kernel_tests/|(^|[/_])(test_(base|util|utils|lib|helper)|testing_utils)(\.py)?$|_test_"
)
# Modules that TensorFlow's build makes, and packages without a module of Python in the sources.
_MADE = re.compile(
    r"(^|\.)gen_\w+_ops$|_pb2$|\.pywrap_\w+$|^core(\.[a-z_]+)*$|^contrib$|^compat\.v1$"
)
_SYNONYMS = {"rnn_cell": "nn", "training": "train", "lookup": "tables", "parsing": "io"}
_OLD_SUFFIX = re.compile(r"(_v1|V1)$")


class Finder(importlib.abc.MetaPathFinder):
    """Finds what is below tensorflow; `own` maps paths of modules to modules of ours."""

    def __init__(self, tree: Path, own: dict[str, str]) -> None:
        self.tree = tree
        self.own = own

    def find_spec(self, fullname: str, path: Any = None,
                  target: Any = None) -> Any:  # fmt: skip
        """Return where a module comes from; None for what is not TensorFlow's."""
        if fullname != _ROOT and not fullname.startswith(f"{_ROOT}."):
            return None
        place = fullname[len(_ROOT) + 1 :]
        if place in self.own:
            return importlib.machinery.ModuleSpec(fullname, _OwnLoader(self.own[place]))
        file = self.tree / fullname.replace(".", "/")
        helper = file.with_suffix(".py")
        if helper.is_file() and _TEST_HELPER.search(place.replace(".", "/")):
            return importlib.util.spec_from_file_location(fullname, helper)
        if place and not self.is_module(place):
            return None
        return importlib.machinery.ModuleSpec(fullname, _AliasLoader(self), is_package=True)

    def is_module(self, place: str) -> bool:
        """Whether TensorFlow has a module of that path; some are made only by its build."""
        if place in self.own or _MADE.search(place):
            return True
        if place.startswith("contrib."):  # its sources may be elsewhere
            package, _, name = place.rpartition(".")
            return name.islower() and not callable(_public(package, name))
        file = self.tree / _ROOT / place.replace(".", "/")
        return file.with_suffix(".py").is_file() or file.is_dir()


class _OwnLoader(importlib.abc.Loader):
    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: Any) -> Any:
        found = importlib.import_module(self.name)
        module = types.ModuleType(spec.name)
        module.__getattr__ = lambda name: _of_own(found, spec.name, name)  # type: ignore[method-assign]
        return module

    def exec_module(self, module: Any) -> None:
        pass


def _of_own(module: Any, full: str, name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return vars(module)[name] if name in vars(module) else _look_up(full, name)


class _AliasLoader(importlib.abc.Loader):
    def __init__(self, finder: Finder) -> None:
        self.finder = finder

    def create_module(self, spec: Any) -> Any:
        return Alias(spec.name, self.finder)

    def exec_module(self, module: Any) -> None:
        pass


class Alias(types.ModuleType):
    """A module of TensorFlow, whose names are looked up in the runtime."""

    def __init__(self, name: str, finder: Finder) -> None:
        super().__init__(name)
        self.__dict__["_finder"] = finder

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        place = f"{self.__name__}.{name}"[len(_ROOT) + 1 :]
        if self._finder.is_module(place):
            return importlib.import_module(f"{_ROOT}.{place}")
        value = _look_up(self.__name__, name)
        setattr(self, name, value)
        return value


def _look_up(module: str, name: str) -> Any:
    place = module[len(_ROOT) + 1 :]
    for way in (_internal, _public):
        value = way(place, name)
        if value is not _NOTHING:
            return value
    return Missing(f"{module}.{name}"[len(_ROOT) + 1 :])


def _internal(place: str, name: str) -> Any:
    """Return what the runtime's own stand-in for the module has."""
    found: Any = importlib.import_module(_PUBLIC)
    for part in place.split(".") if place else ():
        found = getattr(found, part, None)
    return getattr(found, name, _NOTHING) if isinstance(found, types.ModuleType) else _NOTHING


def _public(place: str, name: str) -> Any:
    """Return the public name that ends so, from the namespace nearest to the module."""
    names = public_names()
    found = [
        full
        for full in names.get(name) or names.get(_OLD_SUFFIX.sub("", name)) or ()
        if all(space in place or not full.startswith(f"{space}.") for space in ("contrib", "keras"))
    ]
    if not found:
        return _NOTHING
    words = set(re.split(r"[._]", place))
    words |= {_SYNONYMS[word] for word in words & set(_SYNONYMS)}

    def rank(full: str) -> tuple[int, int, str]:
        spaces = full.split(".")[:-1]
        near = sum(space in words for space in spaces)
        return -near, len(spaces), full

    value: Any = importlib.import_module(_PUBLIC)
    for part in min(found, key=rank).split("."):
        value = getattr(value, part, None)
    return value


@cache
def public_names() -> dict[str, list[str]]:
    """Return the last part of each public name with all the full names that it has."""
    names: dict[str, list[str]] = {}

    def walk(space: Any, prefix: str, depth: int) -> None:
        for name in dir(space):
            if name.startswith("_") or name in ("core", "python", "compat", "raw_ops"):
                continue
            value = getattr(space, name, None)
            if isinstance(value, types.ModuleType) and depth < 4:
                walk(value, f"{prefix}{name}.", depth + 1)
            else:
                names.setdefault(name, []).append(f"{prefix}{name}")

    walk(importlib.import_module(_PUBLIC), "", 0)
    return names


def install(tree: Path, own: dict[str, str]) -> None:
    """Let `import tensorflow` in this process find the runtime, by TensorFlow's own paths."""
    sys.meta_path.insert(0, Finder(tree, own))
