"""Cross entropies from logits."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops
from tfbuild_runtime.ops.emit import emit, known_rank, only_one
from tfbuild_runtime.ops.nn_ops import rank_with_axis


def _need_both(labels: Any, logits: Any, function: str) -> None:
    if labels is None or logits is None:
        raise ValueError(f"{function} needs both labels and logits")


def sparse_softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """Return -log(softmax(logits)) at the class that labels number, for each row.

    Raises ValueError when the ranks do not fit.
    """
    _need_both(labels, logits, "sparse_softmax_cross_entropy_with_logits")
    default = "SparseSoftmaxCrossEntropyWithLogits"
    with framework.name_scope(name, default, [labels, logits]):
        labels = framework.convert_to_tensor(labels, name="labels")
        logits = framework.convert_to_tensor(logits, name="logits")
        label_rank, logit_rank = known_rank(labels), known_rank(logits)
        if logit_rank == 0:
            raise ValueError("logits of rank 0 hold no classes")
        if None not in (label_rank, logit_rank) and label_rank + 1 != logit_rank:  # type: ignore[operator]
            raise ValueError(f"labels have one dimension less than logits: "
                             f"{labels.get_shape()} does not fit {logits.get_shape()}")  # fmt: skip
        if logit_rank == 2:
            return framework.apply_op(default, [logits, labels], None, name or default).outputs[0]
        rows = array_ops.reshape(logits, _rows_shape(logits))
        flat = array_ops.reshape(labels, [-1])
        loss = framework.apply_op(default, [rows, flat], None, name or default).outputs[0]
        return array_ops.reshape(loss, array_ops.shape(labels))


def _rows_shape(logits: Any) -> Any:
    shape = logits.get_shape()
    if shape.ndims is not None and shape.as_list()[-1] is not None:
        return [-1, shape.as_list()[-1]]
    return array_ops.concat([[-1], _last(array_ops.shape(logits))], 0)


def _last(vector: Any) -> Any:
    return emit("StridedSlice", [vector, [-1], [0], [1]], end_mask=1)


def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Any:
    """Return -sum(labels * log(softmax(logits))) along an axis, by default the last."""
    axis = only_one(axis, dim, "axis", "dim")
    axis = -1 if axis is None else int(axis)
    default = "softmax_cross_entropy_with_logits"
    with framework.name_scope(name, default, [logits, labels]) as scope:
        logits = framework.convert_to_tensor(logits, name="logits")
        dtype = logits.dtype.base_dtype
        # Half precision would lose the sum of many exponentials.
        if dtype in (dtypes.float16, dtypes.bfloat16):
            logits = math_ops.cast(logits, dtypes.float32)
        labels = math_ops.cast(framework.convert_to_tensor(labels, name="labels"), logits.dtype)
        rank = known_rank(logits)
        if axis != -1 and axis + 1 != rank:
            logits, labels = _with_last(logits, axis), _with_last(labels, axis)
        if rank == 2 and known_rank(labels) == 2:
            return math_ops.cast(_rows_cross_entropy(logits, labels, scope), dtype)
        rows = array_ops.reshape(logits, _rows_shape(logits))
        targets = array_ops.reshape(labels, _rows_shape(labels))
        loss = _rows_cross_entropy(rows, targets, default)
        shape = array_ops.shape(logits)
        front = emit("StridedSlice", [shape, [0], [-1], [1]], begin_mask=1)
        return math_ops.cast(array_ops.reshape(loss, front, name=scope), dtype)


def _with_last(tensor: Any, axis: int) -> Any:
    """Return the tensor with an axis moved behind all others, which keep their order."""
    rank = rank_with_axis(tensor, axis)
    order = [number for number in range(rank) if number != axis % rank]
    return array_ops.transpose(tensor, [*order, axis % rank])


def _rows_cross_entropy(logits: Any, labels: Any, name: str) -> Any:
    op = framework.apply_op("SoftmaxCrossEntropyWithLogits", [logits, labels], None, name)
    return op.outputs[0]


def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, dim: Any = -1, name: str | None = None,
    axis: Any = None,
) -> Any:  # fmt: skip
    """Return the cross entropy as ..._v2 does, with labels constant to differentiation."""
    _need_both(labels, logits, "softmax_cross_entropy_with_logits")
    default = "softmax_cross_entropy_with_logits_sg"
    with framework.name_scope(name, default, [logits, labels]) as scope:
        fixed = array_ops.stop_gradient(labels, name="labels_stop_gradient")
        axis = only_one(axis, None if dim == -1 else dim, "axis", "dim")
        return softmax_cross_entropy_with_logits_v2(fixed, logits, axis=axis, name=scope)


def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """Return the cross entropy of independent yes-no questions, safe from overflow.

    Raises ValueError when the shapes differ.
    """
    _need_both(labels, logits, "sigmoid_cross_entropy_with_logits")
    with framework.name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = framework.convert_to_tensor(logits, name="logits")
        labels = framework.convert_to_tensor(labels, dtype=logits.dtype.base_dtype, name="labels")
        if not labels.get_shape().is_compatible_with(logits.get_shape()):
            raise ValueError(f"logits and labels must have the same shape "
                             f"({logits.get_shape()} vs {labels.get_shape()})")  # fmt: skip
        # max(x, 0) - x * z + log(1 + exp(-|x|)), by Select so that the gradient at 0 is right.
        zero = creation_ops.zeros_like(logits)
        positive = math_ops.greater_equal(logits, zero)
        above = array_ops.where(positive, logits, zero)
        minus_size = array_ops.where(positive, math_ops.negative(logits), logits)
        linear = emit("Sub", [above, emit("Mul", [logits, labels], "mul")], "sub")
        return emit("AddV2", [linear, math_ops.log1p(math_ops.exp(minus_size))], scope)


def weighted_cross_entropy_with_logits(labels: Any = None, logits: Any = None,
                                       pos_weight: Any = None, name: str | None = None,
                                       targets: Any = None) -> Any:  # fmt: skip
    """Return the sigmoid cross entropy with the positive answers weighted."""
    labels = only_one(labels, targets, "labels", "targets")
    with framework.name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = framework.convert_to_tensor(logits, name="logits")
        labels = framework.convert_to_tensor(labels, dtype=logits.dtype.base_dtype, name="labels")
        factor = math_ops.add(1, math_ops.multiply(math_ops.subtract(pos_weight, 1), labels))
        tail = math_ops.log1p(math_ops.exp(math_ops.negative(math_ops.abs(logits))))
        below = emit("Relu", [math_ops.negative(logits)])
        weighted = math_ops.multiply(factor, math_ops.add(tail, below))
        return math_ops.add(math_ops.multiply(math_ops.subtract(1, labels), logits), weighted,
                            name=scope)  # fmt: skip
