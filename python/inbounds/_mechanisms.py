"""Mechanisms for whole numbers, as objects."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

from . import _inbounds
from ._errors import ParameterError
from ._exact import Exact, exact
from ._numbers import Published

Whole = SupportsIndex
"""A whole number, of Python or NumPy."""


class Noise:
    """Noise whose range is yet to be said: :func:`laplace`, :func:`gaussian` or :func:`staircase`."""

    def __init__(self, suffix: str, epsilon: Exact, delta: Exact | None, sensitivity: Whole) -> None:
        self._suffix = suffix
        self._epsilon = exact(epsilon, "epsilon")
        self._delta = None if delta is None else exact(delta, "delta")
        self._sensitivity = sensitivity.__index__()

    def bounded(self, word: str, *, lower: Whole | None = None, upper: Whole | None = None) -> Mechanism:
        """The mechanism of this word in plans, such as ``"folded"``, with this noise."""
        ends = (None if end is None else end.__index__() for end in (lower, upper))
        word = f"{word}{self._suffix}"
        return Mechanism(_inbounds.Mechanism.calibrate(word, self._epsilon, self._delta, self._sensitivity, *ends))

    def clamped(self, *, lower: Whole | None = None, upper: Whole | None = None) -> Mechanism:
        """Noise, then the nearest point of the range."""
        return self.bounded("clamped", lower=lower, upper=upper)

    def unbounded(self) -> Mechanism:
        """Plain noise."""
        return self.bounded("clamped")

    def thresholded(self, *, lower: Whole | None = None, upper: Whole | None = None) -> Mechanism:
        """The end below a threshold: the least worst-case bias."""
        return self.bounded("thresholded", lower=lower, upper=upper)

    def conditioned(self, *, lower: Whole, upper: Whole) -> Mechanism:
        """Noise given that the result is in the range, at the larger scale that this needs to be private."""
        return self.bounded("conditioned", lower=lower, upper=upper)

    def __repr__(self) -> str:
        return f"<inbounds.Noise{self._suffix or '-laplace'}, epsilon {self._epsilon}, sensitivity {self._sensitivity}>"


class Mechanism:
    """A calibrated mechanism. It holds nothing private; each ``release`` spends its epsilon.

    Numbers are taken one by one, or many as a list or an array of NumPy, and come back in the same form.

    Examples
    --------
    >>> import inbounds as ib
    >>> counts = ib.laplace(epsilon=1).clamped(lower=0)
    >>> round(counts.bias(0), 4), round(counts.bias(10), 6)
    (0.4255, 1.9e-05)
    """

    def __init__(self, native: _inbounds.Mechanism) -> None:
        self._native = native

    @property
    def name(self) -> str:
        """Its registered name."""
        return self._native.name

    @property
    def scale(self) -> float:
        """Scale of the noise: ``b`` of Laplace noise, the standard deviation of other noise."""
        return self._native.scale

    @property
    def worst_bias(self) -> float:
        """Largest absolute bias over the range."""
        return self._native.worst_bias

    def release(
        self, answer: Any, *, level: float = 0.95, seed: int | None = None, not_private: bool = False
    ) -> Any:
        """Publishes a private whole number, or each of several with its own noise: :class:`Published`, or a list."""
        if (seed is not None) != not_private:
            raise ValueError("a seed protects nobody: give seed=... and not_private=True, or neither")
        single = isinstance(answer, SupportsIndex)
        answers = [answer.__index__()] if single else [int(one) for one in answer]
        found = self._native.release(answers, _level(level), seed)
        published = [
            Published(float(estimate), float(measurement), _ends(interval), level, bias, rmse)
            for measurement, estimate, interval, bias, rmse in found
        ]
        return published[0] if single else published

    def bias(self, answer: Any) -> Any:
        """Bias of the estimate, were this the answer."""
        return _each(lambda answers: self._native.errors(answers)[0], answer)

    def rmse(self, answer: Any) -> Any:
        """Root mean square error of the estimate, were this the answer."""
        return _each(lambda answers: self._native.errors(answers)[1], answer)

    def mse(self, answer: Any) -> Any:
        """Mean square error of the estimate, were this the answer."""
        return _each(lambda answers: [error * error for error in self._native.errors(answers)[1]], answer)

    def interval(self, measurement: Whole, *, level: float = 0.95) -> tuple[float, float]:
        """An interval that covers the answer with probability ``level``, given its measurement."""
        return _ends(self._native.intervals([measurement.__index__()], _level(level))[0])

    def cdf(self, measurement: Any, *, answer: Whole) -> Any:
        """Probability that the measurement of an answer is at most this."""
        self._additive()
        own = answer.__index__()
        return _each(lambda all_of: self._native.noise_cdf([float(one - own) for one in all_of]), measurement)

    def ppf(self, probability: Any, *, answer: Whole) -> Any:
        """The least number that the measurement of an answer is at most with this probability."""
        self._additive()
        own, single = answer.__index__(), isinstance(probability, (int, float))
        asked = [float(probability)] if single else [float(one) for one in probability]
        if not all(0 < one < 1 for one in asked):
            raise ValueError("a probability must be between 0 and 1")
        found = [own + steps for steps in self._native.noise_ppf(asked)]
        return found[0] if single else _like(probability, found)

    def posterior(self, measurement: Whole, probabilities: Sequence[float] = (0.05, 0.5, 0.95)) -> tuple[float, list[int]]:
        """Mean and quantiles of the answer after a measurement, if all answers in the range were as likely before."""
        if not all(0 < one < 1 for one in probabilities):
            raise ValueError("a probability must be between 0 and 1")
        return self._native.posterior(measurement.__index__(), list(probabilities))

    def _additive(self) -> None:
        if not self._native.adds_noise:
            raise ParameterError("a conditioned measurement is no answer plus noise: it has no cdf here")

    def __repr__(self) -> str:
        return f"<inbounds.Mechanism {self.name}, scale {self.scale:.4g}>"


def laplace(*, epsilon: Exact, sensitivity: Whole = 1) -> Noise:
    """Discrete Laplace noise for whole numbers that one unit moves by at most ``sensitivity``."""
    return Noise("", epsilon, None, sensitivity)


def gaussian(*, epsilon: Exact, delta: Exact, sensitivity: Whole = 1) -> Noise:
    """Discrete Gaussian noise for whole numbers that one unit moves by at most ``sensitivity``."""
    return Noise("-gaussian", epsilon, delta, sensitivity)


def staircase(*, epsilon: Exact, sensitivity: Whole = 1) -> Noise:
    """Discrete staircase noise for whole numbers that one unit moves by at most ``sensitivity``."""
    return Noise("-staircase", epsilon, None, sensitivity)


def _each(function: Callable[[list[int]], list[float]], numbers: Any) -> Any:
    """A function of whole numbers, of one or of many."""
    if isinstance(numbers, SupportsIndex) and not hasattr(numbers, "__len__"):
        return function([numbers.__index__()])[0]
    return _like(numbers, function([int(one) for one in numbers]))


def _like(numbers: object, found: list[float]) -> Any:
    """An array of NumPy where one was given, else a list."""
    numpy = sys.modules.get("numpy")
    return numpy.asarray(found) if numpy is not None and isinstance(numbers, numpy.ndarray) else found


def _ends(interval: tuple[int | None, int | None]) -> tuple[float, float]:
    lower, upper = interval
    return float("-inf") if lower is None else float(lower), float("inf") if upper is None else float(upper)


def _level(level: float) -> float:
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level}")
    return level
