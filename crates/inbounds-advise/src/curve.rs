//! Bias and error against the true answer.

use inbounds_mechanisms::mechanism::Mechanism;

/// Error of a mechanism's estimate at candidate answers, in the statistic's unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    points: Vec<Point>,
}

/// One candidate answer, told from the end of the range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Distance of the answer from the lower end (from the upper one where there is no lower).
    pub distance: f64,
    /// Bias there.
    pub bias: f64,
    /// Root mean square error there.
    pub rmse: f64,
}

impl Curve {
    /// The [`Mechanism::candidates`]; `step` is the unit of the grid.
    pub(crate) fn of(mechanism: &dyn Mechanism, step: f64) -> Self {
        let candidates = mechanism.candidates();
        let end = candidates.first().copied().unwrap_or_default();
        let point = |candidate: &i128| {
            let error = mechanism.error_at(*candidate);
            Point { distance: candidate.abs_diff(end) as f64 * step, bias: error.bias * step, rmse: error.rmse * step }
        };
        Self { points: candidates.iter().map(point).collect() }
    }

    /// Its points, from the end inwards.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    pub(crate) fn worst_rmse(&self) -> f64 {
        self.points.iter().map(|point| point.rmse).fold(0.0, f64::max)
    }
}
