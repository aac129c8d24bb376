"""Iterators: where a program reads the elements of datasets."""

from __future__ import annotations

import warnings
from typing import Any

from tfbuild_runtime.data import structure
from tfbuild_runtime.data.building import elements_of
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.function_graph import FunctionGraph, copy_into
from tfbuild_runtime.framework.operation import Operation, Tensor
from tfbuild_runtime.ops import random_ops

GET_NEXT_CALL_WARNING_THRESHOLD = 32

GET_NEXT_CALL_WARNING_MESSAGE = (
    "An unusually high number of `Iterator.get_next()` calls was detected. This often indicates "
    "that `Iterator.get_next()` is being called inside a training loop: call it once, outside the "
    "loop, and use the tensors that it returns in each step."
)


class Iterator:
    """Reads the elements of a dataset, each once; the session keeps where it has read to."""

    def __init__(
        self, iterator_resource: Tensor, initializer: Operation | None, element_spec: Any
    ) -> None:
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        self._element_spec = element_spec
        self._string_handle = _string_handle(iterator_resource, None)
        self._get_next_calls = 0

    @staticmethod
    def from_structure(
        output_types: Any, output_shapes: Any = None, shared_name: str | None = None,
        output_classes: Any = None,
    ) -> Iterator:  # fmt: skip
        """Return an iterator for any dataset of such elements; make_initializer names one."""
        spec = structure.as_spec(output_types, output_shapes, output_classes)
        return Iterator(_iterator_resource(spec, shared_name), None, spec)

    @staticmethod
    def from_string_handle(
        string_handle: Any, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> Iterator:
        """Return the iterator of which the string tensor, most often fed, is the handle."""
        spec = structure.as_spec(output_types, output_shapes, output_classes)
        handle = framework.convert_to_tensor(string_handle, "string")
        attrs = structure.flat_attrs(spec)
        op = framework.apply_op("IteratorFromStringHandleV2", [handle], attrs)
        return Iterator(op.outputs[0], None, spec)

    @property
    def initializer(self) -> Operation:
        """The operation that begins the dataset anew; raises ValueError when there is none."""
        if self._initializer is not None:
            return self._initializer
        raise ValueError(
            "The iterator does not have an initializer. This means it was likely created using "
            "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
            "`tf.data.Dataset.make_initializable_iterator()` instead."
        )

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """Return an operation that begins to read that dataset.

        Raises TypeError or ValueError where its elements are others than the iterator's.
        """
        _check_compatible(self._element_spec, dataset.element_spec)
        with framework.colocate_with(self._iterator_resource):
            return _make_iterator(dataset, self._iterator_resource, name)

    def get_next(self, name: str | None = None) -> Any:
        """Return the tensors of the next element, which each step that needs them reads."""
        self._get_next_calls += 1
        if self._get_next_calls > GET_NEXT_CALL_WARNING_THRESHOLD:
            warnings.warn(GET_NEXT_CALL_WARNING_MESSAGE, stacklevel=2)
        attrs = structure.flat_attrs(self._element_spec)
        op = framework.apply_op("IteratorGetNext", [self._iterator_resource], attrs, name)
        return elements_of(self._element_spec, op.outputs)

    def string_handle(self, name: str | None = None) -> Tensor:
        """Return a string tensor whose value stands for this iterator in its session."""
        if name is not None:
            return _string_handle(self._iterator_resource, name)
        return self._string_handle

    @property
    def element_spec(self) -> Any:
        """What an element is."""
        return self._element_spec

    @property
    def output_types(self) -> Any:
        """The types of an element."""
        return structure.types_of(self._element_spec)

    @property
    def output_shapes(self) -> Any:
        """What is known of the shapes of an element."""
        return structure.shapes_of(self._element_spec)

    @property
    def output_classes(self) -> Any:
        """The classes of an element's values."""
        return structure.classes_of(self._element_spec)


def _string_handle(resource: Tensor, name: str | None) -> Tensor:
    return framework.apply_op("IteratorToStringHandle", [resource], None, name).outputs[0]


def _iterator_resource(spec: Any, shared_name: str | None) -> Tensor:
    attrs = {"container": "", "shared_name": shared_name or "", **structure.flat_attrs(spec)}
    return framework.apply_op("IteratorV2", (), attrs).outputs[0]


def _make_iterator(dataset: Any, resource: Tensor, name: str | None) -> Operation:
    inputs = [dataset._variant_tensor, resource]
    return framework.apply_op("MakeIterator", inputs, None, name)


def _check_compatible(ours: Any, theirs: Any) -> None:
    types, other_types = structure.types_of(ours), structure.types_of(theirs)
    if structure.map_leaves(str, types) != structure.map_leaves(str, other_types):
        raise TypeError(f"Expected output types {types!r} but got dataset with output types "
                        f"{other_types!r}.")  # fmt: skip
    shapes, other_shapes = structure.shapes_of(ours), structure.shapes_of(theirs)
    for shape, other in zip(structure.flatten(shapes), structure.flatten(other_shapes)):
        if not shape.is_compatible_with(other):
            raise TypeError(f"Expected output shapes compatible with {shapes!r} but got dataset "
                            f"with output shapes {other_shapes!r}.")  # fmt: skip


def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Iterator:
    """Return an iterator that its `initializer` begins, as often as it is run."""
    resource = _iterator_resource(dataset.element_spec, shared_name)
    with framework.colocate_with(resource):
        begin = _make_iterator(dataset, resource, None)
    return Iterator(resource, begin, dataset.element_spec)


def make_one_shot_iterator(dataset: Any) -> Iterator:
    """Return an iterator that reads the dataset once, without being initialised.

    Raises ValueError for a dataset that needs a variable, a placeholder or another state.
    """
    random_ops.get_seed(
        None
    )  # as in TensorFlow, which draws one for the function: later seeds agree
    graph = FunctionGraph(framework.get_default_graph())
    try:
        with graph.as_default():
            copied = copy_into(graph, dataset._variant_tensor)
    except ValueError as error:
        if "Cannot capture a stateful node" in str(error):
            raise ValueError(
                f"{error}: Failed to create a one-shot iterator for a dataset. "
                "`Dataset.make_initializable_iterator()` is more general and can read datasets "
                "that capture stateful objects, such as a variable or a lookup table; use it "
                "instead."
            ) from None
        raise
    factory = graph.finish("make_dataset", [copied])
    attrs = {"dataset_factory": factory.name, **structure.flat_attrs(dataset.element_spec)}
    op = framework.apply_op("OneShotIterator", (), attrs)
    return Iterator(op.outputs[0], None, dataset.element_spec)


def get_output_types(dataset_or_iterator: Any) -> Any:
    """Return the types of an element of a dataset or iterator."""
    return structure.types_of(dataset_or_iterator.element_spec)


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """Return what is known of the shapes of an element of a dataset or iterator."""
    return structure.shapes_of(dataset_or_iterator.element_spec)


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """Return the classes of the values of an element of a dataset or iterator."""
    return structure.classes_of(dataset_or_iterator.element_spec)


get_legacy_output_types = get_output_types
get_legacy_output_shapes = get_output_shapes
get_legacy_output_classes = get_output_classes
