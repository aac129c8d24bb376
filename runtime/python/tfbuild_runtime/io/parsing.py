"""Examples, raw bytes and lines of CSV made into tensors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.sparse_tensor import SparseTensor
from tfbuild_runtime.io.ragged_features import RaggedFeature, ragged_results
from tfbuild_runtime.ops import array_ops, host_ops, math_ops, sparse_element_ops
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ragged.tensor import RaggedTensor

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.\-/]")


class VarLenFeature(NamedTuple):
    """A feature of any number of values, which is parsed into a SparseTensor."""

    dtype: Any


class FixedLenFeature(NamedTuple):
    """A feature of a shape that is known; without a default each Example must have it."""

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of rows of one shape; short ones are filled up with the default."""

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """A SparseTensor whose values are one feature, and their places (in order of axes) others."""

    index_key: Any
    value_key: Any
    dtype: Any
    size: Any
    already_sorted: bool = False


class Features:
    """What is asked of Examples: sparse, dense and ragged features, each by key in order.

    Raises ValueError for features that cannot be asked for, or are of none of the kinds.
    """

    def __init__(self, features: Mapping[Any, Any] | None, *kinds: type) -> None:
        self._kinds = kinds or (VarLenFeature, FixedLenFeature, FixedLenSequenceFeature,
                                SparseFeature, RaggedFeature)  # fmt: skip
        self._asked = features or {}
        self.sparse: dict[Any, dtypes.DType] = {}
        self.dense: dict[Any, tuple[dtypes.DType, list[int | None], Any]] = {}
        self.ragged: dict[Any, tuple[dtypes.DType, dtypes.DType]] = {}  # values and splits
        for key in sorted(self._asked):
            self._add(key, self._asked[key])

    def _add(self, key: Any, feature: Any) -> None:
        dtype = self._type_of(key, feature)
        if isinstance(feature, VarLenFeature):
            self._add_sparse(key, dtype)
            return
        if isinstance(feature, SparseFeature):
            for place in _index_keys(key, feature):
                self._add_sparse(place, dtypes.int64)
            self._add_sparse(feature.value_key, dtype)
            return
        if isinstance(feature, RaggedFeature):
            for part, kind in feature.keys(key):
                self._add_ragged(part, kind, feature.row_splits_dtype)
            return
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}.")
        shape = tensor_shape.as_shape(feature.shape)
        if not shape.is_fully_defined():
            raise ValueError(f"All dimensions of shape for feature {key} need to be known but "
                             f"received {shape}.")  # fmt: skip
        sizes = shape.as_list()
        if isinstance(feature, FixedLenFeature):
            self.dense[key] = (dtype, sizes, _fixed_default(key, feature, dtype, sizes))
            return
        self._add_sequence(key, feature, dtype, sizes)

    def _type_of(self, key: Any, feature: Any) -> dtypes.DType:
        if not isinstance(feature, self._kinds):
            raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}.")
        return dtypes.as_dtype(feature.dtype)

    def _add_sparse(self, key: Any, dtype: dtypes.DType) -> None:
        known = self.sparse.setdefault(key, dtype)
        if known != dtype:
            raise ValueError(f"Conflicting type {known} vs {dtype} for feature {key}.")

    def _add_ragged(self, key: Any, dtype: dtypes.DType, splits: dtypes.DType) -> None:
        known, of_splits = self.ragged.setdefault(key, (dtype, splits))
        if known != dtype:
            raise ValueError(f"Conflicting type {known} vs {dtype} for feature {key}.")
        if of_splits != splits:
            raise ValueError(f"Conflicting partition type {of_splits} vs {splits} for feature "
                             f"{key}.")  # fmt: skip

    def _add_sequence(self, key: Any, feature: Any, dtype: dtypes.DType, sizes: Any) -> None:
        if not feature.allow_missing:
            raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be "
                             "True.")  # fmt: skip
        default = feature.default_value
        if default is None:
            default = "" if dtype == dtypes.string else 0
        self.dense[key] = (dtype, [None, *sizes], framework.constant(default, dtype))

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes of an operation that parses them."""
        return {
            "Tdense": [dtype for dtype, _, _ in self.dense.values()],
            "dense_shapes": [shape for _, shape, _ in self.dense.values()],
            "sparse_types": list(self.sparse.values()), "num_sparse": len(self.sparse),
            "ragged_value_types": [dtype for dtype, _ in self.ragged.values()],
            "ragged_split_types": [splits for _, splits in self.ragged.values()],
        }  # fmt: skip

    @property
    def num_outputs(self) -> int:
        """How many outputs such an operation has for them."""
        return 3 * len(self.sparse) + len(self.dense) + 2 * len(self.ragged)

    def results(self, outputs: Any, ragged: list[Any]) -> dict[Any, Any]:
        """Return what was asked for, by key, out of the outputs of such an operation.

        The tensors for ragged features are put together already.
        """
        count = len(self.sparse)
        parsed: dict[Any, Any] = {
            key: SparseTensor(*outputs[i : 3 * count : count]) for i, key in enumerate(self.sparse)
        }
        parsed.update(zip(self.dense, outputs[3 * count :]))
        found = {key: value for key, value in parsed.items() if key in self._asked}
        for key, feature in self._asked.items():
            if isinstance(feature, SparseFeature):
                found[key] = _placed(key, feature, parsed)
        return {**found, **ragged_results(self._asked, dict(zip(self.ragged, ragged)))}

    def ragged_parts(self, outputs: Any, single: bool) -> list[Any]:
        """Return the values of ragged features of one Example, their rows of several."""
        count = len(self.ragged)
        values, splits = outputs[-2 * count : -count], outputs[-count:]
        if single or not count:
            return list(values)
        return [RaggedTensor.from_row_splits(*pair, None, False) for pair in zip(values, splits)]


def _index_keys(key: Any, feature: SparseFeature) -> list[Any]:
    if not feature.index_key or not feature.value_key:
        raise ValueError(f"Missing index_key or value_key for SparseFeature {key}.")
    given = feature.index_key
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _placed(key: Any, feature: SparseFeature, parsed: dict[Any, Any]) -> SparseTensor:
    """Return the values of a feature at the places that other features say."""
    ids = [parsed[place] for place in _index_keys(key, feature)]
    many = isinstance(feature.index_key, (list, tuple))
    sizes = list(feature.size) if many else [feature.size]
    placed = sparse_element_ops.sparse_merge(
        ids if many else ids[0], parsed[feature.value_key], sizes if many else sizes[0], key,
        feature.already_sorted,
    )  # fmt: skip
    if ids[0].shape.rank is not None:
        placed.set_shape([None] * (ids[0].shape.rank - 1) + sizes)
    return placed


def _fixed_default(key: Any, feature: FixedLenFeature, dtype: dtypes.DType, sizes: Any) -> Any:
    if feature.default_value is None:
        return framework.constant([], dtype)
    name = _NOT_IN_NAMES.sub("_", f"key_{key}")
    default = framework.convert_to_tensor(feature.default_value, dtype, name)
    return array_ops.reshape(default, sizes)


def _parse(serialized: Any, features: Any, names: Any, name: str) -> dict[Any, Any]:
    if not features:
        raise ValueError(f"Missing: features was {features}.")
    asked = Features(features)
    rank = serialized.shape.rank
    if asked.ragged and rank is None:
        raise ValueError("serialized must have statically-known rank to parse ragged features.")
    defaults = [default for _, _, default in asked.dense.values()]
    inputs = [serialized, [] if names is None else names, list(asked.sparse), list(asked.dense),
              list(asked.ragged), defaults]  # fmt: skip
    op = framework.apply_op("ParseExampleV2", inputs, asked.attrs, name)
    return asked.results(op.outputs, asked.ragged_parts(op.outputs, rank == 0))


def parse_example(serialized: Any, features: Any, name: str | None = None,
                  example_names: Any = None) -> dict[Any, Any]:  # fmt: skip
    """Return the features of a vector of serialized Examples, by key.

    Raises ValueError for features that cannot be asked for.
    """
    with framework.name_scope(name, "ParseExample", [serialized, example_names]):
        given = framework.convert_to_tensor(serialized, dtypes.string, "serialized")
        return _parse(given, features, example_names, name or "ParseExampleV2")


def parse_single_example(serialized: Any, features: Any, name: str | None = None,
                         example_names: Any = None) -> dict[Any, Any]:  # fmt: skip
    """Return the features of one serialized Example, by key.

    Raises ValueError for features that cannot be asked for.
    """
    with framework.name_scope(name, "ParseSingleExample", [serialized, example_names]):
        given = scalar(framework.convert_to_tensor(serialized, dtypes.string, "serialized"))
        with framework.name_scope("ParseExample"):
            return _parse(given, features, example_names, "ParseExampleV2")


def scalar(serialized: Any) -> Any:
    """Return the tensor as a scalar; raises ValueError for one that is known to be none."""
    if serialized.shape.rank is not None:
        if serialized.shape.rank != 0:
            raise ValueError("Input serialized must be a scalar")
        return serialized
    is_scalar = math_ops.equal(array_ops.rank(serialized), 0)
    checked = host_ops.Assert(is_scalar, ["Input serialized must be a scalar"])
    with framework.control_dependencies([checked]):
        same = array_ops.identity(serialized)
    same.set_shape([])
    return same


def decode_raw(input_bytes: Any = None, out_type: Any = None, little_endian: bool = True,
               name: str | None = None, bytes: Any = None) -> Any:  # fmt: skip
    """Return the bytes of strings of one length as numbers, in a dimension more."""
    given = bytes if input_bytes is None else input_bytes
    if given is None or out_type is None:
        raise ValueError("Must specify a value for the argument 'input_bytes' and 'out_type'")
    return emit("DecodeRaw", [given], name, out_type=out_type, little_endian=little_endian)


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Any:
    """Return the tensor of a serialized TensorProto.

    What is none, or one of another type, ends the step with InvalidArgumentError.
    """
    return emit("ParseTensor", [serialized], name, out_type=out_type)


def serialize_tensor(tensor: Any, name: str | None = None) -> Any:
    """Return a tensor as a serialized TensorProto, a scalar string."""
    return emit("SerializeTensor", [tensor], name)


def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Any:
    """Return strings that ZLIB or GZIP has compressed as they were; DataLossError for others."""
    return emit("DecodeCompressed", [bytes], name, compression_type=compression_type)


def decode_json_example(json_examples: Any, name: str | None = None) -> Any:
    """Return Examples that are written in JSON as serialized ones, in a tensor of the same shape.

    JSON that is no Example ends the step with InvalidArgumentError.
    """
    return emit("DecodeJSONExample", [json_examples], name)


def decode_csv(records: Any, record_defaults: Any, field_delim: str = ",",
               use_quote_delim: bool = True, name: str | None = None, na_value: str = "",
               select_cols: Any = None) -> Any:  # fmt: skip
    """Return a tensor for each column of records of CSV; an empty default: it must be there.

    Raises ValueError for columns that do not rise, are negative, or as many as the defaults.
    """
    columns = list(select_cols) if select_cols is not None else []
    if any(later <= earlier for earlier, later in zip(columns, columns[1:])):
        raise ValueError("select_cols is not strictly increasing.")
    if columns and columns[0] < 0:
        raise ValueError("select_cols contains negative values.")
    if select_cols is not None and len(columns) != len(record_defaults):
        raise ValueError("Length of select_cols and record_defaults do not match.")
    attrs = {"field_delim": field_delim, "use_quote_delim": use_quote_delim, "na_value": na_value,
             "select_cols": columns}  # fmt: skip
    op = framework.apply_op("DecodeCSV", [records, list(record_defaults)], attrs, name)
    return list(op.outputs)
