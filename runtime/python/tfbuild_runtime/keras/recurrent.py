"""Layers of sequences: what runs recurrent cells over time."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.keras.base_layer import Layer, given, without_mask
from tfbuild_runtime.keras.recurrent_cells import (
    Cell,
    GRUCell,
    LSTMCell,
    SimpleRNNCell,
    without_dropout,
)
from tfbuild_runtime.layers.base import snake_case
from tfbuild_runtime.ops import array_ops, creation_ops, nest
from tfbuild_runtime.ops.control_flow_ops import while_loop
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ops.tensor_array_ops import TensorArray


class StateTaking(Layer):
    """A layer whose calls take the first states behind the inputs."""

    def __call__(self, inputs: Any, initial_state: Any = None, constants: Any = None,
                 **kwargs: Any) -> Any:  # fmt: skip
        """Return the outputs; the first call makes the variables."""
        if initial_state is not None:
            kwargs["initial_state"] = initial_state
        if constants is not None:
            kwargs["constants"] = constants
        return super().__call__(inputs, **kwargs)


class RNN(StateTaking):
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

    def call(self, inputs: Any, mask: Any = None, training: Any = None, initial_state: Any = None,
             constants: Any = None) -> Any:  # fmt: skip
        """Return the last output, or all of them, and with return_state the last states.

        Raises NotImplementedError for a mask or constants.
        """
        without_mask(mask)
        if constants is not None:
            raise NotImplementedError("constants are not there: let the cell keep them")
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

    def call(self, inputs: Any, states: Any, constants: Any = None, training: Any = None) -> Any:
        """Return the output and the new states, those of each cell as it has them.

        Raises NotImplementedError for constants.
        """
        if constants is not None:
            raise NotImplementedError("constants are not there: let the cells keep them")
        new = []
        for cell, own in zip(self.cells, states):
            how = {"training": training} if _takes_training(cell) else {}
            several = isinstance(cell.state_size, (list, tuple))
            inputs, after = cell.call(inputs, own if several else [own], **how)
            new.append(after if several else nest.flatten(after)[0])
        return inputs, tuple(new)


_OF_LOOP = ("return_sequences", "return_state", "go_backwards", "stateful", "unroll", "time_major",
            "name", "trainable", "dtype", "input_shape", "batch_input_shape", "input_dim",
            "weights", "activity_regularizer")  # fmt: skip


class _OwnCell(RNN):
    """An RNN that makes its cell."""

    cell_class: type[Cell]

    def _begin(self, arguments: dict[str, Any]) -> None:
        """Make the cell of those arguments that are not the loop's."""
        loop = {key: arguments.pop(key) for key in _OF_LOOP if key in arguments}
        arguments.pop("input_length", None)  # no other numbers come of it
        without_dropout(self, arguments)
        name = snake_case(self.cell_class.__name__)
        super().__init__(self.cell_class(name=name, **arguments), **loop)


class SimpleRNN(_OwnCell):
    """The plain recurrent layer."""

    cell_class = SimpleRNNCell

    def __init__(self, units: int, activation: Any = "tanh",
                 use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
                 recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros",
                 kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
                 bias_regularizer: Any = None, activity_regularizer: Any = None,
                 kernel_constraint: Any = None,
                 recurrent_constraint: Any = None, bias_constraint: Any = None,
                 dropout: float = 0.0, recurrent_dropout: float = 0.0,
                 return_sequences: bool = False, return_state: bool = False,
                 go_backwards: bool = False, stateful: bool = False, unroll: bool = False,
                 **kwargs: Any) -> None:  # fmt: skip
        self._begin(given(locals()))


class LSTM(_OwnCell):
    """Long short-term memory over sequences."""

    cell_class = LSTMCell

    def __init__(self, units: int, activation: Any = "tanh",
                 recurrent_activation: Any = "hard_sigmoid",
                 use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
                 recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros",
                 unit_forget_bias: bool = True,
                 kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
                 bias_regularizer: Any = None, activity_regularizer: Any = None,
                 kernel_constraint: Any = None,
                 recurrent_constraint: Any = None, bias_constraint: Any = None,
                 dropout: float = 0.0, recurrent_dropout: float = 0.0,
                 return_sequences: bool = False, return_state: bool = False,
                 go_backwards: bool = False, stateful: bool = False, unroll: bool = False,
                 **kwargs: Any) -> None:  # fmt: skip
        self._begin(given(locals()))


class GRU(_OwnCell):
    """Gated recurrent units over sequences."""

    cell_class = GRUCell

    def __init__(self, units: int, activation: Any = "tanh",
                 recurrent_activation: Any = "hard_sigmoid",
                 use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
                 recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros",
                 kernel_regularizer: Any = None, recurrent_regularizer: Any = None,
                 bias_regularizer: Any = None, activity_regularizer: Any = None,
                 kernel_constraint: Any = None,
                 recurrent_constraint: Any = None, bias_constraint: Any = None,
                 dropout: float = 0.0, recurrent_dropout: float = 0.0,
                 return_sequences: bool = False, return_state: bool = False,
                 go_backwards: bool = False, stateful: bool = False, unroll: bool = False,
                 reset_after: bool = False, **kwargs: Any) -> None:  # fmt: skip
        self._begin(given(locals()))


def _takes_training(cell: Any) -> bool:
    return getattr(cell, "_takes_training", False)


def _swapped(tensor: Any) -> Any:
    rank = tensor.get_shape().ndims
    return array_ops.transpose(tensor, [1, 0, *range(2, rank)])
