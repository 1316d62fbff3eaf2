"""Ctrl-C publishes nothing, and other threads run meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from pathlib import Path

import inbounds as ib
from common import EXAMPLES

PLAN = EXAMPLES / "registry" / "plan.toml"

# A release that takes long.
LONG = """
    import sys
    import inbounds as ib
    plan = ib.Plan(
        data=sys.argv[2],
        privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=100),
        columns={"ward": ib.Column(type="integer", lower=0, upper=49, missing="drop", values=list(range(50)))},
        statistics=[ib.mean("ward", name=f"m{n}", where=f"ward <> {n} and ward < 40 or ward > {n}") for n in range(80)],
    )
    print("begin", flush=True)
    try:
        plan.release(sys.argv[1])
    except KeyboardInterrupt as stopped:
        print("stopped", *getattr(stopped, "__notes__", []), flush=True)
"""


class Stop(unittest.TestCase):
    def setUp(self) -> None:
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room = Path(room.name)

    def test_an_interrupt_publishes_nothing(self) -> None:
        rows = self.room / "rows.csv"
        rows.write_text("ward\n" + "".join(f"{n % 50}\n" for n in range(5_000_000)))
        script = [sys.executable, "-c", textwrap.dedent(LONG), str(self.room / "out"), str(rows)]
        with subprocess.Popen(script, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            self.assertEqual(process.stdout.readline(), "begin\n")
            time.sleep(0.2)
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            said = process.stdout.read()
        self.assertEqual(said, "stopped\n")
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(os.listdir(self.room), ["rows.csv"])

    def test_progress_that_raises_publishes_nothing(self) -> None:
        def progress(words: str) -> None:
            raise RuntimeError(words)

        rows = {"ward": [str(n % 50) for n in range(1_500_000)]}
        column = ib.Column(type="integer", lower=0, upper=49, missing="drop")
        plan = ib.Plan(
            data=rows,
            privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=100),
            columns={"ward": column},
            statistics=[ib.mean("ward", name=f"m{n}", where=f"ward <> {n}") for n in range(30)],
        )
        with self.assertRaises(RuntimeError):
            plan.release(self.room / "out", progress=progress)
        self.assertEqual(os.listdir(self.room), [])

    def test_other_threads_run_meanwhile(self) -> None:
        ticks, done = 0, threading.Event()

        def tick() -> None:
            nonlocal ticks
            while not done.is_set():
                ticks += 1
                time.sleep(0.001)

        thread = threading.Thread(target=tick)
        thread.start()
        begin = time.monotonic()
        while time.monotonic() - begin < 0.5:
            ib.Plan.read(PLAN).release()
        seconds = time.monotonic() - begin
        done.set()
        thread.join()
        self.assertGreater(ticks, 20 * seconds)

    def test_threads_release_at_once(self) -> None:
        found: list[tuple[int, ...]] = []

        def release() -> None:
            plan = ib.Plan.read(PLAN)
            for _ in range(5):
                found.append(tuple(plan.release().measurements.column("steps")))

        threads = [threading.Thread(target=release) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 20)
        self.assertEqual(len(set(found)), 20)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_fork_has_noise_of_its_own(self) -> None:
        plan = ib.Plan.read(PLAN)
        plan.release()
        script = textwrap.dedent(
            f"""
            import os
            import inbounds as ib
            plan = ib.Plan.read({str(PLAN)!r})
            plan.release()
            child = os.fork()
            print(plan.release().measurements.column("steps"), flush=True)
            if child:
                assert os.waitpid(child, 0)[1] == 0
            os._exit(0)
            """
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 2, done.stderr)
        self.assertNotEqual(lines[0], lines[1])


if __name__ == "__main__":
    unittest.main()
