"""The folders that tf.contrib's modules lay in, such as contrib.layers.python.layers.initializers.

Each gives what its part of tf.contrib has, whichever module it was in.
"""

from __future__ import annotations

import importlib
import types
from typing import Any

_FOLDERS = (
    "arg_scope", "attention_wrapper", "basic_decoder", "core_rnn_cell", "decoder", "helper",
    "hparam", "initializers", "layers", "learning", "loss", "normalization", "ops", "optimizers",
    "regularizers", "rnn", "rnn_cell", "slim", "variables",
)  # fmt: skip


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
        if found is None and name in _FOLDERS:
            found = Folder(f"{self.__name__}.{name}", self._part)
        if found is None:
            raise AttributeError(f"tf.contrib.{self._part} has no {name!r} in this runtime")
        return found


framework = Folder("tensorflow.contrib.framework.python", "framework")
layers = Folder("tensorflow.contrib.layers.python", "layers")
rnn = Folder("tensorflow.contrib.rnn.python", "rnn")
seq2seq = Folder("tensorflow.contrib.seq2seq.python", "seq2seq")
slim = Folder("tensorflow.contrib.slim.python", "slim")
