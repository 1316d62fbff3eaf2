"""Wrong arguments of every public function: the error is the package's, names the argument, and shows nothing of what was handed over."""

from __future__ import annotations

import contextlib
import inspect
import io
import tempfile
import traceback
import typing
import unittest
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import inbounds as ib
from common import PACKAGE, importable
from inbounds import _statistics

CANARY = "canary-8675309"

RESULTS = {
    "Advice",
    "Check",
    "Classifier",
    "Design",
    "Mechanism",
    "Mistake",
    "Published",
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

    __str__ = __repr__ = __float__ = __index__ = __int__ = __len__ = __iter__ = __fspath__ = __array__ = _loud  # type: ignore[assignment]


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


ANY_TEXT = {
    "name",
    "label",
    "where",
    "keys",
    "mechanism",
    "fit",
    "measure",
    "rule",
    "total",
    "of",
    "by",
    "column",
    "columns",
    "levels",
    "range",
    "level_shares",
    "margin_shares",
    "neighbours",
    "kind",
    "title",
    "folder",
    "path",
    "toml",
    "out",
    "spill",
    "data",
    "source",
    "what",
    "reason",
    "criterion",
    "noise",
    "measurements",
    "constraints",
    "bundles",
    "type",
    "from_",
    "take",
    "lookup",
    "is_",
    "thousands",
    "decimal",
    "unit",
    "missing",
    "format",
    "others",
    "values",
    "missing_values",
    "cut",
    "classes",
    "recode",
    "labels",
    "ledger",
    "together",
    "weights",
    "word",
    "suffix",
    "margins",
    "want",
    "per_unit",
    "wide",
    "wide_total",
    "svg",
    "statistics",
    "privacy",
    "label",
}
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
            folder=str(room),
        )
        plan = ib.Plan(**of_plan)
        bundle = plan.release(seed=1, not_private=True)
        (room / "plan.toml").write_text(plan.to_toml())
        ledger = ib.Ledger.create(room / "a.ledger", data="rows", unit="row", neighbours="add-remove", epsilon=100)
        noise = ib.laplace(epsilon=1)
        mechanism = noise.clamped(lower=0)
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
            "Ledger.record": (ledger.record, [dict(reason="a test", **amount)]),
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
            "Noise.thresholded": (noise.thresholded, [dict(lower=0, upper=None)]),
            "Noise.unbounded": (noise.unbounded, [{}]),
            "Plan": (ib.Plan, [of_plan]),
            "Plan.check": (plan.check, [dict(rows=100, group_sizes=None), dict(rows=None, group_sizes=[3, 4])]),
            "Plan.parse": (ib.Plan.parse, [dict(toml=plan.to_toml(), folder=str(room), rows=rows)]),
            "Plan.read": (ib.Plan.read, [dict(path=room / "plan.toml", rows=rows)]),
            "Plan.release": (plan.release, [dict(out=None, unit_memory=None, spill=None, progress=False, **seeded)]),
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
                        criterion="worst-bias",
                    )
                ],
            ),
            "combination": (ib.combination, [dict(weights={"x": 1}, **{**common, "of": "sums"})]),
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
            "laplace": (ib.laplace, [dict(epsilon=1, sensitivity=1)]),
            "mean": (ib.mean, [dict(column=[1.0, 2.0], **values), dict(column="x", population=None, **levelled)]),
            "naive_bayes": (ib.naive_bayes, [dict(columns=["x"], classes=None, **{**common, "by": "y", "name": None})]),
            "proportion": (ib.proportion, [dict(rule=None, total=None, range=None, population=None, **common)]),
            "quantile": (ib.quantile, [dict(column="x", probabilities=[0.5], edges=[0, 1, 2], **common)]),
            "reconcile": (
                ib.reconcile,
                [
                    dict(
                        measurements=room / "measured.csv",
                        out=None,
                        wide=None,
                        wide_total=None,
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
            "staircase": (ib.staircase, [dict(epsilon=1, sensitivity=1)]),
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


class Arguments(unittest.TestCase):
    def setUp(self) -> None:
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.table = Table(Path(room.name))

    def test_every_public_function_is_in_the_table(self) -> None:
        functions = public_functions()
        self.assertEqual(sorted(self.table.calls), sorted(functions))
        for name, (function, calls) in self.table.calls.items():
            known = {key for ways in calls for key in ways}
            ways = typing.get_overloads(function) or [function]
            asked = {key: one.kind for way in ways for key, one in inspect.signature(way).parameters.items()}
            keywords = inspect.Parameter.VAR_KEYWORD
            # The first argument of those that describe a column or publish values has one name in the table.
            asked.pop("values", None)
            missing = {
                key for key, of_kind in asked.items() if of_kind is not keywords and not key.startswith("_")
            } - known
            self.assertFalse(missing, f"{name} takes {missing}, which no call of the table gives")

    def test_the_right_calls_are_right(self) -> None:
        for name, (function, calls) in self.table.calls.items():
            for arguments in calls:
                if name in ("Ledger.void", "combination", "naive_bayes"):
                    continue
                with self.subTest(function=name):
                    self.table.call(function, arguments)

    def test_wrong_arguments_show_nothing(self) -> None:
        tried = refused = 0
        values = wrong_values()
        for name, (function, calls) in self.table.calls.items():
            for arguments in calls:
                for key in arguments:
                    for value in values:
                        # What a function of the user raises is the user's.
                        if (
                            isinstance(value, str)
                            and key in ANY_TEXT
                            or (name, key) in self.of_texts()
                            or key == "progress"
                            and value is Loud
                        ):
                            continue
                        tried += 1
                        with self.subTest(function=name, argument=key, type=type(value).__name__):
                            refused += self.check(name, function, {**arguments, key: value}, key)
        self.assertGreater(refused, tried // 2)

    def of_texts(self) -> set[tuple[str, str]]:
        """Arguments that take lists of public texts, mappings, or any public value a plan can say, and may say them again."""
        plan_values = {
            (name, key)
            for name, (_, calls) in self.table.calls.items()
            for way in calls
            for key in way
            if key
            in (
                "by",
                "columns",
                "levels",
                "margins",
                "want",
                "range",
                "values",
                "missing_values",
                "cut",
                "classes",
                "recode",
                "labels",
                "weights",
                "per_unit",
                "unit",
                "together",
                "missing",
                "format",
                "others",
                "constraints",
                "wide",
                "keys",
                "level_shares",
                "margin_shares",
            )
        }
        # These are checked by their types in a test of their own.
        return plan_values | {("Plot", "data"), ("Plot", "svg")}

    def test_public_words_of_a_wrong_type_show_nothing(self) -> None:
        keys = {key for _, key in self.of_texts()}
        loud = [value for value in wrong_values() if not self.plan_can_say(value)]
        self.assertGreater(len(loud), 5)
        for name, (function, calls) in self.table.calls.items():
            for arguments in calls:
                for key in keys & set(arguments):
                    for value in loud:
                        if name != "Plot":
                            with self.subTest(function=name, argument=key, type=type(value).__name__):
                                self.check(name, function, {**arguments, key: value}, key)

    def plan_can_say(self, value: Any) -> bool:
        """Whether a value is made of texts, numbers, lists and mappings, which a plan may say and which are public then."""
        if isinstance(value, dict):
            return all(self.plan_can_say(one) for one in value.values())
        if isinstance(value, (list, tuple)):
            return all(self.plan_can_say(one) for one in value)
        return value is None or isinstance(value, (str, bool, int, float))

    def check(self, name: str, function: Callable[..., Any], arguments: dict[str, Any], key: str) -> bool:
        """Whether a call was refused; whatever became of it, it showed nothing."""
        shown, error = io.StringIO(), None
        with (
            warnings.catch_warnings(record=True) as warned,
            contextlib.redirect_stdout(shown),
            contextlib.redirect_stderr(shown),
        ):
            warnings.simplefilter("always")
            try:
                result = self.table.call(function, arguments)
                shown.write(f"{result!r} {result!s}" if not isinstance(result, ib.Bundle) else repr(result))
            except ib.Error as raised:
                error = raised
            except Exception as raised:
                self.fail(
                    f"{name}({key}={type(arguments[key]).__name__}) raises {type(raised).__name__}, which is no ib.Error"
                )
        texts = [shown.getvalue(), *(str(one.message) for one in warned)]
        if error is not None:
            self.assertIsNone(error.__cause__, name)
            self.assertIsNone(error.__context__, name)
            texts += [str(error), repr(error), repr(error.args), repr(vars(error)), locals_of(error)]
        for text in texts:
            self.assertNotIn("8675309", text, f"{name}({key}={type(arguments[key]).__name__})")
        return error is not None


def locals_of(error: BaseException) -> str:
    """The local variables of frames of the package that a traceback holds."""
    found = []
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if Path(frame.f_code.co_filename).parent == PACKAGE:
            for name, value in frame.f_locals.items():
                with contextlib.suppress(Exception):
                    found.append(f"{name}={value!r}")
                # What raises when it is shown is one of those that were handed over.
                found.append(CANARY if isinstance(value, (Loud, list, dict)) and name not in ("raised",) else "")
    return " ".join(found)


class Messages(unittest.TestCase):
    def assert_says(self, call: Callable[[], object], *words: str) -> None:
        with self.assertRaises(ib.ParameterError) as caught:
            call()
        for word in words:
            self.assertIn(word, str(caught.exception))
        self.assertNotIn(CANARY, str(caught.exception))

    def test_they_name_argument_requirement_and_remedy(self) -> None:
        told: dict[str, Any] = dict(lower=0, upper=1, missing="drop", epsilon=1, neighbours="add-remove")
        self.assert_says(lambda: ib.mean([1.0, CANARY], **told), "values must be numbers", "str", "plan")
        self.assert_says(lambda: ib.mean(1.5, **told), "values must be a list", "float")
        self.assert_says(lambda: ib.histogram([1.5], edges=[0, 1]), "column must be the name", "plan", "list")
        self.assert_says(lambda: ib.quantile([1.5], probabilities=[0.5]), "column must be the name", "plan")
        self.assert_says(lambda: ib.laplace(epsilon=CANARY), "epsilon must be a number")
        self.assert_says(lambda: ib.laplace(epsilon=1).clamped(lower=1.5), "lower must be a whole number", "float")  # type: ignore[arg-type]
        self.assert_says(lambda: ib.Column(lower=[CANARY]), "lower must be", "list")  # type: ignore[arg-type]
        self.assert_says(lambda: ib.count([1], epsilon=1, neighbours="add-remove", epsilom=1), "epsilom")  # type: ignore[call-overload]
        self.assert_says(lambda: ib.design(epsilon=1, sensitivity=1, steps=1), "steps")  # type: ignore[call-arg]
        if importable("numpy"):
            import numpy as np

            self.assert_says(
                lambda: ib.mean(np.array(["2020-01-01"], dtype="M8[ns]"), **told),
                "values must be numbers",
                "datetime64[ns]",
            )
            masked = np.ma.array([3, 8675309], mask=[False, True])
            self.assert_says(
                lambda: ib.laplace(epsilon=1).clamped(lower=0).measure(masked), "answers", "without a mask", "fill it"
            )

    def test_values_of_many_types_are_numbers(self) -> None:
        import decimal
        import fractions

        told: dict[str, Any] = dict(lower=0, upper=1000, missing="drop", epsilon=10_000, neighbours="add-remove")
        cells = [
            1,
            2.5,
            None,
            float("nan"),
            decimal.Decimal("0.5"),
            fractions.Fraction(1, 2),
            True,
            decimal.Decimal("NaN"),
        ]
        self.assertAlmostEqual(ib.sum(cells, **told).value, 5.5, delta=0.5)
        self.assertAlmostEqual(ib.sum([10**400, -(10**400)], **told).value, 1000, delta=0.5)
        if importable("numpy"):
            import numpy as np

            self.assertAlmostEqual(ib.sum(np.ma.array([1.0, 50.0], mask=[False, True]), **told).value, 1, delta=0.5)
            self.assertAlmostEqual(ib.sum([np.float32(1), np.int8(2), np.bool_(True)], **told).value, 4, delta=0.5)
            counts = ib.count(np.array([3, 400]), epsilon=50, neighbours="add-remove")
            self.assertEqual([round(one.value) for one in counts], [3, 400])


if __name__ == "__main__":
    unittest.main()
