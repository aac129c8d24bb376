"""What programs are shown: unknown sizes, missing names, graphs and tensors as text."""

import pytest
import tfbuild_runtime.compat.v1 as tf
from google.protobuf import text_format


def test_an_unknown_size_names_where_it_was_lost():
    lengths = tf.placeholder(tf.float32, [None, 7], name="lengths")
    x = tf.tanh(lengths * 2)
    places = [
        lambda: int(x.shape[0]),
        lambda: tf.get_variable("w", [x.shape[0], 3]),
        lambda: tf.unstack(x),
        lambda: list(x),
        lambda: tf.Variable(x),
        x.shape.assert_is_fully_defined,
    ]
    for ask in places:
        with pytest.raises(
            (TypeError, ValueError), match=r"'Tanh:0' has the shape \(\?, 7\)"
        ) as caught:
            ask()
        assert "comes from 'lengths' (Placeholder), made at " in str(caught.value)


def test_a_tensor_as_a_size_of_a_variable_is_named():
    x = tf.placeholder(tf.float32, [None, 7])
    with pytest.raises(TypeError, match=r"'strided_slice:0'.*\(StridedSlice\), made at "):
        tf.get_variable("w", [tf.shape(x)[0], 3])


def test_none_in_a_shape_says_what_to_do():
    x = tf.placeholder(tf.float32, [None, 7])
    with pytest.raises(ValueError, match=r"None values not supported.*tf\.shape\(x\)"):
        tf.reshape(x, [x.get_shape().as_list()[0], 7, 1])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("load_file_system_library", "of TensorFlow 1 is not there"),
        ("load_op_library", r"tf\.load_op_library of TensorFlow 1 is not there"),
        ("no_such_thing", "has no attribute 'no_such_thing'"),
    ],
)
def test_a_missing_name_of_tensorflow_is_known(name, says):
    with pytest.raises(AttributeError, match=says):
        getattr(tf, name)


def test_names_below_a_namespace_are_known_too():
    with pytest.raises(AttributeError, match=r"tf\.nn\.fractional_max_pool of TensorFlow 1"):
        assert tf.nn.fractional_max_pool
    assert not hasattr(tf.nn, "no_such_thing")


def test_tensors_and_operations_print_as_in_tensorflow():
    one = tf.constant(1.0)
    unknown = tf.placeholder(tf.float32)
    with tf.device("/cpu:0"):
        placed = tf.placeholder(tf.int32, [None, 2])
    assert str(one) == 'Tensor("Const:0", shape=(), dtype=float32)'
    assert str(unknown) == 'Tensor("Placeholder:0", dtype=float32)'
    assert str(placed) == (
        'Tensor("Placeholder_1:0", shape=(?, 2), dtype=int32, device=/device:CPU:0)'
    )
    assert repr(one) == "<tf.Tensor 'Const:0' shape=() dtype=float32>"
    assert str(one.op).startswith('name: "Const"\nop: "Const"\nattr {\n  key: "dtype"\n')


GRAPH = """\
node {
  name: "x"
  op: "Const"
  attr {
    key: "dtype"
    value {
      type: DT_FLOAT
    }
  }
  attr {
    key: "value"
    value {
      tensor {
        dtype: DT_FLOAT
        tensor_shape {
          dim {
            size: 2
          }
        }
        tensor_content: "\\000\\000\\200?\\000\\000\\000@"
      }
    }
  }
}
node {
  name: "s"
  op: "Const"
  attr {
    key: "dtype"
    value {
      type: DT_STRING
    }
  }
  attr {
    key: "value"
    value {
      tensor {
        dtype: DT_STRING
        tensor_shape {
        }
        string_val: "a\\"b\\n\\303\\277"
      }
    }
  }
}
node {
  name: "y"
  op: "LeakyRelu"
  input: "x"
  attr {
    key: "T"
    value {
      type: DT_FLOAT
    }
  }
  attr {
    key: "alpha"
    value {
      f: 0.1
    }
  }
}
"""


def test_a_graph_is_written_in_the_text_format():
    """As TensorFlow 2.21 writes it, with attributes in the order of their names."""
    x = tf.constant([1.0, 2.0], name="x")
    tf.constant('a"b\n\xff', name="s")
    tf.nn.leaky_relu(x, 0.1, name="y")
    text = text_format.MessageToString(tf.get_default_graph().as_graph_def())
    assert text.startswith(GRAPH)
    assert text[len(GRAPH) :].startswith("versions {\n  producer: ")
    assert str(tf.get_default_graph().as_graph_def().node[2]).startswith('name: "y"\n')
