"""Normalisations and pools of tf.contrib.layers."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.contrib import utils
from tfbuild_runtime.contrib.arg_scope import add_arg_scope
from tfbuild_runtime.contrib.utils import finished, renaming
from tfbuild_runtime.contrib.variables import model_variable
from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.layers import pooling
from tfbuild_runtime.layers.normalization import BatchNormalization
from tfbuild_runtime.ops import array_ops, init_ops, math_ops, nn_ops, reduce_ops
from tfbuild_runtime.ops.variable_scope import variable_scope

_ZEROS, _ONES = init_ops.Zeros(), init_ops.Ones()


@add_arg_scope
def batch_norm(
    inputs: Any, decay: float = 0.999, center: bool = True, scale: bool = False,
    epsilon: float = 0.001, activation_fn: Any = None, param_initializers: Any = None,
    param_regularizers: Any = None, updates_collections: Any = GraphKeys.UPDATE_OPS,
    is_training: Any = True, reuse: Any = None, variables_collections: Any = None,
    outputs_collections: Any = None, trainable: bool = True, batch_weights: Any = None,
    fused: bool | None = None, data_format: str = "NHWC", zero_debias_moving_mean: bool = False,
    scope: Any = None, renorm: bool = False, renorm_clipping: Any = None,
    renorm_decay: float = 0.99, adjustment: Any = None,
) -> Any:  # fmt: skip
    """Return the inputs with each channel normalised, by the batch's own means while training.

    The updates of the moving means are in updates_collections; with None they run in place.
    """
    for what, asked in (("batch_weights", batch_weights),
                        ("zero_debias_moving_mean", zero_debias_moving_mean)):  # fmt: skip
        if asked:
            raise NotImplementedError(f"contrib.layers.batch_norm({what}={asked!r}) is not there")
    initial, regular = param_initializers or {}, param_regularizers or {}
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse,
                        custom_getter=renaming({})) as sc:  # fmt: skip
        inputs = framework.convert_to_tensor(inputs)
        flat = inputs.get_shape().ndims == 2 and fused is not False
        images = _as_images(inputs, data_format) if flat else inputs
        layer = BatchNormalization(
            1 if data_format == "NCHW" else -1, decay, epsilon, center, scale,
            initial.get("beta", _ZEROS), initial.get("gamma", _ONES),
            initial.get("moving_mean", _ZEROS), initial.get("moving_variance", _ONES),
            regular.get("beta"), regular.get("gamma"), None, None, renorm, renorm_clipping,
            renorm_decay, fused, trainable, None, adjustment, name=sc.name, _scope=sc,
            _reuse=reuse, _updates_collections=(),
        )  # fmt: skip
        outputs = layer.apply(images, training=is_training)
        outputs = array_ops.reshape(outputs, array_ops.shape(inputs)) if flat else outputs
        outputs.set_shape(inputs.get_shape())
        for name in ("beta", "gamma", "moving_mean", "moving_variance"):
            if getattr(layer, name) is not None:
                utils.add_to_variable_collections(getattr(layer, name), variables_collections,
                                                  name)  # fmt: skip
        outputs = _updated(outputs, layer.updates, updates_collections)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return finished(outputs_collections, sc.name, outputs)


def _as_images(inputs: Any, data_format: str) -> Any:
    channels = inputs.get_shape().as_list()[-1]
    shape = [-1, channels, 1, 1] if data_format == "NCHW" else [-1, 1, 1, channels]
    return array_ops.reshape(inputs, shape)


def _updated(outputs: Any, updates: list[Any], collections: Any) -> Any:
    if collections is None:
        with framework.control_dependencies(updates):
            return array_ops.identity(outputs)
    for update in updates:
        framework.add_to_collections(collections, update)
    return outputs


@add_arg_scope
def layer_norm(
    inputs: Any, center: bool = True, scale: bool = True, activation_fn: Any = None,
    reuse: Any = None, variables_collections: Any = None, outputs_collections: Any = None,
    trainable: bool = True, begin_norm_axis: int = 1, begin_params_axis: int = -1,
    scope: Any = None,
) -> Any:  # fmt: skip
    """Return the inputs normalised over all dimensions from begin_norm_axis on.

    Raises ValueError when rank or sizes are not known.
    """
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as sc:
        inputs = framework.convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        begin = begin_norm_axis % rank
        params = inputs.get_shape().as_list()[begin_params_axis % rank :]
        if begin >= rank or None in params:
            raise ValueError(f"Inputs {inputs.name}: shape {params} is not fully defined.")
        dtype = inputs.dtype.base_dtype
        beta, gamma = _shift_and_scale(params, dtype, center, scale, trainable,
                                       variables_collections)  # fmt: skip
        mean, variance = nn_ops.moments(inputs, list(range(begin, rank)), keepdims=True)
        epsilon = 1e-3 if dtype == dtypes.float16 else 1e-12
        outputs = nn_ops.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(inputs.get_shape())
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return finished(outputs_collections, sc.name, outputs)


def _shift_and_scale(shape: Any, dtype: Any, center: bool, scale: bool, trainable: bool,
                     collections: Any, initializers: Any = None) -> tuple[Any, Any]:  # fmt: skip
    made, given = [], initializers or {}
    for name, wanted, initializer in (("beta", center, _ZEROS), ("gamma", scale, _ONES)):
        made.append(model_variable(
            name, shape, dtype, given.get(name, initializer), None, trainable,
            utils.collections_for(collections, name),
        ) if wanted else None)  # fmt: skip
    return made[0], made[1]


@add_arg_scope
def instance_norm(
    inputs: Any, center: bool = True, scale: bool = True, epsilon: float = 1e-6,
    activation_fn: Any = None, param_initializers: Any = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    data_format: str = "NHWC", scope: Any = None,
) -> Any:  # fmt: skip
    """Return the inputs with each channel of each example normalised."""
    with variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as sc:
        inputs = framework.convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        axis = 1 if data_format == "NCHW" else rank - 1
        size = inputs.get_shape().as_list()[axis]
        beta, gamma = _shift_and_scale([size], inputs.dtype.base_dtype, center, scale, trainable,
                                       variables_collections, param_initializers)  # fmt: skip
        if axis == 1:
            wide = [1, size] + [1] * (rank - 2)
            beta = None if beta is None else array_ops.reshape(beta, wide)
            gamma = None if gamma is None else array_ops.reshape(gamma, wide)
        axes = [number for number in range(1, rank) if number != axis]
        mean, variance = nn_ops.moments(inputs, axes, keepdims=True)
        outputs = nn_ops.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(inputs.get_shape())
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return finished(outputs_collections, sc.name, outputs)


def _pool(kind: Any, name: str) -> Any:
    def pool(inputs: Any, kernel_size: Any, stride: Any = 2, padding: str = "VALID",
             data_format: str = "NHWC", outputs_collections: Any = None,
             scope: Any = None) -> Any:  # fmt: skip
        layout = "channels_first" if data_format == "NCHW" else "channels_last"
        with framework.name_scope(scope, name, [inputs]) as sc:
            layer = kind(kernel_size, stride, padding, layout, _scope=sc)
            outputs = layer.apply(framework.convert_to_tensor(inputs))
            return finished(outputs_collections, sc, outputs)

    pool.__name__ = {"MaxPool2D": "max_pool2d", "AvgPool2D": "avg_pool2d"}[name]
    pool.__doc__ = f"Return what a {kind.__name__} makes of the inputs."
    return add_arg_scope(pool)


max_pool2d = _pool(pooling.MaxPooling2D, "MaxPool2D")
avg_pool2d = _pool(pooling.AveragePooling2D, "AvgPool2D")


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Any:
    """Return the inputs divided by their length along a dimension."""
    with variable_scope(scope, "UnitNorm", [inputs]):
        length = math_ops.sqrt(
            reduce_ops.reduce_sum(math_ops.square(inputs), dim, keepdims=True) + epsilon
        )
        return math_ops.div(inputs, length)
