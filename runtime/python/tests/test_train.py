"""Optimizers against step-by-step copies in NumPy; learning rates, global step, Saver."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

STEPS = 12


# The settings are sums of few powers of two: they are the same in float32 and float64.


def sgd(w, gradient, state, t):
    return w - 0.125 * gradient


def momentum(w, gradient, state, t):
    state["a"] = 0.75 * state.get("a", 0) + gradient
    return w - 0.125 * state["a"]


def nesterov(w, gradient, state, t):
    state["a"] = 0.75 * state.get("a", 0) + gradient
    return w - 0.125 * (gradient + 0.75 * state["a"])


def adagrad(w, gradient, state, t):
    state["a"] = state.get("a", 0.25) + gradient**2
    return w - 0.125 * gradient / np.sqrt(state["a"])


def rmsprop(w, gradient, state, t):
    state["s"] = 0.75 * state.get("s", 1.0) + 0.25 * gradient**2
    state["m"] = 0.5 * state.get("m", 0) + 0.125 * gradient / np.sqrt(state["s"] + 2**-10)
    return w - state["m"]


def adam(w, gradient, state, t):
    state["m"] = 0.75 * state.get("m", 0) + 0.25 * gradient
    state["v"] = 0.875 * state.get("v", 0) + 0.125 * gradient**2
    rate = 0.0625 * np.sqrt(1 - 0.875**t) / (1 - 0.75**t)
    return w - rate * state["m"] / (np.sqrt(state["v"]) + 2**-10)


def centered(w, gradient, state, t):
    state["g"] = 0.75 * state.get("g", 0) + 0.25 * gradient
    state["s"] = 0.75 * state.get("s", 1.0) + 0.25 * gradient**2
    root = np.sqrt(state["s"] - state["g"] ** 2 + 2**-10)
    state["m"] = 0.5 * state.get("m", 0) + 0.125 * gradient / root
    return w - state["m"]


OPTIMIZERS = {
    "sgd": (sgd, lambda: tf.train.GradientDescentOptimizer(0.125)),
    "momentum": (momentum, lambda: tf.train.MomentumOptimizer(0.125, 0.75)),
    "nesterov": (nesterov, lambda: tf.train.MomentumOptimizer(0.125, 0.75, use_nesterov=True)),
    "adagrad": (adagrad, lambda: tf.train.AdagradOptimizer(0.125, 0.25)),
    "rmsprop": (rmsprop, lambda: tf.train.RMSPropOptimizer(0.125, 0.75, 0.5, 2**-10)),
    "centered": (
        centered,
        lambda: tf.train.RMSPropOptimizer(0.125, 0.75, 0.5, 2**-10, centered=True),
    ),
    "adam": (adam, lambda: tf.train.AdamOptimizer(0.0625, 0.75, 0.875, 2**-10)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizer_steps(name, dtype):
    """Minimise |A w - b|^2 and compare w after every step."""
    step, make = OPTIMIZERS[name]
    random = np.random.default_rng(4)
    a, b, w = (random.standard_normal(s) / 3 for s in ((3, 4), (3, 2), (4, 2)))
    variable = tf.Variable(w.astype(dtype))
    miss = tf.matmul(tf.constant(a, dtype), variable) - tf.constant(b, dtype)
    train = make().minimize(tf.reduce_sum(miss * miss))
    state = {}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for t in range(1, STEPS + 1):
            w = step(w, 2 * a.T @ (a @ w - b), state, t)
            session.run(train)
            # Adam keeps the powers of its betas in float32, whatever the variable holds. Weights go
            # through zero, where a step's rounding is all that is left of them: hence atol.
            tolerance = 2e-5 if dtype == "float32" else 1e-6 if name == "adam" else 1e-10
            np.testing.assert_allclose(session.run(variable), w, rtol=tolerance, atol=tolerance)


def test_slots_have_tensorflows_names():
    w = tf.Variable([1.0], name="w")
    b = tf.Variable([1.0], name="b")
    loss = tf.reduce_sum(w * b)
    with tf.name_scope("training"):
        adam_optimizer = tf.train.AdamOptimizer()
        train = adam_optimizer.minimize(loss, name="step")
    momentum = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    assert [train.name, momentum.name] == ["training/step", "Momentum"]
    assert [v.op.name for v in tf.global_variables()] == [
        "w", "b", "training/beta1_power", "training/beta2_power", "w/Adam", "w/Adam_1", "b/Adam",
        "b/Adam_1", "w/Momentum", "b/Momentum",
    ]  # fmt: skip
    assert [v.op.name for v in tf.trainable_variables()] == ["w", "b"]
    assert adam_optimizer.get_slot_names() == ["m", "v"]
    assert adam_optimizer.get_slot(w, "v").op.name == "w/Adam_1"
    assert adam_optimizer.get_slot(w, "x") is None
    assert len(adam_optimizer.variables()) == 6
    assert train in tf.get_collection(tf.GraphKeys.TRAIN_OP)


def test_global_step_counts_and_rates_decay():
    w = tf.Variable(1.0)
    step = tf.train.get_or_create_global_step()
    assert tf.train.get_or_create_global_step() is step
    assert tf.train.get_global_step() is step
    rate = tf.train.exponential_decay(0.5, step, 2, 0.1)
    stairs = tf.train.exponential_decay(0.5, step, 2, 0.1, staircase=True)
    train = tf.train.GradientDescentOptimizer(rate).minimize(w * w, global_step=step)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for count in range(5):
            assert tf.train.global_step(session, step) == count
            np.testing.assert_allclose(session.run(rate), 0.5 * 0.1 ** (count / 2), rtol=1e-5)
            np.testing.assert_allclose(session.run(stairs), 0.5 * 0.1 ** (count // 2), rtol=1e-5)
            session.run(train)
    with pytest.raises(ValueError, match="exists"):
        tf.train.create_global_step()


def test_gradients_can_be_changed_on_the_way(run):
    w = tf.Variable([3.0, 4.0])
    unused = tf.Variable(1.0)
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    pairs = optimizer.compute_gradients(tf.reduce_sum(w * w) / 2)
    assert [v for _, v in pairs] == [w, unused]
    assert pairs[1][0] is None
    clipped = [(tf.clip_by_norm(g, 1.0), v) for g, v in pairs if g is not None]
    train = optimizer.apply_gradients(clipped)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        np.testing.assert_allclose(session.run(w), [2.4, 3.2], rtol=1e-6)


def test_constraints_hold_after_updates():
    w = tf.Variable([1.0, -1.0], constraint=lambda v: tf.maximum(v, 0.0))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(w))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        np.testing.assert_allclose(session.run(w), [0.9, 0.0], rtol=1e-6)


def test_own_optimizers_can_be_written():
    class Sign(tf.train.Optimizer):
        def __init__(self):
            super().__init__(use_locking=False, name="Sign")

        def _apply_dense(self, grad, var):
            return var.assign_sub(0.5 * tf.sign(grad)).op

    w = tf.Variable([3.0, -4.0])
    train = Sign().minimize(tf.reduce_sum(w * w))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train)
        assert session.run(w).tolist() == [2.5, -3.5]


def test_what_cannot_be_trained_is_refused():
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match="No variables"):
        optimizer.minimize(tf.constant(1.0))
    w = tf.Variable(1.0)
    with pytest.raises(ValueError, match="No gradients"):
        optimizer.minimize(tf.constant(1.0))
    with pytest.raises(ValueError, match="No gradients"):
        optimizer.apply_gradients([(None, w)])
    with pytest.raises(ValueError, match="gate_gradients"):
        optimizer.compute_gradients(w * 2, gate_gradients=7)


# ---- saving -------------------------------------------------------------------------------------


def two_variables():
    return (tf.Variable([[1.0, 2.0]], name="layer/w"),
            tf.Variable(np.int64(3), name="step", trainable=False))  # fmt: skip


def test_saved_variables_come_back(tmp_path):
    w, step = two_variables()
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([w.assign([[5.0, 6.0]]), step.assign(9)])
        path = saver.save(session, tmp_path / "model", global_step=step)
        assert path == str(tmp_path / "model-9")
        session.run(tf.global_variables_initializer())
    assert tf.train.latest_checkpoint(tmp_path) == path
    assert tf.train.checkpoint_exists(path)
    tf.get_default_graph().finalize()
    with tf.Session() as session:
        saver.restore(session, path)
        assert session.run(w).tolist() == [[5.0, 6.0]]
        assert session.run(step) == 9
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == [
        "checkpoint", "model-9.data-00000-of-00001", "model-9.index", "model-9.meta",
    ]  # fmt: skip
    assert tf.train.load_variable(path, "layer/w").tolist() == [[5.0, 6.0]]


def test_old_files_are_removed(tmp_path):
    two_variables()
    saver = tf.train.Saver(max_to_keep=2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for count in range(4):
            saver.save(session, tmp_path / "m", global_step=count)
    assert sorted(file.name for file in tmp_path.glob("*.index")) == ["m-2.index", "m-3.index"]
    assert len(list(tmp_path.iterdir())) == 1 + 2 * 3
    assert [path[-3:] for path in saver.last_checkpoints] == ["m-2", "m-3"]


def test_some_variables_under_other_names(tmp_path):
    w, step = two_variables()
    saver = tf.train.Saver({"weights": w})
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = saver.save(session, tmp_path / "part")
    with tf.Session() as session:
        saver.restore(session, path)
        assert session.run(w).tolist() == [[1.0, 2.0]]
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(step)


def test_wrong_files_are_refused(tmp_path):
    w, _ = two_variables()
    saver = tf.train.Saver([w])
    with tf.Session() as session:
        with pytest.raises(ValueError, match=r"not a valid checkpoint: .*model"):
            saver.restore(session, tmp_path / "model")
        (tmp_path / "bad.index").write_bytes(b"no table")
        with pytest.raises(tf.errors.DataLossError, match="too short to be a table"):
            saver.restore(session, tmp_path / "bad")
        session.run(w.initializer)
        with pytest.raises(ValueError, match="Parent directory"):
            saver.save(session, tmp_path / "nowhere" / "below" / "model")
        assert saver.save(session, tmp_path / "made" / "model") == str(tmp_path / "made" / "model")
        path = saver.save(session, tmp_path / "model")
    for shape, message in (([3], "shape"), ([1, 2], "dtype")):
        with tf.Graph().as_default(), tf.Session() as session:
            dtype = tf.float32 if len(shape) == 1 else tf.float64
            tf.Variable(tf.zeros(shape, dtype), name="layer/w")
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                tf.train.Saver().restore(session, path)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(1.0, name="other")
        with pytest.raises(tf.errors.NotFoundError, match="other"):
            tf.train.Saver().restore(session, path)
    assert not list(tmp_path.glob(".*"))


def test_uninitialised_variables_leave_no_file(tmp_path):
    two_variables()
    saver = tf.train.Saver()
    with tf.Session() as session, pytest.raises(tf.errors.FailedPreconditionError):
        saver.save(session, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
    with tf.Graph().as_default(), pytest.raises(ValueError, match="No variables"):
        tf.train.Saver()
