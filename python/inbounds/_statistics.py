"""Descriptions of statistics, in the words of plans: each function is a kind, each argument a key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex, TypedDict, Union, Unpack, overload

from . import _numbers as numbers
from ._errors import ParameterError
from ._exact import Exact
from ._given import text
from ._guard import public
from ._numbers import Protection, Published
from ._words import STATISTIC, checked, column_name, only_columns

Names = Union[str, Sequence[str]]
"""One name, or several."""

Range = Union[str, Mapping[str, Exact]]
"""``"unbounded"``, or ``{"lower": 0, "upper": 500}`` with either end or both."""

Want = Mapping[str, Union[Exact, Mapping[str, Exact]]]
"""``{"rmse": 5}``, or ``{"margin": 10}`` for the half width of the 95 % interval, with ``rows`` where the error depends on them, and
``about={"mean": 2.9, "sd": 4.5}`` for what is public about the column: the error is then that of columns with these moments."""

Edges = Union[Sequence[Exact], Mapping[str, Exact]]
"""Increasing numbers, or ``{"lower": 0, "upper": 100, "bins": 20}``."""


class Common(TypedDict, total=False):
    """What any statistic takes. A name that is left out is made of the kind and the columns."""

    name: str
    label: str
    by: Names
    keys: str
    possible: Names
    where: str
    share: Exact
    want: Want
    mechanism: Union[str, Mapping[str, str]]
    spend_delta: bool
    interval: Exact
    joint: bool


class Levelled(Common, total=False):
    """What a statistic takes besides that can be measured at levels, or in margins."""

    range: Range
    levels: Sequence[str]
    level_shares: Union[str, Sequence[Exact]]
    margins: Sequence[Sequence[str]]
    margin_shares: Union[str, Sequence[Exact]]
    every_margin: bool
    fit: str


class Counted(Levelled, total=False):
    """The same for a count, whose keys can be learned from the rows, with a delta or, with ``spurious``, without one, and whose
    levels or margins can add up to a public number of rows, ``total="rows"``, or to ``public`` numbers of their cells, as
    ``public=[{"level": "state", "margin": [], "file": "totals.csv"}]``."""

    learn_keys: Union[bool, str]
    spurious: Exact
    total: str
    public: Sequence[Mapping[str, Any]]


class Protects(TypedDict, total=False):
    """Whom a number without a plan protects, and how: ``epsilon`` and ``neighbours`` are required.

    ``max_rows`` is of a unit, where all its rows are protected; ``rows`` is the public number of rows, where one is substituted.
    """

    epsilon: Exact
    neighbours: str
    delta: Exact
    max_rows: int
    rows: int
    mechanism: str
    level: float
    seed: int
    not_private: bool


class ProtectsValues(Protects, total=False):
    """The same for values between bounds: ``lower``, ``upper`` and ``missing`` are required."""

    lower: Exact
    upper: Exact
    missing: Union[str, Exact]
    integer: bool


class Statistic:
    """What is to be released: a kind of a plan with its keys. Public."""

    @public
    def __init__(self, kind: str, **keys: Any) -> None:
        self.kind = text(kind, "kind")
        self.keys: dict[str, Any] = {key: value for key, value in keys.items() if value is not None}
        checked(self.keys, STATISTIC, "")
        for key in ("by", "columns", "levels"):
            if isinstance(self.keys.get(key), str):
                self.keys[key] = [self.keys[key]]

    def __repr__(self) -> str:
        keys = ", ".join(f"{key}={value!r}" for key, value in self.keys.items())
        return f"inbounds.{self.kind.replace('-', '_')}({keys})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Statistic) and (self.kind, self.keys) == (other.kind, other.keys)

    __hash__ = None  # type: ignore[assignment]

    def called(self) -> str:
        """Its name, or one made of its kind and columns."""
        if "name" in self.keys:
            return str(self.keys["name"])
        of = self.keys.get("columns", self.keys.get("weights", self.keys.get("column", ())))
        of = [of] if isinstance(of, str) else list(of)
        by = list(self.keys.get("by", ()))
        words = [self.kind, *of, *(["by", *by] if by else [])]
        return "-".join(re.sub(r"[^A-Za-z0-9_]+", "-", str(word)).strip("-") for word in words)


@public
def units(
    *,
    range: Range | None = None,
    learn_keys: bool | str | None = None,
    spurious: Exact | None = None,
    **common: Unpack[Common],
) -> Statistic:
    """The number of distinct privacy units, such as persons, in all or ``by`` group; ``learn_keys`` for groups that nobody listed.

    ``learn_keys="optimal"`` publishes as many of them as can be: where the groups are wanted, and their numbers less.

    With ``spurious`` all keys that can be get noise, without a delta, and at most so many published groups without units are expected.
    """
    return Statistic("units", range=range, learn_keys=learn_keys, spurious=spurious, **common)


@public
def covariance(
    columns: Sequence[str],
    /,
    *,
    measure: str | None = None,
    population: bool | None = None,
    **common: Unpack[Common],
) -> Statistic:
    """The covariance matrix of columns, positive semidefinite."""
    return Statistic(
        "covariance", columns=only_columns(columns, "covariance"), measure=measure, population=population, **common
    )


@public
def correlation(columns: Sequence[str], /, *, measure: str | None = None, **common: Unpack[Common]) -> Statistic:
    """The correlation matrix of columns, positive semidefinite with unit diagonal."""
    return Statistic("correlation", columns=only_columns(columns, "correlation"), measure=measure, **common)


@public
def proportion(
    *,
    rule: str | None = None,
    total: str | None = None,
    within: Names | None = None,
    releases: int | None = None,
    calculated: Union[str, int, bool, Sequence[Union[str, int, bool]], None] = None,
    range: Range | None = None,
    population: bool | None = None,
    **common: Unpack[Common],
) -> Statistic:
    """The shares of the rows ``by`` group, which add up to 1 in all or ``within`` each group, or the share that meets ``where``."""
    return Statistic(
        "proportion",
        rule=rule,
        total=total,
        within=within,
        releases=releases,
        calculated=calculated,
        range=range,
        population=population,
        **common,
    )


@public
def histogram(column: str, /, *, edges: Edges, **common: Unpack[Common]) -> Statistic:
    """Numbers of rows between edges."""
    return Statistic("histogram", column=column_name(column, "histogram"), edges=edges, **common)


@public
def quantile(
    column: str,
    /,
    *,
    probabilities: Sequence[Exact],
    edges: Edges | None = None,
    interval_share: Exact | None = None,
    **common: Unpack[Common],
) -> Statistic:
    """Quantiles of a column, by numbers of rows between edges, or chosen among bins (``mechanism="permute-and-flip"``).

    ``interval_share`` is the part of epsilon for the intervals of chosen quantiles.
    """
    return Statistic(
        "quantile",
        column=column_name(column, "quantile"),
        edges=edges,
        probabilities=probabilities,
        interval_share=interval_share,
        **common,
    )


@public
def combination(weights: Mapping[str, Exact], /, *, of: str, **common: Unpack[Common]) -> Statistic:
    """A weighted sum of the sums, or means, of columns."""
    return Statistic("combination", weights=weights, of=of, **common)


@public
def naive_bayes(
    columns: Sequence[str],
    /,
    *,
    by: Names,
    classes: Sequence[Mapping[str, Any]] | None = None,
    name: str | None = None,
    **common: Any,
) -> Statistic:
    """A Gaussian naive Bayes model that predicts the column ``by`` from other columns."""
    return Statistic("naive-bayes", columns=only_columns(columns, "model"), by=by, classes=classes, name=name, **common)


@overload
def count(**common: Unpack[Counted]) -> Statistic: ...
@overload
def count(answer: SupportsIndex, /, **protection: Unpack[Protects]) -> Published: ...
@overload
def count(answer: Sequence[SupportsIndex], /, **protection: Unpack[Protects]) -> list[Published]: ...
@public
def count(answer: Any = None, /, **keys: Any) -> Any:
    """The number of rows, in all or ``by`` group; with a number, its release.

    Without a number it describes a statistic of a plan, and takes the keys of a plan. With an exact count, which is private,
    or one a group, it publishes it at once, under ``epsilon`` and ``neighbours``.

    Examples
    --------
    >>> import inbounds as ib
    >>> ib.count(by="district")
    inbounds.count(by=['district'])
    >>> published = ib.count(3, epsilon="0.5", neighbours="add-remove", seed=1, not_private=True)
    >>> published.value >= 0 and published.interval[0] >= 0
    True
    """
    if isinstance(answer, str):
        raise ParameterError("a count is of rows: write count(by=...) with the name of a column for its groups")
    return Statistic("count", **keys) if answer is None else numbers.counts(answer, Protection.of("count", keys))


@overload
def sum(column: str, /, **common: Unpack[Levelled]) -> Statistic: ...
@overload
def sum(values: Sequence[float], /, **protection: Unpack[ProtectsValues]) -> Published: ...
@public
def sum(column: Any, /, **keys: Any) -> Any:
    """The sum of a column, each value within its bounds; with values instead of a name, their release.

    Values need ``lower``, ``upper`` and ``missing`` (``"drop"``, or a number for NaN and None), ``epsilon`` and ``neighbours``.

    Examples
    --------
    >>> import inbounds as ib
    >>> ib.sum("cost", by="sex")
    inbounds.sum(column='cost', by=['sex'])
    """
    return _of("sum", column, keys)[0] if not isinstance(column, str) else Statistic("sum", column=column, **keys)


@overload
def mean(column: str, /, *, population: bool | None = None, **common: Unpack[Levelled]) -> Statistic: ...
@overload
def mean(values: Sequence[float], /, **protection: Unpack[ProtectsValues]) -> Published: ...
@public
def mean(column: Any, /, **keys: Any) -> Any:
    """The mean of a column, each value within its bounds; with values instead of a name, their release, as of :func:`sum`.

    Examples
    --------
    >>> import inbounds as ib
    >>> costs = [120.0, 3400.5, None, 18_000.0, 990.0]
    >>> protection = dict(epsilon="0.8", neighbours="add-remove", seed=1, not_private=True)
    >>> 0 <= ib.mean(costs, lower=0, upper=15_000, missing="drop", **protection).value <= 15_000
    True
    """
    return _of("mean", column, keys)[0] if not isinstance(column, str) else Statistic("mean", column=column, **keys)


@overload
def variance(column: str, /, *, population: bool | None = None, **common: Unpack[Common]) -> Statistic: ...
@overload
def variance(values: Sequence[float], /, **protection: Unpack[ProtectsValues]) -> list[Published]: ...
@public
def variance(column: Any, /, **keys: Any) -> Any:
    """The sample variance of a column; with values instead of a name, their release, as of :func:`sum`.

    Where the number of values is private, it comes with their mean and number.
    """
    return _of("variance", column, keys) if not isinstance(column, str) else Statistic("variance", column=column, **keys)


@overload
def standard_deviation(column: str, /, *, population: bool | None = None, **common: Unpack[Common]) -> Statistic: ...
@overload
def standard_deviation(values: Sequence[float], /, **protection: Unpack[ProtectsValues]) -> list[Published]: ...
@public
def standard_deviation(column: Any, /, **keys: Any) -> Any:
    """The square root of the sample variance; with values instead of a name, their release, as of :func:`variance`."""
    kind = "standard-deviation"
    return _of(kind, column, keys) if not isinstance(column, str) else Statistic(kind, column=column, **keys)


def _of(kind: str, values: Any, keys: dict[str, Any]) -> list[Published]:
    """The release of values."""
    bounds = {key: keys.pop(key, None) for key in ("lower", "upper", "missing", "integer")}
    return numbers.values(kind, values, bounds, Protection.of(kind, keys))
