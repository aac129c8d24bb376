"""Functions of a graph: what a Python function builds, as an entry of the graph's library."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from tfbuild_runtime.framework import op_defs
from tfbuild_runtime.framework.graph import Graph
from tfbuild_runtime.framework.operation import Operation, Tensor

# From the choice of a function's name until it is taken: threads may build functions at once.
_naming = threading.Lock()


class FunctionGraph(Graph):
    """The body of a function while it is built; tensors of the graph around it become arguments."""

    def __init__(self, outer: Any) -> None:
        super().__init__()
        self._native = outer._native.make_body()
        self._outer = outer
        self.seed = outer.seed
        self.arguments: list[Tensor] = []
        self._captured: dict[Tensor, Tensor] = {}  # what each is within
        self._handed_over: list[Tensor] = []  # what it is in the graph around this one

    @property
    def _building_function(self) -> bool:
        return True

    def add_argument(self, dtype: Any, shape: Any) -> Tensor:
        """Return a new argument; all come before the first operation."""
        argument = self._placeholder(f"args_{len(self.arguments)}", dtype, shape)
        self.arguments.append(argument)
        return argument

    def _placeholder(self, name: str, dtype: Any, shape: Any) -> Tensor:
        from tfbuild_runtime.framework import ops

        with self.as_default(), self._in_context(None), self.control_dependencies(None):
            devices, self._devices = self._devices, []
            scope, self._name_stack = self._name_stack, ""
            try:
                op = ops.apply_op("Placeholder", (), {"dtype": dtype, "shape": shape}, name)
            finally:
                self._devices, self._name_stack = devices, scope
        return op.outputs[0]

    def capture(self, tensor: Tensor) -> Tensor:
        """Return what the tensor is within the function; raises ValueError for a stranger's."""
        if tensor.graph is self:
            return tensor
        if tensor not in self._captured:
            outer: Any = self._outer
            while outer is not None and outer is not tensor.graph:
                outer = getattr(outer, "_outer", None)
            if outer is None:
                raise ValueError(f"Tensor {tensor.name!r} is of none of the graphs around the "
                                 "function")  # fmt: skip
            around = tensor
            if self._outer is not tensor.graph:
                around = self._outer.capture(tensor)
            name = f"captured_{len(self._captured)}"
            shape = tensor.shape if tensor.dtype.name not in ("resource", "variant") else ()
            inner = self._placeholder(name, tensor.dtype.base_dtype, shape)
            self._captured[tensor] = inner
            self._handed_over.append(around)
        return self._captured[tensor]

    def create_op(
        self,
        op_type: str,
        inputs: Sequence[Tensor],
        attrs: dict[str, Any],
        name: str | None = None,
    ) -> Operation:
        """Return a new operation; inputs from around the function are captured."""
        return super().create_op(op_type, [self.capture(t) for t in inputs], attrs, name)

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """Let operations wait for those of the function; the others have run before a call."""
        if control_inputs is not None:
            control_inputs = [
                element for element in control_inputs
                if getattr(element, "graph", self) is self
            ]  # fmt: skip
        with super().control_dependencies(control_inputs):
            yield

    def finish(self, prefix: str, results: Sequence[Tensor]) -> Function:
        """Add the function to the library of the graph around it; its name begins with prefix."""
        inner = [self.capture(tensor) for tensor in results]
        arguments = [*self.arguments, *self._captured.values()]
        with _naming:
            name = unique_name(self._outer, prefix)
            library = self._native.encode_as_function(
                name,
                [tensor.op._id for tensor in arguments],
                [(tensor.op._id, tensor.value_index) for tensor in inner],
            )
            self._native.add_functions(library)
        # What it holds of Python, such as functions that it calls, lives as long as the graph.
        outermost(self._outer)._scratch.setdefault("function_graphs", []).append(self)
        return Function(name, self._handed_over, inner)


class Function:
    """A function in the library of a graph, and the tensors that calls hand to it."""

    def __init__(self, name: str, captures: list[Tensor], results: list[Tensor]) -> None:
        self.name = name
        self.captures = captures
        self.results = results


def outermost(graph: Any) -> Any:
    """Return the graph that is no function's."""
    while hasattr(graph, "_outer"):
        graph = graph._outer
    return graph


def unique_name(graph: Any, prefix: str) -> str:
    """Return a name for a function that the graph's library does not have."""
    base = re.sub(r"[^A-Za-z0-9_]", "_", prefix) or "function"
    taken = set(graph._native.functions())
    number = len(taken)
    while f"{base}_{number}" in taken:
        number += 1
    return f"{base}_{number}"


# What has state and may be copied all the same: datasets, constants of handles, and what reads
# files, which have state only so that no pass computes them once for all steps.
_COPIED = re.compile(r"Dataset(V\d)?$|^(DummySeedGenerator|MatchingFiles|ReadFile)$")


def copy_into(graph: FunctionGraph, tensor: Tensor) -> Tensor:
    """Return a copy of the tensor in the function, with all that it is computed from.

    Raises ValueError for what has state, or is fed.
    """
    copies: dict[Operation, Operation] = {}
    order: list[Operation] = []
    stack = [(tensor.op, False)]
    seen = set()
    while stack:
        op, leaving = stack.pop()
        if leaving:
            order.append(op)
        elif op not in seen:
            seen.add(op)
            stack.append((op, True))
            stack.extend((source.op, False) for source in op.inputs)
    for op in order:
        if op.type.startswith("Placeholder") and op.type != "PlaceholderWithDefault":
            raise ValueError(f"Cannot capture a placeholder (name:{op.name}, type:{op.type}) by "
                             "value.")  # fmt: skip
        if op_defs.get(op.type).is_stateful and not _COPIED.search(op.type):
            raise ValueError(f"Cannot capture a stateful node (name:{op.name}, type:{op.type}) by "
                             "value.")  # fmt: skip
        inputs = [copies[source.op].outputs[source.value_index] for source in op.inputs]
        copies[op] = graph._copy_op(op.graph._native, op._id, op.name, inputs)
    return copies[tensor.op].outputs[tensor.value_index]
