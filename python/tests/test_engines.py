"""Every block of `docs/engines.md` is run, and the bundle is that of one file, byte for byte.

By name, with what a block needs: `python/test --with pyspark --with pyarrow --with 'dask[dataframe]' --with ray`.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import inbounds as ib
from common import EXAMPLES, ROOT, files, needs

BLOCKS = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "engines.md").read_text(), re.MULTILINE | re.DOTALL)


@contextlib.contextmanager
def beside_the_rows() -> Iterator[None]:
    """A folder with the rows and the plan that the blocks read."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as room:
        for name in ("stays.csv", "areas.csv"):
            shutil.copy(EXAMPLES / "registry" / name, room)
        shutil.copy(EXAMPLES / "registry" / "plan.toml", Path(room, "registry.toml"))
        os.chdir(room)
        try:
            yield
        finally:
            os.chdir(before)


class Engines(unittest.TestCase):
    def run_block(self, first: str, names: dict[str, Any]) -> None:
        """Runs the block of this first line, and holds its bundle against that of the file."""
        block = next(block for block in BLOCKS if block.startswith(f"# {first}\n"))
        lines = [line for line in block.splitlines() if line.strip()]
        self.assertLessEqual(len(lines), 50)
        with beside_the_rows():
            exec(compile(block, f"docs/engines.md, {first}", "exec"), names)  # noqa: S102
            expected = ib.Plan.read("registry.toml").release(seed=7, not_private=True)
            self.assertEqual(files(names["bundle"]), files(expected))

    def stays(self) -> Any:
        import pandas as pd

        return pd.read_csv(EXAMPLES / "registry" / "stays.csv", dtype=str)

    @needs("pyarrow")
    def test_blocks_that_need_no_engine(self) -> None:
        blocks = [block for block in BLOCKS if not block.startswith("# ")]
        self.assertEqual(len(blocks), 2)
        names: dict[str, Any] = {}
        for block in blocks:
            exec(compile(block, "docs/engines.md", "exec"), names)  # noqa: S102
        self.assertEqual(len(names["bundle"].manifest["statistics"]), 2)

    @needs("pyspark", "pyarrow")
    @unittest.skipUnless(shutil.which("java") or "JAVA_HOME" in os.environ, "Java is not installed")
    def test_spark(self) -> None:
        os.environ["PYSPARK_PYTHON"] = sys.executable
        names: dict[str, Any] = {}
        try:
            self.run_block("Spark", names)
        finally:
            if "spark" in names:
                names["spark"].stop()

    @needs("dask", "pandas", "pyarrow")
    def test_dask(self) -> None:
        self.run_block("Dask", {"stays": self.stays()})

    @needs("ray", "pandas", "pyarrow")
    def test_ray(self) -> None:
        import ray

        # Its process for a page of its own is of no use here.
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        try:
            self.run_block("Ray", {"stays": self.stays()})
        finally:
            ray.shutdown()


if __name__ == "__main__":
    unittest.main()
