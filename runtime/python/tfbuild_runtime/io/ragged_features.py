"""Features of rows of any length: what is asked of Examples, and the ragged tensors made of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes, ops
from tfbuild_runtime.framework.operation import Tensor
from tfbuild_runtime.ops import array_ops, composed_ops, math_ops, order_ops, reduce_ops
from tfbuild_runtime.ragged import partitions
from tfbuild_runtime.ragged.tensor import RaggedTensor


class _RowSplits(NamedTuple):
    key: str


class _RowLengths(NamedTuple):
    key: str


class _RowStarts(NamedTuple):
    key: str


class _RowLimits(NamedTuple):
    key: str


class _ValueRowIds(NamedTuple):
    key: str


class _UniformRowLength(NamedTuple):
    length: int


_BY_KEY = (_RowSplits, _RowLengths, _RowStarts, _RowLimits, _ValueRowIds)


class _Fields(NamedTuple):
    dtype: Any
    value_key: Any = None
    partitions: Any = ()
    row_splits_dtype: Any = dtypes.int32
    validate: bool = False


class RaggedFeature(_Fields):
    """A feature of any number of values, cut into rows by other features, the outermost first.

    Raises ValueError for types and keys that no feature has, TypeError for partitions that are
    none.
    """

    __slots__ = ()
    RowSplits, RowLengths, RowStarts, RowLimits, ValueRowIds = _BY_KEY
    UniformRowLength = _UniformRowLength

    def __new__(cls, dtype: Any, value_key: Any = None, partitions: Any = (),
                row_splits_dtype: Any = dtypes.int32, validate: bool = False
                ) -> Any:  # fmt: skip
        """Return it with its types as DTypes."""
        if value_key is not None and not (isinstance(value_key, str) and value_key):
            raise ValueError(f"Argument `value_key` must be a string that is not empty, not "
                             f"{value_key!r}")  # fmt: skip
        kind, splits = dtypes.as_dtype(dtype), dtypes.as_dtype(row_splits_dtype)
        if kind not in (dtypes.int64, dtypes.float32, dtypes.string):
            raise ValueError(f"Argument `dtype` must be int64, float32, or bytes; got {kind!r}")
        if splits not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"Argument `row_splits_dtype` must be int32 or int64; got {splits!r}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"Argument `partitions` must be a list or tuple, not {partitions!r}")
        for partition in partitions:
            if not isinstance(partition, (*_BY_KEY, _UniformRowLength)):
                raise TypeError(f"Argument `partitions` has {partition!r}, which is none: they are "
                                "RaggedFeature.RowSplits(key) and its like")  # fmt: skip
        if not isinstance(validate, bool):
            raise TypeError(f"Argument `validate` must be a bool; got {validate!r}")
        return super().__new__(cls, kind, value_key, tuple(partitions), splits, validate)

    def keys(self, key: Any) -> list[tuple[Any, dtypes.DType]]:
        """Return the key of the values and those of the partitions, each with its type."""
        by_key = [(p.key, dtypes.int64) for p in self.partitions if isinstance(p, _BY_KEY)]
        return [(self._value_key(key), self.dtype), *by_key]

    def _value_key(self, key: Any) -> Any:
        return key if self.value_key is None else self.value_key

    def of_one(self, key: Any, parsed: dict[Any, Any]) -> Any:
        """Return the feature of one Example, of tensors by key."""
        made = parsed[self._value_key(key)]
        for partition in reversed(self.partitions):
            if isinstance(partition, _UniformRowLength):
                made = _evenly(made, partition.length, self.row_splits_dtype, self.validate)
                continue
            given = math_ops.cast(parsed[partition.key], self.row_splits_dtype)
            build = _BUILDERS[type(partition)]
            made = build(made, given, validate=self.validate)
        return made

    def of_many(self, key: Any, parsed: dict[Any, Any]) -> RaggedTensor:
        """Return the feature of a batch of Examples, of ragged tensors by key.

        Of SequenceExamples those have the steps as a dimension more, which stays as it is.
        """
        made = parsed[self._value_key(key)]
        steps = made.row_splits if made.ragged_rank > 1 else None
        made = made if steps is None else made.values
        for partition in reversed(self.partitions):
            if isinstance(partition, _UniformRowLength):
                length = partition.length
                rows = _evenly(made.values, length, self.row_splits_dtype, self.validate)
                even = ops.constant(length, made.row_splits.dtype)
                ends = math_ops.floordiv(made.row_splits, even)
                made = RaggedTensor.from_row_splits(rows, ends, None, self.validate)
                continue
            given = parsed[partition.key]
            checks = []
            if steps is not None:
                if self.validate:
                    checks.append(_aligned(key, steps, given.row_splits))
                given = given.values
            with ops.control_dependencies(checks):
                made = self._cut(made, type(partition), given.with_row_splits_dtype(
                    self.row_splits_dtype))  # fmt: skip
        if steps is None:
            return made  # type: ignore[no-any-return]
        return RaggedTensor.from_row_splits(made, steps, None, self.validate)

    def _cut(self, made: RaggedTensor, kind: type, given: RaggedTensor) -> RaggedTensor:
        """Return the rows that each Example's partition says, of the values of that Example."""
        numbers = math_ops.cast(given.values, self.row_splits_dtype)
        given = given.with_values(numbers)
        if kind is _RowSplits:  # the first one is 0
            given, kind = given[:, 1:], _RowLimits
        shifts: Any = made.row_starts()
        if kind is _RowLengths:
            return given.with_values(RaggedTensor.from_row_lengths(
                made.values, given.values, validate=self.validate))  # fmt: skip
        counts = None
        if kind is _ValueRowIds:
            counts = _row_counts(given)
            shifts = order_ops.cumsum(counts, exclusive=True)
        shifted = given.values + composed_ops.repeat(shifts, given.row_lengths())
        rows = _BUILDERS[kind](made.values, shifted, validate=self.validate)
        if counts is None:
            return given.with_values(rows)
        return RaggedTensor.from_row_lengths(rows, counts, None, self.validate)


_BUILDERS: dict[type, Any] = {
    _RowSplits: RaggedTensor.from_row_splits,
    _RowLengths: RaggedTensor.from_row_lengths,
    _RowStarts: RaggedTensor.from_row_starts,
    _RowLimits: RaggedTensor.from_row_limits,
    _ValueRowIds: RaggedTensor.from_value_rowids,
}


def _evenly(values: Any, length: int, dtype: Any, validate: bool) -> Any:
    """Return rows of one length: of a tensor another shape, of a ragged one rows of rows."""
    if isinstance(values, RaggedTensor):
        given = ops.constant(length, dtype)
        return RaggedTensor.from_uniform_row_length(values, given, validate=validate)
    inner = array_ops.shape(values)[1:]
    return array_ops.reshape(values, array_ops.concat([[-1, length], inner], 0))


def _aligned(key: Any, steps: Tensor, given: Tensor) -> Any:
    same = reduce_ops.reduce_all(math_ops.equal(steps, math_ops.cast(given, steps.dtype)))
    return partitions.held(same, f"Feature {key}: values and partitions are not aligned")


def _row_counts(ids: RaggedTensor) -> Tensor:
    """Return how many rows the ids of each Example name: one more than the last of those."""
    ends = ids.row_limits()
    behind = array_ops.concat([ops.constant([0], ids.dtype), ids.values + 1], 0)
    last = array_ops.gather(behind, ends)
    counts: Tensor = last * math_ops.cast(ids.row_lengths() > 0, last.dtype)
    return counts


def ragged_results(asked: Any, values: dict[Any, Any]) -> dict[Any, Any]:
    """Return the ragged features that are asked for, by key, out of what was parsed for them."""
    found = {}
    for key, feature in asked.items():
        if isinstance(feature, RaggedFeature):
            ragged = isinstance(values[feature._value_key(key)], RaggedTensor)
            found[key] = (feature.of_many if ragged else feature.of_one)(key, values)
    return found
