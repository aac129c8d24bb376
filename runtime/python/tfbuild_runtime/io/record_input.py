"""RecordInput: batches of records out of many files, shuffled, for ever."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.io.tf_record import TFRecordOptions
from tfbuild_runtime.ops import array_ops
from tfbuild_runtime.ops.emit import emit


class RecordInput:
    """Draws records of the files that a pattern fits out of a buffer; each round has all once."""

    def __init__(self, file_pattern: str, batch_size: int = 1, buffer_size: int = 1,
                 parallelism: int = 1, shift_ratio: float = 0, seed: int = 0,
                 name: str | None = None, batches: int | None = None,
                 compression_type: Any = None) -> None:  # fmt: skip
        self._attrs = {
            "file_pattern": file_pattern, "batch_size": batch_size * (batches or 1),
            "file_buffer_size": buffer_size, "file_parallelism": parallelism,
            "file_shuffle_shift_ratio": float(shift_ratio), "file_random_seed": seed,
            "compression_type": TFRecordOptions.get_compression_type_string(
                TFRecordOptions(compression_type or 0)
            ),
        }  # fmt: skip
        self._batches = batches
        self._name = name

    def get_yield_op(self) -> Any:
        """Return a batch of records as a tensor; with `batches` so many lists of scalar tensors."""
        records = emit("RecordInput", [], self._name, **self._attrs)
        if self._batches is None:
            return records
        single = array_ops.unstack(records, self._attrs["batch_size"])
        return [single[first :: self._batches] for first in range(self._batches)]
