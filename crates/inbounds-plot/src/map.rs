//! Areas coloured by classes.

use std::sync::Arc;

use kuva::render::{
    color::Color,
    render::{PathData, Primitive, Scene},
};

use super::{
    inks::Inks,
    labels::{FONT, plain},
    legend::{self, Entry, Sample},
};

/// A map: areas, each in the shade of its class.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// Quantity of the shades, as words for those who do not see it.
    pub title: String,
    /// The areas, in the order in which they are drawn.
    pub areas: Vec<Area>,
    /// Names of the classes, the lightest first; at most five.
    pub classes: Vec<String>,
    /// Name of what has no class; empty if every area has one.
    pub without: String,
    /// Place of its colour among those of series.
    pub colour: usize,
    /// Width in pixels of the screen.
    pub width: f64,
}

/// An area with its rings: corners `(x, y)`, to the right and upwards. Outer rings run one way around and holes the
/// other.
#[derive(Debug, Clone, PartialEq)]
pub struct Area {
    /// Shown where the area is pointed at.
    pub name: String,
    /// Its rings, in degrees of longitude and latitude, or in any unit of length.
    pub rings: Arc<Vec<Vec<(f64, f64)>>>,
    /// Its class; none for what has no number.
    pub class: Option<usize>,
}

/// Opacity of the classes, from the lightest.
const SHADES: [f64; 5] = [0.14, 0.34, 0.54, 0.74, 0.94];

/// Largest height over the width.
const HIGHEST: f64 = 1.1;

/// Corners nearer than this are one.
const NEAR: f64 = 1.2;

/// Half of the side of an area that is smaller than [`NEAR`] on the map.
const DOT: f64 = 0.75;

const MARGIN: f64 = 6.0;

pub(super) fn scene(map: &Map, inks: &Inks) -> Scene {
    let frame = Frame::around(map);
    let mut scene = Scene::new(map.width, frame.height());
    scene.background_color = Some(inks.background.to_owned());
    scene.text_color = Some(inks.text.to_owned());
    scene.font_family = Some(FONT.to_owned());
    let colour = inks.series[map.colour % inks.series.len()];
    for area in &map.areas {
        // Pushed, not added: an added one brings rules for what is pointed at.
        scene.elements.push(Primitive::GroupStart {
            transform: None,
            title: Some(area.name.clone()),
            extra_attrs: Some("class=\"area\"".to_owned()),
        });
        let shade = area.class.map(|class| SHADES[class.min(SHADES.len() - 1)]);
        scene.add(Primitive::Path(Box::new(PathData {
            d: frame.path(&area.rings),
            fill: Some(Color::from(if shade.is_some() { colour } else { inks.grid })),
            stroke: Color::from(inks.text),
            stroke_width: 0.4,
            opacity: Some(shade.unwrap_or(SHADES[0])),
            stroke_dasharray: None,
        })));
        scene.add(Primitive::GroupEnd);
    }
    let shade = |(class, name): (usize, &String)| Entry {
        name: plain(name),
        colour,
        sample: Sample::Shade(SHADES[class.min(SHADES.len() - 1)]),
    };
    let mut entries: Vec<Entry> = map.classes.iter().enumerate().map(shade).collect();
    if !map.without.is_empty() {
        entries.push(Entry { name: plain(&map.without), colour: inks.grid, sample: Sample::Shade(SHADES[0]) });
    }
    legend::add(&mut scene, &entries);
    scene
}

/// From coordinates to pixels.
struct Frame {
    left: f64,
    top: f64,
    /// Pixels of a unit to the right, and upwards.
    scale: (f64, f64),
    /// Corners west of this longitude lie in the east: the map runs across the date line.
    date_line: f64,
    size: (f64, f64),
}

impl Frame {
    /// The frame in which all areas have room. Degrees are as long as they are in the middle of the map, so that shapes
    /// are right there.
    fn around(map: &Map) -> Self {
        let corners = || map.areas.iter().flat_map(|area| area.rings.iter().flatten());
        let ends = |coordinate: &dyn Fn(&(f64, f64)) -> f64| {
            corners()
                .map(coordinate)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        };
        let (mut x, y) = (ends(&|corner| corner.0), ends(&|corner| corner.1));
        let are_degrees = x.0 >= -180.0 && x.1 <= 180.0 && y.0 >= -90.0 && y.1 <= 90.0;
        let mut date_line = f64::NEG_INFINITY;
        if are_degrees && x.1 - x.0 > 180.0 {
            let across = ends(&|corner| east(corner.0, 0.0));
            if across.1 - across.0 < x.1 - x.0 {
                (x, date_line) = (across, 0.0);
            }
        }
        let narrow = if are_degrees { (0.5 * (y.0 + y.1)).to_radians().cos().max(0.05) } else { 1.0 };
        let room = map.width - 2.0 * MARGIN;
        let (width, height) = (((x.1 - x.0) * narrow).max(f64::MIN_POSITIVE), (y.1 - y.0).max(f64::MIN_POSITIVE));
        let unit = (room / width).min(HIGHEST * map.width / height);
        Self { left: x.0, top: y.1, scale: (unit * narrow, unit), date_line, size: (width * unit, height * unit) }
    }

    fn height(&self) -> f64 {
        self.size.1 + 2.0 * MARGIN
    }

    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let x = east(x, self.date_line);
        // Half a pixel is what a line of the map is wide.
        let half = |pixels: f64| (2.0 * pixels).round() / 2.0;
        (half(MARGIN + (x - self.left) * self.scale.0), half(MARGIN + (self.top - y) * self.scale.1))
    }

    /// The rings as a path, without corners that the eye cannot distinguish.
    fn path(&self, rings: &[Vec<(f64, f64)>]) -> String {
        let mut path = String::new();
        let mut first = None;
        for ring in rings {
            let mut corners: Vec<(f64, f64)> = Vec::new();
            for corner in ring {
                let place = self.place(*corner);
                first.get_or_insert(place);
                let is_near = |last: &(f64, f64)| (last.0 - place.0).abs() < NEAR && (last.1 - place.1).abs() < NEAR;
                if !corners.last().is_some_and(is_near) {
                    corners.push(place);
                }
            }
            if corners.len() >= 3 {
                let (x, y) = corners[0];
                path.push_str(&format!("M{x} {y}"));
                // From corner to corner: half of the letters that places would take.
                for pair in corners.windows(2) {
                    path.push_str(&format!("l{} {}", pair[1].0 - pair[0].0, pair[1].1 - pair[0].1));
                }
                path.push('Z');
            }
        }
        match (path.is_empty(), first) {
            (true, Some((x, y))) => {
                let (left, top, side) = (x - DOT, y - DOT, 2.0 * DOT);
                format!("M{left:.1} {top:.1}h{side}v{side}h-{side}Z")
            }
            _ => path,
        }
    }
}

/// A longitude, east of the date line.
fn east(x: f64, date_line: f64) -> f64 {
    if x < date_line { x + 360.0 } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Graphic;

    fn square(west: f64, south: f64, side: f64) -> Vec<(f64, f64)> {
        vec![(west, south), (west + side, south), (west + side, south + side), (west, south + side), (west, south)]
    }

    fn area(name: &str, ring: Vec<(f64, f64)>, class: Option<usize>) -> Area {
        Area { name: name.to_owned(), rings: Arc::new(vec![ring]), class }
    }

    fn map(areas: Vec<Area>) -> Map {
        let classes = ["few", "many"].map(str::to_owned).to_vec();
        Map { title: "people".to_owned(), areas, classes, without: "no number".to_owned(), colour: 1, width: 400.0 }
    }

    #[test]
    fn areas_have_the_shade_of_their_class_and_their_name() {
        let drawn = map(vec![
            area("A & B", square(0.0, 0.0, 1.0), Some(0)),
            area("C", square(1.0, 0.0, 1.0), Some(1)),
            area("D", square(2.0, 0.0, 1.0), None),
        ]);
        let svg = Graphic::Map(drawn).to_svg();
        assert!(svg.contains("<title>A &amp; B</title>"), "{svg}");
        let paths: Vec<&str> = svg.split("<path ").skip(1).filter_map(|path| path.split("/>").next()).collect();
        assert_eq!(paths.len(), 3);
        assert!(paths[0].contains("fill-opacity=\"0.14\"") && paths[1].contains("fill-opacity=\"0.34\""), "{svg}");
        assert!(paths[0].contains("#0072b2") && !paths[2].contains("#0072b2"), "{svg}");
        assert!(svg.contains(">many</text>") && svg.contains(">no number</text>"));
    }

    #[test]
    fn a_map_across_the_date_line_is_not_as_wide_as_the_world() {
        let drawn = map(vec![
            area("west", square(-179.0, 60.0, 2.0), Some(0)),
            area("east", square(177.0, 60.0, 2.0), Some(0)),
        ]);
        let frame = Frame::around(&drawn);
        let (east, west) = (frame.place((177.0, 60.0)).0, frame.place((-179.0, 60.0)).0);
        assert!(east < west && west - east < 400.0, "{east} {west}");
        assert!(frame.place((179.0, 60.0)).0 - east > 100.0, "an area is as wide as it can be");
    }

    #[test]
    fn corners_that_the_eye_cannot_tell_apart_are_one_and_no_area_is_lost() {
        let circle: Vec<(f64, f64)> = (0..100_000)
            .map(|at| {
                let angle = std::f64::consts::TAU * f64::from(at) / 100_000.0;
                (angle.cos(), angle.sin())
            })
            .collect();
        let drawn = map(vec![area("round", circle, Some(0)), area("islet", square(0.0, 0.0, 1e-9), Some(1))]);
        let svg = Graphic::Map(drawn).to_svg();
        assert!(svg.len() < 100_000, "{}", svg.len());
        assert_eq!(svg.matches("<path ").count(), 2);
    }
}
