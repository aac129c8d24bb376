"""Damaged checkpoints of version 1: tables whose keys, messages and blocks are changed."""

import struct

import numpy as np
import tfbuild_runtime.compat.v1 as tf
from graph_source import varint
from message_edits import edited, masked_sum, varint_at
from smoke_malformed import changed

_MAGIC = struct.pack("<Q", 0xDB4775248B80FB57)
_KINDS = ("f4", "f8", "f2", "i4", "i8", "i2", "i1", "u1", "?", "c8")
_BLOCK = 300  # so small that a table has several


def entries_of(raw):
    """The keys and values of a good table, in their order."""
    _, at = _place_at(raw, len(raw) - 48)
    index, _ = _place_at(raw, at)
    found = []
    for _, place in _entries_of_block(raw, index):
        found += _entries_of_block(raw, _place_at(place, 0)[0])
    return found


def table_of(entries, chance):
    """A table of entries, in blocks that are now and then changed or packed; its sums are right."""
    blocks, rows = [], []
    for key, value in entries:
        rows.append((key, value))
        if sum(len(row[1]) for row in rows) > _BLOCK:
            blocks.append(rows)
            rows = []
    blocks.append(rows)
    made, index = b"", []
    bad = chance.randrange(len(blocks)) if chance.random() < 0.3 else -1
    for number, rows in enumerate(blocks):
        packed = chance.random() < 0.5
        block = _block_of(rows, packed=packed, chance=chance if number == bad else None)
        last = rows[-1][0] if rows else b"\xff"
        index.append((last, varint(len(made)) + varint(len(block) - 5)))
        made += block
    block = _block_of(index, packed=False, chance=chance if chance.random() < 0.1 else None)
    footer = varint(len(made)) + varint(0) + varint(len(made)) + varint(len(block) - 5)
    return made + block + footer.ljust(40, b"\0") + _MAGIC


def _place_at(raw, at):
    """Where a block lies, offset and size, and where the numbers end that say so."""
    offset, at = varint_at(raw, at)
    size, at = varint_at(raw, at)
    return (offset, size), at


def _entries_of_block(raw, place):
    offset, size = place
    block = raw[offset : offset + size]
    end = len(block) - 4 - 4 * struct.unpack("<I", block[-4:])[0]
    at, key, found = 0, b"", []
    while at < end:
        shared, at = varint_at(block, at)
        own, at = varint_at(block, at)
        length, at = varint_at(block, at)
        key = key[:shared] + block[at : at + own]
        at += own + length
        found.append((key, block[at - length : at]))
    return found


def _block_of(rows, *, packed, chance):
    """A block of entries with its kind and sum; with chance its bytes are changed before that."""
    block = b"".join(
        varint(0) + varint(len(key)) + varint(len(value)) + key + value for key, value in rows
    )
    block += struct.pack("<II", 0, 1)
    if packed:
        block = varint(len(block)) + b"".join(
            bytes([(len(piece) - 1) << 2]) + piece
            for piece in (block[at : at + 60] for at in range(0, len(block), 60))
        )
    if chance is not None:
        block = changed(block, chance.getrandbits(60))
    block += b"\1" if packed else b"\0"
    return block + struct.pack("<I", masked_sum(block))


def damaged(raw, chance):
    """The file with bytes changed, or with an entry left out, doubled, renamed or edited inside."""
    if chance.random() < 0.2:
        return changed(raw, chance.getrandbits(60))
    entries = entries_of(raw)
    for _ in range(chance.randint(1, 3)):
        at, other = chance.randrange(len(entries)), chance.randrange(len(entries))
        key, value = entries[at]
        what = chance.random()
        if what < 0.7:
            entries[at] = (key, edited(value, chance))
        elif what < 0.8:
            entries[at] = (key, entries[other][1])
        elif what < 0.9:
            entries[at] = (changed(key, chance.getrandbits(60)) if key else b"x", value)
        elif len(entries) > 1:
            del entries[at]
    return table_of(entries, chance)


def old_checkpoints(folder):
    """Give what tries damaged checkpoints of version 1, in one file and in two that go together."""
    with tf.Graph().as_default() as graph:
        for number, kind in enumerate(_KINDS):
            with tf.device(f"/cpu:{number % 2}"):
                tf.Variable(np.arange(6).reshape(2, 3).astype(kind), name=f"v{number}")
        tf.Variable(np.float32(1.5), name="scalar")
        tf.Variable(["one", "", "three"], name="words")
        with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(3)):
            tf.get_variable("parts", initializer=tf.reshape(tf.range(28), [7, 4]))
        savers = [tf.train.Saver(sharded=sharded, write_version=1) for sharded in (False, True)]
        session = tf.Session(graph=graph, config=tf.ConfigProto(device_count={"CPU": 2}))
        session.run(tf.global_variables_initializer())
        for saver, name in zip(savers, ("one", "two")):
            saver.save(session, str(folder / name), write_meta_graph=False, write_state=False)
    goods = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    groups = [[name for name in goods if name.startswith(begin)] for begin in ("one", "two")]

    def attempt(chance):
        which = chance.randrange(2)
        at = chance.choice(groups[which])
        for name in groups[which]:
            raw = damaged(goods[name], chance) if name == at else goods[name]
            (folder / f"bad-{name}").write_bytes(raw)
        pattern = str(folder / ("bad-one", "bad-two-?????-of-*")[which])
        if chance.random() < 0.5:
            savers[which].restore(session, pattern)
            return
        reader = tf.train.load_checkpoint(pattern)
        for name in reader.get_variable_to_shape_map():
            reader.get_tensor(name)

    return attempt, (tf.errors.OpError,)
