"""No cell shows in an exception, a traceback, a repr, a pickle, a warning or a log."""

from __future__ import annotations

import copy
import io
import logging
import pickle
import traceback
import unittest
import warnings
from typing import Any

import inbounds as ib
from common import needs

CANARIES = ("canary-8675309", "1.7976931348623157e308", "99999999999999999999999999")
PRIVACY = ib.Privacy(unit="row", neighbours="add-remove", epsilon="1")
ROWS: dict[str, Any] = {"name": [CANARIES[0], None, "x"], "n": [CANARIES[1], CANARIES[2], "1"]}
COLUMNS: dict[str, Any] = {
    "name": {"type": "text", "values": ["x"]},
    "n": {"type": "number", "lower": 0, "upper": 1, "missing": "drop"},
}


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
        self.assertFalse([name for name in dir(data.rows) if not name.startswith(("_", "from_"))])

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
        for cells in ([], [None], ["x", b"y", 3, object()], [10**400], [float("inf"), -0.0], ["\ud800"]):
            data = {"n": cells}
            columns = {"n": {"type": "number", "lower": 0, "upper": 1, "missing": "drop"}}
            with self.subTest(cells=len(cells)):
                plan = ib.Plan(data=data, privacy=PRIVACY, columns=columns, statistics=[ib.sum("n")])
                self.assertEqual(len(plan.release().estimates), 1)

    @needs("pyarrow")
    def test_the_words_of_a_producer_are_dropped(self) -> None:
        import pyarrow as pa

        def batches() -> Any:
            yield pa.record_batch({"n": [1]})
            raise ValueError(CANARIES[0])

        reader = pa.RecordBatchReader.from_batches(pa.schema([("n", pa.int64())]), batches())
        with self.assertRaises(ib.DataError) as caught:
            ib.Data(reader)
        self.assert_clean(str(caught.exception), "".join(traceback.format_exception(caught.exception)))


if __name__ == "__main__":
    unittest.main()
