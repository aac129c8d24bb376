"""A convolutional LSTM learns how squares bounce: from each frame of a film it predicts the next.

    python conv_lstm.py [--steps 400]

The cell is the one of Shi and others, "Convolutional LSTM Network" (2015), without peepholes.
"""

import argparse

import numpy as np
import tfbuild_runtime.compat.v1 as tf

FRAMES, SIDE, SQUARE = 8, 16, 4
BATCH, FILTERS, RATE = 8, 16, 0.01


def films(number, random):
    """Return frames (number x FRAMES + 1 x SIDE x SIDE x 1) of squares that bounce at the edges."""
    out = np.zeros((number, FRAMES + 1, SIDE, SIDE, 1), np.float32)
    free = SIDE - SQUARE
    for film in out:
        place, speed = random.integers(0, free + 1, 2), random.choice([-2, -1, 1, 2], 2)
        for frame in film:
            frame[place[0] : place[0] + SQUARE, place[1] : place[1] + SQUARE] = 1
            speed = np.where((place + speed < 0) | (place + speed > free), -speed, speed)
            place = place + speed
    return out


class ConvLSTMCell(tf.nn.rnn_cell.RNNCell):
    """An LSTM cell whose products are convolutions; its state and output are images."""

    def __init__(self, filters, side):
        super().__init__()
        self._filters, self._side = filters, side

    @property
    def output_size(self):
        """What one step gives, without the batch."""
        return tf.TensorShape([self._side, self._side, self._filters])

    @property
    def state_size(self):
        """State and output."""
        return tf.nn.rnn_cell.LSTMStateTuple(self.output_size, self.output_size)

    def call(self, inputs, state):
        """Return the output, and the state with it."""
        depth = inputs.shape.as_list()[-1] + self._filters
        first = tf.glorot_uniform_initializer(seed=1)
        kernel = tf.get_variable("kernel", [3, 3, depth, 4 * self._filters], initializer=first)
        bias = tf.get_variable("bias", [4 * self._filters], initializer=tf.zeros_initializer())
        both = tf.concat([inputs, state.h], 3)
        gates = tf.nn.bias_add(tf.nn.conv2d(both, kernel, [1, 1, 1, 1], "SAME"), bias)
        enter, new, forget, leave = tf.split(gates, 4, axis=3)
        kept = state.c * tf.sigmoid(forget + 1.0) + tf.sigmoid(enter) * tf.tanh(new)
        output = tf.tanh(kept) * tf.sigmoid(leave)
        return output, tf.nn.rnn_cell.LSTMStateTuple(kept, output)


class Model:
    """The cell over time, and one more convolution that draws the next frame."""

    def __init__(self):
        self.film = tf.placeholder(tf.float32, [None, FRAMES + 1, SIDE, SIDE, 1], name="film")
        cell = ConvLSTMCell(FILTERS, SIDE)
        outputs, _ = tf.nn.dynamic_rnn(cell, self.film[:, :-1], dtype=tf.float32)
        first = tf.glorot_uniform_initializer(seed=2)
        draw = tf.get_variable("draw", [3, 3, FILTERS, 1], initializer=first)
        images = tf.reshape(outputs, [-1, SIDE, SIDE, FILTERS])
        drawn = tf.nn.conv2d(images, draw, [1, 1, 1, 1], "SAME")
        logits = tf.reshape(drawn, [-1, FRAMES, SIDE, SIDE, 1])
        following = self.film[:, 1:]
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=following, logits=logits)
        self.loss = tf.reduce_mean(losses)
        self.step = tf.train.AdamOptimizer(RATE).minimize(self.loss)
        # The first two frames cannot be foreseen: nobody knows yet which way the square goes.
        wrong = tf.abs(tf.sigmoid(logits) - following)[:, 2:]
        self.error = tf.reduce_mean(wrong)
        self.error_of_copy = tf.reduce_mean(tf.abs(self.film[:, 2:-1] - following[:, 2:]))


def train(steps=400):
    """Return losses, and the mean error on unseen films beside that of repeating the last frame."""
    random = np.random.default_rng(23)
    with tf.Graph().as_default():
        model, losses = Model(), []
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(steps):
                feed = {model.film: films(BATCH, random)}
                loss, _ = session.run([model.loss, model.step], feed)
                losses.append(float(loss))
            unseen = {model.film: films(64, np.random.default_rng(99))}
            error, copy = session.run([model.error, model.error_of_copy], unseen)
    return {"losses": losses, "error": float(error), "error_of_copy": float(copy)}


def one_step():
    """Return a training step and what it is fed with, for those who measure."""
    model = Model()
    feed = {model.film: films(BATCH, np.random.default_rng(0))}
    return model.step, feed


def main():
    """Train and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=400)
    results = train(parser.parse_args().steps)
    print(f"loss {results['losses'][0]:.3f} to {results['losses'][-1]:.3f}")
    print(f"a pixel is wrong by {results['error']:.4f} (the last frame again: "
          f"{results['error_of_copy']:.4f})")  # fmt: skip


if __name__ == "__main__":
    main()
