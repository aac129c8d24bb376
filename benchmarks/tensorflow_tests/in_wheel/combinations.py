"""What tensorflow.python.framework.combinations gives: tests for every combination of values."""

from __future__ import annotations

import functools
import itertools
from typing import Any

from absl.testing import parameterized


def combine(**values: Any) -> list[dict[str, Any]]:
    """Return every combination of the named values; a single value counts as a list of one."""
    rows = [[(key, one) for one in (value if isinstance(value, list) else [value])]
            for key, value in sorted(values.items())]  # fmt: skip
    return [dict(row) for row in itertools.product(*rows)]


def times(*combined: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return every row of the first with every row of the others."""
    return [
        {key: value for row in rows for key, value in row.items()}
        for rows in itertools.product(*combined)
    ]


def generate(combinations: Any, **_: Any) -> Any:
    """Return a decorator that runs a test for each combination that is a graph of version 1."""
    rows = [row for row in combinations if row.get("mode", "graph") == "graph"
            and row.get("tf_api_version", 1) == 1]  # fmt: skip

    def decorate(function: Any) -> Any:
        if not rows:
            return lambda self: self.skipTest("version 2 or eager only")
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        takes_all = bool(function.__code__.co_flags & 0x08)

        def one(self: Any, number: int) -> None:
            row = rows[number]
            taken = {key: value for key, value in row.items() if takes_all or key in names}
            with self.test_session():
                function(self, **taken)

        one.__name__ = function.__name__
        functools.update_wrapper(one, function, ("__module__", "__doc__"), ())
        named = [(f"_{number}", number) for number in range(len(rows))]
        return parameterized.named_parameters(*named)(one)

    return decorate


class NamedObject:
    """An object with a name of its own."""

    def __init__(self, name: str, obj: Any) -> None:
        self._name = name
        self._obj = obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obj, name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._obj(*arguments, **named)


NamedDistribution = NamedObject
