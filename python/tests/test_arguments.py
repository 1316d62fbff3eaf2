"""Wrong arguments of every public function: the error is the package's and shows nothing of what was handed over."""

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
from arguments import ANY_TEXT, CANARY, Loud, Table, public_functions, wrong_values
from common import PACKAGE, importable


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
        values, of_texts = wrong_values(), self.of_texts()
        for name, (function, calls) in self.table.calls.items():
            for arguments in calls:
                for key in arguments:
                    for value in values:
                        # What a function of the user raises is the user's.
                        if (
                            isinstance(value, str)
                            and key in ANY_TEXT
                            or (name, key) in of_texts
                            or key == "progress"
                            and value is Loud
                        ):
                            continue
                        tried += 1
                        with self.subTest(function=name, argument=key, type=type(value).__name__):
                            refused += self.check(name, function, {**arguments, key: value}, key)
        self.assertGreater(refused, tried // 2)

    def of_texts(self) -> set[tuple[str, str]]:
        """Arguments that take whatever a plan can say, which is public and may be said again."""
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
                "mechanism",
                "range",
                "values",
                "missing_values",
                "possible",
                "decimal",
                "marks",
                "numbers",
                "within",
                "calculated",
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
        """Whether a value is made of texts, numbers, lists and mappings, as what a plan says."""
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
                self.fail(f"{name}({key}={type(arguments[key]).__name__}) raises {type(raised).__name__}, no ib.Error")
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
        noise: Any = ib.laplace(epsilon=1)
        self.assert_says(lambda: noise.clamped(lower=1.5), "lower must be a whole number", "float")
        self.assert_says(lambda: ib.Column(lower=[CANARY]), "lower must be", "list")  # type: ignore[arg-type]
        count: Any = ib.count
        self.assert_says(lambda: count([1], epsilon=1, neighbours="add-remove", epsilom=1), "epsilom")
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

        # Sums have noise of scale 0.001, which is off by 0.5 with a probability of exp(-500); counts with one of exp(-25).
        told: dict[str, Any] = dict(lower=0, upper=1000, missing="drop", epsilon=1_000_000, neighbours="add-remove")
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
