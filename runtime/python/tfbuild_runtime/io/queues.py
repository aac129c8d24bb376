"""Queues: elements that some steps put in and others take out, and that wait for each other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.operation import Operation
from tfbuild_runtime.ops import array_ops, random_ops

_UNKNOWN = tensor_shape.TensorShape(None)


class QueueBase:
    """What all queues can do."""

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Any) -> None:
        self._dtypes = dtypes
        self._shapes = shape_list(shapes or None, len(dtypes)) or [_UNKNOWN] * len(dtypes)
        self._names = _name_list(names, len(dtypes))
        self._queue_ref = queue_ref

    @staticmethod
    def from_list(index: Any, queues: Sequence[QueueBase]) -> QueueBase:
        """Return the queue that the index chooses when a step runs.

        Raises TypeError for queues of different types, ValueError for different names.
        """
        if not queues or not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if any(queue.dtypes != first.dtypes for queue in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != first.names for queue in queues):
            raise ValueError("Queues do not have matching component names.")
        refs = array_ops.stack([queue.queue_ref for queue in queues])
        shapes = [_common(known) for known in zip(*(queue.shapes for queue in queues))]
        chosen = array_ops.gather(refs, index)
        return QueueBase(first.dtypes, shapes, first.names, chosen)

    @property
    def queue_ref(self) -> Any:
        """The tensor that holds its handle."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the operation that gives the handle."""
        return str(self._queue_ref.op.name)

    @property
    def dtypes(self) -> list[dtypes.DType]:
        """The types of the components of an element."""
        return self._dtypes  # type: ignore[no-any-return]

    @property
    def shapes(self) -> list[tensor_shape.TensorShape]:
        """What is known of the shapes of the components."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components; None when they have none."""
        return self._names

    # ---- putting in ---------------------------------------------------------------------------

    def enqueue(self, vals: Any, name: str | None = None) -> Operation:
        """Return an operation that puts an element in, and waits while the queue is full."""
        with self._scope(name, "enqueue", vals) as scope:
            tensors = self._components(vals)
            for tensor, shape in zip(tensors, self._shapes):
                tensor.shape.assert_is_compatible_with(shape)
            return self._put("QueueEnqueueV2", tensors, scope)

    def enqueue_many(self, vals: Any, name: str | None = None) -> Operation:
        """Return an operation that puts each row of the components in, one after the other."""
        with self._scope(name, "EnqueueMany", vals) as scope:
            tensors = self._components(vals)
            count = tensor_shape.TensorShape([None])
            for tensor, shape in zip(tensors, self._shapes):
                rows = tensor.shape.with_rank_at_least(1)
                count = count.merge_with(rows[:1])
                rows[1:].assert_is_compatible_with(shape)
            return self._put("QueueEnqueueManyV2", tensors, scope)

    def _put(self, kind: str, tensors: list[Any], scope: str) -> Operation:
        return framework.apply_op(kind, [self._queue_ref, tensors], None, scope)

    def _components(self, vals: Any) -> list[Any]:
        given = self._in_order(vals)
        if len(given) != len(self._dtypes):
            raise ValueError(f"The queue has {len(self._dtypes)} components, but {len(given)} "
                             "values were given.")  # fmt: skip
        return [
            framework.convert_to_tensor(value, dtype, f"component_{i}")
            for i, (value, dtype) in enumerate(zip(given, self._dtypes))
        ]

    def _in_order(self, vals: Any) -> list[Any]:
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  "
                    f"Dictionary: {sorted(vals)},Queue: {sorted(self._names)}"
                )
            return [vals[key] for key in self._names]
        if self._names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        return list(vals) if isinstance(vals, (list, tuple)) else [vals]

    # ---- taking out ---------------------------------------------------------------------------

    def dequeue(self, name: str | None = None) -> Any:
        """Return an element, which is waited for: a tensor, a list, or a dict by names."""
        op = self._take("QueueDequeueV2", "Dequeue", [], name)
        for output, shape in zip(op.outputs, self._shapes):
            output.set_shape(shape)
        return self._as_given(op.outputs)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Return n elements as one batch; a closed queue with fewer raises OutOfRangeError."""
        op = self._take("QueueDequeueManyV2", "DequeueMany", [n], name)
        count = framework.constant_value(op.inputs[1])
        return self._batch(op, None if count is None else int(count))

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """Return n elements as one batch, or as many as a closed queue has left."""
        return self._batch(self._take("QueueDequeueUpToV2", "DequeueUpTo", [n], name), None)

    def _take(self, kind: str, called: str, inputs: list[Any], name: str | None) -> Operation:
        attrs = {"component_types": self._dtypes}
        name = name or self._called(called)
        return framework.apply_op(kind, [self._queue_ref, *inputs], attrs, name)

    def _batch(self, op: Operation, count: int | None) -> Any:
        rows = tensor_shape.TensorShape([count])
        for output, shape in zip(op.outputs, self._shapes):
            output.set_shape(rows.concatenate(shape))
        return self._as_given(op.outputs)

    def _as_given(self, outputs: Sequence[Any]) -> Any:
        if self._names:
            return dict(zip(self._names, outputs))
        return outputs[0] if len(outputs) == 1 else list(outputs)

    # ---- the queue itself ---------------------------------------------------------------------

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Return an operation after which nothing can be put in; what is in can be taken out."""
        attrs = {"cancel_pending_enqueues": cancel_pending_enqueues}
        name = name or self._called("Close")
        return framework.apply_op("QueueCloseV2", [self._queue_ref], attrs, name)

    def is_closed(self, name: str | None = None) -> Any:
        """Return whether it was closed."""
        name = name or self._called("Is_Closed")
        return framework.apply_op("QueueIsClosedV2", [self._queue_ref], None, name).outputs[0]

    def size(self, name: str | None = None) -> Any:
        """Return how many elements are in it."""
        name = name or self._called("Size")
        return framework.apply_op("QueueSizeV2", [self._queue_ref], None, name).outputs[0]

    def _called(self, what: str) -> str:
        return f"{self.name.rpartition('/')[2]}_{what}"

    def _scope(self, name: str | None, called: str, vals: Any) -> Any:
        given = list(vals.values()) if isinstance(vals, dict) else vals
        values = list(given) if isinstance(given, (list, tuple)) else [given]
        return framework.name_scope(name, self._called(called), values)


def _common(shapes: Sequence[Any]) -> Any:
    first = shapes[0]
    if all(shape.rank is not None and shape.rank == first.rank for shape in shapes):
        sizes = zip(*(shape.as_list() for shape in shapes))
        return tensor_shape.TensorShape(
            [size[0] if len(set(size)) == 1 else None for size in sizes]
        )
    return _UNKNOWN


def type_list(given: Any) -> list[dtypes.DType]:
    """Return one type or several as a list."""
    many = isinstance(given, (list, tuple))
    return [dtypes.as_dtype(kind).base_dtype for kind in (given if many else [given])]


def shape_list(given: Any, count: int) -> list[tensor_shape.TensorShape]:
    """Return one shape or `count` of them as a list; raises ValueError for another number."""
    if given is None:
        return []
    if isinstance(given, tensor_shape.TensorShape):
        given = [given]
    else:
        many = isinstance(given, (list, tuple))
        given = list(given) if many else [given]
        # One shape may stand without a list around it; () is that of a scalar.
        if not many or (count > 0 and all(_is_size(item) for item in given)):
            given = [given]
    shapes = [tensor_shape.as_shape(shape) for shape in given]
    if shapes and len(shapes) != count:
        raise ValueError("Queue shapes must have the same length as dtypes, received "
                         f"len(shapes)={len(shapes)}, len(dtypes)={count}")  # fmt: skip
    return shapes


def _whole_shapes(given: Any, count: int) -> list[tensor_shape.TensorShape]:
    shapes = shape_list(given, count)
    if not all(shape.is_fully_defined() for shape in shapes):
        raise ValueError(f"All shapes must be fully defined: {shapes}")
    return shapes


def _is_size(item: Any) -> bool:
    return isinstance(item, (int, tensor_shape.Dimension)) and not isinstance(item, bool)


def _name_list(names: Any, count: int) -> list[str] | None:
    if names is None or not names:
        return None
    names = [names] if isinstance(names, str) else list(names)
    if len(names) != count:
        raise ValueError("Queue names must have the same length as the number of components, "
                         f"received len(names)={len(names)},len(dtypes)={count}")  # fmt: skip
    return names


def _make(kind: str, capacity: int, types: Any, shapes: Any, shared_name: Any, name: str,
          **attrs: Any) -> Any:  # fmt: skip
    attrs.update(component_types=types, shapes=shapes, capacity=capacity, shared_name=shared_name)
    with framework.control_dependencies(None):
        return framework.apply_op(kind, [], attrs, name).outputs[0]


class FIFOQueue(QueueBase):
    """A queue whose elements come out in the order in which they were put in."""

    def __init__(self, capacity: int, dtypes: Any, shapes: Any = None, names: Any = None,
                 shared_name: str | None = None, name: str = "fifo_queue") -> None:  # fmt: skip
        types = type_list(dtypes)
        known = _whole_shapes(shapes, len(types))
        ref = _make("FIFOQueueV2", capacity, types, known, shared_name, name)
        super().__init__(types, known, names, ref)


class PaddingFIFOQueue(QueueBase):
    """A FIFO queue that fills elements of one batch up with zeros to the size of the largest."""

    def __init__(
        self, capacity: int, dtypes: Any, shapes: Any, names: Any = None,
        shared_name: str | None = None, name: str = "padding_fifo_queue",
    ) -> None:  # fmt: skip
        types = type_list(dtypes)
        known = shape_list(shapes, len(types))
        if len(known) != len(types):
            raise ValueError("Shapes must be provided for all components, but received "
                             f"{len(known)} shapes for {len(types)} components.")  # fmt: skip
        if any(shape.rank is None for shape in known):
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        ref = _make("PaddingFIFOQueueV2", capacity, types, known, shared_name, name)
        super().__init__(types, known, names, ref)


class PriorityQueue(QueueBase):
    """A queue whose elements begin with a number, the least of which comes out first."""

    def __init__(self, capacity: int, types: Any, shapes: Any = None, names: Any = None,
                 shared_name: str | None = None, name: str = "priority_queue") -> None:  # fmt: skip
        rest = type_list(types)
        known = _whole_shapes(shapes, len(rest))
        if shapes is None:
            known = [tensor_shape.TensorShape([])] * len(rest)
        ref = _make("PriorityQueueV2", capacity, rest, known, shared_name, name)
        scalar = tensor_shape.TensorShape([])
        super().__init__([dtypes.int64, *rest], [scalar, *known], names, ref)


class RandomShuffleQueue(QueueBase):
    """A queue whose elements come out in random order, while more than min_after_dequeue remain."""

    def __init__(self, capacity: int, min_after_dequeue: int, dtypes: Any, shapes: Any = None,
                 names: Any = None, seed: int | None = None, shared_name: str | None = None,
                 name: str = "random_shuffle_queue") -> None:  # fmt: skip
        types = type_list(dtypes)
        known = _whole_shapes(shapes, len(types))
        graph_seed, op_seed = random_ops.get_seed(seed)
        if graph_seed is not None and seed is None and shared_name is not None:
            # All who share it must come to the same.
            text = f"{graph_seed}{shared_name}".encode()
            op_seed = int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF
        ref = _make(
            "RandomShuffleQueueV2", capacity, types, known, shared_name, name,
            min_after_dequeue=min_after_dequeue, seed=graph_seed or 0, seed2=op_seed or 0,
        )  # fmt: skip
        super().__init__(types, known, names, ref)
