"""Variables behind handles: what reads see, updates, training, saving, and what is refused."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


@pytest.fixture
def enabled():
    """Let all variables of a test be behind handles."""
    tf.enable_resource_variables()
    yield
    tf.disable_resource_variables()


def started():
    """Return a session of the default graph in which all variables have their first values."""
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


# ---- making ---------------------------------------------------------------------------------


def test_who_asks_gets_a_handle():
    plain = tf.Variable(1.0)
    handled = tf.Variable(1.0, use_resource=True)
    assert plain.op.type == "VariableV2"
    assert handled.op.type == "VarHandleOp"
    assert isinstance(handled, tf.Variable)
    assert handled.handle.dtype == tf.resource
    assert (handled.dtype, handled.shape.as_list()) == (tf.float32, [])


def test_scopes_and_the_program_may_ask(enabled):
    with tf.variable_scope("a", use_resource=False):
        assert tf.get_variable("v", [2]).op.type == "VariableV2"
        assert tf.Variable(1.0).op.type == "VariableV2"
        assert tf.get_variable("w", [2], use_resource=True).op.type == "VarHandleOp"
    assert tf.get_variable("v", [2]).op.type == "VarHandleOp"
    assert tf.resource_variables_enabled()
    tf.disable_resource_variables()
    with tf.variable_scope("b", use_resource=True):
        assert tf.get_variable("v", [2]).op.type == "VarHandleOp"
    assert tf.get_variable("x", [2]).op.type == "VariableV2"


def test_operations_have_the_names_that_tensorflow_gives_them():
    tf.Variable(3.0, use_resource=True, name="v")
    nodes = [(node.name, node.op) for node in tf.get_default_graph().as_graph_def().node]
    assert nodes == [
        ("v/Initializer/initial_value", "Const"),
        ("v", "VarHandleOp"),
        ("v/IsInitialized/VarIsInitializedOp", "VarIsInitializedOp"),
        ("v/Assign", "AssignVariableOp"),
        ("v/Read/ReadVariableOp", "ReadVariableOp"),
    ]


# ---- reading and writing --------------------------------------------------------------------


def test_before_its_initializer_it_has_no_value():
    v = tf.Variable(1.0, use_resource=True)
    with tf.Session() as session:
        assert not session.run(tf.is_variable_initialized(v))
        assert session.run(tf.report_uninitialized_variables()).tolist() == [b"Variable"]
        with pytest.raises(tf.errors.FailedPreconditionError, match="localhost/Variable"):
            session.run(v)
        session.run(v.initializer)
        assert session.run([v, tf.is_variable_initialized(v)]) == [1.0, True]


def test_what_was_read_stays_when_the_variable_changes():
    v = tf.Variable([1.0, 2.0], use_resource=True)
    old = v.read_value()
    with tf.control_dependencies([old]):
        change = v.assign_add([10.0, 10.0], read_value=False)
    with tf.control_dependencies([change]):
        new = v.read_value()
    with started() as session:
        before, after = session.run([old, new])
        assert (before.tolist(), after.tolist()) == ([1, 2], [11, 12])
        held = session.run(v)
        session.run(change)
        assert held.tolist() == [11, 12]


def test_it_shows_its_old_value_beside_its_update_as_in_tensorflow():
    """Its own read was made before the update and waits for nothing."""
    v = tf.Variable(1.0, use_resource=True)
    with started() as session:
        assert session.run([v.assign(2.0), v]) == [2.0, 1.0]
        assert session.run(v) == 2.0


def test_a_reference_shows_its_new_value_beside_its_update_as_in_tensorflow():
    v = tf.Variable(1.0)
    count = tf.Variable(0)
    one, ten = tf.assign_add(count, 1), tf.assign_add(count, 10)
    read = v.read_value()
    with started() as session:
        assert session.run([tf.assign(v, 2.0), v, v.value(), read]) == [2.0] * 4
        assert session.run([one, ten]) == [11, 11]
        step = tf.train.GradientDescentOptimizer(1.0).minimize(tf.square(v), global_step=count)
        assert session.run([step, v, count]) == [None, -2.0, 12]


def test_updates_in_a_chain_and_by_functions():
    v = tf.Variable(1.0, use_resource=True)
    twice = v.assign(5.0).assign_add(2.0)
    with started() as session:
        assert session.run(twice) == 7.0
        assert session.run(tf.assign(v, 3.0)) == 3.0
        assert session.run(tf.assign_add(v, 2.0) + 1.0) == 6.0
        assert session.run(tf.assign_sub(v, 4.0)) == 1.0
        v.load(9.0, session)
        assert v.eval(session) == 9.0


def test_rows_change_by_scatter():
    for use_resource in (False, True):
        rows = tf.Variable([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], use_resource=use_resource)
        added = tf.scatter_add(rows, [2, 0, 2], [[1.0, 0.0], [5.0, 5.0], [1.0, 1.0]])
        with started() as session:
            assert session.run(added).tolist() == [[6, 6], [2, 2], [5, 4]]
            assert session.run(tf.scatter_update(rows, [1], 0.0)).tolist()[1] == [0, 0]
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\]"):
                session.run(tf.scatter_sub(rows, [3], 1.0))


def test_two_sessions_have_a_value_each():
    v = tf.Variable(1.0, use_resource=True)
    with started() as one, started() as two:
        one.run(v.assign(5.0))
        assert (one.run(v), two.run(v)) == (5.0, 1.0)


def test_a_handle_cannot_be_fetched_and_a_shape_must_fit():
    v = tf.Variable([1.0, 2.0], use_resource=True)
    with pytest.raises(ValueError, match="incompatible"):
        v.assign([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="float32 for Tensor with dtype int32"):
        v.assign_add(tf.constant([1, 2]))
    with pytest.raises(NotImplementedError):
        v.set_shape([2])
    with started() as session, pytest.raises(tf.errors.InvalidArgumentError, match="resource"):
        session.run(v.handle)


def test_in_branches_and_loops():
    v = tf.Variable(3.0, use_resource=True)
    taken = tf.cond(tf.constant(True), lambda: v * 2.0, lambda: v * 3.0)
    product = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a * v), [0, 1.0])[1]
    grads = tf.gradients([taken, product], v)
    with started() as session:
        assert session.run([taken, product, *grads]) == [6.0, 27.0, 2.0 + 27.0]


# ---- training -------------------------------------------------------------------------------

OPTIMIZERS = {
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
    "centered": lambda: tf.train.RMSPropOptimizer(0.1, centered=True),
    "adam": lambda: tf.train.AdamOptimizer(0.1),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_is_that_of_references(name):
    random = np.random.default_rng(1)
    inputs, wanted = random.standard_normal((16, 5)), random.standard_normal((16, 3))
    weights = random.standard_normal((5, 3))
    losses = []
    for use_resource in (False, True):
        with tf.Graph().as_default(), tf.variable_scope("m", use_resource=use_resource):
            w = tf.get_variable("w", initializer=weights)
            b = tf.get_variable("b", initializer=np.zeros(3))
            loss = tf.reduce_mean(tf.square(tf.tanh(tf.matmul(inputs, w) + b) - wanted))
            step = tf.train.get_or_create_global_step()
            train = OPTIMIZERS[name]().minimize(loss, global_step=step)
            with started() as session:
                losses.append([session.run([train, loss])[1] for _ in range(6)])
                assert session.run(step) == 6
            kinds = {op.type for op in tf.get_default_graph().get_operations()}
            assert ("VariableV2" in kinds) is not use_resource
    assert losses[0] == losses[1]
    assert losses[0][-1] < losses[0][0]


def test_embeddings_get_gradients():
    table = tf.get_variable("E", initializer=np.arange(8.0).reshape(4, 2), use_resource=True)
    rows = tf.nn.embedding_lookup(table, [1, 1, 3])
    (grad,) = tf.gradients(tf.reduce_sum(tf.square(rows)), [table])
    assert "ResourceGather" in {op.type for op in tf.get_default_graph().get_operations()}
    grad = tf.convert_to_tensor(grad)  # of slices, as many as rows were looked up
    with started() as session:
        assert session.run(grad).tolist() == [[0, 0], [8, 12], [0, 0], [12, 14]]


def test_a_constraint_holds_after_each_update():
    v = tf.Variable(1.0, use_resource=True, constraint=lambda x: tf.maximum(x, 0.5))
    train = tf.train.GradientDescentOptimizer(1.0).minimize(v * 1.0)
    with started() as session:
        session.run(train)
        assert session.run(v) == 0.5


def test_saved_and_restored(tmp_path):
    v = tf.Variable([1.0, 2.0], use_resource=True, name="v")
    saver = tf.train.Saver()
    with started() as session:
        session.run(v.assign([5.0, 6.0]))
        path = saver.save(session, str(tmp_path / "model"))
    with tf.Session() as session:
        saver.restore(session, path)
        assert session.run(v).tolist() == [5, 6]
    with tf.Graph().as_default():  # a reference of that name takes it, too
        other = tf.Variable([0.0, 0.0], name="v")
        with tf.Session() as session:
            tf.train.Saver().restore(session, path)
            assert session.run(other).tolist() == [5, 6]


def test_frozen_to_constants():
    table = tf.get_variable("E", initializer=np.arange(8.0).reshape(4, 2), use_resource=True)
    w = tf.get_variable("w", initializer=np.ones((2, 2)), use_resource=True)
    ids = tf.placeholder(tf.int32, [None], name="ids")
    rows = tf.nn.embedding_lookup(table, ids)
    chosen = tf.cond(tf.size(ids) > 1, lambda: tf.matmul(rows, w), lambda: -tf.matmul(rows, w))
    tf.identity(chosen, name="y")
    with started() as session:
        session.run(w.assign([[1.0, 0.0], [0.0, 3.0]]))
        expected = [session.run("y:0", {ids: feed}) for feed in ([2, 1], [3])]
        frozen = tf.graph_util.convert_variables_to_constants(session, session.graph_def, ["y"])
    kinds = {node.op for node in frozen.node}
    assert not kinds & {"VarHandleOp", "ReadVariableOp", "ResourceGather", "AssignVariableOp"}
    with tf.Graph().as_default():
        tf.import_graph_def(frozen, name="")
        with tf.Session() as session:
            for feed, value in zip(([2, 1], [3]), expected):
                assert session.run("y:0", {"ids:0": feed}).tolist() == value.tolist()
