//! The margins of a table: every set of grouping columns that is part of one that the plan lists.
//!
//! The cells of the table are all combinations of the listed values, the last column changing fastest, so each margin is a table
//! again. A margin that the plan does not list is not measured, and follows from the others. The keys are the cells of the table, or those of
//! margins that have all others among their own.

use inbounds_data::Keys;
use inbounds_project::table::{Axes, MarginVariances, TableQueries, parts};

use super::{
    granularity::Granularity,
    hierarchy::{Hierarchy, Level, Nesting},
};
use crate::plan;

impl Hierarchy {
    /// The margins of a table whose cells are all combinations of public values.
    ///
    /// # Panics
    /// If the keys are not all combinations, nor of margins with all that are asked for, or a margin names another column.
    pub(super) fn of_table(asked: &plan::Margins, keys: &Keys) -> Self {
        let sizes = sizes(keys);
        let columns = keys.columns();
        let place = |name: &str| columns.iter().position(|column| column == name).expect("a column of the keys");
        let sets: Vec<Axes> =
            asked.sets.value.iter().map(|set| Axes::of(set.value.iter().map(|name| place(&name.value)))).collect();
        let variances = MarginVariances::new(&sizes, sets.iter().copied());
        let counted = match keys.margins() {
            None => vec![Axes::of(0..sizes.len())],
            Some(margins) => margins.iter().map(|margin| Axes::of(margin.iter().copied())).collect(),
        };
        let cells = |axes: Axes| axes.iter().map(|axis| sizes[axis]).product::<usize>();
        let counted = counted.iter().scan(0, |end, &axes| Some((std::mem::replace(end, *end + cells(axes)), axes)));
        let counted: Vec<(usize, Axes)> = counted.collect();
        let level = |&axes: &Axes| {
            let names = axes.iter().map(|axis| columns[axis].clone()).collect();
            let smallest = counted.iter().filter(|(_, of)| of.includes(axes)).min_by_key(|(_, of)| cells(*of));
            let &(begin, of) = smallest.expect("a margin is part of one that is counted");
            let cell: Vec<u32> = parts(&sizes, of, axes).into_iter().map(|cell| cell as u32).collect();
            Level::new(Granularity::Margin(names), axes.iter().collect(), begin, cell)
        };
        let levels: Vec<Level> = variances.margins().iter().map(level).collect();
        let listed = sets.iter().map(|axes| variances.margins().iter().position(|margin| margin == axes));
        let listed = listed.map(|found| found.expect("a margin is one of its own margins")).collect();
        Self { levels, listed, nesting: Nesting::Table { sizes, variances, queries: TableQueries::Margins } }
    }
}

/// How many values each column has.
fn sizes(keys: &Keys) -> Vec<usize> {
    let sizes: Vec<usize> = (0..keys.columns().len()).map(|column| keys.values(column).count()).collect();
    let are_all = || sizes.iter().product::<usize>() == keys.len();
    assert!(keys.margins().is_some() || are_all(), "all combinations of the values");
    sizes
}
