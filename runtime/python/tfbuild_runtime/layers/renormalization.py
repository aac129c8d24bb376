"""Batch renormalisation (Ioffe, 2017): a batch is corrected towards what moving means say of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.variables import assign
from tfbuild_runtime.ops import array_ops, clip_ops, creation_ops, math_ops, nn_ops, smart

_LIMITS = ("rmax", "rmin", "dmax")


def _root_of(initializer: Any) -> Callable[..., Any]:
    return lambda *args, **kwargs: math_ops.sqrt(initializer(*args, **kwargs))


class Renormalization:
    """What one layer needs for it: limits, a momentum, and three variables beside its own."""

    def __init__(self, layer: Any, clipping: Mapping[str, Any] | None, momentum: float) -> None:
        self._clipping = dict(clipping or {})
        if set(self._clipping) - set(_LIMITS):
            raise ValueError(f"renorm_clipping takes {', '.join(_LIMITS)}, not {self._clipping}")
        self._layer, self._momentum = layer, momentum
        self._deviation: Any = None  # beside moving_variance, for when it is not trained
        self._mean: Any = None
        self._scale: Any = None

    def make_variables(self, shape: list[int], dtype: Any, mean: Any, variance: Any) -> None:
        """Add the variables; mean and variance are initializers of the layer's moving ones."""

        def make(name: str, initializer: Any) -> Any:
            return self._layer.add_weight(name, shape, dtype=dtype, initializer=initializer,
                                          trainable=False)  # fmt: skip

        self._deviation = make("moving_stddev", _root_of(variance))
        self._mean = make("renorm_mean", mean)
        self._scale = make("renorm_stddev", _root_of(variance))

    def correction(self, mean: Any, variance: Any, training: Any) -> tuple[Any, Any]:
        """Return the factor and the shift of what is normalised by a batch's mean and variance."""
        epsilon = self._layer.epsilon
        scale = math_ops.maximum(self._scale, epsilon**0.5)
        factor = math_ops.sqrt(variance + epsilon) / scale
        shift = (mean - self._mean) / scale
        if self._clipping.get("rmin") is not None:
            factor = math_ops.maximum(factor, self._clipping["rmin"])
        if self._clipping.get("rmax") is not None:
            factor = math_ops.minimum(factor, self._clipping["rmax"])
        if self._clipping.get("dmax") is not None:
            most = framework.convert_to_tensor(self._clipping["dmax"], shift.dtype.base_dtype)
            shift = clip_ops.clip_by_value(shift, -most, most)
        factor = smart.smart_cond(training, lambda: factor, lambda: creation_ops.ones_like(factor))
        shift = smart.smart_cond(training, lambda: shift, lambda: creation_ops.zeros_like(shift))
        return array_ops.stop_gradient(factor), array_ops.stop_gradient(shift)

    def move(self, found: tuple[Any, Any], corrected: tuple[Any, Any], training: Any,
             moved: Callable[..., Any]) -> None:  # fmt: skip
        """Add the updates by a batch's mean and variance, after the correction has read the old.

        moved(variable, value, momentum) is one step of a moving mean, none when not trained.
        """
        layer, (mean, variance) = self._layer, found
        deviation = math_ops.sqrt(variance + layer.epsilon)
        with framework.control_dependencies(list(corrected)):
            steps = [moved(self._mean, array_ops.identity(mean), self._momentum),
                     moved(self._scale, array_ops.identity(deviation), self._momentum)]  # fmt: skip
        with framework.control_dependencies(steps):
            layer.add_update(moved(layer.moving_mean, array_ops.identity(mean), layer.momentum))
            average = moved(self._deviation, array_ops.identity(deviation), layer.momentum)
            square = nn_ops.relu(average * average - layer.epsilon)
            kept = smart.smart_cond(training, lambda: square,
                                    lambda: array_ops.identity(layer.moving_variance))  # fmt: skip
            layer.add_update(assign(layer.moving_variance, kept))
