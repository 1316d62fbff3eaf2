"""No cell shows in an exception, a traceback, a repr, a pickle, a warning or a log."""

from __future__ import annotations

import copy
import datetime
import decimal
import enum
import io
import logging
import pickle
import traceback
import unittest
import warnings
from collections.abc import Callable
from typing import Any

import inbounds as ib
from common import importable, needs

CANARIES = ("canary-8675309", "1.7976931348623157e308", "99999999999999999999999999")
PRIVACY = ib.Privacy(unit="row", neighbours="add-remove", epsilon="1")
ROWS: dict[str, Any] = {"name": [CANARIES[0], None, "x"], "n": [CANARIES[1], CANARIES[2], "1"]}
COLUMNS: dict[str, Any] = {
    "name": {"type": "text", "values": ["x"]},
    "n": {"type": "number", "lower": 0, "upper": 1, "missing": "drop"},
}


SEXES: dict[str, Any] = {"sex": {"type": "text", "values": ["f", "m"]}}


class Colour(enum.Enum):
    """An enumeration, as people have them in lists."""

    RED = CANARIES[0]


class Loud:
    """An object that shows a cell wherever it is asked."""

    def _loud(self, *_: object) -> Any:
        raise ValueError(CANARIES[0])

    __str__ = __repr__ = __float__ = __index__ = __len__ = __hash__ = __eq__ = _loud  # type: ignore[assignment]


class Nameless(type):
    """The type of a class that does not even say what it is."""

    def __hash__(cls) -> int:
        raise ValueError(CANARIES[0])


class Odd(metaclass=Nameless):
    """A class whose objects are of such a type."""


class Liar(float):
    """A number whose methods fail."""

    def __repr__(self) -> str:
        raise ValueError(CANARIES[0])

    __str__ = __floor__ = __eq__ = __repr__  # type: ignore[assignment]


def odd_lists() -> dict[str, list[Any]]:
    """Cells as Python has them."""
    return {
        "numbers and a text": [1.2, f"<0.5 {CANARIES[0]}", 3.1],
        "codes": [101, CANARIES[0], "9"],
        "dates and a text": [datetime.date(2020, 1, 1), CANARIES[0], None],
        "beyond 64 bits": [int(CANARIES[2]), -(10**30), 1],
        "too long to be written": [10**5000, 1, 2],
        "bytes": [CANARIES[0].encode(), b"\xff", b"x"],
        "lists": [[CANARIES[0]], [], [1]],
        "complex": [1j, 2j, complex("nan")],
        "decimals": [decimal.Decimal(CANARIES[2]), decimal.Decimal("1E+999999"), decimal.Decimal("sNaN")],
        "an enumeration": [Colour.RED, Colour.RED, Colour.RED],
        "true or false": [True, False, None],
        "objects": [Loud(), object(), Odd()],
        "numbers that fail": [Liar(1.5), Liar(2.0), 1.0],
        "dates": [
            datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc),
            datetime.date(1, 1, 1),
            datetime.time(1),
        ],
        "a lone surrogate": ["\ud800" + CANARIES[0], "x", None],
    }


def columns_of(holder: str) -> dict[str, Any]:
    """Columns of every kind that a holder of rows has."""
    found: dict[str, Any] = {} if holder in ("polars", "pyarrow", "reader", "stream", "duckdb") else dict(odd_lists())
    if holder == "numpy":
        import numpy as np

        found = {}
        for kind, cells in odd_lists().items():
            found[kind] = np.empty(3, dtype=object)
            found[kind][:] = cells
        masked = np.ma.array([1.5, float(CANARIES[1]), 2], mask=[False, True, False])
        found |= {
            "masked": masked,
            "texts": np.array([CANARIES[0], "x", ""]),
            "bytes": np.array([CANARIES[0].encode(), b"", b"x"]),
        }
        found |= {
            "complex": np.array([1j, 2, 3]),
            "structured": np.zeros(3, dtype="i4,f8"),
            "spans": np.array([1, 2, 3], dtype="m8[s]"),
        }
        found |= {
            "far": np.array(["300000-01-01", "NaT", "2020-01-01"], dtype="M8[D]"),
            "short": np.array([1, 2, 3], dtype="float16"),
        }
    elif holder == "pandas":
        import pandas as pd

        found |= {"categories": pd.Categorical([1, CANARIES[0], None]), "whole": pd.array([1, None, 3], dtype="Int64")}
        found |= {"spans": pd.to_timedelta([1, 2, 3]), "periods": pd.period_range("2020", periods=3, freq="M")}
        found |= {
            "times": pd.to_datetime(["2020-01-01", None, "2021-01-01"], utc=True),
            "texts": pd.array([CANARIES[0], None, "x"], dtype="string"),
        }
        found |= {
            "sparse": pd.arrays.SparseArray([0.0, 1.5, 0.0]),
            "intervals": pd.arrays.IntervalArray.from_breaks([0, 1, 2, 3]),
        }
    elif holder == "polars":
        import polars as pl

        found = {kind: pl.Series("odd", cells, dtype=pl.Object) for kind, cells in odd_lists().items()}
        found |= {
            "nothing": pl.Series("odd", [None] * 3),
            "wide": pl.Series("odd", [1, None, 3], dtype=getattr(pl, "Int128", pl.Int64)),
        }
        found |= {
            "lists": pl.Series("odd", [[CANARIES[0]], None, []]),
            "records": pl.Series("odd", [{CANARIES[0]: 1}] * 3),
        }
        found |= {
            "categories": pl.Series("odd", [CANARIES[0], None, "x"], dtype=pl.Categorical),
            "bytes": pl.Series("odd", [b"x"] * 3),
        }
        found |= {"enumeration": pl.Series("odd", [CANARIES[0], None, CANARIES[0]], dtype=pl.Enum([CANARIES[0]]))}
        found |= {
            "spans": pl.Series("odd", [1, 2, 3], dtype=pl.Duration),
            "hours": pl.Series("odd", [datetime.time(1)] * 3),
        }
    elif holder in ("pyarrow", "reader", "stream"):
        import pyarrow as pa

        found = {
            "lists": pa.array([[CANARIES[0]], None, []]),
            "records": pa.array([{CANARIES[0]: 1}] * 3),
            "nothing": pa.nulls(3),
        }
        found |= {"bytes": pa.array([CANARIES[0].encode()] * 3)}
        if importable("numpy"):
            import numpy as np

            found["short"] = pa.array(np.array([1.5, 2, 2.5], dtype="float16"))
        found |= {
            "categories": pa.array([CANARIES[0], None, "x"]).dictionary_encode(),
            "spans": pa.array([1, 2, 3], pa.duration("s")),
        }
        found |= {
            "decimals": pa.array([decimal.Decimal(1), None, decimal.Decimal(2)], pa.decimal128(30, 2)),
            "views": pa.array(["x"] * 3, pa.string_view()),
        }
        found |= {
            "times": pa.array([1, None, 3], pa.timestamp("ns", "Europe/Berlin")),
            "hours": pa.array([1, 2, 3], pa.time32("s")),
        }
        if holder == "pyarrow":
            found["runs"] = pa.RunEndEncodedArray.from_arrays(
                pa.array([2, 3], pa.int32()), pa.array(["x", CANARIES[0]])
            )
            found["months"] = pa.array([pa.MonthDayNano([1, 2, 3])] * 3)
    elif holder == "duckdb":
        text = f"'{CANARIES[0]}'"
        found = {
            "lists": f"[{text}]",
            "records": f"{{'a': {text}}}",
            "maps": f"map {{{text}: 1}}",
            "bytes": f"{text}::blob",
            "nothing": "null",
        }
        found |= {
            "wide": "170141183460469231731687303715884105727::hugeint",
            "ids": "uuid()",
            "spans": "interval 1 day",
            "hours": "time '01:00'",
        }
        found |= {
            "decimals": "1.50::decimal(30, 2)",
            "times": "timestamptz '2020-01-01 00:00:00+02'",
            "bits": "'101'::bit",
        }
        found |= {"enumeration": f"{text}::enum ({text}, 'x')"}
    return found


def holders() -> dict[str, Callable[[dict[str, Any]], Any]]:
    """How rows are made of columns, by what holds them."""
    found: dict[str, Callable[[dict[str, Any]], Any]] = {"lists": dict}
    if importable("numpy"):
        import numpy as np

        found["numpy"] = lambda columns: {
            name: np.array(cells) if name == "sex" else cells for name, cells in columns.items()
        }
    if importable("pandas"):
        import pandas as pd

        def frame(columns: dict[str, Any]) -> Any:
            made = {
                name: pd.Series(cells, dtype=object) if isinstance(cells, list) else pd.Series(cells)
                for name, cells in columns.items()
            }
            return pd.DataFrame(made)

        found["pandas"] = frame
    if importable("polars"):
        import polars as pl

        found["polars"] = pl.DataFrame
    if importable("pyarrow"):
        import pyarrow as pa

        class Stream:
            def __init__(self, columns: dict[str, Any]) -> None:
                self.table = pa.table(columns)

            def __arrow_c_stream__(self, requested_schema: object = None) -> object:
                return self.table.__arrow_c_stream__(requested_schema)

        found["pyarrow"] = pa.table
        found["reader"] = lambda columns: pa.table(columns).to_reader()
        found["stream"] = Stream
    if importable("duckdb"):
        import duckdb

        def relation(columns: dict[str, Any]) -> Any:
            return duckdb.sql(f"select sex, {columns['odd']} as odd from (values ('f'), ('m'), ('f')) t(sex)")

        found["duckdb"] = relation
    return found


class Private(unittest.TestCase):
    def assert_clean(self, *shown: str) -> None:
        for text in shown:
            for canary in CANARIES:
                self.assertNotIn(canary, text)

    def test_what_holds_rows_shows_none(self) -> None:
        data = ib.Data(ROWS)
        plan = ib.Plan(data=data, privacy=PRIVACY, columns=COLUMNS, statistics=[ib.count(by="name"), ib.sum("n")])
        for held in (data, data.rows, plan, plan._plan):
            self.assert_clean(repr(held), str(held))
            with self.assertRaises(TypeError) as caught:
                pickle.dumps(held)
            self.assert_clean(str(caught.exception))
            with self.assertRaises(TypeError):
                copy.deepcopy(held)
        self.assert_clean(plan.to_toml(), str(plan.check()))
        # They give a plan what it reads, and nothing else.
        self.assertEqual([name for name in dir(data.rows) if not name.startswith("_")], ["read"])
        assert data.rows is not None
        read = data.rows.read(["n"])
        self.assertFalse([name for name in dir(read) if not name.startswith(("_", "from_"))])
        self.assert_clean(repr(read), repr(data.rows))

    def test_mistakes_show_none(self) -> None:
        wrong: list[dict[str, Any]] = [
            dict(columns={}),
            dict(columns={**COLUMNS, "m": {"type": "integer"}}),
            dict(statistics=[ib.mean("name")]),
            dict(statistics=[ib.count(where="name > 3 and n = 'x'")]),
            dict(statistics=[ib.count(by="n")]),
            dict(privacy={"unit": "row", "neighbours": "substitute", "epsilon": 1, "rows": 7}),
            dict(privacy={"unit": {"column": "nam", "max_rows": 1}, "neighbours": "add-remove", "epsilon": 1}),
        ]
        log = io.StringIO()
        handler = logging.StreamHandler(log)
        logging.getLogger().addHandler(handler)
        self.addCleanup(logging.getLogger().removeHandler, handler)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            for changed in wrong:
                made = {**dict(data=ROWS, privacy=PRIVACY, columns=COLUMNS, statistics=[ib.count(by="name")]), **changed}
                try:
                    ib.Plan(**made).release()
                except ib.Error as error:
                    shown = traceback.TracebackException.from_exception(error)
                    self.assert_clean("".join(shown.format()), repr(error), str(error.__dict__))
                else:
                    self.fail(f"accepted: {changed}")
        self.assert_clean(log.getvalue(), *(str(one.message) for one in warned))

    def test_no_cell_decides_whether_a_release_succeeds(self) -> None:
        for cells in (
            [],
            [None],
            ["x", b"y", 3, object()],
            [Odd(), 1],
            [Liar(1.5)],
            [Loud()],
            [10**5000],
            [10**400],
            [float("inf"), -0.0],
            ["\ud800"],
        ):
            data = {"n": cells}
            columns = {"n": {"type": "number", "lower": 0, "upper": 1, "missing": "drop"}}
            with self.subTest(cells=len(cells)):
                plan = ib.Plan(data=data, privacy=PRIVACY, columns=columns, statistics=[ib.sum("n")])
                self.assertEqual(len(plan.release().estimates), 1)

    def assert_hidden(self, error: BaseException) -> None:
        """Neither the error nor what it came from shows a cell."""
        self.assertIsInstance(error, ib.Error)
        self.assertIsNone(error.__cause__)
        self.assertIsNone(error.__context__)
        self.assert_clean(str(error), repr(error), repr(vars(error)), "".join(traceback.format_exception(error)))

    def test_every_holder_of_rows_shows_none(self) -> None:
        """A column of each kind, of which a plan reads none, or that one."""
        for holder, make in holders().items():
            for kind, column in columns_of(holder).items():
                with self.subTest(holder=holder, kind=kind), warnings.catch_warnings(record=True) as warned:
                    warnings.simplefilter("always")
                    rows = make({"sex": ["f", "m", "f"], "odd": column})
                    unread = ib.Plan(data=rows, privacy=PRIVACY, columns=SEXES, statistics=[ib.count(by="sex")])
                    self.assertEqual(len(unread.release().estimates), 2)
                    self.assert_clean(repr(unread), unread.to_toml(), str(unread.check()))
                    for read in (
                        {"odd": {"type": "number", "lower": 0, "upper": 1, "missing": "drop"}},
                        {"odd": {"type": "text", "values": ["x"]}},
                        {"odd": {"type": "date"}, "year": {"from": "odd", "take": "year", "values": [2020]}},
                    ):
                        by = next((name for name, one in read.items() if "values" in one), None)
                        statistic = ib.sum("odd") if by is None else ib.count(by=by)
                        try:
                            made = ib.Plan(
                                data=make({"odd": column}), privacy=PRIVACY, columns=read, statistics=[statistic]
                            )
                            self.assertGreaterEqual(len(made.release().estimates), 1)
                        except ib.Error as error:
                            self.assert_hidden(error)
                            self.assertRegex(str(error), "`odd`|'odd'|columns.odd")
                    self.assert_clean(*(str(one.message) for one in warned))

    @needs("numpy", "sklearn")
    def test_rows_of_a_classifier_show_none(self) -> None:
        import numpy as np
        from inbounds.sklearn import NaiveBayes

        told: dict[str, Any] = dict(epsilon=1, lower=0, upper=9, classes=[0, 1])
        fitted = NaiveBayes(**told).fit(np.arange(40.0).reshape(20, 2) % 9, np.arange(20) % 2)
        native = fitted.bundle_.classifier()
        canary = float(CANARIES[1])
        for rows in (
            np.array([[CANARIES[0], "1"]] * 4),
            np.array([[1.0, CANARIES[0]]] * 4, dtype=object),
            np.array([canary] * 4),
            [[CANARIES[0], 1]] * 4,
        ):
            for call in (
                lambda: NaiveBayes(**told).fit(rows, [0, 1, 0, 1]),
                lambda: fitted.predict(rows),
                lambda: native.predict(rows),
            ):
                with self.subTest(rows=type(rows).__name__), self.assertRaises(ib.Error) as caught:
                    call()
                self.assert_hidden(caught.exception)

    @needs("polars", "pandas", "pyarrow", "duckdb")
    def test_failures_of_other_libraries_name_column_type_and_remedy(self) -> None:
        import duckdb
        import numpy as np
        import pandas as pd
        import polars as pl
        import pyarrow as pa

        frame = pd.DataFrame({"n": [1, 2]}, index=pd.Index([CANARIES[0], "x"], name="who"))
        wrong: list[tuple[Any, str, str, str]] = [
            (frame, "who", "index", "reset_index"),
            (pd.DataFrame([[CANARIES[0], 2]], columns=["n", "n"]), "n", "two columns", "rename"),
            (pd.DataFrame({"n": [1j]}), "n", "complex128", "convert it"),
            (pd.DataFrame({"n": pd.period_range("2020", periods=2, freq="M")}), "n", "Period", "convert it"),
            (pd.DataFrame({"n": pd.to_timedelta([1, 2])}), "n", "timedelta64", "convert it"),
            (pl.DataFrame({"n": [[1, 2]]}), "n", "List", "convert it"),
            (pl.DataFrame({"n": [{CANARIES[0]: 2}]}), "n", "Struct", "convert it"),
            (pl.DataFrame({"n": [CANARIES[0].encode()]}), "n", "Binary", "convert it"),
            (pa.table({"n": [[CANARIES[0]]]}), "n", "list", "convert it"),
            (pa.table([[CANARIES[0]], [2]], names=["n", "n"]), "n", "two columns", "rename"),
            (duckdb.sql(f"select ['{CANARIES[0]}'] as n"), "n", "LIST", "convert it"),
            (
                duckdb.sql(f"select cast(s as integer) as n from (values ('{CANARIES[0]}')) t(s)"),
                "n",
                "DuckDB",
                "convert it",
            ),
            ({"n": np.array([1j])}, "n", "complex128", "convert it"),
            ({"n": np.array([[1]])}, "n", "one dimension", "has 2"),
            ({"n": 3.5}, "n", "float", "list"),
        ]
        for rows, name, *words in wrong:
            with self.subTest(holder=type(rows).__name__, words=words):
                columns = {name: {"type": "number", "lower": 0, "upper": 1, "missing": "drop"}}
                with self.assertRaises(ib.DataError) as caught:
                    ib.Plan(data=rows, privacy=PRIVACY, columns=columns, statistics=[ib.sum(name)])
                self.assert_hidden(caught.exception)
                for word in (f"`{name}`", *words):
                    self.assertIn(word, str(caught.exception))

    @needs("pyarrow")
    def test_the_words_of_a_producer_are_dropped(self) -> None:
        import pyarrow as pa

        def batches() -> Any:
            yield pa.record_batch({"n": [1]})
            raise ValueError(CANARIES[0])

        reader = pa.RecordBatchReader.from_batches(pa.schema([("n", pa.int64())]), batches())
        with self.assertRaises(ib.DataError) as caught:
            ib.Plan(
                data=reader,
                privacy=PRIVACY,
                columns={"n": {"type": "number", "lower": 0, "upper": 1, "missing": "drop"}},
                statistics=[ib.sum("n")],
            ).release(progress=False)
        self.assert_clean(str(caught.exception), "".join(traceback.format_exception(caught.exception)))


if __name__ == "__main__":
    unittest.main()
