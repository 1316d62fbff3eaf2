//! Numbers of rows that are assumed where errors are stated before rows are read.

use inbounds_data::Keys;
use inbounds_statistics::Scenario;

use crate::{PreparedStatistic, plan::Plan};

/// Numbers of rows that a check assumes, where the error depends on their number and the plan does not make it public.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AssumedRows {
    /// The rows that the plan makes public or expects, the least and the most, spread evenly over the groups of each
    /// statistic; groups of 100 and of 10,000 rows where it says nothing of them.
    #[default]
    Usual,
    /// Groups of these sizes.
    GroupSizes(Vec<u64>),
    /// This many rows in all, spread evenly over the groups of each statistic.
    Rows(u64),
}

impl AssumedRows {
    /// The same for the groups of one statistic; a group has a row at least.
    pub(crate) fn for_task(&self, task: &PreparedStatistic) -> Scenario {
        let scenario = Scenario { level: Some(task.level_of_number()), ..task.usual.clone() };
        match self {
            Self::Usual => scenario,
            Self::GroupSizes(sizes) => Scenario { group_sizes: sizes.clone(), ..scenario },
            Self::Rows(rows) => {
                let group_sizes = vec![of_group(*rows, task.query.keys.as_ref())];
                Scenario { group_sizes, rows: Some(*rows), ..scenario }
            }
        }
    }
}

/// The cases of [`AssumedRows::Usual`], for a statistic with these keys.
pub(crate) fn usual(plan: &Plan, keys: Option<&Keys>) -> Scenario {
    let usual = Scenario::default();
    let Some((least, most)) = plan.rows_said() else { return usual };
    let mut group_sizes = vec![of_group(least, keys), of_group(most, keys)];
    group_sizes.dedup();
    Scenario { group_sizes, ..usual }
}

/// Rows of each of the groups, if all have as many; a row at least.
fn of_group(rows: u64, keys: Option<&Keys>) -> u64 {
    (rows / keys.map_or(1, |keys| keys.groups() as u64)).max(1)
}
