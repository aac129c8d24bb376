"""Functions applied along the first dimension: map_fn, foldl, foldr and scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbuild_runtime.data import specs
from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import nest
from tfbuild_runtime.ops.control_flow_ops import while_loop
from tfbuild_runtime.ops.emit import emit, only_one
from tfbuild_runtime.ops.tensor_array_ops import TensorArray

__all__ = ["foldl", "foldr", "map_fn", "scan"]


def map_fn(
    fn: Any, elems: Any, dtype: Any = None, parallel_iterations: int | None = None,
    back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True,
    name: str | None = None, fn_output_signature: Any = None,
) -> Any:  # fmt: skip
    """Return what fn gives for each row of elems, as rows; dtype is the structure of its types.

    A type may be a spec, as RaggedTensorSpec where fn gives ragged tensors; fn_output_signature is
    another name of dtype. Raises TypeError for an fn that is none, ValueError for elems without
    rows.
    """
    del swap_memory
    dtype = only_one(fn_output_signature, dtype, "fn_output_signature", "dtype")
    with framework.name_scope(name, "map", nest.tensors_in(elems)):
        rows = _Rows(fn, elems)
        types = nest.pack(elems, rows.specs) if dtype is None else dtype
        specs = [_result_spec(leaf) for leaf in nest.flatten(types)]
        outputs = [
            TensorArray(spec.encoded_type, size=rows.count, infer_shape=infer_shape)
            for spec in specs
        ]

        def body(i: Any, arrays: Any) -> Any:
            results = zip(arrays, specs, nest.flatten(fn(rows.at(i))))
            return i + 1, [array.write(i, spec.encode(r)) for array, spec, r in results]

        _, arrays = while_loop(
            lambda i, _: emit("Less", [i, rows.count]), body,
            [framework.constant(0), outputs], parallel_iterations=parallel_iterations or 10,
            back_prop=back_prop,
        )  # fmt: skip
        results = [spec.batched(rows.static_count).decode(rows.stacked(array))
                   for spec, array in zip(specs, arrays)]  # fmt: skip
        return nest.pack(types, results)


def foldl(
    fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Return fn(... fn(fn(initializer, first row), second row) ..., last row).

    Without initializer the first row is it. Raises TypeError for an fn that is none.
    """
    del swap_memory
    return _fold(fn, elems, initializer, (parallel_iterations, back_prop), name or "foldl",
                 backwards=False)  # fmt: skip


def foldr(
    fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """As foldl, from the last row to the first."""
    del swap_memory
    return _fold(fn, elems, initializer, (parallel_iterations, back_prop), name or "foldr",
                 backwards=True)  # fmt: skip


def _fold(fn: Any, elems: Any, initializer: Any, how: tuple[int, bool], name: str,
          backwards: bool) -> Any:  # fmt: skip
    with framework.name_scope(name, name, nest.tensors_in(elems)):
        rows = _Rows(fn, elems)
        start = framework.constant(0 if initializer is not None else 1)
        begin = rows.place(framework.constant(0), backwards)
        first = rows.at(begin) if initializer is None else initializer
        first = nest.pack(first, [framework.convert_to_tensor(v) for v in nest.flatten(first)])

        def body(i: Any, total: Any) -> Any:
            return i + 1, fn(total, rows.at(rows.place(i, backwards)))

        _, total = while_loop(
            lambda i, _: emit("Less", [i, rows.count]), body, [start, first],
            parallel_iterations=how[0], back_prop=how[1],
        )  # fmt: skip
        return total


def scan(
    fn: Any, elems: Any, initializer: Any = None, parallel_iterations: int = 10,
    back_prop: bool = True, swap_memory: bool = False, infer_shape: bool = True,
    reverse: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """Return what foldl has after each row, as rows; with reverse, from the last row to the first.

    Raises TypeError for an fn that is none.
    """
    del swap_memory
    with framework.name_scope(name, "scan", nest.tensors_in(elems)):
        rows = _Rows(fn, elems)
        begin = rows.place(framework.constant(0), reverse)
        first = rows.at(begin) if initializer is None else initializer
        first = nest.pack(first, [framework.convert_to_tensor(v) for v in nest.flatten(first)])
        arrays = [
            TensorArray(tensor.dtype, size=rows.count, infer_shape=infer_shape)
            for tensor in nest.flatten(first)
        ]
        start = framework.constant(0)
        if initializer is None:
            start = framework.constant(1)
            arrays = [a.write(begin, t) for a, t in zip(arrays, nest.flatten(first))]

        def body(i: Any, total: Any, arrays: Any) -> Any:
            at = rows.place(i, reverse)
            total = fn(total, rows.at(at))
            flat = nest.flatten(total)
            return i + 1, total, [a.write(at, t) for a, t in zip(arrays, flat)]

        _, _, arrays = while_loop(
            lambda i, *_: emit("Less", [i, rows.count]), body, [start, first, arrays],
            parallel_iterations=parallel_iterations, back_prop=back_prop,
        )  # fmt: skip
        return nest.pack(first, [rows.stacked(array) for array in arrays])


class _Rows:
    """The rows of the tensors in a nesting."""

    def __init__(self, fn: Callable[..., Any], elems: Any) -> None:
        if not callable(fn):
            raise TypeError("fn must be callable.")
        self.structure = elems
        leaves = [_as_elem(value) for value in nest.flatten(elems)]
        if not leaves:
            raise ValueError("elems must have at least one tensor")
        for leaf in leaves:
            if leaf.get_shape().rank == 0:
                raise ValueError(f"{leaf} is a scalar and has no rows")
        whole = [specs.spec_of(leaf) for leaf in leaves]
        tensors = [spec.encode_rows(leaf) for spec, leaf in zip(whole, leaves)]
        self.specs = [spec.row() for spec in whole]
        self.static_count = leaves[0].get_shape().as_list()[0] if leaves[0].get_shape() else None
        sizes = emit("Shape", [tensors[0]])
        self.count = emit("StridedSlice", [sizes, [0], [1], [1]], shrink_axis_mask=1)
        self.arrays = [
            TensorArray(tensor.dtype, size=self.count).unstack(tensor) for tensor in tensors
        ]

    def at(self, index: Any) -> Any:
        """Return the rows of that number in the nesting."""
        rows = [spec.decode(a.read(index)) for spec, a in zip(self.specs, self.arrays)]
        return nest.pack(self.structure, rows)

    def place(self, number: Any, backwards: bool) -> Any:
        """Return the row that is visited as that one."""
        return self.count - 1 - number if backwards else number

    def stacked(self, array: TensorArray) -> Any:
        """Return the elements of an array of as many elements as rows."""
        result = array.stack()
        if result.get_shape().rank is not None:
            result.set_shape([self.static_count, *result.get_shape().as_list()[1:]])
        return result


def _as_elem(value: Any) -> Any:
    is_composite = hasattr(value, "with_parts")
    return value if is_composite else framework.convert_to_tensor(value, name="elem")


def _result_spec(leaf: Any) -> Any:
    """Return what rows are of which a type is given, or a spec."""
    if hasattr(leaf, "encode"):
        return leaf
    return specs.TensorSpec(None, dtypes.as_dtype(leaf))
