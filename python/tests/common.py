"""What tests share."""

from __future__ import annotations

import csv
import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
import unittest
from pathlib import Path
from typing import Any

import inbounds as ib

FULL = os.environ.get("INBOUNDS_FULL") == "1"
"""Whether tests of many calls make all of them; `python/test --full` says so."""

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PLANS = sorted(EXAMPLES.glob("*/*.toml"))
PLANS = [plan for plan in PLANS if "[[statistic]]" in plan.read_text()]


PACKAGE = Path(ib.__file__).parent
"""The package that is tested."""


def importable(package: str) -> bool:
    """Whether a package is installed; says loudly if not."""
    found = importlib.util.find_spec(package) is not None
    if not found:
        print(f"SKIPPED: what needs {package}, not installed", file=sys.stderr)
    return found


def needs(*packages: str) -> Any:
    """Skips a test loudly where a package is not installed."""
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if missing:
        print(f"SKIPPED: {', '.join(missing)} not installed", file=sys.stderr)
    return unittest.skipIf(bool(missing), f"{', '.join(missing)} not installed")


def command(*arguments: object, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Runs the command of this environment."""
    program = shutil.which("inbounds")
    assert program is not None, "the wheel brings the command"
    words = [program, *map(str, arguments)]
    plain = {**os.environ, "COLUMNS": "100"}
    return subprocess.run(words, cwd=folder, env=plain, capture_output=True, text=True, check=False)


def files(found: Path | ib.Bundle) -> dict[str, bytes]:
    """The bytes of all files of a bundle."""
    folder = found.folder if isinstance(found, ib.Bundle) else found
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def lists(path: Path) -> dict[str, list[str | None]]:
    """The columns of a CSV file as lists."""
    with path.open(newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
        return {name: [row[name] or None for row in rows] for name in reader.fieldnames or ()}


def objects(toml: str, data: Any, folder: Path) -> ib.Plan:
    """The plan of a text, made of objects."""
    tables = tomllib.loads(toml, parse_float=lambda text: __import__("decimal").Decimal(text))
    keys = {key: value for key, value in tables["data"].items() if key not in ("path", "format")}
    statistics = []
    for statistic in tables["statistic"]:
        kind = statistic.pop("kind")
        statistics.append(ib.Statistic(kind, **statistic))
    return ib.Plan(
        **{key: tables.get(key) for key in ("title", "unit_of_rows", "period", "source", "contact", "language")},
        data=ib.Data(data, **keys),
        privacy=tables["privacy"],
        columns=tables.get("columns"),
        per_unit=tables.get("per_unit"),
        statistics=statistics,
        folder=folder,
    )
