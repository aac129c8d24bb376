"""Optimizers that are made of other operations: Adadelta, Ftrl, and those with a proximal step."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.indexed_slices import IndexedSlices
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, state_ops
from tfbuild_runtime.train.optimizer import Optimizer, as_type_of, number


class _Composed(Optimizer):
    """An optimizer with a rate and settings, whose update is an expression of old values."""

    def __init__(self, use_locking: bool, name: str, **settings: Any) -> None:
        super().__init__(use_locking, name)
        self._given = settings
        self._settings: dict[str, Any] = {}
        self._rows: Any = None  # the numbers of those that change, where not all do

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        """Compute all new values, but change only the rows that the gradient is for."""
        self._rows = grad.indices
        try:
            return self._apply_dense(framework.convert_to_tensor(grad), var)
        finally:
            self._rows = None

    def _prepare(self) -> None:
        self._settings = {name: number(value, name) for name, value in self._given.items()}

    def _in_type_of(self, var: Any) -> dict[str, Any]:
        return {name: as_type_of(value, var) for name, value in self._settings.items()}

    def _filled_slot(self, var: Any, slot: str, value: float) -> Any:
        first = functools.partial(framework.constant, value, var.dtype.base_dtype, shape=var.shape)
        return self._slot(var, slot, self._name, first)

    def _set(self, news: dict[Any, Any]) -> Any:
        """Return an operation that gives each variable its new value, once all are computed."""
        values = [framework.convert_to_tensor(value) for value in news.values()]
        with framework.control_dependencies(values):
            return framework.group(*map(self._changed, news, values))

    def _changed(self, variable: Any, value: Any) -> Any:
        if self._rows is None:
            return variable.assign(value, use_locking=self._use_locking).op
        rows = array_ops.gather(value, self._rows)
        return state_ops.scatter_update(variable, self._rows, rows, self._use_locking).op


class AdadeltaOptimizer(_Composed):
    """Steps by the root of the mean of earlier steps over that of the gradients."""

    def __init__(self, learning_rate: Any = 0.001, rho: Any = 0.95, epsilon: Any = 1e-8,
                 use_locking: bool = False, name: str = "Adadelta") -> None:  # fmt: skip
        super().__init__(use_locking, name, lr=learning_rate, rho=rho, epsilon=epsilon)

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "accum", self._name)
            self._zeros_slot(var, "accum_update", self._name)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with_type = self._in_type_of(var)
        rho, epsilon = with_type["rho"], with_type["epsilon"]
        squares, steps = (self.get_slot(var, name) for name in ("accum", "accum_update"))
        new_squares = squares * rho + math_ops.square(grad) * (1 - rho)
        root = math_ops.sqrt(steps + epsilon) * math_ops.rsqrt(new_squares + epsilon)
        step = root * grad
        new_steps = steps * rho + math_ops.square(step) * (1 - rho)
        moved = var - with_type["lr"] * step
        return self._set({squares: new_squares, steps: new_steps, var: moved})


class FtrlOptimizer(_Composed):
    """Follow the regularised leader."""

    def __init__(
        self, learning_rate: Any, learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1, l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0, use_locking: bool = False, name: str = "Ftrl",
        accum_name: str | None = None, linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0, beta: float | None = None,
    ) -> None:  # fmt: skip
        if initial_accumulator_value < 0:
            raise ValueError(f"initial_accumulator_value {initial_accumulator_value} needs to be "
                             "positive or zero")  # fmt: skip
        if learning_rate_power > 0:
            raise ValueError(f"learning_rate_power {learning_rate_power} needs to be negative or "
                             "zero")  # fmt: skip
        super().__init__(use_locking, name, learning_rate=learning_rate,
                         l1=l1_regularization_strength, l2=l2_regularization_strength,
                         beta=beta or 0.0)  # fmt: skip
        self._power = learning_rate_power
        self._first = initial_accumulator_value
        self._shrinkage = l2_shrinkage_regularization_strength
        self._names = (accum_name or name, linear_name or name)

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            first = functools.partial(framework.constant, self._first, var.dtype.base_dtype,
                                      shape=var.shape)  # fmt: skip
            self._slot(var, "accum", self._names[0], first)
            self._zeros_slot(var, "linear", self._names[1])

    def _raised(self, accumulated: Any) -> Any:
        if self._power == -0.5:
            return math_ops.sqrt(accumulated)
        return math_ops.pow(accumulated, framework.constant(-self._power, accumulated.dtype))

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with_type = self._in_type_of(var)
        rate, l1 = with_type["learning_rate"], with_type["l1"]
        l2 = with_type["l2"] + with_type["beta"] / (2 * rate)
        accum, linear = self.get_slot(var, "accum"), self.get_slot(var, "linear")
        old = framework.convert_to_tensor(accum)
        shrunk = grad + 2 * self._shrinkage * var if self._shrinkage else grad
        new_accum = old + math_ops.square(grad)
        change = (self._raised(new_accum) - self._raised(old)) / rate
        new_linear = linear + shrunk - change * var
        quadratic = self._raised(new_accum) / rate + 2 * l2
        moved = (math_ops.sign(new_linear) * l1 - new_linear) / quadratic
        beyond = math_ops.greater(math_ops.abs(new_linear), l1)
        moved = array_ops.where_v2(beyond, moved, creation_ops.zeros_like(moved))
        return self._set({accum: new_accum, linear: new_linear, var: moved})


def _proximal(value: Any, rate: Any, l1: Any, l2: Any) -> Any:
    """Return a value moved towards zero by l1, and scaled down by l2."""
    size = math_ops.maximum(math_ops.abs(value) - rate * l1, 0)
    return math_ops.sign(value) * size / (1 + l2 * rate)


class ProximalGradientDescentOptimizer(_Composed):
    """Gradient descent, then a step towards zero."""

    def __init__(self, learning_rate: Any, l1_regularization_strength: float = 0.0,
                 l2_regularization_strength: float = 0.0, use_locking: bool = False,
                 name: str = "ProximalGradientDescent") -> None:  # fmt: skip
        super().__init__(use_locking, name, learning_rate=learning_rate,
                         l1=l1_regularization_strength,
                         l2=l2_regularization_strength)  # fmt: skip

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with_type = self._in_type_of(var)
        rate = with_type["learning_rate"]
        moved = _proximal(var - rate * grad, rate, with_type["l1"], with_type["l2"])
        return self._set({var: moved})


class ProximalAdagradOptimizer(_Composed):
    """Adagrad, then a step towards zero."""

    def __init__(self, learning_rate: Any, initial_accumulator_value: float = 0.1,
                 l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0,
                 use_locking: bool = False, name: str = "ProximalAdagrad") -> None:  # fmt: skip
        if initial_accumulator_value <= 0:
            raise ValueError(f"initial_accumulator_value must be positive: "
                             f"{initial_accumulator_value}")  # fmt: skip
        super().__init__(use_locking, name, learning_rate=learning_rate,
                         l1=l1_regularization_strength,
                         l2=l2_regularization_strength)  # fmt: skip
        self._first = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self._filled_slot(var, "accumulator", self._first)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with_type = self._in_type_of(var)
        accumulator = self.get_slot(var, "accumulator")
        new = accumulator + math_ops.square(grad)
        rate = with_type["learning_rate"] * math_ops.rsqrt(new)
        moved = _proximal(var - rate * grad, rate, with_type["l1"], with_type["l2"])
        return self._set({accumulator: new, var: moved})


class AdagradDAOptimizer(_Composed):
    """Adagrad with dual averaging: from the sums of all gradients and their squares."""

    def __init__(
        self, learning_rate: Any, global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0,
        use_locking: bool = False, name: str = "AdagradDA",
    ) -> None:  # fmt: skip
        if initial_gradient_squared_accumulator_value <= 0:
            raise ValueError("initial_gradient_squared_accumulator_value must be positive: "
                             f"{initial_gradient_squared_accumulator_value}")  # fmt: skip
        super().__init__(use_locking, name, learning_rate=learning_rate,
                         l1=l1_regularization_strength,
                         l2=l2_regularization_strength)  # fmt: skip
        self._first = initial_gradient_squared_accumulator_value
        self._global_step = global_step

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "gradient_accumulator", self._name)
            self._filled_slot(var, "gradient_squared_accumulator", self._first)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with_type = self._in_type_of(var)
        total = self.get_slot(var, "gradient_accumulator")
        squares = self.get_slot(var, "gradient_squared_accumulator")
        step = math_ops.cast(self._global_step, var.dtype.base_dtype) + 1
        rate = with_type["learning_rate"]
        new_total, new_squares = total + grad, squares + math_ops.square(grad)
        beyond = math_ops.maximum(math_ops.abs(new_total) - with_type["l1"] * step, 0)
        lowered = math_ops.sign(new_total) * beyond
        moved = -rate * lowered / (with_type["l2"] * step * rate + math_ops.sqrt(new_squares))
        return self._set({total: new_total, squares: new_squares, var: moved})
