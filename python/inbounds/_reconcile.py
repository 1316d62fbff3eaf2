"""Noisy numbers from any source, made to add up."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _given as given
from . import _inbounds
from ._bundle import Bundle
from ._columns import attempt
from ._errors import ConstraintsError, ParameterError
from ._guard import calling
from ._progress import Progress, shown
from ._room import Room
from ._rows import ArrowStream
from ._toml import Writer


@calling
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
    spread = None
    if wide is not None:
        attributes = given.table(wide, "wide")
        if len(attributes) != 1:
            raise ParameterError(f"wide must name the columns of one attribute, got {len(wide)}")
        [(name, columns)] = attributes.items()
        columns = given.texts(columns, f"wide[{name!r}]")
        spread = (name, columns, None if wide_total is None else given.text(wide_total, "wide_total"))
    elif wide_total is not None:
        raise ParameterError("wide_total must come with wide, of whose attribute it is the sum")

    with Room() as room:
        if isinstance(measurements, (str, os.PathLike)):
            path = given.path(measurements, "measurements")
        elif isinstance(measurements, ArrowStream) and not isinstance(measurements, type):
            path = os.fspath(room / "measurements.parquet")
            attempt(lambda: _inbounds.write_parquet(measurements, path), "the table of measurements")
        else:
            raise given.refused("measurements", "a path, or a table with __arrow_c_stream__", measurements)
        writer = None
        if isinstance(constraints, Mapping):
            writer = Writer()
            for key, value in given.table(constraints, "constraints").items():
                writer.entry(key, value, f"constraints[{key!r}]")
            (room / "constraints.toml").write_text(writer.text, encoding="utf-8")
            constraints = room / "constraints.toml"
        asked = {
            "wide": spread,
            "totals": (given.texts(total, "total"), given.flag(usual_totals, "usual_totals")),
            "residuals": given.flag(residuals, "residuals"),
            "constraints": None if constraints is None else given.path(constraints, "constraints"),
            "integer": given.flag(integer, "integer"),
            "fit": None if fit is None else given.text(fit, "fit"),
            "level": given.fraction(level, "level"),
            "replicates": given.index(replicates, "replicates", 0, 2**63 - 1),
            "seed": given.index(seed, "seed", 0, 2**64 - 1),
        }
        told, end = shown(progress)
        kept = Room() if out is None else None
        folder = kept.path / "bundle" if kept else Path(given.path(out, "out"))
        try:
            _inbounds.reconcile(path, os.fspath(folder), asked, told)
        except ConstraintsError as error:
            if writer is None:
                raise
            raise error.moved(writer.place_of) from None
        finally:
            end()
        return Bundle(folder, _kept=kept)
