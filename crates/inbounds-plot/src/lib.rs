//! Pictures as plain data, drawn as SVG by a library that nothing else sees.
//!
//! A [`Figure`] is a grid of panels with marks over common axes, a [`Map`] areas in shades. Their documents are pure
//! functions of them, the same bytes every time.

mod drawing;
mod inks;
mod labels;
mod legend;
mod map;
mod spot;
mod svg;
mod ticks;

pub use map::{Area, Map};

/// A graphic.
#[derive(Debug, Clone, PartialEq)]
pub enum Graphic {
    /// Marks over axes.
    Figure(Figure),
    /// Areas in shades.
    Map(Map),
}

/// The same, borrowed.
#[derive(Clone, Copy)]
enum Drawn<'a> {
    Figure(&'a Figure),
    Map(&'a Map),
}

impl Graphic {
    fn drawn(&self) -> Drawn<'_> {
        match self {
            Self::Figure(figure) => Drawn::Figure(figure),
            Self::Map(map) => Drawn::Map(map),
        }
    }

    /// As [`Figure::to_svg`].
    pub fn to_svg(&self) -> String {
        svg::document(self.drawn())
    }

    /// As [`Figure::to_png`].
    ///
    /// # Errors
    /// What the library says of a picture that it cannot draw.
    #[cfg(feature = "png")]
    pub fn to_png(&self) -> Result<Vec<u8>, String> {
        svg::points(self.drawn())
    }

    /// As [`Figure::to_inline_svg`].
    pub fn to_inline_svg(&self, id: &str, description: &str) -> String {
        svg::inline(self.drawn(), id, description)
    }
}

/// Panels under one title, with one legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Over all panels; empty for none.
    pub title: String,
    /// Row by row, from left to right.
    pub panels: Vec<Panel>,
    /// Panels in a row.
    pub columns: usize,
    /// Names whose colour and dashes are those of their place here, whatever else is drawn; the names of other series
    /// follow in the order in which they are drawn.
    pub known_names: Vec<String>,
    /// Width and height of a panel with its labels, in pixels of the screen.
    pub panel_size: (f64, f64),
}

/// Marks over common axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Over the panel; empty for none.
    pub title: String,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// Series to draw, the last on top; bands and bars lie below all else.
    ///
    /// Series of one name are one thing: one colour and one entry of the legend, in every panel. A mark with a
    /// coordinate that its axis has no place for (not finite, below [`Axis::least`], or not positive on a
    /// [`Scale::Log`]) is left out, and the label of the axis says how many are.
    pub series: Vec<Series>,
    /// Lines across the panel.
    pub references: Vec<Reference>,
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Beside it, with the unit.
    pub label: String,
    /// Map from values to places.
    pub scale: Scale,
    /// Notation of its numbers.
    pub numbers: Numbers,
    /// A value below which there is nothing, such as 0 of a count: the axis does not go below it.
    pub least: Option<f64>,
}

/// Notation of numbers on an even axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// Numbers as they are, with thousands grouped.
    Plain,
    /// Numbers as they are, without groups of digits, as years are written.
    Ungrouped,
    /// Numbers as percentages: 0.25 is `25 %`.
    Percent,
}

/// Map from the values of an axis to places on it.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By their logarithms.
    Log,
    /// Value `i` is the thing of the `i`-th name: from left to right, or from the top down.
    Names(Vec<String>),
}

/// Marks of one kind that stand for one thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Marks to draw.
    pub marks: Marks,
}

/// Marks that can be drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Marks {
    /// Corners `(x, y)` of a curve.
    Line(Vec<(f64, f64)>),
    /// Points `(x, y)`.
    Points(Vec<(f64, f64)>),
    /// Points with a bar to the left and right, for a named vertical axis.
    XIntervals(Vec<Interval>),
    /// Points with a bar down and up.
    YIntervals(Vec<Interval>),
    /// The area between `(x, lower, upper)`, from left to right.
    Band(Vec<(f64, f64, f64)>),
    /// Filled rectangles.
    Bars(Vec<Bar>),
}

/// A filled rectangle between two corners.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Both ends to the right.
    pub x: (f64, f64),
    /// Both ends upwards; on named axes half of a name is 0.5.
    pub y: (f64, f64),
}

/// A point with a bar from `lower` to `upper`, which need not contain it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Place of the point.
    pub x: f64,
    /// Place of the point.
    pub y: f64,
    /// Lower end, on the axis along which the bar runs.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
}

/// A line across a panel. It does not widen the axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// Where.
    pub at: At,
    /// Beside it; empty for none.
    pub label: String,
}

/// Place of a [`Reference`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum At {
    /// Upright, at this value of the horizontal axis.
    X(f64),
    /// Level, at this value of the vertical axis.
    Y(f64),
}

impl Figure {
    /// Panels of the usual size in one row.
    pub fn row(title: impl Into<String>, panels: Vec<Panel>) -> Self {
        Self {
            title: title.into(),
            columns: panels.len().max(1),
            panels,
            known_names: vec![],
            panel_size: (460.0, 380.0),
        }
    }

    /// The figure as a document of its own: black on white, or light on dark where the viewer prefers that. A title and
    /// a description are read out instead of it.
    pub fn to_svg(&self) -> String {
        svg::document(Drawn::Figure(self))
    }

    /// The figure as the bytes of a PNG, black on white and twice as fine as the screen, with a font that the library
    /// brings: the same on every machine.
    ///
    /// # Errors
    /// What the library says of a picture that it cannot draw.
    #[cfg(feature = "png")]
    pub fn to_png(&self) -> Result<Vec<u8>, String> {
        svg::points(Drawn::Figure(self))
    }

    /// The figure as an element of an HTML page, in the page's colours.
    ///
    /// Words and axes are in `currentColor`, the grid in the CSS variable `--plot-grid`, series in `--plot-1` to
    /// `--plot-7`, each with the colour of [`Figure::to_svg`] where the page has no such variable. Nothing is painted
    /// behind. The element takes the width that it is given. `id` tells its parts from those of other figures of the
    /// page, `description` is read out instead of it.
    pub fn to_inline_svg(&self, id: &str, description: &str) -> String {
        svg::inline(Drawn::Figure(self), id, description)
    }
}

impl Axis {
    /// An even axis.
    pub fn linear(label: impl Into<String>) -> Self {
        Self::new(label, Scale::Linear)
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Self::new(label, Scale::Log)
    }

    /// An axis of things.
    pub fn names(label: impl Into<String>, names: Vec<String>) -> Self {
        Self::new(label, Scale::Names(names))
    }

    /// The axis with numbers written in this way.
    pub fn written(self, numbers: Numbers) -> Self {
        Self { numbers, ..self }
    }

    /// The axis with nothing below a value.
    pub fn from(self, least: f64) -> Self {
        Self { least: Some(least), ..self }
    }

    fn new(label: impl Into<String>, scale: Scale) -> Self {
        Self { label: label.into(), scale, numbers: Numbers::Plain, least: None }
    }
}

impl Series {
    /// A named curve.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), marks: Marks::Line(points) }
    }

    /// Named points.
    pub fn points(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), marks: Marks::Points(points) }
    }
}
