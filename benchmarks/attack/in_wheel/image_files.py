"""Damaged image files: good ones of every kind, changed so that readers get deep into them."""

import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import tfbuild_runtime.compat.v1 as tf
from smoke_malformed import changed

_PNG = b"\x89PNG\r\n\x1a\n"
_SIDES = (0, 1, 2, 255, 256, 32767, 65535, 1 << 20, (1 << 31) - 1, (1 << 32) - 1)


def images(folder):
    """Give what tries a damaged image file on every operation that reads one."""
    root = Path(__file__).resolve().parents[3]
    with zipfile.ZipFile(root / "runtime/python/tests/tensorflow_images/files.zip") as archive:
        goods = [archive.read(name) for name in archive.namelist()]
    by_kind = [[good for good in goods if good[:2] == begin[:2]] for begin in (_PNG, b"GI", b"BM")]
    by_kind.append([good for good in goods if good[:2] == b"\xff\xd8"])
    with tf.Graph().as_default() as graph:
        data = tf.placeholder(tf.string, [])
        window = tf.placeholder(tf.int32, [4])
        readers = [
            tf.image.decode_image(data),
            tf.image.decode_image(data, dtype=tf.float32),
            tf.image.decode_png(data, channels=1, dtype=tf.uint16),
            tf.image.decode_png(data, channels=4),
            tf.image.decode_gif(data),
            tf.image.decode_bmp(data),
            tf.image.decode_jpeg(data, channels=3, try_recover_truncated=True),
            tf.image.decode_jpeg(data, ratio=4, fancy_upscaling=False, acceptable_fraction=0.3),
            tf.image.decode_jpeg(data, dct_method="INTEGER_ACCURATE"),
            tf.image.decode_and_crop_jpeg(data, window),
            tf.image.extract_jpeg_shape(data),
        ]
    session = tf.Session(graph=graph)

    def attempt(chance):
        raw = chance.choice(chance.choice(by_kind))
        for _ in range(chance.randint(1, 2)):
            raw = damaged(raw, chance) if raw else raw
        places = [chance.choice((0, 1, 3, 9, -1, 1 << 30)) for _ in range(4)]
        session.run(chance.choice(readers), {data: raw, window: np.array(places, "i4")})

    return attempt, (tf.errors.OpError,)


def damaged(raw, chance):
    """The file with some of it changed; of a PNG, often with checksums that are right."""
    if raw[:8] == _PNG and chance.random() < 0.7:
        return damaged_png(raw, chance)
    if raw[:2] == b"\xff\xd8" and chance.random() < 0.3:
        at = max(raw.find(b"\xff\xc0"), raw.find(b"\xff\xc2"))
        sides = struct.pack(">HH", chance.choice(_SIDES) & 0xFFFF, chance.choice(_SIDES) & 0xFFFF)
        return raw[: at + 5] + sides + raw[at + 9 :] if at > 0 else raw
    if raw[:2] == b"BM" and chance.random() < 0.5:
        at = chance.choice((10, 18, 22, 28))
        return raw[:at] + struct.pack("<I", chance.choice(_SIDES)) + raw[at + 4 :]
    return changed(raw, chance.getrandbits(60))


def damaged_png(raw, chance):
    """A PNG with a part changed, left out or doubled, or with other rows."""
    parts, at = [], 8
    while at + 12 <= len(raw):
        length = int.from_bytes(raw[at : at + 4], "big")
        parts.append((raw[at + 4 : at + 8], raw[at + 8 : at + 8 + length]))
        at += length + 12
    if not parts:
        return raw
    place = chance.randrange(len(parts))
    kind, content = parts[place]
    what = chance.randrange(5)
    if what == 0:
        del parts[place]
    elif what == 1:
        parts.insert(place, parts[chance.randrange(len(parts))])
    elif kind == b"IHDR" and len(content) == 13:
        side = struct.pack(">I", chance.choice(_SIDES))
        kinds = bytes([chance.choice((1, 2, 4, 8, 16, 3)), chance.choice((0, 2, 3, 4, 6, 1))])
        parts[place] = (
            kind,
            chance.choice((side + content[4:], content[:8] + kinds + content[10:])),
        )
    elif kind == b"IDAT" and what == 2:
        rows = bytes(chance.randrange(6) if chance.random() < 0.3 else 0 for _ in range(600))
        parts[place] = (kind, zlib.compress(rows))
    else:
        parts[place] = (kind, changed(content, chance.getrandbits(60)) if content else b"\0")
    made = _PNG
    for kind, content in parts:
        sum_of = zlib.crc32(kind + content)
        made += struct.pack(">I", len(content)) + kind + content + struct.pack(">I", sum_of)
    return made
