"""Datasets that are chosen from, by chance or by another dataset, and random ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.data import experimental, seeds, specs, structure
from tfbuild_runtime.data.building import derived
from tfbuild_runtime.data.dataset import Dataset, VariantDataset
from tfbuild_runtime.data.padding import common_shape
from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, placement_ops, stateless_ops


def RandomDataset(seed: Any = None, rerandomize_each_iteration: bool | None = None,
                  name: str | None = None) -> Dataset:  # fmt: skip
    """Return a dataset of random numbers from 0 to 2^32 that never ends, the same for a seed.

    Raises NotImplementedError for other numbers in each iteration.
    """
    _only_the_same(rerandomize_each_iteration)
    spec = specs.TensorSpec((), dtypes.int64)
    return derived("RandomDataset", list(seeds.seed_tensors(seed)), spec, name)  # type: ignore[no-any-return]


def _only_the_same(rerandomize_each_iteration: bool | None) -> None:
    if rerandomize_each_iteration:
        raise NotImplementedError("rerandomize_each_iteration=True is not there: a seed gives the "
                                  "same numbers in each iteration")  # fmt: skip


def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False,
    rerandomize_each_iteration: bool | None = None,
) -> Dataset:  # fmt: skip
    """Return elements of datasets that are chosen by chance, by weights or all alike.

    Weights may be a dataset of such vectors. Raises ValueError for no dataset and for weights that
    are not as many, TypeError for weights that are no floating point numbers.
    """
    _only_the_same(rerandomize_each_iteration)
    datasets = list(datasets)
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    words = RandomDataset(seed).batch(2)
    if isinstance(weights, Dataset):
        logits = weights.map(math_ops.log)
        selector = Dataset.zip((logits, words)).map(
            lambda row, seed: _drawn(array_ops.expand_dims(row, 0), seed)
        )
        return _directed(selector, datasets, stops=stop_on_empty_dataset)
    if weights is None:
        table: Any = framework.constant([[1.0] * len(datasets)])
    else:
        datasets, weights = _weighted(datasets, weights)
        table = array_ops.expand_dims(math_ops.log(weights), 0)
    if len(datasets) == 1:
        return datasets[0]  # type: ignore[no-any-return]
    selector = words.map(lambda seed: _drawn(table, seed))
    return _directed(selector, datasets, stops=stop_on_empty_dataset)


def _weighted(datasets: list[Any], weights: Any) -> tuple[list[Any], Any]:
    """Return the datasets that may be chosen, and their weights as a tensor."""
    if not framework.is_tensor_like(weights):
        if len(weights) != len(datasets):
            raise ValueError("Invalid `weights`. `weights` should have the same length as "
                             f"`datasets` but got {len(weights)} vs. {len(datasets)}.")  # fmt: skip
        kept = [(d, w) for d, w in zip(datasets, weights) if w > 0]
        datasets = [d for d, _ in kept] or [datasets[0].take(0)]
        weights = [w for _, w in kept] or [1.0]
    weights = framework.convert_to_tensor(weights, name="weights")
    if not weights.shape.is_compatible_with([len(datasets)]):
        raise ValueError(f"Invalid `weights`. Their shape must be [{len(datasets)}], not "
                         f"{weights.shape}.")  # fmt: skip
    if weights.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError("Invalid `weights`. `weights` type must be either `tf.float32` or "
                        f"`tf.float64` but is {weights.dtype!r}.")  # fmt: skip
    return datasets, weights


def _drawn(logits: Any, seed: Any) -> Any:
    drawn = stateless_ops.stateless_multinomial(logits, 1, seed=seed)
    return array_ops.squeeze(drawn, [0, 1])


def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Dataset:
    """Return elements of datasets, of that which a dataset of int64 numbers says next.

    Raises ValueError for no dataset, TypeError for choices that are no such numbers and for
    datasets whose types differ.
    """
    datasets = list(datasets)
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    spec = getattr(choice_dataset, "element_spec", None)
    if not isinstance(spec, specs.TensorSpec) or spec.dtype != dtypes.int64 or spec.shape.rank:
        raise TypeError("Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar "
                        f"`tf.int64` tensors but are {spec!r}.")  # fmt: skip
    return _directed(choice_dataset, datasets, stops=stop_on_empty_dataset)


def _directed(selector: Dataset, datasets: list[Any], *, stops: bool) -> Dataset:
    first = datasets[0].element_spec
    types = structure.map_leaves(str, structure.types_of(first))
    leaves = structure.flatten(first)
    for other in datasets[1:]:
        if structure.map_leaves(str, structure.types_of(other.element_spec)) != types:
            raise TypeError(f"Datasets that are interleaved must have the same types: {types!r} "
                            f"and {structure.types_of(other.element_spec)!r}")  # fmt: skip
        leaves = [a.with_shape(common_shape(a.shape, b.shape))
                  for a, b in zip(leaves, structure.flatten(other.element_spec))]  # fmt: skip
    inputs = [selector._variant_tensor, [each._variant_tensor for each in datasets]]
    attrs = {"stop_on_empty_dataset": stops}
    spec = structure.pack(first, leaves)
    return derived("DirectedInterleaveDataset", inputs, spec, None, attrs)  # type: ignore[no-any-return]


class Reducer:
    """How elements of one key become one: a first state, each next state, and what is given."""

    def __init__(self, init_func: Callable[[Any], Any], reduce_func: Callable[..., Any],
                 finalize_func: Callable[[Any], Any]) -> None:  # fmt: skip
        self.init_func = init_func
        self.reduce_func = reduce_func
        self.finalize_func = finalize_func


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> experimental.Transformation:
    """Return what reduces all elements of each key; its dataset has one element for each key."""

    def reduced(key: Any, group: Dataset) -> Dataset:
        state = group.reduce(reducer.init_func(key), reducer.reduce_func)
        unpacked = isinstance(state, tuple) and not hasattr(state, "_fields")
        parts = state if unpacked else (state,)
        return Dataset.from_tensors(reducer.finalize_func(*parts))

    return experimental.group_by_window(key_func, reduced, window_size=dtypes.int64.max)


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> experimental.Transformation:
    """Return what batches tensors of different sizes as sparse ones of that shape for each row."""
    from tfbuild_runtime.framework.sparse_tensor import SparseTensor

    def transform(dataset: Dataset) -> Dataset:
        def sparse(value: Any) -> Any:
            places = array_ops.where(creation_ops.ones_like(value, dtypes.bool))
            return SparseTensor(places, placement_ops.gather_nd(value, places), row_shape)

        made = dataset.map(sparse)
        spec = made.element_spec.with_shape(tensor_shape.as_shape(row_shape))
        return VariantDataset(made._variant_tensor, spec).batch(batch_size)

    return transform


class TFRecordWriter:
    """Writes the strings of a dataset into a file of records."""

    def __init__(self, filename: Any, compression_type: str | None = None) -> None:
        self._filename = framework.convert_to_tensor(filename, dtypes.string, name="filename")
        self._packed = framework.constant(compression_type or "")

    def write(self, dataset: Any) -> Any:
        """Return the operation that writes; TypeError unless elements are scalar strings."""
        spec = getattr(dataset, "element_spec", None)
        if not isinstance(spec, specs.TensorSpec) or spec.dtype != dtypes.string:
            raise TypeError("Invalid `dataset`. Expected a dataset of `tf.string` elements, got "
                            f"{spec!r}.")  # fmt: skip
        if spec.shape.rank not in (None, 0):
            raise TypeError("Invalid `dataset`. Expected scalar elements.")
        inputs = [dataset._variant_tensor, self._filename, self._packed]
        return framework.apply_op("DatasetToTFRecord", inputs)
