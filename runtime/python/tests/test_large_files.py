"""Files of more than 4 GB: what lies behind is found and is what was written."""

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf

PIECE = 64 << 20
pytestmark = pytest.mark.slow


def test_records_behind_four_gigabytes(tmp_path):
    with tf.python_io.TFRecordWriter(str(tmp_path / "one")) as writer:
        writer.write(bytes(PIECE))
    whole = (tmp_path / "one").read_bytes()
    begin, end = whole[:12], whole[-4:]  # length and checksums
    count = (1 << 32) // PIECE + 2
    with (tmp_path / "many").open("wb") as file:  # its zeros take no room
        for _ in range(count):
            file.write(begin)
            file.seek(PIECE, 1)
            file.write(end)
    with tf.python_io.TFRecordWriter(str(tmp_path / "last")) as writer:
        writer.write(b"last")
    with (tmp_path / "many").open("ab") as file:
        file.write((tmp_path / "last").read_bytes())
    assert (tmp_path / "many").stat().st_size > 1 << 32
    dataset = tf.data.TFRecordDataset(str(tmp_path / "many")).skip(count)
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as session:
        assert session.run(following) == b"last"
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(following)


def test_variables_behind_four_gigabytes(tmp_path):
    size = 900 << 20
    large = [tf.Variable(tf.fill([size], tf.cast(i, tf.uint8)), name=f"v{i}") for i in range(5)]
    last = tf.Variable([1.5, 2.5], name="z")
    saver = tf.train.Saver()
    path = str(tmp_path / "model")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        saver.save(session, path, write_meta_graph=False)
    assert (tmp_path / "model.data-00000-of-00001").stat().st_size > 1 << 32
    with tf.Session() as session:
        saver.restore(session, path)
        assert session.run(last).tolist() == [1.5, 2.5]
        ends = session.run([variable[:: size - 1] for variable in large])
    np.testing.assert_array_equal(ends, [[i, i] for i in range(5)])
