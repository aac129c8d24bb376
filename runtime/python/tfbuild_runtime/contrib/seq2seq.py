"""tf.contrib.seq2seq, as far as it needs no decoder: losses over sequences, copies of batches."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, nest, reduce_ops, xent_ops


def sequence_loss(logits: Any, targets: Any, weights: Any, average_across_timesteps: bool = True,
                  average_across_batch: bool = True, softmax_loss_function: Any = None,
                  name: str | None = None) -> Any:  # fmt: skip
    """Return the weighted cross entropy of logits [batch, time, words] by targets [batch, time].

    It is averaged over batch and time, or what is left of them. Raises ValueError for other ranks.
    """
    ranks = [len(tensor.get_shape()) for tensor in (logits, targets, weights)]
    if ranks != [3, 2, 2]:
        raise ValueError("Logits must be a [batch_size x sequence_length x logits] tensor, targets "
                         f"and weights [batch_size x sequence_length]; their ranks are "
                         f"{ranks}")  # fmt: skip
    with framework.name_scope(name, "sequence_loss", [logits, targets, weights]):
        classes = array_ops.shape(logits)[2]
        flat = array_ops.reshape(logits, array_ops.stack([-1, classes]))
        words = array_ops.reshape(targets, [-1])
        if softmax_loss_function is None:
            losses = xent_ops.sparse_softmax_cross_entropy_with_logits(labels=words, logits=flat)
        else:
            losses = softmax_loss_function(labels=words, logits=flat)
        losses = losses * array_ops.reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            return reduce_ops.reduce_sum(losses) / (reduce_ops.reduce_sum(weights) + 1e-12)
        losses = array_ops.reshape(losses, array_ops.shape(logits)[0:2])
        for axis, averaged in ((0, average_across_batch), (1, average_across_timesteps)):
            if averaged:
                total = reduce_ops.reduce_sum(weights, axis)
                return reduce_ops.reduce_sum(losses, axis) / (total + 1e-12)
        return losses


def tile_batch(t: Any, multiplier: int, name: str | None = None) -> Any:
    """Return tensors with each example of a batch repeated, one copy after the other."""
    with framework.name_scope(name, "tile_batch", nest.tensors_in(t)):
        return nest.pack_leaves(t, [_tiled(leaf, multiplier) for leaf in nest.leaves(t)])


def _tiled(tensor: Any, multiplier: int) -> Any:
    tensor = framework.convert_to_tensor(tensor, name="t")
    known = tensor.get_shape().as_list()
    wide = array_ops.tile(
        array_ops.expand_dims(tensor, 1), [1, multiplier] + [1] * (len(known) - 1)
    )
    shape = array_ops.shape(tensor)
    result = array_ops.reshape(wide, array_ops.concat([[shape[0] * multiplier], shape[1:]], 0))
    result.set_shape([None if known[0] is None else known[0] * multiplier, *known[1:]])
    return result
