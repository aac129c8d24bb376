"""The branches and loops of imported operations, found again by what divides and joins them."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.operation import Operation, Tensor
from tfbuild_runtime.ops.control_contexts import CondContext, WhileContext, chain
from tfbuild_runtime.ops.control_flow_ops import switch
from tfbuild_runtime.ops.emit import emit

_ENTER = ("Enter", "RefEnter")
_EXIT = ("Exit", "RefExit")
_MERGE = ("Merge", "RefMerge")
_NEXT = ("NextIteration", "RefNextIteration")
_SWITCH = ("Switch", "RefSwitch")
_MARKS = frozenset((*_ENTER, *_MERGE))


def adopt(graph: Any) -> None:
    """Give each operation that was imported since the last call the context that it is in."""
    imported = graph._scratch.pop("imported", [])
    if any(op.type in _MARKS for op in imported):
        _Finder(graph, imported).find()


def joined_by(merge: Operation) -> Any:
    """Return the predicate of the branches that a Merge joins which no cond made, or None."""
    return merge.graph._scratch.get("joined", {}).get(merge)


def note_joined(merge: Operation, pred: Tensor) -> None:
    """Remember what decides which input of a Merge is there."""
    merge.graph._scratch.setdefault("joined", {})[merge] = pred


class _Finder:
    """Goes over operations in their order; what closes a loop comes later than its Merge."""

    def __init__(self, graph: Any, imported: list[Operation]) -> None:
        self.graph = graph
        self.imported = imported
        self.known = set(imported)
        self.loops: dict[tuple[Any, bytes], WhileContext] = {}
        self.branches: dict[tuple[Any, Tensor, int], CondContext] = {}
        self.merges: dict[WhileContext, list[Operation]] = {}
        self.divided: dict[Operation, CondContext] = {}
        self.consumers: dict[Tensor, list[Operation]] = {}
        self.joined: dict[Operation, Tensor] = graph._scratch.setdefault("joined", {})
        self.depths: dict[Any, int] = {None: 0}

    def find(self) -> None:
        for op in self.imported:
            for tensor in op.inputs:
                self.consumers.setdefault(tensor, []).append(op)
        for op in self.imported:
            self._place(op)
        for context, merges in self.merges.items():
            self._complete(context, merges)
        self._move_into_branches()

    def _move_into_branches(self) -> None:
        """Let a Switch be in the branch that it lets a value into; of two, its outputs are."""
        inside = self.graph._scratch.setdefault("inside", {})
        for op in self.imported:
            if op.type not in _SWITCH or self._is_of_loop(op):
                continue
            used = [tensor for tensor in op.outputs if tensor in self.consumers]
            contexts = [self._context_of(tensor) for tensor in used]
            if len(used) > 1:
                inside.update(zip(used, contexts))
            elif used:
                self.divided[op] = contexts[0]
        for op, context in self.divided.items():
            op._context = context

    def _place(self, op: Operation) -> None:
        if op.type in _ENTER:
            op._context = self._entered(op)
            return
        around = self._innermost(op)
        if op.type in _MERGE and self._closes(op) is None:
            branch = next((c for c in chain(around) if isinstance(c, CondContext)), None)
            if branch is not None:
                self.joined[op] = branch.pred
                around = branch.outer
        elif op.type in _MERGE:
            self.merges.setdefault(around, []).append(op)
        elif op.type in _EXIT and isinstance(around, WhileContext):
            around = around.outer
        op._context = around

    def _innermost(self, op: Operation) -> Any:
        """Return the innermost of the contexts that the inputs of op come from."""
        contexts = [self._context_of(tensor) for tensor in op.inputs if tensor.op in self.known
                    and tensor.op.type not in _NEXT]  # fmt: skip
        contexts += [control._context for control in op.control_inputs if control in self.known]
        return max(contexts, key=self._depth, default=None)

    def _depth(self, context: Any) -> int:
        """Return in how many contexts each in the other this one is, itself among them."""
        if context not in self.depths:
            around = self.depths.get(context.outer)
            self.depths[context] = len(list(chain(context))) if around is None else around + 1
        return self.depths[context]

    def _context_of(self, tensor: Tensor) -> Any:
        """Return the context that a tensor is in: of a Switch, the branch of that output."""
        op = tensor.op
        if op.type not in _SWITCH or self._is_of_loop(op):
            return op._context
        pred = self._plain(op.inputs[1])
        key = (op._context, pred, tensor.value_index)
        if key not in self.branches:
            with self.graph._in_context(op._context):
                context = CondContext(self.graph, pred, tensor, tensor.value_index)
            context.name = op.name.rpartition("/")[0]
            context.pivot = self._pivot(op, tensor, context)
            self.branches[key] = context
        return self.branches[key]

    def _pivot(self, op: Operation, tensor: Tensor, context: CondContext) -> Tensor:
        """Return a tensor that is there where the branch is taken, and no output of a Switch."""
        for reader in self.consumers.get(tensor, []):
            if reader.type == "Identity":
                return reader.outputs[0]
        with (
            framework.control_dependencies(None),
            self.graph._in_context(op._context),
            framework.name_scope(f"{context.name}/" if context.name else None),
        ):
            both = switch(context.pred, context.pred)
            pivot = emit("Identity", [both[context.branch]])
        pivot.op._context = context
        return pivot

    def _plain(self, pred: Tensor) -> Tensor:
        """Return the predicate that copies of it are of."""
        while pred.op.type == "Identity" and pred.op in self.known:
            source = pred.op.inputs[0]
            if source.op.type in (*_SWITCH, *_MERGE, *_ENTER):
                break
            pred = source
        return pred

    def _is_of_loop(self, op: Operation) -> bool:
        return op.inputs[1].op.type == "LoopCond"

    def _closes(self, merge: Operation) -> Any:
        return next((t for t in merge.inputs if t.op.type in _NEXT), None)

    def _entered(self, op: Operation) -> WhileContext:
        outer = self._innermost(op)
        name = op.get_attr("frame_name")
        if (outer, name) not in self.loops:
            with self.graph._in_context(outer):
                context = WhileContext(self.graph, op.get_attr("parallel_iterations"))
            context.name = name.decode() if isinstance(name, bytes) else name
            self.loops[outer, name] = context
        context = self.loops[outer, name]
        if op.get_attr("is_constant"):
            outside, inside = op.inputs[0], op.outputs[0]
            context.brought[inside if outside in context.brought else outside] = inside
        return context

    def _complete(self, context: Any, merges: list[Operation]) -> None:
        """Fill in what a loop has of each variable."""
        if not isinstance(context, WhileContext):
            raise NotImplementedError(f"{merges[0].name!r} closes a loop that nothing enters")
        for index, merge in enumerate(merges):
            entered = next(t for t in merge.inputs if t.op.type not in _NEXT)
            divided = self._switch_of(merge)
            context.initial.append(entered.op.inputs[0])
            context.merged.append(merge.outputs[0])
            context.switched.append(divided)
            context.condition = divided.inputs[1]
            context.body_inputs.append(divided.outputs[1])
            context.body_results.append(self._closes(merge).op.inputs[0])
            leaving = [r for r in self.consumers.get(divided.outputs[0], []) if r.type in _EXIT]
            if not leaving:
                with framework.control_dependencies(None), self.graph._in_context(context):
                    leaving = [emit("Exit", [divided.outputs[0]]).op]
                leaving[0]._context = context.outer
            context.exits.append(leaving[0].outputs[0])
            for op in leaving:
                self.graph._scratch.setdefault("exits", {})[op] = (context, index)
        inside = context.body_inputs[0]
        readers = [r for r in self.consumers.get(inside, []) if r.type == "Identity"]
        if readers:
            context.pivot = readers[0].outputs[0]
            return
        with framework.control_dependencies(None), self.graph._in_context(context):
            context.pivot = emit("Identity", [inside])

    def _switch_of(self, merge: Operation) -> Operation:
        for reader in self.consumers.get(merge.outputs[0], []):
            if reader.type in _SWITCH and self._is_of_loop(reader):
                return reader
        with framework.control_dependencies(None), self.graph._in_context(merge._context):
            return switch(merge.outputs[0], self._condition(merge))[0].op

    def _condition(self, merge: Operation) -> Tensor:
        """Return the condition of the loop that a Merge is in."""
        for op in self.imported:
            if op.type == "LoopCond" and op._context is merge._context:
                return op.outputs[0]
        raise NotImplementedError(f"the loop of {merge.name!r} has no condition")
