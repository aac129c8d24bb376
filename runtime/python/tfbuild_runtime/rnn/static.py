"""Recurrent networks with one part of the graph for each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, nest
from tfbuild_runtime.ops.reverse_ops import reverse_sequence
from tfbuild_runtime.ops.variable_scope import variable_scope
from tfbuild_runtime.rnn.dynamic import bidirectional_dynamic_rnn


def static_rnn(cell: Any, inputs: Sequence[Any], initial_state: Any = None, dtype: Any = None,
               sequence_length: Any = None, scope: Any = None) -> Any:  # fmt: skip
    """Return (list of outputs, last state) of a cell over a list of inputs, one for each step.

    Beyond its sequence_length an example gives zeros and keeps its state. Raises TypeError for
    inputs that are no list, ValueError for an empty one, without a state to begin with and a dtype,
    and for a sequence_length that is no vector.
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")
    with variable_scope(scope or "rnn") as entered:
        first = framework.convert_to_tensor(nest.flatten(inputs[0])[0])
        known = first.get_shape().as_list()[0]
        batch = known if known is not None else array_ops.shape(first)[0]
        if initial_state is None and dtype is None:
            raise ValueError("If no initial_state is provided, dtype must be specified")
        state = cell.zero_state(batch, dtype) if initial_state is None else initial_state
        lengths = None
        if sequence_length is not None:
            lengths = math_ops.cast(framework.convert_to_tensor(sequence_length), dtypes.int32)
            if lengths.get_shape().ndims not in (None, 1):
                raise ValueError("sequence_length must be a vector of length batch_size, "
                                 f"not of shape {lengths.get_shape()}")  # fmt: skip
        outputs = []
        for time, given in enumerate(inputs):
            if time > 0:
                entered.reuse_variables()
            output, new_state = cell(given, state)
            if lengths is not None:
                output, new_state = _copied_through(time, lengths, output, state, new_state)
            outputs.append(output)
            state = new_state
        return outputs, state


def _copied_through(time: int, lengths: Any, output: Any, state: Any, new_state: Any) -> Any:
    over = math_ops.greater_equal(framework.constant(time, dtypes.int32), lengths)

    def kept(old: Any, new: Any) -> Any:
        return new if new.get_shape().ndims == 0 else array_ops.where(over, old, new)

    flat = [kept(creation_ops.zeros_like(leaf), leaf) for leaf in nest.flatten(output)]
    states = [kept(old, new) for old, new in zip(nest.flatten(state), nest.flatten(new_state))]
    return nest.pack(output, flat), nest.pack(new_state, states)


def static_state_saving_rnn(*_: Any, **__: Any) -> Any:
    """Raise NotImplementedError: nothing saves states between steps."""
    raise NotImplementedError(
        "static_state_saving_rnn needs a queue that keeps states; feed the state to static_rnn"
    )


def static_bidirectional_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Sequence[Any], initial_state_fw: Any = None,
    initial_state_bw: Any = None, dtype: Any = None, sequence_length: Any = None,
    scope: Any = None,
) -> Any:  # fmt: skip
    """Return (outputs of both networks joined, last state forward, last state backward)."""
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as fw:
            output_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype,
                                             sequence_length, fw)  # fmt: skip
        with variable_scope("bw") as bw:
            backwards = _reversed(inputs, sequence_length)
            found, state_bw = static_rnn(cell_bw, backwards, initial_state_bw, dtype,
                                         sequence_length, bw)  # fmt: skip
    output_bw = _reversed(found, sequence_length)
    joined = [array_ops.concat([one, other], 1) for one, other in zip(output_fw, output_bw)]
    return joined, state_fw, state_bw


def _reversed(values: Sequence[Any], lengths: Any) -> list[Any]:
    if lengths is None:
        return list(reversed(values))
    whole = reverse_sequence(array_ops.stack(list(values)), lengths, seq_axis=0, batch_axis=1)
    return list(array_ops.unstack(whole, num=len(values)))


def stack_bidirectional_dynamic_rnn(
    cells_fw: Sequence[Any], cells_bw: Sequence[Any], inputs: Any, initial_states_fw: Any = None,
    initial_states_bw: Any = None, dtype: Any = None, sequence_length: Any = None,
    parallel_iterations: int | None = None, time_major: bool = False, scope: Any = None,
) -> Any:  # fmt: skip
    """Return (outputs of the last layer, last states forward, last states backward)."""
    states_fw, states_bw, layer = [], [], inputs
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for number, (fw, bw) in enumerate(zip(cells_fw, cells_bw)):
            with variable_scope(f"cell_{number}"):
                outputs, (state_fw, state_bw) = bidirectional_dynamic_rnn(
                    fw, bw, layer, sequence_length,
                    initial_states_fw[number] if initial_states_fw else None,
                    initial_states_bw[number] if initial_states_bw else None, dtype,
                    parallel_iterations, time_major=time_major,
                )  # fmt: skip
                layer = array_ops.concat(outputs, 2)
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return layer, tuple(states_fw), tuple(states_bw)
