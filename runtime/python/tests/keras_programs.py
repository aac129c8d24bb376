"""Layers and models of tf.keras, with what TensorFlow answered.

    TF_USE_LEGACY_KERAS=1 python keras_programs.py tensorflow.compat.v1 > keras_programs.json

As programs.py: each function takes the module and returns numbers, lists and strings. First weights
are set, since drawing them is not what is looked at.
"""

import sys

import numpy as np
import programs

PROGRAMS = {}
_DICE = np.random.RandomState(0)
ROWS = _DICE.rand(20, 6).astype(np.float32)
CLASSES = np.eye(3)[_DICE.randint(0, 3, 20)].astype(np.float32)
IMAGES = _DICE.rand(4, 8, 8, 3).astype(np.float32)
SEQUENCES = _DICE.rand(4, 5, 3).astype(np.float32)


def program(function):
    """Register a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def set_weights(model):
    """Give the model weights that are the same each time; return their names."""
    dice = np.random.RandomState(3)
    model.set_weights([dice.uniform(0.1, 0.5, value.shape) for value in model.get_weights()])
    return [variable.name for variable in model.weights]


def history(model, *data, **how):
    """Return the losses and metrics of two epochs, by their names."""
    past = model.fit(*data, epochs=2, verbose=0, shuffle=False, **how).history
    return [[name, past[name]] for name in sorted(past)]


@program
def a_row_of_layers(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Dense(5, activation="relu", input_shape=(6,)), layers.BatchNormalization(),
        layers.Dense(3, activation="softmax"),
    ])  # fmt: skip
    model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
    names = set_weights(model)
    past = history(model, ROWS, CLASSES, batch_size=8)
    return [names, past, model.evaluate(ROWS, CLASSES, verbose=0), model.predict(ROWS[:3]),
            model.get_weights(), model.metrics_names]  # fmt: skip


@program
def tensors_joined_to_a_model(tf):
    keras, layers = tf.keras, tf.keras.layers
    begin = keras.Input(shape=(6,))
    hidden = layers.Dense(4, activation="tanh",
                          kernel_regularizer=keras.regularizers.l2(0.01))(begin)  # fmt: skip
    end = layers.Dense(1)(layers.concatenate([begin, hidden]))
    model = keras.Model(inputs=begin, outputs=end)
    model.compile(keras.optimizers.SGD(lr=0.1, momentum=0.9), "mse", metrics=["mae"])
    names = set_weights(model)
    past = history(model, ROWS, ROWS[:, 0], batch_size=5, validation_split=0.25)
    again = model(tf.ones([2, 6]))
    return [names, [layer.name for layer in model.layers], past, str(again),
            keras.backend.eval(again)]  # fmt: skip


@program
def images(tf):
    layers = tf.keras.layers
    model = tf.keras.models.Sequential()
    for layer in (
        layers.Conv2D(4, (3, 3), padding="same", activation="relu", input_shape=(8, 8, 3)),
        layers.MaxPooling2D((2, 2)), layers.Conv2DTranspose(2, 3, strides=2, padding="same"),
        layers.UpSampling2D(), layers.ZeroPadding2D(1), layers.DepthwiseConv2D(3),
        layers.SeparableConv2D(3, 3), layers.Cropping2D(1), layers.GlobalAveragePooling2D(),
        layers.Dense(1, activation="sigmoid"),
    ):  # fmt: skip
        model.add(layer)
    model.compile("rmsprop", "binary_crossentropy", metrics=["acc"])
    names = set_weights(model)
    past = history(model, IMAGES, np.array([0, 1, 0, 1]))
    return [names, past, model.predict(IMAGES), [str(layer.output_shape) for layer in model.layers]]


def recurrent(tf, layer):
    """Return what a model of two such layers computes."""
    model = tf.keras.Sequential([
        layer(4, return_sequences=True, input_shape=(5, 3)), layer(3), tf.keras.layers.Dense(2),
    ])  # fmt: skip
    model.compile("sgd", "mse")
    names = set_weights(model)
    return [names, model.predict(SEQUENCES), history(model, SEQUENCES, SEQUENCES[:, 0, :2])]


@program
def long_short_term_memory(tf):
    return recurrent(tf, tf.keras.layers.LSTM)


@program
def gated_recurrent_units(tf):
    return recurrent(tf, tf.keras.layers.GRU)


@program
def plain_recurrent_units(tf):
    return recurrent(tf, tf.keras.layers.SimpleRNN)


@program
def both_ways_and_each_time(tf):
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Bidirectional(layers.LSTM(3, return_sequences=True), input_shape=(5, 3)),
        layers.TimeDistributed(layers.Dense(2)), layers.Flatten(), layers.Dense(1),
    ])  # fmt: skip
    dice = np.random.RandomState(3)
    model.set_weights([dice.uniform(0.1, 0.5, value.shape) for value in model.get_weights()])
    return [model.predict(SEQUENCES), str(model.output)]


@program
def layers_as_functions_in_a_graph(tf):
    layers, backend = tf.keras.layers, tf.keras.backend
    x = tf.placeholder(tf.float32, [None, 6], name="x")
    dense = layers.Dense(3, kernel_initializer="ones")
    y, again = dense(x), dense(x)
    with tf.variable_scope("scope"):
        z = layers.Dense(2, name="named")(x)
    kept = layers.Dropout(0.5)(x)
    loss = tf.reduce_mean(tf.square(y))
    step = tf.train.AdamOptimizer(0.1).minimize(loss)
    others = [
        layers.Reshape((3, 2))(x), layers.Lambda(lambda v: v * 2)(x), layers.LeakyReLU()(x),
        layers.Activation("relu")(x), layers.ELU(0.5)(x - 0.5), layers.ReLU(max_value=0.4)(x),
        layers.RepeatVector(2)(x), layers.Permute((2, 1))(layers.RepeatVector(2)(x)),
        layers.multiply([x, x]), layers.average([x, x]), layers.dot([x, x], axes=1),
        layers.LayerNormalization()(x), layers.Softmax()(x),
    ]  # fmt: skip
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = session.run([y, kept, *others], {x: ROWS[:2], backend.learning_phase(): 0})
        losses = [session.run([loss, step], {x: ROWS})[0] for _ in range(3)]
    return [[str(tensor) for tensor in (y, again, z, kept)],
            [v.name for v in tf.trainable_variables()], losses, values]  # fmt: skip


@program
def classes_of_a_program(tf):
    keras = tf.keras

    class Mine(keras.Model):
        def __init__(self):
            super().__init__(name="mine")
            self.first = keras.layers.Dense(4, activation="relu")
            self.norm = keras.layers.BatchNormalization()
            self.last = keras.layers.Dense(2)

        def call(self, x, training=None):
            return self.last(self.norm(self.first(x), training=training))

    class Product(keras.layers.Layer):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.units = units

        def build(self, input_shape):
            self.w = self.add_weight("w", (int(input_shape[-1]), self.units), initializer="ones")
            super().build(input_shape)

        def call(self, x):
            return keras.backend.dot(x, self.w)

    model, x = Mine(), tf.constant(ROWS[:4])
    y = model(x)
    names = set_weights(model)
    product = Product(2)
    z = product(x)
    values = [keras.backend.eval(tensor) for tensor in (y, model(x, training=True), z)]
    return [names, str(y), str(z), len(model.updates), values,
            [v.name for v in product.trainable_weights]]  # fmt: skip


@program
def the_backend(tf):
    keras, backend = tf.keras, tf.keras.backend
    x = backend.placeholder(shape=(None, 3))
    both = backend.function([x], [backend.sum(x, axis=1), backend.mean(x)])
    variable = backend.variable([1.0, 2.0])
    backend.set_value(variable, [3.0, 4.0])
    wanted, given = backend.constant([[0, 1.0]]), backend.constant([[0.3, 0.7]])
    losses = [
        getattr(keras.losses, name)(wanted, given)
        for name in ("categorical_crossentropy", "binary_crossentropy", "mse", "mae", "hinge",
                     "squared_hinge", "poisson", "logcosh", "kullback_leibler_divergence",
                     "mean_squared_logarithmic_error", "mean_absolute_percentage_error")
    ]  # fmt: skip
    losses.append(keras.losses.sparse_categorical_crossentropy(backend.constant([1]), given))
    slope = backend.gradients(backend.sum(backend.square(variable)), [variable])[0]
    more = [backend.argmax(given), backend.clip(given, 0.4, 0.5), backend.std(given),
            backend.repeat_elements(given, 2, 1), backend.batch_flatten(backend.ones((2, 3, 4))),
            keras.activations.hard_sigmoid(given), keras.activations.selu(given)]  # fmt: skip
    return [both([np.ones((2, 3), np.float32)]), backend.get_value(variable),
            [backend.eval(one) for one in (*losses, slope, *more)],
            list(backend.int_shape(given)), backend.epsilon(), backend.floatx(),
            keras.utils.to_categorical([0, 2, 1]),
            keras.preprocessing.sequence.pad_sequences([[1], [2, 3, 4]], 2)]  # fmt: skip


if __name__ == "__main__":
    found = programs.results(sys.argv[1], PROGRAMS, lambda tf: tf.keras.backend.clear_session())
    programs.write(found)
