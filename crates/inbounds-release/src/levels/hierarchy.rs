//! The public cells of a statistic with levels or margins: those of each level, and which belong together.

use std::collections::HashMap;

use inbounds_core::Answer;
use inbounds_data::{KeyValue, Keys};
use inbounds_project::{
    linked::Groupings,
    table::{Axes, MarginVariances, TableQueries},
    tree::LevelVariances,
};

use super::{additive::Additive, granularity::Granularity};
use crate::{
    labels::Key,
    plan,
    projection::{Fit, Lattice, Model, Solver, of_groupings, of_table, of_tree},
};

/// The cells of one level, or of one margin.
#[derive(Debug, Clone)]
pub(super) struct Level {
    /// What tells its cells apart, in words of the plan.
    pub(super) granularity: Granularity,
    /// Which key columns tell its cells apart.
    pub(super) columns: Vec<usize>,
    /// The first of the keys that it is made of.
    begin: usize,
    /// Cell of each of these, in their order.
    cell: Vec<u32>,
    /// The first of these of each cell.
    first: Vec<u32>,
}

impl Level {
    /// The cell of each key from `begin` on is given; cells are numbered in the order of their first keys.
    pub(super) fn new(granularity: Granularity, columns: Vec<usize>, begin: usize, cell: Vec<u32>) -> Self {
        let mut first = Vec::new();
        for (key, &cell) in (0..).zip(&cell) {
            if cell as usize == first.len() {
                first.push(key);
            }
        }
        Self { granularity, columns, begin, cell, first }
    }

    fn of_prefix(name: &str, keys: &Keys) -> Self {
        let depth = match name {
            plan::Levels::ALL => 0,
            name => keys.columns().iter().position(|column| column == name).map_or(0, |column| column + 1),
        };
        Self::of_columns(Granularity::Level(name.to_owned()), (0..depth).collect(), keys)
    }

    /// The cells that some columns of listed keys tell apart.
    pub(super) fn of_columns(granularity: Granularity, columns: Vec<usize>, keys: &Keys) -> Self {
        let mut cells: HashMap<Vec<&KeyValue>, u32> = HashMap::new();
        let mut cell = Vec::with_capacity(keys.len());
        for key in keys.rows() {
            let next = cells.len() as u32;
            cell.push(*cells.entry(columns.iter().map(|&column| &key[column]).collect()).or_insert(next));
        }
        Self::new(granularity, columns, 0, cell)
    }

    /// The cell of each key that it is made of.
    pub(super) fn cell_of_keys(&self) -> &[u32] {
        &self.cell
    }

    /// Number of its cells.
    pub(super) fn cells(&self) -> usize {
        self.first.len()
    }

    /// The sums of the keys' answers over each cell. Private in, private out.
    pub(super) fn sums(&self, answer: &Answer) -> Answer {
        answer.sums_within(self.begin..self.begin + self.cell.len(), &self.cell, self.cells())
    }
}

/// Which cells are sums of which.
#[derive(Debug, Clone)]
pub(super) enum Nesting {
    /// Each cell of the next coarser level is the sum of its own.
    Tree,
    /// Levels are the margins of a table whose columns have these numbers of values, smaller ones first.
    Table { sizes: Vec<usize>, variances: MarginVariances, queries: TableQueries },
    /// Levels are the margins of a table in which some combinations of values are no cells, by these columns, smaller ones first.
    Linked { margins: Vec<Axes>, groupings: Groupings },
}

/// Levels from coarse to fine. Nodes are the cells of all levels, level after level, each level's by their first key.
#[derive(Debug, Clone)]
pub(super) struct Hierarchy {
    pub(super) levels: Vec<Level>,
    /// The levels that the plan lists, in its order; others are not measured.
    pub(super) listed: Vec<usize>,
    pub(super) nesting: Nesting,
}

impl Hierarchy {
    /// The levels of these names over public keys. A name is "all" or that of a key column.
    pub(super) fn of_tree(names: &[plan::Spanned<String>], keys: &Keys) -> Self {
        let levels: Vec<Level> = names.iter().map(|name| Level::of_prefix(&name.value, keys)).collect();
        Self { listed: (0..levels.len()).collect(), levels, nesting: Nesting::Tree }
    }

    /// Parent of each node: the cell of the next coarser level that it is part of. None in a table, whose cells have several.
    /// Whether some combinations of values are no cells.
    pub(super) fn is_linked(&self) -> bool {
        matches!(self.nesting, Nesting::Linked { .. })
    }

    /// The level of one cell with all rows, if it is one.
    pub(super) fn whole(&self) -> Option<usize> {
        self.levels.iter().position(|level| match &level.granularity {
            Granularity::Level(name) => name == plan::Levels::ALL,
            Granularity::Margin(columns) => columns.is_empty(),
        })
    }

    pub(super) fn parents(&self) -> Vec<Option<u32>> {
        let cells = self.levels.iter().map(Level::cells).sum();
        if !matches!(self.nesting, Nesting::Tree) {
            return vec![None; cells];
        }
        let mut parents = vec![None; self.levels[0].cells()];
        let mut begin = 0;
        for pair in self.levels.windows(2) {
            let parent = |&first: &u32| Some(begin + pair[0].cell[first as usize]);
            parents.extend(pair[1].first.iter().map(parent));
            begin += pair[0].cells() as u32;
        }
        parents
    }

    /// Where each level begins among the nodes.
    fn begins(&self) -> impl Iterator<Item = u32> {
        self.levels.iter().scan(0, |end, level| Some(std::mem::replace(end, *end + level.cells() as u32)))
    }

    /// Level of each node.
    pub(super) fn level_of_nodes(&self) -> Vec<u32> {
        let level = |(index, level): (u32, &Level)| std::iter::repeat_n(index, level.cells());
        (0..).zip(&self.levels).flat_map(level).collect()
    }

    /// What tells each node apart.
    pub(super) fn nodes<'a>(&'a self, keys: &'a Keys) -> Nodes<'a> {
        Nodes { levels: &self.levels, begins: self.begins().collect(), keys }
    }

    /// Whether the cell of the first key is part of a node.
    pub(super) fn holds_first(&self) -> Vec<bool> {
        let mut holds = vec![false; self.levels.iter().map(Level::cells).sum()];
        for (begin, level) in self.begins().zip(&self.levels) {
            holds[(begin + level.cell[0]) as usize] = true;
        }
        holds
    }

    /// Mean variance of the estimates of each level under the sums alone, from the variance of each level's noise, which is
    /// infinite where there is no measurement.
    pub(super) fn variances(&self, noise: &[f64]) -> Vec<f64> {
        match &self.nesting {
            Nesting::Tree => self.tree().means(noise),
            Nesting::Table { variances, queries: TableQueries::Margins, .. } => variances.of(noise),
            Nesting::Table { variances, queries: TableQueries::Residuals, .. } => variances.of_residuals(noise),
            Nesting::Linked { groupings, .. } => {
                let weights: Vec<f64> = noise.iter().map(|variance| variance.recip()).collect();
                let mean = |of: Vec<f64>| of.iter().sum::<f64>() / of.len() as f64;
                groupings.variances(&weights).into_iter().map(mean).collect()
            }
        }
    }

    /// A tree, ready to tell the variances of its levels.
    pub(super) fn tree(&self) -> LevelVariances {
        let sizes: Vec<usize> = self.levels.iter().map(Level::cells).collect();
        LevelVariances::new(&sizes, &self.parents()).expect("prefixes of keys are a forest")
    }

    /// Whether residuals of margins are measured.
    pub(super) fn has_residuals(&self) -> bool {
        matches!(self.nesting, Nesting::Table { queries: TableQueries::Residuals, .. })
    }

    /// The same hierarchy where residuals of its margins are measured; itself if it has no margins.
    pub(super) fn with_residuals(mut self) -> Self {
        if let Nesting::Table { queries, .. } = &mut self.nesting {
            *queries = TableQueries::Residuals;
        }
        self
    }

    /// How many values each column of a margin has; none of a level.
    pub(super) fn values(&self, level: &Level) -> Vec<usize> {
        match &self.nesting {
            Nesting::Tree | Nesting::Linked { .. } => Vec::new(),
            Nesting::Table { sizes, .. } => level.columns.iter().map(|&column| sizes[column]).collect(),
        }
    }

    /// Whether a level has to be measured: nothing else tells its cells apart.
    pub(super) fn is_needed(&self, level: usize) -> bool {
        match &self.nesting {
            Nesting::Tree => level + 1 == self.levels.len(),
            Nesting::Table { variances, .. } => {
                variances.margins()[level].is_largest(variances.margins().iter().copied())
            }
            Nesting::Linked { margins, .. } => margins[level].is_largest(margins.iter().copied()),
        }
    }

    /// Whether estimates are whole numbers. Those of a table that may have either sign are not: tables are rounded among numbers of one sign.
    pub(super) fn is_whole(&self, additive: &dyn Additive) -> bool {
        additive.whole() && (matches!(self.nesting, Nesting::Tree) || !additive.has_either_sign())
    }

    /// The solver of a system with these nodes.
    pub(super) fn solver(&self, model: &Model, whole: bool, fit: Fit) -> Box<dyn Solver> {
        let (sizes, variances, queries) = match &self.nesting {
            Nesting::Tree => return of_tree(model, whole, fit),
            Nesting::Linked { groupings, .. } => {
                return of_groupings(groupings.clone(), model, whole)
                    .expect("bounds of one sign, and one variance a margin");
            }
            Nesting::Table { sizes, variances, queries } => (sizes, variances, queries),
        };
        let nodes = |(begin, level): (u32, &Level)| (begin..begin + level.cells() as u32).collect();
        let margins: Vec<(Axes, Vec<u32>)> =
            variances.margins().iter().copied().zip(self.begins().zip(&self.levels).map(nodes)).collect();
        let lattice = Lattice { sizes: sizes.clone(), margins, queries: *queries };
        of_table(&lattice, model, whole, fit).expect("the largest margins are measured, each with one variance")
    }
}

/// What tells the nodes of a hierarchy apart.
pub(crate) struct Nodes<'a> {
    levels: &'a [Level],
    /// Where each level begins.
    begins: Vec<u32>,
    keys: &'a Keys,
}

impl<'a> Nodes<'a> {
    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.levels.iter().map(Level::cells).sum()
    }

    /// The key of a node, of a coarser level the part of a key that its cells share, and the level.
    pub(crate) fn get(&self, node: usize) -> (Key<'a>, &'a Granularity) {
        let index = self.begins.partition_point(|&begin| begin as usize <= node) - 1;
        let level = &self.levels[index];
        let first = level.first[node - self.begins[index] as usize] as usize;
        (Key::part(&self.keys.rows()[level.begin + first], &level.columns), &level.granularity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hierarchy(names: &[&str]) -> (Hierarchy, Keys) {
        let text = |word: &str| KeyValue::Text(word.to_owned());
        let rows = [["b", "1"], ["a", "1"], ["b", "2"], ["a", "3"], ["c", "1"]];
        let rows = rows.iter().map(|row| row.iter().map(|word| text(word)).collect()).collect();
        let keys = Keys::new(vec!["state".into(), "county".into()], rows).expect("keys");
        let names: Vec<_> = names.iter().map(|name| plan::Spanned::new((*name).to_owned(), 0..0)).collect();
        (Hierarchy::of_tree(&names, &keys), keys)
    }

    #[test]
    fn cells_stand_in_the_order_of_their_first_key() {
        let (tree, keys) = hierarchy(&["all", "state", "county"]);
        assert_eq!(tree.levels.iter().map(Level::cells).collect::<Vec<_>>(), [1, 3, 5]);
        let expected = [None, Some(0), Some(0), Some(0), Some(1), Some(2), Some(1), Some(2), Some(3)];
        assert_eq!(tree.parents(), expected);
        let nodes = tree.nodes(&keys);
        let called = |node: usize| {
            let (key, level) = nodes.get(node);
            format!("{level} {}", key.values().map(ToString::to_string).collect::<Vec<_>>().join("/"))
        };
        let all: Vec<String> = (0..nodes.len()).map(called).collect();
        assert_eq!(all[..4], ["level all ", "level state b", "level state a", "level state c"]);
        let counties =
            ["level county b/1", "level county a/1", "level county b/2", "level county a/3", "level county c/1"];
        assert_eq!(all[4..], counties);
    }

    #[test]
    fn sums_are_those_of_the_children() {
        let (tree, _) = hierarchy(&["state", "county"]);
        let answer = Answer::new(vec![1, 10, 100, 1000, 0]);
        let sums: Vec<Vec<i128>> =
            tree.levels.iter().map(|level| level.sums(&answer).private_steps().to_vec()).collect();
        assert_eq!(sums, [vec![101, 1010, 0], vec![1, 10, 100, 1000, 0]]);
        assert_eq!(tree.parents()[..4], [None, None, None, Some(0)]);
    }
}
