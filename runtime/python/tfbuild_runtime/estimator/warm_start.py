"""Variables that begin with what another training has left in a checkpoint."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.train.checkpoint_reader import init_from_checkpoint

_PART = re.compile(r"/part_\d+$")


class WarmStartSettings(NamedTuple):
    """Which checkpoint, which variables (a pattern or names), and how they were called there."""

    ckpt_to_initialize_from: Any
    vars_to_warm_start: Any = ".*"
    var_name_to_vocab_info: Mapping[str, Any] | None = None
    var_name_to_prev_var_name: Mapping[str, str] | None = None


def warm_start(ckpt_to_initialize_from: Any, vars_to_warm_start: Any = ".*",
               var_name_to_vocab_info: Mapping[str, Any] | None = None,
               var_name_to_prev_var_name: Mapping[str, str] | None = None) -> None:  # fmt: skip
    """Let variables begin with the values of a checkpoint, or of the latest one of a folder.

    A pattern chooses among the trainable variables, a list of patterns among all. Raises ValueError
    for a name that no variable has, and NotImplementedError for vocabularies that have changed.
    """
    if var_name_to_vocab_info:
        raise NotImplementedError("warm starts by vocabularies (VocabInfo) are not there")
    previous = dict(var_name_to_prev_var_name or {})
    started = set()
    for variable in _chosen(vars_to_warm_start):
        name = _PART.sub("", variable.op.name)
        saved = previous.get(name, name)
        init_from_checkpoint(ckpt_to_initialize_from, {saved: variable})
        started.add(name)
    unused = sorted(set(previous) - started)
    if unused:
        raise ValueError(f"You provided previous names of variables that are not started from the "
                         f"checkpoint: {unused}")  # fmt: skip


def _chosen(patterns: Any) -> list[Any]:
    if patterns is None:
        return []
    if isinstance(patterns, str):
        return framework.get_collection(GraphKeys.TRAINABLE_VARIABLES, patterns)
    found: dict[Any, None] = {}
    for pattern in patterns:
        found.update(dict.fromkeys(framework.get_collection(GraphKeys.GLOBAL_VARIABLES, pattern)))
    return list(found)


def start_from(given: Any) -> None:
    """Begin as an estimator's warm_start_from says: a path, or settings."""
    settings = given if isinstance(given, WarmStartSettings) else WarmStartSettings(given)
    warm_start(*settings)


__all__ = ["WarmStartSettings", "start_from", "warm_start"]
