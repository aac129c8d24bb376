"""Estimators that begin with what another training has left in a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tfbuild_runtime.train.warm_start import warm_start


class WarmStartSettings(NamedTuple):
    """Which checkpoint, which variables (a pattern or names), and how they were called there."""

    ckpt_to_initialize_from: Any
    vars_to_warm_start: Any = ".*"
    var_name_to_vocab_info: Mapping[str, Any] | None = None
    var_name_to_prev_var_name: Mapping[str, str] | None = None


def start_from(given: Any) -> None:
    """Begin as an estimator's warm_start_from says: a path, or settings."""
    settings = given if isinstance(given, WarmStartSettings) else WarmStartSettings(given)
    warm_start(*settings)


__all__ = ["WarmStartSettings", "start_from"]
