"""Strings: cut and joined, searched and replaced, hashed, and turned into numbers and back."""

from __future__ import annotations

from typing import Any

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.framework.sparse_tensor import SparseTensor
from tfbuild_runtime.ops import array_ops
from tfbuild_runtime.ops.emit import emit, known_rank, only_one


def string_join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Return the strings of several tensors, joined place by place; scalars stand everywhere."""
    tensors = [framework.convert_to_tensor(value, dtypes.string) for value in inputs]
    return emit("StringJoin", [tensors], name, separator=separator)


def string_split(source: Any = None, sep: Any = None, skip_empty: bool = True,
                 delimiter: Any = None, result_type: str = "SparseTensor",
                 name: str | None = None, input: Any = None) -> Any:  # fmt: skip
    """Return the words of each string, cut at any character of the delimiter, a blank by default.

    Raises ValueError for a result_type that is neither SparseTensor nor RaggedTensor.
    """
    source = only_one(source, input, "source", "input")
    delimiter = only_one(sep, delimiter, "sep", "delimiter")
    _check_result_type(result_type)
    with framework.name_scope(name, "StringSplit", [source]):
        source = framework.convert_to_tensor(source, dtypes.string, name="source")
        by = framework.convert_to_tensor(" " if delimiter is None else delimiter, dtypes.string)
        op = framework.apply_op("StringSplit", [source, by], {"skip_empty": skip_empty})
        return _words(op, result_type)


def strings_split(input: Any = None, sep: Any = None, maxsplit: int = -1,
                  result_type: str = "SparseTensor", source: Any = None,
                  name: str | None = None) -> Any:  # fmt: skip
    """Return the words of each string as Python's str.split would."""
    source = only_one(input, source, "input", "source")
    _check_result_type(result_type)
    with framework.name_scope(name, "StringSplit", [source]):
        source = framework.convert_to_tensor(source, dtypes.string, name="source")
        if known_rank(source) == 0:
            source = array_ops.expand_dims(source, 0)
        op = framework.apply_op("StringSplitV2", [source, "" if sep is None else sep],
                                {"maxsplit": maxsplit})  # fmt: skip
        return _words(op, result_type)


def _check_result_type(result_type: str) -> None:
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError(
            f"result_type must be 'RaggedTensor' or 'SparseTensor', not {result_type!r}"
        )


def _words(op: Any, result_type: str) -> Any:
    indices, values, shape = op.outputs
    if result_type == "RaggedTensor":
        from tfbuild_runtime.ragged.tensor import RaggedTensor

        return RaggedTensor.from_value_rowids(values, indices[:, 0], shape[0], validate=False)
    return SparseTensor(indices, values, shape)


def reduce_join(inputs: Any, axis: Any = None, keep_dims: Any = None, separator: str = "",
                name: str | None = None, reduction_indices: Any = None,
                keepdims: Any = None) -> Any:  # fmt: skip
    """Return the strings along the axes as one each; by default all of them."""
    axis = only_one(axis, reduction_indices, "axis", "reduction_indices")
    inputs = framework.convert_to_tensor(inputs, dtypes.string, name="inputs")
    if axis is None:
        rank = known_rank(inputs)
        last = (array_ops.rank(inputs) if rank is None else rank) - 1
        axis = emit("Range", [last, -1, -1])  # which joins them in their order in memory
    axes = framework.convert_to_tensor(axis, dtypes.int32)
    return emit("ReduceJoin", [inputs, axes], name, separator=separator,
                keep_dims=bool(keep_dims or keepdims))  # fmt: skip


def regex_replace(input: Any, pattern: Any, rewrite: Any, replace_global: bool = True,
                  name: str | None = None) -> Any:  # fmt: skip
    r"""Return the strings with matches of an expression replaced; \1 is its first group."""
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return emit("StaticRegexReplace", [input], name, pattern=pattern, rewrite=rewrite,
                    replace_global=replace_global)  # fmt: skip
    return emit("RegexReplace", [input, pattern, rewrite], name, replace_global=replace_global)


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Any:
    """Return whether the whole of each string matches an expression."""
    if isinstance(pattern, (str, bytes)):
        return emit("StaticRegexFullMatch", [input], name, pattern=pattern)
    return emit("RegexFullMatch", [input, pattern], name)


def substr(input: Any, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE") -> Any:
    """Return len bytes, or UTF8_CHAR characters, of each string from pos on."""
    pos = framework.convert_to_tensor(pos, name="pos")
    length = framework.convert_to_tensor(len, dtype=pos.dtype.base_dtype, name="len")
    return emit("Substr", [input, pos, length], name, unit=unit)


def string_length(input: Any, name: str | None = None, unit: str = "BYTE") -> Any:
    """Return how many bytes, or UTF8_CHAR characters, each string has."""
    return emit("StringLength", [input], name, unit=unit)


def string_strip(input: Any, name: str | None = None) -> Any:
    """Return the strings without white space at their ends."""
    return emit("StringStrip", [input], name)


def string_lower(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """Return the strings with small letters."""
    return emit("StringLower", [input], name, encoding=encoding)


def string_upper(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """Return the strings with capital letters."""
    return emit("StringUpper", [input], name, encoding=encoding)


def as_string(input: Any, precision: int = -1, scientific: bool = False, shortest: bool = False,
              width: int = -1, fill: str = "", name: str | None = None) -> Any:  # fmt: skip
    """Return the numbers as strings, formatted as by printf."""
    return emit("AsString", [input], name, precision=precision, scientific=scientific,
                shortest=shortest, width=width, fill=fill)  # fmt: skip


def string_to_number(string_tensor: Any = None, out_type: Any = dtypes.float32,
                     name: str | None = None, input: Any = None) -> Any:  # fmt: skip
    """Return the strings as numbers; a string that is none is an error when the graph runs."""
    value = only_one(string_tensor, input, "string_tensor", "input")
    return emit("StringToNumber", [value], name, out_type=dtypes.as_dtype(out_type))


def string_to_hash_bucket(string_tensor: Any = None, num_buckets: Any = None,
                          name: str | None = None, input: Any = None) -> Any:  # fmt: skip
    """Return a number below num_buckets for each string."""
    value = only_one(string_tensor, input, "string_tensor", "input")
    return emit("StringToHashBucket", [value], name, num_buckets=num_buckets)


def string_to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """Return a number below num_buckets for each string, by FarmHash."""
    return emit("StringToHashBucketFast", [input], name, num_buckets=num_buckets)


def string_to_hash_bucket_strong(input: Any, num_buckets: int, key: Any,
                                 name: str | None = None) -> Any:  # fmt: skip
    """Return a number below num_buckets for each string, which nobody foresees without the key."""
    return emit("StringToHashBucketStrong", [input], name, num_buckets=num_buckets, key=list(key))


def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Any:
    """Return the strings in letters, digits, - and _, as addresses may have them."""
    return emit("EncodeBase64", [input], name, pad=pad)


def decode_base64(input: Any, name: str | None = None) -> Any:
    """Return what encode_base64 was given."""
    return emit("DecodeBase64", [input], name)
