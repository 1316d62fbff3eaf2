"""Private rows, from whatever holds them. A plan takes the columns that it reads, and looks at no cell of another."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from . import _inbounds
from ._columns import Cells, attempt, cells_of, is_a, named, twice, unusable
from ._errors import DataError
from ._frames import Arrow, DuckDB, Pandas, Polars
from ._given import refused


@runtime_checkable
class ArrowStream(Protocol):
    """Anything that gives an Arrow C stream: tables of polars, pandas, pyarrow, DuckDB, Ibis and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class Held(Protocol):
    """Private rows that something else holds."""

    def read(self, columns: Sequence[str]) -> _inbounds.Rows:
        """The rows with the cells of these columns, and the names of the others."""


SOURCE = (
    "a path, anything with __arrow_c_stream__ (a table of polars, pandas, pyarrow or DuckDB),"
    " a dictionary of NumPy arrays and lists, a frame of Spark, or a schema of pyarrow for rows that are elsewhere"
)


def held(source: object) -> Held:
    """The rows of an object in memory."""
    if is_a(source, "pandas", "DataFrame"):
        return _Hidden(Pandas(source))
    if is_a(source, "polars", "DataFrame"):
        return _Hidden(Polars(source))
    if is_a(source, "pyarrow", "Table") or is_a(source, "pyarrow", "RecordBatch"):
        return _Hidden(Arrow(source))
    if is_a(source, "pyarrow", "RecordBatchReader"):
        return _Hidden(_Once(source))
    if is_a(source, "pyarrow", "Schema"):
        return _Hidden(_Elsewhere(source))
    if is_a(source, "pyspark.sql", "DataFrame"):
        from ._spark import Spark

        return Spark(source)
    if is_a(source, "duckdb", "DuckDBPyRelation"):
        return _Hidden(DuckDB(source))
    for library in ("pandas", "polars"):
        if is_a(source, library, "Series"):
            raise refused("data", "a table", source, "write .to_frame() for a table of one column")
    fields = getattr(getattr(source, "dtype", None), "names", None)
    if is_a(source, "numpy", "ndarray") and fields:
        return _Hidden(_Columns({name: source[name] for name in fields}))  # type: ignore[index]
    if isinstance(source, ArrowStream) and not isinstance(source, type):
        return _Hidden(_Stream(source))
    if isinstance(source, Mapping):
        return _Hidden(_Columns(source))
    raise refused("data", SOURCE, source, "collect() it first" if hasattr(source, "collect") else "")


def part_of(source: Any) -> Held:
    """The rows of a part of a table: of what :func:`held` takes, or of an iterator of record batches of pyarrow."""
    if isinstance(source, Iterator) or (
        isinstance(source, list) and source and is_a(source[0], "pyarrow", "RecordBatch")
    ):
        batches = iter(source)
        first = attempt(lambda: next(batches, None), "the batches")
        if first is None:
            raise DataError("there are no batches: a part without rows needs no share")
        if not is_a(first, "pyarrow", "RecordBatch"):
            raise refused("rows", "an iterator of record batches of pyarrow", source)
        import pyarrow

        source = pyarrow.RecordBatchReader.from_batches(first.schema, itertools.chain([first], batches))
    return held(source)


class _Hidden:
    """Rows that nothing shows and nothing copies."""

    def __init__(self, rows: Held) -> None:
        self.__rows = rows

    def read(self, columns: Sequence[str]) -> _inbounds.Rows:
        """As of :class:`Held`."""
        return self.__rows.read(columns)

    def __repr__(self) -> str:
        return "<private rows>"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("private rows cannot be pickled")


UNUSABLE = (
    "nested",
    "Binary",
    "LargeBinary",
    "FixedSizeBinary",
    "BinaryView",
    "Time32",
    "Time64",
    "Duration",
    "Interval",
)
"""Types of Arrow of which no plan reads cells."""


class _Once:
    """A reader of Arrow batches: it can be read once, and no batch of it is kept."""

    def __init__(self, reader: object) -> None:
        self._stream = attempt(lambda: _inbounds.Stream.of(reader), "the rows in memory, a reader of Arrow batches,")

    def read(self, columns: Sequence[str]) -> _inbounds.Rows:
        """As of :class:`Held`."""
        _usable(self._stream.columns(), columns)
        return self._stream.rows(list(columns))


class _Elsewhere:
    """Rows of a schema that somebody else has."""

    def __init__(self, schema: Any) -> None:
        self._batches = attempt(lambda: _inbounds.Batches.of(schema.empty_table()), "the schema of the rows")

    def read(self, columns: Sequence[str]) -> _inbounds.Rows:
        """As of :class:`Held`."""
        _usable(self._batches.columns(), columns)
        return self._batches.elsewhere(list(columns), [])


def _usable(found: Sequence[tuple[str, str]], columns: Sequence[str]) -> None:
    """Refuses columns that are read and whose cells no plan can read."""
    for name, of_type in found:
        if name in columns and of_type.startswith(UNUSABLE):
            raise unusable(name, of_type)


class _Stream:
    """A stream of Arrow batches of whatever library. It may be there once, so it is read at once."""

    def __init__(self, source: object) -> None:
        self._batches = attempt(lambda: _inbounds.Batches.of(source), "the stream of rows in memory")

    def read(self, columns: Sequence[str]) -> _inbounds.Rows:
        """As of :class:`Held`."""
        _usable(self._batches.columns(), columns)
        return self._batches.rows(list(columns), [])


class _Columns:
    """Columns by name: arrays and lists."""

    def __init__(self, columns: Mapping[Any, Any]) -> None:
        self._names = [(named(label), label) for label in columns]
        self._columns = columns
        if any(name is None for name, _ in self._names):
            raise DataError(
                "names of columns must be texts or whole numbers, and one of the rows in memory is neither: rename it"
            )

    def read(self, columns: Sequence[str]) -> _inbounds.Rows:
        """As of :class:`Held`."""
        twice([name for name, _ in self._names], columns)
        read = [
            (str(name), *cells_of(str(name), self._columns[label])) for name, label in self._names if name in columns
        ]
        others = [str(name) for name, _ in self._names if name not in columns]
        return made(read, others, self._rows())

    def _rows(self) -> int:
        """The number of rows of all columns, also of those that are not read: together they are no table otherwise."""
        lengths: dict[int, str] = {}
        for name, label in self._names:
            cells = self._columns[label]
            if hasattr(cells, "__len__") and not isinstance(cells, (str, bytes)) and getattr(cells, "ndim", 1) != 0:
                lengths.setdefault(attempt(lambda: len(cells), f"column `{name}` of the rows in memory"), str(name))
        if len(lengths) > 1:
            first, other = list(lengths.values())[:2]
            raise DataError(
                f"columns of rows in memory must have one length, and `{first}` and `{other}` have not:"
                " hand over one table"
            )
        return next(iter(lengths), 0)


def made(read: Sequence[tuple[str, str, Cells]], others: Sequence[str], rows: int) -> _inbounds.Rows:
    """Rows of converted columns."""
    return attempt(lambda: _inbounds.Rows.from_columns(list(read), list(others), rows), "the rows in memory")
