"""What is said of a name that is not there: whether TensorFlow 1 has it, and what else there is."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import cache

_ROOT = "tfbuild_runtime.compat.v1"

# The longest name that begins a missing one says what to do.
_INSTEAD = {
    "audio": "decode audio with Python's wave module and feed the samples",
    "contrib.boosted_trees": "train trees with another library",
    "contrib.cudnn_rnn": "tf.nn.rnn_cell with tf.nn.dynamic_rnn does the same",
    "contrib.distributions": "tf.distributions has the common ones",
    "contrib.eager": "build a graph and run it with tf.Session",
    "contrib.estimator": "call the model function and train in tf.train.MonitoredTrainingSession",
    "contrib.learn": "call the model function and train in tf.train.MonitoredTrainingSession",
    "contrib.rnn": "the cells of tf.nn.rnn_cell are there",
    "contrib.tpu": "there is no TPU here; train in tf.train.MonitoredTrainingSession",
    "distribute": "a session runs in one process",
    "enable_eager_execution": "build a graph and run it with tf.Session",
    "estimator": "give tf.estimator.Estimator a model function",
    "feature_column": "the columns of sequences are not there",
    "function": "build a graph and run it with tf.Session",
    "keras": "the layers, models, losses and optimisers that programs use most are there",
    "keras.applications": "build the network of layers, and restore a checkpoint",
    "keras.datasets": "nothing is downloaded here: load the arrays with NumPy",
    "keras.estimator": "train with fit, or give tf.estimator.Estimator a model function",
    "keras.models.load_model": "build the model and use load_weights",
    "lite": "tfbuild lite builds TensorFlow Lite",
    "queue": "feed arrays through feed_dict",
    "tpu": "there is no TPU here",
}


def explain(owner: str, name: str, there: Iterable[str]) -> str:
    """Return the message about a name that a namespace, given with its module, does not have."""
    namespace = owner[len(_ROOT) + 1 :] if owner.startswith(_ROOT) else owner
    full = f"{namespace}.{name}" if namespace else name
    if not is_tensorflow_name(namespace, name):
        near = difflib.get_close_matches(name, list(there), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return f"module {owner!r} has no attribute {name!r}{hint}"
    parts = full.split(".")
    ways = (_INSTEAD.get(".".join(parts[:count])) for count in range(len(parts), 0, -1))
    instead = next((way for way in ways if way), None)
    text = f"tf.{full} of TensorFlow 1 is not there in this runtime"
    return f"{text}: {instead}" if instead else text


def is_tensorflow_name(namespace: str, name: str) -> bool:
    """Whether TensorFlow 1 has that name in that namespace."""
    known = _names()
    if namespace.startswith(("contrib.", "keras")) or name in known.get(namespace, ()):
        return True
    full = f"{namespace}.{name}" if namespace else name
    return any(other == full or other.startswith(f"{full}.") for other in known)


@cache
def _names() -> dict[str, frozenset[str]]:
    from tfbuild_runtime.compat.tensorflow_names import NAMES

    found = {}
    for entry in NAMES.replace("\n  ", " ").splitlines():
        namespace, _, names = entry.partition(": ")
        found["" if namespace == "." else namespace] = frozenset(names.split())
    return found
