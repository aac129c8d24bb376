"""The two seeds of a dataset that draws by chance."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.data.building import int64
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, math_ops, random_ops


def seed_tensors(seed: Any) -> tuple[Any, Any]:
    """Return both seeds as tensors, zeros where each reading may differ."""
    is_tensor = framework.is_tensor_like(seed)
    first, second = random_ops.get_seed(int64(seed, "seed2") if is_tensor else seed)
    if is_tensor and first == 0:  # only a step knows whether both are zero
        second = array_ops.where_v2(math_ops.equal(second, 0), random_ops.LIMIT, second)
    return int64(first or 0, "seed"), int64(0 if second is None else second, "seed2")
