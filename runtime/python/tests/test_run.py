"""`Session.run`, whose way for a fetch that was met before is not Python's."""

import inspect
import threading
from typing import Any

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf


def test_it_is_called_and_looks_like_any_method() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        two = tf.constant(2.0)
        for _ in range(2):
            assert session.run(two) == session.run(fetches=two) == session.run(two, None) == 2
            assert tf.Session.run(session, two) == 2
    assert str(inspect.signature(tf.Session.run)) == (
        "(self, /, fetches, feed_dict=None, options=None, run_metadata=None)"
    )
    with pytest.raises(TypeError):
        session.run()
    with pytest.raises(TypeError):
        tf.Session.run(two, two)


def test_a_class_may_have_its_own() -> None:
    class Counting(tf.Session):  # type: ignore[misc]
        runs = 0

        def run(self, *args: Any, **named: Any) -> Any:
            self.runs += 1
            return super().run(*args, **named)

    with tf.Graph().as_default(), Counting() as session:
        two = tf.constant(2.0)
        assert [session.run(two) for _ in range(3)] == [2, 2, 2]
        assert session.runs == 3


@pytest.mark.parametrize("fetches", ["two:0", ["two:0"], ("two:0",), {"a": "two:0"}])
def test_what_is_no_element_goes_as_before(fetches: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.constant(2.0, name="two")
        first = session.run(fetches)
        assert session.run(fetches) == first
        with pytest.raises((TypeError, ValueError)):
            session.run(object())
        with pytest.raises(TypeError):
            session.run(np.zeros(2))


def test_tiny_steps_beside_threads_that_assign() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        pair = tf.Variable([0.0, 0.0])
        added = tf.assign_add(pair, [1.0, 1.0], use_locking=True)
        apart = tf.subtract(pair[0], pair[1])
        session.run(tf.global_variables_initializer())
        threads = [
            threading.Thread(target=lambda: [session.run(added.op) for _ in range(500)])
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            assert session.run(apart) == 0
        assert session.run(pair).tolist() == [1000, 1000]
        assert session.run(apart) == 0


def test_errors_name_the_operation_the_second_time_too() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(1.0)
        total = variable + 1.0
        for _ in range(2):
            with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value"):
                session.run(total)
        placeholder = tf.placeholder(tf.float32, [], name="needed")
        doubled = placeholder * 2.0
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(doubled)
            assert caught.value.op is placeholder.op
        session.run(tf.global_variables_initializer())
        assert session.run(total) == 2


def test_a_variable_is_read_when_its_step_runs() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(1.0)
        more = variable.assign_add(1.0)
        total = variable + 10.0
        session.run(variable.initializer)
        seen = [(session.run(total), session.run(more)) for _ in range(3)]
        assert seen == [(11, 2), (12, 3), (13, 4)]
        assert session.run([total, variable]) == [14, 4]
    with pytest.raises(RuntimeError, match="closed"):
        session.run(total)
