"""Models that come ready against what TensorFlow 2.15's compat.v1.estimator computed."""

import json
from pathlib import Path

import canned_programs
import numpy as np
import programs
import pytest
import tfbuild_runtime.compat.v1 as tf
from test_programs import assert_alike

THEIRS = json.loads(Path(__file__).with_name("canned_programs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(canned_programs.PROGRAMS))
def test_a_model_computes_what_tensorflow_computes(name):
    ours = programs.plain(canned_programs.PROGRAMS[name](tf))
    # A normalisation divides by small deviations.
    assert_alike(ours, THEIRS[name], atol=1e-4 if "normalisation" in name else 1e-5)


def test_what_a_model_cannot_be_made_of_is_refused():
    column = tf.feature_column
    age = column.numeric_column("age")
    with pytest.raises(ValueError, match="n_classes must be > 2"):
        tf.estimator.LinearClassifier([age], n_classes=1)
    with pytest.raises(ValueError, match="Length of label_vocabulary"):
        tf.estimator.LinearClassifier([age], n_classes=3, label_vocabulary=["a", "b"])
    with pytest.raises(ValueError, match="must be defined"):
        tf.estimator.DNNLinearCombinedRegressor()
    with pytest.raises(TypeError, match="Weight column"):
        tf.estimator.LinearRegressor([age], weight_column=3)
    with pytest.raises(ValueError, match="not supported for crossing"):
        column.crossed_column([column.categorical_column_with_hash_bucket("a", 3), "b"], 5)
    with pytest.raises(ValueError, match="same number of buckets"):
        ids = [column.categorical_column_with_identity(name, count)
               for name, count in (("a", 3), ("b", 4))]  # fmt: skip
        column.shared_embedding_columns(ids, 2)


@pytest.mark.parametrize(
    ("labels", "options", "error", "says"),
    [
        (canned_programs.BINARY + 1, {}, tf.errors.InvalidArgumentError, "Labels must be < 2"),
        (
            canned_programs.CLASSES,
            {"n_classes": 3, "optimizer": "Nadam"},
            ValueError,
            "Unsupported",
        ),
        (np.ones([12, 2], np.int64), {}, ValueError, "Mismatched label shape"),
        (np.array(["a"] * 12), {}, ValueError, "label_vocabulary"),
    ],
)
def test_labels_that_do_not_fit_are_reported(labels, options, error, says):
    model = tf.estimator.LinearClassifier([tf.feature_column.numeric_column("age")], **options)
    with pytest.raises(error, match=says):
        model.train(canned_programs.inputs(tf, labels), steps=1)


def test_a_model_goes_on_from_its_own_checkpoint_and_reads_a_dataset(tmp_path):
    column = tf.feature_column.numeric_column("x")

    def batches():
        x = np.arange(8, dtype=np.float32)
        data = tf.data.Dataset.from_tensor_slices(({"x": x[:, None]}, 2 * x))
        return data.repeat(3).batch(4)

    for steps in (6, 12):
        model = tf.estimator.LinearRegressor([column], str(tmp_path))
        model.train(batches)
        assert model.evaluate(batches, name="again")["global_step"] == steps
    assert [path.name for path in tmp_path.glob("eval_*")] == ["eval_again"]
    assert len(list(model.predict(batches))) == 24
    with pytest.raises(ValueError, match="Couldn't find trained model"):
        tf.estimator.LinearRegressor([column]).export_saved_model(str(tmp_path), batches)


def test_frames_of_pandas_are_given_by_their_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": np.arange(6.0), "word": list("aabbab")})
    give = tf.estimator.inputs.pandas_input_fn
    columns = [
        tf.feature_column.numeric_column("x"),
        tf.feature_column.categorical_column_with_vocabulary_list("word", ["a", "b"]),
    ]
    model = tf.estimator.LinearClassifier(columns)
    labels = pandas.Series([0, 0, 1, 1, 0, 1])
    model.train(give(frame, labels, batch_size=3, num_epochs=60, shuffle=False))
    found = model.evaluate(give(frame, labels, shuffle=False))
    assert found["accuracy"] == 1
    assert found["global_step"] == 120
    with pytest.raises(ValueError, match="mismatched"):
        give(frame, labels[1:], shuffle=False)


def test_summaries_are_written_as_often_as_the_settings_say(tmp_path):
    # Of the processor, which shows what a counter holds when the step ends.
    settings = tf.ConfigProto(device_count={"GPU": 0})
    config = tf.estimator.RunConfig(save_summary_steps=2, session_config=settings)
    model = tf.estimator.LinearRegressor([tf.feature_column.numeric_column("age")], str(tmp_path),
                                         config=config)  # fmt: skip
    model.train(canned_programs.inputs(tf, canned_programs.NUMBERS), steps=5)
    tf.summary.FileWriterCache.clear()
    events = [event for path in tmp_path.glob("events*") for event in
              tf.train.summary_iterator(str(path))]  # fmt: skip
    logged = {event.step: [value.tag for value in event.summary.value] for event in events
              if len(event.summary.value)}  # fmt: skip
    # As TensorFlow 2.15 writes them.
    tags = ["average_loss", "linear/bias", "linear/fraction_of_zero_weights", "loss"]
    assert {step: sorted(found) for step, found in logged.items()} == dict.fromkeys((1, 3, 5), tags)
