"""Lets the examples run on another module that has TensorFlow 1's names.

    python on_module.py tensorflow.compat.v1 > tensorflow.json

prints the losses of each of them after a few steps: the same seeds give the same weights and the
same batches everywhere, so the losses must be the same as well. TensorFlow from 2.16 on needs
tf_keras beside it for its cells.

    python on_module.py tensorflow.compat.v1 --checkpoint tensorflow_checkpoint

leaves there what restored_network.py restores: a network that TensorFlow has trained and saved.
"""

import argparse
import importlib
import json
import os
import sys
import types

OURS = "tfbuild_runtime.compat.v1"
# What is trained for so few steps that rounding has not yet grown.
FIRST = {
    "softmax_regression": {"epochs": 2},
    "convolutional_network": {"epochs": 1},
    "restored_network": {"epochs": 1},
    "lstm_timeline": {"epochs": 1},
    "conv_lstm": {"steps": 20},
    "bert": {"steps": 20},
    "gomoku": {"rounds": 1},
}


def put_in_place(name):
    """Let `import tfbuild_runtime.compat.v1` mean the module of that name."""
    if name == OURS:
        return
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    module = importlib.import_module(name)
    module.disable_v2_behavior()
    module.logging.set_verbosity("ERROR")
    client = importlib.import_module("tensorflow.python.client.timeline")
    stands_for = {OURS: module, "tfbuild_runtime.python.client.timeline": client}
    for path, real in stands_for.items():
        parent = None
        *packages, last = path.split(".")
        for end in range(1, len(packages) + 1):
            full = ".".join(packages[:end])
            package = sys.modules.setdefault(full, types.ModuleType(full))
            package.__path__ = []
            if parent is not None:
                setattr(parent, packages[end - 1], package)
            parent = package
        sys.modules[path] = real
        setattr(parent, last, real)


def first_losses(name):
    """Return the losses of an example's first steps."""
    return importlib.import_module(name).train(**FIRST[name])["losses"]


def main():
    """Print the losses of all of them, or train the network that is to be restored."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module")
    parser.add_argument("--checkpoint", metavar="FOLDER")
    given = parser.parse_args()
    put_in_place(given.module)
    if given.checkpoint:
        importlib.import_module("convolutional_network").train(4, given.checkpoint)
        return
    losses = {name: first_losses(name) for name in FIRST}
    sys.stdout.write(json.dumps(losses, indent=0) + "\n")


if __name__ == "__main__":
    main()
