//! The picture of a ranking.

use inbounds_mechanisms::registry;
use inbounds_plot::{Axis, Figure, Panel, Series};

use crate::{Advice, Question, curve::Point};

/// Bias and RMSE of every mechanism against the true value, side by side.
pub fn figure(question: &Question, advice: &[Advice]) -> Figure {
    let (start, sign) = match (&question.lower, &question.upper) {
        (Some(lower), _) => (lower.to_f64(), 1.0),
        (None, Some(upper)) => (upper.to_f64(), -1.0),
        (None, None) => (0.0, 1.0),
    };
    // Answers beyond the shortest curve are felt by no end of that mechanism; one axis serves all.
    let shown =
        advice.iter().filter_map(|row| row.curve.points().last()).map(|point| point.distance).fold(0.0, f64::max);
    let lines = |height: fn(&Point) -> f64| {
        let line = |row: &Advice| {
            let mut points: Vec<(f64, f64)> =
                row.curve.points().iter().map(|point| (start + sign * point.distance, height(point))).collect();
            if let Some(last) = row.curve.points().last().filter(|last| last.distance < shown) {
                points.push((start + sign * shown, height(last)));
            }
            Series::line(row.plan_name, points)
        };
        advice.iter().map(line).collect()
    };
    let unit = if question.relative { "as a part of the answer" } else { "in the unit of the statistic" };
    let panel = |title: &str, series| Panel {
        title: title.to_owned(),
        x: Axis::linear("true value"),
        y: Axis::linear(format!("{title}, {unit}")),
        series,
        references: vec![],
    };
    let of_numbers = if question.numbers == 1 { String::new() } else { format!(" of {} numbers", question.numbers) };
    let title = format!(
        "epsilon {}{of_numbers}, sensitivity {}, {}",
        question.epsilon,
        question.sensitivity,
        question.range_in_words()
    );
    let panels = vec![panel("bias", lines(|point| point.bias)), panel("RMSE", lines(|point| point.rmse))];
    // A mechanism looks the same in every figure, whatever its rank.
    let known = registry::MECHANISMS.iter().chain([&registry::TOGETHER]);
    let known_names = known.map(|entry| entry.plan_name.to_owned()).collect();
    Figure { known_names, ..Figure::row(title, panels) }
}
