"""Rows in memory: the same numbers as the same rows in a file, from whatever holds them."""

from __future__ import annotations

import datetime
import tempfile
import tomllib
import unittest
from pathlib import Path
from typing import Any

import inbounds as ib
from common import EXAMPLES, lists, needs

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
        # `True` is no number, as in a CSV file.
        self.assertAlmostEqual(found.statistic("sum-n")[0]["estimate"], 6.5, delta=0.2)
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
        with self.assertRaises(TypeError):
            ib.Data({"x": np.zeros((2, 2))})

    @needs("numpy")
    def test_types_of_numpy(self) -> None:
        import numpy as np

        privacy = ib.Privacy(unit="row", neighbours="add-remove", epsilon=1000)
        bounds = {"lower": 0, "upper": 10, "missing": "drop"}
        for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", ">i4"):
            cells = np.arange(20).astype(kind)[::2][:5]
            made = ib.Plan(data={"n": cells}, privacy=privacy, columns={"n": bounds}, statistics=[ib.sum("n")])
            found = made.release(seed=1, not_private=True).statistic("sum-n")[0]["estimate"]
            self.assertAlmostEqual(found, 20, delta=0.3, msg=kind)
        flags, days = np.array([True, False, True]), np.array(["2020-01-31", "NaT", "2020-02-01"], dtype="datetime64[D]")
        columns = {"flag": {"values": [True, False]}, "month": {"from": "day", "take": "month", "values": [1, 2]}}
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

    def test_a_stream_that_breaks_off(self) -> None:
        class Broken:
            def __arrow_c_stream__(self, requested_schema: object = None) -> object:
                raise RuntimeError("the table is gone")

        class NoCapsule:
            def __arrow_c_stream__(self, requested_schema: object = None) -> object:
                return 3

        with self.assertRaises(RuntimeError):
            ib.Data(Broken())
        with self.assertRaises(TypeError):
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
