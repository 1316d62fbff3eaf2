//! Bias and error against the true answer, and their picture.

use inbounds_mechanisms::{mechanism::Mechanism, registry};
use inbounds_plot::{Axis, Figure, Panel, Series};

use super::{Advice, Question};

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
    pub(super) fn of(mechanism: &dyn Mechanism, step: f64) -> Self {
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

    pub(super) fn worst_rmse(&self) -> f64 {
        self.points.iter().map(|point| point.rmse).fold(0.0, f64::max)
    }
}

/// Bias and RMSE of every mechanism against the true value, side by side.
pub fn figure(question: &Question, advice: &[Advice]) -> Figure {
    let (start, sign) = match (&question.lower, &question.upper) {
        (Some(lower), _) => (lower.to_f64(), 1.0),
        (None, Some(upper)) => (upper.to_f64(), -1.0),
        (None, None) => (0.0, 1.0),
    };
    // Answers beyond the shortest curve are felt by no end of that mechanism; one axis serves all.
    let shown = advice.iter().filter_map(|row| row.curve.points.last()).map(|point| point.distance).fold(0.0, f64::max);
    let lines = |height: fn(&Point) -> f64| {
        let line = |row: &Advice| {
            let mut points: Vec<(f64, f64)> =
                row.curve.points.iter().map(|point| (start + sign * point.distance, height(point))).collect();
            if let Some(last) = row.curve.points.last().filter(|last| last.distance < shown) {
                points.push((start + sign * shown, height(last)));
            }
            Series::line(row.plan_name, points)
        };
        advice.iter().map(line).collect()
    };
    let panel = |title: &str, series| Panel {
        title: title.to_owned(),
        x: Axis::linear("true value"),
        y: Axis::linear(format!("{title}, in the unit of the statistic")),
        series,
        references: vec![],
    };
    let title =
        format!("epsilon {}, sensitivity {}, {}", question.epsilon, question.sensitivity, question.range_in_words());
    let panels = vec![panel("bias", lines(|point| point.bias)), panel("RMSE", lines(|point| point.rmse))];
    // A mechanism looks the same in every figure, whatever its rank.
    let known_names = registry::MECHANISMS.iter().map(|entry| entry.plan_name.to_owned()).collect();
    Figure { known_names, ..Figure::row(title, panels) }
}
