"""Default arguments for functions within a block: contrib.framework.arg_scope."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

_Scope = dict[str, dict[str, Any]]
_stack: list[_Scope] = [{}]
_arguments: dict[str, tuple[str, ...]] = {}


def arg_scope_func_key(op: Any) -> str:
    """Return the key by which scopes know a function."""
    return str(getattr(op, "_key_op", None) or str(op))


def current_arg_scope() -> _Scope:
    """Return the defaults that hold now."""
    return _stack[-1]


def has_arg_scope(func: Any) -> bool:
    """Whether a function takes defaults from scopes."""
    return hasattr(func, "_key_op")


def arg_scoped_arguments(func: Any) -> tuple[str, ...]:
    """Return the arguments of a function for which scopes may hold defaults."""
    if not has_arg_scope(func):
        raise ValueError(f"{func} is not decorated with @add_arg_scope")
    return _arguments[arg_scope_func_key(func)]


def add_arg_scope(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with defaults taken from the scopes around a call."""

    @functools.wraps(func)
    def with_defaults(*args: Any, **kwargs: Any) -> Any:
        defaults = current_arg_scope().get(key, {})
        return func(*args, **{**defaults, **kwargs})

    code = func.__code__ if hasattr(func, "__code__") else func.__call__.__code__  # type: ignore[operator]
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    count = len(getattr(func, "__defaults__", None) or ())
    keyword_only = names[code.co_argcount :]
    key = f"{func.__module__}.{func.__name__}"
    with_defaults._key_op = key  # type: ignore[attr-defined]
    positional = names[: code.co_argcount]
    _arguments[key] = (*positional[len(positional) - count :], *keyword_only)
    return with_defaults


@contextlib.contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[_Scope]:
    """Give functions default arguments in the block; yields all that hold, to be entered again.

    Raises ValueError for a function without add_arg_scope or an argument that it does not have.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError("When attempting to re-use a scope by suppling a dictionary, kwargs "
                             "must be empty.")  # fmt: skip
        scope = {key: dict(values) for key, values in list_ops_or_scope.items()}
    else:
        scope = _extended(list_ops_or_scope, kwargs)
    _stack.append(scope)
    try:
        yield scope
    finally:
        _stack.pop()


def _extended(functions: Any, kwargs: dict[str, Any]) -> _Scope:
    if not isinstance(functions, (list, tuple)):
        raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
    scope = {key: dict(values) for key, values in current_arg_scope().items()}
    for function in functions:
        if not has_arg_scope(function):
            raise ValueError(f"{function} is not decorated with @add_arg_scope")
        key = arg_scope_func_key(function)
        scope[key] = {**scope.get(key, {}), **kwargs}
    return scope
