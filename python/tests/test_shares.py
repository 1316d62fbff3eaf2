"""Rows that are elsewhere: questions, shares, and what is none; streams that are read once."""

from __future__ import annotations

import pickle
import tempfile
import tomllib
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import inbounds as ib
from common import PLANS, files, lists, needs

CANARY = "canary-8675309"


def visits() -> dict[str, list[Any]]:
    """Visits of persons whose names have blanks around them."""
    persons = [f"{['', ' '][row % 2]}{CANARY}-{row * 7 % 90}" for row in range(900)]
    return {"person": persons, "age": [row * 13 % 101 for row in range(900)]}


def plan(rows: Any, unit: Any = None) -> ib.Plan:
    """A count and a sum over visits."""
    return ib.Plan(
        data=rows,
        privacy={"unit": unit or {"column": "person", "max_rows": 2}, "neighbours": "add-remove", "epsilon": 1},
        columns={"person": {"type": "text"}, "age": {"type": "integer", "lower": 0, "upper": 100, "missing": "drop"}},
        statistics=[ib.count(), ib.sum("age")],
    )


@needs("pyarrow")
class Shares(unittest.TestCase):
    def setUp(self) -> None:
        import pyarrow as pa

        self.rows = pa.table(visits())
        self.plan = plan(self.rows.schema)
        self.expected = files(plan(visits()).release(seed=3, not_private=True))

    def parts(self, question: ib.Question, number: int) -> list[Any]:
        import pyarrow as pa
        import pyarrow.compute as pc

        groups = pa.table(question.groups(self.rows)).column("group").to_pylist()
        return [self.rows.filter(pa.array([group % number == part for group in groups])) for part in range(number)]

    def test_shares_are_released_as_the_rows_are(self) -> None:
        question = pickle.loads(pickle.dumps(self.plan.question()))
        self.assertEqual((question.unit, question.columns), ("person", ["person", "age"]))
        shares = [question.share(rows, part=part) for part, rows in enumerate(self.parts(question, 3))]
        self.assertTrue(all(CANARY.encode() not in share for share in shares))
        again = question.share(self.parts(question, 3)[1], part=1)
        self.assertNotEqual(again, shares[1])
        found = self.plan.release(shares=[again, *reversed(shares), shares[0]], seed=3, not_private=True)
        self.assertEqual(files(found), self.expected)
        with self.assertRaisesRegex(ib.DataError, "another release"):
            self.plan.release(shares=shares, seed=3, not_private=True)

    def test_batches_are_read_as_they_come(self) -> None:
        question = self.plan.question()
        batches = self.rows.to_batches(100)
        for rows in (self.rows, batches, iter(batches), visits()):
            with self.subTest(rows=type(rows).__name__):
                share = self.plan.share(rows, part=0)
                made = ib.Plan.parse(self.plan.to_toml(), rows=self.rows.schema)
                with self.assertRaisesRegex(ib.DataError, "another release"):
                    made.release(shares=[share], seed=3, not_private=True)
        self.assertIs(self.plan.question(), question)
        found = self.plan.release(shares=[share], seed=3, not_private=True)
        self.assertEqual(files(found), self.expected)

    def test_what_is_no_share_is_refused_and_nothing_is_spent(self) -> None:
        question = self.plan.question()
        parts = self.parts(question, 2)
        shares = [question.share(rows, part=part) for part, rows in enumerate(parts)]
        altered = shares[0][:60] + bytes([shares[0][60] ^ 1]) + shares[0][61:]
        with tempfile.TemporaryDirectory() as room:
            for words, wrong in [
                ("none: hand over", [b"x", *shares]),
                ("does not open", [altered]),
                (
                    "rows of one unit",
                    [question.share(self.rows[:450], part=7), question.share(self.rows[450:], part=8)],
                ),
                ("are not the same", [shares[0], question.share(parts[1], part=0)]),
                ("another question", [plan(self.rows.schema).question().share(self.rows, part=0)]),
            ]:
                with self.subTest(words=words), self.assertRaisesRegex(ib.DataError, words):
                    self.plan.release(Path(room, "out"), shares=wrong, seed=3, not_private=True)
            with self.assertRaisesRegex(ib.DataError, "elsewhere"):
                self.plan.release(Path(room, "out"), seed=3, not_private=True)
            with self.assertRaisesRegex(TypeError, "shares\\[0\\]"):
                wrong: Any = [CANARY]
                self.plan.release(Path(room, "out"), shares=wrong, seed=3, not_private=True)
            self.assertEqual(list(Path(room).iterdir()), [])
        # The question is still the same.
        self.assertEqual(files(self.plan.release(shares=shares, seed=3, not_private=True)), self.expected)

    def test_parts_have_the_columns_of_the_plan(self) -> None:
        with self.assertRaisesRegex(ib.DataError, "`age` is not there"):
            self.plan.share(self.rows.drop_columns(["age"]), part=0)
        with self.assertRaisesRegex(ib.DataError, "no batches"):
            self.plan.share(iter([]), part=0)
        with self.assertRaisesRegex(ib.DataError, "rows may be anywhere"):
            plan(self.rows.schema, unit="row").question().groups(self.rows)

    def test_examples_in_two_parts(self) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        for path in PLANS:
            with self.subTest(plan=path.name):
                columns = lists(path.parent / tomllib.loads(path.read_text())["data"]["path"])
                rows = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
                made = ib.Plan.read(path, rows=rows.schema)
                question = made.question()
                half = [row % 2 == 0 for row in range(len(rows))]
                if question.unit is not None:
                    groups = pa.table(question.groups(rows)).column("group").to_pylist()
                    half = [group is None or group % 2 == 0 for group in groups]
                halves = [rows.filter(pa.array(half)), rows.filter(pc.invert(pa.array(half)))]
                shares = [question.share(iter(part.to_batches(97)), part=place) for place, part in enumerate(halves)]
                expected = files(ib.Plan.read(path).release(seed=7, not_private=True))
                self.assertEqual(files(made.release(shares=shares, seed=7, not_private=True)), expected)


@needs("pyarrow")
class Streams(unittest.TestCase):
    def reader(self, batches: int = 9) -> Any:
        import pyarrow as pa

        rows = pa.table(visits())
        return pa.RecordBatchReader.from_batches(rows.schema, iter(rows.to_batches(900 // batches)))

    def test_a_stream_is_read_once(self) -> None:
        made = plan(self.reader())
        made.check()
        self.assertEqual(
            files(made.release(seed=3, not_private=True)), files(plan(visits()).release(seed=3, not_private=True))
        )
        with self.assertRaisesRegex(ib.DataError, "has been read"):
            made.release(seed=3, not_private=True)

    def test_what_needs_a_second_reading_says_so_by_name(self) -> None:
        learned = ib.count(name="persons", by="person", learn_keys=True)
        privacy = {"unit": "row", "neighbours": "add-remove", "epsilon": 1, "delta": "1e-6"}
        of_stream = ib.Plan(
            data=self.reader(), privacy=privacy, columns={"person": {"type": "text"}}, statistics=[learned]
        )
        with self.assertRaisesRegex(ib.PlanError, "read_all") as caught:
            of_stream.release(seed=3, not_private=True)
        self.assertIn("statistics[0]", str(caught.exception))

    def test_memory_does_not_grow_with_the_rows(self) -> None:
        import pyarrow as pa

        most, alive = 0, 0
        batch = pa.record_batch(visits())

        def batches() -> Iterator[Any]:
            nonlocal most
            before = pa.total_allocated_bytes()
            for _ in range(200):
                yield pa.record_batch(
                    [pa.array(column.to_pylist(), column.type) for column in batch.columns], batch.schema
                )
                most = max(most, pa.total_allocated_bytes() - before)

        reader = pa.RecordBatchReader.from_batches(batch.schema, batches())
        found = plan(reader, unit="row").release(seed=3, not_private=True)
        self.assertAlmostEqual(found.statistic("count")[0]["estimate"], 180_000, delta=100)
        self.assertLess(most, 20 * batch.nbytes)


if __name__ == "__main__":
    unittest.main()
