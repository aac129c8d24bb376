"""RaggedTensor: a tensor of the graph whose rows have lengths of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.framework import dtypes, operators, ops, tensor_shape
from tfbuild_runtime.framework.composite import CompositeTensor
from tfbuild_runtime.framework.operation import Operation, Tensor
from tfbuild_runtime.framework.sparse_tensor import SparseTensor
from tfbuild_runtime.ops import array_ops, math_ops, reduce_ops
from tfbuild_runtime.ragged import conversion, partitions, slicing
from tfbuild_runtime.ragged.value import NestedRows, RaggedTensorValue


class RaggedTensor(NestedRows, CompositeTensor):
    """Row i has values[row_splits[i]:row_splits[i + 1]]; values may be ragged themselves.

    Programs make one by from_row_splits and its like. A session gives a RaggedTensorValue for it.
    """

    def __init__(self, values: Any, row_splits: Tensor, uniform_row_length: Any = None) -> None:
        inner = values.row_splits.dtype if isinstance(values, RaggedTensor) else row_splits.dtype
        if inner != row_splits.dtype:
            raise ValueError(f"row_splits are {row_splits.dtype.name}, and those of the values "
                             f"{inner.name}: with_row_splits_dtype makes them alike")  # fmt: skip
        values.shape.with_rank_at_least(1)
        row_splits.shape.with_rank(1)
        self._values = values
        self._row_splits = row_splits
        self._uniform = uniform_row_length

    @classmethod
    def from_row_splits(cls, values: Any, row_splits: Any, name: str | None = None,
                        validate: bool = True) -> RaggedTensor:  # fmt: skip
        """Return rows that begin where row_splits say, with the number of values behind them.

        Unless validate is False, a step ends with InvalidArgumentError for splits that are none.
        """
        with ops.name_scope(name, "RaggedFromRowSplits", [row_splits]):
            values = _as_values(values)
            splits = partitions.as_partition(row_splits, "row_splits")
            if splits.shape.as_list() == [0]:
                raise ValueError("row_splits tensor may not be empty.")
            return cls(values, partitions.checked(splits, _rows_of(values)) if validate else splits)

    @classmethod
    def from_row_lengths(cls, values: Any, row_lengths: Any, name: str | None = None,
                         validate: bool = True) -> RaggedTensor:  # fmt: skip
        """Return rows of these lengths; what validate does is as in from_row_splits."""
        with ops.name_scope(name, "RaggedFromRowLengths", [row_lengths]):
            lengths = partitions.as_partition(row_lengths, "row_lengths")
            return cls.from_row_splits(values, partitions.from_lengths(lengths), None, validate)

    @classmethod
    def from_row_starts(cls, values: Any, row_starts: Any, name: str | None = None,
                        validate: bool = True) -> RaggedTensor:  # fmt: skip
        """Return rows that begin there; what validate does is as in from_row_splits."""
        with ops.name_scope(name, "RaggedFromRowStarts", [row_starts]):
            values = _as_values(values)
            starts = partitions.as_partition(row_starts, "row_starts")
            count = math_ops.cast(_rows_of(values), starts.dtype)
            splits = array_ops.concat([starts, [count]], 0)
            return cls.from_row_splits(values, splits, None, validate)

    @classmethod
    def from_row_limits(cls, values: Any, row_limits: Any, name: str | None = None,
                        validate: bool = True) -> RaggedTensor:  # fmt: skip
        """Return rows that end there; what validate does is as in from_row_splits."""
        with ops.name_scope(name, "RaggedFromRowLimits", [row_limits]):
            limits = partitions.as_partition(row_limits, "row_limits")
            splits = array_ops.concat([ops.constant([0], limits.dtype), limits], 0)
            return cls.from_row_splits(values, splits, None, validate)

    @classmethod
    def from_value_rowids(cls, values: Any, value_rowids: Any, nrows: Any = None,
                          name: str | None = None, validate: bool = True
                          ) -> RaggedTensor:  # fmt: skip
        """Return nrows rows, as many as the ids name if None, of values that say their row.

        What validate does is as in from_row_splits; ids must not fall.
        """
        with ops.name_scope(name, "RaggedFromValueRowIds", [value_rowids, nrows]):
            values = _as_values(values)
            ids = partitions.as_partition(value_rowids, "value_rowids")
            ids.shape.with_rank(1).assert_is_compatible_with(values.shape[:1])
            splits = partitions.from_rowids(ids, nrows, _rows_of(values) if validate else None)
            return cls(values, splits)

    @classmethod
    def from_uniform_row_length(cls, values: Any, uniform_row_length: Any, nrows: Any = None,
                                validate: bool = True, name: str | None = None
                                ) -> RaggedTensor:  # fmt: skip
        """Return rows of one length; nrows must be given where that is 0 (else there is no row).

        What validate does is as in from_row_splits.
        """
        with ops.name_scope(name, "RaggedFromUniformRowLength", [uniform_row_length, nrows]):
            values = _as_values(values)
            kind = values.row_splits.dtype if isinstance(values, RaggedTensor) else None
            length = partitions.as_partition(uniform_row_length, "uniform_row_length", kind)
            count = math_ops.cast(_rows_of(values), length.dtype)
            splits = partitions.uniform(length, nrows, count)
            checked = partitions.checked(splits, _rows_of(values)) if validate else splits
            return cls(values, checked, length)

    @classmethod
    def from_nested_row_splits(cls, flat_values: Any, nested_row_splits: Any,
                               name: str | None = None, validate: bool = True) -> Any:  # fmt: skip
        """Return flat_values with a ragged dimension for each splits, the outermost first."""
        return _nested(cls.from_row_splits, "RaggedFromNestedRowSplits", flat_values,
                       nested_row_splits, name, validate)  # fmt: skip

    @classmethod
    def from_nested_row_lengths(cls, flat_values: Any, nested_row_lengths: Any,
                                name: str | None = None, validate: bool = True) -> Any:  # fmt: skip
        """Return flat_values with a ragged dimension for each vector of lengths."""
        return _nested(cls.from_row_lengths, "RaggedFromNestedRowLengths", flat_values,
                       nested_row_lengths, name, validate)  # fmt: skip

    @classmethod
    def from_sparse(cls, st_input: Any, name: str | None = None,
                    row_splits_dtype: Any = dtypes.int64) -> RaggedTensor:  # fmt: skip
        """Return the rows of a sparse matrix whose values stand at the left of their rows.

        Raises TypeError for another input, ValueError for one that is known to be no matrix; a
        step ends with InvalidArgumentError where a row has a gap.
        """
        with ops.name_scope(name, "RaggedFromSparse"):
            return conversion.from_sparse(cls, st_input, dtypes.as_dtype(row_splits_dtype))

    @classmethod
    def from_tensor(cls, tensor: Any, lengths: Any = None, padding: Any = None,
                    ragged_rank: int = 1, name: str | None = None,
                    row_splits_dtype: Any = dtypes.int64) -> RaggedTensor:  # fmt: skip
        """Return the rows of a tensor, cut to lengths, or without the padding at their ends.

        Raises ValueError for both of these, for lengths where ragged_rank is not 1, and for ranks
        that are not known.
        """
        with ops.name_scope(name, "RaggedFromTensor", [tensor]):
            kind = dtypes.as_dtype(row_splits_dtype)
            return conversion.from_tensor(cls, tensor, lengths, padding, ragged_rank, kind)

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of all rows, where it was made with one."""
        return self._uniform

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        kind: dtypes.DType = self._values.dtype
        return kind

    @property
    def shape(self) -> tensor_shape.TensorShape:
        """What is known of the shape; None where rows have lengths of their own."""
        size = self._row_splits.shape.as_list()[0]
        length = None if self._uniform is None else ops.constant_value(self._uniform)
        outer = [None if size is None else size - 1, None if length is None else int(length)]
        return tensor_shape.TensorShape(outer).concatenate(self._values.shape[1:])

    def get_shape(self) -> tensor_shape.TensorShape:
        """Return what is known of the shape."""
        return self.shape

    @property
    def graph(self) -> Any:
        """The graph that it belongs to."""
        return self._row_splits.graph

    def consumers(self) -> list[Operation]:
        """Return the operations that read the values or the splits."""
        return [op for part in self.parts() for op in part.consumers()]

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """Return the number of rows, of the type of the splits if nothing is said."""
        kind = self._row_splits.dtype if out_type is None else dtypes.as_dtype(out_type)
        with ops.name_scope(name, "RaggedNRows"):
            count: Tensor = array_ops.shape(self._row_splits, out_type=kind)[0] - 1
            return count

    def row_starts(self, name: str | None = None) -> Tensor:
        """Return where each row begins among the values."""
        with ops.name_scope(name, "RaggedRowStarts"):
            return self._row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Tensor:
        """Return where each row ends among the values."""
        with ops.name_scope(name, "RaggedRowLimits"):
            return self._row_splits[1:]

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """Return how long rows are, or how long those of an inner dimension are, ragged themselves.

        Raises ValueError for an axis that is not there.
        """
        axis = self._axis(axis)
        with ops.name_scope(name, "RaggedRowLengths"):
            if axis == 0:
                return self.nrows()
            if axis == 1:
                return self._row_splits[1:] - self._row_splits[:-1]
            if isinstance(self._values, RaggedTensor):
                return self.with_values(self._values.row_lengths(axis - 1))
            size = array_ops.shape(self._values, out_type=self._row_splits.dtype)[axis - 1]
            outer = array_ops.shape(self._values)[: axis - 1]
            return self.with_values(array_ops.broadcast_to(size, outer))

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Return the lengths of the rows of all ragged dimensions, the outermost first."""
        with ops.name_scope(name, "RaggedNestedRowLengths"):
            return tuple(splits[1:] - splits[:-1] for splits in self.nested_row_splits)

    def value_rowids(self, name: str | None = None) -> Tensor:
        """Return the row of each of the values."""
        with ops.name_scope(name, "RaggedValueRowIds"):
            return partitions.to_rowids(self._row_splits)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """Return the rows of the values of all ragged dimensions, the outermost first."""
        with ops.name_scope(name, "RaggedNestedValueRowIds"):
            return tuple(partitions.to_rowids(splits) for splits in self.nested_row_splits)

    def bounding_shape(self, axis: Any = None, name: str | None = None,
                       out_type: Any = None) -> Tensor:  # fmt: skip
        """Return the sizes of the smallest tensor that all rows fit into, or those of some axes."""
        with ops.name_scope(name, "RaggedBoundingBox"):
            kind = self._row_splits.dtype
            # Without rows the greatest length would be the smallest number.
            longest = [math_ops.maximum(reduce_ops.reduce_max(lengths), 0)
                       for lengths in self.nested_row_lengths()]  # fmt: skip
            inner = array_ops.shape(self.flat_values, out_type=kind)[1:]
            whole = array_ops.concat([array_ops.stack([self.nrows(), *longest]), inner], 0)
            if axis is not None:
                whole = array_ops.gather(whole, axis)
            return whole if out_type is None else math_ops.cast(whole, dtypes.as_dtype(out_type))

    def with_values(self, new_values: Any) -> RaggedTensor:
        """Return other values, as many, in the same rows; ValueError where they are not as many."""
        values = _as_values(new_values)
        values.shape[:1].assert_is_compatible_with(self._values.shape[:1])
        if isinstance(values, RaggedTensor) and values.row_splits.dtype != self._row_splits.dtype:
            values = values.with_row_splits_dtype(self._row_splits.dtype)
        return RaggedTensor(values, self._row_splits, self._uniform)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """Return the same rows of rows with other values in the innermost ones."""
        inner = self._values
        ragged = isinstance(inner, RaggedTensor)
        return self.with_values(inner.with_flat_values(new_values) if ragged else new_values)

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """Return the same with splits of int32 or int64; raises ValueError for another type."""
        kind = dtypes.as_dtype(dtype)
        if kind not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"dtype must be int32 or int64, not {kind.name}")
        if kind == self._row_splits.dtype:
            return self
        inner = self._values
        inner = inner.with_row_splits_dtype(kind) if isinstance(inner, RaggedTensor) else inner
        uniform = None if self._uniform is None else math_ops.cast(self._uniform, kind)
        return RaggedTensor(inner, math_ops.cast(self._row_splits, kind), uniform)

    def to_tensor(self, default_value: Any = None, name: str | None = None,
                  shape: Any = None) -> Tensor:  # fmt: skip
        """Return a tensor whose rows are filled up with default_value: 0, "" if nothing is said.

        Rows longer than shape says are cut off.
        """
        with ops.name_scope(name, "RaggedToTensor", [default_value, shape]):
            return conversion.to_tensor(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """Return the values as a SparseTensor, in which the row lengths are the places."""
        with ops.name_scope(name, "RaggedToSparse"):
            inputs = [list(self.nested_row_splits), self.flat_values]
            return SparseTensor(*ops.apply_op("RaggedTensorToSparse", inputs).outputs)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Return the same values with these axes, and those between, as one; ValueError."""
        from tfbuild_runtime.ragged import arrays

        outer, inner = self._axis(outer_axis), self._axis(inner_axis)
        if outer > inner:
            raise ValueError(f"Expected outer_axis ({outer_axis}) to be less than or equal to "
                             f"inner_axis ({inner_axis})")  # fmt: skip
        return arrays.merge_dims(self, outer, inner)

    def to_list(self) -> list[Any]:
        """Raise ValueError: what Session.run gives for it has the method."""
        raise ValueError("to_list is a method of values: session.run(ragged).to_list()")

    def parts(self) -> tuple[Tensor, ...]:
        """Return the flat values, and the splits of all ragged dimensions."""
        return (self.flat_values, *self.nested_row_splits)

    def with_parts(self, parts: Any) -> RaggedTensor:
        """Return a RaggedTensor of other flat values and splits."""
        flat, *splits = parts
        made: RaggedTensor = RaggedTensor.from_nested_row_splits(flat, splits, validate=False)
        return made

    def shapes_of_parts(self, invariant: Any) -> list[Any]:
        """Return the shapes that its parts keep in a loop; `invariant` is its shape or spec."""
        from tfbuild_runtime.data.specs import RaggedTensorSpec

        if not isinstance(invariant, RaggedTensorSpec):
            kinds = (self.dtype.base_dtype, self.ragged_rank, self._row_splits.dtype)
            invariant = RaggedTensorSpec(invariant, *kinds)
        return [part.shape for part in invariant.parts]

    def value_of(self, arrays: list[Any]) -> RaggedTensorValue:
        """Return a RaggedTensorValue of the values of its parts."""
        value = arrays[0]
        for splits in reversed(arrays[1:]):
            value = RaggedTensorValue(value, splits)
        return value  # type: ignore[no-any-return]

    def arrays_of(self, value: Any) -> tuple[Any, ...]:
        """Return the values of its parts out of a RaggedTensorValue; ValueError for others."""
        if not isinstance(value, RaggedTensorValue) or value.ragged_rank != self.ragged_rank:
            raise ValueError(f"The value fed for {self} must be a RaggedTensorValue with "
                             f"{self.ragged_rank} ragged dimensions, not {value!r}")  # fmt: skip
        return (value.flat_values, *value.nested_row_splits)

    def _axis(self, axis: int) -> int:
        rank = self.shape.rank
        if rank is None and axis >= 0:
            return axis
        if rank is None or not -rank <= axis < rank:
            raise ValueError(f"axis={axis} out of bounds: expected -{rank}<=axis<{rank}")
        return axis % rank

    def __getitem__(self, key: Any) -> Any:
        """Return rows, or parts of them; ValueError for a column of rows of any length."""
        with ops.name_scope(None, "RaggedGetItem"):
            return slicing.get_item(self, key if isinstance(key, tuple) else (key,))

    # Without this, Python would ask for one row after the other, for ever.
    __iter__ = None

    def __repr__(self) -> str:
        return f"tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})"

    __str__ = __repr__


def _as_values(values: Any) -> Any:
    ragged = isinstance(values, RaggedTensor)
    return values if ragged else ops.convert_to_tensor(values, name="values")


def _rows_of(values: Any) -> Tensor:
    if isinstance(values, RaggedTensor):
        return values.nrows(dtypes.int64)
    count: Tensor = array_ops.shape(values, out_type=dtypes.int64)[0]
    return count


def _nested(build: Callable[..., Any], scope: str, flat: Any, nested: Any, name: str | None,
            validate: bool) -> Any:  # fmt: skip
    if isinstance(nested, Tensor):
        raise TypeError(f"the partitions must be a list of tensors, not {nested}")
    with ops.name_scope(name, scope, [flat]):
        made = flat
        for partition in reversed(list(nested)):
            made = build(made, partition, None, validate)
        return made


def _elementwise(method: Callable[..., Any]) -> Callable[..., Any]:
    def operator(*operands: Any) -> Any:
        from tfbuild_runtime.ragged import functions

        return functions.elementwise(method, *operands)

    return operator


def _no_tensor(value: Any, **_: Any) -> Any:
    raise TypeError(f"{value} is no tensor: to_tensor makes one of it")


ops.register_tensor_conversion_function(RaggedTensor, _no_tensor)
for _name, _method in operators.operators().items():
    setattr(RaggedTensor, _name, _elementwise(_method))
