"""Image files: JPEG, PNG, GIF and BMP read and written."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import math_ops
from tfbuild_runtime.ops.emit import emit, only_one


def decode_jpeg(contents: Any, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,
                try_recover_truncated: bool = False, acceptable_fraction: float = 1,
                dct_method: str = "", name: str | None = None) -> Any:  # fmt: skip
    """Return the pixels of an image file, uint8 of [rows, columns, channels]."""
    return emit("DecodeJpeg", [contents], name, channels=channels, ratio=ratio,
                fancy_upscaling=fancy_upscaling, try_recover_truncated=try_recover_truncated,
                acceptable_fraction=acceptable_fraction, dct_method=dct_method)  # fmt: skip


def decode_and_crop_jpeg(contents: Any, crop_window: Any, channels: int = 0, ratio: int = 1,
                         fancy_upscaling: bool = True, try_recover_truncated: bool = False,
                         acceptable_fraction: float = 1, dct_method: str = "",
                         name: str | None = None) -> Any:  # fmt: skip
    """Return a part of a JPEG: crop_window is [row, column, rows, columns]."""
    return emit("DecodeAndCropJpeg", [contents, crop_window], name, channels=channels, ratio=ratio,
                fancy_upscaling=fancy_upscaling, try_recover_truncated=try_recover_truncated,
                acceptable_fraction=acceptable_fraction, dct_method=dct_method)  # fmt: skip


def decode_png(contents: Any, channels: int = 0, dtype: Any = dtypes.uint8,
               name: str | None = None) -> Any:  # fmt: skip
    """Return the pixels of an image file, of 8 or 16 bits."""
    return emit("DecodePng", [contents], name, channels=channels, dtype=dtypes.as_dtype(dtype))


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Any:
    """Return the pixels of a BMP."""
    return emit("DecodeBmp", [contents], name, channels=channels)


def decode_gif(contents: Any, name: str | None = None) -> Any:
    """Return the frames of a GIF, [frames, rows, columns, 3]."""
    return emit("DecodeGif", [contents], name)


def decode_image(contents: Any = None, channels: int | None = None, dtype: Any = dtypes.uint8,
                 name: str | None = None, expand_animations: bool = True,
                 bytes: Any = None) -> Any:  # fmt: skip
    """Return the pixels of an image file; of a GIF all frames if expand_animations."""
    contents = only_one(contents, bytes, "contents", "bytes")
    return emit("DecodeImage", [contents], name, channels=channels or 0,
                dtype=dtypes.as_dtype(dtype), expand_animations=expand_animations)  # fmt: skip


def extract_jpeg_shape(
    contents: Any, output_type: Any = dtypes.int32, name: str | None = None
) -> Any:
    """Return [rows, columns, channels] of a JPEG by its header alone."""
    return emit("ExtractJpegShape", [contents], name, output_type=dtypes.as_dtype(output_type))


def is_jpeg(contents: Any, name: str | None = None) -> Any:
    """Return whether a file begins as JPEGs do."""
    with framework.name_scope(name, "is_jpeg"):
        begin = emit("Substr", [framework.convert_to_tensor(contents), 0, 3], "substr")
        return math_ops.equal(begin, b"\xff\xd8\xff")


def encode_jpeg(image: Any, format: str = "", quality: int = 95,
                progressive: bool = False, optimize_size: bool = False,
                chroma_downsampling: bool = True, density_unit: str = "in", x_density: int = 300,
                y_density: int = 300, xmp_metadata: str = "",
                name: str | None = None) -> Any:  # fmt: skip
    """Return a JPEG file of an image of bytes."""
    return emit("EncodeJpeg", [image], name, format=format, quality=quality,
                progressive=progressive, optimize_size=optimize_size,
                chroma_downsampling=chroma_downsampling,
                density_unit=density_unit, x_density=x_density, y_density=y_density,
                xmp_metadata=xmp_metadata)  # fmt: skip


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Any:
    """Return a PNG file of an image of uint8 or uint16, or a file for each of a batch."""
    return emit("EncodePng", [framework.convert_to_tensor(image)], name, compression=compression)
