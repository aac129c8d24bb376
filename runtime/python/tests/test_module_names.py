"""Modules of TensorFlow's own that programs import, and Defun, which is in one of them."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf
from tfbuild_runtime.compat import module_names

# What public programs import, and what it is here.
SAME = {
    "python.framework.sparse_tensor.SparseTensor": "SparseTensor",
    "python.framework.smart_cond.smart_cond": "python.layers.utils.smart_cond",
    "python.framework.tensor_util.MakeNdarray": "make_ndarray",
    "python.ops.string_ops.string_join": "string_join",
    "python.ops.parsing_ops.parse_single_example": "parse_single_example",
    "python.ops.io_ops.read_file": "read_file",
    "python.ops.image_ops_impl.resize_images": "image.resize_images",
    "python.ops.losses.losses_impl.compute_weighted_loss": "losses.compute_weighted_loss",
    "python.ops.losses.util.add_loss": "losses.add_loss",
    "python.ops.distributions.normal.Normal": "distributions.Normal",
    "python.ops.distributions.kullback_leibler.kl_divergence": "distributions.kl_divergence",
    "python.ops.special_math_ops.einsum": "einsum",
    "python.ops.spectral_ops.rfft": "signal.rfft",
    "python.ops.metrics_impl.accuracy": "metrics.accuracy",
    "python.ops.rnn.raw_rnn": "nn.raw_rnn",
    "python.ops.ragged.ragged_tensor.RaggedTensor": "RaggedTensor",
    "python.training.adam.AdamOptimizer": "train.AdamOptimizer",
    "python.training.queue_runner_impl.start_queue_runners": "train.start_queue_runners",
    "python.training.learning_rate_decay.exponential_decay": "train.exponential_decay",
    "python.training.server_lib.ClusterSpec": "train.ClusterSpec",
    "python.saved_model.tag_constants.SERVING": "saved_model.tag_constants.SERVING",
    "python.saved_model.builder_impl.SavedModelBuilder": "saved_model.builder.SavedModelBuilder",
    "python.summary.writer.writer.FileWriter": "summary.FileWriter",
    "python.keras.layers.Dense": "keras.layers.Dense",
    "python.keras.layers.convolutional.Conv2D": "keras.layers.Conv2D",
    "python.keras.engine.base_layer.Layer": "keras.layers.Layer",
    "python.keras.backend.set_session": "keras.backend.set_session",
    "python.estimator.model_fn.EstimatorSpec": "estimator.EstimatorSpec",
    "contrib.crf.python.ops.crf.viterbi_decode": "contrib.crf.viterbi_decode",
    "contrib.training.python.training.hparam.HParams": "contrib.training.HParams",
    "contrib.legacy_seq2seq.python.ops.seq2seq.rnn_decoder": "contrib.legacy_seq2seq.rnn_decoder",
    "contrib.seq2seq.python.ops.beam_search_decoder.BeamSearchDecoder": (
        "contrib.seq2seq.BeamSearchDecoder"
    ),
    "contrib.rnn.python.ops.core_rnn_cell_impl._linear": "python.ops.rnn_cell_impl._linear",
}


def named(name):
    found = tf
    for part in name.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", sorted(SAME))
def test_modules_have_what_tensorflow_had_in_them(name):
    assert named(name) is named(SAME[name])


def test_each_listed_module_is_there():
    for name in module_names.ALIKE:
        assert named(name).__name__ == f"tensorflow.{name}"


def test_what_is_deprecated_is_used_all_the_same():
    deprecation = tf.python.util.deprecation

    @deprecation.deprecated("2018-01-01", "Use another.")
    @deprecation.deprecated_args(None, "Give another.", "old")
    def function(new):
        return new + 1

    with deprecation.silence():
        assert function(1) == 2


def test_a_defun_is_written_out_where_it_is_called(run):
    Defun = tf.python.framework.function.Defun  # noqa: N806

    @Defun(tf.float32, tf.int32)
    def scaled(x, times):
        return x * tf.cast(times, tf.float32), times + 1

    assert run(scaled([1.0, 2.0], 3))[0].tolist() == [3, 6]
    with pytest.raises(ValueError, match="Expected number of arguments: 2, received: 1"):
        scaled(1.0)

    @Defun()
    def nothing(x):
        with tf.control_dependencies([tf.identity(x)]):
            return tf.no_op()

    assert run(nothing(1.0)) is None


def test_a_defun_has_the_gradients_that_it_is_given(run):
    Defun = tf.python.framework.function.Defun  # noqa: N806
    seen = []

    def by_op(op, grad):
        seen.extend((len(op.inputs), len(op.outputs)))
        return 10 * grad + op.inputs[0]

    @Defun(tf.float32, python_grad_func=by_op, shape_func=lambda op: [op.inputs[0].get_shape()])
    def as_it_is(x):
        return tf.identity(x)

    @Defun(tf.float32, tf.float32)
    def by_values(x, grad):
        return x * grad * 100

    @Defun(tf.float32, grad_func=by_values, func_name="squared")
    def squared(x):
        return tf.square(x)

    x = tf.constant(np.array([1, 2], np.float32))
    values, slopes = run([squared(x), tf.gradients([as_it_is(x), squared(x)], x)[0]])
    assert values.tolist() == [1, 4]
    assert slopes.tolist() == [10 + 1 + 100, 10 + 2 + 200]
    assert seen == [1, 1]
    with pytest.raises(ValueError, match="Gradient defined twice"):
        Defun(tf.float32, grad_func=by_values, python_grad_func=by_op)
