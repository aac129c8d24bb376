"""tf.feature_column: features by name as the numbers that a layer takes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import (
    array_ops,
    creation_ops,
    init_ops,
    linalg_ops,
    lookup_ops,
    math_ops,
    placement_ops,
    reduce_ops,
    string_ops,
)
from tfbuild_runtime.ops.emit import emit, known_rank
from tfbuild_runtime.ops.variable_scope import get_variable, variable_scope


class _Entries:
    """What a categorical column has: rows of a batch, and the number that stands in each."""

    def __init__(self, rows: Any, ids: Any, batch: Any) -> None:
        there = math_ops.greater_equal(ids, 0)
        self.rows = array_ops.boolean_mask(rows, there)
        self.ids = array_ops.boolean_mask(ids, there)
        self.batch = batch

    def summed(self, table: Any, combiner: str) -> Any:
        """Return the rows of a table summed, or averaged, over each example."""
        found = array_ops.gather(table, self.ids)
        total = reduce_ops.unsorted_segment_sum(found, self.rows, self.batch)
        if combiner == "sum":
            return total
        ones = creation_ops.ones_like(self.rows, table.dtype.base_dtype)
        count = array_ops.expand_dims(
            reduce_ops.unsorted_segment_sum(ones, self.rows, self.batch), 1
        )
        return math_ops.div_no_nan(total, count if combiner == "mean" else math_ops.sqrt(count))


class _Column:
    """A column of either kind."""

    name: str

    @property
    def key(self) -> str:
        """The name of the feature."""
        raise NotImplementedError("a column has a feature")


class _DenseColumn(_Column):
    """A column that gives numbers [batch, width]."""

    def dense(self, features: Mapping[str, Any], trainable: bool) -> Any:
        """Return the numbers."""
        raise NotImplementedError("a dense column gives numbers")

    def width(self) -> int:
        """Return how many numbers an example has."""
        raise NotImplementedError("a dense column has a width")


class NumericColumn(_DenseColumn):
    """Numbers as they are."""

    def __init__(self, key: str, shape: Any, default_value: Any, dtype: Any,
                 normalizer_fn: Any) -> None:  # fmt: skip
        self.name = key
        self.shape = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
        self.dtype, self.default_value = dtypes.as_dtype(dtype), default_value
        self._normalizer = normalizer_fn
        if not (self.dtype.is_floating or self.dtype.is_integer):
            raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")

    @property
    def key(self) -> str:
        """The name of the feature."""
        return self.name

    def width(self) -> int:
        """Return how many numbers an example has."""
        return math.prod(self.shape)

    def dense(self, features: Mapping[str, Any], trainable: bool) -> Any:
        """Return the numbers, normalised."""
        values = math_ops.cast(_feature(features, self.name), dtypes.float32)
        if self._normalizer is not None:
            values = self._normalizer(values)
        return array_ops.reshape(values, [-1, self.width()])


class BucketizedColumn(_DenseColumn):
    """Numbers as the bucket that each lies in."""

    def __init__(self, source: NumericColumn, boundaries: Any) -> None:
        self.source, self.boundaries = source, tuple(float(value) for value in boundaries)
        self.name = f"{source.name}_bucketized"
        if list(self.boundaries) != sorted(set(self.boundaries)):
            raise ValueError("boundaries must be a sorted list.")

    @property
    def key(self) -> str:
        """The name of the feature."""
        return self.source.name

    def width(self) -> int:
        """Return how many numbers an example has."""
        return self.source.width() * (len(self.boundaries) + 1)

    def dense(self, features: Mapping[str, Any], trainable: bool) -> Any:
        """Return 1 for the bucket of each number."""
        values = self.source.dense(features, trainable)
        limits = framework.constant(list(self.boundaries), dtypes.float32)
        above = math_ops.greater_equal(array_ops.expand_dims(values, -1), limits)
        bucket = reduce_ops.reduce_sum(math_ops.cast(above, dtypes.int32), -1)
        hot = creation_ops.one_hot(bucket, len(self.boundaries) + 1)
        return array_ops.reshape(hot, [-1, self.width()])


class CategoricalColumn(_Column):
    """Words or whole numbers as numbers below `buckets`."""

    def __init__(self, key: str, buckets: int, dtype: Any, number: Any) -> None:
        self.name, self.buckets, self.dtype = key, buckets, dtypes.as_dtype(dtype)
        self._number = number

    @property
    def key(self) -> str:
        """The name of the feature."""
        return self.name

    def entries(self, features: Mapping[str, Any]) -> _Entries:
        """Return what stands in each example; '' and -1 stand for nothing."""
        value = _feature(features, self.name)
        if hasattr(value, "dense_shape"):
            rows, found, batch = value.indices[:, 0], value.values, value.dense_shape[0]
        else:
            if known_rank(value) == 1:
                value = array_ops.expand_dims(value, 1)
            nothing = "" if value.dtype.base_dtype == dtypes.string else -1
            there = math_ops.not_equal(value, framework.constant(nothing, value.dtype.base_dtype))
            places = array_ops.where(there)
            rows, found = places[:, 0], placement_ops.gather_nd(value, places)
            batch = math_ops.cast(array_ops.shape(value)[0], dtypes.int64)
        return _Entries(rows, math_ops.cast(self._number(found), dtypes.int64), batch)


class IndicatorColumn(_DenseColumn):
    """How often each number of a categorical column stands in an example."""

    def __init__(self, categorical: CategoricalColumn) -> None:
        self.categorical, self.name = categorical, f"{categorical.name}_indicator"

    @property
    def key(self) -> str:
        """The name of the feature."""
        return self.categorical.key

    def width(self) -> int:
        """Return how many numbers an example has."""
        return self.categorical.buckets

    def dense(self, features: Mapping[str, Any], trainable: bool) -> Any:
        """Return the counts."""
        entries = self.categorical.entries(features)
        places = array_ops.stack([entries.rows, entries.ids], axis=1)
        ones = creation_ops.ones_like(entries.ids, dtypes.float32)
        width = framework.constant(self.width(), dtypes.int64)
        result = emit("ScatterNd", [places, ones, array_ops.stack([entries.batch, width])])
        result.set_shape([None, self.width()])
        return result


class EmbeddingColumn(_DenseColumn):
    """The vectors of a categorical column's numbers, put together for each example."""

    def __init__(self, categorical: CategoricalColumn, dimension: int, combiner: str,
                 initializer: Any, trainable: bool) -> None:  # fmt: skip
        self.categorical, self._dimension, self._combiner = categorical, dimension, combiner
        self._initializer = initializer or init_ops.TruncatedNormal(0.0, 1 / math.sqrt(dimension))
        self._trainable, self.name = trainable, f"{categorical.name}_embedding"

    @property
    def key(self) -> str:
        """The name of the feature."""
        return self.categorical.key

    def width(self) -> int:
        """Return how many numbers an example has."""
        return self._dimension

    def dense(self, features: Mapping[str, Any], trainable: bool) -> Any:
        """Return the vectors."""
        table = get_variable("embedding_weights", [self.categorical.buckets, self._dimension],
                             dtypes.float32, self._initializer,
                             trainable=self._trainable and trainable)  # fmt: skip
        result = self.categorical.entries(features).summed(table, self._combiner)
        result.set_shape([None, self._dimension])
        return result


def _feature(features: Mapping[str, Any], key: str) -> Any:
    if key not in features:
        raise ValueError(f"Feature {key} is not in features dictionary.")
    value = features[key]
    return value if hasattr(value, "dense_shape") else framework.convert_to_tensor(value, name=key)


def numeric_column(key: str, shape: Any = (1,), default_value: Any = None,
                   dtype: Any = dtypes.float32,
                   normalizer_fn: Any = None) -> NumericColumn:  # fmt: skip
    """Return a column of numbers."""
    return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


def bucketized_column(source_column: Any, boundaries: Any) -> BucketizedColumn:
    """Return a column of buckets between boundaries; raises ValueError unless of numbers."""
    if not isinstance(source_column, NumericColumn):
        raise ValueError("source_column must be a column generated with numeric_column(). "
                         f"Given: {source_column}")  # fmt: skip
    return BucketizedColumn(source_column, boundaries)


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

    return CategoricalColumn(key, hash_bucket_size, dtype, number)


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


def indicator_column(categorical_column: Any) -> IndicatorColumn:
    """Return a column of counts."""
    return IndicatorColumn(categorical_column)


def embedding_column(categorical_column: Any, dimension: int, combiner: str = "mean",
                     initializer: Any = None, ckpt_to_load_from: Any = None,
                     tensor_name_in_ckpt: Any = None, max_norm: Any = None,
                     trainable: bool = True) -> EmbeddingColumn:  # fmt: skip
    """Return a column of vectors; combiner is "mean", "sqrtn" or "sum"."""
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"combiner is mean, sqrtn or sum, not {combiner!r}")
    for given, what in ((ckpt_to_load_from, "ckpt_to_load_from"), (max_norm, "max_norm"),
                        (tensor_name_in_ckpt, "tensor_name_in_ckpt")):  # fmt: skip
        if given is not None:
            raise NotImplementedError(f"{what} of an embedding_column is not there")
    return EmbeddingColumn(categorical_column, dimension, combiner, initializer, trainable)


def _sorted(columns: Any) -> list[Any]:
    given = list(columns) if isinstance(columns, (list, tuple, set)) else [columns]
    names = [column.name for column in given]
    if len(set(names)) != len(names):
        raise ValueError(f"Duplicate feature column name found for columns: {sorted(names)}")
    return sorted(given, key=lambda column: str(column.name))


def input_layer(features: Any, feature_columns: Any, weight_collections: Any = None,
                trainable: bool = True, cols_to_vars: Any = None,
                cols_to_output_tensors: Any = None) -> Any:  # fmt: skip
    """Return the numbers of all columns side by side, in the order of their names.

    Raises ValueError for a categorical column: indicator_column and embedding_column make numbers
    of it.
    """
    del weight_collections, cols_to_vars
    made = []
    with variable_scope(None, default_name="input_layer"):
        for column in _sorted(feature_columns):
            if not isinstance(column, _DenseColumn):
                raise ValueError("Items of feature_columns must be a dense column. You can wrap a "
                                 f"categorical column with an embedding_column or "
                                 f"indicator_column. Given: {column.name}")  # fmt: skip
            with variable_scope(None, default_name=column.name):
                made.append(column.dense(features, trainable))
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = made[-1]
        return array_ops.concat(made, 1)


def linear_model(features: Any, feature_columns: Any, units: int = 1, sparse_combiner: str = "sum",
                 weight_collections: Any = None, trainable: bool = True,
                 cols_to_vars: Any = None) -> Any:  # fmt: skip
    """Return sums of all columns by weights that begin as zero, [batch, units]."""
    del weight_collections, cols_to_vars
    zeros = init_ops.Zeros()
    with variable_scope(None, default_name="linear_model"):
        sums = []
        for column in _sorted(feature_columns):
            is_dense = isinstance(column, _DenseColumn)
            width = column.width() if is_dense else column.buckets
            with variable_scope(None, default_name=column.name):
                weights = get_variable("weights", [width, units], dtypes.float32, zeros,
                                       trainable=trainable)  # fmt: skip
                if is_dense:
                    sums.append(linalg_ops.matmul(column.dense(features, trainable), weights))
                else:
                    sums.append(column.entries(features).summed(weights, sparse_combiner))
        bias = get_variable("bias_weights", [units], dtypes.float32, zeros, trainable=trainable)
        return reduce_ops.add_n(sums) + bias


def make_parse_example_spec(feature_columns: Any) -> dict[str, Any]:
    """Return what parse_example needs for these columns."""
    from tfbuild_runtime.compat import v1

    spec: dict[str, Any] = {}
    for column in _sorted(feature_columns):
        source = getattr(column, "source", column)
        if isinstance(source, NumericColumn):
            spec[column.key] = v1.FixedLenFeature(source.shape, source.dtype, source.default_value)
        else:
            inner = getattr(column, "categorical", column)
            spec[column.key] = v1.VarLenFeature(inner.dtype)
    return spec
