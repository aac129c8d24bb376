"""What tf.keras does around the batches of a training, with what TensorFlow answered.

    TF_USE_LEGACY_KERAS=1 python keras_loop_programs.py tensorflow.compat.v1 \
        > keras_loop_programs.json

As keras_argument_programs.py.
"""

import random
import sys

import numpy as np
import programs
from keras_argument_programs import past

PROGRAMS = {}
_DICE = np.random.RandomState(1)
X = _DICE.randn(20, 6).astype(np.float32)
Y = (X @ _DICE.randn(6, 2)).astype(np.float32)
CLASSES = (Y[:, 0] > 0).astype(np.int32)
WEIGHTS = np.linspace(0, 1, 20, dtype=np.float32)
QUIET = {"verbose": 0, "shuffle": False}


def program(function):
    """Register a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def model_of(tf, optimizer="sgd", loss="mse", activation=None, **how):
    """Return a compiled model whose weights are the same each time."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Dense(5, activation="tanh", input_shape=(6,)), layers.Dense(2, activation),
    ])  # fmt: skip
    model.compile(optimizer, loss, **how)
    return with_weights(model)


def with_weights(model):
    """Return the model, with weights that are the same each time."""
    dice = np.random.RandomState(3)
    model.set_weights([dice.uniform(0.1, 0.9, one.shape) for one in model.get_weights()])
    return model


def classifier(tf, **how):
    """Return a compiled model of two classes."""
    return model_of(tf, "sgd", "sparse_categorical_crossentropy", "softmax", **how)


def batches(size=7, parts=2):
    """Yield batches without end; the last ones of the examples are fewer."""
    while True:
        for begin in range(0, 20, size):
            yield tuple(one[begin : begin + size] for one in (X, Y, WEIGHTS)[:parts])


def dataset(tf, *arrays):
    """Return a dataset of batches of 8, 8 and 4 examples."""
    return tf.data.Dataset.from_tensor_slices(arrays).batch(8)


class Calls:
    """Keeps what callbacks are called with."""

    def __init__(self, tf):
        self.calls = calls = []

        class Listening(tf.keras.callbacks.Callback):
            def on_train_begin(self, logs=None):
                params = {**self.params, "model": type(self.model.history).__name__}
                calls.append(["train", [[name, params[name]] for name in sorted(params)]])

        for kind in ("train", "test", "predict"):
            for end in ("begin", "end"):
                setattr(Listening, f"on_{kind}_batch_{end}", self._keeps(f"{kind} {end}"))
                if kind != "train":
                    setattr(Listening, f"on_{kind}_{end}", self._keeps(f"{end} of {kind}"))
        self.callback = Listening()

    def _keeps(self, name):
        def keep(callback, *batch, logs=None):
            del callback
            batch, logs = (batch[:1], batch[1]) if len(batch) > 1 else (batch, logs)
            known = {key: value for key, value in (logs or {}).items() if key != "outputs"}
            self.calls.append([name, *(b for b in batch if isinstance(b, int)),
                               [[key, float(known[key])] for key in sorted(known)]])  # fmt: skip

        return keep


@program
def what_callbacks_are_given(tf):
    heard, model = Calls(tf), model_of(tf, metrics=["mae"])
    how = {"callbacks": [heard.callback], "verbose": 0}
    model.fit(X, Y, batch_size=8, shuffle=False, epochs=2, **how)
    model.fit(X, Y, steps_per_epoch=2, validation_data=(X, Y), validation_steps=2, **how)
    model.fit(batches(), steps_per_epoch=3, validation_data=(X, Y), **how)
    model.fit(dataset(tf, X, Y).repeat(), steps_per_epoch=2, epochs=2, **how)
    model.fit(dataset(tf, X, Y), epochs=2, **how)
    model.evaluate(X, Y, batch_size=12, **how)
    model.predict(X, batch_size=12, **how)
    return heard.calls


@program
def the_order_of_examples(tf):
    found = []
    for how in ({}, {"validation_data": (X[:9], Y[:9])}, {"shuffle": "batch"},
                {"validation_split": 0.3, "sample_weight": WEIGHTS}):  # fmt: skip
        np.random.seed(3)
        model = model_of(tf, metrics=["mae"])
        found += [past(model.fit(X, Y, batch_size=3, epochs=3, verbose=0, **how)),
                  *model.get_weights()]  # fmt: skip
    return found


@program
def validations_of_generators_and_datasets(tf):
    def fitted(*data, **how):
        return past(model_of(tf, metrics=["mae"]).fit(*data, epochs=2, **QUIET, **how))

    data = dataset(tf, X, Y)
    return [
        fitted(batches(), steps_per_epoch=3, validation_data=(X, Y, WEIGHTS)),
        fitted(batches(), steps_per_epoch=3, validation_data=batches(9, 3), validation_steps=3),
        fitted(X, Y, validation_data=data.repeat(), validation_steps=2),
        fitted(X, Y, validation_data=data), fitted(data, validation_data=data),
        fitted(dataset(tf, X, Y, WEIGHTS)), fitted(X, Y, validation_data=[X, Y]),
        fitted(X, Y, validation_split=0.5, validation_data=(X[:3], Y[:3])),
        fitted(X, Y, validation_split=0.5, validation_steps=3, batch_size=4),
    ]  # fmt: skip


@program
def batches_that_run_out(tf):
    few = ((X, Y) for _ in range(3))
    how = {"steps_per_epoch": 2, "epochs": 4, "verbose": 0}
    return [past(model_of(tf).fit(one, **how)) for one in (few, dataset(tf, X, Y))]


@program
def metrics_by_their_values(tf):
    def largest(wanted, given):
        del wanted
        return tf.reduce_max(given)

    how = {"epochs": 2, "batch_size": 8, **QUIET}
    model = model_of(tf, metrics=[largest, "mae"], weighted_metrics=["mae", "acc"])
    both = {"metrics": ["ce", "accuracy"], "weighted_metrics": ["crossentropy"]}
    return [past(model.fit(X, Y, sample_weight=WEIGHTS, **how)), model.metrics_names,
            past(classifier(tf, **both).fit(X, CLASSES, class_weight={0: 1.0, 1: 3.0}, **how)),
            past(model_of(tf, weighted_metrics=["mae"]).fit(X, Y, **how))]  # fmt: skip


@program
def metrics_kept_from_batch_to_batch(tf):
    model = model_of(tf, metrics=["mae"], weighted_metrics=["mse"])
    kept = {"reset_metrics": False}
    found = [model.train_on_batch(X, Y, WEIGHTS), model.train_on_batch(X[:4], Y[:4], **kept),
             model.train_on_batch(X, Y, WEIGHTS, **kept),
             model.test_on_batch(X, Y, **kept)]  # fmt: skip
    model.reset_metrics()
    return [*found, model.test_on_batch(X, Y), model.test_on_batch(X[:3], Y[:3])]


@program
def the_end_of_a_training(tf):
    callbacks, found = tf.keras.callbacks, []

    class Stopping(callbacks.Callback):
        def on_batch_end(self, batch, logs=None):
            self.model.stop_training = batch == 1

    for callback, epochs, rate in (
        (Stopping(), 2, 0.1),
        (callbacks.EarlyStopping("loss", patience=2, baseline=-1.0), 9, 0.1),
        (callbacks.EarlyStopping("loss", patience=9, mode="max", restore_best_weights=True), 3, .1),
        (callbacks.EarlyStopping("loss", patience=1, min_delta=9.0, start_from_epoch=2), 9, 0.1),
        (callbacks.EarlyStopping("val_loss", min_delta=9.0, restore_best_weights=True), 9, 0.1),
        (callbacks.EarlyStopping("val_loss", mode="max", restore_best_weights=True), 9, 0.1),
    ):  # fmt: skip
        model = model_of(tf, tf.keras.optimizers.SGD(lr=rate))
        how = {"epochs": epochs, "callbacks": [callback], "batch_size": 4, **QUIET}
        found += [past(model.fit(X, Y, validation_data=(X, Y), **how)) for _ in range(2)]
        found += model.get_weights()
    kept = callbacks.History()
    for _ in range(2):
        model.fit(X, Y, epochs=2, callbacks=[kept], **QUIET)
    return [*found, kept.epoch, len(kept.history["loss"])]


@program
def what_compile_saw_is_trained(tf):
    layers, model = tf.keras.layers, model_of(tf)
    model.layers[0].trainable = False
    model.fit(X, Y, **QUIET)
    begin = tf.keras.Input((6,))
    base = tf.keras.Model(begin, layers.BatchNormalization()(layers.Dense(5)(begin)))
    base.trainable = False
    whole = tf.keras.Model(base.input, layers.Dense(2)(base.output))
    whole.compile("sgd", "mse")
    with_weights(whole).fit(X, Y, epochs=2, **QUIET)
    return [*model.get_weights(), *whole.get_weights()]


@program
def inputs_of_one_size(tf):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, batch_input_shape=(4, 6))])
    model.compile("sgd", "mse")
    return [past(with_weights(model).fit(X, Y, epochs=2, **QUIET)), model.predict(X),
            model.evaluate(X, Y, verbose=0)]  # fmt: skip


@program
def a_shuffled_sequence(tf):
    seen = []

    class Batches(getattr(tf.keras.utils, "Sequence", object)):
        def __len__(self):
            return 3

        def __getitem__(self, number):
            return X[number * 7 :][:7], Y[number * 7 :][:7]

        def on_epoch_end(self):
            seen.append("end")

    random.seed(3)
    model = model_of(tf)
    found = [past(model.fit(Batches(), epochs=3, verbose=0)), *model.get_weights(),
             model.predict(Batches()), model.evaluate(Batches(), verbose=0)]  # fmt: skip
    return [*found, seen[:2]]  # TensorFlow's thread may or may not come to the last end


@program
def rules_of_optimizers(tf):
    layers, optimizers, found = tf.keras.layers, tf.keras.optimizers, []
    for optimizer in (
        optimizers.SGD(lr=0.2, decay=0.5, momentum=0.5),
        optimizers.SGD(lr=0.2, decay=0.5, momentum=0.5, nesterov=True, clipnorm=0.3),
        optimizers.RMSprop(lr=0.1, momentum=0.5, epsilon=0.3), optimizers.RMSprop(epsilon=0.5),
        optimizers.Adam(epsilon=0.5, decay=0.1), optimizers.Adadelta(lr=1.0, epsilon=0.5),
        optimizers.Adagrad(lr=0.1, epsilon=0.5),
    ):  # fmt: skip
        model = model_of(tf, optimizer)
        model.fit(X, Y, epochs=3, batch_size=8, **QUIET)
        looking = tf.keras.Sequential([layers.Embedding(5, 2, input_length=2), layers.Flatten(),
                                       layers.Dense(1)])  # fmt: skip
        looking.compile(type(optimizer)(**given(optimizer)), "mse")
        with_weights(looking).fit(np.array([[0, 1], [1, 1], [2, 3], [0, 4]]), np.arange(4.0),
                                  epochs=3, batch_size=1, **QUIET)  # fmt: skip
        found += [*model.get_weights(), *looking.get_weights()]
    return found


def given(optimizer):
    """Return arguments of an optimizer beside its rate."""
    return {
        "SGD": {"momentum": 0.5, "nesterov": True}, "RMSprop": {"momentum": 0.5, "epsilon": 0.3},
    }.get(type(optimizer).__name__, {})  # fmt: skip


@program
def a_model_by_its_own_call(tf):
    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.first = tf.keras.layers.Dense(4, "tanh", kernel_initializer="ones")
            self.last = tf.keras.layers.Dense(2, kernel_initializer="ones")

        def call(self, x):
            return self.last(self.first(x))

    def compiled():
        model = Own()
        model.compile("sgd", "mse", metrics=["mae"], weighted_metrics=["mae"])
        return model

    on_batch = compiled()
    how = {"sample_weight": WEIGHTS, "validation_split": 0.25, "batch_size": 6, "epochs": 2}
    return [past(compiled().fit(X, Y, **how, **QUIET)),
            past(compiled().fit(batches(parts=3), steps_per_epoch=3, verbose=0)),
            past(compiled().fit(dataset(tf, X, Y), verbose=0)),
            on_batch.train_on_batch(X, Y, WEIGHTS), on_batch.test_on_batch(X, Y),
            compiled().evaluate(X, Y, batch_size=7, verbose=0), compiled().predict(X)]  # fmt: skip


@program
def a_generator_of_names(tf):
    begin = tf.keras.Input((6,), name="i")
    first = tf.keras.layers.Dense(2, name="a")(begin)
    model = tf.keras.Model(begin, [first, tf.keras.layers.Dense(1, name="b")(first)])
    model.compile("sgd", "mse", loss_weights=[1.0, 3.0])

    def named():
        while True:
            yield {"i": X}, {"b": Y[:, :1], "a": Y}, {"a": WEIGHTS, "b": 1 - WEIGHTS}

    fitted = with_weights(model).fit(named(), steps_per_epoch=2, epochs=2, verbose=0)
    return [past(fitted), *model.get_weights(), *model.predict(named(), steps=1)]


if __name__ == "__main__":
    found = programs.results(sys.argv[1], PROGRAMS, lambda tf: tf.keras.backend.clear_session())
    programs.write(found)
