"""TFRecord files: strings of bytes one after the other, each with its checksum."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from tfbuild_runtime.framework import native


class TFRecordCompressionType:
    """The ways in which a file of records can be compressed."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


_NAMES = {
    TFRecordCompressionType.NONE: "",
    TFRecordCompressionType.ZLIB: "ZLIB",
    TFRecordCompressionType.GZIP: "GZIP",
}
_DEFAULT_LEVEL = -1


class TFRecordOptions:
    """How a file of records is compressed."""

    compression_type_map = _NAMES

    def __init__(self, compression_type: Any = None, flush_mode: int | None = None,
                 input_buffer_size: int | None = None, output_buffer_size: int | None = None,
                 window_bits: int | None = None, compression_level: int | None = None,
                 compression_method: int | None = None, mem_level: int | None = None,
                 compression_strategy: int | None = None) -> None:  # fmt: skip
        # The others change how zlib works, not what can be read afterwards.
        del flush_mode, input_buffer_size, output_buffer_size, window_bits
        del compression_method, mem_level, compression_strategy
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.compression_level = compression_level

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """Return "", "ZLIB" or "GZIP"; raises ValueError for what names no compression."""
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if options in _NAMES:
            return _NAMES[options]
        if options in _NAMES.values():
            return str(options)
        raise ValueError(f'Not a valid compression_type: "{options}"')


class TFRecordWriter:
    """Writes records into a new file; what had its name is gone."""

    def __init__(self, path: Any, options: Any = None) -> None:
        level = getattr(options, "compression_level", None)
        self._writer = native.RecordWriter(
            os.fsencode(path), False, TFRecordOptions.get_compression_type_string(options),
            _DEFAULT_LEVEL if level is None else level,
        )  # fmt: skip

    def write(self, record: bytes) -> None:
        """Append a record; raises an OpError when it cannot be written."""
        self._writer.write(record.encode() if isinstance(record, str) else bytes(record))

    def flush(self) -> None:
        """Hand all records to the system, so that others can read them."""
        self._writer.flush()

    def close(self) -> None:
        """Write what is left and close the file."""
        self._writer.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """Yield the records of a file; raises DataLossError where one is cut short or damaged."""
    compression = TFRecordOptions.get_compression_type_string(options)
    reader = native.RecordReader(os.fsencode(path), compression)
    while (record := reader.read()) is not None:
        yield record
