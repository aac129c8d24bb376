"""tf.feature_column: features by name as the numbers that a layer takes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.io.parsing import FixedLenFeature
from tfbuild_runtime.layers.categorical_columns import CategoricalBase, FeatureColumn, feature
from tfbuild_runtime.ops import (
    array_ops,
    creation_ops,
    init_ops,
    linalg_ops,
    math_ops,
    reduce_ops,
)
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ops.variable_scope import get_variable, variable_scope


class DenseColumn(FeatureColumn):
    """A column that gives numbers [batch, width]."""

    def dense(self, features: Mapping[str, Any], trainable: bool) -> Any:
        """Return the numbers."""
        raise NotImplementedError("a dense column gives numbers")

    def width(self) -> int:
        """Return how many numbers an example has."""
        raise NotImplementedError("a dense column has a width")


class NumericColumn(DenseColumn):
    """Numbers as they are."""

    def __init__(self, key: str, shape: Any, default_value: Any, dtype: Any,
                 normalizer_fn: Any) -> None:  # fmt: skip
        self.name = key
        self.shape = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
        self.dtype, self.default_value = dtypes.as_dtype(dtype), default_value
        self.normalizer = normalizer_fn
        if not (self.dtype.is_floating or self.dtype.is_integer):
            raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")

    @property
    def key(self) -> str:
        """The name of the feature."""
        return self.name

    def width(self) -> int:
        """Return how many numbers an example has."""
        return math.prod(self.shape)

    def parse_spec(self) -> dict[str, Any]:
        """Return what parse_example needs for it."""
        return {self.name: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    def dense(self, features: Mapping[str, Any], trainable: bool) -> Any:
        """Return the numbers, normalised."""
        values = math_ops.cast(feature(features, self.name), dtypes.float32)
        if self.normalizer is not None:
            values = self.normalizer(values)
        return array_ops.reshape(values, [-1, self.width()])


class BucketizedColumn(DenseColumn):
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

    def parse_spec(self) -> dict[str, Any]:
        """Return what parse_example needs for it."""
        return self.source.parse_spec()

    def _buckets(self, features: Mapping[str, Any], trainable: bool) -> Any:
        values = self.source.dense(features, trainable)
        limits = framework.constant(list(self.boundaries), dtypes.float32)
        above = math_ops.greater_equal(array_ops.expand_dims(values, -1), limits)
        return reduce_ops.reduce_sum(math_ops.cast(above, dtypes.int32), -1)

    def dense(self, features: Mapping[str, Any], trainable: bool) -> Any:
        """Return 1 for the bucket of each number."""
        hot = creation_ops.one_hot(self._buckets(features, trainable), len(self.boundaries) + 1)
        return array_ops.reshape(hot, [-1, self.width()])

    def bucket_places(self, features: Mapping[str, Any]) -> tuple[Any, Any, Any]:
        """Return where numbers stand [count, 2], the bucket of each, and the size of the batch.

        The buckets of the second number of an example follow those of the first.
        """
        buckets = math_ops.cast(self._buckets(features, True), dtypes.int64)
        width = self.source.width()
        first = framework.constant([number * (len(self.boundaries) + 1) for number in range(width)],
                                   dtypes.int64)  # fmt: skip
        places = array_ops.where(creation_ops.ones_like(buckets, dtypes.bool))
        ids = array_ops.reshape(buckets + first, [-1])
        return places, ids, math_ops.cast(array_ops.shape(buckets)[0], dtypes.int64)


class IndicatorColumn(DenseColumn):
    """How often each number of a categorical column stands in an example."""

    def __init__(self, categorical: CategoricalBase) -> None:
        self.categorical, self.name = categorical, f"{categorical.name}_indicator"

    @property
    def key(self) -> str:
        """The name of the feature."""
        return self.categorical.key

    def width(self) -> int:
        """Return how many numbers an example has."""
        return self.categorical.buckets

    def parse_spec(self) -> dict[str, Any]:
        """Return what parse_example needs for it."""
        return self.categorical.parse_spec()

    def dense(self, features: Mapping[str, Any], trainable: bool) -> Any:
        """Return the counts."""
        entries = self.categorical.entries(features)
        places = array_ops.stack([entries.rows, entries.ids], axis=1)
        width = framework.constant(self.width(), dtypes.int64)
        shape = array_ops.stack([entries.batch, width])
        result = emit("ScatterNd", [places, entries.counted(), shape])
        result.set_shape([None, self.width()])
        return result


class EmbeddingColumn(DenseColumn):
    """The vectors of a categorical column's numbers, put together for each example."""

    def __init__(self, categorical: CategoricalBase, dimension: int, combiner: str,
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

    def parse_spec(self) -> dict[str, Any]:
        """Return what parse_example needs for it."""
        return self.categorical.parse_spec()

    def dense(self, features: Mapping[str, Any], trainable: bool) -> Any:
        """Return the vectors."""
        table = self._table(trainable)
        result = self.categorical.entries(features).summed(table, self._combiner)
        result.set_shape([None, self._dimension])
        return result

    def _table(self, trainable: bool) -> Any:
        return get_variable("embedding_weights", [self.categorical.buckets, self._dimension],
                            dtypes.float32, self._initializer,
                            trainable=self._trainable and trainable)  # fmt: skip


class SharedEmbeddingColumn(EmbeddingColumn):
    """An embedding whose vectors several columns share."""

    def __init__(self, categorical: CategoricalBase, dimension: int, combiner: str,
                 initializer: Any, trainable: bool, shared: str) -> None:  # fmt: skip
        super().__init__(categorical, dimension, combiner, initializer, trainable)
        self.name, self.scope_name = f"{categorical.name}_shared_embedding", shared

    def _table(self, trainable: bool) -> Any:
        """Return the table of the graph, which the first of the columns makes."""
        scratch = framework.get_default_graph()._scratch.setdefault("shared_embeddings", {})
        if self.scope_name not in scratch:
            scratch[self.scope_name] = super()._table(trainable)
        return scratch[self.scope_name]


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


def indicator_column(categorical_column: Any) -> IndicatorColumn:
    """Return a column of counts."""
    return IndicatorColumn(categorical_column)


def embedding_column(categorical_column: Any, dimension: int, combiner: str = "mean",
                     initializer: Any = None, ckpt_to_load_from: Any = None,
                     tensor_name_in_ckpt: Any = None, max_norm: Any = None,
                     trainable: bool = True,
                     use_safe_embedding_lookup: bool = True) -> EmbeddingColumn:  # fmt: skip
    """Return a column of vectors; combiner is "mean", "sqrtn" or "sum".

    Raises NotImplementedError for values from a checkpoint, a largest norm, and a lookup that
    fails for examples without a value.
    """
    if not use_safe_embedding_lookup:
        raise NotImplementedError("use_safe_embedding_lookup=False is not there")
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"combiner is mean, sqrtn or sum, not {combiner!r}")
    for given, what in ((ckpt_to_load_from, "ckpt_to_load_from"), (max_norm, "max_norm"),
                        (tensor_name_in_ckpt, "tensor_name_in_ckpt")):  # fmt: skip
        if given is not None:
            raise NotImplementedError(f"{what} of an embedding_column is not there")
    return EmbeddingColumn(categorical_column, dimension, combiner, initializer, trainable)


def shared_embedding_columns(
    categorical_columns: Any, dimension: int, combiner: str = "mean", initializer: Any = None,
    shared_embedding_collection_name: str | None = None, ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: Any = None, max_norm: Any = None, trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[SharedEmbeddingColumn]:  # fmt: skip
    """Return columns of vectors out of one table; raises ValueError for buckets that differ."""
    given = list(categorical_columns)
    if len({column.buckets for column in given}) > 1:
        raise ValueError("To use shared_embedding_column, all categorical_columns must have the "
                         "same number of buckets.")  # fmt: skip
    names = "_".join(sorted(column.name for column in given))
    shared = shared_embedding_collection_name or f"{names}_shared_embedding"
    chosen = initializer or init_ops.TruncatedNormal(0.0, 1 / math.sqrt(dimension))
    for column in given:
        embedding_column(column, dimension, combiner, chosen, ckpt_to_load_from,
                         tensor_name_in_ckpt, max_norm, trainable,
                         use_safe_embedding_lookup)  # fmt: skip
    return [SharedEmbeddingColumn(column, dimension, combiner, chosen, trainable, shared)
            for column in given]  # fmt: skip


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
    made = []
    with variable_scope(None, default_name="input_layer"):
        for column in _sorted(feature_columns):
            if not isinstance(column, DenseColumn):
                raise ValueError("Items of feature_columns must be a dense column. You can wrap a "
                                 f"categorical column with an embedding_column or "
                                 f"indicator_column. Given: {column.name}")  # fmt: skip
            shared = getattr(column, "scope_name", column.name)
            with variable_scope(None, default_name=shared) as scope:
                made.append(column.dense(features, trainable))
                _note(column, scope, weight_collections, cols_to_vars)
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = made[-1]
        return array_ops.concat(made, 1)


def _note(column: Any, scope: Any, collections: Any, cols_to_vars: Any) -> None:
    """Put the variables of a column, those in its scope, where the program asked for them."""
    made = framework.get_collection(GraphKeys.GLOBAL_VARIABLES, f"{scope.name}/")
    _collect(made, collections)
    if cols_to_vars is not None:
        cols_to_vars[column] = made


def _collect(variables: list[Any], collections: Any) -> None:
    for name in collections or ():
        there = framework.get_collection(name)
        for variable in variables:
            if all(variable is not one for one in there):
                framework.add_to_collection(name, variable)


def linear_model(features: Any, feature_columns: Any, units: int = 1, sparse_combiner: str = "sum",
                 weight_collections: Any = None, trainable: bool = True,
                 cols_to_vars: Any = None) -> Any:  # fmt: skip
    """Return sums of all columns by weights that begin as zero, [batch, units]."""
    zeros = init_ops.Zeros()
    with variable_scope(None, default_name="linear_model"):
        sums = []
        for column in _sorted(feature_columns):
            is_dense = isinstance(column, DenseColumn)
            width = column.width() if is_dense else column.buckets
            with variable_scope(None, default_name=column.name) as scope:
                weights = get_variable("weights", [width, units], dtypes.float32, zeros,
                                       trainable=trainable)  # fmt: skip
                if is_dense:
                    sums.append(linalg_ops.matmul(column.dense(features, trainable), weights))
                else:
                    sums.append(column.entries(features).summed(weights, sparse_combiner))
                _note(column, scope, weight_collections, cols_to_vars)
        bias = get_variable("bias_weights", [units], dtypes.float32, zeros, trainable=trainable)
        _collect([bias], weight_collections)
        if cols_to_vars is not None:
            cols_to_vars["bias"] = [bias]
        return reduce_ops.add_n(sums) + bias


def make_parse_example_spec(feature_columns: Any) -> dict[str, Any]:
    """Return what parse_example needs for these columns."""
    spec: dict[str, Any] = {}
    for column in _sorted(feature_columns):
        spec.update(column.parse_spec())
    return spec
