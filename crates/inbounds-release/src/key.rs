//! The key of a cell.

use inbounds_data::{KeyRow, KeyValue};

/// The values of grouping columns that distinguish a cell: all of them, or those of some columns.
#[derive(Debug, Clone, Copy)]
pub struct Key<'a> {
    row: Row<'a>,
    /// The columns that count, in ascending order; all if none are named.
    columns: Option<&'a [usize]>,
}

/// Where the values are.
#[derive(Debug, Clone, Copy)]
enum Row<'a> {
    Listed(KeyRow<'a>),
    Learned(&'a [KeyValue]),
}

impl<'a> Key<'a> {
    /// The key of a cell that no column distinguishes.
    pub(crate) const NONE: Self = Self { row: Row::Learned(&[]), columns: None };

    /// All values of a public key.
    pub(crate) fn whole(row: KeyRow<'a>) -> Self {
        Self { row: Row::Listed(row), columns: None }
    }

    /// All values of a key that was learned.
    pub(crate) fn learned(row: &'a [KeyValue]) -> Self {
        Self { row: Row::Learned(row), columns: None }
    }

    /// The values of some columns of a public key, which are in ascending order.
    pub(crate) fn part(row: KeyRow<'a>, columns: &'a [usize]) -> Self {
        Self { row: Row::Listed(row), columns: Some(columns) }
    }

    /// The value of the grouping column at a place, if that distinguishes the cell.
    pub fn get(self, place: usize) -> Option<&'a KeyValue> {
        let counts = self.columns.is_none_or(|columns| columns.binary_search(&place).is_ok());
        match self.row {
            _ if !counts => None,
            Row::Listed(row) => row.get(place),
            Row::Learned(row) => row.get(place),
        }
    }

    /// Its columns and values, such as `district = north, sex = male`; `columns` are all grouping columns.
    pub(crate) fn in_words(self, columns: &[String]) -> String {
        let known = columns.iter().enumerate().filter_map(|(place, column)| Some((column, self.get(place)?)));
        known.map(|(column, value)| format!("{column} = {value}")).collect::<Vec<_>>().join(", ")
    }

    /// Its values, in the order of their columns.
    pub fn values(self) -> impl Iterator<Item = &'a KeyValue> {
        let columns = match self.row {
            Row::Listed(row) => row.len(),
            Row::Learned(row) => row.len(),
        };
        (0..columns).filter_map(move |place| self.get(place))
    }
}

/// Keys are the same if the same columns count and have the same values.
impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.columns == other.columns && self.values().eq(other.values())
    }
}

impl Eq for Key<'_> {}
