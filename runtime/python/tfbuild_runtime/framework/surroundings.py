"""What the blocks around operations say of them: devices, colocation, what they wait for."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

from tfbuild_runtime.framework.operation import Operation


class Controller:
    """One `with control_dependencies(...)` block."""

    def __init__(self, ops: Sequence[Operation]) -> None:
        self.ops = ops
        # An op that reads one made inside the block already waits for what the block waits for.
        self.inside: weakref.WeakSet[Operation] = weakref.WeakSet()


class _Blocks:
    """The blocks that are open, each kind with the innermost last."""

    def __init__(self, before: Any = None) -> None:
        self.controllers: list[Controller] = [] if before is None else list(before.controllers)
        self.devices: list[Any] = [] if before is None else list(before.devices)
        self.colocated: list[Operation] = [] if before is None else list(before.colocated)


class _Names(threading.local):
    """The name scope that is open in each thread."""

    stack = ""


class _BlocksOfThread(threading.local, _Blocks):
    """The same for each thread by itself, which begins with those that were open before."""


class Surrounded:
    """The part of a graph that knows the blocks around what is made."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks = _Blocks()
        self._names = _Names()

    def switch_to_thread_local(self) -> None:
        """Let each thread have open blocks of its own from now on, as when threads add to a graph.

        A thread begins with those that are open now. Name scopes are each thread's in any case.
        """
        if not isinstance(self._blocks, _BlocksOfThread):
            self._blocks = _BlocksOfThread(self._blocks)

    @property
    def _name_stack(self) -> str:
        return self._names.stack

    @_name_stack.setter
    def _name_stack(self, scope: str) -> None:
        self._names.stack = scope

    @property
    def _controllers(self) -> list[Controller]:
        return self._blocks.controllers

    @_controllers.setter
    def _controllers(self, controllers: list[Controller]) -> None:
        self._blocks.controllers = controllers

    @property
    def _devices(self) -> list[Any]:
        return self._blocks.devices

    @_devices.setter
    def _devices(self, devices: list[Any]) -> None:
        self._blocks.devices = devices

    @property
    def _colocated_with(self) -> list[Operation]:
        return self._blocks.colocated

    @_colocated_with.setter
    def _colocated_with(self, operations: list[Operation]) -> None:
        self._blocks.colocated = operations
