"""Names and types of the columns of CSV files, as their first rows show them."""

from __future__ import annotations

import csv
import gzip
import itertools
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tfbuild_runtime.framework import dtypes
from tfbuild_runtime.framework import ops as framework

# From the narrowest on: a column has the widest that one of its fields needs.
_TYPES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)


class Layout(NamedTuple):
    """How CSV files are written."""

    field_delim: str
    use_quote_delim: bool
    na_value: str
    header: bool
    compression_type: str | None
    encoding: str


def rows_of(path: str, layout: Layout) -> Iterator[list[str]]:
    """Yield the rows of a file, the header among them; raises ValueError for an unknown packing."""
    packed = layout.compression_type or ""
    if packed not in ("", "GZIP", "ZLIB"):
        raise ValueError(f"compression_type must be GZIP, ZLIB or empty, not {packed!r}")
    data = Path(path).read_bytes() if packed == "ZLIB" else b""
    quoting = csv.QUOTE_MINIMAL if layout.use_quote_delim else csv.QUOTE_NONE
    opened: Any
    if packed == "ZLIB":
        opened = iter(zlib.decompress(data).decode(layout.encoding).splitlines(keepends=True))
        yield from csv.reader(opened, delimiter=layout.field_delim, quoting=quoting)
        return
    opener: Any = gzip.open if packed else open
    with opener(path, "rt", encoding=layout.encoding, newline="") as opened:
        yield from csv.reader(opened, delimiter=layout.field_delim, quoting=quoting)


def column_names(paths: Sequence[str], layout: Layout) -> list[str]:
    """Return the names in the first row; raises ValueError where files differ in them."""
    names: list[str] | None = None
    for path in paths:
        found = next(rows_of(path, layout), None)
        if found is None:
            raise ValueError(f"Received CSV file {path} without a header.")
        if names is not None and names != found:
            raise ValueError("All input CSV files should have the same column names in the header "
                             f"row. File {path} has different column names.")  # fmt: skip
        names = found
    return names or []


def column_defaults(
    paths: Sequence[str], layout: Layout, columns: int, selected: Sequence[int], most: int | None
) -> list[Any]:
    """Return a default for each selected column, of the type that the first rows ask for.

    Raises ValueError for a row that has not as many columns.
    """
    kinds: list[int | None] = [None] * len(selected)
    for row in itertools.islice(_all_rows(paths, layout), most):
        if len(row) != columns:
            raise ValueError(f"Problem inferring types: CSV row has {len(row)} number of fields. "
                             f"Expected: {columns}.")  # fmt: skip
        for place, column in enumerate(selected):
            field = row[column]
            if field not in ("", layout.na_value):
                kinds[place] = max(kinds[place] or 0, _kind_of(field))
    types = [dtypes.string if kind is None else _TYPES[kind] for kind in kinds]
    return [framework.constant(["" if t == dtypes.string else 0], t) for t in types]


def _all_rows(paths: Sequence[str], layout: Layout) -> Iterator[list[str]]:
    for path in paths:
        yield from itertools.islice(rows_of(path, layout), int(layout.header), None)


def _kind_of(field: str) -> int:
    """Return the place of the narrowest type that holds a field."""
    try:
        number = int(field)
    except ValueError:
        pass
    else:
        for place in (0, 1):
            if _TYPES[place].min <= number <= _TYPES[place].max:
                return place
    try:
        real = float(field)
    except ValueError:
        return len(_TYPES) - 1
    for place in (2, 3):
        if _TYPES[place].min <= real <= _TYPES[place].max:
            return place
    return len(_TYPES) - 1
