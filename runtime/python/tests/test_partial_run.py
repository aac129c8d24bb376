"""Steps that are run in parts. What is refused, and how, is as in TensorFlow 2.21."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


class Sums:
    """x = a + b, then y = x * c."""

    def __init__(self):
        self.a, self.b, self.c = (tf.placeholder(tf.float32, []) for _ in range(3))
        self.x = self.a + self.b
        self.y = self.x * self.c
        self.session = tf.Session()

    def open(self, fetches=None):
        """Open a step that is fed all three."""
        fetches = [self.x, self.y] if fetches is None else fetches
        return self.session.partial_run_setup(fetches, [self.a, self.b, self.c])


@pytest.fixture
def sums():
    made = Sums()
    with made.session:
        yield made


def test_each_part_gives_what_its_feeds_are_enough_for(sums):
    step = sums.open()
    assert isinstance(step, str)
    assert sums.session.partial_run(step, sums.x, {sums.a: 1, sums.b: 2}) == 3
    assert sums.session.partial_run(step, {"y": [sums.y]}, {sums.c: 3}) == {"y": [9]}


def test_feeds_may_be_nested(sums):
    step = sums.open()
    assert sums.session.partial_run(step, [sums.x, sums.x], {(sums.a, sums.b): (1, 2)}) == [3, 3]


def test_a_value_may_be_brought_before_it_is_needed(sums):
    step = sums.open()
    assert sums.session.partial_run(step, [], {sums.a: 1}) == []
    assert sums.session.partial_run(step, sums.x, {sums.b: 2}) == 3


def test_two_steps_of_one_signature_are_open_at_once(sums):
    one, other = sums.open(), sums.open()
    assert sums.session.partial_run(other, sums.x, {sums.a: 1, sums.b: 1}) == 2
    assert sums.session.partial_run(one, sums.x, {sums.a: 2, sums.b: 2}) == 4
    assert sums.session.partial_run(other, sums.y, {sums.c: 2}) == 4


def refused(sums, message, *part):
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        sums.session.partial_run(*part)
    assert error.value.message == message


def test_fetches_and_feeds_are_given_once(sums):
    step = sums.open()
    sums.session.partial_run(step, sums.x, {sums.a: 1, sums.b: 2})
    refused(sums, "The fetch add:0 has already been fetched.", step, sums.x)
    refused(sums, "The feed Placeholder:0 has already been fed.", step, sums.y,
            {sums.c: 3, sums.a: 2})  # fmt: skip
    assert sums.session.partial_run(step, sums.y, {sums.c: 3}) == 9
    refused(sums, "Must run 'setup' before performing partial runs!", step, sums.y)


def test_what_was_not_set_up_is_refused(sums):
    step = sums.open([sums.y])
    refused(sums, "The fetch add:0 was not specified in partial_run_setup.", step, sums.x,
            {sums.a: 1, sums.b: 2})  # fmt: skip
    refused(sums, "The feed add:0 was not specified in partial_run_setup.", step, sums.y,
            {sums.x: 1})  # fmt: skip
    refused(sums, "Must run 'setup' before performing partial runs!", "a name", sums.y)
    with pytest.raises(tf.errors.InvalidArgumentError, match="add:0 is both fed and fetched"):
        sums.session.partial_run_setup([sums.x], [sums.x])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Must specify at least one target"):
        sums.session.partial_run_setup([], [sums.a])
    with pytest.raises(RuntimeError, match="requires empty `target_list`"):
        sums.session.partial_run(sums.open([sums.x.op, sums.y]), sums.x.op)


def test_a_part_that_is_refused_has_not_happened(sums):
    step = sums.open()
    needed = "can't be computed from the feeds that have been fed so far."
    refused(sums, f"Fetch Placeholder_1:0 {needed}", step, sums.x, {sums.a: 1})
    refused(sums, f"Fetch Placeholder:0 {needed}", step, sums.x, {sums.b: 1})
    with pytest.raises(ValueError, match="Cannot feed value of shape"):
        sums.session.partial_run(step, sums.x, {sums.a: [1], sums.b: 2})
    assert sums.session.partial_run(step, sums.x, {sums.a: 1, sums.b: 2}) == 3


def test_what_is_fed_later_does_not_change_what_was_fed(sums):
    step = sums.open()
    a = np.array(1, np.float32)
    sums.session.partial_run(step, [], {sums.a: a})
    a[...] = 100
    assert sums.session.partial_run(step, sums.x, {sums.b: 2}) == 3


def test_nothing_runs_twice():
    total = tf.Variable(1.0)
    step_size, scale = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    grown = total.assign_add(step_size)
    drawn = tf.random_uniform([])
    end = [grown * scale, drawn * scale]
    with tf.Session() as session:
        session.run(total.initializer)
        step = session.partial_run_setup([grown, drawn, end[0], end[1]], [step_size, scale])
        assert session.partial_run(step, grown, {step_size: 3}) == 4
        first = session.partial_run(step, drawn)
        assert session.partial_run(step, end, {scale: 2}) == [8, 2 * first]
        assert session.run(total) == 4


def trained(parts):
    """Return losses and weights of three steps with dropout and batch normalisation."""
    tf.reset_default_graph()
    tf.set_random_seed(3)
    x, y = tf.placeholder(tf.float32, [4, 3]), tf.placeholder(tf.float32, [4, 1])
    hidden = tf.layers.dense(x, 5, tf.nn.relu, kernel_initializer=tf.ones_initializer())
    hidden = tf.layers.batch_normalization(hidden, training=True)
    predicted = tf.layers.dense(tf.nn.dropout(hidden, rate=0.5, seed=1), 1)
    loss = tf.reduce_mean(tf.square(predicted - y))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.AdamOptimizer(0.1).minimize(loss)
    with tf.control_dependencies([train]):
        done = tf.identity(loss)
    inputs = np.sin(np.arange(12, dtype=np.float32)).reshape(4, 3)
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            if parts:
                step = session.partial_run_setup([predicted, done], [x, y])
                guess = session.partial_run(step, predicted, {x: inputs})
                found += [guess, session.partial_run(step, done, {y: guess * 0 + 1})]
            else:
                found += session.run([predicted, done], {x: inputs, y: np.ones((4, 1))})
        return found + session.run(tf.global_variables())


def test_a_training_in_parts_is_the_training():
    for one, other in zip(trained(parts=True), trained(parts=False)):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_a_loop_is_of_one_part():
    x, scale = tf.placeholder(tf.float32, [2, 3, 1]), tf.placeholder(tf.float32, [])
    cell = tf.nn.rnn_cell.BasicRNNCell(2)
    outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    end = tf.reduce_sum(outputs) * scale
    (slope,) = tf.gradients(end, x)
    value = np.ones((2, 3, 1), np.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        whole = session.run([state, end], {x: value, scale: 2})
        step = session.partial_run_setup([state, end], [x, scale])
        found = [session.partial_run(step, state, {x: value})]
        found.append(session.partial_run(step, end, {scale: 2}))
        np.testing.assert_allclose(found[0], whole[0])
        np.testing.assert_allclose(found[1], whole[1])
        step = session.partial_run_setup([state, slope], [x, scale])
        with pytest.raises(tf.errors.UnimplementedError, match="a loop or branch"):
            session.partial_run(step, state, {x: value})


def test_an_error_ends_the_step(sums):
    checked = tf.check_numerics(sums.x, "no number")
    step = sums.open([checked, sums.y])
    with pytest.raises(tf.errors.InvalidArgumentError, match="no number"):
        sums.session.partial_run(step, checked, {sums.a: np.nan, sums.b: 1})
    refused(sums, "Must run 'setup' before performing partial runs!", step, sums.y, {sums.c: 1})
