"""Training graphs that TensorFlow 2.21 wrote, with variables behind handles: the same losses here.

tensorflow_training/make.py has made them.
"""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

GRAPHS = Path(__file__).resolve().parent / "tensorflow_training"
THEIRS = json.loads((GRAPHS / "losses.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", THEIRS["graphs"])
def test_the_losses_are_those_of_tensorflow(name):
    theirs = THEIRS["graphs"][name]
    graph_def = tf.GraphDef()
    graph_def.ParseFromString(gzip.decompress((GRAPHS / f"{name}.pb.gz").read_bytes()))
    tf.import_graph_def(graph_def, name="")
    feed = {"x:0": np.array(THEIRS["x"], np.float32), "y:0": np.array(THEIRS["y"], np.int32)}
    with tf.Session() as session:
        session.run(theirs["init"])
        losses = [session.run([theirs["train"], theirs["loss"]], feed)[1] for _ in theirs["losses"]]
    np.testing.assert_allclose(losses, theirs["losses"], rtol=1e-6)
    assert losses[-1] < losses[0]
