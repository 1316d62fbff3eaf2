"""Plans of objects: their words, and the places of their mistakes."""

from __future__ import annotations

import decimal
import fractions
import inspect
import os
import pickle
import tempfile
import typing
import unittest
from pathlib import Path
from typing import Any

import inbounds as ib
from common import EXAMPLES, ROOT, command
from inbounds import _inbounds, _statistics

PRIVACY = ib.Privacy(unit="row", neighbours="add-remove", epsilon="1")
WARD = {"ward": ["A", "B", "A", None]}
WARDS = {"ward": ib.Column(type="text", values=["A", "B"])}


def plan(**changed: Any) -> ib.Plan:
    made: dict[str, Any] = dict(data=WARD, privacy=PRIVACY, columns=WARDS, statistics=[ib.count(by="ward")])
    return ib.Plan(**{**made, **changed})


class Words(unittest.TestCase):
    def test_every_kind_is_a_function_with_its_keys(self) -> None:
        for kind, keys in _inbounds.kinds():
            function = getattr(ib, kind.replace("-", "_"))
            ways = typing.get_overloads(function) or [function]
            known = {name for way in ways for name in inspect.signature(way).parameters}
            common = (_statistics.Common, _statistics.Levelled, _statistics.Counted)
            known |= {key for keys_of in common for key in keys_of.__annotations__}
            # `combination` and its like name what they read by position.
            self.assertLessEqual(set(keys), known, kind)

    def test_the_keys_of_tables_are_those_of_the_documentation(self) -> None:
        text = (ROOT / "docs" / "plan.md").read_text()
        section = text.split("## `[columns.NAME]`")[1].split("\n## ")[0]
        documented = {
            word.strip("` ")
            for line in section.splitlines()
            if line.startswith("| `")
            for word in line.split("|")[1].split(",")
            if "..." not in word
        }
        fields = {name.rstrip("_") for name in ib.Column.__dataclass_fields__}
        self.assertLessEqual(fields, documented)
        self.assertFalse({word for word in documented if word.isidentifier()} - fields - {"integer", "number", "boolean", "text", "date"})

    def test_numbers_are_exact(self) -> None:
        written = [
            (0.1, "0.1"), (1, "1"), ("1/3", '"1/3"'), (fractions.Fraction(1, 3), '"1/3"'), (decimal.Decimal("0.30"), "0.30"),
            (fractions.Fraction(2), "2"), (1e-7, '"1e-07"'), (decimal.Decimal("1E+2"), '"1E+2"'),
        ]
        for epsilon, text in written:
            made = plan(privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=epsilon))
            self.assertIn(f"epsilon = {text}\n", made.to_toml())
        self.assertEqual(plan(privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=0.1)).check().epsilon, "0.1")
        for wrong in (float("nan"), float("inf"), decimal.Decimal("NaN"), object()):
            with self.assertRaises(ib.ParameterError):
                plan(privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=wrong))

    def test_a_plan_asks_for_accuracy(self) -> None:
        least = ib.Privacy(unit="row", neighbours="add-remove", epsilon="least")
        made = plan(privacy=least, statistics=[ib.count(by="ward", want={"rmse": 5}), ib.count(want={"margin": 20})])
        checked = made.check()
        self.assertEqual(checked.epsilon, "0.43")
        assert checked.wants is not None
        self.assertEqual((checked.wants["epsilon"], checked.wants["dearest"]), ("least", "count-by-ward"))
        self.assertEqual([want["epsilon"] for want in checked.wants["statistics"]], ["0.282", "0.1461"])
        self.assertIsNone(plan().check().wants)

    def test_a_plan_says_what_is_public_about_a_column(self) -> None:
        columns = {"age": ib.Column(type="integer", lower=0, upper=100, missing="drop")}
        least = ib.Privacy(unit="row", neighbours="add-remove", epsilon="least")

        def needs(**about: object) -> ib.Check:
            wanted = {"rmse": 0.5, "rows": 1000, **about}
            spread = ib.standard_deviation("age", name="spread", want=wanted)
            return plan(data={"age": [40] * 1000}, columns=columns, statistics=[spread], privacy=least).check()

        of_all, known = needs(), needs(about={"mean": 40, "sd": "12.5"})
        assert of_all.wants is not None and known.wants is not None
        entry = known.wants["statistics"][0]
        self.assertEqual(entry["about"], {"mean": "40", "sd": "12.5"})
        self.assertLessEqual(entry["stated"], 0.5)
        self.assertLess(3 * float(known.epsilon), float(of_all.epsilon))
        with self.assertRaisesRegex(ib.PlanError, "must be at most 48.99, the largest with this mean"):
            needs(about={"mean": 40, "sd": 50})

    def test_a_quantile_is_one_of_the_bins(self) -> None:
        columns = {"age": ib.Column(type="number", lower=0, upper=1000, missing="drop")}
        data = {"age": [float(age) for age in range(300, 400)] * 5}

        def median(**keys: Any) -> ib.Plan:
            one = ib.quantile("age", name="median", probabilities=[0.5], **keys)
            return plan(data=data, columns=columns, statistics=[one])

        chosen = median(mechanism="permute-and-flip", interval_share="0.25")
        found = chosen.release(seed=5, not_private=True).estimates.to_dicts()[0]
        self.assertLess(abs(found["estimate"] - 350), 20)
        self.assertLessEqual(found["interval_lower"], 349)
        self.assertGreaterEqual(found["interval_upper"], 349)
        self.assertLess(found["interval_upper"] - found["interval_lower"], 500)
        with self.assertRaisesRegex(ib.PlanError, "interval_share.* must be left out"):
            median(interval_share="0.25", edges=[0, 500, 1000]).check()

    def test_means_in_margins_are_sums_over_counts(self) -> None:
        columns = {
            "sex": ib.Column(type="text", values=["f", "m"]),
            "ward": ib.Column(type="integer", values=[1, 2, 3]),
            "age": ib.Column(type="integer", lower=0, upper=100, missing="drop"),
        }
        rows = {"sex": ["f", "m"] * 60, "ward": [1, 2, 3] * 40, "age": [20, 40] * 60}
        mean = ib.mean("age", name="ages", by=["sex", "ward"], margins=[["sex"], ["sex", "ward"]], margin_shares="balanced")
        made = plan(data=rows, columns=columns, statistics=[mean], privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=1000))
        estimates = made.release(seed=1, not_private=True).statistic("ages")
        self.assertEqual(len(estimates), 3 * (1 + 2 + 3 + 6))
        by_sex = {(row["by_sex"], row["output"]): row["estimate"] for row in estimates if row["margin"] == "sex"}
        for sex, age in (("f", 20), ("m", 40)):
            self.assertAlmostEqual(by_sex[sex, "mean"], age, delta=0.5)
            self.assertAlmostEqual(by_sex[sex, "mean"] * by_sex[sex, "count"], by_sex[sex, "sum"], places=6)
        total = {row["output"]: row["estimate"] for row in estimates if row["margin"] == "total"}
        for output in ("count", "sum"):
            self.assertAlmostEqual(by_sex["f", output] + by_sex["m", output], total[output], places=6)

    def test_tables_at_every_level_add_up_and_meet_public_numbers(self) -> None:
        columns = {
            "state": ib.Column(type="text", values=["n", "s"]),
            "sex": ib.Column(type="text", values=["f", "m"]),
            "old": ib.Column(type="boolean", values=[True, False]),
        }
        rows = {"state": ["n", "s", "s"] * 40, "sex": ["f", "m"] * 60, "old": [True, False, False, True] * 30}
        count = ib.count(
            name="people",
            by=["state", "sex", "old"],
            levels=["all", "state"],
            margins=[[], ["sex"], ["sex", "old"]],
            margin_shares="least-error",
            public=[{"level": "all", "number": 120}],
        )
        made = plan(data=rows, columns=columns, statistics=[count], privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=1))
        estimates = made.release(seed=1, not_private=True).statistic("people")
        self.assertEqual(len(estimates), 3 * (1 + 2 + 2 + 4))
        of = {(row["level"], row["margin"], row["by_state"], row["by_sex"], row["by_old"]): row["estimate"] for row in estimates}
        self.assertEqual(of["all", "total", None, None, None], 120)
        self.assertEqual(sum(of["state", "total", state, None, None] for state in "ns"), 120)
        for state in "ns":
            for sex in "fm":
                cells = sum(of["state", "sex, old", state, sex, old] for old in (True, False))
                self.assertEqual(of["state", "sex", state, sex, None], cells)
        count = ib.count(name="people", by=["state", "sex"], levels=["all", "state"], margins=[[], ["sex"]], public=[{"level": "all"}])
        with self.assertRaisesRegex(ib.PlanError, "must have one of `file` and `number`"):
            plan(data=rows, columns=columns, statistics=[count], privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=1))

    def test_columns_made_of_others(self) -> None:
        columns = {
            "age": ib.Column(type="integer"),
            "old": ib.Column(is_="age >= 65", values=[True, False]),
            "group": ib.Column(from_="age", cut=[18, 65], classes=["young", "middle", "late"]),
        }
        made = plan(data={"age": [3, 40, 70, 90]}, columns=columns, statistics=[ib.count(by="old"), ib.count(by="group")],
                    privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=1000))
        found = made.release(seed=1, not_private=True)
        self.assertEqual([row["estimate"] for row in found.statistic("count-by-group")], [1, 1, 2])
        self.assertEqual([row["estimate"] for row in found.statistic("count-by-old")], [2, 2])

    def test_names_are_made_and_are_unique(self) -> None:
        made = plan(statistics=[ib.count(by="ward"), ib.count(by=["ward"]), ib.count(where="ward = 'A'")])
        text = made.to_toml()
        for name in ("count-by-ward", "count-by-ward-2", "count"):
            self.assertIn(f'name = "{name}"', text)

    def test_awkward_texts_survive(self) -> None:
        title = 'Zürich "and" \\ back\nlines\t\x01'
        column = 'net "income", €'
        made = plan(
            title=title.replace("\n", " ").replace("\x01", ""),
            data={column: ["1", "2"]},
            columns={column: ib.Column(type="integer", lower=0, upper=5, missing="drop")},
            statistics=[ib.sum(column)],
        )
        self.assertEqual(len(made.release(seed=1, not_private=True).estimates), 1)

    def test_a_plan_for_the_command(self) -> None:
        with tempfile.TemporaryDirectory() as room:
            path = Path(room, "plan.toml")
            path.write_text(plan().to_toml())
            done = command("check", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            refused = command("release", path, "--out", Path(room, "out"))
            self.assertEqual(refused.returncode, 3)
            self.assertIn("write the rows to a file", " ".join(refused.stderr.split()))


class Mistakes(unittest.TestCase):
    def places(self, **changed: Any) -> list[str]:
        with self.assertRaises(ib.PlanError) as caught:
            plan(**changed).check()
        self.assertTrue(all(one.message for one in caught.exception.mistakes))
        return [one.place for one in caught.exception.mistakes]

    def test_places_are_those_of_the_objects(self) -> None:
        self.assertEqual(self.places(statistics=[ib.count(by="ward"), ib.mean("wart")]), ["statistics[1].column"])
        self.assertEqual(self.places(statistics=[ib.count(by=["ward", "wards"])]), ["statistics[0].by[1]"])
        self.assertEqual(self.places(privacy={"unit": "row", "neighbours": "both", "epsilon": 1}), ["privacy.neighbours"])
        self.assertEqual(self.places(privacy={"unit": "row", "neighbours": "add-remove", "epsilon": -1}), ["privacy.epsilon"])
        wrong = {"ward": {"type": "txt", "values": ["A"]}}
        self.assertEqual(self.places(columns=wrong), ["columns['ward'].type"])
        several = self.places(
            privacy={"unit": "row", "neighbours": "add-remove", "epsilon": 0},
            statistics=[ib.count(by="ward", shares=1), ib.Statistic("kount")],
        )
        self.assertEqual(several, ["privacy.epsilon", "statistics[0].shares", "statistics[1].kind"])

    def test_the_remedy_is_that_of_the_command(self) -> None:
        with self.assertRaises(ib.PlanError) as caught:
            plan(columns={})
        self.assertIn("values", caught.exception.remedy or "")
        self.assertEqual(caught.exception.place, "statistics[0].by[0]")

    def test_a_text_has_lines(self) -> None:
        with self.assertRaises(ib.PlanError) as caught:
            ib.Plan.parse("data.path = 'a.csv'\n[privacy]\nunit = 'row'\nneighbours = 'add-remove'\nepsilon = 0\n[[statistic]]\nname = 'n'\nkind = 'count'\n")
        self.assertIn("plan.toml:5:11", [one.place for one in caught.exception.mistakes])
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((again.place, str(again)), (caught.exception.place, str(caught.exception)))

    def test_data_of_the_wrong_sort(self) -> None:
        for data in (3, [1, 2], object()):
            with self.assertRaisesRegex(ib.ParameterError, "data must be a path"):
                plan(data=data)
        with self.assertRaisesRegex(ib.DataError, "`ward` and `age` have not"):
            plan(data={"ward": ["A"], "age": ["1", "2"]})
        with self.assertRaisesRegex(ib.ParameterError, r"statistics\[0\] must be a statistic"):
            plan(statistics=["count"])

    def test_rows_take_the_place_of_a_file_also_in_mistakes(self) -> None:
        with tempfile.TemporaryDirectory() as room:
            text = plan().to_toml().replace('path = "rows in memory"\nformat = "memory"', 'path = "gone.csv"')
            self.assertIn("gone.csv", text)
            path = Path(room, "plan.toml")
            path.write_text(text)
            self.assertEqual(len(ib.Plan.read(path, rows=WARD).release().estimates), 2)
            path.write_text(text.replace('by = ["ward"]', 'by = ["word"]'))
            with self.assertRaises(ib.PlanError) as caught:
                ib.Plan.read(path, rows=WARD).check()
            self.assertNotIn("gone.csv", str(caught.exception))

    def test_a_count_names_its_groups(self) -> None:
        with self.assertRaisesRegex(ib.ParameterError, "by="):
            ib.count("ward")  # type: ignore[call-overload]

    def test_files_that_are_not_there(self) -> None:
        with self.assertRaises(ib.PlanError):
            ib.Plan.read("no-such-plan.toml")
        gone = ib.Plan(data="no-such.csv", privacy=PRIVACY, columns=WARDS, statistics=[ib.count(by="ward")])
        self.assertIn("no-such.csv", str(gone.check()))
        with self.assertRaises(ib.DataError):
            gone.release()

    def test_a_folder_that_is_there_stays(self) -> None:
        with tempfile.TemporaryDirectory() as room, self.assertRaises(ib.WriteError) as caught:
            plan().release(room)
        self.assertIsInstance(caught.exception, ib.Error)

    def test_a_seed_says_that_it_is_not_private(self) -> None:
        for wrong in (dict(seed=1), dict(not_private=True)):
            with self.assertRaises(ValueError):
                plan().release(**wrong)  # type: ignore[arg-type]


class Results(unittest.TestCase):
    def test_a_check_says_what_the_command_says(self) -> None:
        checked = ib.Plan.read(EXAMPLES / "registry" / "plan.toml").check()
        self.assertEqual((checked.epsilon, checked.delta), ("2", "0"))
        self.assertIn("stays-by-district", str(checked))
        self.assertIn("<table>", checked._repr_html_())
        done = command("check", "examples/registry/plan.toml", "--all")
        self.assertEqual(str(checked).split(), done.stdout.split())

    def test_a_bundle_is_read_again(self) -> None:
        with tempfile.TemporaryDirectory() as room:
            kept = plan(title="<b>wards</b>").release(seed=3, not_private=True)
            self.assertFalse(kept.private)
            self.assertIn("NOT PRIVATE", repr(kept))
            kept.save(Path(room, "copy"))
            with self.assertRaises(ib.WriteError):
                kept.save(Path(room, "copy"))
            again = ib.Bundle(Path(room, "copy"))
            self.assertEqual(again.statistic("count-by-ward"), kept.statistic("count-by-ward"))
            self.assertEqual(again.estimates.columns[0], "statistic")
            self.assertTrue(all(type(steps) is int for steps in again.measurements.column("steps")))
            self.assertIn("not private", (again.guarantee or "").lower())
            html = again._repr_html_()
            self.assertTrue(html.startswith('<iframe sandbox=""'))
            self.assertNotIn("<b>wards</b>", html)
            with self.assertRaisesRegex(ib.ParameterError, "there are 'count-by-ward'"):
                again.statistic("nothing")
        with self.assertRaises(ib.DataError):
            ib.Bundle("no-such-bundle")

    def test_a_damaged_table_is_an_error(self) -> None:
        with tempfile.TemporaryDirectory() as room:
            bundle = plan().release(Path(room, "bundle"), seed=3, not_private=True)
            table = Path(room, "bundle", "estimates.parquet")
            whole = table.read_bytes()
            refused = 0
            # Whatever happens in there, nothing of it is printed.
            with tempfile.TemporaryFile() as printed:
                usual = os.dup(2)
                os.dup2(printed.fileno(), 2)
                try:
                    for place in range(0, len(whole), 7):
                        table.write_bytes(whole[:place] + bytes([whole[place] ^ 0x5A]) + whole[place + 1 :])
                        try:
                            bundle.estimates.to_dicts()
                        except ib.DataError as error:
                            refused += 1
                            self.assertIn("estimates.parquet", str(error))
                finally:
                    os.dup2(usual, 2)
                    os.close(usual)
                printed.seek(0)
                self.assertEqual(printed.read(), b"")
            self.assertGreater(refused, 10)

    def test_another_plan_than_the_approved_one_is_refused(self) -> None:
        by = dict(approver="M. Weber", reason="report of 2026")
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "approval.html"
            digest = plan().for_approval(page, epsilons=[0.5, "4"])
            self.assertIn(digest, page.read_text())
            with self.assertRaisesRegex(ib.WriteError, "File exists"):
                plan().for_approval(page)
        released = plan().release(seed=1, not_private=True, approved=digest, **by)
        self.assertEqual(released.manifest["approval"], dict(sha256=digest, **by))
        other = plan(privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=2))
        with self.assertRaisesRegex(ib.ParameterError, "was not approved"):
            other.release(seed=1, not_private=True, approved=digest, **by)
        with self.assertRaisesRegex(ib.ParameterError, "approver"):
            plan().release(seed=1, not_private=True, approved=digest)

    def test_without_a_seed_no_two_releases_are_alike(self) -> None:
        steps = {tuple(plan().release().measurements.column("steps")) for _ in range(6)}
        self.assertGreater(len(steps), 1)
        self.assertTrue(plan().release().private)


if __name__ == "__main__":
    unittest.main()
