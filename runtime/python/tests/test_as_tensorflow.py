"""Programs that import tensorflow run without an edit, and names that are missing are reported."""

import subprocess
import sys

import pytest
import tfbuild_runtime.compat.v1 as tf

PROGRAM = """
from __future__ import print_function
import tensorflow as tf
import tensorflow.contrib.slim as slim
import tensorflow.compat.v1 as tf1
from tensorflow.contrib import rnn
from tensorflow.contrib.layers.python.layers import initializers
from tensorflow.examples.tutorials.mnist import input_data
from tensorflow.python.framework import dtypes, ops
from tensorflow.python.ops import array_ops, control_flow_ops, math_ops, rnn_cell, variable_scope
from tensorflow.python.platform import gfile
from tensorflow.python.client import timeline
from tensorflow.python.training import moving_averages
from tensorflow.core.protobuf import config_pb2

assert tf1.nn.relu is tf.nn.relu and tf.__version__
assert rnn.GRUCell is rnn_cell.GRUCell is tf.nn.rnn_cell.GRUCell
assert math_ops.matmul is tf.matmul and ops.Graph is tf.Graph
assert dtypes.float32 == tf.float32 and gfile.Exists('/') and config_pb2.ConfigProto()
tf.app.flags.DEFINE_integer('steps', 1, 'how many')

def main(argv):
    with tf.Session() as sess:
        x = control_flow_ops.with_dependencies([], array_ops.ones([tf.app.flags.FLAGS.steps]))
        print(sess.run(x).tolist(), argv[1:])

if __name__ == '__main__':
    tf.app.run()
"""


def run_as_tensorflow(*words):
    command = [sys.executable, "-m", "tfbuild_runtime.as_tensorflow", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_a_program_runs_without_an_edit(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = run_as_tensorflow(program, "--steps=2", "rest")
    assert (done.returncode, done.stdout) == (0, "[1.0, 1.0] ['rest']\n"), done.stderr


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_worker_processes_of_a_program_know_tensorflow(tmp_path, start):
    program = tmp_path / "program.py"
    program.write_text(
        "import multiprocessing\n"
        "import tensorflow as tf\n"
        "from tensorflow.python.ops import math_ops\n"
        "def doubled(number):\n"
        "    with tf.Graph().as_default(), tf.Session() as session:\n"
        "        return int(session.run(math_ops.multiply(number, 2)))\n"
        "if __name__ == '__main__':\n"
        f"    with multiprocessing.get_context('{start}').Pool(1) as pool:\n"
        "        print(pool.map(doubled, [1, 2]))\n"
    )
    done = run_as_tensorflow(program)
    assert (done.returncode, done.stdout) == (0, "[2, 4]\n"), done.stderr


def test_programs_import_their_neighbours(tmp_path):
    (tmp_path / "neighbour.py").write_text("import tensorflow as tf\nVALUE = tf.constant(3)\n")
    program = tmp_path / "program.py"
    program.write_text(
        "import neighbour, tensorflow as tf\n"
        "print(tf.Session().run(neighbour.VALUE)); raise SystemExit(7)\n"
    )
    done = run_as_tensorflow(program)
    assert (done.returncode, done.stdout) == (7, "3\n"), done.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("import tensorflow.keras.datasets", "nothing is downloaded here"),
        ("from tensorflow.contrib import copy_graph", "cannot import name 'copy_graph'"),
        ("import tensorflow.contrib.copy_graph", "tf.contrib.copy_graph of TensorFlow 1 is not"),
        ("import tensorflow.nonsense", "nonsense"),
    ],
)
def test_imports_of_what_is_missing_are_reported(tmp_path, line, message):
    program = tmp_path / "program.py"
    program.write_text(line)
    done = run_as_tensorflow(program)
    assert done.returncode == 1
    assert message in done.stderr.splitlines()[-1]


def test_usage():
    done = run_as_tensorflow()
    assert (done.returncode, done.stderr[:6]) == (2, "usage:")
    done = run_as_tensorflow("/nothing.py")
    assert (done.returncode, "no program" in done.stderr) == (2, True)
    assert run_as_tensorflow("--help").returncode == 0


def test_only_the_process_that_asks_is_changed():
    assert "tensorflow" not in sys.modules


@pytest.mark.parametrize(
    ("namespace", "name", "message"),
    [
        ("keras", "applications", "tf.keras.applications of TensorFlow 1 is not there in this"),
        ("nn", "erosion2d", r"tf.nn.erosion2d of TensorFlow 1 is not there"),
        ("estimator", "BoostedTreesClassifier", "give tf.estimator.Estimator a model function"),
        ("estimator", "Estimater", "no attribute 'Estimater'; did you mean 'Estimator'"),
        ("", "distribute", "a session runs in one process"),
        ("contrib", "copy_graph", "tf.contrib.copy_graph of TensorFlow 1"),
        ("", "Sesion", "no attribute 'Sesion'; did you mean 'Session'"),
        ("nn", "qwertz", "no attribute 'qwertz'$"),
    ],
)
def test_names_that_are_missing_are_reported(namespace, name, message):
    owner = getattr(tf, namespace) if namespace else tf
    assert not hasattr(owner, name)
    with pytest.raises(AttributeError, match=message):
        getattr(owner, name)
