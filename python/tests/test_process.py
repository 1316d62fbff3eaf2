"""Threads, forks, fresh processes, and memory after many calls."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
from pathlib import Path

import inbounds as ib
from common import EXAMPLES, FULL

PLAN = EXAMPLES / "registry" / "plan.toml"

# One of everything that a session calls again and again, failures too.
CALLS = """
    import sys
    import inbounds as ib

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    toml = open(sys.argv[1]).read()
    rows = {"ward": ["A", "B", None] * 50, "cost": [1.5, 2.0, None] * 50}
    mechanism = ib.laplace(epsilon=1).clamped(lower=0)

    def once():
        plan = ib.Plan(
            data=rows,
            privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=1),
            columns={
                "ward": ib.Column(type="text", values=["A", "B"]),
                "cost": ib.Column(type="number", lower=0, upper=10, missing="drop"),
            },
            statistics=[ib.count(by="ward"), ib.mean("cost")],
        )
        bundle = plan.release()
        bundle.estimates.to_dicts()
        bundle.plot("count-by-ward")
        bundle._repr_html_()
        plan.check()
        ib.count(3, epsilon=1, neighbours="add-remove")
        mechanism.release([1, 2, 3])
        mechanism.measure([1, 2, 3])
        mechanism.bias([1, 2, 3])
        try:
            ib.Plan.parse("privacy = 3")
        except ib.PlanError:
            pass

    calls = int(sys.argv[2])
    for _ in range(max(50, calls // 10)):
        once()
    before = resident()
    for _ in range(calls):
        once()
    print(resident() - before)
"""


class Processes(unittest.TestCase):
    @unittest.skipUnless(Path("/proc/self/statm").exists(), "no /proc here")
    def test_memory_does_not_grow(self) -> None:
        calls = 10_000 if FULL else 300
        script = [sys.executable, "-c", textwrap.dedent(CALLS), str(PLAN), str(calls)]
        done = subprocess.run(script, capture_output=True, text=True, check=True)
        print(f"{calls} calls: {int(done.stdout):,} bytes more", file=sys.stderr)
        # Less than 200 bytes a call, and what an allocator keeps for itself.
        self.assertLess(int(done.stdout), 200 * calls + 2**20)

    def test_threads_release_at_once(self) -> None:
        found: list[tuple[int, ...]] = []
        each = 125 if FULL else 5

        def release() -> None:
            plan = ib.Plan.read(PLAN)
            for _ in range(each):
                found.append(tuple(plan.release().measurements.column("steps")))

        threads = [threading.Thread(target=release) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(found), len(set(found))), (8 * each, 8 * each))

    def test_one_plan_in_many_threads(self) -> None:
        plan, mechanism, found = ib.Plan.read(PLAN), ib.laplace(epsilon=1).clamped(lower=0), []

        def release() -> None:
            found.append((tuple(plan.release().measurements.column("steps")), tuple(mechanism.measure([10] * 500))))

        threads = [threading.Thread(target=release) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for part in zip(*found):
            self.assertEqual(len(set(part)), 8)

    def run_file(self, script: str) -> list[str]:
        with tempfile.TemporaryDirectory() as room:
            file = Path(room, "script.py")
            file.write_text(textwrap.dedent(script))
            done = subprocess.run([sys.executable, file, str(PLAN)], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_fork_has_noise_of_its_own(self) -> None:
        lines = self.run_file(
            """
            import os, sys, threading
            import inbounds as ib
            plan = ib.Plan.read(sys.argv[1])
            mechanism = ib.laplace(epsilon=1).clamped(lower=0)

            def drawn():
                steps = plan.release().measurements.column("steps")
                return steps, list(mechanism.sample(200)), ib.count([100] * 50, epsilon=1, neighbours="add-remove")

            drawn()
            # Forks while another thread works, too.
            busy = threading.Thread(target=lambda: [drawn() for _ in range(5)])
            busy.start()
            children = 0
            for _ in range(3):
                child = os.fork()
                if not child:
                    break
                children += 1
            for part in drawn():
                sys.stdout.write(f"{part}\\n")
            sys.stdout.flush()
            if not child:
                os._exit(0)
            busy.join()
            for _ in range(children):
                assert os.wait()[1] == 0
            """
        )
        self.assertEqual((len(lines), len(set(lines))), (12, 12))

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_fork_that_ends_leaves_the_files_of_its_parent(self) -> None:
        lines = self.run_file(
            """
            import os, sys
            import inbounds as ib
            from inbounds._room import Room
            plan = ib.Plan.read(sys.argv[1])
            fitted = {"node": ["a", "b"], "parent": [None, "a"], "value": [2.0, 1.0], "variance": [1.0, 1.0]}

            def ended(leave):
                child = os.fork()
                if not child:
                    leave()
                    sys.exit(0)
                assert os.waitpid(child, 0)[1] == 0

            bundle = plan.release()
            room = Room()

            def forget():
                global bundle, room
                del bundle, room

            ended(lambda: None)
            ended(forget)
            print(len(bundle.estimates) > 0, room.path.is_dir())
            # A child of the function that is told of progress has none of the threads, and ends.
            told = []
            def progress(words):
                told.append(words)
                if len(told) == 1:
                    child = os.fork()
                    if not child:
                        sys.exit(0)
                    os.waitpid(child, 0)
            while not told:
                again = plan.release(progress=progress)
            print(len(again.estimates) > 0)
            # What a process made it deletes.
            folder = bundle.folder
            del bundle
            print(folder.exists())
            """
        )
        self.assertEqual(lines, ["True True", "True", "False"])

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_fork_that_ends_in_a_block_leaves_the_reservation(self) -> None:
        lines = self.run_file(
            """
            import os, sys, tempfile
            import inbounds as ib
            room = tempfile.mkdtemp()
            ledger = ib.Ledger.create(room + "/a.ledger", data="rows", unit="row", neighbours="add-remove", epsilon=4)
            with ledger.spend(epsilon=1, what="a count"):
                child = os.fork()
                if not child:
                    sys.exit(7)
                print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), ledger.check()["running"])
            print(ledger.left, [entry["deed"] for entry in ledger.entries])
            """
        )
        self.assertEqual(lines, ["7 [1]", "{'epsilon': '3'} ['opened', 'reserved', 'published']"])

    def test_fresh_processes(self) -> None:
        lines = self.run_file(
            """
            import multiprocessing, sys
            import inbounds as ib

            def drawn(toml, folder):
                plan = ib.Plan.parse(toml, folder=folder)
                return tuple(plan.release().measurements.column("steps"))

            if __name__ == "__main__":
                from pathlib import Path
                told = [(ib.Plan.read(sys.argv[1]).to_toml(), str(Path(sys.argv[1]).parent))] * 4
                with multiprocessing.get_context("spawn").Pool(2) as pool:
                    for steps in pool.starmap(drawn, told):
                        print(steps)
            """
        )
        self.assertEqual((len(lines), len(set(lines))), (4, 4))


if __name__ == "__main__":
    unittest.main()
