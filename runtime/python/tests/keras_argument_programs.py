"""Arguments of tf.keras on which numbers depend, with what TensorFlow answered.

    TF_USE_LEGACY_KERAS=1 python keras_argument_programs.py tensorflow.compat.v1 \
        > keras_argument_programs.json

As keras_programs.py: each function takes the module and returns numbers, lists and strings.
"""

import sys

import numpy as np
import programs

PROGRAMS = {}
X = np.arange(10, dtype=np.float32).reshape(5, 2) / 3
Y = np.array([[0, 1], [1, 0], [1, 1], [3, 1], [0, 0]], np.float32)
CLASSES = np.array([0, 1, 0, 1, 1], np.float32)
WEIGHTS = np.array([1, 2, 0, 3, 5], np.float32)
SEQUENCES = np.linspace(-1, 1, 24).astype(np.float32).reshape(2, 4, 3)
ONES = {"kernel_initializer": "ones", "recurrent_initializer": "ones"}


def program(function):
    """Register a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def small(tf, loss="mse", units=1, optimizer="sgd", **how):
    """Return a compiled model of one layer, whose weights are ones."""
    layer = tf.keras.layers.Dense(units, input_shape=(2,), kernel_initializer="ones")
    model = tf.keras.Sequential([layer])
    model.compile(optimizer, loss, **how)
    return model


def past(fitted):
    """Return losses and metrics of a training, by their names."""
    return [[name, fitted.history[name]] for name in sorted(fitted.history)]


def own_loss(tf):
    """Return a class of a program's own loss."""

    class Cubed(tf.keras.losses.Loss):
        def call(self, y_true, y_pred):
            return tf.reduce_sum(tf.abs(tf.cast(y_true, y_pred.dtype) - y_pred) ** 3, -1)

    return Cubed


# ---- losses -------------------------------------------------------------------------------------


@program
def reductions_of_losses(tf):
    losses = tf.keras.losses
    wanted, given = tf.constant(Y / 3), tf.constant(X / 4 + 0.1)
    found = []
    for name in ("BinaryCrossentropy", "CategoricalCrossentropy", "Hinge", "Huber", "KLDivergence",
                 "MeanAbsoluteError", "MeanSquaredError"):  # fmt: skip
        for reduction in ("auto", "none", "sum", "sum_over_batch_size"):
            loss = getattr(losses, name)(reduction=reduction)
            found += [loss(wanted, given), loss(wanted, given, sample_weight=WEIGHTS),
                      loss(wanted, given, sample_weight=WEIGHTS[:, np.newaxis]),
                      loss(wanted, given, sample_weight=2.0)]  # fmt: skip
    return programs.run(tf, found)


@program
def classes_of_losses_by_position(tf):
    losses = tf.keras.losses
    return programs.run(tf, [
        losses.BinaryCrossentropy(True, 0.1)(Y, X), losses.Huber(0.1, "sum")(Y, X),
        losses.MeanSquaredError("sum")(Y, X), losses.BinaryCrossentropy(axis=0)(Y / 3, X / 4 + 0.1),
        losses.CategoricalCrossentropy(False, 0.2, 0)(Y, X + 0.1),
        losses.SparseCategoricalCrossentropy(True)(CLASSES, X, sample_weight=WEIGHTS),
        losses.MeanSquaredError()(tf.constant(CLASSES), tf.constant(X[:, :1])),
    ])  # fmt: skip


@program
def a_loss_of_its_own(tf):
    cubed = own_loss(tf)
    direct = [cubed()(Y, X), cubed("none")(Y, X), cubed("sum")(Y, X, sample_weight=WEIGHTS)]
    model = small(tf, cubed(), 2)
    trained = [model.evaluate(X, Y, verbose=0), model.train_on_batch(X, Y / 9),
               *model.get_weights()]  # fmt: skip
    return [programs.run(tf, direct), trained, cubed("sum", name="c").get_config()["reduction"]]


@program
def losses_along_an_axis(tf):
    losses = tf.keras.losses
    logits = (np.arange(24) ** 1.1).reshape(2, 3, 4).astype(np.float32) / 20
    given = tf.constant(np.exp(logits) / np.exp(logits).sum(1, keepdims=True))
    labels = tf.constant([[0, 1, 2, 0], [2, 2, 1, 0]])
    wide = tf.constant(Y / 3), tf.constant(X / 4 + 0.1)
    return programs.run(tf, [
        losses.sparse_categorical_crossentropy(labels, given, axis=1),
        losses.sparse_categorical_crossentropy(labels, tf.constant(logits), True, axis=1),
        losses.binary_crossentropy(*wide, axis=0), losses.categorical_crossentropy(*wide, axis=0),
        losses.categorical_crossentropy(*wide, True, 0.2, 0),
        losses.cosine_proximity(*wide, axis=0),
    ])  # fmt: skip


@program
def slopes_of_losses_at_ties(tf):
    found = []
    for name in ("hinge", "squared_hinge", "mean_absolute_error", "Huber"):
        loss = getattr(tf.keras.losses, name)
        given = tf.constant([[1.0, -1.0, 0.5], [1.0, 0.0, 2.0]])
        value = (loss() if name == "Huber" else loss)(tf.ones([2, 3]), given)
        found += [value, tf.gradients(value, given)[0]]
    return programs.run(tf, found)


@program
def compiled_losses(tf):
    losses, found = tf.keras.losses, []
    for loss in (
        losses.MeanSquaredError(reduction="sum"), losses.MeanSquaredError(reduction="none"),
        losses.Huber(0.1, "sum"), losses.MeanSquaredError(), own_loss(tf)("sum"),
        lambda y, p: tf.abs(y - p), lambda y, p: tf.reduce_sum(tf.abs(y - p)),
    ):  # fmt: skip
        model = small(tf, loss, 2)
        found += [model.evaluate(X, Y, verbose=0), model.train_on_batch(X, Y),
                  past(model.fit(X, Y, verbose=0, shuffle=False)),
                  *model.get_weights()]  # fmt: skip
    model = small(tf, losses.MeanSquaredError(reduction="sum"), 2)
    return [*found, model.evaluate(X, Y, sample_weight=WEIGHTS, verbose=0)]


# ---- layers -------------------------------------------------------------------------------------


@program
def activity_regularizers(tf):
    layers = tf.keras.layers
    by_sum = {"activity_regularizer": lambda v: tf.reduce_sum(v * v)}
    dense = tf.layers.Dense(2, kernel_initializer=tf.ones_initializer(), **by_sum)
    dense(tf.constant(X))
    tf.layers.conv2d(tf.constant(X.reshape(5, 1, 2, 1)), 2, 1,
                     kernel_initializer=tf.ones_initializer(), **by_sum)  # fmt: skip
    made = [layers.ActivityRegularization(l1=0.1, l2=0.2),
            layers.Dense(2, kernel_initializer="ones", activity_regularizer="l2")]  # fmt: skip
    for layer in made:
        layer(tf.constant(X))
    lstm = layers.LSTM(2, activity_regularizer="l1", **ONES)
    lstm(tf.constant(SEQUENCES))
    found = programs.run(tf, [dense.losses, tf.losses.get_regularization_losses(),
                              *(layer.losses for layer in (*made, lstm))])  # fmt: skip
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential([layers.Dense(2, input_shape=(2,), kernel_initializer="ones",
                                              activity_regularizer="l2")])  # fmt: skip
    model.compile("sgd", "mse")
    past_losses = past(model.fit(X, Y, batch_size=2, verbose=0, shuffle=False, epochs=2))
    return [found, past_losses, *model.get_weights()]


@program
def images_made_larger(tf):
    layers = tf.keras.layers
    image = tf.constant(np.arange(12, dtype=np.float32).reshape(1, 2, 3, 2) ** 1.5)
    return programs.run(tf, [
        layers.UpSampling2D(size, interpolation=way)(image)
        for size in (2, (2, 3), (1, 2)) for way in ("nearest", "bilinear", "bicubic", "area")
    ])  # fmt: skip


def nested(states):
    """Return states in lists, in which those of one cell are together."""
    return [[*one] if isinstance(one, (list, tuple)) else one for one in states]


@program
def states_of_stacked_cells(tf):
    layers, x = tf.keras.layers, tf.constant(SEQUENCES)
    ones, zeros = tf.ones, tf.zeros
    first = [[ones([2, 2]), zeros([2, 2])], [ones([2, 1]), zeros([2, 1])]]
    cells = [layers.LSTMCell(2, **ONES), layers.LSTMCell(1, **ONES)]
    mixed = [layers.GRUCell(2, **ONES), layers.LSTMCell(1, **ONES)]
    return programs.run(tf, [
        nested(layers.RNN(cells, return_state=True)(x, initial_state=first)),
        nested(layers.RNN(mixed, return_state=True, return_sequences=True)(x)),
        nested(layers.RNN(mixed, return_state=True, unroll=True)(x)),
        nested(layers.RNN(layers.LSTMCell(2, **ONES), return_state=True)(x)),
    ])  # fmt: skip


@program
def cells_of_its_own(tf):
    layers = tf.keras.layers

    class Half(layers.Layer):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.units = self.state_size = units

        def call(self, inputs, states, training=None):
            output = inputs[:, : self.units] * (2.0 if training else 1.0) + states[0] * 0.5
            return output, [output]

    x = tf.constant(SEQUENCES)
    return programs.run(tf, [layers.RNN(Half(2))(x, training=True), layers.RNN(Half(2))(x),
                             layers.RNN([Half(2), Half(1)])(x, training=True)])  # fmt: skip


@program
def both_directions(tf):
    layers, x = tf.keras.layers, tf.constant(SEQUENCES)
    first = [tf.ones([2, 2]), -tf.ones([2, 2])]
    return programs.run(tf, [
        layers.Bidirectional(layers.LSTM(2, return_state=True, **ONES))(x),
        layers.Bidirectional(layers.GRU(2, **ONES))(x, initial_state=first),
        layers.Bidirectional(layers.GRU(2, return_sequences=True, return_state=True, **ONES),
                             merge_mode=None)(x, initial_state=first),
        layers.Bidirectional(layers.GRU(2, **ONES), merge_mode="mul")(x),
    ])  # fmt: skip


@program
def functions_of_the_backend(tf):
    backend, x = tf.keras.backend, tf.constant(X - 1)
    return programs.run(tf, [
        backend.sqrt(x), backend.repeat_elements(x, 2, -1), backend.repeat_elements(x, 2, 0),
        backend.elu(x, 0.5), tf.keras.activations.elu(x, 0.5), backend.clip(x, None, 0.5),
        backend.clip(x, 0.5, None), backend.clip(x, 0.9, 0.5),
    ])  # fmt: skip


if __name__ == "__main__":
    found = programs.results(sys.argv[1], PROGRAMS, lambda tf: tf.keras.backend.clear_session())
    programs.write(found)
