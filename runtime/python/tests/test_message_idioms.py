"""Idioms of protocol buffers with graphs and configurations, against TensorFlow 2.21's answers."""

import json
import pickle
from pathlib import Path

import message_programs
import programs
import pytest
import tfbuild_runtime.compat.v1 as tf
from google.protobuf import text_format
from test_programs import assert_alike
from tfbuild_runtime.framework import native

THEIRS = json.loads(Path(__file__).with_name("message_programs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(message_programs.PROGRAMS))
def test_an_idiom_gives_what_tensorflow_gives(name):
    assert_alike(programs.plain(message_programs.PROGRAMS[name](tf)), THEIRS[name])


def test_protobuf_is_loaded_with_the_first_message_alone(python):
    said = python(
        "import sys\n"
        "import tfbuild_runtime.compat.v1 as tf\n"
        "def loaded(): return 'google.protobuf' in sys.modules\n"
        "x = tf.placeholder(tf.float32, [2])\n"
        "with tf.Session() as session: session.run(x + 1.0, {x: [1.0, 2.0]})\n"
        "print(loaded(), tf.ConfigProto().ByteSize(), loaded())\n"
    )
    assert said.split() == ["False", "0", "True"]


def test_threads_that_ask_first_get_messages_of_one_kind(python):
    said = python(
        "import sys, threading\n"
        "sys.setswitchinterval(1e-6)\n"
        "from tfbuild_runtime.protos import messages\n"
        "barrier, found = threading.Barrier(8), []\n"
        "def ask():\n"
        "    barrier.wait()\n"
        "    found.append(messages.NodeDef(name='n'))\n"
        "threads = [threading.Thread(target=ask) for _ in range(8)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "print(len(messages.GraphDef(node=found).node), len({type(one) for one in found}))\n"
    )
    assert said.split() == ["8", "1"]


def test_a_pickled_message_is_read_by_another_process(python):
    value = tf.AttrValue.ListValue(i=[1, 2])
    said = python(
        "import pickle, sys\n"
        "found = pickle.loads(bytes.fromhex(sys.argv[1]))\n"
        "print(pickle.loads(pickle.dumps(found)) == found, list(found.i))\n",
        pickle.dumps(value).hex(),
    )
    assert said == "True [1, 2]\n"


def test_what_passes_did_is_kept_in_the_bytes_and_left_out_of_events(tmp_path):
    metadata = tf.RunMetadata()
    x = tf.placeholder(tf.float32, [2], name="x")
    with tf.Session() as session:
        session.run(x + 1.0, {x: [1.0, 2.0]}, tf.RunOptions(trace_level=1), metadata)
    again = tf.RunMetadata.FromString(metadata.SerializeToString())
    assert [one.name for one in again.passes] == [one.name for one in metadata.passes]
    assert dict(again.peak_bytes) == dict(metadata.peak_bytes)
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_run_metadata(metadata, "step")
    (path,) = tmp_path.iterdir()
    (event,) = [one.tagged_run_metadata for one in tf.train.summary_iterator(str(path))
                if one.HasField("tagged_run_metadata")]  # fmt: skip
    written = tf.RunMetadata.FromString(event.run_metadata)
    assert written.step_stats == metadata.step_stats
    assert metadata.passes
    assert not written.passes


def test_a_graph_that_no_message_has_room_for_is_refused(monkeypatch):
    class Long(bytes):
        def __len__(self):
            return 1 << 31

    monkeypatch.setattr(native, "graph_to_graph_def", lambda *_: Long())
    with pytest.raises(ValueError, match="cannot be larger than 2GB"):
        tf.get_default_graph().as_graph_def()


def test_the_same_graph_is_the_same_file(tmp_path):
    with tf.Graph().as_default() as graph:
        tf.strided_slice(tf.placeholder(tf.float32, [8]), [0], [4], [2])
    paths = [tf.train.write_graph(graph, str(tmp_path), name, as_text=name.endswith("txt"))
             for name in ("a.pb", "b.pb", "a.pbtxt")]  # fmt: skip
    one, other, text = (Path(path).read_bytes() for path in paths)
    assert one == other
    assert tf.GraphDef.FromString(one) == graph.as_graph_def()
    assert text_format.Parse(text, tf.GraphDef()) == graph.as_graph_def()
