"""Several releases of one share, combined by the rule of multiple synthesis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _given as given
from . import _inbounds
from ._guard import public
from ._many import Whole, reals


@dataclass(frozen=True)
class Combined:
    """What several releases of one share say together.

    Attributes
    ----------
    estimate : float
        Their mean.
    variance : float
        ``B / m + W``: of the noise, and of the sampling of rows from a population.
    freedom : float
        Degrees of freedom of Student's distribution.
    interval : (float, float)
        For the share in the population, cut to 0 and 1. It covers as often as it says where the releases are unbiased and nearly normal;
        ``population=True`` of :func:`proportion` has intervals for the noise that is drawn.
    level : float
        What the interval is meant to cover.
    """

    estimate: float
    variance: float
    freedom: float
    interval: tuple[float, float]
    level: float


@public
def combine_releases(releases: Any, *, rows: Whole, level: float = 0.95) -> Combined:
    """Combines independent releases of one share of ``rows`` rows that are a sample of a population (Liu 2019, multiple synthesis).

    Spends nothing: the releases are public.

    Examples
    --------
    >>> import inbounds as ib
    >>> found = ib.combine_releases([0.2, 0.25, 0.15, 0.22, 0.18], rows=100)
    >>> round(found.estimate, 6), round(found.variance, 7)
    (0.2, 0.0018784)
    """
    level = given.fraction(level, "level")
    many = given.index(rows, "rows", 1, 2**63)
    estimate, variance, freedom, interval = _inbounds.combine_releases(reals(releases, "releases"), many, level)
    return Combined(estimate, variance, freedom, interval, level)
