"""Diagonals of matrices: laid out, taken and set, one of them or several that lie together."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbuild_runtime.framework import ops as framework
from tfbuild_runtime.ops import array_ops, creation_ops, math_ops
from tfbuild_runtime.ops.emit import emit

_ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")
_OTHER = "RIGHT_LEFT"


class _Band(NamedTuple):
    """The diagonals of matrices from the lowest to the highest, as rows of one length."""

    low: int
    high: int
    align: str

    def length(self, rows: Any, columns: Any) -> Any:
        """Return how long the longest of the diagonals is."""
        return math_ops.minimum(rows + min(self.high, 0), columns - max(self.low, 0))

    def first(self, number: Any, rows: Any, columns: Any) -> Any:
        """Return where in its row a diagonal begins, which is 0 unless it is put to the right."""
        below, above = math_ops.minimum(number, 0), math_ops.maximum(number, 0)
        free = self.length(rows, columns) - math_ops.minimum(columns - above, rows + below)
        of_upper, of_lower = (side == "RIGHT" for side in self.align.split("_"))
        upper = math_ops.greater_equal(number, 0)
        return array_ops.where_v2(upper, free * int(of_upper), free * int(of_lower))


def _band(k: Any, align: str) -> _Band:
    if align not in _ALIGNMENTS:
        raise ValueError(f"align is one of {', '.join(_ALIGNMENTS)}, not {align!r}")
    constant = framework.constant_value(framework.convert_to_tensor(k))
    if constant is None:
        raise NotImplementedError("k must be known while the graph is built")
    ends = constant.reshape([-1]).tolist()
    if len(ends) > 2 or ends[0] > ends[-1]:
        raise ValueError(f"k is the number of a diagonal, or of the lowest and the highest: {k}")
    return _Band(ends[0], ends[-1], align)


def _size(tensor: Any, axis: int) -> Any:
    """Return a size, as a number where it is known."""
    shape = tensor.get_shape()
    known = None if shape.ndims is None else shape.as_list()[axis]
    return array_ops.shape(tensor)[axis] if known is None else known


def _places(rows: Any, columns: Any) -> tuple[Any, Any]:
    """Return the numbers of the rows, as a column, and of the columns, as a row."""
    return array_ops.expand_dims(creation_ops.range(rows), 1), creation_ops.range(columns)


def _picked(tensor: Any, dims: int, places: Any) -> Any:
    """Return the elements at places in the last one or two dimensions, which are made one."""
    flat = tensor
    if dims == 2:
        front = array_ops.shape(tensor)[:-2]
        flat = array_ops.reshape(tensor, array_ops.concat([front, [-1]], 0))
    return array_ops.gather(flat, places, axis=-1)


def _laid_out(band: _Band, diagonal: Any, rows: Any, columns: Any) -> tuple[Any, Any]:
    """Return matrices with the diagonals in them, and where in a matrix these are."""
    down, across = _places(rows, columns)
    number = across - down
    inside = math_ops.logical_and(number >= band.low, number <= band.high)
    several = band.low != band.high
    length = _size(diagonal, -1)
    along = math_ops.minimum(down, across) + band.first(number, rows, columns)
    place = (band.high - number) * length + along
    place = array_ops.where_v2(inside, place, creation_ops.zeros_like(place))
    return _picked(diagonal, 2 if several else 1, place), inside


def _like(value: Any, tensor: Any) -> Any:
    return framework.convert_to_tensor(value, dtype=tensor.dtype.base_dtype)


def matrix_diag(diagonal: Any, name: str = "diag", k: Any = 0, num_rows: Any = -1,
                num_cols: Any = -1, padding_value: Any = 0,
                align: str = _OTHER) -> Any:  # fmt: skip
    """Return matrices with rows of the last dimension as their diagonals, padding elsewhere.

    k is the number of a diagonal, positive above the main one, or those of the lowest and the
    highest of several, whose rows align says how to fill. Raises ValueError for impossible ones,
    NotImplementedError for a k that only a step knows.
    """
    band = _band(k, align)
    free = [isinstance(size, int) and size == -1 for size in (num_rows, num_cols)]
    plain = isinstance(padding_value, (int, float)) and padding_value == 0
    if band[:2] == (0, 0) and plain and all(free):
        return emit("MatrixDiag", [diagonal], name)
    with framework.name_scope(name, "diag", [diagonal]):
        diagonal = framework.convert_to_tensor(diagonal, name="diagonal")
        length = _size(diagonal, -1)
        least = length - min(band.high, 0), length + max(band.low, 0)
        if all(free):
            both = length + max(band.low, 0, -min(band.high, 0))
            sizes = (both, both)
        else:
            given = zip(least, free, (num_rows, num_cols))
            sizes = tuple(low if unset else size for low, unset, size in given)
        _check_sizes(sizes, least)
        found, inside = _laid_out(band, diagonal, *sizes)
        made = array_ops.where_v2(inside, found, _like(padding_value, found))
        return _of_sizes(made, found, sizes)


def _check_sizes(sizes: Any, least: Any) -> None:
    if all(isinstance(size, int) for size in (*sizes, *least)) and (
        sizes[0] < least[0]
        or sizes[1] < least[1]
        or (sizes[0] != least[0] and sizes[1] != least[1])
    ):
        raise ValueError(f"the diagonals need {least[0]} rows or {least[1]} columns, and not fewer "
                         f"of either, but the matrices have {sizes[0]} and {sizes[1]}")  # fmt: skip


def _of_sizes(made: Any, like: Any, sizes: Any) -> Any:
    """Return what was made, with the sizes that are known set."""
    front = like.get_shape()
    if front.ndims is not None:
        known = [size if isinstance(size, int) else None for size in sizes]
        made.set_shape([*front.as_list()[: front.ndims - len(sizes)], *known])
    return made


def matrix_diag_part(input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0,
                     align: str = _OTHER) -> Any:  # fmt: skip
    """Return diagonals of matrices; several are rows of one length, with padding in shorter ones.

    k and align are as those of matrix_diag, and so is what is raised.
    """
    band = _band(k, align)
    if band[:2] == (0, 0):
        return emit("MatrixDiagPart", [input], name)
    with framework.name_scope(name, "diag_part", [input]):
        input = framework.convert_to_tensor(input, name="input")
        rows, columns = _size(input, -2), _size(input, -1)
        count, length = band.high - band.low + 1, band.length(rows, columns)
        numbers = band.high - creation_ops.range(count)
        along = creation_ops.range(length) - array_ops.expand_dims(
            band.first(numbers, rows, columns), 1
        )
        numbers = array_ops.expand_dims(numbers, 1)
        down, across = along - math_ops.minimum(numbers, 0), along + math_ops.maximum(numbers, 0)
        inside = math_ops.logical_and(
            along >= 0, math_ops.logical_and(down < rows, across < columns)
        )
        place = down * columns + across
        found = _picked(input, 2, array_ops.where_v2(inside, place, creation_ops.zeros_like(place)))
        made = array_ops.where_v2(inside, found, _like(padding_value, found))
        return array_ops.squeeze(made, [-2]) if count == 1 else made


def matrix_set_diag(input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0,
                    align: str = _OTHER) -> Any:  # fmt: skip
    """Return matrices with other diagonals; see matrix_diag for k, align and what is raised."""
    band = _band(k, align)
    if band[:2] == (0, 0):
        return emit("MatrixSetDiag", [input, diagonal], name)
    with framework.name_scope(name, "set_diag", [input, diagonal]):
        input = framework.convert_to_tensor(input, name="input")
        diagonal = framework.convert_to_tensor(diagonal, input.dtype.base_dtype, name="diagonal")
        found, inside = _laid_out(band, diagonal, _size(input, -2), _size(input, -1))
        made = array_ops.where_v2(inside, found, input)
        made.set_shape(input.get_shape())
        return made
