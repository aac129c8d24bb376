"""The two seeds of a dataset that draws by chance."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import constant, dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import random_ops


def seed_tensors(seed: Any) -> tuple[Any, Any]:
    """Return both seeds as tensors, zeros where each reading may differ."""
    first, second = random_ops.get_seed(None if framework.is_tensor_like(seed) else seed)
    if framework.is_tensor_like(seed):
        first, second = random_ops.DEFAULT_GRAPH_SEED, framework.apply_op(
            "Cast", [seed], {"DstT": dtypes.int64}
        ).outputs[0]  # fmt: skip
    values = [
        value if framework.is_tensor_like(value)
        else constant.constant(value or 0, dtypes.int64, name=name)
        for value, name in ((first, "seed"), (second, "seed2"))
    ]  # fmt: skip
    return values[0], values[1]
