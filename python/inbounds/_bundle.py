"""Bundles: what was published, read from its folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _given as given
from . import _inbounds
from ._classifier import Classifier
from ._exact import Exact
from ._figures import Figure, Figures, made
from ._errors import DataError, ParameterError, WriteError
from ._guard import public
from ._html import page
from ._plot import Plot
from ._room import Room


class Bundle:
    """A folder of public files, made by a release or by ``reconcile``; one of an earlier run opens by its path.

    Parameters
    ----------
    folder
        The folder.

    Examples
    --------
    >>> import inbounds as ib
    >>> bundle = ib.Bundle("registry-release")                      # doctest: +SKIP
    >>> polars.DataFrame(bundle.estimates)                          # doctest: +SKIP
    """

    @public
    def __init__(self, folder: str | os.PathLike[str], *, _kept: Room | None = None) -> None:
        self._folder = Path(given.path(folder, "folder"))
        # A folder of this process lives as long as the bundle.
        self._kept = _kept
        import json

        found = [name for name in ("release.json", "reconcile.json") if (self._folder / name).is_file()]
        if not found:
            raise DataError(f"`{self._folder}` is no bundle: it has neither release.json nor reconcile.json")
        try:
            self._manifest: dict[str, Any] = json.loads((self._folder / found[0]).read_bytes())
        except (OSError, ValueError):
            raise DataError(f"`{self._folder / found[0]}` cannot be read: it is no manifest in JSON") from None

    @property
    def folder(self) -> Path:
        """Where the files are. The folder of a release in memory is gone with the bundle: see :meth:`save`."""
        return self._folder

    @property
    def manifest(self) -> dict[str, Any]:
        """What ``release.json`` or ``reconcile.json`` says."""
        return self._manifest

    @property
    def private(self) -> bool:
        """Whether the noise protects anybody; it does not if it came from a seed."""
        return bool(self._manifest.get("private", False))

    @property
    def guarantee(self) -> str | None:
        """What is promised, as a sentence."""
        guarantee = self._manifest.get("guarantee")
        return guarantee["words"] if guarantee else None

    @property
    def estimates(self) -> _inbounds.Table:
        """Numbers inside their range, with error and interval. Anything that takes an Arrow C stream takes the table."""
        return _inbounds.read_table(os.fspath(self._folder / "estimates.parquet"))

    @property
    def measurements(self) -> _inbounds.Table:
        """Raw noisy numbers, with the law of their noise."""
        return _inbounds.read_table(os.fspath(self._folder / "measurements.parquet"))

    @public
    def statistic(self, name: str) -> list[dict[str, Any]]:
        """The estimates of one statistic, each a dictionary without what is empty in all of them.

        There is none where keys are learned and noise published no cell.
        """
        name = given.text(name, "name")
        estimates = self.estimates
        if "statistic" not in estimates.columns:
            raise ParameterError(
                f"there is no statistic {name!r}: the bundle was reconciled, and its estimates are of nodes"
            )
        rows = [row for row in estimates.to_dicts() if row["statistic"] == name]
        known = [statistic["name"] for statistic in self.manifest["statistics"]]
        if name not in known:
            raise ParameterError(f"there is no statistic {name!r}; there are {', '.join(map(repr, known))}")
        if not rows:
            return []
        kept = [key for key in rows[0] if any(row[key] is not None for row in rows)]
        return [{key: row[key] for key in kept} for row in rows]

    @public
    def plot(self, name: str) -> Plot:
        """The estimates of one statistic with their intervals, as the page draws them."""
        rows = self.statistic(name)
        if not rows:
            raise ParameterError(f"there is nothing to draw of {name!r}: no cell of it was published")
        return Plot(_inbounds.draw_plot(os.fspath(self._folder), name), rows)

    @public
    def classifier(self, name: str | None = None) -> Classifier:
        """The naive Bayes model of a release, for numbers in memory: the only one, or the one named."""
        of = None if name is None else given.text(name, "name")
        return Classifier(_inbounds.Classifier.of_bundle(os.fspath(self._folder), of))

    @public
    def figures(
        self,
        figures: Figure | Sequence[Figure],
        *,
        out: str | os.PathLike[str] | None = None,
        interval: Exact | None = None,
        joint: bool = False,
    ) -> Figures:
        """Rates, differences, change and ranks of the numbers of a release, with valid intervals. No row is read, and no epsilon spent.

        Parameters
        ----------
        figures
            What to make.
        out
            Folder to create; without it the figures are in memory.
        interval
            Probability with which intervals hold, of figures that have none of their own; 0.95 if it is left out.
        joint
            Whether the intervals of all cells of a figure hold at once.
        """
        return made(self._folder, figures, out, interval, joint)

    @property
    def planned_figures(self) -> Figures | None:
        """The figures that the plan of a release asks for, which the bundle has; ``None`` if it asks for none."""
        return Figures(self._folder, self._kept) if (self._folder / "figures.json").exists() else None

    @property
    def page(self) -> str:
        """The page of the bundle, in HTML."""
        return _inbounds.draw_page(os.fspath(self._folder))[0]

    @public
    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Copies the files into a new folder."""
        import shutil

        to = given.path(folder, "folder")
        try:
            shutil.copytree(self._folder, to)
        except OSError as error:
            raise WriteError(f"cannot write `{to}`: {error.strerror or 'not every file could be copied'}") from None
        return Path(to)

    def __reduce__(self) -> tuple[Any, ...]:
        # All of it is public, and files in memory go along.
        if self._kept is None:
            return type(self), (self._folder,)
        return _again, ({path.name: path.read_bytes() for path in sorted(self._folder.iterdir())},)

    def __repr__(self) -> str:
        where = "in memory" if self._kept is not None else f"in {str(self._folder)!r}"
        return f"<inbounds.Bundle {where}{'' if self.private or 'private' not in self._manifest else ', NOT PRIVATE'}>"

    def _repr_html_(self) -> str:
        return page(self.page)


def _again(files: dict[str, bytes]) -> Bundle:
    """A bundle in memory, of its files."""
    room = Room()
    folder = room.path / "bundle"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return Bundle(folder, _kept=room)
