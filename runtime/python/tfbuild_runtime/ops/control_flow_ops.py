"""Branches and loops: cond and while_loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes, tensor_shape
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.operation import Operation, Tensor
from tfbuild_runtime.ops import nest
from tfbuild_runtime.ops.control_contexts import CondContext, WhileContext
from tfbuild_runtime.ops.control_ops import no_op, with_dependencies
from tfbuild_runtime.ops.emit import emit, only_one

__all__ = ["cond", "while_loop"]


def switch(data: Any, pred: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Return data as it goes on where pred is false and where it is true; one of them is dead."""
    on_false, on_true = framework.apply_op("Switch", [data, pred], name=name).outputs
    return on_false, on_true


class Merged(NamedTuple):
    """What merge gives."""

    output: Tensor
    value_index: Tensor


def merge(inputs: Any, name: str | None = None) -> Merged:
    """Return whichever of the inputs is there, and its number."""
    return Merged(*framework.apply_op("Merge", [list(inputs)], name=name or "Merge").outputs)


def merged(inputs: Any) -> Tensor:
    """Return whichever of the inputs is there."""
    return merge(inputs).output


# ---- cond ---------------------------------------------------------------------------------------


def cond(
    pred: Any, true_fn: Any = None, false_fn: Any = None, strict: bool = False,
    name: str | None = None, fn1: Any = None, fn2: Any = None,
) -> Any:  # fmt: skip
    """Return what true_fn() gives where pred is true, else what false_fn() gives.

    Only the operations that are made in the function that is chosen run. Both must give the same
    structure of the same types; unless strict, a list of one is that one. Raises TypeError for a
    pred that is no tensor, for functions that are none and for types that differ, ValueError for
    structures that do.
    """
    true_fn = only_one(true_fn, fn1, "true_fn", "fn1")
    false_fn = only_one(false_fn, fn2, "false_fn", "fn2")
    for what, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"{what} must be callable.")
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool")
    with framework.name_scope(name, "cond", [pred]):
        chosen = framework.convert_to_tensor(pred, dtypes.bool)
        on_false, on_true = switch(chosen, chosen, "Switch")
        pivots = emit("Identity", [on_false], "switch_f"), emit("Identity", [on_true], "switch_t")
        chosen = emit("Identity", [chosen], "pred_id")
        results = [
            _branch(function, chosen, pivots[branch], branch, strict)
            for branch, function in ((1, true_fn), (0, false_fn))
        ]
        return _merge_branches(*results)


def _branch(
    function: Callable[[], Any], pred: Tensor, pivot: Tensor, branch: int, strict: bool
) -> tuple[Any, list[Tensor]]:
    """Return the structure that a branch gives, and its tensors inside the branch."""
    graph = pred.graph
    context = CondContext(graph, pred, pivot, branch)
    pivot.op._context = context
    with graph._in_context(context):
        result = function()
        if not strict and isinstance(result, (list, tuple)) and len(result) == 1:
            result = result[0]
        leaves = nest.flatten(result, expand_composites=True)
        tensors = [context.bring_in(_as_result(value, pivot)) for value in leaves]
    return result, tensors


def _as_result(value: Any, pivot: Tensor) -> Tensor:
    """Return what a branch gives as a tensor; an operation as one that is there when it has run."""
    operation = no_op() if value is None else value
    if isinstance(operation, Operation):
        return with_dependencies([operation], pivot)
    return framework.convert_to_tensor(value)


def _merge_branches(on_true: tuple[Any, list[Tensor]], on_false: tuple[Any, list[Tensor]]) -> Any:
    structure, true_tensors = on_true
    try:
        nest.assert_same_structure(structure, on_false[0])
    except (TypeError, ValueError) as error:
        raise type(error)(f"Incompatible return values of true_fn and false_fn: {error}") from None
    joined = []
    for if_true, if_false in zip(true_tensors, on_false[1]):
        if if_true.dtype.base_dtype != if_false.dtype.base_dtype:
            raise TypeError(
                f"Outputs of true_fn and false_fn must have the same type: "
                f"{if_true.dtype.name}, {if_false.dtype.name}"
            )
        joined.append(merged([if_false, if_true]))
    if structure is None:
        return joined[0].op
    return nest.pack(structure, joined, expand_composites=True)


# ---- while_loop ---------------------------------------------------------------------------------


def while_loop(
    cond: Any, body: Any, loop_vars: Any, shape_invariants: Any = None,
    parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False,
    name: str | None = None, maximum_iterations: Any = None, return_same_structure: bool = False,
) -> Any:  # fmt: skip
    """Return the loop variables after body has been applied as long as cond is true of them.

    Raises TypeError for a cond or body that is none and types that change, ValueError for shapes
    that change without shape_invariants and for structures that do not fit.
    """
    del swap_memory
    for what, function in (("cond", cond), ("body", body)):
        if not callable(function):
            raise TypeError(f"{what} must be callable.")
    if parallel_iterations < 1:
        raise TypeError("parallel_iterations must be a positive integer.")
    if not loop_vars:
        raise ValueError("No loop variables provided")
    variables = list(loop_vars) if isinstance(loop_vars, (list, tuple)) else [loop_vars]
    with framework.name_scope(name, "while", nest.tensors_in(loop_vars)):
        if maximum_iterations is not None:
            cond, body, variables, shape_invariants = _limited(
                cond, body, variables, shape_invariants, maximum_iterations
            )
        graph = framework.graph_of(nest.tensors_in(variables))
        context = WhileContext(graph, parallel_iterations, back_prop)
        results = _Loop(cond, body, variables, shape_invariants, context).build()
        if maximum_iterations is not None:
            results = results[1]
    if len(nest.flatten(results, expand_composites=True)) == 1 and not return_same_structure:
        return results[0]
    same_kind = not isinstance(loop_vars, (list, tuple)) or hasattr(loop_vars, "_fields")
    return results if same_kind else type(loop_vars)(results)


def _limited(cond: Any, body: Any, variables: Any, invariants: Any, limit: Any) -> Any:
    """Return the loop with a count of its iterations before the variables."""
    limit = framework.convert_to_tensor(limit, dtypes.int32, "maximum_iterations")

    def go_on(count: Any, inner: Any) -> Any:
        return emit("LogicalAnd", [emit("Less", [count, limit]), cond(*inner)])

    def step(count: Any, inner: Any) -> Any:
        result = body(*inner)
        result = list(result) if isinstance(result, (list, tuple)) else [result]
        return emit("Add", [count, 1]), result

    if invariants is not None:
        invariants = [tensor_shape.TensorShape([]), list(invariants)]
    return go_on, step, [framework.constant(0, dtypes.int32), variables], invariants


class _Loop:
    """One while_loop while it is built."""

    def __init__(
        self, cond: Any, body: Any, variables: list[Any], invariants: Any, context: WhileContext
    ) -> None:
        self.cond, self.body, self.variables = cond, body, variables
        self.graph, self.context = context.graph, context
        self.invariants = self._flat_invariants(invariants)

    def _flat_invariants(self, invariants: Any) -> list[Any]:
        if invariants is None:
            return [None] * len(nest.flatten(self.variables, expand_composites=True))
        leaves, flat = nest.leaves(self.variables), nest.flatten_shapes(invariants)
        if len(flat) != len(leaves):
            raise ValueError(
                f"{len(leaves)} loop variables need as many shape_invariants, not {len(flat)}"
            )
        shapes: list[Any] = []
        for leaf, kept in zip(leaves, flat):
            made_of_parts = hasattr(leaf, "with_parts")
            shapes += leaf.shapes_of_parts(kept) if made_of_parts else [tensor_shape.as_shape(kept)]
        return shapes

    def build(self) -> list[Any]:
        context = self.context
        leaves = nest.flatten(self.variables, expand_composites=True)
        values = [framework.convert_to_tensor(value) for value in leaves]
        entered = [
            context.enter(_value(tensor), False, shape)
            for tensor, shape in zip(values, self.invariants)
        ]
        context.initial = [tensor.op.inputs[0] for tensor in entered]
        with self.graph._in_context(context):
            context.merged = [merged([tensor, tensor]) for tensor in entered]
            context.pivot = context.merged[0]
            go_on = framework.convert_to_tensor(self.cond(*self._packed(context.merged)))
            context.condition = emit("LoopCond", [go_on])
            for tensor in context.merged:
                context.switched.append(
                    framework.apply_op("Switch", [tensor, context.condition], name="Switch")
                )
            context.body_inputs = [
                emit("Identity", [op.outputs[1]], "Identity") for op in context.switched
            ]
            context.pivot = context.body_inputs[0]
            self._close(self.body(*self._packed(context.body_inputs)))
            context.exits = [emit("Exit", [op.outputs[0]], "Exit") for op in context.switched]
        for index, tensor in enumerate(context.exits):
            tensor.op._context = context.outer
            self.graph._scratch.setdefault("exits", {})[tensor.op] = (context, index)
        return self._packed(context.exits)

    def _packed(self, tensors: list[Tensor]) -> list[Any]:
        return list(nest.pack(self.variables, tensors, expand_composites=True))

    def _close(self, result: Any) -> None:
        """Make the results of the body the values of the next iteration."""
        context = self.context
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        if len(self.variables) == 1 and not isinstance(result, (list, tuple)):
            results = [result]
        nest.assert_same_structure(self.variables, results, "loop_vars", "what body returns")
        for value, merged in zip(nest.flatten(results, True), context.merged):
            tensor = framework.convert_to_tensor(value, merged.dtype)
            next_value = emit("NextIteration", [tensor], "NextIteration")
            context.body_results.append(next_value.op.inputs[0])
            close_loop(merged, next_value)


def close_loop(merged: Tensor, next_value: Tensor) -> None:
    """Make next_value, of a NextIteration, what merged is in the next iteration."""
    before, after = merged.get_shape(), next_value.get_shape()
    if not _covers(before, after):
        raise ValueError(
            f"The shape for {merged.name} is not an invariant for the loop. It enters the loop "
            f"with shape {before}, but has shape {after} after one iteration. Provide shape "
            "invariants using either the `shape_invariants` argument of tf.while_loop or "
            "set_shape() on the loop variables."
        )
    graph = merged.graph._native
    graph.close_loop(merged.op._id, 1, next_value.op._id)
    merged.op._inputs = None


def _covers(wide: Any, narrow: Any) -> bool:
    if wide.rank is None:
        return True
    if narrow.rank != wide.rank:
        return False
    return all(w is None or w == n for w, n in zip(wide.as_list(), narrow.as_list()))


def _value(tensor: Tensor) -> Tensor:
    """Return a tensor that is no reference."""
    return emit("Identity", [tensor]) if tensor.dtype._is_ref_dtype else tensor
