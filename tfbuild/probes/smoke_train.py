"""Two networks are trained on scikit-learn's digits to a stated accuracy on unseen images."""

import numpy as np
import probe_tools as probe
from smoke_tools import Suite, expect

UNSEEN = 360
BATCH = 64
PERCEPTRON_ACCURACY = 0.95
CONVOLUTION_ACCURACY = 0.97


def load_digits():
    """Training and unseen images (N x 8 x 8 x 1, from 0 to 1) with their labels."""
    from sklearn.datasets import load_digits as load

    digits = load()
    order = np.random.default_rng(7).permutation(len(digits.target))
    images = (digits.images[order] / 16.0).astype("f4")[..., None]
    labels = digits.target[order].astype("i8")
    return images[UNSEEN:], labels[UNSEEN:], images[:UNSEEN], labels[:UNSEEN]


def weights(tf, *shape):
    """A variable with small random first values."""
    deviation = float(np.sqrt(2.0 / np.prod(shape[:-1])))
    return tf.Variable(tf.truncated_normal(list(shape), stddev=deviation, seed=11))


def perceptron(tf, images):
    """Logits of 64 - 64 - 10."""
    flat = tf.reshape(images, [-1, 64])
    hidden = tf.nn.bias_add(tf.matmul(flat, weights(tf, 64, 64)), tf.Variable(tf.zeros([64])))
    out = tf.matmul(tf.nn.relu(hidden), weights(tf, 64, 10))
    return tf.nn.bias_add(out, tf.Variable(tf.zeros([10])))


def convolution(tf, images):
    """Logits of two convolutions with pooling and one full layer."""
    out = images
    for channels, filters in ((1, 16), (16, 32)):
        steps = [1, 1, 1, 1]
        out = tf.nn.conv2d(out, weights(tf, 3, 3, channels, filters), strides=steps, padding="SAME")
        out = tf.nn.relu(tf.nn.bias_add(out, tf.Variable(tf.zeros([filters]))))
        out = tf.nn.max_pool(out, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    flat = tf.reshape(out, [-1, 2 * 2 * 32])
    return tf.nn.bias_add(tf.matmul(flat, weights(tf, 128, 10)), tf.Variable(tf.zeros([10])))


def train(tf, device, network, make_optimizer, *, epochs, least):
    """Train and measure; AssertionError when the accuracy is too low."""
    seen, seen_labels, unseen, unseen_labels = load_digits()
    random = np.random.default_rng(13)
    with tf.Graph().as_default():
        tf.set_random_seed(17)
        with tf.device(device):
            images = tf.placeholder(tf.float32, [None, 8, 8, 1])
            labels = tf.placeholder(tf.int64, [None])
            logits = network(tf, images)
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            )
            step = make_optimizer().minimize(loss)
            right = tf.equal(tf.argmax(logits, 1), labels)
            accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            first = session.run(loss, {images: seen, labels: seen_labels})
            for _ in range(epochs):
                order = random.permutation(len(seen))
                for start in range(0, len(order) - BATCH + 1, BATCH):
                    batch = order[start : start + BATCH]
                    session.run(step, {images: seen[batch], labels: seen_labels[batch]})
            last = session.run(loss, {images: seen, labels: seen_labels})
            reached = float(session.run(accuracy, {images: unseen, labels: unseen_labels}))
    expect(last < first / 2, f"the loss went from {first:.3f} to {last:.3f}")
    expect(reached >= least, f"{reached:.3f} of unseen digits are right, {least} are asked")
    return {"accuracy": f"{reached:.3f}", "asked": least, "loss": f"{first:.2f} to {last:.3f}"}


def main():
    """Both networks, with three optimizers."""
    options = probe.arguments(__doc__)
    tf = probe.load(options.module)
    suite = Suite()
    optimizers = {
        "gradient descent": lambda: tf.train.GradientDescentOptimizer(0.2),
        "momentum": lambda: tf.train.MomentumOptimizer(0.05, 0.9),
        "Adam": lambda: tf.train.AdamOptimizer(0.005),
    }
    for name, make_optimizer in optimizers.items():
        suite.run(
            f"digits, perceptron, {name}",
            lambda make=make_optimizer: train(
                tf, options.device, perceptron, make, epochs=25, least=PERCEPTRON_ACCURACY
            ),
        )
    suite.run(
        "digits, convolutions, Adam",
        lambda: train(
            tf,
            options.device,
            convolution,
            optimizers["Adam"],
            epochs=12,
            least=CONVOLUTION_ACCURACY,
        ),
    )
    suite.finish()


if __name__ == "__main__":
    main()
