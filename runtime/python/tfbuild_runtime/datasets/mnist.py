"""Handwritten digits as TensorFlow's tutorials read them: input_data.read_data_sets(folder)."""

from __future__ import annotations

import gzip
import os
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.ops import random_ops

_FILES = {
    "train images": "train-images-idx3-ubyte",
    "train labels": "train-labels-idx1-ubyte",
    "test images": "t10k-images-idx3-ubyte",
    "test labels": "t10k-labels-idx1-ubyte",
}
_IMAGES, _LABELS = 2051, 2049  # what the files begin with
_MOST = 1 << 31  # bytes; more is no such file


class DataSet:
    """Images and labels, given in batches, shuffled anew in each epoch."""

    def __init__(self, images: Any, labels: Any, fake_data: bool = False, one_hot: bool = False,
                 dtype: Any = dtypes.float32, reshape: bool = True,
                 seed: int | None = None) -> None:  # fmt: skip
        del fake_data, one_hot
        graph_seed, op_seed = random_ops.get_seed(seed)
        np.random.seed(graph_seed if seed is None else op_seed)
        if images.shape[0] != labels.shape[0]:
            raise ValueError(f"images.shape: {images.shape} labels.shape: {labels.shape}")
        if reshape:
            images = images.reshape(images.shape[0], -1)
        if dtypes.as_dtype(dtype) == dtypes.float32:
            images = np.multiply(images.astype(np.float32), np.float32(1.0 / 255.0))
        self._images = images
        self._labels = labels
        self._epochs_completed = 0
        self._next = 0

    @property
    def images(self) -> Any:
        """The images, in the order of this epoch."""
        return self._images

    @property
    def labels(self) -> Any:
        """Their labels."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """How many there are."""
        return len(self._images)

    @property
    def epochs_completed(self) -> int:
        """How often all have been given."""
        return self._epochs_completed

    def next_batch(self, batch_size: int, fake_data: bool = False,
                   shuffle: bool = True) -> tuple[Any, Any]:  # fmt: skip
        """Return the next images and labels; at the end of an epoch the next one begins."""
        del fake_data
        start = self._next
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self.num_examples:
            self._next = start + batch_size
            return self._images[start : self._next], self._labels[start : self._next]
        self._epochs_completed += 1
        rest = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._next = batch_size - len(rest[0])
        both = (rest[0], self._images[: self._next]), (rest[1], self._labels[: self._next])
        return np.concatenate(both[0]), np.concatenate(both[1])

    def _shuffle(self) -> None:
        order = np.arange(self.num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]


class Datasets(NamedTuple):
    """What to train, to validate and to test with."""

    train: DataSet
    validation: DataSet
    test: DataSet


def read_data_sets(train_dir: Any, fake_data: bool = False, one_hot: bool = False,
                   dtype: Any = dtypes.float32, reshape: bool = True, validation_size: int = 5000,
                   seed: int | None = None, source_url: str | None = None) -> Datasets:  # fmt: skip
    """Return the data sets of a folder with the four files of MNIST, packed by gzip or not.

    Nothing is downloaded: raises FileNotFoundError with the names that are missing, and ValueError
    for files that hold something else.
    """
    del source_url
    options = {"dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:
        made = [_fake(options) for _ in range(3)]
        return Datasets(*made)
    read = {what: _open(Path(os.fspath(train_dir)), name) for what, name in _FILES.items()}
    images, labels = (_images(read["train images"]), _labels(read["train labels"], one_hot))
    if not 0 <= validation_size <= len(images):
        raise ValueError(f"Validation size should be between 0 and {len(images)}. Received: "
                         f"{validation_size}.")  # fmt: skip
    test = _images(read["test images"]), _labels(read["test labels"], one_hot)
    cut = validation_size
    return Datasets(
        DataSet(images[cut:], labels[cut:], **options),
        DataSet(images[:cut], labels[:cut], **options),
        DataSet(*test, **options),
    )


def _fake(options: dict[str, Any]) -> DataSet:
    return DataSet(np.zeros([100, 28, 28, 1], np.uint8), np.zeros([100], np.uint8), **options)


def _open(folder: Path, name: str) -> bytes:
    packed, plain = folder / f"{name}.gz", folder / name
    try:
        if packed.exists():
            with gzip.open(packed) as file:
                return file.read(_MOST)
        with plain.open("rb") as file:
            return file.read(_MOST)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"there is no {name} or {name}.gz in {folder}: put the four files of MNIST there; "
            "nothing is downloaded"
        ) from None
    except (gzip.BadGzipFile, EOFError) as error:
        raise ValueError(f"{packed} is damaged: {error}") from None


def _numbers(data: bytes, magic: int, count: int) -> tuple[list[int], Any]:
    """Return the sizes that a file states and its bytes after them."""
    start = 4 * (count + 1)
    if len(data) < start:
        raise ValueError("a file of MNIST ends too early")
    found, *sizes = struct.unpack(f">{count + 1}I", data[:start])
    if found != magic:
        raise ValueError(f"Invalid magic number {found} in MNIST file; it should be {magic}")
    body = np.frombuffer(data, np.uint8, offset=start)
    if body.size != int(np.prod(sizes, dtype=np.int64)):
        raise ValueError(f"a file of MNIST has {body.size} bytes for {sizes}")
    return list(sizes), body


def _images(data: bytes) -> Any:
    sizes, body = _numbers(data, _IMAGES, 3)
    return body.reshape(*sizes, 1)


def _labels(data: bytes, one_hot: bool, num_classes: int = 10) -> Any:
    sizes, body = _numbers(data, _LABELS, 1)
    return np.eye(num_classes)[body] if one_hot else body.reshape(sizes)
