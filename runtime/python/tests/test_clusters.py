"""Clusters of one process, accumulators of gradients, and the optimizer that waits for replicas."""

import threading

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def test_specs_describe_their_tasks():
    spec = tf.train.ClusterSpec({"ps": ["a:1"], "worker": {1: "c:3", 3: "d:4"}})
    assert spec.as_dict() == {"ps": ["a:1"], "worker": {1: "c:3", 3: "d:4"}}
    assert (spec.jobs, spec.num_tasks("worker")) == (["ps", "worker"], 2)
    assert spec.job_tasks("worker") == [None, "c:3", None, "d:4"]
    assert spec.task_address("worker", 3) == "d:4"
    assert tf.train.ClusterSpec(spec) == spec
    with pytest.raises(ValueError, match="No such job"):
        spec.task_indices("chief")
    with pytest.raises(TypeError, match="dictionary"):
        tf.train.ClusterSpec(["a:1"])


def test_a_server_is_the_only_task_of_its_cluster():
    server = tf.train.Server.create_local_server()
    with tf.Session(server.target) as session:
        assert session.run(tf.constant(2) + 1) == 3
    alone = tf.train.Server({"worker": ["localhost:2222"]}, job_name="worker", task_index=0)
    assert alone.target == "grpc://localhost:2222"
    with pytest.raises(tf.errors.UnimplementedError, match="only task of its cluster"):
        tf.train.Server({"ps": ["a:1"], "worker": ["b:2"]}, job_name="worker", task_index=0)
    with pytest.raises(tf.errors.UnimplementedError, match="only sessions of this process"):
        tf.Session("grpc://elsewhere:1")


def test_variables_go_to_the_tasks_for_parameters_by_turns():
    setter = tf.train.replica_device_setter(
        cluster={"ps": ["a:1", "b:2"], "worker": ["c:3"]}, worker_device="/job:worker/task:0/gpu:0"
    )
    with tf.device(setter):
        first, second = tf.Variable(1.0), tf.get_variable("w", [2])
        with tf.device("/cpu:0"):
            third = tf.Variable(1.0)
        total = first + 1.0
    assert [v.device for v in (first, second, third, total)] == [
        "/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:0/device:CPU:0",
        "/job:worker/task:0/device:GPU:0",
    ]  # fmt: skip
    assert tf.train.replica_device_setter(ps_tasks=0) is None


def test_an_accumulator_gives_the_mean_and_drops_what_is_late():
    of = tf.ConditionalAccumulator(tf.float32, shape=[2])
    apply = of.apply_grad([1.0, 3.0], local_step=0), of.apply_grad([3.0, 5.0], local_step=0)
    taken, count = of.take_grad(2), of.num_accumulated()
    with tf.Session() as session:
        session.run(apply)
        assert session.run(count) == 2
        assert session.run(taken).tolist() == [2, 4]
        session.run(apply[0])  # of a step that is over
        assert session.run(count) == 0
        session.run(of.set_global_step(0))
        session.run(apply[0])
        assert session.run(count) == 1


def test_taking_waits_for_enough_gradients():
    of = tf.ConditionalAccumulator(tf.float64, shape=tf.TensorShape([]), reduction_type="SUM")
    apply, taken = of.apply_grad(2.0), of.take_grad(3)
    found = []
    with tf.Session() as session:
        waiting = threading.Thread(target=lambda: found.append(session.run(taken)))
        waiting.start()
        for _ in range(3):
            assert not found
            session.run(apply)
        waiting.join()
    assert found == [6.0]


def test_rows_are_divided_by_how_many_gradients_had_them():
    of = tf.SparseConditionalAccumulator(tf.float32, shape=[None, 2])
    first = of.apply_grad([0, 2], np.float32([[1, 2], [3, 4]]), [4, 2])
    second = of.apply_indexed_slices_grad(
        tf.IndexedSlices(tf.constant([[5.0, 6.0]]), tf.constant([0]))
    )
    taken, slices = of.take_grad(2), of.take_indexed_slices_grad(1)
    with tf.Session() as session:
        session.run(first)
        session.run(second)
        indices, values, shape = session.run(taken)
        assert (indices.tolist(), values.tolist()) == ([0, 2], [[3, 4], [3, 4]])
        assert shape.tolist() == [-1, 2]
        session.run(of.set_global_step(0))
        session.run(second)
        assert session.run(slices).values.tolist() == [[5, 6]]


def test_accumulators_refuse_other_gradients():
    of = tf.ConditionalAccumulator(tf.float32, shape=[2])
    with pytest.raises(ValueError, match=r"Shapes|shape"):
        of.apply_grad([1.0, 2.0, 3.0])
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(of.take_grad(0))


def test_replicas_update_together():
    step = tf.train.get_or_create_global_step()
    dense = tf.get_variable("w", initializer=[1.0, 2.0])
    rows = tf.get_variable("e", initializer=[[1.0], [2.0], [3.0]])
    loss = tf.reduce_sum(dense**2) + tf.reduce_sum(tf.nn.embedding_lookup(rows, [0, 2]) ** 2)
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 1)
    with pytest.raises(ValueError, match="after apply_gradients"):
        optimizer.get_chief_queue_runner()
    train = optimizer.minimize(loss, global_step=step)
    hook = optimizer.make_session_run_hook(is_chief=True, num_tokens=0)
    with tf.train.MonitoredTrainingSession(hooks=[hook], stop_grace_period_secs=0.1) as session:
        for _ in range(3):  # each waits for its update, since no token is given in advance
            session.run(train)
        values, of_rows, at = session.run([dense, rows, step])
    assert at == 3
    np.testing.assert_allclose(values, np.float32([1, 2]) * 0.8**3, rtol=1e-5)
    np.testing.assert_allclose(of_rows[:, 0], [0.8**3, 2, 3 * 0.8**3], rtol=1e-5)
