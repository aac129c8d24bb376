"""What programs ask of a dataset. All options are kept; none changes the elements."""

from __future__ import annotations

from typing import Any

_THREADS = ("max_intra_op_parallelism", "private_threadpool_size")
_NAMES: dict[str, tuple[str, ...]] = {
    "threading": _THREADS,
    "experimental_threading": _THREADS,
    "autotune": ("autotune_algorithm", "cpu_budget", "enabled", "initial_parallelism",
                 "min_parallelism", "ram_budget"),
    "distribute": ("auto_shard_policy", "num_devices"),
    "experimental_distribute": ("auto_shard", "auto_shard_policy", "num_devices"),
    "experimental_optimization": (
        "apply_default_optimizations", "autotune", "autotune_algorithm", "autotune_buffers",
        "autotune_cpu_budget", "autotune_ram_budget", "filter_fusion",
        "filter_parallelization", "filter_with_random_uniform_fusion", "hoist_random_uniform",
        "inject_prefetch", "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion",
        "map_parallelization", "map_vectorization", "noop_elimination", "parallel_batch",
        "reorder_data_discarding_ops", "seq_interleave_prefetch", "shuffle_and_repeat_fusion",
    ),
    "experimental_service": ("pinned",),
}  # fmt: skip
_ALONE = (
    "dataset_name", "deterministic", "experimental_autotune", "experimental_deterministic",
    "experimental_external_state_policy", "experimental_make_stateless", "experimental_numa_aware",
    "experimental_slack", "experimental_stateful_whitelist", "experimental_stats",
    "experimental_symbolic_checkpoint", "experimental_warm_start", "framework_type",
)  # fmt: skip


class Options:
    """Named options, some of them in groups: options.experimental_threading.max_intra_op_..."""

    def __init__(self, group: str | None = None) -> None:
        names = (*_NAMES, *_ALONE) if group is None else _NAMES[group]
        object.__setattr__(self, "_names", frozenset(names))
        object.__setattr__(self, "_is_whole", group is None)
        object.__setattr__(self, "_values", {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._check(name)
        if self._is_whole and name in _NAMES and name not in self._values:
            self._values[name] = Options(name)
        return self._values.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._check(name)
        self._values[name] = value

    def _check(self, name: str) -> None:
        if name not in self._names:
            raise AttributeError(f"tf.data.Options has no option {name!r}; there are "
                                 f"{', '.join(sorted(self._names))}")  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and self._given_values() == other._given_values()

    def __hash__(self) -> int:
        return hash(frozenset(self._given_values()))

    def _given_values(self) -> dict[str, Any]:
        """Return the options that say something: a group of none is none."""
        return {
            name: value for name, value in self._values.items()
            if value is not None and not (isinstance(value, Options) and not value._given_values())
        }  # fmt: skip

    def merge(self, options: Options) -> Options:
        """Return these options and the other ones, which go before."""
        merged = Options()
        merged._values.update(self._values)
        merged._values.update(options._values)
        return merged
