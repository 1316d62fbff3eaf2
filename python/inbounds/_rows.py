"""Private rows, from whatever holds them."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from . import _inbounds


@runtime_checkable
class ArrowStream(Protocol):
    """Anything that gives an Arrow C stream: tables of polars, pandas, pyarrow, DuckDB, Ibis and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def rows_of(data: object) -> _inbounds.Rows | None:
    """The rows of an object in memory; None for a path."""
    if isinstance(data, _inbounds.Rows):
        return data
    if isinstance(data, ArrowStream):
        return _inbounds.Rows.from_stream(data)
    if isinstance(data, Mapping):
        columns = [(str(name), *_column(str(name), cells)) for name, cells in data.items()]
        return _inbounds.Rows.from_columns(columns)
    return None


def _column(name: str, cells: Any) -> tuple[str, object]:
    """The kind of a column, and its cells as a buffer or a list."""
    if hasattr(cells, "__array__") and not hasattr(cells, "dtype"):
        cells = cells.__array__()
    dtype = getattr(cells, "dtype", None)
    if dtype is not None and not hasattr(dtype, "kind"):
        raise TypeError(f"column {name!r} has a type that is neither of NumPy nor of Arrow: hand over the whole table")
    if dtype is not None and type(cells).__module__.split(".")[0] != "numpy":
        cells = cells.to_numpy()
        dtype = cells.dtype
    if dtype is not None:
        if cells.ndim != 1:
            raise TypeError(f"column {name!r} must have one dimension")
        native = cells.astype(dtype.newbyteorder("="), order="C")
        if dtype.kind in "iuf" and str(native.dtype) not in ("float16", "float128", "longdouble"):
            return str(native.dtype), native
        if dtype.kind == "f":
            return "float64", native.astype("float64")
        if dtype.kind == "b":
            return "boolean", native.view("uint8")
        if dtype.kind == "M":
            return "time", native.astype("datetime64[us]").view("int64")
        cells = cells.tolist()
    if isinstance(cells, (str, bytes)) or not isinstance(cells, Sequence):
        raise TypeError(f"column {name!r} must be an array of NumPy or a list")
    return "text", [_text(cell) for cell in cells]


def _text(cell: object) -> str | None:
    """A cell of a list as the text that a CSV file would have. A list carries no type, so the plan says what the texts are."""
    if cell is None or isinstance(cell, float) and math.isnan(cell) or type(cell).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(cell, float):
        return float.__repr__(cell)
    if isinstance(cell, (datetime.date, datetime.datetime)):
        return cell.isoformat()
    # A lone surrogate has no UTF-8: it is spelled out, so that two texts stay two.
    return str(cell).encode("utf-8", "backslashreplace").decode()
