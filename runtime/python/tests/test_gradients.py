"""Every gradient against central differences in float64, with known and unknown shapes."""

import matrix_cases
import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf
from tfbuild_runtime.framework import op_defs
from tfbuild_runtime.gradients import registry


def normal(*shape):
    return lambda random: random.standard_normal(shape)


def positive(*shape):
    return lambda random: random.uniform(0.5, 2.0, shape)


def apart(*shape):
    """Numbers of which no two are close, so that a small step changes no comparison."""
    return lambda random: random.permutation(np.linspace(-2.1, 2.3, int(np.prod(shape)))).reshape(
        shape
    )


def fixed(values):
    return lambda _: np.array(values, np.float64)


def of_variable(read):
    """Return what is read of a variable behind a handle once it is initialised."""
    variable = tf.Variable(np.full((2, 3), 0.5), use_resource=True)
    with tf.control_dependencies([variable.initializer]):
        return read(variable)


def raw(op_type, inputs, **attrs):
    from tfbuild_runtime.framework import ops

    return ops.apply_op(op_type, inputs, attrs).outputs


IMAGE, FILTER = normal(2, 5, 5, 2), normal(3, 2, 2, 3)
LABELS = fixed([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0]])

# name: (function of the inputs, makers of the inputs)
CASES = {
    "neg": (lambda x: -x, [normal(2, 3)]),
    "abs": (tf.abs, [apart(2, 3)]),
    "square": (tf.square, [normal(2, 3)]),
    "sqrt": (tf.sqrt, [positive(2, 3)]),
    "rsqrt": (tf.rsqrt, [positive(2, 3)]),
    "reciprocal": (tf.reciprocal, [positive(2, 3)]),
    "exp": (tf.exp, [normal(2, 3)]),
    "expm1": (tf.expm1, [normal(2, 3)]),
    "log": (tf.log, [positive(2, 3)]),
    "log1p": (tf.log1p, [positive(2, 3)]),
    "sin": (tf.sin, [normal(2, 3)]),
    "cos": (tf.cos, [normal(2, 3)]),
    "tanh": (tf.tanh, [normal(2, 3)]),
    "sigmoid": (tf.sigmoid, [normal(2, 3)]),
    "log_sigmoid": (tf.log_sigmoid, [normal(2, 3)]),
    "erf": (tf.erf, [normal(2, 3)]),
    "cond_true": (
        lambda x, y: tf.cond(tf.reduce_sum(x) > -100, lambda: x * x * y, lambda: y - x),
        [normal(2, 3), normal(3)],
    ),
    "cond_false": (
        lambda x, y: tf.cond(tf.reduce_sum(x) < -100, lambda: x * x * y, lambda: y - tf.sin(x)),
        [normal(2, 3), normal(3)],
    ),
    "while_loop": (
        lambda x, w: tf.while_loop(
            lambda i, s: i < 3, lambda i, s: (i + 1, tf.tanh(s * w) + x), [tf.constant(0), x]
        )[1],
        [normal(2, 3), normal(3)],
    ),
    "map_fn": (lambda x, w: tf.map_fn(lambda r: tf.sin(r) * w, x), [normal(2, 3), normal(3)]),
    "scan": (
        lambda x, w: tf.scan(lambda total, row: tf.tanh(total * w) + row, x),
        [normal(3, 2), normal(2)],
    ),
    "foldl_of_map_fn": (
        lambda x: tf.foldl(lambda total, row: total * row, tf.map_fn(tf.square, x)),
        [normal(3, 2)],
    ),
    "cond_in_while_loop": (
        lambda x, w: tf.while_loop(
            lambda i, s: i < 4,
            lambda i, s: (
                i + 1,
                tf.cond(tf.equal(i % 2, 0), lambda: tf.sin(s) * w, lambda: s + x * tf.square(s)),
            ),
            [tf.constant(0), x],
        )[1],
        [normal(2, 3), normal(3)],
    ),
    "resource_variable": (lambda x: x * of_variable(lambda v: v.read_value()), [normal(2, 3)]),
    "resource_gather": (lambda x: x * of_variable(lambda v: v.sparse_read([1, 1])), [normal(2, 3)]),
    "complex": (
        lambda x, y: tf.real(tf.conj(tf.complex(x, y))) - 2 * tf.imag(tf.conj(tf.complex(x, y))),
        [normal(2, 3), normal(2, 3)],
    ),
    "polar": (
        lambda x, y: tf.abs(tf.complex(x, y)) + tf.angle(tf.complex(x, y)),
        [normal(2, 3), normal(2, 3)],
    ),
    "cast": (lambda x: tf.cast(tf.cast(x, tf.float64) * 2, tf.float64), [normal(2, 3)]),
    "add": (tf.add, [normal(2, 3), normal(2, 3)]),
    "add_row": (tf.add, [normal(2, 3), normal(3)]),
    "add_column": (tf.add, [normal(2, 1), normal(2, 3)]),
    "add_both": (tf.add, [normal(2, 1, 3), normal(4, 1)]),
    "add_scalar": (tf.add, [normal(), normal(2, 3)]),
    "old_add": (lambda x, y: raw("Add", [x, y])[0], [normal(2, 3), normal(3)]),
    "subtract": (tf.subtract, [normal(2, 3), normal(2, 1)]),
    "multiply": (tf.multiply, [normal(2, 3), normal(3)]),
    "divide": (tf.divide, [normal(2, 3), positive(3)]),
    "old_div": (lambda x, y: raw("Div", [x, y])[0], [normal(2, 3), positive(2, 1)]),
    "div_no_nan": (tf.div_no_nan, [normal(2, 3), positive(3)]),
    "floormod": (tf.floormod, [fixed([[1.2, 2.7, -3.4]]), fixed([[1.0], [0.8]])]),
    "squared_difference": (tf.squared_difference, [normal(2, 3), normal(3)]),
    "pow": (tf.pow, [positive(2, 3), normal(3)]),
    "maximum": (tf.maximum, [apart(2, 3), fixed([[0.1], [-0.3]])]),
    "minimum": (tf.minimum, [apart(2, 3), fixed([0.1, -0.3, 0.7])]),
    "where": (lambda x, y: tf.where(x > y, x * 2, y * 3), [apart(2, 3), fixed([[0.0] * 3] * 2)]),
    "where_v2": (lambda x, y: tf.where_v2(x > 0, x, y), [apart(2, 3), normal(3)]),
    "add_n": (lambda x, y: tf.add_n([x, y, x]), [normal(2, 3), normal(2, 3)]),
    "matmul": (tf.matmul, [normal(2, 3), normal(3, 4)]),
    "matmul_ta": (lambda a, b: tf.matmul(a, b, transpose_a=True), [normal(3, 2), normal(3, 4)]),
    "matmul_tb": (lambda a, b: tf.matmul(a, b, transpose_b=True), [normal(2, 3), normal(4, 3)]),
    "matmul_tab": (
        lambda a, b: tf.matmul(a, b, transpose_a=True, transpose_b=True),
        [normal(3, 2), normal(4, 3)],
    ),
    "batch_matmul": (tf.matmul, [normal(2, 2, 3), normal(2, 3, 2)]),
    "batch_matmul_ta": (
        lambda a, b: tf.matmul(a, b, transpose_a=True),
        [normal(2, 3, 2), normal(2, 3, 2)],
    ),
    "batch_matmul_tb": (
        lambda a, b: tf.matmul(a, b, transpose_b=True),
        [normal(2, 2, 3), normal(2, 2, 3)],
    ),
    "batch_matmul_broadcast": (tf.matmul, [normal(2, 1, 2, 3), normal(3, 3, 2)]),
    "sum": (tf.reduce_sum, [normal(2, 3)]),
    "sum_axis": (lambda x: tf.reduce_sum(x, axis=1), [normal(2, 3, 2)]),
    "sum_keep": (lambda x: tf.reduce_sum(x, axis=[0, -1], keepdims=True), [normal(2, 3, 2)]),
    "sum_nothing": (lambda x: tf.reduce_sum(x, axis=[]), [normal(2, 3)]),
    "mean": (tf.reduce_mean, [normal(2, 3)]),
    "mean_axis": (lambda x: tf.reduce_mean(x, axis=[0, 2]), [normal(2, 3, 2)]),
    "max": (lambda x: tf.reduce_max(x, axis=1), [apart(2, 3)]),
    "min": (lambda x: tf.reduce_min(x, axis=[0], keepdims=True), [apart(2, 3)]),
    "prod": (lambda x: tf.reduce_prod(x, axis=1), [normal(2, 3)]),
    "prod_one_zero": (lambda x: tf.reduce_prod(x, axis=1), [fixed([[2.0, 0.0, 3.0]])]),
    "prod_two_zeros": (lambda x: tf.reduce_prod(x, axis=1), [fixed([[0.0, 0.0, 3.0]])]),
    "logsumexp": (lambda x: tf.reduce_logsumexp(x, axis=1), [normal(2, 3)]),
    "segments": (
        lambda x: tf.unsorted_segment_sum(x, [1, 0, 1, -1], 3),
        [normal(4, 2)],
    ),
    "identity": (tf.identity, [normal(2, 3)]),
    "identity_n": (
        lambda x, y: tf.multiply(*tf.identity_n([x, y])), [normal(2, 3), normal(2, 3)]
    ),
    "placeholder_with_default": (
        lambda x: tf.placeholder_with_default(x, None), [normal(2, 3)],
    ),
    "reshape": (lambda x: tf.reshape(x, [3, -1]) * [[1.0, 2.0]], [normal(2, 3)]),
    "expand_dims": (lambda x: tf.expand_dims(x, 1) * [[1.0], [2.0]], [normal(2, 1)]),
    "squeeze": (lambda x: tf.squeeze(x, [1]) * 2.0, [normal(2, 1, 3)]),
    "transpose": (lambda x: tf.transpose(x, [1, 2, 0]) * [1.0, 3.0], [normal(2, 3, 2)]),
    "transpose_all": (lambda x: tf.transpose(x) * [1.0, 3.0], [normal(2, 3)]),
    "broadcast_to": (lambda x: tf.broadcast_to(x, [4, 2, 3]), [normal(2, 1)]),
    "fill": (lambda x: tf.fill([2, 3], x), [normal()]),
    "tile": (lambda x: tf.tile(x, [2, 3]) * 2.0, [normal(2, 2)]),
    "stack": (lambda x, y: tf.stack([x, y, x], axis=1), [normal(2, 3), normal(2, 3)]),
    "concat": (lambda x, y: tf.concat([x, y, x], axis=-1), [normal(2, 3), normal(2, 1)]),
    "split": (lambda x: tf.split(x, 3, axis=1)[1] * 2.0, [normal(2, 6)]),
    "split_sizes": (lambda x: tf.split(x, [1, 3, 2], axis=1)[1] * 2.0, [normal(2, 6)]),
    "slice": (lambda x: tf.slice(x, [0, 1], [2, -1]), [normal(3, 4)]),
    "getitem": (lambda x: x[1:, ..., ::2], [normal(3, 2, 5)]),
    "getitem_mixed": (lambda x: x[-1, None, ::-1, 1], [normal(2, 3, 2)]),
    "pad": (lambda x: tf.pad(x, [[1, 0], [2, 1]]), [normal(2, 3)]),
    "pad_value": (
        lambda x, v: tf.pad(x, [[1, 0], [2, 1]], constant_values=v), [normal(2, 3), normal()],
    ),
    "relu": (tf.nn.relu, [apart(2, 3)]),
    "relu6": (lambda x: tf.nn.relu6(x * 4), [apart(2, 4)]),
    "leaky_relu": (tf.nn.leaky_relu, [apart(2, 4)]),
    "elu": (tf.nn.elu, [apart(2, 4)]),
    "swish": (tf.nn.swish, [normal(2, 3)]),
    "softplus": (tf.nn.softplus, [normal(2, 3)]),
    "softsign": (tf.nn.softsign, [apart(2, 4)]),
    "l2_loss": (tf.nn.l2_loss, [normal(2, 3)]),
    "softmax": (tf.nn.softmax, [normal(2, 3)]),
    "log_softmax": (tf.nn.log_softmax, [normal(2, 3)]),
    "bias_add": (tf.nn.bias_add, [normal(2, 2, 3), normal(3)]),
    "bias_add_first": (
        lambda x, b: tf.nn.bias_add(x, b, data_format="NCHW"), [normal(2, 3, 2, 2), normal(3)],
    ),
    "cross_entropy": (
        lambda x, y: tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=x),
        [normal(2, 3), LABELS],
    ),
    "sparse_cross_entropy": (
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits=x),
        [normal(2, 3)],
    ),
    "sigmoid_cross_entropy": (
        lambda x, y: tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=x),
        [apart(2, 3), LABELS],
    ),
    "l2_normalize": (lambda x: tf.nn.l2_normalize(x, 1), [normal(2, 3)]),
    "clip_by_norm": (lambda x: tf.clip_by_norm(x, 0.5), [normal(2, 3)]),
    "clip_by_value": (lambda x: tf.clip_by_value(x, -0.7, 0.9), [apart(2, 4)]),
    "clip_by_global_norm": (
        lambda x, y: tf.clip_by_global_norm([x, y], 0.5)[0][0], [normal(2, 3), normal(2)],
    ),
}  # fmt: skip

# These need the rank of their inputs while the graph is built.
RANKED = {
    "unstack": (lambda x: tf.unstack(x, 3, axis=1)[1] * 2.0, [normal(2, 3)]),
    "sign": (lambda x: tf.sign(x) + x, [apart(2, 3)]),
    "relu6": (tf.nn.relu6, [lambda _: np.array([[-1.0, 2.0, 5.0], [7.0, 3.0, 0.5]])]),
    "leaky_relu": (tf.nn.leaky_relu, [apart(2, 3)]),
    "elu": (tf.nn.elu, [apart(2, 3)]),
    "softsign": (tf.nn.softsign, [apart(2, 3)]),
    "reflected": (lambda x: tf.pad(x, [[1, 1], [2, 1]], "REFLECT"), [normal(2, 3)]),
    "symmetric": (lambda x: tf.pad(x, [[2, 1], [0, 3]], "SYMMETRIC"), [normal(2, 3)]),
    "cumsum": (lambda x: tf.cumsum(x, 1, exclusive=True), [normal(2, 3)]),
    "cumprod": (lambda x: tf.cumprod(x, 0, reverse=True), [positive(3, 2)]),
    "depthwise": (
        lambda x, f: tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], "SAME"), [IMAGE, normal(3, 2, 2, 2)]
    ),
    "print": (lambda x: tf.Print(x * x, []), [normal(2, 3)]),
    "nearest": (lambda x: tf.image.resize_nearest_neighbor(x, [7, 3]), [IMAGE]),
    "reverse": (lambda x: tf.reverse(x, [0]), [normal(3, 2)]),
    "reverse_sequence": (lambda x: tf.reverse_sequence(x, [2, 0, 3], seq_axis=1),
                         [normal(3, 3, 2)]),
    "top_k": (lambda x: tf.nn.top_k(x, 2)[0], [apart(2, 4)]),
    "gather_nd": (lambda x: tf.gather_nd(x, [[0, 1], [1, 0], [0, 1]]), [normal(2, 3)]),
    "scatter_nd": (lambda x: tf.scatter_nd([[2], [0], [2]], x, [4, 2]), [normal(3, 2)]),
    "dynamic_partition": (
        lambda x: tf.dynamic_partition(x, [1, 0, 1], 2)[1] ** 2, [normal(3, 2)]),
    "dynamic_stitch": (
        lambda x, y: tf.dynamic_stitch([[2, 0], [1]], [x, y]), [normal(2, 3), normal(1, 3)]),
    "parallel_stitch": (
        lambda x, y: tf.parallel_dynamic_stitch([[0], [1, 2]], [x, y]),
        [normal(1, 3), normal(2, 3)]),
    "gather_batch": (
        lambda x: tf.gather(x, [[1, 0], [2, 2]], axis=2, batch_dims=1), [normal(2, 2, 3)]),
    "gather": (lambda x: tf.gather(x, [[2, 0], [2, 2]]), [normal(3, 2)]),
    "gather_axis": (lambda x: tf.gather(x, [2, 0, 2], axis=1), [normal(2, 3, 2)]),
    "softmax_axis": (lambda x: tf.nn.softmax(x, axis=1), [normal(2, 3, 2)]),
    "cross_entropy_3d": (
        lambda x, y: tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=x),
        [normal(2, 1, 3), lambda _: np.full((2, 1, 3), 1 / 3)],
    ),
    "sparse_cross_entropy_3d": (
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[2], [0]], logits=x),
        [normal(2, 1, 3)],
    ),
    "moments": (
        lambda x: tf.nn.batch_normalization(x, *tf.nn.moments(x, [0]), 0.1, 2.0, 1e-3),
        [normal(4, 2)],
    ),
    "max_pool": (lambda x: tf.nn.max_pool(x, 2, 2, "SAME"), [apart(1, 5, 4, 2)]),
    "max_pool_overlap": (lambda x: tf.nn.max_pool(x, 3, 1, "VALID"), [apart(1, 5, 4, 1)]),
    "avg_pool": (lambda x: tf.nn.avg_pool(x, [2, 3], [1, 2], "SAME"), [normal(1, 5, 4, 2)]),
    "conv2d": (lambda x, f: tf.nn.conv2d(x, f, 1, "SAME"), [IMAGE, FILTER]),
    "conv2d_stride": (lambda x, f: tf.nn.conv2d(x, f, [2, 1], "VALID"), [IMAGE, FILTER]),
    "conv2d_dilated": (lambda x, f: tf.nn.conv2d(x, f, 1, "SAME", dilations=2), [IMAGE, FILTER]),
    "conv2d_transpose": (
        lambda x, f: tf.nn.conv2d_transpose(x, f, [1, 4, 4, 2], 2), [normal(1, 2, 2, 3), FILTER],
    ),
    "conv2d_backprop_filter": (
        lambda x, y: tf.nn.conv2d_backprop_filter(x, [3, 2, 2, 3], y, 2, "SAME"),
        [normal(1, 4, 4, 2), normal(1, 2, 2, 3)],
    ),
}  # fmt: skip


def through_lists(x):
    """Values that go into lists of tensors and come out of them."""
    raw, any_shape = tf.raw_ops, tf.constant(-1)
    kinds = {"element_dtype": x.dtype}
    made = {**kinds, "shape_type": tf.int32}
    rows = raw.TensorListFromTensor(tensor=x, element_shape=any_shape, **made)
    rows = raw.TensorListSetItem(input_handle=rows, index=1, item=x[0] * 2.0, **kinds)
    rows = raw.TensorListPushBack(input_handle=rows, tensor=x[2] * x[1], **kinds)
    shorter, last = raw.TensorListPopBack(input_handle=rows, element_shape=any_shape, **kinds)
    longer = raw.TensorListResize(input_handle=rows, size=6)
    order = tf.constant([2, 0, 1])
    placed = raw.TensorListScatterV2(
        tensor=x, indices=order, element_shape=any_shape, num_elements=-1, **made
    )
    placed = raw.TensorListScatterIntoExistingList(
        input_handle=placed, tensor=x * x, indices=[1, 4, 3], **kinds
    )
    parts = raw.TensorListSplit(
        tensor=x, element_shape=tf.constant([-1, 2]), lengths=tf.constant([2, 1], tf.int64), **made
    )
    whole = raw.TensorListConcatV2(
        input_handle=parts,
        element_shape=tf.constant([-1, 2]),
        leading_dims=tf.constant([], tf.int64),
        **made,
    )[0]
    shapes = [x.shape if x.shape.rank is not None else None]
    optional = raw.OptionalFromValue(components=[x])
    out = raw.OptionalGetValue(optional=optional, output_types=[x.dtype], output_shapes=shapes)
    out = out[0] if isinstance(out, (list, tuple)) else out
    read = {"element_shape": any_shape, **kinds}
    return tf.concat([
        raw.TensorListStack(input_handle=shorter, **read),
        raw.TensorListGather(input_handle=longer, indices=[1, 3, 1], **read),
        raw.TensorListStack(input_handle=placed, **read),
        [last, raw.TensorListGetItem(input_handle=placed, index=4, **read)],
        whole * out,
    ], 0)  # fmt: skip


CASES["lists"] = (through_lists, [normal(3, 2)])
RANKED.update(matrix_cases.RANKED)
SIZED = matrix_cases.SIZED
ALL = {**CASES, **matrix_cases.CASES, **RANKED, **SIZED}


# Gradients of gradients.
TWICE = (
    "square", "sqrt", "rsqrt", "reciprocal", "exp", "log", "tanh", "sigmoid", "multiply", "divide",
    "matmul", "batch_matmul", "softmax", "log_softmax", "softplus", "cross_entropy",
    "sparse_cross_entropy", "bias_add", "bias_add_first", "avg_pool", "conv2d", "getitem", "relu",
    "sum_axis", "mean", "concat", "gather", "pow", "relu6", "leaky_relu", "elu", "softsign",
    "symmetric",
)  # fmt: skip


def arrays_of(name):
    random = np.random.default_rng(sum(map(ord, name)))
    return [np.asarray(make(random), np.float64) for make in ALL[name][1]]


def placeholders(arrays, known):
    shapes = {
        "shapes": lambda a: a.shape,
        "ranks": lambda a: [None] * a.ndim,
        "nothing": lambda a: None,
    }
    return [tf.placeholder(tf.float64, shapes[known](a)) for a in arrays]


def check(inputs, output, arrays, tolerance):
    feeds = dict(zip(inputs, arrays))
    with tf.Session() as session, session.as_default():
        shape = session.run(output, feeds).shape
        for x, value in feeds.items():
            rest = {t: v for t, v in feeds.items() if t is not x}
            exact, measured = tf.test.compute_gradient(
                x, value.shape, output, shape, value, 1e-6, extra_feed_dict=rest
            )
            assert exact.shape == measured.shape == (value.size, int(np.prod(shape)))
            # A difference of two values next to each other has lost half of their places.
            np.testing.assert_allclose(exact, measured, atol=tolerance, rtol=tolerance)


def known_shapes(name):
    if name in SIZED:
        return ("shapes",)
    return ("shapes", "ranks") if name in RANKED else ("shapes", "ranks", "nothing")


@pytest.mark.parametrize("known", ["shapes", "ranks", "nothing"])
@pytest.mark.parametrize("name", sorted(ALL))
def test_gradient_equals_differences(name, known):
    known = known if known in known_shapes(name) else known_shapes(name)[-1]
    arrays = arrays_of(name)
    inputs = placeholders(arrays, known)
    check(inputs, ALL[name][0](*inputs), arrays, 2e-7)


@pytest.mark.parametrize("name", TWICE)
def test_second_gradient_equals_differences(name):
    arrays = arrays_of(name)
    inputs = placeholders(arrays, "shapes")
    output = ALL[name][0](*inputs)
    weights = np.random.default_rng(5).standard_normal(output.shape.as_list())
    found = tf.gradients(output, inputs, tf.constant(weights))
    whole = [tf.convert_to_tensor(g) for g in found if g is not None]
    total = tf.add_n([tf.reduce_sum(g * g) for g in whole])
    feeds = dict(zip(inputs, arrays))
    for x in inputs:
        if tf.gradients(total, x)[0] is None:
            continue
        with tf.Session() as session, session.as_default():
            rest = {t: v for t, v in feeds.items() if t is not x}
            exact, measured = tf.test.compute_gradient(
                x, feeds[x].shape, total, [], feeds[x], 1e-6, extra_feed_dict=rest
            )
            # As above: differences have lost half of the places.
            np.testing.assert_allclose(exact, measured, atol=2e-6, rtol=2e-6)


# In float32 alone, where differences need wide steps: test_layers.py and test_images.py have them.
FLOAT_ONLY = {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "FusedBatchNormGrad",
              "FusedBatchNormGradV2", "FusedBatchNormGradV3", "LRN", "ResizeBilinear"}  # fmt: skip
# Beside TensorFlow's own gradients: tensorflow_images has them.
OF_IMAGES = {"CropAndResize", "ExtractImagePatches", "ResizeBicubic"}
# Compared with differences beside their values, in a file of each kind.
IN_THEIR_OWN_FILES = {
    "test_bits.py": """
        CheckNumerics Roll ScatterNdNonAliasingAdd Selu SeluGrad TensorScatterAdd
        TensorScatterSub TensorScatterUpdate
    """,
    "test_segments.py": """
        BatchToSpace BatchToSpaceND CTCLoss DepthToSpace PreventGradient SegmentMax
        SegmentMean SegmentMin SegmentSum SpaceToBatch SpaceToBatchND SpaceToDepth
        SparseSegmentMean SparseSegmentMeanWithNumSegments SparseSegmentSqrtN
        SparseSegmentSqrtNWithNumSegments SparseSegmentSum SparseSegmentSumWithNumSegments
        UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd
    """,
    "test_parsing_of_tensorflow.py": "RaggedTensorFromVariant RaggedTensorToVariant",
    "test_ragged_tensors.py": """
        RaggedGather RaggedTensorToSparse RaggedTensorToTensor
    """,
    "test_signal.py": """
        FFT FFT2D FFT3D IFFT IFFT2D IFFT3D IRFFT IRFFT2D IRFFT3D RFFT RFFT2D RFFT3D
    """,
    "test_sparse_tensors.py": """
        SparseAdd SparseDenseCwiseDiv SparseDenseCwiseMul SparseFillEmptyRows
        SparseReduceSum SparseReorder SparseSlice SparseSoftmax SparseTensorDenseAdd
    """,
    "test_update_order.py": "Enter RefEnter",
    "test_volumes.py": """
        AvgPool3D AvgPool3DGrad Conv3D Conv3DBackpropFilterV2 Conv3DBackpropInputV2 MaxPool3D
        TridiagonalMatMul TridiagonalSolve
    """,
}
# Drawn anew in each step, so that there are no differences: library_programs.py has it.
DRAWN = {"RandomGamma"}


def test_every_gradient_is_among_the_cases():
    """No gradient function may come without a case above."""
    reached = set()
    for name in sorted(ALL):
        with tf.Graph().as_default() as graph:
            inputs = placeholders(arrays_of(name), "shapes")
            output = ALL[name][0](*inputs)
            found = tf.gradients(output, inputs)
            if name in TWICE:
                tf.gradients([g for g in found if g is not None], inputs)
            reached |= {op.type for op in graph.get_operations()}
    here = set(op_defs.names())
    wanted = {op for op, has in registry.registered().items() if has and op in here}
    elsewhere = set(" ".join(IN_THEIR_OWN_FILES.values()).split())
    assert sorted(wanted - reached - FLOAT_ONLY - DRAWN - OF_IMAGES - elsewhere) == []


# ---- the engine ---------------------------------------------------------------------------------


def test_a_tensor_used_twice_gets_the_sum(run):
    x = tf.constant(3.0)
    y = x * x + x
    assert run(tf.gradients(y, x)) == [7.0]


def test_gradients_of_several_ys_add_up(run):
    x = tf.constant([1.0, 2.0])
    (found,) = tf.gradients([x * 2, x * x], x, grad_ys=[tf.constant([1.0, 10.0]), None])
    np.testing.assert_array_equal(run(found), [4.0, 24.0])


def test_x_may_be_on_the_way_to_another_x(run):
    a = tf.constant(2.0)
    b = a * 3
    c = b * b
    assert run(tf.gradients(c, [a, b, c])) == [36.0, 12.0, 1.0]


def test_unconnected_is_none_or_zero(run):
    x, z = tf.constant([1.0, 2.0]), tf.constant([3.0])
    assert tf.gradients(x * 2, [x, z])[1] is None
    zeros = tf.gradients(x * 2, z, unconnected_gradients=tf.UnconnectedGradients.ZERO)[0]
    np.testing.assert_array_equal(run(zeros), [0.0])
    assert tf.gradients(tf.cast(tf.cast(x, tf.int32), tf.float32), x) == [None]


def test_stop_gradients_are_constants(run):
    a = tf.constant(2.0)
    b = a * 3
    assert run(tf.gradients(a + b, [a, b], stop_gradients=[a, b])) == [1.0, 1.0]
    assert run(tf.gradients(a * tf.stop_gradient(b), a)) == [6.0]


def test_gradients_by_variables(run):
    w = tf.Variable([1.0, 2.0], name="w")
    found = tf.gradients(tf.reduce_sum(w * w), [w, w.value()])
    with tf.Session() as session:
        session.run(w.initializer)
        for value in session.run(found):
            np.testing.assert_array_equal(value, [2.0, 4.0])


def test_nothing_flows_through_integers(run):
    n = tf.constant(1)
    assert tf.gradients(n + 1, n) == [None]
    assert run(tf.gradients(n, n)) == [1]


def test_what_cannot_be_differentiated_is_refused():
    x = tf.constant([1.0])
    with pytest.raises(ValueError, match="grad_ys"):
        tf.gradients([x, x], x, grad_ys=[x])
    w = tf.Variable([1.0])
    (updated,) = raw("ApplyGradientDescent", [w, 0.1, x * 2])
    with pytest.raises(LookupError, match="RegisterGradient"):
        tf.gradients(updated, x)


def test_the_shape_of_a_gradient_is_known():
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.placeholder(tf.float32, [3, 5])
    by_x, by_w = tf.gradients(tf.reduce_mean(tf.matmul(x, w)), [x, w])
    assert by_x.shape.as_list() == [None, 3]
    assert by_w.shape.as_list() == [3, 5]


def test_names_lie_below_the_scope():
    x = tf.constant(1.0, name="x")
    tf.gradients(tf.tanh(x, name="t"), x, name="down")
    names = [op.name for op in tf.get_default_graph().get_operations()]
    assert "down/t_grad/TanhGrad" in names


def test_known_shapes_keep_the_graph_small():
    x = tf.placeholder(tf.float32, [None, 3])
    b = tf.Variable([0.0, 0.0, 0.0])
    before = len(tf.get_default_graph().get_operations())
    tf.gradients(x + b, [b])
    added = [op.type for op in tf.get_default_graph().get_operations()[before:]]
    assert "BroadcastGradientArgs" not in added


def test_a_registered_gradient_is_used(run):
    graph = tf.get_default_graph()
    if "ClippedIdentityForTest" not in registry.registered():

        @tf.RegisterGradient("ClippedIdentityForTest")
        def _clipped(_, grad):
            return grad * 0.5

    x = tf.constant(2.0)
    from tfbuild_runtime.framework import ops

    op = ops.apply_op("Identity", [x], {"_gradient_op_type": "ClippedIdentityForTest"})
    assert run(tf.gradients(op.outputs[0] * 3, x)) == [1.5]
    assert graph is op.graph
    with pytest.raises(KeyError):
        tf.RegisterGradient("ClippedIdentityForTest")(lambda op, grad: grad)


def test_deep_graphs_need_no_recursion(run):
    x = tf.constant(1.0)
    y = x
    for _ in range(3000):
        y = y + 1.0
    assert run(tf.gradients(y, x)) == [1.0]


def test_compute_gradient_error_sees_a_wrong_gradient():
    if "WrongForTest" not in registry.registered():

        @tf.RegisterGradient("WrongForTest")
        def _wrong(_, grad):
            return grad * 2.0

    from tfbuild_runtime.framework import ops

    x = tf.placeholder(tf.float64, [2])
    right = tf.identity(x)
    wrong = ops.apply_op("Identity", [x], {"_gradient_op_type": "WrongForTest"}).outputs[0]
    with tf.Session().as_default():
        assert tf.test.compute_gradient_error(x, [2], right, [2]) < 1e-9
        assert tf.test.compute_gradient_error(x, [2], wrong, [2]) > 0.9


def test_compute_gradient_needs_a_shape_for_each_tensor():
    x, y = tf.placeholder(tf.float64, [2]), tf.placeholder(tf.float64, [2])
    with tf.Session().as_default():
        for shapes, values in (([[2]], None), ([[2], [2]], [[1.0, 2.0]])):
            with pytest.raises(ValueError, match="2 x need"):
                tf.test.compute_gradient([x, y], shapes, x * y, [2], values)
        pairs = tf.test.compute_gradient([x, y], [[2], [2]], x * y, [2])
    assert [exact.shape for exact, _ in pairs] == [(2, 2), (2, 2)]


def test_compute_gradient_sees_complex_numbers_as_two_reals():
    x = tf.constant([1 + 2j, 3 - 1j], tf.complex64)
    with tf.Session():
        exact, measured = tf.test.compute_gradient(x, [2], tf.conj(x), [2])
        assert exact.shape == (4, 4)
        np.testing.assert_array_equal(exact, np.diag([1, -1, 1, -1]))
        np.testing.assert_allclose(measured, exact, atol=1e-2)
        one, _ = tf.test.compute_gradient(x, [2], tf.imag(x), [2])
        np.testing.assert_array_equal(one, [[0, 0], [1, 0], [0, 0], [0, 1]])


def test_compute_gradient_draws_what_is_not_given_from_zero_to_one():
    x = tf.placeholder(tf.float64, [50])
    for _ in range(2):
        np.random.seed(3)
        with tf.Session():
            exact, _ = tf.test.compute_gradient(x, [50], tf.square(x), [50])
        drawn = np.random.RandomState(3).random_sample(50)
        np.testing.assert_allclose(np.diag(exact), 2 * drawn)


def test_compute_gradient_of_nothing_has_no_columns():
    x = tf.ones([0, 2])
    with tf.Session():
        exact, measured = tf.test.compute_gradient(x, [0, 2], tf.square(x), [0, 2])
    assert exact.shape == measured.shape == (0, 0)
