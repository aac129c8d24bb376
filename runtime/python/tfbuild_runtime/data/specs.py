"""What the values of a dataset's elements are, and the tensors that stand for them in a dataset."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import constant, dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.framework.sparse_tensor import SparseTensor
from tfbuild_runtime.ops import sparse_row_ops
from tfbuild_runtime.ragged.tensor import RaggedTensor


class DatasetSpec:
    """An element that is a dataset itself, as a window is."""

    encoded_type = dtypes.variant
    encoded_shape: Any = ()

    def __init__(self, element_spec: Any) -> None:
        self.element_spec = element_spec

    def encode(self, value: Any) -> Tensor:
        """Return the tensor that stands for a dataset."""
        tensor: Tensor = value._variant_tensor
        return tensor

    def decode(self, tensor: Tensor) -> Any:
        """Return the dataset that the tensor stands for."""
        from tfbuild_runtime.data.dataset import VariantDataset

        return VariantDataset(tensor, self.element_spec)

    def batched(self, size: int | None) -> Any:
        """Raise TypeError: datasets have no batches."""
        raise TypeError("a dataset of datasets cannot be batched: flatten it first, as with "
                        "flat_map(lambda window: window.batch(size))")  # fmt: skip

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r})"


class _ValueSpec:
    """What is known of a value: its type, and its shape."""

    encoded_type: Any = dtypes.variant
    encoded_shape: Any = None  # a value is one variant or a row of them, a batch has one more

    shape: tensor_shape.TensorShape
    dtype: dtypes.DType

    def _arguments(self) -> tuple[Any, ...]:
        """Return all that distinguishes it from others of its class: the arguments that make it."""
        return (self.shape, self.dtype)

    def with_shape(self, shape: Any) -> Any:
        """Return the same with another shape."""
        return type(self)(shape, *self._arguments()[1:])

    def batched(self, size: int | None) -> Any:
        """Return what so many such values are as one."""
        return self.with_shape(tensor_shape.TensorShape([size]).concatenate(self.shape))

    def _shape_of_row(self) -> tensor_shape.TensorShape:
        return self.shape if self.shape.rank is None else self.shape[1:]

    def row(self) -> Any:
        """Return what the rows of such a value are."""
        return self.with_shape(self._shape_of_row())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._arguments() == other._arguments()

    def __hash__(self) -> int:
        return hash((type(self), self._arguments()))


class TensorSpec(_ValueSpec):
    """A tensor of a type and what is known of its shape."""

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self.shape = tensor_shape.as_shape(shape)
        self.dtype = dtypes.as_dtype(dtype)
        self.name = name

    @property
    def encoded_type(self) -> Any:  # type: ignore[override]
        """The type of the tensor, which stands for itself."""
        return self.dtype

    @property
    def encoded_shape(self) -> Any:  # type: ignore[override]
        """The shape of the tensor, which stands for itself."""
        return self.shape

    @property
    def parts(self) -> list[TensorSpec]:
        """What the tensors are that such a value is made of: itself."""
        return [self]

    def of_parts(self, parts: list[Tensor]) -> Tensor:
        """Return the only part."""
        (tensor,) = parts
        return tensor

    def arrays(self, value: Any) -> tuple[Any, ...]:
        """Return the parts of what a program gives for such a value."""
        return (value,)

    def encode(self, value: Tensor) -> Tensor:
        """Return the tensor."""
        return value

    def encode_rows(self, value: Tensor) -> Tensor:
        """Return the tensor, whose rows stand for themselves."""
        return value

    def decode(self, tensor: Tensor) -> Tensor:
        """Return the tensor."""
        return tensor

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"


class SparseTensorSpec(_ValueSpec):
    """A sparse tensor of a type and what is known of its shape.

    Datasets hold it as one row of variants, or as many rows where it is a batch.
    """

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        self.shape = tensor_shape.as_shape(shape)
        self.dtype = dtypes.as_dtype(dtype)

    @property
    def parts(self) -> list[TensorSpec]:
        """What indices, values and shape of such a value are."""
        rank = self.shape.rank
        return [TensorSpec([None, rank], dtypes.int64), TensorSpec([None], self.dtype),
                TensorSpec([rank], dtypes.int64)]  # fmt: skip

    def of_parts(self, parts: list[Tensor]) -> SparseTensor:
        """Return the sparse tensor of indices, values and shape."""
        indices, values, sizes = parts
        sparse = SparseTensor(indices, values, sizes)
        sparse.set_shape(self.shape)
        if not self.shape.is_fully_defined():
            return sparse
        known = constant.constant(self.shape.as_list(), dtypes.int64)
        return SparseTensor(sparse.indices, sparse.values, known)

    def arrays(self, value: Any) -> tuple[Any, ...]:
        """Return indices, values and shape of a SparseTensorValue."""
        return tuple(value)

    def encode(self, value: SparseTensor) -> Tensor:
        """Return the row of variants that stands for a sparse tensor."""
        return sparse_row_ops.serialize_sparse(value, out_type=dtypes.variant)

    def encode_rows(self, value: SparseTensor) -> Tensor:
        """Return a row of variants for each place of the first dimension."""
        return sparse_row_ops.serialize_many_sparse(value, out_type=dtypes.variant)

    def decode(self, tensor: Tensor) -> SparseTensor:
        """Return the sparse tensor that variants stand for, a row or a batch of rows."""
        return self.of_parts(list(sparse_row_ops.deserialize_sparse(tensor, self.dtype).parts()))

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self.shape}, {self.dtype!r})"


class RaggedTensorSpec(_ValueSpec):
    """A ragged tensor: its type, what is known of its shape, and of which type its splits are.

    Without ragged dimensions it is a tensor whose batches are ragged. Datasets hold it as one
    variant. Raises ValueError where the rank is neither given nor known, and where it is too small.
    """

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32,
                 ragged_rank: int | None = None,
                 row_splits_dtype: Any = dtypes.int64) -> None:  # fmt: skip
        self.shape = tensor_shape.as_shape(shape)
        self.dtype = dtypes.as_dtype(dtype)
        self.row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        rank = self.shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(f"Argument `ragged_rank` ({ragged_rank}) must be less than rank "
                             f"({rank}).")  # fmt: skip
        self.ragged_rank = ragged_rank

    def _arguments(self) -> tuple[Any, ...]:
        return (self.shape, self.dtype, self.ragged_rank, self.row_splits_dtype)

    def _nested(self, shape: Any, ragged_rank: int) -> RaggedTensorSpec:
        return RaggedTensorSpec(shape, self.dtype, ragged_rank, self.row_splits_dtype)

    def batched(self, size: int | None) -> RaggedTensorSpec:
        """Return what so many such values are as one: a ragged dimension more."""
        shape = tensor_shape.TensorShape([size]).concatenate(self.shape)
        return self._nested(shape, self.ragged_rank + 1)

    def row(self) -> RaggedTensorSpec:
        """Return what the rows of such a value are: a ragged dimension less."""
        return self._nested(self._shape_of_row(), self.ragged_rank - 1)

    @property
    def parts(self) -> list[TensorSpec]:
        """What the flat values and the splits of such a value are, the outermost ones first."""
        if self.ragged_rank == 0:
            return [TensorSpec(self.shape, self.dtype)]
        known = self.shape.rank is not None
        inner = self.shape[self.ragged_rank + 1 :] if known else None
        flat = tensor_shape.TensorShape([None]).concatenate(inner)
        rows = self.shape.as_list()[0] if known else None
        sizes = [None if rows is None else rows + 1, *[None] * (self.ragged_rank - 1)]
        splits = [TensorSpec([size], self.row_splits_dtype) for size in sizes]
        return [TensorSpec(flat, self.dtype), *splits]

    def of_parts(self, parts: list[Tensor]) -> Any:
        """Return the ragged tensor of flat values and splits; the values where there are none."""
        value: Any = parts[0]
        for part, spec in zip(parts, self.parts):
            part.set_shape(spec.shape)
        for axis in range(self.ragged_rank, 0, -1):
            size = None if self.shape.rank is None else self.shape.as_list()[axis]
            even = None if size is None else constant.constant(size, self.row_splits_dtype)
            value = RaggedTensor(value, parts[axis], even)
        return value

    def arrays(self, value: Any) -> tuple[Any, ...]:
        """Return flat values and splits of a RaggedTensorValue, or the array without any."""
        if self.ragged_rank == 0:
            return (value,)
        if value.ragged_rank != self.ragged_rank:
            raise ValueError(f"{value!r} has {value.ragged_rank} ragged dimensions")
        return (value.flat_values, *value.nested_row_splits)

    def encode(self, value: Any) -> Tensor:
        """Return the variant that stands for a ragged tensor."""
        return self._variant(value, whole=True)

    def encode_rows(self, value: Any) -> Tensor:
        """Return a variant for each row."""
        return self._variant(value, whole=False)

    def _variant(self, value: Any, *, whole: bool) -> Tensor:
        splits = list(value.nested_row_splits) if isinstance(value, RaggedTensor) else []
        flat = value.flat_values if splits else value
        attrs = {"batched_input": not whole, "Tsplits": self.row_splits_dtype}
        return framework.apply_op("RaggedTensorToVariant", [splits, flat], attrs).outputs[0]

    def decode(self, tensor: Tensor) -> Any:
        """Return the ragged tensor that variants stand for, one or a batch of them."""
        if self.ragged_rank < 0:
            raise ValueError(f"what {self!r} stands for has no rows: batch it first")
        attrs = {"input_ragged_rank": -1, "output_ragged_rank": self.ragged_rank,
                 "Tvalues": self.dtype, "Tsplits": self.row_splits_dtype}  # fmt: skip
        *splits, flat = framework.apply_op("RaggedTensorFromVariant", [tensor], attrs).outputs
        return self.of_parts([flat, *splits])

    def __repr__(self) -> str:
        return (f"RaggedTensorSpec({self.shape!r}, {self.dtype!r}, {self.ragged_rank}, "
                f"{self.row_splits_dtype!r})")  # fmt: skip


def spec_of(value: Any) -> Any:
    """Return what a tensor, sparse or ragged tensor or dataset is."""
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype.base_dtype)
    if isinstance(value, SparseTensor):
        return SparseTensorSpec(value.shape, value.dtype.base_dtype)
    if isinstance(value, RaggedTensor):
        return RaggedTensorSpec(
            value.shape, value.dtype.base_dtype, value.ragged_rank, value.row_splits.dtype
        )
    return DatasetSpec(value.element_spec)
