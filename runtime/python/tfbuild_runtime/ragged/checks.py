"""Checks of ragged tensors element by element, by the names of functions of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.ops import check_ops
from tfbuild_runtime.ragged import functions


def _check(name: str) -> Callable[..., Any]:
    function = getattr(check_ops, name)

    def check(x: Any, y: Any, *more: Any, **named: Any) -> Any:
        """Return an operation that ends a step with InvalidArgumentError unless all elements fit.

        Raises ValueError for ragged tensors whose rows are known to differ.
        """
        made: list[Any] = []

        def noted(one: Any, two: Any) -> Any:
            made.append(function(one, two, *more, **named))
            return one if isinstance(one, Tensor) and one.shape.rank != 0 else two

        functions.elementwise(noted, x, y)
        return made[0]

    return check


assert_equal = _check("assert_equal")
assert_greater = _check("assert_greater")
assert_greater_equal = _check("assert_greater_equal")
assert_less = _check("assert_less")
assert_less_equal = _check("assert_less_equal")
assert_near = _check("assert_near")
assert_none_equal = _check("assert_none_equal")
