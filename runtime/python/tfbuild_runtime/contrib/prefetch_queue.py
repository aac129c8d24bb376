"""tf.contrib.slim.prefetch_queue: batches that threads get ready before they are asked for."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.io.queues import FIFOQueue, PaddingFIFOQueue
from tfbuild_runtime.ops import math_ops
from tfbuild_runtime.summary import summary_ops
from tfbuild_runtime.train.queue_runner import QueueRunner, add_queue_runner


def prefetch_queue(tensors: Any, capacity: int = 8, num_threads: int = 1,
                   dynamic_pad: bool = False, shared_name: str | None = None,
                   name: str | None = None) -> Any:  # fmt: skip
    """Return a queue of the tensors, a list or a dict, that threads of the session keep full."""
    names = sorted(tensors) if isinstance(tensors, dict) else None
    parts = list(tensors) if names is None else [tensors[key] for key in names]
    with framework.name_scope(name, "prefetch_queue", parts) as scope:
        parts = [framework.convert_to_tensor(part) for part in parts]
        made = (PaddingFIFOQueue if dynamic_pad else FIFOQueue)(
            capacity, [part.dtype.base_dtype for part in parts],
            [part.get_shape() for part in parts], names, shared_name, scope,
        )  # fmt: skip
        enqueue = made.enqueue(parts if names is None else dict(zip(names, parts)))
        add_queue_runner(QueueRunner(made, [enqueue] * num_threads))
        full = math_ops.cast(made.size(), dtypes.float32) * (1.0 / capacity)
        summary_ops.scalar(f"fraction_of_{capacity}_full", full)
        return made
