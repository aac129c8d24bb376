"""Elements made into batches by a queue that threads of the program fill."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.sparse_tensor import SparseTensor
from tfbuild_runtime.io import queues
from tfbuild_runtime.ops import control_ops, math_ops, placement_ops, sparse_row_ops
from tfbuild_runtime.ops.smart import smart_cond
from tfbuild_runtime.summary import summary_ops
from tfbuild_runtime.train.queue_runner import QueueRunner, add_queue_runner

# Makes a queue for components of these types and shapes.
_QueueMaker = Callable[[list[Any], list[Any]], queues.QueueBase]


def _fifo(capacity: int, dynamic_pad: bool, shared_name: str | None) -> _QueueMaker:
    kind = queues.PaddingFIFOQueue if dynamic_pad else queues.FIFOQueue
    return lambda types, shapes: kind(capacity, types, shapes, shared_name=shared_name)


def _shuffle(capacity: int, min_after_dequeue: int, seed: int | None,
             shared_name: str | None) -> _QueueMaker:  # fmt: skip
    if capacity <= min_after_dequeue:
        raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue "
                         f"{min_after_dequeue}.")  # fmt: skip
    return lambda types, shapes: queues.RandomShuffleQueue(
        capacity, min_after_dequeue, types, shapes, seed=seed, shared_name=shared_name
    )


def _fill_summary(queue: queues.QueueBase, capacity: int, kept: int | None = None) -> None:
    if kept is None:
        size = math_ops.cast(queue.size(), dtypes.float32)
        summary_ops.scalar(f"fraction_of_{capacity}_full", size * (1.0 / capacity))
        return
    above = math_ops.cast(math_ops.maximum(0, queue.size() - kept), dtypes.float32)
    room = capacity - kept
    summary_ops.scalar(f"fraction_over_{kept}_of_{room}_full", above * (1.0 / room))


class _Batching:
    """What all the functions below do, for elements that come from one place or from several."""

    def __init__(self, sources: Sequence[Any], keep_input: Any, enqueue_many: bool,
                 shapes: Any) -> None:  # fmt: skip
        self.given = sources[0]
        self.many = enqueue_many
        elements = [_elements_of(source) for source in sources]
        self.sparse = _common_sparse(elements, enqueue_many)
        self.tensors = [_tensors_of(element, enqueue_many) for element in elements]
        self.keep = _keep_tensor(keep_input, enqueue_many)
        self.types = _common_types(self.tensors)
        self.shapes = _common_shapes(self.tensors, enqueue_many) if shapes is None else shapes

    def run(self, make: _QueueMaker, threads: int, fill: Callable[[Any], None], batch_size: Any,
            allow_smaller: bool, scope: str) -> Any:  # fmt: skip
        """Return the batches, in the form of what was given."""
        queue = make(self.types, self.shapes)
        enqueues = [self._enqueue(queue, tensors) for tensors in self.tensors]
        add_queue_runner(QueueRunner(queue, enqueues * threads))
        fill(queue)
        take = queue.dequeue_up_to if allow_smaller else queue.dequeue_many
        return _in_form_of(self.given, self._batches(take(batch_size, name=scope)))

    def _batches(self, dequeued: Any) -> list[Any]:
        """Return the tensors of a batch, sparse ones in the place of their rows."""
        batches = dequeued if isinstance(dequeued, list) else [dequeued]
        return [
            batch if one is None else sparse_row_ops.deserialize_many_sparse(batch, *one)
            for batch, one in zip(batches, self.sparse)
        ]

    def _enqueue(self, queue: queues.QueueBase, tensors: list[Any]) -> Any:
        put = queue.enqueue_many if self.many else queue.enqueue
        if self.keep.shape.rank == 1:
            chosen = math_ops.cast(self.keep, dtypes.int32)
            return put([placement_ops.dynamic_partition(t, chosen, 2)[1] for t in tensors])
        return smart_cond(self.keep, lambda: put(tensors), control_ops.no_op)


def _elements_of(source: Any) -> list[Any]:
    """Return the tensors of a source in their order, sparse ones as they are."""
    if isinstance(source, Mapping):
        given = [source[key] for key in sorted(source)]
    else:
        given = list(source) if isinstance(source, (list, tuple)) else [source]
    if not given:
        raise ValueError("Expected at least one tensor in batch().")
    dense = [None if isinstance(item, SparseTensor) else item for item in given]
    tensors = iter(framework.convert_n_to_tensor([item for item in dense if item is not None]))
    return [sparse if item is None else next(tensors) for item, sparse in zip(dense, given)]


def _tensors_of(elements: list[Any], enqueue_many: bool) -> list[Any]:
    """Return what stands in the queue: a sparse tensor as a row of strings."""
    pack = sparse_row_ops.serialize_many_sparse if enqueue_many else sparse_row_ops.serialize_sparse
    return [pack(item) if isinstance(item, SparseTensor) else item for item in elements]


def _common_sparse(sources: list[list[Any]], enqueue_many: bool) -> list[Any]:
    """Return the type and the rank in a batch of each sparse element, None for the dense ones.

    Raises TypeError where one place has sparse and dense tensors, or sparse ones that differ.
    """
    common = []
    for elements in zip(*sources):
        kinds = [
            (item.dtype.base_dtype, _rank_in_batch(item, enqueue_many))
            if isinstance(item, SparseTensor)
            else None
            for item in elements
        ]
        if any(one != kinds[0] for one in kinds):
            raise TypeError(f"Inconsistent elements, sparse or dense, in tensors_list: {elements}")
        common.append(kinds[0])
    return common


def _rank_in_batch(sparse: SparseTensor, enqueue_many: bool) -> int | None:
    rank: int | None = sparse.shape.rank
    return rank if rank is None or enqueue_many else rank + 1


def _in_form_of(given: Any, batches: list[Any]) -> Any:
    if isinstance(given, Mapping):
        return dict(zip(sorted(given), batches))
    if isinstance(given, (list, tuple)):
        return batches if len(batches) > 1 else batches[0]
    return batches[0]


def _keep_tensor(keep_input: Any, enqueue_many: bool) -> Any:
    keep = framework.convert_to_tensor(keep_input)
    rank = keep.shape.rank
    if rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if rank > (1 if enqueue_many else 0):
        raise ValueError(f"`keep_input` cannot be a vector when `enqueue_many={enqueue_many}`.")
    return keep


def _common_types(sources: list[list[Any]]) -> list[Any]:
    types = [tensor.dtype.base_dtype for tensor in sources[0]]
    for tensors in sources[1:]:
        others = [tensor.dtype.base_dtype for tensor in tensors]
        if others != types:
            raise TypeError("Expected types to be consistent: "
                            f"{', '.join(t.name for t in types)} vs. "
                            f"{', '.join(t.name for t in others)}.")  # fmt: skip
    return types


def _common_shapes(sources: list[list[Any]], enqueue_many: bool) -> list[Any]:
    merged = []
    for tensors in zip(*sources):
        common = tensor_shape.TensorShape(None)
        for tensor in tensors:
            if tensor.shape.rank is None:
                raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
            shape = tensor.shape.with_rank_at_least(1)[1:] if enqueue_many else tensor.shape
            common = common.merge_with(shape)
        merged.append(common)
    return merged


def _scope_values(sources: Sequence[Any], keep_input: Any) -> list[Any]:
    values = [keep_input]
    for source in sources:
        found = list(source.values()) if isinstance(source, Mapping) else source
        values += found if isinstance(found, (list, tuple)) else [found]
    return values


def maybe_batch(
    tensors: Any, keep_input: Any, batch_size: Any, num_threads: int = 1, capacity: int = 32,
    enqueue_many: bool = False, shapes: Any = None, dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Return batches of those elements for which keep_input holds, in order."""
    with framework.name_scope(name, "batch", _scope_values([tensors], keep_input)) as scope:
        batching = _Batching([tensors], keep_input, enqueue_many, shapes)
        return batching.run(
            _fifo(capacity, dynamic_pad, shared_name), num_threads,
            lambda queue: _fill_summary(queue, capacity),
            batch_size, allow_smaller_final_batch, scope,
        )  # fmt: skip


def batch(
    tensors: Any, batch_size: Any, num_threads: int = 1, capacity: int = 32,
    enqueue_many: bool = False, shapes: Any = None, dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Return batches of elements, in order when there is one thread.

    With enqueue_many each row is an element; with dynamic_pad elements may differ in size.
    """
    return maybe_batch(tensors, True, batch_size, num_threads, capacity, enqueue_many, shapes,
                       dynamic_pad, allow_smaller_final_batch, shared_name, name)  # fmt: skip


def maybe_batch_join(
    tensors_list: Any, keep_input: Any, batch_size: Any, capacity: int = 32,
    enqueue_many: bool = False, shapes: Any = None, dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Return batches of those elements of several sources for which keep_input holds."""
    with framework.name_scope(name, "batch_join", _scope_values(tensors_list, keep_input)) as scope:
        batching = _Batching(tensors_list, keep_input, enqueue_many, shapes)
        return batching.run(
            _fifo(capacity, dynamic_pad, shared_name), 1,
            lambda queue: _fill_summary(queue, capacity),
            batch_size, allow_smaller_final_batch, scope,
        )  # fmt: skip


def batch_join(
    tensors_list: Any, batch_size: Any, capacity: int = 32, enqueue_many: bool = False,
    shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False,
    shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Return batches of elements of several sources, with a thread for each."""
    return maybe_batch_join(tensors_list, True, batch_size, capacity, enqueue_many, shapes,
                            dynamic_pad, allow_smaller_final_batch, shared_name, name)  # fmt: skip


def maybe_shuffle_batch(
    tensors: Any, batch_size: Any, capacity: int, min_after_dequeue: int, keep_input: Any,
    num_threads: int = 1, seed: int | None = None, enqueue_many: bool = False, shapes: Any = None,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Return batches of those elements for which keep_input holds, in random order."""
    with framework.name_scope(name, "shuffle_batch", _scope_values([tensors], keep_input)) as scope:
        make = _shuffle(capacity, min_after_dequeue, seed, shared_name)
        batching = _Batching([tensors], keep_input, enqueue_many, shapes)
        return batching.run(
            make, num_threads, lambda queue: _fill_summary(queue, capacity, min_after_dequeue),
            batch_size, allow_smaller_final_batch, scope,
        )  # fmt: skip


def shuffle_batch(
    tensors: Any, batch_size: Any, capacity: int, min_after_dequeue: int, num_threads: int = 1,
    seed: int | None = None, enqueue_many: bool = False, shapes: Any = None,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Return batches of elements, drawn at random from at least min_after_dequeue of them."""
    return maybe_shuffle_batch(
        tensors, batch_size, capacity, min_after_dequeue, True, num_threads, seed, enqueue_many,
        shapes, allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def maybe_shuffle_batch_join(
    tensors_list: Any, batch_size: Any, capacity: int, min_after_dequeue: int, keep_input: Any,
    seed: int | None = None, enqueue_many: bool = False, shapes: Any = None,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Return batches of those elements of several sources for which keep_input holds, shuffled."""
    values = _scope_values(tensors_list, keep_input)
    with framework.name_scope(name, "shuffle_batch_join", values) as scope:
        make = _shuffle(capacity, min_after_dequeue, seed, shared_name)
        batching = _Batching(tensors_list, keep_input, enqueue_many, shapes)
        return batching.run(
            make, 1, lambda queue: _fill_summary(queue, capacity, min_after_dequeue),
            batch_size, allow_smaller_final_batch, scope,
        )  # fmt: skip


def shuffle_batch_join(
    tensors_list: Any, batch_size: Any, capacity: int, min_after_dequeue: int,
    seed: int | None = None, enqueue_many: bool = False, shapes: Any = None,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Return batches of elements of several sources, shuffled, with a thread for each source."""
    return maybe_shuffle_batch_join(
        tensors_list, batch_size, capacity, min_after_dequeue, True, seed, enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip
