"""Functions of a program that take part in making variables: variable_creator_scope."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from tfbuild_runtime.framework import defaults

_KEY = "variable_creators"


class MadeByCreators(type):
    """The type of a class whose making goes through the creators of the graph."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Return what the innermost creator returns, or, without one, a new variable."""
        creators = defaults.get_default_graph()._scratch.get(_KEY)
        if not creators or "takes_creators" not in vars(cls):
            return super().__call__(*args, **kwargs)
        bound = inspect.signature(cls.__init__).bind(None, *args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        del given["self"]

        def next_creator(**changed: Any) -> Any:
            return super(MadeByCreators, cls).__call__(**changed)

        for creator in creators:
            next_creator = _chained(creator, next_creator)
        return next_creator(**given)


def _chained(creator: Callable[..., Any], behind: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **given: creator(behind, **given)


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """Let variable_creator(next_creator, **arguments) make the variables of this scope.

    It returns a variable: that of next_creator(**arguments), with the arguments as it likes, or
    another one. Of nested scopes the inner one comes first, and the outer one's is its next.
    """
    scratch = defaults.get_default_graph()._scratch
    before = scratch.get(_KEY, ())
    scratch[_KEY] = (*before, variable_creator)
    try:
        yield
    finally:
        scratch[_KEY] = before
