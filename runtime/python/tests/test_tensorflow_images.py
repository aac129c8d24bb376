"""Images against what TensorFlow made of the same: see tensorflow_images/make.py."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf
from tensorflow_images import cases

HERE = Path(__file__).resolve().parent / "tensorflow_images"

with zipfile.ZipFile(HERE / "files.zip") as _archive:
    FILES = {name: _archive.read(name) for name in _archive.namelist()}
PARTS = {
    "files": lambda tf: cases.files(tf, FILES),
    "written": cases.written,
    "values": cases.values,
    "draws": cases.draws,
    "slopes": cases.slopes,
}


@pytest.fixture(scope="module")
def expected():
    with np.load(HERE / "values.npz") as values:
        return dict(values)


@pytest.mark.parametrize("part", PARTS)
def test_it_is_what_tensorflow_gives(run, expected, part):
    got = run(dict(PARTS[part](tf)))
    wanted = {n.split(":", 1)[1]: v for n, v in expected.items() if n.startswith(f"{part}:")}
    assert set(got) == set(wanted)
    for name, value in got.items():
        found = np.frombuffer(value, "u1") if isinstance(value, bytes) else np.asarray(value)
        right = wanted[name]
        assert (found.shape, found.dtype) == (right.shape, right.dtype), name
        if found.dtype.kind == "f":
            np.testing.assert_allclose(found, right, rtol=2e-6, atol=2e-6, err_msg=name)
        else:
            np.testing.assert_array_equal(found, right, err_msg=name)
