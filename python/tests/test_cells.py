"""What cells hold and rows stand for, as plans of objects say it."""

from __future__ import annotations

import unittest
from typing import Any

import inbounds as ib

CERTAIN = ib.Privacy(unit="row", neighbours="add-remove", epsilon=900)


def estimates(bundle: ib.Bundle, name: str, by: str | None = None) -> Any:
    rows = list(bundle.statistic(name))
    return round(rows[0]["estimate"], 1) if by is None else {row[f"by_{by}"]: round(row["estimate"], 2) for row in rows}


def released(data: Any, columns: dict[str, Any], *statistics: ib.Statistic, privacy: ib.Privacy = CERTAIN) -> ib.Bundle:
    plan = ib.Plan(data=data, privacy=privacy, columns=columns, statistics=list(statistics))
    return plan.release(seed=1, not_private=True)


class Cells(unittest.TestCase):
    def test_numbers_with_marks(self) -> None:
        age = ib.Column(
            type="number", lower=-100, upper=100, missing=0, marks=["+"], numbers={"none": 0, "<5": "2.5"}, negative="(5)"
        )
        data = {"age": ["85+", "none", "<5", "(7)", "3,5", "1.5"]}
        self.assertAlmostEqual(estimates(released(data, {"age": age}, ib.sum("age")), "sum-age"), 82.0, delta=1)
        both = ib.Column(type="number", lower=0, upper=10, missing=0, decimal=[".", ","])
        self.assertAlmostEqual(estimates(released(data, {"age": both}, ib.sum("age")), "sum-age"), 5.0, delta=0.5)
        indian = ib.Column(type="integer", lower=0, upper=10**7, missing=0, thousands=",", groups=[3, 2])
        found = released({"pay": ["12,34,567", "1"]}, {"pay": indian}, ib.sum("pay"))
        self.assertAlmostEqual(estimates(found, "sum-pay"), 1234568, delta=10**5)

    def test_the_stored_type_changes_no_number(self) -> None:
        """A comma before decimals, in a column that one cell makes texts: points stand before decimals too, as in numbers."""
        column = ib.Column(type="number", lower=0, upper=10, missing=0, decimal=",")
        sums = [
            estimates(released({"x": cells}, {"x": column}, ib.sum("x")), "sum-x")
            for cells in ([1.5, 2.5, 3.0], ["1.5", "2,5", "3"], ["1,5", "2.5", "3"])
        ]
        self.assertEqual(len(set(sums)), 1, sums)
        self.assertAlmostEqual(sums[0], 7.0, delta=0.3)
        grouped = ib.Column(type="number", lower=0, upper=1, missing=0, thousands=".", decimal=",")
        with self.assertRaisesRegex(ib.PlanError, "may store 1.234 as a number"):
            released({"x": [1.5]}, {"x": grouped}, ib.sum("x"))

    def test_several_answers(self) -> None:
        reason = ib.Column(type="set", separator=";", values=[1, 3, 13], max_options=2)
        found = released({"reason": ["1; 3", "13", "13;1", None]}, {"reason": reason}, ib.count(by="reason"))
        self.assertEqual(estimates(found, "count-by-reason", "reason"), {"1": 2, "3": 1, "13": 2})

    def test_frequency(self) -> None:
        columns = {"n": ib.Column(type="integer", lower=0, upper=50)}
        found = released(ib.Data({"n": [3, 0, 7, 99]}, frequency="n"), columns, ib.count())
        self.assertEqual(estimates(found, "count"), 60)

    def test_any_rows(self) -> None:
        privacy = ib.Privacy(unit={"max_rows": 3}, neighbours="add-remove", epsilon=900)
        found = released({"n": [1, 2]}, {"n": ib.Column(type="integer")}, ib.count(), privacy=privacy)
        self.assertEqual(found.manifest["guarantee"]["privacy_unit"], "any 3 rows")

    def test_shares_within_groups(self) -> None:
        columns = {"sex": ib.Column(type="text", values=["f", "m"]), "smokes": ib.Column(type="boolean", values=[True, False])}
        data = {"sex": ["f"] * 4 + ["m"] * 10, "smokes": [True] + [False] * 3 + [True] * 4 + [False] * 6}
        shares = ib.proportion(by=["sex", "smokes"], within="sex")
        rows = list(released(data, columns, shares).statistic("proportion-by-sex-smokes"))
        self.assertEqual([round(row["estimate"], 2) for row in rows], [0.25, 0.75, 0.4, 0.6])

    def test_public_totals(self) -> None:
        columns = {"sex": ib.Column(type="text", values=["f", "m"])}
        privacy = ib.Privacy(unit="row", neighbours="substitute", rows=5, epsilon="0.1")
        count = ib.count(by="sex", levels=["all", "sex"], total="rows")
        rows = list(released({"sex": list("ffmmm")}, columns, count, privacy=privacy).statistic("count-by-sex"))
        self.assertEqual((rows[0]["estimate"], rows[0]["interval_lower"], rows[0]["interval_upper"]), (5, 5, 5))
