"""TFRecord files and the messages in them."""

import gzip
import zlib

import pytest
import tfbuild_runtime.compat.v1 as tf

RECORDS = [b"", b"one", b"\0" * 70000, "two ä".encode()]
KINDS = {
    "": None,
    "ZLIB": tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.ZLIB),
    "GZIP": tf.python_io.TFRecordOptions("GZIP", compression_level=9),
}


def write(path, options=None):
    with tf.python_io.TFRecordWriter(path, options) as writer:
        for record in RECORDS:
            writer.write(record)


def read(path, options=None):
    return list(tf.python_io.tf_record_iterator(path, options))


@pytest.mark.parametrize("kind", KINDS)
def test_records_come_back(kind, tmp_path):
    write(tmp_path / "records", KINDS[kind])
    assert read(tmp_path / "records", KINDS[kind]) == RECORDS
    raw = (tmp_path / "records").read_bytes()
    plain = {"": bytes, "ZLIB": zlib.decompress, "GZIP": gzip.decompress}[kind](raw)
    write(tmp_path / "plain")
    assert plain == (tmp_path / "plain").read_bytes()


@pytest.mark.tensorflow
@pytest.mark.parametrize("kind", KINDS)
def test_records_go_both_ways(kind, tmp_path, tensorflow):
    write(tmp_path / "ours", KINDS[kind])
    said = tensorflow(
        "import sys, tensorflow.compat.v1 as tf\n"
        "folder, kind = sys.argv[1:]\n"
        "records = list(tf.python_io.tf_record_iterator(folder + '/ours', kind))\n"
        "with tf.python_io.TFRecordWriter(folder + '/theirs', kind) as writer:\n"
        "    [writer.write(record) for record in records]\n"
        "print(len(records))",
        str(tmp_path), kind,
    )  # fmt: skip
    assert said.split() == [b"4"]
    assert read(tmp_path / "theirs", KINDS[kind]) == RECORDS


def test_damage_is_reported(tmp_path):
    path = tmp_path / "records"
    write(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    reader = tf.python_io.tf_record_iterator(path)
    assert [next(reader) for _ in RECORDS[1:]] == RECORDS[:-1]
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 70051"):
        next(reader)
    path.write_bytes(whole[:20] + b"X" + whole[21:])
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at 16"):
        read(path)
    with pytest.raises(tf.errors.DataLossError, match="damaged"):
        read(path, KINDS["GZIP"])
    with pytest.raises(tf.errors.NotFoundError, match="none"):
        read(tmp_path / "none")
    with pytest.raises(ValueError, match="Not a valid compression_type"):
        tf.python_io.TFRecordOptions("LZ4")


def test_a_closed_writer_takes_nothing(tmp_path):
    writer = tf.python_io.TFRecordWriter(tmp_path / "records")
    writer.write(b"one")
    writer.flush()
    assert read(tmp_path / "records") == [b"one"]
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError, match="closed"):
        writer.write(b"two")


def test_examples_are_messages():
    features = {
        "number": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2])),
        "text": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a"])),
        "float": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5])),
    }
    example = tf.train.Example(features=tf.train.Features(feature=features))
    again = tf.train.Example()
    again.ParseFromString(example.SerializeToString())
    assert again == example
    assert list(again.features.feature["number"].int64_list.value) == [1, -2]
    assert again.features.feature["text"].WhichOneof("kind") == "bytes_list"
    sequence = tf.train.SequenceExample()
    sequence.feature_lists.feature_list["x"].feature.add().float_list.value.append(2.0)
    assert tf.train.SequenceExample.FromString(sequence.SerializeToString()) == sequence
    with pytest.raises(AttributeError, match="Exampel"):
        tf.train.Exampel  # noqa: B018


def test_another_tensorflows_messages_do_not_collide(python):
    # What a TensorFlow of the same process has registered under these names is its own.
    python(
        "from google.protobuf import descriptor_pb2, descriptor_pool\n"
        "file = descriptor_pb2.FileDescriptorProto(name='tensorflow/core/util/event.proto')\n"
        "file.package = 'tensorflow'\n"
        "file.message_type.add(name='Event')\n"
        "descriptor_pool.Default().Add(file)\n"
        "import tfbuild_runtime.compat.v1 as tf\n"
        "assert tf.Event(step=3).step == 3"
    )
