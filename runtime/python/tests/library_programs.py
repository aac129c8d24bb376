"""Sampled losses, tables, strings, matrices and assertions, with what TensorFlow answered.

    python library_programs.py tensorflow.compat.v1 > library_programs.json

As programs.py: each function takes the module and returns numbers, lists and strings.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import programs

PROGRAMS = {}


def program(function):
    """Register a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def run(tf, fetches, feeds=None):
    """Return the fetches of a new session in which variables and tables are initialised."""
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return session.run(fetches, feeds)


def texts(value):
    """Return strings of an array as JSON can hold them."""
    return [item.decode() for item in np.ravel(value)]


# ---- losses over many classes -------------------------------------------------------------------


def word_vectors(tf, loss, steps=3):
    """Return the losses of some steps, and the sum of the table afterwards."""
    tf.set_random_seed(7)
    start = np.linspace(-1, 1, 60, dtype=np.float32).reshape(20, 3)
    table = tf.get_variable("table", initializer=start)
    weights = tf.get_variable("weights", initializer=np.cos(start))
    biases = tf.get_variable("biases", initializer=np.linspace(0, 1, 20, dtype=np.float32))
    inputs = tf.nn.embedding_lookup(table, [3, 5, 3, 0])
    labels = tf.constant([[1], [2], [19], [7]], tf.int64)
    each = loss(weights=weights, biases=biases, labels=labels, inputs=inputs, num_sampled=6,
                num_classes=20)  # fmt: skip
    mean = tf.reduce_mean(each)
    step = tf.train.AdagradOptimizer(0.5).minimize(mean)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        means = [session.run([mean, step])[0] for _ in range(steps)]
        return [each.shape.as_list(), means, session.run([table, weights, biases])]


@program
def noise_contrastive_estimation(tf):
    return word_vectors(tf, tf.nn.nce_loss)


@program
def sampled_softmax(tf):
    return word_vectors(tf, lambda **given: tf.nn.sampled_softmax_loss(**given, seed=11))


@program
def sampled_softmax_with_hits(tf):
    def loss(**given):
        labels = given["labels"]
        drawn = tf.nn.uniform_candidate_sampler(labels, 1, 12, True, 20, seed=3)
        return tf.nn.sampled_softmax_loss(**{**given, "num_sampled": 12}, sampled_values=drawn)

    return word_vectors(tf, loss)


@program
def learned_unigrams(tf):
    def loss(**given):
        labels = given["labels"]
        drawn = tf.nn.learned_unigram_candidate_sampler(labels, 1, 6, True, 20, seed=3)
        return tf.nn.nce_loss(**given, sampled_values=drawn, remove_accidental_hits=True)

    return word_vectors(tf, loss)


@program
def fixed_unigrams(tf):
    labels = tf.constant([[1], [3]], tf.int64)
    drawn = tf.nn.fixed_unigram_candidate_sampler(
        labels, 1, 4, True, 6, unigrams=[1, 5, 3, 2, 8, 4], distortion=0.75, seed=5
    )
    return run(tf, drawn)


@program
def drawn_classes(tf):
    tf.set_random_seed(4)
    logits = tf.constant(np.sin(np.arange(12, dtype=np.float32)).reshape(3, 4) * 3)
    with tf.Session() as session:
        two = [tf.multinomial(logits, 5), tf.random.categorical(logits, 3, dtype=tf.int32)]
        return [session.run(two), session.run(two), [t.dtype.name for t in two],
                [t.shape.as_list() for t in two]]  # fmt: skip


# ---- tables -------------------------------------------------------------------------------------


@program
def words_to_numbers(tf):
    lookup = tf.lookup.StaticHashTable
    words = tf.constant(["a", "b", "c"])
    table = lookup(tf.lookup.KeyValueTensorInitializer(words, tf.constant([4, 5, 6], tf.int64)), -1)
    asked = table.lookup(tf.constant([["b", "x"], ["c", "a"]]))
    return [asked.shape.as_list(), run(tf, [asked, table.size()])]


@program
def buckets_behind_a_table(tf):
    table = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64)), 3
    )
    return run(tf, [table.lookup(tf.constant(["b", "x", "yy", "a", "zebra"])), table.size()])


@program
def words_of_a_file(tf):
    folder = tempfile.mkdtemp()
    file = Path(folder, "words.txt")
    file.write_text("one\ntwo\nthree\n", encoding="utf-8")
    path = str(file)
    index = tf.lookup.TextFileIndex
    there = tf.lookup.StaticHashTable(
        tf.lookup.TextFileInitializer(path, tf.string, index.WHOLE_LINE, tf.int64,
                                      index.LINE_NUMBER), -1)  # fmt: skip
    back = tf.lookup.StaticHashTable(
        tf.lookup.TextFileInitializer(path, tf.int64, index.LINE_NUMBER, tf.string,
                                      index.WHOLE_LINE, vocab_size=2), "none")  # fmt: skip
    numbers = there.lookup(tf.constant(["two", "four", "three"]))
    words = back.lookup(tf.constant([1, 2, 0], tf.int64))
    found = run(tf, [numbers, words])
    return [found[0], texts(found[1])]


# ---- strings ------------------------------------------------------------------------------------


@program
def words_of_lines(tf):
    split = tf.string_split(["a b  c", "", "d,e"], delimiter=" ,")
    second = tf.strings.split(["a b  c", "", "d"], sep=None)
    parts = run(tf, [split.indices, split.dense_shape, second.indices])
    return [*parts, texts(run(tf, split.values)), texts(run(tf, second.values))]


@program
def texts_made_and_read(tf):
    numbers = tf.constant([1.5, -20.25])
    found = run(tf, [
        tf.as_string(numbers), tf.as_string(numbers, precision=1, width=8), tf.as_string([3, 44]),
        tf.string_join(["x", ["a", "b"]], separator="/"), tf.substr(["hello"], 1, 3),
        tf.regex_replace(["a1b22"], "[0-9]+", "#"), tf.strings.lower(["AbC"]),
        tf.reduce_join([["a", "b"], ["c", "d"]], 1, separator="+"), tf.strings.strip([" a b "]),
        tf.encode_base64(["abcd"]), tf.decode_base64(["YWJjZA"]),
    ])  # fmt: skip
    return [texts(value) for value in found]


@program
def numbers_of_texts(tf):
    return run(tf, [
        tf.string_to_number(["1.5", " -2e3 "]), tf.string_to_number(["7"], tf.int64),
        tf.string_to_hash_bucket_fast(["a", "hello world"], 1000),
        tf.string_to_hash_bucket(["a", "hello world"], 1000),
        tf.string_to_hash_bucket_strong(["a", "hello world"], 1000, [1, 2]),
        tf.strings.length(["abc", ""]), tf.strings.regex_full_match(["ab1", "ab"], "[a-z]+"),
    ])  # fmt: skip


# ---- matrices, counts, assertions ---------------------------------------------------------------


@program
def norms_and_products(tf):
    x = tf.constant([[3.0, -4.0, 1.0], [0.5, 2.0, -1.0]])
    y = tf.constant(np.arange(12, dtype=np.float32).reshape(3, 4) / 7)
    made = [
        tf.norm(x), tf.norm(x, 1, axis=1), tf.norm(x, np.inf, axis=0, keepdims=True), tf.norm(x, 3),
        tf.norm(x, axis=[0, 1]), tf.norm(x, 1, axis=[0, 1]), tf.einsum("ij,jk->ki", x, y),
        tf.einsum("ij->j", x), tf.tensordot(x, y, 1), tf.tensordot(x, x, [[0, 1], [0, 1]]),
        tf.trace(tf.matmul(x, x, transpose_b=True)), tf.cross(x, x[::-1]),
        tf.matrix_solve_ls(tf.transpose(x), y, l2_regularizer=0.5),
    ]  # fmt: skip
    return [[t.shape.as_list() for t in made], *run(tf, made)]


@program
def counted_and_sorted(tf):
    x = tf.constant([[3, 0, 2], [0, 0, 5]])
    made = [
        tf.count_nonzero(x), tf.count_nonzero(x, axis=0), tf.sort(x), tf.sort(x, axis=0),
        tf.sort(x, direction="DESCENDING"), tf.argsort(x), tf.argsort(x, direction="DESCENDING"),
        tf.confusion_matrix([0, 1, 2, 1], [0, 2, 2, 1]), tf.bincount([1, 1, 3]),
        *tf.meshgrid([1, 2], [3, 4, 5]), *tf.meshgrid([1, 2], [3, 4, 5], indexing="ij"),
        *tf.setdiff1d([1, 2, 3, 4, 2], [2, 4]),
        tf.histogram_fixed_width([0.1, 2.0, 4.9], [0.0, 5.0], 5),
    ]  # fmt: skip
    return run(tf, made)


# ---- sparse tensors -----------------------------------------------------------------------------


@program
def sparse_tensors(tf):
    sparse = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [1.0, 2.0, 3.0], [2, 3])
    words = tf.SparseTensor([[0], [2]], ["a", "b"], [3])
    dense = tf.constant(np.arange(6, dtype=np.float32).reshape(3, 2))
    retained = tf.sparse_retain(sparse, [True, False, True])
    reshaped, turned = tf.sparse_reshape(sparse, [3, -1]), tf.sparse_transpose(sparse)
    made = [
        tf.sparse_tensor_to_dense(sparse), tf.sparse_tensor_to_dense(sparse, default_value=-1.0),
        tf.sparse_to_dense([0, 2], [4], 5), tf.sparse_tensor_dense_matmul(sparse, dense),
        tf.sparse_tensor_dense_matmul(sparse, tf.transpose(dense), adjoint_b=True),
        retained.indices, retained.values, reshaped.indices, reshaped.dense_shape, turned.indices,
        turned.values, turned.dense_shape, tf.sparse_reduce_sum(sparse, 1),
        tf.sparse_reduce_sum(sparse),
    ]  # fmt: skip
    return [*run(tf, made), texts(run(tf, tf.sparse_tensor_to_dense(words, default_value="-")))]


@program
def fed_sparse_tensors(tf):
    fed = tf.sparse_placeholder(tf.float32, [None, 3], name="fed")
    total = tf.sparse_tensor_dense_matmul(fed, tf.ones([3, 1]))
    value = tf.SparseTensorValue([[0, 1], [1, 2]], [2.0, 5.0], [2, 3])
    return [fed.shape.ndims, run(tf, total, {fed: value})]


@program
def looked_up_by_sparse_numbers(tf):
    table = tf.get_variable("table", initializer=np.arange(8, dtype=np.float32).reshape(4, 2) / 4)
    ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 0], tf.int64), [3, 2])
    weights = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [2.0, 0.5, 1.0], [3, 2])
    made = [tf.nn.embedding_lookup_sparse(table, ids, given, combiner=combiner)
            for given in (None, weights) for combiner in ("mean", "sqrtn", "sum")]  # fmt: skip
    slope = tf.gradients(tf.reduce_sum(made[3] ** 2), [table])[0]
    return run(tf, [*made, tf.convert_to_tensor(slope)])


# ---- feature columns ----------------------------------------------------------------------------


@program
def columns_of_features(tf):
    c = tf.feature_column
    features = {
        "age": tf.constant([[12.0], [35.0], [70.0]]),
        "size": tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        "colour": tf.constant([["red"], ["blue"], ["plum"]]),
        "tags": tf.SparseTensor([[0, 0], [0, 1], [2, 0]], ["b", "a", "a"], [3, 2]),
        "shop": tf.constant([[2], [9], [0]]),
        "word": tf.constant([["hello"], ["world"], [""]]),
    }
    age = c.numeric_column("age")
    colour = c.categorical_column_with_vocabulary_list("colour", ["red", "green", "blue"],
                                                       num_oov_buckets=2)  # fmt: skip
    tags = c.categorical_column_with_vocabulary_list("tags", ["a", "b"])
    shop = c.categorical_column_with_identity("shop", 4, default_value=3)
    word = c.categorical_column_with_hash_bucket("word", 10)
    start = tf.constant_initializer(np.arange(6).reshape(2, 3))
    columns = [
        age, c.bucketized_column(age, [18, 65]), c.indicator_column(colour),
        c.numeric_column("size", shape=2, normalizer_fn=lambda x: x / 2),
        c.embedding_column(tags, 3, initializer=start), c.indicator_column(shop),
        c.indicator_column(word),
    ]  # fmt: skip
    inputs = c.input_layer(features, columns)
    model = c.linear_model(features, [age, colour, tags, c.bucketized_column(age, [18, 65])])
    names = [variable.op.name for variable in tf.global_variables()]
    step = tf.train.GradientDescentOptimizer(0.01).minimize(tf.reduce_sum((model - 1) ** 2))
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        first = session.run([inputs, model])
        session.run(step)
        return [inputs.shape.as_list()[1], names, *first, session.run(model)]


# ---- distributions ------------------------------------------------------------------------------

DISTRIBUTIONS = {
    "normal": (lambda d, o: d.Normal([0.5, o - 1.0], [[1.0], [2.0]]), 0.7),
    "uniform": (lambda d, o: d.Uniform([0.0, -1.0], [2.0, 3.0 + o]), 0.5),
    "laplace": (lambda d, o: d.Laplace([0.5 + o, 1.0], 2.0), 0.7),
    "gamma": (lambda d, o: d.Gamma([2.0, 0.7 + o], [1.0, 3.0]), 0.7),
    "exponential": (lambda d, o: d.Exponential([1.0, 2.0 + o]), 0.7),
    "beta": (lambda d, o: d.Beta([2.0, 0.7 + o], [1.5, 3.0]), 0.3),
    "student": (lambda d, o: d.StudentT([3.0, 5.0], [0.5, o], [1.0, 2.0]), 0.7),
    "bernoulli": (lambda d, o: d.Bernoulli(logits=[0.3, o - 1.0]), 1),
    "bernoulli_of_probabilities": (lambda d, o: d.Bernoulli(probs=[0.3, 0.9 - o / 9]), 0),
    "categorical": (lambda d, o: d.Categorical([[1.0, 2.0 + o, 3.0], [0.0, 0.0, -5.0]]), [2, 1]),
    "categorical_of_probabilities": (lambda d, o: d.Categorical(probs=[0.2, 0.3, 0.5]), 2),
    "dirichlet": (lambda d, o: d.Dirichlet([[1.0, 2.0 + o, 3.0], [0.5, 0.5, 4.0]]),
                  [0.2, 0.3, 0.5]),
    "multinomial": (lambda d, o: d.Multinomial(4.0, probs=[0.2, 0.3, 0.5]), [1.0, 2.0, 1.0]),
    "dirichlet_multinomial": (lambda d, o: d.DirichletMultinomial(4.0, [1.0, 2.0 + o, 3.0]),
                              [1.0, 2.0, 1.0]),
}  # fmt: skip
WITHOUT = {  # what TensorFlow's have not, or what is not finite
    "mode": ("uniform", "gamma", "exponential", "beta", "dirichlet", "multinomial",
             "dirichlet_multinomial"),
    "mean": ("categorical", "categorical_of_probabilities"),
    "variance": ("categorical", "categorical_of_probabilities", "multinomial",
                 "dirichlet_multinomial"),
    "entropy": ("multinomial", "dirichlet_multinomial"),
    "cdf": ("bernoulli", "bernoulli_of_probabilities", "dirichlet", "multinomial",
            "dirichlet_multinomial"),
    "kl_divergence": ("uniform", "laplace", "student", "multinomial", "dirichlet_multinomial"),
    "sample": ("multinomial", "dirichlet_multinomial"),
}  # fmt: skip


def distribution(tf, name):
    """Return what a distribution says of itself, and what it draws."""
    tf.set_random_seed(3)
    make, value = DISTRIBUTIONS[name]
    one, other = make(tf.distributions, 0.0), make(tf.distributions, 0.4)
    calls = {"log_prob": lambda: one.log_prob(value), "prob": lambda: one.prob(value),
             "cdf": lambda: one.cdf(value), "mean": one.mean, "mode": one.mode,
             "variance": one.variance, "entropy": one.entropy,
             "kl_divergence": lambda: one.kl_divergence(other),
             "sample": lambda: one.sample(5, seed=7)}  # fmt: skip
    made = [call() for what, call in calls.items() if name not in WITHOUT.get(what, ())]
    shapes = [one.batch_shape.as_list(), one.event_shape.as_list(), one.dtype.name]
    drawn = [] if name in WITHOUT["sample"] else [one.sample([2, 3]), one.sample()]
    found = run(tf, made + drawn)
    return [shapes, [t.shape.as_list() for t in made], *found]


for _name in DISTRIBUTIONS:
    PROGRAMS[f"distribution_{_name}"] = lambda tf, name=_name: distribution(tf, name)


@program
def slopes_of_samples(tf):
    d = tf.distributions
    parameters = [tf.constant([0.7, 2.5, 1.0]), tf.constant([1.5, 0.4, 3.0])]
    drawn = [make(*parameters).sample(4, seed=3) for make in (d.Normal, d.Gamma, d.Beta, d.Laplace)]
    slopes = [slope for sample in drawn for slope in tf.gradients(sample, parameters)]
    return run(tf, slopes)


@program
def gamma_numbers(tf):
    alpha = tf.constant([[0.3, 1.0], [5.0, 80.0]])
    drawn = [
        tf.random_gamma([3], alpha, seed=5),
        tf.random.gamma([2], 0.5, 2.0, tf.float64, seed=1),
    ]
    with tf.Session() as session:
        return [session.run(drawn), session.run(drawn)]


def outcome(tf, do):
    """Return whether something holds or is refused."""
    try:
        do()
    except (ValueError, tf.errors.InvalidArgumentError):
        return "refused"
    return "holds"


@program
def assertions(tf):
    x = tf.placeholder(tf.float32, [None])
    checks = [
        tf.assert_equal(x, x),
        tf.assert_less(x, 5.0),
        tf.assert_positive(x),
        tf.assert_rank(x, 1),
        tf.assert_greater_equal(x, 1.0),
        tf.assert_non_negative(x),
        tf.assert_type(x, tf.float32),
    ]
    outcomes = []
    with tf.Session() as session:
        for value in ([1.0, 4.0], [0.5], [7.0], [-1.0]):
            feeds = {x: value}
            outcomes.append([outcome(tf, lambda c=check, f=feeds: session.run(c, f))
                             for check in checks])  # fmt: skip
    outcomes.append(outcome(tf, lambda: tf.assert_equal(1, 2)))
    outcomes.append(outcome(tf, lambda: tf.assert_rank(tf.zeros([2]), 0)))
    return outcomes


if __name__ == "__main__":
    programs.write(programs.results(sys.argv[1], PROGRAMS))
