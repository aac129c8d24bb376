"""What shape an operator has: as far as the graph knows it, and as tensors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.linalg import util
from tfbuild_runtime.ops import array_ops


class Shaped:
    """A matrix, or a batch of them, whose shape a derived class defines."""

    _name: str
    dtype: Any

    @property
    def name(self) -> str:
        """What stands before the names of its operations."""
        return self._name

    @contextmanager
    def _name_scope(self, name: str | None = None) -> Iterator[str]:
        with framework.name_scope(self.name if name is None else f"{self.name}/{name}") as scope:
            yield scope

    def _shape(self) -> Any:
        raise NotImplementedError("_shape is not implemented.")

    def _shape_tensor(self) -> Any:
        raise NotImplementedError("_shape_tensor is not implemented.")

    @property
    def shape(self) -> Any:
        """Its shape, as far as the graph knows it."""
        return self._shape()

    def shape_tensor(self, name: str = "shape_tensor") -> Any:
        """Return its shape as an int32 tensor."""
        with self._name_scope(name):
            if self.shape.is_fully_defined():
                return framework.convert_to_tensor(self.shape.as_list(), dtypes.int32)
            return self._shape_tensor()

    @property
    def batch_shape(self) -> Any:
        """The shape without its last two dimensions."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Any:
        """Return the shape without its last two dimensions as a tensor."""
        with self._name_scope(name):
            if self.batch_shape.is_fully_defined():
                return framework.convert_to_tensor(self.batch_shape.as_list(), dtypes.int32)
            return self.shape_tensor()[:-2]

    @property
    def tensor_rank(self) -> int | None:
        """The rank of the tensor that it stands for; None where it is not known yet."""
        rank: int | None = self.shape.ndims
        return rank

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Any:
        """Return the rank of the tensor that it stands for as a tensor."""
        with self._name_scope(name):
            if self.tensor_rank is not None:
                return framework.convert_to_tensor(self.tensor_rank)
            return array_ops.size(self.shape_tensor())

    @property
    def domain_dimension(self) -> Any:
        """How long the vectors are that it takes: the last size of its shape."""
        return util.dimension_at(self.shape, -1)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Any:
        """Return how long the vectors are that it takes, as a tensor."""
        with self._name_scope(name):
            return self._size_tensor(self.domain_dimension, -1)

    @property
    def range_dimension(self) -> Any:
        """How long the vectors are that it gives: the last size but one of its shape."""
        return util.dimension_at(self.shape, -2)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Any:
        """Return how long the vectors are that it gives, as a tensor."""
        with self._name_scope(name):
            return self._size_tensor(self.range_dimension, -2)

    def _size_tensor(self, known: Any, place: int) -> Any:
        if known.value is not None:
            return framework.convert_to_tensor(known.value)
        return self.shape_tensor()[place]

    def _batches_of(self, fill: Any) -> Any:
        """Return a tensor of the batch shape, made by `ones` or `zeros`."""
        known = self.batch_shape
        return fill(known if known.is_fully_defined() else self.batch_shape_tensor(), self.dtype)
