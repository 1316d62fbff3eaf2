//! Number of rows that is assumed where errors are stated before rows are read.

use inbounds_statistics::Supposed;

use crate::Task;

/// Rows that a check assumes, where the error depends on their number and the plan does not make it public.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Assumed {
    /// Groups of 100 and of 10,000 rows.
    #[default]
    Usual,
    /// Groups of these sizes.
    GroupSizes(Vec<u64>),
    /// So many rows in all, spread evenly over the groups of each statistic.
    Rows(u64),
}

impl Assumed {
    /// The same for the groups of one statistic; a group has a row at least.
    pub(crate) fn of(&self, task: &Task) -> Supposed {
        let supposed = Supposed { level: Some(task.level_of_number()), ..Supposed::default() };
        match self {
            Self::Usual => supposed,
            Self::GroupSizes(sizes) => Supposed { group_sizes: sizes.clone(), ..supposed },
            Self::Rows(rows) => {
                let groups = task.query.keys.as_ref().map_or(1, |keys| keys.groups() as u64);
                Supposed { group_sizes: vec![(rows / groups).max(1)], rows: Some(*rows), ..supposed }
            }
        }
    }
}
