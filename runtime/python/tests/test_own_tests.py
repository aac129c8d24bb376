"""What TensorFlow's own tests had found wrong, against what TensorFlow 2.21 computed."""

import json
import threading
from pathlib import Path

import numpy as np
import own_tests_programs
import programs
import pytest
import tfbuild_runtime.compat.v1 as tf
from test_programs import assert_alike

THEIRS = json.loads(Path(__file__).with_name("own_tests_programs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(own_tests_programs.PROGRAMS))
def test_a_program_computes_what_tensorflow_computes(name):
    assert_alike(programs.plain(own_tests_programs.PROGRAMS[name](tf)), THEIRS[name])


# What TensorFlow 1 does otherwise than 2.21, and what 2.21 does not show.


def test_vectors_of_16_bits_are_added_up_and_kept_as_float32(run):
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 2, 1], [2, 2])
    table = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 2049.0]], tf.float16)
    for combiner, rows in {"sum": [[6, 2050], [3, 4]], "mean": [[3, 1025], [3, 4]]}.items():
        found = tf.nn.embedding_lookup_sparse(table, ids, None, combiner=combiner)
        assert found.dtype == tf.float32
        assert run(found).tolist() == rows, "2 + 2048 is rounded in half precision"


def test_a_table_made_in_a_function_of_a_dataset_is_warned_of():
    def function(x):
        tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1.0]), 0.0)
        return x

    with pytest.warns(UserWarning, match=r"inside a function passed to Dataset\.map\(\)"):
        tf.data.Dataset.range(2).map(function)


def test_what_is_open_is_each_threads_own_after_the_switch():
    graph, found = tf.get_default_graph(), {}
    first = tf.constant(0.0, name="first")

    def build(name):
        with graph.as_default(), graph.device("/cpu:1"):
            found[name] = tf.constant(1.0, name=name).op

    for switched in ("before", "after"):
        with graph.device("/cpu:0"), graph.control_dependencies([first]):
            if switched == "after":
                graph.switch_to_thread_local()
            inner = threading.Thread(target=build, args=(switched,))
            inner.start()
            inner.join()
            assert tf.constant(1.0).op.device == "/device:CPU:0"
    assert all(op.control_inputs == [first.op] for op in found.values())
    with graph.device("/cpu:0"):
        other = threading.Thread(target=build, args=("later",))
        other.start()
        other.join()
    assert found["later"].control_inputs == [first.op], "which was open at the switch"
    assert found["later"].device == "/device:CPU:1"


def test_a_variable_without_a_value_is_reported_in_tensorflows_words():
    variable = tf.get_variable("w", [2], use_resource=False)
    for what in (variable, tf.scatter_add(variable, [0], [1.0])):
        with (
            tf.Session() as session,
            pytest.raises(
                tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value"
            ),
        ):
            session.run(what)


def test_types_of_references_have_names():
    dtypes = tf.python.framework.dtypes
    variable = tf.get_variable("w", [], use_resource=False)._ref()
    assert variable.dtype == dtypes.float32_ref
    assert dtypes.int64_ref.base_dtype == tf.int64


def test_lists_of_tensors_by_the_names_of_their_module(run):
    lists = tf.python.ops.list_ops
    handle = lists.tensor_list_from_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [2])
    shorter, last = lists.tensor_list_pop_back(handle, tf.float32)
    longer = lists.tensor_list_set_item(shorter, 3, [9.0, 9.0], resize_if_index_out_of_bounds=True)
    empty = lists.empty_tensor_list([None, 2], tf.float32, max_num_elements=1)
    parts = lists.tensor_list_split([[1.0], [2.0], [3.0]], [None, 1], [1, 2])
    got = run({
        "last": last,
        "item": lists.tensor_list_get_item(handle, 1, tf.float32),
        "never": lists.tensor_list_get_item(longer, 2, tf.float32, [2]),
        "grown": lists.tensor_list_get_item(longer, 3, tf.float32),
        "stacked": lists.tensor_list_stack(shorter, tf.float32, element_shape=[None]),
        "rows": lists.tensor_list_gather(handle, [2, 0], tf.float32),
        "joined": lists.tensor_list_concat(parts, tf.float32),
        "part": lists.tensor_list_get_item(parts, 1, tf.float32),
        "none": tf.python.ops.gen_list_ops.tensor_list_length(empty),
    })  # fmt: skip
    assert {key: value.tolist() for key, value in got.items()} == {
        "last": [5, 6], "item": [3, 4], "never": [0, 0], "grown": [9, 9],
        "stacked": [[1, 2], [3, 4]], "rows": [[5, 6], [1, 2]], "joined": [[1], [2], [3]],
        "part": [[2], [3]], "none": 0,
    }  # fmt: skip


def test_vectors_fill_triangles_in_tensorflows_order(run):
    util = tf.python.ops.distributions.util
    vectors = np.arange(1.0, 13.0, dtype=np.float32).reshape(2, 6)
    lower, upper = util.fill_triangular(vectors), util.fill_triangular(vectors, upper=True)
    assert lower.shape.as_list() == [2, 3, 3]
    assert run(lower)[0].tolist() == [[4, 0, 0], [6, 5, 0], [3, 2, 1]]
    assert run(upper)[0].tolist() == [[1, 2, 3], [0, 5, 6], [0, 0, 4]]
    unknown = tf.placeholder_with_default(vectors, None)
    for up in (False, True):
        there = util.fill_triangular(unknown, up)
        back = util.fill_triangular_inverse(there, up)
        assert np.array_equal(run(back), vectors)
        again = util.fill_triangular_inverse(util.fill_triangular(vectors, up), up)
        assert again.shape.as_list() == [2, 6]
        assert np.array_equal(run(again), vectors)
    with pytest.raises(ValueError, match="does not correspond to a triangular matrix"):
        util.fill_triangular(np.zeros(4, np.float32))


def test_weights_fit_values(run):
    weights = tf.python.ops.weights_broadcast_ops
    values = np.ones([3, 2], np.float32)
    assert run(weights.broadcast_weights([[1.0, 2.0]], values)).tolist() == [[1, 2]] * 3
    assert run(weights.broadcast_weights(5.0, values)).tolist() == [[5, 5]] * 3
    says = "weights can not be broadcast to values"
    given = tf.placeholder(tf.float32)
    checked = weights.broadcast_weights(given, tf.placeholder_with_default(values, None))
    assert run(checked, {given: [[7.0], [8.0], [9.0]]}).tolist() == [[7, 7], [8, 8], [9, 9]]
    assert run(checked, {given: 3.0}).tolist() == [[3, 3]] * 3
    for wrong in ([1.0, 2.0], [[1.0, 2.0, 3.0]], [[1.0, 2.0], [3.0, 4.0]], [[[1.0]]]):
        with pytest.raises(ValueError, match=says):
            weights.assert_broadcastable(wrong, values)
        with pytest.raises(tf.errors.InvalidArgumentError, match=says):
            run(checked, {given: wrong})


def test_weights_of_classes_may_have_a_dimension_too_many(run):
    logits, labels = 10.0 * np.eye(3, dtype=np.float32), [[1], [2], [0]]
    weights = tf.placeholder(tf.float32)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits, weights, reduction="weighted_sum")
    for given in ([[1.0], [2.0], [4.0]], [1.0, 2.0, 4.0]):
        assert run(loss, {weights: given}) == pytest.approx(7 * 10.0, abs=1e-2)
    assert run(loss, {weights: 2.0}) == pytest.approx(6 * 10.0, abs=1e-2)


def test_bare_variables(run):
    variable = tf.python.ops.state_ops.variable_op([1, 2], tf.float32)
    unknown = tf.python.ops.state_ops.variable_op([1, 2], tf.float32, set_shape=False)
    assert variable.shape.as_list() == [1, 2]
    assert unknown.shape.ndims is None
    assert not tf.global_variables()
    with tf.control_dependencies([tf.assign(variable, [[1.0, 2.0]])]):
        assert run(tf.identity(variable)).tolist() == [[1, 2]]


def test_an_iterator_has_its_handle_from_the_beginning_and_warns_of_many_readers():
    iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(3))
    before = len(tf.get_default_graph().get_operations())
    assert iterator.string_handle() is iterator.string_handle()
    assert len(tf.get_default_graph().get_operations()) == before
    assert iterator.string_handle("named").op.name == "named"
    for _ in range(32):
        iterator.get_next()
    with pytest.warns(UserWarning, match="unusually high number"):
        iterator.get_next()


def test_the_shape_of_a_variable_is_known_by_its_handle():
    variable = tf.get_variable("w", [3, 2], use_resource=True)
    shape = tf.python.ops.resource_variable_ops.variable_shape(variable.handle)
    assert tf.get_static_value(shape).tolist() == [3, 2]


def moves_of_variants(whole):
    """Return what picks the second of two variants in many ways, by name."""
    apart = tf.dynamic_partition(whole, [0, 1], 2)
    swapped = tf.dynamic_stitch([[1], [0]], [whole[:1], whole[1:]])
    return {
        "gather": tf.gather(whole, [1, 0])[0],
        "gather_nd": tf.gather_nd(whole, [[1]])[0],
        "mask": tf.boolean_mask(whole, [False, True])[0],
        "partition": apart[1][0],
        "stitch": swapped[0],
        "slice": whole[1:][0],
        "concat": tf.concat([whole, whole], 0)[3],
        "tile": tf.tile(whole, [2])[3],
        "reverse": tf.reverse(whole, [0])[0],
        "transpose": tf.transpose(tf.reshape(whole, [1, 2]))[1, 0],
        "unstack": tf.unstack(whole)[1],
        "split": tf.split(whole, 2)[1][0],
    }


def test_variants_are_moved_like_other_elements(run):
    lists = tf.python.ops.list_ops
    handles = [lists.tensor_list_from_tensor(rows, []) for rows in ([1.0, 2.0], [3.0, 4.0])]
    found = moves_of_variants(tf.stack(handles))
    read = {name: lists.tensor_list_stack(one, tf.float32) for name, one in found.items()}
    assert {name: value.tolist() for name, value in run(read).items()} == {
        name: [3, 4] for name in found
    }


def test_a_batch_of_a_priority_queue_is_in_order_however_it_came():
    queue = tf.PriorityQueue(10, tf.string, shapes=())
    numbers, words = tf.placeholder(tf.int64), tf.placeholder(tf.string)
    put, batch = queue.enqueue_many([numbers, words]), queue.dequeue_many(4)
    taken = []
    with tf.Session() as session:
        reader = threading.Thread(target=lambda: taken.append(session.run(batch)))
        reader.start()
        for part in ([5, 9], [1, 7]):
            session.run(put, {numbers: part, words: [str(number) for number in part]})
        reader.join()
        assert session.run(queue.size()) == 0
    assert taken[0][0].tolist() == [1, 5, 7, 9]
    assert taken[0][1].tolist() == [b"1", b"5", b"7", b"9"]
