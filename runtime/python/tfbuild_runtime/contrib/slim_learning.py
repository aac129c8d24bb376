"""slim's training: a train op with its updates, gradients clipped and scaled."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework import variables
from tfbuild_runtime.framework.graph_keys import GraphKeys
from tfbuild_runtime.framework.indexed_slices import like_slices, values_of
from tfbuild_runtime.ops import array_ops, check_ops, clip_ops, control_ops
from tfbuild_runtime.train.global_step import get_or_create_global_step

_USE_GLOBAL_STEP = 0


def clip_gradient_norms(gradients_to_variables: Any, max_norm: float) -> list[tuple[Any, Any]]:
    """Return the (gradient, variable) pairs with each gradient no longer than max_norm."""
    return [(gradient if gradient is None else clip_ops.clip_by_norm(gradient, max_norm), variable)
            for gradient, variable in gradients_to_variables]  # fmt: skip


def multiply_gradients(grads_and_vars: Any, gradient_multipliers: Any) -> list[tuple[Any, Any]]:
    """Return the (gradient, variable) pairs with gradients scaled by variable or its name."""
    scaled = []
    for given, variable in grads_and_vars:
        gradient = given
        keys = [key for key in (variable, variable.op.name) if key in gradient_multipliers]
        if keys and gradient is None:
            raise ValueError("Requested multiple of `None` gradient.")
        if keys:
            values = values_of(gradient) * gradient_multipliers[keys[0]]
            gradient = like_slices(gradient, values)
        scaled.append((gradient, variable))
    return scaled


def create_train_op(
    total_loss: Any, optimizer: Any, global_step: Any = _USE_GLOBAL_STEP, update_ops: Any = None,
    variables_to_train: Any = None, transform_grads_fn: Any = None,
    summarize_gradients: bool = False, gate_gradients: int = 1,
    aggregation_method: Any = None, colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True, clip_gradient_norm: float = 0, gradient_multipliers: Any = None,
) -> Any:  # fmt: skip
    """Return a tensor that trains one step, runs the updates, and has the value of the loss."""
    del summarize_gradients
    if global_step is _USE_GLOBAL_STEP:
        global_step = get_or_create_global_step()
    updates = framework.get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops
    if updates:
        with framework.control_dependencies(list(updates)):
            barrier = control_ops.no_op(name="update_barrier")
        total_loss = control_ops.with_dependencies([barrier], total_loss)
    chosen = variables_to_train or variables.trainable_variables()
    grads = optimizer.compute_gradients(
        total_loss, chosen, gate_gradients=gate_gradients, aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )  # fmt: skip
    if gradient_multipliers:
        grads = multiply_gradients(grads, gradient_multipliers)
    if clip_gradient_norm > 0:
        grads = clip_gradient_norms(grads, clip_gradient_norm)
    if transform_grads_fn is not None:
        grads = transform_grads_fn(grads)
    step = optimizer.apply_gradients(grads, global_step=global_step)
    with framework.name_scope("train_op"):
        if check_numerics:
            total_loss = check_ops.check_numerics(total_loss, "LossTensor is inf or nan")
        with framework.control_dependencies([step]):
            train_op = array_ops.identity(total_loss)
    if train_op not in framework.get_collection_ref(GraphKeys.TRAIN_OP):
        framework.add_to_collection(GraphKeys.TRAIN_OP, train_op)
    return train_op


def train_step(sess: Any, train_op: Any, global_step: Any,
               train_step_kwargs: Any) -> tuple[Any, bool]:  # fmt: skip
    """Run one step; return the loss and whether a `should_stop` among the arguments is true."""
    loss, _ = sess.run([train_op, global_step])
    stop = train_step_kwargs.get("should_stop")
    return loss, bool(sess.run(stop)) if stop is not None else False


def analyze_vars(variables: Any, print_info: bool = False) -> tuple[int, int]:
    """Return how many elements and bytes variables have; print a line for each if asked to."""
    elements = bytes_ = 0
    for variable in variables:
        count = variable.get_shape().num_elements()
        elements += count
        bytes_ += count * variable.dtype.base_dtype.size
        if print_info:
            print(variable.name, variable.get_shape(), count)
    return elements, bytes_
