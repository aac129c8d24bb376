"""Summaries and event files: TensorFlow's bytes and names; forks, exits and full disks."""

import json
import os
import struct
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tfbuild_runtime.compat.v1 as tf
from tfbuild_runtime.summary.event_file import EventFile

# One graph for both; what it prints is compared.
GRAPH = """
import json, sys
import numpy as np
if sys.argv[1] == "tensorflow":
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
else:
    import tfbuild_runtime.compat.v1 as tf
values = np.random.RandomState(1).randn(1000)
with tf.name_scope("net"):
    tf.summary.scalar("loss it", 1.5)
    tf.summary.scalar("loss it", np.int64(-7), family="losses")
    tf.summary.scalar("none", 0.0)
    for name, kind in (("f", "f4"), ("d", "f8"), ("i", "i4")):
        tf.summary.histogram(name, (values * 1e3).astype(kind))
    tf.summary.histogram("edges", tf.constant([0, -1e-12, 1e-12, 1e30, -1e30, 1.1e-12], "float64"))
    tf.summary.histogram("empty", np.zeros([0], "f4"))
tf.summary.text("text", tf.constant([["a", "b"]]))
tf.summary.tensor_summary("tensor", tf.constant(values[:6].reshape(2, 3)), "said", display_name="d")
tf.summary.tensor_summary("one", tf.constant(3))
tf.summary.audio("sound", np.clip(values, -1.5, 1.5).reshape(5, 100, 2).astype("f4"), 8000.0)
tf.summary.audio("one sound", values.reshape(2, 500).astype("f4"), 44100.0, max_outputs=1)
merged = tf.summary.merge_all()
names = [tensor.name for tensor in tf.get_collection("summaries")] + [merged.name]
nodes = [node.name for node in tf.get_default_graph().as_graph_def().node]
with tf.Session() as session:
    answer = {"names": names, "nodes": nodes, "summary": session.run(merged).hex()}
print(json.dumps(answer))
"""

IMAGES = """
import sys
import numpy as np
if sys.argv[1] == "tensorflow":
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
else:
    import tfbuild_runtime.compat.v1 as tf
random = np.random.RandomState(2)
bad = random.rand(1, 5, 4, 3).astype("f4")
bad[0, 1, 2, 1] = np.nan
bad[0, 3, 0, 0] = np.inf
for channels in (1, 3, 4):
    tf.summary.image("bytes", random.randint(0, 256, (2, 9, 7, channels)).astype("u1"))
    tf.summary.image("positive", random.rand(2, 9, 7, channels).astype("f4"))
    tf.summary.image("both", random.randn(5, 9, 7, channels).astype("f4"))
    tf.summary.image("double", random.randn(1, 9, 7, channels), max_outputs=1)
tf.summary.image("black", np.zeros([1, 3, 3, 1], "f4"))
tf.summary.image("bad", bad)
with tf.Session() as session:
    print(session.run(tf.summary.merge_all()).hex())
"""


def pixels_of(png):
    """Return the pixels of a PNG of 8 bits, read by nothing but the format's own rules."""
    place, data = 8, b""
    while place < len(png):
        (size,), kind = struct.unpack(">I", png[place : place + 4]), png[place + 4 : place + 8]
        chunk = png[place + 8 : place + 8 + size]
        assert struct.unpack(">I", png[place + 8 + size :][:4])[0] == zlib.crc32(kind + chunk)
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack(">IIBB", chunk[:10])
            assert bits == 8
        data += chunk if kind == b"IDAT" else b""
        place += 12 + size
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    rows = np.frombuffer(zlib.decompress(data), "u1").astype(int)
    rows = rows.reshape(height, 1 + width * channels)
    return unfiltered(rows, channels).reshape(height, width, channels)


def unfiltered(rows, step):
    """Return the bytes that the filters of the rows have made differences of."""
    pixels = np.zeros((len(rows) + 1, rows.shape[1] - 1 + step), int)
    for y, row in enumerate(rows, 1):
        for x, value in enumerate(row[1:], step):
            left, up, corner = pixels[y, x - step], pixels[y - 1, x], pixels[y - 1, x - step]
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda near: abs(guess - near))
            predicted = (0, left, up, (left + up) // 2, paeth)[row[0]]
            pixels[y, x] = (value + predicted) % 256
    return pixels[1:, step:]


def summary_of(run, tensor):
    return tf.Summary.FromString(run(tensor))


def events_in(folder):
    """Return the events of each file of a folder, in the order of the names."""
    return [list(tf.train.summary_iterator(path)) for path in sorted(folder.iterdir())]


def tags_in(events):
    return [value.tag for event in events for value in event.summary.value]


def number(tag, value=1.0):
    return tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=value)])


# ---- operations ----------------------------------------------------------------------------------


@pytest.mark.tensorflow
def test_summaries_are_tensorflows_to_the_byte(tensorflow, python):
    theirs = json.loads(tensorflow(GRAPH, "tensorflow"))
    ours = json.loads(python(GRAPH, "ours"))
    assert ours["names"] == theirs["names"]
    assert sorted(ours["nodes"]) == sorted(theirs["nodes"])
    both = [tf.Summary.FromString(bytes.fromhex(side["summary"])) for side in (ours, theirs)]
    for own, other in zip(both[0].value, both[1].value):
        assert own == other
    assert ours["summary"] == theirs["summary"]


@pytest.mark.tensorflow
def test_images_have_tensorflows_pixels(tensorflow, python):
    theirs = tf.Summary.FromString(bytes.fromhex(tensorflow(IMAGES, "tensorflow").decode()))
    ours = tf.Summary.FromString(bytes.fromhex(python(IMAGES, "ours")))
    assert [v.tag for v in ours.value] == [v.tag for v in theirs.value]
    for own, other in zip(ours.value, theirs.value):
        first, second = (pixels_of(v.image.encoded_image_string) for v in (own, other))
        assert own.image.colorspace == other.image.colorspace
        # TensorFlow's vectors of doubles round once less: a shade that is nearly whole may fall.
        assert np.abs(first - second).max() <= own.tag.startswith("double"), own.tag


def test_a_scalar(run):
    summary = tf.summary.scalar("a b", 2.5)
    assert summary.name == "a_b:0"
    assert run(summary) == b"\n\x0a\n\x03a_b\x15\x00\x00\x20\x40"
    assert tf.get_collection(tf.GraphKeys.SUMMARIES) == [summary]


def test_a_histogram_counts_all_and_skips_empty_buckets(run):
    values = np.array([-3, 0, 0, 5, 1e30], "f8")
    histogram = summary_of(run, tf.summary.histogram("h", tf.constant(values))).value[0].histo
    assert (histogram.min, histogram.max, histogram.num) == (-3, 1e30, 5)
    assert histogram.sum == values.sum()
    assert histogram.sum_squares == (values**2).sum()
    assert list(histogram.bucket) == [0, 1, 0, 2, 0, 1, 0, 1]
    limits = list(histogram.bucket_limit)
    assert limits == sorted(limits)
    assert limits[-1] == np.finfo("f8").max
    assert limits[0] <= -3 < limits[1]


@pytest.mark.parametrize(("value", "said"), [(np.nan, "Nan"), (np.inf, "Infinity")])
def test_a_histogram_takes_only_finite_numbers(run, value, said):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{said} in summary histogram for: h"):
        run(tf.summary.histogram("h", [1.0, value]))


def test_a_tag_may_come_once(run):
    values = tf.constant(tf.Summary(value=number("a").value).SerializeToString())
    assert tags_in([tf.Event(summary=summary_of(run, tf.summary.merge([values])))]) == ["a"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Duplicate tag a found"):
        run(tf.summary.merge([values, values]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse"):
        run(tf.summary.merge([values, tf.constant(b"\xff\xff")]))
    tf.reset_default_graph()
    assert tf.summary.merge_all() is None


def test_images_of_all_kinds(run):
    values = np.random.RandomState(3).randint(0, 256, (2, 6, 5, 3)).astype("u1")
    images = summary_of(run, tf.summary.image("i", values)).value
    assert [v.tag for v in images] == ["i/image/0", "i/image/1"]
    assert np.array_equal(pixels_of(images[1].image.encoded_image_string), values[1])
    shades = np.array([0.0, 0.5, 2.0, np.nan]).reshape(1, 1, 4, 1)
    image = summary_of(run, tf.summary.image("f", shades, max_outputs=1)).value[0]
    assert image.tag == "f/image"
    assert pixels_of(image.image.encoded_image_string).ravel().tolist() == [0, 63, 255, 255]
    with pytest.raises(tf.errors.InvalidArgumentError, match="last dim 1, 3, or 4"):
        run(tf.summary.image("two", np.zeros([1, 2, 2, 2], "f4")))


def test_a_sound_is_a_wav_file(run):
    sound = np.array([[[0.5, -2.0], [1.0, np.nan]]], "f4")
    audio = summary_of(run, tf.summary.audio("s", sound, 8000, max_outputs=1)).value[0].audio
    assert (audio.sample_rate, audio.num_channels, audio.length_frames) == (8000, 2, 2)
    wav = audio.encoded_audio_string
    assert wav[:4] + wav[8:16] == b"RIFFWAVEfmt "
    assert len(wav) == 44 + 8 == struct.unpack("<I", wav[4:8])[0] + 8
    assert struct.unpack("<4h", wav[44:]) == (16384, -32768, 32767, 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="sample_rate must be > 0"):
        run(tf.summary.audio("z", sound, 0))


def test_texts_and_tensors(run):
    text = summary_of(run, tf.summary.text("t", tf.constant(["a", "b"]))).value[0]
    assert text.metadata.plugin_data.plugin_name == "text"
    assert list(text.tensor.string_val) == [b"a", b"b"]
    with pytest.raises(ValueError, match="to have dtype string"):
        tf.summary.text("n", tf.constant(1))
    tensor = summary_of(run, tf.summary.tensor_summary("x", [[1, 2]], family="f")).value[0]
    assert tensor.tag == "f/f/x"
    assert np.frombuffer(tensor.tensor.tensor_content, "i4").tolist() == [1, 2]


def test_names_of_before_version_1(run):
    merged = tf.merge_summary([tf.scalar_summary("a", 1.0), tf.histogram_summary("b", [2.0])])
    assert tags_in([tf.Event(summary=summary_of(run, merged))]) == ["a", "b"]
    assert tf.train.SummaryWriter is tf.summary.FileWriter


# ---- files ---------------------------------------------------------------------------------------


def test_a_writer_writes_what_it_is_given(tmp_path):
    graph = tf.get_default_graph()
    tf.constant(1.0, name="one")
    with tf.summary.FileWriter(tmp_path / "new" / "logs", graph) as writer:
        writer.add_summary(number("a"), 3)
        writer.add_summary(number("b").SerializeToString(), np.int64(4))
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 5)
        writer.add_run_metadata(number("any message"), "step 6", 6)
        with pytest.raises(ValueError, match="already used"):
            writer.add_run_metadata(number("any message"), "step 6", 6)
    (events,) = events_in(tmp_path / "new" / "logs")
    assert events[0].file_version == "brain.Event:2"
    assert events[0].wall_time > 1e9
    kinds = [event.WhichOneof("what") for event in events]
    assert kinds == [
        "file_version", "graph_def", "summary", "summary", "session_log", "tagged_run_metadata",
    ]  # fmt: skip
    assert tf.GraphDef.FromString(events[1].graph_def).node[0].name == "one"
    assert tags_in(events) == ["a", "b"]
    assert [event.step for event in events] == [0, 0, 3, 4, 5, 6]
    assert events[4].session_log.status == tf.SessionLog.START


def test_how_a_tag_is_shown_is_written_once(tmp_path, run):
    text = run(tf.summary.text("t", tf.constant("a")))
    with tf.summary.FileWriter(tmp_path) as writer:
        writer.add_summary(text, 1)
        writer.add_summary(text, 2)
    (events,) = events_in(tmp_path)
    assert [e.summary.value[0].HasField("metadata") for e in events[1:]] == [True, False]


def test_flush_close_and_reopen(tmp_path):
    writer = tf.summary.FileWriter(tmp_path, filename_suffix=".end")
    (path,) = tmp_path.iterdir()
    assert path.name.startswith("events.out.tfevents.")
    assert path.name.endswith(".end")
    writer.add_summary(number("a"))
    writer.flush()
    assert tags_in(events_in(tmp_path)[0]) == ["a"]
    writer.close()
    with pytest.warns(UserWarning, match="closed FileWriter"):
        writer.add_summary(number("lost"))
    writer.reopen()
    writer.add_summary(number("b"))
    writer.close()
    writer.close()
    assert [tags_in(events) for events in events_in(tmp_path)] == [["a"], ["b"]]


def test_several_threads_may_close_a_file(tmp_path):
    file = EventFile(str(tmp_path), 2000, 60, "")
    for number in range(2000):
        file.add(tf.Event(step=number))
    with ThreadPoolExecutor(8) as threads:
        for closed in [threads.submit(file.close) for _ in range(8)]:
            closed.result()
    (path,) = tmp_path.iterdir()
    assert len(list(tf.train.summary_iterator(str(path)))) == 2001


def test_a_cache_has_one_writer_for_a_folder(tmp_path):
    writer = tf.summary.FileWriterCache.get(tmp_path)
    assert tf.summary.FileWriterCache.get(str(tmp_path)) is writer
    writer.add_summary(number("a"))
    tf.summary.FileWriterCache.clear()
    assert tags_in(events_in(tmp_path)[0]) == ["a"]
    assert tf.summary.FileWriterCache.get(tmp_path) is not writer
    tf.summary.FileWriterCache.clear()


def test_what_was_not_flushed_is_written_when_the_interpreter_ends(tmp_path, python):
    python(
        "import sys, tfbuild_runtime.compat.v1 as tf\n"
        "writer = tf.summary.FileWriter(sys.argv[1], max_queue=100)\n"
        "for step in range(50):\n"
        "    value = tf.Summary.Value(tag=str(step), simple_value=step)\n"
        "    writer.add_summary(tf.Summary(value=[value]), step)",
        str(tmp_path),
    )
    assert tags_in(events_in(tmp_path)[0]) == [str(step) for step in range(50)]


def test_a_dropped_writer_closes_its_file(tmp_path):
    tf.summary.FileWriter(tmp_path).add_summary(number("a"))
    assert tags_in(events_in(tmp_path)[0]) == ["a"]


def test_a_forked_process_writes_a_file_of_its_own(tmp_path):
    writer = tf.summary.FileWriter(tmp_path)
    writer.add_summary(number("before"))
    child = os.fork()
    if child == 0:
        writer.add_summary(number("child"))
        writer.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    writer.add_summary(number("after"))
    writer.close()
    assert sorted(tags_in(events) for events in events_in(tmp_path)) == [
        ["before", "after"], ["child"],
    ]  # fmt: skip


def test_what_cannot_be_written_is_reported(tmp_path):
    with pytest.raises(NotADirectoryError):
        tf.summary.FileWriter("/dev/null/logs")
    # The file is on a full disk from its second megabyte on.
    code = (
        "import resource, signal, sys, tfbuild_runtime.compat.v1 as tf\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "writer = tf.summary.FileWriter(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))\n"
        "value = tf.Summary.Value(tag='x' * 2**19, simple_value=1)\n"
        "try:\n"
        "    for step in range(9):\n"
        "        writer.add_summary(tf.Summary(value=[value]), step)\n"
        "    writer.flush()\n"
        "except tf.errors.ResourceExhaustedError as error:\n"
        "    print('reported', 'tfevents' in error.message)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.stdout == "reported True\n", done.stderr


@pytest.mark.tensorflow
def test_tensorflow_reads_event_files(tmp_path, tensorflow):
    with tf.summary.FileWriter(tmp_path, tf.get_default_graph()) as writer:
        for step in range(100):
            writer.add_summary(number("a", step), step)
    (path,) = tmp_path.iterdir()
    said = tensorflow(
        "import sys, tensorflow.compat.v1 as tf\n"
        "found = list(tf.train.summary_iterator(sys.argv[1]))\n"
        "print(found[0].file_version, len(found), sum(e.step for e in found))",
        str(path),
    )
    assert said.split() == [b"brain.Event:2", b"102", b"4950"]


@pytest.mark.tensorflow
def test_event_files_of_tensorflow_are_read(tmp_path, tensorflow):
    tensorflow(
        "import sys, tensorflow.compat.v1 as tf\n"
        "tf.disable_v2_behavior()\n"
        "writer = tf.summary.FileWriter(sys.argv[1], tf.get_default_graph())\n"
        "value = tf.Summary.Value(tag='a', simple_value=2)\n"
        "writer.add_summary(tf.Summary(value=[value]), 7)\n"
        "writer.close()",
        str(tmp_path),
    )
    (events,) = events_in(tmp_path)
    assert events[0].file_version == "brain.Event:2"
    assert {event.WhichOneof("what") for event in events} >= {"graph_def", "summary"}
    assert (events[-1].step, tags_in(events)) == (7, ["a"])
