"""Whether layers behave as while training: by word, by the model around them, or by a feed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from tfbuild_runtime.framework import ops as framework

_KEY = "keras_learning_phase"


class _Calls(threading.local):
    """What the calls of layers around this one were given as training, the outermost first."""

    def __init__(self) -> None:
        self.given: list[Any] = []


_calls = _Calls()


def learning_phase() -> Any:
    """Return 0 or 1 where it was set, else a tensor that is False and may be fed."""
    graph = framework.get_default_graph()
    if _KEY not in graph._scratch:
        with framework.control_dependencies(None), framework.name_scope(None):
            graph._scratch[_KEY] = framework.apply_op(
                "PlaceholderWithDefault",
                [framework.constant(False, name=f"{_KEY}/input")], {"shape": ()}, _KEY,
            ).outputs[0]  # fmt: skip
    return graph._scratch[_KEY]


def set_learning_phase(value: Any) -> None:
    """Let layers of this graph behave as while training (1) or not (0); raises ValueError."""
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    framework.get_default_graph()._scratch[_KEY] = int(value)


def fed(training: bool) -> dict[Any, bool]:
    """Return what a step feeds, so that layers know whether it trains."""
    phase = framework.get_default_graph()._scratch.get(_KEY)
    return {phase: training} if framework.is_tensor_like(phase) else {}


@contextlib.contextmanager
def calling(training: Any) -> Iterator[Any]:
    """Yield what a layer's call in the block is given as training, by word or by who calls it."""
    around = _calls.given[-1] if _calls.given else None
    _calls.given.append(around if training is None else training)
    try:
        yield _calls.given[-1]
    finally:
        _calls.given.pop()
