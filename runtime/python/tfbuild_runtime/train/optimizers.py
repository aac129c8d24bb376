"""The optimizers: gradient descent, momentum, Adagrad, RMSProp and Adam."""

import functools
from collections.abc import Sequence
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.indexed_slices import IndexedSlices
from tfbuild_runtime.ops import math_ops, state_ops
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.train.optimizer import Optimizer, as_type_of, number


class GradientDescentOptimizer(Optimizer):
    """variable -= learning_rate * gradient."""

    def __init__(self, learning_rate: Any, use_locking: bool = False,
                 name: str = "GradientDescent") -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._rate: Any = None

    def _prepare(self) -> None:
        self._rate = number(self._learning_rate, "learning_rate")

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self._apply("ApplyGradientDescent", [var], [as_type_of(self._rate, var), grad])

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        change = emit("Mul", [grad.values, as_type_of(self._rate, var)])
        return state_ops.scatter_sub(var, grad.indices, change, self._use_locking).op

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, handle: Any, indices: Any) -> Any:
        return self._apply_sparse_duplicate_indices(IndexedSlices(grad, indices), handle)


class MomentumOptimizer(Optimizer):
    """accumulator = momentum * accumulator + gradient; variable -= learning_rate * accumulator."""

    def __init__(self, learning_rate: Any, momentum: Any, use_locking: bool = False,
                 name: str = "Momentum", use_nesterov: bool = False) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov
        self._settings: tuple[Any, Any] = (None, None)

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)

    def _prepare(self) -> None:
        rate = number(self._learning_rate, "learning_rate")
        self._settings = (rate, number(self._momentum, "momentum"))

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        rate, momentum = (as_type_of(setting, var) for setting in self._settings)
        return self._apply("ApplyMomentum", [var, self.get_slot(var, "momentum")],
                           [rate, grad, momentum], use_nesterov=self._use_nesterov)  # fmt: skip

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        rate, momentum = (as_type_of(setting, var) for setting in self._settings)
        return self._apply("SparseApplyMomentum", [var, self.get_slot(var, "momentum")],
                           [rate, grad.values, grad.indices, momentum],
                           use_nesterov=self._use_nesterov)  # fmt: skip


class AdagradOptimizer(Optimizer):
    """accumulator += gradient^2; variable -= learning_rate * gradient / sqrt(accumulator)."""

    def __init__(self, learning_rate: Any, initial_accumulator_value: float = 0.1,
                 use_locking: bool = False, name: str = "Adagrad") -> None:  # fmt: skip
        if initial_accumulator_value <= 0:
            raise ValueError(f"initial_accumulator_value must be positive: "
                             f"{initial_accumulator_value}")  # fmt: skip
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._first_value = initial_accumulator_value
        self._rate: Any = None

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            first = functools.partial(framework.constant, self._first_value, var.dtype.base_dtype,
                                      shape=var.shape)  # fmt: skip
            self._slot(var, "accumulator", self._name, first)

    def _prepare(self) -> None:
        self._rate = number(self._learning_rate, "learning_rate")

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self._apply("ApplyAdagrad", [var, self.get_slot(var, "accumulator")],
                           [as_type_of(self._rate, var), grad])  # fmt: skip

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        return self._apply("SparseApplyAdagrad", [var, self.get_slot(var, "accumulator")],
                           [as_type_of(self._rate, var), grad.values, grad.indices])  # fmt: skip


class RMSPropOptimizer(Optimizer):
    """Divides the gradient by the root of the decaying mean of its squares."""

    def __init__(self, learning_rate: Any, decay: Any = 0.9, momentum: Any = 0.0,
                 epsilon: Any = 1e-10, use_locking: bool = False, centered: bool = False,
                 name: str = "RMSProp") -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._given = {"learning_rate": learning_rate, "decay": decay, "momentum": momentum,
                       "epsilon": epsilon}  # fmt: skip
        self._centered = centered
        self._settings: list[Any] = []

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self._ones_slot(var, "rms", self._name)
            if self._centered:
                self._zeros_slot(var, "mg", self._name)
            self._zeros_slot(var, "momentum", self._name)

    def _prepare(self) -> None:
        self._settings = [number(value, name) for name, value in self._given.items()]

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        slots = [self.get_slot(var, name) for name in ("rms", "momentum")]
        settings = [as_type_of(setting, var) for setting in self._settings]
        if self._centered:
            return self._apply_centered(grad, var, slots, settings)
        return self._apply("ApplyRMSProp", [var, *slots], [*settings, grad])

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        kind = "SparseApplyCenteredRMSProp" if self._centered else "SparseApplyRMSProp"
        names = ("mg", "rms", "momentum") if self._centered else ("rms", "momentum")
        slots = [self.get_slot(var, name) for name in names]
        settings = [as_type_of(setting, var) for setting in self._settings]
        return self._apply(kind, [var, *slots], [*settings, grad.values, grad.indices])

    def _apply_centered(self, grad: Any, var: Any, slots: list[Any], settings: list[Any]) -> Any:
        """Divide by the deviation of the gradients instead of by the root of their squares."""
        rate, decay, momentum, epsilon = settings
        (squares, step), mean = slots, self.get_slot(var, "mg")
        new_mean = mean.assign(mean.read_value() * decay + grad * (1 - decay))
        new_squares = squares.assign(squares.read_value() * decay + grad * grad * (1 - decay))
        root = math_ops.sqrt(new_squares - new_mean * new_mean + epsilon)
        new_step = step.assign(step.read_value() * momentum + rate * grad / root)
        return var.assign_sub(new_step, use_locking=self._use_locking, read_value=False)


class AdamOptimizer(Optimizer):
    """Adam: steps by the mean of the gradients over the root of the mean of their squares."""

    def __init__(self, learning_rate: Any = 0.001, beta1: Any = 0.9, beta2: Any = 0.999,
                 epsilon: Any = 1e-8, use_locking: bool = False,
                 name: str = "Adam") -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._given = {"learning_rate": learning_rate, "beta1": beta1, "beta2": beta2,
                       "epsilon": epsilon}  # fmt: skip
        self._settings: dict[str, Any] = {}

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        # The powers of the betas lie beside the variable whose name comes first.
        first = min(var_list, key=lambda var: str(var.name))
        for beta in ("beta1", "beta2"):
            value = self._given[beta]
            self._create_non_slot_variable(value() if callable(value) else value, f"{beta}_power",
                                           first)  # fmt: skip
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _prepare(self) -> None:
        self._settings = {name: number(value, name) for name, value in self._given.items()}

    def _powers(self) -> list[Any]:
        return [self._get_non_slot_variable(name) for name in ("beta1_power", "beta2_power")]

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        powers = [as_type_of(power.value(), var) for power in self._powers()]
        settings = [as_type_of(setting, var) for setting in self._settings.values()]
        changed = [var, self.get_slot(var, "m"), self.get_slot(var, "v")]
        return self._apply("ApplyAdam", changed, [*powers, *settings, grad])

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        steps = []
        powers = self._powers()
        with framework.control_dependencies(update_ops), framework.colocate_with(powers[0].op):
            for power, beta in zip(powers, ("beta1", "beta2")):
                # As it is behind the updates: another apply_gradients of this step changes it too.
                current = power if hasattr(power, "handle") else power._ref()
                moved = emit("Mul", [current, self._settings[beta]], "mul")
                steps.append(power.assign(moved, read_value=False, use_locking=self._use_locking))
        return framework.group(*update_ops, *steps, name=name_scope)
