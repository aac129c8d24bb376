"""Decoders of tf.contrib.seq2seq: sequences made step by step, until each example has ended."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.tensor_shape import TensorShape, as_shape
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, nest, reduce_ops
from tfbuild_runtime.ops.control_flow_ops import while_loop
from tfbuild_runtime.ops.reverse_ops import transpose_batch_time
from tfbuild_runtime.ops.tensor_array_ops import TensorArray
from tfbuild_runtime.ops.variable_scope import variable_scope


class Decoder:
    """What makes one step of each sequence from the one before: see BasicDecoder."""

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        raise NotImplementedError("a decoder defines its batch_size")

    @property
    def output_size(self) -> Any:
        """The sizes of what a step gives."""
        raise NotImplementedError("a decoder defines its output_size")

    @property
    def output_dtype(self) -> Any:
        """The types of what a step gives."""
        raise NotImplementedError("a decoder defines its output_dtype")

    @property
    def tracks_own_finished(self) -> bool:
        """Whether a sequence that has ended may go on, as beams do that change places."""
        return False

    def initialize(self, name: str | None = None) -> Any:
        """Return (who has ended, first inputs, first state)."""
        raise NotImplementedError("a decoder begins somewhere")

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """Return (outputs, next state, next inputs, who has ended)."""
        raise NotImplementedError("a decoder makes steps")

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """Return (outputs, last state) as the caller wants them."""
        del sequence_lengths
        return outputs, final_state


class BasicDecoderOutput(NamedTuple):
    """What a step of a BasicDecoder gives: outputs of the cell, and what was sampled of them."""

    rnn_output: Any
    sample_id: Any


class BasicDecoder(Decoder):
    """A cell whose next inputs a helper chooses."""

    def __init__(
        self, cell: Any, helper: Any, initial_state: Any, output_layer: Any = None
    ) -> None:
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        return self._helper.batch_size

    @property
    def output_size(self) -> Any:
        """The sizes of outputs and samples."""
        size = self._cell.output_size
        if self._output_layer is not None:
            size = self._output_layer.compute_output_shape(TensorShape([None, size]))[1:]
        return BasicDecoderOutput(size, self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> Any:
        """The types of outputs and samples."""
        dtype = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(dtype, self._helper.sample_ids_dtype)

    def initialize(self, name: str | None = None) -> Any:
        """Return (who has ended, first inputs, first state)."""
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """Return (outputs, next state, next inputs, who has ended)."""
        with framework.name_scope(name, "BasicDecoderStep", [time]):
            output, state = self._cell(inputs, state)
            if self._output_layer is not None:
                output = self._output_layer(output)
            drawn = self._helper.sample(time=time, outputs=output, state=state)
            finished, inputs, state = self._helper.next_inputs(
                time=time, outputs=output, state=state, sample_ids=drawn
            )
        return BasicDecoderOutput(output, drawn), state, inputs, finished


def dynamic_decode(
    decoder: Any, output_time_major: bool = False, impute_finished: bool = False,
    maximum_iterations: Any = None, parallel_iterations: int = 32, swap_memory: bool = False,
    scope: Any = None,
) -> Any:  # fmt: skip
    """Return (outputs, last state, lengths) of a decoder that goes on until all sequences ended.

    With impute_finished a sequence that has ended gives zeros and keeps its state. Raises TypeError
    for what is no Decoder, and ValueError for maximum_iterations that is no scalar.
    """
    del swap_memory
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder"):
        if maximum_iterations is not None:
            maximum_iterations = framework.convert_to_tensor(
                maximum_iterations, dtypes.int32, name="maximum_iterations"
            )
            if maximum_iterations.get_shape().ndims not in (0, None):
                raise ValueError("maximum_iterations must be a scalar")
        run = _Decoding(decoder, impute_finished, maximum_iterations)
        outputs, state, lengths = run.loop(parallel_iterations)
        outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            flat = [transpose_batch_time(tensor) for tensor in nest.leaves(outputs)]
            outputs = nest.pack_leaves(outputs, flat)
        return outputs, state, lengths


_FINISHED = 4  # the place among the variables of the loop


class _Decoding:
    """One run of a decoder."""

    def __init__(self, decoder: Any, impute_finished: bool, limit: Any) -> None:
        self._decoder = decoder
        self._impute = impute_finished
        finished, self._inputs, self._state = decoder.initialize()
        self._limit = limit
        if limit is not None:
            finished = math_ops.logical_or(finished, math_ops.less_equal(limit, 0))
        self._finished = finished
        self._sizes = nest.flatten_shapes(decoder.output_size)
        self._types = [dtypes.as_dtype(kind).base_dtype
                       for kind in nest.leaves(decoder.output_dtype)]  # fmt: skip
        batch = decoder.batch_size
        self._batch = batch if isinstance(batch, int) else _constant(batch)

    def loop(self, parallel_iterations: int) -> Any:
        """Return (outputs, state, lengths) after the last step."""
        arrays = [TensorArray(kind, size=0, dynamic_size=True,
                              element_shape=[self._batch, *as_shape(_as_list(size)).as_list()])
                  for kind, size in zip(self._types, self._sizes)]  # fmt: skip
        lengths = creation_ops.zeros_like(self._finished, dtypes.int32)
        start = [framework.constant(0, dtypes.int32, name="time"), arrays, self._state,
                 self._inputs, self._finished, lengths]  # fmt: skip
        _, arrays, state, _, _, lengths = while_loop(
            lambda *state: math_ops.logical_not(reduce_ops.reduce_all(state[_FINISHED])),
            self._step, start, parallel_iterations=parallel_iterations,
            maximum_iterations=self._limit,
        )  # fmt: skip
        stacked = [array.stack() for array in arrays]
        return nest.pack_leaves(self._decoder.output_dtype, stacked), state, lengths

    def _step(self, time: Any, arrays: Any, state: Any, inputs: Any, finished: Any,
              lengths: Any) -> Any:  # fmt: skip
        outputs, new_state, inputs, ended = self._decoder.step(time, inputs, state)
        if not self._decoder.tracks_own_finished:
            ended = math_ops.logical_or(ended, finished)
        grown = creation_ops.fill(array_ops.shape(lengths), time + 1)
        lengths = array_ops.where(math_ops.logical_not(finished), grown, lengths)
        nest.assert_same_structure(state, new_state)
        flat = nest.leaves(outputs)
        if self._impute:
            flat = [array_ops.where(finished, creation_ops.zeros_like(part), part)
                    for part in flat]  # fmt: skip
            pairs = zip(nest.leaves(state), nest.leaves(new_state))
            new_state = nest.pack_leaves(new_state, [_kept(finished, *pair) for pair in pairs])
        arrays = [array.write(time, part) for array, part in zip(arrays, flat)]
        return time + 1, arrays, new_state, inputs, ended, lengths


def _kept(finished: Any, old: Any, new: Any) -> Any:
    """Return the old state of who has ended; what has no examples is new for all."""
    if isinstance(old, TensorArray) or new.get_shape().ndims == 0:
        return new
    new.set_shape(old.get_shape())
    return array_ops.where(finished, old, new)


def _constant(batch: Any) -> int | None:
    found = framework.constant_value(framework.convert_to_tensor(batch))
    return None if found is None else int(found)


def _as_list(size: Any) -> Any:
    return [size] if isinstance(size, int) else size
