//! Composition of charges on disjoint rows.

use inbounds_core::{Neighbours, Partition, Region};

use crate::LedgerUnit;

/// Composition of charges on disjoint rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Composition {
    /// The largest counts.
    Parallel,
    /// The largest counts within a release; releases add.
    ParallelWithin,
    /// They add, like all others.
    Sequential,
}

impl Composition {
    /// Composition of the losses of one release on disjoint rows, with or without a ledger: parallel where a unit is
    /// one row, and neighbours have it or do not. A unit of several rows can be on both sides, and a row that is
    /// replaced can leave one side and enter the other. One release reads its rows once, so all of its measurements are
    /// of the same rows.
    ///
    /// # References
    /// McSherry (2009), parallel composition. Claim: `ledger-parallel`.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::Neighbours;
    /// use inbounds_ledger::{Composition, LedgerUnit};
    /// let within = Composition::within_release;
    /// assert_eq!(within(&LedgerUnit::Row, Neighbours::AddRemove), Composition::Parallel);
    /// assert_eq!(within(&LedgerUnit::Row, Neighbours::Substitute), Composition::Sequential);
    /// assert_eq!(within(&LedgerUnit::Column("patient".into()), Neighbours::AddRemove), Composition::Sequential);
    /// ```
    pub fn within_release(unit: &LedgerUnit, neighbours: Neighbours) -> Self {
        match (unit, neighbours) {
            (LedgerUnit::Row, Neighbours::AddRemove) => Self::Parallel,
            (LedgerUnit::Column(_) | LedgerUnit::Rows(_), _) | (_, Neighbours::Substitute) => Self::Sequential,
        }
    }

    /// Ways to put regions into classes such that all regions that a unit can be among are in one: all together and,
    /// where they compose in parallel, by each column that limits one.
    pub fn ways_within(self, regions: &[&Region]) -> Vec<Partition> {
        match self {
            Self::Parallel => Region::partitions(regions),
            Self::ParallelWithin | Self::Sequential => vec![Partition::together(regions.len())],
        }
    }
}
