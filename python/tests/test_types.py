"""Types that readers infer from cells decide nothing: neighbouring files give neighbouring measurements, from whatever reads them.

Two files differ in one row. Each is read by a reader as people use it, and released with the same seed. Noise is the same if the
grid is, so the measurements differ by what the one row adds, which the stated sensitivity bounds.
"""

from __future__ import annotations

import io
import json
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import inbounds as ib
from common import needs

# Cells that everybody has, and the cell of one more person.
WHOLE = [str(number) for number in range(100)]
NEIGHBOURS = {
    "a missing number": (WHOLE, ""),
    "a fraction": (WHOLE, "2.5"),
    "a code below detection": (WHOLE, "<5"),
    "a number beyond 64 bits": (WHOLE, "99999999999999999999"),
    "a text": (WHOLE, "not stated"),
    "a number among fractions": ([f"{number}.5" for number in range(100)], "unknown"),
    "a truth value that is none": (["true", "false"] * 50, "maybe"),
    "a first value": ([""] * 100, "7"),
    "a first text": ([""] * 100, "seven"),
}


def text_of(cells: list[str]) -> str:
    """A file with a column of cells, and one that keeps an empty line from being none."""
    return "x,i\n" + "".join(f"{cell},1\n" for cell in cells)


def pandas_frame(text: str, **keys: Any) -> Any:
    import pandas as pd

    return pd.read_csv(io.StringIO(text), **keys)


def polars_frame(text: str, **keys: Any) -> Any:
    import polars as pl

    # Readers look at all rows; by default one that looks at some fails at a later cell.
    keys = keys or {"infer_schema_length": None}
    return pl.read_csv(io.StringIO(text), **keys)


def pyarrow_table(text: str) -> Any:
    import pyarrow.csv

    return pyarrow.csv.read_csv(io.BytesIO(text.encode()))


def duckdb_relation(text: str, room: Path) -> Any:
    import duckdb

    path = room / "rows.csv"
    path.write_text(text)
    # A relation of earlier versions ends with its connection; this one is that of the module.
    return duckdb.read_csv(str(path), sample_size=-1)


def parquet(text: str, room: Path, writer: str) -> Path:
    path = room / f"{writer}.parquet"
    if writer == "pandas":
        pandas_frame(text).to_parquet(path)
    elif writer == "polars":
        polars_frame(text).write_parquet(path)
    else:
        duckdb_relation(text, room).write_parquet(str(path))
    return path


def objects(text: str) -> Any:
    return pandas_frame(text).astype(object)


def categories(text: str) -> Any:
    return pandas_frame(text).astype({"x": "category"})


class Types(unittest.TestCase):
    def released(self, data: Any, kind: str) -> tuple[list[float], Any]:
        """The measurements of a sum or of counts, and what the manifest says of their noise."""
        if kind == "text":
            column = {"type": "text", "values": ["1", "2", "true"]}
            statistic = ib.count(by="x", name="it")
        else:
            column = {"type": kind, "lower": 0, "upper": 100, "missing": "drop"}
            statistic = ib.sum("x", name="it")
        privacy = ib.Privacy(unit="row", neighbours="add-remove", epsilon="0.1")
        plan = ib.Plan(data=data, privacy=privacy, columns={"x": column}, statistics=[statistic])
        bundle = plan.release(seed=3, not_private=True, progress=False)
        manifest = json.loads((bundle.folder / "release.json").read_text())
        return bundle.measurements.column("measurement"), manifest["statistics"][0]["measured"]

    def compare(self, read: Callable[[str], Any], but: str | None = None) -> None:
        """Compares all neighbours but those that a library itself can not read or write, so that there is no table."""
        for what, (cells, more) in NEIGHBOURS.items():
            if what == but:
                continue
            with self.subTest(what):
                left, right = text_of(cells), text_of([*cells, more])
                for kind, sensitivity in (("integer", 100), ("number", 100), ("text", 1)):
                    (fewer, noise), (all_rows, same) = self.released(read(left), kind), self.released(read(right), kind)
                    self.assertEqual(noise, same, f"the grid of {kind}")
                    moved = sum(abs(a - b) for a, b in zip(fewer, all_rows, strict=True))
                    self.assertLessEqual(moved, sensitivity, kind)

    @needs("pandas", "pyarrow")
    def test_pandas(self) -> None:
        self.compare(pandas_frame)
        self.compare(lambda text: pandas_frame(text, dtype=str))
        self.compare(lambda text: pandas_frame(text, dtype_backend="pyarrow"), but="a number beyond 64 bits")
        self.compare(objects)
        self.compare(categories)

    @needs("polars")
    def test_polars(self) -> None:
        import polars as pl

        # Earlier versions read no such number.
        self.compare(polars_frame, None if hasattr(pl, "Int128") else "a number beyond 64 bits")
        self.compare(lambda text: polars_frame(text, infer_schema=False))

    @needs("pyarrow")
    def test_pyarrow(self) -> None:
        self.compare(pyarrow_table)

    @needs("duckdb", "pyarrow")
    def test_duckdb(self) -> None:
        with tempfile.TemporaryDirectory() as room:
            self.compare(lambda text: duckdb_relation(text, Path(room)))

    @needs("pandas", "polars", "duckdb", "pyarrow")
    def test_parquet(self) -> None:
        with tempfile.TemporaryDirectory() as room:
            # pandas has no type in Parquet for it, and that of polars is its own.
            for writer, but in (
                ("pandas", "a number beyond 64 bits"),
                ("polars", "a number beyond 64 bits"),
                ("duckdb", None),
            ):
                self.compare(lambda text, writer=writer: parquet(text, Path(room), writer), but)

    def test_types_must_be_declared(self) -> None:
        privacy = ib.Privacy(unit="row", neighbours="add-remove", epsilon=1)
        bounds = {"lower": 0, "upper": 9, "missing": "drop"}
        with self.assertRaisesRegex(ib.PlanError, "must have `type`"):
            ib.Plan(data={"x": [1, 2]}, privacy=privacy, columns={"x": bounds}, statistics=[ib.sum("x")]).check()
        with self.assertRaisesRegex(ib.PlanError, "must be declared"):
            ib.Plan(data={"x": [1, 2]}, privacy=privacy, statistics=[ib.count(by="x")]).check()

    @needs("pyarrow")
    def test_public_types_are_said(self) -> None:
        import pyarrow as pa

        privacy = ib.Privacy(unit="row", neighbours="add-remove", epsilon=1)
        data = ib.Data(pa.table({"x": [1, 2, 2]}), types="public")
        plan = ib.Plan(data=data, privacy=privacy, columns={"x": {"values": [1, 2]}}, statistics=[ib.count(by="x")])
        self.assertIn("no row can change the types", str(plan.check()))
        # The folder of a release in memory is there as long as its bundle.
        bundle = plan.release(progress=False)
        self.assertIn("public-types", [notice["id"] for notice in bundle.manifest["guarantee"]["notices"]])


if __name__ == "__main__":
    unittest.main()
