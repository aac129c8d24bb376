"""Conv2D against NumPy in every type, with strides and both paddings."""

import numpy as np
import probe_tools as probe
from smoke_tools import Skip, Suite, close, lacks_kernel, run_on

TOLERANCES = {"float32": 1e-5, "float64": 1e-12, "float16": 5e-3}
MUST = ("float32",)
# image side, channels in and out, filter side, stride
CASES = ((1, 1, 1, 1, 1), (7, 3, 4, 3, 1), (8, 2, 5, 3, 2), (12, 8, 16, 5, 1), (9, 4, 4, 1, 2))


def convolve(image, weights, stride, padding):
    """The plain definition, in float64."""
    image, weights = image.astype("f8"), weights.astype("f8")
    side = weights.shape[0]
    if padding == "SAME":
        total = max((-(-image.shape[1] // stride) - 1) * stride + side - image.shape[1], 0)
        before = total // 2
        pads = (before, total - before)
        image = np.pad(image, ((0, 0), pads, pads, (0, 0)))
    count = (image.shape[1] - side) // stride + 1
    out = np.zeros((image.shape[0], count, count, weights.shape[3]))
    for row in range(count):
        for column in range(count):
            top, left = row * stride, column * stride
            window = image[:, top : top + side, left : left + side]
            out[:, row, column] = np.tensordot(window, weights, axes=3)
    return out


def check(tf, device, kind):
    """All cases of one type."""
    worst = {}
    random = np.random.default_rng(1)
    for side, channels, filters, kernel, stride in CASES:
        for padding in ("SAME", "VALID"):
            image = (random.standard_normal((2, side, side, channels)) / 4).astype(kind)
            weights = (random.standard_normal((kernel, kernel, channels, filters)) / 4).astype(kind)

            def build(image=image, weights=weights, stride=stride, padding=padding):
                one, two = tf.placeholder(kind, image.shape), tf.placeholder(kind, weights.shape)
                steps = [1, stride, stride, 1]
                out = tf.nn.conv2d(one, two, strides=steps, padding=padding)
                return out, {one: image, two: weights}

            wanted = convolve(image, weights, stride, padding)
            name = f"{side}x{side}x{channels}, filter {kernel}, stride {stride}, {padding}"
            worst = close(run_on(tf, device, build), wanted, TOLERANCES[kind], name)
    return worst


def main():
    """One check for each type."""
    options = probe.arguments(__doc__)
    tf = probe.load(options.module)
    suite = Suite()
    for kind in TOLERANCES:

        def guarded(kind=kind):
            try:
                return check(tf, options.device, kind)
            except Exception as error:
                if kind not in MUST and lacks_kernel(error):
                    raise Skip(f"the wheel has no Conv2D of {kind}") from error
                raise

        suite.run(f"Conv2D {kind}", guarded)
    suite.finish()


if __name__ == "__main__":
    main()
