"""Estimators: a model function trained, evaluated and asked; the digits of the tutorials."""

import gzip
import struct

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

X = np.float32([[0, 0], [0, 1], [1, 0], [1, 1]] * 8)
Y = X.sum(1, keepdims=True) * 2 + 1


def line(features, labels, mode, params):
    predictions = tf.layers.dense(features["x"], 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": predictions})
    loss = tf.losses.mean_squared_error(labels, predictions)
    train_op = tf.train.AdamOptimizer(params["rate"]).minimize(
        loss, global_step=tf.train.get_global_step()
    )
    metrics = {"mae": tf.metrics.mean_absolute_error(labels, predictions)}
    return tf.estimator.EstimatorSpec(mode, None, loss, train_op, metrics)


def batches(epochs, labels=True, shuffle=False):
    return tf.estimator.inputs.numpy_input_fn({"x": X}, Y if labels else None, batch_size=5,
                                              num_epochs=epochs, shuffle=shuffle)  # fmt: skip


def test_an_estimator_trains_evaluates_predicts_and_goes_on(tmp_path):
    config = tf.estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=50)
    model = tf.estimator.Estimator(line, str(tmp_path / "m"), config, {"rate": 0.1})
    model.train(batches(None, shuffle=True), max_steps=200)
    found = model.evaluate(batches(1))
    assert found["global_step"] == 200
    assert found["mae"] < 0.1
    model.train(batches(1))
    assert model.evaluate(batches(1), steps=2)["global_step"] == 207
    predicted = [row["y"][0] for row in model.predict(batches(1, labels=False))]
    np.testing.assert_allclose(predicted, Y[:, 0], atol=0.3)


def test_checkpoints_are_kept_for_ever_as_asked(tmp_path):
    for hours, kept in ((1e-9, 6), (10000, 2)):
        folder = tmp_path / str(kept)
        config = tf.estimator.RunConfig(
            keep_checkpoint_max=2, keep_checkpoint_every_n_hours=hours, save_checkpoints_steps=2
        )
        model = tf.estimator.Estimator(line, str(folder), config, {"rate": 0.1})
        model.train(batches(None), max_steps=10)
        assert len(list(folder.glob("*.index"))) == kept


def test_settings_that_would_be_ignored_are_refused():
    assert tf.estimator.RunConfig(protocol="grpc").replace(tf_random_seed=2).protocol == "grpc"
    with pytest.raises(TypeError, match="save_checkpoint_steps"):
        tf.estimator.RunConfig(save_checkpoint_steps=5)
    with pytest.raises(NotImplementedError, match="train_distribute"):
        tf.estimator.RunConfig(train_distribute=object())


def test_variables_of_columns_are_given(tmp_path):
    column = tf.feature_column
    words = column.categorical_column_with_vocabulary_list("word", ["a", "b"])
    both = [column.numeric_column("x"), column.embedding_column(words, 3)]
    features = {"x": tf.constant([[1.0]]), "word": tf.constant([["a"]])}
    by_column, by_sum = {}, {}
    column.input_layer(features, both, cols_to_vars=by_column, weight_collections=["kept"])
    column.linear_model(features, [both[0], words], cols_to_vars=by_sum,
                        weight_collections=["kept"])  # fmt: skip
    assert [[v.shape.as_list() for v in by_column[one]] for one in both] == [[], [[2, 3]]]
    assert {getattr(key, "name", key): [v.shape.as_list() for v in made]
            for key, made in by_sum.items()} == {"x": [[1, 1]], "word": [[2, 1]],
                                                 "bias": [[1]]}  # fmt: skip
    assert len(tf.get_collection("kept")) == 4


def test_specs_have_what_their_mode_needs():
    spec = tf.estimator.EstimatorSpec
    for mode, missing in (("train", "train_op|loss"), ("eval", "loss"), ("infer", "predictions")):
        with pytest.raises(ValueError, match=missing):
            spec(mode)


def test_an_estimator_for_tpus_runs_without(tmp_path):
    def model_fn(features, labels, mode, params):
        assert params["batch_size"] in (4, 2)
        spec = line({"x": features["x"]}, labels, mode, {"rate": 0.1})
        tpu = tf.contrib.tpu.TPUEstimatorSpec
        metrics = (lambda v: {"m": tf.metrics.mean(v)}, [spec.loss])
        return tpu(mode, spec.predictions, spec.loss, spec.train_op, metrics)

    config = tf.contrib.tpu.RunConfig(model_dir=str(tmp_path))
    model = tf.contrib.tpu.TPUEstimator(model_fn, config=config, use_tpu=False,
                                        train_batch_size=4, eval_batch_size=2)  # fmt: skip
    model.train(lambda params: batches(1)(), max_steps=3)
    assert "m" in model.evaluate(lambda params: batches(1)(), steps=1)
    with pytest.raises(NotImplementedError, match="use_tpu=False"):
        tf.contrib.tpu.TPUEstimator(model_fn)


def write(folder, name, magic, array, packed):
    data = struct.pack(f">{array.ndim + 1}I", magic, *array.shape) + array.tobytes()
    (folder / f"{name}{'.gz' if packed else ''}").write_bytes(
        gzip.compress(data) if packed else data
    )


@pytest.fixture
def digits(tmp_path):
    for name, count, packed in (("train", 30, True), ("t10k", 8, False)):
        labels = np.arange(count, dtype=np.uint8) % 10
        images = np.repeat(labels, 4).reshape(count, 2, 2) * 20
        write(tmp_path, f"{name}-images-idx3-ubyte", 2051, images, packed)
        write(tmp_path, f"{name}-labels-idx1-ubyte", 2049, labels, packed)
    return tmp_path


def test_digits_are_read_and_given_in_batches(digits):
    read = tf.examples.tutorials.mnist.input_data.read_data_sets
    found = read(str(digits), one_hot=True, validation_size=10)
    assert [part.num_examples for part in found] == [20, 10, 8]
    assert found.test.images.shape == (8, 4)
    np.testing.assert_allclose(found.test.images[3], 60 / 255)
    seen = []
    for _ in range(5):
        images, labels = found.train.next_batch(8)
        np.testing.assert_allclose(images[:, 0] * 255, labels.argmax(1) * 20, rtol=1e-5)
        seen += labels.argmax(1).tolist()
    assert found.train.epochs_completed == 1
    assert sorted(seen[:20]) == sorted(seen[20:]) == [i // 2 for i in range(20)]


def test_damaged_and_missing_digits_are_reported(digits):
    read = tf.examples.tutorials.mnist.input_data.read_data_sets
    path = digits / "t10k-labels-idx1-ubyte"
    data = path.read_bytes()
    for wrong, message in ((data[:-1], "7 bytes"), (b"\0" * 20, "magic"), (data[:3], "early")):
        path.write_bytes(wrong)
        with pytest.raises(ValueError, match=message):
            read(str(digits), validation_size=0)
    path.unlink()
    with pytest.raises(FileNotFoundError, match="t10k-labels-idx1-ubyte"):
        read(str(digits))


def test_attributes_with_their_defaults_are_exported_as_asked(tmp_path):
    model = tf.estimator.Estimator(line, str(tmp_path / "m"), params={"rate": 0.1})
    model.train(batches(1))

    def receive():
        x = tf.placeholder(tf.float32, [None, 2])
        return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})

    for export, how, stripped in (
        (model.export_saved_model, {}, True), (model.export_savedmodel, {}, False),
        (model.export_savedmodel, {"strip_default_attrs": True}, True),
    ):  # fmt: skip
        path = export(str(tmp_path / "exported"), receive, **how)
        with tf.Session(graph=tf.Graph()) as session:
            meta = tf.saved_model.loader.load(session, ["serve"], path.decode())
        assert meta.meta_info_def.stripped_default_attrs == stripped
