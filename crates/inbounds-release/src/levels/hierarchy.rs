//! The public cells of a statistic with levels or margins: those of each level, and which belong together.

use std::collections::HashMap;

use inbounds_data::{KeyValue, Keys};
use inbounds_project::{
    linked::Groupings,
    table::{Axes, MarginVariances, TableQueries, tree::LevelMarginVariances},
    tree::LevelVariances,
};

use super::{additive::Additive, level::Level};
use crate::plan::Granularity;
use crate::{
    key::Key,
    plan,
    projection::{Fit, Lattice, Model, NodeTables, Solver, of_groupings, of_node_tables, of_table, of_tree},
};

/// Which cells are sums of which.
#[derive(Debug, Clone)]
pub(super) enum Nesting {
    /// Each cell of the next coarser level is the sum of its own.
    Tree,
    /// Levels are the margins of a table whose columns have these numbers of values, smaller ones first.
    Table { sizes: Vec<usize>, variances: MarginVariances, queries: TableQueries },
    /// Levels are the margins of a table in which some combinations of values are no cells, by these columns, smaller
    /// ones first.
    Linked { margins: Vec<Axes>, groupings: Groupings },
    /// Levels are the published margins of a table at every place of a hierarchy, level after level, smaller margins
    /// first.
    Tables { tables: NodeTables, published: Vec<Axes>, variances: LevelMarginVariances },
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

    /// Parent of each node: the cell of the next coarser level that it is part of. None in a table, whose cells have
    /// several. Whether some combinations of values are no cells.
    pub(super) fn is_linked(&self) -> bool {
        matches!(self.nesting, Nesting::Linked { .. })
    }

    /// The level of one cell with all rows, if it is one.
    pub(super) fn total_level(&self) -> Option<usize> {
        self.levels.iter().position(|level| level.granularity.is_whole())
    }

    /// The values that distinguish a cell of a level.
    pub(super) fn key_of(&self, level: usize, cell: usize, keys: &Keys) -> Vec<KeyValue> {
        let level = &self.levels[level];
        let row = keys.row(level.begin + level.first[cell] as usize);
        level.columns.iter().map(|&column| row[column].clone()).collect()
    }

    /// The cell of a coarser level that each cell of a level is part of; none if its cells are not sums of those.
    pub(super) fn part_of(&self, level: usize, coarser: usize, keys: &Keys) -> Option<Vec<u32>> {
        let (fine, coarse) = (&self.levels[level], &self.levels[coarser]);
        if !coarse.columns.iter().all(|column| fine.columns.contains(column)) {
            return None;
        }
        if fine.begin == coarse.begin {
            return Some(fine.first.iter().map(|&first| coarse.cell.get(first as usize)).collect());
        }
        // Margins that are counted one by one share no keys, but the values of their columns.
        let cells: HashMap<Vec<KeyValue>, u32> =
            (0..coarse.cells()).map(|cell| self.key_of(coarser, cell, keys)).zip(0..).collect();
        let of_cell = |cell: usize| {
            let key = self.key_of(level, cell, keys);
            let of_coarse = fine.columns.iter().zip(key).filter(|(column, _)| coarse.columns.contains(column));
            cells[&of_coarse.map(|(_, value)| value).collect::<Vec<KeyValue>>()]
        };
        Some((0..fine.cells()).map(of_cell).collect())
    }

    pub(super) fn parents(&self) -> Vec<Option<u32>> {
        let cells = self.levels.iter().map(Level::cells).sum();
        if !matches!(self.nesting, Nesting::Tree) {
            return vec![None; cells];
        }
        let mut parents = vec![None; self.levels[0].cells()];
        let mut begin = 0;
        for pair in self.levels.windows(2) {
            let parent = |&first: &u32| Some(begin + pair[0].cell.get(first as usize));
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

    /// Keys of each node.
    pub(super) fn nodes<'a>(&'a self, keys: &'a Keys) -> Nodes<'a> {
        Nodes { levels: &self.levels, begins: self.begins().collect(), keys }
    }

    /// `true` for each node of which the cell of the first key is part.
    pub(super) fn holds_first(&self) -> Vec<bool> {
        let mut holds = vec![false; self.levels.iter().map(Level::cells).sum()];
        for (begin, level) in self.begins().zip(&self.levels) {
            holds[(begin + level.cell.get(0)) as usize] = true;
        }
        holds
    }

    /// Mean variance of the estimates of each level under the sums alone, from the variance of each level's noise,
    /// which is infinite where there is no measurement.
    pub(super) fn variances(&self, noise: &[f64]) -> Vec<f64> {
        match &self.nesting {
            Nesting::Tree => self.tree().means(noise),
            Nesting::Table { variances, queries: TableQueries::Margins, .. } => variances.of_margins(noise),
            Nesting::Table { variances, queries: TableQueries::Residuals, .. } => variances.of_residuals(noise),
            Nesting::Tables { published, variances, .. } => variances.of_some(published, noise),
            Nesting::Linked { groupings, .. } => {
                let weights: Vec<f64> = noise.iter().map(|variance| variance.recip()).collect();
                let mean = |variances: Vec<f64>| variances.iter().sum::<f64>() / variances.len() as f64;
                groupings.variances(&weights).into_iter().map(mean).collect()
            }
        }
    }

    /// A tree, ready to tell the variances of its levels.
    pub(super) fn tree(&self) -> LevelVariances {
        let sizes: Vec<usize> = self.levels.iter().map(Level::cells).collect();
        LevelVariances::new(&sizes, &self.parents()).expect("prefixes of keys are a forest")
    }

    /// `true` if residuals of margins are measured.
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

    /// Number of values of each column of a margin; none of a level.
    pub(super) fn values(&self, level: &Level) -> Vec<usize> {
        match &self.nesting {
            Nesting::Tree | Nesting::Linked { .. } | Nesting::Tables { .. } => Vec::new(),
            Nesting::Table { sizes, .. } => level.columns.iter().map(|&column| sizes[column]).collect(),
        }
    }

    /// `true` if a level has to be measured: nothing else determines its cells.
    pub(super) fn is_needed(&self, level: usize) -> bool {
        match &self.nesting {
            Nesting::Tree => level + 1 == self.levels.len(),
            Nesting::Table { variances, .. } => {
                variances.margins()[level].is_largest(variances.margins().iter().copied())
            }
            Nesting::Linked { margins, .. } => margins[level].is_largest(margins.iter().copied()),
            // The tables of the last level distinguish all others.
            Nesting::Tables { .. } => level + 1 == self.levels.len(),
        }
    }

    /// `true` if estimates are whole numbers. Those of a table that may have either sign are not: tables are rounded
    /// among numbers of one sign.
    pub(super) fn is_whole(&self, additive: &dyn Additive) -> bool {
        additive.is_solved_in_whole_steps() && (matches!(self.nesting, Nesting::Tree) || !additive.has_either_sign())
    }

    /// The solver of a system with these nodes.
    pub(super) fn solver(&self, model: &Model, is_whole: bool, fit: Fit) -> Box<dyn Solver> {
        let (sizes, variances, queries) = match &self.nesting {
            Nesting::Tree => return of_tree(model, is_whole, fit),
            Nesting::Linked { groupings, .. } => {
                return of_groupings(groupings.clone(), model, is_whole)
                    .expect("bounds of one sign, and one variance a margin");
            }
            Nesting::Tables { tables, .. } => {
                return of_node_tables(tables, model, is_whole, fit).expect("what is public was seen to agree");
            }
            Nesting::Table { sizes, variances, queries } => (sizes, variances, queries),
        };
        let nodes = |(begin, level): (u32, &Level)| (begin..begin + level.cells() as u32).collect();
        let margins: Vec<(Axes, Vec<u32>)> =
            variances.margins().iter().copied().zip(self.begins().zip(&self.levels).map(nodes)).collect();
        let lattice = Lattice { sizes: sizes.clone(), margins, queries: *queries };
        of_table(&lattice, model, is_whole, fit).expect("the largest margins are measured, each with one variance")
    }
}

/// Keys of the nodes of a hierarchy.
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
        self.of_level(self.begins.partition_point(|&begin| begin as usize <= node) - 1, node)
    }

    /// The same for nodes that follow one another, of which the last was of the level at `index`, which moves on.
    pub(crate) fn next(&self, index: &mut usize, node: usize) -> (Key<'a>, &'a Granularity) {
        if (self.begins[*index] as usize) > node {
            *index = 0;
        }
        while self.begins.get(*index + 1).is_some_and(|&begin| begin as usize <= node) {
            *index += 1;
        }
        self.of_level(*index, node)
    }

    fn of_level(&self, index: usize, node: usize) -> (Key<'a>, &'a Granularity) {
        let level = &self.levels[index];
        let first = level.first[node - self.begins[index] as usize] as usize;
        (Key::part(self.keys.row(level.begin + first), &level.columns), &level.granularity)
    }
}

#[cfg(test)]
mod tests {
    use inbounds_core::Answer;

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
