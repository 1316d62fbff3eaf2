"""Columns that the data do not have, made of objects: by rules, formulas and public files."""

from __future__ import annotations

import datetime
import tempfile
import unittest
from pathlib import Path
from typing import Any

import inbounds as ib
from common import needs

CERTAIN = ib.Privacy(unit="row", neighbours="add-remove", epsilon=900)
ROWS: dict[str, Any] = {
    "district": ["Elm", "Fen", "Elm", "Gap", None, "elm"],
    "age": [3, 17, 18, 65, 90, None],
    "cost": [10.0, 20.0, float("nan"), 1e300, -5.0, 40.0],
    "rooms": [1, 2, 0, 4, 5, 6],
    "code": [1, 2, 3, 9, 1, 7],
    "born": [datetime.date(2000, 2, 29), None, *[datetime.date(1990, 12, 31)] * 4],
}
TYPES: dict[str, Any] = {
    "district": {"type": "text"},
    "age": {"type": "integer"},
    "cost": {"type": "number", "lower": 0, "upper": 100},
    "rooms": {"type": "integer", "lower": 0, "upper": 10},
    "code": {"type": "integer", "missing_values": [9]},
    "born": {"type": "date"},
}
REGIONS = "district,region,note\nElm,north,x\nFen,south,y\n"


class Derived(unittest.TestCase):
    def setUp(self) -> None:
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room = Path(room.name)
        (self.room / "regions.csv").write_text(REGIONS)

    def released(self, columns: dict[str, Any], *statistics: ib.Statistic, rows: Any = ROWS, types: Any = TYPES) -> ib.Bundle:
        made = ib.Plan(
            data=rows, privacy=CERTAIN, columns={**types, **columns}, statistics=list(statistics), folder=self.room
        )
        again = ib.Plan.parse(made.to_toml(), folder=self.room, rows=rows)
        found, same = (plan.release(seed=1, not_private=True) for plan in (made, again))
        self.assertEqual((found.folder / "estimates.csv").read_bytes(), (same.folder / "estimates.csv").read_bytes())
        return found

    def counts(self, name: str, column: Any, **more: Any) -> dict[Any, int]:
        found = self.released({name: column}, ib.count(by=name), **more).statistic(f"count-by-{name}")
        return {row[f"by_{name}"]: round(row["estimate"]) for row in found}

    def test_classes(self) -> None:
        classes = ["child", "adult", "old"]
        self.assertEqual(
            self.counts("class", ib.Column(from_="age", cut=[18, 65], classes=classes)), {"child": 2, "adult": 1, "old": 2}
        )
        by_day = ib.Column(from_="born", cut=[datetime.date(2000, 1, 1)], classes=["before", "after"])
        self.assertEqual(self.counts("time", by_day), {"before": 4, "after": 1})

    def test_codes(self) -> None:
        column = ib.Column(from_="code", recode={"1": "yes", "2": "yes", "3": "no"}, others="missing")
        self.assertEqual(self.counts("smoker", column), {"yes": 3, "no": 1})

    def test_lookups(self) -> None:
        column = ib.Column(from_="district", lookup="regions.csv", others="elsewhere", values=["north", "south", "elsewhere"])
        self.assertEqual(self.counts("region", column), {"north": 2, "south": 1, "elsewhere": 2})
        self.assertEqual(self.counts("region", ib.Column(from_="district", lookup="regions.csv", others="missing")), {"north": 2, "south": 1})

    def test_conditions_and_dates(self) -> None:
        self.assertEqual(self.counts("old", ib.Column(is_="age >= 65")), {False: 3, True: 2})
        year = ib.Column(from_="born", take="year", values=[1990, 2000])
        self.assertEqual(self.counts("year", year), {1990: 4, 2000: 1})
        age = ib.Column(from_="born", take="age at 2024-02-28", values=[23, 33])
        self.assertEqual(self.counts("years", age), {23: 1, 33: 4})

    def test_formulas(self) -> None:
        column = ib.Column(is_="cost / (rooms + 1)", missing="drop")
        # Columns are clipped first, and a missing cell has no value: 10 / 2, 20 / 3, none, 100 / 5, 0 / 6 and 40 / 7.
        found = self.released({"each": column}, ib.sum("each")).statistic("sum-each")[0]["estimate"]
        self.assertAlmostEqual(found, 5 + 20 / 3 + 20 + 0 + 40 / 7, delta=1)

    def test_one_made_of_another(self) -> None:
        columns = {
            "region": ib.Column(from_="district", lookup="regions.csv", others="elsewhere"),
            "class": ib.Column(from_="age", cut=[18], classes=["minor", "adult"]),
            "young": ib.Column(is_="class = 'minor' AND region <> 'elsewhere'"),
        }
        found = self.released(columns, ib.count(by="young"), ib.count(where="young")).statistic("count")
        self.assertEqual(round(found[0]["estimate"]), 2)

    @needs("numpy", "polars")
    def test_frames_and_arrays(self) -> None:
        import numpy as np
        import polars as pl

        column = ib.Column(from_="age", cut=[18, 65], classes=["child", "adult", "old"])
        expected = {"child": 2, "adult": 1, "old": 2}
        types = {"age": {"type": "integer"}}
        self.assertEqual(self.counts("class", column, rows=pl.DataFrame({"age": ROWS["age"]}), types=types), expected)
        ages = np.array([3, 17, 18, 65, 90])
        self.assertEqual(self.counts("class", column, rows={"age": ages}, types=types), expected)

    def mistake(self, **columns: Any) -> ib.Mistake:
        with self.assertRaises(ib.PlanError) as caught:
            ib.Plan(data=ROWS, privacy=CERTAIN, columns={**TYPES, **columns}, statistics=[ib.count()], folder=self.room).check()
        self.assertTrue(all(str(cell) not in str(caught.exception) for cell in ("1e+300", "Gap", "-5.0")))
        return caught.exception.mistakes[0]

    def test_mistakes_have_their_place(self) -> None:
        self.assertEqual(self.mistake(x=ib.Column(is_="cost / rooms")).place, "columns['x'].is")
        self.assertEqual(self.mistake(x=ib.Column(is_="coast + 1")).place, "columns['x'].is")
        self.assertEqual(self.mistake(x=ib.Column(from_="agee", cut=[1])).place, "columns['x'].from")
        self.assertEqual(self.mistake(x=ib.Column(from_="age", cut=[18, 5])).place, "columns['x'].cut[1]")
        self.assertTrue(self.mistake(x=ib.Column(from_="district", lookup="gone.csv", others="?")).place.startswith("columns['x']"))
        (self.room / "regions.csv").write_text(REGIONS + "Elm,south,z\n")
        twice = self.mistake(region=ib.Column(from_="district", lookup="regions.csv", others="?"))
        self.assertIn("the same key as in line 2", str(twice))


if __name__ == "__main__":
    unittest.main()
