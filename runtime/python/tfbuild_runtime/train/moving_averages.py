"""Averages of values over the steps of a training."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import variables
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops import creation_ops, math_ops
from tfbuild_runtime.ops.control_ops import group
from tfbuild_runtime.ops.variable_scope import get_variable, variable_scope


def assign_moving_average(variable: Any, value: Any, decay: Any, zero_debias: bool = True,
                          name: str | None = None) -> Any:  # fmt: skip
    """Return a tensor that moves a variable towards value: decay * variable + (1 - decay) * value.

    With zero_debias the average does not lean towards the zeros that it began with.
    """
    with framework.name_scope(name, "AssignMovingAvg", [variable, value]) as scope:
        dtype = variable.dtype.base_dtype
        with framework.colocate_with(variable.op):
            share = framework.convert_to_tensor(1.0 - decay, name="decay")
            share = math_ops.cast(share, dtype)
            value = math_ops.cast(value, dtype)
            change = _unbiased_change(variable, value, share) if zero_debias else \
                (variable - value) * share  # fmt: skip
            return variables.assign_sub(variable, change, name=scope)


def _unbiased_change(variable: Any, value: Any, share: Any) -> Any:
    dtype = variable.dtype.base_dtype
    with variable_scope(variable.op.name, values=[variable, value, share]):
        with framework.control_dependencies(None):
            biased = get_variable("biased", variable.get_shape(), dtype, _zeros, trainable=False)
            step = get_variable("local_step", [], dtype, _zeros, trainable=False)
        new_biased = variables.assign_sub(biased, (biased - value) * share)
        new_step = variables.assign_add(step, 1)
        return variable - new_biased / (1 - math_ops.pow(1.0 - share, new_step))


def _zeros(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    del partition_info
    return creation_ops.zeros(shape, dtype)


def weighted_moving_average(value: Any, decay: Any, weight: Any, truediv: bool = True,
                            collections: Any = None, name: str | None = None) -> Any:  # fmt: skip
    """Return the average of value over the steps, weighted by weight."""
    del truediv
    with variable_scope(name, "WeightedMovingAvg", [value, weight]):
        parts = []
        for label, term in (("value_x_weight", value * weight), ("weight", weight)):
            shape, dtype = term.get_shape(), term.dtype.base_dtype
            total = get_variable(label, shape, dtype, _zeros, trainable=False,
                                 collections=collections)  # fmt: skip
            parts.append(assign_moving_average(total, term, decay, zero_debias=False))
        return math_ops.truediv(parts[0], parts[1], name="truediv")


def _as_it_is_now(value: Any) -> Any:
    """Return a value, that of a variable read after what the average is asked to wait for."""
    return value.read_value() if isinstance(value, variables.Variable) else value


class ExponentialMovingAverage:
    """Keeps averages of variables, for evaluating with them instead of their latest values."""

    def __init__(self, decay: Any, num_updates: Any = None, zero_debias: bool = False,
                 name: str = "ExponentialMovingAverage") -> None:  # fmt: skip
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Any] = {}

    @property
    def name(self) -> str:
        """The name that averages have at their end."""
        return self._name

    def apply(self, var_list: Any = None) -> Any:
        """Return an operation that moves the averages; made for trained variables by default.

        Raises ValueError when a variable has an average already, TypeError for what has no
        floating type.
        """
        chosen = variables.trainable_variables() if var_list is None else list(var_list)
        unbiased = set()
        for var in chosen:
            if not var.dtype.base_dtype.is_floating:
                raise TypeError(f"The variables must be half, float, or double: {var.name}")
            if var in self._averages:
                raise ValueError(f"Moving average already computed for: {var.name}")
            is_variable = isinstance(var, variables.Variable)
            self._averages[var] = self._make(var, is_variable)
            if is_variable:
                framework.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, var)
            elif self._zero_debias:
                unbiased.add(var)
        with framework.name_scope(self._name) as scope:
            decay = self._current_decay()
            updates = []
            for var in chosen:
                now, average = _as_it_is_now(var), self._averages[var]
                updates.append(assign_moving_average(average, now, decay, var in unbiased))
            return group(*updates, name=scope)

    def _make(self, var: Any, is_variable: bool) -> Any:
        with framework.control_dependencies(None), var.graph.name_scope(""):
            if is_variable:
                first: Any = var.initialized_value()
            else:
                shape, dtype = var.get_shape().as_list(), var.dtype.base_dtype

                def first() -> Any:
                    return creation_ops.zeros(shape, dtype)

            with framework.colocate_with(var.op):
                return variables.Variable(first, trainable=False,
                                          name=f"{var.op.name}/{self._name}")  # fmt: skip

    def _current_decay(self) -> Any:
        decay = framework.convert_to_tensor(self._decay, name="decay")
        if self._num_updates is None:
            return decay
        updates = math_ops.cast(_as_it_is_now(self._num_updates), decay.dtype.base_dtype,
                                name="num_updates")  # fmt: skip
        return math_ops.minimum(decay, (1.0 + updates) / (10.0 + updates))

    def average(self, var: Any) -> Any:
        """Return the variable that holds the average of var; None when there is none."""
        return self._averages.get(var)

    def average_name(self, var: Any) -> str:
        """Return the name of the average of var, in a checkpoint as well."""
        if var in self._averages:
            return str(self._averages[var].op.name)
        return f"{var.op.name}/{self._name}"

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """Return what a Saver takes to load averages into the variables that they are of."""
        averaged = moving_avg_variables
        if averaged is None:
            averaged = variables.trainable_variables() + variables.moving_average_variables()
        averaged = dict.fromkeys(averaged)
        found = {self.average_name(var): var for var in averaged}
        names = {var.op.name for var in averaged}
        for var in variables.global_variables():
            if var.op.name not in names and var.op.name not in found:
                found[var.op.name] = var
        return found
