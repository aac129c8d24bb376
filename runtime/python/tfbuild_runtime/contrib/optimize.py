"""tf.contrib.layers.optimize_loss: one call that makes a training step."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.contrib.slim_learning import multiply_gradients
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import variables
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.ops import clip_ops, control_ops
from tfbuild_runtime.ops.variable_scope import variable_scope
from tfbuild_runtime.train import optimizers
from tfbuild_runtime.train.global_step import get_global_step

OPTIMIZER_CLS_NAMES = {
    "Adagrad": optimizers.AdagradOptimizer,
    "Adam": optimizers.AdamOptimizer,
    "Momentum": lambda rate: optimizers.MomentumOptimizer(rate, momentum=0.9),
    "RMSProp": optimizers.RMSPropOptimizer,
    "SGD": optimizers.GradientDescentOptimizer,
}


def optimize_loss(
    loss: Any, global_step: Any, learning_rate: Any, optimizer: Any,
    gradient_noise_scale: Any = None, gradient_multipliers: Any = None, clip_gradients: Any = None,
    learning_rate_decay_fn: Any = None,
    update_ops: Any = None, variables: Any = None, name: str | None = None, summaries: Any = None,
    colocate_gradients_with_ops: bool = False, increment_global_step: bool = True,
) -> Any:  # fmt: skip
    """Return a tensor that trains one step and has the value of the loss.

    Raises ValueError for an optimizer that is none, NotImplementedError for noise on gradients.
    """
    del summaries
    if gradient_noise_scale is not None:
        raise NotImplementedError("optimize_loss(gradient_noise_scale=...) is not there")
    with variable_scope(name, "OptimizeLoss", [loss]):
        step = get_global_step() if global_step is None else global_step
        updates = (
            framework.get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops
        )
        if updates:
            loss = control_ops.with_dependencies(list(updates), loss)
        rate = learning_rate
        if learning_rate_decay_fn is not None:
            rate = learning_rate_decay_fn(learning_rate, step)
        chosen = _optimizer(optimizer, rate)
        grads = chosen.compute_gradients(
            loss, variables or _trained(), colocate_gradients_with_ops=colocate_gradients_with_ops
        )
        if gradient_multipliers is not None:
            grads = multiply_gradients(grads, gradient_multipliers)
        grads = _clipped(grads, clip_gradients)
        counted = step if increment_global_step else None
        train = chosen.apply_gradients(grads, global_step=counted, name="train")
        return control_ops.with_dependencies([train], loss)


def _trained() -> list[Any]:
    return variables.trainable_variables()


def _optimizer(optimizer: Any, rate: Any) -> Any:
    if isinstance(optimizer, str):
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError(f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], "
                             f"you provided {optimizer}.")  # fmt: skip
        return OPTIMIZER_CLS_NAMES[optimizer](rate)  # type: ignore[operator]
    if hasattr(optimizer, "compute_gradients"):
        return optimizer
    return optimizer(rate) if rate is not None else optimizer()


def _clipped(grads: Any, limit: Any) -> Any:
    if limit is None:
        return grads
    if callable(limit):
        return limit(grads)
    present = [gradient for gradient, _ in grads]
    clipped, _ = clip_ops.clip_by_global_norm(present, limit)
    return list(zip(clipped, [variable for _, variable in grads]))
