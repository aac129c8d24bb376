"""Queues that give the items of something in turn, epoch after epoch: files, numbers, slices."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape, variables
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.io import files, queues
from tfbuild_runtime.ops import (
    array_ops,
    creation_ops,
    host_ops,
    math_ops,
    random_ops,
)
from tfbuild_runtime.summary import summary_ops
from tfbuild_runtime.train.queue_runner import QueueRunner, add_queue_runner


def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """Return a local variable: the files that match patterns when it is initialised."""
    with framework.name_scope(name, "matching_filenames", [pattern]) as scope:
        return variables.Variable(
            files.matching_files(pattern), trainable=False, validate_shape=False, name=scope,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )  # fmt: skip


def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Any:
    """Return tensor, that many times; then it raises OutOfRangeError.

    The count is a local variable. Raises ValueError for less than one epoch.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with framework.name_scope(name, "limit_epochs", [tensor]) as scope:
        zero = framework.constant(0, dtypes.int64)
        epochs = variables.Variable(
            zero, name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES]
        )
        with framework.control_dependencies([epochs.count_up_to(num_epochs)]):
            return array_ops.identity(tensor, name=scope)


def input_producer(
    input_tensor: Any, element_shape: Any = None, num_epochs: int | None = None,
    shuffle: bool = True, seed: int | None = None, capacity: int = 32,
    shared_name: str | None = None, summary_name: str | None = None, name: str | None = None,
    cancel_op: Any = None,
) -> queues.FIFOQueue:  # fmt: skip
    """Return a queue that a queue runner fills with the rows of a tensor, shuffled in each epoch.

    Raises ValueError where the shape of a row is not known.
    """
    with framework.name_scope(name, "input_producer", [input_tensor]) as scope:
        rows = framework.convert_to_tensor(input_tensor, name="input_tensor")
        shape = rows.shape[1:].merge_with(tensor_shape.as_shape(element_shape))
        if not shape.is_fully_defined():
            raise ValueError("Either `input_tensor` must have a fully defined shape or "
                             "`element_shape` must be specified")  # fmt: skip
        if shuffle:
            rows = random_ops.random_shuffle(rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)
        queue = queues.FIFOQueue(capacity, [rows.dtype.base_dtype], [shape],
                                 shared_name=shared_name, name=scope)  # fmt: skip
        add_queue_runner(QueueRunner(queue, [queue.enqueue_many([rows])], cancel_op=cancel_op))
        if summary_name is not None:
            size = math_ops.cast(queue.size(), dtypes.float32)
            summary_ops.scalar(summary_name, size * (1.0 / capacity))
        return queue


def string_input_producer(
    string_tensor: Any, num_epochs: int | None = None, shuffle: bool = True,
    seed: int | None = None, capacity: int = 32, shared_name: str | None = None,
    name: str | None = None, cancel_op: Any = None,
) -> queues.FIFOQueue:  # fmt: skip
    """Return a queue of strings, such as names of files; raises ValueError for an empty list."""
    empty = "string_input_producer requires a non-null input tensor"
    if not framework.is_tensor_like(string_tensor) and not len(string_tensor):
        raise ValueError(empty)
    with framework.name_scope(name, "input_producer", [string_tensor]) as scope:
        strings = framework.convert_to_tensor(string_tensor, dtypes.string)
        there = host_ops.Assert(math_ops.greater(array_ops.size(strings), 0), [empty])
        with framework.control_dependencies([there]):
            strings = array_ops.identity(strings)
        return input_producer(
            strings, [], num_epochs, shuffle, seed, capacity, shared_name,
            f"fraction_of_{capacity}_full", scope, cancel_op,
        )  # fmt: skip


def range_input_producer(
    limit: Any, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None,
    capacity: int = 32, shared_name: str | None = None, name: str | None = None,
) -> queues.FIFOQueue:  # fmt: skip
    """Return a queue of the numbers below limit."""
    with framework.name_scope(name, "input_producer", [limit]) as scope:
        numbers = creation_ops.range(limit)
        return input_producer(
            numbers, [], num_epochs, shuffle, seed, capacity, shared_name,
            f"fraction_of_{capacity}_full", scope,
        )  # fmt: skip


def slice_input_producer(
    tensor_list: Any, num_epochs: int | None = None, shuffle: bool = True,
    seed: int | None = None, capacity: int = 32, shared_name: str | None = None,
    name: str | None = None,
) -> list[Any]:  # fmt: skip
    """Return the tensors' rows of one index, in each step of the next one.

    Raises ValueError for an empty list.
    """
    given = list(tensor_list)
    with framework.name_scope(name, "input_producer", given):
        tensors = framework.convert_n_to_tensor(given)
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        count = array_ops.shape(tensors[0])[0]
        queue = range_input_producer(count, num_epochs, shuffle, seed, capacity, shared_name)
        index = queue.dequeue()
        return [array_ops.gather(tensor, index) for tensor in tensors]
