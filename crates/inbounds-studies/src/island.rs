//! The island of `examples/census`, for where there is no census.

use crate::StudyError;

const MEASUREMENTS: &str = include_str!("../../../examples/census/measurements.csv");

/// A place of the island.
pub(crate) struct Place {
    pub(crate) name: String,
    /// Index of the place that it is part of.
    pub(crate) parent: Option<u32>,
    /// True if no other place is part of it.
    pub(crate) is_district: bool,
    /// Its noisy count.
    pub(crate) measured: f64,
}

/// All places, parents first.
pub(crate) fn places() -> Result<Vec<Place>, StudyError> {
    let malformed =
        |reason: String| StudyError::Malformed { file: "examples/census/measurements.csv".to_owned(), reason };
    let rows = csv::Reader::from_reader(MEASUREMENTS.as_bytes()).into_records();
    let rows = rows.collect::<Result<Vec<_>, _>>().map_err(|error| malformed(error.to_string()))?;
    let named = |name: &str| rows.iter().position(|row| &row[0] == name);
    let place = |row: &csv::StringRecord| {
        let measured = row[2].parse().map_err(|_| malformed(format!("no count in {row:?}")))?;
        Ok(Place {
            name: row[0].to_owned(),
            parent: named(&row[1]).map(|index| index as u32),
            is_district: !rows.iter().any(|other| other[1] == row[0]),
            measured,
        })
    };
    rows.iter().map(place).collect()
}
