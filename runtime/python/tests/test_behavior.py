"""The switches between TensorFlow 1 and 2."""

import pytest
import tfbuild_runtime.compat.v1 as tf


def test_what_asks_for_tensorflow_1_is_done_already() -> None:
    tf.disable_v2_behavior()
    tf.disable_eager_execution()
    tf.disable_tensor_equality()
    tf.disable_control_flow_v2()
    assert not tf.executing_eagerly()
    assert not tf.control_flow_v2_enabled()


@pytest.mark.parametrize(
    "name", ["enable_eager_execution", "enable_v2_behavior", "enable_tensor_equality"]
)
def test_what_asks_for_tensorflow_2_is_refused(name: str) -> None:
    with pytest.raises(NotImplementedError, match="graphs only"):
        getattr(tf, name)()


def test_control_flow_as_functions_has_the_same_values() -> None:
    tf.enable_control_flow_v2()
    with tf.Graph().as_default(), tf.Session() as session:
        looped = tf.while_loop(lambda i: i < 5, lambda i: i + 2, [0])
        assert session.run(tf.cond(looped > 5, lambda: looped, lambda: looped * 0)) == 6
