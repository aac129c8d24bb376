"""The branches and loops that operations are built in, and how values get into them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.operation import Operation, Tensor


def chain(context: Any) -> Iterator[Any]:
    """Yield a context and those around it, innermost first."""
    while context is not None:
        yield context
        context = context.outer


def context_of(tensor: Tensor) -> Any:
    """Return the context that a tensor is in, which may be a branch that its operation divides."""
    inside = tensor.graph._scratch.get("inside", {})
    return inside.get(tensor, tensor.op._context)


def loop_of(context: Any) -> Any:
    """Return the innermost loop that a context is in, or None."""
    return next((c for c in chain(context) if isinstance(c, WhileContext)), None)


class ControlContext:
    """A branch or loop: values from outside come in through an operation of their own."""

    def __init__(self, graph: Any) -> None:
        self.graph = graph
        self.outer = graph._context
        self.name = graph.get_name_scope()
        # What came in, by what it is outside.
        self.brought: dict[Tensor, Tensor] = {}

    def holds(self, op: Operation) -> bool:
        """Whether op is in here, or in a branch or loop within."""
        return self in chain(op._context)

    def bring_in(self, tensor: Tensor) -> Tensor:
        """Return what stands for tensor in here."""
        if self.holds(tensor.op):
            return tensor
        found = self.brought.get(tensor)
        if found is None:
            with (
                framework.control_dependencies(None),
                self.graph._in_context(self.outer),
                framework.name_scope(f"{self.name}/" if self.name else None),
            ):
                found = self._let_in(tensor)
            found.op._context = self
            self.brought[tensor] = found
        return found

    def _let_in(self, tensor: Tensor) -> Tensor:
        raise NotImplementedError

    def control_for(self, inputs: Sequence[Tensor], control: list[Operation]) -> list[Operation]:
        """Return what an operation in here with these inputs waits for."""
        raise NotImplementedError


class CondContext(ControlContext):
    """One branch of a cond: its operations run only where the predicate says so."""

    def __init__(self, graph: Any, pred: Tensor, pivot: Tensor, branch: int) -> None:
        super().__init__(graph)
        self.pred = pred
        self.pivot = pivot
        self.branch = branch

    def _let_in(self, tensor: Tensor) -> Tensor:
        kind = "RefSwitch" if tensor.dtype._is_ref_dtype else "Switch"
        return framework.apply_op(kind, [tensor, self.pred]).outputs[self.branch]

    def control_for(self, inputs: Sequence[Tensor], control: list[Operation]) -> list[Operation]:
        """Add the branch itself where no input comes from it."""
        if any(self.holds(tensor.op) for tensor in inputs):
            return control
        return [*control, self.pivot.op]


class WhileContext(ControlContext):
    """A loop. Its lists are of the loop variables, in their order."""

    def __init__(self, graph: Any, parallel_iterations: int, back_prop: bool = True) -> None:
        super().__init__(graph)
        self.back_prop = back_prop  # whether gradients go through it
        self.parallel_iterations = parallel_iterations
        self.initial: list[Tensor] = []  # outside
        self.merged: list[Tensor] = []
        self.pivot: Any = None  # what an operation without inputs waits for in each iteration
        self.condition: Any = None  # whether there is another iteration
        self.switched: list[Operation] = []
        self.body_inputs: list[Tensor] = []
        self.body_results: list[Tensor] = []
        self.exits: list[Tensor] = []  # outside
        # The numbers of those that only order how gradients keep values.
        self.flows: set[int] = set()

    def _let_in(self, tensor: Tensor) -> Tensor:
        return self.enter(tensor, is_constant=True)

    def enter(
        self, tensor: Tensor, is_constant: bool, shape: Any = None, name: str | None = None
    ) -> Tensor:
        """Return tensor as it comes into the frame of the loop, from the context around it."""
        kind = "RefEnter" if tensor.dtype._is_ref_dtype else "Enter"
        attrs: dict[str, Any] = {
            "frame_name": self.name,
            "is_constant": is_constant,
            "parallel_iterations": self.parallel_iterations,
        }
        if shape is not None:
            sizes = (
                None if shape.rank is None else [-1 if s is None else s for s in shape.as_list()]
            )
            attrs["_shape_invariant"] = ("shape", sizes)
        with self.graph._in_context(self.outer):
            found = framework.apply_op(kind, [tensor], attrs, name or kind).outputs[0]
        found.op._context = self
        return found

    def control_for(self, inputs: Sequence[Tensor], control: list[Operation]) -> list[Operation]:
        """Leave out what is outside, and add the iteration where no input belongs to one."""
        inside = [op for op in control if self.holds(op)]
        varies = any(not self._is_constant(tensor.op) for tensor in inputs)
        if varies or self.pivot is None:
            return inside
        return [*inside, self.pivot.op]

    def _is_constant(self, op: Operation) -> bool:
        return (
            op.type in ("Enter", "RefEnter")
            and op._context is self
            and bool(op.get_attr("is_constant"))
        )
