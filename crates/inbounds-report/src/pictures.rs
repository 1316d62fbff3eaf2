//! The pictures of estimates.

use inbounds_plot::{Axis, Bar, Figure, Graphic, Interval, Marks, Numbers, Panel, Series};

use crate::{
    cells::{Cell, Mark},
    document::Picture,
    figures::figure,
    spread::Style,
};

/// Width of a picture: letters of the usual size are still read where it fills a phone.
pub(crate) const WIDTH: f64 = 440.0;

/// Height of the title, the axis and the legend of a picture.
const HEAD: f64 = 120.0;

/// Height of a name and its mark.
const LINE: f64 = 19.0;

/// Most letters of a name in a picture; the table beside it has them all.
const LETTERS: usize = 22;

/// Common properties of the numbers of a picture.
pub(crate) struct Subject {
    /// Over the picture; empty for none.
    pub(crate) title: String,
    /// Quantity on the axis, with its unit.
    pub(crate) axis: String,
    pub(crate) style: Style,
    /// Numbers of rows, and parts of them, are bars that begin at 0.
    pub(crate) bars: bool,
    /// The level of the intervals.
    pub(crate) level: Option<f64>,
    /// Step that moved the measurements that are shown beside their estimates.
    pub(crate) moved: Moved,
}

/// Step that moved measurements away from their estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moved {
    /// None is shown.
    Nothing,
    /// The rule that keeps each number in its range.
    IntoRange,
    /// The fit that makes numbers agree.
    ToAgree,
}

impl Moved {
    /// Explanation of the crosses, if there are any.
    fn cross(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::IntoRange => " A cross is the noisy number before it was moved into its range.",
            Self::ToAgree => " A cross is the noisy number before all were made to agree.",
        }
    }
}

impl Subject {
    pub(crate) fn axis(&self, lowest: f64) -> Axis {
        let numbers = match self.style {
            Style::Plain | Style::Whole => Numbers::Plain,
            Style::Percent => Numbers::Percent,
        };
        let axis = Axis::linear(&self.axis).written(numbers);
        if self.bars && lowest >= 0.0 { axis.from(0.0) } else { axis }
    }

    pub(crate) fn interval(&self) -> String {
        self.level.map_or_else(String::new, |level| format!("{} % interval", figure(100.0 * level)))
    }

    fn caption(&self, hidden: usize) -> String {
        let mark = if self.bars { "A bar ends at" } else { "A dot is" };
        let interval = self.interval();
        let line = if interval.is_empty() { String::new() } else { format!("; the line is its {interval}") };
        let cross = self.moved.cross();
        let beyond = match hidden {
            0 => "",
            _ => " Noisy numbers below 0 are only in the table.",
        };
        format!("{mark} an estimate{line}.{cross}{beyond}")
    }
}

/// Cells one below the other, each with its name, interval and measurement.
pub(crate) fn cells(id: &str, subject: &Subject, cells: &[&Cell], name: impl Fn(&Cell) -> String) -> Picture {
    let ends = |cell: &Cell| cell.interval.unwrap_or((cell.estimate, cell.estimate));
    let lowest = cells.iter().map(|cell| ends(cell).0.min(cell.estimate)).fold(f64::INFINITY, f64::min);
    let interval = |(at, cell): (usize, &&Cell)| {
        let (lower, upper) = ends(cell);
        Interval { x: cell.estimate, y: at as f64, lower, upper }
    };
    let intervals = Marks::XIntervals(cells.iter().enumerate().map(interval).collect());
    let label =
        ["estimate", &subject.interval()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    let mut series = vec![Series { name: label.clone(), marks: intervals }];
    if subject.bars {
        let bar = |(at, cell): (usize, &&Cell)| Bar {
            x: (cell.estimate.min(0.0), cell.estimate.max(0.0)),
            y: (at as f64 - 0.36, at as f64 + 0.36),
        };
        series.push(Series { name: label, marks: Marks::Bars(cells.iter().enumerate().map(bar).collect()) });
    }
    let moved = |(at, cell): (usize, &&Cell)| Some((cell.measurement.filter(|raw| *raw != cell.estimate)?, at as f64));
    // No axis of rows reaches below none because of noise.
    let is_from_zero = lowest >= 0.0 && (subject.bars || matches!(subject.style, Style::Whole));
    let floor = if is_from_zero { 0.0 } else { f64::NEG_INFINITY };
    let mut crosses: Vec<(f64, f64)> = cells.iter().enumerate().filter_map(moved).collect();
    let all = crosses.len();
    crosses.retain(|(raw, _)| *raw >= floor);
    let hidden = all - crosses.len();
    let moved = if crosses.is_empty() { Moved::Nothing } else { subject.moved };
    if moved != Moved::Nothing {
        series.push(Series::points("raw measurement", crosses));
    }
    let panel = Panel {
        title: subject.title.clone(),
        x: subject.axis(lowest),
        y: Axis::names("", cells.iter().map(|cell| short(&name(cell))).collect()),
        series,
        references: vec![],
    };
    let height = HEAD + LINE * (cells.len().max(2) + 1) as f64;
    let spoken = format!("{}: {} numbers with intervals.", subject.axis, cells.len());
    let hidden = if subject.moved == Moved::Nothing { 0 } else { hidden };
    let caption = Subject { moved, title: String::new(), axis: String::new(), ..*subject }.caption(hidden);
    Picture { graphic: one(panel, height), id: id.to_owned(), spoken, caption }
}

/// Most bins whose bars a reader can distinguish.
const BARS: usize = 100;

/// Numbers of rows between edges, each as high as its estimate; over edges that are not equally far, as rows a unit.
/// None where the table has no edges.
pub(crate) fn histogram(id: &str, subject: &Subject, marks: &[Mark], across: &str) -> Option<Picture> {
    if marks.is_empty() {
        return None;
    }
    let bins: Vec<(f64, f64)> = marks.iter().map(|mark| mark.bin).collect();
    let widths = || bins.iter().map(|(lower, upper)| upper - lower);
    let (least, widest) = (widths().fold(f64::INFINITY, f64::min), widths().fold(0.0, f64::max));
    let even = widest - least <= 1e-6 * widest;
    let height = |at: usize, rows: f64| if even { rows } else { rows / (bins[at].1 - bins[at].0) };
    let middle = |at: usize| 0.5 * (bins[at].0 + bins[at].1);
    // Of very many bins, as many as there are pixels for.
    let chosen = || (0..marks.len()).step_by(marks.len().div_ceil(1000).max(1));
    let bar = |at: usize| Bar { x: bins[at], y: (0.0, height(at, marks[at].estimate.max(0.0))) };
    let whisker = |at: usize| {
        let [y, lower, upper] = [marks[at].estimate, marks[at].lower, marks[at].upper].map(|rows| height(at, rows));
        Interval { x: middle(at), y, lower, upper }
    };
    let name = format!("estimate, {}", subject.interval());
    let drawn = if marks.len() <= BARS {
        [Marks::Bars(chosen().map(bar).collect()), Marks::YIntervals(chosen().map(whisker).collect())]
    } else {
        let band = chosen().map(whisker).map(|whisker| (whisker.x, whisker.lower, whisker.upper)).collect();
        [Marks::Band(band), Marks::Line(chosen().map(whisker).map(|whisker| (whisker.x, whisker.y)).collect())]
    };
    let up = if even { subject.axis.clone() } else { format!("{} for each 1 of {across}", subject.axis) };
    let panel = Panel {
        title: subject.title.clone(),
        x: Axis::linear(across),
        y: Axis::linear(up).from(0.0),
        series: drawn.map(|marks| Series { name: name.clone(), marks }).into(),
        references: vec![],
    };
    let spoken = format!("{} by {across}, in {} bins with intervals.", subject.axis, marks.len());
    let area = if even { "" } else { " Bins differ in width, so areas and not heights are numbers of rows." };
    let mark = if marks.len() <= BARS {
        "A bar ends at an estimate; the line is"
    } else {
        "The line goes through the estimates, amid"
    };
    let caption = format!("{mark} its {}.{area}", subject.interval());
    Some(Picture { graphic: one(panel, 300.0), id: id.to_owned(), spoken, caption })
}

/// The largest of cells that are too many to be shown one by one.
pub(crate) fn largest(
    id: &str,
    subject: &Subject,
    cells: &[&Cell],
    (most, name): (usize, impl Fn(&Cell) -> String),
) -> Picture {
    let mut order = cells.to_vec();
    order.sort_by(|one, other| other.estimate.total_cmp(&one.estimate));
    order.truncate(most);
    let mut drawn = self::cells(id, subject, &order, name);
    let [most, all] = [order.len(), cells.len()].map(crate::figures::whole);
    drawn.caption = format!("The {most} largest of {all} estimates, chosen by their noisy values. {}", drawn.caption);
    drawn
}

/// The estimated normal distribution of a column in a class.
pub(crate) struct Density {
    pub(crate) class: String,
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

/// Densities of a column, a curve a class; none where no class has a positive variance.
pub(crate) fn densities(id: &str, axis: &str, classes: &[Density], bounds: Option<(f64, f64)>) -> Option<Picture> {
    const POINTS: usize = 121;
    let proper: Vec<&Density> = classes.iter().filter(|class| class.variance > 0.0).collect();
    let reach = |side: f64| move |class: &&Density| class.mean + side * 3.0 * class.variance.sqrt();
    let low = proper.iter().map(reach(-1.0)).fold(f64::INFINITY, f64::min);
    let high = proper.iter().map(reach(1.0)).fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = bounds.map_or((low, high), |(lower, upper)| (low.max(lower), high.min(upper)));
    if proper.is_empty() || low >= high {
        return None;
    }
    let curve = |class: &&Density| {
        let deviation = class.variance.sqrt();
        let height = |at: usize| {
            let x = low + (high - low) * at as f64 / (POINTS - 1) as f64;
            let z = (x - class.mean) / deviation;
            (x, libm::exp(-0.5 * z * z) / (deviation * (2.0 * std::f64::consts::PI).sqrt()))
        };
        Series::line(&class.class, (0..POINTS).map(height).collect())
    };
    let panel = Panel {
        title: String::new(),
        x: Axis::linear(axis),
        y: Axis::linear("density").from(0.0),
        series: proper.iter().map(curve).collect(),
        references: vec![],
    };
    let spoken = format!("Estimated densities of {axis} in {} classes.", proper.len());
    let missing = classes.len() - proper.len();
    let caption = match missing {
        0 => "The normal distribution with the estimated mean and variance of each class.".to_owned(),
        1 => "The normal distribution with the estimated mean and variance of each class; one has no variance."
            .to_owned(),
        _ => format!(
            "The normal distribution with the estimated mean and variance of each class; {missing} have no variance."
        ),
    };
    Some(Picture { graphic: one(panel, 260.0), id: id.to_owned(), spoken, caption })
}

pub(crate) fn one(panel: Panel, height: f64) -> Graphic {
    Graphic::Figure(Figure { panel_size: (WIDTH, height), ..Figure::row("", vec![panel]) })
}

/// Name of a cell by its keys.
pub(crate) fn group(cell: &Cell) -> String {
    let named: Vec<&str> = cell.keys.iter().map(String::as_str).filter(|key| !key.is_empty()).collect();
    if named.is_empty() { "all".to_owned() } else { named.join(", ") }
}

/// Label of a cell by its values alone, under a title that names the attributes.
pub(crate) fn path(cell: &Cell) -> String {
    let values: Vec<&str> = cell.values.iter().flatten().map(String::as_str).collect();
    if values.is_empty() { label(cell) } else { values.join(", ") }
}

/// Name of a cell by its keys and its output.
pub(crate) fn label(cell: &Cell) -> String {
    let keys = cell.keys.iter().map(String::as_str).chain([cell.output.as_str()]);
    let named: Vec<&str> = keys.filter(|key| !key.is_empty()).collect();
    if named.is_empty() { "all".to_owned() } else { named.join(", ") }
}

fn short(name: &str) -> String {
    if name.chars().count() <= LETTERS {
        return name.to_owned();
    }
    let kept: String = name.chars().take(LETTERS - 1).collect();
    format!("{kept}…")
}
