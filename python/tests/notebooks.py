"""Runs a notebook, cell by cell in this process, and writes what a notebook would show.

    python python/tests/notebooks.py docs/python/*.ipynb       writes the outputs into the files

Nothing of Jupyter is needed: a cell is code whose last expression is shown, by `_repr_svg_`, `_repr_html_` and `repr`.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any


def run(path: Path) -> dict[str, Any]:
    """The notebook with the outputs of its cells, run in its own folder."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    home = Path.cwd()
    os.chdir(path.parent)
    try:
        count = 0
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                count += 1
                cell["execution_count"] = count
                cell["outputs"] = outputs("".join(cell["source"]), names, count)
    finally:
        os.chdir(home)
    return notebook


def outputs(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """What a cell prints, and what its last expression shows."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)  # noqa: S102
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last is not None else None  # noqa: S307
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        data: dict[str, Any] = {}
        for kind, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
            if hasattr(value, method):
                data[kind] = getattr(value, method)().splitlines(keepends=True)
        data["text/plain"] = repr(value).splitlines(keepends=True)
        found.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return found


def text(notebook: dict[str, Any]) -> str:
    """The notebook as a file."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        Path(argument).write_text(text(run(Path(argument))), encoding="utf-8")
