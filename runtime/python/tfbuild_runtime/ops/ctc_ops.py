"""Connectionist temporal classification: its loss, and the labels that are likeliest."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.sparse_tensor import SparseTensor
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops, reduce_ops, sequence_ops
from tfbuild_runtime.ops.emit import emit, known_sizes

# Decoded labels, one sparse matrix for each path, and what is said of their likelihood.
Decoded = tuple[list[SparseTensor], Any]


def _time_first(tensor: Any, is_first: bool) -> Any:
    return tensor if is_first else array_ops.transpose(tensor, [1, 0, 2])


def ctc_loss(labels: Any, inputs: Any = None, sequence_length: Any = None,
             preprocess_collapse_repeated: bool = False, ctc_merge_repeated: bool = True,
             ignore_longer_outputs_than_inputs: bool = False, time_major: bool = True,
             logits: Any = None) -> Any:  # fmt: skip
    """Return the loss of each sequence of logits; the last class is the blank.

    Raises TypeError for labels that are no SparseTensor.
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError("Expected labels (first argument) to be a SparseTensor")
    given = framework.convert_to_tensor(logits if inputs is None else inputs, name="inputs")
    return emit("CTCLoss", [_time_first(given, time_major), labels.indices, labels.values,
                            sequence_length], "CTCLoss",
                preprocess_collapse_repeated=preprocess_collapse_repeated,
                ctc_merge_repeated=ctc_merge_repeated,
                ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs)  # fmt: skip


def ctc_greedy_decoder(inputs: Any, sequence_length: Any, merge_repeated: bool = True,
                       blank_index: int | None = None) -> Decoded:  # fmt: skip
    """Return the likeliest class of each step without blanks, and minus the sums of the logits.

    The blank is the last class unless blank_index says which; a negative one counts from the end.
    """
    attrs = {"merge_repeated": merge_repeated,
             "blank_index": -1 if blank_index is None else blank_index}  # fmt: skip
    op = framework.apply_op("CTCGreedyDecoder", [inputs, sequence_length], attrs,
                            "CTCGreedyDecoder")  # fmt: skip
    indices, values, shape, score = op.outputs
    return [SparseTensor(indices, values, shape)], score


def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: Any,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> Decoded:
    """Return the likeliest labels, best first, and the logarithms of their probabilities."""
    op = framework.apply_op(
        "CTCBeamSearchDecoder", [inputs, sequence_length],
        {"beam_width": beam_width, "top_paths": top_paths, "merge_repeated": merge_repeated},
        "CTCBeamSearchDecoder",
    )  # fmt: skip
    paths = [SparseTensor(*(op.outputs[part * top_paths + path] for part in range(3)))
             for path in range(top_paths)]  # fmt: skip
    return paths, op.outputs[3 * top_paths]


def ctc_beam_search_decoder_v2(inputs: Any, sequence_length: Any, beam_width: int = 100,
                               top_paths: int = 1) -> Decoded:  # fmt: skip
    """Return the likeliest labels as they are, repeated ones too, and their log probabilities."""
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, False)


def dense_labels_to_sparse(dense: Any, length: Any) -> SparseTensor:
    """Return the first labels of each row, as many as its length says."""
    dense = framework.convert_to_tensor(dense, name="dense")
    longest = math_ops.cast(reduce_ops.reduce_max(length), dtypes.int64)
    sizes = array_ops.stack([array_ops.shape(dense, out_type=dtypes.int64)[0], longest])
    kept = sequence_ops.sequence_mask(length, array_ops.shape(dense)[1])
    places = array_ops.where(kept)
    return SparseTensor(places, emit("GatherNd", [dense, places]), sizes)


def ctc_loss_v2(labels: Any, logits: Any, label_length: Any, logit_length: Any,
                logits_time_major: bool = True, unique: Any = None, blank_index: int | None = None,
                name: str | None = None) -> Any:  # fmt: skip
    """Return the loss of each sequence; blank_index says which class is the blank.

    Raises ValueError for sparse labels without a blank_index.
    """
    if not isinstance(labels, SparseTensor):
        return ctc_loss_dense(labels, logits, label_length, logit_length, logits_time_major,
                              unique, 0 if blank_index is None else blank_index, name)  # fmt: skip
    if blank_index is None:
        raise ValueError("blank_index must be given when using SparseTensor labels.")
    with framework.name_scope(name, "ctc_loss", [logits]):
        logits = framework.convert_to_tensor(logits, name="logits")
        logits, numbers = _blank_last(logits, labels.values, blank_index)
        return ctc_loss(labels.with_values(numbers), logits, logit_length,
                        time_major=logits_time_major)  # fmt: skip


def ctc_loss_dense(labels: Any, logits: Any, label_length: Any, logit_length: Any,
                   logits_time_major: bool = True, unique: Any = None, blank_index: int = 0,
                   name: str | None = None) -> Any:  # fmt: skip
    """Return the loss of each sequence; labels are a matrix of which label_length count."""
    del unique  # which labels occur twice is found all the same
    with framework.name_scope(name, "ctc_loss_dense", [logits, labels]):
        sparse = dense_labels_to_sparse(labels, label_length)
        return ctc_loss_v2(sparse, logits, None, logit_length, logits_time_major,
                           blank_index=blank_index)  # fmt: skip


def _blank_last(logits: Any, labels: Any, blank: int) -> tuple[Any, Any]:
    """Return logits whose last class is the blank, and the numbers of the labels there."""
    classes = logits.get_shape().as_list()[-1]
    if classes is not None and blank < 0:
        blank += classes
    labels = math_ops.cast(labels, dtypes.int32)
    if classes is not None and blank == classes - 1:
        return logits, labels
    before, its, behind = logits[:, :, :blank], logits[:, :, blank : blank + 1], None
    behind = logits[:, :, blank + 1 :]
    moved = array_ops.where_v2(labels > blank, labels - 1, labels)
    return array_ops.concat([before, behind, its], axis=2), moved


def collapse_repeated(labels: Any, seq_length: Any, name: str | None = None) -> tuple[Any, Any]:
    """Return labels without those that repeat the one before, and the new lengths."""
    with framework.name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        labels = framework.convert_to_tensor(labels, name="labels")
        seq_length = framework.convert_to_tensor(seq_length, name="seq_length")
        first = creation_ops.ones_like(labels[:, :1], dtype=dtypes.bool)
        differs = array_ops.concat([first, math_ops.not_equal(labels[:, 1:], labels[:, :-1])], 1)
        width = array_ops.shape(labels)[1]
        kept = math_ops.logical_and(differs, sequence_ops.sequence_mask(seq_length, width))
        lengths = reduce_ops.reduce_sum(math_ops.cast(kept, seq_length.dtype.base_dtype), 1)
        places = array_ops.where(sequence_ops.sequence_mask(lengths))
        values = array_ops.boolean_mask(labels, kept)
        longest = reduce_ops.reduce_max(lengths)
        sizes = array_ops.stack([array_ops.shape(labels, out_type=dtypes.int64)[0],
                                 math_ops.cast(longest, dtypes.int64)])  # fmt: skip
        collapsed = emit("ScatterNd", [places, values, sizes])
        known = known_sizes(labels)
        if known is not None:
            collapsed.set_shape([known[0], None])
        return collapsed, math_ops.cast(lengths, seq_length.dtype.base_dtype)


def ctc_unique_labels(labels: Any, name: str | None = None) -> tuple[Any, Any]:
    """Return the labels that occur in each row (0 behind them), and which one each label is."""
    with framework.name_scope(name, "ctc_unique_labels", [labels]):
        labels = framework.convert_to_tensor(labels, name="labels")
        from tfbuild_runtime.ops.functional_ops import map_fn
        from tfbuild_runtime.ops.order_ops import unique

        def of_row(row: Any) -> Any:
            found = unique(row)
            missing = array_ops.size(row) - array_ops.size(found.y)
            return [array_ops.pad(found.y, [[0, missing]]), found.idx]

        values, places = map_fn(of_row, labels, dtype=[labels.dtype.base_dtype, dtypes.int32])
        for tensor in (values, places):
            tensor.set_shape(labels.get_shape())
        return values, math_ops.cast(places, dtypes.int64)


def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True,
                  name: str = "edit_distance") -> Any:  # fmt: skip
    """Return how far each sequence of labels is from the true one, per label of that.

    Raises TypeError for what is no SparseTensor.
    """
    both = [_sparse_labels(hypothesis, "Hypothesis"), _sparse_labels(truth, "Truth")]
    return emit("EditDistance", [*both[0].parts(), *both[1].parts()], name, normalize=normalize)


def _sparse_labels(value: Any, what: str) -> SparseTensor:
    try:
        return SparseTensor.from_value(value)
    except TypeError:
        raise TypeError(f"{what} must be a SparseTensor.") from None
