"""Features that are words or numbers of a kind: which stand in an example, and what each counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.sparse_tensor import SparseTensor
from tfbuild_runtime.io.parsing import VarLenFeature
from tfbuild_runtime.ops import (
    array_ops,
    creation_ops,
    lookup_ops,
    math_ops,
    placement_ops,
    reduce_ops,
    sparse_row_ops,
    string_ops,
)
from tfbuild_runtime.ops.emit import known_rank


class Entries:
    """What a categorical column has: rows of a batch, and in each a number with its weight."""

    def __init__(self, rows: Any, ids: Any, batch: Any, weights: Any = None) -> None:
        there = math_ops.greater_equal(ids, 0)
        self.rows = array_ops.boolean_mask(rows, there)
        self.ids = array_ops.boolean_mask(ids, there)
        self.batch = batch
        self.weights = None if weights is None else array_ops.boolean_mask(weights, there)

    def counted(self) -> Any:
        """Return how much each entry counts: its weight, or 1."""
        if self.weights is None:
            return creation_ops.ones_like(self.ids, dtypes.float32)
        return self.weights

    def summed(self, table: Any, combiner: str) -> Any:
        """Return the rows of a table summed, or averaged, over each example."""
        rows, ids, weights = self.rows, self.ids, self.weights
        if weights is not None and combiner != "sum":
            # A mean is of what counts at all.
            counts = math_ops.greater(weights, 0.0)
            rows, ids, weights = (array_ops.boolean_mask(v, counts) for v in (rows, ids, weights))
        found = array_ops.gather(table, ids)
        if weights is not None:
            found = found * array_ops.expand_dims(weights, 1)
        total = reduce_ops.unsorted_segment_sum(found, rows, self.batch)
        if combiner == "sum":
            return total
        each = creation_ops.ones_like(rows, table.dtype.base_dtype) if weights is None else weights
        if combiner == "sqrtn":
            each = math_ops.square(each)
        count = array_ops.expand_dims(reduce_ops.unsorted_segment_sum(each, rows, self.batch), 1)
        return math_ops.div_no_nan(total, count if combiner == "mean" else math_ops.sqrt(count))


class FeatureColumn:
    """A column of either kind."""

    name: str

    @property
    def key(self) -> str:
        """The name of the feature."""
        raise NotImplementedError("a column has a feature")

    def parse_spec(self) -> dict[str, Any]:
        """Return what parse_example needs for it."""
        raise NotImplementedError("a column is parsed of Examples")


class CategoricalBase(FeatureColumn):
    """A column of numbers below `buckets`, any number of them in an example."""

    buckets: int

    def entries(self, features: Mapping[str, Any]) -> Entries:
        """Return what stands in each example; '' and -1 stand for nothing."""
        raise NotImplementedError("a categorical column has entries")


class CategoricalColumn(CategoricalBase):
    """Words or whole numbers as numbers below `buckets`."""

    is_hashed = False

    def __init__(self, key: str, buckets: int, dtype: Any, number: Any) -> None:
        self.name, self.buckets, self.dtype = key, buckets, dtypes.as_dtype(dtype)
        self._number = number

    @property
    def key(self) -> str:
        """The name of the feature."""
        return self.name

    def parse_spec(self) -> dict[str, Any]:
        """Return what parse_example needs for it."""
        return {self.name: VarLenFeature(self.dtype)}

    def places(self, features: Mapping[str, Any]) -> tuple[Any, Any, Any]:
        """Return where the feature has something [count, 2], what, and the size of the batch."""
        return _places(feature(features, self.name))

    def entries(self, features: Mapping[str, Any]) -> Entries:
        """Return what stands in each example; '' and -1 stand for nothing."""
        places, found, batch = self.places(features)
        return Entries(places[:, 0], self.numbers(found), batch)

    def numbers(self, values: Any) -> Any:
        """Return the number of each value, as int64; -1 where it has none."""
        return math_ops.cast(self._number(values), dtypes.int64)


def _places(value: Any) -> tuple[Any, Any, Any]:
    if hasattr(value, "dense_shape"):
        return value.indices, value.values, value.dense_shape[0]
    if known_rank(value) == 1:
        value = array_ops.expand_dims(value, 1)
    nothing = "" if value.dtype.base_dtype == dtypes.string else -1
    there = math_ops.not_equal(value, framework.constant(nothing, value.dtype.base_dtype))
    places = array_ops.where(there)
    batch = math_ops.cast(array_ops.shape(value)[0], dtypes.int64)
    return places, placement_ops.gather_nd(value, places), batch


def feature(features: Mapping[str, Any], key: str) -> Any:
    """Return a feature as a tensor, dense or sparse; raises ValueError where there is none."""
    if key not in features:
        raise ValueError(f"Feature {key} is not in features dictionary.")
    value = features[key]
    return value if hasattr(value, "dense_shape") else framework.convert_to_tensor(value, name=key)


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> CategoricalColumn:
    """Return a column of numbers below num_buckets; others are default_value, or nothing."""

    def number(values: Any) -> Any:
        values = math_ops.cast(values, dtypes.int64)
        inside = math_ops.logical_and(values >= 0, values < num_buckets)
        other = -1 if default_value is None else default_value
        return array_ops.where_v2(inside, values, framework.constant(other, dtypes.int64))

    return CategoricalColumn(key, num_buckets, dtypes.int64, number)


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = dtypes.string
) -> CategoricalColumn:
    """Return a column of words by their hashes."""

    def number(values: Any) -> Any:
        words = values if values.dtype.base_dtype == dtypes.string else string_ops.as_string(values)
        return string_ops.string_to_hash_bucket_fast(words, hash_bucket_size)

    column = CategoricalColumn(key, hash_bucket_size, dtype, number)
    column.is_hashed = True
    return column


def categorical_column_with_vocabulary_list(
    key: str, vocabulary_list: Any, dtype: Any = None, default_value: int = -1,
    num_oov_buckets: int = 0,
) -> CategoricalColumn:  # fmt: skip
    """Return a column of words by their places in a list."""
    words = list(vocabulary_list)
    if not words or len(set(words)) != len(words):
        raise ValueError(
            f"vocabulary_list must be unique and not empty. Given: {words}, key: {key}"
        )
    kind = dtype or (dtypes.string if isinstance(words[0], (str, bytes)) else dtypes.int64)

    def number(values: Any) -> Any:
        if dtypes.as_dtype(kind).is_integer:
            values = math_ops.cast(values, dtypes.int64)
        table = lookup_ops.index_table_from_tensor(words, num_oov_buckets, default_value,
                                                   dtype=kind, name=f"{key}_lookup")  # fmt: skip
        return table.lookup(values)

    return CategoricalColumn(key, len(words) + num_oov_buckets, kind, number)


def categorical_column_with_vocabulary_file(
    key: str, vocabulary_file: str, vocabulary_size: int | None = None, num_oov_buckets: int = 0,
    default_value: int | None = None, dtype: Any = dtypes.string,
) -> CategoricalColumn:  # fmt: skip
    """Return a column of words by their lines in a file."""
    size = vocabulary_size
    if size is None:
        from tfbuild_runtime.platform.gfile import GFile

        with GFile(vocabulary_file) as file:
            size = sum(1 for _ in file)

    def number(values: Any) -> Any:
        table = lookup_ops.index_table_from_file(
            vocabulary_file, num_oov_buckets, size, -1 if default_value is None else default_value,
            key_dtype=dtype, name=f"{key}_lookup",
        )  # fmt: skip
        return table.lookup(values)

    return CategoricalColumn(key, size + num_oov_buckets, dtype, number)


class WeightedColumn(CategoricalBase):
    """A categorical column whose entries count by a feature of weights."""

    def __init__(self, source: CategoricalColumn, weight_key: str, dtype: Any) -> None:
        self.source, self.weight_key, self.dtype = source, weight_key, dtypes.as_dtype(dtype)
        self.name, self.buckets = f"{source.name}_weighted_by_{weight_key}", source.buckets

    @property
    def key(self) -> str:
        """The name of the feature."""
        return self.source.key

    def parse_spec(self) -> dict[str, Any]:
        """Return what parse_example needs for it."""
        return {**self.source.parse_spec(), self.weight_key: VarLenFeature(self.dtype)}

    def entries(self, features: Mapping[str, Any]) -> Entries:
        """Return what stands in each example, with the weights that stand in the same places."""
        places, found, batch = self.source.places(features)
        given = feature(features, self.weight_key)
        if hasattr(given, "dense_shape"):
            weights = given.values
        else:
            given = array_ops.expand_dims(given, 1) if known_rank(given) == 1 else given
            weights = placement_ops.gather_nd(given, places)
        weights = math_ops.cast(weights, dtypes.float32)
        return Entries(places[:, 0], self.source.numbers(found), batch, weights)


class CrossedColumn(CategoricalBase):
    """All combinations of some features of an example, by their hashes."""

    def __init__(self, keys: Sequence[Any], buckets: int, hash_key: int | None) -> None:
        self.keys, self.buckets, self.hash_key = tuple(keys), buckets, hash_key
        self.dtype = dtypes.int64
        names = [leaf if isinstance(leaf, str) else leaf.name for leaf in self._leaves()]
        self.name = "_X_".join(sorted(names))

    def _leaves(self) -> list[Any]:
        found: list[Any] = []
        for key in self.keys:
            found += key._leaves() if isinstance(key, CrossedColumn) else [key]
        return found

    @property
    def key(self) -> str:
        """The name of the first feature."""
        first = self._leaves()[0]
        return first if isinstance(first, str) else first.key  # type: ignore[no-any-return]

    def parse_spec(self) -> dict[str, Any]:
        """Return what parse_example needs for all of its features."""
        spec: dict[str, Any] = {}
        for leaf in self._leaves():
            spec.update({leaf: VarLenFeature(dtypes.string)} if isinstance(leaf, str)
                        else leaf.parse_spec())  # fmt: skip
        return spec

    def entries(self, features: Mapping[str, Any]) -> Entries:
        """Return the crosses of each example."""
        crossed = sparse_row_ops.sparse_cross_hashed(
            [_crossable(leaf, features) for leaf in self._leaves()], self.buckets, self.hash_key
        )
        return Entries(crossed.indices[:, 0], crossed.values, crossed.dense_shape[0])


def _crossable(leaf: Any, features: Mapping[str, Any]) -> Any:
    """Return what is crossed: a feature as it is, or a column's numbers as a sparse tensor."""
    if isinstance(leaf, str):
        value = feature(features, leaf)
        is_row = not hasattr(value, "dense_shape") and known_rank(value) == 1
        return array_ops.expand_dims(value, 1) if is_row else value
    if isinstance(leaf, CategoricalColumn):
        places, found, batch = leaf.places(features)
        ids = leaf.numbers(found)
    else:
        places, ids, batch = leaf.bucket_places(features)
    width = reduce_ops.reduce_max(array_ops.concat([places[:, 1], [-1]], 0)) + 1
    return SparseTensor(places, ids, array_ops.stack([batch, width]))


def weighted_categorical_column(
    categorical_column: Any, weight_feature_key: str, dtype: Any = dtypes.float32
) -> WeightedColumn:
    """Return a column whose entries count by a feature; raises ValueError for another type."""
    if not (dtypes.as_dtype(dtype).is_integer or dtypes.as_dtype(dtype).is_floating):
        raise ValueError(f"dtype is not convertible to float. Given {dtype}")
    return WeightedColumn(categorical_column, weight_feature_key, dtype)


def crossed_column(keys: Any, hash_bucket_size: int, hash_key: int | None = None) -> CrossedColumn:
    """Return a column of all combinations of features, given by name or as columns.

    Raises ValueError for fewer than two, for numbers without buckets, and for columns of hashes,
    whose features are to be given by their names.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        is_good = isinstance(key, (str, CategoricalBase)) or hasattr(key, "bucket_places")
        if not is_good:
            raise ValueError("Unsupported key type. All keys must be strings or columns of "
                             f"classes, which may not be hashed. Given: {key}")  # fmt: skip
        if isinstance(key, CategoricalColumn) and key.is_hashed:
            raise ValueError("categorical_column_with_hash_bucket is not supported for crossing. "
                             f"Give the name of its feature instead of {key.name}.")  # fmt: skip
    return CrossedColumn(keys, hash_bucket_size, hash_key)
