"""Examples, raw bytes and lines of CSV made into tensors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.sparse_tensor import SparseTensor
from tfbuild_runtime.ops import array_ops, host_ops, math_ops
from tfbuild_runtime.ops.emit import emit

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


class _Features:
    """What is asked of Examples: sparse and dense features, each by key in order."""

    def __init__(self, features: Mapping[Any, Any]) -> None:
        if not features:
            raise ValueError(f"Missing: features was {features}.")
        self.sparse: dict[Any, dtypes.DType] = {}
        self.dense: dict[Any, tuple[dtypes.DType, list[int | None], Any]] = {}
        for key in sorted(features):
            self._add(key, features[key])

    def _add(self, key: Any, feature: Any) -> None:
        if not isinstance(feature, (VarLenFeature, FixedLenFeature, FixedLenSequenceFeature)):
            raise ValueError(f"Unsupported VarLenFeature, FixedLenFeature or "
                             f"FixedLenSequenceFeature for key {key!r}: {feature}")  # fmt: skip
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}.")
        dtype = dtypes.as_dtype(feature.dtype)
        if isinstance(feature, VarLenFeature):
            self.sparse[key] = dtype
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
            "ragged_value_types": [], "ragged_split_types": [],
        }  # fmt: skip

    def results(self, outputs: Any) -> dict[Any, Any]:
        """Return the outputs of such an operation by key."""
        count = len(self.sparse)
        parsed: dict[Any, Any] = {
            key: SparseTensor(*outputs[i : 3 * count : count]) for i, key in enumerate(self.sparse)
        }
        parsed.update(zip(self.dense, outputs[3 * count :]))
        return parsed


def _fixed_default(key: Any, feature: FixedLenFeature, dtype: dtypes.DType, sizes: Any) -> Any:
    if feature.default_value is None:
        return framework.constant([], dtype)
    name = _NOT_IN_NAMES.sub("_", f"key_{key}")
    default = framework.convert_to_tensor(feature.default_value, dtype, name)
    return array_ops.reshape(default, sizes)


def _parse(serialized: Any, features: Any, names: Any, name: str) -> dict[Any, Any]:
    asked = _Features(features)
    defaults = [default for _, _, default in asked.dense.values()]
    inputs = [serialized, [] if names is None else names, list(asked.sparse), list(asked.dense),
              [], defaults]  # fmt: skip
    op = framework.apply_op("ParseExampleV2", inputs, asked.attrs, name)
    return asked.results(op.outputs)


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
        given = _scalar(framework.convert_to_tensor(serialized, dtypes.string, "serialized"))
        with framework.name_scope("ParseExample"):
            return _parse(given, features, example_names, "ParseExampleV2")


def _scalar(serialized: Any) -> Any:
    if serialized.shape.rank is not None:
        if serialized.shape.rank != 0:
            raise ValueError("Input serialized must be a scalar")
        return serialized
    is_scalar = math_ops.equal(array_ops.rank(serialized), 0)
    told = host_ops.Assert(is_scalar, ["Input serialized must be a scalar"])
    with framework.control_dependencies([told]):
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
