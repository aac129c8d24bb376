"""Helpers of tf.contrib.seq2seq: which inputs the next step of a decoder gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.tensor_shape import TensorShape
from tfbuild_runtime.ops import (
    array_ops,
    creation_ops,
    math_ops,
    nest,
    placement_ops,
    random_ops,
    reduce_ops,
)
from tfbuild_runtime.ops.control_flow_ops import cond
from tfbuild_runtime.ops.embedding_ops import embedding_lookup
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ops.reverse_ops import transpose_batch_time
from tfbuild_runtime.ops.tensor_array_ops import TensorArray


class Helper:
    """What samples outputs and chooses the next inputs."""

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        raise NotImplementedError("batch_size has not been implemented")

    @property
    def sample_ids_shape(self) -> Any:
        """The shape of what is sampled for each example."""
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> Any:
        """The type of what is sampled."""
        return dtypes.int32

    def initialize(self, name: str | None = None) -> Any:
        """Return (who has ended, first inputs)."""
        raise NotImplementedError("a helper begins somewhere")

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Return what is sampled of the outputs."""
        raise NotImplementedError("a helper samples")

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> Any:  # fmt: skip
        """Return (who has ended, next inputs, next state)."""
        raise NotImplementedError("a helper chooses inputs")


class CustomHelper(Helper):
    """A helper of three functions."""

    def __init__(self, initialize_fn: Any, sample_fn: Any, next_inputs_fn: Any,
                 sample_ids_shape: Any = None, sample_ids_dtype: Any = None) -> None:  # fmt: skip
        self._functions = initialize_fn, sample_fn, next_inputs_fn
        self._shape = TensorShape(sample_ids_shape or [])
        self._dtype = sample_ids_dtype or dtypes.int32
        self._batch_size: Any = None

    @property
    def batch_size(self) -> Any:
        """How many sequences there are, once it was initialised."""
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """The shape of what is sampled for each example."""
        return self._shape

    @property
    def sample_ids_dtype(self) -> Any:
        """The type of what is sampled."""
        return self._dtype

    def initialize(self, name: str | None = None) -> Any:
        """Return (who has ended, first inputs)."""
        with framework.name_scope(name, "CustomHelperInitialize"):
            finished, inputs = self._functions[0]()
            if self._batch_size is None:
                self._batch_size = array_ops.size(finished)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Return what is sampled of the outputs."""
        with framework.name_scope(name, "CustomHelperSample", [time]):
            return self._functions[1](time=time, outputs=outputs, state=state)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> Any:  # fmt: skip
        """Return (who has ended, next inputs, next state)."""
        with framework.name_scope(name, "CustomHelperNextInputs", [time]):
            return self._functions[2](time=time, outputs=outputs, state=state,
                                      sample_ids=sample_ids)  # fmt: skip


class TrainingHelper(Helper):
    """The inputs that are given, whatever the outputs are."""

    def __init__(self, inputs: Any, sequence_length: Any, time_major: bool = False,
                 name: str | None = None) -> None:  # fmt: skip
        with framework.name_scope(name, "TrainingHelper", [sequence_length]):
            flat = [framework.convert_to_tensor(part, name="inputs")
                    for part in nest.leaves(inputs)]  # fmt: skip
            if not time_major:
                flat = [transpose_batch_time(part) for part in flat]
            self._structure, self._flat = inputs, flat
            self._arrays = [TensorArray(part.dtype, size=array_ops.shape(part)[0],
                                        element_shape=part.get_shape().as_list()[1:]).unstack(part)
                            for part in flat]  # fmt: skip
            self._lengths = framework.convert_to_tensor(sequence_length, name="sequence_length")
            if self._lengths.get_shape().ndims != 1:
                raise ValueError("Expected sequence_length to be a vector, but received shape: "
                                 f"{self._lengths.get_shape()}")  # fmt: skip
            self._zeros = [creation_ops.zeros_like(part[0, :]) for part in flat]
            self._batch_size = array_ops.size(self._lengths)

    @property
    def inputs(self) -> Any:
        """The inputs that are given."""
        return self._structure

    @property
    def sequence_length(self) -> Any:
        """How long each sequence is."""
        return self._lengths

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        return self._batch_size

    def initialize(self, name: str | None = None) -> Any:
        """Return (who has ended, first inputs)."""
        with framework.name_scope(name, "TrainingHelperInitialize"):
            finished = math_ops.equal(0, self._lengths)
            return finished, self._read(finished, 0)

    def _read(self, finished: Any, time: Any) -> Any:
        everyone = reduce_ops.reduce_all(finished)
        read = cond(everyone, lambda: self._zeros,
                    lambda: [array.read(time) for array in self._arrays])  # fmt: skip
        read = read if isinstance(read, (list, tuple)) else [read]
        return nest.pack_leaves(self._structure, list(read))

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """Return the place of the largest output."""
        with framework.name_scope(name, "TrainingHelperSample", [time, outputs]):
            return math_ops.cast(reduce_ops.argmax(outputs, axis=-1), dtypes.int32)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any = None,
                    name: str | None = None) -> Any:  # fmt: skip
        """Return (who has ended, next inputs, next state)."""
        with framework.name_scope(name, "TrainingHelperNextInputs", [time]):
            finished = math_ops.greater_equal(time + 1, self._lengths)
            return finished, self._read(finished, time + 1), state


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """The inputs that are given, or with a probability what was sampled before."""

    def __init__(self, inputs: Any, sequence_length: Any, embedding: Any,
                 sampling_probability: Any, time_major: bool = False, seed: int | None = None,
                 scheduling_seed: int | None = None, name: str | None = None) -> None:  # fmt: skip
        super().__init__(inputs, sequence_length, time_major, name)
        self._embedding = lookup_function(embedding)
        self._probability = framework.convert_to_tensor(sampling_probability,
                                                        name="sampling_probability")  # fmt: skip
        self._seed, self._scheduling_seed = seed, scheduling_seed

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """Return a drawn word for the examples whose turn it is, and -1 for the others."""
        with framework.name_scope(name, "ScheduledEmbeddingTrainingHelperSample", [time, outputs]):
            turns = math_ops.less(
                random_ops.random_uniform([self.batch_size], seed=self._scheduling_seed),
                self._probability,
            )
            drawn = _drawn(outputs, self._seed)
            return array_ops.where(turns, drawn, -creation_ops.ones_like(drawn))

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any = None,
                    name: str | None = None) -> Any:  # fmt: skip
        """Return (who has ended, next inputs, next state)."""
        finished, given, state = super().next_inputs(time, outputs, state, sample_ids, name)
        sampled = math_ops.greater(sample_ids, -1)
        places = math_ops.cast(array_ops.where(sampled), dtypes.int32)
        words = placement_ops.gather_nd(sample_ids, places)
        mixed = array_ops.where(sampled, emit("ScatterNd", [places, self._embedding(words),
                                                            array_ops.shape(given)]),
                                given)  # fmt: skip
        return finished, mixed, state


def lookup_function(embedding: Any) -> Callable[[Any], Any]:
    """Return what makes vectors of words: the function that is given, or a look into the table."""
    return embedding if callable(embedding) else lambda ids: embedding_lookup(embedding, ids)


def _drawn(logits: Any, seed: int | None) -> Any:
    drawn = random_ops.multinomial(logits, 1, seed=seed, output_dtype=dtypes.int32)
    return array_ops.squeeze(drawn, [1])


class GreedyEmbeddingHelper(Helper):
    """The embedding of the likeliest word is the next input, until that is the end token."""

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._embedding = lookup_function(embedding)
        self._start = framework.convert_to_tensor(start_tokens, dtypes.int32, name="start_tokens")
        self._end = framework.convert_to_tensor(end_token, dtypes.int32, name="end_token")
        if self._start.get_shape().ndims != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end.get_shape().ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = array_ops.size(self._start)
        self._first = self._embedding(self._start)

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        return self._batch_size

    def initialize(self, name: str | None = None) -> Any:
        """Return (who has ended, first inputs)."""
        finished = array_ops.tile([False], array_ops.stack([self._batch_size]))
        return finished, self._first

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Return the likeliest word."""
        del time, state
        return math_ops.cast(reduce_ops.argmax(outputs, axis=-1), dtypes.int32)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> Any:  # fmt: skip
        """Return (who has ended, next inputs, next state)."""
        finished = math_ops.equal(sample_ids, self._end)
        inputs = cond(reduce_ops.reduce_all(finished), lambda: self._first,
                      lambda: self._embedding(sample_ids))  # fmt: skip
        return finished, inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """As GreedyEmbeddingHelper, the word being drawn by its probability."""

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any,
                 softmax_temperature: Any = None, seed: int | None = None) -> None:  # fmt: skip
        super().__init__(embedding, start_tokens, end_token)
        self._temperature = softmax_temperature
        self._seed = seed

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Return a drawn word."""
        del time, state
        logits = outputs if self._temperature is None else outputs / self._temperature
        return _drawn(logits, self._seed)


class InferenceHelper(Helper):
    """A helper of a function that samples and one that says who has ended."""

    def __init__(self, sample_fn: Any, sample_shape: Any, sample_dtype: Any, start_inputs: Any,
                 end_fn: Any, next_inputs_fn: Any = None) -> None:  # fmt: skip
        self._sample_fn, self._end_fn, self._next_inputs_fn = sample_fn, end_fn, next_inputs_fn
        self._shape, self._dtype = TensorShape(sample_shape), dtypes.as_dtype(sample_dtype)
        self._first = framework.convert_to_tensor(start_inputs, name="start_inputs")
        self._batch_size = array_ops.shape(self._first)[0]

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """The shape of what is sampled for each example."""
        return self._shape

    @property
    def sample_ids_dtype(self) -> Any:
        """The type of what is sampled."""
        return self._dtype

    def initialize(self, name: str | None = None) -> Any:
        """Return (who has ended, first inputs)."""
        return array_ops.tile([False], array_ops.stack([self._batch_size])), self._first

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Return what is sampled of the outputs."""
        del time, state
        return self._sample_fn(outputs)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any,
                    name: str | None = None) -> Any:  # fmt: skip
        """Return (who has ended, next inputs, next state)."""
        inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), inputs, state
