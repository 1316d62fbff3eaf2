"""Projections of public numbers, against what they are by definition."""

from __future__ import annotations

import itertools
import math
import random
import unittest

import inbounds as ib


class Projections(unittest.TestCase):
    def test_a_total_is_shared_by_variances(self) -> None:
        self.assertEqual(ib.onto_total([1, 2, 6], total=12), [2.0, 3.0, 7.0])
        found = ib.onto_total([1.0, 2.0], total=9, variances=[1, 2])
        self.assertAlmostEqual(found[0], 3.0)
        self.assertAlmostEqual(found[1], 6.0)

    def test_no_shares_are_nearer(self) -> None:
        chance = random.Random(5)
        for _ in range(20):
            values = [chance.uniform(-1, 1) for _ in range(3)]
            found = ib.onto_simplex(values)
            self.assertAlmostEqual(sum(found), 1.0)
            self.assertGreaterEqual(min(found), 0.0)
            grid = range(0, 41)
            shares = [(a / 40, b / 40, 1 - (a + b) / 40) for a, b in itertools.product(grid, grid) if a + b <= 40]
            least = min(math.dist(values, share) for share in shares)
            self.assertLessEqual(math.dist(values, found), least + 1e-12)

    def test_orders_pool_what_violates_them(self) -> None:
        self.assertEqual(ib.onto_order([1, 3, 2, 5]), [1.0, 2.5, 2.5, 5.0])
        self.assertEqual(ib.onto_order([1, 3, 2], increasing=False), [2.0, 2.0, 2.0])
        self.assertEqual(ib.onto_order([-2, 3, 20], lower=0, upper=10), [0.0, 3.0, 10.0])

    def test_the_nearest_correlation_matrix(self) -> None:
        found = ib.onto_semidefinite([[1, 1, 0], [1, 1, 1], [0, 1, 1]], diagonal=[1, 1, 1])
        self.assertAlmostEqual(found[0][1], 0.7607, places=4)
        self.assertEqual([found[row][row] for row in range(3)], [1.0] * 3)
        whole = ib.onto_semidefinite([[1.0, 2.0], [2.0, 1.0]])
        for row in whole:
            for entry in row:
                self.assertAlmostEqual(entry, 1.5)

    def test_trees_and_tables_add_up(self) -> None:
        self.assertEqual(ib.onto_tree([6, 1, 2], parents=[None, 0, 0]), [5.0, 2.0, 3.0])
        self.assertEqual(ib.onto_tree([5, -2, 4], parents=[None, 0, 0]), [4.5, 0.0, 4.5])
        fixed = ib.onto_tree([10, 3, 4], parents=[None, 0, 0], variances=[0, 1, 1])
        self.assertEqual(fixed, [10.0, 4.5, 5.5])
        found = ib.onto_table({(): [10], (0,): [6.2, 5.1], (0, 1): [3, 1, -2, 7]}, sizes=[2, 2], whole=True)
        self.assertEqual(set(found), {(), (0,), (1,), (0, 1)})
        cells = found[(0, 1)]
        self.assertTrue(all(cell >= 0 and cell == int(cell) for cell in cells))
        self.assertEqual(found[(0,)], [cells[0] + cells[1], cells[2] + cells[3]])
        self.assertEqual(found[(1,)], [cells[0] + cells[2], cells[1] + cells[3]])
        self.assertEqual(found[()], [sum(cells)])

    def test_releases_are_combined_by_the_rule_of_the_paper(self) -> None:
        found = ib.combine_releases([0.2, 0.25, 0.15, 0.22, 0.18], rows=100)
        self.assertAlmostEqual(found.estimate, 0.2)
        # B = 0.00145, W = 0.0015884, and nu = 4 (1 + 5 W / B)^2.
        self.assertAlmostEqual(found.variance, 0.00145 / 5 + 0.0015884)
        self.assertAlmostEqual(found.freedom, 4 * (1 + 5 * 0.0015884 / 0.00145) ** 2)
        lower, upper = found.interval
        self.assertTrue(0.1 < lower < 0.2 < upper < 0.3 and abs(lower + upper - 0.4) < 1e-12)
        for wrong in ([0.2], [0.2, float("nan")]):
            with self.assertRaises(ib.ParameterError):
                ib.combine_releases(wrong, rows=100)

    def test_what_cannot_be(self) -> None:
        with self.assertRaises(ib.InfeasibleError):
            ib.onto_simplex([1, 2], total=5, upper=1)
        for wrong in (
            lambda: ib.onto_total([1, float("nan")], total=1),
            lambda: ib.onto_total([1, 2], total=1, variances=[1]),
            lambda: ib.onto_tree([1, 2], parents=[1, 0]),
            lambda: ib.onto_tree([1, 2], parents=[None]),
            lambda: ib.onto_table({(1,): [1, 2]}, sizes=[2]),
            lambda: ib.onto_table({(0,): [1, 2, 3]}, sizes=[2]),
            lambda: ib.onto_semidefinite([[1, 2]]),
        ):
            with self.assertRaises(ib.ParameterError):
                wrong()


if __name__ == "__main__":
    unittest.main()
