"""Right calls of every public function, and values that are wrong nearly everywhere."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import inbounds as ib
from common import importable
from inbounds import _statistics

CANARY = "canary-8675309"

RESULTS = {
    "Advice",
    "Check",
    "Classifier",
    "Design",
    "Exploration",
    "Mechanism",
    "Mistake",
    "Published",
    "Combined",
    "Figures",
    "Question",
    "RealMechanism",
    "Reservation",
    "Table",
}
"""Classes whose objects the package makes; what they are made of is not for callers. Their methods are in the table."""


FRESH = object()
"""Stands for a path at which nothing is."""


class Loud:
    """An object that shows what nobody may see wherever it is asked."""

    def _loud(self, *_: object) -> Any:
        raise ValueError(CANARY)

    __str__ = __repr__ = __float__ = __index__ = __int__ = _loud  # type: ignore[assignment]
    __len__ = __iter__ = __fspath__ = __array__ = _loud


def wrong_values() -> list[Any]:
    """Values of types that are wrong nearly everywhere, each with a canary in it."""
    found: list[Any] = [
        CANARY,
        CANARY.encode(),
        [CANARY],
        (CANARY, 1.5),
        [1.5, CANARY],
        {CANARY},
        {CANARY: CANARY},
        {"x": [CANARY, Loud()]},
        Loud(),
        [Loud()],
        {"lower": Loud()},
        (one for one in [CANARY]),
        Loud,
        1j,
        None,
        True,
        [None],
        [[CANARY]],
        bytearray(CANARY.encode()),
    ]
    if importable("numpy"):
        import numpy as np

        found += [
            np.array([CANARY]),
            np.array([1.5, 2.5]),
            np.array([CANARY, 3], dtype=object),
            np.array(CANARY),
            np.str_(CANARY),
        ]
    if importable("pandas"):
        import pandas as pd

        frame = pd.DataFrame({"x": [CANARY, 3], "y": [1.5, 2.5]})
        found += [frame, frame["x"], frame["y"]]
    if importable("polars"):
        import polars as pl

        found += [pl.DataFrame({"x": [CANARY]}), pl.Series([CANARY]), pl.DataFrame({"x": [CANARY]}).lazy()]
    return found


ANY_TEXT = set(
    """
    base bundles by classes column columns constraints contact criterion cut data decimal fit folder format from_ is_ keys
    figures kind label labels language learn_keys ledger level_shares levels lookup margin_shares margins measure measurements mechanism
    missing missing_values name negative neighbours new noise of old others out over path per per_unit period possible privacy quality quality_of range reason recode
    rule separator source spill statistics suffix suppress svg take thousands title together toml total type unit unit_of_rows values want
    weights what where wide wide_total within word
    """.split()
)
"""Parameters of which a text is a right value, which may be said again: it is public."""


class Table:
    """A right call of each public function, and of each method of a public class."""

    def __init__(self, room: Path) -> None:
        self.room = room
        privacy = ib.Privacy(unit="row", neighbours="add-remove", epsilon=1)
        rows = {"ward": ["A", "B"] * 50, "cost": [1.0, 2.0] * 50}
        columns = {
            "ward": {"type": "text", "values": ["A", "B"]},
            "cost": {"type": "number", "lower": 0, "upper": 5, "missing": "drop"},
        }
        of_plan: dict[str, Any] = dict(
            data=rows,
            privacy=privacy,
            columns=columns,
            statistics=[ib.count(by="ward"), ib.naive_bayes(["cost"], by="ward")],
            per_unit=None,
            title="t",
            interval="0.9",
            joint=False,
            unit_of_rows="people",
            period="2024",
            source="s",
            contact="c",
            language="de",
            figures=[ib.Figure("rank", name="place", of="count-by-ward")],
            quality={"high": "0.1"},
            quality_of="rmse",
            suppress="beyond",
            round=5,
            folder=str(room),
        )
        plan = ib.Plan(**of_plan)
        bundle = plan.release(seed=1, not_private=True)
        of_units = ib.Plan(
            **{
                **of_plan,
                "privacy": {"unit": {"column": "ward", "max_rows": 2}, "neighbours": "add-remove", "epsilon": 1},
                "statistics": [ib.count()],
                "figures": (),
            }
        )
        (room / "plan.toml").write_text(plan.to_toml())
        ledger = ib.Ledger.create(room / "a.ledger", data="rows", unit="row", neighbours="add-remove", epsilon=100)
        noise = ib.laplace(epsilon=1)
        mechanism = noise.clamped(lower=0)
        real_noise = noise.on_grid(sensitivity=1)
        real = real_noise.clamped(lower=0)
        protects: dict[str, Any] = dict(
            epsilon=1,
            neighbours="add-remove",
            delta=None,
            max_rows=2,
            rows=None,
            mechanism=None,
            level=0.9,
            seed=1,
            not_private=True,
        )
        values = {**protects, "lower": 0, "upper": 5, "missing": "drop", "integer": False}
        common = dict.fromkeys(_statistics.Common.__annotations__)
        levelled = {**common, **dict.fromkeys(_statistics.Levelled.__annotations__)}
        counted = {**levelled, **dict.fromkeys(_statistics.Counted.__annotations__)}
        measured = "node,parent,value,variance\nall,,3,1\na,all,1,1\nb,all,2,1\n"
        (room / "measured.csv").write_text(measured)
        seeded = dict(seed=1, not_private=True)
        amount = dict(epsilon="0.01", delta=None, rho=None, by=None)
        classifier = bundle.classifier()
        self.number = 0
        self.calls: dict[str, tuple[Callable[..., Any], list[dict[str, Any]]]] = {
            "Bundle": (ib.Bundle, [dict(folder=bundle.folder)]),
            "Bundle.classifier": (bundle.classifier, [dict(name=None)]),
            "Bundle.figures": (
                bundle.figures,
                [
                    dict(
                        figures=[ib.Figure("rank", name="place", of="count-by-ward")],
                        out=None,
                        interval="0.9",
                        joint=True,
                    )
                ],
            ),
            "Bundle.plot": (bundle.plot, [dict(name="count-by-ward")]),
            "Bundle.save": (bundle.save, [dict(folder=FRESH)]),
            "Bundle.statistic": (bundle.statistic, [dict(name="count-by-ward")]),
            "Check.to_dict": (plan.check().to_dict, [{}]),
            "Classifier.predict": (classifier.predict, [dict(rows=[[1.0]])]),
            "Classifier.predict_log_proba": (classifier.predict_log_proba, [dict(rows=[[1.0]])]),
            "Classifier.predict_proba": (classifier.predict_proba, [dict(rows=[[1.0]])]),
            "Column": (ib.Column, [dict.fromkeys(ib.Column.__dataclass_fields__)]),
            "Data": (ib.Data, [dict(source=rows)]),
            "Ledger": (ib.Ledger, [dict(path=ledger.path)]),
            "Ledger.check": (ledger.check, [dict(bundles=bundle.folder, by=None)]),
            "Ledger.create": (
                ib.Ledger.create,
                [
                    dict(
                        path=FRESH,
                        data="rows",
                        unit="row",
                        neighbours="add-remove",
                        fixed_rows=False,
                        **{**amount, "epsilon": 3},
                    )
                ],
            ),
            "Ledger.name": (ledger.name, [dict(name="these rows", reason="a test", by=None)]),
            "Ledger.record": (ledger.record, [dict(reason="a test", **amount)]),
            "Ledger.same_unit": (
                ledger.same_unit,
                [dict(plan=ib.Plan(**{**of_plan, "data": ib.Data(rows, name="rows")}), reason="a test", by=None)],
            ),
            "Ledger.spend": (ledger.spend, [dict(what="a test", **amount)]),
            "Ledger.to_dict": (ledger.to_dict, [{}]),
            "Ledger.void": (ledger.void, [dict(entry=1, reason="a test", by=None)]),
            "Mechanism.bias": (mechanism.bias, [dict(answer=3)]),
            "Mechanism.cdf": (mechanism.cdf, [dict(measurement=3, answer=3)]),
            "Mechanism.estimate": (mechanism.estimate, [dict(measurement=3, seed=1)]),
            "Mechanism.interval": (mechanism.interval, [dict(measurement=3, level=0.9)]),
            "Mechanism.measure": (mechanism.measure, [dict(answer=3, **seeded)]),
            "Mechanism.mse": (mechanism.mse, [dict(answer=3)]),
            "Mechanism.posterior": (mechanism.posterior, [dict(measurement=3, probabilities=[0.5])]),
            "Mechanism.ppf": (mechanism.ppf, [dict(probability=0.5, answer=3)]),
            "Mechanism.release": (mechanism.release, [dict(answer=3, level=0.9, **seeded)]),
            "Mechanism.rmse": (mechanism.rmse, [dict(answer=3)]),
            "Mechanism.sample": (mechanism.sample, [dict(size=3, answer=3, **seeded)]),
            "Noise": (ib.Noise, [dict(suffix="", epsilon=1, delta=None, sensitivity=1)]),
            "Noise.bounded": (noise.bounded, [dict(word="folded", lower=0, upper=9)]),
            "Noise.clamped": (noise.clamped, [dict(lower=0, upper=9)]),
            "Noise.conditioned": (noise.conditioned, [dict(lower=0, upper=9)]),
            "Noise.multiplied": (noise.multiplied, [dict(lower=5, upper=None)]),
            "Noise.on_grid": (noise.on_grid, [dict(sensitivity=0.5, spacing="1/1024")]),
            "Noise.thresholded": (noise.thresholded, [dict(lower=0, upper=None)]),
            "Noise.unbounded": (noise.unbounded, [{}]),
            "Plan": (ib.Plan, [of_plan]),
            "Plan.explore": (plan.explore, [{}]),
            "Plan.for_approval": (plan.for_approval, [dict(out=FRESH, epsilons=[0.5, "2"])]),
            "Plan.check": (plan.check, [dict(rows=100, group_sizes=None), dict(rows=None, group_sizes=[3, 4])]),
            "Plan.parse": (ib.Plan.parse, [dict(toml=plan.to_toml(), folder=str(room), rows=rows)]),
            "Plan.read": (ib.Plan.read, [dict(path=room / "plan.toml", rows=rows)]),
            "Plan.question": (plan.question, [{}]),
            "Plan.release": (
                plan.release,
                [
                    dict(
                        out=None,
                        shares=None,
                        unit_memory=None,
                        spill=None,
                        progress=False,
                        **dict.fromkeys(("approved", "approver", "reason")),
                        **seeded,
                    )
                ],
            ),
            "Plan.share": (plan.share, [dict(rows=rows, part=1)]),
            "Plan.to_toml": (plan.to_toml, [{}]),
            "Plot": (ib.Plot, [dict(svg="<svg/>", data=[])]),
            "Plot.save": (bundle.plot("count-by-ward").save, [dict(path=FRESH)]),
            "Privacy": (
                ib.Privacy,
                [
                    {
                        **dict.fromkeys(ib.Privacy.__dataclass_fields__),
                        "unit": "row",
                        "neighbours": "add-remove",
                        "epsilon": 1,
                    }
                ],
            ),
            "Statistic": (ib.Statistic, [dict(kind="count")]),
            "Statistic.called": (ib.count(by="ward").called, [{}]),
            "Advice.plot": (ib.advise(epsilon=1, sensitivity=1, lower=0).plot, [{}]),
            "Design.to_dict": (ib.design(epsilon=1, sensitivity=1).to_dict, [{}]),
            "Design.mechanism": (ib.design(epsilon=1, sensitivity=1).mechanism, [{}]),
            "RealMechanism.bias": (real.bias, [dict(answer=0.5)]),
            "RealMechanism.estimate": (real.estimate, [dict(measurement=0.5, seed=1)]),
            "RealMechanism.interval": (real.interval, [dict(measurement=0.5, level=0.9)]),
            "RealMechanism.measure": (real.measure, [dict(answer=0.5, **seeded)]),
            "RealMechanism.release": (real.release, [dict(answer=0.5, level=0.9, **seeded)]),
            "RealMechanism.rmse": (real.rmse, [dict(answer=0.5)]),
            "RealNoise": (ib.RealNoise, [dict(noise=noise, sensitivity=1, spacing=None)]),
            "RealNoise.bounded": (real_noise.bounded, [dict(word="folded", lower=0, upper=9)]),
            "RealNoise.clamped": (real_noise.clamped, [dict(lower=0, upper=9)]),
            "RealNoise.conditioned": (real_noise.conditioned, [dict(lower=0, upper=9)]),
            "RealNoise.multiplied": (real_noise.multiplied, [dict(lower=5, upper=None)]),
            "RealNoise.thresholded": (real_noise.thresholded, [dict(lower=0, upper=None)]),
            "RealNoise.unbounded": (real_noise.unbounded, [{}]),
            "Question.groups": (of_units.question().groups, [dict(rows=rows)]),
            "Question.share": (plan.question().share, [dict(rows=rows, part=1, unit_memory=None, spill=None)]),
            "Question.size": (plan.question().size, [{}]),
            "Table.column": (bundle.estimates.column, [dict(name="estimate")]),
            "Table.to_dicts": (bundle.estimates.to_dicts, [{}]),
            "advise": (
                ib.advise,
                [
                    dict(
                        epsilon=1,
                        sensitivity=1,
                        lower=0,
                        upper=None,
                        delta=None,
                        integer=False,
                        numbers=1,
                        relative=False,
                        criterion="worst-bias",
                    )
                ],
            ),
            "combination": (ib.combination, [dict(weights={"x": 1}, **{**common, "of": "sums"})]),
            "combine_releases": (ib.combine_releases, [dict(releases=[0.2, 0.3], rows=100, level=0.9)]),
            "correlation": (ib.correlation, [dict(columns=["x", "y"], measure=None, **common)]),
            "count": (ib.count, [dict(answer=3, **protects), dict(answer=[3, 4], **protects), counted]),
            "covariance": (ib.covariance, [dict(columns=["x", "y"], measure=None, population=None, **common)]),
            "design": (
                ib.design,
                [
                    dict(
                        epsilon=1,
                        sensitivity=1,
                        lower=0,
                        upper=None,
                        delta=None,
                        step=1,
                        noise="laplace",
                        criterion="worst-bias",
                        worst_bias=None,
                        unbiased_far=False,
                        monotone=False,
                    )
                ],
            ),
            "gaussian": (ib.gaussian, [dict(epsilon=1, delta="1e-6", sensitivity=1)]),
            "histogram": (ib.histogram, [dict(column="x", edges=[0, 1, 2], **common)]),
            "laplace": (ib.laplace, [dict(epsilon=1, delta="0.01", sensitivity=1)]),
            "mean": (ib.mean, [dict(column=[1.0, 2.0], **values), dict(column="x", population=None, **levelled)]),
            "naive_bayes": (ib.naive_bayes, [dict(columns=["x"], classes=None, **{**common, "by": "y", "name": None})]),
            "onto_order": (
                ib.onto_order,
                [dict(values=[1.0, 3.0, 2.0], increasing=True, variances=[1.0, 1.0, 2.0], lower=0, upper=9)],
            ),
            "onto_semidefinite": (
                ib.onto_semidefinite,
                [dict(matrix=[[1.0, 2.0], [2.0, 1.0]], floor=0, diagonal=[1.0, 1.0])],
            ),
            "onto_simplex": (
                ib.onto_simplex,
                [dict(values=[0.5, 0.7], total=1, variances=[1.0, 2.0], lower=0, upper=1)],
            ),
            "onto_table": (
                ib.onto_table,
                [dict(margins={(): [3.0], (0,): [1.0, 2.5]}, sizes=[2], variances={(): 1.0}, nonnegative=True, whole=False)],
            ),
            "onto_total": (ib.onto_total, [dict(values=[0.5, 0.7], total=1, variances=[1.0, 2.0])]),
            "onto_tree": (
                ib.onto_tree,
                [dict(values=[3.0, 1.0, 1.5], parents=[None, 0, 0], variances=[1.0] * 3, nonnegative=True, whole=False)],
            ),
            "proportion": (
                ib.proportion,
                [
                    dict(
                        rule=None,
                        total=None,
                        within=None,
                        releases=None,
                        calculated=None,
                        range=None,
                        population=None,
                        **common,
                    )
                ],
            ),
            "quantile": (ib.quantile, [dict(column="x", probabilities=[0.5], edges=[0, 1, 2], interval_share=0.25, **common)]),
            "Figure": (
                ib.Figure,
                [
                    dict(
                        kind="rate",
                        name="r",
                        of="count-by-ward",
                        per=1000,
                        from_={"statistic": "count-by-ward"},
                        base={"ward": "A"},
                        by=["ward"],
                        over=None,
                        weights={"A": 1},
                        times=1000,
                        interval=None,
                        joint=None,
                        label=None,
                    )
                ],
            ),
            "Figures.figure": (
                bundle.figures([ib.Figure("rank", name="place", of="count-by-ward")]).figure,
                [dict(name="place")],
            ),
            "compare": (
                ib.compare,
                [dict(old=bundle, new=plan.release(seed=2, not_private=True), out=None, interval=0.9)],
            ),
            "reconcile": (
                ib.reconcile,
                [
                    dict(
                        measurements=room / "measured.csv",
                        out=None,
                        wide=None,
                        wide_total=None,
                        total=(),
                        usual_totals=True,
                        residuals=False,
                        constraints=None,
                        integer=False,
                        fit=None,
                        level=0.9,
                        replicates=9,
                        seed=1,
                        progress=False,
                    )
                ],
            ),
            "generalised_gaussian": (ib.generalised_gaussian, [dict(epsilon=1, delta="0.01", sensitivity=1)]),
            "staircase": (ib.staircase, [dict(epsilon=1, delta="0.01", sensitivity=1)]),
            "standard_deviation": (
                ib.standard_deviation,
                [dict(column=[1.0, 2.0], **values), dict(column="x", population=None, **common)],
            ),
            "sum": (ib.sum, [dict(column=[1.0, 2.0], **values), dict(column="x", **levelled)]),
            "units": (ib.units, [dict(range=None, learn_keys=None, spurious=None, **common)]),
            "variance": (ib.variance, [dict(column=[1.0, 2.0], **values), dict(column="x", population=None, **common)]),
        }

    def fresh(self) -> str:
        """A path at which nothing is."""
        self.number += 1
        return str(self.room / f"new-{self.number}")

    def call(self, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """A call, with what has no name by its place."""
        known = inspect.signature(function).parameters
        unnamed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
        given = {name: self.fresh() if value is FRESH else value for name, value in arguments.items()}
        first = [given.pop(name) for name, parameter in known.items() if parameter.kind in unnamed and name in given]
        return function(*first, **given)


def public_functions() -> dict[str, Any]:
    """Every public function, class and method of the package by its name."""
    found: dict[str, Any] = {}
    for name in ib.__all__:
        thing = getattr(ib, name)
        if inspect.isclass(thing) and issubclass(thing, Exception) or name == "__version__":
            continue
        if name not in RESULTS:
            found[name] = thing
        if inspect.isclass(thing):
            own = [
                (key, value)
                for base in thing.__mro__
                if base.__module__.startswith("inbounds")
                for key, value in vars(base).items()
            ]
            methods = {
                key: getattr(thing, key)
                for key, value in own
                if not key.startswith("_") and not isinstance(value, property)
            }
            found.update({f"{name}.{key}": value for key, value in methods.items() if inspect.isroutine(value)})
    return found
