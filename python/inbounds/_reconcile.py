"""Noisy numbers from any source, made to add up."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import _inbounds
from ._bundle import Bundle, Room
from ._errors import ConstraintsError
from ._progress import Progress, shown
from ._rows import ArrowStream
from ._toml import Writer


def reconcile(
    measurements: str | os.PathLike[str] | ArrowStream,
    out: str | os.PathLike[str] | None = None,
    *,
    constraints: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    integer: bool = False,
    fit: str | None = None,
    level: float = 0.95,
    replicates: int = 200,
    seed: int = 0,
    progress: Progress = True,
) -> Bundle:
    """Makes public noisy numbers add up, keep an order, stay in range or be whole.

    Parameters
    ----------
    measurements
        A CSV or Parquet file, or anything with ``__arrow_c_stream__``: names, noisy values and their variances, as
        ``inbounds help constraints`` says.
    out
        Folder to create; without it the bundle is in memory.
    constraints
        A TOML file, or a mapping with its keys.
    integer, fit, level, replicates, seed
        As in ``inbounds reconcile --help``.
    progress
        As in :meth:`Plan.release`.

    Raises
    ------
    ConstraintsError
        With the place of each mistake.
    InfeasibleError
        No numbers satisfy the constraints; it has a smallest set in conflict.
    """
    import tempfile

    with tempfile.TemporaryDirectory(prefix="inbounds-") as room:
        if isinstance(measurements, (str, os.PathLike)):
            path = os.fspath(measurements)
        else:
            path = os.fspath(Path(room, "measurements.parquet"))
            _inbounds.write_parquet(measurements, path)
        writer = None
        if isinstance(constraints, Mapping):
            writer = Writer()
            for key, value in constraints.items():
                writer.entry(str(key), value, f"constraints[{key!r}]")
            Path(room, "constraints.toml").write_text(writer.text, encoding="utf-8")
            constraints = Path(room, "constraints.toml")
        asked = {
            "constraints": None if constraints is None else os.fspath(constraints),
            "integer": integer,
            "fit": fit,
            "level": level,
            "replicates": replicates,
            "seed": seed,
        }
        kept = Room() if out is None else None
        folder = kept.path / "bundle" if kept else Path(out)  # type: ignore[arg-type]
        told, end = shown(progress)
        try:
            _inbounds.reconcile(path, os.fspath(folder), asked, told)
        except ConstraintsError as error:
            if writer is None:
                raise
            raise error.moved(writer.place_of) from None
        finally:
            end()
        return Bundle(folder, _kept=kept)
