"""The programs of runtime/examples, trained to what they should reach, and held against TensorFlow.

TensorFlow itself computed their first losses on the same weights and batches (tensorflow.json);
what they reach in the end is asked with room for other random numbers.
"""

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import probe_tools as probe
from smoke_tools import Skip, Suite, expect

EXAMPLES = Path(__file__).parent / "examples"
ROUNDING = 1e-5  # what the same sums in another order differ by, after a few dozen steps
# A move may be decided by the last bit of a probability, and the game after it is another one.
ROUNDING_OF_GAMES = 1e-2


def classifier(answer, least):
    """A share of unseen digits."""
    expect(answer["accuracy"] >= least, f"{answer['accuracy']:.3f} are right, {least} are asked")
    return {"accuracy": f"{answer['accuracy']:.3f}"}


def restored(answer):
    """Shares of unseen digits, as it came out of TensorFlow's checkpoint and later."""
    before, shapes = answer["restored"], answer["variables"]
    expect(before >= 0.95, f"{before:.3f} are right after restoring, 0.95 are asked")
    expect(shapes["second/kernel/Adam"] == [3, 3, 16, 32], f"the checkpoint has {shapes}")
    return {"restored": f"{before:.3f}", **classifier(answer, 0.97)}


def film(answer):
    """The error beside that of showing the last frame again."""
    error, copy = answer["error"], answer["error_of_copy"]
    expect(error < 0.8 * copy, f"a pixel is wrong by {error:.4f}, of a copy by {copy:.4f}")
    return {"error": f"{error:.4f}", "of a copy": f"{copy:.4f}"}


def language(answer):
    """Shares of hidden words, continuations and topics; the tuned head is all that was new."""
    for name, least in (("masked_words", 0.6), ("next_sentence", 0.95), ("topic", 0.95)):
        expect(answer[name] >= least, f"{name}: {answer[name]:.3f} are right, {least} are asked")
    expect(answer["new"] == 2, f"{answer['new']} variables were not in the checkpoint, not 2")
    return {name: f"{answer[name]:.3f}" for name in ("masked_words", "next_sentence", "topic")}


def games(answer):
    """Games won against chance, of a hundred."""
    expect(answer["won"] >= 95, f"{answer['won']} of 100 games are won, 95 are asked")
    return {"won": answer["won"]}


REACHED = {
    "softmax_regression": lambda answer: classifier(answer, 0.94),
    "convolutional_network": lambda answer: classifier(answer, 0.97),
    "restored_network": restored,
    "lstm_timeline": lambda answer: classifier(answer, 0.92),
    "conv_lstm": film,
    "bert": language,
    "gomoku": games,
}


def as_tensorflow(name):
    """The first losses beside TensorFlow's; AssertionError where they part."""
    first_losses = importlib.import_module("on_module").first_losses
    wanted = json.loads((EXAMPLES / "tensorflow.json").read_text(encoding="utf-8"))[name]
    allowed = ROUNDING_OF_GAMES if name == "gomoku" else ROUNDING
    found = np.array(first_losses(name))
    expect(len(found) == len(wanted), f"{len(found)} losses, TensorFlow has {len(wanted)}")
    error = float(np.max(np.abs(found / wanted - 1)))
    expect(error <= allowed, f"losses differ from TensorFlow's by {error:.1e} of them")
    return {"differs by": f"{error:.1e}"}


def need_numba():
    """Skip where there is none for this Python."""
    try:
        importlib.import_module("numba")
    except ImportError as reason:
        raise Skip(f"numba is not there: {reason}") from reason


def input_pipeline():
    """A share of unseen digits, which came out of files as those that were learnt."""
    return classifier(importlib.import_module("input_pipeline").train(), 0.93)


def cifar_queues():
    """A share of unseen images, each of which comes out of the queues once."""
    answer = importlib.import_module("cifar_queues").train()
    expect(answer["asked"] == 400, f"{answer['asked']} images came out of the queues, not 400")
    return classifier(answer, 0.9)


def tensorboard_logs():
    """A share of unseen digits, and that the logs hold what was reported."""
    answer = importlib.import_module("tensorboard_logs").train()
    losses, written = answer["losses"], answer["names"]
    for name in ("graph_def", "tagged_run_metadata"):
        expect(written.get(name) == 1, f"the logs have {written.get(name, 0)} of {name}, not 1")
    for name in ("score/loss", "hidden/weights", "input/digits/image/0"):
        expect(written.get(name) == len(range(0, len(losses), 10)), f"of {name}: {written}")
    off = max(abs(value - losses[step]) for step, value in answer["curve"].items())
    expect(off < 1e-5, f"the curve of the loss is off by {off}")
    return {"events": sum(written.values()), **classifier(answer, 0.93)}


def own_kernel():
    """The line that a kernel of numba's fits."""
    need_numba()
    answer = importlib.import_module("numba_kernel").train()
    missed = max(abs(answer["slope"] - 3), abs(answer["height"] + 1))
    expect(missed < 0.25, f"the line is off by {missed:.3f}")  # a tenth of the points draws it up
    return {"slope": f"{answer['slope']:.2f}", "height": f"{answer['height']:.2f}"}


def compiled_search():
    """The same games and losses from the search that numba has compiled."""
    need_numba()
    example = importlib.import_module("gomoku")
    compiled = example.train(1, example.compiled_walk())
    expect(compiled == example.train(1), "the compiled search plays other games")


def main():
    """Each example twice: a few steps beside TensorFlow's, and to its end."""
    options = probe.arguments(__doc__)
    probe.load(options.module)
    sys.path.insert(0, str(EXAMPLES))
    suite = Suite()
    for name, reached in REACHED.items():
        suite.run(f"{name}, as TensorFlow", lambda name=name: as_tensorflow(name))
        suite.run(name, lambda n=name, check=reached: check(importlib.import_module(n).train()))
    for program in (input_pipeline, cifar_queues, tensorboard_logs):
        suite.run(program.__name__, program)
    suite.run("gomoku, its search compiled", compiled_search)
    suite.run("numba_kernel", own_kernel)
    suite.finish()


if __name__ == "__main__":
    main()
