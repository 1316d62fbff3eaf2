"""One number, or a few, without a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

from . import _given as given
from . import _inbounds
from ._cells import doubles
from ._errors import ParameterError
from ._exact import Exact, exact
from ._many import is_single, whole


@dataclass(frozen=True)
class Published:
    """A published number with what it cost. ``print`` shows it in one line.

    Attributes
    ----------
    value : float
        Inside its range.
    measurement : float or None
        The raw noisy number, unbiased.
    interval : (float, float)
        Covers the exact number with probability ``level``.
    bias, rmse : float
        Of the value, were the truth the value.
    name : str
        Which number it is, where there are several.
    """

    value: float
    measurement: float | None
    interval: tuple[float, float]
    level: float
    bias: float
    rmse: float
    name: str = ""

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        lower, upper = self.interval
        return (
            f"{self.value:.4g}, {100 * self.level:g} % interval {lower:.4g} to {upper:.4g},"
            f" bias {self.bias:.2g}, RMSE {self.rmse:.2g}"
        )


@dataclass(frozen=True, kw_only=True)
class Protection:
    """Whom a number without a plan protects, and how."""

    epsilon: Exact | None = None
    neighbours: str | None = None
    delta: Exact | None = None
    max_rows: int | None = None
    rows: int | None = None
    mechanism: str | None = None
    level: float = 0.95
    seed: int | None = None
    not_private: bool = False

    @classmethod
    def of(cls, kind: str, keys: dict[str, Any]) -> Protection:
        """The protection that keywords say."""
        known = cls.__dataclass_fields__
        odd = next((key for key in keys if key not in known), None)
        if odd is not None:
            raise ParameterError(
                f"{kind} of what is handed over takes {', '.join(known)}, not {odd}: other keys are those of plans"
            )
        return cls(**keys)

    def native(self) -> dict[str, Any]:
        """What the native part takes."""
        if self.epsilon is None or self.neighbours is None:
            raise ParameterError('to publish a number takes epsilon=... and neighbours="add-remove" or "substitute"')
        seed = given.seed(self.seed, self.not_private)
        return {
            "epsilon": exact(self.epsilon, "epsilon"),
            "delta": None if self.delta is None else exact(self.delta, "delta"),
            "neighbours": given.text(self.neighbours, "neighbours"),
            "max_rows": given.optional_index(self.max_rows, "max_rows", 1, MOST),
            "rows": given.optional_index(self.rows, "rows", 0, MOST),
            "mechanism": None if self.mechanism is None else given.text(self.mechanism, "mechanism"),
            "level": given.fraction(self.level, "level"),
            "seed": seed,
        }


MOST = 2**63 - 1
"""The largest number of rows."""


def counts(answer: SupportsIndex | Sequence[SupportsIndex], protection: Protection) -> Any:
    """Publishes an exact count, or one count a group."""
    grouped = not is_single(answer)
    asked = protection.native()
    exact_counts = [int(one) for one in whole(answer, "counts")]
    if not exact_counts:
        raise ParameterError("counts must be a count, or a list with one count a group")
    if not all(0 <= one <= MOST for one in exact_counts):
        raise ParameterError("counts must be numbers of rows: from 0 to 2^63 - 1")
    found = _published(_inbounds.release_counts(exact_counts, grouped, asked), asked["level"])
    return found if grouped else found[0]


def values(
    kind: str,
    cells: Sequence[float],
    bounds: dict[str, Any],
    protection: Protection,
) -> list[Published]:
    """Publishes a statistic of values."""
    for key in ("lower", "upper", "missing"):
        if bounds[key] is None:
            raise ParameterError(f"{kind} of values needs {key}=...")
    missing = bounds["missing"]
    asked = {
        "lower": exact(bounds["lower"], "lower"),
        "upper": exact(bounds["upper"], "upper"),
        "missing": missing if isinstance(missing, str) and missing == "drop" else exact(missing, "missing"),
        "integer": bounds["integer"] is not None and given.flag(bounds["integer"], "integer"),
    }
    own = protection.native()
    return _published(_inbounds.release_values(kind, doubles(cells, "values"), asked, own), own["level"])


def _published(found: Sequence[tuple[Any, ...]], level: float) -> list[Published]:
    return [
        Published(value, measurement, interval, level, bias, rmse, name)
        for name, value, measurement, interval, bias, rmse in found
    ]
