"""Models that come ready, whose numbers TensorFlow's own have given: see test_canned_estimators.py.

    python canned_programs.py tensorflow.compat.v1 > canned_programs.json

TensorFlow has them up to release 2.15. Each function takes the module and returns what it computes;
networks begin with values that are given, as random ones hang on how many operations a graph has.
"""

import sys
import tempfile

import numpy as np
import programs

PROGRAMS = {}
COUNT = 12


def program(function):
    """Register a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def waves(*shape, phase=0.0):
    """Return numbers between -1 and 1, the same each time."""
    count = int(np.prod(shape))
    return np.sin(np.arange(count) * 0.7 + phase).reshape(shape).astype(np.float32)


FEATURES = {
    "age": np.arange(20, 20 + 4 * COUNT, 4).astype(np.float32)[:, None],
    "size": waves(COUNT, 2),
    "town": np.array([["Ulm"], ["Bonn"], ["Kiel"], ["Rome"]] * 3),
    "tags": np.array([["a", "b"], ["b", ""], ["c", "a"]] * 4),
    "kind": np.array([[i % 5] for i in range(COUNT)], np.int64),
    "weight": np.float32([[1.0], [2.0], [0.5]] * 4),
}
BINARY = np.int64([[i * 5 % 7 % 2] for i in range(COUNT)])
CLASSES = np.int64([[i * 5 % 3] for i in range(COUNT)])
NUMBERS = waves(COUNT, 1, phase=1.0) * 3 + 2


def inputs(tf, labels, leave=()):
    """Return an input function that gives all examples again and again."""

    def input_fn():
        features = {name: tf.constant(value) for name, value in FEATURES.items()
                    if name not in leave}  # fmt: skip
        return features, tf.constant(labels)

    return input_fn


def wide_columns(tf):
    """Return columns of numbers and words, buckets and crosses."""
    column = tf.feature_column
    age = column.numeric_column("age", normalizer_fn=lambda values: values / 50.0)
    buckets = column.bucketized_column(column.numeric_column("age"), [25, 40, 60])
    town = column.categorical_column_with_vocabulary_list("town", ["Ulm", "Kiel", "Bonn"])
    tags = column.categorical_column_with_hash_bucket("tags", 7)
    return [
        age, column.numeric_column("size", shape=(2,)), buckets, town, tags,
        column.crossed_column([buckets, "town"], 10), column.crossed_column(["tags", "kind"], 6),
    ]  # fmt: skip


def deep_columns(tf):
    """Return columns that a network takes."""
    column = tf.feature_column
    town = column.categorical_column_with_vocabulary_list("town", ["Ulm", "Kiel", "Bonn"])
    kind = column.categorical_column_with_identity("kind", 5)
    return [
        column.numeric_column("size", shape=(2,)), column.indicator_column(town),
        column.embedding_column(kind, 3),
    ]  # fmt: skip


def trained(model, input_fn, keys, steps=3):
    """Train, and return the names of all variables, those of it, metrics and predictions."""
    model.train(input_fn, steps=steps)
    names = sorted(model.get_variable_names())
    kept = [model.get_variable_value(name) for name in names]
    metrics = model.evaluate(input_fn, steps=2)
    found = taken(model.predict(input_fn))
    shown = [[decoded(row[key]) for row in found] for key in keys]
    return [names, kept, [[name, float(metrics[name])] for name in sorted(metrics)],
            sorted(found[0]), shown]  # fmt: skip


def taken(rows):
    """Return the first rows, after which the examples come again."""
    return [next(rows) for _ in range(COUNT)]


def decoded(value):
    """Return an array of words as text."""
    array = np.asarray(value)
    if array.dtype.kind in "OS":
        return [item.decode() for item in array.ravel().tolist()]
    return array


def first_values(tf, shapes):
    """Return the path of a checkpoint with waves of these shapes by name."""
    folder = tempfile.mkdtemp()
    with tf.Graph().as_default(), tf.Session() as session:
        for number, (name, shape) in enumerate(sorted(shapes.items())):
            tf.get_variable(name, initializer=waves(*shape, phase=number) * 0.7)
        tf.get_variable("global_step", initializer=np.int64(0))
        session.run(tf.global_variables_initializer())
        return tf.train.Saver().save(session, f"{folder}/model")


DNN = {
    "dnn/hiddenlayer_0/kernel": (8, 4), "dnn/hiddenlayer_0/bias": (4,),
    "dnn/hiddenlayer_1/kernel": (4, 3), "dnn/hiddenlayer_1/bias": (3,),
    "dnn/input_from_feature_columns/input_layer/kind_embedding/embedding_weights": (5, 3),
}  # fmt: skip


def begun(tf, outputs, more=()):
    """Return the first values of a network with so many logits."""
    shapes = {**DNN, "dnn/logits/kernel": (3, outputs), "dnn/logits/bias": (outputs,),
              **dict(more)}  # fmt: skip
    return first_values(tf, shapes)


BINARY_KEYS = ("logistic", "probabilities", "class_ids", "classes", "all_class_ids", "all_classes")
CLASS_KEYS = ("logits", "probabilities", "class_ids", "classes")


@program
def linear_binary_classifier(tf):
    model = tf.estimator.LinearClassifier(wide_columns(tf), weight_column="weight")
    return trained(model, inputs(tf, BINARY), BINARY_KEYS)


@program
def linear_classifier_of_words(tf):
    words = np.array(["low", "mid", "high"])[CLASSES]
    model = tf.estimator.LinearClassifier(
        wide_columns(tf), n_classes=3, label_vocabulary=["low", "mid", "high"],
        optimizer=tf.train.MomentumOptimizer(0.05, 0.9),
    )  # fmt: skip
    return trained(model, inputs(tf, words), CLASS_KEYS)


@program
def linear_regressor_of_two(tf):
    model = tf.estimator.LinearRegressor(
        wide_columns(tf)[1:5], label_dimension=2, weight_column="weight", sparse_combiner="mean",
        optimizer=lambda: tf.train.GradientDescentOptimizer(0.01),
    )  # fmt: skip
    return trained(model, inputs(tf, np.hstack([NUMBERS, -NUMBERS])), ("predictions",))


@program
def linear_means_of_losses(tf):
    reduction = tf.losses.Reduction.SUM_OVER_BATCH_SIZE
    model = tf.estimator.LinearRegressor(wide_columns(tf)[:2], loss_reduction=reduction,
                                         optimizer="SGD")  # fmt: skip
    return trained(model, inputs(tf, NUMBERS), ("predictions",))


@program
def baselines(tf):
    binary = tf.estimator.BaselineClassifier(weight_column="weight")
    several = tf.estimator.BaselineClassifier(n_classes=3)
    number = tf.estimator.BaselineRegressor()
    return [trained(binary, inputs(tf, BINARY), BINARY_KEYS),
            trained(several, inputs(tf, CLASSES), CLASS_KEYS),
            trained(number, inputs(tf, NUMBERS), ("predictions",))]  # fmt: skip


@program
def dnn_classifier(tf):
    model = tf.estimator.DNNClassifier([4, 3], deep_columns(tf), n_classes=3,
                                       warm_start_from=begun(tf, 3))  # fmt: skip
    return trained(model, inputs(tf, CLASSES), CLASS_KEYS)


@program
def dnn_binary_classifier(tf):
    model = tf.estimator.DNNClassifier(
        [4, 3], deep_columns(tf), weight_column="weight", activation_fn=tf.nn.tanh,
        optimizer="RMSProp", warm_start_from=begun(tf, 1),
    )  # fmt: skip
    return trained(model, inputs(tf, BINARY), BINARY_KEYS)


@program
def dnn_regressor_with_normalisation(tf):
    # Adam would make steps of noise: a normalisation takes nearly all of a bias before it away.
    model = tf.estimator.DNNRegressor(
        [4, 3], deep_columns(tf), batch_norm=True, warm_start_from=begun(tf, 1, normalisation()),
        optimizer=tf.train.MomentumOptimizer(0.001, 0.9),
    )  # fmt: skip
    return trained(model, inputs(tf, NUMBERS), ("predictions",))


def normalisation():
    """Return the variables of two normalisations that are trained, by name."""
    return {f"dnn/hiddenlayer_{number}/batchnorm_{number}/{what}": (size,)
            for number, size in enumerate((4, 3)) for what in ("beta", "gamma")}  # fmt: skip


def linear_part(outputs):
    """Return the shapes of the variables of a linear model beside a network."""
    return {
        "linear/linear_model/age_bucketized/weights": (4, outputs),
        "linear/linear_model/town/weights": (3, outputs),
        "linear/linear_model/bias_weights": (outputs,),
    }


@program
def wide_and_deep_classifier(tf):
    wide = wide_columns(tf)[2:4]
    model = tf.estimator.DNNLinearCombinedClassifier(
        linear_feature_columns=wide, dnn_feature_columns=deep_columns(tf), dnn_hidden_units=[4, 3],
        warm_start_from=begun(tf, 1, linear_part(1)),
    )  # fmt: skip
    return trained(model, inputs(tf, BINARY), BINARY_KEYS)


@program
def wide_and_deep_regressor(tf):
    model = tf.estimator.DNNLinearCombinedRegressor(
        linear_feature_columns=wide_columns(tf)[2:4], linear_optimizer="Adagrad",
        dnn_feature_columns=deep_columns(tf), dnn_hidden_units=[4, 3], dnn_optimizer="SGD",
        weight_column="weight", warm_start_from=begun(tf, 1, linear_part(1)),
    )  # fmt: skip
    return trained(model, inputs(tf, NUMBERS), ("predictions",))


@program
def an_exported_model(tf):
    model = tf.estimator.LinearClassifier(wide_columns(tf)[:4], n_classes=3)
    model.train(inputs(tf, CLASSES), steps=2)
    spec = tf.feature_column.make_parse_example_spec(wide_columns(tf)[:4])
    receive = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
    path = model.export_saved_model(tempfile.mkdtemp(), receive)
    feature = tf.train.Feature
    examples = [
        tf.train.Example(features=tf.train.Features(feature={
            "age": feature(float_list=tf.train.FloatList(value=FEATURES["age"][i])),
            "size": feature(float_list=tf.train.FloatList(value=FEATURES["size"][i])),
            "town": feature(bytes_list=tf.train.BytesList(value=[FEATURES["town"][i, 0].encode()])),
        })).SerializeToString()
        for i in range(4)
    ]  # fmt: skip
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = tf.saved_model.loader.load(session, ["serve"], path)
        signatures = loaded.signature_def
        asked = signatures["serving_default"]
        scores, classes = session.run(
            [asked.outputs["scores"].name, asked.outputs["classes"].name],
            {asked.inputs["inputs"].name: examples},
        )
    described = [[name, signatures[name].method_name, sorted(signatures[name].inputs),
                  sorted(signatures[name].outputs)] for name in sorted(signatures)
                 if not name.startswith("__")]  # fmt: skip
    return [described, scores, decoded(classes)]


@program
def turns_of_training_and_evaluation(tf):
    model = tf.estimator.LinearRegressor(
        wide_columns(tf)[:2], optimizer="SGD",
        config=tf.estimator.RunConfig(save_checkpoints_steps=2),
        loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE,
    )  # fmt: skip
    features = {name: tf.placeholder(FEATURES[name].dtype, [None, FEATURES[name].shape[1]])
                for name in ("age", "size")}  # fmt: skip
    receive = tf.estimator.export.build_raw_serving_input_receiver_fn(features)
    exporters = [tf.estimator.FinalExporter("last", receive),
                 tf.estimator.LatestExporter("all", receive, exports_to_keep=1)]  # fmt: skip
    result = tf.estimator.train_and_evaluate(
        model, tf.estimator.TrainSpec(inputs(tf, NUMBERS), max_steps=5),
        tf.estimator.EvalSpec(inputs(tf, NUMBERS), steps=1, exporters=exporters, throttle_secs=0),
    )  # fmt: skip
    metrics, exported = result
    again = model.train(inputs(tf, NUMBERS), max_steps=5)
    return [[[name, float(metrics[name])] for name in sorted(metrics)], len(exported),
            int(again.get_variable_value("global_step"))]  # fmt: skip


@program
def columns_that_weigh_and_share(tf):
    column = tf.feature_column
    tags = column.categorical_column_with_hash_bucket("tags", 7)
    weighted = column.weighted_categorical_column(tags, "amount")
    pair = column.shared_embedding_columns(
        [column.categorical_column_with_identity(name, 4) for name in ("one", "two")], 2,
        initializer=tf.constant_initializer(waves(4, 2)),
    )  # fmt: skip
    places = [[0, 0], [0, 1], [2, 0]]
    features = {
        "tags": tf.SparseTensor(places, tf.constant(["a", "b", "c"]), [3, 2]),
        "amount": tf.SparseTensor(places, tf.constant([2.0, 3.0, 0.5]), [3, 2]),
        "one": tf.constant([[0], [1], [2]], tf.int64),
        "two": tf.constant([[3], [1], [0]], tf.int64),
    }  # fmt: skip
    embedded = [column.embedding_column(weighted, 2, combiner, tf.constant_initializer(waves(7, 2)))
                for combiner in ("mean", "sqrtn", "sum")]  # fmt: skip
    made = [column.input_layer(features, [column.indicator_column(weighted)]),
            column.input_layer(features, pair),
            *[column.input_layer(features, [one]) for one in embedded]]  # fmt: skip
    names = [variable.op.name for variable in tf.global_variables()]
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return [names, *session.run(made)]


if __name__ == "__main__":
    programs.write(programs.results(sys.argv[1], PROGRAMS))
