//! The legend below a figure, with samples long enough to show a dash.

use kuva::render::{
    color::Color,
    render::{PathData, Primitive, Scene, TextAnchor},
};

/// Appearance of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sample {
    /// A line with its dashes.
    Line(Option<&'static str>),
    Marker(Shape),
    /// A filled area.
    Area,
    /// A filled area of this opacity.
    Shade(f64),
}

/// Shapes of points; each differs from the others without colour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shape {
    Circle,
    Cross,
    Triangle,
    Square,
    Diamond,
}

pub(super) struct Entry {
    pub(super) name: String,
    pub(super) colour: &'static str,
    pub(super) sample: Sample,
}

/// Opacity of a filled area, here and in the figure.
pub(super) const FILLED: f64 = 0.45;

/// Length of the sample of a line: three periods of the longest dash.
const SAMPLE: f64 = 44.0;
const LINE: f64 = 22.0;
const LETTER: f64 = 7.4;
const MARGIN: f64 = 14.0;
const SIZE: u32 = 13;

/// Adds the entries below what is drawn, as many in a row as have room.
pub(super) fn add(scene: &mut Scene, entries: &[Entry]) {
    let width = |entry: &Entry| SAMPLE + LETTER * entry.name.chars().count() as f64 + 30.0;
    let (mut x, mut y) = (MARGIN, scene.height + 0.5 * LINE);
    for entry in entries {
        if x > MARGIN && x + width(entry) > scene.width {
            (x, y) = (MARGIN, y + LINE);
        }
        sample(scene, entry, x, y);
        scene.add(Primitive::Text {
            x: x + SAMPLE + 8.0,
            y: y + 4.5,
            content: entry.name.clone(),
            anchor: TextAnchor::Start,
            size: SIZE,
            rotate: None,
            bold: false,
            color: None,
        });
        x += width(entry);
    }
    scene.height = y + LINE;
}

fn sample(scene: &mut Scene, entry: &Entry, x: f64, y: f64) {
    let colour = || Color::from(entry.colour);
    match entry.sample {
        Sample::Line(dashes) => scene.add(Primitive::Line {
            x1: x,
            y1: y,
            x2: x + SAMPLE,
            y2: y,
            stroke: colour(),
            stroke_width: 2.0,
            stroke_dasharray: dashes.map(str::to_owned),
        }),
        Sample::Area => area(scene, (x, y), colour(), FILLED),
        Sample::Shade(opacity) => area(scene, (x, y), colour(), opacity),
        Sample::Marker(shape) => marker(scene, shape, (x + SAMPLE - 8.0, y), colour()),
    }
}

fn area(scene: &mut Scene, (x, y): (f64, f64), colour: Color, opacity: f64) {
    scene.add(Primitive::Rect {
        x: x + SAMPLE - 16.0,
        y: y - 6.0,
        width: 16.0,
        height: 12.0,
        fill: colour,
        stroke: None,
        stroke_width: None,
        opacity: Some(opacity),
    });
}

fn marker(scene: &mut Scene, shape: Shape, (x, y): (f64, f64), colour: Color) {
    const R: f64 = 5.0;
    let corners: &[(f64, f64)] = match shape {
        Shape::Circle => &[],
        Shape::Cross => &[(-R, -R), (R, R), (-R, R), (R, -R)],
        Shape::Triangle => &[(0.0, -R), (R, R), (-R, R)],
        Shape::Square => &[(-R, -R), (R, -R), (R, R), (-R, R)],
        Shape::Diamond => &[(0.0, -R), (R, 0.0), (0.0, R), (-R, 0.0)],
    };
    if corners.is_empty() {
        scene.add(Primitive::Circle {
            cx: x,
            cy: y,
            r: R,
            fill: colour,
            fill_opacity: None,
            stroke: None,
            stroke_width: None,
        });
        return;
    }
    let place = |(index, (dx, dy)): (usize, &(f64, f64))| {
        // The two lines of a cross do not touch at their ends.
        let lifted = index == 0 || (shape == Shape::Cross && index == 2);
        format!("{}{:.1} {:.1}", if lifted { "M" } else { "L" }, x + dx, y + dy)
    };
    let path: String = corners.iter().enumerate().map(place).collect();
    let closed = if shape == Shape::Cross { "" } else { "Z" };
    scene.add(Primitive::Path(Box::new(PathData {
        d: path + closed,
        fill: (shape != Shape::Cross).then(|| colour.clone()),
        stroke: colour,
        stroke_width: 1.5,
        opacity: None,
        stroke_dasharray: None,
    })));
}
