"""Layers that join several tensors: sums, products, concatenations."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.keras.base_layer import Layer
from tfbuild_runtime.ops import array_ops, nn_ops, reduce_ops
from tfbuild_runtime.ops.emit import emit


class _Merge(Layer):
    """Joins several tensors."""

    def call(self, inputs: Any, **_: Any) -> Any:
        """Return the outputs; raises ValueError for less than two inputs."""
        if not isinstance(inputs, (list, tuple)) or len(inputs) < 2:
            raise ValueError(f"layer {self.name} wants a list of two or more inputs")
        return self._joined(list(inputs))

    def _joined(self, inputs: list[Any]) -> Any:
        raise NotImplementedError


class Add(_Merge):
    """The sum."""

    def _joined(self, inputs: list[Any]) -> Any:
        total = inputs[0]
        for one in inputs[1:]:
            total = total + one
        return total


class Subtract(_Merge):
    """The difference of two."""

    def _joined(self, inputs: list[Any]) -> Any:
        if len(inputs) != 2:
            raise ValueError("A `Subtract` layer should be called on exactly 2 inputs")
        return inputs[0] - inputs[1]


class Multiply(_Merge):
    """The product."""

    def _joined(self, inputs: list[Any]) -> Any:
        total = inputs[0]
        for one in inputs[1:]:
            total = total * one
        return total


class Average(Add):
    """The mean."""

    def _joined(self, inputs: list[Any]) -> Any:
        return super()._joined(inputs) / len(inputs)


class Maximum(_Merge):
    """The largest."""

    def _joined(self, inputs: list[Any]) -> Any:
        found = inputs[0]
        for one in inputs[1:]:
            found = emit("Maximum", [found, one])
        return found


class Minimum(_Merge):
    """The smallest."""

    def _joined(self, inputs: list[Any]) -> Any:
        found = inputs[0]
        for one in inputs[1:]:
            found = emit("Minimum", [found, one])
        return found


class Concatenate(_Merge):
    """All of them along an axis."""

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def _joined(self, inputs: list[Any]) -> Any:
        return array_ops.concat(inputs, self.axis)


class Dot(_Merge):
    """The inner product of two matrices' rows, or of two batches along axes."""

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axes = axes
        self.normalize = normalize

    def _joined(self, inputs: list[Any]) -> Any:
        left, right = inputs
        axes = list(self.axes) if isinstance(self.axes, (list, tuple)) else [self.axes, self.axes]
        axes = [axis % x.get_shape().ndims for axis, x in zip(axes, inputs)]
        if self.normalize:
            left = nn_ops.l2_normalize(left, axes[0])
            right = nn_ops.l2_normalize(right, axes[1])
        if left.get_shape().ndims == 2 and right.get_shape().ndims == 2:
            return reduce_ops.reduce_sum(left * right, 1, keepdims=True)
        if left.get_shape().ndims != 3 or right.get_shape().ndims != 3:
            raise NotImplementedError("Dot joins two matrices, or two tensors of rank 3")
        return emit("BatchMatMulV2", [left, right], adj_x=axes[0] == 1, adj_y=axes[1] == 2)


def _function_of(layer: type[_Merge]) -> Any:
    def function(inputs: Any, **kwargs: Any) -> Any:
        return layer(**kwargs)(inputs)

    function.__doc__ = f"Return what a {layer.__name__} makes of the inputs."
    return function


add, subtract, multiply, average, maximum, minimum = map(
    _function_of, (Add, Subtract, Multiply, Average, Maximum, Minimum)
)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """Return what a Concatenate makes of the inputs."""
    return Concatenate(axis, **kwargs)(inputs)


def dot(inputs: Any, axes: Any, normalize: bool = False, **kwargs: Any) -> Any:
    """Return what a Dot makes of the inputs."""
    return Dot(axes, normalize, **kwargs)(inputs)
