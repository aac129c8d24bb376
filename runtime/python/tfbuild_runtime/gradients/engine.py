"""Reverse-mode differentiation: from the derivatives of outputs to those of inputs."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, ValuesView
from enum import Enum
from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.indexed_slices import (
    IndexedSlices,
    convert_to_tensor_or_indexed_slices,
    dense,
)
from tfbuild_runtime.gradients import calls, loops, registry
from tfbuild_runtime.gradients.handles import held_shape, held_type, is_trainable, zeros_for
from tfbuild_runtime.ops import control_ops, creation_ops, imported_contexts
from tfbuild_runtime.ops.emit import emit


class UnconnectedGradients(Enum):
    """What tf.gradients returns for an x on which no y depends."""

    NONE = "none"
    ZERO = "zero"


class AggregationMethod:
    """How several gradients of one tensor are added; every method gives the same sum."""

    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """Return the derivatives of the sum of ys by each of xs; None where ys do not depend on it.

    Integers have no derivatives: nothing flows through them. Raises LookupError when an op between
    ys and xs has no gradient, ValueError for arguments that do not fit together.
    """
    unconnected = UnconnectedGradients(unconnected_gradients)
    outputs = [framework.convert_to_tensor(y, name="y") for y in _as_list(ys)]
    inputs = [framework.convert_to_tensor(x, as_ref=True) for x in _as_list(xs)]
    stopped = {framework.convert_to_tensor(t, as_ref=True) for t in _as_list(stop_gradients)}
    scope_values = [*outputs, *inputs]
    walk = _Walk(stopped, gate_gradients, colocate_gradients_with_ops)
    with framework.name_scope(name, "gradients", scope_values) as scope, _call_named(scope):
        graph = framework.get_default_graph()
        graph._scratch.pop("loop_nodes", None)  # gradients have given loops more variables
        imported_contexts.adopt(graph)
        calls.write_out_between(outputs, inputs)
        sums = _Sums(set(inputs))
        for tensor, gradient in zip(outputs, _starts(outputs, _as_list(grad_ys), walk)):
            sums.add(tensor, gradient)
        for node in _between(outputs, inputs):
            _step_back(node, sums, walk)
        return [_result(x, sums, unconnected) for x in inputs]


@contextlib.contextmanager
def _call_named(scope: str) -> Iterator[None]:
    """Let the gradients that are made in the block know of which call they are."""
    scratch = framework.get_default_graph()._scratch
    before = scratch.get("gradients_call")
    scratch["gradients_call"] = scope
    try:
        yield
    finally:
        scratch["gradients_call"] = before


def backpropagate(
    outputs: list[Any], inputs: list[Any], grads: list[Any], ends: set[Any]
) -> list[Any]:
    """Return the gradients by inputs, as tensors, slices or None.

    Nothing behind the tensors in ends matters.
    """
    sums = _Sums(set(inputs))
    for tensor, gradient in zip(outputs, grads):
        sums.add(tensor, gradient)
    for node in _between(outputs, inputs, ends):
        _step_back(node, sums, _Walk())
    return [sums.take(x) for x in inputs]


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple, ValuesView, Iterator)) else [value]


class _Walk(NamedTuple):
    """How gradients is to go back through a graph."""

    stopped: Collection[Any] = ()  # tensors at which gradients end
    gate: bool = False  # whether the gradients of an op wait for one another
    colocate: bool = False  # whether gradients ask for the device of the op

    def beside(self, op: Any) -> Any:
        """A block in which gradients are where the op is, if that is asked for."""
        return framework.colocate_with(op) if self.colocate else contextlib.nullcontext()


def _starts(outputs: list[Any], given: list[Any], walk: _Walk) -> Iterator[Any]:
    """Yield the gradient that each output starts with."""
    if given and len(given) != len(outputs):
        raise ValueError(f"{len(outputs)} ys need as many grad_ys, not {len(given)}")
    for index, tensor in enumerate(outputs):
        gradient = given[index] if given else None
        label = f"grad_ys_{index}"
        if gradient is None and tensor.dtype.is_complex:
            raise TypeError(f"Gradients of complex tensors must set grad_ys "
                            f"(y.dtype = {tensor.dtype!r})")  # fmt: skip
        if gradient is None:
            with walk.beside(tensor.op):
                yield creation_ops.ones_like(tensor, name=label)
        else:
            yield framework.convert_to_tensor(gradient, dtype=tensor.dtype.base_dtype, name=label)


class _Sums:
    """The gradients that arrived at each tensor, added up when somebody asks."""

    def __init__(self, kept: set[Any]) -> None:
        self._kept = kept
        self._parts: dict[Any, list[Any]] = {}

    def add(self, tensor: Any, gradient: Any) -> None:
        self._parts.setdefault(tensor, []).append(gradient)

    def add_all(self, tensors: Iterable[Any], gradients: Iterable[Any]) -> None:
        """Add what is not None."""
        for tensor, gradient in zip(tensors, gradients):
            if gradient is not None:
                self.add(tensor, gradient)

    def take(self, tensor: Any) -> Any:
        """Return the sum; the parts are dropped unless the tensor is one of xs."""
        parts = self._parts.get(tensor)
        if not parts:
            return None
        total = parts[0] if len(parts) == 1 else _total(parts)
        if tensor in self._kept:
            self._parts[tensor] = [total]
        else:
            del self._parts[tensor]
        return total


def _total(parts: list[Any]) -> Any:
    """Return the sum; of nothing but slices it is all of them, which add up where they stand."""
    if not all(isinstance(part, IndexedSlices) for part in parts):
        return emit("AddN", [parts])
    wide = any(part.indices.dtype == dtypes.int64 for part in parts)
    indices = [
        emit("Cast", [part.indices], DstT=dtypes.int64)
        if wide and part.indices.dtype != dtypes.int64
        else part.indices
        for part in parts
    ]
    values = emit("ConcatV2", [[part.values for part in parts], 0], "concat")
    return IndexedSlices(values, emit("ConcatV2", [indices, 0], "concat"), parts[0].dense_shape)


def _between(outputs: list[Any], inputs: list[Any], ends: Any = frozenset()) -> list[Any]:
    """Return the operations and loops through which gradients flow, later ones first.

    Nothing behind the tensors in ends is looked at.
    """
    wanted = set(inputs)
    flows: dict[Any, bool] = {}
    order = []
    roots = [loops.node_of(tensor.op) for tensor in outputs if tensor not in ends]
    for node in _inputs_first(roots, ends):
        flows[node] = any(
            tensor in wanted or (tensor not in ends and flows[loops.node_of(tensor.op)])
            for tensor in node.inputs
        )
        if flows[node]:
            order.append(node)
    order.reverse()
    return order


def _inputs_first(roots: Iterable[Any], ends: Any) -> Iterator[Any]:
    """Yield all operations and loops that the roots need, each after those that it reads.

    Without recursion, as graphs can be deep.
    """
    done: set[Any] = set()
    stack = [(node, False) for node in roots]
    open_nodes: set[Any] = set()
    while stack:
        node, leaving = stack.pop()
        if leaving:
            open_nodes.discard(node)
            done.add(node)
            yield node
        elif node not in done:
            if node in open_nodes:
                raise NotImplementedError(
                    f"{node.name!r} is in a loop that was not built here; it has no gradient"
                )
            open_nodes.add(node)
            stack.append((node, True))
            needed = (loops.node_of(t.op) for t in node.inputs if t not in ends)
            stack.extend((other, False) for other in needed if other not in done)


def _step_back(op: Any, sums: _Sums, walk: _Walk) -> None:
    """Add to the sums what the gradients of an op's outputs mean for its inputs."""
    arrived = _arrived(op, sums, walk)
    if all(gradient is None for gradient in arrived):
        return
    if isinstance(op, (calls.CallNode, loops.LoopNode)):
        arrived = list(map(dense, arrived))
        is_loop = isinstance(op, loops.LoopNode)
        sums.add_all(op.inputs, loops.gradients_of(op, arrived) if is_loop else arrived)
        return
    entry = _entry_of(op)
    if entry.function is None:
        return
    with framework.name_scope(op.name + "_grad"), walk.beside(op):
        if not entry.takes_none:
            arrived = _with_zeros(op, arrived)
        if not entry.takes_slices:
            arrived = list(map(dense, arrived))
        found = _call(entry.function, op, arrived)
        if walk.gate and sum(gradient is not None for gradient in found) > 1:
            found = control_ops.tuple(found)
    for tensor, gradient in zip(op.inputs, found):
        if gradient is not None:
            _check_gradient(op, tensor, gradient)
    sums.add_all(op.inputs, found)


def _arrived(op: Any, sums: _Sums, walk: _Walk) -> list[Any]:
    """Return the gradients that flow on from the outputs of an op.

    Nothing flows through integers; their own gradient may have been asked for all the same.
    """
    found = [sums.take(tensor) for tensor in op.outputs]
    return [
        gradient if is_trainable(tensor) and tensor not in walk.stopped else None
        for tensor, gradient in zip(op.outputs, found)
    ]


def _entry_of(op: Any) -> registry.Entry:
    kind = op.type
    with contextlib.suppress(ValueError):
        override = op.get_attr("_gradient_op_type")
        kind = override.decode() if isinstance(override, bytes) else override
    try:
        return registry.find(kind)
    except LookupError:
        raise LookupError(
            f"No gradient defined for operation {op.name!r} (op type: {kind}). "
            "Register one with tf.RegisterGradient, or put tf.stop_gradient around its result"
        ) from None


def _with_zeros(op: Any, arrived: list[Any]) -> list[Any]:
    return [
        zeros_for(tensor) if gradient is None and is_trainable(tensor) else gradient
        for tensor, gradient in zip(op.outputs, arrived)
    ]


def _call(function: registry.Function, op: Any, arrived: list[Any]) -> list[Any]:
    found = function(op, *arrived)
    found = list(found) if isinstance(found, (list, tuple)) else [found]
    if len(found) != len(op.inputs):
        raise ValueError(f"the gradient of {op.name!r} ({op.type}) gave {len(found)} gradients for "
                         f"{len(op.inputs)} inputs")  # fmt: skip
    return [None if g is None else convert_to_tensor_or_indexed_slices(g) for g in found]


def _check_gradient(op: Any, tensor: Any, gradient: Any) -> None:
    wanted = held_type(tensor)
    if gradient.dtype.base_dtype != wanted:
        raise ValueError(f"the gradient of {op.name!r} ({op.type}) by {tensor.name!r} has type "
                         f"{gradient.dtype.name}, not {wanted.name}")  # fmt: skip
    if isinstance(gradient, IndexedSlices):
        return
    try:
        gradient.set_shape(held_shape(tensor))
    except ValueError as error:
        raise ValueError(f"the gradient of {op.name!r} ({op.type}) by {tensor.name!r} has the "
                         f"wrong shape: {error}") from None  # fmt: skip


def _result(x: Any, sums: _Sums, unconnected: UnconnectedGradients) -> Any:
    gradient = sums.take(x)
    if gradient is None and unconnected is UnconnectedGradients.ZERO:
        return zeros_for(x)
    return gradient
