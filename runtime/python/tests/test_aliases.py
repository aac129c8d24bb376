"""What TensorFlow has by several names is one function here, too.

tensorflow_aliases.json holds the public functions of TensorFlow 2.21's compat.v1 that have several
names, as far as they are here: one list for each function.
"""

import json
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

ALIASES = json.loads(Path(__file__).with_name("tensorflow_aliases.json").read_text())


def test_names_of_one_function_are_of_one_function():
    assert len(ALIASES) > 200
    apart = []
    for names in ALIASES:
        found = {id(reduce(getattr, name.split("."), tf)) for name in names}
        if len(found) > 1:
            apart.append(names)
    assert apart == []


def test_the_diagonals_of_a_batch_of_matrices():
    x = np.arange(16.0).reshape(2, 2, 2, 2)
    with tf.Session() as session:
        found = session.run(tf.linalg.diag_part(x))
        whole = session.run(tf.linalg.tensor_diag_part(x))
    np.testing.assert_array_equal(found, np.diagonal(x, axis1=2, axis2=3))
    np.testing.assert_array_equal(whole, [[0.0, 5.0], [10.0, 15.0]])


def test_files_by_the_arguments_of_tensorflow_2(tmp_path):
    folder = str(tmp_path / "a" / "b")
    tf.io.gfile.makedirs(path=folder)
    assert tf.io.gfile.isdir(path=folder)
    with tf.io.gfile.GFile(f"{folder}/c", "w") as file:
        file.write("four")
    assert tf.io.gfile.exists(path=f"{folder}/c")
    assert tf.io.gfile.stat(path=f"{folder}/c").length == 4
    assert tf.io.gfile.glob(pattern=f"{folder}/*") == [f"{folder}/c"]
    assert tf.io.gfile.listdir(path=folder) == ["c"]
    found = list(tf.io.gfile.walk(str(tmp_path), topdown=False))
    assert found == [
        (folder, [], ["c"]),
        (str(tmp_path / "a"), ["b"], []),
        (str(tmp_path), ["a"], []),
    ]
    tf.io.gfile.remove(path=f"{folder}/c")
    tf.io.gfile.mkdir(path=f"{folder}/d")
    tf.io.gfile.rmtree(path=folder)
    assert not tf.io.gfile.exists(path=folder)


def test_a_folder_that_cannot_be_listed_is_reported_where_asked(tmp_path):
    seen = []
    assert list(tf.io.gfile.walk(str(tmp_path / "gone"), onerror=seen.append)) == []
    assert [type(error) for error in seen] == [FileNotFoundError]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (tf.math.igamma, {"a": 2.0, "x": 1.0}), (tf.math.igammac, {"a": 2.0, "x": 1.0}),
        (tf.math.zeta, {"x": 2.0, "q": 1.0}), (tf.math.polygamma, {"a": 1.0, "x": 2.0}),
        (tf.nn.swish, {"features": 2.0, "beta": 0.5}),
    ],
)  # fmt: skip
def test_arguments_have_tensorflows_names(function, arguments):
    values = {"igamma": 0.264241, "igammac": 0.735759, "zeta": 1.644934, "polygamma": 0.644934,
              "swish": 2 / (1 + np.exp(-1))}  # fmt: skip
    with tf.Session() as session:
        found = session.run(function(**arguments))
    assert found == pytest.approx(values[function.__name__], rel=1e-5)


def test_a_class_is_drawn_by_the_newer_names_of_the_arguments():
    drawn = tf.random.stateless_categorical(
        logits=[[0.0, 50.0]], num_samples=3, seed=[1, 2], dtype=tf.int32
    )
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(drawn), [[1, 1, 1]])
