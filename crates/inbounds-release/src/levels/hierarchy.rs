//! The public tree under a statistic with levels: cells of each level, and which belong together.

use std::collections::HashMap;

use inbounds_core::Answer;
use inbounds_data::{KeyValue, Keys};

use crate::plan;

/// The cells of one level.
#[derive(Debug, Clone)]
pub(super) struct Level {
    /// Name in the plan.
    pub(super) name: String,
    /// How many key columns tell its cells apart.
    depth: usize,
    /// Cell of each key.
    cell: Vec<u32>,
    /// The first key of each cell.
    first: Vec<u32>,
}

impl Level {
    fn new(name: &str, keys: &Keys) -> Self {
        let depth = match name {
            plan::Levels::ALL => 0,
            name => keys.columns().iter().position(|column| column == name).map_or(0, |column| column + 1),
        };
        let mut cells: HashMap<&[KeyValue], u32> = HashMap::new();
        let (mut cell, mut first) = (Vec::with_capacity(keys.len()), Vec::new());
        for (index, key) in (0..).zip(keys.rows()) {
            let number = *cells.entry(&key[..depth]).or_insert_with(|| {
                first.push(index);
                first.len() as u32 - 1
            });
            cell.push(number);
        }
        Self { name: name.to_owned(), depth, cell, first }
    }

    /// Number of its cells.
    pub(super) fn cells(&self) -> usize {
        self.first.len()
    }

    /// The sums of the keys' answers over each cell. Private in, private out.
    pub(super) fn sums(&self, answer: &Answer) -> Answer {
        answer.sums(&self.cell, self.cells())
    }
}

/// Levels from coarse to fine. Nodes are the cells of all levels, level after level, each level's by their first key.
#[derive(Debug, Clone)]
pub(super) struct Hierarchy {
    pub(super) levels: Vec<Level>,
}

impl Hierarchy {
    /// The levels of these names over public keys. A name is "all" or that of a key column.
    pub(super) fn new(names: &[plan::Spanned<String>], keys: &Keys) -> Self {
        Self { levels: names.iter().map(|name| Level::new(&name.value, keys)).collect() }
    }

    /// Parent of each node: the cell of the next coarser level that it is part of.
    pub(super) fn parents(&self) -> Vec<Option<u32>> {
        let mut parents = vec![None; self.levels[0].cells()];
        let mut begin = 0;
        for pair in self.levels.windows(2) {
            let parent = |&first: &u32| Some(begin + pair[0].cell[first as usize]);
            parents.extend(pair[1].first.iter().map(parent));
            begin += pair[0].cells() as u32;
        }
        parents
    }

    /// Level of each node.
    pub(super) fn level_of_nodes(&self) -> Vec<u32> {
        let level = |(index, level): (u32, &Level)| std::iter::repeat_n(index, level.cells());
        (0..).zip(&self.levels).flat_map(level).collect()
    }

    /// The key of each node: of a coarser level, the part of a key that its cells share.
    pub(super) fn keys<'k>(&self, keys: &'k Keys) -> Vec<&'k [KeyValue]> {
        let rows = keys.rows();
        let of_level = |level: &Level| {
            let depth = level.depth;
            level.first.iter().map(move |&first| &rows[first as usize][..depth]).collect::<Vec<_>>()
        };
        self.levels.iter().flat_map(of_level).collect()
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
        (Hierarchy::new(&names, &keys), keys)
    }

    #[test]
    fn cells_stand_in_the_order_of_their_first_key() {
        let (tree, keys) = hierarchy(&["all", "state", "county"]);
        assert_eq!(tree.levels.iter().map(Level::cells).collect::<Vec<_>>(), [1, 3, 5]);
        let expected = [None, Some(0), Some(0), Some(0), Some(1), Some(2), Some(1), Some(2), Some(3)];
        assert_eq!(tree.parents(), expected);
        let keys: Vec<String> = tree
            .keys(&keys)
            .iter()
            .map(|key| key.iter().map(ToString::to_string).collect::<Vec<_>>().join("/"))
            .collect();
        assert_eq!(keys, ["", "b", "a", "c", "b/1", "a/1", "b/2", "a/3", "c/1"]);
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
