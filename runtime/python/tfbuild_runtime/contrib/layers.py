"""The layers of tf.contrib.layers: scopes like Conv, variables called weights and biases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.contrib import utils
from tfbuild_runtime.contrib.arg_scope import add_arg_scope
from tfbuild_runtime.contrib.initializers import xavier_initializer
from tfbuild_runtime.contrib.utils import finished, renaming
from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.layers import convolutional, core
from tfbuild_runtime.ops import array_ops, creation_ops, init_ops, nn_ops
from tfbuild_runtime.ops.variable_scope import variable_scope

_ZEROS = init_ops.Zeros()
_XAVIER = xavier_initializer()
_WEIGHTS = {"kernel": "weights", "bias": "biases"}


def _layout(data_format: str | None) -> str:
    if data_format not in (None, "NHWC", "NCHW", "NWC", "NCW"):
        raise ValueError(f"Invalid data_format: {data_format!r}")
    return "channels_first" if data_format and data_format.startswith("NC") else "channels_last"


def _normalised(outputs: Any, normalizer_fn: Any, params: Any, activation_fn: Any) -> Any:
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(params or {}))
    return outputs if activation_fn is None else activation_fn(outputs)


def _note_weights(layer: Any, collections: Any, names: Any) -> None:
    for attribute, name in names.items():
        variable = getattr(layer, attribute, None)
        if variable is not None:
            utils.add_to_variable_collections(variable, collections, name)


@add_arg_scope
def convolution2d(
    inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: str = "SAME",
    data_format: str | None = None, rate: Any = 1, activation_fn: Any = nn_ops.relu,
    normalizer_fn: Any = None, normalizer_params: Any = None, weights_initializer: Any = _XAVIER,
    weights_regularizer: Any = None, biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None,
    outputs_collections: Any = None, trainable: bool = True, scope: Any = None,
) -> Any:  # fmt: skip
    """Return the convolution of images, by default with rectified units.

    With normalizer_fn there is no bias.
    """
    with variable_scope(scope, "Conv", [inputs], reuse=reuse,
                        custom_getter=renaming(_WEIGHTS)) as sc:  # fmt: skip
        inputs = framework.convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims or 4
        kind = {3: convolutional.Conv1D, 4: convolutional.Conv2D}.get(rank)
        if kind is None:
            raise ValueError(f"Convolution not supported for input with rank {rank}")
        layer = kind(
            num_outputs, kernel_size, stride, padding, _layout(data_format), rate, None,
            not normalizer_fn and biases_initializer is not None, weights_initializer,
            biases_initializer, weights_regularizer, biases_regularizer, trainable=trainable,
            name=sc.name, _scope=sc, _reuse=reuse,
        )  # fmt: skip
        outputs = layer.apply(inputs)
        _note_weights(layer, variables_collections, _WEIGHTS)
        outputs = _normalised(outputs, normalizer_fn, normalizer_params, activation_fn)
        return finished(outputs_collections, sc.name, outputs)


conv2d = convolution = conv1d = convolution1d = convolution2d


@add_arg_scope
def convolution2d_transpose(
    inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: str = "SAME",
    data_format: str = "NHWC", activation_fn: Any = nn_ops.relu, normalizer_fn: Any = None,
    normalizer_params: Any = None, weights_initializer: Any = _XAVIER,
    weights_regularizer: Any = None, biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None,
    outputs_collections: Any = None, trainable: bool = True, scope: Any = None,
) -> Any:  # fmt: skip
    """Return the transpose of a convolution, by default with rectified units."""
    with variable_scope(scope, "Conv2d_transpose", [inputs], reuse=reuse,
                        custom_getter=renaming(_WEIGHTS)) as sc:  # fmt: skip
        layer = convolutional.Conv2DTranspose(
            num_outputs, kernel_size, stride, padding, _layout(data_format), None,
            not normalizer_fn and biases_initializer is not None, weights_initializer,
            biases_initializer, weights_regularizer, biases_regularizer, trainable=trainable,
            name=sc.name, _scope=sc, _reuse=reuse,
        )  # fmt: skip
        outputs = layer.apply(framework.convert_to_tensor(inputs))
        _note_weights(layer, variables_collections, _WEIGHTS)
        outputs = _normalised(outputs, normalizer_fn, normalizer_params, activation_fn)
        return finished(outputs_collections, sc.name, outputs)


conv2d_transpose = convolution2d_transpose


@add_arg_scope
def separable_convolution2d(
    inputs: Any, num_outputs: int | None, kernel_size: Any, depth_multiplier: int = 1,
    stride: Any = 1, padding: str = "SAME", data_format: str = "NHWC", rate: Any = 1,
    activation_fn: Any = nn_ops.relu, normalizer_fn: Any = None, normalizer_params: Any = None,
    weights_initializer: Any = _XAVIER, pointwise_initializer: Any = None,
    weights_regularizer: Any = None, biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None,
    outputs_collections: Any = None, trainable: bool = True, scope: Any = None,
) -> Any:  # fmt: skip
    """Return a convolution of each channel, then one over them unless num_outputs is None."""
    names = {"depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights",
             "bias": "biases"}  # fmt: skip
    with variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse,
                        custom_getter=renaming(names)) as sc:  # fmt: skip
        inputs = framework.convert_to_tensor(inputs)
        if num_outputs is None:
            outputs = utils.depthwise(
                inputs, kernel_size, depth_multiplier, stride, padding, data_format, rate,
                weights_initializer, weights_regularizer, trainable, variables_collections,
                None if normalizer_fn else biases_initializer, biases_regularizer,
            )  # fmt: skip
        else:
            layer = convolutional.SeparableConv2D(
                num_outputs, kernel_size, stride, padding, _layout(data_format), rate,
                depth_multiplier, None, not normalizer_fn and biases_initializer is not None,
                weights_initializer, pointwise_initializer or weights_initializer,
                biases_initializer, weights_regularizer, weights_regularizer, biases_regularizer,
                trainable=trainable, name=sc.name, _scope=sc, _reuse=reuse,
            )  # fmt: skip
            outputs = layer.apply(inputs)
            _note_weights(layer, variables_collections, names)
        outputs = _normalised(outputs, normalizer_fn, normalizer_params, activation_fn)
        return finished(outputs_collections, sc.name, outputs)


separable_conv2d = separable_convolution2d


@add_arg_scope
def fully_connected(
    inputs: Any, num_outputs: int, activation_fn: Any = nn_ops.relu, normalizer_fn: Any = None,
    normalizer_params: Any = None, weights_initializer: Any = _XAVIER,
    weights_regularizer: Any = None, biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None,
    outputs_collections: Any = None, trainable: bool = True, scope: Any = None,
) -> Any:  # fmt: skip
    """Return inputs x weights + biases along the last dimension, by default rectified."""
    if not isinstance(num_outputs, int) and not hasattr(num_outputs, "__index__"):
        raise ValueError(f"num_outputs type should be one of [int], got {type(num_outputs)}.")
    with variable_scope(scope, "fully_connected", [inputs], reuse=reuse,
                        custom_getter=renaming(_WEIGHTS)) as sc:  # fmt: skip
        layer = core.Dense(
            num_outputs, None, not normalizer_fn and biases_initializer is not None,
            weights_initializer, biases_initializer, weights_regularizer, biases_regularizer,
            trainable=trainable, name=sc.name, _scope=sc, _reuse=reuse,
        )  # fmt: skip
        outputs = layer.apply(framework.convert_to_tensor(inputs))
        _note_weights(layer, variables_collections, _WEIGHTS)
        outputs = _normalised(outputs, normalizer_fn, normalizer_params, activation_fn)
        return finished(outputs_collections, sc.name, outputs)


def relu(inputs: Any, num_outputs: int, **kwargs: Any) -> Any:
    """Return fully_connected(...) with rectified units."""
    return fully_connected(inputs, num_outputs, activation_fn=nn_ops.relu, **kwargs)


def relu6(inputs: Any, num_outputs: int, **kwargs: Any) -> Any:
    """Return fully_connected(...) with units rectified and limited to 6."""
    return fully_connected(inputs, num_outputs, activation_fn=nn_ops.relu6, **kwargs)


def linear(inputs: Any, num_outputs: int, **kwargs: Any) -> Any:
    """Return fully_connected(...) without an activation."""
    return fully_connected(inputs, num_outputs, activation_fn=None, **kwargs)


@add_arg_scope
def dropout(inputs: Any, keep_prob: Any = 0.5, noise_shape: Any = None, is_training: Any = True,
            outputs_collections: Any = None, scope: Any = None,
            seed: int | None = None) -> Any:  # fmt: skip
    """Return the inputs with a share of them zero while training, which may be a tensor."""
    with variable_scope(scope, "Dropout", [inputs]) as sc:
        layer = core.Dropout(1 - keep_prob, noise_shape, seed, name=sc.name, _scope=sc)
        outputs = layer.apply(framework.convert_to_tensor(inputs), training=is_training)
        return finished(outputs_collections, sc.name, outputs)


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: Any = None) -> Any:
    """Return the inputs with all dimensions but the first made one."""
    with framework.name_scope(scope, "Flatten", [inputs]) as sc:
        outputs = core.flatten(framework.convert_to_tensor(inputs))
        return finished(outputs_collections, sc, outputs)


@add_arg_scope
def one_hot_encoding(labels: Any, num_classes: int, on_value: Any = 1.0, off_value: Any = 0.0,
                     outputs_collections: Any = None, scope: Any = None) -> Any:  # fmt: skip
    """Return rows with on_value at each label."""
    with framework.name_scope(scope, "OneHotEncoding", [labels]) as sc:
        labels = framework.convert_to_tensor(labels)
        outputs = creation_ops.one_hot(labels, num_classes, on_value, off_value)
        return finished(outputs_collections, sc, outputs)


@add_arg_scope
def bias_add(inputs: Any, activation_fn: Any = None, initializer: Any = _ZEROS,
             regularizer: Any = None, reuse: Any = None, variables_collections: Any = None,
             outputs_collections: Any = None, trainable: bool = True, data_format: str = "NHWC",
             scope: Any = None) -> Any:  # fmt: skip
    """Return the inputs with a bias for each channel."""
    from tfbuild_runtime.contrib.variables import model_variable

    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as sc:
        inputs = framework.convert_to_tensor(inputs)
        size = inputs.get_shape().as_list()[1 if data_format == "NCHW" else -1]
        biases = model_variable(
            "biases", [size], inputs.dtype.base_dtype, initializer, regularizer, trainable,
            utils.collections_for(variables_collections, "biases"),
        )  # fmt: skip
        outputs = nn_ops.bias_add(inputs, biases, data_format=data_format)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return finished(outputs_collections, sc.name, outputs)


def softmax(logits: Any, scope: Any = None) -> Any:
    """Return the softmax along the last dimension."""
    with variable_scope(scope, "softmax", [logits]):
        return nn_ops.softmax(logits)


def repeat(inputs: Any, repetitions: int, layer: Callable[..., Any], *args: Any,
           **kwargs: Any) -> Any:  # fmt: skip
    """Return what a layer gives when it is applied so many times, in scopes numbered from 1."""
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat", [inputs]):
        name = scope or getattr(layer, "__name__", "repeat")
        outputs = framework.convert_to_tensor(inputs)
        for number in range(1, repetitions + 1):
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{name}_{number}"})
        return outputs


def stack(inputs: Any, layer: Callable[..., Any], stack_args: Any, **kwargs: Any) -> Any:
    """Return what a layer gives when it is applied with each of the arguments in turn."""
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Stack", [inputs]):
        name = scope or getattr(layer, "__name__", "stack")
        outputs = framework.convert_to_tensor(inputs)
        for number, arguments in enumerate(stack_args, 1):
            many = arguments if isinstance(arguments, (list, tuple)) else [arguments]
            outputs = layer(outputs, *many, **{**kwargs, "scope": f"{name}_{number}"})
        return outputs


def embed_sequence(ids: Any, vocab_size: int | None = None, embed_dim: int | None = None,
                   unique: bool = False, initializer: Any = None, regularizer: Any = None,
                   trainable: bool = True, scope: Any = None,
                   reuse: Any = None) -> Any:  # fmt: skip
    """Return the vectors of numbered words; raises ValueError when the sizes are not given."""
    from tfbuild_runtime.contrib.variables import model_variable

    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError("Must specify vocab size and embedding dimension when not reusing. Got "
                         f"vocab_size={vocab_size} and embed_dim={embed_dim}")  # fmt: skip
    del unique
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        shape = [vocab_size, embed_dim] if vocab_size and embed_dim else None
        table = model_variable("embeddings", shape, dtypes.float32, initializer, regularizer,
                               trainable)  # fmt: skip
        return nn_ops.embedding_lookup(table, array_ops.identity(ids))
