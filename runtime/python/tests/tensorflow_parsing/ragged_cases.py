"""Ragged features that are parsed, and ragged tensors, by the names of TensorFlow 1.

Each case takes the module and gives what is run, one list of fetches after the other.
"""

import numpy as np


def feature(tf, values):
    """A Feature of floats, strings or integers."""
    if values and isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    if values and isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def example(tf, features):
    """A serialized Example."""
    lists = {key: feature(tf, values) for key, values in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=lists)).SerializeToString()


def sequence(tf, context, lists):
    """A serialized SequenceExample; a list is one of steps."""
    made = tf.train.SequenceExample()
    for key, values in context.items():
        made.context.feature[key].CopyFrom(feature(tf, values))
    for key, steps in lists.items():
        made.feature_lists.feature_list[key].SetInParent()
        for values in steps:
            step = made.feature_lists.feature_list[key].feature.add()
            if values is not None:
                step.CopyFrom(feature(tf, values))
    return made.SerializeToString()


# Examples with six and seven values, and rows of these in all forms; one without any.
EXAMPLES = [
    {"v": [3, 1, 4, 1, 5, 9], "splits": [0, 2, 3, 3, 6], "lengths": [2, 1, 0, 3],
     "starts": [0, 2, 3, 3], "limits": [2, 3, 3, 6], "ids": [0, 0, 1, 3, 3, 3],
     "outer": [0, 2, 3, 4], "f": [0.5, 1.5]},
    {"v": [2, 7, 1, 8, 2, 8], "splits": [0, 3, 4, 5, 6], "lengths": [3, 1, 1, 1],
     "starts": [0, 3, 4, 5], "limits": [3, 4, 5, 6], "ids": [0, 0, 0, 1, 2, 3],
     "outer": [0, 1, 1, 4], "s": [b"a", b""]},
    {},
]  # fmt: skip


def asked(tf, dtype="int32", validate=False):
    """Features of rows by each kind of partition, alone and one in the other."""
    kind, more = tf.io.RaggedFeature, {"row_splits_dtype": dtype, "validate": validate}

    def cut(*partitions):
        return kind(tf.int64, value_key="v", partitions=partitions, **more)

    return {
        "v": kind(tf.int64, **more), "f": kind(tf.float32, **more), "s": kind(tf.string, **more),
        "by splits": cut(kind.RowSplits("splits")),
        "by lengths": cut(kind.RowLengths("lengths")),
        "by starts": cut(kind.RowStarts("starts")), "by limits": cut(kind.RowLimits("limits")),
        "by ids": cut(kind.ValueRowIds("ids")), "by two": cut(kind.UniformRowLength(2)),
        "by two, rows": cut(kind.RowLengths("pairs"), kind.UniformRowLength(2)),
        "rows of rows": cut(kind.RowSplits("outer"), kind.RowLengths("lengths")),
        "two rows": cut(kind.UniformRowLength(2), kind.RowLengths("lengths")),
    }  # fmt: skip


def examples(tf, which, dtype="int32", validate=False, *, only=None, **other):
    """Fetches of Examples with some features in the place of theirs; one number is one Example."""
    serialized = [example(tf, {**EXAMPLES[i], **({"pairs": [2, 1]} if i < 2 else {}), **other})
                  for i in np.ravel(which)]  # fmt: skip
    wanted = asked(tf, dtype, validate)
    wanted = {key: wanted[key] for key in only} if only else wanted
    wanted["sparse"] = tf.VarLenFeature(tf.int64)
    wanted["dense"] = tf.FixedLenFeature([1], tf.int64, default_value=[7])
    if isinstance(which, list):
        return [[tf.parse_example(tf.constant(np.array(serialized, "O"), tf.string), wanted)]]
    return [[tf.parse_single_example(serialized[0], wanted)]]


def sequences(tf, messages, *, single=False, dtype="int32", validate=False, **types):
    """Fetches of parsed SequenceExamples, of integers and strings if nothing is said."""
    numbers, strings = types.get("numbers", "int64"), types.get("strings", "string")
    kind, more = tf.io.RaggedFeature, {"row_splits_dtype": dtype, "validate": validate}
    context = {"c": kind(numbers, **more), "d": tf.VarLenFeature(tf.int64)}
    lists = {
        "v": kind(numbers, **more), "w": kind(strings, **more),
        "rows": kind(numbers, value_key="v", partitions=[kind.RowLengths("n")], **more),
        "dense": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
    }  # fmt: skip
    serialized = [sequence(tf, *message) for message in messages]
    if single:
        parsed = tf.io.parse_single_sequence_example(serialized[0], context, lists)
    else:
        parsed = tf.io.parse_sequence_example(serialized, context, lists)
    return [list(parsed)]


MESSAGES = [
    ({"c": [1, 2]}, {"v": [[1, 2, 3], [], [4]], "n": [[1, 2], [], [0, 1]],
                     "w": [[b"x"], [b"", b"y"]], "dense": [[5], [6]]}),
    ({"d": [4]}, {"v": [[5, 6]], "n": [[2]]}),
    ({}, {}),
]  # fmt: skip


def ragged(tf, *lists, **more):
    """Fetches of ragged tensors of nested lists."""
    return [[tf.ragged.constant(some, **more)] for some in lists]


ROWS = [[1, 2], [], [3], [4, 5, 6]]
DEEP = [[[1, 2], []], [], [[3], [4, 5, 6]]]


def described(tf, rows):
    """What a ragged tensor says of itself."""
    made = tf.ragged.constant(rows)
    return [[made.nrows(), made.row_lengths(), made.row_starts(), made.row_limits()],
            [made.value_rowids(), made.bounding_shape(), made.bounding_shape(axis=1)],
            [list(made.nested_row_splits), list(made.nested_row_lengths()), made.flat_values],
            [made.bounding_shape(out_type=tf.int32), made.nrows(out_type=tf.int32)],
            [list(made.nested_value_rowids()), made.values],
            [tf.constant([-1 if size is None else size for size in made.shape.as_list()])],
            [made.row_lengths(axis=0), made.row_lengths(axis=-1)]]  # fmt: skip


def made(tf, how, *partition, values=(1, 2, 3, 4, 5, 6), **more):
    """A ragged tensor by one of the functions that make some."""
    return [[getattr(tf.RaggedTensor, f"from_{how}")(np.array(values), *partition, **more)]]


def items(tf, rows, *keys):
    """Fetches of parts of a ragged tensor."""
    whole = tf.ragged.constant(rows)
    return [[whole[key]] for key in keys]


def dense(tf, rows, **more):
    """A ragged tensor as a tensor."""
    return [[tf.ragged.constant(rows).to_tensor(**more)]]


def sparse(tf, indices, shape=(3, 3)):
    """A sparse tensor as a ragged one."""
    values = np.arange(len(indices), dtype=np.float32)
    given = tf.SparseTensor(np.array(indices, np.int64).reshape(-1, 2), values, shape)
    return [[tf.RaggedTensor.from_sparse(given)]]


def there_and_back(tf, rows):
    """Fed, as a sparse tensor, and operators."""
    whole = tf.ragged.constant(rows)
    return [[whole.to_sparse()], [whole * 2 + whole], [1.0 - whole.with_flat_values(
        tf.cast(whole.flat_values, tf.float32))], [tf.ragged.map_flat_values(tf.square, whole)],
        [-whole, abs(whole), whole < 3]]  # fmt: skip


SLICE = slice(None)
CASES = {
    "ragged: batch": lambda tf: examples(tf, [0, 1, 2]),
    "ragged: batch of int64": lambda tf: examples(tf, [2, 0, 1], "int64"),
    "ragged: batch, validated": lambda tf: examples(tf, [0, 1, 2], validate=True),
    "ragged: no batch": lambda tf: examples(tf, []),
    "ragged: one": lambda tf: examples(tf, 0),
    "ragged: one, validated": lambda tf: examples(tf, 1, "int64", True),
    "ragged: another type": lambda tf: examples(tf, [0], v=[1.0]),
    "ragged: another type of rows": lambda tf: examples(tf, [0, 1], lengths=[b"x"]),
    "ragged: lengths do not fit": lambda tf: examples(
        tf, [0], "int64", True, only=["by lengths"], lengths=[1]),
    "ragged: lengths do not fit one": lambda tf: examples(
        tf, 0, "int64", True, only=["by lengths"], lengths=[1]),
    "ragged: splits do not fit": lambda tf: examples(
        tf, [0], "int64", True, only=["by splits"], splits=[0, 7]),
    "ragged: starts fall": lambda tf: examples(
        tf, [0], "int64", True, only=["by starts"], starts=[0, 3, 2]),
    "ragged: ids are too few": lambda tf: examples(
        tf, [0], "int64", True, only=["by ids"], ids=[0]),
    "ragged: sequences": lambda tf: sequences(tf, MESSAGES),
    "ragged: sequences of int64": lambda tf: sequences(tf, MESSAGES, dtype="int64", validate=True),
    "ragged: one sequence": lambda tf: sequences(tf, MESSAGES, single=True),
    "ragged: one without lists": lambda tf: sequences(tf, MESSAGES[1:], single=True),
    "ragged: sequences of another type": lambda tf: sequences(tf, MESSAGES, numbers="float32"),
    "ragged: rows of fewer steps": lambda tf: sequences(
        tf, [({}, {"v": [[1], [2]], "n": [[1]]})], validate=True),
    "ragged: lists": lambda tf: ragged(tf, [], [1, 2], 5, [[]], ROWS, DEEP, [[b"a"], []]),
    "ragged: lists of int32": lambda tf: ragged(tf, ROWS, DEEP, row_splits_dtype=tf.int32),
    "ragged: floats": lambda tf: ragged(tf, ROWS, [[1, 2.5], []], dtype=tf.float32),
    "ragged: rank 1": lambda tf: ragged(tf, [[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1),
    "ragged: rank 2": lambda tf: ragged(tf, [], DEEP, ragged_rank=2),
    "ragged: inner shape": lambda tf: ragged(tf, [[[1, 2]], []], inner_shape=(2,)),
    "ragged: depths differ": lambda tf: ragged(tf, [[1], 2]),
    "ragged: not so deep": lambda tf: ragged(tf, ROWS, ragged_rank=2),
    "ragged: inner rows differ": lambda tf: ragged(tf, [[[1, 2]], [[1]]], ragged_rank=1),
    "ragged: described": lambda tf: described(tf, ROWS),
    "ragged: described, nested rows": lambda tf: described(tf, DEEP),
    "ragged: described, nothing": lambda tf: described(tf, [[]]),
    "ragged: values": lambda tf: [
        [tf.constant(tf.ragged.constant_value(rows).to_list()[-1]),
         tf.constant(tf.ragged.constant_value(rows, tf.float32).nested_row_splits[-1])]
        for rows in (ROWS, [[[1], [2]]])],
    "ragged: by splits": lambda tf: made(tf, "row_splits", [0, 2, 2, 6]),
    "ragged: by lengths": lambda tf: made(tf, "row_lengths", [2, 0, 4]),
    "ragged: by starts": lambda tf: made(tf, "row_starts", [0, 2, 2]),
    "ragged: by limits": lambda tf: made(tf, "row_limits", [2, 2, 6]),
    "ragged: by ids": lambda tf: made(tf, "value_rowids", [0, 0, 2, 2, 2, 3]),
    "ragged: by ids, more rows": lambda tf: made(tf, "value_rowids", [0, 0, 2, 2, 2, 3], 6),
    "ragged: by no ids": lambda tf: made(tf, "value_rowids", np.zeros(0, np.int64), values=()),
    "ragged: by one length": lambda tf: made(tf, "uniform_row_length", 3),
    "ragged: by length 0": lambda tf: made(tf, "uniform_row_length", 0, 4, values=()),
    "ragged: nested": lambda tf: made(tf, "nested_row_splits", [[0, 1, 3], [0, 2, 2, 6]]),
    "ragged: nested lengths": lambda tf: made(tf, "nested_row_lengths", [[1, 2], [2, 0, 4]]),
    "ragged: splits of too few": lambda tf: made(tf, "row_splits", [0, 2]),
    "ragged: splits that fall": lambda tf: made(tf, "row_splits", [0, 4, 2, 6]),
    "ragged: splits that begin late": lambda tf: made(tf, "row_splits", [1, 6]),
    "ragged: negative lengths": lambda tf: made(tf, "row_lengths", [7, -1]),
    "ragged: ids that fall": lambda tf: made(tf, "value_rowids", [0, 0, 2, 1, 2, 3]),
    "ragged: length that does not divide": lambda tf: made(tf, "uniform_row_length", 4),
    "ragged: tensor": lambda tf: made(tf, "tensor", values=[[1, 2, 0], [0, 3, 0]]),
    "ragged: tensor, cut": lambda tf: made(tf, "tensor", [1, 3], values=[[1, 2, 0], [0, 3, 0]]),
    "ragged: tensor, padded": lambda tf: made(
        tf, "tensor", padding=0, values=[[1, 2, 0], [0, 3, 0], [0, 0, 0]]),
    "ragged: tensor of rank 2": lambda tf: made(
        tf, "tensor", ragged_rank=2, values=np.arange(12).reshape(2, 3, 2)),
    "ragged: sparse": lambda tf: sparse(tf, [[0, 0], [0, 1], [2, 0]]),
    "ragged: sparse, a gap": lambda tf: sparse(tf, [[0, 0], [0, 2]]),
    "ragged: sparse, nothing": lambda tf: sparse(tf, []),
    "ragged: dense": lambda tf: dense(tf, ROWS),
    "ragged: dense strings": lambda tf: dense(tf, [[b"a"], [], [b"b", b"c"]]),
    "ragged: dense nested": lambda tf: dense(tf, DEEP, default_value=9),
    "ragged: dense, larger": lambda tf: dense(tf, ROWS, default_value=-1, shape=[5, None]),
    "ragged: dense, cut": lambda tf: dense(tf, ROWS, shape=[3, 2]),
    "ragged: dense, another rank": lambda tf: dense(tf, ROWS, shape=[3]),
    "ragged: dense, nothing": lambda tf: dense(tf, [[]]),
    "ragged: elements": lambda tf: there_and_back(tf, ROWS),
    "ragged: nested elements": lambda tf: there_and_back(tf, DEEP),
    "ragged: other rows": lambda tf: [
        [tf.ragged.map_flat_values(tf.add, tf.ragged.constant([[1], [2, 3]]),
                                   tf.ragged.constant([[1, 2], [3]]))]],
    "ragged: too few values": lambda tf: [
        [tf.ragged.map_flat_values(tf.reduce_sum, tf.ragged.constant(ROWS))]],
    "ragged: rows": lambda tf: items(tf, ROWS, 0, -1, slice(1, 3), slice(None, None, 2), SLICE),
    "ragged: rows backwards": lambda tf: items(tf, ROWS, slice(None, None, -1), slice(5, 9)),
    "ragged: parts": lambda tf: items(
        tf, ROWS, (3, 1), (3, slice(1, 3)), (SLICE, slice(1, None)), (SLICE, slice(-2, None)),
        (SLICE, slice(None, -1)), (SLICE, slice(None, None, 2)), (slice(0, 2), slice(0, 1)), ...),
    "ragged: parts of parts": lambda tf: items(
        tf, DEEP, 0, (0, 0), (0, 0, 1), (SLICE, slice(1)), (SLICE, SLICE, slice(1)),
        (..., slice(1)), (2, slice(1), SLICE), (2, 1, slice(None, None, 2))),
    "ragged: a column": lambda tf: items(tf, ROWS, (SLICE, 0)),
    "ragged: no such row": lambda tf: items(tf, ROWS, 4),
    "ragged: words": lambda tf: [
        [tf.strings.split(["a b", "", "c"], result_type="RaggedTensor"),
         tf.string_split(["a,b", "", ",c,"], ",", result_type="RaggedTensor")]],
    "ragged: words of another kind": lambda tf: [[tf.strings.split(["a"], result_type="x")]],
    "ragged: range": lambda tf: [
        [tf.ragged.range([3, 0, 2]), tf.ragged.range([0, 5], [3, 3]), tf.ragged.range(3)],
        [tf.ragged.range([0, 9], [3, 3], [1, -2]), tf.ragged.range([1.0], 2.0, 0.25)],
        [tf.ragged.range([1, 2], dtype=tf.float32, row_splits_dtype=tf.int32)]],
    "ragged: range without steps": lambda tf: [[tf.ragged.range([0], [3], 0)]],
    "ragged: ranges of other numbers": lambda tf: [[tf.ragged.range([0, 1], [3, 4, 5])]],
    "ragged: segments": lambda tf: [
        [tf.ragged.row_splits_to_segment_ids([0, 2, 2, 5]),
         tf.ragged.segment_ids_to_row_splits([0, 0, 2, 2, 2]),
         tf.ragged.segment_ids_to_row_splits([0, 0, 2, 2, 2], 5)]],
    "ragged: axis outside": lambda tf: [[tf.ragged.constant(ROWS).row_lengths(axis=2)]],
    "ragged: two types of splits": lambda tf: [
        [tf.RaggedTensor.from_row_splits(tf.ragged.constant(ROWS), tf.constant([0, 4]))]],
    "ragged: with other splits": lambda tf: [
        [tf.ragged.constant(DEEP).with_row_splits_dtype(tf.int32),
         tf.ragged.constant(ROWS).with_values(tf.ragged.constant([[1], [], [2], [3], [4], [5]]))]],
}  # fmt: skip
