"""Steps that stay open: each call brings some feeds and takes what they are enough for.

A call runs what its fetches need, and the targets that wait for no later feed. It keeps the values
that operations of later calls will read; these get them as feeds, so that nothing runs twice.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

from tfbuild_runtime.framework import errors, feeds, op_defs
from tfbuild_runtime.framework.operation import Operation, Tensor

NOT_SET_UP = "Must run 'setup' before performing partial runs!"


def refuse(message: str) -> NoReturn:
    """Raise InvalidArgumentError."""
    raise errors.InvalidArgumentError(None, None, message)


class PartialRun:
    """One open step: what it was set up for, and what it has computed."""

    def __init__(self, fed: list[Tensor], wanted: Any) -> None:
        if not wanted.tensors and not wanted.targets:
            refuse("Must specify at least one target to fetch or execute.")
        for tensor in wanted.tensors:
            if tensor in fed:
                refuse(f"{tensor.name} is both fed and fetched.")
        self._feeds, self._fetches = set(fed), set(wanted.tensors)
        self._targets = list(dict.fromkeys(wanted.targets))
        self._unfed, self._unfetched = set(fed), set(wanted.tensors)
        self._needed = self._behind([t.op for t in wanted.tensors] + self._targets, self._feeds)
        self._after = _followers(self._needed, self._feeds)
        self._readers: dict[Tensor, list[Operation]] = {}
        for op in self._needed:
            for tensor in op.inputs:
                self._readers.setdefault(tensor, []).append(op)
        self._units = _units(self._needed, self._feeds)
        self._values: dict[Tensor, Any] = {}  # fed, and kept for operations that wait
        self._done: set[Operation] = set()
        self._failed = False
        self.lock = threading.Lock()

    @property
    def is_over(self) -> bool:
        """Whether everything was fed and fetched, or a part of it has failed."""
        return self._failed or not (self._unfed or self._unfetched)

    def run(self, session: Any, wanted: Any, feed_dict: dict[Tensor, Any]) -> list[Any]:
        """Return the values of wanted.tensors; raises InvalidArgumentError as TensorFlow does."""
        arrays = self._checked(wanted, feed_dict)
        self._values.update(arrays)
        self._unfed -= arrays.keys()
        self._unfetched.difference_update(wanted.tensors)
        try:
            self._advance(session, wanted.tensors)
        except BaseException:
            self._failed = True
            raise
        missing = [tensor for tensor in wanted.tensors if tensor not in self._values]
        if missing:
            raise errors.UnimplementedError(
                None, None, f"{missing[0].name} is of a loop or branch whose other parts, such as "
                "its gradient, wait for a later feed; fetch them in one part of the step"
            )  # fmt: skip
        return [self._values[tensor] for tensor in wanted.tensors]

    def _checked(self, wanted: Any, feed_dict: dict[Tensor, Any]) -> dict[Tensor, Any]:
        for tensor in feed_dict:
            if tensor not in self._feeds:
                refuse(f"The feed {tensor.name} was not specified in partial_run_setup.")
            if tensor not in self._unfed:
                refuse(f"The feed {tensor.name} has already been fed.")
        for tensor in wanted.tensors:
            if tensor not in self._fetches:
                refuse(f"The fetch {tensor.name} was not specified in partial_run_setup.")
            if tensor not in self._unfetched:
                refuse(f"The fetch {tensor.name} has already been fetched.")
        late = self._unfed - feed_dict.keys()
        for op in self._behind([t.op for t in wanted.tensors], self._feeds):
            for tensor in op.inputs:
                if tensor in late:
                    refuse(f"Fetch {tensor.name} can't be computed from the feeds that have been "
                           "fed so far.")  # fmt: skip
        return {tensor: _array(tensor, value) for tensor, value in feed_dict.items()}

    def _advance(self, session: Any, fetches: list[Tensor]) -> None:
        """Run what the fetches need, and targets that nothing holds up any more."""
        blocked = self._blocked()
        ends = [t.op for t in fetches if t not in self._values and t.op not in blocked]
        targets = [op for op in self._targets if op not in blocked and op not in self._done]
        if not ends and not targets:
            return
        running = self._running(ends + targets)
        for op in running & self._done:
            if _has_effect(op):
                raise errors.UnimplementedError(
                    None, None, f"{op.name} has run in an earlier part of the step, and another "
                    "operation of this part waits for it by a control dependency"
                )  # fmt: skip
        wanted = self._kept_of(running)
        read = [t for t in self._values if not running.isdisjoint(self._readers.get(t, ()))]
        results = session._step_of(read, wanted, targets)(*[self._values[t] for t in read])
        self._values.update(zip(wanted, results))
        self._done |= running

    def _kept_of(self, running: set[Operation]) -> list[Tensor]:
        """Return the tensors that are fetched, now or later, or read by later operations."""
        later = self._needed - running
        return [
            tensor
            for op in running
            for tensor in op.outputs
            if tensor not in self._values
            and (
                tensor in self._fetches
                or (not _is_source(op) and not later.isdisjoint(self._readers.get(tensor, ())))
            )
        ]

    def _running(self, ends: list[Operation]) -> set[Operation]:
        """Return what ends need, with all of each loop and branch."""
        running = self._behind(ends, self._values)
        while True:
            whole = [other for op in running for other in self._units.get(op, ())]
            if running.issuperset(whole):
                return running
            running = self._behind([*running, *whole], self._values)

    def _blocked(self) -> set[Operation]:
        """Return the operations that wait for a feed; of a loop or branch all of them do."""
        blocked: set[Operation] = set()
        waiting = [op for op in self._needed if any(t in self._unfed for t in op.inputs)]
        while waiting:
            op = waiting.pop()
            if op in blocked or op in self._done:
                continue
            blocked.add(op)
            waiting.extend(self._units.get(op, ()))
            waiting.extend(self._after.get(op, ()))
        return blocked

    @staticmethod
    def _behind(ends: Iterable[Operation], known: Any) -> set[Operation]:
        """Return the operations that ends need, where the values in `known` are there."""
        found: set[Operation] = set()
        waiting = list(ends)
        while waiting:
            op = waiting.pop()
            if op in found:
                continue
            found.add(op)
            waiting.extend(_waits_for(op, known))
        return found


def _array(tensor: Tensor, value: Any) -> Any:
    """Return a copy: what is kept for later parts must not change with the program's array."""
    shape = tensor.get_shape()
    sizes = None if shape.ndims is None else [-1 if s is None else s for s in shape.as_list()]
    dtype = tensor.dtype.base_dtype
    return np.array(feeds.as_feed(value, dtype.as_datatype_enum, sizes, tensor.name))


def _waits_for(op: Operation, known: Any) -> Iterator[Operation]:
    """Yield what must run before op; nobody waits for a placeholder, whose value is brought."""
    yield from (tensor.op for tensor in op.inputs if tensor not in known)
    yield from (before for before in op.control_inputs if before.type != "Placeholder")


def _followers(needed: set[Operation], fed: set[Tensor]) -> dict[Operation, list[Operation]]:
    followers: dict[Operation, list[Operation]] = {}
    for op in needed:
        for before in _waits_for(op, fed):
            followers.setdefault(before, []).append(op)
    return followers


def _is_source(op: Operation) -> bool:
    """Whether it only names a resource, such as a variable: each part of a step may ask again."""
    return not op.inputs and bool(op.outputs) and all(_is_handle(t) for t in op.outputs)


def _has_effect(op: Operation) -> bool:
    defined = op_defs.get(op.type)
    writes = any(arg.is_ref for arg in defined.inputs)
    return not _is_source(op) and (defined.is_stateful or writes)


def _is_handle(tensor: Tensor) -> bool:
    return tensor.dtype._is_ref_dtype or tensor.dtype.base_dtype.name in ("resource", "variant")


def _units(needed: set[Operation], fed: set[Tensor]) -> dict[Operation, list[Operation]]:
    """Return for an operation of a loop, or with resources of one step, all that run with it."""
    sets: dict[Operation, list[Operation]] = {}

    def join(one: Operation, other: Operation) -> None:
        first, second = sets.setdefault(one, [one]), sets.setdefault(other, [other])
        if first is second:
            return
        first.extend(second)
        sets.update(dict.fromkeys(second, first))

    of_context: dict[Any, Operation] = {}
    for op in needed:
        context = op._context
        while context is not None and context.outer is not None:
            context = context.outer
        if context is not None:
            join(of_context.setdefault(context, op), op)
        for tensor in op.inputs:
            moves = op.type in ("Merge", "Exit", "NextIteration") or tensor.op.type == "Switch"
            shares = not tensor.dtype._is_ref_dtype and _is_handle(tensor)
            if tensor not in fed and (moves or (shares and not _is_source(tensor.op))):
                join(tensor.op, op)
    return sets
