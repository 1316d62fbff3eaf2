"""Tables of other libraries, of which only the columns that a plan reads are converted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _inbounds
from ._columns import arrow_cells, attempt, called, named, of_pandas, of_polars, twice, unusable
from ._errors import DataError


class Pandas:
    """A frame of pandas. Its index is no column."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def read(self, columns: Sequence[str]) -> _inbounds.Rows:
        """The rows with the cells of these columns."""
        frame = self._frame
        names = [named(label) for label in frame.columns.tolist()]
        twice(names, columns)
        levels = [named(level) for level in frame.index.names]
        in_index = next((name for name in columns if name not in names and name in levels), None)
        if in_index is not None:
            raise DataError(
                f"`{in_index}` is the index of the rows in memory, and an index is no column:"
                " hand over frame.reset_index()"
            )
        read = [
            (name, *of_pandas(name, frame.iloc[:, place]))
            for place, name in enumerate(names)
            if name is not None and name in columns
        ]
        others = [name for name in names if name is not None and name not in columns]
        return attempt(lambda: _inbounds.Rows.from_columns(read, others, len(frame)), "the frame of pandas")


class Polars:
    """A frame of polars."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def read(self, columns: Sequence[str]) -> _inbounds.Rows:
        """The rows with the cells of these columns."""
        import polars

        names = self._frame.columns
        others = [name for name in names if name not in columns]
        read = [of_polars(name, self._frame.get_column(name)) for name in names if name in columns]
        if not read:
            return _inbounds.Rows.from_columns([], others, self._frame.height)
        return _of_stream(polars.DataFrame(read), columns, others, "the frame of polars")


class Arrow:
    """A table or a batch of pyarrow."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def read(self, columns: Sequence[str]) -> _inbounds.Rows:
        """The rows with the cells of these columns."""
        import pyarrow

        names = self._table.schema.names
        twice(names, columns)
        others = [name for name in names if name not in columns]
        read = [
            (name, arrow_cells(name, self._table.column(place))) for place, name in enumerate(names) if name in columns
        ]
        if not read:
            return _inbounds.Rows.from_columns([], others, self._table.num_rows)
        made = attempt(
            lambda: pyarrow.table([cells for _, cells in read], names=[name for name, _ in read]), "the table of Arrow"
        )
        return _of_stream(made, columns, others, "the table of Arrow")


class DuckDB:
    """A relation of DuckDB, whose query runs for every plan anew."""

    AS_TEXT = ("hugeint", "uhugeint", "bignum", "varint", "uuid", "enum", "sqlnull", "null", '"null"')
    UNUSABLE = (
        "list",
        "array",
        "struct",
        "map",
        "union",
        "blob",
        "bit",
        "interval",
        "time",
        "time with time zone",
        "time_ns",
        "variant",
    )

    def __init__(self, relation: Any) -> None:
        self._relation = relation

    def read(self, columns: Sequence[str]) -> _inbounds.Rows:
        """The rows with the cells of these columns."""
        import duckdb

        relation = self._relation
        names = list(relation.columns)
        twice(names, columns)
        others = [name for name in names if name not in columns]
        read = []
        for name, of_type in zip(names, relation.types):
            if name in columns:
                if of_type.id in self.UNUSABLE:
                    raise unusable(name, of_type.id.upper())
                cells = duckdb.ColumnExpression(name)
                read.append(cells.cast("VARCHAR").alias(name) if of_type.id in self.AS_TEXT else cells)
        if not read:
            rows = attempt(lambda: relation.aggregate("count(*)").fetchone()[0], "the relation of DuckDB")
            return _inbounds.Rows.from_columns([], others, rows)
        what = (
            "the relation of DuckDB"
            if len(read) > 1
            else called(next(name for name in names if name in columns), "DuckDB")
        )
        return _of_stream(attempt(lambda: relation.select(*read), what), columns, others, what)


def _of_stream(stream: Any, columns: Sequence[str], others: Sequence[str], what: str) -> _inbounds.Rows:
    batches = attempt(lambda: _inbounds.Batches.of(stream), what)
    return attempt(lambda: batches.rows(list(columns), list(others)), what)
