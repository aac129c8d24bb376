"""Dense, Dropout and Flatten."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import tensor_shape
from tfbuild_runtime.layers.base import InputSpec, Layer, WeightedLayer
from tfbuild_runtime.ops import array_ops, init_ops, linalg_ops, nn_ops, smart
from tfbuild_runtime.ops.emit import emit, known_rank

_ZEROS = init_ops.Zeros()


class Dense(WeightedLayer):
    """activation(inputs x kernel + bias) along the last dimension."""

    def __init__(
        self, units: int, activation: Callable[[Any], Any] | None = None, use_bias: bool = True,
        kernel_initializer: Any = None, bias_initializer: Any = _ZEROS,
        kernel_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, kernel_constraint: Any = None,
        bias_constraint: Any = None, trainable: bool = True, name: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
            bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, trainable,
            name, **kwargs,
        )  # fmt: skip
        self.units = int(units)

    def build(self, input_shape: Any) -> None:
        """Make kernel and bias; raises ValueError when the last dimension is not known."""
        size = None if not input_shape.ndims else input_shape.as_list()[-1]
        if size is None:
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found "
                             f"`None`: layer {self._name!r} got {input_shape}")  # fmt: skip
        self.input_spec = InputSpec(min_ndim=2 if input_shape.ndims > 1 else 1, axes={-1: size})
        self.kernel = self._make_kernel("kernel", [size, self.units])
        self._make_bias(self.units)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of what the layer makes of inputs of that shape."""
        sizes = tensor_shape.as_shape(input_shape).as_list()
        return tensor_shape.TensorShape([*sizes[:-1], self.units])

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        outputs = _over_last(inputs, self.kernel, self.kernel.shape.as_list()[0], self.units)
        if self.bias is not None:
            outputs = nn_ops.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)


def _over_last(inputs: Any, kernel: Any, size: int, units: int) -> Any:
    if known_rank(inputs) == 2:
        return linalg_ops.matmul(inputs, kernel)
    product = linalg_ops.matmul(array_ops.reshape(inputs, [-1, size]), kernel)
    sizes = inputs.get_shape().as_list()[:-1]
    if None not in sizes:
        return array_ops.reshape(product, [*sizes, units])
    front = emit("StridedSlice", [array_ops.shape(inputs), [0], [-1], [1]], begin_mask=1)
    outputs = array_ops.reshape(product, array_ops.concat([front, [units]], 0))
    outputs.set_shape([*sizes, units])
    return outputs


def dense(
    inputs: Any, units: int, activation: Callable[[Any], Any] | None = None, use_bias: bool = True,
    kernel_initializer: Any = None, bias_initializer: Any = _ZEROS, kernel_regularizer: Any = None,
    bias_regularizer: Any = None, activity_regularizer: Any = None, kernel_constraint: Any = None,
    bias_constraint: Any = None, trainable: bool = True, name: str | None = None, reuse: Any = None,
) -> Any:  # fmt: skip
    """Return activation(inputs x kernel + bias) along the last dimension.

    Raises ValueError when the size of that dimension is not known.
    """
    layer = Dense(
        units, activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer,
        bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint, trainable,
        name, _scope=name, _reuse=reuse,
    )  # fmt: skip
    return layer.apply(inputs)


class Dropout(Layer):
    """Sets a share of the inputs to zero while training, and scales the others up."""

    def __init__(self, rate: Any = 0.5, noise_shape: Any = None, seed: int | None = None,
                 name: Any = None, **kwargs: Any) -> None:  # fmt: skip
        super().__init__(name=name, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def call(self, inputs: Any, training: Any = False, **_: Any) -> Any:
        """Return the inputs, with zeros while training, which may be a tensor."""

        def dropped() -> Any:
            return nn_ops.dropout(inputs, rate=self.rate, noise_shape=self.noise_shape,
                                  seed=self.seed)  # fmt: skip

        outputs = smart.smart_cond(training, dropped, lambda: array_ops.identity(inputs))
        outputs.set_shape(inputs.get_shape())
        return outputs


def dropout(inputs: Any, rate: Any = 0.5, noise_shape: Any = None, seed: int | None = None,
            training: Any = False, name: str | None = None) -> Any:  # fmt: skip
    """Return the inputs with a share of them zero while training, which may be a tensor."""
    return Dropout(rate, noise_shape, seed, name).apply(inputs, training=training)


class Flatten(Layer):
    """Makes all dimensions but the first one."""

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = "channels_last" if data_format is None else data_format.lower()
        if self.data_format not in ("channels_last", "channels_first"):
            raise ValueError(f"data_format is channels_last or channels_first, not {data_format!r}")

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the inputs as a matrix, channels last."""
        rank = known_rank(inputs)
        if self.data_format == "channels_first" and rank is not None and rank > 2:
            inputs = array_ops.transpose(inputs, [0, *range(2, rank), 1])
        if rank == 1:
            return array_ops.expand_dims(inputs, -1)
        sizes = None if rank is None else inputs.get_shape().as_list()
        if sizes and None not in sizes[1:]:
            return array_ops.reshape(inputs, [-1, math.prod(sizes[1:])])
        if sizes and sizes[0] is not None:
            return array_ops.reshape(inputs, [sizes[0], -1])
        first = emit("StridedSlice", [array_ops.shape(inputs), [0], [1], [1]])
        return array_ops.reshape(inputs, array_ops.concat([first, [-1]], 0))


def flatten(inputs: Any, name: str | None = None, data_format: str = "channels_last") -> Any:
    """Return the inputs with all dimensions but the first made one, channels last."""
    return Flatten(data_format=data_format, name=name).apply(framework.convert_to_tensor(inputs))
