"""Numbers, mechanisms, advice, designs and reconciling, without a plan."""

from __future__ import annotations

import math
import tempfile
import unittest
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import inbounds as ib
from common import EXAMPLES, needs


class Numbers(unittest.TestCase):
    def test_a_count_has_the_law_that_it_says(self) -> None:
        # Discrete Laplace noise of epsilon 1 is 0 with probability (e - 1) / (e + 1); 4,000 draws, six standard deviations.
        released = [ib.count(100, epsilon=1, neighbours="add-remove").measurement for _ in range(200)]
        self.assertGreater(len(set(released)), 3)
        mechanism = ib.laplace(epsilon=1).unbounded()
        draws = [one.measurement for one in mechanism.release([100] * 4000)]
        share = draws.count(100) / 4000
        expected = (math.e - 1) / (math.e + 1)
        self.assertLess(abs(share - expected), 6 * math.sqrt(expected * (1 - expected) / 4000))

    def test_epsilon_is_exact_in_every_form(self) -> None:
        forms = ["0.5", 0.5, Decimal("0.5"), Fraction(1, 2), "1/2"]
        told = dict(neighbours="add-remove", seed=3, not_private=True)
        found = {ib.count(7, epsilon=epsilon, **told) for epsilon in forms}  # type: ignore[arg-type]
        self.assertEqual(len(found), 1)

    def test_units_and_public_rows(self) -> None:
        one = ib.count(100, epsilon=1, neighbours="add-remove", seed=1, not_private=True)
        three = ib.count(100, epsilon=1, neighbours="add-remove", max_rows=3, seed=1, not_private=True)
        for published, scale in ((one, 1), (three, 3)):
            a = math.exp(-1 / scale)
            self.assertAlmostEqual(published.rmse, math.sqrt(2 * a) / (1 - a), places=9)
        share = ib.mean([1.0] * 50, lower=0, upper=1, missing=0, epsilon=1, neighbours="substitute", rows=50)
        self.assertLessEqual(share.value, 1)
        wrong = [
            dict(epsilon=1, neighbours="both"),
            dict(epsilon=0, neighbours="add-remove"),
            dict(epsilon="one", neighbours="add-remove"),
            dict(epsilon=1, neighbours="add-remove", rows=3),
            dict(epsilon=1, neighbours="add-remove", mechanism="clammed"),
        ]
        for told in wrong:
            with self.assertRaises(ib.ParameterError):
                ib.count(3, **told)  # type: ignore[call-overload]
        for told in (dict(epsilon=1), dict(epsilon=1, neighbours="add-remove", seed=1)):
            with self.assertRaises((TypeError, ValueError)):
                ib.count(3, **told)  # type: ignore[call-overload]
        with self.assertRaisesRegex(TypeError, "missing"):
            ib.sum([1.0], lower=0, upper=1, epsilon=1, neighbours="add-remove")
        with self.assertRaisesRegex(TypeError, "neighbours"):
            ib.count(3, epsilon=1)

    def test_values_are_clipped_and_missing_ones_dropped(self) -> None:
        told = dict(epsilon=10_000, neighbours="add-remove")
        found = ib.sum([5, -100, float("inf"), None, float("nan")], lower=0, upper=10, missing="drop", **told)  # type: ignore[list-item]
        self.assertAlmostEqual(found.value, 15, delta=0.1)
        names = [one.name for one in ib.variance([1.0, 2.0] * 20, lower=0, upper=5, missing="drop", **told)]  # type: ignore[call-overload]
        self.assertEqual(names, ["variance of values", "mean of values", "rows"])
        roots = ib.standard_deviation([1.0, 2.0] * 2000, lower=0, upper=5, missing="drop", **told)  # type: ignore[call-overload]
        self.assertAlmostEqual(roots[0].value, 0.5, delta=0.05)


class Mechanisms(unittest.TestCase):
    def test_errors_are_those_of_the_law(self) -> None:
        clamped = ib.laplace(epsilon="0.5").clamped(lower=0)
        a = math.exp(-0.5)
        self.assertAlmostEqual(clamped.bias(0), a / (1 - a * a), places=12)
        self.assertAlmostEqual(clamped.worst_bias, clamped.bias(0), places=12)
        plain = ib.laplace(epsilon="0.5").unbounded()
        self.assertAlmostEqual(plain.mse(7), 2 * a / (1 - a) ** 2, places=9)
        self.assertAlmostEqual(plain.cdf(7, answer=7), 1 / (1 + a), places=12)
        self.assertEqual(plain.ppf(0.5, answer=7), 7)
        self.assertEqual([plain.ppf(plain.cdf(x, answer=0) - 1e-9, answer=0) for x in (-3, 0, 4)], [-3, 0, 4])

    def test_forms_come_back(self) -> None:
        mechanism = ib.laplace(epsilon=1).clamped(lower=0, upper=10)
        self.assertIsInstance(mechanism.bias(3), float)
        self.assertIsInstance(mechanism.bias([3, 4]), list)
        self.assertIsInstance(mechanism.release(3), ib.Published)
        self.assertTrue(all(0 <= one.value <= 10 for one in mechanism.release(range(11))))

    @needs("numpy")
    def test_arrays_come_back(self) -> None:
        import numpy as np

        mechanism = ib.laplace(epsilon=1).clamped(lower=0)
        found = mechanism.rmse(np.arange(5))
        self.assertEqual((type(found), found.shape), (np.ndarray, (5,)))
        self.assertEqual(mechanism.rmse(np.int64(3)), mechanism.rmse(3))
        self.assertEqual(mechanism.ppf(np.array([0.2, 0.8]), answer=0).shape, (2,))

    def test_measurements_of_many_are_those_of_the_sampler(self) -> None:
        mechanism = ib.laplace(epsilon="0.5").clamped(lower=0)
        answers = [n % 7 for n in range(100_000)]
        told = dict(seed=4, not_private=True)
        found = mechanism.measure(answers, **told)  # type: ignore[arg-type]
        self.assertEqual(found, mechanism.measure(answers, **told))  # type: ignore[arg-type]
        self.assertNotEqual(mechanism.measure(answers), mechanism.measure(answers))
        noise = [one - answer for one, answer in zip(found, answers)]
        variance = sum(one * one for one in noise) / len(noise)
        # The law has variance 2 a / (1 - a)^2; six standard errors of its estimate.
        a = math.exp(-0.5)
        expected = 2 * a / (1 - a) ** 2
        self.assertLess(abs(variance - expected), 6 * math.sqrt(5 / len(noise)) * expected)
        self.assertEqual(mechanism.estimate(found[:50]), [max(0, one) for one in found[:50]])
        self.assertEqual(mechanism.measure(3, **told), mechanism.release(3, **told).measurement)  # type: ignore[arg-type]
        drawn = mechanism.sample(50_000, answer=10, **told)  # type: ignore[arg-type]
        self.assertLess(abs(sum(map(int, drawn)) / 50_000 - 10), 6 * math.sqrt(expected / 50_000))
        self.assertEqual(len(mechanism.sample(0)), 0)
        within = ib.laplace(epsilon=1).conditioned(lower=0, upper=5).measure([0, 5, 3] * 100)
        self.assertTrue(all(0 <= one <= 5 for one in within))
        with self.assertRaises(ValueError):
            mechanism.measure(3, seed=1)
        # Beyond 64 bits there is no number, and no answer decides whether one is published.
        self.assertGreater(mechanism.measure(2**63 - 1), 2**62)

    def test_what_is_no_whole_number_is_refused_by_its_type(self) -> None:
        mechanism = ib.laplace(epsilon=1).clamped(lower=0)
        for call in (mechanism.release, mechanism.measure, mechanism.bias, mechanism.interval, mechanism.estimate):
            for wrong in (2.0, [2.0], ["2"], "2", [None]):
                with self.assertRaises(TypeError):
                    call(wrong)
        with self.assertRaises(TypeError):
            ib.count([1.5], epsilon=1, neighbours="add-remove")  # type: ignore[list-item]

    def test_everything_takes_one_or_many(self) -> None:
        mechanism = ib.laplace(epsilon=1).clamped(lower=0, upper=10)
        for many, single in (
            (mechanism.bias([2, 3]), mechanism.bias(3)),
            (mechanism.rmse([2, 3]), mechanism.rmse(3)),
            (mechanism.mse([2, 3]), mechanism.mse(3)),
            (mechanism.cdf([2, 3], answer=3), mechanism.cdf(3, answer=3)),
            (mechanism.ppf([0.2, 0.9], answer=3), mechanism.ppf(0.9, answer=3)),
            (mechanism.interval([2, 3])[0], mechanism.interval(3)[0]),
            (mechanism.interval([2, 3])[1], mechanism.interval(3)[1]),
            (mechanism.posterior([2, 3])[0], mechanism.posterior(3)[0]),
            (mechanism.posterior([2, 3])[1], mechanism.posterior(3)[1]),
            (mechanism.posterior([2, 3], [0.5])[1], mechanism.posterior(3, [0.5])[1]),
        ):
            self.assertEqual(many[1], single)

    @needs("numpy")
    def test_arrays_of_any_shape(self) -> None:
        import numpy as np

        mechanism = ib.laplace(epsilon=1).clamped(lower=0, upper=10)
        answers = np.arange(12, dtype="int32").reshape(3, 4)
        told = dict(seed=1, not_private=True)
        measured = mechanism.measure(answers, **told)
        self.assertEqual((measured.shape, measured.dtype), ((3, 4), np.dtype("int64")))
        self.assertEqual(measured.ravel().tolist(), mechanism.measure(answers.ravel().tolist(), **told))
        self.assertEqual(mechanism.estimate(measured).shape, (3, 4))
        for function in (mechanism.bias, mechanism.rmse, mechanism.mse):
            self.assertEqual(function(answers).ravel().tolist(), function(answers.ravel().tolist()))
        self.assertEqual(mechanism.cdf(answers, answer=3).shape, (3, 4))
        self.assertEqual(mechanism.ppf(np.full((2, 2), 0.3), answer=3).shape, (2, 2))
        self.assertEqual([end.shape for end in mechanism.interval(answers)], [(3, 4)] * 2)
        means, quantiles = mechanism.posterior(answers)
        self.assertEqual((means.shape, quantiles.shape), ((3, 4), (3, 4, 3)))
        self.assertEqual(mechanism.posterior(answers, [0.5])[1].shape, (3, 4, 1))
        self.assertEqual(mechanism.measure(np.arange(5, dtype="uint64")).shape, (5,))
        self.assertEqual(mechanism.measure(np.arange(10)[::3], **told).shape, (4,))
        self.assertIsInstance(mechanism.sample(5), np.ndarray)
        for wrong in (np.zeros(3), np.array(["1"])):
            with self.assertRaises(TypeError):
                mechanism.measure(wrong)

    def test_every_mechanism_of_the_advice_can_be_made(self) -> None:
        found = {one["plan_name"] for one in ib.advise(epsilon=1, sensitivity=1, lower=0, upper=50, delta="1e-6", integer=True).mechanisms}
        several = ib.advise(epsilon=1, sensitivity=1, numbers=5)
        errors = {one["plan_name"]: one["rmse_in_middle"] for one in several.mechanisms}
        self.assertAlmostEqual((errors["clamped"] / errors["together"]) ** 2, 150 / 42, places=2)
        noises = [ib.laplace(epsilon=1), ib.gaussian(epsilon=1, delta="1e-6"), ib.staircase(epsilon=1)]
        noises.append(ib.generalised_gaussian(epsilon=1, delta="1e-6"))
        for word in found:
            noise = next(noise for noise in reversed(noises) if word.endswith(noise._suffix))
            bounded = noise.bounded(word.removesuffix(noise._suffix), lower=0, upper=50)
            self.assertGreater(bounded.scale, 0, word)

    def test_noise_that_is_a_factor(self) -> None:
        large = ib.laplace(epsilon=1).multiplied(lower=50)
        # b = ln(1 + 1/50), and the RMSE b sqrt((2 + b^2) / (1 - 4 b^2)).
        self.assertAlmostEqual(large.rmse(5000) / 5000, 0.02803, places=4)
        published = large.release(5000, seed=1, not_private=True)
        self.assertTrue(published.interval[0] <= published.value <= published.interval[1] and published.value >= 50)
        ranked = ib.advise(epsilon=3, sensitivity=1, lower=1, integer=True, relative=True)
        self.assertIn("log-laplace", {one["plan_name"] for one in ranked.mechanisms})
        for refused in (
            lambda: ib.laplace(epsilon=1).multiplied(lower=0, upper=9),
            lambda: ib.laplace(epsilon=1).multiplied(lower=1),
            lambda: ib.gaussian(epsilon=1).multiplied(lower=5),
            lambda: ib.advise(epsilon=3, sensitivity=1, relative=True),
        ):
            with self.assertRaises(ib.ParameterError):
                refused()

    def test_conditioned_gaussian_noise_spends_no_delta(self) -> None:
        narrow = ib.gaussian(epsilon=1).conditioned(lower=0, upper=10)
        self.assertIsNone(narrow.delta)
        self.assertTrue(all(0 <= one <= 10 for one in narrow.measure([0, 5, 10] * 20, seed=1, not_private=True)))
        for noise in (ib.staircase(epsilon=1), ib.generalised_gaussian(epsilon=1)):
            other = noise.conditioned(lower=0, upper=10)
            self.assertIsNone(other.delta)
            self.assertTrue(all(0 <= one <= 10 for one in other.measure([0, 5, 10] * 20, seed=1, not_private=True)))
        for noise in (ib.gaussian(epsilon=1), ib.generalised_gaussian(epsilon=1)):
            with self.assertRaises(ib.ParameterError):
                noise.clamped(lower=0)

    def test_what_cannot_be(self) -> None:
        with self.assertRaises(ib.ParameterError):
            ib.laplace(epsilon=1).clamped(lower=3, upper=1)
        with self.assertRaises(ib.ParameterError):
            ib.gaussian(epsilon=1, delta=0).clamped(lower=0)
        with self.assertRaises(ib.ParameterError):
            ib.laplace(epsilon=1).conditioned(lower=0, upper=5).cdf(3, answer=3)
        for level in (0, 1, 2.0, float("nan")):
            with self.assertRaises(ValueError):
                ib.laplace(epsilon=1).unbounded().interval(3, level=level)
        mean, quantiles = ib.laplace(epsilon=1).clamped(lower=0).posterior(-3, [0.5, 0.95])
        self.assertEqual((round(mean, 6), quantiles), (0.581977, [0, 2]))


class Advice(unittest.TestCase):
    def test_the_ranking_and_its_forms(self) -> None:
        advice = ib.advise(epsilon=1, sensitivity=1, lower=0, criterion="worst-bias")
        self.assertAlmostEqual(advice.mechanisms[0]["worst_bias"], 0.2784645, places=6)
        self.assertIn("clamped-staircase", str(advice))
        self.assertIn("<svg", advice._repr_html_())
        self.assertTrue(advice.plot().startswith("<svg"))
        for wrong in (dict(criterion="best"), dict(sensitivity=0), dict(lower=3, upper=2)):
            with self.assertRaises(ib.ParameterError):
                ib.advise(**{"epsilon": 1, "sensitivity": 1, **wrong})  # type: ignore[arg-type]

    def test_a_design_is_certified(self) -> None:
        made = ib.design(epsilon=1, sensitivity=1, upper=20, criterion="worst-mse", worst_bias="0.4")
        self.assertEqual(made.status, "optimal")
        self.assertLessEqual(made.errors["worst_bias"], 0.4 + 1e-6)
        self.assertGreaterEqual(made.errors["worst_mse"], made.lower_bound - 1e-9)
        with self.assertRaises(ib.ParameterError):
            ib.design(epsilon=1, sensitivity=1, criterion="worst-bias", worst_bias=1)

    def test_a_design_is_a_mechanism(self) -> None:
        for noise, more in (("laplace", {}), ("gaussian", {"delta": "1e-6"}), ("staircase", {})):
            for upper in (None, 20):
                asked: dict[str, Any] = {"epsilon": 1, "sensitivity": 1, "noise": noise, "upper": upper, "monotone": True}
                made = ib.design(**asked, **more)
                counts = made.mechanism()
                self.assertEqual(counts.name, f"tabulated-discrete-{noise}")
                self.assertAlmostEqual(counts.worst_bias, made.errors["worst_bias"], places=6)
                for row in made.rule:
                    estimate = counts.estimate(round(row["measurement"]), seed=1)
                    self.assertLess(abs(estimate - row["estimate"]), 1)
        with self.assertRaises(ib.ParameterError):
            ib.design(epsilon=1, sensitivity=1, step="0.5").mechanism()

    def test_a_plan_has_a_rule_of_its_own(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            rule, rows = Path(folder, "rule.csv"), Path(folder, "rows.csv")
            rule.write_text("measurement,estimate\n0,0\n1,0\n2,2\n")
            rows.write_text("age\n30\n40\n")
            keys: dict[str, Any] = dict(
                data=str(rows),
                privacy=ib.Privacy(unit="row", neighbours="add-remove", epsilon=1),
                columns={"age": {"type": "integer", "lower": 0, "upper": 110, "missing": "drop"}},
                statistics=[ib.count(mechanism={"rule": str(rule)})],
            )
            bundle = ib.Plan(**keys).release(seed=1, not_private=True)
            measured = bundle.manifest["statistics"][0]["measured"][0]
            self.assertEqual(measured["mechanism"], "tabulated-discrete-laplace")
            self.assertEqual(measured["processing"]["estimates"], [0.0, 0.0, 2.0])
            rule.write_text("measurement,estimate\n0,0\n1,-1\n")
            with self.assertRaisesRegex(ib.PlanError, "line 3"):
                ib.Plan(**keys).release(seed=1, not_private=True)


class Reconciling(unittest.TestCase):
    def test_files_and_folders(self) -> None:
        homes = EXAMPLES / "constraints"
        with tempfile.TemporaryDirectory() as room:
            out = Path(room, "out")
            fitted = ib.reconcile(homes / "homes.csv", out, constraints=homes / "homes.toml", replicates=20)
            self.assertEqual(fitted.folder, out)
            found = {row["node"]: row["estimate"] for row in fitted.estimates.to_dicts()}
            self.assertAlmostEqual(found["homes"], found["owned"] + found["rented"] + found["second homes"], places=6)
            self.assertLessEqual(found["people"], 2.25 * found["homes"] + 1e-6)
            with self.assertRaises(ib.WriteError):
                ib.reconcile(homes / "homes.csv", out, replicates=20)
        with self.assertRaises(ib.DataError):
            ib.reconcile("no-such.csv", replicates=20)

    def test_a_wide_table_is_the_long_one(self) -> None:
        folder = EXAMPLES / "constraints"
        long = ib.reconcile(folder / "households.csv", replicates=0)
        tenures = ["owned", "rented", "social", "other"]
        wide = ib.reconcile(folder / "households-wide.csv", wide={"tenure": tenures}, wide_total="all", replicates=0)

        def numbers(bundle: ib.Bundle) -> list[tuple[object, object]]:
            return sorted((row["node"], row["estimate"]) for row in bundle.estimates.to_dicts())

        self.assertEqual(len(numbers(wide)), 20)
        for (name, one), (other, two) in zip(numbers(long), numbers(wide)):
            self.assertEqual(name, other)
            self.assertAlmostEqual(one, two, places=9)
        with self.assertRaisesRegex(ValueError, "wide_total must come with wide"):
            ib.reconcile(folder / "households.csv", wide_total="all")

    def test_labels_of_totals_are_sums(self) -> None:
        rows = ["Total,All,30,1", "Total,f,16,1", "Total,m,15,1", "north,All,20,1", "north,f,11,1", "north,m,9,1"]
        named = {"total": ["All", "Total"], "usual_totals": False}
        with tempfile.TemporaryDirectory() as room:
            counts = Path(room, "totals.csv")
            counts.write_text("\n".join(["region,sex,value,variance", *rows, "south,All,11,1", "south,f,5,1", "south,m,6,1", ""]), encoding="utf-8")
            for asked, nodes in [({}, 9), ({"usual_totals": False}, 16), (named, 9)]:
                found = ib.reconcile(counts, replicates=0, **asked)  # type: ignore[arg-type]
                self.assertEqual(found.manifest["input"]["nodes"], nodes)

    def test_mistakes_have_their_place_in_the_mapping(self) -> None:
        homes = EXAMPLES / "constraints" / "homes.csv"
        wrong = {"equality": [{"name": "sum", "terms": {"homes": 1, "owned": -1}, "equal": 0}]}
        with self.assertRaises(ib.ConstraintsError) as caught:
            ib.reconcile(homes, constraints=wrong, replicates=20)
        self.assertTrue(all(one.place.startswith("constraints['equality'][0]") for one in caught.exception.mistakes), str(caught.exception))

    def test_what_nothing_satisfies(self) -> None:
        homes = EXAMPLES / "constraints" / "homes.csv"
        both = [
            {"name": "few", "terms": {"homes": 1}, "at_most": 10},
            {"name": "many", "terms": {"homes": 1}, "at_least": 20},
        ]
        with self.assertRaises(ib.InfeasibleError) as caught:
            ib.reconcile(homes, constraints={"inequality": both}, replicates=20)
        self.assertGreaterEqual(len(caught.exception.conflict), 2)

    def test_an_end_that_is_asked_for_writes_nothing(self) -> None:
        def stop(words: str) -> None:
            raise KeyboardInterrupt

        rows = "node,parent,value,law,scale\nall,,60000,discrete-laplace,5\n"
        rows += "".join(f"n{n},all,{n % 13},discrete-laplace,5\n" for n in range(10_000))
        with tempfile.TemporaryDirectory() as room:
            Path(room, "m.csv").write_text(rows)
            with self.assertRaises(KeyboardInterrupt):
                ib.reconcile(Path(room, "m.csv"), Path(room, "out"), replicates=5000, progress=stop)
            self.assertFalse(Path(room, "out").exists())


if __name__ == "__main__":
    unittest.main()
