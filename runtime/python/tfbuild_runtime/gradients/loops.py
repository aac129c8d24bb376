"""Gradients of loops: a loop that goes through the iterations of another one backwards.

Its variables are the iterations that are left, the gradients by the variables of the loop, and the
sums of those by the values that come into it from outside. What its body needs of an iteration, the
loop forward keeps in an array under the number of the iteration.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.indexed_slices import dense
from tfbuild_runtime.framework.operation import Operation, Tensor
from tfbuild_runtime.gradients import calls
from tfbuild_runtime.gradients.handles import held_shape, is_trainable
from tfbuild_runtime.gradients.loop_sums import sum_for
from tfbuild_runtime.ops import control_flow_ops, creation_ops, imported_contexts
from tfbuild_runtime.ops.control_contexts import CondContext, WhileContext, chain, context_of
from tfbuild_runtime.ops.emit import emit


class LoopNode:
    """A loop as one operation: what comes into it, and what its variables are at its end."""

    def __init__(self, context: WhileContext) -> None:
        self.context = context
        self.name = context.name
        self.captured = [
            (inside.op.inputs[0], inside)
            for inside in context.brought.values()
            if is_trainable(inside)
        ]
        self.inputs = [*context.initial, *(outside for outside, _ in self.captured)]
        if not context.back_prop:
            self.captured, self.inputs = [], []
        self.outputs = list(context.exits)


def node_of(op: Operation) -> Any:
    """Return the loop that op leaves, or the call that it is, as one node; else op itself."""
    found = op.graph._scratch.get("exits", {}).get(op)
    if found is None:
        return calls.node_of(op)
    context = found[0]
    # What the gradients of a loop bring into it comes later and is none of its inputs.
    nodes = op.graph._scratch.setdefault("loop_nodes", {})
    if context not in nodes:
        nodes[context] = LoopNode(context)
    return nodes[context]


def gradients_of(loop: LoopNode, arrived: list[Any]) -> list[Any]:
    """Return the gradients by loop.inputs, given those by its outputs; None where there is none."""
    context = loop.context
    kept = [
        index
        for index, tensor in enumerate(loop.outputs)
        if is_trainable(tensor) and (arrived[index] is not None or not _is_flow(context, index))
    ]
    # No constant, as an array has to be written before its gradients are read.
    starts = [
        emit("ZerosLike", [context.exits[index]]) if arrived[index] is None else arrived[index]
        for index in kept
    ]
    sums = [sum_for(outside, inside) for outside, inside in loop.captured]
    history = _History(context)
    shapes = [
        framework.constant(0).get_shape(),
        *(context.merged[index].get_shape() for index in kept),
        *(shape for total in sums for shape in total.shapes),
    ]

    def body(left: Any, *values: Any) -> list[Any]:
        iteration = emit("Sub", [left, 1])
        history.replay(iteration)
        gradients, totals = values[: len(kept)], _of_each(sums, values[len(kept) :])
        found = _backwards(loop, kept, list(gradients))
        for position, index in enumerate(kept):
            if found[position] is None:
                found[position] = creation_ops.zeros_like(context.body_inputs[index])
        added = [
            value
            for one, total, part in zip(sums, totals, found[len(kept) :])
            for value in one.add(total, part)
        ]
        return [iteration, *found[: len(kept)], *added]

    results = control_flow_ops.while_loop(
        lambda left, *_: emit("Greater", [left, 0]),
        body,
        [history.count, *starts, *(start for total in sums for start in total.starts)],
        shape_invariants=shapes,
        parallel_iterations=context.parallel_iterations,
        name=f"{context.name.rpartition('/')[2] or 'while'}_grad",
    )
    results = results[1:] if isinstance(results, list) else []
    by_variable = dict(zip(kept, results))
    initial = [by_variable.get(index) for index in range(len(loop.outputs))]
    totals = _of_each(sums, results[len(kept) :])
    return [*initial, *(one.result(total) for one, total in zip(sums, totals))]


def _of_each(sums: list[Any], values: Any) -> list[Any]:
    """Return the loop variables of each sum, given those of all."""
    left = iter(values)
    return [[next(left) for _ in one.starts] for one in sums]


_MAKE_FLOWS = ("TensorArrayV3", "TensorArrayGradV3", "TensorArrayWriteV3", "TensorArrayScatterV3")


def _is_flow(context: WhileContext, index: int) -> bool:
    """Whether a loop variable is the flow of an array of tensors.

    Where nothing comes to it from behind the loop, nobody asks for the array of gradients, which
    must not be made before the loop has written all elements.
    """
    if index in context.flows:
        return True
    op = context.exits[index].op
    while op.type in ("Enter", "Exit", "Identity", "Merge", "Switch"):
        op = op.inputs[0].op
    return op.type in _MAKE_FLOWS


def _backwards(loop: LoopNode, kept: list[int], gradients: list[Any]) -> list[Any]:
    """Return the gradients by the variables and the captured values of one iteration."""
    from tfbuild_runtime.gradients import engine

    context = loop.context
    inputs = [context.body_inputs[index] for index in kept]
    inputs += [inside for _, inside in loop.captured]
    outputs = [context.body_results[index] for index in kept]
    ends = {*context.body_inputs, *context.brought.values()}
    found = engine.backpropagate(outputs, inputs, gradients, ends)
    found[: len(kept)] = map(dense, found[: len(kept)])
    for position, tensor in enumerate(found):
        if isinstance(tensor, Tensor) and held_shape(inputs[position]).is_fully_defined():
            tensor.set_shape(held_shape(inputs[position]))
    return found


class _History:
    """What a loop computes in each iteration, kept for the one that goes backwards.

    The arrays are written one behind another, which a variable of the loop, the flow, hands from
    iteration to iteration: so there are gradients by what was kept, too.
    """

    def __init__(self, context: WhileContext) -> None:
        self.context = context
        self.graph = context.graph
        if context in self.graph._scratch.get("has_hidden_branches", ()):
            raise NotImplementedError(
                f"the loop {context.name!r} is the gradient of one with branches in it, and has no "
                "gradient itself"
            )
        self.kept: dict[Tensor, Tensor] = {}  # the handles of the arrays
        self.iteration, self.count, counter = self._add_variable(0)
        with self._inside_of_loop():
            counted = emit("Add", [self.iteration, 1])
        self._hand_on(counter, counted)
        self.written, self.flow, self.flow_number = self._add_variable(0.0)
        context.flows.add(self.flow_number)
        self._hand_on(self.flow_number, self.written)

    @contextlib.contextmanager
    def _inside_of_loop(self) -> Iterator[None]:
        context = self.context
        with (
            framework.control_dependencies(None),
            self.graph._in_context(context),
            framework.name_scope(f"{context.name}/"),
        ):
            yield

    def _add_variable(self, start: float) -> tuple[Tensor, Tensor, int]:
        """Add a variable; return it in the body and behind the loop, and its number."""
        context = self.context
        with self._inside_of_loop():
            with self.graph._in_context(context.outer):
                initial = framework.constant(start)
            entered = context.enter(initial, False)
            merged = control_flow_ops.merged([entered, entered])
            leaving, going_on = control_flow_ops.switch(merged, context.condition)
            inside = emit("Identity", [going_on])
            left = emit("Exit", [leaving])
        left.op._context = context.outer
        number = len(context.exits)
        self.graph._scratch.setdefault("exits", {})[left.op] = (context, number)
        context.initial.append(initial)
        context.merged.append(merged)
        context.switched.append(leaving.op)
        context.body_inputs.append(inside)
        context.body_results.append(inside)
        context.exits.append(left)
        return inside, left, number

    def _hand_on(self, number: int, value: Tensor) -> None:
        """Let a variable have that value in the next iteration."""
        with self._inside_of_loop():
            next_value = emit("NextIteration", [value])
            control_flow_ops.close_loop(self.context.merged[number], next_value)
        self.context.body_results[number] = value

    def replay(self, iteration: Tensor) -> None:
        """Let the loop that is being built have the values of that iteration."""
        replaying = self.graph._context
        replaying.bring_in = _Replay(self, replaying, iteration).bring_in

    def keep(self, tensor: Tensor) -> Tensor:
        """Return the handle of the array in which the loop keeps a value of its body."""
        if tensor not in self.kept:
            context = self.context
            attrs = {
                "dtype": tensor.dtype.base_dtype,
                "dynamic_size": True,
                "clear_after_read": False,
            }
            with self._inside_of_loop(), self.graph._in_context(context.outer):
                length = framework.constant(0, dtypes.int32)
                array = framework.apply_op("TensorArrayV3", [length], attrs, "history")
            self.kept[tensor] = array.outputs[0]
            with self._inside_of_loop():
                self.written = self._write(array.outputs[0], tensor)
            self._hand_on(self.flow_number, self.written)
        return self.kept[tensor]

    def _write(self, handle: Tensor, tensor: Tensor) -> Tensor:
        """Return the flow behind the array, there where the tensor is not computed, too."""
        before = self.written
        branches = _branches_between(tensor, self.context)
        with self.graph._in_context(branches[-1] if branches else self.context):
            written = emit("TensorArrayWriteV3", [handle, self.iteration, tensor, before])
        for branch in reversed(branches):
            with self.graph._in_context(branch.outer):
                other = control_flow_ops.switch(before, branch.pred)[1 - branch.branch]
                both = [other, written] if branch.branch else [written, other]
                written = control_flow_ops.merged(both)
                imported_contexts.note_joined(written.op, branch.pred)
        return written


def _branches_between(tensor: Tensor, context: WhileContext) -> list[CondContext]:
    """Return the branches around a tensor that are inside of the loop, outermost first."""
    branches = []
    for inner in chain(context_of(tensor)):
        if inner is context:
            break
        if isinstance(inner, CondContext):
            branches.insert(0, inner)
        else:
            raise NotImplementedError(f"{tensor.op.name!r} is in a loop of its own")
    return branches


class _Replay:
    """How a loop backwards gets at values: those of the loop forward from what it kept."""

    def __init__(self, history: _History, replaying: WhileContext, iteration: Tensor) -> None:
        self.history = history
        self.replaying = replaying
        self.plain = type(replaying).bring_in
        self.iteration = iteration
        self.read: dict[Tensor, Tensor] = {}
        self.numbers: dict[Any, Tensor] = {}

    def bring_in(self, tensor: Tensor) -> Tensor:
        """Return what stands for tensor in the loop backwards."""
        context = self.history.context
        if self.replaying.holds(tensor.op) or not context.holds(tensor.op):
            return self.plain(self.replaying, tensor)
        if tensor.op._context is context and context._is_constant(tensor.op):
            return self.bring_in(tensor.op.inputs[0])
        found = self.read.get(tensor)
        if found is None:
            found = self.read[tensor] = self._from_history(tensor)
        return found

    def _from_history(self, tensor: Tensor) -> Tensor:
        handle, flow = self.history.keep(tensor), self.history.flow
        number = self.iteration
        graph = self.history.graph
        branches = _branches_between(tensor, self.history.context)
        if branches:  # what is computed of it is in a branch without a context that says so
            graph._scratch.setdefault("has_hidden_branches", set()).add(self.replaying)
        # Values of the body itself, wherever in the loop backwards they are asked for.
        with framework.control_dependencies(None), graph._in_context(self.replaying):
            for branch in branches:
                number = self._number_in(branch, number)
            value = emit("TensorArrayReadV3", [handle, number, flow], dtype=tensor.dtype.base_dtype)
        sizes = tensor.get_shape()
        if sizes.rank is not None:
            value.set_shape(sizes)
        return value

    def _number_in(self, branch: CondContext, number: Tensor) -> Tensor:
        """Return the number of the iteration, dead where the branch was not taken in it."""
        if branch not in self.numbers:
            both = control_flow_ops.switch(number, branch.pred)
            self.numbers[branch] = both[branch.branch]
        return self.numbers[branch]
