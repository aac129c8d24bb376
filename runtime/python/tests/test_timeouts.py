"""Kernels that would run for minutes end soon after the step's time is over."""

import contextlib
import ctypes
import os
import time

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

_TIMEOUT = tf.RunOptions(timeout_in_ms=50)
_SHORTEST = tf.RunOptions(timeout_in_ms=1)
# A kernel looks about ten times a second; the rest is for machines that have others to work for.
_MOST_SECONDS = 8


def _large(session):
    """Rows of a square matrix whose product no device of today computes in a millisecond."""
    devices = [device.physical_device_desc for device in session.list_devices()]
    return 300 if any("emulated" in device for device in devices) else 4000


def _matrix(size):
    return tf.random_uniform([size, size], seed=1)


def _sequence(size):
    places = np.stack([np.zeros(size), np.arange(size)], axis=1).astype(np.int64)
    return tf.SparseTensor(places, tf.random_uniform([size], 0, 4, tf.int32), [1, size])


def _one_image(op):
    """A convolution or gradient that is one call of oneDNN, and takes minutes there."""
    image, filters = [1, 400, 400, 3], [151, 151, 3, 1]
    result = [1, 400, 400, 3 if op.startswith("Depthwise") else 1]
    inputs = {"input": tf.ones(image), "filter": tf.ones(filters)}
    if op.endswith("Input"):
        inputs = {"input_sizes": image, "filter": tf.ones(filters), "out_backprop": tf.ones(result)}
    if op.endswith("Filter"):
        inputs = {"input": tf.ones(image), "filter_sizes": filters, "out_backprop": tf.ones(result)}
    return getattr(tf.raw_ops, op)(**inputs, strides=[1] * 4, padding="SAME")


_IMAGE = [1, 600, 600, 8]
_WINDOW = {"ksize": [1, 301, 301, 1], "strides": [1] * 4, "padding": "SAME"}
_VOLUME = [1, 100, 100, 100, 4]
_BOX = {"ksize": [1, 51, 51, 51, 1], "strides": [1] * 5, "padding": "SAME"}


_LONG = {
    "MatMul": lambda: tf.matmul(tf.ones([12000, 12000]), tf.ones([12000, 12000])),
    "MatMul of a long sum": lambda: tf.matmul(tf.ones([200, 1 << 20]), tf.ones([1 << 20, 200])),
    "BatchMatMul": lambda: tf.matmul(tf.ones([300, 2000, 2000]), tf.ones([300, 2000, 2000])),
    "Conv2D": lambda: tf.nn.conv2d(
        tf.ones([256, 64, 64, 128]), tf.ones([5, 5, 128, 256]), 1, "SAME"
    ),
    "Conv2DBackpropFilter": lambda: tf.raw_ops.Conv2DBackpropFilter(
        input=tf.ones([512, 64, 64, 128]), filter_sizes=[5, 5, 128, 256],
        out_backprop=tf.ones([512, 64, 64, 256]), strides=[1] * 4, padding="SAME",
    ),
    **{
        f"{op} of one image with a large filter": lambda op=op: _one_image(op)
        for op in (
            "Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter", "DepthwiseConv2dNative",
            "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter",
        )
    },
    "DepthwiseConv2dNative of doubles": lambda: tf.nn.depthwise_conv2d(
        tf.ones([1, 256, 256, 16], tf.float64), tf.ones([61, 61, 16, 4], tf.float64), [1] * 4,
        "SAME",
    ),
    "RandomShuffle": lambda: tf.random_shuffle(tf.ones([1 << 29], tf.bool)),
    "StringSplit": lambda: tf.strings.split(tf.tile(["a b c d e"], [1 << 24])).values,
    "StringJoin": lambda: tf.strings.join([tf.tile(["a"], [1 << 27]), "b"]),
    "ReduceJoin": lambda: tf.reduce_join(tf.tile(["a"], [1 << 27])),
    "AsString": lambda: tf.as_string(tf.range(1 << 27)),
    "Svd": lambda: tf.linalg.svd(_matrix(1500)),
    "SelfAdjointEigV2": lambda: tf.linalg.eigh(_matrix(1500)),
    "Cholesky": lambda: tf.linalg.cholesky(tf.eye(4000)),
    "MatrixInverse": lambda: tf.linalg.inv(_matrix(3000)),
    "Qr": lambda: tf.linalg.qr(_matrix(2000)),
    "TopKV2": lambda: tf.nn.top_k(tf.random_uniform([1 << 26]), 1 << 26),
    "Unique": lambda: tf.unique(tf.random_uniform([1 << 25])),
    "Where": lambda: tf.where(tf.ones([1 << 27], tf.bool)),
    "Range": lambda: tf.range(tf.constant(1 << 29)),
    "RandomUniform": lambda: tf.random_uniform([1 << 30]),
    "RandomGamma": lambda: tf.random_gamma([1 << 26], 0.5),
    "Exp": lambda: tf.exp(tf.random_normal([1 << 29])),
    "Sum": lambda: tf.reduce_sum(tf.random_normal([1 << 29])),
    "SampleDistortedBoundingBoxV2": lambda: tf.image.sample_distorted_bounding_box(
        [100, 100, 3], np.zeros([1, 1, 4], np.float32), min_object_covered=1.0,
        aspect_ratio_range=[1e-30, 1e30], max_attempts=2**31 - 1,
        use_image_if_no_bounding_boxes=True,
    ),
    "CTCBeamSearchDecoder": lambda: tf.nn.ctc_beam_search_decoder(
        tf.random_normal([300, 4, 300]), [300] * 4, beam_width=3000
    )[1],
    "CTCLoss": lambda: tf.nn.ctc_loss(
        _sequence(2000), tf.random_normal([40000, 1, 5]), [40000]
    ),
    "NonMaxSuppressionV3": lambda: tf.image.non_max_suppression(
        tf.random_uniform([200_000, 4]), tf.random_uniform([200_000]), 200_000, 0.9999
    ),
    "MaxPool": lambda: tf.raw_ops.MaxPool(input=tf.ones(_IMAGE), **_WINDOW),
    "MaxPoolGrad": lambda: tf.raw_ops.MaxPoolGrad(
        orig_input=tf.ones(_IMAGE), orig_output=tf.ones(_IMAGE), grad=tf.ones(_IMAGE), **_WINDOW
    ),
    "AvgPool": lambda: tf.raw_ops.AvgPool(value=tf.ones(_IMAGE), **_WINDOW),
    "MaxPool3D": lambda: tf.raw_ops.MaxPool3D(input=tf.ones(_VOLUME), **_BOX),
    "AvgPool3D": lambda: tf.raw_ops.AvgPool3D(input=tf.ones(_VOLUME), **_BOX),
    "AvgPool3DGrad": lambda: tf.raw_ops.AvgPool3DGrad(
        orig_input_shape=_VOLUME, grad=tf.ones(_VOLUME), **_BOX
    ),
    "RFFT of a prime length": lambda: tf.raw_ops.RFFT(
        input=np.zeros(8388617, np.float32), fft_length=[8388617]
    ),
    "FixedUnigramCandidateSampler": lambda: tf.nn.fixed_unigram_candidate_sampler(
        np.zeros([1, 1], np.int64), 1, 3, True, 3, unigrams=[1.0, 0.0, 0.0]
    )[0],
    "EditDistance": lambda: tf.edit_distance(_sequence(100_000), _sequence(100_000)),
    "EditDistance of constants": lambda: tf.edit_distance(
        *[tf.SparseTensor([[0, i] for i in range(100_000)], np.arange(100_000), [1, 100_000])] * 2
    ),
    "Multinomial": lambda: tf.multinomial(tf.zeros([1, 1000]), 1 << 27),
    "RegexReplace": lambda: tf.strings.regex_replace(
        tf.tile(["ab" * 50000], [4000]), "((a|b)*c)|ab", "x"
    ),
    "While": lambda: tf.while_loop(lambda _: True, lambda x: -x, [tf.constant(1.0)]),
    "RangeDataset": lambda: tf.data.Dataset.range(1 << 62)
    .skip(1 << 61).make_one_shot_iterator().get_next(),
    "FilterDataset": lambda: tf.data.Dataset.range(1 << 62)
    .filter(lambda x: x < 0).make_one_shot_iterator().get_next(),
    "ShuffleDataset": lambda: tf.data.Dataset.range(1 << 62)
    .shuffle(1 << 40).make_one_shot_iterator().get_next(),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", _LONG)
def test_a_long_kernel_ends_with_its_steps_time(name):
    with tf.Graph().as_default(), tf.Session() as session:
        long = _LONG[name]()
        begun = time.monotonic()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(long, options=_TIMEOUT)
        assert time.monotonic() - begun < _MOST_SECONDS


@pytest.mark.parametrize(
    ("sizes", "settings"),
    [
        ((80, 1, 81), {}),
        ((90, 3, 81), {"strides": [1, 1, 2, 2], "data_format": "NCHW"}),
        ((120, 2, 41), {"dilations": [1, 2, 2, 1]}),
        ((170, 1, 61), {"padding": "VALID"}),
    ],
)
@pytest.mark.parametrize("depthwise", [False, True])
@pytest.mark.slow
@pytest.mark.cpu
def test_long_convolutions_are_those_of_doubles(depthwise, sizes, settings, run):
    side, channels, filter_side = sizes
    settings = {"strides": [1] * 4, "padding": "SAME", **settings}
    draw = np.random.RandomState(1)
    image = [1, channels, side, side] if "data_format" in settings else [1, side, side, channels]
    image, filters = draw.randn(*image), draw.randn(filter_side, filter_side, channels, 1)
    found, slopes = [], None
    for dtype in (tf.float32, tf.float64):
        x, w = tf.constant(image, dtype), tf.constant(filters, dtype)
        op = tf.raw_ops.DepthwiseConv2dNative if depthwise else tf.raw_ops.Conv2D
        y = op(input=x, filter=w, **settings)
        slopes = draw.randn(*y.shape.as_list()) if slopes is None else slopes
        found.append(run([y, *tf.gradients(y, [x, w], tf.constant(slopes, dtype))]))
    for wide, narrow in zip(found[1], found[0]):
        np.testing.assert_allclose(narrow, wide, rtol=0, atol=1e-5 * np.abs(wide).max())


@pytest.mark.slow
def test_a_search_for_files_ends_with_its_steps_time(tmp_path):
    for name in ("one", "two"):  # each level has twice as many paths as the one above
        (tmp_path / name).symlink_to(tmp_path)
    with tf.Session() as session:
        found = tf.matching_files(str(tmp_path) + "/*" * 30)
        begun = time.monotonic()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(found, options=_TIMEOUT)
        assert time.monotonic() - begun < _MOST_SECONDS


def test_a_timeout_ends_a_large_product_and_the_session_goes_on():
    with tf.Session() as session:
        size = tf.placeholder(tf.int32, [])
        product = tf.reduce_sum(tf.matmul(tf.ones([size, size]), tf.ones([size, size])))
        assert session.run(product, {size: 10}) == 1000
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(product, {size: _large(session)}, options=_SHORTEST)
        assert session.run(product, {size: 10}) == 1000


def test_a_step_of_which_nothing_is_fetched_outlasts_its_time_on_any_device():
    with tf.Session() as session:
        size = tf.placeholder(tf.int32, [])
        product = tf.matmul(tf.ones([size, size]), tf.ones([size, size]))
        kept = tf.Variable(tf.zeros([]), trainable=False)
        session.run(kept.initializer)
        update = tf.assign(kept, product[0, 0]).op  # is queued, and nobody waits for it
        session.run(update, {size: 10})
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(update, {size: _large(session)}, options=_SHORTEST)


@pytest.mark.parametrize("native", [False, True])
def test_a_function_that_takes_longer_than_its_steps_time_ends_it(native):
    def take_time(*_):
        time.sleep(0.2)
        return 0

    kernel = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)(take_time)
    with tf.Session() as session:
        long = tf.py_func(take_time, [], tf.int64)
        if native:
            (long,) = tf.native_function(kernel, [tf.random_uniform([1])], [tf.float32], [0])
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(long, options=_TIMEOUT)
        session.run(long)


_CLOSED_MEANWHILE = """
import os, threading
import tfbuild_runtime.compat.v1 as tf

os.dup2(1, 2)
called, ends = threading.Event(), threading.Event()

def wait():
    called.set()
    ends.wait()
    return 1.0

dataset = tf.data.Dataset.range(9).map(lambda x: tf.py_func(wait, [], tf.float64)).prefetch(1)
iterator = dataset.make_initializable_iterator()
element = iterator.get_next()
session = tf.Session()
session.run(iterator.initializer)

def read():
    try:
        session.run(element)
    except tf.errors.CancelledError:
        print("cancelled", flush=True)

thread = threading.Thread(target=read)
thread.start()
called.wait()
threading.Timer(12, ends.set).start()
session.close()
thread.join()
del session
"""


@pytest.mark.slow
def test_who_closes_hears_of_a_function_that_does_not_return(python):
    cancelled, waits = python(_CLOSED_MEANWHILE).splitlines()
    assert cancelled == "cancelled"
    assert waits.endswith("waits for a function of its dataset that does not return")


def test_an_update_is_not_left_half_done():
    with tf.Session() as session:
        variable = tf.Variable(tf.zeros([1 << 24]))
        session.run(variable.initializer)
        added = tf.assign_add(variable, tf.ones([1 << 24])).op
        for _ in range(5):
            with contextlib.suppress(tf.errors.DeadlineExceededError):
                session.run(added, options=tf.RunOptions(timeout_in_ms=20))
        assert len(np.unique(session.run(variable))) == 1


def test_hard_regular_expressions_take_no_time():
    with tf.Session() as session:
        text = "a" * 200_000
        assert session.run(tf.strings.regex_replace(text, "(a|a)*b|a", "x")) == b"x" * 200_000
        with pytest.raises(tf.errors.InvalidArgumentError, match="too large"):
            session.run(tf.strings.regex_replace(text, "(((a{100}){100}){100})", "x"))


@pytest.mark.parametrize("kind", ["pipe", "/dev/zero", "/dev/tty"])
def test_what_is_no_file_is_not_read(kind, tmp_path):
    path = str(tmp_path / "pipe") if kind == "pipe" else kind
    if kind == "pipe":
        os.mkfifo(path)
    data = [
        tf.read_file(path),
        tf.data.TextLineDataset(path).make_one_shot_iterator().get_next(),
        tf.data.TFRecordDataset(path).make_one_shot_iterator().get_next(),
        tf.data.FixedLengthRecordDataset(path, 4).make_one_shot_iterator().get_next(),
    ]
    with tf.Session() as session:
        for read in data:
            with pytest.raises(tf.errors.OpError, match=r"regular file|opened"):
                session.run(read)


@pytest.mark.parametrize("is_read", [False, True])
def test_what_is_no_file_is_not_written(is_read, tmp_path):
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not is_read:
        os.close(reader)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="regular"):
        session.run(tf.raw_ops.WriteFile(filename=path, contents="a"))
    if is_read:
        os.close(reader)


def test_files_without_a_size_are_read():
    with tf.Session() as session:
        assert session.run(tf.read_file("/proc/self/status")).startswith(b"Name:")
