"""Datasets of files: lines, records, fields."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.data import specs, structure
from tfbuild_runtime.data.building import int64
from tfbuild_runtime.data.dataset import Dataset
from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.io.files import matching_files
from tfbuild_runtime.ops import host_ops

_BUFFER = 256 * 1024
_STRING = specs.TensorSpec((), dtypes.string)


def _files(filenames: Any) -> Any:
    """Return the names as a tensor; those of a dataset of names as that dataset."""
    if isinstance(filenames, Dataset):
        spec = filenames.element_spec
        if not isinstance(spec, specs.TensorSpec) or spec.dtype != dtypes.string:
            raise TypeError("The `filenames` argument must contain `tf.string` elements.")
        return filenames
    tensor = framework.convert_to_tensor(filenames, name="filenames")
    if tensor.dtype != dtypes.string:
        raise TypeError(f"The `filenames` argument must contain `tf.string` elements. Got "
                        f"{tensor.dtype!r} elements.")  # fmt: skip
    return tensor


class _FileDataset(Dataset):
    """A dataset of strings out of files; `op` and its inputs behind the names are the class's."""

    def _read(self, op: str, filenames: Any, rest: list[Any], parallel: Any = None) -> None:
        names = _files(filenames)
        if isinstance(names, Dataset):

            def one(name: Any) -> Dataset:
                return _OpDataset(op, name, rest)

            if parallel is None:
                made = names.flat_map(one)
            else:
                made = names.interleave(one, parallel, num_parallel_calls=parallel)
            tensor = made._variant_tensor
        else:
            if parallel is not None:
                files = Dataset.from_tensor_slices(
                    framework.apply_op("Reshape", [names, [-1]]).outputs[0]
                )
                self._read(op, files, rest, parallel)
                return
            tensor = framework.apply_op(op, [names, *rest]).outputs[0]
        Dataset.__init__(self, tensor, _STRING)


class _OpDataset(Dataset):
    def __init__(self, op: str, name: Any, rest: list[Any]) -> None:
        super().__init__(framework.apply_op(op, [name, *rest]).outputs[0], _STRING)


def _string(value: Any) -> Any:
    return framework.convert_to_tensor("" if value is None else value, dtypes.string)


def _size(value: Any, name: str = "buffer_size") -> Any:
    return int64(_BUFFER if value is None else value, name)


class TextLineDataset(_FileDataset):
    """The lines of files, without their ends."""

    def __init__(self, filenames: Any, compression_type: Any = None, buffer_size: Any = None,
                 num_parallel_reads: Any = None, name: str | None = None) -> None:  # fmt: skip
        del name
        rest = [_string(compression_type), _size(buffer_size)]
        self._read("TextLineDataset", filenames, rest, num_parallel_reads)


class TFRecordDataset(_FileDataset):
    """The records of TFRecord files."""

    def __init__(self, filenames: Any, compression_type: Any = None, buffer_size: Any = None,
                 num_parallel_reads: Any = None, name: str | None = None) -> None:  # fmt: skip
        del name
        rest = [_string(compression_type), _size(buffer_size)]
        self._read("TFRecordDataset", filenames, rest, num_parallel_reads)


class FixedLengthRecordDataset(_FileDataset):
    """Records of one length, between a header and a footer of each file."""

    def __init__(self, filenames: Any, record_bytes: Any, header_bytes: Any = None,
                 footer_bytes: Any = None, buffer_size: Any = None, compression_type: Any = None,
                 num_parallel_reads: Any = None, name: str | None = None) -> None:  # fmt: skip
        del name
        rest = [int64(header_bytes or 0, "header_bytes"), int64(record_bytes, "record_bytes"),
                int64(footer_bytes or 0, "footer_bytes"), _size(buffer_size),
                _string(compression_type)]  # fmt: skip
        self._read("FixedLengthRecordDatasetV2", filenames, rest, num_parallel_reads)


class CsvDataset(Dataset):
    """The rows of CSV files; a default says a column's type and what stands for a missing field."""

    def __init__(self, filenames: Any, record_defaults: Any, compression_type: Any = None,
                 buffer_size: Any = None, header: bool = False, field_delim: str = ",",
                 use_quote_delim: bool = True, na_value: str = "",
                 select_cols: Any = None, exclude_cols: Any = None) -> None:  # fmt: skip
        if exclude_cols is not None:
            raise NotImplementedError("exclude_cols is not there: give select_cols")
        defaults = []
        for default in record_defaults:
            if isinstance(default, dtypes.DType) or default in _NUMPY_TYPES:
                value = framework.constant([], dtypes.as_dtype(default))
            else:
                value = framework.convert_to_tensor(default)
            defaults.append(value)
        spec = tuple(specs.TensorSpec((), value.dtype.base_dtype) for value in defaults)
        columns = framework.constant(list(select_cols or ()), dtypes.int64,
                                     shape=[len(select_cols or ())])  # fmt: skip
        inputs = [
            _files(filenames), _string(compression_type), _size(buffer_size),
            framework.convert_to_tensor(header, dtypes.bool), _string(field_delim),
            framework.convert_to_tensor(use_quote_delim, dtypes.bool), _string(na_value), columns,
            defaults,
        ]  # fmt: skip
        op = framework.apply_op("CSVDataset", inputs, structure.flat_attrs(spec))
        super().__init__(op.outputs[0], spec)


_NUMPY_TYPES = (float, int, str)


def list_files(file_pattern: Any, shuffle: bool | None, seed: Any) -> Dataset:
    """Return a dataset of the names that fit the pattern; reading none is an error."""
    with framework.name_scope("list_files"):
        pattern = framework.convert_to_tensor(file_pattern, dtypes.string, name="file_pattern")
        names = matching_files(pattern)
        count = framework.apply_op("Size", [names]).outputs[0]
        some = framework.apply_op("Greater", [count, 0], name="match_not_empty").outputs[0]
        check = host_ops.Assert(some, ["No files matched pattern: ", pattern])
        with framework.control_dependencies([check]):
            checked = framework.apply_op("Identity", [names]).outputs[0]
        dataset = Dataset.from_tensor_slices(checked)
        if shuffle is False:
            return dataset
        room = framework.apply_op(
            "Maximum", [int64(count, "count"), framework.constant(1, dtypes.int64)]
        )
        return dataset.shuffle(room.outputs[0], seed=seed)
