"""Speed of one training step of each program of runtime/examples."""

import importlib
import sys
from functools import partial
from pathlib import Path

import probe_tools as probe

EXAMPLES = (
    "softmax_regression",
    "convolutional_network",
    "lstm_timeline",
    "conv_lstm",
    "bert",
    "gomoku",
)


def one_step(module, device, name):
    """A function that runs one step of the example in a graph of its own."""
    with module.Graph().as_default(), module.device(device):
        step, feed = importlib.import_module(name).one_step()
        session = probe.started_session(module)
    return lambda: session.run(step, feed)


def timings(module, device):
    """A step of each."""
    if probe.kind_of(module) != "tensorflow":
        raise probe.NotForThis(f"{module.__name__} does not run these programs")
    return {
        f"example_{name}": probe.Timed(partial(one_step, module, device, name), "us")
        for name in EXAMPLES
    }


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent / "examples"))
    importlib.import_module("on_module").put_in_place(probe.arguments(__doc__).module)
    probe.serve(__doc__, timings)
