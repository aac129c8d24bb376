"""Kernels over millions of elements, or over one huge one, end soon after the step's time is over.

What an op reads is made before and kept in variables, so that the time is over while it works.
"""

import contextlib
import time

import pytest
import tfbuild_runtime.compat.v1 as tf

_TIMEOUT = tf.RunOptions(timeout_in_ms=50)
_MANY = 1 << 23
_PLAIN = tf.ConfigProto(  # what is constant is not computed while the step is planned
    graph_options=tf.GraphOptions(optimizer_options=tf.OptimizerOptions(opt_level=-1))
)

_ops = tf.raw_ops


class _Kept:
    """Makes variables that a session fills before the step whose time is measured."""

    def __init__(self):
        self.initializers = []

    def __call__(self, value):
        variable = tf.Variable(value, use_resource=True, trainable=False, validate_shape=False)
        self.initializers.append(variable.initializer)
        read = variable.read_value()
        read.set_shape(value.shape)
        return read

    def ones(self, *shape, dtype=tf.float32):
        return self(tf.ones(shape, dtype))

    def rising(self, count, dtype=tf.int32):
        return self(tf.range(count, dtype=dtype))

    def drawn(self, count, limit):
        return self(tf.random_uniform([count, 1], 0, limit, tf.int32))

    def texts(self, count, text):
        return self(tf.fill([count], text))

    def text(self, count, text):
        return self(tf.reshape(tf.reduce_join(tf.fill([count], text)), [1]))

    def places(self, count, rank=1, dtype=tf.int64):
        rising = tf.range(count, dtype=dtype)
        return self(tf.stack([rising, *[tf.zeros([count], dtype)] * (rank - 1)], axis=1))

    def sparse(self, prefix, count, rank=1, values="values", shape="shape"):
        """The three inputs of a sparse tensor, by the names that an op has for them."""
        return {
            f"{prefix}indices": self.places(count, rank),
            f"{prefix}{values}": self.ones(count),
            f"{prefix}{shape}": tf.constant([count] + [1] * (rank - 1), tf.int64),
        }

    def noise(self, side):
        return self(tf.cast(tf.random_uniform([side, side, 3], 0, 256, tf.int32), tf.uint8))


_EXAMPLE = tf.train.Example(
    features=tf.train.Features(
        feature={"a": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0]))}
    )
).SerializeToString()
_JSON = '{"features":{"feature":{"a":{"floatList":{"value":[1.0]}}}}}'
_SIDE = 14000

_LONG = {
    "DecodeCSV of one record": lambda k: tf.decode_csv(k.text(4 * _MANY, "1,"), [[0.0]] * 2),
    "DecodeCSV of many": lambda k: tf.decode_csv(k.texts(_MANY, "1,2"), [[0.0]] * 2),
    "DecodeRaw": lambda k: tf.decode_raw(
        k.texts(2 * _MANY, "12345678"), tf.int16, little_endian=False
    ),
    "DecodeJSONExample": lambda k: _ops.DecodeJSONExample(json_examples=k.texts(1 << 20, _JSON)),
    "ParseExample": lambda k: tf.parse_example(
        k.texts(_MANY // 2, _EXAMPLE), {"a": tf.FixedLenFeature([], tf.float32)}
    )["a"],
    "StringSplit": lambda k: tf.string_split(k.text(2 * _MANY, "a ")).values,
    "RegexReplace": lambda k: tf.strings.regex_replace(k.text(2 * _MANY, "ab"), "a", "cc"),
    "Substr": lambda k: tf.strings.substr(k.texts(2 * _MANY, "abc"), 1, 1),
    "SparseReorder": lambda k: _ops.SparseReorder(
        input_indices=k(tf.reverse(tf.range(_MANY, dtype=tf.int64), [0])[:, None]),
        input_values=k.ones(_MANY), input_shape=tf.constant([_MANY], tf.int64),
    ),
    "SparseAdd": lambda k: _ops.SparseAdd(
        **k.sparse("a_", _MANY), **k.sparse("b_", _MANY), thresh=0.0
    ),
    "SparseDenseCwiseMul": lambda k: _ops.SparseDenseCwiseMul(
        **k.sparse("sp_", 4 * _MANY), dense=k.ones(4 * _MANY)
    ),
    "SparseSoftmax": lambda k: _ops.SparseSoftmax(**k.sparse("sp_", _MANY, 2)),
    "SparseReduceSum": lambda k: _ops.SparseReduceSum(
        **k.sparse("input_", _MANY, 2), reduction_axes=1
    ),
    "SparseReshape": lambda k: _ops.SparseReshape(
        input_indices=k.places(_MANY), input_shape=tf.constant([_MANY], tf.int64),
        new_shape=tf.constant([2, -1], tf.int64),
    ),
    "SparseFillEmptyRows": lambda k: _ops.SparseFillEmptyRows(
        **k.sparse("", _MANY, 2, shape="dense_shape"), default_value=0.0
    ),
    "SparseToDense": lambda k: _ops.SparseToDense(
        sparse_indices=k.places(2 * _MANY), output_shape=tf.constant([2 * _MANY], tf.int64),
        sparse_values=k.ones(2 * _MANY), default_value=0.0,
    ),
    "SparseTensorDenseMatMul": lambda k: _ops.SparseTensorDenseMatMul(
        **k.sparse("a_", 1 << 18, 2), b=k.ones(1, 400)
    ),
    "SparseSlice": lambda k: _ops.SparseSlice(
        **k.sparse("", _MANY), start=tf.constant([1], tf.int64),
        size=tf.constant([_MANY], tf.int64),
    ),
    "SparseSplit": lambda k: _ops.SparseSplit(
        split_dim=tf.constant(0, tf.int64), **k.sparse("", _MANY), num_split=2
    ),
    "SerializeManySparse": lambda k: _ops.SerializeManySparse(
        **k.sparse("sparse_", 1 << 21, 2)
    ),
    "SparseSegmentSum": lambda k: _ops.SparseSegmentSum(
        data=k.ones(10, 10000), indices=k(tf.zeros([1 << 19], tf.int32)),
        segment_ids=k(tf.zeros([1 << 19], tf.int32)),
    ),
    "RaggedRange": lambda k: _ops.RaggedRange(
        starts=k(tf.zeros([_MANY], tf.int32)), limits=2, deltas=1
    ),
    "RaggedGather": lambda k: _ops.RaggedGather(
        params_nested_splits=[k.rising(_MANY + 1, tf.int64)], params_dense_values=k.ones(_MANY),
        indices=k.rising(_MANY), OUTPUT_RAGGED_RANK=1,
    ),
    "RaggedTensorToSparse": lambda k: _ops.RaggedTensorToSparse(
        rt_nested_splits=[k.rising(_MANY + 1, tf.int64)], rt_dense_values=k.ones(_MANY)
    ),
    "RaggedTensorToVariant": lambda k: _ops.RaggedTensorToVariant(
        rt_nested_splits=[k.rising((1 << 21) + 1, tf.int64)], rt_dense_values=k.ones(1 << 21),
        batched_input=True,
    ),
    "RaggedTensorToTensor": lambda k: _ops.RaggedTensorToTensor(
        shape=tf.constant([-1, -1], tf.int64), values=k.ones(_MANY), default_value=0.0,
        row_partition_tensors=[k.rising(_MANY + 1, tf.int64)], row_partition_types=["ROW_SPLITS"],
    ),
    "DynamicPartition": lambda k: tf.dynamic_partition(
        k.ones(4 * _MANY), k(tf.zeros([4 * _MANY], tf.int32)), 2
    ),
    "DynamicStitch": lambda k: tf.dynamic_stitch([k.rising(4 * _MANY)], [k.ones(4 * _MANY)]),
    "GatherNd": lambda k: tf.gather_nd(k.ones(_MANY), k.drawn(8 * _MANY, _MANY)),
    "ScatterNd": lambda k: tf.scatter_nd(k.drawn(4 * _MANY, _MANY), k.ones(4 * _MANY), [_MANY]),
    "Cumsum of one line": lambda k: tf.cumsum(k.ones(16 * _MANY)),
    "Cumsum of many": lambda k: tf.cumsum(k.ones(1 << 13, 1 << 14), axis=0),
    "TensorScatterAdd": lambda k: tf.tensor_scatter_add(
        k.ones(_MANY), k.drawn(4 * _MANY, _MANY), k.ones(4 * _MANY)
    ),
    "EncodeBase64": lambda k: tf.encode_base64(k.text(_MANY, "abcdefgh" * 8)),
    "DecodeBase64": lambda k: tf.decode_base64(k.text(_MANY, "abcdefgh" * 8)),
    "HistogramSummary": lambda k: tf.summary.histogram("a", k.ones(4 * _MANY)),
    "ImageSummary": lambda k: tf.summary.image("a", k.ones(1, 6000, 6000, 3)),
    "AudioSummary": lambda k: tf.summary.audio("a", k.ones(1, 8 * _MANY, 1), 44100),
    "DrawBoundingBoxes": lambda k: tf.image.draw_bounding_boxes(
        k.ones(1, 4000, 4000, 3), k(tf.tile([[[0.0, 0.0, 1.0, 1.0]]], [1, 1 << 17, 1]))
    ),
    "ResizeBilinearGrad": lambda k: _ops.ResizeBilinearGrad(
        grads=k.ones(1, _SIDE, _SIDE, 1), original_image=tf.ones([1, 10, 10, 1])
    ),
    "ResizeBicubicGrad": lambda k: _ops.ResizeBicubicGrad(
        grads=k.ones(1, _SIDE, _SIDE, 1), original_image=tf.ones([1, 10, 10, 1])
    ),
    "ResizeNearestNeighborGrad": lambda k: _ops.ResizeNearestNeighborGrad(
        grads=k.ones(1, _SIDE, _SIDE, 1), size=[10, 10]
    ),
    "EncodePng": lambda k: tf.image.encode_png(k.noise(6000)),
    "EncodeJpeg": lambda k: tf.image.encode_jpeg(k.noise(9000)),
    # Much out of little.
    "UnsortedSegmentSum into many": lambda k: tf.math.unsorted_segment_sum(
        k.ones(1, dtype=tf.half), [0], 32 * _MANY
    ),
    "UnsortedSegmentMax into many": lambda k: tf.math.unsorted_segment_max(
        k.ones(1), [0], 16 * _MANY
    ),
    "SegmentMax into many": lambda k: tf.segment_max(k.ones(1), [8 * _MANY]),
    "ScatterNd into many": lambda k: tf.scatter_nd([[0]], k.ones(1), [32 * _MANY]),
    "SparseToDense into many": lambda k: _ops.SparseToDense(
        sparse_indices=[0], output_shape=[32 * _MANY], sparse_values=k.ones(1), default_value=0.0
    ),
    "Any of nothing": lambda k: tf.reduce_any(tf.zeros([32 * _MANY, 0], tf.bool), 1),
    "Sum of nothing": lambda k: tf.reduce_sum(tf.zeros([32 * _MANY, 0], tf.int8), 1),
    "complex Sum of nothing": lambda k: tf.reduce_sum(tf.zeros([4 * _MANY, 0], tf.complex64), 1),
    "MatMul over nothing": lambda k: tf.matmul(tf.ones([1 << 14, 0]), tf.ones([0, 1 << 14])),
    "MatrixDiag": lambda k: tf.matrix_diag(k.ones(1 << 14)),
    "ExtractImagePatches": lambda k: tf.image.extract_image_patches(
        k.ones(1, 200, 200, 3), [1, 30, 30, 1], [1, 1, 1, 1], [1, 1, 1, 1], "SAME"
    ),
}  # fmt: skip


def _seconds(session, operation, options=None):
    """How long a step takes, to its end, that of its time or an error."""
    begun = time.monotonic()
    with contextlib.suppress(tf.errors.OpError):
        session.run(operation, options=options)
    return time.monotonic() - begun


@pytest.mark.slow
@pytest.mark.cpu
@pytest.mark.parametrize("name", _LONG)
def test_a_kernel_over_much_ends_with_its_steps_time(name):
    kept = _Kept()
    with tf.Session(config=_PLAIN) as session:
        long = _LONG[name](kept)
        while isinstance(long, (list, tuple)):
            long = long[0]
        for initializer in kept.initializers:
            session.run(initializer)
        ended = min(_seconds(session, long.op, _TIMEOUT) for _ in range(2))
        # Other programs slow both down alike.
        assert ended < _seconds(session, long.op) / 2
