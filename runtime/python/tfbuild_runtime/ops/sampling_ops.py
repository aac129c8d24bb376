"""Losses over very many classes, of which each step looks at a few that samplers draw."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, reduce_ops, xent_ops
from tfbuild_runtime.ops.embedding_ops import embedding_lookup
from tfbuild_runtime.ops.emit import emit
from tfbuild_runtime.ops.linalg_ops import matmul
from tfbuild_runtime.ops.random_ops import seed_attrs


def _sampled(op_type: str, true_classes: Any, seed: int | None, name: str | None,
             **attrs: Any) -> tuple[Any, ...]:  # fmt: skip
    attrs.update(seed_attrs(seed))
    return tuple(framework.apply_op(op_type, [true_classes], attrs, name).outputs)


def uniform_candidate_sampler(true_classes: Any, num_true: int, num_sampled: int, unique: bool,
                              range_max: int, seed: int | None = None,
                              name: str | None = None) -> Any:  # fmt: skip
    """Return classes drawn evenly, and how often the true and the drawn ones are expected."""
    return _sampled("UniformCandidateSampler", true_classes, seed, name, num_true=num_true,
                    num_sampled=num_sampled, unique=unique, range_max=range_max)  # fmt: skip


def log_uniform_candidate_sampler(true_classes: Any, num_true: int, num_sampled: int, unique: bool,
                                  range_max: int, seed: int | None = None,
                                  name: str | None = None) -> Any:  # fmt: skip
    """As uniform_candidate_sampler, small numbers being the likely ones (Zipf's law)."""
    return _sampled("LogUniformCandidateSampler", true_classes, seed, name, num_true=num_true,
                    num_sampled=num_sampled, unique=unique, range_max=range_max)  # fmt: skip


def learned_unigram_candidate_sampler(true_classes: Any, num_true: int, num_sampled: int,
                                      unique: bool, range_max: int, seed: int | None = None,
                                      name: str | None = None) -> Any:  # fmt: skip
    """As uniform_candidate_sampler, classes being as likely as they were in the steps before."""
    return _sampled("LearnedUnigramCandidateSampler", true_classes, seed, name, num_true=num_true,
                    num_sampled=num_sampled, unique=unique, range_max=range_max)  # fmt: skip


def fixed_unigram_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int,
    vocab_file: str = "", distortion: float = 1.0, num_reserved_ids: int = 0, num_shards: int = 1,
    shard: int = 0, unigrams: Any = (), seed: int | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """As uniform_candidate_sampler, classes being as likely as the file or the list says."""
    return _sampled(
        "FixedUnigramCandidateSampler", true_classes, seed, name, num_true=num_true,
        num_sampled=num_sampled, unique=unique, range_max=range_max, vocab_file=vocab_file,
        distortion=distortion, num_reserved_ids=num_reserved_ids, num_shards=num_shards,
        shard=shard, unigrams=[float(weight) for weight in unigrams],
    )  # fmt: skip


def all_candidate_sampler(true_classes: Any, num_true: int, num_sampled: int, unique: bool,
                          seed: int | None = None, name: str | None = None) -> Any:  # fmt: skip
    """Return all classes: for tests of what takes a sampler."""
    return _sampled("AllCandidateSampler", true_classes, seed, name, num_true=num_true,
                    num_sampled=num_sampled, unique=unique)  # fmt: skip


def compute_accidental_hits(true_classes: Any, sampled_candidates: Any, num_true: int,
                            seed: int | None = None, name: str | None = None) -> Any:  # fmt: skip
    """Return where a drawn class is a true one: rows, drawn places, and the least numbers."""
    attrs = {"num_true": num_true, **seed_attrs(seed)}
    inputs = [true_classes, sampled_candidates]
    return tuple(framework.apply_op("ComputeAccidentalHits", inputs, attrs, name).outputs)


def _row_sums(x: Any) -> Any:
    """Return the sum of each row, as a product with ones."""
    columns = array_ops.shape(x)[1]
    ones = creation_ops.ones(array_ops.stack([columns, 1]), x.dtype.base_dtype)
    return array_ops.reshape(matmul(x, ones), [-1])


def _logits_of_some(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int,
                    num_classes: int, num_true: int, sampled_values: Any,
                    remove_accidental_hits: bool,
                    partition_strategy: str, seed: int | None) -> Any:  # fmt: skip
    """Return logits of the true and of the drawn classes, and labels for them."""
    parts = list(weights) if isinstance(weights, (list, tuple)) else weights
    labels = math_ops.cast(labels, dtypes.int64)
    flat = array_ops.reshape(labels, [-1])
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(
            labels, num_true, num_sampled, True, num_classes, seed=seed
        )
    drawn, true_expected, drawn_expected = map(array_ops.stop_gradient, sampled_values)
    drawn = math_ops.cast(drawn, dtypes.int64)
    both = array_ops.concat([flat, drawn], 0)
    rows = embedding_lookup(parts, both, partition_strategy=partition_strategy)
    offsets = embedding_lookup(biases, both, partition_strategy=partition_strategy)
    inputs = framework.convert_to_tensor(inputs)
    count = array_ops.shape(flat)[0]
    true_rows, drawn_rows = rows[:count], rows[count:]
    true_offsets, drawn_offsets = offsets[:count], offsets[count:]
    drawn_logits = matmul(inputs, drawn_rows, transpose_b=True)
    dim = array_ops.shape(true_rows)[1:2]
    shape = array_ops.concat([[-1, num_true], dim], 0)
    products = math_ops.multiply(array_ops.expand_dims(inputs, 1),
                                 array_ops.reshape(true_rows, shape))  # fmt: skip
    products = array_ops.reshape(products, array_ops.concat([[-1], dim], 0))
    true_logits = array_ops.reshape(_row_sums(products), [-1, num_true])
    true_logits += array_ops.reshape(true_offsets, [-1, num_true])
    drawn_logits += drawn_offsets
    if remove_accidental_hits:
        hits = compute_accidental_hits(labels, drawn, num_true)
        drawn_logits += _placed(hits, array_ops.shape(drawn_logits), drawn_logits.dtype.base_dtype)
    true_logits -= math_ops.log(true_expected)
    drawn_logits -= math_ops.log(drawn_expected)
    logits = array_ops.concat([true_logits, drawn_logits], 1)
    wanted = array_ops.concat([creation_ops.ones_like(true_logits) / num_true,
                               creation_ops.zeros_like(drawn_logits)], 1)  # fmt: skip
    return logits, wanted


def _placed(hits: Any, shape: Any, dtype: Any) -> Any:
    """Return a matrix that is zero but for the weights of the hits."""
    rows, places, weights = hits
    where = array_ops.stack([rows, math_ops.cast(places, dtypes.int32)], axis=1)
    return emit("ScatterNd", [where, math_ops.cast(weights, dtype), shape])


def nce_loss(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int,
             num_classes: int, num_true: int = 1, sampled_values: Any = None,
             remove_accidental_hits: bool = False, partition_strategy: str = "mod",
             name: str = "nce_loss") -> Any:  # fmt: skip
    """Return for each example the loss by noise-contrastive estimation."""
    with framework.name_scope(name, "nce_loss"):
        logits, wanted = _logits_of_some(
            weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
            remove_accidental_hits, partition_strategy, None,
        )  # fmt: skip
        losses = xent_ops.sigmoid_cross_entropy_with_logits(labels=wanted, logits=logits)
        return reduce_ops.reduce_sum(losses, 1)


def sampled_softmax_loss(weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int,
                         num_classes: int, num_true: int = 1, sampled_values: Any = None,
                         remove_accidental_hits: bool = True, partition_strategy: str = "mod",
                         name: str = "sampled_softmax_loss",
                         seed: int | None = None) -> Any:  # fmt: skip
    """Return for each example the cross entropy among its true classes and the drawn ones."""
    with framework.name_scope(name, "sampled_softmax_loss"):
        logits, wanted = _logits_of_some(
            weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
            remove_accidental_hits, partition_strategy, seed,
        )  # fmt: skip
        wanted = array_ops.stop_gradient(wanted)
        return xent_ops.softmax_cross_entropy_with_logits_v2(labels=wanted, logits=logits)


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False,
                     name: str | None = None) -> Any:  # fmt: skip
    """Return exp(log_input) - log_input * targets, with Stirling's term if so asked."""
    with framework.name_scope(name, "log_poisson_loss", [log_input, targets]):
        log_input = framework.convert_to_tensor(log_input, name="log_input")
        targets = framework.convert_to_tensor(targets, name="targets")
        loss = math_ops.exp(log_input) - log_input * targets
        if not compute_full_loss:
            return loss
        stirling = targets * math_ops.log(targets) - targets
        stirling += 0.5 * math_ops.log(6.283185307179586 * targets)
        small = math_ops.logical_and(targets >= 0, targets <= 1)
        return loss + array_ops.where_v2(small, creation_ops.zeros_like(targets), stirling)
