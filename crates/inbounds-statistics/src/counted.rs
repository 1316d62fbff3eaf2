//! Which measured numbers say how many rows a statistic is of.

/// A measured vector of a statistic from which numbers of rows follow, without bias and before any constraint.
///
/// The vector has the same number of entries for each cell, cell by cell, so that the rows of a cell are the sum of its
/// entries times [`RowsMeasured::weight`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowsMeasured {
    /// Place of the vector among the components.
    pub component: usize,
    /// Entries of a cell.
    pub entries: Entries,
}

/// Kind of the entries of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Entries {
    /// Numbers of rows: of the cell, or of its bins.
    Rows,
    /// Two distances, from the lower bound and to the upper one, to which a row adds this many steps together.
    Distances {
        /// Steps between the bounds.
        width: f64,
    },
    /// Three squared distances, to the upper bound, between both and to the lower bound, to which a row adds this many
    /// steps together.
    Squares {
        /// Squared steps between the bounds.
        area: f64,
    },
}

impl RowsMeasured {
    /// Numbers of rows in the first measured vector.
    pub const COUNTS: Self = Self { component: 0, entries: Entries::Rows };

    /// Distances to both bounds in a measured vector.
    pub fn distances(component: usize, width: f64) -> Self {
        Self { component, entries: Entries::Distances { width } }
    }

    /// Squared distances to both bounds in a measured vector.
    pub fn squares(component: usize, area: f64) -> Self {
        Self { component, entries: Entries::Squares { area } }
    }

    /// Rows in one step of the sum of a cell's entries.
    pub fn weight(&self) -> f64 {
        match self.entries {
            Entries::Rows => 1.0,
            Entries::Distances { width } => 1.0 / width,
            Entries::Squares { area } => 1.0 / area,
        }
    }
}
