"""Namespaces whose names are looked up when they are first used, so that importing costs little."""

import importlib
import types
from collections.abc import Mapping
from typing import Any

from tfbuild_runtime.ragged._dispatched import DISPATCHED


def make_tree(exports: Mapping[str, str]) -> dict[str, Any]:
    """Return the dotted names as a tree: name -> place, or namespace -> tree."""
    tree: dict[str, Any] = {}
    for name, place in exports.items():
        *namespaces, last = name.split(".")
        level = tree
        for part in namespaces:
            level = level.setdefault(part, {})
        level[last] = place
    return tree


def load(module_name: str) -> Any:
    """Return the module, imported if it is not there yet."""
    return importlib.import_module(module_name)


def look_up(owner: str, tree: Mapping[str, Any], name: str) -> Any:
    """Return what name stands for; raises AttributeError when it is no name of owner."""
    found = tree.get(name)
    if found is None:
        raise AttributeError(load("tfbuild_runtime.compat.missing").explain(owner, name, tree))
    if isinstance(found, dict):
        return Namespace(f"{owner}.{name}", found)
    module_name, _, attribute = found.partition(":")
    module = load(module_name)
    if not attribute:
        return module
    value = getattr(module, attribute)
    if found not in DISPATCHED:
        return value
    other = DISPATCHED[found]
    return load("tfbuild_runtime.ragged.dispatch").taking_ragged(value, other)


class Namespace(types.ModuleType):
    """A module of public names, such as tf.nn."""

    def __init__(self, name: str, tree: Mapping[str, Any]) -> None:
        super().__init__(name, f"The public names below {name}.")
        self._tree = tree

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = look_up(self.__name__, self._tree, name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted(self._tree)
