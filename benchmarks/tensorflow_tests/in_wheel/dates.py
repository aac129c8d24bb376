"""What tensorflow.python.compat.compat gives: which day's behaviour a program may count on."""

from __future__ import annotations

import contextlib
from typing import Any


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether new ops may be used: those that TensorFlow 1.15 had."""
    return False


def forward_compatibility_horizon(year: int, month: int, day: int) -> Any:
    """Change nothing."""
    return contextlib.nullcontext()
