"""Segments, blocks of space, CTC and sorted rows against NumPy, with their gradients."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

IDS = [0, 0, 2, 2, 2, 5]
UNSORTED = [1, 0, 3, -1, 3, 1]


def numbers(*shape, seed=1):
    """Return random numbers."""
    return np.random.default_rng(seed).standard_normal(shape)


def gradient_error(function, *values):
    """Return how far the gradients by all values are from differences of the function."""
    with tf.Session():
        tensors = [tf.constant(value) for value in values]
        result = function(*tensors)
        return max(
            tf.test.compute_gradient_error(
                tensor, list(value.shape), result, result.eval().shape, x_init_value=value
            )
            for tensor, value in zip(tensors, values)
        )


@pytest.mark.parametrize(
    ("kind", "reduce"),
    [("sum", np.sum), ("mean", np.mean), ("prod", np.prod), ("min", np.min), ("max", np.max)],
)
def test_sorted_segments(run, kind, reduce):
    data = numbers(6, 3)
    result = run(getattr(tf, f"segment_{kind}")(data, IDS))
    for segment in range(6):
        rows = data[np.equal(IDS, segment)]
        empty = np.full(3, kind == "prod")
        np.testing.assert_allclose(result[segment], reduce(rows, 0) if len(rows) else empty)
    if kind != "prod":
        assert gradient_error(lambda x: getattr(tf, f"segment_{kind}")(x, IDS), data) < 1e-8


@pytest.mark.parametrize("kind", ["prod", "min", "max", "mean", "sqrt_n"])
def test_unsorted_segments(run, kind):
    data = numbers(6, 3)
    function = getattr(tf, f"unsorted_segment_{kind}")
    result = run(function(data, UNSORTED, 4))
    rows = data[[0, 5]]
    expected = {"prod": rows.prod(0), "min": rows.min(0), "max": rows.max(0),
                "mean": rows.mean(0), "sqrt_n": rows.sum(0) / np.sqrt(2)}[kind]  # fmt: skip
    np.testing.assert_allclose(result[1], expected)
    empty = {"prod": 1, "min": np.finfo(float).max, "max": np.finfo(float).min}.get(kind, 0)
    assert (result[2] == empty).all()
    assert gradient_error(lambda x: function(x, UNSORTED, 4), data) < 1e-8


def test_a_product_with_zeros_has_a_gradient():
    data = numbers(6, 3)
    data[2, 0] = data[5, 1] = data[0, 1] = 0
    function = tf.unsorted_segment_prod
    assert gradient_error(lambda x: function(x, UNSORTED, 4), data) < 1e-8


@pytest.mark.parametrize("kind", ["sum", "mean", "sqrt_n"])
@pytest.mark.parametrize("count", [None, 7])
def test_segments_of_named_rows(run, kind, count):
    data, rows = numbers(6, 3), [1, 0, 5, 5, 2, 3]
    function = getattr(tf, f"sparse_segment_{kind}")
    result = run(function(data, rows, IDS, num_segments=count))
    chosen = data[[5, 5, 2]]
    divisor = {"sum": 1, "mean": 3, "sqrt_n": np.sqrt(3)}[kind]
    np.testing.assert_allclose(result[2], chosen.sum(0) / divisor)
    assert len(result) == (count or 6)
    assert gradient_error(lambda x: function(x, rows, IDS, num_segments=count), data) < 1e-8


def test_blocks_of_space_go_into_the_batch_and_back(run):
    images = numbers(2, 3, 4, 2)
    paddings, crops = tf.required_space_to_batch_paddings([3, 4], [2, 3])
    moved = tf.space_to_batch_nd(images, [2, 3], paddings)
    assert moved.shape.as_list() == [12, 2, 2, 2]
    np.testing.assert_array_equal(run(tf.batch_to_space_nd(moved, [2, 3], crops)), images)
    square = tf.space_to_batch(images[:, :2], [[0, 0], [0, 0]], block_size=2)
    np.testing.assert_array_equal(run(square)[0], images[0, ::2, ::2][:1])
    back = tf.batch_to_space(square, [[0, 0], [0, 0]], block_size=2)
    np.testing.assert_array_equal(run(back), images[:, :2])
    assert gradient_error(lambda x: tf.space_to_batch_nd(x, [2], [[1, 0]]), numbers(1, 3, 2)) < 1e-8
    assert gradient_error(lambda x: tf.batch_to_space_nd(x, [2], [[1, 0]]), numbers(4, 3, 2)) < 1e-8


@pytest.mark.parametrize("op", ["SpaceToBatch", "BatchToSpace"])
def test_blocks_of_images_as_graphs_have_them(op):
    borders = {"SpaceToBatch": "paddings", "BatchToSpace": "crops"}[op]

    def moved(x):
        function = getattr(tf.raw_ops, op)
        return function(input=x, block_size=2, **{borders: [[0, 0], [1, 1]]})

    assert gradient_error(moved, numbers(4, 2, 4, 1)) < 1e-8


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_channels_as_blocks_of_pixels(run, layout):
    images = numbers(1, 4, 2, 4)
    deep = tf.space_to_depth(images, 2, data_format=layout)
    back = tf.depth_to_space(deep, 2, data_format=layout)
    np.testing.assert_array_equal(run(back), images)
    if layout == "NHWC":
        np.testing.assert_array_equal(run(deep)[0, 0, 0], images[0, :2, :2].reshape(-1))
    assert gradient_error(lambda x: tf.space_to_depth(x, 2, data_format=layout), images) < 1e-8


def test_places_in_sorted_rows(run):
    rows, values = np.sort(numbers(2, 9)), numbers(2, 4, seed=2)
    for side in ("left", "right"):
        found = run(tf.searchsorted(rows, values, side=side))
        expected = [np.searchsorted(row, points, side) for row, points in zip(rows, values)]
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match="side"):
        tf.searchsorted(rows, values, side="middle")


def path_probability(probabilities, labels):
    """Return the probability of labels, summed over all paths of classes that collapse to them."""
    from itertools import product

    steps, classes = probabilities.shape
    total = 0.0
    for path in product(range(classes), repeat=steps):
        kept = [c for t, c in enumerate(path) if t == 0 or c != path[t - 1]]
        if [c for c in kept if c != classes - 1] == labels:
            total += np.prod([probabilities[t, c] for t, c in enumerate(path)])
    return total


def test_ctc_loss_is_that_of_all_paths(run):
    logits, labels = numbers(5, 2, 3), [[0, 0], [1]]
    sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 0, 1]), [2, 2])
    losses = run(tf.nn.ctc_loss(sparse, logits, [5, 4]))
    for b, steps in enumerate([5, 4]):
        exps = np.exp(logits[:steps, b])
        probability = path_probability(exps / exps.sum(1, keepdims=True), labels[b])
        assert losses[b] == pytest.approx(-np.log(probability))
    assert gradient_error(lambda x: tf.nn.ctc_loss(sparse, x, [5, 4]), logits) < 1e-7
    batch_first = tf.nn.ctc_loss(sparse, logits.transpose(1, 0, 2), [5, 4], time_major=False)
    np.testing.assert_allclose(run(batch_first), losses)
    moved = np.roll(logits, 1, axis=2)  # the blank first
    dense = tf.nn.ctc_loss_v2([[1, 1], [2, 0]], moved, [2, 1], [5, 4], blank_index=0)
    np.testing.assert_allclose(run(dense), losses)
    x = tf.constant(logits)
    slope = tf.gradients(tf.nn.ctc_loss(sparse, x, [5, 4]), x)[0]
    with pytest.raises(LookupError, match="second derivative"):
        tf.gradients(slope, x)


def test_ctc_decoders(run):
    logits = np.log([[[0.1, 0.6, 0.3]], [[0.1, 0.6, 0.3]], [[0.2, 0.1, 0.7]], [[0.1, 0.5, 0.4]]])
    (greedy,), score = tf.nn.ctc_greedy_decoder(logits, [4])
    np.testing.assert_array_equal(run(greedy).values, [1, 1])
    assert run(score)[0, 0] == pytest.approx(-np.log([0.6, 0.6, 0.7, 0.5]).sum())
    paths, chances = tf.nn.ctc_beam_search_decoder_v2(logits, [4], beam_width=50, top_paths=3)
    probabilities = np.exp(logits[:, 0])
    for path, chance in zip(run(paths), run(chances)[0]):
        expected = path_probability(probabilities, path.values.tolist())
        assert np.exp(chance) == pytest.approx(expected)


def test_edit_distance(run):
    ours = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "c"], [3, 2])
    truth = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [2, 0]], ["b", "b", "c", "x"], [3, 3])
    np.testing.assert_allclose(run(tf.edit_distance(ours, truth)), [2 / 3, np.inf, 1])
    np.testing.assert_allclose(run(tf.edit_distance(ours, truth, normalize=False)), [2, 1, 1])
    with pytest.raises(TypeError, match="Truth"):
        tf.edit_distance(ours, [[1]])


def test_labels_without_repeats(run):
    labels, lengths = run(tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]], [5, 3]))
    assert (labels.tolist(), lengths.tolist()) == ([[1, 2, 1], [3, 0, 0]], [3, 1])
    values, places = run(tf.nn.ctc_unique_labels([[3, 4, 4, 3], [2, 2, 2, 2]]))
    assert values.tolist() == [[3, 4, 0, 0], [2, 0, 0, 0]]
    assert places.tolist() == [[0, 1, 1, 0], [0, 0, 0, 0]]
