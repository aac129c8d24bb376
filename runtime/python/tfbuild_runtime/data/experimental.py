"""What tf.data.experimental and tf.contrib.data make of datasets, most of it given to apply()."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.data import seeds, specs, structure
from tfbuild_runtime.data.building import (
    batch_rows,
    derived,
    elements_of,
    flat_tensors,
    int64,
    with_first_dimension,
)
from tfbuild_runtime.data.dataset import Dataset
from tfbuild_runtime.data.user_function import UserFunction, types_of_captures
from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework

Transformation = Callable[[Dataset], Dataset]


def map_and_batch(
    map_func: Callable[..., Any], batch_size: Any, num_parallel_batches: int | None = None,
    drop_remainder: Any = False, num_parallel_calls: Any = None,
) -> Transformation:  # fmt: skip
    """Return what maps elements, several at once, and batches the results."""
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError("`map_and_batch` allows only one of `num_parallel_batches` and "
                         "`num_parallel_calls` to be set, but both were set.")  # fmt: skip
    calls: Any = 1
    if num_parallel_calls is not None:
        calls = num_parallel_calls
    elif num_parallel_batches is not None:
        calls = batch_size * num_parallel_batches

    def transform(dataset: Dataset) -> Dataset:
        function = UserFunction(map_func, "map_and_batch", dataset.element_spec)
        spec = with_first_dimension(function.spec, batch_rows(batch_size, drop_remainder))
        inputs = [dataset._variant_tensor, function.captures, int64(batch_size, "batch_size"),
                  int64(calls, "num_parallel_calls"),
                  framework.convert_to_tensor(drop_remainder, dtypes.bool)]  # fmt: skip
        attrs = {"f": function.name, "preserve_cardinality": True}
        return derived("MapAndBatchDataset", inputs, spec, None, attrs)

    return transform


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """Return what shuffles elements and repeats them, each round in an order of its own."""

    def transform(dataset: Dataset) -> Dataset:
        first, second = seeds.seed_tensors(seed)
        inputs = [dataset._variant_tensor, int64(buffer_size, "buffer_size"), first, second,
                  int64(-1 if count is None else count, "count")]  # fmt: skip
        return derived("ShuffleAndRepeatDataset", inputs, dataset.element_spec)

    return transform


def parallel_interleave(
    map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1, sloppy: bool = False,
    buffer_output_elements: Any = None, prefetch_input_elements: Any = None,
) -> Transformation:  # fmt: skip
    """Return what interleaves the datasets that map_func makes, each read by a thread."""

    def transform(dataset: Dataset) -> Dataset:
        function = UserFunction(map_func, "interleave", dataset.element_spec)
        ahead = -1 if buffer_output_elements is None else buffer_output_elements
        inputs = -1 if prefetch_input_elements is None else prefetch_input_elements
        values = [int64(cycle_length, "cycle_length"), int64(block_length, "block_length"),
                  int64(ahead, "buffer_output_elements"),
                  int64(inputs, "prefetch_input_elements")]  # fmt: skip
        attrs = {"f": function.name, "deterministic": "false" if sloppy else "true"}
        return derived(
            "LegacyParallelInterleaveDatasetV2",
            [dataset._variant_tensor, function.captures, *values],
            function.dataset_spec, None, attrs,
        )  # fmt: skip

    return transform


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """Return what batches elements and drops those that fill no batch."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = dtypes.int64
) -> Transformation:
    """Return what batches elements whose shapes may differ, as ragged tensors."""
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def padded_batch_and_drop_remainder(
    batch_size: Any, padded_shapes: Any, padding_values: Any = None
) -> Transformation:
    """Return what batches padded elements and drops those that fill no batch."""
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True
    )


def ignore_errors(log_warning: bool = False) -> Transformation:
    """Return what passes over elements that are errors."""
    attrs = {"log_warning": log_warning}
    return lambda dataset: derived(
        "IgnoreErrorsDataset", [dataset._variant_tensor], dataset.element_spec, None, attrs
    )


def unbatch() -> Transformation:
    """Return what splits elements into their rows."""
    return lambda dataset: dataset.unbatch()


def enumerate_dataset(start: int = 0) -> Transformation:
    """Return what numbers the elements."""
    return lambda dataset: dataset.enumerate(start)


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """Return what takes elements until the predicate fails."""
    return lambda dataset: dataset.take_while(predicate)


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """Return what reads ahead. Elements stay on the host; a step copies what it needs."""
    del device
    return lambda dataset: dataset.prefetch(2 if buffer_size is None else buffer_size)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """Return what leaves elements on the host; a step copies what it needs."""
    del target_device, source_device
    return lambda dataset: dataset


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """Return what maps a state and an element to a new state and an element."""

    def transform(dataset: Dataset) -> Dataset:
        state = structure.to_tensors(initial_state)
        state_spec = structure.map_leaves(specs.spec_of, state)
        function = UserFunction(scan_func, "scan", (state_spec, dataset.element_spec))
        if not isinstance(function.spec, tuple) or len(function.spec) != 2:
            raise TypeError("The scan function must return a pair comprising the new state and "
                            "the output value.")  # fmt: skip
        inputs = [dataset._variant_tensor, flat_tensors(state), function.captures]
        attrs = {"f": function.name, "preserve_cardinality": True,
                 "Tstate": structure.flat_attrs(state_spec)["output_types"],
                 "Targuments": types_of_captures(function)}  # fmt: skip
        return derived("ScanDataset", inputs, function.spec[1], None, attrs)

    return transform


def group_by_window(
    key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:  # fmt: skip
    """Return what reduces windows of elements that have the same key."""
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Either the `window_size` argument or the `window_size_func` argument "
                         "must be specified, and not both.")  # fmt: skip
    sizes = window_size_func or (lambda _: framework.constant(window_size, dtypes.int64))

    def transform(dataset: Dataset) -> Dataset:
        key_spec = specs.TensorSpec((), dtypes.int64)
        key = UserFunction(key_func, "group_by_window_key", dataset.element_spec)
        group = specs.DatasetSpec(dataset.element_spec)
        reduce = UserFunction(reduce_func, "group_by_window_reduce", (key_spec, group))
        size = UserFunction(sizes, "group_by_window_size", key_spec)
        if not isinstance(key.spec, specs.TensorSpec) or key.spec.dtype != dtypes.int64:
            raise ValueError("Invalid `key_func`. `key_func` must return a single `tf.int64` "
                             f"scalar tensor, but its return type is {key.spec!r}.")  # fmt: skip
        inputs = [dataset._variant_tensor, key.captures, reduce.captures, size.captures]
        attrs: dict[str, Any] = {}
        for label, made in (("key", key), ("reduce", reduce), ("window_size", size)):
            attrs[f"{label}_func"] = made.name
            attrs[f"T{label}_func_other_arguments"] = types_of_captures(made)
        return derived("GroupByWindowDataset", inputs, reduce.dataset_spec, None, attrs)

    return transform


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any], bucket_boundaries: Any, bucket_batch_sizes: Any,
    padded_shapes: Any = None, padding_values: Any = None, pad_to_bucket_boundary: bool = False,
    no_padding: bool = False, drop_remainder: bool = False,
) -> Transformation:  # fmt: skip
    """Return what batches elements of about the same length, padded.

    With pad_to_bucket_boundary all of a bucket get the greatest length in it; a step ends with
    InvalidArgumentError for an element beyond the last boundary. Raises ValueError for sizes that
    are not one more than the boundaries.
    """
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError("`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1`.")

    def bucket_of(*element: Any) -> Any:
        length = framework.convert_to_tensor(element_length_func(*element))
        bounds = framework.constant(list(bucket_boundaries), length.dtype.base_dtype)
        beyond = framework.apply_op("GreaterEqual", [length, bounds]).outputs[0]
        wide = framework.apply_op("Cast", [beyond], {"DstT": dtypes.int64}).outputs[0]
        return framework.apply_op("Sum", [wide, [0]]).outputs[0]

    def size_of(bucket: Any) -> Any:
        sizes = framework.constant(list(bucket_batch_sizes), dtypes.int64)
        return framework.apply_op("GatherV2", [sizes, bucket, 0]).outputs[0]

    def batched(bucket: Any, group: Dataset) -> Dataset:
        size = size_of(bucket)
        if no_padding:
            return group.batch(size, drop_remainder)
        shapes = group.output_shapes if padded_shapes is None else padded_shapes
        if pad_to_bucket_boundary:
            bounds = framework.constant(list(bucket_boundaries), dtypes.int64)
            most = framework.apply_op("GatherV2", [bounds, bucket, 0]).outputs[0] - 1
            shapes = _filled(shapes, group.element_spec, most)
        return group.padded_batch(size, shapes, padding_values, drop_remainder)

    return group_by_window(bucket_of, batched, window_size_func=size_of)


def _filled(shapes: Any, spec: Any, size: Any) -> Any:
    """Return shapes as tensors, with a size in the place of each that is not known."""
    known = [tensor_shape.as_shape(shape).as_list()
             for shape in structure.flatten_up_to(spec, shapes)]  # fmt: skip
    packed = [framework.convert_to_tensor([size if n is None else n for n in one], dtypes.int64)
              if one else framework.constant([], dtypes.int64) for one in known]  # fmt: skip
    return structure.pack(spec, packed)


def get_single_element(dataset: Dataset) -> Any:
    """Return a dataset's only element."""
    attrs = structure.flat_attrs(dataset.element_spec)
    op = framework.apply_op("DatasetToSingleElement", [dataset._variant_tensor], attrs)
    return elements_of(dataset.element_spec, op.outputs)


def cardinality(dataset: Dataset) -> Any:
    """Return the number of elements as a tensor."""
    return dataset.cardinality()


def Counter(start: int = 0, step: int = 1, dtype: Any = dtypes.int64) -> Dataset:
    """Return a dataset of numbers that never ends."""
    end = dtypes.int64.max if step > 0 else dtypes.int64.min
    numbers = Dataset.range(start, end, step)
    if dtype == dtypes.int64:
        return numbers
    return numbers.map(lambda x: framework.apply_op("Cast", [x], {"DstT": dtype}).outputs[0])
