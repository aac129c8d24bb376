"""tf.contrib.legacy_seq2seq: sequences as lists of tensors, one for each step."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import (
    array_ops,
    conv_ops,
    creation_ops,
    init_ops,
    linalg_ops,
    math_ops,
    nest,
    nn_ops,
    reduce_ops,
    xent_ops,
)
from tfbuild_runtime.ops.control_flow_ops import cond
from tfbuild_runtime.ops.embedding_ops import embedding_lookup
from tfbuild_runtime.ops.variable_scope import get_variable, get_variable_scope, variable_scope
from tfbuild_runtime.rnn.static import static_rnn
from tfbuild_runtime.rnn.wrappers import EmbeddingWrapper, OutputProjectionWrapper

_Loop = Callable[[Any, int], Any]


def _likeliest(embedding: Any, output_projection: Any, update_embedding: bool) -> _Loop:
    """Return what makes the next input of an output: the embedding of the likeliest word."""

    def loop_function(previous: Any, _: int) -> Any:
        if output_projection is not None:
            previous = nn_ops.xw_plus_b(previous, output_projection[0], output_projection[1])
        found = embedding_lookup(embedding, reduce_ops.argmax(previous, 1))
        return found if update_embedding else array_ops.stop_gradient(found)

    return loop_function


def rnn_decoder(decoder_inputs: Any, initial_state: Any, cell: Any, loop_function: Any = None,
                scope: Any = None) -> Any:  # fmt: skip
    """Return (outputs, last state) of a cell; loop_function makes inputs of the output before."""
    with variable_scope(scope or "rnn_decoder"):
        state, outputs = initial_state, []
        for step, given in enumerate(decoder_inputs):
            inputs = given
            if loop_function is not None and outputs:
                with variable_scope("loop_function", reuse=True):
                    inputs = loop_function(outputs[-1], step)
            if step > 0:
                get_variable_scope().reuse_variables()
            output, state = cell(inputs, state)
            outputs.append(output)
        return outputs, state


def basic_rnn_seq2seq(encoder_inputs: Any, decoder_inputs: Any, cell: Any,
                      dtype: Any = dtypes.float32, scope: Any = None) -> Any:  # fmt: skip
    """Return (outputs, last state) of a decoder that begins with the state of an encoder."""
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def embedding_rnn_decoder(decoder_inputs: Any, initial_state: Any, cell: Any, num_symbols: int,
                          embedding_size: int, output_projection: Any = None,
                          feed_previous: bool = False,
                          update_embedding_for_previous: bool = True,
                          scope: Any = None) -> Any:  # fmt: skip
    """Return (outputs, last state) of a decoder of words."""
    with variable_scope(scope or "embedding_rnn_decoder"):
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop = None
        if feed_previous:
            loop = _likeliest(embedding, output_projection, update_embedding_for_previous)
        inputs = [embedding_lookup(embedding, words) for words in decoder_inputs]
        return rnn_decoder(inputs, initial_state, cell, loop_function=loop)


def embedding_rnn_seq2seq(
    encoder_inputs: Any, decoder_inputs: Any, cell: Any, num_encoder_symbols: int,
    num_decoder_symbols: int, embedding_size: int, output_projection: Any = None,
    feed_previous: Any = False, dtype: Any = None, scope: Any = None,
) -> Any:  # fmt: skip
    """Return (outputs, last state) of a decoder of words after an encoder of words."""
    with variable_scope(scope or "embedding_rnn_seq2seq"):
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, state = static_rnn(encoder, encoder_inputs, dtype=dtype or dtypes.float32)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feed: bool) -> Any:
            return embedding_rnn_decoder(
                decoder_inputs, state, cell, num_decoder_symbols, embedding_size,
                output_projection=output_projection, feed_previous=feed,
            )  # fmt: skip

        return _by_turns(feed_previous, decode)


def _by_turns(feed_previous: Any, decode: Callable[[bool], Any]) -> Any:
    """Return what decode gives for a truth value that is known, or that the graph computes."""
    if isinstance(feed_previous, bool):
        return decode(feed_previous)
    structure: list[Any] = []

    def branch(feed: bool, reuse: Any) -> list[Any]:
        with variable_scope(get_variable_scope(), reuse=reuse):
            outputs, state = decode(feed)
            structure[:] = [outputs, state]
            return [*outputs, *nest.leaves(state)]

    flat = list(cond(feed_previous, lambda: branch(True, None), lambda: branch(False, True)))
    outputs, state = structure
    return flat[: len(outputs)], nest.pack_leaves(state, flat[len(outputs) :])


def _linear(inputs: list[Any], size: int) -> Any:
    """Return one layer over several tensors, by the variables kernel and bias of the scope."""
    width = sum(int(part.get_shape().as_list()[1]) for part in inputs)
    kind = inputs[0].dtype.base_dtype
    kernel = get_variable("kernel", [width, size], dtype=kind)
    bias = get_variable("bias", [size], dtype=kind, initializer=init_ops.Zeros())
    whole = inputs[0] if len(inputs) == 1 else array_ops.concat(inputs, 1)
    return nn_ops.bias_add(linalg_ops.matmul(whole, kernel), bias)


class _Attention:
    """Several heads over the states of an encoder."""

    def __init__(self, states: Any, heads: int, dtype: Any) -> None:
        known = states.get_shape().as_list()
        self.size = known[2]
        if self.size is None:
            raise ValueError(f"Shape[2] of attention_states must be known: {states.get_shape()}")
        self._length = array_ops.shape(states)[1] if known[1] is None else known[1]
        shape = array_ops.stack([-1, self._length, 1, self.size])
        self._hidden = array_ops.reshape(states, shape)
        self._features, self._weights = [], []
        for head in range(heads):
            kernel = get_variable(f"AttnW_{head}", [1, 1, self.size, self.size], dtype=dtype)
            features = conv_ops.conv2d(self._hidden, kernel, [1, 1, 1, 1], "SAME")
            self._features.append(features)
            self._weights.append(get_variable(f"AttnV_{head}", [self.size], dtype=dtype))

    def look(self, query: Any) -> list[Any]:
        """Return what each head reads."""
        parts = nest.flatten(query)
        read = []
        for head, (features, weights) in enumerate(zip(self._features, self._weights)):
            with variable_scope(f"Attention_{head}"):
                asked = array_ops.reshape(_linear([array_ops.concat(parts, 1)], self.size),
                                          [-1, 1, 1, self.size])  # fmt: skip
                score = reduce_ops.reduce_sum(weights * math_ops.tanh(features + asked), [2, 3])
                shares = array_ops.reshape(nn_ops.softmax(score),
                                           array_ops.stack([-1, self._length, 1, 1]))  # fmt: skip
                seen = reduce_ops.reduce_sum(shares * self._hidden, [1, 2])
                read.append(array_ops.reshape(seen, [-1, self.size]))
        return read


def attention_decoder(
    decoder_inputs: Any, initial_state: Any, attention_states: Any, cell: Any,
    output_size: int | None = None, num_heads: int = 1, loop_function: Any = None,
    dtype: Any = None, scope: Any = None, initial_state_attention: bool = False,
) -> Any:  # fmt: skip
    """Return (outputs, last state) of a cell that looks at the states of an encoder.

    Raises ValueError without inputs or heads.
    """
    if not decoder_inputs or num_heads < 1:
        raise ValueError("attention needs at least 1 input and 1 head")
    output_size = cell.output_size if output_size is None else output_size
    with variable_scope(scope or "attention_decoder", dtype=dtype) as entered:
        kind = entered.dtype
        attention = _Attention(attention_states, num_heads, kind)
        state, outputs = initial_state, []
        batch = array_ops.shape(decoder_inputs[0])[0]
        read = [creation_ops.zeros(array_ops.stack([batch, attention.size]), kind)
                for _ in range(num_heads)]  # fmt: skip
        for part in read:
            part.set_shape([None, attention.size])
        if initial_state_attention:
            read = attention.look(initial_state)
        for step, given in enumerate(decoder_inputs):
            inputs = given
            if step > 0:
                get_variable_scope().reuse_variables()
            if loop_function is not None and outputs:
                with variable_scope("loop_function", reuse=True):
                    inputs = loop_function(outputs[-1], step)
            width = inputs.get_shape().as_list()[1]
            output, state = cell(_linear([inputs, *read], width), state)
            again = True if step == 0 and initial_state_attention else None
            with variable_scope(get_variable_scope(), reuse=again):
                read = attention.look(state)
            with variable_scope("AttnOutputProjection"):
                outputs.append(_linear([output, *read], output_size))
        return outputs, state


def embedding_attention_decoder(
    decoder_inputs: Any, initial_state: Any, attention_states: Any, cell: Any, num_symbols: int,
    embedding_size: int, num_heads: int = 1, output_size: int | None = None,
    output_projection: Any = None, feed_previous: bool = False,
    update_embedding_for_previous: bool = True, dtype: Any = None, scope: Any = None,
    initial_state_attention: bool = False,
) -> Any:  # fmt: skip
    """Return (outputs, last state) of attention_decoder over words."""
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop = None
        if feed_previous:
            loop = _likeliest(embedding, output_projection, update_embedding_for_previous)
        inputs = [embedding_lookup(embedding, words) for words in decoder_inputs]
        return attention_decoder(
            inputs, initial_state, attention_states, cell, output_size=output_size,
            num_heads=num_heads, loop_function=loop,
            initial_state_attention=initial_state_attention,
        )  # fmt: skip


def embedding_attention_seq2seq(
    encoder_inputs: Any, decoder_inputs: Any, cell: Any, num_encoder_symbols: int,
    num_decoder_symbols: int, embedding_size: int, num_heads: int = 1,
    output_projection: Any = None, feed_previous: Any = False, dtype: Any = None,
    scope: Any = None, initial_state_attention: bool = False,
) -> Any:  # fmt: skip
    """Return (outputs, last state) of a decoder of words that looks at an encoder of words."""
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as entered:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        encoded, state = static_rnn(encoder, encoder_inputs, dtype=entered.dtype)
        tops = [array_ops.reshape(part, [-1, 1, cell.output_size]) for part in encoded]
        attention_states = array_ops.concat(tops, 1)
        output_size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        def decode(feed: bool) -> Any:
            return embedding_attention_decoder(
                decoder_inputs, state, attention_states, cell, num_decoder_symbols, embedding_size,
                num_heads=num_heads, output_size=output_size, output_projection=output_projection,
                feed_previous=feed, initial_state_attention=initial_state_attention,
            )  # fmt: skip

        return _by_turns(feed_previous, decode)


def sequence_loss_by_example(logits: Any, targets: Any, weights: Any,
                             average_across_timesteps: bool = True,
                             softmax_loss_function: Any = None,
                             name: str | None = None) -> Any:  # fmt: skip
    """Return the cross entropy of each example; raises ValueError for lists of other lengths."""
    if not len(logits) == len(targets) == len(weights):
        raise ValueError("Lengths of logits, weights, and targets must be the same "
                         f"{len(logits)}, {len(weights)}, {len(targets)}.")  # fmt: skip
    loss = softmax_loss_function or xent_ops.sparse_softmax_cross_entropy_with_logits
    with framework.name_scope(name, "sequence_loss_by_example", [*logits, *targets, *weights]):
        each = []
        for logit, target, weight in zip(logits, targets, weights):
            words = target if softmax_loss_function else array_ops.reshape(target, [-1])
            each.append(loss(labels=words, logits=logit) * weight)
        total = reduce_ops.add_n(each)
        if average_across_timesteps:
            total = total / (reduce_ops.add_n(list(weights)) + 1e-12)
        return total


def sequence_loss(logits: Any, targets: Any, weights: Any, average_across_timesteps: bool = True,
                  average_across_batch: bool = True, softmax_loss_function: Any = None,
                  name: str | None = None) -> Any:  # fmt: skip
    """Return the cross entropy of all examples together."""
    with framework.name_scope(name, "sequence_loss", [*logits, *targets, *weights]):
        each = sequence_loss_by_example(logits, targets, weights, average_across_timesteps,
                                        softmax_loss_function)  # fmt: skip
        cost = reduce_ops.reduce_sum(each)
        if not average_across_batch:
            return cost
        return cost / math_ops.cast(array_ops.shape(targets[0])[0], cost.dtype.base_dtype)


def model_with_buckets(encoder_inputs: Any, decoder_inputs: Any, targets: Any, weights: Any,
                       buckets: Any, seq2seq: Any, softmax_loss_function: Any = None,
                       per_example_loss: bool = False, name: str | None = None) -> Any:  # fmt: skip
    """Return (outputs, losses) of one model for each bucket of lengths; they share variables."""
    longest = [max(bucket[side] for bucket in buckets) for side in range(2)]
    for given, needed, what in ((encoder_inputs, longest[0], "encoder_inputs"),
                                (targets, longest[1], "targets"),
                                (weights, longest[1], "weights")):  # fmt: skip
        if len(given) < needed:
            raise ValueError(f"Length of {what} ({len(given)}) must be at least that of last "
                             f"bucket ({needed}).")  # fmt: skip
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    outputs, losses = [], []
    with framework.name_scope(name, "model_with_buckets"):
        for number, (before, after) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if number > 0 else None):
                made, _ = seq2seq(encoder_inputs[:before], decoder_inputs[:after])
                outputs.append(made)
                losses.append(loss(made, targets[:after], weights[:after],
                                   softmax_loss_function=softmax_loss_function))  # fmt: skip
    return outputs, losses
