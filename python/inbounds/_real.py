"""Mechanisms for real numbers: on a public grid, where noise is exact."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from . import _given as given
from ._errors import ParameterError
from ._exact import Exact, exact
from ._guard import public
from ._many import is_array, is_one, reals

if TYPE_CHECKING:
    from ._mechanisms import Mechanism, Noise

STEPS = 30
"""The grid has between 2^30 and 2^31 steps to the sensitivity, if nothing else is said: rounding to it is a part of 2^-31 of that."""

FARTHEST = 2.0**62
"""Steps from zero beyond which an answer counts as this far away."""


def _fraction(value: Exact, name: str) -> Fraction:
    try:
        return Fraction(exact(value, name))
    except (ValueError, ZeroDivisionError):
        raise ParameterError(f"{name} must be a number") from None


class RealNoise:
    """Noise for real numbers whose range is yet to be said; made by :meth:`Noise.on_grid`."""

    @public
    def __init__(self, noise: Noise, sensitivity: Exact, spacing: Exact | None = None) -> None:
        from ._mechanisms import Noise

        if not isinstance(noise, Noise):
            raise ParameterError("RealNoise is made by the method on_grid() of inbounds.laplace, gaussian or staircase")
        most = _fraction(sensitivity, "sensitivity")
        if most <= 0:
            raise ParameterError("sensitivity must be greater than 0")
        if spacing is None:
            step = Fraction(2) ** (math.floor(math.log2(most)) - STEPS)
        else:
            step = _fraction(spacing, "spacing")
            parts = (step.numerator, step.denominator)
            if step <= 0 or any(part & (part - 1) for part in parts):
                raise ParameterError("spacing must be a power of two, such as 2**-20")
        if float(step) == 0 or not math.isfinite(float(step)):
            raise ParameterError("sensitivity must be between 1e-290 and 1e290")
        self._step = step
        # Rounding moves two answers apart by less than one step more.
        self._steps = math.ceil(most / step) + 1
        self._noise = noise

    @public
    def bounded(self, word: str, *, lower: Exact | None = None, upper: Exact | None = None) -> RealMechanism:
        """The mechanism of this word in plans, such as ``"folded"``, with this noise. Ends are moved inwards onto the grid."""
        from ._mechanisms import Noise

        low = None if lower is None else math.ceil(_fraction(lower, "lower") / self._step)
        high = None if upper is None else math.floor(_fraction(upper, "upper") / self._step)
        whole = Noise(self._noise._suffix, self._noise._epsilon, self._noise._delta, self._steps)
        return RealMechanism(whole.bounded(word, lower=low, upper=high), float(self._step))

    @public
    def clamped(self, *, lower: Exact | None = None, upper: Exact | None = None) -> RealMechanism:
        """Noise, then the nearest point of the range."""
        return self.bounded("clamped", lower=lower, upper=upper)

    @public
    def unbounded(self) -> RealMechanism:
        """Plain noise."""
        return self.bounded("clamped")

    @public
    def thresholded(self, *, lower: Exact | None = None, upper: Exact | None = None) -> RealMechanism:
        """The end below a threshold: the least worst-case bias."""
        return self.bounded("thresholded", lower=lower, upper=upper)

    @public
    def conditioned(self, *, lower: Exact, upper: Exact) -> RealMechanism:
        """Noise given that the result is in the range; Gaussian noise on a ``spacing`` with at most 16,384 steps between the ends."""
        return self.bounded("conditioned", lower=lower, upper=upper)

    @public
    def multiplied(self, *, lower: Exact, upper: Exact | None = None) -> RealMechanism:
        """Noise that is a factor, for numbers of at least ``lower``, which must be above 0."""
        if self._noise._suffix:
            raise ParameterError("noise that is a factor is Laplace noise on the logarithm: take inbounds.laplace")
        return self.bounded("log-laplace", lower=lower, upper=upper)

    def __repr__(self) -> str:
        return f"<inbounds.RealNoise of {self._noise!r}, spacing {float(self._step):g}>"


class RealMechanism:
    """A calibrated mechanism for real numbers. It holds nothing private; each ``release`` spends its epsilon.

    An answer is rounded to the grid, and noise is added in whole steps, so that the guarantee holds for the bits that are computed. Two answers of
    neighbours must differ by at most the sensitivity as the doubles that they are. No answer may be NaN, whose refusal would tell of it.

    Examples
    --------
    A share of 50 rows: one row moves it by 1/50 at most.

    >>> import inbounds as ib
    >>> share = ib.laplace(epsilon=1).on_grid(sensitivity="1/50").clamped(lower=0, upper=1)
    >>> round(share.scale, 6), round(share.bias(0.0), 6)
    (0.02, 0.01)
    """

    @public
    def __init__(self, mechanism: Mechanism, spacing: float) -> None:
        self._mechanism = mechanism
        self._spacing = spacing

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism for the whole steps that are drawn."""
        return self._mechanism

    @property
    def spacing(self) -> float:
        """Distance of two points of the grid."""
        return self._spacing

    @property
    def scale(self) -> float:
        """Scale of the noise: ``b`` of Laplace noise, the standard deviation of other noise."""
        return self._mechanism.scale * self._spacing

    @property
    def delta(self) -> str | None:
        """The delta that each ``release`` spends beside its epsilon, exact."""
        return self._mechanism.delta

    @property
    def worst_bias(self) -> float:
        """Largest absolute bias over the range."""
        return self._mechanism.worst_bias * self._spacing

    def _in_steps(self, numbers: Any) -> list[int]:
        found = reals(numbers, "answers")
        # The grid is one of powers of two, so that the quotient is exact.
        steps = [float(number) / self._spacing for number in found]
        if any(math.isnan(one) for one in steps):
            raise ParameterError("answers must be numbers")
        return [round(min(max(one, -FARTHEST), FARTHEST)) for one in steps]

    def _like(self, numbers: Any, found: list[Any]) -> Any:
        values = [one * self._spacing for one in found]
        if is_array(numbers):
            import numpy

            return numpy.array(values, dtype="float64").reshape(numbers.shape)
        return values[0] if is_one(numbers) else values

    @public
    def release(
        self, answer: Any, *, level: float = 0.95, seed: int | None = None, not_private: bool = False
    ) -> Any:
        """Publishes a private number, or each of several with its own noise: :class:`Published`, or a list."""
        found = self._mechanism.release(self._in_steps(answer), level=level, seed=seed, not_private=not_private)
        scaled = [
            dataclasses.replace(
                one,
                value=one.value * self._spacing,
                measurement=None if one.measurement is None else one.measurement * self._spacing,
                interval=(one.interval[0] * self._spacing, one.interval[1] * self._spacing),
                bias=one.bias * self._spacing,
                rmse=one.rmse * self._spacing,
            )
            for one in found
        ]
        return scaled[0] if is_one(answer) else scaled

    @public
    def measure(self, answer: Any, *, seed: int | None = None, not_private: bool = False) -> Any:
        """The measurement of a private number, or of each of many with its own noise: raw, and unbiased but for the rounding to the grid."""
        return self._like(answer, self._mechanism.measure(self._in_steps(answer), seed=seed, not_private=not_private))

    @public
    def estimate(self, measurement: Any, *, seed: int | None = None) -> Any:
        """The estimate, inside the range, of a measurement or of each of many. Spends nothing."""
        return self._like(measurement, self._mechanism.estimate(self._in_steps(measurement), seed=seed))

    @public
    def bias(self, answer: Any) -> Any:
        """Bias of the estimate, were this the answer."""
        return self._like(answer, self._mechanism.bias(self._in_steps(answer)))

    @public
    def rmse(self, answer: Any) -> Any:
        """Root mean square error of the estimate, were this the answer."""
        return self._like(answer, self._mechanism.rmse(self._in_steps(answer)))

    @public
    def interval(self, measurement: Any, *, level: float = 0.95) -> tuple[Any, Any]:
        """Both ends of an interval that covers the answer with probability ``level``, given its measurement, or of each of many."""
        level = given.fraction(level, "level")
        lower, upper = self._mechanism.interval(self._in_steps(measurement), level=level)
        return self._like(measurement, lower), self._like(measurement, upper)

    def __repr__(self) -> str:
        return f"<inbounds.RealMechanism {self._mechanism.name}, scale {self.scale:.4g}>"

