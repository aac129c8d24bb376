"""Input pipelines: elements, order, shapes and errors are those of TensorFlow 2.21.

tensorflow_datasets/make.py has asked it.
"""

import gzip
import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

HERE = Path(__file__).resolve().parent / "tensorflow_datasets"
ANSWERS = json.loads(gzip.decompress((HERE / "answers.json.gz").read_bytes()))["answers"]


def load_pipelines():
    """Return the module of pipelines, which is in no package."""
    spec = importlib.util.spec_from_file_location("pipelines", HERE / "pipelines.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pipelines = load_pipelines()


def same(ours, theirs):
    """Assert that two elements are the same, floating numbers to the last bits."""
    if isinstance(theirs, dict) and "dtype" in theirs:
        assert (ours["dtype"], ours["shape"]) == (theirs["dtype"], theirs["shape"])
        if theirs["dtype"].startswith("float"):
            np.testing.assert_allclose(ours["values"], theirs["values"], rtol=1e-6)
        else:
            assert ours["values"] == theirs["values"]
    elif isinstance(theirs, dict):
        assert set(ours) == set(theirs)
        for key in theirs:
            same(ours[key], theirs[key])
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs):
            same(a, b)
    else:
        assert ours == theirs


def test_there_are_many_pipelines():
    assert set(ANSWERS) == set(pipelines.PIPELINES)
    assert len(ANSWERS) > 100


@pytest.mark.parametrize("name", pipelines.PIPELINES)
def test_pipeline(name, tmp_path):
    expected = ANSWERS[name]
    ours = pipelines.read(tf, name, str(tmp_path))
    if "fails" in expected:
        assert ours.get("fails") == expected["fails"]
        return
    assert "fails" not in ours
    assert ours["shapes"] == expected["shapes"]
    assert ours.get("ends") == expected.get("ends")
    assert len(ours["elements"]) == len(expected["elements"])
    same(ours["elements"], expected["elements"])
