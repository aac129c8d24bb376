"""Beam search of tf.contrib.seq2seq: the likeliest sequences of several that grow side by side."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfbuild_runtime.contrib.decoders import Decoder
from tfbuild_runtime.contrib.decoding_helpers import lookup_function
from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.tensor_shape import TensorShape
from tfbuild_runtime.ops import (
    array_ops,
    creation_ops,
    math_ops,
    nest,
    nn_ops,
    order_ops,
    reduce_ops,
)
from tfbuild_runtime.ops.control_flow_ops import cond, while_loop
from tfbuild_runtime.ops.tensor_array_ops import TensorArray


class BeamSearchDecoderState(NamedTuple):
    """What is kept of each beam."""

    cell_state: Any
    log_probs: Any
    finished: Any
    lengths: Any
    accumulated_attention_probs: Any = ()


class BeamSearchDecoderOutput(NamedTuple):
    """What a step gives: the words of the new beams, and which beams they go on from."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


class FinalBeamSearchDecoderOutput(NamedTuple):
    """The sequences, the best first, and what the steps gave."""

    predicted_ids: Any
    beam_search_decoder_output: Any


class BeamSearchDecoder(Decoder):
    """Keeps the beam_width likeliest beginnings of each sequence."""

    def __init__(
        self, cell: Any, embedding: Any, start_tokens: Any, end_token: Any, initial_state: Any,
        beam_width: int, output_layer: Any = None, length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0, reorder_tensor_arrays: bool = True,
    ) -> None:  # fmt: skip
        if coverage_penalty_weight:
            raise NotImplementedError("coverage_penalty_weight is not there: leave it at 0")
        del reorder_tensor_arrays
        self._cell = cell
        self._output_layer = output_layer
        self._width = beam_width
        self._penalty = length_penalty_weight
        self._embedding = lookup_function(embedding)
        self._start = framework.convert_to_tensor(start_tokens, dtypes.int32, name="start_tokens")
        if self._start.get_shape().ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._end = framework.convert_to_tensor(end_token, dtypes.int32, name="end_token")
        if self._end.get_shape().ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch = array_ops.size(self._start)
        self._known = self._start.get_shape().as_list()[0]
        self._first = self._embedding(self._wide(self._start))
        flat = [part if isinstance(part, TensorArray) else self._split_beams(part)
                for part in nest.leaves(initial_state)]  # fmt: skip
        self._initial_state = nest.pack_leaves(initial_state, flat)

    def _wide(self, tokens: Any) -> Any:
        return array_ops.tile(array_ops.expand_dims(tokens, 1), [1, self._width])

    def _split_beams(self, tensor: Any) -> Any:
        """Return [batch * beams, ...] as [batch, beams, ...]; what has no batch stays as it is."""
        tensor = framework.convert_to_tensor(tensor)
        if tensor.get_shape().ndims == 0:
            return tensor
        rest = tensor.get_shape().as_list()[1:]
        sizes = array_ops.concat([[self._batch, self._width], array_ops.shape(tensor)[1:]], 0)
        result = array_ops.reshape(tensor, sizes)
        result.set_shape([self._known, self._width, *rest])
        return result

    def _merge_beams(self, tensor: Any) -> Any:
        if isinstance(tensor, TensorArray) or tensor.get_shape().ndims == 0:
            return tensor
        rest = tensor.get_shape().as_list()[2:]
        sizes = array_ops.concat([[self._batch * self._width], array_ops.shape(tensor)[2:]], 0)
        result = array_ops.reshape(tensor, sizes)
        result.set_shape([None if self._known is None else self._known * self._width, *rest])
        return result

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        return self._batch

    @property
    def tracks_own_finished(self) -> bool:
        """Whether it tracks itself who has ended: beams change places."""
        return True

    @property
    def output_size(self) -> Any:
        """The sizes of what a step gives."""
        each = TensorShape([self._width])
        return BeamSearchDecoderOutput(each, each, each)

    @property
    def output_dtype(self) -> Any:
        """The types of what a step gives."""
        kind = nest.flatten(self._initial_state)[0].dtype.base_dtype
        return BeamSearchDecoderOutput(kind, dtypes.int32, dtypes.int32)

    def initialize(self, name: str | None = None) -> Any:
        """Return (who has ended, first inputs, first state): at first only one beam counts."""
        kind = nest.flatten(self._initial_state)[0].dtype.base_dtype
        shape = array_ops.stack([self._batch, self._width])
        finished = creation_ops.fill(shape, False)
        first = np.full([1, self._width], -np.inf)
        first[0, 0] = 0
        log_probs = array_ops.tile(framework.constant(first, kind),
                                   array_ops.stack([self._batch, 1]))  # fmt: skip
        lengths = creation_ops.zeros(shape, dtypes.int64)
        state = BeamSearchDecoderState(self._initial_state, log_probs, finished, lengths)
        return finished, self._first, state

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """Return (outputs, next state, next inputs, who has ended)."""
        with framework.name_scope(name, "BeamSearchDecoderStep", [time]):
            cell_state = nest.pack_leaves(state.cell_state, [
                self._merge_beams(part) for part in nest.leaves(state.cell_state)])  # fmt: skip
            output, new = self._cell(self._merge_beams(inputs), cell_state)
            output = self._split_beams(output)
            flat = [part if isinstance(part, TensorArray) else self._split_beams(part)
                    for part in nest.leaves(new)]  # fmt: skip
            new = nest.pack_leaves(state.cell_state, flat)
            if self._output_layer is not None:
                output = self._output_layer(output)
            result, state = self._chosen(output, state._replace(cell_state=new))
            words = result.predicted_ids
            inputs = cond(reduce_ops.reduce_all(state.finished), lambda: self._first,
                          lambda: self._embedding(words))  # fmt: skip
        return result, state, inputs, state.finished

    def _chosen(self, logits: Any, state: Any) -> Any:
        """Return the best continuations of all beams, and the state of those they go on from."""
        words = logits.get_shape().as_list()[-1]
        count = array_ops.shape(logits)[-1] if words is None else words
        each = _ended_go_nowhere(nn_ops.log_softmax(logits), self._end, state.finished, count)
        total = array_ops.expand_dims(state.log_probs, 2) + each
        alive = math_ops.cast(math_ops.logical_not(state.finished), dtypes.int64)
        end = creation_ops.one_hot(array_ops.reshape(self._end, [1]), count, on_value=0,
                                   off_value=1, dtype=dtypes.int64)  # fmt: skip
        grown = array_ops.expand_dims(alive, 2) * array_ops.reshape(end, [1, 1, -1])
        lengths = array_ops.expand_dims(state.lengths, 2) + grown
        scores = total / _length_penalty(lengths, self._penalty, total.dtype.base_dtype)
        flat = array_ops.reshape(scores, array_ops.stack([self._batch, -1]))
        best, places = order_ops.top_k(flat, k=self._width)
        best.set_shape([self._known, self._width])
        places.set_shape([self._known, self._width])
        word, parent = places % count, places // count
        log_probs = array_ops.gather(
            array_ops.reshape(total, array_ops.stack([self._batch, -1])),
            places,
            axis=1,
            batch_dims=1,
        )
        ended = self._of_parents(parent, state.finished)
        length = self._of_parents(parent, state.lengths)
        # The end token counts from the step after it on.
        length = length + math_ops.cast(math_ops.logical_not(ended), dtypes.int64)
        log_probs.set_shape(best.get_shape())
        ended = math_ops.logical_or(ended, math_ops.equal(word, self._end))
        flat_state = [self._of_parents(parent, part) for part in nest.leaves(state.cell_state)]
        cell_state = nest.pack_leaves(state.cell_state, flat_state)
        return (BeamSearchDecoderOutput(best, word, parent),
                BeamSearchDecoderState(cell_state, log_probs, ended, length))  # fmt: skip

    def _of_parents(self, parent: Any, tensor: Any) -> Any:
        if isinstance(tensor, TensorArray) or tensor.get_shape().ndims == 0:
            return tensor
        result = array_ops.gather(tensor, parent, axis=1, batch_dims=1)
        result.set_shape(tensor.get_shape())
        return result

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """Return the sequences, which lie scattered over the beams of the steps."""
        del sequence_lengths
        longest = reduce_ops.reduce_max(final_state.lengths, axis=1)
        words = gather_tree(outputs.predicted_ids, outputs.parent_ids,
                            math_ops.cast(longest, dtypes.int32), self._end)  # fmt: skip
        return FinalBeamSearchDecoderOutput(words, outputs), final_state


def _ended_go_nowhere(log_probs: Any, end: Any, finished: Any, count: Any) -> Any:
    """Return the probabilities, of which a beam that has ended has only the end token's."""
    kind = log_probs.dtype.base_dtype
    only_end = creation_ops.one_hot(end, count, framework.constant(0, kind),
                                    framework.constant(kind.min, kind), dtype=kind)  # fmt: skip
    shape = array_ops.shape(log_probs)
    only_end = array_ops.broadcast_to(array_ops.reshape(only_end, [1, 1, -1]), shape)
    ended = array_ops.broadcast_to(array_ops.expand_dims(finished, 2), shape)
    return array_ops.where(ended, only_end, log_probs)


def _length_penalty(lengths: Any, weight: Any, dtype: Any) -> Any:
    """Return ((5 + length) / 6) ** weight."""
    known = framework.constant_value(framework.convert_to_tensor(weight))
    if known is not None and known == 0:
        return 1.0
    return math_ops.pow((5.0 + math_ops.cast(lengths, dtype)) / 6.0, weight)


def gather_tree(step_ids: Any, parent_ids: Any, max_sequence_lengths: Any, end_token: Any) -> Any:
    """Return each beam's own words: those of its parents, from the last step backwards.

    Arguments are [time, batch, beams]; what follows an end token is end tokens.
    """
    with framework.name_scope(None, "GatherTree"):
        step_ids = framework.convert_to_tensor(step_ids, name="step_ids")
        parent_ids = framework.convert_to_tensor(parent_ids, name="parent_ids")
        shape = array_ops.shape(step_ids)
        time, width = shape[0], shape[2]
        last = math_ops.minimum(time, max_sequence_lengths)
        words = TensorArray(step_ids.dtype, size=time)
        ends = creation_ops.fill(shape[1:], end_token)
        own = array_ops.tile(array_ops.expand_dims(creation_ops.range(width), 0),
                             array_ops.stack([shape[1], 1]))  # fmt: skip

        def back(step: Any, beams: Any, words: Any) -> Any:
            there = array_ops.gather(step_ids[step], beams, axis=1, batch_dims=1)
            parents = array_ops.gather(parent_ids[step], beams, axis=1, batch_dims=1)
            counts = array_ops.broadcast_to(array_ops.expand_dims(step < last, 1), shape[1:])
            words = words.write(step, array_ops.where(counts, there, ends))
            return step - 1, array_ops.where(counts, parents, beams), words

        _, _, words = while_loop(lambda step, *_: step >= 0, back, [time - 1, own, words])
        found = words.stack()
        over = math_ops.cast(math_ops.equal(found, end_token), dtypes.int32)
        before = order_ops.cumsum(over, axis=0, exclusive=True)
        whole = array_ops.broadcast_to(array_ops.reshape(end_token, [1, 1, 1]), shape)
        result = array_ops.where(math_ops.greater(before, 0), whole, found)
        result.set_shape(step_ids.get_shape())
        return result
