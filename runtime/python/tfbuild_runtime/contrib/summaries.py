"""tf.contrib.layers: summaries of what a network holds, by the names of its operations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops import math_ops, reduce_ops
from tfbuild_runtime.summary import summary_ops

Summarizer = Callable[[Any], Any]


def summarize_tensor(tensor: Any, tag: str | None = None) -> Any:
    """Return a summary of a tensor: a number as it is, others as a histogram."""
    is_number = tensor.get_shape().rank == 0
    add = summary_ops.scalar if is_number else summary_ops.histogram
    return add(tag or tensor.op.name, tensor)


def summarize_activation(op: Any) -> Any:
    """Return a histogram of a layer's outputs; of a relu also which share of them is cut off."""
    name, kind = op.op.name, op.op.type
    if kind in ("Relu", "Softplus", "Relu6"):
        # Of what comes in, as what goes out is compared with what it is cut to.
        _share(math_ops.less(op.op.inputs[0], 0.0), f"{name}/zeros")
    if kind == "Relu6":
        _share(math_ops.greater(op.op.inputs[0], 6.0), f"{name}/sixes")
    return summary_ops.histogram(f"{name}/activation", op)


def _share(condition: Any, name: str) -> None:
    summary_ops.scalar(name, reduce_ops.reduce_mean(math_ops.cast(condition, dtypes.float32)))


def summarize_tensors(
    tensors: Iterable[Any], summarizer: Summarizer = summarize_tensor
) -> list[Any]:
    """Return a summary of each tensor."""
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(
    collection: str, name_filter: str | None = None, summarizer: Summarizer = summarize_tensor
) -> list[Any]:
    """Return summaries of what a collection holds of which the names begin as the filter says."""
    return summarize_tensors(framework.get_collection(collection, name_filter), summarizer)


def summarize_activations(
    name_filter: str | None = None, summarizer: Summarizer = summarize_activation
) -> list[Any]:
    """Return summaries of the activations of layers."""
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)


def summarize_variables(
    name_filter: str | None = None, summarizer: Summarizer = summarize_tensor
) -> list[Any]:
    """Return summaries of the trainable variables."""
    return summarize_collection(GraphKeys.TRAINABLE_VARIABLES, name_filter, summarizer)


def summarize_weights(
    name_filter: str | None = None, summarizer: Summarizer = summarize_tensor
) -> list[Any]:
    """Return summaries of the weights."""
    return summarize_collection(GraphKeys.WEIGHTS, name_filter, summarizer)


def summarize_biases(
    name_filter: str | None = None, summarizer: Summarizer = summarize_tensor
) -> list[Any]:
    """Return summaries of the biases."""
    return summarize_collection(GraphKeys.BIASES, name_filter, summarizer)
