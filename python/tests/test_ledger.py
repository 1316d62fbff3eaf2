"""Ledgers: of plans, and of numbers without a plan; what counts when a block, a process or a thread ends."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import warnings
from pathlib import Path

import inbounds as ib
from common import command

TERMS = dict(data="wards", unit="row", neighbours="add-remove")


class Ledger(unittest.TestCase):
    def setUp(self) -> None:
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room = Path(room.name)
        self.path = self.room / "wards.ledger"
        self.ledger = ib.Ledger.create(self.path, **TERMS, epsilon=1, by="ada")

    def test_the_budget_of_plans_ends(self) -> None:
        plan = ib.Plan(
            data=ib.Data({"ward": ["A", "B"]}, name="wards"),
            privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon="0.6", ledger=str(self.path)),
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
        self.assertEqual(command("ledger", "check", self.path, bundle.folder).returncode, 0)
        self.assertEqual(self.ledger.check(bundle.folder)["dead"], [])
        with self.assertRaises(ib.LedgerError):
            self.ledger.void(1, reason="published")
        with self.assertRaises(ib.DataError):
            self.ledger.check(self.room)

    def plan(self, name: str, **reading: object) -> ib.Plan:
        """A count of patients, whose unit is read in a way of one's own."""
        return ib.Plan(
            data=ib.Data({"patient": ["a", "b", "b"]}, name=name),
            privacy=ib.Privacy(
                unit={"column": "patient", "max_rows": 2},
                neighbours="add-remove",
                epsilon="0.1",
                ledger=str(self.room / "stays.ledger"),
            ),
            columns={"patient": ib.Column(type="text", **reading)},
            statistics=[ib.count()],
        )

    def test_files_and_units_are_said_to_be_the_same(self) -> None:
        ledger = ib.Ledger.create(
            self.room / "stays.ledger", data="january", unit={"column": "patient"}, neighbours="add-remove", epsilon=1
        )
        self.plan("january").release()
        with self.assertRaises(ib.LedgerError):
            self.plan("patients").release()
        self.assertEqual(ledger.name(" patients ", reason="a file a month, of the same patients", by="ada"), 3)
        self.plan("patients").release()
        other = self.plan("patients", missing_values=["-"])
        with self.assertRaises(ib.LedgerError):
            other.release()
        entry = ledger.same_unit(other, reason="the ward changed one patient's name")
        named = next(line["what"] for line in ledger.entries if line["entry"] == 3)
        self.assertIn("patients", named)
        other.release()
        self.assertEqual((entry, ledger.left), (6, {"epsilon": "0.7"}))
        with self.assertRaisesRegex(ib.LedgerError, "belongs to the data set wards"):
            self.ledger.same_unit(other, reason="it is not of these rows")
        for wrong in ("", "  "):
            with self.assertRaises(ib.ParameterError):
                ledger.name(wrong, reason="nothing")
            with self.assertRaises(ib.ParameterError):
                ledger.name("more", reason=wrong)

    def test_a_block_reserves_and_commits(self) -> None:
        with self.ledger.spend(epsilon="0.4", what="two counts") as reservation:
            self.assertEqual(self.ledger.left, {"epsilon": "0.6"})
            self.assertEqual((reservation.entry, reservation.left), (1, "epsilon = 0.6"))
            self.assertEqual(self.ledger.check()["running"], [1])
            with self.assertRaisesRegex(ib.LedgerError, "still runs"):
                self.ledger.void(1, reason="no")
        self.assertEqual(self.ledger.spent, {"epsilon": "0.4"})
        self.assertEqual([entry["deed"] for entry in self.ledger.entries], ["opened", "reserved", "published"])
        self.assertEqual(self.ledger.entries[1]["what"], "Reserved for “two counts”, by a program without a plan. Published, by entry 2.")
        with self.assertRaisesRegex(ib.ParameterError, "one block"):
            reservation.__enter__()
        # The command reads what Python wrote.
        shown = command("ledger", "show", self.path)
        self.assertEqual((shown.returncode, "two counts" in shown.stdout), (0, True))
        self.assertEqual(sorted(os.listdir(self.room)), ["wards.ledger"])

    def test_an_exception_leaves_the_price_and_only_a_word_takes_it_back(self) -> None:
        with self.assertRaises(KeyError) as caught, self.ledger.spend(epsilon="0.4", what="a count"):
            raise KeyError("ward")
        self.assertIn("counts as spent", caught.exception.__notes__[0])
        self.assertEqual(self.ledger.left, {"epsilon": "0.6"})
        self.assertEqual(self.ledger.check()["dead"], [1])
        with self.assertRaises(ValueError):
            self.ledger.void(1, reason=" ")
        with self.assertRaises(TypeError):
            self.ledger.void(1)  # type: ignore[call-arg]
        self.assertEqual(self.ledger.void(1, reason="it ended before the count was drawn", by="ada"), 2)
        self.assertEqual(self.ledger.left, {"epsilon": "1"})

    def test_what_cannot_be_paid_is_refused_before_the_block(self) -> None:
        with self.assertRaisesRegex(ib.LedgerError, "epsilon = 1 left; ask for no more"), self.ledger.spend(epsilon=2, what="much"):
            self.fail("the block ran")
        with self.assertRaises(ib.LedgerError), self.ledger.spend(epsilon="0.1", delta="1e-9", what="a delta"):
            self.fail("the block ran")
        for wrong in (dict(), dict(delta="1e-9"), dict(epsilon=1, rho=1)):
            with self.assertRaises(ib.ParameterError), self.ledger.spend(what="nothing", **wrong):  # type: ignore[arg-type]
                self.fail("the block ran")
        with self.assertRaises(ValueError):
            self.ledger.spend(epsilon=1, what="")
        self.assertEqual(len(self.ledger.entries), 1)

    def test_what_was_spent_elsewhere_and_other_accounts(self) -> None:
        self.assertEqual(self.ledger.record(epsilon="1/4", reason="the report of 2020"), 1)
        self.assertEqual(self.ledger.left, {"epsilon": "0.75"})
        rho = ib.Ledger.create(self.room / "rho.ledger", data="wards", unit={"column": "person"}, neighbours="substitute", rho="0.5")
        with rho.spend(rho="0.1", what="a Gaussian count"):
            pass
        self.assertEqual(rho.left, {"rho": "0.4"})
        both = ib.Ledger.create(self.room / "delta.ledger", **TERMS, epsilon=1, delta="1e-6", fixed_rows=True)
        self.assertEqual(both.granted, {"epsilon": "1", "delta": "0.000001"})
        for wrong in (dict(unit="person"), dict(unit={"columns": "x"})):
            with self.assertRaises(ValueError):
                ib.Ledger.create(self.room / "wrong", **{**TERMS, **wrong}, epsilon=1)  # type: ignore[arg-type]
        with self.assertRaises(ib.LedgerError):
            ib.Ledger.create(self.path, **TERMS, epsilon=1)
        with self.assertRaises(ib.ParameterError):
            ib.Ledger.create(self.room / "none", data="no/such.csv", unit="row", neighbours="add-remove", epsilon=1)
        with self.assertRaises(ib.LedgerError):
            ib.Ledger(self.room / "no-such.ledger")

    def test_forms(self) -> None:
        self.assertIn("wards", str(self.ledger))
        self.assertIn("<table>", self.ledger._repr_html_())
        self.assertEqual(pickle.loads(pickle.dumps(self.ledger)).path, self.path.resolve())
        reservation = self.ledger.spend(epsilon="0.1", what="x")
        self.assertEqual(repr(reservation), "<inbounds.Reservation of epsilon = 0.1 for 'x', not begun>")
        with self.assertRaises(TypeError):
            pickle.dumps(reservation)

    def test_threads_share_a_budget_to_the_last_digit(self) -> None:
        refused, barrier = [], threading.Barrier(8)

        def spend() -> None:
            barrier.wait()
            for _ in range(2):
                try:
                    with self.ledger.spend(epsilon="0.1", what="a count"):
                        pass
                except ib.LedgerError as error:
                    refused.append(error)

        threads = [threading.Thread(target=spend) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(refused), self.ledger.left), (6, {"epsilon": "0"}))

    def run_script(self, script: str) -> subprocess.Popen[str]:
        text = textwrap.dedent(script)
        return subprocess.Popen([sys.executable, "-c", text, str(self.path)], stdout=subprocess.PIPE, text=True)

    def test_a_killed_process_leaves_its_price(self) -> None:
        script = """
            import sys, time, inbounds as ib
            with ib.Ledger(sys.argv[1]).spend(epsilon="0.4", what="a count"):
                print("reserved", flush=True)
                time.sleep(60)
        """
        with self.run_script(script) as process:
            assert process.stdout is not None
            self.assertEqual(process.stdout.readline(), "reserved\n")
            self.assertEqual(self.ledger.check()["running"], [1])
            process.send_signal(signal.SIGKILL)
        self.assertEqual(self.ledger.left, {"epsilon": "0.6"})
        self.assertEqual(self.ledger.check()["dead"], [1])
        self.ledger.void(1, reason="the process was killed before it drew")
        self.assertEqual(self.ledger.left, {"epsilon": "1"})
        self.assertEqual(os.listdir(self.room), ["wards.ledger"])

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_fork_can_not_end_the_block_of_its_parent(self) -> None:
        script = """
            import os, sys, inbounds as ib
            ledger = ib.Ledger(sys.argv[1])
            try:
                with ledger.spend(epsilon="0.4", what="a count"):
                    child = os.fork()
                    if child:
                        assert os.waitpid(child, 0)[1] == 0
                        assert ledger.check()["running"] == [1]
            except ib.LedgerError as error:
                assert not child and "process that made it" in str(error)
            else:
                assert child
                print(ledger.check()["ledger"]["entries"][-1]["deed"])
        """
        with self.run_script(script) as process:
            assert process.stdout is not None
            self.assertEqual(process.stdout.read(), "published\n")
        self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
