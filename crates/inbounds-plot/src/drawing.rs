//! Drawing with kuva.

use kuva::{
    backend::svg::SvgBackend,
    plot::{
        BandPlot, LegendEntry, LegendShape, LinePlot, LineStyle, MarkerShape, ScatterPlot, annotations::ReferenceLine,
    },
    render::{figure, layout::Layout, plots::Plot, theme::Theme},
};

use super::{At, Axis, Figure, Interval, Marks, Panel, Reference, Scale, Series};

/// What colours a figure has.
pub(super) struct Inks {
    /// Words and axes.
    pub(super) text: &'static str,
    /// Lines of the grid.
    pub(super) grid: &'static str,
    /// Behind everything.
    pub(super) background: &'static str,
    /// Of series, in turn.
    pub(super) series: [&'static str; 7],
}

/// Families tried in turn; the last is every viewer's own.
const FONT: &str = "DejaVu Sans, Helvetica, Arial, sans-serif";

/// A new dash and a new shape with each colour, so that series differ without colour too.
const DASHES: [LineStyle; 4] = [LineStyle::Solid, LineStyle::Dashed, LineStyle::DashDot, LineStyle::Dotted];
const SHAPES: [MarkerShape; 5] =
    [MarkerShape::Circle, MarkerShape::Cross, MarkerShape::Triangle, MarkerShape::Square, MarkerShape::Diamond];

pub(super) fn draw(figure: &Figure, inks: &Inks) -> String {
    let names = names(figure);
    let brush = Brush { inks, names: &names };
    let plots: Vec<Vec<Plot>> = figure.panels.iter().map(|panel| brush.plots(panel)).collect();
    let layouts = figure.panels.iter().zip(&plots).map(|(panel, plots)| brush.layout(panel, plots)).collect();
    let columns = figure.columns.max(1);
    let mut grid = figure::Figure::new(figure.panels.len().div_ceil(columns), columns)
        .with_plots(plots)
        .with_layouts(layouts)
        .with_cell_size(figure.panel_size.0, figure.panel_size.1);
    if names.len() > 1 {
        grid = grid.with_shared_legend_bottom().with_shared_legend_entries(brush.legend(figure));
    }
    if !figure.title.is_empty() {
        grid = grid.with_title(plain(&figure.title));
    }
    SvgBackend.render_scene(&grid.render())
}

/// Names of the series, each once.
fn names(figure: &Figure) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for series in figure.panels.iter().flat_map(|panel| &panel.series) {
        if !names.contains(&series.name.as_str()) {
            names.push(&series.name);
        }
    }
    names
}

struct Brush<'a> {
    inks: &'a Inks,
    names: &'a [&'a str],
}

impl Brush<'_> {
    fn turn(&self, series: &Series) -> usize {
        self.names.iter().position(|name| *name == series.name).unwrap_or(0)
    }

    fn colour(&self, turn: usize) -> &'static str {
        self.inks.series[turn % self.inks.series.len()]
    }

    fn plots(&self, panel: &Panel) -> Vec<Plot> {
        let (bands, others): (Vec<&Series>, Vec<&Series>) =
            panel.series.iter().partition(|series| matches!(series.marks, Marks::Band(_)));
        bands.into_iter().chain(others).map(|series| self.plot(panel, series)).collect()
    }

    fn plot(&self, panel: &Panel, series: &Series) -> Plot {
        let turn = self.turn(series);
        let colour = self.colour(turn);
        let (x, y) = (&panel.x, &panel.y);
        let place = |(at_x, at_y): (f64, f64)| (x.place(at_x), y.upwards(at_y));
        let seen = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
            points.iter().copied().filter(|point| x.shows(point.0) && y.shows(point.1)).map(place).collect()
        };
        let scatter = || ScatterPlot::new().with_color(colour).with_size(4.0).with_marker(SHAPES[turn % SHAPES.len()]);
        match &series.marks {
            Marks::Line(points) => Plot::Line(
                LinePlot::new()
                    .with_data(seen(points))
                    .with_color(colour)
                    .with_line_style(DASHES[turn % DASHES.len()].clone())
                    .with_stroke_width(1.8),
            ),
            Marks::Points(points) => Plot::Scatter(scatter().with_data(seen(points))),
            Marks::XIntervals(intervals) => {
                let shown: Vec<&Interval> =
                    intervals.iter().filter(|bar| y.shows(bar.y) && bar.along(bar.x).all(|end| x.shows(end))).collect();
                let bars = shown.iter().map(|bar| (bar.x - bar.lower, bar.upper - bar.x));
                let points = shown.iter().map(|bar| place((bar.x, bar.y)));
                Plot::Scatter(scatter().with_data(points).with_x_err_asymmetric(bars))
            }
            Marks::YIntervals(intervals) => {
                let shown: Vec<&Interval> =
                    intervals.iter().filter(|bar| x.shows(bar.x) && bar.along(bar.y).all(|end| y.shows(end))).collect();
                let bars = shown.iter().map(|bar| (bar.y - bar.lower, bar.upper - bar.y));
                let points = shown.iter().map(|bar| place((bar.x, bar.y)));
                Plot::Scatter(scatter().with_data(points).with_y_err_asymmetric(bars))
            }
            Marks::Band(corners) => {
                let shown: Vec<_> = corners
                    .iter()
                    .filter(|(at, lower, upper)| x.shows(*at) && y.shows(*lower) && y.shows(*upper))
                    .collect();
                let column =
                    |of: fn(&(f64, f64, f64)) -> f64| shown.iter().map(|corner| of(corner)).collect::<Vec<_>>();
                let band = BandPlot::new(column(|c| c.0), column(|c| c.1), column(|c| c.2));
                Plot::Band(band.with_color(colour).with_opacity(0.18))
            }
        }
    }

    fn layout(&self, panel: &Panel, plots: &[Plot]) -> Layout {
        let (hidden_x, hidden_y) = hidden(panel);
        let mut layout = Layout::auto_from_plots(plots)
            .with_x_label(labelled(&panel.x, hidden_x))
            .with_y_label(labelled(&panel.y, hidden_y))
            .with_font_family(FONT)
            .with_theme(self.theme());
        if !panel.title.is_empty() {
            layout = layout.with_title(plain(&panel.title)).with_title_size(16);
        }
        layout = match &panel.x.scale {
            Scale::Linear => layout,
            Scale::Log => layout.with_log_x(),
            Scale::Names(names) => {
                let names: Vec<String> = names.iter().map(|name| plain(name)).collect();
                layout.with_x_axis_min(0.5).with_x_axis_max(names.len() as f64 + 0.5).with_x_categories(names)
            }
        };
        layout = match &panel.y.scale {
            Scale::Linear => layout,
            Scale::Log => layout.with_log_y(),
            Scale::Names(names) => {
                let names: Vec<String> = names.iter().rev().map(|name| plain(name)).collect();
                layout.with_y_axis_min(0.5).with_y_axis_max(names.len() as f64 + 0.5).with_y_categories(names)
            }
        };
        panel.references.iter().fold(layout, |layout, reference| layout.with_reference_line(self.reference(reference)))
    }

    fn reference(&self, reference: &Reference) -> ReferenceLine {
        let line = match reference.at {
            At::X(value) => ReferenceLine::vertical(value),
            At::Y(value) => ReferenceLine::horizontal(value),
        };
        let line = line.with_color(self.inks.text).with_dasharray("3 3");
        if reference.label.is_empty() { line } else { line.with_label(plain(&reference.label)) }
    }

    fn theme(&self) -> Theme {
        let Inks { text, grid, background, .. } = *self.inks;
        Theme {
            background: background.to_owned(),
            axis_color: text.to_owned(),
            tick_color: text.to_owned(),
            text_color: text.to_owned(),
            grid_color: grid.to_owned(),
            legend_bg: background.to_owned(),
            legend_border: "none".to_owned(),
            ..Theme::light()
        }
    }

    /// One entry a name; a band is told by its line if it has one.
    fn legend(&self, figure: &Figure) -> Vec<LegendEntry> {
        let entry = |(turn, name): (usize, &&str)| {
            let called = |series: &&Series| series.name == **name;
            let all = || figure.panels.iter().flat_map(|panel| &panel.series).filter(called);
            let shown = all().find(|series| !matches!(series.marks, Marks::Band(_))).or_else(|| all().next());
            let (shape, dasharray) = match shown.map(|series| &series.marks) {
                Some(Marks::Line(_)) => (LegendShape::Line, DASHES[turn % DASHES.len()].dasharray()),
                Some(Marks::Band(_)) | None => (LegendShape::Rect, None),
                Some(_) => (LegendShape::Marker(SHAPES[turn % SHAPES.len()]), None),
            };
            LegendEntry { label: plain(name), color: self.colour(turn).to_owned(), shape, dasharray }
        };
        self.names.iter().enumerate().map(entry).collect()
    }
}

impl Axis {
    fn shows(&self, value: f64) -> bool {
        value.is_finite() && (value > 0.0 || self.scale != Scale::Log)
    }

    /// Where the library puts the value; it counts names from one.
    fn place(&self, value: f64) -> f64 {
        if matches!(self.scale, Scale::Names(_)) { value + 1.0 } else { value }
    }

    /// The same on the vertical axis, whose names the library counts from the bottom.
    fn upwards(&self, value: f64) -> f64 {
        match &self.scale {
            Scale::Names(names) => names.len() as f64 - value,
            _ => value,
        }
    }
}

impl Interval {
    fn along(&self, point: f64) -> impl Iterator<Item = f64> {
        [point, self.lower, self.upper].into_iter()
    }
}

/// How many marks the horizontal and the vertical axis have no place for.
fn hidden(panel: &Panel) -> (usize, usize) {
    let count = |axis: &Axis, values: &mut dyn Iterator<Item = Vec<f64>>| {
        values.filter(|values| !values.iter().all(|value| axis.shows(*value))).count()
    };
    let bars = |axis: &Axis, bars: &[Interval], point: fn(&Interval) -> f64, along: bool| {
        let values = |bar: &Interval| if along { bar.along(point(bar)).collect() } else { vec![point(bar)] };
        count(axis, &mut bars.iter().map(values))
    };
    let of = |series: &Series| match &series.marks {
        Marks::Line(points) | Marks::Points(points) => (
            count(&panel.x, &mut points.iter().map(|point| vec![point.0])),
            count(&panel.y, &mut points.iter().map(|point| vec![point.1])),
        ),
        Marks::XIntervals(all) => (bars(&panel.x, all, |bar| bar.x, true), bars(&panel.y, all, |bar| bar.y, false)),
        Marks::YIntervals(all) => (bars(&panel.x, all, |bar| bar.x, false), bars(&panel.y, all, |bar| bar.y, true)),
        Marks::Band(corners) => (
            count(&panel.x, &mut corners.iter().map(|corner| vec![corner.0])),
            count(&panel.y, &mut corners.iter().map(|corner| vec![corner.1, corner.2])),
        ),
    };
    panel.series.iter().map(of).fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1))
}

fn labelled(axis: &Axis, hidden: usize) -> String {
    let label = plain(&axis.label);
    if hidden == 0 { label } else { format!("{label} ({hidden} not shown)") }
}

/// The library reads what stands between two dollars as a formula.
fn plain(words: &str) -> String {
    words.replace('$', "\\$")
}
