"""Bundles: what was published, read from its folder."""

from __future__ import annotations

import os
import weakref
from pathlib import Path
from typing import Any

from . import _inbounds
from ._errors import DataError, WriteError
from ._classifier import Classifier
from ._html import page
from ._plot import Plot


class Room:
    """A folder of this process, which goes with the last that holds it."""

    def __init__(self) -> None:
        # What few need is not imported with the package.
        import shutil
        import tempfile

        self.path = Path(tempfile.mkdtemp(prefix="inbounds-"))
        self._end = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


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

    def __init__(self, folder: str | os.PathLike[str], *, _kept: Room | None = None) -> None:
        self._folder = Path(folder)
        # A folder of this process lives as long as the bundle.
        self._kept = _kept
        import json

        found = [name for name in ("release.json", "reconcile.json") if (self._folder / name).is_file()]
        if not found:
            raise DataError(f"`{self._folder}` is no bundle: it has neither release.json nor reconcile.json")
        self._manifest: dict[str, Any] = json.loads((self._folder / found[0]).read_bytes())

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

    def statistic(self, name: str) -> list[dict[str, Any]]:
        """The estimates of one statistic, each a dictionary without what is empty in all of them.

        There is none where keys are learned and noise published no cell.
        """
        estimates = self.estimates
        if "statistic" not in estimates.columns:
            raise KeyError(f"there is no statistic {name!r}: the bundle was reconciled, and its estimates are of nodes")
        rows = [row for row in estimates.to_dicts() if row["statistic"] == name]
        known = [statistic["name"] for statistic in self.manifest["statistics"]]
        if name not in known:
            raise KeyError(f"there is no statistic {name!r}; there are {', '.join(map(repr, known))}")
        if not rows:
            return []
        kept = [key for key in rows[0] if any(row[key] is not None for row in rows)]
        return [{key: row[key] for key in kept} for row in rows]

    def plot(self, name: str) -> Plot:
        """The estimates of one statistic with their intervals, as the page draws them."""
        rows = self.statistic(name)
        if not rows:
            raise ValueError(f"there is nothing to draw of {name!r}: no cell of it was published")
        return Plot(_inbounds.draw_plot(os.fspath(self._folder), name), rows)

    def classifier(self, name: str | None = None) -> Classifier:
        """The naive Bayes model of a release, for numbers in memory: the only one, or the one named."""
        return Classifier(_inbounds.Classifier.of_bundle(os.fspath(self._folder), name))

    @property
    def page(self) -> str:
        """The page of the bundle, in HTML."""
        return _inbounds.draw_page(os.fspath(self._folder))[0]

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Copies the files into a new folder."""
        import shutil

        try:
            shutil.copytree(self._folder, folder)
        except OSError as error:
            raise WriteError(f"cannot write `{os.fspath(folder)}`: {error.strerror or error}") from None
        return Path(folder)

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
