"""What tensorflow.python.eager.context gives where everything is a graph."""

from __future__ import annotations

import contextlib
from typing import Any

from missing import MissingName

GRAPH_MODE, EAGER_MODE = 0, 1


def executing_eagerly() -> bool:
    """Whether operations run as they are called; they never do."""
    return False


in_eager_mode = executing_eagerly_outside_functions = executing_eagerly


def in_graph_mode() -> bool:
    """Whether operations are added to a graph."""
    return True


def graph_mode() -> Any:
    """Change nothing."""
    return contextlib.nullcontext()


def eager_mode() -> Any:
    """Say that there is no eager execution."""
    raise MissingName("eager execution")


def num_gpus() -> int:
    """Return how many GPUs tests may use."""
    return 0


def context() -> Any:
    """Return what tests ask of a context."""
    return _Context()


class _Context:
    def num_gpus(self) -> int:
        return 0

    def executing_eagerly(self) -> bool:
        return False

    def ensure_initialized(self) -> None:
        """There is nothing to make."""

    def __getattr__(self, name: str) -> Any:
        raise MissingName(f"python.eager.context.{name}")
