"""One column of private rows, in a form that the native part takes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ._cells import spelled, texts
from ._errors import DataError, Error
from ._given import kind

Made = TypeVar("Made")

Cells = object
"""A buffer of numbers, a list of texts or None, or a stream of one column of Arrow."""

CONVERT = "convert it to numbers, dates or texts before you hand the rows over"


def is_a(value: object, library: str, name: str) -> bool:
    """Whether a value is of a class of a library, which is not imported for the question."""
    found = getattr(sys.modules.get(library), name, None)
    return isinstance(found, type) and isinstance(value, found)


def attempt(convert: Callable[[], Made], what: str) -> Made:
    """What a conversion by another library gives. Where that fails its words may quote a cell, and are dropped."""
    try:
        return convert()
    except (Error, MemoryError):
        raise
    except BaseException as error:
        # A panic of another extension module is no `Exception`.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
    # Raised here, not above, the error has no context.
    raise DataError(f"{what} could not be converted: {CONVERT}")


def unusable(name: str, of_type: str, remedy: str = CONVERT) -> DataError:
    """The error for a column of a type of which no plan can read cells."""
    return DataError(
        f"column `{name}` of the rows in memory has type {of_type}, of which a plan reads no cells: {remedy}"
    )


def called(name: str, of_type: str) -> str:
    """What messages call a column."""
    return f"column `{name}` of the rows in memory, of type {of_type},"


def named(label: object) -> str | None:
    """The name of a column by its label in a table; None if a plan cannot name it."""
    if isinstance(label, str):
        return str.__str__(label)
    return int.__repr__(label) if isinstance(label, int) and not isinstance(label, bool) else None


def twice(names: Sequence[str | None], columns: Sequence[str]) -> None:
    """Refuses columns that are read by a name which two have."""
    found = next((name for name in columns if names.count(name) > 1), None)
    if found is not None:
        raise DataError(f"two columns of the rows in memory are called `{found}`: rename or drop one of them")


def cells_of(name: str, cells: Any) -> tuple[str, Cells]:
    """The kind of a column and its cells, from an array, a series or a list."""
    if is_a(cells, "pandas", "Series") or is_a(cells, "pandas", "Index"):
        return of_pandas(name, cells)
    if is_a(cells, "numpy", "ndarray"):
        return of_numpy(name, cells)
    if is_a(cells, "polars", "Series"):
        return "stream", of_polars(name, cells).to_frame()
    if is_a(cells, "pyarrow", "Array") or is_a(cells, "pyarrow", "ChunkedArray"):
        return of_arrow(name, cells)
    if hasattr(cells, "__arrow_c_stream__") or isinstance(cells, (str, bytes, bytearray, memoryview)):
        raise unusable(name, kind(cells), "hand over a list, or the whole table")
    if hasattr(cells, "__array__"):
        array = attempt(cells.__array__, called(name, kind(cells)))
        if is_a(array, "numpy", "ndarray"):
            return of_numpy(name, array)
    if not isinstance(cells, Sequence):
        raise unusable(name, kind(cells), "it must be an array of NumPy or a list")
    return "text", attempt(lambda: texts(list(cells)), called(name, kind(cells)))


def of_numpy(name: str, cells: Any) -> tuple[str, Cells]:
    """The cells of an array of NumPy. What is masked is missing."""
    dtype = cells.dtype
    what = dtype.name if dtype.names is None else "structured"
    if cells.ndim != 1:
        raise DataError(f"column `{name}` of the rows in memory must have one dimension, and has {cells.ndim}")
    if dtype.kind not in "iufbMUSO":
        raise unusable(name, what)
    if dtype.kind in "USO" or is_a(cells, "numpy.ma", "MaskedArray"):
        # Whether a cell is masked may not decide the type of a column either.
        return "text", attempt(lambda: texts(cells.tolist()), called(name, what))
    return attempt(lambda: _numbers(cells), called(name, what))


def _numbers(cells: Any) -> tuple[str, Cells]:
    dtype = cells.dtype
    native = cells.astype(dtype.newbyteorder("="), order="C")
    if dtype.kind == "M":
        return "time", _times(native).view("int64")
    if dtype.kind == "b":
        return "boolean", native.view("uint8")
    if str(native.dtype) in ("float16", "float128", "float96", "longdouble"):
        return "float64", native.astype("float64")
    return str(native.dtype), native


def _times(cells: Any) -> Any:
    """Times in microseconds; one that has none of 64 bits is missing."""
    import numpy

    found = cells.astype("datetime64[us]")
    if numpy.datetime_data(cells.dtype)[0] in ("Y", "M", "W", "D", "h", "m", "s", "ms"):
        found[found.astype(cells.dtype) != cells] = numpy.datetime64("NaT")
    return found


def of_pandas(name: str, cells: Any) -> tuple[str, Cells]:
    """The cells of a series of pandas."""
    dtype = cells.dtype
    what = type(dtype).__name__
    if hasattr(dtype, "kind") and hasattr(dtype, "newbyteorder"):
        return of_numpy(name, attempt(cells.to_numpy, called(name, str(dtype))))
    if what == "CategoricalDtype":
        return "text", attempt(lambda: _categories(cells), called(name, "category"))
    if what == "SparseDtype":
        return of_numpy(name, attempt(lambda: cells.to_numpy(dtype.subtype), called(name, "Sparse")))
    if what.removesuffix("Dtype").rstrip("0123456789") not in (
        "String",
        "Arrow",
        "Boolean",
        "Int",
        "UInt",
        "Float",
        "DatetimeTZ",
    ):
        raise unusable(name, what.removesuffix("Dtype"))
    try:
        import pyarrow
    except ImportError:
        return "text", attempt(lambda: texts(cells.astype(object).tolist()), called(name, what))
    array = cells.array
    return of_arrow(name, attempt(lambda: pyarrow.array(array, from_pandas=True), called(name, what)))


def _categories(cells: Any) -> list[str | None]:
    values = cells.array if hasattr(cells, "array") else cells
    known = [*texts(list(values.categories.tolist())), None]
    return [known[code] for code in values.codes.tolist()]


def of_arrow(name: str, cells: Any) -> tuple[str, Cells]:
    """The cells of an array of pyarrow."""
    import pyarrow

    cells = arrow_cells(name, cells)
    return "stream", attempt(lambda: pyarrow.table([cells], names=["cells"]), called(name, str(cells.type)))


def arrow_cells(name: str, cells: Any) -> Any:
    """The cells of an array of pyarrow in a type that is read."""
    import pyarrow

    types, of_type = pyarrow.types, cells.type
    if isinstance(of_type, pyarrow.BaseExtensionType):
        cells = attempt(lambda: cells.cast(of_type.storage_type), called(name, "extension"))
        of_type = cells.type
    if types.is_run_end_encoded(of_type):
        of_type = of_type.value_type
        cells = attempt(lambda: cells.cast(of_type), called(name, "run-end encoded"))
    inner = of_type.value_type if types.is_dictionary(of_type) else of_type
    if types.is_null(of_type):
        return cells.cast(pyarrow.string())
    if types.is_float16(of_type):
        return cells.cast(pyarrow.float64())
    if types.is_nested(inner):
        # The names in a nested type may come from cells.
        raise unusable(name, type(inner).__name__.removesuffix("Type").lower())
    known = (
        types.is_integer,
        types.is_floating,
        types.is_boolean,
        types.is_decimal,
        types.is_date,
        types.is_timestamp,
        types.is_string,
        types.is_large_string,
        types.is_string_view,
    )
    if not any(is_known(inner) for is_known in known):
        raise unusable(name, str(inner))
    return cells


def of_polars(name: str, cells: Any) -> Any:
    """A series of polars in a type that is read."""
    import polars

    what = cells.dtype.base_type().__name__
    if what == "Object":
        return attempt(
            lambda: polars.Series(name, spelled(texts(cells.to_list())), dtype=polars.String), called(name, what)
        )
    if what in ("Null", "Int128", "UInt128"):
        return attempt(lambda: cells.cast(polars.String), called(name, what))
    if what == "Float16":
        return attempt(lambda: cells.cast(polars.Float64), called(name, what))
    if what in ("List", "Array", "Struct", "Binary", "Duration", "Time", "Unknown"):
        raise unusable(name, what)
    return cells
