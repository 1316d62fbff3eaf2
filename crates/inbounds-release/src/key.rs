//! The key of a cell.

use inbounds_data::KeyValue;

/// The values of grouping columns that tell a cell apart: all of them, or those of some columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key<'a> {
    row: &'a [KeyValue],
    /// The columns that count, in ascending order; all if none are named.
    columns: Option<&'a [usize]>,
}

impl<'a> Key<'a> {
    /// The key of a cell that no column tells apart.
    pub(crate) const NONE: Self = Self { row: &[], columns: None };

    /// All values of a public key.
    pub(crate) fn whole(row: &'a [KeyValue]) -> Self {
        Self { row, columns: None }
    }

    /// The values of some columns of it, which are in ascending order.
    pub(crate) fn part(row: &'a [KeyValue], columns: &'a [usize]) -> Self {
        Self { row, columns: Some(columns) }
    }

    /// The value of the grouping column at a place, if that tells the cell apart.
    pub fn get(self, place: usize) -> Option<&'a KeyValue> {
        let counts = self.columns.is_none_or(|columns| columns.binary_search(&place).is_ok());
        self.row.get(place).filter(|_| counts)
    }

    /// Its values, in the order of their columns.
    pub fn values(self) -> impl Iterator<Item = &'a KeyValue> {
        (0..self.row.len()).filter_map(move |place| self.get(place))
    }
}
