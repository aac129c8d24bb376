"""Layers without windows: products, activations, shapes, noise, embeddings, normalisation."""

from __future__ import annotations

import inspect
import math
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.keras import phase
from tfbuild_runtime.keras.base_layer import Layer, Worded, given, without_mask
from tfbuild_runtime.keras.named import (
    activation_of,
    elu,
    initializer_of,
    regularizer_of,
    relu,
    softmax,
)
from tfbuild_runtime.layers import core, normalization
from tfbuild_runtime.ops import array_ops, embedding_ops, math_ops, nn_ops, random_ops, smart
from tfbuild_runtime.ops.emit import emit


def training_of(given: Any) -> Any:
    """Return what a call was given as training, or else the learning phase."""
    return phase.learning_phase() if given is None else given


class Dense(Worded, core.Dense, Layer):
    """activation(inputs x kernel + bias) along the last dimension."""

    def __init__(self, units: int, activation: Any = None, use_bias: bool = True,
                 kernel_initializer: Any = "glorot_uniform",
                 bias_initializer: Any = "zeros", kernel_regularizer: Any = None,
                 bias_regularizer: Any = None, activity_regularizer: Any = None,
                 kernel_constraint: Any = None, bias_constraint: Any = None,
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(**given(locals()))


class Dropout(Worded, core.Dropout, Layer):
    """Sets a share of the inputs to zero while training, and scales the others up."""

    def __init__(self, rate: Any, noise_shape: Any = None, seed: int | None = None,
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(rate, noise_shape, seed, **kwargs)

    def call(self, inputs: Any, training: Any = None, **_: Any) -> Any:
        """Return the inputs, with zeros while training."""
        return super().call(inputs, training=training_of(training))


class SpatialDropout2D(Dropout):
    """Sets whole channels of images to zero while training."""

    def __init__(self, rate: Any, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(rate, **kwargs)
        self.data_format = data_format or "channels_last"
        if self.data_format not in ("channels_first", "channels_last"):
            raise ValueError("data_format must be 'channels_last' or 'channels_first': "
                             f"{data_format!r}")  # fmt: skip

    def call(self, inputs: Any, training: Any = None, **_: Any) -> Any:
        """Return the inputs, with zeros while training."""
        sizes = array_ops.shape(inputs)
        last = self.data_format == "channels_last"
        wide = [1, 1, sizes[3]] if last else [sizes[1], 1, 1]
        self.noise_shape = array_ops.stack([sizes[0], *wide])
        return super().call(inputs, training=training)


class SpatialDropout1D(Dropout):
    """Sets whole channels of sequences to zero while training."""

    def call(self, inputs: Any, training: Any = None, **_: Any) -> Any:
        """Return the inputs, with zeros while training."""
        sizes = array_ops.shape(inputs)
        self.noise_shape = array_ops.stack([sizes[0], 1, sizes[2]])
        return super().call(inputs, training=training)


class BatchNormalization(Worded, normalization.BatchNormalization, Layer):
    """Gives each channel of a batch mean 0 and variance 1, then a mean and deviation of its own."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Return the outputs; raises NotImplementedError for a mask."""
        return super().call(inputs, training_of(training), mask)


class Flatten(core.Flatten, Layer):
    """Makes all dimensions but the first one."""


class Activation(Layer):
    """Applies a function, or one that a word names."""

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activation_of(activation)

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        return self.activation(inputs)


class Lambda(Layer):
    """Applies a function of tensors."""

    def __init__(self, function: Any, output_shape: Any = None, mask: Any = None,
                 arguments: Any = None, **kwargs: Any) -> None:  # fmt: skip
        del output_shape  # the function's own outputs say it
        if mask is not None:
            raise NotImplementedError("Lambda(mask=...) is not there: layers pass no masks on")
        super().__init__(**kwargs)
        self.function = function
        self.arguments = dict(arguments or {})

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        """Return the outputs; a function that takes `training` gets it. Raises for a mask."""
        without_mask(mask)
        how = dict(self.arguments)
        if "training" in _parameters(self.function):
            how.setdefault("training", training)
        return self.function(inputs, **how)


def _parameters(function: Any) -> Any:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):  # one of C
        return ()


class Reshape(Layer):
    """Gives the elements of each example another shape; one size may be -1."""

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        sizes = inputs.get_shape().as_list()[1:]
        target = list(self.target_shape)
        if -1 in target and None not in sizes:
            known = -math.prod(target)
            target[target.index(-1)] = math.prod(sizes) // known
        outputs = array_ops.reshape(inputs, array_ops.stack([array_ops.shape(inputs)[0], *target]))
        outputs.set_shape([None, *(None if size == -1 else size for size in target)])
        return outputs


class Permute(Layer):
    """Puts the dimensions of each example, counted from 1, into another order."""

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        return array_ops.transpose(inputs, [0, *self.dims])


class RepeatVector(Layer):
    """Makes a sequence of n times each vector."""

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.n = n

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        return array_ops.tile(array_ops.expand_dims(inputs, 1), [1, self.n, 1])


class Embedding(Layer):
    """Looks up a vector for each number."""

    def __init__(self, input_dim: int, output_dim: int, embeddings_initializer: Any = "uniform",
                 embeddings_regularizer: Any = None, activity_regularizer: Any = None,
                 embeddings_constraint: Any = None, mask_zero: bool = False,
                 input_length: Any = None, sparse: bool = False,
                 **kwargs: Any) -> None:  # fmt: skip
        if sparse:
            raise NotImplementedError("Embedding(sparse=True) is not there: rows are tensors")
        if mask_zero:
            raise NotImplementedError("Embedding(mask_zero=True) is not there: give lengths to "
                                      "tf.nn.dynamic_rnn")  # fmt: skip
        if "input_shape" not in kwargs and "batch_input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length,)
        super().__init__(activity_regularizer=activity_regularizer, dtype="float32", **kwargs)
        self.input_dim = input_dim
        self.output_dim = output_dim
        self._made_by = (initializer_of(embeddings_initializer),
                         regularizer_of(embeddings_regularizer), embeddings_constraint)  # fmt: skip
        self.embeddings: Any = None

    def build(self, input_shape: Any) -> None:
        """Make the vectors."""
        del input_shape
        initializer, regularizer, constraint = self._made_by
        self.embeddings = self.add_weight(
            "embeddings", (self.input_dim, self.output_dim), initializer=initializer,
            regularizer=regularizer, constraint=constraint,
        )  # fmt: skip
        self.built = True

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the vectors."""
        if inputs.dtype.base_dtype not in (dtypes.int32, dtypes.int64):
            inputs = emit("Cast", [inputs], DstT=dtypes.int32)
        return embedding_ops.embedding_lookup(self.embeddings, inputs)


class LayerNormalization(Layer):
    """Gives each example mean 0 and variance 1 along axes, then a mean and deviation of its own."""

    def __init__(self, axis: Any = -1, epsilon: float = 1e-3, center: bool = True,
                 scale: bool = True, beta_initializer: Any = "zeros",
                 gamma_initializer: Any = "ones", beta_regularizer: Any = None,
                 gamma_regularizer: Any = None, beta_constraint: Any = None,
                 gamma_constraint: Any = None, **kwargs: Any) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else [axis]
        self.epsilon = epsilon
        of_gamma = (gamma_initializer, gamma_regularizer, gamma_constraint)
        of_beta = (beta_initializer, beta_regularizer, beta_constraint)
        self._makers = {"gamma": of_gamma if scale else None, "beta": of_beta if center else None}
        self.gamma: Any = None
        self.beta: Any = None

    def build(self, input_shape: Any) -> None:
        """Make the variables."""
        rank = input_shape.ndims
        self.axis = [axis % rank for axis in self.axis]
        sizes = [input_shape.as_list()[axis] for axis in self.axis]
        for name, made_by in self._makers.items():
            if made_by is not None:
                initializer, regularizer, constraint = made_by
                setattr(self, name, self.add_weight(
                    name, sizes, initializer=initializer, regularizer=regularizer,
                    constraint=constraint,
                ))  # fmt: skip
        self._wide = [input_shape.as_list()[a] if a in self.axis else 1 for a in range(rank)]
        self.built = True

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        mean, variance = nn_ops.moments(inputs, self.axis, keepdims=True)

        def wide(value: Any) -> Any:
            return None if value is None else array_ops.reshape(value, self._wide)

        outputs = nn_ops.batch_normalization(inputs, mean, variance, wide(self.beta),
                                             wide(self.gamma), self.epsilon)  # fmt: skip
        outputs.set_shape(inputs.get_shape())
        return outputs


class LeakyReLU(Layer):
    """Returns x where it is positive, else alpha * x."""

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        return nn_ops.leaky_relu(inputs, self.alpha)


class ELU(Layer):
    """Returns x where it is positive, else alpha * (exp(x) - 1)."""

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        return elu(inputs, self.alpha)


class ReLU(Layer):
    """Returns x where it is above a threshold, else negative_slope * x, at most max_value."""

    def __init__(self, max_value: Any = None, negative_slope: float = 0.0, threshold: float = 0.0,
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(**kwargs)
        for what, value in (("negative_slope", negative_slope), ("threshold", threshold),
                            ("max_value", 0 if max_value is None else max_value)):  # fmt: skip
            if value is None or value < 0:
                raise ValueError(f"{what} of a ReLU layer cannot be negative: {value}")
        self._how = {"alpha": negative_slope, "max_value": max_value, "threshold": threshold}

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        return relu(inputs, **self._how)


class PReLU(Layer):
    """Returns x where it is positive, else alpha * x with an alpha that is learned."""

    def __init__(self, alpha_initializer: Any = "zeros", alpha_regularizer: Any = None,
                 alpha_constraint: Any = None, shared_axes: Any = None,
                 **kwargs: Any) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self._made_by = (alpha_initializer, alpha_regularizer, alpha_constraint)
        self._shared = tuple(shared_axes or ())
        self.alpha: Any = None

    def build(self, input_shape: Any) -> None:
        """Make alpha."""
        sizes = input_shape.as_list()[1:]
        for axis in self._shared:
            sizes[axis - 1] = 1
        initializer, regularizer, constraint = self._made_by
        self.alpha = self.add_weight("alpha", sizes, initializer=initializer,
                                     regularizer=regularizer, constraint=constraint)  # fmt: skip
        self.built = True

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs."""
        return nn_ops.relu(inputs) - self.alpha * nn_ops.relu(-inputs)


class Softmax(Layer):
    """Returns the softmax along an axis, or over several."""

    def __init__(self, axis: Any = -1, robust_masking: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self.robust_masking = robust_masking

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """Return the outputs; what mask does not hold true for gets no share."""
        if mask is not None:
            dtype = inputs.dtype.base_dtype
            least = math_ops.cast(-3e4 if dtype == dtypes.float16 else -1e9, dtype)
            mask = framework.convert_to_tensor(mask)
            if self.robust_masking:
                kept = mask if mask.dtype.base_dtype == dtypes.bool else mask > 0.5
                inputs = array_ops.where_v2(kept, inputs, least)
            else:
                inputs = inputs + (1.0 - math_ops.cast(mask, dtype)) * least
        return softmax(inputs, self.axis)


class GaussianNoise(Layer):
    """Adds noise while training."""

    def __init__(self, stddev: float, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stddev = stddev
        self.seed = seed

    def call(self, inputs: Any, training: Any = None) -> Any:
        """Return the inputs, with noise while training."""

        def noised() -> Any:
            sizes = array_ops.shape(inputs)
            return inputs + random_ops.random_normal(sizes, stddev=self.stddev, seed=self.seed)

        outputs = smart.smart_cond(
            training_of(training), noised, lambda: array_ops.identity(inputs)
        )
        outputs.set_shape(inputs.get_shape())
        return outputs


class ActivityRegularization(Layer):
    """Returns its inputs, and makes losses of them."""

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        from tfbuild_runtime.keras.named import L1L2

        super().__init__(activity_regularizer=L1L2(l1, l2), **kwargs)
