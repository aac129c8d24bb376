"""Speed of what models are made of beside single kernels, in float32.

Batches of images are 8 x 56 x 56 x 64; the cell has 256 units and a batch of 64; the loop makes a
thousand rounds of two sums. The cell is written out for the graph, since not every release of
TensorFlow has one.
"""

from functools import partial

import numpy as np
import probe_tools as probe
from kernel_calls import Kernel, normal, timings_of, torch_images

BATCH, SIDE, CHANNELS, FEWER = 8, 56, 64, 32
ROWS, UNITS = 64, 256
ROUNDS = 1000


def images_and_filter(*shape):
    """A batch of images and a filter."""
    return [normal(BATCH, SIDE, SIDE, CHANNELS), normal(*shape)]


def images_and_moments():
    """A batch of images, and for each channel a factor, an offset, a mean and a variance."""
    channels = [normal(CHANNELS) for _ in range(3)]
    return [normal(BATCH, SIDE, SIDE, CHANNELS), *channels, np.exp(normal(CHANNELS))]


def cell_state():
    """Input, output before, state before, and the cell's weights and bias."""
    square = (ROWS, UNITS)
    weights = normal(2 * UNITS, 4 * UNITS) * np.float32(0.05)
    return [normal(*square), normal(*square), normal(*square), weights, normal(4 * UNITS)]


# --- for the graph --------------------------------------------------------------------------------


def batch_norm(tf, x, scale, offset, *moments):
    """By the fused op, with given moments or the batch's own."""
    return tf.nn.fused_batch_norm(x, scale, offset, *moments, is_training=not moments)[0]


def batch_norm_gradients(tf, x, scale, offset):
    """For the images, the factor and the offset, through the batch's moments."""
    out = batch_norm(tf, x, scale, offset)
    return tf.gradients(out, [x, scale, offset], grad_ys=x)


def depthwise(tf, x, weights):
    """3 x 3 for each channel alone."""
    return tf.nn.depthwise_conv2d(x, weights, [1, 1, 1, 1], "SAME")


def depthwise_gradients(tf, x, weights):
    """For images and filter."""
    return tf.gradients(depthwise(tf, x, weights), [x, weights], grad_ys=x)


def transposed(tf, x, weights):
    """To images of twice the side."""
    shape = [BATCH, 2 * SIDE, 2 * SIDE, FEWER]
    return tf.nn.conv2d_transpose(x, weights, shape, [1, 2, 2, 1], "SAME")


def lstm_cell(tf, x, output, state, *kernel_and_bias):
    """One step of a cell with a forget bias of 1."""
    weights, bias = kernel_and_bias
    gates = tf.nn.bias_add(tf.matmul(tf.concat([x, output], 1), weights), bias)
    enter, new, forget, leave = tf.split(gates, 4, axis=1)
    state = state * tf.sigmoid(forget + 1.0) + tf.sigmoid(enter) * tf.tanh(new)
    return tf.tanh(state) * tf.sigmoid(leave)


def loop(tf, x):
    """A sum and a counter, a thousand times."""
    return tf.while_loop(lambda i, _: i < ROUNDS, lambda i, x: (i + 1, x + x), (0, x))[1]


# --- for PyTorch ----------------------------------------------------------------------------------


def torch_batch_norm(torch, x, scale, offset, *moments):
    """The same; its moments come first, and are None where it makes them."""
    mean, variance = moments or (None, None)
    make = torch.nn.functional.batch_norm
    return make(torch_images(x), mean, variance, scale, offset, training=not moments)


def torch_depthwise(torch, x, weights):
    """Its filters have the channel first."""
    return torch.conv2d(torch_images(x), torch_filter(torch, weights), padding=1, groups=CHANNELS)


def torch_transposed(torch, x, weights):
    """One more row and column at the end makes it twice the side."""
    weights = torch_filter(torch, weights)
    options = {"stride": 2, "padding": 1, "output_padding": 1}
    return torch.conv_transpose2d(torch_images(x), weights, **options)


def torch_filter(torch, weights):
    """Last, third, first and second axis, and the third first where each channel is alone."""
    order = (2, 3, 0, 1) if weights.shape[3] == 1 else (3, 2, 0, 1)
    return weights.permute(*order).contiguous(memory_format=torch.channels_last)


def torch_cell(torch, x, output, state, *kernel_and_bias):
    """Its weights are turned, and for input and output apart."""
    weights, bias = kernel_and_bias
    ours, theirs = weights.T[:, :UNITS], weights.T[:, UNITS:]
    return torch.lstm_cell(x, (output, state), ours, theirs, bias, bias)[0]


LAYERS = {
    "batch_norm": Kernel(images_and_moments, batch_norm, torch_batch_norm),
    "batch_norm_training": Kernel(lambda: images_and_moments()[:3], batch_norm, torch_batch_norm),
    "batch_norm_gradients": Kernel(lambda: images_and_moments()[:3], batch_norm_gradients),
    "depthwise_conv": Kernel(
        partial(images_and_filter, 3, 3, CHANNELS, 1), depthwise, torch_depthwise
    ),
    "depthwise_conv_gradients": Kernel(
        partial(images_and_filter, 3, 3, CHANNELS, 1), depthwise_gradients
    ),
    "transposed_conv": Kernel(
        partial(images_and_filter, 3, 3, FEWER, CHANNELS), transposed, torch_transposed
    ),
    "lstm_cell": Kernel(cell_state, lstm_cell, torch_cell),
    "while_loop": Kernel(lambda: [np.float32(1)], loop),
}


if __name__ == "__main__":
    probe.serve(__doc__, partial(timings_of, LAYERS))
