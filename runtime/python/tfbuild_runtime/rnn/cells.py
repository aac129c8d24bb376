"""Cells: one step of a recurrent network, from (inputs, state) to (output, new state)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import tensor_shape
from tfbuild_runtime.layers.base import InputSpec, Layer
from tfbuild_runtime.ops import (
    array_ops,
    clip_ops,
    creation_ops,
    init_ops,
    linalg_ops,
    math_ops,
    nn_ops,
)
from tfbuild_runtime.ops.variable_scope import get_variable_scope, variable_scope

_ZEROS = init_ops.Zeros()

_WEIGHTS_VARIABLE_NAME, _BIAS_VARIABLE_NAME = "kernel", "bias"  # which programs ask for


class LSTMStateTuple(NamedTuple):
    """The state of an LSTM: c is its memory, h its output."""

    c: Any
    h: Any

    @property
    def dtype(self) -> Any:
        """The type of both; raises TypeError when they differ."""
        c, h = self
        if c.dtype != h.dtype:
            raise TypeError(f"Inconsistent internal state: {c.dtype} vs {h.dtype}")
        return c.dtype


def zeros_of(sizes: Any, batch_size: Any, dtype: Any) -> Any:
    """Return zeros of [batch size, size ...] for each size in a nesting."""
    if isinstance(sizes, (list, tuple)) and not _is_one_size(sizes):
        made = [zeros_of(size, batch_size, dtype) for size in sizes]
        return type(sizes)(*made) if hasattr(sizes, "_fields") else type(sizes)(made)
    return _zeros(batch_size, sizes, dtype)


def _is_one_size(sizes: Any) -> bool:
    return isinstance(sizes, list) and all(isinstance(size, int) for size in sizes)


def _zeros(batch_size: Any, size: Any, dtype: Any) -> Any:
    rest = tensor_shape.as_shape(size if not isinstance(size, int) else [size]).as_list()
    known = batch_size
    if framework.is_tensor_like(batch_size):
        found = framework.constant_value(framework.convert_to_tensor(batch_size))
        known = None if found is None else int(found)
    shape = [known, *rest] if known is not None else array_ops.stack([batch_size, *rest])
    made = creation_ops.zeros(shape, dtype)
    made.set_shape([None if known is None else int(known), *rest])
    return made


class RNNCell(Layer):
    """One step of a recurrent network.

    A cell that is new defines state_size, output_size and call(inputs, state).
    """

    def __init__(self, trainable: bool = True, name: Any = None, dtype: Any = None,
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(trainable, name, dtype, **kwargs)
        self._outer_scope: Any = None

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Return (output, new state)."""
        if scope is not None:
            with variable_scope(scope) as entered:
                return super().__call__(inputs, state, scope=entered)
        if self._outer_scope is None:
            self._outer_scope = get_variable_scope()
        with variable_scope(self._outer_scope, auxiliary_name_scope=False):
            return super().__call__(inputs, state)

    @property
    def state_size(self) -> Any:
        """The size of the state: a number, or a nesting of them."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        raise NotImplementedError("Abstract method")

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return a state of zeros."""
        values = [batch_size] if framework.is_tensor_like(batch_size) else []
        with framework.name_scope(f"{type(self).__name__}ZeroState", values=values):
            return zeros_of(self.state_size, batch_size, dtype)

    def get_initial_state(self, inputs: Any = None, batch_size: Any = None,
                          dtype: Any = None) -> Any:  # fmt: skip
        """Return a state of zeros for as many examples as the inputs have."""
        if inputs is not None:
            inputs = framework.convert_to_tensor(inputs)
            batch_size, dtype = array_ops.shape(inputs)[0], inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError("get_initial_state needs inputs, or batch_size and dtype")
        return self.zero_state(batch_size, dtype)


class _PlainCell(RNNCell):
    """A cell whose variables lie in a scope of its own, as those of other layers."""

    def __call__(self, inputs: Any, state: Any, scope: Any = None, *args: Any,
                 **kwargs: Any) -> Any:  # fmt: skip
        """Return (output, new state)."""
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)

    def _depth(self, input_shape: Any) -> int:
        depth = input_shape.as_list()[-1] if input_shape.ndims else None
        if depth is None:
            raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {input_shape}")
        self.input_spec = InputSpec(ndim=2)
        return int(depth)


def _linear(inputs: Sequence[Any], kernel: Any, bias: Any) -> Any:
    return nn_ops.bias_add(linalg_ops.matmul(array_ops.concat(list(inputs), 1), kernel), bias)


def _activation(given: Any, default: Callable[[Any], Any]) -> Callable[[Any], Any]:
    if isinstance(given, str):
        return getattr(nn_ops, given, None) or getattr(math_ops, given)  # type: ignore[no-any-return]
    return given or default


class BasicRNNCell(_PlainCell):
    """output = new state = tanh(W [inputs, state] + b)."""

    def __init__(self, num_units: int, activation: Any = None, reuse: Any = None, name: Any = None,
                 dtype: Any = None, **kwargs: Any) -> None:  # fmt: skip
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units = num_units
        self._activation = _activation(activation, math_ops.tanh)

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    output_size = state_size

    def build(self, input_shape: Any) -> None:
        """Make kernel and bias."""
        depth, units = self._depth(input_shape), self._num_units
        self._kernel = self.add_weight("kernel", [depth + units, units])
        self._bias = self.add_weight("bias", [units], initializer=_ZEROS)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        """Return (output, new state)."""
        output = self._activation(_linear([inputs, state], self._kernel, self._bias))
        return output, output


class GRUCell(_PlainCell):
    """A gated recurrent unit."""

    def __init__(self, num_units: int, activation: Any = None, reuse: Any = None,
                 kernel_initializer: Any = None, bias_initializer: Any = None, name: Any = None,
                 dtype: Any = None, **kwargs: Any) -> None:  # fmt: skip
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units = num_units
        self._activation = _activation(activation, math_ops.tanh)
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    output_size = state_size

    def build(self, input_shape: Any) -> None:
        """Make the kernels and biases of gates and candidate."""
        size, units = self._depth(input_shape) + self._num_units, self._num_units
        bias = self._bias_initializer
        kernel = self._kernel_initializer
        ones = bias if bias is not None else init_ops.Constant(1.0)
        zeros = bias if bias is not None else _ZEROS
        self._gate_kernel = self.add_weight("gates/kernel", [size, 2 * units], initializer=kernel)
        self._gate_bias = self.add_weight("gates/bias", [2 * units], initializer=ones)
        self._candidate_kernel = self.add_weight("candidate/kernel", [size, units],
                                                 initializer=kernel)  # fmt: skip
        self._candidate_bias = self.add_weight("candidate/bias", [units], initializer=zeros)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        """Return (output, new state)."""
        gates = math_ops.sigmoid(_linear([inputs, state], self._gate_kernel, self._gate_bias))
        reset, update = array_ops.split(gates, 2, axis=1)
        candidate = _linear([inputs, reset * state], self._candidate_kernel, self._candidate_bias)
        new = update * state + (1 - update) * self._activation(candidate)
        return new, new


class BasicLSTMCell(_PlainCell):
    """A long short-term memory without peepholes, clipping and projection."""

    def __init__(self, num_units: int, forget_bias: float = 1.0, state_is_tuple: bool = True,
                 activation: Any = None, reuse: Any = None, name: Any = None, dtype: Any = None,
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = _activation(activation, math_ops.tanh)

    @property
    def state_size(self) -> Any:
        """The sizes of memory and output."""
        both = LSTMStateTuple(self._num_units, self._num_units)
        return both if self._state_is_tuple else 2 * self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Make kernel and bias."""
        depth, units = self._depth(input_shape), self._num_units
        self._kernel = self.add_weight("kernel", [depth + units, 4 * units])
        self._bias = self.add_weight("bias", [4 * units], initializer=_ZEROS)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        """Return (output, new state)."""
        c, h = state if self._state_is_tuple else array_ops.split(state, 2, axis=1)
        gates = _linear([inputs, h], self._kernel, self._bias)
        i, j, f, o = array_ops.split(gates, 4, axis=1)
        forget = framework.constant(self._forget_bias, f.dtype.base_dtype)
        kept = c * math_ops.sigmoid(f + forget)
        new_c = kept + math_ops.sigmoid(i) * self._activation(j)
        new_h = self._activation(new_c) * math_ops.sigmoid(o)
        if self._state_is_tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, array_ops.concat([new_c, new_h], 1)


class LSTMCell(_PlainCell):
    """A long short-term memory, where asked for with peepholes, clipping and projection."""

    def __init__(
        self, num_units: int, use_peepholes: bool = False, cell_clip: float | None = None,
        initializer: Any = None, num_proj: int | None = None, proj_clip: float | None = None,
        num_unit_shards: int | None = None, num_proj_shards: int | None = None,
        forget_bias: float = 1.0, state_is_tuple: bool = True, activation: Any = None,
        reuse: Any = None, name: Any = None, dtype: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **kwargs)
        del num_unit_shards, num_proj_shards
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = _activation(activation, math_ops.tanh)
        self._size = num_proj or num_units

    @property
    def state_size(self) -> Any:
        """The sizes of memory and output."""
        both = LSTMStateTuple(self._num_units, self._size)
        return both if self._state_is_tuple else self._num_units + self._size

    @property
    def output_size(self) -> int:
        """The number of units, or of what they are projected to."""
        return self._size

    def build(self, input_shape: Any) -> None:
        """Make kernel and bias, and what peepholes and projection need."""
        depth, units = self._depth(input_shape), self._num_units
        make = self._initializer
        self._kernel = self.add_weight("kernel", [depth + self._size, 4 * units], initializer=make)
        self._bias = self.add_weight("bias", [4 * units], initializer=_ZEROS)
        if self._use_peepholes:
            self._diagonals = [
                self.add_weight(f"w_{gate}_diag", [units], initializer=make) for gate in "fio"
            ]
        if self._num_proj is not None:
            self._projection = self.add_weight("projection/kernel", [units, self._num_proj],
                                               initializer=make)  # fmt: skip
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        """Return (output, new state)."""
        if self._state_is_tuple:
            c, h = state
        else:
            c, h = array_ops.split(state, [self._num_units, self._size], axis=1)
        gates = _linear([inputs, h], self._kernel, self._bias)
        i, j, f, o = array_ops.split(gates, 4, axis=1)
        f = f + self._forget_bias
        if self._use_peepholes:
            f, i = f + self._diagonals[0] * c, i + self._diagonals[1] * c
        new_c = math_ops.sigmoid(f) * c + math_ops.sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            new_c = clip_ops.clip_by_value(new_c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            o = o + self._diagonals[2] * new_c
        new_h = self._projected(math_ops.sigmoid(o) * self._activation(new_c))
        if self._state_is_tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, array_ops.concat([new_c, new_h], 1)

    def _projected(self, output: Any) -> Any:
        if self._num_proj is None:
            return output
        output = linalg_ops.matmul(output, self._projection)
        if self._proj_clip is None:
            return output
        return clip_ops.clip_by_value(output, -self._proj_clip, self._proj_clip)


class MultiRNNCell(RNNCell):
    """Cells on top of each other: the output of one is the input of the next."""

    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not isinstance(cells, (list, tuple)):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        if not state_is_tuple and any(isinstance(c.state_size, tuple) for c in cells):
            raise ValueError("Some cells return tuples of states, but the flag state_is_tuple is "
                             "not set.")  # fmt: skip
        if len({id(cell) for cell in cells}) < len(cells):
            from tfbuild_runtime.platform import tf_logging

            tf_logging.warning("one cell object stands for several layers of MultiRNNCell: they "
                               "share their weights")  # fmt: skip
        self._cells = cells
        self._state_is_tuple = state_is_tuple

    def _parts(self) -> Sequence[Layer]:
        return [cell for cell in self._cells if isinstance(cell, Layer)]

    @property
    def state_size(self) -> Any:
        """The sizes of the cells' states."""
        if self._state_is_tuple:
            return tuple(cell.state_size for cell in self._cells)
        return sum(cell.state_size for cell in self._cells)

    @property
    def output_size(self) -> Any:
        """The size of the last cell's output."""
        return self._cells[-1].output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return a state of zeros."""
        values = [batch_size] if framework.is_tensor_like(batch_size) else []
        with framework.name_scope(f"{type(self).__name__}ZeroState", values=values):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return zeros_of(self.state_size, batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        """Return (output of the last cell, new states)."""
        begin, states = 0, []
        for number, cell in enumerate(self._cells):
            with variable_scope(f"cell_{number}"):
                if self._state_is_tuple:
                    own = state[number]
                else:
                    own = state[:, begin : begin + cell.state_size]
                    begin += cell.state_size
                inputs, new = cell(inputs, own)
                states.append(new)
        return inputs, tuple(states) if self._state_is_tuple else array_ops.concat(states, 1)
