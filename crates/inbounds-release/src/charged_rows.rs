//! The rows that a price is for, as far as a plan proves it.

use inbounds_bundle::digest::sha256;
use inbounds_core::Region;
use inbounds_data::{Column, Kind, Query, READER, Source, region};

use crate::{OpenedPlan, open_data::source, plan::Plan};

/// The rows that a query can count. A column is told from others by all that decides how its cells are read, the path
/// of the data and the version of the reader included: where two plans differ in any of it, nothing is concluded.
pub(crate) fn rows_of(plan: &Plan, opened: &OpenedPlan, query: &Query) -> Region {
    let source = source(plan);
    let read = |column: &Column| {
        // What a column is made of decides what is in it; a cell of a unit may be made of any.
        let origins = plan.origins(&column.name);
        let mine = |name: &String| plan.per_unit.is_some() || origins.contains(&name.as_str());
        let only = Source {
            declared: source.declared.iter().filter(|(name, _)| mine(name)).cloned().collect(),
            own_cells: source.own_cells.iter().filter(|(name, _)| mine(name)).cloned().collect(),
            ..source.clone()
        };
        let stored = opened.engine.columns_of_files().iter().filter(|stored| mine(&stored.name));
        let kinds: Vec<(&str, Kind)> = stored.map(|stored| (stored.name.as_str(), stored.kind)).collect();
        way_of_reading(READER, column.kind, &kinds, &only)
    };
    region(query, &plan.limiting(opened.engine.columns()), &read)
}

/// The name of a way to read a column: two ways with one name give every cell the same value.
fn way_of_reading(reader: u32, kind: Kind, stored: &[(&str, Kind)], source: &Source) -> String {
    sha256(format!("reader {reader} {kind:?} {stored:?} {source:?}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Prices are kept apart only where one reader reads one column in one way.
    #[test]
    fn another_reader_or_another_type_in_the_file_is_another_way_to_read() {
        let source = Source::new("rows.parquet");
        let way = |reader, kind| way_of_reading(reader, Kind::Text, &[("age", kind)], &source);
        assert_eq!(way(1, Kind::Integer), way(1, Kind::Integer));
        assert_ne!(way(1, Kind::Integer), way(2, Kind::Integer));
        assert_ne!(way(1, Kind::Integer), way(1, Kind::Number));
    }
}
