"""Functions that programs give to datasets, as functions of the graph."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from tfbuild_runtime.data import specs, structure
from tfbuild_runtime.data.building import elements_of, flat_tensors
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.function_graph import FunctionGraph


class UserFunction:
    """A function of the graph made of one of Python, which was called once for what it builds."""

    def __init__(self, function: Callable[..., Any], name: str, spec: Any) -> None:
        graph = FunctionGraph(framework.get_default_graph())
        with graph.as_default():
            taken = structure.flat_attrs(spec)
            flat_arguments = map(graph.add_argument, taken["output_types"], taken["output_shapes"])
            arguments = elements_of(spec, list(flat_arguments))
            # A tuple is handed over as the arguments that it holds, as TensorFlow does.
            unpacked = isinstance(spec, tuple) and not hasattr(spec, "_fields")
            result = function(*arguments) if unpacked else function(arguments)
            self.result = _converted(result, name)
            tensors = flat_tensors(self.result)
        _warn(graph, name)
        label = getattr(function, "__name__", type(function).__name__).strip("<>")
        made = graph.finish(f"Dataset_{name}_{label}", tensors)
        self.name = made.name
        self.captures = made.captures
        self.spec = structure.map_leaves(specs.spec_of, self.result)

    @property
    def dataset_spec(self) -> Any:
        """The elements of the dataset that it returns; raises TypeError when it returns none."""
        if not isinstance(self.spec, specs.DatasetSpec):
            raise TypeError(
                f"the function must return a Dataset object, but it returns {self.spec!r}"
            )
        return self.spec.element_spec


_TABLES = {"HashTableV2", "MutableHashTableV2", "MutableHashTableOfTensorsV2",
           "MutableDenseHashTableV2"}  # fmt: skip


def _warn(graph: FunctionGraph, name: str) -> None:
    """Warn of a table that each call would make, and of random numbers by the program's seed."""
    if any(op.type in _TABLES for op in graph.get_operations()):
        warnings.warn(
            f"Creating resources inside a function passed to Dataset.{name}() is not supported. "
            "Make each one outside of the function and use it inside",
            stacklevel=5,
        )
    if graph._last_seed_number > 0 and graph.seed == graph._outer.seed:
        warnings.warn(
            f"Operations in a function passed to Dataset.{name}() draw random numbers by the seed "
            f"{graph.seed} of the graph around it. Explicitly set the seed in the function if this "
            "is not the intended behavior.",
            stacklevel=5,
        )


def _converted(result: Any, name: str) -> Any:
    """Return what a function gave, lists as tuples or tensors, all values as tensors."""
    if isinstance(result, list):  # most often that of an operation with several results
        result = tuple(result)
    try:
        return structure.to_tensors(result)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Unsupported return value from function passed to Dataset.{name}(): {result!r}. "
            f"{error}"
        ) from None


def types_of_captures(function: Any) -> list[Any]:
    """Return the types of the tensors that a function takes from around it."""
    return [tensor.dtype.base_dtype for tensor in function.captures]


def plain_function(function: Callable[..., Any], name: str, specs: list[Any]) -> Any:
    """Return a graph function of a Python function of flat tensors that returns flat tensors."""
    graph = FunctionGraph(framework.get_default_graph())
    with graph.as_default():
        arguments = [graph.add_argument(spec.dtype, spec.shape) for spec in specs]
        results = [framework.convert_to_tensor(value) for value in function(*arguments)]
    return graph.finish(name, results)
