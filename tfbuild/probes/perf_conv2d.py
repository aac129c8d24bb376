"""Speed of Conv2D 3x3 on 8x56x56x64 in float32, forward and backward (both gradients).

Inputs are variables and ops are fetched, so nothing is folded and no result is copied out. Backward
fetches the gradients for input and filter alone: the forward product is not part of them. NumPy
does it as products over the unrolled windows, which is the best it has.
"""

from functools import partial

import numpy as np
import onnx_model
import probe_tools as probe

BATCH, SIDE, CHANNELS, KERNEL = 8, 56, 64, 3
FLOPS = 2 * BATCH * SIDE * SIDE * CHANNELS * CHANNELS * KERNEL * KERNEL


def make_arrays():
    """Image, filter and the gradient that comes from above."""
    random = np.random.default_rng(0)
    shape = (BATCH, SIDE, SIDE, CHANNELS)
    return (
        random.standard_normal(shape, dtype=np.float32),
        random.standard_normal((KERNEL, KERNEL, CHANNELS, CHANNELS), dtype=np.float32),
        random.standard_normal(shape, dtype=np.float32),
    )


def graph_calls(tf, device):
    """Functions that run forward and backward once."""
    with tf.device(device):
        image, weights, above = (probe.variable(tf, array) for array in make_arrays())
        out = tf.nn.conv2d(image, weights, strides=[1, 1, 1, 1], padding="SAME")
        gradients = tf.gradients(out, [image, weights], grad_ys=above)
    session = probe.started_session(tf)
    backward = [gradient.op for gradient in gradients]
    return lambda: session.run(out.op), lambda: session.run(backward)


def torch_calls(torch):
    """The same with PyTorch, channels last as in the graph."""
    image, weights, above = map(torch.from_numpy, make_arrays())
    image, above = (array.permute(0, 3, 1, 2) for array in (image, above))
    weights = weights.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)

    def backward():
        return torch.ops.aten.convolution_backward(
            above, image, weights, bias_sizes=None, stride=[1, 1], padding=[1, 1],
            dilation=[1, 1], transposed=False, output_padding=[0, 0], groups=1,
            output_mask=[True, True, False],
        )  # fmt: skip

    return lambda: torch.conv2d(image, weights, padding=1), backward


def numpy_calls():
    """The same with NumPy."""
    image, weights, above = make_arrays()
    matrix = weights.reshape(-1, CHANNELS)
    window = KERNEL * KERNEL * CHANNELS

    def unroll():
        padded = np.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (KERNEL, KERNEL), axis=(1, 2))
        return windows.transpose(0, 1, 2, 4, 5, 3).reshape(-1, window)

    def forward():
        return unroll() @ matrix

    def backward():
        flat = above.reshape(-1, CHANNELS)
        columns = (flat @ matrix.T).reshape(BATCH, SIDE, SIDE, KERNEL, KERNEL, CHANNELS)
        padded = np.zeros((BATCH, SIDE + 2, SIDE + 2, CHANNELS), np.float32)
        for row in range(KERNEL):
            for column in range(KERNEL):
                padded[:, row : row + SIDE, column : column + SIDE] += columns[:, :, :, row, column]
        return padded[:, 1:-1, 1:-1], unroll().T @ flat

    return forward, backward


def timings(module, device):
    """Both directions; ONNX Runtime has no gradients, and images with channels first."""
    kind = probe.kind_of(module)
    if kind == "onnxruntime":
        image, weights, _ = make_arrays()
        inputs = [image.transpose(0, 3, 1, 2).copy(), weights.transpose(3, 2, 0, 1).copy()]
        make = partial(onnx_model.call_of, module, "Conv", inputs, {"pads": (1, 1, 1, 1)})
        return {"conv2d_forward": probe.Timed(make, "GFLOP/s", FLOPS)}
    if kind == "torch":
        forward, backward = torch_calls(module)
    else:
        forward, backward = numpy_calls() if kind == "numpy" else graph_calls(module, device)
    return {
        "conv2d_forward": probe.Timed(lambda: forward, "GFLOP/s", FLOPS),
        "conv2d_backward": probe.Timed(lambda: backward, "GFLOP/s", 2 * FLOPS),
    }


if __name__ == "__main__":
    probe.serve(__doc__, timings)
