"""How sessions are configured: ConfigProto and its friends, under TensorFlow's names."""

from collections.abc import Mapping
from typing import Any, ClassVar


class _Message:
    """A record whose fields have defaults and which refuses unknown names."""

    _defaults: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, **fields: Any) -> None:
        for name, default in self._defaults.items():
            # Classes stand for sub-messages, so that each record has its own.
            value = default() if isinstance(default, type) else default
            object.__setattr__(self, name, value)
        for name, value in fields.items():
            setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__} has no field {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._defaults:
            known = ", ".join(self._defaults)
            raise ValueError(f"{type(self).__name__} has no field {name!r}; fields are {known}")
        object.__setattr__(self, name, value)

    def CopyFrom(self, other: Any) -> None:
        """Take the values of all fields of other."""
        for name in self._defaults:
            object.__setattr__(self, name, getattr(other, name))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._defaults)
        return f"{type(self).__name__}({fields})"


class GPUOptions(_Message):
    """What a session does with GPUs; memory is taken as it is needed, whatever is asked for."""

    _defaults: ClassVar[Mapping[str, Any]] = {
        "per_process_gpu_memory_fraction": 0.0,
        "allow_growth": False,
        "allocator_type": "",
        "visible_device_list": "",
    }


class RewriterConfig(_Message):
    """Which passes rewrite what a session runs; fields of others are accepted and ignored."""

    DEFAULT = 0
    ON = 1
    OFF = 2
    AGGRESSIVE = 3
    _defaults: ClassVar[Mapping[str, Any]] = {
        "constant_folding": 0,
        "arithmetic_optimization": 0,
        "common_subgraph_elimination": 0,
        "dependency_optimization": 0,
        "function_optimization": 0,
        "layout_optimizer": 0,
        "loop_optimization": 0,
        "memory_optimization": 0,
        "remapping": 0,
        "disable_meta_optimizer": False,
    }

    def switched_off(self) -> list[str]:
        """Return the names of the passes that must not run."""
        by_field = {
            "dependency_optimization": "drop_waits",
            "constant_folding": "fold_constants",
            "arithmetic_optimization": "simplify",
            "layout_optimizer": "layout",
            "common_subgraph_elimination": "common_subexpressions",
            "remapping": "fuse",
        }
        if self.disable_meta_optimizer:
            return ["all"]
        return [name for field, name in by_field.items() if getattr(self, field) == self.OFF]


class OptimizerOptions(_Message):
    """At opt_level L0 nothing is rewritten; the rest is accepted for programs that set it."""

    L1 = 0
    L0 = -1
    ON_1 = 1
    ON_2 = 2
    DEFAULT = 0
    OFF = -1
    _defaults: ClassVar[Mapping[str, Any]] = {
        "opt_level": 0,
        "global_jit_level": 0,
        "do_constant_folding": False,
        "do_common_subexpression_elimination": False,
        "do_function_inlining": False,
    }


class GraphOptions(_Message):
    """How the graph of a session is rewritten before it runs."""

    _defaults: ClassVar[Mapping[str, Any]] = {
        "optimizer_options": OptimizerOptions,
        "rewrite_options": RewriterConfig,
        "infer_shapes": False,
        "place_pruned_graph": False,
    }

    def disabled_passes(self) -> list[str]:
        """Return the names of the passes that must not run."""
        if self.optimizer_options.opt_level == OptimizerOptions.L0:
            return ["all"]
        return list(self.rewrite_options.switched_off())


class ConfigProto(_Message):
    """The configuration of a session."""

    _defaults: ClassVar[Mapping[str, Any]] = {
        "device_count": dict,
        "intra_op_parallelism_threads": 0,
        "inter_op_parallelism_threads": 0,
        "use_per_session_threads": False,
        "allow_soft_placement": False,
        "log_device_placement": False,
        "gpu_options": GPUOptions,
        "graph_options": GraphOptions,
        "operation_timeout_in_ms": 0,
        "isolate_session_state": False,
    }


class RunOptions(_Message):
    """The configuration of one step."""

    NO_TRACE = 0
    SOFTWARE_TRACE = 1
    HARDWARE_TRACE = 2
    FULL_TRACE = 3
    _defaults: ClassVar[Mapping[str, Any]] = {
        "trace_level": 0,
        "timeout_in_ms": 0,
        "inter_op_thread_pool": 0,
        "output_partition_graphs": False,
        "report_tensor_allocations_upon_oom": False,
    }
