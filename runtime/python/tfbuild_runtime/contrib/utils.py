"""What the layers of tf.contrib share: names of variables, collections, noted outputs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tfbuild_runtime.contrib.variables import model_variable
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.layers.convolutional import normalized
from tfbuild_runtime.ops import conv_variants, nn_ops


def renaming(names: dict[str, str]) -> Callable[..., Any]:
    """Return a getter of variables that belong to the model, with other last parts of names."""

    def getter(make: Callable[..., Any], name: str, *_: Any, **arguments: Any) -> Any:
        front, slash, last = name.rpartition("/")
        for unused in ("validate_shape", "constraint", "reuse"):
            arguments.pop(unused, None)
        full = f"{front}{slash}{names.get(last, last)}"
        return model_variable(full, custom_getter=make, **arguments)

    return getter


def collections_for(collections: Any, name: str) -> Any:
    """Return the collections for a variable of that name, which may be given by name."""
    return collections.get(name) if isinstance(collections, dict) else collections


def add_to_variable_collections(variable: Any, collections: Any, name: str) -> None:
    """Note a variable in the collections that were asked for."""
    for collection in collections_for(collections, name) or ():
        if variable not in framework.get_collection(collection):
            framework.add_to_collection(collection, variable)


def finished(collections: Any, alias: str, outputs: Any) -> Any:
    """Return the outputs, noted in the collections under the name of their layer."""
    if collections:
        _aliases(outputs).append(alias.rstrip("/"))
        framework.add_to_collections(collections, outputs)
    return outputs


collect_named_outputs = finished


def _aliases(tensor: Any) -> list[str]:
    of_graph = tensor.graph._scratch.setdefault("output_aliases", {})
    return of_graph.setdefault(tensor, [])  # type: ignore[no-any-return]


def get_tensor_aliases(tensor: Any) -> list[str]:
    """Return the names under which outputs were noted, else the name of the tensor."""
    return _aliases(tensor) or [tensor.name.rpartition(":")[0]]


def convert_collection_to_dict(collection: str, clear_collection: bool = False) -> Any:
    """Return the outputs of a collection by their names."""
    found = OrderedDict(
        (alias, tensor)
        for tensor in framework.get_collection(collection)
        for alias in get_tensor_aliases(tensor)
    )
    if clear_collection:
        framework.get_default_graph().clear_collection(collection)
    return found


def depthwise(inputs: Any, kernel_size: Any, multiplier: int, stride: Any, padding: str,
              data_format: str, rate: Any, initializer: Any, regularizer: Any, trainable: bool,
              collections: Any, biases_initializer: Any,
              biases_regularizer: Any) -> Any:  # fmt: skip
    """Return a convolution of each channel alone, with variables of its own."""
    channels = inputs.get_shape().as_list()[1 if data_format == "NCHW" else -1]
    dtype = inputs.dtype.base_dtype
    weights = model_variable(
        "depthwise_weights", [*normalized(kernel_size, 2, "kernel_size"), channels, multiplier],
        dtype, initializer, regularizer, trainable,
        collections_for(collections, "depthwise_weights"),
    )  # fmt: skip
    rows, cols = normalized(stride, 2, "stride")
    strides = [1, 1, rows, cols] if data_format == "NCHW" else [1, rows, cols, 1]
    outputs = conv_variants.depthwise_conv2d(
        inputs, weights, strides, padding, normalized(rate, 2, "rate"), data_format=data_format
    )
    if biases_initializer is None:
        return outputs
    biases = model_variable("biases", [channels * multiplier], dtype, biases_initializer,
                            biases_regularizer, trainable,
                            collections_for(collections, "biases"))  # fmt: skip
    return nn_ops.bias_add(outputs, biases, data_format=data_format)
