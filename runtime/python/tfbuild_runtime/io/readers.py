"""Readers: records of many files, whose names come from a queue."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.operation import Operation
from tfbuild_runtime.io.queues import QueueBase
from tfbuild_runtime.io.tf_record import TFRecordOptions


class ReaderRead(NamedTuple):
    """A record."""

    key: Any
    value: Any


class ReaderReadUpTo(NamedTuple):
    """Several records."""

    keys: Any
    values: Any


class ReaderBase:
    """What all readers can do."""

    def __init__(self, reader_ref: Any, supports_serialize: bool = False) -> None:
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Any:
        """The tensor that holds its handle."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether where it is can be saved and restored."""
        return self._supports_serialize

    def read(self, queue: Any, name: str | None = None) -> ReaderRead:
        """Return the key and the value of the next record; names of work come from the queue."""
        return ReaderRead(*self._op("ReaderReadV2", [_ref(queue)], name).outputs)

    def read_up_to(self, queue: Any, num_records: Any,
                   name: str | None = None) -> ReaderReadUpTo:  # fmt: skip
        """Return keys and values of up to so many records, all of one piece of work."""
        count = framework.convert_to_tensor(num_records, dtypes.int64, name="num_records")
        return ReaderReadUpTo(*self._op("ReaderReadUpToV2", [_ref(queue), count], name).outputs)

    def num_records_produced(self, name: str | None = None) -> Any:
        """Return how many records it has given."""
        return self._op("ReaderNumRecordsProducedV2", [], name).outputs[0]

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """Return how many pieces of work it has read to their end."""
        return self._op("ReaderNumWorkUnitsCompletedV2", [], name).outputs[0]

    def serialize_state(self, name: str | None = None) -> Any:
        """Return where it is, as a string tensor."""
        return self._op("ReaderSerializeStateV2", [], name).outputs[0]

    def restore_state(self, state: Any, name: str | None = None) -> Operation:
        """Return an operation that brings it to where it was."""
        return self._op("ReaderRestoreStateV2", [state], name)

    def reset(self, name: str | None = None) -> Operation:
        """Return an operation that brings it to its beginning."""
        return self._op("ReaderResetV2", [], name)

    def _op(self, kind: str, inputs: list[Any], name: str | None) -> Operation:
        return framework.apply_op(kind, [self._reader_ref, *inputs], None, name or kind)


def _ref(queue: Any) -> Any:
    return queue.queue_ref if isinstance(queue, QueueBase) else queue


def _make(kind: str, name: str | None, **attrs: Any) -> Any:
    return framework.apply_op(kind, [], attrs, name or kind).outputs[0]


class WholeFileReader(ReaderBase):
    """Gives each file as one record, under its name."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(_make("WholeFileReaderV2", name), supports_serialize=True)


class IdentityReader(ReaderBase):
    """Gives each piece of work, whatever it is, as a record under its own name."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(_make("IdentityReaderV2", name), supports_serialize=True)


class TextLineReader(ReaderBase):
    """Gives the lines of text files, without their ends, under "file:number"."""

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__(_make("TextLineReaderV2", name, skip_header_lines=skip_header_lines))


class FixedLengthRecordReader(ReaderBase):
    """Gives records of one size, under "file:number"; the next begins hop_bytes behind the last."""

    def __init__(self, record_bytes: int, header_bytes: int | None = None,
                 footer_bytes: int | None = None, hop_bytes: int | None = None,
                 name: str | None = None, encoding: str | None = None) -> None:  # fmt: skip
        super().__init__(_make(
            "FixedLengthRecordReaderV2", name, record_bytes=record_bytes,
            header_bytes=header_bytes, footer_bytes=footer_bytes, hop_bytes=hop_bytes,
            encoding=encoding,
        ))  # fmt: skip


class TFRecordReader(ReaderBase):
    """Gives the records of TFRecord files, under "file:offset"."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        compression = TFRecordOptions.get_compression_type_string(options)
        super().__init__(_make("TFRecordReaderV2", name, compression_type=compression))
