"""Examples and raw bytes parsed: what TensorFlow gives, and its words for what cannot be parsed."""

import random

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

_FEATURES = {
    "i": tf.FixedLenFeature([], tf.int64),
    "v": tf.FixedLenFeature([3], tf.float32, default_value=[1.0, 2.0, 3.0]),
    "s": tf.VarLenFeature(tf.string),
    "q": tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True),
}


def _ints(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def _floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def _bytes(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def _example(**features):
    message = tf.train.Example(features=tf.train.Features(feature=features))
    return message.SerializeToString()


def test_a_batch_of_examples(run):
    serialized = [
        _example(i=_ints(1), s=_bytes(b"a", b"b"), q=_ints(1, 2, 3, 4)),
        _example(i=_ints(-2), v=_floats(4, 5, 6), q=_ints(9, 8), other=_ints(7)),
    ]
    parsed = tf.parse_example(tf.placeholder(tf.string, [None], name="x"), _FEATURES)
    assert parsed["i"].op.name == "ParseExample/ParseExampleV2"
    assert parsed["i"].shape.as_list() == [None]
    assert parsed["q"].shape.as_list() == [None, None, 2]
    assert parsed["s"].shape.as_list() == [None, None]
    found = run(parsed, {"x:0": serialized})
    np.testing.assert_array_equal(found["s"].indices, [[0, 0], [0, 1]])
    assert found["s"].values.tolist() == [b"a", b"b"]
    assert found["s"].dense_shape.tolist() == [2, 2]
    assert found["i"].tolist() == [1, -2]
    assert found["v"].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert found["q"].tolist() == [[[1, 2], [3, 4]], [[9, 8], [0, 0]]]


def test_one_example(run):
    serialized = _example(i=_ints(1), s=_bytes(b"a", b"b"), q=_ints(1, 2, 3, 4))
    found = run(tf.parse_single_example(serialized, _FEATURES))
    assert (found["i"], found["v"].tolist()) == (1, [1, 2, 3])
    assert found["q"].tolist() == [[1, 2], [3, 4]]
    assert found["s"].indices.tolist() == [[0], [1]]
    assert found["s"].dense_shape.tolist() == [2]


@pytest.mark.parametrize(
    ("serialized", "message"),
    [
        (_example(i=_floats(1)), "Name: <unknown>, Key: i, Index: 0.  Data types don't match. "),
        (_example(i=_floats(1)), "Data type: float but expected type: int64"),
        (_example(), "Name: <unknown>, Feature: i (data type: int64) is required but could not"),
        (_example(i=_ints(1), v=_floats(1, 2)), "Values size: 2 but output shape: [3]"),
        (b"garbage", "Could not parse example input, value: 'garbage'"),
        (_example(i=_ints(1), q=_ints(1, 2, 3)), "Saw 3 values but output shape is: [?,2]"),
        (_example(i=_ints(1), s=_ints(1)), "Key: s, Index: 0.  Data types don't match. "),
        (_example(i=_ints(1), s=_ints(1)), "Expected type: string, Actual type: int64"),
    ],
    ids=str.split("type float missing size garbage count kind string"),
)  # fmt: skip
def test_what_cannot_be_parsed(serialized, message, run):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        run(tf.parse_example([serialized], _FEATURES))
    assert message in caught.value.message


def test_unpacked_lists_and_repeated_keys(run):
    # Feature of an Int64List with two numbers that are not packed; the key stands there twice.
    unpacked = b"\x1a\x04\x08\x05\x08\x06"
    entry = b"\x0a\x01i\x12" + bytes([len(unpacked)]) + unpacked
    older = b"\x0a\x01i\x12\x04\x1a\x02\x08\x01"
    features = b"".join(b"\x0a" + bytes([len(e)]) + e for e in (older, entry))
    example = b"\x0a" + bytes([len(features)]) + features
    asked = {"i": tf.FixedLenFeature([2], tf.int64)}
    assert run(tf.parse_single_example(example, asked))["i"].tolist() == [5, 6]


def test_an_older_op_parses_the_same(run):
    example = _example(i=_ints(3), s=_bytes(b"x"))
    single = tf.raw_ops.ParseSingleExample(
        serialized=example, dense_defaults=[tf.constant([], tf.int64)], num_sparse=1,
        sparse_keys=["s"], dense_keys=["i"], sparse_types=[tf.string], dense_shapes=[[]],
    )  # fmt: skip
    assert run(single)[3] == [3]


def test_damaged_examples_are_errors_only():
    whole = _example(i=_ints(1, 300), v=_floats(1, 2, 3), s=_bytes(b"abc" * 20), q=_ints(1, 2),
                     t=_bytes(b"de" * 9), u=_ints(7, 8, 9), w=_ints(1, 0, 2))  # fmt: skip
    chance = random.Random(3)
    fed = tf.placeholder(tf.string, [None])
    parsed = tf.parse_example(fed, {
        "i": tf.VarLenFeature(tf.int64), "v": tf.VarLenFeature(tf.float32),
        "s": tf.VarLenFeature(tf.string),
        "q": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
        "r": tf.io.RaggedFeature(tf.string, "t"),
        "n": tf.io.RaggedFeature(tf.int64, "u", [tf.io.RaggedFeature.RowLengths("w")], tf.int32,
                                 True),
    })  # fmt: skip
    outcomes = set()
    with tf.Session() as session:
        for _ in range(3000):
            damaged = bytearray(whole[: chance.randrange(len(whole) + 1)])
            for _ in range(chance.randrange(4)):
                if damaged:
                    damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            try:
                session.run(parsed, {fed: [bytes(damaged)]})
                outcomes.add("parsed")
            except tf.errors.InvalidArgumentError:
                outcomes.add("refused")
    assert outcomes == {"parsed", "refused"}


def test_features_that_cannot_be_asked_for():
    for features in (
        {}, {"a": 1}, {"a": tf.FixedLenFeature(None, tf.int64)},
        {"a": tf.FixedLenFeature([None], tf.int64)},
        {"a": tf.FixedLenSequenceFeature([], tf.int64)},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"feature|Missing|Unsupported"):
            tf.parse_example([b""], features)


def test_raw_bytes(run):
    pairs = [b"\x01\x00\x02\x00", b"\x03\x00\x04\x00"]
    assert run(tf.decode_raw(pairs, tf.int16)).tolist() == [[1, 2], [3, 4]]
    assert run(tf.decode_raw(pairs[0], tf.int16, little_endian=False)).tolist() == [256, 512]
    assert run(tf.decode_raw(b"\x02\x00", tf.bool)).tolist() == [True, False]
    assert run(tf.decode_raw(["", ""], tf.float32)).shape == (2, 0)
    numbers = np.array([1 + 2j, -3.5], np.complex64)
    assert run(tf.decode_raw(numbers.tobytes(), tf.complex64)).tolist() == numbers.tolist()
    raw = tf.decode_raw(tf.placeholder(tf.string, [None]), tf.uint8)
    assert (raw.shape.as_list(), raw.dtype) == ([None, None], tf.uint8)
    for strings, message in (
        ([b"\x01\x00\x02"], "length 3 that is not a multiple of 2, the size of int16"),
        ([b"ab", b"a"], "element 1 has size 1 != 2"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            run(tf.decode_raw(strings, tf.int16))


def test_ragged_features_agree_on_types(run):
    asked = tf.io.RaggedFeature(tf.int64)
    parsed = tf.parse_example([_example(x=_ints(1, 2)), _example()], {"x": asked})["x"]
    assert (parsed.shape.as_list(), parsed.row_splits.dtype) == ([2, None], tf.int32)
    assert run(parsed).to_list() == [[1, 2], []]
    other = tf.io.RaggedFeature(tf.float32, value_key="x")
    with pytest.raises(ValueError, match="Conflicting type"):
        tf.parse_example([b""], {"x": asked, "y": other})
    other = tf.io.RaggedFeature(tf.int64, value_key="x", row_splits_dtype=tf.int64)
    with pytest.raises(ValueError, match="Conflicting partition type"):
        tf.parse_example([b""], {"x": asked, "y": other})
    with pytest.raises(ValueError, match="statically-known rank"):
        tf.parse_example(tf.placeholder(tf.string), {"x": asked})
    for wrong in ({"dtype": tf.int32}, {"dtype": tf.int64, "value_key": ""},
                  {"dtype": tf.int64, "row_splits_dtype": tf.float32}):  # fmt: skip
        with pytest.raises(ValueError, match="Argument"):
            tf.io.RaggedFeature(**wrong)
    with pytest.raises(TypeError, match="which is none"):
        tf.io.RaggedFeature(tf.int64, partitions=["x"])


def test_sparse_features_agree_on_types():
    asked = {
        "s": tf.SparseFeature("place", "value", tf.float32, 3),
        "value": tf.VarLenFeature(tf.int64),
    }
    with pytest.raises(ValueError, match="Conflicting type"):
        tf.parse_example([b""], asked)
    with pytest.raises(ValueError, match="Missing index_key"):
        tf.parse_example([b""], {"s": tf.SparseFeature("", "value", tf.float32, 3)})
