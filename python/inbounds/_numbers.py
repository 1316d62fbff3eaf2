"""One number, or a few, without a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

from . import _inbounds
from ._exact import Exact, exact
from ._many import whole


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

    def native(self) -> dict[str, Any]:
        """What the native part takes."""
        if self.epsilon is None or self.neighbours is None:
            raise TypeError("to publish a number takes epsilon=... and neighbours=\"add-remove\" or \"substitute\"")
        if (self.seed is not None) != self.not_private:
            raise ValueError("a seed protects nobody: give seed=... and not_private=True, or neither")
        if not 0 < self.level < 1:
            raise ValueError(f"level must be between 0 and 1, got {self.level}")
        return {
            "epsilon": exact(self.epsilon, "epsilon"),
            "delta": None if self.delta is None else exact(self.delta, "delta"),
            "neighbours": self.neighbours,
            "max_rows": self.max_rows,
            "rows": self.rows,
            "mechanism": self.mechanism,
            "level": self.level,
            "seed": self.seed,
        }


def counts(answer: SupportsIndex | Sequence[SupportsIndex], protection: Protection) -> Any:
    """Publishes an exact count, or one count a group."""
    grouped = not isinstance(answer, SupportsIndex)
    asked = protection.native()
    exact_counts = [int(one) for one in whole(answer, "counts")]
    found = _published(_inbounds.release_counts(exact_counts, grouped, asked), protection.level)
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
            raise TypeError(f"{kind} of values needs {key}=...")
    missing = bounds["missing"]
    asked = {
        "lower": exact(bounds["lower"], "lower"),
        "upper": exact(bounds["upper"], "upper"),
        "missing": missing if missing == "drop" else exact(missing, "missing"),
        "integer": bool(bounds["integer"]),
    }
    numbers = [float("nan") if cell is None else float(cell) for cell in cells]
    return _published(_inbounds.release_values(kind, numbers, asked, protection.native()), protection.level)


def _published(found: Sequence[tuple[Any, ...]], level: float) -> list[Published]:
    return [
        Published(value, measurement, interval, level, bias, rmse, name)
        for name, value, measurement, interval, bias, rmse in found
    ]
