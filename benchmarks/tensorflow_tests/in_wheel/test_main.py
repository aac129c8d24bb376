"""What tensorflow.python.platform.test and googletest give."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from unittest import mock  # noqa: F401 (tests take it from here)

import test_util
import tfbuild_runtime.compat.v1 as tf
from gradient_checker import compute_gradient, compute_gradient_error  # noqa: F401
from test_case import TestCase  # noqa: F401

is_gpu_available = test_util.is_gpu_available
is_built_with_cuda = is_built_with_rocm = is_built_with_gpu_support = is_gpu_available
IsBuiltWithCuda = is_gpu_available
gpu_device_name = test_util.gpu_device_name
assert_equal_graph_def = test_util.assert_equal_graph_def


def main(argv: Any = None) -> None:
    """Do nothing: the tests are run one by one."""


def StatefulSessionAvailable() -> bool:
    """Whether sessions keep state between steps apart from variables."""
    return False


def get_temp_dir() -> str:
    """Return a folder of this process."""
    return os.environ["TEST_TMPDIR"]


GetTempDir = get_temp_dir


def test_src_dir_path(relative_path: str) -> str:
    """Return the path of a file of the tree that lies below tensorflow/."""
    return str(Path(os.environ["TENSORFLOW_TREE"], "tensorflow", relative_path))


class Benchmark:
    """What benchmarks stand on; none is run."""


TensorFlowBenchmark = Benchmark
test_session = tf.Session
