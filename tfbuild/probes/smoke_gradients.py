"""Gradients against central differences in float64, for several ops and for a small network."""

import numpy as np
import probe_tools as probe
from smoke_tools import Suite, close

STEP = 1e-6
TOLERANCE = 1e-6


def cases(tf):
    """Name -> (function of the inputs, inputs)."""
    random = np.random.default_rng(3)

    def normal(*shape):
        return random.standard_normal(shape)

    labels = np.array([0, 2, 1, 4])
    return {
        "MatMul and BiasAdd": (
            lambda x, w, b: tf.nn.bias_add(tf.matmul(x, w), b),
            (normal(4, 3), normal(3, 5), normal(5)),
        ),
        "arithmetic with broadcasting": (
            lambda x, y: (x * y + x) / (2.0 + tf.square(y)) - y,
            (normal(3, 4), normal(4)),
        ),
        "Tanh, Sigmoid, Exp, Log, Sqrt": (
            lambda x: tf.sqrt(tf.exp(tf.tanh(x)) + 1.0) + tf.log(1.5 + tf.sigmoid(x)),
            (normal(3, 5),),
        ),
        "Relu": (lambda x: tf.nn.relu(x) * x, (normal(4, 4) + 0.05,)),
        "Softmax and LogSoftmax": (
            lambda x: tf.nn.softmax(x) * tf.nn.log_softmax(x),
            (normal(3, 6),),
        ),
        "SparseSoftmaxCrossEntropyWithLogits": (
            lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x),
            (normal(4, 5),),
        ),
        "Sum, Mean and Max": (
            lambda x: tf.reduce_sum(x, axis=0) * tf.reduce_mean(x) + tf.reduce_max(x, axis=0),
            (normal(4, 3),),
        ),
        "Reshape, Transpose, Concat, Slice, Pad": (
            lambda x, y: (
                tf.pad(
                    tf.concat([tf.transpose(tf.reshape(x, [3, 4])), y], axis=1)[1:, 1:],
                    [[1, 0], [0, 2]],
                )
                ** 2.0
            ),
            (normal(2, 6), normal(4, 2)),
        ),
    }


def float32_cases(tf):
    """What may exist in float32 only: convolutions and pooling, with a wider step."""
    random = np.random.default_rng(4)
    image = random.standard_normal((2, 6, 6, 2)).astype("f4")
    weights = random.standard_normal((3, 3, 2, 3)).astype("f4")
    return {
        "Conv2D": (
            lambda x, w: tf.nn.conv2d(x, w, strides=[1, 2, 2, 1], padding="SAME"),
            (image, weights),
        ),
        "MaxPool": (
            lambda x: tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"),
            (random.permutation(2 * 6 * 6 * 2).reshape(2, 6, 6, 2).astype("f4") / 10,),
        ),
        "AvgPool": (lambda x: tf.nn.avg_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME"), (image,)),
    }


def check(tf, device, case, *, step, tolerance):
    """The symbolic gradient of a weighted sum against differences in each element."""
    function, values = case
    with tf.Graph().as_default(), tf.device(device):
        inputs = [tf.placeholder(value.dtype.name, value.shape) for value in values]
        out = function(*inputs)
        shape = [int(size) for size in out.shape]
        weights = np.random.default_rng(5).standard_normal(shape).astype(values[0].dtype)
        total = tf.reduce_sum(out * weights)
        gradients = tf.gradients(total, inputs)
        with tf.Session() as session:
            feed = dict(zip(inputs, values))
            got = session.run(gradients, feed)

            def value_at(index, changed):
                found = session.run(out, {**feed, inputs[index]: changed})
                return float((found.astype("f8") * weights).sum())

            worst = {}
            for index, value in enumerate(values):
                wanted = differences(lambda changed, i=index: value_at(i, changed), value, step)
                worst = close(got[index], wanted, tolerance, f"input {index}")
            return worst


def differences(function, value, step):
    """The gradient by central differences."""
    wanted = np.zeros(value.shape)
    for place in np.ndindex(value.shape):
        sides = []
        for sign in (1, -1):
            changed = value.copy()
            changed[place] += sign * step
            sides.append(function(changed))
        wanted[place] = (sides[0] - sides[1]) / (2 * step)
    return wanted


def main():
    """One check for each case."""
    options = probe.arguments(__doc__)
    tf = probe.load(options.module)
    suite = Suite()
    for name, case in cases(tf).items():
        suite.run(
            f"gradient of {name}",
            lambda case=case: check(tf, options.device, case, step=STEP, tolerance=TOLERANCE),
        )
    for name, case in float32_cases(tf).items():
        suite.run(
            f"gradient of {name}",
            lambda case=case: check(tf, options.device, case, step=1e-2, tolerance=2e-3),
        )
    suite.finish()


if __name__ == "__main__":
    main()
