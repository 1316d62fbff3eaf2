"""The ledger of a plan pays for releases from Python too."""

from __future__ import annotations

import tempfile
import unittest
import warnings
from pathlib import Path

import inbounds as ib
from common import command


class Ledger(unittest.TestCase):
    def test_the_budget_ends(self) -> None:
        with tempfile.TemporaryDirectory() as room:
            ledger = Path(room, "wards.ledger")
            terms = ["--data", "wards", "--unit", "row", "--neighbours", "add-remove", "--epsilon", 1]
            made = command("ledger", "create", ledger, *terms)
            self.assertEqual(made.returncode, 0, made.stderr)
            plan = ib.Plan(
                data=ib.Data({"ward": ["A", "B"]}, name="wards"),
                privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon="0.6", ledger=str(ledger)),
                columns={"ward": ib.Column(type="text", values=["A", "B"])},
                statistics=[ib.count(by="ward")],
            )
            bundle = plan.release()
            self.assertEqual(bundle.manifest["guarantee"]["ledger"]["left_after"]["epsilon"], "0.4")
            with self.assertRaises(ib.LedgerError) as caught:
                plan.release()
            self.assertIn("0.4", str(caught.exception))
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                plan.release(seed=1, not_private=True)
            self.assertIn("seeded noise", str(warned[0].message))

            self.assertEqual(command("ledger", "check", ledger, bundle.folder).returncode, 0)


if __name__ == "__main__":
    unittest.main()
