//! What is protected: the unit, the relation, and what they make public.

use inbounds_core::Neighbours;

/// Whose presence or values the guarantee hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrivacyUnit {
    /// One row.
    Row,
    /// All rows that share a value of a column, of which at most `max_rows` enter any statistic.
    Column {
        /// Rows kept per unit, at least 1.
        max_rows: u64,
    },
}

/// Privacy unit, neighbour relation and what they make public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Design {
    /// Which data sets are neighbours.
    pub neighbours: Neighbours,
    /// One unit apart: unit of what.
    pub unit: PrivacyUnit,
    /// The public number of rows. Only with [`Neighbours::Substitute`] and [`PrivacyUnit::Row`], where neighbours have
    /// equally many rows.
    pub rows: Option<u64>,
}

impl Design {
    /// The number of rows, where it is public: neighbours have equally many.
    pub fn public_rows(&self) -> Option<u64> {
        let fixed = self.neighbours == Neighbours::Substitute && self.unit == PrivacyUnit::Row;
        self.rows.filter(|_| fixed)
    }

    /// The largest number of rows that one unit contributes to a statistic.
    pub fn rows_per_unit(&self) -> u64 {
        match self.unit {
            PrivacyUnit::Row => 1,
            PrivacyUnit::Column { max_rows } => max_rows,
        }
    }
}
