"""tf.keras: what models compute against what TensorFlow 2.21 computed, and what is refused."""

import json
from pathlib import Path

import keras_argument_programs
import keras_loop_programs
import keras_position_programs
import keras_programs
import keras_training_programs
import numpy as np
import programs
import pytest
import tfbuild_runtime.compat.v1 as tf

MODULES = (
    keras_programs, keras_argument_programs, keras_position_programs, keras_training_programs,
    keras_loop_programs,
)  # fmt: skip
THEIRS = {
    module.__name__: json.loads(
        Path(__file__).with_name(f"{module.__name__}.json").read_text(encoding="utf-8")
    )
    for module in MODULES
}
LAYERS = tf.keras.layers


@pytest.fixture(autouse=True)
def fresh_session():
    tf.keras.backend.clear_session()


def alike(ours, theirs):
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for mine, other in zip(ours, theirs):
            alike(mine, other)
    elif isinstance(theirs, float):
        # Adam divides gradients that are nearly nothing by their own size.
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)
    else:
        assert ours == theirs


@pytest.mark.parametrize(
    ("module", "name"),
    [(module, name) for module in MODULES for name in sorted(module.PROGRAMS)],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_program_computes_what_tensorflow_computes(module, name):
    alike(programs.plain(module.PROGRAMS[name](tf)), THEIRS[module.__name__][name])


def small_model():
    model = tf.keras.Sequential([LAYERS.Dense(2, input_shape=(3,)), LAYERS.Dense(1)])
    model.compile("sgd", "mse")
    return model


def test_weights_are_saved_as_a_checkpoint(tmp_path):
    model = small_model()
    before = model.get_weights()
    model.save_weights(str(tmp_path / "weights"))
    model.set_weights([np.zeros_like(value) for value in before])
    model.load_weights(str(tmp_path / "weights"))
    for ours, theirs in zip(model.get_weights(), before):
        np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(NotImplementedError, match="not as HDF5"):
        model.save_weights(str(tmp_path / "weights.h5"))


def test_callbacks_stop_and_set_rates():
    model = small_model()
    x, y = np.ones((8, 3)), np.zeros((8, 1))
    rates = []
    callbacks = [
        tf.keras.callbacks.EarlyStopping(monitor="loss", min_delta=1e9, patience=2),
        tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1)),
        tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda *_: rates.append(
            float(tf.keras.backend.get_value(model.optimizer.lr)))),
    ]  # fmt: skip
    fitted = model.fit(x, y, epochs=10, verbose=0, callbacks=callbacks)
    assert len(fitted.history["loss"]) == 3
    np.testing.assert_allclose(rates, [0.1, 0.05, 0.1 / 3], rtol=1e-6)


def test_generators_and_datasets_are_trained_on():
    def batches():
        while True:
            yield np.ones((4, 3)), np.zeros((4, 1))

    model = small_model()
    fitted = model.fit_generator(batches(), steps_per_epoch=3, epochs=2, verbose=0)
    assert len(fitted.history["loss"]) == 2
    data = tf.data.Dataset.from_tensor_slices((np.ones((8, 3), "f4"), np.zeros((8, 1), "f4")))
    assert model.evaluate(data.batch(4), verbose=0) == pytest.approx(
        model.evaluate(np.ones((8, 3)), np.zeros((8, 1)), verbose=0), rel=1e-5
    )


def test_weights_of_examples_and_classes_count():
    model = small_model()
    x, y = np.eye(3)[[0, 1]], np.array([0.0, 1.0])
    first = model.evaluate(x[:1], y[:1], verbose=0)
    only_first = model.evaluate(x, y, sample_weight=np.array([2.0, 0.0]), verbose=0)
    assert only_first == pytest.approx(first, rel=1e-5)


def test_weights_are_not_overwritten_unasked(tmp_path):
    model, path = small_model(), str(tmp_path / "weights")
    model.save_weights(path, overwrite=False)
    before = model.get_weights()
    model.set_weights([value + 1 for value in before])
    with pytest.raises(FileExistsError, match="overwrite=False"):
        model.save_weights(path, overwrite=False)
    model.load_weights(path)
    np.testing.assert_array_equal(model.get_weights()[0], before[0])


def test_data_that_ends_ends_the_training(caplog):
    data = tf.data.Dataset.from_tensor_slices((np.ones((4, 3), "f4"), np.zeros((4, 1), "f4")))
    once = iter([(np.ones((4, 3)), np.zeros((4, 1)))] * 2)
    for ending in (data.batch(2), once):
        caplog.clear()
        fitted = small_model().fit(ending, epochs=5, steps_per_epoch=2, verbose=0)
        assert len(fitted.history["loss"]) == 1
        assert "ran out of data" in caplog.text


def trained(**how):
    return small_model().fit(np.ones((4, 3)), np.ones((4, 1)), verbose=0, **how)


def compiled(loss="mse", **how):
    model = small_model()
    model.compile("sgd", loss, **how)
    return model


def layer_with(**how):
    layer = LAYERS.Layer()
    return layer.add_weight("w", [1], **how)


X3 = np.ones((2, 3), np.float32)
WRONG_ARGUMENTS = [
    (lambda: trained(nb_epochs=4), TypeError, "nb_epochs"),
    (lambda: trained(sample_weight=np.ones((4, 1))), ValueError, "one number for each example"),
    (lambda: trained(sample_weight=np.ones(3)), ValueError, "not for targets"),
    (lambda: trained(class_weight={0: 1.0}), ValueError, "all classes"),
    (lambda: trained(validation_freq=0), ValueError, "validation_freq"),
    (lambda: compiled().train_on_batch(X3, np.ones((2, 3))), ValueError, "the same shape"),
    (lambda: compiled("categorical_crossentropy").evaluate(X3, [0, 1], verbose=0), ValueError,
     "binary matrices"),
    (lambda: small_model().predict({"zzz": X3}), ValueError, "No data provided for"),
    (lambda: compiled(metrix=["mae"]), TypeError, "metrix"),
    (lambda: compiled(sample_weight_mode="time"), ValueError, "temporal"),
    (lambda: compiled(target_tensors=[1]), NotImplementedError, "target_tensors"),
    (lambda: compiled(loss=["mse", "mae"]), ValueError, "one entry per model output"),
    (lambda: compiled(loss={"zz": "mae"}), ValueError, "Unknown entries in loss"),
    (lambda: compiled(tf.keras.losses.Huber), ValueError, "uninstantiated Loss class"),
    (lambda: tf.keras.losses.Huber(reduction="summ"), ValueError, "Invalid Reduction Key"),
    (lambda: tf.keras.losses.Huber(foo=1), TypeError, "not foo"),
    (lambda: tf.keras.losses.Loss()(X3, X3), NotImplementedError, "defines call"),
    (lambda: small_model().load_weights("w", by_name=True), NotImplementedError, "by_name"),
    (lambda: LAYERS.Dense(2)(X3, foo=1), TypeError, "'foo'"),
    (lambda: LAYERS.Dropout(0.5)(X3, traning=True), TypeError, "'traning'"),
    (lambda: tf.layers.Dense(2)(X3, foo=1), TypeError, "'foo'"),
    (lambda: layer_with(initialiser="ones"), TypeError, "initialiser"),
    (lambda: LAYERS.Dense(2, kernel_constraint="non_neg")(X3), NotImplementedError, "constraints"),
    (lambda: LAYERS.ReLU(threshold=-0.3), ValueError, "threshold of a ReLU"),
    (lambda: LAYERS.UpSampling2D(2, interpolation="foo"), NotImplementedError, "nearest, bilinear"),
    (lambda: LAYERS.Bidirectional(LAYERS.GRU(2), merge_mode="foo"), ValueError, "merge mode"),
    (lambda: LAYERS.LSTM(2)(np.ones((2, 4, 3)), initial_state=[tf.ones([2, 2])]), ValueError,
     "2 states but was passed 1"),
    (lambda: tf.keras.callbacks.ModelCheckpoint("x", save_freq=5), NotImplementedError,
     "save_freq"),
    (lambda: tf.keras.callbacks.EarlyStopping(mode="larger"), ValueError, "auto, max or min"),
    (lambda: LAYERS.Conv2D(2, 3, groups=2), NotImplementedError, "groups=2"),
    (lambda: LAYERS.Conv2DTranspose(2, 3, output_padding=1), NotImplementedError, "output_padding"),
    (lambda: LAYERS.SpatialDropout2D(0.5, (1, 1)), ValueError, "data_format"),
    (lambda: LAYERS.Cropping2D(1, "channels_first"), NotImplementedError, "channels_last"),
    (lambda: LAYERS.Embedding(3, 2, sparse=True), NotImplementedError, "sparse=True"),
    (lambda: tf.keras.Input((2,), ragged=True), NotImplementedError, "dense tensors"),
    (lambda: LAYERS.Bidirectional(LAYERS.GRU(2), backward_layer=LAYERS.GRU(2)), ValueError,
     "different `go_backwards`"),
    (lambda: LAYERS.LSTM(2)(np.ones((2, 4, 3)), mask=tf.ones([2, 4])), NotImplementedError,
     "masks are not there"),
    (lambda: LAYERS.GRUCell(2, recurrent_dropout=0.5), NotImplementedError, "recurrent_dropout"),
    (lambda: LAYERS.RNN(LAYERS.GRUCell(2))(np.ones((2, 4, 3)), None, [1]), NotImplementedError,
     "constants"),
    (lambda: tf.keras.losses.SparseCategoricalCrossentropy(True, 0)([0], [[1.0, 2.0]]),
     NotImplementedError, "ignore_class"),
    (lambda: tf.keras.activations.softmax(tf.ones([3])), ValueError, "1D"),
    (lambda: tf.keras.backend.bias_add(tf.ones([2, 3]), tf.ones([3]), "NHWC"), ValueError,
     "Unknown data_format"),
    (lambda: small_model().load_weights("x", skip_mismatch=True), ValueError, "by_name"),
    (lambda: tf.keras.optimizers.SGD(rate=1.0), TypeError, "rate"),
    (lambda: tf.keras.preprocessing.sequence.pad_sequences([[1]], padding="both"), ValueError,
     "not understood"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "error", "says"), WRONG_ARGUMENTS)
def test_arguments_that_would_be_ignored_are_refused(make, error, says):
    with pytest.raises(error, match=says):
        make()


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: LAYERS.Dense(2, activation="rleu"), ValueError, "Unknown activation"),
        (lambda: LAYERS.Embedding(3, 2, mask_zero=True), NotImplementedError, "dynamic_rnn"),
        (lambda: LAYERS.LSTM(3, dropout=0.5), NotImplementedError, "Dropout layer"),
        (lambda: small_model().save("x.h5"), NotImplementedError, "save_weights"),
        (lambda: small_model().fit(np.ones((4, 3)), np.ones((5, 1))), ValueError, "same number"),
        (lambda: small_model().set_weights([np.ones(2)]), ValueError, "4 variables"),
        (lambda: tf.keras.applications, AttributeError, "restore a checkpoint"),
        (lambda: tf.keras.layers.ConvLSTM2D, AttributeError, "ConvLSTM2D of TensorFlow 1 is not"),
    ],
)  # fmt: skip
def test_what_is_not_there_says_so(make, error, says):
    with pytest.raises(error, match=says):
        make()
