"""Write files.zip and values.npz: image files of all kinds, and what TensorFlow makes of images.

Run by the Python of an environment with TensorFlow 2.21 and Pillow: python make.py
"""

import io
import struct
import zipfile
import zlib
from pathlib import Path

import cases
import numpy as np
import tensorflow
from PIL import Image

HERE = Path(__file__).resolve().parent

CHANCE = np.random.RandomState(11)
PASSES = [
    (0, 0, 8, 8),
    (0, 4, 8, 8),
    (4, 0, 8, 4),
    (0, 2, 4, 4),
    (2, 0, 4, 2),
    (0, 1, 2, 2),
    (1, 0, 2, 1),
]


def chunk(kind, data):
    """Return a part of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(bits, colour, extra=b"", interlaced=False, size=(9, 13)):
    """Return a PNG of random pixels, each row by a random filter."""
    height, width = size
    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    most = 20 if colour == 3 and bits == 8 else 1 << bits
    pixels = CHANCE.randint(0, most, (height, width, samples))
    pixels[:, : width // 3] = pixels[:, -1:] // 2  # some that are alike
    passes = PASSES if interlaced else [(0, 0, 1, 1)]
    raw = b"".join(rows_of(pixels[y::dy, x::dx], bits) for y, x, dy, dx in passes)
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, int(interlaced))
    data = zlib.compress(raw)
    parts = [chunk(b"IDAT", data[:50]), chunk(b"IDAT", data[50:])]
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + extra
        + b"".join(parts)
        + chunk(b"IEND", b"")
    )


def rows_of(pixels, bits):
    """Return rows as bytes, filtered."""
    if 0 in pixels.shape:
        return b""
    step = max(1, pixels.shape[2] * bits // 8)
    above, out = None, b""
    for row in pixels.reshape(len(pixels), -1):
        if bits == 16:
            line = np.frombuffer(row.astype(">u2").tobytes(), "u1").astype(int)
        else:
            spread = np.unpackbits(row.astype("u1")[:, None], axis=1)[:, 8 - bits :]
            line = np.packbits(spread).astype(int)
        above = np.zeros_like(line) if above is None else above
        left = np.concatenate([np.zeros(step, int), line[:-step]])[: len(line)]
        corner = np.concatenate([np.zeros(step, int), above[:-step]])[: len(line)]
        kind = CHANCE.randint(5)
        guess = left + above - corner
        near = np.stack([abs(guess - n) for n in (left, above, corner)]).argmin(0)
        paeth = np.choose(near, [left, above, corner])
        predicted = [0, left, above, (left + above) // 2, paeth][kind]
        out += bytes([kind]) + ((line - predicted) % 256).astype("u1").tobytes()
        above = line
    return out


def pngs():
    """Give PNGs of all kinds."""
    palette = chunk(b"PLTE", CHANCE.bytes(3 * 16))
    for colour, depths in (
        (0, (1, 2, 4, 8, 16)),
        (2, (8, 16)),
        (3, (1, 2, 4, 8)),
        (4, (8, 16)),
        (6, (8, 16)),
    ):
        for bits in depths:
            extra = palette if colour == 3 else b""
            for interlaced in (False, True):
                name = f"png-{colour}-{bits}{'-interlaced' if interlaced else ''}"
                yield name, png(bits, colour, extra, interlaced)
    yield "png-2-8-srgb", png(8, 2, chunk(b"sRGB", b"\0"))
    yield "png-2-8-gamma", png(8, 2, chunk(b"gAMA", struct.pack(">I", 80000)))
    yield "png-3-8-clear", png(8, 3, palette + chunk(b"tRNS", CHANCE.bytes(9)))
    yield "png-0-4-clear", png(4, 0, chunk(b"tRNS", b"\0\3"))
    yield "png-0-16-clear", png(16, 0, chunk(b"tRNS", b"\1\3"))
    yield "png-2-8-clear", png(8, 2, chunk(b"tRNS", b"\0\3\0\4\0\5"))
    yield "png-0-8-tiny", png(8, 0, b"", True, (1, 2))


def jpegs():
    """Give JPEGs of several kinds."""
    smooth = np.kron(CHANCE.randint(0, 256, (5, 6, 3)), np.ones((7, 6, 1))).astype("u1")
    image = Image.fromarray(
        np.clip(smooth + CHANCE.randint(-9, 9, smooth.shape), 0, 255).astype("u1")
    )
    for number, name in enumerate(("444", "422", "420")):
        yield f"jpeg-{name}", saved(image, "JPEG", quality=80, subsampling=number)
    yield "jpeg-grey", saved(image.convert("L"), "JPEG", quality=70)
    yield "jpeg-progressive", saved(image, "JPEG", quality=75, progressive=True)
    yield "jpeg-restarts", saved(image, "JPEG", quality=75, restart_marker_rows=1)
    yield "jpeg-cmyk", saved(image.convert("CMYK"), "JPEG", quality=85)
    yield "jpeg-odd", saved(image.crop((0, 0, 23, 19)), "JPEG", quality=90, subsampling=2)


def gifs():
    """Give GIFs: one frame and several, with parts and holes."""
    frames = [
        Image.fromarray(np.kron(CHANCE.randint(0, 256, (3, 4, 3)), np.ones((5, 5, 1))).astype("u1"))
        for _ in range(3)
    ]
    frames.append(frames[-1].copy())
    frames[-1].paste((10, 200, 30), (3, 2, 9, 8))
    yield "gif-one", saved(frames[0], "GIF")
    yield "gif-many", saved(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=40)
    yield (
        "gif-noise",
        saved(Image.fromarray(CHANCE.randint(0, 256, (40, 50)).astype("u1")), "GIF", interlace=1),
    )
    yield (
        "gif-plain",
        saved(Image.fromarray(CHANCE.randint(0, 256, (30, 20)).astype("u1")), "GIF", interlace=0),
    )


def bmps():
    """Give BMPs of 8, 24 and 32 bits."""
    pixels = CHANCE.randint(0, 256, (7, 5, 4)).astype("u1")
    yield "bmp-24", saved(Image.fromarray(pixels[..., :3]), "BMP")
    yield "bmp-32", saved(Image.fromarray(pixels), "BMP")
    yield "bmp-8", saved(Image.fromarray(pixels[..., 0]), "BMP")
    down = bytearray(saved(Image.fromarray(pixels[..., :3]), "BMP"))
    down[22:26] = struct.pack("<i", -7)
    yield "bmp-down", bytes(down)


def saved(image, kind, **options):
    """Return an image's file."""
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def main():
    """Write both."""
    tf = tensorflow.compat.v1
    held = dict([*pngs(), *jpegs(), *gifs(), *bmps()])
    with zipfile.ZipFile(HERE / "files.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in held.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    found = {}
    parts = {
        "files": lambda tf: cases.files(tf, held),
        "written": cases.written,
        "values": cases.values,
        "draws": cases.draws,
        "slopes": cases.slopes,
    }
    for part, give in parts.items():
        with tf.Graph().as_default(), tf.Session() as session:
            got = session.run(dict(give(tf)))
        found.update({f"{part}:{name}": value for name, value in got.items()})
    np.savez_compressed(
        HERE / "values.npz",
        **{
            name: np.frombuffer(value, "u1") if isinstance(value, bytes) else value
            for name, value in found.items()
        },
    )


if __name__ == "__main__":
    main()
