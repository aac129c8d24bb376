"""Cells of recurrent layers: what one step makes of inputs and states."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.keras.base_layer import Layer, given
from tfbuild_runtime.keras.named import activation_of, initializer_of, regularizer_of
from tfbuild_runtime.ops import array_ops, creation_ops, nn_ops
from tfbuild_runtime.ops.emit import emit


def without_dropout(layer: Any, arguments: dict[str, Any]) -> None:
    """Raise NotImplementedError where a share is to be dropped of inputs or states."""
    for what in ("dropout", "recurrent_dropout"):
        if arguments[what]:
            raise NotImplementedError(f"{type(layer).__name__}({what}=...) is not there: put a "
                                      "Dropout layer before it")  # fmt: skip


class Cell(Layer):
    """What takes one step: kernel, recurrent kernel and bias of some gates."""

    gates = 1
    states = 1

    def __init__(self, units: int, activation: Any = "tanh", recurrent_activation: Any = None,
                 use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
                 recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros",
                 kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
                 bias_regularizer: Any = None, kernel_constraint: Any = None,
                 recurrent_constraint: Any = None, bias_constraint: Any = None,
                 dropout: float = 0.0, recurrent_dropout: float = 0.0,
                 **kwargs: Any) -> None:  # fmt: skip
        without_dropout(self, {"dropout": dropout, "recurrent_dropout": recurrent_dropout})
        kwargs.pop("implementation", None)  # no other numbers come of it
        super().__init__(**kwargs)
        self.units = int(units)
        self.activation = activation_of(activation)
        self.recurrent_activation = activation_of(recurrent_activation)
        self.use_bias = use_bias
        self._made_by = {
            "kernel": (initializer_of(kernel_initializer), regularizer_of(kernel_regularizer),
                       kernel_constraint),
            "recurrent_kernel": (initializer_of(recurrent_initializer),
                                 regularizer_of(recurrent_regularizer), recurrent_constraint),
            "bias": (initializer_of(bias_initializer), regularizer_of(bias_regularizer),
                     bias_constraint),
        }  # fmt: skip
        self.kernel: Any = None
        self.recurrent_kernel: Any = None
        self.bias: Any = None

    @property
    def state_size(self) -> Any:
        """The size of each state."""
        return self.units if self.states == 1 else [self.units] * self.states

    output_size = property(lambda self: self.units)

    def build(self, input_shape: Any) -> None:
        """Make the variables."""
        wide = self.units * self.gates
        size = input_shape.as_list()[-1]
        shapes = {"kernel": (size, wide), "recurrent_kernel": (self.units, wide)}
        if self.use_bias:
            shapes["bias"] = self._bias_shape(wide)
        for name, shape in shapes.items():
            initializer, regularizer, constraint = self._made_by[name]
            made = initializer if name != "bias" else self._first_bias(initializer)
            weight = self.add_weight(name, shape, initializer=made, regularizer=regularizer,
                                     constraint=constraint)  # fmt: skip
            setattr(self, name, weight)
        self.built = True

    def _bias_shape(self, wide: int) -> tuple[int, ...]:
        return (wide,)

    def _first_bias(self, initializer: Any) -> Any:
        return initializer

    def _product(self, inputs: Any, kernel: Any, bias: Any = None) -> Any:
        found = emit("MatMul", [inputs, kernel])
        return found if bias is None else nn_ops.bias_add(found, bias)


class SimpleRNNCell(Cell):
    """activation(inputs x kernel + state x recurrent_kernel + bias)."""

    def __init__(self, units: int, activation: Any = "tanh",
                 use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
                 recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros",
                 kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
                 bias_regularizer: Any = None, kernel_constraint: Any = None,
                 recurrent_constraint: Any = None, bias_constraint: Any = None,
                 dropout: float = 0.0, recurrent_dropout: float = 0.0,
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(**given(locals()))

    def call(self, inputs: Any, states: Any = None, training: Any = None) -> Any:
        """Return the output and the new states."""
        found = self._product(inputs, self.kernel, self.bias)
        output = self.activation(found + self._product(states[0], self.recurrent_kernel))
        return output, [output]


class LSTMCell(Cell):
    """Long short-term memory: gates of input, forgetting, the new memory and the output."""

    gates, states = 4, 2

    def __init__(self, units: int, activation: Any = "tanh",
                 recurrent_activation: Any = "hard_sigmoid",
                 use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
                 recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros",
                 unit_forget_bias: bool = True,
                 kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
                 bias_regularizer: Any = None, kernel_constraint: Any = None,
                 recurrent_constraint: Any = None, bias_constraint: Any = None,
                 dropout: float = 0.0, recurrent_dropout: float = 0.0,
                 **kwargs: Any) -> None:  # fmt: skip
        arguments = given(locals())
        del arguments["unit_forget_bias"]
        super().__init__(**arguments)
        self.unit_forget_bias = unit_forget_bias

    def _first_bias(self, initializer: Any) -> Any:
        if not self.unit_forget_bias:
            return initializer

        def make(_: Any, dtype: Any = None) -> Any:
            parts = [initializer([self.units], dtype=dtype),
                     creation_ops.ones([self.units], dtype),
                     initializer([self.units * 2], dtype=dtype)]  # fmt: skip
            return array_ops.concat(parts, 0)

        return make

    def call(self, inputs: Any, states: Any = None, training: Any = None) -> Any:
        """Return the output and the new states."""
        output, memory = states
        both = self._product(inputs, self.kernel) + self._product(output, self.recurrent_kernel)
        if self.bias is not None:
            both = nn_ops.bias_add(both, self.bias)
        enter, forget, new, leave = array_ops.split(both, 4, axis=1)
        gate = self.recurrent_activation
        memory = gate(forget) * memory + gate(enter) * self.activation(new)
        output = gate(leave) * self.activation(memory)
        return output, [output, memory]


class GRUCell(Cell):
    """Gated recurrent unit: gates of update and reset, and the new state."""

    gates = 3

    def __init__(self, units: int, activation: Any = "tanh",
                 recurrent_activation: Any = "hard_sigmoid",
                 use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
                 recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros",
                 kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
                 bias_regularizer: Any = None, kernel_constraint: Any = None,
                 recurrent_constraint: Any = None, bias_constraint: Any = None,
                 dropout: float = 0.0, recurrent_dropout: float = 0.0,
                 reset_after: bool = False, **kwargs: Any) -> None:  # fmt: skip
        arguments = given(locals())
        del arguments["reset_after"]
        super().__init__(**arguments)
        self.reset_after = reset_after

    def _bias_shape(self, wide: int) -> tuple[int, ...]:
        return (2, wide) if self.reset_after else (wide,)

    def call(self, inputs: Any, states: Any = None, training: Any = None) -> Any:
        """Return the output and the new states."""
        before, n = states[0], self.units
        entered, again = self.bias, None
        if self.bias is not None and self.reset_after:
            entered, again = array_ops.unstack(self.bias, num=2)
        x = array_ops.split(self._product(inputs, self.kernel, entered), 3, axis=1)
        gate = self.recurrent_activation
        if self.reset_after:
            h = array_ops.split(self._product(before, self.recurrent_kernel, again), 3, axis=1)
            update, reset = gate(x[0] + h[0]), gate(x[1] + h[1])
            new = self.activation(x[2] + reset * h[2])
        else:
            kernel = framework.convert_to_tensor(self.recurrent_kernel)
            h = [self._product(before, kernel[:, i * n : (i + 1) * n]) for i in range(2)]
            update, reset = gate(x[0] + h[0]), gate(x[1] + h[1])
            new = self.activation(x[2] + self._product(reset * before, kernel[:, 2 * n :]))
        output = update * before + (1.0 - update) * new
        return output, [output]
