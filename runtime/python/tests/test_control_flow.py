"""Branches and loops: what they compute, what they leave out, what they refuse."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def test_cond_runs_one_branch(run):
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(x > 0, lambda: x * 2, lambda: x - 1)
    assert run(y, {x: 3.0}) == 6
    assert run(y, {x: -3.0}) == -4


def test_cond_leaves_the_effects_of_the_other_branch_out():
    pred = tf.placeholder(tf.bool, [])
    v = tf.Variable(1.0)
    chosen = tf.cond(pred, lambda: tf.assign_add(v, 1.0), lambda: tf.assign(v, 10.0))
    nothing = tf.cond(pred, lambda: tf.group(tf.assign(v, 5.0)), tf.no_op)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(chosen, {pred: True}) == 2
        assert session.run(v) == 2
        assert session.run(chosen, {pred: False}) == 10
        session.run(nothing, {pred: False})
        assert session.run(v) == 10
        session.run(nothing, {pred: True})
        assert session.run(v) == 5


def test_cond_keeps_structures(run):
    pred = tf.placeholder(tf.bool, [])
    one, two = tf.constant(1), tf.constant(2.0)
    result = tf.cond(pred, lambda: {"a": one, "b": (two, 3)}, lambda: {"a": -one, "b": (-two, 4)})
    assert run(result, {pred: False}) == {"a": -1, "b": (-2.0, 4)}
    assert run(tf.cond(pred, lambda: [one], lambda: [one + 1]), {pred: False}) == 2


def test_cond_nests_and_case_chooses_the_first(run):
    x = tf.placeholder(tf.int32, [])
    y = tf.case(
        [(x > 10, lambda: tf.constant(100)), (x > 5, lambda: tf.constant(50))],
        default=lambda: tf.constant(0),
    )
    assert [run(y, {x: value}) for value in (20, 7, 1)] == [100, 50, 0]


def test_cond_refuses(run):
    x = tf.placeholder(tf.float32, [])
    with pytest.raises(TypeError, match="callable"):
        tf.cond(x > 0, x, x)
    with pytest.raises(TypeError, match="Python bool"):
        tf.cond(True, lambda: x, lambda: x)
    with pytest.raises(TypeError, match="same type"):
        tf.cond(x > 0, lambda: x, lambda: tf.constant(1))
    with pytest.raises(ValueError, match="elements"):
        tf.cond(x > 0, lambda: [x, x], lambda: [x, x, x])


@pytest.mark.parametrize("parallel", [1, 10])
@pytest.mark.parametrize("count", [0, 1, 7, 300])
def test_while_loop_counts(run, parallel, count):
    i, total = tf.while_loop(
        lambda i, _: i < count, lambda i, total: (i + 1, total + tf.cast(i, tf.float32)),
        [tf.constant(0), tf.constant(0.0)], parallel_iterations=parallel,
    )  # fmt: skip
    assert run([i, total]) == [count, sum(range(count))]


def test_while_loop_of_one_variable_and_of_structures(run):
    assert run(tf.while_loop(lambda i: i < 5, lambda i: i + 2, [0])) == 6
    start = {"i": tf.constant(0), "sums": (tf.zeros([2]), 1.0)}

    def body(state):
        low, high = state["sums"]
        return ({"i": state["i"] + 1, "sums": (low + 1, high * 2)},)

    (end,) = tf.while_loop(lambda state: state["i"] < 3, body, (start,), return_same_structure=True)
    found = run(end)
    assert found["i"] == 3
    assert found["sums"][1] == 8
    np.testing.assert_array_equal(found["sums"][0], [3, 3])


def test_while_loops_nest(run):
    def outer(i, total):
        _, total = tf.while_loop(
            lambda j, _: j < i,
            lambda j, t: (j + 1, t + tf.cond(tf.equal(j % 2, 0), lambda: 1.0, lambda: 10.0)),
            [0, total],
        )
        return i + 1, total

    assert run(tf.while_loop(lambda i, _: i < 5, outer, [0, 0.0])) == [5, 46]


def test_maximum_iterations(run):
    assert run(tf.while_loop(lambda i: i < 100, lambda i: i + 1, [0], maximum_iterations=4)) == 4


def test_a_loop_reads_and_writes_variables():
    v = tf.Variable(0.0)

    def body(i):
        with tf.control_dependencies([tf.assign_add(v, 2.0)]):
            return i + 1

    loop = tf.while_loop(lambda i: i < 4, body, [0], parallel_iterations=1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(loop) == 4
        assert session.run(v) == 8


def test_random_numbers_are_new_in_each_iteration(run):
    _, first, last = tf.while_loop(
        lambda i, *_: i < 3,
        lambda i, first, last: (i + 1, last, tf.random_uniform([2])),
        [0, tf.zeros([2]), tf.zeros([2])],
    )
    first, last = run([first, last])
    assert not np.array_equal(first, last)


def test_shapes_that_change_need_invariants(run):
    def grow(i, x):
        return i + 1, tf.concat([x, x], 0)

    start = [tf.constant(0), tf.ones([1, 2])]
    with pytest.raises(ValueError, match="not an invariant"):
        tf.while_loop(lambda i, _: i < 3, grow, start)
    _, grown = tf.while_loop(
        lambda i, _: i < 3, grow, start,
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])],
    )  # fmt: skip
    assert grown.shape.as_list() == [None, 2]
    assert run(grown).shape == (8, 2)


def test_while_loop_refuses():
    with pytest.raises(TypeError, match="cond must be callable"):
        tf.while_loop(1, lambda i: i, [0])
    with pytest.raises(ValueError, match="No loop variables"):
        tf.while_loop(lambda: True, lambda: None, [])
    with pytest.raises(ValueError, match="elements"):
        tf.while_loop(lambda i: i < 1, lambda i: (i, i), [0])
    with pytest.raises(ValueError, match="type"):
        tf.while_loop(lambda i: i < 1, lambda i: tf.cast(i, tf.float32), [0])


def test_gradients_of_a_loop_train_a_variable():
    weight = tf.get_variable("w", initializer=0.5)
    _, power = tf.while_loop(lambda i, _: i < 3, lambda i, p: (i + 1, p * weight), [0, 2.0])
    loss = tf.square(power - 16.0)
    train = tf.train.GradientDescentOptimizer(0.0005).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(300):
            session.run(train)
        assert session.run(weight) == pytest.approx(2.0, abs=1e-3)


def test_gradients_of_nested_loops():
    x = tf.placeholder(tf.float32, [])

    def outer(i, total):
        _, total = tf.while_loop(lambda j, _: j < 2, lambda j, t: (j + 1, t * x), [0, total])
        return i + 1, total

    _, total = tf.while_loop(lambda i, _: i < 2, outer, [0, 1.0])
    (gradient,) = tf.gradients(total, x)
    with tf.Session() as session:
        assert session.run([total, gradient], {x: 2.0}) == [16, 32]


def test_second_derivatives_of_loops(run):
    x = tf.constant(0.7, tf.float64)

    def power(value, count):
        """value to the power of count + 1."""
        step = lambda i, h: (i + 1, h * value)  # noqa: E731
        return tf.while_loop(lambda i, _: i < count, step, [tf.constant(0), value])[1]

    def twice(y):
        return tf.gradients(tf.gradients(y, x)[0], x)[0]

    nested = tf.while_loop(
        lambda i, _: i < 2, lambda i, h: (i + 1, power(h, 2)), [tf.constant(0), x]
    )[1]
    branched = tf.cond(x > 0, lambda: power(x, 3), lambda: x)
    found = run([twice(power(x, 4)), twice(nested), twice(branched)])
    np.testing.assert_allclose(found, [20 * 0.7**3, 72 * 0.7**7, 12 * 0.7**2], rtol=1e-12)


def test_second_derivatives_of_branches_in_a_loop_are_refused():
    x = tf.constant(0.7)
    body = lambda i, h: (i + 1, tf.cond(h > 1, lambda: h * x, lambda: h * h))  # noqa: E731
    y = tf.while_loop(lambda i, _: i < 3, body, [tf.constant(0), x])[1]
    first = tf.gradients(y, x)[0]
    with pytest.raises(NotImplementedError, match="with branches in it"):
        tf.gradients(first, x)


def test_a_timeout_ends_a_loop():
    forever = tf.while_loop(lambda _: True, lambda i: i + 1, [0])
    with tf.Session() as session, pytest.raises(tf.errors.DeadlineExceededError):
        session.run(forever, options=tf.RunOptions(timeout_in_ms=50))
    config = tf.ConfigProto(operation_timeout_in_ms=50)
    with tf.Session(config=config) as session, pytest.raises(tf.errors.DeadlineExceededError):
        session.run(forever)


def test_graphs_with_loops_are_written_and_read(run):
    x = tf.placeholder(tf.float32, [], name="x")
    _, y = tf.while_loop(
        lambda i, _: i < 3,
        lambda i, y: (i + 1, tf.cond(y > 5, lambda: y - x, lambda: y * x)),
        [0, x],
    )
    tf.identity(y, name="y")
    data = tf.get_default_graph().as_graph_def().SerializeToString()
    with tf.Graph().as_default():
        x, y = tf.import_graph_def(data, return_elements=["x:0", "y:0"])
        assert run(y, {x: 2.0}) == 6
        again = tf.get_default_graph().as_graph_def()
        assert {node.op for node in again.node} >= {"Enter", "Merge", "NextIteration", "Switch"}


def test_a_cycle_without_a_loop_is_refused():
    graph_def = tf.GraphDef()
    graph_def.node.add(name="a", op="Neg", input=["b"])
    graph_def.node.add(name="b", op="Neg", input=["a"])
    with pytest.raises(ValueError, match="no NextIteration"):
        tf.import_graph_def(graph_def)


def test_what_a_branch_that_was_not_taken_would_give_cannot_be_fetched(run):
    inside = []
    x = tf.placeholder(tf.float32, [])
    tf.cond(x > 0, lambda: inside.append(x * 2) or inside[0], lambda: x)
    assert run(inside[0], {x: 1.0}) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="not taken"):
        run(inside[0], {x: -1.0})


def test_no_gradient_goes_through_a_loop_without_back_prop(run):
    v = tf.constant(2.0)
    squared = tf.while_loop(lambda x: x < 100.0, tf.square, [v], back_prop=False)
    assert run(tf.gradients(squared + v, v)[0]) == 1.0
    assert tf.gradients(squared, v) == [None]
    rows = tf.constant([1.0, 2.0])
    assert tf.gradients(tf.map_fn(tf.square, rows, back_prop=False), rows) == [None]
    assert tf.gradients(tf.scan(tf.multiply, rows, back_prop=False), rows) == [None]
    assert tf.gradients(tf.foldl(tf.multiply, rows, v, back_prop=False), rows) == [None]
    assert run(tf.gradients(tf.map_fn(tf.square, rows), rows)[0]).tolist() == [2.0, 4.0]


def test_a_gradient_of_the_side_that_was_not_taken_is_zero(run):
    from tfbuild_runtime.compat.v1 import python

    x = tf.constant(2.0)
    on_false, on_true = python.ops.control_flow_ops.switch(x, tf.constant(True))
    assert run(tf.gradients(on_true, x)[0]) == 1.0
    assert run(tf.gradients(on_false, x)[0]) == 0.0
    assert run(tf.gradients(3.0 * on_false, x)[0]) == 0.0
    output, number = python.ops.control_flow_ops.merge([on_false, on_true])
    assert run([output, number]) == [2.0, 1]


def test_a_loop_with_one_tensor_gives_it_even_beside_an_empty_list(run):
    loop = tf.while_loop(lambda i, _: i < 10, lambda i, _: [i + 1, []], [tf.constant(0), []])
    assert run(loop) == 10
