"""Handwritten digits, 8 x 8: scikit-learn has them in its package."""

import numpy as np

SIDE, CLASSES, UNSEEN = 8, 10, 360


def load_digits():
    """Return training and unseen images (N x 8 x 8, from 0 to 1), each with its labels."""
    from sklearn.datasets import load_digits as load

    digits = load()
    order = np.random.default_rng(7).permutation(len(digits.target))
    images = (digits.images[order] / 16.0).astype(np.float32)
    labels = digits.target[order].astype(np.int64)
    return images[UNSEEN:], labels[UNSEEN:], images[:UNSEEN], labels[:UNSEEN]


def batches(images, labels, size, epochs, seed=13):
    """Give (images, labels) of so many examples, every epoch in another order."""
    random = np.random.default_rng(seed)
    for _ in range(epochs):
        order = random.permutation(len(labels))
        for start in range(0, len(order) - size + 1, size):
            some = order[start : start + size]
            yield images[some], labels[some]


def random_digits(size):
    """Return so many images and labels by chance."""
    random = np.random.default_rng(0)
    images = random.random((size, SIDE, SIDE), dtype=np.float32)
    return images, random.integers(0, CLASSES, size)
