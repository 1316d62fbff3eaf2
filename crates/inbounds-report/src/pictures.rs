//! The pictures of a page.

use inbounds_plot::{At, Axis, Figure, Interval, Marks, Panel, Reference, Series};

use crate::{
    cells::{Cell, Cells},
    classes::Class,
    document::Picture,
    figures::figure,
};

/// Most cells that a picture tells apart; of longer tables it shows the errors by size.
const TOLD_APART: usize = 40;

/// Width of a picture: letters of the usual size are still read where it fills a phone.
const WIDTH: f64 = 390.0;

/// Most letters of a name in a picture; the table beside it has them all.
const LETTERS: usize = 22;

/// Of intervals this much narrower than the estimates are apart, a picture of the estimates shows nothing.
const TOO_NARROW: f64 = 0.1;

/// Estimates with their intervals, and `raw` measurements if estimates are not the measurements, one line a cell; nothing where
/// there are too many cells for that.
pub(crate) fn estimates(id: &str, cells: &Cells, unit: &str, level: Option<f64>, raw: bool) -> Vec<Picture> {
    if cells.count > TOLD_APART {
        return vec![];
    }
    let groups = cells.by_unit().into_iter().zip(1..);
    let draw = |((own, cells), number): ((Option<&str>, Vec<&Cell>), usize)| {
        of_one_unit(&format!("{id}-{number}"), &cells, own.unwrap_or(unit), level, raw)
    };
    groups.flat_map(draw).collect()
}

/// The cells of one unit, over a common axis.
fn of_one_unit(id: &str, cells: &[&Cell], unit: &str, level: Option<f64>, raw: bool) -> Vec<Picture> {
    let interval = level.map_or_else(String::new, |_| format!(", {}interval", percent(level)));
    let dot = format!("A dot is an estimate, its bar the {}interval for the exact answer.", percent(level));
    let cross = " A cross is what was measured, before it was moved to where answers can be.";
    let (title, caption) =
        if raw { ("Estimates and raw measurements", format!("{dot}{cross}")) } else { ("Estimates", dot) };
    let forest = Forest { cells, interval, raw };
    let mut pictures = vec![forest.draw(id, title, unit.to_owned(), false, caption)];
    if narrow(cells) {
        pictures.push(forest.draw(
            &format!("{id}-near"),
            "The same, seen from each estimate",
            format!("distance from the estimate, {unit}"),
            true,
            "Where the exact answer may be, with every estimate moved to zero.".to_owned(),
        ));
    }
    pictures
}

/// The level of intervals, before their name.
fn percent(level: Option<f64>) -> String {
    level.map_or_else(String::new, |level| format!("{} % ", figure(100.0 * level)))
}

/// Whether half of the intervals are too narrow to be seen beside one another.
fn narrow(cells: &[&Cell]) -> bool {
    let ends = |cell: &Cell| cell.interval.unwrap_or((cell.estimate, cell.estimate));
    let lowest = cells.iter().map(|cell| ends(cell).0.min(cell.estimate)).fold(f64::INFINITY, f64::min);
    let highest = cells.iter().map(|cell| ends(cell).1.max(cell.estimate)).fold(f64::NEG_INFINITY, f64::max);
    let narrow = |cell: &&&Cell| ends(cell).1 - ends(cell).0 < TOO_NARROW * (highest - lowest);
    2 * cells.iter().filter(narrow).count() > cells.len()
}

/// Cells one below the other.
struct Forest<'a> {
    cells: &'a [&'a Cell],
    /// The level of the intervals, in words that go on after "estimate".
    interval: String,
    raw: bool,
}

impl Forest<'_> {
    /// Draws the cells where they are, or each `centred` on its estimate.
    fn draw(&self, id: &str, title: &str, x_label: String, centred: bool, caption: String) -> Picture {
        let origin = |cell: &Cell| if centred { cell.estimate } else { 0.0 };
        let bar = |(at, cell): (usize, &&Cell)| {
            let (lower, upper) = cell.interval.unwrap_or((cell.estimate, cell.estimate));
            let from = origin(cell);
            Interval { x: cell.estimate - from, y: at as f64, lower: lower - from, upper: upper - from }
        };
        let cross = |(at, cell): (usize, &&Cell)| Some((cell.measurement? - origin(cell), at as f64));
        let bars = Marks::XIntervals(self.cells.iter().enumerate().map(bar).collect());
        let mut series = vec![Series { name: format!("estimate{}", self.interval), marks: bars }];
        if self.raw {
            series.push(Series::points("raw measurement", self.cells.iter().enumerate().filter_map(cross).collect()));
        }
        let panel = Panel {
            title: title.to_owned(),
            x: Axis::linear(x_label),
            y: Axis::names("", self.cells.iter().map(|cell| short(&label(cell))).collect()),
            series,
            references: vec![],
        };
        let height = 140.0 + 22.0 * self.cells.len().max(2) as f64;
        let figure = Figure { panel_size: (WIDTH, height), ..Figure::row("", vec![panel]) };
        let spoken = format!("{title}: {} cells, with intervals. The table below has the numbers.", self.cells.len());
        Picture { svg: figure.to_inline_svg(id, &spoken), caption }
    }
}

/// What a cell is called.
pub(crate) fn label(cell: &Cell) -> String {
    let named: Vec<&str> = cell.keys.iter().map(String::as_str).filter(|key| !key.is_empty()).collect();
    if named.is_empty() { "all".to_owned() } else { named.join(", ") }
}

fn short(name: &str) -> String {
    if name.chars().count() <= LETTERS {
        return name.to_owned();
    }
    let kept: String = name.chars().take(LETTERS - 1).collect();
    format!("{kept}…")
}

/// What an estimate's error is compared with.
pub(crate) struct Raw {
    /// What it is.
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
        title: "Error, whatever the true answer is".to_owned(),
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
    let svg = drawn
        .to_inline_svg(id, "Curves of the bias and the root mean square error of an estimate against the true answer.");
    // The answers begin at an end, the lower one if there is one.
    let at_end = if ends[0].is_some() { points.first() } else { points.last() };
    let there = at_end.map_or_else(String::new, |(end, bias, rmse)| {
        let [end, bias, rmse, raw] = [*end, *bias, *rmse, raw.deviation].map(figure);
        format!(
            " Were the answer {end}, the bias would be {bias} and the RMSE {rmse}; the dash-dotted line is at {raw}."
        )
    });
    let caption = format!(
        "Computed from the published parameters of the mechanism, for answers near an end of the range.{there}"
    );
    Picture { svg, caption }
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
        format!("Averages over the {thing} of a size, of errors as they would be were the answers the estimates."),
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
    Picture { svg: figure.to_inline_svg(id, "Bias and root mean square error by size of the estimate."), caption }
}
