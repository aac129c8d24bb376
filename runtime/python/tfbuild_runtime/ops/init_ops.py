"""Initializers: objects that make the first value of a variable from its shape."""

from __future__ import annotations

import math
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import creation_ops, random_ops


class Initializer:
    """What makes a first value; its arguments are its public attributes."""

    dtype: Any = dtypes.float32

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        """Return a tensor of that shape."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Return the arguments that make the same initializer."""
        config = {key: value for key, value in vars(self).items() if not key.startswith("_")}
        return {**config, "dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """Return the initializer that get_config described."""
        return cls(**config)

    def _type(self, dtype: Any) -> Any:
        return self.dtype if dtype is None else dtypes.as_dtype(dtype).base_dtype


class Zeros(Initializer):
    """Makes zeros."""

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:  # noqa: D102
        return creation_ops.zeros(shape, self._type(dtype))


class Ones(Initializer):
    """Makes ones."""

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:  # noqa: D102
        return creation_ops.ones(shape, self._type(dtype))


class Constant(Initializer):
    """Makes a constant; a list is laid out row by row and its last element fills the rest."""

    def __init__(self, value: Any = 0, dtype: Any = dtypes.float32,
                 verify_shape: bool = False) -> None:  # fmt: skip
        self.value = value
        self.dtype = dtypes.as_dtype(dtype)
        self.verify_shape = verify_shape

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None,  # noqa: D102
                 verify_shape: bool | None = None) -> Any:  # fmt: skip
        verify = self.verify_shape if verify_shape is None else verify_shape
        return framework.constant(self.value, self._type(dtype), shape=shape, verify_shape=verify)


def _floating(dtype: Any) -> dtypes.DType:
    """Return the type; raises ValueError for one without fractions."""
    kind = dtypes.as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"Expected floating point type, got {kind!r}.")
    return kind


class RandomUniform(Initializer):
    """Draws evenly from [minval, maxval)."""

    def __init__(self, minval: Any = 0.0, maxval: Any = None, seed: int | None = None,
                 dtype: Any = dtypes.float32) -> None:  # fmt: skip
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:  # noqa: D102
        return random_ops.random_uniform(shape, self.minval, self.maxval, self._type(dtype),
                                         seed=self.seed)  # fmt: skip


class RandomNormal(Initializer):
    """Draws from a normal distribution."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: int | None = None,
                 dtype: Any = dtypes.float32) -> None:  # fmt: skip
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:  # noqa: D102
        return random_ops.random_normal(shape, self.mean, self.stddev, self._type(dtype),
                                        seed=self.seed)  # fmt: skip


class TruncatedNormal(Initializer):
    """Draws from a normal distribution without what lies beyond two deviations."""

    def __init__(self, mean: Any = 0.0, stddev: Any = 1.0, seed: int | None = None,
                 dtype: Any = dtypes.float32) -> None:  # fmt: skip
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:  # noqa: D102
        return random_ops.truncated_normal(shape, self.mean, self.stddev, self._type(dtype),
                                           seed=self.seed)  # fmt: skip


# The deviation of a normal distribution cut at two deviations, as a share of the uncut one's.
_TRUNCATED_DEVIATION = 0.87962566103423978


class VarianceScaling(Initializer):
    """Draws with a variance of scale / n, n the inputs, the outputs, or the mean of both."""

    def __init__(self, scale: float = 1.0, mode: str = "fan_in",
                 distribution: str = "truncated_normal", seed: int | None = None,
                 dtype: Any = dtypes.float32) -> None:  # fmt: skip
        if scale <= 0:
            raise ValueError(f"scale must be positive, not {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"mode is fan_in, fan_out or fan_avg, not {mode!r}")
        distribution = distribution.lower()
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(f"distribution is uniform, truncated_normal or untruncated_normal, "
                             f"not {distribution!r}")  # fmt: skip
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:  # noqa: D102
        whole = shape if partition_info is None else partition_info.full_shape
        fan_in, fan_out = _fans([int(size) for size in whole])
        n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, n)
        return self._draw(shape, variance, self._type(dtype))

    def _draw(self, shape: Any, variance: float, dtype: Any) -> Any:
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return random_ops.random_uniform(shape, -limit, limit, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random_ops.random_normal(shape, 0.0, math.sqrt(variance), dtype, seed=self.seed)
        deviation = math.sqrt(variance) / _TRUNCATED_DEVIATION
        return random_ops.truncated_normal(shape, 0.0, deviation, dtype, seed=self.seed)


def _fans(sizes: list[int]) -> tuple[int, int]:
    """Return how many inputs and outputs a weight of that shape connects."""
    if not sizes:
        return 1, 1
    if len(sizes) == 1:
        return sizes[0], sizes[0]
    field = math.prod(sizes[:-2])
    return sizes[-2] * field, sizes[-1] * field


class _Preset(VarianceScaling):
    _arguments: tuple[float, str, str]

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        scale, mode, distribution = self._arguments
        super().__init__(scale, mode, distribution, seed, dtype)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotUniform(_Preset):
    """Draws evenly, scaled by inputs and outputs; the default of layers."""

    _arguments = (1.0, "fan_avg", "uniform")


class GlorotNormal(_Preset):
    """Draws from a truncated normal distribution, scaled by inputs and outputs."""

    _arguments = (1.0, "fan_avg", "truncated_normal")


class HeUniform(_Preset):
    """Draws evenly, scaled by inputs for rectified units."""

    _arguments = (2.0, "fan_in", "uniform")


class HeNormal(_Preset):
    """Draws from a truncated normal distribution, scaled by inputs for rectified units."""

    _arguments = (2.0, "fan_in", "truncated_normal")


class LecunUniform(_Preset):
    """Draws evenly, scaled by inputs."""

    _arguments = (1.0, "fan_in", "uniform")


class LecunNormal(_Preset):
    """Draws from a truncated normal distribution, scaled by inputs."""

    _arguments = (1.0, "fan_in", "truncated_normal")


class Identity(Initializer):
    """Makes an identity matrix times gain."""

    def __init__(self, gain: float = 1.0, dtype: Any = dtypes.float32) -> None:
        self.gain = gain
        self.dtype = _floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:  # noqa: D102
        import numpy as np

        sizes = [int(size) for size in shape]
        if len(sizes) != 2:
            raise ValueError(f"an identity matrix has two dimensions, not the shape {sizes}")
        return framework.constant(self.gain * np.eye(sizes[0], sizes[1]), self._type(dtype))


zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_uniform_initializer = RandomUniform
random_normal_initializer = RandomNormal
truncated_normal_initializer = TruncatedNormal
variance_scaling_initializer = VarianceScaling
glorot_uniform_initializer = GlorotUniform
glorot_normal_initializer = GlorotNormal
