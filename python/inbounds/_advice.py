"""Which mechanism fits a range, and rules made for one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from . import _given as given
from . import _inbounds
from ._errors import ParameterError
from ._exact import Exact, exact
from ._guard import public
from ._html import table
from ._mechanisms import Mechanism
from ._plot import Plot


class Advice:
    """Mechanisms for a range, best first; ``print`` shows them as the command does.

    Attributes
    ----------
    mechanisms : list of dict
        Of each its name, what it does, and its errors.
    """

    def __init__(self, mechanisms: list[dict[str, Any]], text: str, svg: str) -> None:
        self.mechanisms = mechanisms
        self._text = text
        self._svg = svg

    def plot(self) -> Plot:
        """Bias and RMSE against the true value."""
        return Plot(self._svg, self.mechanisms)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<inbounds.Advice: {', '.join(one['plan_name'] for one in self.mechanisms)}>"

    def _repr_html_(self) -> str:
        columns = {
            "plan_name": "mechanism",
            "scale": "scale",
            "worst_rmse": "worst RMSE",
            "worst_bias": "worst bias",
            "rmse_at_lower": "RMSE at the end",
            "rmse_in_middle": "RMSE in the middle",
            "summary": "what it does",
        }
        rows = [{name: one[key] for key, name in columns.items()} for one in self.mechanisms]
        return table("Mechanisms for this range, best first", rows) + self._svg


@public
def advise(
    *,
    epsilon: Exact,
    sensitivity: Exact,
    lower: Exact | None = None,
    upper: Exact | None = None,
    delta: Exact | None = None,
    integer: bool = False,
    numbers: int = 1,
    relative: bool = False,
    criterion: str = "worst-rmse",
) -> Advice:
    """Compares all mechanisms that keep a number in a range. Reads no data.

    ``numbers`` of the same rows may share epsilon; one vector of noise for all of them is compared too. With ``relative`` errors are parts of the
    answer, whose lower end must be above 0, and noise that is multiplied is compared too.

    Examples
    --------
    >>> import inbounds as ib
    >>> ib.advise(epsilon=1, sensitivity=1, lower=0, criterion="worst-bias").mechanisms[0]["plan_name"]
    'thresholded'
    """
    import json

    asked = _asked(epsilon, delta, sensitivity, lower, upper)
    many = given.index(numbers, "numbers", 1, 2**32 - 1)
    flags = given.flag(integer, "integer"), given.flag(relative, "relative")
    found, text, svg = _inbounds.advise(asked, *flags, given.text(criterion, "criterion"), many)
    return Advice(json.loads(found), text, svg)


class Design:
    """A rule made for a range: what to publish for each measurement.

    Attributes
    ----------
    status : str
        ``"optimal"`` if the rule is certified.
    errors, clamp : dict
        Errors of the rule, and of the clamp.
    lower_bound, gap : float
        No rule of the form is better than the bound; the rule is this far from it.
    rule : list of dict
        Measurements and estimates.
    """

    def __init__(self, found: dict[str, Any], asked: dict[str, str | None], step: str, noise: str) -> None:
        self._found = found
        self._asked, self._step, self._noise = asked, step, noise
        self.status: str = found["status"]
        self.errors: dict[str, float] = found["errors"]
        self.clamp: dict[str, float] = found["clamp"]
        self.lower_bound: float = found["lower_bound"]
        self.gap: float = found["gap"]
        self.rule: list[dict[str, float]] = found["rule"]

    def to_dict(self) -> dict[str, Any]:
        """All of it, as ``inbounds design --json`` prints it."""
        return self._found

    @public
    def mechanism(self) -> Mechanism:
        """The rule and its noise, calibrated; for whole numbers, so that ``step`` must have been 1.

        Examples
        --------
        >>> import inbounds as ib
        >>> made = ib.design(epsilon=1, sensitivity=1)
        >>> counts = made.mechanism()
        >>> abs(counts.worst_bias - made.errors["worst_bias"]) < 1e-9
        True
        """
        epsilon, sensitivity, lower = self._asked["epsilon"], self._asked["sensitivity"], self._asked["lower"]
        if self._step != "1" or epsilon is None or sensitivity is None or lower is None:
            raise ParameterError(
                "a Mechanism is for whole numbers, so that `step` must be 1; for other steps write the rule with "
                "`inbounds design --out rule.csv` and name it in a plan: mechanism={'rule': 'rule.csv'}"
            )
        rows = [(round(row["measurement"]), row["estimate"]) for row in self.rule]
        shift = self._found["shift_above"]
        if shift is not None:
            above = rows[-1][0] + 1
            rows.append((above, above - shift))
        upper = self._asked["upper"]
        ends = (int(Fraction(lower)), None if upper is None else int(Fraction(upper)))
        native = _inbounds.Mechanism.tabulated(
            self._noise, rows, epsilon, self._asked["delta"], int(Fraction(sensitivity)), *ends
        )
        return Mechanism(native)

    def __repr__(self) -> str:
        return f"<inbounds.Design {self.status}, {self._found['criterion']} within {self.gap:.2g} of the best>"


@public
def design(
    *,
    epsilon: Exact,
    sensitivity: Exact,
    lower: Exact = 0,
    upper: Exact | None = None,
    delta: Exact | None = None,
    step: Exact = 1,
    noise: str = "laplace",
    criterion: str = "worst-bias",
    worst_bias: Exact | None = None,
    unbiased_far: bool = False,
    monotone: bool = False,
) -> Design:
    """Computes the best rule that keeps noisy values in a range, with its distance from the best possible."""
    import json

    bound = None if worst_bias is None else exact(worst_bias, "worst_bias")
    asked = _asked(epsilon, delta, sensitivity, lower, upper)
    words = (given.text(noise, "noise"), given.text(criterion, "criterion"))
    rules = (given.flag(unbiased_far, "unbiased_far"), given.flag(monotone, "monotone"))
    spaced = exact(step, "step")
    found = _inbounds.design(asked, spaced, *words, bound, *rules)
    return Design(json.loads(found), asked, str(Fraction(spaced)), words[0])


def _asked(
    epsilon: Exact, delta: Exact | None, sensitivity: Exact, lower: Exact | None, upper: Exact | None
) -> dict[str, str | None]:
    named = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity, "lower": lower, "upper": upper}
    return {name: None if value is None else exact(value, name) for name, value in named.items()}
