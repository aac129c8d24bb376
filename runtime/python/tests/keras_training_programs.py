"""How models of tf.keras are trained, validated and evaluated, with what TensorFlow answered.

    TF_USE_LEGACY_KERAS=1 python keras_training_programs.py tensorflow.compat.v1 \
        > keras_training_programs.json

As keras_argument_programs.py.
"""

import sys

import numpy as np
import programs
from keras_argument_programs import CLASSES, ONES, WEIGHTS, X, Y, past, small

PROGRAMS = {}


def program(function):
    """Register a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def two_outputs(tf, loss="mse", **how):
    """Return a compiled model of two inputs, a and b, and two outputs, o and p."""
    keras, dense = tf.keras, tf.keras.layers.Dense
    a, b = (keras.Input((2,), name=name) for name in "ab")
    o = dense(2, kernel_initializer="ones", name="o")(a)
    p = dense(1, kernel_initializer="ones", name="p")(keras.layers.Lambda(lambda z: z * 2)(b))
    model = keras.Model([a, b], [o, p])
    model.compile("sgd", loss, **how)
    return model


@program
def weights_of_validated_examples(tf):
    how = {"verbose": 0, "shuffle": False, "batch_size": 2, "epochs": 2}
    x, y, weights = np.tile(X, (2, 1)), np.tile(CLASSES, 2), np.tile(WEIGHTS + 1, 2)
    return [
        past(small(tf).fit(x, y, sample_weight=weights, validation_split=0.4, **how)),
        past(small(tf).fit(x, y, class_weight={0: 2.0, 1: 5.0}, validation_split=0.4, **how)),
        past(small(tf).fit(x, y, validation_data=(X, CLASSES, WEIGHTS), **how)),
        past(small(tf).fit(x, y, class_weight={0: 2.0, 1: 5.0}, sample_weight=y + 1, **how)),
    ]  # fmt: skip


@program
def metrics_of_several_outputs(tf):
    inputs, wanted = [X, X / 2], [Y, Y[:, :1]]
    weights = [WEIGHTS, WEIGHTS * 2]
    found = []
    for how in (
        {"metrics": ["mae", "mse"]}, {"metrics": {"p": ["mae"], "o": "mse"}},
        {"metrics": [["mae"], ["mse"]], "loss_weights": {"p": 0.5}},
        {"metrics": ["mae"], "weighted_metrics": ["mae", "mse"], "loss_weights": [2.0, 0.5]},
        {"loss": {"p": "mae", "o": "mse"}, "weighted_metrics": {"o": "mae"}},
    ):  # fmt: skip
        model = two_outputs(tf, **how)
        found += [model.metrics_names, model.evaluate(inputs, wanted, batch_size=2, verbose=0),
                  model.evaluate(inputs, wanted, batch_size=2, verbose=0, sample_weight=weights),
                  past(model.fit(inputs, wanted, batch_size=2, verbose=0, shuffle=False,
                                 sample_weight=weights))]  # fmt: skip
    return found


@program
def layers_in_order_of_depth(tf):
    keras, layers = tf.keras, tf.keras.layers
    late, early = keras.Input((3,), name="late"), keras.Input((2,), name="early")
    shared = layers.Dense(3, name="shared")
    short = layers.Dense(4, name="short")(late)
    long = shared(shared(layers.Dense(3, name="first")(early)))
    joined = layers.concatenate([long, short, late], name="joined")
    model = keras.Model([late, early], [layers.Dense(1, name="end")(joined), long])
    return [[layer.name for layer in model.layers], [list(v.shape) for v in model.get_weights()]]


@program
def arrays_by_name(tf):
    model = two_outputs(tf)
    given, wanted = {"b": X, "a": X * 0, "c": X}, {"p": Y[:, :1], "o": Y * 3}
    return [model.evaluate(given, wanted, verbose=0), *model.predict(given),
            model.evaluate(given, wanted, sample_weight={"p": WEIGHTS}, verbose=0)]  # fmt: skip


@program
def numbers_of_steps(tf):
    how = {"verbose": 0, "epochs": 2, "steps_per_epoch": 2}
    data = tf.data.Dataset.from_tensor_slices((X, CLASSES[:, np.newaxis])).batch(2)
    model, validated = small(tf), {"verbose": 0, "validation_data": (X, CLASSES)}
    return [
        past(small(tf).fit(X, CLASSES, **how)), small(tf).evaluate(X, CLASSES, steps=2, verbose=0),
        small(tf).predict(X, steps=2), past(small(tf).fit(data, epochs=3, verbose=0)),
        past(small(tf).fit(data.repeat(), **how)), small(tf).evaluate(data, verbose=0),
        past(small(tf).fit(X, CLASSES, validation_steps=2, **validated)),
        past(model.fit(X, CLASSES, epochs=4, validation_freq=2, **validated)),
        past(model.fit(X, CLASSES, epochs=4, validation_freq=[1, 4], **validated)),
    ]  # fmt: skip


@program
def batches_of_a_generator(tf):
    def batches(*weights):
        while True:
            yield (X[:2], CLASSES[:2], *(one[:2] for one in weights))
            yield (X[2:], CLASSES[2:], *(one[2:] for one in weights))

    how = {"steps_per_epoch": 2, "verbose": 0}
    model = small(tf, metrics=["mae"], weighted_metrics=["mae"])
    return [
        past(small(tf).fit_generator(batches(), class_weight={0: 1.0, 1: 5.0}, epochs=2, **how)),
        past(small(tf).fit_generator(batches(), epochs=4, initial_epoch=2, **how)),
        past(model.fit_generator(batches(WEIGHTS), epochs=2, **how)),
        model.evaluate_generator(batches(), steps=3),
    ]  # fmt: skip


@program
def weights_of_times(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.TimeDistributed(layers.Dense(2, kernel_initializer="ones"), input_shape=(2, 1)),
    ])  # fmt: skip
    model.compile("sgd", "mse", sample_weight_mode="temporal")
    return [model.evaluate(X[:, :, np.newaxis], np.stack([Y, Y * 2], -1), sample_weight=X + 1,
                           verbose=0, batch_size=2)]  # fmt: skip


@program
def a_part_that_is_not_trained(tf):
    layers = tf.keras.layers
    part = tf.keras.Sequential([layers.Dense(3, input_shape=(2,), kernel_initializer="ones"),
                                layers.BatchNormalization()])  # fmt: skip
    model = tf.keras.Sequential([part, layers.Dense(1, kernel_initializer="ones")])
    part.trainable = False
    model.compile("sgd", "mse")
    model.fit(X, CLASSES, verbose=0, epochs=2)
    found = [*part.get_weights(), len(model.updates), len(model.trainable_weights)]
    states = [[layer.trainable for layer in part.layers]]
    part.layers[0].trainable = True
    states.append(len(part.trainable_weights))
    part.trainable = True
    return [found, states, len(part.trainable_weights)]


@program
def epsilons_of_adagrad(tf):
    found = []
    for how in ({}, {"epsilon": 1.0}, {"initial_accumulator_value": 0.0, "epsilon": 0.1}):
        model = small(tf, optimizer=tf.keras.optimizers.Adagrad(lr=0.5, **how))
        model.fit(X, CLASSES, epochs=3, verbose=0, shuffle=False)
        found += model.get_weights()
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Embedding(4, 2, input_length=2, embeddings_initializer="ones"), layers.Flatten(),
        layers.Dense(1, kernel_initializer="ones"),
    ])  # fmt: skip
    model.compile(tf.keras.optimizers.Adagrad(0.5, epsilon=0.3), "mse")
    model.fit(np.array([[0, 0], [1, 2]]), np.array([0.0, 5]), epochs=3, verbose=0, shuffle=False)
    return [*found, *model.get_weights()]


@program
def a_constraint_of_recurrent_kernels(tf):
    def limited(kernel):
        return tf.clip_by_value(kernel, -0.5, 0.5)

    layer = tf.keras.layers.SimpleRNN(2, input_shape=(2, 1), recurrent_constraint=limited, **ONES)
    model = tf.keras.Sequential([layer])
    model.compile("sgd", "mse")
    model.fit(X[:, :, np.newaxis], Y, verbose=0, shuffle=False)
    return model.get_weights()


@program
def calls_while_training(tf):
    said = []

    class Listening(tf.keras.callbacks.Callback):
        def on_batch_begin(self, batch, logs=None):
            said.append(["old begin", batch])

        def on_train_batch_end(self, batch, logs=None):
            said.append(["train", batch, sorted(logs)])

        def on_test_begin(self, logs=None):
            said.append(["test"])

        def on_test_batch_end(self, batch, logs=None):
            said.append(["tested", batch, sorted(logs)])

        def on_predict_batch_end(self, batch, logs=None):
            said.append(["predicted", batch, sorted(logs)])

        def on_predict_end(self, logs=None):
            said.append(["no more"])

    model, every = small(tf), [Listening()]
    model.fit(X, CLASSES, batch_size=3, verbose=0, callbacks=every, validation_data=(X, CLASSES))
    model.evaluate(X, CLASSES, verbose=0, callbacks=every)
    model.predict(X, callbacks=every)
    return said


@program
def stopping_early_twice(tf):
    callbacks, found = tf.keras.callbacks, []
    model = small(tf, optimizer=tf.keras.optimizers.SGD(lr=0.0))
    for how in ({"patience": 2}, {"patience": 0, "baseline": 0.0}):
        every = [callbacks.EarlyStopping("loss", **how)]
        found += [len(model.fit(X, CLASSES, epochs=9, verbose=0, callbacks=every).epoch)
                  for _ in range(2)]  # fmt: skip
    rates = [callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1))]
    return [found, past(model.fit(X, CLASSES, epochs=2, verbose=0, callbacks=rates))]


if __name__ == "__main__":
    found = programs.results(sys.argv[1], PROGRAMS, lambda tf: tf.keras.backend.clear_session())
    programs.write(found)
