"""Conditional random fields along a line: their scores, their likelihood, and the best tags.

Scores of tags are [batch, time, tags], transition_params[i, j] is what tag j after tag i adds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import (
    array_ops,
    creation_ops,
    functional_ops,
    math_ops,
    placement_ops,
    reduce_ops,
    reverse_ops,
    sequence_ops,
)
from tfbuild_runtime.ops.variable_scope import get_variable


def _lengths(sequence_lengths: Any) -> Any:
    return math_ops.cast(framework.convert_to_tensor(sequence_lengths), dtypes.int32)


def _mask(sequence_lengths: Any, inputs: Any) -> Any:
    """Return [batch, time]: 1 for the steps of a sequence, 0 for those after it."""
    steps = array_ops.shape(inputs)[1]
    return sequence_ops.sequence_mask(_lengths(sequence_lengths), steps, inputs.dtype.base_dtype)


def _of_pairs(values: Any, first: Any, second: Any) -> Any:
    """Return values[first, second] for each pair of tags."""
    return placement_ops.gather_nd(values, array_ops.stack([first, second], axis=-1))


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Any:
    """Return [batch]: the sum of the scores of the tags in each sequence."""
    inputs = framework.convert_to_tensor(inputs)
    tags = math_ops.cast(framework.convert_to_tensor(tag_indices), dtypes.int32)
    chosen = creation_ops.one_hot(tags, array_ops.shape(inputs)[2], dtype=inputs.dtype.base_dtype)
    scores = reduce_ops.reduce_sum(inputs * chosen, 2)
    return reduce_ops.reduce_sum(scores * _mask(sequence_lengths, inputs), 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Return [batch]: the sum of what the transitions in each sequence add."""
    tags = math_ops.cast(framework.convert_to_tensor(tag_indices), dtypes.int32)
    params = framework.convert_to_tensor(transition_params)
    scores = _of_pairs(params, tags[:, :-1], tags[:, 1:])
    follows = sequence_ops.sequence_mask(
        _lengths(sequence_lengths) - 1, array_ops.shape(tags)[1] - 1, params.dtype.base_dtype
    )
    return reduce_ops.reduce_sum(scores * follows, 1)


def crf_sequence_score(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any
) -> Any:
    """Return [batch]: the score of each sequence of tags, which is no probability yet."""
    return crf_unary_score(tag_indices, sequence_lengths, inputs) + crf_binary_score(
        tag_indices, sequence_lengths, transition_params
    )


def _forward(inputs: Any, sequence_lengths: Any, combine: Any, first: Any) -> Any:
    """Return the states after each step by combine(state, scores, whether there is such a step)."""
    steps = reverse_ops.transpose_batch_time(inputs)
    places = creation_ops.range(array_ops.shape(inputs)[1])
    goes_on = math_ops.logical_and(
        math_ops.greater(array_ops.expand_dims(places, 1), 0),
        math_ops.less(array_ops.expand_dims(places, 1), _lengths(sequence_lengths)),
    )
    return functional_ops.scan(lambda state, step: combine(state, *step), (steps, goes_on), first)


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Return [batch]: the logarithm of the sum over all tags of the exponentials of scores."""
    inputs = framework.convert_to_tensor(inputs)
    params = array_ops.expand_dims(framework.convert_to_tensor(transition_params), 0)

    def step(alphas: Any, scores: Any, goes_on: Any) -> Any:
        reached = reduce_ops.reduce_logsumexp(array_ops.expand_dims(alphas, 2) + params, [1])
        return array_ops.where(goes_on, reached + scores, alphas)

    alphas = _forward(inputs, sequence_lengths, step, inputs[:, 0])
    norm = reduce_ops.reduce_logsumexp(alphas[-1], [1])
    empty = math_ops.less_equal(_lengths(sequence_lengths), 0)
    return array_ops.where(empty, creation_ops.zeros_like(norm), norm)


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> tuple[Any, Any]:
    """Return ([batch] logarithms of the likelihood of tags, transition_params).

    Where no parameters are given they are a new variable, `transitions`.
    """
    inputs = framework.convert_to_tensor(inputs)
    if transition_params is None:
        count = inputs.get_shape().as_list()[2]
        transition_params = get_variable("transitions", [count, count], inputs.dtype.base_dtype)
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> tuple[Any, Any]:
    """Return (best tags [batch, time], their scores [batch]), by Viterbi's algorithm.

    After the end of a sequence the tags are 0.
    """
    potentials = framework.convert_to_tensor(potentials)
    params = array_ops.expand_dims(framework.convert_to_tensor(transition_params), 0)
    count = array_ops.shape(potentials)[2]
    itself = creation_ops.zeros_like(potentials[:, 0], dtype=dtypes.int32) + creation_ops.range(
        count
    )

    def step(state: Any, scores: Any, goes_on: Any) -> Any:
        best, _ = state
        reached = array_ops.expand_dims(best, 2) + params
        better = array_ops.where(goes_on, reduce_ops.reduce_max(reached, 1) + scores, best)
        came_from = math_ops.cast(reduce_ops.argmax(reached, 1), dtypes.int32)
        return better, array_ops.where(goes_on, came_from, itself)

    first = (potentials[:, 0], itself)
    scores, pointers = _forward(potentials, sequence_length, step, first)
    last = math_ops.cast(reduce_ops.argmax(scores[-1], 1), dtypes.int32)
    rows = creation_ops.range(array_ops.shape(last)[0])
    before = functional_ops.scan(
        lambda tag, pointer: _of_pairs(pointer, rows, tag), pointers[1:], last, reverse=True
    )
    whole = array_ops.concat([before, array_ops.expand_dims(last, 0)], 0)
    tags = reverse_ops.transpose_batch_time(whole)
    steps = array_ops.shape(potentials)[1]
    tags = tags * sequence_ops.sequence_mask(_lengths(sequence_length), steps, dtypes.int32)
    tags.set_shape(potentials.get_shape()[:2])
    return tags, reduce_ops.reduce_max(scores[-1], 1)


def viterbi_decode(score: Any, transition_params: Any) -> tuple[list[int], Any]:
    """Return (the best tags, their score) of NumPy's scores [time, tags] of one sequence."""
    best = np.array(score[0])
    pointers = []
    for step in np.asarray(score)[1:]:
        reached = best[:, None] + np.asarray(transition_params)
        pointers.append(reached.argmax(0))
        best = step + reached.max(0)
    tags = [int(best.argmax())]
    for pointer in reversed(pointers):
        tags.append(int(pointer[tags[-1]]))
    return tags[::-1], best.max()
