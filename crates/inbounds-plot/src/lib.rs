//! Pictures as plain data, drawn as SVG by a library that nothing else sees.
//!
//! A figure is a row of panels with lines; [`Figure::to_svg`] is a pure function of it, the same bytes every time.

mod svg;

/// Panels side by side under one title, with one legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Over all panels.
    pub title: String,
    /// From left to right; their lines have the same names in the same order.
    pub panels: Vec<Panel>,
}

/// Lines over common axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Over the panel.
    pub title: String,
    /// Under the horizontal axis, with the unit.
    pub x_label: String,
    /// Beside the vertical axis, with the unit.
    pub y_label: String,
    /// What is drawn.
    pub lines: Vec<Line>,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Corners from left to right or right to left.
    pub points: Vec<(f64, f64)>,
}

impl Figure {
    /// The figure as an SVG document.
    pub fn to_svg(&self) -> String {
        svg::draw(self)
    }
}
