"""The folders that tf.contrib's modules lay in, such as contrib.layers.python.layers.initializers.

Each gives what its part of tf.contrib has, whichever module it was in.
"""

from __future__ import annotations

import importlib
import types
from typing import Any

_FOLDERS = (
    "arg_scope",
    "attention_wrapper",
    "basic_decoder",
    "beam_search_decoder",
    "beam_search_ops",
    "checkpoint_utils",
    "core_rnn",
    "core_rnn_cell",
    "core_rnn_cell_impl",
    "crf",
    "data",
    "decoder",
    "embedding_ops",
    "external_optimizer",
    "framework",
    "fused_rnn_cell",
    "helper",
    "hparam",
    "initializers",
    "layers",
    "learning",
    "loss",
    "loss_ops",
    "losses",
    "lstm_ops",
    "metric_ops",
    "metrics",
    "normalization",
    "ops",
    "optimizers",
    "regularizers",
    "rnn",
    "rnn_cell",
    "seq2seq",
    "slim",
    "summaries",
    "tensor_util",
    "training",
    "variables",
)
# Where else a part looks: its modules had functions of TensorFlow's own.
_BESIDE = {"rnn": "ops.rnn_cell_impl", "framework": "framework.tensor_util"}  # fmt: skip


class Folder(types.ModuleType):
    """A folder or module below one part of tf.contrib."""

    def __init__(self, name: str, part: str) -> None:
        super().__init__(name, f"What tf.contrib.{part} has.")
        self._part = part

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        owner = getattr(importlib.import_module("tfbuild_runtime.compat.v1").contrib, self._part)
        found = None if name == "python" else getattr(owner, name, None)
        if found is None and name not in _FOLDERS and self._part in _BESIDE:
            found = _beside(_BESIDE[self._part], name)
        if found is None and name in _FOLDERS:
            found = Folder(f"{self.__name__}.{name}", self._part)
        if found is None:
            raise AttributeError(f"tf.contrib.{self._part} has no {name!r} in this runtime")
        return found


def _beside(place: str, name: str) -> Any:
    found = importlib.import_module("tfbuild_runtime.compat.v1").python
    for part in (*place.split("."), name):
        found = getattr(found, part, None)
    return found


crf = Folder("tensorflow.contrib.crf.python", "crf")
framework = Folder("tensorflow.contrib.framework.python", "framework")
layers = Folder("tensorflow.contrib.layers.python", "layers")
legacy_seq2seq = Folder("tensorflow.contrib.legacy_seq2seq.python", "legacy_seq2seq")
losses = Folder("tensorflow.contrib.losses.python", "losses")
opt = Folder("tensorflow.contrib.opt.python", "opt")
rnn = Folder("tensorflow.contrib.rnn.python", "rnn")
seq2seq = Folder("tensorflow.contrib.seq2seq.python", "seq2seq")
slim = Folder("tensorflow.contrib.slim.python", "slim")
training = Folder("tensorflow.contrib.training.python", "training")
