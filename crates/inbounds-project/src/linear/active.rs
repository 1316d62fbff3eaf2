//! Which bounds of a linear system bind.

use super::{Point, Problem, plane::OnPlane};
use crate::constraint::Rows;

/// Which bound of a cell binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Free,
    Lower,
    Upper,
}

/// Binding bounds and rows.
#[derive(Debug, Clone)]
pub(super) struct Active {
    pub(super) cells: Vec<Side>,
    pub(super) rows: Vec<bool>,
}

impl Active {
    /// Only what has no choice: fixed cells.
    pub(super) fn fixed_cells(problem: &Problem<'_>) -> Self {
        let side = |i: usize| {
            let (lower, upper) = problem.system.bounds.interval(i);
            if lower == upper { Side::Lower } else { Side::Free }
        };
        Self {
            cells: (0..problem.values.len()).map(side).collect(),
            rows: vec![false; problem.system.inequalities.len()],
        }
    }

    /// The bound that a cell is held at.
    pub(super) fn bound(&self, problem: &Problem<'_>, cell: usize) -> Option<f64> {
        let (lower, upper) = problem.system.bounds.interval(cell);
        match self.cells[cell] {
            Side::Free => None,
            Side::Lower => Some(lower),
            Side::Upper => Some(upper),
        }
    }

    /// The inequalities that bind.
    pub(super) fn binding(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|&i| self.rows[i]).collect()
    }

    /// The equalities, those of the rows that bind included.
    pub(super) fn equalities(&self, problem: &Problem<'_>) -> Rows {
        problem.system.equalities.with(&problem.system.inequalities, &self.binding())
    }

    /// Variance of each cell: zero at a bound.
    pub(super) fn variances(&self, problem: &Problem<'_>) -> Vec<f64> {
        let variance = |(side, weight): (&Side, &f64)| if *side == Side::Free { weight.recip() } else { 0.0 };
        self.cells.iter().zip(problem.weights).map(variance).collect()
    }

    /// A point of that plane with its multipliers sorted to their rows.
    pub(super) fn point(&self, problem: &Problem<'_>, on_plane: OnPlane) -> Point {
        let (equalities, rest) = on_plane.multipliers.split_at(problem.system.equalities.len());
        let mut point = Point { x: on_plane.x, equalities: equalities.to_vec(), ..Point::at_rest(problem) };
        self.binding().iter().zip(rest).for_each(|(&i, &lambda)| point.inequalities[i] = lambda);
        point
    }
}

/// The solution that the multipliers of the rows give, up to rounding.
pub(super) struct DualSolution {
    /// True if its rows hold as well as doubles can.
    pub(super) exact: bool,
    /// Which cells are at their bounds.
    pub(super) active: Active,
    pub(super) point: Point,
}
