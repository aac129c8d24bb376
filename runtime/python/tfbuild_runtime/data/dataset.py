"""Datasets: elements in a row, and what makes other datasets of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.data import iterator, padding, seeds, specs, structure
from tfbuild_runtime.data.building import (
    batch_rows,
    check_same_length,
    derived,
    elements_of,
    flat_tensors,
    from_components,
    int64,
    order,
    processors,
    row_spec,
    rows_of,
    truth,
    with_first_dimension,
)
from tfbuild_runtime.data.options import Options
from tfbuild_runtime.data.user_function import UserFunction, types_of_captures
from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.operation import Tensor

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class Dataset:
    """Elements, each a nesting of tensors, that iterators read as often as they are asked to."""

    def __init__(self, variant_tensor: Tensor | None = None, element_spec: Any = None) -> None:
        if variant_tensor is None:
            raise TypeError("make a dataset by Dataset.from_tensor_slices and its like")
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec

    # ---- sources ----------------------------------------------------------------------------

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """Return a dataset of one element."""
        with framework.name_scope("tensors"):
            value = structure.to_tensors(tensors)
        spec = structure.map_leaves(specs.spec_of, value)
        return from_components("TensorDataset", value, spec, name)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """Return a dataset of the rows of the tensors; raises ValueError for scalars."""
        with framework.name_scope("tensors"):
            value = structure.to_tensors(tensors)
            spec = structure.map_leaves(specs.spec_of, value)
            rows = rows_of(value, spec)
        check_same_length(structure.flatten(rows))
        return from_components("TensorSliceDataset", rows, row_spec(spec), name)

    @staticmethod
    def from_generator(
        generator: Callable[..., Any], output_types: Any = None, output_shapes: Any = None,
        args: Any = None, output_signature: Any = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Return a dataset of what the iterators that generator(*args) makes give."""
        from tfbuild_runtime.data import generator as generators

        spec = (
            structure.as_spec(output_types, output_shapes)
            if output_signature is None
            else output_signature
        )
        if output_signature is None and output_types is None:
            raise TypeError("Either `output_signature` or `output_types` must be specified.")
        return generators.from_generator(generator, spec, args, name)

    @staticmethod
    def range(*args: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Dataset:
        """Return a dataset of numbers, as Python's range has them."""
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but "
                             f"was {len(args)}.")  # fmt: skip
        start, stop = (0, args[0]) if len(args) == 1 else args[:2]
        step = args[2] if len(args) == 3 else 1
        spec = specs.TensorSpec((), output_type)
        inputs = [int64(start, "start"), int64(stop, "stop"), int64(step, "step")]
        return derived("RangeDataset", inputs, spec, name)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Return a dataset of elements of several datasets beside each other."""
        if len(args) == 1 and datasets is None:
            datasets = args[0]
        elif args:
            datasets = tuple(args)
        if isinstance(datasets, Dataset):
            raise TypeError("The argument to `Dataset.zip()` must be a (nested) structure of "
                            "`Dataset` objects, not one of them.")  # fmt: skip
        leaves = structure.flatten(datasets)
        if not all(isinstance(leaf, Dataset) for leaf in leaves):
            raise TypeError("The argument to `Dataset.zip()` must be a (nested) structure of "
                            "`Dataset` objects. Python `list` is not supported, please use a "
                            "`tuple` instead.")  # fmt: skip
        spec = structure.map_leaves(lambda leaf: leaf.element_spec, datasets)
        return derived("ZipDataset", [[leaf._variant_tensor for leaf in leaves]], spec, name)

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """Return a dataset of the names that fit a pattern, shuffled unless asked otherwise."""
        del name
        from tfbuild_runtime.data import readers

        return readers.list_files(file_pattern, shuffle, seed)

    # ---- one element after the other ----------------------------------------------------------

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None,
        deterministic: bool | None = None, synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Return a dataset of what the function makes of each element.

        Neither of the two before the name changes an element.
        """
        del synchronous, use_unbounded_threadpool
        function = UserFunction(map_func, "map", self.element_spec)
        attrs = {"f": function.name, "use_inter_op_parallelism": True,
                 "preserve_cardinality": True}  # fmt: skip
        inputs = [self._variant_tensor, function.captures]
        if num_parallel_calls is None:
            return derived("MapDataset", inputs, function.spec, name, attrs)
        attrs["deterministic"] = order(deterministic)
        inputs.append(int64(num_parallel_calls, "num_parallel_calls"))
        return derived("ParallelMapDatasetV2", inputs, function.spec, name, attrs)

    def map_with_legacy_function(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None,
        deterministic: bool | None = None, use_unbounded_threadpool: bool = False,
    ) -> Dataset:  # fmt: skip
        """Return map(...)."""
        del use_unbounded_threadpool
        return self.map(map_func, num_parallel_calls, deterministic)

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """Return the elements of the datasets that the function makes, one after the other."""
        function = UserFunction(map_func, "flat_map", self.element_spec)
        inputs = [self._variant_tensor, function.captures]
        attrs = {"f": function.name}
        return derived("FlatMapDataset", inputs, function.dataset_spec, name, attrs)

    def interleave(
        self, map_func: Callable[..., Any], cycle_length: Any = None, block_length: Any = None,
        num_parallel_calls: Any = None, deterministic: bool | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Return block_length elements of each of cycle_length datasets in turn."""
        function = UserFunction(map_func, "interleave", self.element_spec)
        inputs: list[Any] = [self._variant_tensor, function.captures]
        if cycle_length is None:
            cycle_length = AUTOTUNE if num_parallel_calls is not None else processors()
        block_length = 1 if block_length is None else block_length
        inputs += [int64(cycle_length, "cycle_length"), int64(block_length, "block_length")]
        attrs: dict[str, Any] = {"f": function.name}
        if num_parallel_calls is None:
            return derived("InterleaveDataset", inputs, function.dataset_spec, name, attrs)
        attrs["deterministic"] = order(deterministic)
        inputs += [int64(AUTOTUNE, "buffer_output_elements"),
                   int64(AUTOTUNE, "prefetch_input_elements"),
                   int64(num_parallel_calls, "num_parallel_calls")]  # fmt: skip
        return derived("ParallelInterleaveDatasetV4", inputs, function.dataset_spec, name, attrs)

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """Return a dataset of the elements for which the predicate holds."""
        return self._by_predicate("FilterDataset", "filter", predicate, name)

    def filter_with_legacy_function(self, predicate: Callable[..., Any]) -> Dataset:
        """Return filter(predicate)."""
        return self.filter(predicate)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """Return a dataset of the elements before the first for which the predicate fails."""
        return self._by_predicate("TakeWhileDataset", "take_while", predicate, name)

    def _by_predicate(
        self, op: str, label: str, predicate: Callable[..., Any], name: str | None
    ) -> Dataset:
        function = UserFunction(predicate, label, self.element_spec)
        spec = function.spec
        if not isinstance(spec, specs.TensorSpec) or spec.dtype != dtypes.bool:
            raise ValueError(f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar "
                             f"tensor, but its return type is {spec!r}.")  # fmt: skip
        inputs = [self._variant_tensor, function.captures]
        return derived(op, inputs, self.element_spec, name, {"predicate": function.name})

    def enumerate(self, start: int = 0, name: str | None = None) -> Dataset:
        """Return a dataset of pairs of a number and an element."""
        return Dataset.zip((Dataset.range(start, dtypes.int64.max), self), name=name)

    # ---- several elements --------------------------------------------------------------------

    def batch(
        self, batch_size: Any, drop_remainder: Any = False, num_parallel_calls: Any = None,
        deterministic: bool | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Return a dataset of batch_size elements as one, with one dimension more."""
        del num_parallel_calls, deterministic  # large batches are copied by all threads
        first = batch_rows(batch_size, drop_remainder)
        spec = with_first_dimension(self.element_spec, first)
        inputs = [self._variant_tensor, int64(batch_size, "batch_size"),
                  truth(drop_remainder, "drop_remainder")]  # fmt: skip
        return derived("BatchDatasetV2", inputs, spec, name)

    def ragged_batch(
        self, batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = dtypes.int64,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Return batches, ragged where the shapes of elements are not known; else as batch()."""
        ragged = padding.to_ragged(self, row_splits_dtype)
        return ragged.batch(batch_size, drop_remainder, name=name)

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None,
        drop_remainder: Any = False, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Return batches of elements that are padded to one shape; None pads to the largest."""
        return padding.padded_batch(
            self, batch_size, padded_shapes, padding_values, drop_remainder, name
        )

    def unbatch(self, name: str | None = None) -> Dataset:
        """Return a dataset of the rows of the elements; raises ValueError for scalars."""
        spec = self.element_spec
        if any(leaf.shape.rank == 0 for leaf in structure.flatten(spec)):
            raise ValueError("Cannot unbatch an input with scalar components.")
        rows = self
        if not structure.is_plain(spec):
            unpacked = isinstance(spec, tuple) and not hasattr(spec, "_fields")
            rows = self.map(lambda *element: rows_of(element if unpacked else element[0], spec))
        return derived("UnbatchDataset", [rows._variant_tensor], row_spec(spec), name)

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Return a dataset of datasets, each of size elements."""
        spec = structure.map_leaves(specs.DatasetSpec, self.element_spec)
        inputs = [self._variant_tensor, int64(size, "size"),
                  int64(size if shift is None else shift, "shift"), int64(stride, "stride"),
                  truth(drop_remainder, "drop_remainder")]  # fmt: skip
        return derived("WindowDataset", inputs, spec, name)

    def reduce(
        self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """Return tensors: what the function makes of a state and all elements, one by one."""
        with framework.name_scope("initial_state"):
            state = structure.to_tensors(initial_state)
        state_spec = structure.map_leaves(specs.spec_of, state)
        function = UserFunction(reduce_func, "reduce", (state_spec, self.element_spec))
        types = structure.types_of(function.spec)
        if structure.flatten(types) != structure.flatten(structure.types_of(state_spec)):
            raise TypeError(
                "The element types for the new state must match the initial state. Expected "
                f"{structure.types_of(state_spec)!r}; got {types!r}."
            )
        inputs = [self._variant_tensor, flat_tensors(state), function.captures]
        attrs = {"f": function.name, "Targuments": types_of_captures(function),
                 **structure.flat_attrs(function.spec)}  # fmt: skip
        attrs["Tstate"] = attrs["output_types"]
        op = framework.apply_op("ReduceDataset", inputs, attrs, name)
        return elements_of(structure.pack(state, structure.flatten(function.spec)), op.outputs)

    # ---- order and number ----------------------------------------------------------------------

    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Return the elements in an order by chance, out of a buffer of that size."""
        first, second = seeds.seed_tensors(seed)
        inputs = [self._variant_tensor, int64(buffer_size, "buffer_size"), first, second]
        renew = True if reshuffle_each_iteration is None else reshuffle_each_iteration
        attrs = {"reshuffle_each_iteration": renew}
        return derived("ShuffleDataset", inputs, self.element_spec, name, attrs)

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """Return the elements count times over; None and -1 for ever."""
        return self._counted("RepeatDataset", -1 if count is None else count, name)

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """Return the first elements; -1 takes all."""
        return self._counted("TakeDataset", count, name)

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """Return all but the first elements; -1 skips all."""
        return self._counted("SkipDataset", count, name)

    def _counted(self, op: str, count: Any, name: str | None) -> Dataset:
        inputs = [self._variant_tensor, int64(count, "count")]
        return derived(op, inputs, self.element_spec, name)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Return each num_shards-th element, from the one at index on."""
        if not framework.is_tensor_like(num_shards) and num_shards < 1:
            raise ValueError(f"Number of shards must be greater than zero (currently num_shards = "
                             f"{num_shards}).")  # fmt: skip
        inputs = [self._variant_tensor, int64(num_shards, "num_shards"), int64(index, "index")]
        return derived("ShardDataset", inputs, self.element_spec, name)

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """Return the elements of both, one dataset after the other; raises TypeError."""
        types, others = (structure.types_of(d.element_spec) for d in (self, dataset))
        if structure.map_leaves(str, types) != structure.map_leaves(str, others):
            raise TypeError(f"Two datasets to concatenate have different types {types!r} and "
                            f"{others!r}")  # fmt: skip
        spec = structure.pack(self.element_spec, [
            a if isinstance(a, specs.DatasetSpec)
            else a.with_shape(padding.common_shape(a.shape, b.shape))
            for a, b in zip(structure.flatten(self.element_spec),
                            structure.flatten(dataset.element_spec))
        ])  # fmt: skip
        inputs = [self._variant_tensor, dataset._variant_tensor]
        return derived("ConcatenateDataset", inputs, spec, name)

    # ---- how they are read ---------------------------------------------------------------------

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """Return the same elements, read ahead by a thread of their own."""
        inputs = [self._variant_tensor, int64(buffer_size, "buffer_size")]
        return derived("PrefetchDataset", inputs, self.element_spec, name)

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        """Return the same elements, kept from the first whole reading in memory or a file."""
        inputs = [self._variant_tensor, framework.convert_to_tensor(filename, dtypes.string)]
        return derived("CacheDataset", inputs, self.element_spec, name)

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """Return transformation_func(self); raises TypeError unless that is a dataset."""
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got "
                            f"{type(dataset).__name__}.")  # fmt: skip
        return dataset

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """Return the same dataset with these options noted."""
        del name
        dataset = VariantDataset(self._variant_tensor, self.element_spec)
        dataset._options = self.options().merge(options)
        return dataset

    def options(self) -> Options:
        """Return the options that were given."""
        return getattr(self, "_options", None) or Options()

    _options: Options | None = None

    def cardinality(self) -> Tensor:
        """Return the number of elements as a tensor, INFINITE or UNKNOWN_CARDINALITY."""
        return framework.apply_op("DatasetCardinality", [self._variant_tensor]).outputs[0]

    def make_one_shot_iterator(self) -> iterator.Iterator:
        """Return an iterator that reads the dataset once, without being initialised."""
        return iterator.make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> iterator.Iterator:
        """Return an iterator that its `initializer` begins, as often as it is run."""
        return iterator.make_initializable_iterator(self, shared_name)

    # ---- what an element is ----------------------------------------------------------------------

    @property
    def element_spec(self) -> Any:
        """What an element is."""
        return self._element_spec

    @property
    def output_types(self) -> Any:
        """The types of an element."""
        return structure.types_of(self.element_spec)

    @property
    def output_shapes(self) -> Any:
        """What is known of the shapes of an element."""
        return structure.shapes_of(self.element_spec)

    @property
    def output_classes(self) -> Any:
        """The classes of an element's values."""
        return structure.classes_of(self.element_spec)

    def __iter__(self) -> Any:
        raise RuntimeError("dataset.__iter__() is only supported with eager execution; use "
                           "make_one_shot_iterator() and its get_next()")  # fmt: skip

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self.element_spec!r}>"


class VariantDataset(Dataset):
    """A dataset that a tensor holds."""
