"""What programs expect and neither side has: data sets that are downloaded, old names of NumPy."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types

import numpy as np


def install():
    """Put the stand-ins into their places, alike on both sides."""
    old = {"float": float, "int": int, "bool": bool, "object": object, "str": str}
    for name, kind in old.items():
        if name not in vars(np):
            setattr(np, name, kind)
    sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds tensorflow.examples, TensorFlow 1's tutorials, which had a reader of digits."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname == "tensorflow.examples" or fullname.startswith("tensorflow.examples."):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        if spec.name.endswith(".input_data"):
            module.read_data_sets = read_data_sets
            module.DataSet = Digits
        return module

    def exec_module(self, module):
        pass


class Digits:
    """Random images of 28 by 28 with random labels, the same each time."""

    def __init__(self, count, one_hot, flat):
        dice = np.random.RandomState(count)
        images = dice.rand(count, 784) * (dice.rand(count, 784) > 0.7)
        labels = dice.randint(0, 10, count)
        self.images = images.astype(np.float32).reshape(
            (count, 784) if flat else (count, 28, 28, 1)
        )
        self.labels = np.eye(10)[labels] if one_hot else labels.astype(np.uint8)
        self.num_examples = count
        self.epochs_completed = 0
        self._next = 0

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        """Return the next images and labels, in their order."""
        begin = self._next
        self._next = (begin + batch_size) % max(1, self.num_examples - batch_size)
        return self.images[begin : begin + batch_size], self.labels[begin : begin + batch_size]


def read_data_sets(folder=None, fake_data=False, one_hot=False, dtype=None, reshape=True, **_):
    """Return train, validation and test, whatever the folder holds."""
    counts = {"train": 2000, "validation": 400, "test": 500}
    return types.SimpleNamespace(
        **{name: Digits(count, one_hot, reshape) for name, count in counts.items()}
    )
