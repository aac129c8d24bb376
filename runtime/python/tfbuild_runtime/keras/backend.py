"""Keras' backend: functions of tensors whose arguments differ from those of tf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.variables import Variable
from tfbuild_runtime.gradients import engine
from tfbuild_runtime.keras import losses, phase, values
from tfbuild_runtime.ops import (
    array_ops,
    clip_ops,
    control_ops,
    creation_ops,
    math_ops,
    nn_ops,
    random_ops,
    smart,
)
from tfbuild_runtime.ops.emit import emit

_settings: dict[str, Any] = {"epsilon": 1e-7, "floatx": "float32"}


def epsilon() -> float:
    """Return the small number that keeps divisions finite."""
    return float(_settings["epsilon"])


def set_epsilon(value: float) -> None:
    """Set the small number that keeps divisions finite."""
    _settings["epsilon"] = float(value)


def floatx() -> str:
    """Return the name of the type of numbers."""
    return str(_settings["floatx"])


def set_floatx(value: str) -> None:
    """Set the name of the type of numbers; raises ValueError."""
    if value not in ("float16", "float32", "float64"):
        raise ValueError(f"Unknown floatx type: {value}")
    _settings["floatx"] = value


def image_data_format() -> str:
    """Return where channels are: last."""
    return "channels_last"


def set_image_data_format(data_format: str) -> None:
    """Raise NotImplementedError but for channels_last."""
    if data_format != "channels_last":
        raise NotImplementedError("layers say data_format='channels_first' themselves")


def cast_to_floatx(x: Any) -> Any:
    """Return an array or tensor as of the type of numbers."""
    return math_ops.cast(x, floatx()) if framework.is_tensor_like(x) else np.asarray(x, floatx())


def is_keras_tensor(x: Any) -> bool:
    """Whether a layer made the tensor."""
    from tfbuild_runtime.keras.base_layer import calls_of

    return x in calls_of(x.graph)


def placeholder(shape: Any = None, ndim: int | None = None, dtype: Any = None,
                sparse: bool = False, name: str | None = None,
                ragged: bool = False) -> Any:  # fmt: skip
    """Return a placeholder; raises NotImplementedError for a sparse or ragged one."""
    if sparse or ragged:
        raise NotImplementedError("use tf.sparse_placeholder or tf.ragged.placeholder")
    sizes = [None] * ndim if shape is None and ndim is not None else shape
    return creation_ops.placeholder(dtypes.as_dtype(dtype or floatx()), sizes, name=name)


def variable(value: Any, dtype: Any = None, name: str | None = None,
             constraint: Any = None) -> Any:  # fmt: skip
    """Return a new variable."""
    first = np.asarray(value, dtype or floatx()) if not framework.is_tensor_like(value) else value
    return Variable(first, name=name, constraint=constraint, use_resource=True)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Any:
    """Return a constant."""
    return framework.constant(value, dtype or floatx(), shape, name or "Const")


def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return a variable of zeros."""
    return variable(np.zeros(shape), dtype, name)


def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Return a variable of ones."""
    return variable(np.ones(shape), dtype, name)


def int_shape(x: Any) -> Any:
    """Return the sizes, None where not known; None for an unknown rank."""
    shape = x.get_shape()
    return None if shape.ndims is None else tuple(shape.as_list())


def ndim(x: Any) -> Any:
    """Return the rank, or None."""
    return x.get_shape().ndims


def dtype(x: Any) -> str:
    """Return the name of the type."""
    return str(x.dtype.base_dtype.name)


def count_params(x: Any) -> int:
    """Return the number of elements."""
    return int(np.prod(x.get_shape().as_list()))


def eval(x: Any) -> Any:
    """Return the value of a tensor or variable."""
    return values.get_session().run(x)


def get_value(x: Any) -> Any:
    """Return the value of a variable."""
    return values.get_values([x])[0]


def set_value(x: Any, value: Any) -> None:
    """Set a variable."""
    values.set_values([x], [value])


def batch_get_value(tensors: Sequence[Any]) -> list[Any]:
    """Return the values of variables."""
    return values.get_values(tensors)


def batch_set_value(tuples: Sequence[tuple[Any, Any]]) -> None:
    """Set variables."""
    values.set_values([variable for variable, _ in tuples], [value for _, value in tuples])


def function(inputs: Sequence[Any], outputs: Any, updates: Any = None,
             name: str | None = None) -> Any:  # fmt: skip
    """Return a function of arrays that runs outputs, and updates beside them."""
    del name
    wanted = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    changes = [u[0].assign(u[1]) if isinstance(u, tuple) else u for u in updates or ()]
    beside = control_ops.group(*changes) if changes else None

    def run(given: Sequence[Any]) -> Any:
        both = zip(inputs, given)
        feeds = {tensor: value for tensor, value in both if framework.is_tensor_like(tensor)}
        fetches = [wanted, *([beside] if beside is not None else [])]
        found = values.get_session().run(fetches, feeds)[0]
        return found if isinstance(outputs, (list, tuple)) else found[0]

    return run


def gradients(loss: Any, variables: Any) -> list[Any]:
    """Return the derivatives of the loss."""
    return engine.gradients(loss, variables)


def update(x: Any, new_x: Any) -> Any:
    """Return what sets a variable."""
    return x.assign(new_x)


def update_add(x: Any, increment: Any) -> Any:
    """Return what adds to a variable."""
    return x.assign_add(increment)


def update_sub(x: Any, decrement: Any) -> Any:
    """Return what subtracts from a variable."""
    return x.assign_sub(decrement)


def in_train_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """Return x while training, else alt; both may be functions."""
    is_training = phase.learning_phase() if training is None else training
    return switch(is_training, x, alt)


def in_test_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """Return alt while training, else x; both may be functions."""
    return in_train_phase(alt, x, training)


def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """Return one or the other by a condition; both may be functions."""
    both = [one if callable(one) else (lambda one=one: framework.convert_to_tensor(one))
            for one in (then_expression, else_expression)]  # fmt: skip
    if isinstance(condition, (int, bool)):
        return both[0]() if condition else both[1]()
    if condition.get_shape().ndims == 0:
        return smart.smart_cond(math_ops.cast(condition, dtypes.bool), *both)
    chosen = [one() for one in both]
    return emit("SelectV2", [math_ops.cast(condition, dtypes.bool), *chosen])


def clip(x: Any, min_value: Any, max_value: Any) -> Any:
    """Return x, at least and at most that; None is no bound."""
    if isinstance(min_value, (int, float)) and isinstance(max_value, (int, float)):
        max_value = max(min_value, max_value)
    found = x if min_value is None else math_ops.maximum(x, min_value)
    return found if max_value is None else math_ops.minimum(found, max_value)


def sqrt(x: Any) -> Any:
    """Return the square root, 0 of what is negative; there, the gradient is 0 as well."""
    return math_ops.sqrt(clip_ops.clip_by_value(x, 0.0, float("inf")))


def argmax(x: Any, axis: int = -1) -> Any:
    """Return where the largest is."""
    return emit("ArgMax", [x, axis], output_type=dtypes.int64)


def argmin(x: Any, axis: int = -1) -> Any:
    """Return where the smallest is."""
    return emit("ArgMin", [x, axis], output_type=dtypes.int64)


def concatenate(tensors: Any, axis: int = -1) -> Any:
    """Return all tensors along an axis."""
    return array_ops.concat(tensors, axis)


def expand_dims(x: Any, axis: int = -1) -> Any:
    """Return x with one dimension more."""
    return array_ops.expand_dims(x, axis)


def flatten(x: Any) -> Any:
    """Return x as a vector."""
    return array_ops.reshape(x, [-1])


def batch_flatten(x: Any) -> Any:
    """Return x with all dimensions but the first made one."""
    sizes = x.get_shape().as_list()[1:]
    known = None not in sizes
    rest = int(np.prod(sizes)) if known else array_ops.size(x) // array_ops.shape(x)[0]
    return array_ops.reshape(x, array_ops.stack([-1, rest]))


def permute_dimensions(x: Any, pattern: Any) -> Any:
    """Return x with its dimensions in another order."""
    return array_ops.transpose(x, pattern)


def repeat_elements(x: Any, rep: int, axis: int) -> Any:
    """Return each slice along an axis so many times, one behind the other."""
    axis = axis % x.get_shape().ndims
    wide = array_ops.expand_dims(x, axis + 1)
    rank = wide.get_shape().ndims
    tiled = array_ops.tile(wide, [rep if i == axis + 1 else 1 for i in range(rank)])
    known = x.get_shape().as_list()
    sizes = array_ops.shape(x)
    after = [sizes[i] if size is None else size for i, size in enumerate(known)]
    after[axis] = after[axis] * rep
    return array_ops.reshape(tiled, array_ops.stack(after))


def dot(x: Any, y: Any) -> Any:
    """Return the product along the last dimension of x and the last but one of y."""
    from tfbuild_runtime.ops import linalg_ops, matrix_ops

    if x.get_shape().ndims <= 2 and y.get_shape().ndims <= 2:
        return linalg_ops.matmul(x, y)
    return matrix_ops.tensordot(x, y, [[-1], [max(0, y.get_shape().ndims - 2)]])


def l2_normalize(x: Any, axis: Any = None) -> Any:
    """Return x with vectors along the axis of length 1."""
    return nn_ops.l2_normalize(x, axis)


def dropout(x: Any, level: Any, noise_shape: Any = None, seed: int | None = None) -> Any:
    """Return x with a share of it zero."""
    return nn_ops.dropout(x, rate=level, noise_shape=noise_shape, seed=seed)


def random_normal(shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None,
                  seed: int | None = None) -> Any:  # fmt: skip
    """Return normal random numbers."""
    return random_ops.random_normal(shape, mean, stddev, dtypes.as_dtype(dtype or floatx()), seed)


def random_uniform(shape: Any, minval: float = 0.0, maxval: float = 1.0, dtype: Any = None,
                   seed: int | None = None) -> Any:  # fmt: skip
    """Return even random numbers."""
    return random_ops.random_uniform(
        shape, minval, maxval, dtypes.as_dtype(dtype or floatx()), seed
    )


def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the standard deviation."""
    return math_ops.sqrt(var(x, axis, keepdims))


def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the variance."""
    axes = list(range(x.get_shape().ndims)) if axis is None else axis
    axes = [axes] if isinstance(axes, int) else axes
    return nn_ops.moments(x, axes, keepdims=keepdims)[1]


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    """Return the cross entropy of each probability."""
    wanted = math_ops.cast(target, output.dtype.base_dtype)
    return losses.of_probabilities(wanted, output, from_logits)
