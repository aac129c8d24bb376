"""What tests take from tensorflow.python.training.training_util that is not for programs."""

from __future__ import annotations

from typing import Any

import tfbuild_runtime.compat.v1 as tf


def _increment_global_step(increment: Any, graph: Any = None) -> Any:
    """Return an operation that adds to the global step of the graph."""
    step = tf.train.get_global_step(graph)
    if step is None:
        raise ValueError("make the global step first: tf.train.get_or_create_global_step")
    with step.graph.as_default(), tf.name_scope(f"{step.op.name}/"):
        return tf.assign_add(step, increment)
