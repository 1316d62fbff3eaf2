"""Figures, computed again from ``measurements.csv`` and ``release.json`` alone, by other means than those of the program."""

from __future__ import annotations

import csv
import json
import math
import tempfile
import unittest
from pathlib import Path
from typing import Any

import inbounds as ib

MISS = 0.05
WARDS = "ABCDEFGHIJ"
PEOPLE = {ward: 40 * 2**place for place, ward in enumerate(WARDS)}


class Law:
    """Discrete Laplace noise, with its masses as far as they matter."""

    def __init__(self, inverse_scale: float) -> None:
        ratio = math.exp(-inverse_scale)
        reach = int(36 / inverse_scale)
        self.masses = [(1 - ratio) / (1 + ratio) * ratio ** abs(k) for k in range(-reach, reach + 1)]
        self.reach = reach
        self.variance = 2 * ratio / (1 - ratio) ** 2

    def spread_above(self, x: float) -> float:
        """The chance that the noise, spread evenly over its step, is at least ``x``."""
        found = 0.0
        for k, mass in zip(range(-self.reach, self.reach + 1), self.masses):
            found += mass * min(1.0, max(0.0, k + 0.5 - x))
        return found


def law_of(entry: dict[str, Any]) -> Law:
    numerator, _, denominator = entry["measured"][0]["inverse_scale_per_step"].partition("/")
    return Law(float(numerator) / float(denominator or 1))


def radius(law: Law) -> int:
    """Of the difference of two, by plain convolution."""
    chances: dict[int, float] = {}
    for j, one in enumerate(law.masses):
        for k, other in enumerate(law.masses):
            chances[j - k] = chances.get(j - k, 0.0) + one * other
    deviation = 0
    while sum(chance for value, chance in chances.items() if abs(value) > deviation) > MISS:
        deviation += 1
    return deviation


def chance(x: Law, y: Law, ratio: float, v: float) -> float:
    """The chance that ``X + ratio Y`` is at least ``v`` away from 0, with ``X`` spread over its step."""
    if v <= 0:
        return 1.0
    return 2 * sum(mass * x.spread_above(v - ratio * k) for k, mass in zip(range(-y.reach, y.reach + 1), y.masses) if mass > 1e-9)


def rejects(law: Law, a: float, b: float, ratio: float) -> bool:
    """Whether a ratio of two counts is rejected: half a step is what the guarantee costs."""
    if ratio <= 1:
        return chance(law, law, ratio, abs(a - ratio * b) - 0.5) <= MISS
    return chance(law, law, 1 / ratio, abs(b - a / ratio) - 0.5) <= MISS


def ends(law: Law, a: float, b: float) -> tuple[float, float]:
    """The ratios between 0 and infinity that are not rejected, as far as the first that is."""
    root = max(a, 0.0) / b if b > 0 else 1e9

    def end(inside: float, outside: float) -> float:
        for _ in range(40):
            middle = math.sqrt(inside * outside) if inside > 0 and outside > 0 else (inside + outside) / 2
            inside, outside = (inside, middle) if rejects(law, a, b, middle) else (middle, outside)
        return inside

    lower = 0.0 if not rejects(law, a, b, 0.0) else end(root, 0.0)
    upper = math.inf if not rejects(law, a, b, 1e9) else end(root, 1e9)
    return lower, upper


class FiguresAgain(unittest.TestCase):
    bundle: ib.Bundle
    made: ib.Figures

    @classmethod
    def setUpClass(cls) -> None:
        rows = [(ward, ill) for place, ward in enumerate(WARDS) for ill in [True] * (2 * place + 1) + [False] * (place * place)]
        plan = ib.Plan(
            data={"ward": [ward for ward, _ in rows], "ill": [ill for _, ill in rows]},
            privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=1),
            columns={
                "ward": ib.Column(type="text", values=list(WARDS)),
                "ill": ib.Column(type="boolean", values=[True, False]),
            },
            statistics=[
                ib.count(name="people", by="ward", mechanism="clamped", share="1/2"),
                ib.count(name="ill", by="ward", where="ill", mechanism="clamped", share="1/2"),
            ],
            figures=ib.Figure("ratio", name="ratio", of="ill", per="people"),
        )
        cls.bundle = plan.release(seed=11, not_private=True)
        room = tempfile.TemporaryDirectory()
        cls.addClassCleanup(room.cleanup)
        table = Path(room.name, "population.csv")
        table.write_text("ward,people\n" + "".join(f"{ward},{people}\n" for ward, people in PEOPLE.items()))
        population = {"file": str(table), "value": "people"}
        cls.made = cls.bundle.figures(
            [
                ib.Figure("rate", name="rate", of="ill", per=population),
                ib.Figure("ratio", name="ratio", of="ill", per="people"),
                ib.Figure("difference", name="difference", of="people", from_="ill"),
                ib.Figure("change", name="change", of="people", from_="ill"),
                ib.Figure("index", name="index", of="people", base={"ward": "J"}),
                ib.Figure("weighted-sum", name="sum", of="ill", over="ward", weights=dict.fromkeys(WARDS, 2)),
                ib.Figure("standardised-rate", name="standard", of="ill", over="ward", per=population, weights=dict.fromkeys(WARDS, 1)),
                ib.Figure("rank", name="place", of="people"),
            ]
        )
        manifest = json.loads((cls.bundle.folder / "release.json").read_text())
        cls.laws = {entry["name"]: law_of(entry) for entry in manifest["statistics"]}
        with open(cls.bundle.folder / "measurements.csv", newline="", encoding="utf-8") as file:
            cls.measured = {(row["statistic"], row["by_ward"]): int(row["steps"]) for row in csv.DictReader(file)}

    laws: dict[str, Law]
    measured: dict[tuple[str, str], int]

    def test_sums_differences_and_rates(self) -> None:
        law = self.laws["ill"]
        single = next(t for t in range(1000) if sum(m for k, m in zip(range(-law.reach, law.reach + 1), law.masses) if abs(k) > t) <= MISS)
        for row in self.made.figure("rate"):
            ill, people = self.measured["ill", row["by_ward"]], PEOPLE[row["by_ward"]]
            self.assertAlmostEqual(row["raw"], 1e5 * ill / people, places=6)
            centre = max(ill, 0)
            self.assertAlmostEqual(row["interval_lower"], 1e5 * max(centre - single, 0) / people, places=6)
            self.assertAlmostEqual(row["interval_upper"], 1e5 * (centre + single) / people, places=6)
            self.assertAlmostEqual(row["raw_rmse"], 1e5 * math.sqrt(law.variance) / people, places=6)
        both = radius(law)
        for row in self.made.figure("difference"):
            difference = self.measured["people", row["by_ward"]] - self.measured["ill", row["by_ward"]]
            found = (row["raw"], row["interval_lower"], row["interval_upper"])
            self.assertEqual(found, (difference, difference - both, difference + both))
        [row] = self.made.figure("sum")
        self.assertEqual(row["raw"], 2 * sum(self.measured["ill", ward] for ward in WARDS))
        self.assertAlmostEqual(row["raw_rmse"], 2 * math.sqrt(len(WARDS) * law.variance), places=6)
        [row] = self.made.figure("standard")
        self.assertAlmostEqual(row["raw"], sum(1e5 * self.measured["ill", ward] / PEOPLE[ward] for ward in WARDS) / len(WARDS), places=6)

    def test_ratios_change_and_index(self) -> None:
        law = self.laws["ill"]
        for row in self.made.figure("ratio"):
            ward = row["by_ward"]
            ill, people = self.measured["ill", ward], self.measured["people", ward]
            lower, upper = ends(law, ill, people)
            self.assertAlmostEqual(row["interval_lower"], lower, delta=1e-6 + 1e-5 * lower)
            if math.isinf(upper):
                self.assertIsNone(row["interval_upper"])
            else:
                self.assertAlmostEqual(row["interval_upper"], upper, delta=1e-5 * upper)
        for row in self.made.figure("change"):
            ward = row["by_ward"]
            lower, upper = ends(law, self.measured["people", ward], self.measured["ill", ward])
            self.assertAlmostEqual(row["interval_lower"], 100 * (lower - 1), delta=1e-3 + 1e-5 * lower)
            self.assertEqual(row["interval_upper"] is None, math.isinf(upper))
        for row in self.made.figure("index"):
            if row["by_ward"] != "J":
                lower, upper = ends(law, self.measured["people", row["by_ward"]], self.measured["people", "J"])
                self.assertAlmostEqual(row["interval_lower"], 100 * lower, delta=1e-3 + 1e-3 * lower)
                self.assertAlmostEqual(row["interval_upper"], 100 * upper, delta=1e-3 + 1e-3 * upper)

    def test_places(self) -> None:
        people = {ward: self.measured["people", ward] for ward in WARDS}
        for row in self.made.figure("place"):
            own = people[row["by_ward"]]
            self.assertEqual(row["raw"], 1 + sum(other > own for other in people.values()))
            self.assertLessEqual(row["interval_lower"], row["raw"])
            self.assertLessEqual(row["raw"], row["interval_upper"])

    def test_a_plan_makes_its_figures(self) -> None:
        planned = self.bundle.planned_figures
        assert planned is not None
        self.assertEqual(planned.figure("ratio"), self.made.figure("ratio"))
        self.assertIn("ill", self.bundle.page)
        self.assertIn('id="figures"', self.bundle.page)
        with self.assertRaisesRegex(ib.PlanError, "no statistic") as raised:
            ib.Plan(
                data={"ward": ["J"]},
                privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=1),
                statistics=[ib.count(name="people")],
                figures=[ib.Figure("rank", name="place", of="peopel")],
            )
        self.assertEqual([mistake.place for mistake in raised.exception.mistakes], ["figures[0]"])

    def test_what_is_wrong_has_its_place(self) -> None:
        with self.assertRaisesRegex(ib.FiguresError, 'did you mean "ratio"') as raised:
            self.bundle.figures([ib.Figure("ratoi", name="r", of="ill", per=2)])
        self.assertEqual(raised.exception.place, "figures[0].kind")
        with self.assertRaisesRegex(ib.ParameterError, "did you mean `people`"):
            self.bundle.figures(ib.Figure("ratio", name="r", of="ill", per="peopel"))

    def test_releases_are_compared(self) -> None:
        with self.assertRaisesRegex(ib.ParameterError, "the same release"):
            ib.compare(self.bundle, self.bundle)


if __name__ == "__main__":
    unittest.main()
