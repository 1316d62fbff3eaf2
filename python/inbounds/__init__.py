"""Differentially private statistics that stay inside what everyone knows to be true of them, and say what that cost.

A :class:`Plan` says what to release; its ``release`` gives a :class:`Bundle`. Everything has its words in ``inbounds help plan``.

>>> import inbounds as ib
>>> plan = ib.Plan(
...     data={"ward": ["A", "B", "A", "A"]},
...     privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon="1"),
...     columns={"ward": ib.Column(type="text", values=["A", "B"])},
...     statistics=[ib.count(by="ward")],
... )
>>> bundle = plan.release(seed=1, not_private=True)
>>> [row["by_ward"] for row in bundle.statistic("count-by-ward")]
['A', 'B']
"""

from ._advice import Advice, Design, advise, design
from ._bundle import Bundle
from ._check import Check
from ._classifier import Classifier
from ._combined import Combined, combine_releases
from ._errors import (
    ConstraintsError,
    DataError,
    DocumentError,
    EntropyError,
    Error,
    FiguresError,
    InfeasibleError,
    InternalError,
    LedgerError,
    Mistake,
    ParameterError,
    PlanError,
    WriteError,
)
from ._exploration import Exploration
from ._figures import Figure, Figures, compare
from ._inbounds import Table, __version__
from ._ledger import Ledger, Reservation
from ._mechanisms import Mechanism, Noise, gaussian, generalised_gaussian, laplace, staircase
from ._numbers import Published
from ._onto import onto_order, onto_semidefinite, onto_simplex, onto_table, onto_total, onto_tree
from ._plan import Column, Data, Plan, Privacy
from ._plot import Plot
from ._real import RealMechanism, RealNoise
from ._reconcile import reconcile
from ._shares import Question
from ._statistics import (
    Statistic,
    combination,
    correlation,
    count,
    covariance,
    histogram,
    mean,
    naive_bayes,
    proportion,
    quantile,
    standard_deviation,
    sum,
    units,
    variance,
)

__all__ = [
    "Advice",
    "Bundle",
    "Check",
    "Classifier",
    "Column",
    "Combined",
    "ConstraintsError",
    "Data",
    "DataError",
    "Design",
    "DocumentError",
    "EntropyError",
    "Error",
    "Exploration",
    "Figure",
    "Figures",
    "FiguresError",
    "InfeasibleError",
    "InternalError",
    "Ledger",
    "LedgerError",
    "Mechanism",
    "Mistake",
    "Noise",
    "ParameterError",
    "Plan",
    "PlanError",
    "Plot",
    "Privacy",
    "Published",
    "Question",
    "RealMechanism",
    "RealNoise",
    "Reservation",
    "Statistic",
    "Table",
    "WriteError",
    "__version__",
    "advise",
    "combination",
    "combine_releases",
    "compare",
    "correlation",
    "count",
    "covariance",
    "design",
    "gaussian",
    "generalised_gaussian",
    "histogram",
    "laplace",
    "mean",
    "naive_bayes",
    "onto_order",
    "onto_semidefinite",
    "onto_simplex",
    "onto_table",
    "onto_total",
    "onto_tree",
    "proportion",
    "quantile",
    "reconcile",
    "staircase",
    "standard_deviation",
    "sum",
    "units",
    "variance",
]
