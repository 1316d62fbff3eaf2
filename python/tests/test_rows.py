"""Rows in memory: the same numbers as the same rows in a file, from whatever holds them."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import tempfile
import tomllib
import unittest
from pathlib import Path
from typing import Any

import inbounds as ib
from common import EXAMPLES, importable, lists, needs
from inbounds import _cells

PLAN = EXAMPLES / "people" / "private-rows.toml"
# A table has types of its own, and whole numbers are summed as such also where a plan says `number`.
COLUMNS = tomllib.loads(PLAN.read_text())["columns"]
NUMBERS = [name for name, column in COLUMNS.items() if column.get("type") == "number"]


def released(rows: Any = None, plan: Path = PLAN) -> list[str]:
    bundle = ib.Plan.read(plan, rows=rows).release(seed=5, not_private=True)
    return (bundle.folder / "measurements.csv").read_text().splitlines()


def path_of(plan: Path) -> Path:
    return plan.parent / tomllib.loads(plan.read_text())["data"]["path"]


class Rows(unittest.TestCase):
    def test_lists_carry_no_type(self) -> None:
        cells = {"n": [1, 2.5, None, float("nan"), "3", True], "day": [datetime.date(2020, 2, 29)] * 6}
        columns = {
            "n": {"type": "number", "lower": 0, "upper": 10, "missing": "drop"},
            "day": {"type": "date"},
            "year": {"from": "day", "take": "year", "values": [2020]},
        }
        privacy = ib.Privacy(unit="row", neighbours="add-remove", epsilon=1000)
        made = ib.Plan(data=cells, privacy=privacy, columns=columns, statistics=[ib.count(by="year"), ib.sum("n")])
        found = made.release(seed=1, not_private=True)
        self.assertEqual(round(found.statistic("count-by-year")[0]["estimate"]), 6)
        # A word of truth counts as 1, as in a CSV file.
        self.assertAlmostEqual(found.statistic("sum-n")[0]["estimate"], 7.5, delta=0.2)
        with self.assertRaises(ib.PlanError):
            bare = {"n": {"lower": 0, "upper": 10, "missing": "drop"}}
            ib.Plan(data={"n": [1]}, privacy=privacy, columns=bare, statistics=[ib.sum("n")]).check()

    @needs("numpy")
    def test_numpy(self) -> None:
        import numpy as np

        columns = lists(path_of(PLAN))
        typed: dict[str, Any] = dict(columns)
        for name, cells in columns.items():
            try:
                numbers = np.array([float("nan") if cell is None else float(cell) for cell in cells])
            except ValueError:
                typed[name] = np.array([cell or "" for cell in cells])
            else:
                whole = not np.isnan(numbers).any() and (numbers == numbers.round()).all()
                typed[name] = numbers.astype("int64") if whole else numbers
        self.assertEqual(released(typed), released())
        with self.assertRaisesRegex(ib.DataError, "column `region` .* one dimension"):
            ib.Plan.read(PLAN, rows={**typed, "region": np.zeros((len(columns["region"]), 2))})

    @needs("numpy")
    def test_types_of_numpy(self) -> None:
        import numpy as np

        privacy = ib.Privacy(unit="row", neighbours="add-remove", epsilon=1000)
        bounds = {"type": "number", "lower": 0, "upper": 10, "missing": "drop"}
        for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", ">i4"):
            cells = np.arange(20).astype(kind)[::2][:5]
            made = ib.Plan(data={"n": cells}, privacy=privacy, columns={"n": bounds}, statistics=[ib.sum("n")])
            found = made.release(seed=1, not_private=True).statistic("sum-n")[0]["estimate"]
            self.assertAlmostEqual(found, 20, delta=0.3, msg=kind)
        flags, days = np.array([True, False, True]), np.array(["2020-01-31", "NaT", "2020-02-01"], dtype="datetime64[D]")
        columns = {
            "flag": {"type": "boolean", "values": [True, False]},
            "day": {"type": "date"},
            "month": {"from": "day", "take": "month", "values": [1, 2]},
        }
        made = ib.Plan(
            data={"flag": flags, "day": days},
            privacy=privacy,
            columns=columns,
            statistics=[ib.count(by="flag"), ib.count(by="month")],
        )
        found = made.release(seed=1, not_private=True)
        self.assertEqual([round(row["estimate"]) for row in found.statistic("count-by-flag")], [2, 1])
        self.assertEqual([round(row["estimate"]) for row in found.statistic("count-by-month")], [1, 1])

    @needs("polars")
    def test_polars(self) -> None:
        import polars as pl

        frame = pl.read_csv(path_of(PLAN), schema_overrides=dict.fromkeys(NUMBERS, pl.Float64))
        self.assertEqual(released(frame), released())
        self.assertEqual(released(pl.concat([frame[:100], frame[100:]], rechunk=False)), released())
        bundle = ib.Plan.read(PLAN, rows=frame).release(seed=5, not_private=True)
        back = pl.DataFrame(bundle.estimates)
        self.assertEqual(back.columns, bundle.estimates.columns)
        self.assertEqual(back["estimate"].to_list(), bundle.estimates.column("estimate"))
        self.assertEqual(len(pl.DataFrame(bundle.measurements)), len(bundle.measurements))
        with self.assertRaisesRegex(TypeError, "collect"):
            ib.Data(frame.lazy())

    @needs("pyarrow")
    def test_pyarrow(self) -> None:
        import pyarrow as pa
        import pyarrow.csv

        typed = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(NUMBERS, pa.float64()))
        table = pyarrow.csv.read_csv(path_of(PLAN), convert_options=typed)
        self.assertEqual(released(table), released())
        self.assertEqual(released(pa.RecordBatchReader.from_batches(table.schema, table.to_batches(100))), released())
        bundle = ib.Plan.read(PLAN, rows=table).release(seed=5, not_private=True)
        self.assertEqual(pa.table(bundle.estimates).column("estimate").to_pylist(), bundle.estimates.column("estimate"))

    @needs("pyarrow")
    def test_a_file_of_parquet_and_its_table(self) -> None:
        import pyarrow.csv
        import pyarrow.parquet

        table = pyarrow.csv.read_csv(path_of(PLAN))
        with tempfile.TemporaryDirectory() as room:
            pyarrow.parquet.write_table(table, Path(room, "rows.parquet"))
            text = PLAN.read_text().replace(f'"{path_of(PLAN).name}"', '"rows.parquet"')
            Path(room, "plan.toml").write_text(text)
            self.assertIn("rows.parquet", text)
            self.assertEqual(released(table, Path(room, "plan.toml")), released(None, Path(room, "plan.toml")))

    @needs("pandas", "pyarrow")
    def test_pandas(self) -> None:
        import pandas as pd

        frame = pd.read_csv(path_of(PLAN), dtype=dict.fromkeys(NUMBERS, "float64"))
        self.assertEqual(released(frame), released())
        self.assertEqual(released({name: frame[name] for name in frame}), released())
        bundle = ib.Plan.read(PLAN, rows=frame).release(seed=5, not_private=True)
        if hasattr(pd.DataFrame, "from_arrow"):
            self.assertEqual(len(pd.DataFrame.from_arrow(bundle.estimates)), len(bundle.estimates))
        self.assertEqual(len(pd.DataFrame(bundle.estimates.to_dicts())), len(bundle.estimates))

    @needs("duckdb", "pyarrow")
    def test_duckdb(self) -> None:
        import duckdb

        cast = ", ".join(f'"{name}"::double as "{name}"' for name in NUMBERS)
        relation = duckdb.sql(f"select * replace ({cast}) from '{path_of(PLAN)}'")
        self.assertEqual(released(relation), released())

    def test_no_cell_decides_how_another_is_read(self) -> None:
        Size = enum.Enum("Size", {"SMALL": "s", "LARGE": "l"})
        cells: list[tuple[object, str | None]] = [
            (None, None),
            (float("nan"), None),
            (decimal.Decimal("NaN"), None),
            (True, "true"),
            (False, "false"),
            (7, "7"),
            (-0.0, "0"),
            (10**30, "1" + "0" * 30),
            (3.0, "3"),
            (0.1, "0.1"),
            (1e22, "10000000000000000000000"),
            (float("inf"), "inf"),
            ("as it is ", "as it is "),
            (decimal.Decimal("1.50"), "1.5"),
            (decimal.Decimal("2E+3"), "2000"),
            (decimal.Decimal("-0.00"), "-0"),
            (fractions.Fraction(1, 2), "0.5"),
            (fractions.Fraction(4, 2), "2"),
            (datetime.date(2020, 2, 29), "2020-02-29"),
            (datetime.datetime(2020, 2, 29, 12), "2020-02-29T12:00:00"),
            (b"ab", "ab"),
            (b"\xff", "\ufffd"),
            (Size.SMALL, "s"),
            ([1], "\ufffd"),
            (1j, "\ufffd"),
            (object(), "\ufffd"),
            (datetime.timedelta(1), "\ufffd"),
            ({}, "\ufffd"),
        ]
        if importable("numpy"):
            import numpy as np

            cells += [
                (np.float32(2.5), "2.5"),
                (np.int8(-3), "-3"),
                (np.bool_(True), "true"),
                (np.float64("nan"), None),
                (np.str_("x"), "x"),
                (np.datetime64("2020-02-29"), "2020-02-29"),
                (np.datetime64("NaT"), None),
                (np.ma.masked, None),
                (np.timedelta64(1), "\ufffd"),
            ]
        if importable("pandas"):
            import pandas as pd

            cells += [(pd.NA, None), (pd.NaT, None), (pd.Timestamp("2020-02-29"), "2020-02-29T00:00:00")]
        for cell, text in cells:
            self.assertEqual(_cells.texts([cell]), [text], type(cell))
        # Together they are what each is alone.
        self.assertEqual(_cells.texts([cell for cell, _ in cells]), [text for _, text in cells])

    @needs("pandas", "numpy")
    def test_a_column_of_objects_is_read_as_its_text(self) -> None:
        import numpy as np
        import pandas as pd

        texts = ["1", "2", None, "2.0", "x", "3"]
        objects = [1, 2.0, None, decimal.Decimal("2.0"), "x", np.int64(3)]
        privacy = ib.Privacy(unit="row", neighbours="add-remove", epsilon=1000)
        columns = {"n": {"type": "integer", "lower": 0, "upper": 9, "missing": "drop", "values": [1, 2, 3]}}
        held: list[Any] = [
            {"n": texts},
            {"n": objects},
            {"n": np.array(objects, dtype=object)},
            {"n": tuple(objects)},
            pd.DataFrame({"n": pd.Series(objects, dtype=object)}).set_index(pd.Index([5] * 6)),
            pd.DataFrame({"n": pd.Categorical(objects)}),
            {"n": pd.Series(objects, dtype=object)},
            {"n": np.ma.array([1, 2, 9, 2, 9, 3], mask=[0, 0, 1, 0, 1, 0])},
        ]
        for rows in held:
            plan = ib.Plan(data=rows, privacy=privacy, columns=columns, statistics=[ib.count(by="n"), ib.sum("n")])
            bundle = plan.release(seed=1, not_private=True)
            self.assertEqual([round(row["estimate"]) for row in bundle.statistic("count-by-n")], [1, 2, 1])
            self.assertEqual(round(bundle.statistic("sum-n")[0]["estimate"]), 8)

    @needs("pandas", "numpy")
    def test_whole_codes_with_a_missing_one_are_whole_numbers_if_declared_so(self) -> None:
        import numpy as np
        import pandas as pd

        rows = pd.DataFrame({"sex": np.array([1, 2, 1, np.nan] * 25)})
        told: dict[str, Any] = dict(
            data=rows,
            privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=50),
            statistics=[ib.count(by="sex")],
        )
        with self.assertRaisesRegex(ib.PlanError, 'type = "integer"'):
            ib.Plan(columns={"sex": {"type": "number", "values": [1, 2]}}, **told).check()
        made = ib.Plan(columns={"sex": {"type": "integer", "values": [1, 2]}}, **told).release(seed=1, not_private=True)
        self.assertEqual([row["estimate"] for row in made.statistic("count-by-sex")], [50, 25])

    def test_only_columns_that_a_plan_reads_are_converted(self) -> None:
        asked = []

        class Asked(list):
            def __init__(self, name: str, cells: list[Any]) -> None:
                super().__init__(cells)
                self.name = name

            def __iter__(self) -> Any:
                asked.append(self.name)
                return super().__iter__()

        names = ["sex", "age", "born", "who", "day", "stay", "rest", "when"]
        rows = {name: Asked(name, ["1"] * 3) for name in names}
        columns = {
            "sex": {"type": "integer", "values": [1]},
            "old": {"is": "age > 65", "values": [True, False]},
            "year": {"from": "born", "take": "year", "values": [2020]},
            **{
                name: {"type": kind}
                for name, kind in (("age", "integer"), ("born", "date"), ("day", "integer"), ("who", "text"))
            },
        }
        privacy = ib.Privacy(unit={"column": "who", "max_rows": 1}, neighbours="add-remove", epsilon=1)
        statistics = [ib.count(by="sex", where="day = 1"), ib.count(by=["old", "year"])]
        ib.Plan(data=rows, privacy=privacy, columns=columns, statistics=statistics)
        self.assertEqual(sorted(set(asked)), ["age", "born", "day", "sex", "who"])
        asked.clear()
        units = {"long": {"take": "sum", "from": "stay", "where": "when = 1"}}
        known = {
            "stay": {"type": "integer", "lower": 0, "upper": 9, "missing": "drop"},
            "when": {"type": "integer"},
            "who": {"type": "text"},
        }
        ib.Plan(
            data=rows,
            privacy=ib.Privacy(unit={"column": "who"}, neighbours="add-remove", epsilon=1),
            columns=known,
            per_unit={"long": {**units["long"], "lower": 0, "upper": 9}},
            statistics=[ib.sum("long", where="long > 2")],
        )
        self.assertEqual(sorted(set(asked)), ["stay", "when", "who"])
        # A name that is nearly that of a column which is not read is answered with it.
        with self.assertRaisesRegex(ib.PlanError, "rest"):
            ib.Plan(
                data=rows, privacy=privacy, columns={**columns, "rst": {"type": "integer"}}, statistics=statistics
            ).check()

    def test_a_stream_that_breaks_off(self) -> None:
        class Broken:
            def __arrow_c_stream__(self, requested_schema: object = None) -> object:
                raise RuntimeError("the table is gone")

        class NoCapsule:
            def __arrow_c_stream__(self, requested_schema: object = None) -> object:
                return 3

        with self.assertRaises(ib.DataError) as caught:
            ib.Data(Broken())
        self.assertNotIn("gone", str(caught.exception))
        with self.assertRaisesRegex(ib.DataError, "gave no Arrow C stream"):
            ib.Data(NoCapsule())

    def test_a_capsule_is_taken_once(self) -> None:
        table = ib.Plan.read(PLAN).release(seed=5, not_private=True).estimates

        class Twice:
            def __init__(self) -> None:
                self.capsule = table.__arrow_c_stream__()

            def __arrow_c_stream__(self, requested_schema: object = None) -> object:
                return self.capsule

        twice = Twice()
        ib.Data(twice)
        with self.assertRaises(ib.DataError):
            ib.Data(twice)


if __name__ == "__main__":
    unittest.main()
