"""Naive Bayes models, by themselves and with the habits of scikit-learn."""

from __future__ import annotations

import csv
import math
import pickle
import tempfile
import tomllib
import unittest
from pathlib import Path
from typing import Any

import inbounds as ib
from common import PLANS, command, files, needs

MODELS = [plan for plan in PLANS if any(one["kind"] == "naive-bayes" for one in tomllib.loads(plan.read_text())["statistic"])]


class Classifiers(unittest.TestCase):
    def test_the_examples_have_one(self) -> None:
        self.assertTrue(MODELS)

    def test_it_predicts_what_the_command_predicts(self) -> None:
        for path in MODELS:
            names = [one["name"] for one in tomllib.loads(path.read_text())["statistic"] if one["kind"] == "naive-bayes"]
            bundle = ib.Plan.read(path).release(seed=3, not_private=True)
            for name in names:
                model = bundle.classifier(name)
                with tempfile.TemporaryDirectory() as room:
                    middle = [sum(means[j] for means in model.theta_) / len(model.theta_) for j in range(len(model.features))]
                    rows = [[number * (0.8 + 0.05 * n) for number in middle] for n in range(9)]
                    with Path(room, "rows.csv").open("w", newline="") as file:
                        csv.writer(file).writerows([model.features, *rows])
                    done = command("predict", bundle.folder, f"{room}/rows.csv", "--out", f"{room}/out.csv", "--statistic", name)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    with Path(room, "out.csv").open(newline="") as file:
                        found = list(csv.DictReader(file))
                self.assertEqual(model.predict(rows), [row["predicted"] for row in found])
                for row, probabilities in zip(found, model.predict_proba(rows)):
                    for of_class, probability in zip(model.classes_, probabilities):
                        self.assertAlmostEqual(float(row[f"probability_{of_class}"]), probability, places=12)

    def test_forms(self) -> None:
        bundle = ib.Plan.read(MODELS[0]).release(seed=3, not_private=True)
        model = bundle.classifier()
        self.assertAlmostEqual(sum(model.class_prior_), 1)
        self.assertEqual(len(model.var_[0]), len(model.features))
        with self.assertRaises(ValueError):
            model.predict([[1.0] * (len(model.features) + 1)])
        with self.assertRaises(ValueError):
            model.predict([[math.nan] * len(model.features)])
        again = pickle.loads(pickle.dumps(model))
        self.assertEqual(again.predict_proba(model.theta_), model.predict_proba(model.theta_))
        self.assertEqual(files(pickle.loads(pickle.dumps(bundle))), files(bundle))
        with self.assertRaises(ib.DataError):
            bundle.classifier("no-such")

    @needs("numpy")
    def test_arrays(self) -> None:
        import numpy as np

        model = ib.Plan.read(MODELS[0]).release(seed=3, not_private=True).classifier()
        rows = np.array(model.theta_)
        self.assertEqual(model.predict(rows).tolist(), model.predict(rows.tolist()))
        np.testing.assert_allclose(model.predict_proba(rows), model.predict_proba(rows.tolist()), rtol=1e-13)
        np.testing.assert_allclose(np.exp(model.predict_log_proba(rows)).sum(axis=1), 1)
        with self.assertRaises(ValueError):
            model.predict(rows[0])


def estimator(**changed: Any) -> Any:
    from inbounds.sklearn import NaiveBayes

    told = dict(epsilon=10_000, lower=-1000, upper=1000, classes="present", seed=1, not_private=True)
    return NaiveBayes(**{**told, **changed})


class Estimators(unittest.TestCase):
    @needs("sklearn")
    def test_the_checks_of_scikit_learn(self) -> None:
        from sklearn.utils.estimator_checks import check_estimator

        expected = {
            "check_estimators_empty_data_messages": "no number of rows decides whether a release succeeds",
            "check_estimators_nan_inf": "no value decides whether a release succeeds: one that is missing is dropped",
        }
        found = check_estimator(estimator(), expected_failed_checks=expected, on_fail=None, on_skip=None)
        wrong = [f"{one['check_name']}: {one['exception']}" for one in found if one["status"] == "failed"]
        self.assertFalse(wrong, "\n".join(wrong))
        self.assertGreater(sum(one["status"] == "passed" for one in found), 30)

    @needs("sklearn")
    def test_what_is_public_is_a_parameter(self) -> None:
        import numpy as np

        random = np.random.default_rng(2)
        y = random.choice(["b", "a"], 3000)
        X = random.normal(size=(3000, 2)) + 4 * (y == "a")[:, None]
        for missing in ("lower", "upper", "classes"):
            with self.assertRaisesRegex(ValueError, missing):
                estimator(**{missing: None}).fit(X, y)
        with self.assertRaises(ValueError):
            estimator(lower=[0, 0, 0]).fit(X, y)
        told = dict(epsilon=2, lower=-4, upper=[8, 9], classes=["a", "b"], seed=None, not_private=False)
        model = estimator(**told).fit(X, y)
        self.assertGreater(model.score(X, y), 0.9)
        self.assertTrue(model.bundle_.private)
        self.assertEqual(model.bundle_.manifest["guarantee"]["epsilon_spent"], "2")
        # Values that are no numbers, rows of no class and no rows at all decide nothing.
        X[::7] = np.nan
        X[1] = np.inf
        y[3] = "c"
        estimator(**told).fit(X, y)
        estimator(**told).fit(np.empty((0, 2)), np.empty(0, dtype=str))
        self.assertEqual(estimator(**told).fit(X, y).predict(np.array([[0.0, 0.0]])).tolist(), ["b"])


if __name__ == "__main__":
    unittest.main()
