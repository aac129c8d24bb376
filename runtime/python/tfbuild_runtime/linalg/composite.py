"""What operators that are made of operators have in common."""

from __future__ import annotations

import operator as arithmetic
from collections.abc import Iterable
from functools import reduce
from typing import Any

from tfbuild_runtime.linalg import util
from tfbuild_runtime.linalg.base import LinearOperator
from tfbuild_runtime.ops import composed_ops, control_ops


class CompositeOperator(LinearOperator):
    """An operator made of others, of one type, whose common hints may be its own."""

    _kind = ""  # what it is of them, as its messages say it
    _joint = ""  # what stands between their names in its own
    _inherited: tuple[str, ...] = ()  # the hints that hold for it where they hold for all

    def __init__(self, operators: Iterable[LinearOperator], is_non_singular: bool | None = None,
                 is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None,
                 is_square: bool | None = None, name: str | None = None) -> None:  # fmt: skip
        """Take operators of one type.

        Raises ValueError when there is none, and for hints that contradict those of all operators;
        TypeError when their types differ.
        """
        composed_ops.assert_proper_iterable(operators)
        self._operators = list(operators)
        if not self._operators:
            raise ValueError("Expected a non-empty list of >=1 operators. Found: []")
        if len({one.dtype for one in self._operators}) > 1:
            kinds = "   ".join(str((one.name, one.dtype)) for one in self._operators)
            raise TypeError(f"Expected all operators to have the same dtype.  Found {kinds}")
        given = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        hints = dict(zip(util.HINTS, given))
        for hint in self._inherited:
            hints[hint] = self._inherit(hint, hints[hint])
        super().__init__(self._operators[0].dtype,
                         [parent for one in self._operators for parent in one.graph_parents],
                         name=name or self._joint.join(one.name for one in self._operators),
                         **hints)  # fmt: skip

    def _inherit(self, hint: str, given: bool | None) -> bool | None:
        if not all(getattr(one, hint) for one in self._operators):
            return given
        if given is False:
            said = hint[len("is_") :].replace("_", "-")
            raise ValueError(f"The {self._kind} of {said} operators is always {said}.")
        return True

    @property
    def operators(self) -> list[LinearOperator]:
        """The operators that it is made of."""
        return self._operators

    def _of_all(self, what: str) -> list[Any]:
        """Return what a method of each operator gives."""
        return [getattr(one, what)() for one in self._operators]

    def _product_of(self, what: str) -> Any:
        return reduce(arithmetic.mul, self._of_all(what))

    def _sum_of(self, what: str) -> Any:
        return reduce(arithmetic.add, self._of_all(what))

    def _all_assert(self, what: str) -> Any:
        return control_ops.group(*self._of_all(what))

    def _batches(self) -> Any:
        """Return the batch shape that the operators have together, as far as it is known."""
        shapes = [one.batch_shape for one in self._operators]
        return reduce(composed_ops.broadcast_static_shape, shapes)

    def _batches_tensor(self) -> Any:
        return reduce(composed_ops.broadcast_dynamic_shape, self._of_all("batch_shape_tensor"))


class FactoredOperator(CompositeOperator):
    """An operator whose adjoint, inverse and Cholesky factor are made of those of its operators."""

    _inherited = ("is_non_singular", "is_self_adjoint", "is_positive_definite")

    def _adjoint(self) -> LinearOperator:
        return type(self)(self._of_all("adjoint"), **util.hints_of(self))

    def _inverse(self) -> LinearOperator:
        return type(self)(self._of_all("inverse"), **util.hints_of(self))

    def _cholesky(self) -> LinearOperator:
        return type(self)(self._of_all("cholesky"), is_non_singular=True, is_square=True)
