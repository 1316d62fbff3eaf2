"""Noisy numbers from any source, made to add up."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
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
    wide: Mapping[str, Sequence[str]] | None = None,
    wide_total: str | None = None,
    total: str | Sequence[str] = (),
    usual_totals: bool = True,
    residuals: bool = False,
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
    wide
        ``{attribute: columns}`` for a table with one column for each value of an attribute: the measurements stand in these
        columns, and ``variance``, or ``law`` and ``scale``, are those of every measurement of a row.
    wide_total
        The column with measurements of the sum over that attribute.
    total
        A value of an attribute that is its total, or several, besides those that are recognised, such as ``Total``.
    usual_totals
        Whether labels of totals in use are recognised; if not, all but those of ``total`` are values like any other.
    residuals
        Whether the measurements of a table are residuals of its margins: what is left of each margin once the mean along each of its
        attributes is taken away.
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

    if wide is not None and len(wide) != 1:
        raise ValueError(f"wide must name the columns of one attribute, got {len(wide)}")
    if wide is None and wide_total is not None:
        raise ValueError("wide_total must come with wide, of whose attribute it is the sum")
    spread = None if wide is None else [(str(name), list(map(str, columns)), wide_total) for name, columns in wide.items()][0]

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
            "wide": spread,
            "totals": ([total] if isinstance(total, str) else list(map(str, total)), usual_totals),
            "residuals": residuals,
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
