"""Colour images of ten patterns in files laid out as the binary version of CIFAR-10."""

from pathlib import Path

import numpy as np

SIDE, CLASSES = 32, 10


def pattern(kind, random):
    """Return which pixels belong to a pattern of that kind, somewhere and of some size."""
    y, x = np.mgrid[:SIDE, :SIDE] - random.uniform(12, 20, (2, 1, 1))
    width, size = random.uniform(3, 5), random.uniform(6, 9)
    away, square = np.hypot(x, y), np.maximum(abs(x), abs(y))
    return (
        y % (2 * width) < width,  # stripes
        x % (2 * width) < width,
        (y // width + x // width) % 2 < 1,
        away < size,  # a disc and a ring
        abs(away - size) < 1.5,
        square < size,  # a square and its frame
        abs(square - size) < 1.5,
        np.minimum(abs(x), abs(y)) < 1.5,  # crosses
        np.minimum(abs(x - y), abs(x + y)) < 2,
        np.hypot(x % 8 - 4, y % 8 - 4) < 2.5,  # dots
    )[kind]


def record(kind, random):
    """Return a byte for the class, then the red, the green and the blue pixels."""
    colours = random.permutation([random.uniform(0, 100, 3), random.uniform(155, 255, 3)])
    image = np.where(pattern(kind, random)[None], *colours[:, :, None, None])
    noisy = np.clip(image + random.normal(0, 20, image.shape), 0, 255)
    return bytes([kind]) + noisy.astype(np.uint8).tobytes()


def write_patterns(folder, files=5, images=400):
    """Write data_batch_1.bin and so on; the last one is test_batch.bin."""
    random = np.random.default_rng(3)
    names = [f"data_batch_{number}" for number in range(1, files)] + ["test_batch"]
    for name in names:
        kinds = random.integers(0, CLASSES, images)
        data = b"".join(record(int(kind), random) for kind in kinds)
        (Path(folder) / f"{name}.bin").write_bytes(data)
