"""Layers of sequences: recurrent cells, what runs them over time, layers at each time."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.keras.base_layer import Layer
from tfbuild_runtime.keras.named import activation_of, initializer_of, regularizer_of
from tfbuild_runtime.layers.base import snake_case
from tfbuild_runtime.ops import array_ops, creation_ops, nest, nn_ops
from tfbuild_runtime.ops.control_flow_ops import while_loop
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ops.tensor_array_ops import TensorArray


class _Cell(Layer):
    """What takes one step: kernel, recurrent kernel and bias of some gates."""

    gates = 1
    states = 1

    def __init__(self, units: int, activation: Any = "tanh", recurrent_activation: Any = None,
                 use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
                 recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros",
                 kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
                 bias_regularizer: Any = None, kernel_constraint: Any = None,
                 recurrent_constraint: Any = None, bias_constraint: Any = None,
                 **kwargs: Any) -> None:  # fmt: skip
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


class SimpleRNNCell(_Cell):
    """activation(inputs x kernel + state x recurrent_kernel + bias)."""

    def call(self, inputs: Any, states: Any = None, **_: Any) -> Any:
        """Return the output and the new states."""
        found = self._product(inputs, self.kernel, self.bias)
        output = self.activation(found + self._product(states[0], self.recurrent_kernel))
        return output, [output]


class LSTMCell(_Cell):
    """Long short-term memory: gates of input, forgetting, the new memory and the output."""

    gates, states = 4, 2

    def __init__(self, units: int, activation: Any = "tanh",
                 recurrent_activation: Any = "hard_sigmoid", unit_forget_bias: bool = True,
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(units, activation, recurrent_activation, **kwargs)
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

    def call(self, inputs: Any, states: Any = None, **_: Any) -> Any:
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


class GRUCell(_Cell):
    """Gated recurrent unit: gates of update and reset, and the new state."""

    gates = 3

    def __init__(self, units: int, activation: Any = "tanh",
                 recurrent_activation: Any = "hard_sigmoid", reset_after: bool = False,
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(units, activation, recurrent_activation, **kwargs)
        self.reset_after = reset_after

    def _bias_shape(self, wide: int) -> tuple[int, ...]:
        return (2, wide) if self.reset_after else (wide,)

    def call(self, inputs: Any, states: Any = None, **_: Any) -> Any:
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


class RNN(Layer):
    """Runs a cell, or several one upon the other, over the second dimension."""

    def __init__(self, cell: Any, return_sequences: bool = False, return_state: bool = False,
                 go_backwards: bool = False, stateful: bool = False, unroll: bool = False,
                 time_major: bool = False, **kwargs: Any) -> None:  # fmt: skip
        super().__init__(**kwargs)
        if stateful:
            raise NotImplementedError("a stateful RNN is not there: pass initial_state")
        self.cell = StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.unroll = unroll
        self.time_major = time_major

    @property
    def units(self) -> int:
        """The size of the output of each time."""
        return int(self.cell.units)

    def build(self, input_shape: Any) -> None:
        """Make the variables of the cell."""
        del input_shape
        self.built = True

    def call(self, inputs: Any, initial_state: Any = None, mask: Any = None,
             training: Any = None) -> Any:  # fmt: skip
        """Return the last output, or all of them, and with return_state the last states."""
        if mask is not None:
            raise NotImplementedError("masks are not there: use tf.nn.dynamic_rnn with lengths")
        if isinstance(inputs, (list, tuple)):
            inputs, initial_state = inputs[0], list(inputs[1:])
        steps = inputs if self.time_major else _swapped(inputs)
        if self.go_backwards:
            steps = emit("ReverseV2", [steps, [0]])
        states = self._first_states(steps, initial_state)
        self._build_cell(steps)
        self._of_step = {"training": training} if _takes_training(self.cell) else {}
        count = steps.get_shape().as_list()[0]
        run = self._unrolled if self.unroll and count is not None else self._looped
        outputs, last, states = run(steps, states)
        if self.return_sequences:
            found = outputs if self.time_major else _swapped(outputs)
            found.set_shape([*inputs.get_shape().as_list()[:2], last.get_shape().as_list()[-1]])
        else:
            found = last
        return [found, *nest.pack(self._nested_sizes(), states)] if self.return_state else found

    def _nested_sizes(self) -> list[Any]:
        """Return the sizes of the states, nested as the cell, or each of several, has them."""
        sizes = self.cell.state_size
        return list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]

    def _step(self, inputs: Any, states: list[Any]) -> tuple[Any, list[Any]]:
        """Return the output of the cell and its new states, in one list."""
        nested = nest.pack(self._nested_sizes(), states)
        output, new = self.cell.call(inputs, nested, **self._of_step)
        return output, nest.flatten(new)

    def _build_cell(self, steps: Any) -> None:
        """Make the cell's variables before the loop, so that they are outside of it."""
        if not self.cell.built:
            with framework.name_scope(self.cell.name):
                self.cell._graph = framework.get_default_graph()
                shape = steps.get_shape()[1:]
                if self.cell._dtype is None:
                    self.cell._dtype = steps.dtype.base_dtype
                with framework.control_dependencies(None):
                    self.cell.build(shape)
                self.cell.built = True

    def _first_states(self, steps: Any, given: Any) -> list[Any]:
        sizes = nest.flatten(self.cell.state_size)
        if given is not None:
            states = nest.flatten(given)
            if len(states) != len(sizes):
                raise ValueError(f"Layer has {len(sizes)} states but was passed {len(states)} "
                                 f"initial states: {given}")  # fmt: skip
            return states
        rows = array_ops.shape(steps)[1]
        return [creation_ops.zeros(array_ops.stack([rows, size]), steps.dtype.base_dtype)
                for size in sizes]  # fmt: skip

    def _unrolled(self, steps: Any, states: list[Any]) -> tuple[Any, Any, list[Any]]:
        outputs = []
        for step in array_ops.unstack(steps):
            output, states = self._step(step, states)
            outputs.append(output)
        return array_ops.stack(outputs), outputs[-1], states

    def _looped(self, steps: Any, states: list[Any]) -> tuple[Any, Any, list[Any]]:
        count = array_ops.shape(steps)[0]
        dtype = steps.dtype.base_dtype
        rows = TensorArray(dtype, size=count).unstack(steps)
        outputs = TensorArray(dtype, size=count)

        def step(time: Any, array: Any, *old: Any) -> Any:
            now = rows.read(time)
            now.set_shape(steps.get_shape()[1:])
            output, new = self._step(now, list(old))
            for one, before in zip(new, old):
                one.set_shape(before.get_shape())
            return [time + 1, array.write(time, output), *new]

        _, outputs, *states = while_loop(
            lambda time, *_: emit("Less", [time, count]), step,
            [framework.constant(0), outputs, *states],
        )  # fmt: skip
        found = outputs.stack()
        known = steps.get_shape().as_list()
        size = getattr(self.cell, "output_size", nest.flatten(self.cell.state_size)[0])
        found.set_shape([known[0], known[1], size])
        last = found[-1]
        return found, last, list(states)


class StackedRNNCells(Layer):
    """Several cells, each taking the output of the one before."""

    def __init__(self, cells: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cells = list(cells)

    @property
    def units(self) -> int:
        """The size of the output."""
        return int(self.cells[-1].units)

    @property
    def state_size(self) -> tuple[Any, ...]:
        """The sizes of the states of each cell."""
        return tuple(cell.state_size for cell in self.cells)

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        last = self.cells[-1]
        return getattr(last, "output_size", nest.flatten(last.state_size)[0])

    def build(self, input_shape: Any) -> None:
        """Make the variables of all cells."""
        for cell in self.cells:
            with framework.name_scope(cell.name):
                cell._dtype = self._dtype
                cell.build(input_shape)
                cell.built = True
            size = getattr(cell, "output_size", nest.flatten(cell.state_size)[0])
            input_shape = input_shape[:-1].concatenate([size])
        self.built = True

    def call(self, inputs: Any, states: Any = None, training: Any = None) -> Any:
        """Return the output and the new states, those of each cell as it has them."""
        new = []
        for cell, own in zip(self.cells, states):
            how = {"training": training} if _takes_training(cell) else {}
            several = isinstance(cell.state_size, (list, tuple))
            inputs, after = cell.call(inputs, own if several else [own], **how)
            new.append(after if several else nest.flatten(after)[0])
        return inputs, tuple(new)


class _OwnCell(RNN):
    """An RNN that makes its cell."""

    cell_class: type[_Cell]
    _of_loop = ("return_sequences", "return_state", "go_backwards", "stateful", "unroll",
                "time_major", "name", "trainable", "dtype", "input_shape", "batch_input_shape",
                "input_dim", "weights", "activity_regularizer")  # fmt: skip

    def __init__(self, units: int, *args: Any, **kwargs: Any) -> None:
        loop = {key: kwargs.pop(key) for key in self._of_loop if key in kwargs}
        for key in ("dropout", "recurrent_dropout"):
            if kwargs.pop(key, 0):
                raise NotImplementedError(f"{type(self).__name__}({key}=...) is not there: put a "
                                          "Dropout layer before it")  # fmt: skip
        for key in ("implementation", "input_length"):  # no other numbers come of them
            kwargs.pop(key, None)
        name = snake_case(self.cell_class.__name__)
        super().__init__(self.cell_class(units, *args, name=name, **kwargs), **loop)


class SimpleRNN(_OwnCell):
    """The plain recurrent layer."""

    cell_class = SimpleRNNCell


class LSTM(_OwnCell):
    """Long short-term memory over sequences."""

    cell_class = LSTMCell


class GRU(_OwnCell):
    """Gated recurrent units over sequences."""

    cell_class = GRUCell


def _takes_training(cell: Any) -> bool:
    return getattr(cell, "_takes_training", False)


def _swapped(tensor: Any) -> Any:
    rank = tensor.get_shape().ndims
    return array_ops.transpose(tensor, [1, 0, *range(2, rank)])
