"""A recurrent loop in which the program chooses inputs, states and the end of each example."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, nest, reduce_ops
from tfbuild_runtime.ops.control_flow_ops import while_loop
from tfbuild_runtime.ops.tensor_array_ops import TensorArray
from tfbuild_runtime.ops.variable_scope import variable_scope
from tfbuild_runtime.rnn.dynamic import flat_sizes, kept_where_over, packed_like_sizes


def raw_rnn(cell: Any, loop_fn: Callable[..., Any], parallel_iterations: int | None = None,
            swap_memory: bool = False, scope: Any = None) -> Any:  # fmt: skip
    """Return (arrays of outputs, last state, last loop state) of a cell driven by loop_fn.

    loop_fn(time, output, state, loop_state) returns (finished, next input, next state, what to
    emit, next loop state); at time 0 it gets None for the rest, and what it emits there gives
    shapes and types without the batch, None those of the cell's output. A finished example emits
    zeros and keeps its state. Raises TypeError for a loop_fn that cannot be called, ValueError for
    an input without a rank of one or more.
    """
    del swap_memory
    if not callable(loop_fn):
        raise TypeError("loop_fn must be a callable")
    with variable_scope(scope or "rnn"):
        loop = _Raw(cell, loop_fn)
        return loop.run(parallel_iterations or 32)


class _Raw:
    """One run: what loop_fn returned before the first step, and what follows from it."""

    def __init__(self, cell: Any, loop_fn: Callable[..., Any]) -> None:
        self._cell, self._loop_fn = cell, loop_fn
        self._time = framework.constant(0, dtypes.int32, name="time")
        returned = loop_fn(self._time, None, None, None)
        self._finished, self._input, self._state, emitted, self._loop_state = returned
        first = framework.convert_to_tensor(nest.flatten(self._input)[0])
        if not first.get_shape().ndims:
            raise ValueError(f"the inputs of raw_rnn are [batch, ...], not {first.get_shape()}")
        known = first.get_shape().as_list()[0]
        self._known_batch = known
        self._batch = known if known is not None else array_ops.shape(first)[0]
        self._describe(emitted)

    def _describe(self, emitted: Any) -> None:
        """Note structure, shapes and types of what a step emits, and its zeros."""
        if emitted is None:
            self._sizes: Any = self._cell.output_size
            shapes = [tensor_shape.as_shape(size) for size in flat_sizes(self._sizes)]
            kinds = [nest.flatten(self._state)[0].dtype.base_dtype] * len(shapes)
            sizes = [array_ops.stack([self._batch, *shape.as_list()]) for shape in shapes]
        else:
            self._sizes = None
            flat = [framework.convert_to_tensor(value) for value in nest.flatten(emitted)]
            shapes = [value.get_shape() for value in flat]
            kinds = [value.dtype.base_dtype for value in flat]
            sizes = [array_ops.concat([[self._batch], array_ops.shape(value)], 0) for value in flat]
        self._emitted = emitted
        self._kinds = kinds
        self._shapes = [tensor_shape.TensorShape([self._known_batch]).concatenate(shape)
                        for shape in shapes]  # fmt: skip
        self._zeros = []
        for size, kind, shape in zip(sizes, kinds, self._shapes):
            zeros = creation_ops.zeros(size, kind)
            zeros.set_shape(shape)
            self._zeros.append(zeros)

    def run(self, parallel_iterations: int) -> Any:
        """Return what raw_rnn returns."""
        arrays = [TensorArray(kind, size=0, dynamic_size=True, element_shape=shape)
                  for kind, shape in zip(self._kinds, self._shapes)]  # fmt: skip
        loop_state = framework.constant(0, dtypes.int32, name="loop_state")
        begin = loop_state if self._loop_state is None else self._loop_state
        _, _, _, arrays, state, loop_state = while_loop(
            lambda _, finished, *__: math_ops.logical_not(reduce_ops.reduce_all(finished)),
            self._step, [self._time, self._finished, self._input, arrays, self._state, begin],
            parallel_iterations=parallel_iterations,
        )  # fmt: skip
        return self._packed(arrays), state, None if self._loop_state is None else loop_state

    def _step(self, time: Any, finished: Any, given: Any, arrays: Any, state: Any,
              loop_state: Any) -> Any:  # fmt: skip
        output, new_state = self._cell(given, state)
        nest.assert_same_structure(state, new_state)
        over, given, new_state, emitted, new_loop_state = self._loop_fn(
            time + 1, output, new_state, None if self._loop_state is None else loop_state
        )
        nest.assert_same_structure(state, new_state)
        pairs = zip(nest.leaves(state), nest.leaves(new_state))
        kept = nest.pack_leaves(
            new_state, [kept_where_over(finished, old, new) for old, new in pairs]
        )
        flat = [
            kept_where_over(finished, zeros, framework.convert_to_tensor(value, kind))
            for zeros, value, kind in zip(self._zeros, nest.flatten(emitted), self._kinds)
        ]
        written = [array.write(time, value) for array, value in zip(arrays, flat)]
        loop_state = loop_state if new_loop_state is None else new_loop_state
        return time + 1, math_ops.logical_or(finished, over), given, written, kept, loop_state

    def _packed(self, arrays: list[Any]) -> Any:
        if self._emitted is None:
            return packed_like_sizes(self._sizes, arrays)
        return nest.pack(self._emitted, arrays)
