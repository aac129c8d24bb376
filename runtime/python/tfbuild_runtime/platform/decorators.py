"""Decorators of TensorFlow's own modules, and what looks into functions."""

from __future__ import annotations

import importlib
import inspect
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def tf_export(*_: str, **__: Any) -> Callable[[Any], Any]:
    """Return a decorator that leaves what it is given as it is."""
    return lambda thing: thing


# What is deprecated is used all the same, without a warning.
deprecated = deprecated_args = deprecated_arg_values = deprecated_endpoints = tf_export


@contextmanager
def silence() -> Iterator[None]:
    """Do nothing: there are no warnings to be kept back."""
    yield


def keyword_args_only(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that refuses arguments without a name."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise ValueError("The function must be called with keyword arguments only.")
        return func(**kwargs)

    return call


class LazyLoader(types.ModuleType):
    """A module that is imported when it is used."""

    def __init__(self, local_name: str, parent_module_globals: Any, name: str) -> None:
        super().__init__(name)
        self._into, self._as = parent_module_globals, local_name

    def __getattr__(self, name: str) -> Any:
        module = importlib.import_module(self.__name__)
        self._into[self._as] = module
        return getattr(module, name)


getargspec = getfullargspec = inspect.getfullargspec
isfunction, isclass, ismethod = inspect.isfunction, inspect.isclass, inspect.ismethod
