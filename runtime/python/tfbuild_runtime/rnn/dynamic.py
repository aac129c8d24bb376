"""Recurrent networks in a loop of the graph: as many steps as the inputs have."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, nest
from tfbuild_runtime.ops.control_flow_ops import while_loop
from tfbuild_runtime.ops.reverse_ops import reverse_along, reverse_sequence, transpose_batch_time
from tfbuild_runtime.ops.tensor_array_ops import TensorArray
from tfbuild_runtime.ops.variable_scope import variable_scope


def dynamic_rnn(
    cell: Any, inputs: Any, sequence_length: Any = None, initial_state: Any = None,
    dtype: Any = None, parallel_iterations: int | None = None, swap_memory: bool = False,
    time_major: bool = False, scope: Any = None,
) -> Any:  # fmt: skip
    """Return (outputs, last state) of a cell over the steps of the inputs.

    Beyond its sequence_length an example gives zeros and keeps its state. Inputs are
    [batch, time, ...], with time_major [time, batch, ...]. Raises ValueError without a state to
    begin with and a dtype.
    """
    del swap_memory
    with variable_scope(scope or "rnn"):
        flat = [framework.convert_to_tensor(value) for value in nest.flatten(inputs)]
        if not time_major:
            flat = [transpose_batch_time(tensor) for tensor in flat]
        if sequence_length is not None:
            lengths = math_ops.cast(framework.convert_to_tensor(sequence_length), dtypes.int32)
            if lengths.get_shape().ndims not in (None, 1):
                raise ValueError(f"sequence_length must be a vector of length batch_size, but saw "
                                 f"shape: {lengths.get_shape()}")  # fmt: skip
            sequence_length = array_ops.identity(lengths, name="sequence_length")
        state = _first_state(cell, flat[0], initial_state, dtype)
        loop = _Loop(cell, inputs, flat, sequence_length, dtype)
        outputs, last = loop.run(state, parallel_iterations or 32)
        if not time_major:
            flat_outputs = [transpose_batch_time(tensor) for tensor in nest.flatten(outputs)]
            outputs = nest.pack(outputs, flat_outputs)
        return outputs, last


def _first_state(cell: Any, first: Any, initial_state: Any, dtype: Any) -> Any:
    if initial_state is not None:
        flat = [framework.convert_to_tensor(v) if not hasattr(v, "_flow") else v
                for v in nest.leaves(initial_state)]  # fmt: skip
        return nest.pack_leaves(initial_state, flat)
    if dtype is None:
        raise ValueError("If there is no initial_state, you must give a dtype.")
    batch = first.get_shape().as_list()[1]
    size = batch if batch is not None else array_ops.shape(first)[1]
    return cell.zero_state(size, dtype)


class _Loop:
    """One run of a cell over time; inputs are [time, batch, ...]."""

    def __init__(self, cell: Any, inputs: Any, flat: list[Any], lengths: Any, dtype: Any) -> None:
        self._cell = cell
        self._dtype = dtype  # of outputs; None where states have the same
        self._structure = inputs
        self._inputs = flat
        self._lengths = lengths
        known = [tensor.get_shape().as_list() for tensor in flat]
        for tensor, sizes in zip(flat, known):
            if None in sizes[2:]:
                raise ValueError("Input size (depth of inputs) must be accessible via shape "
                                 f"inference, but saw value None: {tensor!r}")  # fmt: skip
        self._known_steps = next((sizes[0] for sizes in known if sizes[0] is not None), None)
        self._known_batch = next((sizes[1] for sizes in known if sizes[1] is not None), None)
        shape = array_ops.shape(flat[0])
        self._steps, self._batch = shape[0], shape[1]

    def run(self, state: Any, parallel_iterations: int) -> tuple[Any, Any]:
        """Return (outputs of all steps, last state)."""
        arrays = [TensorArray(tensor.dtype, size=self._steps).unstack(tensor)
                  for tensor in self._inputs]  # fmt: skip
        sizes = self._cell.output_size
        each = flat_sizes(sizes)
        kind = self._output_type(state)
        outputs = [TensorArray(kind, size=self._steps) for _ in each]
        zeros = [self._zeros(size, kind) for size in each] if self._lengths is not None else []

        def body(time: Any, state: Any, outputs: Any) -> Any:
            given = nest.pack(self._structure, [self._read(a, time, t)
                                                for a, t in zip(arrays, self._inputs)])  # fmt: skip
            output, new_state = self._cell(given, state)
            nest.assert_same_structure(state, new_state)
            flat = nest.flatten(output)
            if self._lengths is not None:
                over = math_ops.greater_equal(time, self._lengths)
                flat = [kept_where_over(over, zero, new) for zero, new in zip(zeros, flat)]
                new_state = self._copied_through(over, state, new_state)
            return time + 1, new_state, [a.write(time, v) for a, v in zip(outputs, flat)]

        _, last, outputs = while_loop(
            lambda time, *_: math_ops.less(time, self._steps), body,
            [framework.constant(0, dtypes.int32, name="time"), state, outputs],
            parallel_iterations=parallel_iterations,
        )  # fmt: skip
        stacked = [self._stacked(a, size) for a, size in zip(outputs, each)]
        return packed_like_sizes(sizes, stacked), last

    def _output_type(self, state: Any) -> dtypes.DType:
        if self._dtype is not None:
            return dtypes.as_dtype(self._dtype)
        states = nest.flatten(state)
        return states[0].dtype.base_dtype if states else dtypes.float32

    def _read(self, array: Any, time: Any, whole: Any) -> Any:
        value = array.read(time)
        value.set_shape(whole.get_shape().as_list()[1:])
        return value

    def _zeros(self, size: list[int | None], dtype: Any) -> Any:
        zeros = creation_ops.zeros(array_ops.stack([self._batch, *size]), dtype)
        zeros.set_shape([self._known_batch, *size])
        return zeros

    def _copied_through(self, over: Any, state: Any, new_state: Any) -> Any:
        pairs = zip(nest.leaves(state), nest.leaves(new_state))
        return nest.pack_leaves(new_state, [kept_where_over(over, old, new) for old, new in pairs])

    def _stacked(self, array: Any, size: list[int | None]) -> Any:
        whole = array.stack()
        whole.set_shape([self._known_steps, self._known_batch, *size])
        return whole


def kept_where_over(over: Any, old: Any, new: Any) -> Any:
    """Return old for the examples that are over, and new for the others."""
    if hasattr(new, "_flow") or new.get_shape().ndims == 0:
        return new  # arrays and counters belong to no example
    result = array_ops.where(over, old, new)
    result.set_shape(new.get_shape())
    return result


def flat_sizes(sizes: Any) -> list[list[int | None]]:
    """Return the sizes in a nesting, each as a list of dimensions."""
    if isinstance(sizes, tensor_shape.TensorShape):
        return [sizes.as_list()]
    if isinstance(sizes, (list, tuple)) and not isinstance(sizes, tensor_shape.TensorShape):
        return [leaf for size in sizes for leaf in flat_sizes(size)]
    return [[int(getattr(sizes, "value", sizes))]]


def packed_like_sizes(sizes: Any, flat: list[Any]) -> Any:
    """Return one value for each size, in the nesting of the sizes."""
    if isinstance(sizes, (list, tuple)) and not isinstance(sizes, tensor_shape.TensorShape):
        values = iter(flat)
        parts = [packed_like_sizes(size, [next(values) for _ in flat_sizes(size)])
                 for size in sizes]  # fmt: skip
        return type(sizes)(*parts) if hasattr(sizes, "_fields") else type(sizes)(parts)
    return flat[0]


def bidirectional_dynamic_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Any, sequence_length: Any = None,
    initial_state_fw: Any = None, initial_state_bw: Any = None, dtype: Any = None,
    parallel_iterations: int | None = None, swap_memory: bool = False, time_major: bool = False,
    scope: Any = None,
) -> Any:  # fmt: skip
    """Return ((outputs forward, outputs backward), (last state of each)).

    The backward network reads each example from its end.
    """
    time_axis = 0 if time_major else 1

    def reversed_in_time(value: Any) -> Any:
        if sequence_length is None:
            return reverse_along(value, time_axis)
        return reverse_sequence(
            value, sequence_length, seq_axis=time_axis, batch_axis=1 - time_axis
        )

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw:
            output_fw, state_fw = dynamic_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, dtype, parallel_iterations,
                swap_memory, time_major, fw,
            )  # fmt: skip
        with variable_scope("bw") as bw:
            flat = [framework.convert_to_tensor(value) for value in nest.flatten(inputs)]
            backwards = nest.pack(inputs, [reversed_in_time(tensor) for tensor in flat])
            output_bw, state_bw = dynamic_rnn(
                cell_bw, backwards, sequence_length, initial_state_bw, dtype, parallel_iterations,
                swap_memory, time_major, bw,
            )  # fmt: skip
    flat_bw = [reversed_in_time(tensor) for tensor in nest.flatten(output_bw)]
    return (output_fw, nest.pack(output_bw, flat_bw)), (state_fw, state_bw)
