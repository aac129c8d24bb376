"""tf.contrib.slim: layers, scopes of arguments, losses and training under one name."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.compat.lazy import Namespace as _Namespace
from tfbuild_runtime.contrib import utils
from tfbuild_runtime.contrib.arg_scope import (
    add_arg_scope,
    arg_scope,
    arg_scope_func_key,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)
from tfbuild_runtime.contrib.initializers import (
    variance_scaling_initializer,
    xavier_initializer,
    xavier_initializer_conv2d,
)
from tfbuild_runtime.contrib.layers import (
    bias_add,
    conv1d,
    conv2d,
    conv2d_transpose,
    convolution,
    convolution2d,
    convolution2d_transpose,
    dropout,
    embed_sequence,
    flatten,
    fully_connected,
    linear,
    one_hot_encoding,
    repeat,
    separable_conv2d,
    separable_convolution2d,
    softmax,
    stack,
)
from tfbuild_runtime.contrib.normalization import (
    avg_pool2d,
    batch_norm,
    instance_norm,
    layer_norm,
    max_pool2d,
    unit_norm,
)
from tfbuild_runtime.contrib.regularizers import (
    apply_regularization,
    l1_l2_regularizer,
    l1_regularizer,
    l2_regularizer,
    sum_regularizer,
)
from tfbuild_runtime.contrib.variables import (
    add_model_variable,
    get_local_variables,
    get_model_variables,
    get_trainable_variables,
    get_unique_variable,
    get_variables,
    get_variables_by_name,
    get_variables_by_suffix,
    get_variables_to_restore,
    local_variable,
    model_variable,
    variable,
)
from tfbuild_runtime.train.global_step import (
    create_global_step,
    get_global_step,
    get_or_create_global_step,
)

__all__ = [
    "add_arg_scope", "add_model_variable", "apply_regularization", "arg_scope",
    "arg_scope_func_key", "arg_scoped_arguments", "avg_pool2d", "batch_norm", "bias_add", "conv1d",
    "conv2d", "conv2d_transpose", "convolution", "convolution2d", "convolution2d_transpose",
    "create_global_step", "current_arg_scope", "dropout", "embed_sequence", "flatten",
    "fully_connected", "get_global_step", "get_local_variables", "get_model_variables",
    "get_or_create_global_step", "get_trainable_variables", "get_unique_variable", "get_variables",
    "get_variables_by_name", "get_variables_by_suffix", "get_variables_to_restore",
    "has_arg_scope", "initializers", "instance_norm", "l1_l2_regularizer", "l1_regularizer",
    "l2_regularizer", "layer_norm", "learning", "linear", "local_variable", "losses",
    "max_pool2d", "model_analyzer", "model_variable", "one_hot_encoding", "regularizers",
    "repeat", "separable_conv2d", "separable_convolution2d", "softmax", "stack",
    "sum_regularizer", "unit_norm", "utils", "variable", "variance_scaling_initializer",
    "xavier_initializer", "xavier_initializer_conv2d",
]  # fmt: skip

_LOSSES = {
    "absolute_difference": "ops.losses:absolute_difference",
    "add_loss": "ops.losses:add_loss",
    "compute_weighted_loss": "ops.losses:compute_weighted_loss",
    "cosine_distance": "contrib.slim_losses:cosine_distance",
    "get_losses": "ops.losses:get_losses",
    "get_regularization_losses": "ops.losses:get_regularization_losses",
    "get_total_loss": "ops.losses:get_total_loss",
    "hinge_loss": "contrib.slim_losses:hinge_loss",
    "log_loss": "contrib.slim_losses:log_loss",
    "mean_squared_error": "contrib.slim_losses:mean_squared_error",
    "sigmoid_cross_entropy": "contrib.slim_losses:sigmoid_cross_entropy",
    "softmax_cross_entropy": "contrib.slim_losses:softmax_cross_entropy",
    "sparse_softmax_cross_entropy": "contrib.slim_losses:sparse_softmax_cross_entropy",
}
_LEARNING = {
    name: f"contrib.slim_learning:{name}"
    for name in ("clip_gradient_norms", "create_train_op", "multiply_gradients", "train_step")
}
_INITIALIZERS = {
    name: f"contrib.initializers:{name}"
    for name in (
        "variance_scaling_initializer", "xavier_initializer", "xavier_initializer_conv2d",
    )
}  # fmt: skip
_REGULARIZERS = {
    name: f"contrib.regularizers:{name}"
    for name in (
        "apply_regularization", "l1_l2_regularizer", "l1_regularizer", "l2_regularizer",
        "sum_regularizer",
    )
}  # fmt: skip


def _namespace(name: str, places: dict[str, str]) -> Any:
    full = {short: f"tfbuild_runtime.{place}" for short, place in places.items()}
    return _Namespace(f"tf.contrib.slim.{name}", full)


losses = _namespace("losses", _LOSSES)
learning = _namespace("learning", _LEARNING)
initializers = _namespace("initializers", _INITIALIZERS)
regularizers = _namespace("regularizers", _REGULARIZERS)
model_analyzer = _namespace(
    "model_analyzer", {"analyze_vars": "contrib.slim_learning:analyze_vars"}
)


def __getattr__(name: str) -> Any:
    if name == "python":  # contrib.slim.python.slim and what is in it
        from tfbuild_runtime.contrib import folders

        return folders.slim
    if name == "prefetch_queue":
        from tfbuild_runtime.contrib import prefetch_queue

        return prefetch_queue
    raise AttributeError(f"tf.contrib.slim.{name} of TensorFlow 1 is not there in this runtime")
