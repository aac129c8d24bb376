"""Sparse tensors: the elements that are not zero, where they are, and the shape of the whole."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes, ops, tensor_shape
from tfbuild_runtime.framework.operation import Operation, Tensor


class SparseTensorValue(NamedTuple):
    """What a session gives and takes for a SparseTensor: arrays."""

    indices: Any
    values: Any
    dense_shape: Any


class SparseTensor:
    """values[i] stands at indices[i] of a tensor of shape dense_shape that is zero elsewhere.

    Most operations want the indices in the order of the elements in memory.
    """

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        with ops.name_scope(None, "SparseTensor", [indices, values, dense_shape]):
            self._indices = ops.convert_to_tensor(indices, dtypes.int64, name="indices")
            self._values = ops.convert_to_tensor(values, name="values")
            self._dense_shape = ops.convert_to_tensor(dense_shape, dtypes.int64, name="dense_shape")
        sizes = self._indices.shape.with_rank(2)
        count = self._values.shape.with_rank(1)
        rank = self._dense_shape.shape.with_rank(1)
        tensor_shape.TensorShape([sizes[0]]).assert_is_compatible_with(count)
        tensor_shape.TensorShape([sizes[1]]).assert_is_compatible_with(rank)
        self._stated_shape = tensor_shape.TensorShape(None)

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """Return a SparseTensor of a SparseTensorValue, or the SparseTensor that is given.

        Raises TypeError for anything else.
        """
        given = sparse_tensor_value
        if isinstance(given, SparseTensor):
            return given
        if not isinstance(given, SparseTensorValue):
            raise TypeError(f"Argument sparse_tensor_value={given} is neither a SparseTensor nor "
                            "SparseTensorValue.")  # fmt: skip
        return cls(given.indices, given.values, given.dense_shape)

    @property
    def indices(self) -> Tensor:
        """Where each element stands: a row of int64 numbers for each."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The elements, a vector."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the whole, a vector of int64."""
        return self._dense_shape

    @property
    def shape(self) -> tensor_shape.TensorShape:
        """What is known of the shape of the whole."""
        sizes = _known_sizes(self._dense_shape)
        if sizes is None:
            rank = self._dense_shape.shape.with_rank(1).as_list()[0]
            if rank is None:
                rank = self._indices.shape.as_list()[1]
            sizes = None if rank is None else [None] * rank
        return tensor_shape.TensorShape(sizes).merge_with(self._stated_shape)

    def set_shape(self, shape: Any) -> None:
        """State what is known of the shape of the whole; ValueError where it cannot be that."""
        self._stated_shape = self.shape.merge_with(tensor_shape.as_shape(shape))
        rank = self._stated_shape.rank
        self._indices.set_shape([None, rank])
        self._dense_shape.set_shape([rank])

    def get_shape(self) -> tensor_shape.TensorShape:
        """Return what is known of the shape of the whole."""
        return self.shape

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def op(self) -> Operation:
        """The operation that produces the values."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph that it belongs to."""
        return self._indices.graph

    def consumers(self) -> list[Operation]:
        """Return the operations that read the values."""
        return self._values.consumers()

    def with_values(self, new_values: Any) -> SparseTensor:
        """Return other elements at the same places."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def eval(self, feed_dict: Any = None, session: Any = None) -> SparseTensorValue:
        """Return its value, computed in the given or the default session."""
        from tfbuild_runtime.framework import defaults

        chosen = defaults.session_for(session, self.graph, f"evaluate {self!r}")
        value: SparseTensorValue = chosen.run(self, feed_dict)
        return value

    def _by_dense(self, op_type: str, dense: Any) -> SparseTensor:
        values = ops.convert_to_tensor(dense, dtype=self.dtype.base_dtype)
        op = ops.apply_op(op_type, [*self.parts(), values], {}, op_type)
        return self.with_values(op.outputs[0])

    def __mul__(self, dense: Any) -> SparseTensor:
        """Return the elements times those of a dense tensor, which is stretched."""
        return self._by_dense("SparseDenseCwiseMul", dense)

    def __truediv__(self, dense: Any) -> SparseTensor:
        """Return the elements divided by those of a dense tensor, which is stretched."""
        return self._by_dense("SparseDenseCwiseDiv", dense)

    __rmul__, __div__ = __mul__, __truediv__

    def parts(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return indices, values and dense_shape."""
        return (self._indices, self._values, self._dense_shape)

    def with_parts(self, parts: Any) -> SparseTensor:
        """Return a SparseTensor of other indices, values and dense_shape."""
        return SparseTensor(*parts)

    def shapes_of_parts(self, invariant: Any) -> list[Any]:
        """Return the shapes that its parts keep in a loop; `invariant` is that of dense_shape."""
        (rank,) = tensor_shape.as_shape(invariant).with_rank(1).as_list()
        return [tensor_shape.TensorShape(sizes) for sizes in ([None, rank], [None], [rank])]

    def __repr__(self) -> str:
        return (f"SparseTensor(indices={self._indices}, values={self._values}, "
                f"dense_shape={self._dense_shape})")  # fmt: skip


def _known_sizes(shape: Tensor) -> list[int | None] | None:
    """Return what a vector of sizes is known to hold; None when nothing is."""
    sizes = ops.known_ints(shape)
    if sizes is None:
        return None
    return [None if size is None or size < 0 else int(size) for size in sizes]


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: Any = None) -> Any:
    """Return value as a SparseTensor when it is one or the value of one, else as a tensor.

    Raises RuntimeError for a SparseTensor of another type than dtype.
    """
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        return ops.convert_to_tensor(value, dtype, name)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise RuntimeError(
            f"Sparse dtype mismatch. Requested: {dtypes.as_dtype(dtype).name},  Actual: "
            f"{value.dtype.name}"
        )
    return value


def is_tensor(x: Any) -> bool:
    """Whether x is a tensor, sparse or not, or a variable; arrays and numbers are none."""
    from tfbuild_runtime.framework.indexed_slices import IndexedSlices

    return isinstance(x, (SparseTensor, IndexedSlices)) or ops.is_tensor_like(x)
