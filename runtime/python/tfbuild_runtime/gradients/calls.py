"""Calls of functions that gradients go through: written out, so that there are operations for them.

A step runs what is written out in the place of the call, so nothing is computed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import tensor_shape
from tfbuild_runtime.framework.operation import Operation, Tensor
from tfbuild_runtime.ops import control_flow_ops, control_ops
from tfbuild_runtime.ops.emit import emit

# What is written out; a function is an op by its own name, too.
OPS = frozenset(
    f"{prefix}{op}"
    for op, prefixes in (
        ("PartitionedCall", ("", "Stateful")),
        ("If", ("", "Stateless")),
        ("Case", ("", "Stateless")),
        ("While", ("", "Stateless")),
    )
    for prefix in prefixes
)


class CallNode:
    """A call that was written out, as one operation: gradients go from its outputs to those."""

    def __init__(self, call: Operation, values: list[Tensor]) -> None:
        self.name = call.name
        self.inputs = values
        self.outputs = call.outputs


def node_of(op: Operation) -> Any:
    """Return a call that was written out as a node, or op itself."""
    nodes = op.graph._scratch.setdefault("call_nodes", {})
    if op not in nodes:
        places = op.graph._native.written_out(op._id)
        values = places and [op.graph._by_id[node].outputs[index] for node, index in places]
        nodes[op] = op if values is None else CallNode(op, values)
    return nodes[op]


def write_out_between(outputs: Iterable[Tensor], inputs: Iterable[Tensor]) -> None:
    """Write out all calls through which the outputs depend on the inputs."""
    wanted = set(inputs)
    order = _inputs_first(tensor.op for tensor in outputs)
    depends: set[Operation] = set()
    for op in order:
        if any(t in wanted or t.op in depends for t in op.inputs) or _is_wanted(op, wanted):
            depends.add(op)
    for op in order:
        if op not in depends or op.graph._native.call_kind(op._id) is None:
            continue
        if op.graph._native.written_out(op._id) is None:
            _write_out(op)


def _is_wanted(op: Operation, wanted: set[Tensor]) -> bool:
    return any(tensor in wanted for tensor in op.outputs)


def _inputs_first(roots: Iterable[Operation]) -> list[Operation]:
    """Return all operations that the roots need; what goes round a loop may come later."""
    order: list[Operation] = []
    done: set[Operation] = set()
    stack = [(op, False) for op in roots]
    while stack:
        op, leaving = stack.pop()
        if leaving:
            order.append(op)
        elif op not in done:
            done.add(op)
            stack.append((op, True))
            stack.extend((tensor.op, False) for tensor in op.inputs if tensor.op not in done)
    # Loops: once more, with what comes round.
    return order + order if any(op.type == "NextIteration" for op in order) else order


def _write_out(op: Operation) -> None:
    graph = op.graph
    with (
        graph.as_default(),
        framework.control_dependencies(None),
        graph._in_context(op._context),
        framework.control_dependencies(op.control_inputs),
        framework.device(op.device or None),
        framework.name_scope(f"{op.name}_written_out"),
    ):
        results, effects = _written(graph, graph._native, op._id, list(op.inputs))
        done = control_ops.group(*results, *effects, name="done")
    places = [(result.op._id, result.value_index) for result in results]
    graph._native.write_out(op._id, places, done._id)
    graph._scratch.setdefault("call_nodes", {}).pop(op, None)


_Given = tuple[list[Tensor], list[Operation]]


def _written(graph: Any, source: Any, node: int, inputs: list[Tensor]) -> _Given:
    """Return what a call in source, the graph or the body of a function, gives.

    Its results are there when all its effects have happened; the operations are for who waits for a
    call without results.
    """
    kind = source.call_kind(node)
    bodies = source.bodies(node)
    inputs = [emit("Identity", [t]) if t.dtype._is_ref_dtype else t for t in inputs]
    if kind == "call":
        return _ready(graph, bodies[0], inputs)
    if kind == "while":
        return _loop(graph, source, node, bodies, inputs), []
    if kind == "case":
        return _case(graph, bodies, inputs[0], inputs[1:])
    return _branches(
        _as_bool(inputs[0]),
        lambda: _ready(graph, bodies[0], inputs[1:]),
        lambda: _ready(graph, bodies[1], inputs[1:]),
    )


def _branches(
    pred: Tensor, if_true: Callable[[], _Given], if_false: Callable[[], _Given]
) -> _Given:
    def side(make: Callable[[], _Given]) -> Any:
        results, effects = make()
        return results or control_ops.group(*effects)

    given = control_flow_ops.cond(pred, lambda: side(if_true), lambda: side(if_false), strict=True)
    return ([], [given.op]) if isinstance(given, Tensor) else (list(given), [])


def _case(graph: Any, bodies: list[Any], index: Tensor, inputs: list[Tensor]) -> _Given:
    """Return what the body of the index gives; the last one where there is none of that number."""
    if len(bodies) == 1:
        return _ready(graph, bodies[0], inputs)
    return _branches(
        emit("Less", [index, 0]),
        lambda: _ready(graph, bodies[-1], inputs),
        lambda: _choice(graph, bodies, 0, index, inputs),
    )


def _choice(
    graph: Any, bodies: list[Any], first: int, index: Tensor, inputs: list[Tensor]
) -> _Given:
    """Return what one of the bodies gives, of which the first has that number.

    Each question leaves half of them, so that the branches are not as deep as they are many.
    """
    if len(bodies) == 1:
        return _ready(graph, bodies[0], inputs)
    middle = len(bodies) // 2
    return _branches(
        emit("Less", [index, first + middle]),
        lambda: _choice(graph, bodies[:middle], first, index, inputs),
        lambda: _choice(graph, bodies[middle:], first + middle, index, inputs),
    )


def _loop(
    graph: Any, source: Any, node: int, bodies: list[Any], inputs: list[Tensor]
) -> list[Tensor]:
    """Return what a While gives; what its body hands on as it is comes into the loop by itself."""
    cond, body = bodies
    parallel = source.attr(node, "parallel_iterations")[1]
    stated = source.attr(node, "output_shapes")[1]
    same = _handed_on(body)
    varies = [index for index in range(len(inputs)) if index not in same] or [0]
    shapes = [
        tensor_shape.TensorShape(stated[index] if index < len(stated) else None) for index in varies
    ]

    def whole(values: Any) -> list[Tensor]:
        by_index = dict(zip(varies, values))
        return [by_index.get(index, inputs[index]) for index in range(len(inputs))]

    def step(*values: Any) -> list[Tensor]:
        results, _ = _ready(graph, body, whole(values))
        return _fitting([results[index] for index in varies], shapes)

    results = control_flow_ops.while_loop(
        lambda *values: _as_bool(_ready(graph, cond, whole(values))[0][0]),
        step,
        [inputs[index] for index in varies],
        shape_invariants=shapes,
        parallel_iterations=parallel,
        return_same_structure=True,
    )
    return whole(results)


def _handed_on(body: Any) -> set[int]:
    """Return the numbers of the arguments that a body gives back as they are."""
    arguments = body.arguments()
    kinds = {node: kind for node, _, kind, _ in body.graph.nodes_from(0)}
    same = set()
    for index, (source, _) in enumerate(body.results()):
        node = source
        while kinds[node] == "Identity" and not body.graph.control_inputs(node):
            node = body.graph.inputs(node)[0][0]
        if node == arguments[index]:
            same.add(index)
    return same


def _fitting(values: list[Tensor], shapes: list[Any]) -> list[Tensor]:
    """Return the values, of which the node says what shapes they have."""
    fitting = []
    for value, shape in zip(values, shapes):
        passed = value
        if shape.rank is not None:
            passed = emit("Identity", [value])
            passed.set_shape(shape)
        fitting.append(passed)
    return fitting


def _as_bool(value: Tensor) -> Tensor:
    return value if value.dtype.base_dtype.name == "bool" else emit("ToBool", [value])


def _ready(graph: Any, body: Any, inputs: list[Tensor]) -> _Given:
    """Return the results of a body, there when all its effects have happened, and those."""
    results, effects = _body(graph, body, inputs)
    if effects:
        results = [control_ops.with_dependencies(effects, result) for result in results]
    return results, effects


def _body(graph: Any, body: Any, arguments: list[Tensor]) -> _Given:
    """Copy the body of a function into the graph; return its results and effects."""
    source = body.graph
    values = dict(zip(body.arguments(), ([value] for value in arguments)))
    made: dict[int, list[Operation]] = {node: [given[0].op] for node, given in values.items()}
    acts = set(body.effects())
    for node, name, kind, _ in source.nodes_from(0):
        if node in values:
            continue
        if kind in ("Enter", "RefEnter", "NextIteration", "RefNextIteration"):
            raise NotImplementedError(
                f"function {body.name!r} has a loop of version 1, {name!r}; it has no gradient"
            )
        inputs = [values[other][index] for other, index in source.inputs(node)]
        control = [op for other in source.control_inputs(node) for op in made[other]]
        with framework.control_dependencies(control):
            if source.call_kind(node) is not None:
                with framework.name_scope(name.rpartition("/")[2]):
                    results, effects = _written(graph, source, node, inputs)
                values[node] = results
                made[node] = [*(t.op for t in results), *effects]
                continue
            op = graph._copy_op(source, node, name, inputs)
        values[node], made[node] = list(op.outputs), [op]
    results = [values[node][index] for node, index in body.results()]
    return results, [op for node in acts for op in made[node]]
