"""Mechanisms for real numbers on a grid."""

from __future__ import annotations

import math
import unittest

import inbounds as ib


class OnGrid(unittest.TestCase):
    def test_errors_are_those_of_continuous_noise(self) -> None:
        share = ib.laplace(epsilon=1).on_grid(sensitivity="1/50").clamped(lower=0, upper=1)
        # Half a scale at an end, and sqrt(2) scales in the middle of a range of 50.
        self.assertAlmostEqual(share.scale, 0.02, places=9)
        self.assertAlmostEqual(share.bias(0.0), 0.01, places=9)
        self.assertAlmostEqual(share.rmse(0.5), 0.02 * math.sqrt(2), places=8)
        self.assertAlmostEqual(share.worst_bias, 0.01, places=9)
        conditioned = ib.laplace(epsilon=1).on_grid(sensitivity="1/50").conditioned(lower=0, upper=1)
        self.assertAlmostEqual(conditioned.scale, 0.02 / math.log((1 + math.e) / 2), places=8)

    def test_noise_covers_one_step_more_than_the_sensitivity(self) -> None:
        noise = ib.laplace(epsilon=1).on_grid(sensitivity=3, spacing=1).unbounded()
        self.assertEqual((noise.spacing, noise.mechanism.scale), (1.0, 4.0))

    def test_draws_have_the_stated_error_and_intervals_cover(self) -> None:
        share = ib.laplace(epsilon=1).on_grid(sensitivity="1/50").clamped(lower=0, upper=1)
        published = share.release([0.3] * 4000, seed=3, not_private=True)
        rmse = math.sqrt(sum((one.value - 0.3) ** 2 for one in published) / 4000)
        # Four standard errors of a root mean square of 4,000 Laplace draws.
        self.assertLess(abs(rmse / share.rmse(0.3) - 1), 0.08)
        covered = sum(one.interval[0] <= 0.3 <= one.interval[1] for one in published)
        self.assertTrue(3730 <= covered <= 3870, covered)
        one = share.release(0.3, seed=4, not_private=True)
        self.assertTrue(0 <= one.value <= 1)
        lower, upper = share.interval(one.measurement)
        self.assertEqual((lower, upper), one.interval)

    def test_forms_come_back(self) -> None:
        noise = ib.gaussian(epsilon=1, delta="1e-6").on_grid(sensitivity=0.5).unbounded()
        self.assertIsInstance(noise.measure(0.1, seed=1, not_private=True), float)
        self.assertEqual(len(noise.measure([0.1, 0.2], seed=1, not_private=True)), 2)
        self.assertEqual(noise.estimate(0.25), 0.25)
        factor = ib.laplace(epsilon=1).on_grid(sensitivity=0.5).multiplied(lower="25")
        self.assertAlmostEqual(factor.rmse(3000.0) / 3000.0, 0.02803, places=4)
        narrow = ib.gaussian(epsilon=1).on_grid(sensitivity=0.5, spacing="1/1024").conditioned(lower=0, upper=1)
        self.assertIsNone(narrow.delta)

    def test_what_cannot_be(self) -> None:
        noise = ib.laplace(epsilon=1)
        for wrong in (
            lambda: noise.on_grid(sensitivity=0),
            lambda: noise.on_grid(sensitivity=1, spacing="1/3"),
            lambda: noise.on_grid(sensitivity="x"),
            lambda: ib.laplace(epsilon=1, sensitivity=2).on_grid(sensitivity=1),
            lambda: noise.on_grid(sensitivity=1).clamped(lower=1, upper=0),
            lambda: noise.on_grid(sensitivity=1).unbounded().measure(float("nan"), seed=1, not_private=True),
            lambda: ib.gaussian(epsilon=1).on_grid(sensitivity=1).multiplied(lower=2),
        ):
            with self.assertRaises(ib.ParameterError):
                wrong()


if __name__ == "__main__":
    unittest.main()
