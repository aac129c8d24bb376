"""Cells around cells: dropout, a way around, a device, projections."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.layers.base import Layer
from tfbuild_runtime.ops import (
    array_ops,
    embedding_ops,
    init_ops,
    math_ops,
    nest,
    nn_ops,
    random_ops,
)
from tfbuild_runtime.ops.variable_scope import get_variable, get_variable_scope, variable_scope
from tfbuild_runtime.rnn.cells import LSTMStateTuple, RNNCell


class _Wrapper(RNNCell):
    """A cell that has the sizes, the state and the scope of the one that it wraps."""

    def __init__(self, cell: Any) -> None:
        super().__init__()
        self._cell = cell

    @property
    def state_size(self) -> Any:
        """That of the cell inside."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """That of the cell inside."""
        return self._cell.output_size

    @property
    def wrapped_cell(self) -> Any:
        """The cell inside."""
        return self._cell

    def _parts(self) -> Sequence[Layer]:
        return [self._cell] if isinstance(self._cell, Layer) else []

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return a state of zeros of the cell inside."""
        with framework.name_scope(f"{type(self).__name__}ZeroState"):
            return self._cell.zero_state(batch_size, dtype)


class DropoutWrapper(_Wrapper):
    """Sets shares of a cell's inputs, outputs and state to zero."""

    def __init__(
        self, cell: Any, input_keep_prob: Any = 1.0, output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0, variational_recurrent: bool = False, input_size: Any = None,
        dtype: Any = None, seed: int | None = None, dropout_state_filter_visitor: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(cell)
        given = {"input": input_keep_prob, "state": state_keep_prob, "output": output_keep_prob}
        with framework.name_scope("DropoutWrapperInit"):
            self._keep = {what: _share(what, value) for what, value in given.items()}
        self._seed = seed
        self._filter = dropout_state_filter_visitor or _all_but_memory
        self._noise: dict[str, Any] = {}
        if variational_recurrent:
            self._draw_noise(input_size, dtype)

    def _draw_noise(self, input_size: Any, dtype: Any) -> None:
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        if self._keeps_less("input") and input_size is None:
            raise ValueError("When variational_recurrent=True and input_keep_prob < 1.0 or is "
                             "unknown, input_size must be provided")  # fmt: skip
        sizes = {"input": input_size, "state": self._cell.state_size,
                 "output": self._cell.output_size}  # fmt: skip
        for what, size in sizes.items():
            if size is not None and self._keeps_less(what):
                self._noise[what] = [
                    random_ops.random_uniform([1, _number(leaf)], seed=self._gen_seed(what, i),
                                              dtype=dtype)
                    for i, leaf in enumerate(nest.flatten(size))
                ]  # fmt: skip

    def _gen_seed(self, salt: str, index: int) -> int | None:
        if self._seed is None:
            return None
        text = f"{self._seed}{salt}_{index}".encode()
        return int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _keeps_less(self, what: str) -> bool:
        share = self._keep[what]
        return not isinstance(share, (int, float)) or share < 1

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Return (output, new state)."""
        if self._keeps_less("input"):
            inputs = self._dropped(inputs, "input")
        output, new_state = self._cell(inputs, state, scope=scope)
        if self._keeps_less("state"):
            new_state = self._drop_state(new_state)
        if self._keeps_less("output"):
            output = self._dropped(output, "output")
        return output, new_state

    def _drop_state(self, state: Any) -> Any:
        kept = self._filter(state)
        if isinstance(state, (list, tuple)) and not isinstance(kept, bool):
            both = zip(state, kept)
            parts = [self._dropped(part, "state") if take else part for part, take in both]
            return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)
        return self._dropped(state, "state") if kept else state

    def _dropped(self, values: Any, what: str) -> Any:
        flat = []
        for index, tensor in enumerate(nest.flatten(values)):
            if what in self._noise:
                keep = framework.convert_to_tensor(self._keep[what], tensor.dtype.base_dtype)
                mask = math_ops.floor(self._noise[what][index] + keep)
                flat.append(tensor / keep * mask)
            else:
                flat.append(nn_ops.dropout(tensor, keep_prob=self._keep[what],
                                           seed=self._gen_seed(what, index)))  # fmt: skip
        return nest.pack(values, flat)


def _share(what: str, given: Any) -> Any:
    """Return a share as a number where it is known, as of a constant; else as a tensor.

    Raises ValueError outside of [0, 1].
    """
    tensor = framework.convert_to_tensor(given)
    known = framework.constant_value(tensor)
    if known is None:
        return tensor
    if not 0 <= known <= 1:
        raise ValueError(f"Parameter {what}_keep_prob must be between 0 and 1: {known}")
    return float(known)


def _number(size: Any) -> int:
    return int(getattr(size, "value", size))


def _all_but_memory(state: Any) -> Any:
    """Return what of a state is dropped: not the memory of an LSTM."""
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return [True] * len(state) if isinstance(state, (list, tuple)) else True


class ResidualWrapper(_Wrapper):
    """Adds a cell's inputs to its outputs."""

    def __init__(self, cell: Any, residual_fn: Callable[[Any, Any], Any] | None = None) -> None:
        super().__init__(cell)
        self._residual_fn = residual_fn or _sum

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Return (output, new state)."""
        output, new_state = self._cell(inputs, state, scope=scope)
        return self._residual_fn(inputs, output), new_state


def _sum(inputs: Any, outputs: Any) -> Any:
    nest.assert_same_structure(inputs, outputs)
    added = []
    for one, other in zip(nest.flatten(inputs), nest.flatten(outputs)):
        one.get_shape().assert_is_compatible_with(other.get_shape())
        added.append(one + other)
    return nest.pack(outputs, added)


class DeviceWrapper(_Wrapper):
    """Runs a cell on a device."""

    def __init__(self, cell: Any, device: Any) -> None:
        super().__init__(cell)
        self._device = device

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return a state of zeros, on that device."""
        with framework.device(self._device):
            return super().zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Return (output, new state)."""
        with framework.device(self._device):
            return self._cell(inputs, state, scope=scope)


class OutputProjectionWrapper(_Wrapper):
    """Makes a cell's outputs of another size."""

    def __init__(self, cell: Any, output_size: int, activation: Any = None,
                 reuse: Any = None) -> None:  # fmt: skip
        super().__init__(cell)
        self._projected_size = output_size
        self._activation = activation
        self._reuse = reuse

    @property
    def output_size(self) -> int:
        """The size after the projection."""
        return self._projected_size

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        """Return (output, new state)."""
        output, new_state = self._cell(inputs, state)
        projected = project(output, self._projected_size)
        return projected if self._activation is None else self._activation(projected), new_state


class InputProjectionWrapper(_Wrapper):
    """Makes a cell's inputs of another size."""

    def __init__(self, cell: Any, num_proj: int, activation: Any = None) -> None:
        super().__init__(cell)
        self._num_proj = num_proj
        self._activation = activation

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        """Return (output, new state)."""
        projected = project(inputs, self._num_proj)
        if self._activation is not None:
            projected = self._activation(projected)
        return self._cell(projected, state)


class EmbeddingWrapper(_Wrapper):
    """Gives a cell the vectors of numbered words."""

    def __init__(self, cell: Any, embedding_classes: int, embedding_size: int,
                 initializer: Any = None, reuse: Any = None) -> None:  # fmt: skip
        super().__init__(cell)
        self._table = (embedding_classes, embedding_size, initializer)
        self._reuse = reuse

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        """Return (output, new state)."""
        classes, size, initializer = self._table
        dtype = nest.flatten(state)[0].dtype.base_dtype
        # Where nobody says otherwise, numbers of variance 1.
        initializer = initializer or get_variable_scope().initializer
        initializer = initializer or init_ops.RandomUniform(-math.sqrt(3), math.sqrt(3))
        table = get_variable("embedding", [classes, size], dtype, initializer)
        vectors = embedding_ops.embedding_lookup(table, array_ops.reshape(inputs, [-1]))
        return self._cell(vectors, state)


def project(values: Any, size: int) -> Any:
    """Return values x kernel + bias, with variables of the current scope."""
    from tfbuild_runtime.ops import linalg_ops

    depth = values.get_shape().as_list()[-1]
    with variable_scope("projection", auxiliary_name_scope=False):
        dtype = values.dtype.base_dtype
        kernel = get_variable("kernel", [depth, size], dtype)
        bias = get_variable("bias", [size], dtype, init_ops.Zeros())
        return nn_ops.bias_add(linalg_ops.matmul(values, kernel), bias)
