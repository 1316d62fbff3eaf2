"""Ctrl-C publishes nothing, progress is told, and other threads run meanwhile."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import types
import unittest
import unittest.mock
from pathlib import Path

import inbounds as ib
from common import EXAMPLES

PLAN = EXAMPLES / "registry" / "plan.toml"

# A release that takes long, so that it still runs when a busy machine has the signal sent late.
# What a shell starts in the background without job control ignores Ctrl-C, and so do its children: the handler is set here.
LONG = """
    import signal
    import sys
    import inbounds as ib
    signal.signal(signal.SIGINT, signal.default_int_handler)
    plan = ib.Plan(
        data=sys.argv[2],
        privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=100),
        columns={"ward": ib.Column(type="integer", lower=0, upper=49, missing="drop", values=list(range(50)))},
        statistics=[ib.mean("ward", name=f"m{n}", where=f"ward <> {n} and ward < 40 or ward > {n}") for n in range(400)],
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

    def test_progress_is_told_in_a_notebook_and_on_a_terminal(self) -> None:
        rows = {"ward": [str(n % 50) for n in range(1_500_000)]}
        plan = ib.Plan(
            data=rows,
            privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=100),
            columns={"ward": ib.Column(type="integer", lower=0, upper=49, missing="drop")},
            statistics=[ib.mean("ward", name=f"m{n}", where=f"ward <> {n}") for n in range(30)],
        )

        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        for stream, shows in ((Terminal(), True), (io.StringIO(), False)):
            with contextlib.redirect_stderr(stream):
                plan.release()
            self.assertEqual("\r" in stream.getvalue(), shows)
            # The line is empty again.
            self.assertTrue(stream.getvalue().endswith("\r") or not shows)

        shown: list[str] = []

        class Display:
            def update(self, data: dict[str, str], raw: bool) -> None:
                shown.append(data["text/plain"])

        def display(data: dict[str, str], raw: bool, display_id: bool) -> Display:
            shown.append(data["text/plain"])
            return Display()

        notebook = types.ModuleType("IPython")
        notebook.get_ipython = lambda: types.SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
        module = types.ModuleType("IPython.display")
        module.display = display  # type: ignore[attr-defined]
        with unittest.mock.patch.dict(sys.modules, {"IPython": notebook, "IPython.display": module}):
            plan.release()
        self.assertTrue(shown)
        self.assertEqual(shown[-1], "")

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


if __name__ == "__main__":
    unittest.main()
