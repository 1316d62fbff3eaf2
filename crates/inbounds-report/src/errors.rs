//! The pictures of errors.

use inbounds_plot::{At, Axis, Figure, Graphic, Interval, Marks, Panel, Reference, Series};

use crate::{classes::Class, document::Picture, figures::figure, pictures::WIDTH};

/// Error of the raw measurement, with which an estimate's error is compared.
pub(crate) struct Raw {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its standard deviation.
    pub(crate) deviation: f64,
}

/// Bias and RMSE against the true answer, with the error of the raw measurement.
pub(crate) fn curve(id: &str, points: &[(f64, f64, f64)], raw: Raw, ends: [Option<f64>; 2], unit: &str) -> Picture {
    let series = |name: &str, height: fn(&(f64, f64, f64)) -> f64| {
        Series::line(name, points.iter().map(|point| (point.0, height(point))).collect())
    };
    let (first, last) = (points.first().map_or(0.0, |point| point.0), points.last().map_or(0.0, |point| point.0));
    let reference = |end: &f64| Reference { at: At::X(*end), label: String::new() };
    let panel = Panel {
        title: "Error against the true answer".to_owned(),
        x: Axis::linear(format!("true answer, {unit}")),
        y: Axis::linear(format!("error, {unit}")),
        series: vec![
            series("RMSE of the estimate", |point| point.2),
            series("bias of the estimate", |point| point.1),
            Series::line(raw.name, vec![(first, raw.deviation), (last, raw.deviation)]),
        ],
        references: ends
            .iter()
            .flatten()
            .filter(|end| **end >= first.min(last) && **end <= first.max(last))
            .map(reference)
            .collect(),
    };
    let drawn = Figure { panel_size: (WIDTH, 320.0), ..Figure::row("", vec![panel]) };
    let spoken = "Curves of the bias and the root mean square error of an estimate against the true answer.".to_owned();
    // The answers begin at an end, the lower one if there is one.
    let at_end = if ends[0].is_some() { points.first() } else { points.last() };
    let there = at_end.map_or_else(String::new, |(end, bias, rmse)| {
        let [end, bias, rmse, raw] = [*end, *bias, *rmse, raw.deviation].map(figure);
        format!(
            " If the answer were {end}, the bias would be {bias} and the RMSE {rmse}; the dash-dotted line is at {raw}."
        )
    });
    let caption = format!(
        "Computed from the published parameters of the mechanism, for answers near an end of the range.{there}"
    );
    Picture { graphic: Graphic::Figure(drawn), id: id.to_owned(), spoken, caption }
}

/// RMSE and bias of the estimates by their size.
pub(crate) fn sizes(id: &str, classes: &[(String, Class)], unit: &str, thing: &str) -> Picture {
    let points = |height: fn(&Class) -> f64| -> Vec<(f64, f64)> {
        classes.iter().enumerate().map(|(at, (_, class))| (at as f64, height(class))).collect()
    };
    by_class(
        id,
        classes.iter().map(|(name, _)| name.clone()).collect(),
        format!("estimate, {unit}"),
        unit,
        vec![Series::points("RMSE", points(Class::rmse)), Series::points("bias", points(Class::mean_bias))],
        format!(
            "Averages over {thing} of similar size, of the errors that would hold if the answers equalled the estimates."
        ),
    )
}

/// Errors by class, one column a class.
pub(crate) fn by_class(
    id: &str,
    names: Vec<String>,
    x_label: String,
    unit: &str,
    series: Vec<Series>,
    caption: String,
) -> Picture {
    // Names of sizes are long and stand side by side: from the top down there is room for them.
    let turned = |series: Series| {
        let marks = match series.marks {
            Marks::Points(points) => Marks::Points(points.into_iter().map(|(x, y)| (y, x)).collect()),
            Marks::YIntervals(bars) => {
                Marks::XIntervals(bars.into_iter().map(|bar| Interval { x: bar.y, y: bar.x, ..bar }).collect())
            }
            other => other,
        };
        Series { marks, ..series }
    };
    let height = 150.0 + 28.0 * names.len().max(3) as f64;
    let panel = Panel {
        title: "Error by size".to_owned(),
        x: Axis::linear(format!("error, {unit}")),
        y: Axis::names(x_label, names),
        series: series.into_iter().map(turned).collect(),
        references: vec![Reference { at: At::X(0.0), label: String::new() }],
    };
    let figure = Figure { panel_size: (WIDTH, height), ..Figure::row("", vec![panel]) };
    let spoken = "Bias and root mean square error by size of the estimate.".to_owned();
    Picture { graphic: Graphic::Figure(figure), id: id.to_owned(), spoken, caption }
}
