//! Public numbers of cells: the number of all rows, or what files say of the cells of a margin at a level.
//!
//! A reader who knows numbers knows their sums. So of what is public at a level all that it adds up to is public too:
//! the same margin at coarser levels, and the margins of it. None of these is measured.

use std::fmt;

use super::{LevelsError, hierarchy::Hierarchy};
use crate::plan::Granularity;
use inbounds_data::{KeyValue, Keys};

/// Public numbers, from a file, of the cells of a margin at a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublicMargin {
    /// Granularity of the cells.
    pub(crate) granularity: Granularity,
    /// Where they stand: a file, as the plan names it, in backticks, or the plan.
    pub(crate) file: String,
    /// Each cell, by the columns that distinguish it, in their order, with its number.
    pub(crate) rows: Vec<(Vec<KeyValue>, u64)>,
}

/// The public numbers of the cells of a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) level: usize,
    /// Cell by cell.
    pub(crate) values: Vec<u64>,
    source: Source,
}

/// Where public numbers come from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    /// The public number of rows.
    Rows,
    /// `public`, from this file or the plan.
    Public(String),
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows => formatter.write_str("total = \"rows\""),
            Self::Public(file) => write!(formatter, "the numbers in {file}"),
        }
    }
}

impl Known {
    /// `true` if `public` states them.
    pub(crate) fn is_stated(&self) -> bool {
        matches!(self.source, Source::Public(_))
    }
}

/// A measured vector of counts whose sums are public.
pub(crate) struct SumsToKnown<'a> {
    pub(crate) known: &'a Known,
    /// Number of the vector among those measured.
    pub(crate) vector: usize,
    /// Rows in one step of it.
    pub(crate) step: f64,
    /// The public cell that each measured cell is part of.
    pub(crate) part: Vec<u32>,
}

/// All levels whose numbers are public: `total` is the public number of the rows that the cells count together, and
/// `rows` that of all rows, of which they may count fewer.
///
/// # Errors
/// [`LevelsError`] where a file does not have every cell, or numbers contradict each other or the number of rows.
pub(super) fn known(
    hierarchy: &Hierarchy,
    keys: &Keys,
    (total, rows): (Option<u64>, Option<u64>),
    public: &[PublicMargin],
) -> Result<Vec<Known>, LevelsError> {
    let total = total
        .and_then(|rows| Some(Known { level: hierarchy.total_level()?, values: vec![rows], source: Source::Rows }));
    let mut all: Vec<Known> = total.into_iter().collect();
    for margin in public {
        let level = hierarchy.levels.iter().position(|level| level.granularity.is(&margin.granularity));
        let Some(level) = level else { continue };
        let stated = stated(hierarchy, keys, level, margin)?;
        let source = Source::Public(margin.file.clone());
        let sum = stated.iter().fold(0_u64, |sum, value| sum.saturating_add(*value));
        if let Some(rows) = rows.filter(|rows| sum > *rows) {
            return Err(LevelsError::MoreThanAllRows { numbers: source.to_string(), sum, rows });
        }
        // Each is the sums of the stated one, itself among them.
        for coarser in 0..=level {
            let Some(part) = hierarchy.part_of(level, coarser, keys) else { continue };
            let mut values = vec![0_u64; hierarchy.levels[coarser].cells()];
            for (cell, value) in part.into_iter().zip(&stated) {
                values[cell as usize] = values[cell as usize].saturating_add(*value);
            }
            let own = Known { level: coarser, values, source: source.clone() };
            match all.iter().find(|known| known.level == coarser) {
                None => all.push(own),
                Some(other) => agree(hierarchy, keys, &own, other)?,
            }
        }
    }
    all.sort_by_key(|known| known.level);
    can_be_kept(hierarchy, &all)?;
    Ok(all)
}

/// True if numbers that are whole and not negative can meet all that is public, whatever else is measured: of a table
/// at a place one margin, with those of it; of a table by itself nothing of several columns within a margin of more.
fn can_be_kept(hierarchy: &Hierarchy, all: &[Known]) -> Result<(), LevelsError> {
    let granularity = |known: &Known| &hierarchy.levels[known.level].granularity;
    let columns_of = |known: &Known| granularity(known).margin().unwrap_or_default();
    let includes = |outer: &[String], inner: &[String]| inner.iter().all(|column| outer.contains(column));
    for known in all {
        match granularity(known) {
            Granularity::Level(_) => {}
            Granularity::Both { level, .. } => {
                let of_level =
                    |other: &&Known| matches!(granularity(other), Granularity::Both { level: own, .. } if own == level);
                let largest = all.iter().filter(of_level).max_by_key(|other| columns_of(other).len());
                let largest = largest.expect("the number is one of its level");
                if !includes(columns_of(largest), columns_of(known)) {
                    return Err(LevelsError::PublicApart {
                        one: known.source.to_string(),
                        first: Box::new(granularity(known).clone()),
                        other: largest.source.to_string(),
                        second: Box::new(granularity(largest).clone()),
                    });
                }
            }
            Granularity::Margin(columns) => {
                let mut around = hierarchy.levels.iter().filter_map(|level| level.granularity.margin());
                let is_around = |outer: &[String]| outer.len() > columns.len().max(2) && includes(outer, columns);
                if columns.len() > 1 && around.any(is_around) {
                    return Err(LevelsError::PublicWithin {
                        one: known.source.to_string(),
                        granularity: granularity(known).clone(),
                    });
                }
            }
        }
    }
    Ok(())
}

/// The number of each cell of a level, from a file.
fn stated(hierarchy: &Hierarchy, keys: &Keys, level: usize, margin: &PublicMargin) -> Result<Vec<u64>, LevelsError> {
    let rows: std::collections::HashMap<&[KeyValue], u64> =
        margin.rows.iter().map(|(key, value)| (&key[..], *value)).collect();
    let cells = hierarchy.levels[level].cells();
    let file = || margin.file.clone();
    let mut values = Vec::with_capacity(cells);
    for cell in 0..cells {
        let key = hierarchy.key_of(level, cell, keys);
        match rows.get(&key[..]) {
            Some(value) => values.push(*value),
            None => return Err(LevelsError::PublicCell { file: file(), cell: shown(&key) }),
        }
    }
    if rows.len() > cells {
        let known: std::collections::HashSet<Vec<KeyValue>> =
            (0..cells).map(|cell| hierarchy.key_of(level, cell, keys)).collect();
        let other = margin.rows.iter().find(|(key, _)| !known.contains(key));
        let cell = other.map_or_else(String::new, |(key, _)| shown(key));
        return Err(LevelsError::PublicNoCell { file: file(), cell });
    }
    Ok(values)
}

fn agree(hierarchy: &Hierarchy, keys: &Keys, own: &Known, other: &Known) -> Result<(), LevelsError> {
    let differs = own.values.iter().zip(&other.values).position(|(one, other)| one != other);
    let Some(cell) = differs else { return Ok(()) };
    let (place, level) = (hierarchy.key_of(own.level, cell, keys), &hierarchy.levels[own.level].granularity);
    let place = if place.is_empty() { level.to_string() } else { format!("{level}, cell {}", shown(&place)) };
    Err(LevelsError::Contradiction {
        one: own.source.to_string(),
        other: other.source.to_string(),
        place,
        first: own.values[cell],
        second: other.values[cell],
    })
}

fn shown(key: &[KeyValue]) -> String {
    if key.is_empty() {
        return "the total".to_owned();
    }
    key.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ")
}
