"""Arguments of tf.keras and tf.layers by position and by name, with what TensorFlow answered.

    TF_USE_LEGACY_KERAS=1 python keras_position_programs.py tensorflow.compat.v1 \
        > keras_position_programs.json

As keras_programs.py: each function takes the module and returns numbers, lists and strings.
"""

import sys

import numpy as np
import programs
from programs import run

PROGRAMS = {}
X = np.array([[1.0, -2.0, 0.5], [0.0, 3.5, -2.5]], np.float32)
IMAGES = np.linspace(-1, 1, 2 * 4 * 4 * 3).astype(np.float32).reshape(2, 4, 4, 3)
ROWS = np.linspace(-1, 1, 24).astype(np.float32).reshape(2, 4, 3)
GLOROT = "glorot_uniform"


def program(function):
    """Register a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


@program
def backend(tf):
    k, x = tf.keras.backend, tf.constant(X)
    bias, images = tf.constant([1.0, 2.0, 3.0]), tf.constant(IMAGES)
    several = k.stop_gradient([x, x])
    found = [
        k.softmax(x, 0), k.softmax(x=x), k.softplus(x=x), k.softsign(x=x),
        k.all(x=x, axis=0, keepdims=True), k.any(x, 1, True), k.max(x=x, axis=1),
        k.mean(x > 0, 0), k.mean(x=x, axis=1, keepdims=True), k.min(x, 1, True), k.prod(x, 0),
        k.sum(x=x, axis=-1, keepdims=True), k.bias_add(x, bias),
        k.bias_add(x=images, bias=bias, data_format="channels_last"),
        k.bias_add(images, tf.constant(IMAGES[0])),
        k.categorical_crossentropy(tf.nn.softmax(-x), tf.abs(x), False),
        k.categorical_crossentropy(target=tf.nn.softmax(-x), output=x, from_logits=True, axis=0),
        k.sparse_categorical_crossentropy([1, 2], tf.abs(x) + 0.5, False, -1),
        k.sparse_categorical_crossentropy(target=[0, 2], output=x, from_logits=True),
        k.foldl(lambda a, b: a - 2 * b, x, tf.ones([3]), "n"), k.foldr(fn=lambda a, b: a - b,
                                                                       elems=x),
        k.map_fn(lambda row: tf.cast(row, tf.int32), x, "n", tf.int32),
        k.gather(reference=x, indices=[1, 0]), k.ones_like(x=x, dtype="int32"),
        k.zeros_like(x, "float64", "n"), k.pow(x=x, a=2), k.reshape(x=x, shape=[3, 2]),
        k.shape(x=x), k.squeeze(x[:1], 0), k.squeeze(x=x[:, :1], axis=-1),
        k.stack(x=[x, x], axis=1),
        *several, k.stop_gradient(variables=x), k.tile(x=x, n=[1, 2]), k.tile(bias, 2),
        k.transpose(x=x),
    ]  # fmt: skip
    return [[tensor.dtype.name for tensor in found], *run(tf, found)]


@program
def activations(tf):
    a, x = tf.keras.activations, tf.constant(X)
    cube = tf.constant(ROWS)
    return run(tf, [a.softmax(x=x), a.softmax(cube, 1), a.softmax(cube, axis=[1, 2]),
                    a.softplus(x=x), a.softsign(x=x)])  # fmt: skip


@program
def regularizers(tf):
    r, x = tf.keras.regularizers, tf.constant(X)
    return run(tf, [r.l1(0.5)(x), r.l1(l1=0.25)(x), r.l1(l=0.125)(x), r.l2(l2=2.0)(x),
                    r.l2(l=3.0)(x)])  # fmt: skip


@program
def optimizers(tf):
    o, found = tf.keras.optimizers, []
    for make in (
        lambda: o.SGD(0.5, 0.9, True, "mine"), lambda: o.SGD(learning_rate=0.25),
        lambda: o.SGD(lr=0.125), lambda: o.Adam(0.5, 0.8, 0.9, 1e-3, False, "mine"),
        lambda: o.Adam(lr=0.25), lambda: o.Adagrad(0.5, 0.2, 1e-3, "mine"),
        lambda: o.Adadelta(0.5, 0.9, 1e-3, "mine"), lambda: o.RMSprop(0.5, 0.8, 0.1, 1e-3, False),
        lambda: o.RMSprop(learning_rate=0.25, rho=0.5),
    ):  # fmt: skip
        layer = tf.keras.layers.Dense(1, None, True, "ones", input_shape=(3,))
        model = tf.keras.Sequential([layer])
        model.compile(make(), "mse")
        model.fit(X, X[:, :1], epochs=3, shuffle=False, verbose=0)
        found.append(model.get_weights())
    return found


@program
def losses(tf):
    one, y, p = tf.keras.losses, np.abs(X) / 4, tf.nn.softmax(tf.constant(X))
    return run(tf, [
        one.SparseCategoricalCrossentropy(True, None, "sum")([1, 2], X),
        one.SparseCategoricalCrossentropy(from_logits=True, reduction="none")([0, 1], X),
        one.Hinge("sum", "n")(y, X), one.KLDivergence("none")(y, p),
        one.Huber(0.3, "sum", "n")(y, X),
        one.CategoricalCrossentropy(True, 0.1, -1, "none")(y, X),
        one.sparse_categorical_crossentropy([1, 2], X, True, -1),
        one.binary_crossentropy(y, p, False, 0.2, 0),
    ])  # fmt: skip


def sequence_of(tf, layer, inputs=ROWS):
    """Return the shapes of a layer's weights and what it makes of inputs, with weights in order."""
    x = tf.constant(inputs)
    outputs = layer(x)
    sizes = [weight.shape.as_list() for weight in layer.weights]
    tf.keras.backend.get_session().run(tf.global_variables_initializer())
    layer.set_weights([np.linspace(-0.7, 0.9, int(np.prod(s))).reshape(s) for s in sizes])
    flat = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    session = tf.keras.backend.get_session()
    return [sizes, session.run(flat), sorted(map(float, session.run(layer.losses)))]


@program
def recurrent_layers(tf):
    k = tf.keras.layers
    kernels = (GLOROT, "orthogonal", "zeros")
    layers = (
        k.SimpleRNN(2, "relu", False, *kernels), k.SimpleRNN(2, use_bias=True, unroll=True),
        k.LSTM(2, "tanh", "sigmoid", False, *kernels), k.LSTM(2, "tanh", "sigmoid", True, *kernels,
                                                              False, "l2"),
        k.GRU(2, "tanh", "sigmoid", False, *kernels), k.GRU(2, reset_after=True),
        k.GRU(2, "tanh", "sigmoid", True, *kernels, None, None, "l2", None, None, None, None, 0.0,
              0.0, True, True, True),
        k.RNN(k.LSTMCell(2, "tanh", "sigmoid", False), True), k.RNN(k.GRUCell(2, "relu", "tanh",
                                                                              False)),
        k.RNN(k.SimpleRNNCell(2, "relu", False), False, True),
        k.Bidirectional(k.GRU(2), "sum", None, k.LSTM(2, go_backwards=True)),
    )  # fmt: skip
    return [sequence_of(tf, layer) for layer in layers]


@program
def states_by_position(tf):
    k, x = tf.keras.layers, tf.constant(ROWS)
    layer, first = k.SimpleRNN(2, "relu"), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    outputs = [layer(x), layer(x, first), layer(x, initial_state=first)]
    session = tf.keras.backend.get_session()
    session.run(tf.global_variables_initializer())
    layer.set_weights([np.ones((3, 2)) / 3, np.ones((2, 2)) / 2, np.array([0.5, 1.0])])
    return session.run(outputs)


@program
def convolutions(tf):
    k, l2 = tf.keras.layers, "l2"
    made_by = (True, GLOROT, "zeros", l2)
    return [
        sequence_of(tf, k.Conv1D(2, 2, 1, "causal", "channels_last", 1, 1, "relu", *made_by)),
        *(sequence_of(tf, layer, IMAGES) for layer in (
            k.Conv2D(2, 2, 1, "same", None, (1, 1), 1, "relu", *made_by),
            k.Conv2DTranspose(2, 2, 2, "same", None, None, (1, 1), "tanh", *made_by),
            k.SeparableConv2D(2, 2, 1, "same", None, 1, 2, "relu", True, GLOROT, GLOROT, "zeros",
                              l2, l2),
            k.DepthwiseConv2D(2, 1, "same", 2, None, (1, 1), "relu", True, GLOROT, "zeros", l2),
        )),
        sequence_of(tf, k.Dense(2, "relu", *made_by, l2, l2), X),
    ]  # fmt: skip


@program
def pools_and_borders(tf):
    k, x, rows = tf.keras.layers, tf.constant(IMAGES), tf.constant(ROWS)
    mask = tf.constant([[True, False, True, True], [True, True, False, False]])
    return run(tf, [
        k.GlobalAveragePooling2D(None, True)(x), k.GlobalMaxPooling2D(keepdims=True)(x),
        k.GlobalAveragePooling1D("channels_first", keepdims=True)(rows),
        k.GlobalMaxPooling1D("channels_last", True)(rows),
        k.GlobalAveragePooling1D()(rows, mask=mask), k.MaxPooling1D()(rows),
        k.AveragePooling2D(2, 1, "same", "channels_last")(x), k.MaxPooling2D()(x),
        k.Cropping2D(1, "channels_last")(x), k.Softmax(1)(rows), k.Softmax([1, 2])(rows),
        k.Softmax()(tf.constant(X), tf.constant([[True, False, True], [True, True, False]])),
        k.Softmax(-1, True)(tf.constant(X), mask=tf.constant([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])),
        k.concatenate([rows, rows], 1), k.concatenate(inputs=[rows, rows], axis=-1),
    ])  # fmt: skip


@program
def whole_channels_are_dropped(tf):
    k, ones = tf.keras.layers, tf.ones([3, 4, 4, 6])
    last = run(tf, k.SpatialDropout2D(0.5)(ones, training=True))
    first = run(tf, k.SpatialDropout2D(0.5, "channels_first")(ones, training=True))
    within = [np.ptp(last, axis=(1, 2)).max(), np.ptp(first, axis=(2, 3)).max()]
    return [[float(most) for most in within], bool(np.ptp(last) > 0), bool(np.ptp(first) > 0)]


@program
def normalised(tf):
    layer = tf.keras.layers.LayerNormalization(-1, 1e-2, True, True, "zeros", "ones", "l2", "l1")
    return sequence_of(tf, layer, X)


@program
def functions_that_ask_whether_it_trains(tf):
    def scaled(x, training=None, by=1.0):
        return x - by if training is None else x * by * tf.cast(training, tf.float32)

    layer = tf.keras.layers.Lambda(scaled, None, None, {"by": 3.0})
    x = tf.constant(X)
    return run(tf, [layer(x), layer(x, training=tf.constant(True))])


@program
def layers_of_tf(tf):
    layers, found = tf.layers, []
    ones, zeros = tf.ones_initializer(), tf.zeros_initializer()
    x, rows = tf.constant(IMAGES), tf.constant(ROWS)
    volume = tf.constant(IMAGES.reshape(1, 2, 4, 4, 3))
    rest = (tf.nn.relu, True, ones, zeros, None, None, None, None, None, True)
    found += [
        layers.conv1d(rows, 2, 2, 1, "same", "channels_last", 1, *rest, "a", None),
        layers.conv2d(x, 2, 2, (1, 1), "same", "channels_last", (1, 1), *rest, "b", None),
        layers.conv2d(inputs=x, filters=2, kernel_size=2, padding="same", kernel_initializer=ones,
                      activation=tf.nn.relu, name="c", reuse=False),
        layers.conv2d(x, 2, 2, 1, "same", "channels_last", 1, *rest, "b", True),
        layers.conv3d(volume, 2, 2, (1, 1, 1), "same", "channels_last", 1, *rest, "d"),
        layers.conv2d_transpose(x, 2, 2, 2, "same", "channels_last", *rest, "e", None),
        layers.conv3d_transpose(volume, 2, 2, 2, "same", "channels_last", *rest, "f", None),
        layers.separable_conv2d(x, 2, 2, 1, "same", "channels_last", 1, 2, tf.nn.relu, True, ones,
                                ones, zeros),
        layers.separable_conv1d(rows, 2, 2, 1, "same", "channels_last", 1, 2, tf.nn.relu, True,
                                ones, ones, name="g"),
        layers.SeparableConv1D(2, 2, 1, "same", depthwise_initializer=ones,
                               pointwise_initializer=ones)(rows),
        layers.Conv3DTranspose(2, 2, (2, 2, 2), "same", kernel_initializer=ones)(volume),
    ]  # fmt: skip
    names = [variable.name for variable in tf.global_variables()]
    return [names, *run(tf, found)]


@program
def callbacks_by_position(tf):
    said = []
    how = [lambda number, logs=None, name=name: said.append([name, number]) for name in "abcd"]
    callback = tf.keras.callbacks.LambdaCallback(*how)
    layer = tf.keras.layers.Dense(1, None, True, "ones", input_shape=(3,))
    model = tf.keras.Sequential([layer])
    model.compile("sgd", "mse")
    model.fit(X, X[:, :1], 1, 2, 0, [callback])
    return said


if __name__ == "__main__":
    programs.write(programs.results(sys.argv[1], PROGRAMS,
                                    reset=lambda tf: tf.keras.backend.clear_session()))  # fmt: skip
