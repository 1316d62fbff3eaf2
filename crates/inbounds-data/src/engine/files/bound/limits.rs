//! Limits on the rows kept of a unit.

use crate::ContributionBound;

/// Most rows of a unit in all, in a cell and in a group, and most groups of it; what is not limited has the largest
/// number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Limits {
    pub(in super::super) rows: u64,
    pub(super) rows_per_cell: u64,
    pub(super) rows_per_group: u64,
    pub(super) groups: u64,
}

impl Limits {
    pub(in super::super) fn new(bound: &ContributionBound, rows_per_cell: Option<u64>) -> Self {
        let most = |limit: Option<u64>| limit.unwrap_or(u64::MAX);
        Self {
            rows: bound.rows,
            rows_per_cell: most(rows_per_cell),
            rows_per_group: most(bound.rows_per_group),
            groups: most(bound.groups),
        }
    }

    /// The smallest of all.
    pub(in super::super) fn least(&self) -> u64 {
        self.rows.min(self.rows_per_cell).min(self.rows_per_group).min(self.groups)
    }

    /// A planted defect: the limit on all rows of a unit as one on those in a cell.
    pub(in super::super) fn of_each_cell(self) -> Self {
        let rows_per_cell = self.rows.min(self.rows_per_cell).min(self.rows_per_group);
        Self { rows: u64::MAX, rows_per_cell, rows_per_group: u64::MAX, groups: u64::MAX }
    }

    /// `true` if the first rows of a unit are kept, wherever they are.
    pub(super) fn is_plain(&self) -> bool {
        self.rows_per_cell.min(self.rows_per_group) >= self.rows && self.groups == u64::MAX
    }

    /// Most rows of a unit in a cell, unless there is no limit of its own; `bins` is the number of bins of a group.
    pub(super) fn in_cell(&self, bins: u32) -> Option<usize> {
        let limit = if bins == 1 { self.rows_per_cell.min(self.of_group()) } else { self.rows_per_cell };
        (limit < self.rows || (bins == 1 && self.has_groups())).then(|| size(limit))
    }

    /// The same of a group.
    pub(super) fn in_group(&self, bins: u32) -> Option<usize> {
        let limit = self.of_group();
        (bins > 1 && (limit < self.rows || self.has_groups())).then(|| size(limit))
    }

    /// With a limit on groups, rows wait in each of them until the end, and more than `rows` in one of them would be
    /// waiting for nothing.
    fn of_group(&self) -> u64 {
        self.rows_per_group.min(self.rows)
    }

    pub(super) fn has_groups(&self) -> bool {
        self.groups < u64::MAX
    }
}

/// A number of rows in memory.
pub(super) fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
