"""The package as a whole: versions, lazy names, what importing costs and drags in."""

from pathlib import Path

import pytest
import tfbuild_runtime
import tfbuild_runtime.compat.v1 as tf
from tfbuild_runtime.compat import lazy


def places(tree):
    for value in tree.values():
        if isinstance(value, dict):
            yield from places(value)
        else:
            yield value


@pytest.mark.parametrize("place", sorted(set(places(tf._TREE))))
def test_every_public_name_is_there(place):
    module, _, attribute = place.partition(":")
    lazy.look_up("tf", {"name": f"{module}:{attribute}"}, "name")


def test_names_and_namespaces():
    assert tf.nn.relu is tf.nn.relu
    assert "relu" in dir(tf.nn)
    assert "Session" in dir(tf)
    assert tf.errors.NotFoundError.code == 5
    with pytest.raises(AttributeError, match="no attribute 'sesion'"):
        tf.sesion  # noqa: B018


def test_versions_agree():
    info = tf.sysconfig.get_build_info()
    assert info["version"] == tfbuild_runtime.__version__
    assert tfbuild_runtime.__version__ in tf.version.GIT_VERSION
    source = Path(__file__).parents[2] / "version.txt"
    assert source.read_text().strip() == tfbuild_runtime.__version__
    assert info["onednn"]


def test_importing_loads_neither_optimizers_nor_gradients(python):
    loaded = python(
        "import sys, tfbuild_runtime.compat.v1\n"
        "print(*[name for name in sys.modules if name.startswith('tfbuild_runtime.')])"
    ).split()
    assert "tfbuild_runtime.framework.session" in loaded
    late = [name for name in loaded if name.startswith("tfbuild_runtime.train.")]
    assert late == ["tfbuild_runtime.train._exports"]
    assert "tfbuild_runtime.gradients.engine" not in loaded


def test_gpu_state_is_one_sentence():
    text = tfbuild_runtime.gpu_status()
    has_gpu = bool(tf.test.gpu_device_name())
    assert has_gpu == (not text)
    assert has_gpu or text.startswith("GPU support is off: ")
