//! Bias and error against the true answer.

use inbounds_mechanisms::mechanism::Mechanism;

/// Error of a mechanism's estimate at candidate answers, in the statistic's unit, or as parts of the answers.
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
    /// At candidates; `step` is the unit of the grid, and `unit` what a step is in the unit of errors at an answer.
    pub(crate) fn at_candidates(
        mechanism: &dyn Mechanism,
        candidates: &[i128],
        unit: impl Fn(i128) -> f64,
        step: f64,
    ) -> Self {
        let end = candidates.first().copied().unwrap_or_default();
        let point = |candidate: &i128| {
            let error = mechanism.error_at(*candidate);
            let (distance, unit) = (candidate.abs_diff(end) as f64 * step, unit(*candidate));
            Point { distance, bias: error.bias * unit, rmse: error.rmse * unit }
        };
        Self { points: candidates.iter().map(point).collect() }
    }

    /// Its points, from the end inwards.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    pub(crate) fn worst_bias(&self) -> f64 {
        self.points.iter().map(|point| point.bias.abs()).fold(0.0, f64::max)
    }

    pub(crate) fn worst_rmse(&self) -> f64 {
        self.points.iter().map(|point| point.rmse).fold(0.0, f64::max)
    }
}
