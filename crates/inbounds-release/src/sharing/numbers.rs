//! Which measured vectors of statistics are the same number.

use inbounds_core::{Grid, Quantity};
use inbounds_data::{Clip, Missing};
use inbounds_statistics::{CellEntry, Component};

use crate::prepared_statistic::{CalibratedStatistic, Variant};

/// The measured vectors that are one number: place of the statistic, and of its component.
pub type Members = Vec<(usize, usize)>;

/// Properties in which two components must agree to be one number.
#[derive(PartialEq)]
struct Number<'t> {
    role: &'t Quantity,
    grid: Grid,
    divisor: u64,
    moved: u128,
    /// Clipping of the columns on which it depends.
    clips: Vec<&'t Clip>,
    /// The columns without which a row does not count.
    needed: Vec<&'t str>,
}

impl<'t> Number<'t> {
    /// Of a component whose role says all that it is made of; none for others. A unit is `bounded` if it may have
    /// several rows, some of which are kept.
    fn from_component(variant: &'t Variant, component: &'t Component, bounded: bool) -> Option<Self> {
        let columns: Vec<&str> = match &component.role {
            role if *role == Quantity::COUNT => Vec::new(),
            Quantity::CentredSum { column } | Quantity::CentredSquares { column } => vec![column],
            Quantity::CentredProducts { row, column } => vec![row, column],
            _ => return None,
        };
        // Where a unit has several rows, all values decide which of them are kept, but not how many.
        let decides = bounded && component.role != Quantity::COUNT;
        let columns: Vec<&str> = match decides {
            true => variant.values.iter().map(|clip| clip.column.as_str()).collect(),
            false => columns,
        };
        let clip = |name: &str| variant.values.iter().find(|clip| clip.column == name);
        Some(Self {
            role: &component.role,
            grid: component.grid,
            divisor: component.divisor,
            moved: component.mechanism.sensitivity().l1,
            clips: columns.into_iter().map(clip).collect::<Option<_>>()?,
            needed: needed(&variant.values),
        })
    }
}

/// The columns without which a row does not count, each once.
fn needed(values: &[Clip]) -> Vec<&str> {
    let dropping = values.iter().filter(|clip| clip.missing == Missing::Drop);
    let mut columns: Vec<&str> = dropping.map(|clip| clip.column.as_str()).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// `true` if each component is one number a cell.
pub(super) fn has_one_number_a_cell(prepared: &CalibratedStatistic) -> bool {
    let components = 0..prepared.components().len();
    components.into_iter().all(|component| prepared.entries(component) == [CellEntry::Only])
}

/// The numbers that statistics at these places need, each once.
pub(super) fn numbers(statistics: &[(usize, &Variant)], bounded: bool) -> Vec<Members> {
    let mut numbers: Vec<(Option<Number<'_>>, Members)> = Vec::new();
    for (place, variant) in statistics {
        for (index, component) in variant.prepared.components().into_iter().enumerate() {
            let number = Number::from_component(variant, component, bounded);
            let same = numbers.iter_mut().find(|(known, _)| number.is_some() && *known == number);
            match same {
                Some((_, members)) => members.push((*place, index)),
                None => numbers.push((number, vec![(*place, index)])),
            }
        }
    }
    numbers.into_iter().map(|(_, members)| members).collect()
}
