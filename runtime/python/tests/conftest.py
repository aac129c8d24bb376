"""Fixtures of the tests of the Python frontend; the package must be built and importable.

TFBUILD_TENSORFLOW_PYTHON may name an interpreter that has a real TensorFlow, to compare with, and
TFBUILD_TEST_LOCALE the locale in which the tests are to run.
"""

import locale
import os
import subprocess
import sys
import tempfile

import pytest

# Before the import, in which ops are defined. Raises where it is not installed.
if os.environ.get("TFBUILD_TEST_LOCALE"):
    locale.setlocale(locale.LC_ALL, os.environ["TFBUILD_TEST_LOCALE"])

import tfbuild_runtime.compat.v1 as tf


def pytest_addoption(parser):
    parser.addoption("--run-slow", action="store_true", help="run tests that take minutes")


def pytest_configure(config):
    # A GPU, which is opened with the first session, is held against all digits.
    os.environ.setdefault("TFBUILD_ALLOW_TF32", "0")
    config.addinivalue_line(
        "markers", "tensorflow: compares with the TensorFlow of TFBUILD_TENSORFLOW_PYTHON"
    )
    config.addinivalue_line("markers", "slow: takes minutes (--run-slow)")
    config.addinivalue_line("markers", "cpu: what a GPU does otherwise; stays on the processor")


def pytest_collection_modifyitems(config, items):
    for item in items:
        if item.get_closest_marker("slow") and not config.getoption("--run-slow"):
            item.add_marker(pytest.mark.skip(reason="takes minutes: give --run-slow"))


@pytest.fixture(autouse=True, scope="session")
def temporary_folder(tmp_path_factory):
    """Let what programs leave lying go with pytest's own folders."""
    folder = str(tmp_path_factory.mktemp("left"))
    tempfile.tempdir = os.environ["TMPDIR"] = folder


@pytest.fixture(autouse=True)
def fresh_graph(request):
    """Give each test an empty default graph."""
    tf.reset_default_graph()
    with tf.device("/CPU:0" if request.node.get_closest_marker("cpu") else None):
        yield


@pytest.fixture
def run():
    """A function that runs fetches in a new session of the default graph."""

    def run(fetches, feed_dict=None):
        with tf.Session() as session:
            return session.run(fetches, feed_dict)

    return run


@pytest.fixture
def tensorflow():
    """A function that runs a script with a real TensorFlow and gives its standard output."""
    interpreter = os.environ.get("TFBUILD_TENSORFLOW_PYTHON")
    if not interpreter:
        pytest.skip("TFBUILD_TENSORFLOW_PYTHON names no interpreter with TensorFlow")

    def run_script(script, *words, data=b""):
        command = [interpreter, "-c", script, *words]
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
        environment.pop("PYTHONPATH", None)
        done = subprocess.run(
            command, input=data, capture_output=True, env=environment, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr.decode()[-2000:]
        return done.stdout

    return run_script


@pytest.fixture
def python():
    """A function that runs a script in a new interpreter like this one."""

    def run_script(script, *words):
        command = [sys.executable, "-c", script, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    return run_script
