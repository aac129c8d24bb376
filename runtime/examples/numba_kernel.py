"""An op kernel of one's own, compiled by numba: steps run it as machine code, without Python.

    python numba_kernel.py

The op is Huber's loss of each number, |x| - 1/2 beyond 1 and x^2 / 2 within, and its gradient is a
kernel as well. A line is fitted to points of which some lie far off.
"""

import argparse
import math

import numpy as np
import tfbuild_runtime.compat.v1 as tf

POINTS, RATE = 1000, 0.1


def compiled(element):
    """Return a kernel that computes one float32 vector out of one or two, element by element."""
    from numba import carray, cfunc, njit, types

    inner = njit(element)
    pointers, dims = types.CPointer(types.voidptr), types.CPointer(types.CPointer(types.int64))

    @cfunc(types.intc(pointers, dims, pointers, dims))
    def kernel(inputs, input_dims, outputs, output_dims):
        count = output_dims[0][0]
        first = carray(inputs[0], (count,), np.float32)
        second = carray(inputs[1], (input_dims[1][0],), np.float32)
        out = carray(outputs[0], (count,), np.float32)
        if input_dims[1][0] != count:
            return 1
        for i in range(count):
            out[i] = inner(first[i], second[i])
        return 0

    return kernel


def huber(x, scale):
    """The loss of a number."""
    far = abs(x)
    return scale * (far - 0.5 if far > 1 else x * x / 2)


def huber_slope(x, grad):
    """Its slope, times what comes from above."""
    return grad * (math.copysign(1.0, x) if abs(x) > 1 else x)


@tf.RegisterGradient("HuberLoss")
def _gradient(op, grad):
    """Return the gradient for the numbers; the scale has none."""
    slope = compiled(huber_slope)
    return tf.native_function(slope, [op.inputs[0], grad], tf.float32, 0), None


def train(steps=300):
    """Fit the line; return the losses, and how far it is from the true one."""
    random = np.random.default_rng(3)
    x = random.uniform(-1, 1, POINTS).astype(np.float32)
    y = 3 * x - 1 + random.normal(0, 0.1, POINTS).astype(np.float32)
    y[::10] += 50  # a tenth of them is wrong
    with tf.Graph().as_default():
        slope, height = tf.Variable(0.0), tf.Variable(0.0)
        missed = slope * x + height - y
        losses = tf.native_function(
            compiled(huber), [missed, tf.ones([POINTS])], tf.float32, 0, gradient="HuberLoss"
        )
        loss = tf.reduce_mean(losses)
        step = tf.train.GradientDescentOptimizer(RATE).minimize(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            history = [float(session.run([loss, step])[0]) for _ in range(steps)]
            line = session.run([slope, height])
    return {"losses": history, "slope": float(line[0]), "height": float(line[1])}


def main():
    """Fit and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    results = train(parser.parse_args().steps)
    print(f"loss {results['losses'][0]:.3f} to {results['losses'][-1]:.3f}")
    print(f"y = {results['slope']:.2f} x {results['height']:+.2f}; points were made with 3 x - 1")


if __name__ == "__main__":
    main()
