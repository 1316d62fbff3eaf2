"""The same plan and seed give the same bundle, byte for byte, from the command and from Python."""

from __future__ import annotations

import shutil
import tempfile
import tomllib
import unittest
from pathlib import Path

import inbounds as ib
from common import PLANS, command, files, lists, objects
from inbounds import _inbounds


class Same(unittest.TestCase):
    def setUp(self) -> None:
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room = Path(room.name)

    def by_command(self, plan: Path, name: str) -> dict[str, bytes]:
        done = command("release", plan, "--out", self.room / name, "--seed", 7, "--not-private")
        self.assertEqual(done.returncode, 0, done.stderr)
        return files(self.room / name)

    def test_the_examples_have_every_kind(self) -> None:
        found = {one["kind"] for plan in PLANS for one in tomllib.loads(plan.read_text())["statistic"]}
        self.assertEqual(found, {kind for kind, _ in _inbounds.kinds()})

    def test_plans_in_files(self) -> None:
        for plan in PLANS:
            with self.subTest(plan=plan.name):
                name = f"{plan.parent.name}-{plan.stem}"
                expected = self.by_command(plan, name)
                read = ib.Plan.read(plan)
                read.release(self.room / f"{name}-python", seed=7, not_private=True)
                self.assertEqual(files(self.room / f"{name}-python"), expected)
                in_memory = read.release(seed=7, not_private=True)
                self.assertEqual(files(in_memory), expected)

    def test_rows_in_memory_are_those_of_the_file(self) -> None:
        for plan in PLANS:
            with self.subTest(plan=plan.name):
                expected = self.by_command(plan, f"{plan.parent.name}-{plan.stem}-m")
                columns = lists(plan.parent / tomllib.loads(plan.read_text())["data"]["path"])
                handed = ib.Plan.read(plan, rows=columns).release(seed=7, not_private=True)
                self.assertEqual(files(handed), expected)

    def test_plans_of_objects(self) -> None:
        for plan in PLANS:
            with self.subTest(plan=plan.name):
                path = plan.parent / tomllib.loads(plan.read_text())["data"]["path"]
                made = objects(plan.read_text(), path, plan.parent)
                name = f"{plan.parent.name}-{plan.stem}-o"
                # Files that a plan names lie beside it.
                beside = shutil.copytree(plan.parent, self.room / f"{name}-plan")
                text = beside / "of-objects.toml"
                text.write_text(made.to_toml())
                expected = self.by_command(text, name)
                self.assertEqual(files(made.release(seed=7, not_private=True)), expected)
                # Other words, the same numbers.
                own = self.by_command(plan, f"{name}-own")
                self.assertEqual(expected["measurements.csv"], own["measurements.csv"])


if __name__ == "__main__":
    unittest.main()
