"""Figures of bundles: rates, differences, change and ranks, in the words of ``inbounds help figures``."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from . import _given as given
from . import _inbounds
from ._errors import FiguresError, ParameterError
from ._exact import Exact, exact
from ._guard import public
from ._room import Room
from ._toml import Writer

if TYPE_CHECKING:
    from ._bundle import Bundle

Operand = Union[str, Exact, Mapping[str, Any]]
"""The name of a statistic, ``{"statistic": ..., "where": {...}}``, ``{"file": ..., "value": ...}``, or a public number."""


class Figure:
    """A figure that is to be made: a kind with its keys, which ``inbounds help figures`` lists. Public.

    Examples
    --------
    >>> import inbounds as ib
    >>> ib.Figure("rate", name="cases-per-100000", of="cases", per={"file": "population.csv", "value": "people"})
    <inbounds.Figure 'cases-per-100000', a rate>
    """

    @public
    def __init__(
        self,
        kind: str,
        *,
        name: str,
        of: Operand,
        per: Operand | None = None,
        from_: Operand | None = None,
        base: Mapping[str, Any] | None = None,
        by: str | Sequence[str] | None = None,
        over: str | Sequence[str] | None = None,
        weights: Mapping[str, Any] | None = None,
        times: Exact | None = None,
        interval: Exact | None = None,
        joint: bool | None = None,
        label: str | None = None,
    ) -> None:
        self.kind = given.text(kind, "kind")
        keys = {
            "name": given.text(name, "name"),
            "label": None if label is None else given.text(label, "label"),
            "of": _operand(of, "of"),
            "per": None if per is None else _operand(per, "per"),
            "from": None if from_ is None else _operand(from_, "from_"),
            "base": None if base is None else given.table(base, "base"),
            "by": _names(by, "by"),
            "over": _names(over, "over"),
            "weights": None if weights is None else given.table(weights, "weights"),
            "times": times,
            "interval": interval,
            "joint": None if joint is None else given.flag(joint, "joint"),
        }
        self.keys: dict[str, Any] = {key: value for key, value in keys.items() if value is not None}
        for key, value in self.keys.items():
            given.plan_value(value, key)

    def __repr__(self) -> str:
        return f"<inbounds.Figure {self.keys.get('name')!r}, a {self.kind}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Figure) and (self.kind, self.keys) == (other.kind, other.keys)

    __hash__ = None  # type: ignore[assignment]


def _operand(value: object, name: str) -> Any:
    if isinstance(value, Mapping):
        return given.table(value, name)
    if isinstance(value, str) or given.is_scalar(value):
        return value
    raise given.refused(name, "the name of a statistic, a number, or a mapping", value)


def _names(value: object, name: str) -> list[str] | None:
    if value is None:
        return None
    return [value] if isinstance(value, str) else given.texts(value, name)


class Figures:
    """Figures that were made: a folder with ``figures.csv``, ``figures.parquet`` and ``figures.json``."""

    def __init__(self, folder: Path, _kept: Room | None = None) -> None:
        self._folder = folder
        self._kept = _kept
        self._manifest: dict[str, Any] = json.loads((folder / "figures.json").read_bytes())

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return self._folder

    @property
    def manifest(self) -> dict[str, Any]:
        """What ``figures.json`` says."""
        return self._manifest

    @property
    def table(self) -> _inbounds.Table:
        """All figures, one row a cell."""
        return _inbounds.read_table(os.fspath(self._folder / "figures.parquet"))

    @public
    def figure(self, name: str) -> list[dict[str, Any]]:
        """The cells of one figure, each a dictionary without what is empty in all of them."""
        name = given.text(name, "name")
        rows = [row for row in self.table.to_dicts() if row["figure"] == name]
        if not rows:
            known = [figure["name"] for figure in self._manifest["figures"]]
            raise ParameterError(f"there is no figure {name!r}; there are {', '.join(map(repr, known))}")
        kept = [key for key in rows[0] if any(row[key] is not None for row in rows)]
        return [{key: row[key] for key in kept} for row in rows]

    def __repr__(self) -> str:
        names = ", ".join(repr(figure["name"]) for figure in self._manifest["figures"])
        return f"<inbounds.Figures {names}>"


def write(figures: Figure | Sequence[Figure], writer: Writer) -> None:
    """Writes figures as the tables of a plan, or of a file of figures."""
    listed = [figures] if isinstance(figures, Figure) else given.listed(figures, "figures")
    for place, figure in enumerate(listed):
        name = f"figures[{place}]"
        if not isinstance(figure, Figure):
            raise given.refused(name, "an inbounds.Figure", figure)
        writer.header("[[figure]]", name)
        writer.entry("kind", figure.kind, f"{name}.kind")
        for key, value in figure.keys.items():
            writer.entry(key, value, f"{name}.{'from_' if key == 'from' else key}")


def made(
    folder: Path,
    figures: Figure | Sequence[Figure],
    out: str | os.PathLike[str] | None,
    interval: Exact | None,
    joint: bool,
) -> Figures:
    """Figures of a bundle in a folder."""
    writer = Writer()
    if interval is not None:
        writer.entry("interval", exact(interval, "interval"), "interval")
    writer.entry("joint", given.flag(joint, "joint"), "joint")
    write(figures, writer)
    kept = Room() if out is None else None
    to = kept.path / "figures" if kept else Path(given.path(out, "out"))
    try:
        _inbounds.make_figures(os.fspath(folder), writer.text, os.fspath(to))
    except FiguresError as error:
        raise error.moved(writer.place_of) from None
    return Figures(to, kept)


@public
def compare(
    old: str | os.PathLike[str] | Bundle,
    new: str | os.PathLike[str] | Bundle,
    *,
    out: str | os.PathLike[str] | None = None,
    interval: float = 0.95,
) -> Figures:
    """The change of every number from one release to another of the same plan, and whether it can be told from no change.

    Parameters
    ----------
    old, new
        Bundles, or their folders.
    out
        Folder to create; without it the figures are in memory.
    interval
        Probability with which each interval holds.
    """
    folders = [_folder(old, "old"), _folder(new, "new")]
    level = given.fraction(interval, "interval")
    kept = Room() if out is None else None
    to = kept.path / "figures" if kept else Path(given.path(out, "out"))
    _inbounds.compare_releases(*folders, level, os.fspath(to))
    return Figures(to, kept)


def _folder(value: object, name: str) -> str:
    from ._bundle import Bundle

    return os.fspath(value.folder) if isinstance(value, Bundle) else given.path(value, name)
