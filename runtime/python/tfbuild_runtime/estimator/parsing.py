"""What tf.parse_example is given for a canned model: its features, labels and weights."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.io.parsing import FixedLenFeature
from tfbuild_runtime.layers.feature_columns import NumericColumn, make_parse_example_spec


def classifier_parse_example_spec(
    feature_columns: Any, label_key: str, label_dtype: Any = dtypes.int64,
    label_default: Any = None, weight_column: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the features of columns, label and weights by name, for a classifier.

    Raises ValueError for a label or weights that are a feature already.
    """
    label = FixedLenFeature((1,), label_dtype, label_default)
    return _with_label(feature_columns, label_key, label, weight_column)


def regressor_parse_example_spec(
    feature_columns: Any, label_key: str, label_dtype: Any = dtypes.float32,
    label_default: Any = None, label_dimension: int = 1, weight_column: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the features of columns, label and weights by name, for a regressor.

    Raises ValueError for a label or weights that are a feature already.
    """
    label = FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _with_label(feature_columns, label_key, label, weight_column)


def _with_label(columns: Any, key: str, label: FixedLenFeature, weights: Any) -> dict[str, Any]:
    spec = make_parse_example_spec(columns)
    _add(spec, key, label, "label")
    if isinstance(weights, str):
        weights = NumericColumn(weights, (1,), None, dtypes.float32, None)
    if weights is not None:
        if not isinstance(weights, NumericColumn):
            raise TypeError(f"weight_column should be an instance of NumericColumn or a string. "
                            f"Given: {weights}")  # fmt: skip
        feature = FixedLenFeature(weights.shape, weights.dtype, weights.default_value)
        _add(spec, weights.key, feature, "weight")
    return spec


def _add(spec: dict[str, Any], key: str, feature: FixedLenFeature, what: str) -> None:
    if key in spec:
        raise ValueError(f"{what} key ({key}) should not be one of the features: {sorted(spec)}")
    spec[key] = feature


__all__ = ["classifier_parse_example_spec", "regressor_parse_example_spec"]
