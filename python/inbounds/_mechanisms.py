"""Mechanisms for whole numbers, as objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _given as given
from . import _inbounds
from ._cells import doubles
from ._errors import ParameterError
from ._exact import Exact, exact
from ._guard import public
from ._many import Whole, back, each, is_array, is_one, is_single, like, reals, steps, whole
from ._numbers import Published
from ._real import RealNoise


MOST = 2**126
"""The largest answer, in size."""


class Noise:
    """Noise whose range is yet to be said: :func:`laplace`, :func:`gaussian`, :func:`generalised_gaussian` or :func:`staircase`."""

    @public
    def __init__(self, suffix: str, epsilon: Exact, delta: Exact | None, sensitivity: Whole) -> None:
        self._suffix = given.text(suffix, "suffix")
        self._epsilon = exact(epsilon, "epsilon")
        self._delta = None if delta is None else exact(delta, "delta")
        self._sensitivity = given.index(sensitivity, "sensitivity", 1, 2**127 - 1)

    @public
    def bounded(self, word: str, *, lower: Whole | None = None, upper: Whole | None = None) -> Mechanism:
        """The mechanism of this word in plans, such as ``"folded"``, with this noise."""
        named = (("lower", lower), ("upper", upper))
        ends = [given.optional_index(end, name, -(2**126), 2**126) for name, end in named]
        word = f"{given.text(word, 'word')}{self._suffix}"
        return Mechanism(_inbounds.Mechanism.calibrate(word, self._epsilon, self._delta, self._sensitivity, *ends))

    @public
    def clamped(self, *, lower: Whole | None = None, upper: Whole | None = None) -> Mechanism:
        """Noise, then the nearest point of the range."""
        return self.bounded("clamped", lower=lower, upper=upper)

    @public
    def unbounded(self) -> Mechanism:
        """Plain noise."""
        return self.bounded("clamped")

    @public
    def thresholded(self, *, lower: Whole | None = None, upper: Whole | None = None) -> Mechanism:
        """The end below a threshold: the least worst-case bias."""
        return self.bounded("thresholded", lower=lower, upper=upper)

    @public
    def conditioned(self, *, lower: Whole, upper: Whole) -> Mechanism:
        """Noise given that the result is in the range, at the scale that this needs to be private."""
        return self.bounded("conditioned", lower=lower, upper=upper)

    @public
    def multiplied(self, *, lower: Whole, upper: Whole | None = None) -> Mechanism:
        """Noise that is a factor, for numbers of at least ``lower``, which must be above 0; Laplace noise on the logarithm.

        Examples
        --------
        One of 50 rows or more is a change of 2 % at most.

        >>> import inbounds as ib
        >>> large = ib.laplace(epsilon=1).multiplied(lower=50)
        >>> round(large.rmse(5000) / 5000, 4)
        0.028
        """
        if self._suffix:
            raise ParameterError("noise that is a factor is Laplace noise on the logarithm: take inbounds.laplace")
        return self.bounded("log-laplace", lower=lower, upper=upper)

    @public
    def on_grid(self, *, sensitivity: Exact, spacing: Exact | None = None) -> RealNoise:
        """The same noise for real numbers that one unit moves by at most ``sensitivity``, on a public grid.

        ``spacing`` is a power of two; left out, it is 2^-30 of the sensitivity or somewhat less.

        Examples
        --------
        >>> import inbounds as ib
        >>> ib.laplace(epsilon=1).on_grid(sensitivity=0.02).unbounded().spacing
        1.4551915228366852e-11
        """
        if self._sensitivity != 1:
            raise ParameterError("state the sensitivity of real numbers in on_grid() alone")
        return RealNoise(self, sensitivity, spacing)

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

    @public
    def __init__(self, native: _inbounds.Mechanism) -> None:
        if not isinstance(native, _inbounds.Mechanism):
            raise ParameterError(
                "a Mechanism is made by the methods of inbounds.laplace, gaussian or staircase, such as clamped()"
            )
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
    def delta(self) -> str | None:
        """The delta that each ``release`` spends beside its epsilon, exact; ``None`` where it keeps epsilon with certainty."""
        return self._native.delta

    @property
    def worst_bias(self) -> float:
        """Largest absolute bias over the range."""
        return self._native.worst_bias

    @public
    def release(
        self, answer: Any, *, level: float = 0.95, seed: int | None = None, not_private: bool = False
    ) -> Any:
        """Publishes a private whole number, or each of several with its own noise: :class:`Published`, or a list.

        For a million numbers take :meth:`measure`, which makes no object of each.
        """
        seed, level = given.seed(seed, not_private), given.fraction(level, "level")
        answers = [int(one) for one in whole(answer, "answers")]
        if not all(-MOST <= one <= MOST for one in answers):
            raise ParameterError("answers must be whole numbers of at most 2^126 in size")
        found = self._native.release(answers, level, seed)
        published = [
            Published(float(estimate), float(measurement), _ends(interval), level, bias, rmse)
            for measurement, estimate, interval, bias, rmse in found
        ]
        return published[0] if is_single(answer) else published

    @public
    def measure(self, answer: Any, *, seed: int | None = None, not_private: bool = False) -> Any:
        """The measurement of a private whole number, or of each of many with its own noise: raw and unbiased.

        A list gives a list and an array of NumPy an array, at the speed of the sampler. Numbers have 64 bits; of a measurement
        beyond them it is the nearest that has as many.

        Examples
        --------
        >>> import inbounds as ib
        >>> counts = ib.laplace(epsilon=1).clamped(lower=0)
        >>> counts.estimate(counts.measure([0, 5, 9], seed=2, not_private=True))
        [0, 7, 9]
        """
        seed = given.seed(seed, not_private)
        return back(answer, self._native.measure(steps(answer, "answers"), seed))

    @public
    def sample(self, size: int, *, answer: Whole = 0, seed: int | None = None, not_private: bool = False) -> Any:
        """Measurements of one ``answer``, again and again: an array of NumPy where it is installed, else of the standard library.

        For simulations: each measurement of a private answer spends the epsilon anew.
        """
        seed = given.seed(seed, not_private)
        own, many = given.index(answer, "answer", -(2**63), 2**63 - 1), given.index(size, "size", 0, 2**60)
        drawn = self._native.sample(own, many, seed)
        try:
            import numpy
        except ImportError:
            from array import array

            return array("q", bytes(drawn))
        return numpy.frombuffer(drawn, dtype="int64")

    @public
    def estimate(self, measurement: Any, *, seed: int | None = None) -> Any:
        """The estimate, inside the range, of a measurement or of each of many. Spends nothing.

        Some rules choose one of two whole numbers at random; a ``seed`` repeats the choice, and is no danger here.
        """
        seed = given.optional_index(seed, "seed", 0, 2**64 - 1)
        return back(measurement, self._native.estimate(steps(measurement, "measurements"), seed))

    @public
    def bias(self, answer: Any) -> Any:
        """Bias of the estimate, were this the answer."""
        return each(lambda answers: self._native.errors(answers)[0], answer, "answers")

    @public
    def rmse(self, answer: Any) -> Any:
        """Root mean square error of the estimate, were this the answer."""
        return each(lambda answers: self._native.errors(answers)[1], answer, "answers")

    @public
    def mse(self, answer: Any) -> Any:
        """Mean square error of the estimate, were this the answer."""
        roots = self.rmse(answer)
        return [root * root for root in roots] if isinstance(roots, list) else roots * roots

    @public
    def interval(self, measurement: Any, *, level: float = 0.95) -> tuple[Any, Any]:
        """Both ends of an interval that covers the answer with probability ``level``, given its measurement, or of each of many."""
        ends = self._native.intervals(whole(measurement, "measurements"), given.fraction(level, "level"))
        lower, upper = (like(measurement, end, is_single(measurement)) for end in ends)
        return lower, upper

    @public
    def cdf(self, measurement: Any, *, answer: Whole) -> Any:
        """Probability that the measurement of an answer is at most this."""
        self._additive()
        own = given.index(answer, "answer")
        if is_array(measurement) or is_one(measurement):
            shifted = reals(measurement - own, "measurements")
        else:
            shifted = reals([one - own for one in doubles(measurement, "measurements")], "measurements")
        return like(measurement, self._native.noise_cdf(shifted), is_one(measurement))

    @public
    def ppf(self, probability: Any, *, answer: Whole) -> Any:
        """The least number that the measurement of an answer is at most with this probability."""
        self._additive()
        asked = reals(probability, "probabilities")
        if not all(0 < one < 1 for one in asked):
            raise ParameterError("a probability must be between 0 and 1")
        own = given.index(answer, "answer")
        found = like(probability, self._native.noise_ppf(asked), is_one(probability))
        return [own + one for one in found] if isinstance(found, list) else own + found

    @public
    def posterior(self, measurement: Any, probabilities: Sequence[float] = (0.05, 0.5, 0.95)) -> tuple[Any, Any]:
        """Mean and quantiles of the answer after a measurement, if all answers in the range were as likely before.

        Of many measurements the means, and the quantiles of each in a row.
        """
        asked = doubles(probabilities, "probabilities")
        if not all(0 < one < 1 for one in asked):
            raise ParameterError("a probability must be between 0 and 1")
        means, quantiles = self._native.posterior(whole(measurement, "measurements"), asked)
        single = is_single(measurement)
        rows = like(measurement, quantiles, single, len(asked)) if asked else []
        if len(asked) == 1:
            rows = [rows] if single else [[one] for one in rows] if isinstance(rows, list) else rows[..., None]
        return like(measurement, means, single), rows

    def _additive(self) -> None:
        if not self._native.adds_noise:
            raise ParameterError("a conditioned measurement is no answer plus noise: it has no cdf here")

    def __repr__(self) -> str:
        return f"<inbounds.Mechanism {self.name}, scale {self.scale:.4g}>"


@public
def laplace(*, epsilon: Exact, delta: Exact | None = None, sensitivity: Whole = 1) -> Noise:
    """Discrete Laplace noise for whole numbers that one unit moves by at most ``sensitivity``.

    A ``delta`` is spent where that spares a hundredth of the RMSE or more; :attr:`Mechanism.delta` is what is spent.
    """
    return Noise("", epsilon, delta, sensitivity)


@public
def gaussian(*, epsilon: Exact, delta: Exact | None = None, sensitivity: Whole = 1) -> Noise:
    """Discrete Gaussian noise for whole numbers that one unit moves by at most ``sensitivity``.

    It spends ``delta``, and cannot do without but for :meth:`Noise.conditioned`, where a delta only makes the noise smaller.
    """
    return Noise("-gaussian", epsilon, delta, sensitivity)


@public
def staircase(*, epsilon: Exact, delta: Exact | None = None, sensitivity: Whole = 1) -> Noise:
    """Discrete staircase noise for whole numbers that one unit moves by at most ``sensitivity``, with ``delta`` as in :func:`laplace`."""
    return Noise("-staircase", epsilon, delta, sensitivity)


@public
def generalised_gaussian(*, epsilon: Exact, delta: Exact | None = None, sensitivity: Whole = 1) -> Noise:
    """Discrete generalised Gaussian noise of shape 3 for whole numbers that one unit moves by at most ``sensitivity``.

    It spends ``delta``, as :func:`gaussian` does, and errs more.

    Examples
    --------
    >>> import inbounds as ib
    >>> flat = ib.generalised_gaussian(epsilon=1, delta="1e-6").unbounded()
    >>> flat.scale > ib.gaussian(epsilon=1, delta="1e-6").unbounded().scale
    True
    """
    return Noise("-generalised-gaussian", epsilon, delta, sensitivity)


def _ends(interval: tuple[int | None, int | None]) -> tuple[float, float]:
    lower, upper = interval
    return float("-inf") if lower is None else float(lower), float("inf") if upper is None else float(upper)
