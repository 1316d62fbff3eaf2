//! The margins of a table: every set of grouping columns that is part of one that the plan lists.
//!
//! The cells of the table are all combinations of the listed values, the last column changing fastest, so each margin
//! is a table again. Where columns are made of one another, some combinations are no cells, and what margins share are
//! the keys (`Nesting::Linked`). A margin that the plan does not list is not measured, and follows from the others. The
//! keys are the cells of the table, or those of margins that have all others among their own.

use inbounds_data::Keys;
use inbounds_project::linked::Groupings;
use inbounds_project::table::{Axes, MarginVariances, TableQueries, parts};

use super::{
    Asked, LevelsError, MOST_LINKED,
    hierarchy::{Hierarchy, Nesting},
    level::Level,
};
use crate::plan;
use crate::plan::Granularity;

impl Hierarchy {
    /// The margins of a table whose cells are combinations of public values: all of them, or those that there can be.
    ///
    /// # Errors
    /// [`LevelsError::Linked`] and the like for what is not built where some combinations are no cells.
    ///
    /// # Panics
    /// If the keys are of margins without one that is asked for, or a margin names another column.
    pub(super) fn of_table(asked: &plan::Margins, keys: &Keys) -> Result<Self, LevelsError> {
        let sizes = sizes(keys);
        let columns = keys.columns();
        let place = |name: &str| columns.iter().position(|column| column == name).expect("a column of the keys");
        let sets: Vec<Axes> =
            asked.sets.value.iter().map(|set| Axes::new(set.value.iter().map(|name| place(&name.value)))).collect();
        let variances = MarginVariances::new(&sizes, sets.iter().copied());
        let listed = sets.iter().map(|axes| variances.margins().iter().position(|margin| margin == axes));
        let listed = listed.map(|level| level.expect("a margin is one of its own margins")).collect();
        if keys.margins().is_none() && (plan::beside_large(&sets).is_some() || !are_combinations(keys, &sizes)) {
            let level = |axes: &Axes| {
                let margin = axes.iter().map(|axis| columns[axis].clone()).collect();
                (Granularity::Margin(margin), axes.iter().collect())
            };
            let levels = variances.margins().iter().map(level).collect();
            return Self::linked(Asked::Margins(asked), listed, levels, keys);
        }
        let counted = match keys.margins() {
            None => vec![Axes::new(0..sizes.len())],
            Some(margins) => margins.iter().map(|margin| Axes::new(margin.iter().copied())).collect(),
        };
        let cells = |axes: Axes| axes.iter().map(|axis| sizes[axis]).product::<usize>();
        let counted = counted.iter().scan(0, |end, &axes| Some((std::mem::replace(end, *end + cells(axes)), axes)));
        let counted: Vec<(usize, Axes)> = counted.collect();
        let level = |&axes: &Axes| {
            let names = axes.iter().map(|axis| columns[axis].clone()).collect();
            let smallest =
                counted.iter().filter(|(_, outer)| outer.includes(axes)).min_by_key(|(_, outer)| cells(*outer));
            let &(begin, outer) = smallest.expect("a margin is part of one that is counted");
            let cell: Vec<u32> = parts(&sizes, outer, axes).into_iter().map(|cell| cell as u32).collect();
            Level::new(Granularity::Margin(names), axes.iter().collect(), begin, cell)
        };
        let levels: Vec<Level> = variances.margins().iter().map(level).collect();
        Ok(Self { levels, listed, nesting: Nesting::Table { sizes, variances, queries: TableQueries::Margins } })
    }

    /// Levels or margins in which some combinations are no cells, by the columns of each; `listed` are the places of
    /// the plan's among them.
    pub(super) fn linked(
        asked: Asked<'_>,
        listed: Vec<usize>,
        levels: Vec<(Granularity, Vec<usize>)>,
        keys: &Keys,
    ) -> Result<Self, LevelsError> {
        if keys.len() > MOST_LINKED {
            return Err(LevelsError::Linked { cells: keys.len() });
        }
        if !asked.has_plain_shares() {
            return Err(LevelsError::LinkedShares);
        }
        if asked.fit() != plan::Fit::TopDown {
            return Err(LevelsError::LinkedFit);
        }
        let margins = levels.iter().map(|(_, columns)| Axes::new(columns.iter().copied())).collect();
        let level = |(granularity, columns): (Granularity, Vec<usize>)| Level::of_columns(granularity, columns, keys);
        let levels: Vec<Level> = levels.into_iter().map(level).collect();
        let groupings = levels.iter().map(|level| level.cell_of_keys().into_owned()).collect();
        let groupings = Groupings::new(keys.len(), groupings);
        Ok(Self { levels, listed, nesting: Nesting::Linked { margins, groupings } })
    }
}

/// `true` if keys are all combinations of the values of their columns, the last one changing fastest.
fn are_combinations(keys: &Keys, sizes: &[usize]) -> bool {
    if sizes.iter().try_fold(1_usize, |cells, size| cells.checked_mul(*size)) != Some(keys.len()) {
        return false;
    }
    let mut run = keys.len();
    sizes.iter().enumerate().all(|(column, size)| {
        run /= size;
        keys.rows().enumerate().all(|(place, row)| row.places()[column] as usize == place / run % size)
    })
}

/// Number of values of each column.
pub(super) fn sizes(keys: &Keys) -> Vec<usize> {
    (0..keys.columns().len()).map(|column| keys.values(column).count()).collect()
}
