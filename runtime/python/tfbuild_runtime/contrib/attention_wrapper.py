"""Attention: a cell that looks, at each step, at all steps of a memory (tf.contrib.seq2seq)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.tensor_shape import TensorShape
from tfbuild_runtime.layers.core import Dense
from tfbuild_runtime.ops import (
    array_ops,
    creation_ops,
    init_ops,
    linalg_ops,
    math_ops,
    nest,
    nn_ops,
    reduce_ops,
    sequence_ops,
)
from tfbuild_runtime.ops.tensor_array_ops import TensorArray
from tfbuild_runtime.ops.variable_scope import get_variable, variable_scope
from tfbuild_runtime.rnn.cells import RNNCell


class AttentionMechanism:
    """What computes, from a query, how much each step of a memory counts."""


class _OverMemory(AttentionMechanism):
    """An attention mechanism whose memory is [batch, steps, depth]."""

    def __init__(self, query_layer: Any, memory_layer: Any, memory: Any, lengths: Any,
                 probability_fn: Any, score_mask_value: Any, name: str) -> None:  # fmt: skip
        self._query_layer = query_layer
        self._memory_layer = memory_layer
        self._lengths = lengths
        self._score_mask_value = score_mask_value
        self._probability_fn = probability_fn or nn_ops.softmax
        with framework.name_scope(name, "BaseAttentionMechanismInit", nest.tensors_in(memory)):
            self._values = _masked(framework.convert_to_tensor(memory, name="memory"), lengths)
            self._keys = memory_layer(self._values) if memory_layer else self._values
            self._batch_size = _size(self._keys, 0)
            self._alignments_size = _size(self._keys, 1)

    @property
    def memory_layer(self) -> Any:
        """The layer that makes keys of the memory."""
        return self._memory_layer

    @property
    def query_layer(self) -> Any:
        """The layer that queries go through; None for none."""
        return self._query_layer

    @property
    def values(self) -> Any:
        """The memory, zero beyond the length of each example."""
        return self._values

    @property
    def keys(self) -> Any:
        """What queries are compared with."""
        return self._keys

    @property
    def dtype(self) -> Any:
        """The type of the keys."""
        return self._keys.dtype

    @property
    def batch_size(self) -> Any:
        """How many examples the memory has."""
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        """How many steps the memory has."""
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        """The size of what it keeps from step to step."""
        return self._alignments_size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Return what counts before the first step: nothing."""
        made = creation_ops.zeros(array_ops.stack([batch_size, self._alignments_size]), dtype)
        steps = self._alignments_size
        made.set_shape([None, steps if isinstance(steps, int) else None])
        return made

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return what is kept before the first step."""
        return self.initial_alignments(batch_size, dtype)

    def __call__(self, query: Any, state: Any) -> Any:
        """Return (how much each step counts, what is kept for the next query)."""
        raise NotImplementedError("a subclass compares the query with the keys")

    def _alignments(self, score: Any) -> Any:
        if self._lengths is not None:
            limit = self._score_mask_value
            if limit is None:
                limit = score.dtype.as_numpy_dtype(-np.inf)
            mask = sequence_ops.sequence_mask(self._lengths, array_ops.shape(score)[1])
            score = array_ops.where(mask, score, limit * creation_ops.ones_like(score))
        alignments = self._probability_fn(score)
        return alignments, alignments


def _size(tensor: Any, axis: int) -> Any:
    known = tensor.get_shape().as_list()[axis]
    return array_ops.shape(tensor)[axis] if known is None else known


def _masked(memory: Any, lengths: Any) -> Any:
    if lengths is None:
        return memory
    rank = len(memory.get_shape().as_list())
    mask = sequence_ops.sequence_mask(lengths, array_ops.shape(memory)[1], memory.dtype.base_dtype)
    for _ in range(rank - 2):
        mask = array_ops.expand_dims(mask, -1)
    return memory * mask


class LuongAttention(_OverMemory):
    """Products of query and keys (Luong and others, 2015), with `scale` times a variable."""

    def __init__(self, num_units: int, memory: Any, memory_sequence_length: Any = None,
                 scale: bool = False, probability_fn: Any = None, score_mask_value: Any = None,
                 dtype: Any = None, custom_key_value_fn: Any = None,
                 name: str = "LuongAttention") -> None:  # fmt: skip
        if custom_key_value_fn is not None:
            raise NotImplementedError("custom_key_value_fn is not there: give the memory as it is")
        layer = Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype or dtypes.float32)
        super().__init__(None, layer, memory, memory_sequence_length, probability_fn,
                         score_mask_value, name)  # fmt: skip
        self._num_units = num_units
        self._scale = scale

    def __call__(self, query: Any, state: Any) -> Any:
        """Return (how much each step counts, what is kept for the next query)."""
        depth, units = query.get_shape().as_list()[-1], self.keys.get_shape().as_list()[-1]
        if depth != units:
            raise ValueError(f"Incompatible inner dimensions between query and keys. Query has "
                             f"units: {depth}. Keys have units: {units}. Perhaps you need to set "
                             "num_units to the keys' dimension?")  # fmt: skip
        with variable_scope(None, "luong_attention", [query]):
            score = linalg_ops.matmul(array_ops.expand_dims(query, 1), self.keys, transpose_b=True)
            score = array_ops.squeeze(score, [1])
            if self._scale:
                score = score * get_variable("attention_g", dtype=query.dtype,
                                             initializer=init_ops.Ones(), shape=[])  # fmt: skip
            return self._alignments(score)


class BahdanauAttention(_OverMemory):
    """A small network over query and keys (Bahdanau and others, 2015), by choice normalized."""

    def __init__(self, num_units: int, memory: Any, memory_sequence_length: Any = None,
                 normalize: bool = False, probability_fn: Any = None, score_mask_value: Any = None,
                 dtype: Any = None, custom_key_value_fn: Any = None,
                 name: str = "BahdanauAttention") -> None:  # fmt: skip
        if custom_key_value_fn is not None:
            raise NotImplementedError("custom_key_value_fn is not there: give the memory as it is")
        query, keys = (Dense(num_units, name=f"{kind}_layer", use_bias=False,
                             dtype=dtype or dtypes.float32)
                       for kind in ("query", "memory"))  # fmt: skip
        super().__init__(query, keys, memory, memory_sequence_length, probability_fn,
                         score_mask_value, name)  # fmt: skip
        self._num_units = num_units
        self._normalize = normalize

    def __call__(self, query: Any, state: Any) -> Any:
        """Return (how much each step counts, what is kept for the next query)."""
        with variable_scope(None, "bahdanau_attention", [query]):
            asked = array_ops.expand_dims(self.query_layer(query), 1)
            dtype = asked.dtype.base_dtype
            weights = get_variable("attention_v", [self._num_units], dtype=dtype)
            inner = self.keys + asked
            if self._normalize:
                size = init_ops.Constant(math.sqrt(1.0 / self._num_units))
                length = get_variable("attention_g", dtype=dtype, initializer=size, shape=[])
                inner = inner + get_variable("attention_b", [self._num_units], dtype=dtype,
                                             initializer=init_ops.Zeros())  # fmt: skip
                squares = reduce_ops.reduce_sum(math_ops.square(weights))
                weights = length * weights * math_ops.rsqrt(squares)
            return self._alignments(reduce_ops.reduce_sum(weights * math_ops.tanh(inner), [2]))


class AttentionWrapperState(NamedTuple):
    """What an AttentionWrapper keeps from step to step."""

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """Return it with other fields."""
        return self._replace(**kwargs)


class AttentionWrapper(RNNCell):
    """A cell that gets, beside its inputs, what it paid attention to in the step before."""

    def __init__(
        self, cell: Any, attention_mechanism: Any, attention_layer_size: Any = None,
        alignment_history: bool = False, cell_input_fn: Any = None, output_attention: bool = True,
        initial_cell_state: Any = None, name: Any = None, attention_layer: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(name=name)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        self._mechanisms = list(attention_mechanism) if self._is_multi else [attention_mechanism]
        for mechanism in self._mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                kind = type(mechanism).__name__
                raise TypeError("attention_mechanism must contain only instances of "
                                f"AttentionMechanism, saw type: {kind}")  # fmt: skip
        self._cell = cell
        self._cell_input_fn = cell_input_fn or _beside
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        self._initial_cell_state = initial_cell_state
        self._layers_of(attention_layer_size, attention_layer)

    def _layers_of(self, sizes: Any, layers: Any) -> None:
        if sizes is not None and layers is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        count = len(self._mechanisms)
        if sizes is not None:
            sizes = list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]
            layers = [Dense(size, name="attention_layer", use_bias=False, dtype=mechanism.dtype)
                      for size, mechanism in zip(sizes, self._mechanisms)]  # fmt: skip
        elif layers is not None:
            layers = list(layers) if isinstance(layers, (list, tuple)) else [layers]
        self._attention_layers = layers
        if layers is not None and len(layers) != count:
            raise ValueError(f"attention layers must be as many as mechanisms: {len(layers)} vs "
                             f"{count}")  # fmt: skip
        if layers is None:
            self._attention_size = sum(
                int(mechanism.values.get_shape().as_list()[-1]) for mechanism in self._mechanisms
            )
        else:
            self._attention_size = sum(layer.units for layer in layers)

    def _parts(self) -> Any:
        return [self._cell]

    def _many(self, items: list[Any]) -> Any:
        """Return a value of each mechanism as states hold it."""
        return tuple(items) if self._is_multi else items[0]

    def _each(self, value: Any) -> list[Any]:
        return list(value) if self._is_multi else [value]

    @property
    def output_size(self) -> Any:
        """The size of the attention, or that of the cell's output."""
        return self._attention_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> Any:
        """The sizes of what is kept."""
        sizes = self._many([mechanism.alignments_size for mechanism in self._mechanisms])
        states = self._many([mechanism.state_size for mechanism in self._mechanisms])
        history = self._many([mechanism.alignments_size if self._alignment_history else ()
                              for mechanism in self._mechanisms])  # fmt: skip
        return AttentionWrapperState(self._cell.state_size, self._attention_size, TensorShape([]),
                                     sizes, history, states)  # fmt: skip

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return the state before the first step."""
        with framework.name_scope(f"{type(self).__name__}ZeroState"):
            state = self._initial_cell_state
            if state is None:
                state = self._cell.zero_state(batch_size, dtype)
            state = nest.pack_leaves(state, [array_ops.identity(part, name="checked_cell_state")
                                             for part in nest.leaves(state)])  # fmt: skip
            alignments = [mechanism.initial_alignments(batch_size, dtype)
                          for mechanism in self._mechanisms]  # fmt: skip
            kept = [mechanism.initial_state(batch_size, dtype) for mechanism in self._mechanisms]
            history = [
                TensorArray(dtype, size=0, dynamic_size=True, element_shape=part.get_shape())
                if self._alignment_history else () for part in alignments
            ]  # fmt: skip
            attention = creation_ops.zeros(array_ops.stack([batch_size, self._attention_size]),
                                           dtype)  # fmt: skip
            known = batch_size if isinstance(batch_size, int) else None
            attention.set_shape([known, self._attention_size])
            time = framework.constant(0, dtypes.int32)
            return AttentionWrapperState(state, attention, time, self._many(alignments),
                                         self._many(history), self._many(kept))  # fmt: skip

    def call(self, inputs: Any, state: Any) -> Any:  # type: ignore[override]
        """Return (attention or output of the cell, new state)."""
        if not isinstance(state, AttentionWrapperState):
            raise TypeError("Expected state to be instance of AttentionWrapperState. Received type "
                            f"{type(state)} instead.")  # fmt: skip
        given = self._cell_input_fn(inputs, state.attention)
        output, cell_state = self._cell(given, state.cell_state)
        attentions, alignments, kept, history = [], [], [], []
        layers = self._attention_layers or [None] * len(self._mechanisms)
        for mechanism, layer, old, past in zip(
            self._mechanisms, layers, self._each(state.attention_state),
            self._each(state.alignment_history),
        ):  # fmt: skip
            counted, new = mechanism(output, state=old)
            attentions.append(_attended(mechanism, counted, output, layer))
            alignments.append(counted)
            kept.append(new)
            history.append(past.write(state.time, counted) if self._alignment_history else ())
        attention = array_ops.concat(attentions, 1)
        new_state = AttentionWrapperState(
            cell_state, attention, state.time + 1, self._many(alignments), self._many(history),
            self._many(kept),
        )  # fmt: skip
        return (attention if self._output_attention else output), new_state


def _beside(inputs: Any, attention: Any) -> Any:
    return array_ops.concat([inputs, attention], -1)


def _attended(mechanism: Any, alignments: Any, output: Any, layer: Any) -> Any:
    """Return the memory as much as each step counts, through the layer together with the output."""
    context = linalg_ops.matmul(array_ops.expand_dims(alignments, 1), mechanism.values)
    context = array_ops.squeeze(context, [1])
    return context if layer is None else layer(array_ops.concat([output, context], 1))


def hardmax(logits: Any, name: str | None = None) -> Any:
    """Return 1 at the largest number of each row, and 0 elsewhere."""
    with framework.name_scope(name, "Hardmax", [logits]):
        logits = framework.convert_to_tensor(logits, name="logits")
        depth = array_ops.shape(logits)[-1]
        return creation_ops.one_hot(reduce_ops.argmax(logits, -1), depth, dtype=logits.dtype)
