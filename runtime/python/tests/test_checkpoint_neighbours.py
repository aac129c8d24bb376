"""Others in the folder of a checkpoint: another writer of it, and what strangers have put there."""

import os
import subprocess
import sys

import pytest
import tfbuild_runtime.compat.v1 as tf

WRITER = """
import os, sys
import tfbuild_runtime.compat.v1 as tf
prefix, number, rounds = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
variables = [tf.get_variable(name, [1000]) for name in "vw"]
value = tf.placeholder(tf.float32, [])
assign = tf.group(*(v.assign(tf.fill([1000], value)) for v in variables))
saver = tf.train.Saver()
with tf.Session() as session:
    for step in range(rounds):
        session.run(assign, {value: number})
        print("ready", flush=True)
        sys.stdin.readline()
        saver.save(session, prefix, write_meta_graph=False, write_state=False)
"""


def write_together(prefix, rounds):
    """Have two processes save it, both at once in each round; yield behind each round."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, prefix, str(number), str(rounds)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
        )
        for number in (1, 2)
    ]  # fmt: skip
    for _ in range(rounds):
        assert [writer.stdout.readline() for writer in writers] == ["ready\n"] * 2
        for writer in writers:
            writer.stdin.write("go\n")
            writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=60)
        assert writer.returncode == 0


def test_one_of_two_writers_wins(tmp_path):
    """The checkpoint behind them is whole, and that of one of them."""
    prefix = str(tmp_path / "model")
    for _ in range(3):
        write_together(prefix, 20)
        reader = tf.train.load_checkpoint(prefix)
        found = {float(x) for name in "vw" for x in reader.get_tensor(name)}
        assert found in ({1.0}, {2.0})


def test_a_link_in_the_place_of_the_file_aside_is_not_followed(tmp_path):
    victim = tmp_path / "victim"
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / f".checkpoint.{os.getpid()}.part").symlink_to(victim)
    os.mkfifo(folder / f".checkpoint.{os.getpid() + 1}.part")
    tf.train.update_checkpoint_state(str(folder), str(folder / "model-1"))
    assert not victim.exists()
    state = tf.train.get_checkpoint_state(str(folder))
    assert state.model_checkpoint_path == str(folder / "model-1")


@pytest.mark.parametrize("name", ["/*/*/*/*/*/*/*/*/*/*/x", "[" + "x" * 5000, "model-?????"])
def test_a_state_file_names_no_pattern(name, tmp_path):
    """A search of the whole file system would have no end."""
    (tmp_path / "checkpoint").write_text(f'model_checkpoint_path: "{name}"\n')
    (tmp_path / "model-abcde").write_bytes(b"x")
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
