"""What a session reads of a ConfigProto."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from tfbuild_runtime.protos import messages

_MOST_CPUS = 1024
_PASSES = {
    "dependency_optimization": "drop_waits",
    "constant_folding": "fold_constants",
    "arithmetic_optimization": "simplify",
    "layout_optimizer": "layout",
    "common_subgraph_elimination": "common_subexpressions",
    "remapping": "fuse",
}  # by the field of RewriterConfig that switches a pass off


class SessionOptions(NamedTuple):
    """How a session runs its graph; fields of a ConfigProto that are not here are ignored."""

    num_cpus: int = 1
    use_gpu: bool = True
    intra_op_threads: int = 0
    inter_op_threads: int = 0
    allow_soft_placement: bool = False
    log_device_placement: bool = False
    timeout_ms: int = 0
    disabled_passes: tuple[str, ...] = ()


def options_of(config: Any) -> SessionOptions:
    """Return the options of a ConfigProto; those of an empty one for None.

    Raises TypeError for what is no ConfigProto, ValueError for more processors than a session has
    room for.
    """
    is_hidden = os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1")
    if config is None:  # without protobuf, which takes longer to load than a session to make
        return SessionOptions(use_gpu=not is_hidden)
    if not messages.is_message(config, "ConfigProto"):
        raise TypeError(f"config must be a tf.ConfigProto, but got {type(config)}")
    return SessionOptions(
        num_cpus=_num_cpus(config),
        use_gpu=config.device_count.get("GPU", 1) != 0 and not is_hidden,
        intra_op_threads=config.intra_op_parallelism_threads,
        inter_op_threads=config.inter_op_parallelism_threads,
        allow_soft_placement=config.allow_soft_placement,
        log_device_placement=config.log_device_placement,
        timeout_ms=config.operation_timeout_in_ms,
        disabled_passes=_disabled_passes(config),
    )


def _num_cpus(config: Any) -> int:
    count = config.device_count.get("CPU", 1)
    if count > _MOST_CPUS:
        raise ValueError(f"device_count of CPU is {count}, and at most {_MOST_CPUS} are made")
    return max(1, count)


def _disabled_passes(config: Any) -> tuple[str, ...]:
    if not config.HasField("graph_options"):
        return ()
    graph_options = config.graph_options
    rewrites = graph_options.rewrite_options
    if graph_options.optimizer_options.opt_level < 0 or rewrites.disable_meta_optimizer:
        return ("all",)
    return tuple(
        name for field, name in _PASSES.items() if getattr(rewrites, field) == rewrites.OFF
    )
