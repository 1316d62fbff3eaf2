"""What is known of a release before any row is read."""

from __future__ import annotations

from typing import Any, Optional

from ._html import table


class Check:
    """What a plan costs and how accurate its numbers will be; ``print`` shows it as the command does.

    Attributes
    ----------
    epsilon, delta : str
        What the plan grants, or what was found for what it wants, exact.
    epsilon_cost, delta_cost : str
        What its statistics cost, exact.
    apart : dict or None
        Which statistics no row can count in together, by which column, if that lowers what they cost.
    wants : dict or None
        The accuracy that the plan wants, with the epsilon that each statistic needs and which is the dearest; ``about`` in an entry is
        the mean and standard deviation that it is wanted for.
    joint : list of dict
        Groups of statistics whose Gaussian noise is accounted for together, and what that saves.
    together : list of dict
        Groups of statistics that share one vector of noise.
    would_share : list of dict
        Groups that would err less if they did, and how many times, where the plan has ``together = "none"``.
    chosen : list of dict
        The mechanisms of statistics that left the choice to the program, and what the other would have cost.
    other_mechanisms : list of dict
        Mechanisms with which statistics would err less, which, and how many times.
    listed_totals : list of dict
        Grouping columns that list values which are called like sums of others, and these values.
    meaning : str
        What epsilon and delta mean for somebody who guesses.
    statistics : list of dict
        Of each statistic its noise, range, worst bias and expected errors; where its keys are learned, ``learned`` says how noise will
        choose the cells, and ``cells`` is None.
    """

    def __init__(self, found: dict[str, Any], text: str) -> None:
        self._found = found
        self._text = text
        self.epsilon: str = found["epsilon"]
        self.delta: str = found["delta"]
        self.epsilon_cost: str = found["epsilon_cost"]
        self.delta_cost: str = found["delta_cost"]
        self.apart: Optional[dict[str, Any]] = found["apart"]
        self.wants: Optional[dict[str, Any]] = found["wants"]
        self.joint: list[dict[str, Any]] = found["joint"]
        self.together: list[dict[str, Any]] = found["together"]
        self.would_share: list[dict[str, Any]] = found["would_share"]
        self.chosen: list[dict[str, Any]] = found["chosen"]
        self.other_mechanisms: list[dict[str, Any]] = found["other_mechanisms"]
        self.listed_totals: list[dict[str, Any]] = found["listed_totals"]
        self.meaning: str = found["meaning"]
        self.statistics: list[dict[str, Any]] = found["statistics"]

    def to_dict(self) -> dict[str, Any]:
        """All of it, as ``inbounds check --json`` prints it."""
        return self._found

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<inbounds.Check of {len(self.statistics)} statistics, epsilon {self.epsilon_cost}>"

    def _repr_html_(self) -> str:
        rows = [
            {
                "statistic": statistic["name"],
                "kind": statistic["kind"],
                "numbers": "learned" if statistic["cells"] is None else statistic["cells"] * len(statistic["outputs"]),
                "epsilon": statistic["epsilon"],
                "where the truth is": expected["case"],
                "bias": expected["bias"],
                "RMSE": expected["rmse"],
                "half width": expected["half_width"],
                "level": statistic["interval"]["level"],
            }
            for statistic in self.statistics
            for expected in statistic["expected_error"]
        ]
        title = self._found["title"] or "Plan"
        return table(f"{title}: epsilon {self.epsilon_cost} of {self.epsilon}", rows, [self.meaning])
