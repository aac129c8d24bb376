"""Arguments of trainings with tf.keras: each is used as TensorFlow uses it, or refused by name."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf
from keras_loop_programs import CLASSES, QUIET, WEIGHTS, X, Y, batches, dataset, model_of

CALLBACKS = tf.keras.callbacks


@pytest.fixture(autouse=True)
def fresh_session():
    tf.keras.backend.clear_session()


def fit(*data, **how):
    return model_of(tf).fit(*data, **QUIET, **how)


def of_four(**how):
    """Train a model whose inputs were made for batches of 4."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, batch_input_shape=(4, 6))])
    model.compile("sgd", "mse")
    return model.fit(X, Y, verbose=0, **how)


def rated(optimizer, schedule):
    """Train with rates that a function says."""
    rates = [CALLBACKS.LearningRateScheduler(schedule)]
    return model_of(tf, optimizer).fit(X, Y, callbacks=rates, verbose=0)


@pytest.mark.parametrize(
    ("train", "error", "says"),
    [
        (lambda: model_of(tf).evaluate(X, Y, nb_epochs=4), TypeError, "nb_epochs"),
        (lambda: model_of(tf).predict(X, batchsize=4), TypeError, "batchsize"),
        (lambda: model_of(tf, metrics="mae"), TypeError, "`metrics`"),
        (lambda: model_of(tf, metrics={"other": "mae"}), ValueError, "other"),
        (lambda: model_of(tf, loss_weights={"other": 1.0}), ValueError, "other"),
        (lambda: model_of(tf, run_eagerly=True), NotImplementedError, "run_eagerly"),
        (lambda: fit(batches()), ValueError, "`steps_per_epoch`"),
        (lambda: fit(dataset(tf, X, Y).repeat()), ValueError, "`steps_per_epoch`"),
        (lambda: model_of(tf).evaluate(batches()), ValueError, "`steps`"),
        (lambda: model_of(tf).predict(batches()), ValueError, "`steps`"),
        (lambda: fit(batches(), steps_per_epoch=1, validation_data=batches()), ValueError,
         "`validation_steps`"),
        (lambda: fit(X, Y, validation_steps=2), ValueError, "`validation_steps`"),
        (lambda: fit(batches(), steps_per_epoch=1, batch_size=4), ValueError, "`batch_size`"),
        (lambda: fit(batches(), Y, steps_per_epoch=1), ValueError, "`y`"),
        (lambda: fit(dataset(tf, X, Y), sample_weight=WEIGHTS), ValueError, "`sample_weight`"),
        (lambda: fit(dataset(tf, X, Y), validation_split=0.5), ValueError, "validation_split"),
        (lambda: fit(X, Y, validation_split=1.5), ValueError, "`validation_split`"),
        (lambda: fit(X, Y, validation_data=(X, Y, WEIGHTS, X)), ValueError, "`validation_data`"),
        (lambda: fit(X, Y, sample_weight=np.ones((20, 2))), ValueError, "sample_weight_mode"),
        (lambda: fit(X, Y, sample_weight={"other": WEIGHTS}), ValueError, "other"),
        (lambda: fit(X, Y, class_weight=[1.0, 2.0]), TypeError, "`class_weight`"),
        (lambda: fit((one * 2 for one in [(X, Y)]), steps_per_epoch=1), ValueError, "1 or 2 or 3"),
        (lambda: of_four(batch_size=5), ValueError, "`batch_size`"),
        (lambda: rated(tf.train.GradientDescentOptimizer(0.1), lambda _: 0.5), ValueError, '"lr"'),
        (lambda: rated("sgd", lambda _: 1), ValueError, '"schedule"'),
        (lambda: tf.keras.layers.Lambda(abs, mask=abs), NotImplementedError, "mask"),
        (lambda: tf.keras.layers.Layer(dynamic=True), NotImplementedError, "dynamic"),
        (lambda: tf.keras.utils.Progbar(3, widht=2), TypeError, "widht"),
        (lambda: CALLBACKS.ModelCheckpoint("x", save_frequency=3), TypeError, "save_frequency"),
    ],
)  # fmt: skip
def test_an_argument_that_is_not_used_is_refused(train, error, says):
    with pytest.raises(error, match=says):
        train()


def test_classes_of_a_dataset_weigh_what_arrays_weigh():
    def fitted(*data):
        model = model_of(tf, "sgd", "sparse_categorical_crossentropy", "softmax")
        model.fit(*data, batch_size=None if len(data) == 1 else 8, epochs=2,
                  class_weight={0: 1.0, 1: 5.0}, **QUIET)  # fmt: skip
        return model.get_weights()

    for ours, theirs in zip(fitted(dataset(tf, X, CLASSES[:, np.newaxis])), fitted(X, CLASSES)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        (tf.keras.optimizers.SGD, {"decay": 0.5, "momentum": 0.5}),
        (tf.keras.optimizers.SGD, {"decay": 0.5, "momentum": 0.5, "nesterov": True}),
        (tf.keras.optimizers.RMSprop, {"momentum": 0.5, "epsilon": 0.3}),
    ],
)  # fmt: skip
def test_variables_without_handles_move_by_the_same_rules(kind, how):
    def moved(is_resource):
        tf.keras.backend.clear_session()
        table = tf.Variable(np.ones((4, 2), "f4"), use_resource=is_resource)
        loss = tf.reduce_sum(tf.square(table) * [1.0, 3.0])
        step = kind(lr=0.2, **how).minimize(loss, [table])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(step)
            return session.run(table)

    np.testing.assert_allclose(moved(is_resource=False), moved(is_resource=True), rtol=1e-6)


def test_a_list_of_numbers_is_one_array():
    def trained(labels, weights):
        model = model_of(tf, "sgd", "sparse_categorical_crossentropy", "softmax")
        model.fit(X, labels, sample_weight=weights, **QUIET)
        return model.get_weights()

    whole = trained(CLASSES, WEIGHTS)
    for ours, theirs in zip(trained(CLASSES.tolist(), [WEIGHTS]), whole):
        np.testing.assert_array_equal(ours, theirs)


def test_a_progress_bar_counts():
    bar = tf.keras.utils.Progbar(9, unit_name="sample")
    bar.add(2)
    bar.add(3, values=[("loss", 1.0)])
    assert bar.current == 5
    bar.update(9, finalize=True)
    assert bar.current == bar.target


def test_callbacks_say_what_they_do_and_what_they_lack(capsys, tmp_path):
    early = CALLBACKS.EarlyStopping("loss", 9.0, 1, verbose=1, restore_best_weights=True)
    rates = CALLBACKS.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1), verbose=1)
    kept = CALLBACKS.ModelCheckpoint(str(tmp_path / "{epoch}"), verbose=1, save_weights_only=True)
    fit(X, Y, epochs=3, callbacks=[early, rates, kept])
    said = capsys.readouterr().out
    assert "Epoch 2: early stopping" in said
    assert "from the end of the best epoch: 1." in said
    assert "Epoch 2: LearningRateScheduler setting learning rate to 0.05." in said
    assert f"Epoch 2: saving model to {tmp_path / '2'}" in said


@pytest.mark.parametrize(
    ("train", "says"),
    [
        (lambda: fit(X, Y, callbacks=[CALLBACKS.EarlyStopping("val_loss")]), "`val_loss`"),
        (lambda: CALLBACKS.ModelCheckpoint("x"), "save_weights_only=False"),
        (lambda: fit(X, Y, callbacks=[CALLBACKS.ModelCheckpoint(
            "x", "val_acc", save_best_only=True, save_weights_only=True)]), "`val_acc`"),
        (lambda: fit(batches(), steps_per_epoch=1, workers=4), "workers=4"),
        (lambda: model_of(tf).predict(batches(), steps=1, use_multiprocessing=True),
         "use_multiprocessing=True"),
    ],
)  # fmt: skip
def test_what_has_no_effect_is_warned_of(train, says, caplog):
    train()
    assert says in caplog.text


def test_a_summary_is_as_wide_as_is_asked():
    lines = []
    model_of(tf).summary(line_length=80, positions=[0.25, 0.6, 1.0],
                         print_fn=lambda text: lines.extend(text.splitlines()))  # fmt: skip
    assert lines[1] == "_" * 80
    assert lines[2].index("Output Shape") == 20
    assert lines[2].index("Param #") == 48
