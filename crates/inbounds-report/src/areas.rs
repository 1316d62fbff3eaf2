//! Public areas of a GeoJSON file, by a property.

use std::{collections::HashMap, sync::Arc};

use geojson::{Feature, GeoJson, GeometryValue, Position};
use serde_json::Value;

/// The rings of an area: outer ones anticlockwise, holes clockwise, as corners `(x, y)`.
type Rings = Vec<Vec<(f64, f64)>>;

/// Areas by the words of a property, in the order of the file.
///
/// # Contract
/// Polygons and multipolygons of a collection of features (RFC 7946), in any coordinates. Features of one name are one
/// area.
///
/// # Example
/// ```
/// use inbounds_report::Areas;
/// let text = br#"{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"code": 7}, "geometry":
///     {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}}]}"#;
/// let areas = Areas::parse(text, "code")?;
/// assert!(areas.has("7") && areas.names().eq(["7"]));
/// assert!(Areas::parse(text, "name").is_err_and(|problem| problem.contains("`code`")));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Areas {
    areas: Vec<(String, Arc<Rings>)>,
    places: HashMap<String, usize>,
}

impl Areas {
    /// The areas of a file with the property `key`.
    ///
    /// # Errors
    /// Words for what is wrong with the file, which is public.
    pub fn parse(bytes: &[u8], key: &str) -> Result<Self, String> {
        let file: GeoJson = serde_json::from_slice(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
            .map_err(|error| format!("this is no GeoJSON: {error}"))?;
        let GeoJson::FeatureCollection(collection) = file else {
            return Err("a map is a collection of features, and this is another object of GeoJSON".to_owned());
        };
        let mut areas: Vec<(String, Rings)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for (number, feature) in collection.features.iter().enumerate() {
            let wrong = |problem: String| format!("feature {}: {problem}", number + 1);
            let name = name(feature, key).map_err(wrong)?;
            let rings = rings(feature).map_err(wrong)?;
            let place = *places.entry(name.clone()).or_insert_with(|| {
                areas.push((name, Vec::new()));
                areas.len() - 1
            });
            areas[place].1.extend(rings);
        }
        if areas.is_empty() {
            return Err("it has no feature".to_owned());
        }
        Ok(Self { areas: areas.into_iter().map(|(name, rings)| (name, Arc::new(rings))).collect(), places })
    }

    /// `true` if there is an area of this name.
    pub fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// The names, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.areas.iter().map(|(name, _)| name.as_str())
    }

    /// The names, each with its rings.
    pub(crate) fn areas(&self) -> &[(String, Arc<Rings>)] {
        &self.areas
    }
}

/// Below this every whole number is a double.
const WHOLE: f64 = 9_007_199_254_740_992.0;

fn name(feature: &Feature, key: &str) -> Result<String, String> {
    let properties = feature.properties.as_ref();
    match properties.and_then(|properties| properties.get(key)) {
        Some(Value::String(words)) => Ok(words.clone()),
        // A whole number is written as one, also where its writer has only numbers with a point.
        Some(Value::Number(number)) => Ok(match number.as_f64().filter(|number| number.fract() == 0.0) {
            Some(integer) if integer.abs() < WHOLE && !number.is_i64() => format!("{integer:.0}"),
            _ => number.to_string(),
        }),
        Some(Value::Bool(flag)) => Ok(flag.to_string()),
        Some(_) => Err(format!("its property `{key}` is neither text, nor a number, nor a truth value")),
        None => {
            let known: Vec<String> = properties.into_iter().flatten().map(|(name, _)| format!("`{name}`")).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            Err(format!("it has no property `{key}`; it has {known}"))
        }
    }
}

fn rings(feature: &Feature) -> Result<Rings, String> {
    let polygons = match feature.geometry.as_ref().map(|geometry| &geometry.value) {
        Some(GeometryValue::Polygon { coordinates }) => vec![coordinates],
        Some(GeometryValue::MultiPolygon { coordinates }) => coordinates.iter().collect(),
        Some(other) => {
            return Err(format!("it is a {}, and an area is a Polygon or a MultiPolygon", other.type_name()));
        }
        None => return Err("it has no geometry".to_owned()),
    };
    let corner = |position: &Position| match position.as_slice() {
        [x, y, ..] if x.is_finite() && y.is_finite() => Ok((*x, *y)),
        _ => Err("a corner has no two coordinates".to_owned()),
    };
    let mut rings = Vec::new();
    for polygon in polygons {
        if polygon.is_empty() {
            return Err("a polygon has no ring".to_owned());
        }
        for (place, ring) in polygon.iter().enumerate() {
            let mut corners: Vec<(f64, f64)> = ring.iter().map(corner).collect::<Result<_, _>>()?;
            let first = corners.first();
            if corners.len() < 4 || corners.iter().all(|corner| Some(corner) == first) {
                return Err("a ring has fewer than four corners, or no extent".to_owned());
            }
            // Files do not all keep to the direction of the standard.
            if (area(&corners) > 0.0) != (place == 0) {
                corners.reverse();
            }
            rings.push(corners);
        }
    }
    Ok(rings)
}

/// Twice the area within a ring, above 0 if it runs anticlockwise.
fn area(corners: &[(f64, f64)]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|((x, y), (u, v))| x * v - u * y).sum()
}
