"""Every block of code in the documents is run, and says what is printed there."""

from __future__ import annotations

import doctest
import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import notebooks as notebooks_run
from common import EXAMPLES, ROOT

DOCUMENTS = [*sorted((ROOT / "docs" / "python").glob("*.md")), ROOT / "python" / "README.md", ROOT / "README.md"]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Blocks that need a library which the package does not.
NEEDS = {
    "polars": re.compile(r"\b(pl|frame|polars)\b"),
    "opendp": re.compile(r"\b(opendp|dp)\b"),
    "sklearn": re.compile(r"\bsklearn\b"),
    "pandas": re.compile(r"\b(pd|lead)\b"),
}


def missing(text: str) -> list[str]:
    """The libraries that some code needs and that are not installed."""
    return [name for name, words in NEEDS.items() if words.search(text) and importlib.util.find_spec(name) is None]


class Documents(unittest.TestCase):
    def setUp(self) -> None:
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        shutil.copy(EXAMPLES / "registry" / "stays.csv", room.name)
        shutil.copy(EXAMPLES / "registry" / "plan.toml", Path(room.name, "registry.toml"))
        shutil.copy(EXAMPLES / "census" / "measurements.csv", room.name)
        self.addCleanup(os.chdir, Path.cwd())
        os.chdir(room.name)

    def test_sessions(self) -> None:
        flags = doctest.ELLIPSIS
        runner = doctest.DocTestRunner(optionflags=flags)
        for document in DOCUMENTS:
            names: dict[str, object] = {}
            for number, (language, text) in enumerate(FENCE.findall(document.read_text()), 1):
                if language != "pycon":
                    continue
                if missing(text):
                    print(f"SKIPPED: block {number} of {document.name}, needs {missing(text)}", file=sys.stderr)
                    continue
                block = doctest.DocTestParser().get_doctest(text, names, f"{document.name} block {number}", None, 0)
                runner.run(block, clear_globs=False)
                names = block.globs
        self.assertEqual(runner.summarize(verbose=False).failed, 0)
        self.assertGreater(runner.tries, 30)

    def test_notebooks(self) -> None:
        notebooks = sorted((ROOT / "docs" / "python").glob("*.ipynb"))
        self.assertGreaterEqual(len(notebooks), 3)
        for path in notebooks:
            with self.subTest(notebook=path.name):
                written = path.read_text(encoding="utf-8")
                cells = [cell for cell in json.loads(written)["cells"] if cell["cell_type"] == "code"]
                needed = missing("\n".join("".join(cell["source"]) for cell in cells))
                if needed:
                    print(f"SKIPPED: {path.name}, needs {needed}", file=sys.stderr)
                    continue
                self.assertEqual(notebooks_run.text(notebooks_run.run(path)), written, "run python/tests/notebooks.py on it")

    def test_scripts(self) -> None:
        tried = 0
        for document in DOCUMENTS:
            for language, text in FENCE.findall(document.read_text()):
                if language == "python":
                    exec(compile(text, document.name, "exec"), {})  # noqa: S102
                    tried += 1
                    shutil.rmtree("stays-release", ignore_errors=True)
        self.assertGreaterEqual(tried, 2)


if __name__ == "__main__":
    unittest.main()
