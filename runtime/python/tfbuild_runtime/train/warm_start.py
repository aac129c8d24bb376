"""First values out of other checkpoints, by patterns of names; and the checkpoints of a folder."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import variables
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.train import checkpoint_reader
from tfbuild_runtime.train.checkpoint_state import latest_checkpoint


def warm_start(ckpt_to_initialize_from: Any, vars_to_warm_start: Any = ".*",
               var_name_to_vocab_info: Mapping[str, Any] | None = None,
               var_name_to_prev_var_name: Mapping[str, str] | None = None) -> None:  # fmt: skip
    """Let the initializers of variables take their values from a checkpoint.

    vars_to_warm_start is a pattern that names of trainable variables begin with, a list of such
    for all variables, or a list of variables; None are those with another name in the checkpoint.
    Raises NotImplementedError for vocabularies, ValueError for names that are not there.
    """
    if var_name_to_vocab_info:
        raise NotImplementedError("values are not moved between vocabularies")
    names = dict(var_name_to_prev_var_name or {})
    chosen = _grouped(_chosen(vars_to_warm_start))
    if vars_to_warm_start is None:
        chosen = {name: v for name, v in _grouped(_all()).items() if name in names}
    unknown = set(names) - set(chosen)
    if unknown:
        raise ValueError("You provided the following variables in var_name_to_prev_var_name that "
                         f"were not used: {sorted(unknown)}.")  # fmt: skip
    pairs = [(names.get(name, name), parts) for name, parts in chosen.items()]
    checkpoint_reader.init_from_checkpoint(ckpt_to_initialize_from, pairs)


def _all() -> list[Any]:
    return list(variables.global_variables())


def _chosen(wanted: Any) -> list[Any]:
    if wanted is None:
        return []
    if isinstance(wanted, str):
        trainable = framework.get_collection(GraphKeys.TRAINABLE_VARIABLES)
        return [v for v in trainable if re.match(wanted, v.op.name)]
    patterns = [one for one in wanted if isinstance(one, str)]
    found = [v for v in _all() if any(re.match(one, v.op.name) for one in patterns)]
    return found + [one for one in wanted if not isinstance(one, str)]


def _grouped(found: list[Any]) -> dict[str, list[Any]]:
    """Return variables by name, the parts of one beside each other by the name of the whole."""
    grouped: dict[str, list[Any]] = {}
    for variable in found:
        for part in checkpoint_reader.parts_of(variable):
            grouped.setdefault(checkpoint_reader.saved_name(part), []).append(part)
    return grouped


def checkpoints_iterator(
    checkpoint_dir: Any, min_interval_secs: float = 0, timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:  # fmt: skip
    """Yield each new checkpoint of a folder, no sooner than min_interval_secs after the last one.

    Without a new one for timeout seconds it ends, or asks timeout_fn, if there is one, whether to.
    """
    last: str | None = None
    while True:
        found = _wait_for_new(checkpoint_dir, last, timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        began, last = time.time(), found
        yield found
        left = began + min_interval_secs - time.time()
        if left > 0:
            time.sleep(left)


def _wait_for_new(folder: Any, last: str | None, timeout: float | None) -> str | None:
    """Return the latest checkpoint that is not the last one; None where the time is over."""
    pause = 1.0 if timeout is None else min(1.0, max(timeout / 10, 0.01))
    end = None if timeout is None else time.time() + timeout
    while True:
        found = latest_checkpoint(folder)
        if found is not None and found != last:
            return found
        if end is not None and time.time() + pause > end:
            return None
        time.sleep(pause)
