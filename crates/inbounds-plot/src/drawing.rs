//! Drawing with kuva.

use kuva::{
    backend::svg::SvgBackend,
    plot::{BandPlot, LinePlot, LineStyle, MarkerShape, ScatterPlot, annotations::ReferenceLine},
    render::{figure, layout::Layout, plots::Plot, render::Scene, theme::Theme},
};

use super::{
    At, Bar, Drawn, Figure, Interval, Marks, Panel, Reference, Scale, Series,
    inks::Inks,
    labels::{FONT, LETTER, MARGIN, labelled, letters, numbers, plain, words},
    legend::{self, Entry, FILLED, Sample, Shape},
    map,
    spot::{Bounded, Placed},
    ticks::{Along, Ticks},
};

/// A new dash and a new shape with each colour, so that series differ without colour too. Seven colours and four dashes
/// have no common factor, so 28 series differ in one or the other.
const DASHES: [(LineStyle, Option<&str>); 4] = [
    (LineStyle::Solid, None),
    (LineStyle::Dashed, Some("8 4")),
    (LineStyle::DashDot, Some("8 4 2 4")),
    (LineStyle::Dotted, Some("2 4")),
];
const SHAPES: [(MarkerShape, Shape); 5] = [
    (MarkerShape::Circle, Shape::Circle),
    (MarkerShape::Cross, Shape::Cross),
    (MarkerShape::Triangle, Shape::Triangle),
    (MarkerShape::Square, Shape::Square),
    (MarkerShape::Diamond, Shape::Diamond),
];

pub(super) fn draw(drawn: Drawn<'_>, inks: &Inks) -> String {
    SvgBackend.render_scene(&scene_of(drawn, inks))
}

fn scene_of(drawn: Drawn<'_>, inks: &Inks) -> Scene {
    match drawn {
        Drawn::Figure(figure) => scene(figure, inks),
        Drawn::Map(map) => map::scene(map, inks),
    }
}

/// The figure as points, `scale` of them for each pixel.
#[cfg(feature = "png")]
pub(super) fn points(drawn: Drawn<'_>, inks: &Inks, scale: f32) -> Result<Vec<u8>, String> {
    kuva::backend::png::PngBackend::new().with_scale(scale).render_scene(&scene_of(drawn, inks))
}

fn scene(figure: &Figure, inks: &Inks) -> Scene {
    let shown = shown(figure);
    let brush = Brush { inks, names: names(figure, &shown) };
    let plots: Vec<Vec<Plot>> = figure.panels.iter().map(|panel| brush.plots(panel)).collect();
    let layouts =
        figure.panels.iter().zip(&plots).map(|(panel, plots)| brush.layout(panel, figure.panel_size, plots)).collect();
    let columns = figure.columns.max(1);
    let mut grid = figure::Figure::new(figure.panels.len().div_ceil(columns), columns)
        .with_plots(plots)
        .with_layouts(layouts)
        .with_cell_size(figure.panel_size.0, figure.panel_size.1);
    if !figure.title.is_empty() {
        grid = grid.with_title(plain(&figure.title));
    }
    let mut scene = grid.render();
    if shown.len() > 1 {
        legend::add(&mut scene, &brush.legend(figure, &shown));
    }
    scene
}

/// Names of the series, each once.
fn shown(figure: &Figure) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for series in figure.panels.iter().flat_map(|panel| &panel.series) {
        if !names.contains(&series.name.as_str()) {
            names.push(&series.name);
        }
    }
    names
}

/// The names that have a colour, in the order of colours: those known beforehand, then the others that are drawn.
fn names<'a>(figure: &'a Figure, shown: &[&'a str]) -> Vec<&'a str> {
    let known: Vec<&str> = figure.known_names.iter().map(String::as_str).collect();
    let others: Vec<&str> = shown.iter().copied().filter(|name| !known.contains(name)).collect();
    [known, others].concat()
}

struct Brush<'a> {
    inks: &'a Inks,
    names: Vec<&'a str>,
}

impl Brush<'_> {
    fn turn(&self, name: &str) -> usize {
        self.names.iter().position(|known| *known == name).unwrap_or(0)
    }

    fn colour(&self, turn: usize) -> &'static str {
        self.inks.series[turn % self.inks.series.len()]
    }

    /// Plots of a panel, areas first.
    fn plots(&self, panel: &Panel) -> Vec<Plot> {
        let area = |series: &&Series| matches!(series.marks, Marks::Band(_) | Marks::Bars(_));
        let (areas, others): (Vec<&Series>, Vec<&Series>) = panel.series.iter().partition(area);
        areas.into_iter().chain(others).flat_map(|series| self.plot(panel, series)).collect()
    }

    fn plot(&self, panel: &Panel, series: &Series) -> Vec<Plot> {
        let turn = self.turn(&series.name);
        let colour = self.colour(turn);
        let place = |at: &(f64, f64)| panel.place(*at);
        let seen = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
            points.iter().filter(|point| point.spot().shows(panel)).map(place).collect()
        };
        let scatter =
            || ScatterPlot::new().with_color(colour).with_size(4.0).with_marker(SHAPES[turn % SHAPES.len()].0);
        let bounded = |intervals: &[Interval], level: bool| -> Vec<Interval> {
            intervals.iter().filter(|bar| Bounded(**bar, level).spot().shows(panel)).copied().collect()
        };
        match &series.marks {
            Marks::Line(points) => vec![Plot::Line(
                LinePlot::new()
                    .with_data(seen(points))
                    .with_color(colour)
                    .with_line_style(DASHES[turn % DASHES.len()].0.clone())
                    .with_stroke_width(1.8),
            )],
            Marks::Points(points) => vec![Plot::Scatter(scatter().with_data(seen(points)))],
            Marks::XIntervals(intervals) => {
                let shown = bounded(intervals, true);
                let bars = shown.iter().map(|bar| (bar.x - bar.lower, bar.upper - bar.x));
                let points = shown.iter().map(|bar| place(&(bar.x, bar.y)));
                vec![Plot::Scatter(scatter().with_data(points).with_x_err_asymmetric(bars))]
            }
            Marks::YIntervals(intervals) => {
                let shown = bounded(intervals, false);
                let bars = shown.iter().map(|bar| (bar.y - bar.lower, bar.upper - bar.y));
                let points = shown.iter().map(|bar| place(&(bar.x, bar.y)));
                vec![Plot::Scatter(scatter().with_data(points).with_y_err_asymmetric(bars))]
            }
            Marks::Band(corners) => {
                let shown: Vec<_> = corners.iter().filter(|corner| corner.spot().shows(panel)).collect();
                let column = |coordinate: fn(&(f64, f64, f64)) -> f64| {
                    shown.iter().map(|corner| coordinate(corner)).collect::<Vec<_>>()
                };
                let band = BandPlot::new(column(|c| c.0), column(|c| c.1), column(|c| c.2));
                vec![Plot::Band(band.with_color(colour).with_opacity(0.18))]
            }
            Marks::Bars(bars) => {
                let shown = bars.iter().filter(|bar| bar.spot().shows(panel));
                shown.map(|bar| Plot::Band(rectangle(panel, bar).with_color(colour).with_opacity(FILLED))).collect()
            }
        }
    }

    fn layout(&self, panel: &Panel, size: (f64, f64), plots: &[Plot]) -> Layout {
        let (hidden_x, hidden_y) = panel.hidden();
        let mut layout = Layout::auto_from_plots(plots)
            .with_x_label(labelled(&panel.x, hidden_x))
            .with_y_label(labelled(&panel.y, hidden_y))
            .with_x_label_wrap(letters(size.0))
            .with_y_label_wrap(letters(size.1))
            .with_title_wrap(letters(size.0))
            .with_font_family(FONT)
            .with_theme(self.theme());
        if !panel.title.is_empty() {
            layout = layout.with_title(plain(&panel.title)).with_title_size(16);
        }
        let [x, y] = panel.extents();
        layout = match &panel.x.scale {
            Scale::Linear => {
                let ticks = Ticks::over(x.0, x.1, (Along::Width, size.0 - panel.beside()), panel.x.numbers);
                layout
                    .with_x_axis_min(ticks.low)
                    .with_x_axis_max(ticks.high)
                    .with_x_tick_step(ticks.step)
                    .with_x_tick_format(numbers(ticks, &panel.x))
            }
            Scale::Log => layout.with_log_x(),
            Scale::Names(names) => layout
                .with_x_axis_min(0.0)
                .with_x_axis_max(names.len() as f64 + 1.0)
                .with_x_tick_step(1.0)
                .with_x_tick_format(words(names.iter())),
        };
        layout = match &panel.y.scale {
            Scale::Linear => {
                let ticks = Ticks::over(y.0, y.1, (Along::Height, size.1 - MARGIN), panel.y.numbers);
                layout
                    .with_y_axis_min(ticks.low)
                    .with_y_axis_max(ticks.high)
                    .with_y_tick_step(ticks.step)
                    .with_y_tick_format(numbers(ticks, &panel.y))
            }
            Scale::Log => layout.with_log_y(),
            Scale::Names(names) => layout
                .with_y_axis_min(0.0)
                .with_y_axis_max(names.len() as f64 + 1.0)
                .with_y_tick_step(1.0)
                .with_y_tick_format(words(names.iter().rev())),
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

    /// One entry a name; a band is shown by its line if it has one.
    fn legend(&self, figure: &Figure, shown: &[&str]) -> Vec<Entry> {
        let entry = |name: &&str| {
            let turn = self.turn(name);
            let called = |series: &&Series| series.name == **name;
            let all = || figure.panels.iter().flat_map(|panel| &panel.series).filter(called);
            let drawn = all().find(|series| !matches!(series.marks, Marks::Band(_))).or_else(|| all().next());
            let sample = match drawn.map(|series| &series.marks) {
                Some(Marks::Line(_)) => Sample::Line(DASHES[turn % DASHES.len()].1),
                Some(Marks::Points(_) | Marks::XIntervals(_) | Marks::YIntervals(_)) => {
                    Sample::Marker(SHAPES[turn % SHAPES.len()].1)
                }
                Some(Marks::Band(_) | Marks::Bars(_)) | None => Sample::Area,
            };
            Entry { name: plain(name), colour: self.colour(turn), sample }
        };
        shown.iter().map(entry).collect()
    }
}

impl Panel {
    /// Where a point is drawn. Names are counted from one, on the vertical axis from the bottom.
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let right = if matches!(self.x.scale, Scale::Names(_)) { x + 1.0 } else { x };
        let up = match &self.y.scale {
            Scale::Names(names) => names.len() as f64 - y,
            _ => y,
        };
        (right, up)
    }

    /// The width that is not the marks'.
    fn beside(&self) -> f64 {
        match &self.y.scale {
            Scale::Names(names) => {
                let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
                MARGIN / 2.0 + LETTER * longest as f64
            }
            _ => MARGIN,
        }
    }
}

/// A bar as the area between two levels.
fn rectangle(panel: &Panel, bar: &Bar) -> BandPlot {
    let (from, to) = (panel.place((bar.x.0, bar.y.0)), panel.place((bar.x.1, bar.y.1)));
    let (low, high) = (from.1.min(to.1), from.1.max(to.1));
    BandPlot::new(vec![from.0.min(to.0), from.0.max(to.0)], vec![low; 2], vec![high; 2])
}
