"""Pictures."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _given as given
from ._errors import WriteError
from ._guard import public


class Plot(str):
    """A picture: the text of an SVG, with the numbers that are drawn in it. A notebook shows it.

    Attributes
    ----------
    data : list of dict
        The numbers, row by row, for those who draw with a library of their own.

    Examples
    --------
    >>> import inbounds as ib
    >>> plot = ib.advise(epsilon=1, sensitivity=1, lower=0).plot()
    >>> plot.startswith("<svg"), plot.data[0]["plan_name"]
    (True, 'clamped-staircase')
    """

    data: list[dict[str, Any]]

    @public
    def __new__(cls, svg: str, data: Sequence[Mapping[str, Any]] = ()) -> Plot:
        plot = super().__new__(cls, given.text(svg, "svg"))
        plot.data = [dict(row) for row in data]
        return plot

    @public
    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the picture into a new file."""
        to = given.path(path, "path")
        try:
            with open(to, "x", encoding="utf-8") as file:
                file.write(self)
        except OSError as error:
            raise WriteError(f"cannot write `{to}`: {error.strerror or 'the system gave no reason'}") from None
        return Path(to)

    def __repr__(self) -> str:
        return f"<inbounds.Plot of {len(self.data)} rows>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.data)

    def _repr_svg_(self) -> str:
        return str(self)
