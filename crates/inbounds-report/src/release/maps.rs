//! Maps of numbers by area: their size, and how sure they are.

use std::{collections::HashMap, fs, path::Path, sync::Arc};

use inbounds_bundle::ReleaseManifest;
use inbounds_figures::{FigureCell, FigureKind, MadeFigure};
use inbounds_plot::{Area, Graphic, Map};

use super::{names::Names, views::View};
use crate::{
    Areas, ReportError,
    document::Picture,
    figures::{counted, whole},
    spread::{Spread, Style},
};

/// Width of a map on a page.
const WIDTH: f64 = 560.0;

/// Shades of a map.
const SHADES: usize = 5;

/// Largest relative errors of the shades of certainty but the last.
const SURE: [f64; SHADES - 1] = [0.05, 0.1, 0.2, 0.5];

/// The areas of the columns of a release that have a map.
#[derive(Default)]
pub(crate) struct Maps(HashMap<String, Areas>);

/// A number of a place.
struct Point {
    value: f64,
    /// Half of the width of its interval in parts of its size, where that says how sure it is.
    sure: Option<f64>,
    /// As it is read.
    words: String,
}

impl Maps {
    pub(crate) fn read(folder: &Path, manifest: &ReleaseManifest) -> Result<Self, ReportError> {
        let mut all = HashMap::new();
        for column in &manifest.columns {
            let Some(map) = &column.map else { continue };
            let path = folder.join(&map.file.name);
            let bytes = fs::read(&path).map_err(|source| ReportError::Unreadable { path: path.clone(), source })?;
            let areas = Areas::parse(&bytes, &map.key).map_err(|problem| ReportError::Table { path, problem })?;
            all.insert(column.name.clone(), areas);
        }
        Ok(Self(all))
    }

    /// The maps of cells that share an axis, if each is an area.
    pub(super) fn of_view(
        &self,
        id: &str,
        (title, by): (&str, &[String]),
        (view, style): (&View, Style),
        names: &Names,
    ) -> Vec<Picture> {
        // Of levels, the last column that has a value.
        let Some(place) = view.columns().last().copied().filter(|place| self.0.contains_key(&by[*place])) else {
            return vec![];
        };
        let points = view.cells.iter().map(|cell| {
            let words = cell.spread(style);
            let words = format!("{} {}", words.value, words.beside());
            let sure = cell.interval.map(|ends| relative(cell.estimate, ends));
            let point = (!cell.hidden).then(|| Point { value: cell.number().0, sure, words });
            (cell.raw_values[place].clone(), point)
        });
        self.draw(id, (title, &by[place], LARGER), (points.collect(), style), names)
    }

    /// The maps of a figure by one column.
    pub(super) fn of_figure(
        &self,
        id: &str,
        made: &MadeFigure,
        shown: &dyn Fn(&FigureCell) -> Option<(String, String)>,
        names: &Names,
    ) -> Vec<Picture> {
        let columns = made.key_columns();
        let [column] = &columns[..] else { return vec![] };
        let kind = made.known_kind();
        let (is_rank, has_quality) = (kind == Some(FigureKind::Rank), kind.is_some_and(FigureKind::has_quality));
        let point = |cell: &FigureCell| {
            let (value, ends) = shown(cell)?;
            let estimate = cell.estimate?;
            let sure = has_quality.then(|| relative(estimate, (cell.lower, cell.upper)));
            Some(Point { value: estimate, sure, words: format!("{value} [{ends}]") })
        };
        let key = |cell: &FigureCell| cell.key.get(column).cloned().unwrap_or_default();
        let points = made.cells.iter().map(|cell| (key(cell), point(cell))).collect();
        let larger = if is_rank { "the larger the place, of which 1 is that of the largest number" } else { LARGER };
        self.draw(id, (made.title(), column, larger), (points, Style::Plain), names)
    }

    fn draw(
        &self,
        id: &str,
        (title, column, larger): (&str, &str, &str),
        (points, style): (Vec<(String, Option<Point>)>, Style),
        names: &Names,
    ) -> Vec<Picture> {
        let Some(areas) = self.0.get(column) else { return vec![] };
        let count = points.len();
        let mut of_place: HashMap<String, Option<Point>> = points.into_iter().collect();
        if of_place.len() < count || count < 2 {
            return vec![];
        }
        let drawn: Vec<Option<Point>> = areas.names().map(|key| of_place.remove(key).flatten()).collect();
        let lost = of_place.values().flatten().count();
        let lost = match lost {
            0 => String::new(),
            _ => format!(" {} in no area of the map: see the table.", is_or_are(lost)),
        };
        let values: Vec<f64> = drawn.iter().flatten().map(|point| point.value).collect();
        if values.is_empty() {
            return vec![];
        }
        let shades = Shades::from_values(&values);
        let map = |kind: &str, classes: Vec<String>, colour: usize, class: &dyn Fn(&Point) -> Option<usize>| {
            let area = |((key, rings), point): (&(String, _), &Option<Point>)| Area {
                name: format!(
                    "{}: {}",
                    names.value(column, key),
                    point.as_ref().map_or("no number shown", |point| point.words.as_str())
                ),
                rings: Arc::clone(rings),
                class: point.as_ref().and_then(class),
            };
            let areas: Vec<Area> = areas.areas().iter().zip(&drawn).map(area).collect();
            let without = areas.iter().any(|area| area.class.is_none());
            let without = if without { "no number shown" } else { "" };
            let title = format!("{title}, {kind}");
            Map { title, areas, classes, without: without.to_owned(), colour, width: WIDTH }
        };
        let sizes = map("by area", shades.names(style), 1, &|point| Some(shades.class(point.value)));
        let sure = map("uncertainty by area", certainty(), 2, &|point| {
            let relative = point.sure?;
            Some(SURE.iter().position(|most| relative <= *most).unwrap_or(SURE.len()))
        });
        let spoken = |map: &Map| {
            format!("{}: a map of {}. Every number is in a table.", map.title, counted(map.areas.len(), "area"))
        };
        let picture = |which: &str, map: Map, caption: String| Picture {
            spoken: spoken(&map),
            graphic: Graphic::Map(map),
            id: format!("{id}-{which}"),
            caption,
        };
        let is_sure = drawn.iter().flatten().any(|point| point.sure.is_some());
        let size = picture("map", sizes, format!("{title}: the stronger the shade, {larger}.{lost}"));
        let caption = format!(
            "{title}: the stronger the shade, the less certain: half of the width of the interval, in percent of the estimate."
        );
        [size].into_iter().chain(is_sure.then(|| picture("sure", sure, caption))).collect()
    }
}

/// What a stronger shade says of most numbers.
const LARGER: &str = "the larger";

/// Half of the width of an interval in parts of the size of its estimate; 0 of what is known.
fn relative(estimate: f64, (lower, upper): (f64, f64)) -> f64 {
    let half = 0.5 * (upper - lower);
    if half == 0.0 { 0.0 } else { half / estimate.abs() }
}

fn is_or_are(count: usize) -> String {
    if count == 1 { "One place is".to_owned() } else { format!("{} places are", whole(count)) }
}

fn certainty() -> Vec<String> {
    let percent = |most: f64| format!("{:.0}", 100.0 * most);
    let mut names = vec![format!("± up to {} %", percent(SURE[0]))];
    names.extend(SURE.windows(2).map(|pair| format!("{} to {} %", percent(pair[0]), percent(pair[1]))));
    names.push(format!("more than {} %", percent(SURE[SURE.len() - 1])));
    names
}

/// Shades of sizes: each has as many places, as far as equal numbers allow.
struct Shades(Vec<(f64, f64)>);

impl Shades {
    fn from_values(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mut shades: Vec<(f64, f64)> = Vec::new();
        for shade in 0..SHADES {
            let from = shades.last().map_or(0, |last| sorted.partition_point(|value| *value <= last.1));
            let to = (sorted.len() * (shade + 1)).div_ceil(SHADES).max(from + 1);
            if from < sorted.len() {
                let upper = sorted[to.min(sorted.len()) - 1];
                shades.push((sorted[from], upper));
            }
        }
        if let Some(last) = shades.last_mut() {
            last.1 = sorted[sorted.len() - 1];
        }
        Self(shades)
    }

    fn class(&self, value: f64) -> usize {
        self.0.iter().position(|(_, upper)| value <= *upper).unwrap_or(self.0.len() - 1)
    }

    fn names(&self, style: Style) -> Vec<String> {
        let words = |value: f64| Spread::new(value, None, style).value;
        let name = |(lower, upper): &(f64, f64)| match words(*lower) == words(*upper) {
            true => words(*lower),
            false => format!("{} to {}", words(*lower), words(*upper)),
        };
        self.0.iter().map(name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_have_as_many_places_and_equal_numbers_one_shade() {
        let shades = Shades::from_values(&(1..=10).map(f64::from).collect::<Vec<_>>());
        assert_eq!(shades.names(Style::Whole), ["1 to 2", "3 to 4", "5 to 6", "7 to 8", "9 to 10"]);
        assert_eq!((shades.class(1.0), shades.class(4.0), shades.class(10.0)), (0, 1, 4));
        let few = Shades::from_values(&[0.0, 0.0, 0.0, 7.0]);
        assert_eq!(few.names(Style::Whole), ["0", "7"]);
        assert_eq!((few.class(0.0), few.class(7.0)), (0, 1));
        assert_eq!(Shades::from_values(&[3.0]).names(Style::Whole), ["3"]);
    }
}
