"""A network that TensorFlow has trained: restored with its graph, asked, and trained on.

python restored_network.py [--epochs 4] [--checkpoint FOLDER]

TensorFlow 2.21 wrote tensorflow_checkpoint; on_module.py says how.
"""

import argparse
from pathlib import Path

import numpy as np
import tfbuild_runtime.compat.v1 as tf
from convolutional_network import BATCH, KEEP
from digits import batches, load_digits

CHECKPOINT = Path(__file__).parent / "tensorflow_checkpoint"


class RestoredModel:
    """The latest checkpoint of a folder in a session, its graph out of the file beside it."""

    def __init__(self, session, folder):
        latest = tf.train.latest_checkpoint(str(folder))
        self.variables = dict(tf.train.list_variables(latest))
        saver = tf.train.import_meta_graph(f"{latest}.meta")
        saver.restore(session, latest)
        graph = session.graph
        self.inputs = [
            graph.get_tensor_by_name(f"{name}:0") for name in ("images", "labels", "keep")
        ]
        self.loss, self.step, self.accuracy = (
            tf.get_collection(name)[0] for name in ("loss", "step", "accuracy")
        )

    def feed(self, *values):
        """Return what a step is fed with: images, labels, and the share kept in training."""
        return dict(zip(self.inputs, values))


def train(epochs=4, folder=CHECKPOINT):
    """Train on; return every loss, the accuracy on unseen digits, before too, and the variables."""
    seen, seen_labels, unseen, unseen_labels = load_digits()
    losses = []
    with tf.Graph().as_default(), tf.Session() as session:
        model = RestoredModel(session, folder)
        asked = model.feed(unseen, unseen_labels)
        before = float(session.run(model.accuracy, asked))
        for images, labels in batches(seen, seen_labels, BATCH, epochs, seed=29):
            feed = model.feed(images, labels, np.float32(KEEP))
            losses.append(float(session.run([model.loss, model.step], feed)[0]))
        accuracy = float(session.run(model.accuracy, asked))
    results = {"losses": losses, "restored": before, "accuracy": accuracy}
    return {**results, "variables": model.variables}


def main():
    """Restore, train on, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--checkpoint", metavar="FOLDER", default=CHECKPOINT)
    options = parser.parse_args()
    results = train(options.epochs, options.checkpoint)
    for name, shape in results["variables"].items():
        print(f"{name} {shape}")
    print(f"{results['restored']:.1%} of unseen digits are right, {results['accuracy']:.1%} later")


if __name__ == "__main__":
    main()
