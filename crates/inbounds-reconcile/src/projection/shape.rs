//! The tree as passes see it: who is above whom, level by level.

use std::ops::Range;

/// Levels of a forest, by number of node.
pub(crate) struct Shape {
    /// Parent of each node; a root is its own.
    pub(crate) parent: Vec<u32>,
    /// Steps to the root.
    pub(crate) level: Vec<u32>,
    /// Children of each node.
    pub(crate) fan_out: Vec<u32>,
    /// All nodes, level by level, in each level by number.
    order: Vec<u32>,
    /// Where each level begins in the order, and the end.
    begins: Vec<usize>,
}

impl Shape {
    /// From a forest without cycles.
    pub(crate) fn new(parents: &[Option<u32>]) -> Self {
        let parent: Vec<u32> = parents.iter().enumerate().map(|(node, parent)| parent.unwrap_or(node as u32)).collect();
        let mut fan_out = vec![0; parent.len()];
        for above in parents.iter().flatten() {
            fan_out[*above as usize] += 1;
        }
        let level = levels(&parent);
        let mut begins = vec![0; level.iter().max().map_or(0, |&deepest| deepest as usize + 2)];
        for &level in &level {
            begins[level as usize + 1] += 1;
        }
        for index in 1..begins.len() {
            begins[index] += begins[index - 1];
        }
        let mut next = begins.clone();
        let mut order = vec![0; parent.len()];
        for (node, &level) in level.iter().enumerate() {
            order[next[level as usize]] = node as u32;
            next[level as usize] += 1;
        }
        Self { parent, level, fan_out, order, begins }
    }

    pub(crate) fn levels(&self) -> usize {
        self.begins.len() - 1
    }

    /// The nodes of a level.
    pub(crate) fn of_level(&self, level: usize) -> &[u32] {
        &self.order[self.range(level)]
    }

    fn range(&self, level: usize) -> Range<usize> {
        self.begins[level]..self.begins[level + 1]
    }

    /// Nodes, parents before children.
    pub(crate) fn down(&self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator + '_ {
        self.order.iter().map(|&node| node as usize)
    }

    pub(crate) fn is_root(&self, node: usize) -> bool {
        self.parent[node] as usize == node
    }

    pub(crate) fn is_leaf(&self, node: usize) -> bool {
        self.fan_out[node] == 0
    }

    /// Number of other nodes with the same parent; none beside a root.
    pub(crate) fn siblings(&self, node: usize) -> u32 {
        if self.is_root(node) { 0 } else { self.fan_out[self.parent[node] as usize] - 1 }
    }
}

fn levels(parent: &[u32]) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX;
    let mut level = vec![UNKNOWN; parent.len()];
    let mut path = Vec::new();
    for node in 0..parent.len() {
        let mut at = node;
        while level[at] == UNKNOWN && parent[at] as usize != at {
            path.push(at);
            at = parent[at] as usize;
        }
        if level[at] == UNKNOWN {
            level[at] = 0;
        }
        let mut depth = level[at];
        while let Some(below) = path.pop() {
            depth += 1;
            level[below] = depth;
        }
    }
    level
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_siblings_of_a_ragged_forest() {
        // 5 > 2 > {0, 1}, 5 > 3, and 4 alone.
        let shape = Shape::new(&[Some(2), Some(2), Some(5), Some(5), None, None]);
        assert_eq!(shape.level, [2, 2, 1, 1, 0, 0]);
        assert_eq!((shape.of_level(0), shape.of_level(2), shape.levels()), (&[4, 5][..], &[0, 1][..], 3));
        assert_eq!((shape.siblings(0), shape.siblings(4)), (1, 0));
        assert!(shape.is_leaf(4) && shape.is_root(4) && !shape.is_leaf(2));
    }
}
