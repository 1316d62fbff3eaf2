"""Rows in Spark: each partition becomes a share on the executor that has it, and the shares are released here.

Tasks that are tried again, speculative twins and lost executors are Spark's: `collect` returns one row for each
partition, and what it returns is what is counted. Nothing is taken from accumulators, which count attempts. Under a
bound on the rows of a unit a first map adds the group of the unit as *we* read it, and Spark brings groups together; a
hash of Spark tells `P1` from `P1 ` and 1 from 1.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import _inbounds
from ._columns import attempt, twice
from ._errors import DataError, Error
from ._shares import Question

GROUP = "__inbounds_group"
"""The column with the group of a row's unit."""

ROW = "__inbounds_row"
"""The column of rows of which no column is read."""

LARGE = 900_000
"""Bytes of a task beyond which Spark may write it to a disk (1 MiB), less some for what stands around a question."""

SPARK = "the rows in Spark"


class Spark:
    """A frame of PySpark. Nothing shows its rows, and nothing copies it."""

    def __init__(self, frame: Any) -> None:
        self.__frame = frame

    def read(self, columns: Sequence[str]) -> _inbounds.Rows:
        """No rows, but their schema: as of :class:`inbounds._rows.Held`."""
        from ._rows import held

        names = attempt(lambda: list(self.__frame.columns), SPARK)
        twice(names, columns)
        found = [name for name in names if name in columns]
        schema = attempt(lambda: self._selected(found).limit(0).toArrow().schema, SPARK)
        import pyarrow

        others = [pyarrow.field(name, pyarrow.null()) for name in dict.fromkeys(names) if name not in found]
        return held(pyarrow.schema([*schema, *others])).read(columns)

    def shares(
        self,
        question: Question,
        memory: tuple[int | None, str | None] = (None, None),
        told: Callable[[str], object] | None = None,
    ) -> list[bytes]:
        """The shares of all partitions."""
        session = self.__frame.sparkSession
        is_encrypted = attempt(lambda: session.conf.get("spark.io.encryption.enabled", "false"), SPARK) == "true"
        if question.unit is not None and not is_encrypted:
            raise DataError(
                "Spark would write names of units to disks in the clear, where it brings the rows of a unit together:"
                " start the session with spark.io.encryption.enabled=true"
            )
        made = _Share(question, memory)
        if question.size() > LARGE and not is_encrypted:
            raise DataError(
                "the plan is so large that Spark would write it to disks in the clear, with the key of its shares:"
                " start the session with spark.io.encryption.enabled=true"
            )
        rows = attempt(lambda: self._selected(question.columns), SPARK)
        if question.unit is not None:
            rows = attempt(lambda: _brought_together(rows, question), SPARK)
        if told is not None:
            told("Reading the rows in Spark")
        problem: str | None
        try:
            found = rows.mapInArrow(made, "share binary, problem string").collect()
        except Exception as error:
            problem = _problem(error)
        else:
            problem = next((row.problem for row in found if row.problem is not None), None)
        # Raised here, not above, the error has no context: Spark shows cells in its own.
        if problem is not None:
            raise DataError(problem)
        return [bytes(row.share) for row in found]

    def _selected(self, columns: Sequence[str]) -> Any:
        """These columns, by names in which a dot is a dot. Without one, Spark would forget how many rows there are."""
        from pyspark.sql.functions import col, lit

        found = [col("`" + name.replace("`", "``") + "`") for name in columns]
        return self.__frame.select(found or [lit(0).alias(ROW)])

    def __repr__(self) -> str:
        return "<private rows>"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("private rows cannot be pickled")


def _brought_together(rows: Any, question: Question) -> Any:
    """The rows, with all of a unit in one partition."""
    from pyspark.sql.types import IntegerType, StructField, StructType

    schema = StructType([*rows.schema.fields, StructField(GROUP, IntegerType())])
    # With a number of partitions, or Spark may put all rows into one.
    partitions = int(rows.sparkSession.conf.get("spark.sql.shuffle.partitions"))
    return rows.mapInArrow(_Groups(question), schema).repartition(partitions, GROUP)


class _Groups:
    """Adds the group of each row's unit; on an executor."""

    def __init__(self, question: Question) -> None:
        self._question = question

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The batches with one column more."""
        import pyarrow

        for batch in batches:
            groups = pyarrow.table(self._question.groups(batch)).column("group").combine_chunks()
            columns = [*batch.columns, groups]
            yield pyarrow.RecordBatch.from_arrays(columns, names=[*batch.schema.names, GROUP])


class _Share:
    """Makes one share of a partition; on an executor. Without rows it makes none.

    What goes wrong is told as a row: an exception would carry its words, and perhaps cells, into logs.
    """

    def __init__(self, question: Question, memory: tuple[int | None, str | None]) -> None:
        self._question = question
        self._memory = memory

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """One row with the share, or with the problem."""
        import pyarrow
        from pyspark import TaskContext

        context = TaskContext.get()
        first = next(batches, None)
        if first is None:
            return
        share, problem = None, None
        most, spill = self._memory
        try:
            part = None if context is None else context.partitionId()
            rows = _chained(first, batches)
            share = self._question.share(rows, part=part, unit_memory=most, spill=spill)
        except Error as error:
            problem = str(error)
        except Exception as error:
            problem = f"an executor of Spark failed to read its rows: {type(error).__name__}"
        fields = [("share", pyarrow.binary()), ("problem", pyarrow.string())]
        yield pyarrow.RecordBatch.from_pylist([{"share": share, "problem": problem}], pyarrow.schema(fields))


def _chained(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest


def _problem(error: Exception) -> str:
    """What to say of a failure of Spark, whose own words may quote a cell."""
    words = str(error)
    missing = next((name for name in ("inbounds", "pyarrow") if f"No module named '{name}" in words), None)
    if missing is not None:
        return f"the executors of Spark have no package {missing}: install there what is installed here"
    condition = attempt(lambda: error.getCondition(), SPARK) if hasattr(error, "getCondition") else None
    said = type(error).__name__ if condition is None else f"{type(error).__name__}, {condition}"
    return (
        f"Spark did not compute the rows ({said}); its own message is withheld, because it may quote them: see whether"
        " the frame can be computed without inbounds, as by .count()"
    )
