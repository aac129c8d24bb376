"""SequenceExamples made into tensors: a context, and lists with a feature for each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.io.parsing import (
    Features,
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
    scalar,
)
from tfbuild_runtime.io.ragged_features import RaggedFeature
from tfbuild_runtime.ragged.tensor import RaggedTensor

_Tensors = dict[Any, Any]


class _FeatureLists(Features):
    """What is asked of the lists; the dense ones have the shape of a step."""

    def __init__(self, features: Mapping[Any, Any] | None) -> None:
        self.may_miss: list[bool] = []
        super().__init__(features, VarLenFeature, FixedLenSequenceFeature, RaggedFeature)

    def _add_sequence(self, key: Any, feature: Any, dtype: dtypes.DType, sizes: Any) -> None:
        if feature.default_value is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
        self.may_miss.append(feature.allow_missing)
        self.dense[key] = (dtype, sizes, None)

    def ragged_steps(self, outputs: Any, single: bool) -> list[Any]:
        """Return the values of each step of ragged features, of many messages the steps of each."""
        count = len(self.ragged)
        values, outer, inner = (outputs[len(outputs) - i * count :][:count] for i in (3, 2, 1))
        steps = [RaggedTensor.from_row_splits(*pair, None, False) for pair in zip(values, inner)]
        if single:
            return steps
        return [RaggedTensor.from_row_splits(*pair, None, False) for pair in zip(steps, outer)]


def parse_sequence_example(
    serialized: Any, context_features: Any = None, sequence_features: Any = None,
    example_names: Any = None, name: str | None = None,
) -> tuple[_Tensors, _Tensors, _Tensors]:  # fmt: skip
    """Return context, lists and how many steps dense ones have, of a vector of messages, by key.

    Raises ValueError for features that cannot be asked for.
    """
    context, lists = _asked(context_features, sequence_features)
    with framework.name_scope(name, "ParseSequenceExample", [serialized, example_names]):
        given = framework.convert_to_tensor(serialized, dtypes.string, "serialized")
        return _parse(given, example_names, context, lists)


def parse_single_sequence_example(
    serialized: Any, context_features: Any = None, sequence_features: Any = None,
    example_name: Any = None, name: str | None = None,
) -> tuple[_Tensors, _Tensors]:  # fmt: skip
    """Return the context and the lists of one message, by key.

    Raises ValueError for features that cannot be asked for.
    """
    context, lists = _asked(context_features, sequence_features)
    with framework.name_scope(name, "ParseSingleSequenceExample", [serialized, example_name]):
        given = framework.convert_to_tensor(serialized, dtypes.string, "serialized")
        return _parse(scalar(given), example_name, context, lists)[:2]


def _asked(context: Any, lists: Any) -> tuple[Features, _FeatureLists]:
    if not context and not lists:
        raise ValueError("Both `context_features` and `sequence_features` argument are None, but "
                         "at least one should have values.")  # fmt: skip
    return Features(context, VarLenFeature, FixedLenFeature, RaggedFeature), _FeatureLists(lists)


def _parse(
    serialized: Any, names: Any, context: Features, lists: _FeatureLists
) -> tuple[_Tensors, _Tensors, _Tensors]:
    inputs = [
        serialized, [] if names is None else names, list(context.sparse), list(context.dense),
        list(context.ragged), list(lists.sparse), list(lists.dense), list(lists.ragged),
        framework.constant(lists.may_miss, dtypes.bool, shape=[len(lists.may_miss)]),
        [default for _, _, default in context.dense.values()],
    ]  # fmt: skip
    attrs = {
        "Ncontext_sparse": len(context.sparse), "context_sparse_types": [*context.sparse.values()],
        "context_dense_shapes": [shape for _, shape, _ in context.dense.values()],
        "Tcontext_dense": [dtype for dtype, _, _ in context.dense.values()],
        "Nfeature_list_sparse": len(lists.sparse), "Nfeature_list_dense": len(lists.dense),
        "feature_list_sparse_types": list(lists.sparse.values()),
        "feature_list_dense_types": [dtype for dtype, _, _ in lists.dense.values()],
        "feature_list_dense_shapes": [shape for _, shape, _ in lists.dense.values()],
    }  # fmt: skip
    for part, asked in (("context", context), ("feature_list", lists)):
        attrs[f"{part}_ragged_value_types"] = asked.attrs["ragged_value_types"]
        attrs[f"{part}_ragged_split_types"] = asked.attrs["ragged_split_types"]
    rank = serialized.shape.rank
    if rank is None and (context.ragged or lists.ragged):
        raise ValueError("serialized must have statically-known rank to parse ragged features.")
    outputs = framework.apply_op("ParseSequenceExampleV2", inputs, attrs).outputs
    of_context, of_lists = outputs[: context.num_outputs], outputs[context.num_outputs :]
    lengths = of_lists[3 * len(lists.sparse) + len(lists.dense) :]
    return (context.results(of_context, context.ragged_parts(of_context, rank == 0)),
            lists.results(of_lists, lists.ragged_steps(of_lists, rank == 0)),
            dict(zip(lists.dense, lengths)))  # fmt: skip
