//! Which node is part of which.

use std::ops::Range;

use crate::ProjectError;

/// A forest: every inner node is the sum of its children, to any depth, with any fan-out, ragged or not.
///
/// # Contract
/// Positions are breadth-first: roots first, then level by level, children of one node side by side and in the order of
/// their parents. So the children of position `v` are the positions `first[v]..first[v + 1]`, both passes of every
/// solver stream through memory, and everything after the last inner node is leaves. The caller never sees positions:
/// what goes in and what comes out is in the order of the input.
///
/// # Example
/// ```
/// use inbounds_project::constraint::tree::Tree;
/// // 0 is the sum of 1 and 2; 1 is the sum of 3 and 4.
/// let tree = Tree::from_parents(&[None, Some(0), Some(0), Some(1), Some(1)])?;
/// assert_eq!((tree.nodes(), tree.leaves()), (5, 3));
/// assert!(Tree::from_parents(&[Some(1), Some(0)]).is_err());
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    nodes: usize,
    roots: usize,
    leaves: usize,
    /// First child of each position up to the last inner one, and the end of the last one's children.
    first: Vec<u32>,
    /// Input index of each position; none if the input is in breadth-first order already.
    order: Option<Vec<u32>>,
}

impl Tree {
    /// A tree from the parent of each node; none for a root.
    ///
    /// # Errors
    /// [`ProjectError::NoSuchNode`], [`ProjectError::Cycle`] or [`ProjectError::Size`].
    pub fn from_parents(parents: &[Option<u32>]) -> Result<Self, ProjectError> {
        let nodes = parents.len();
        let most = u32::MAX as usize - 1;
        if nodes == 0 || nodes > most {
            return Err(ProjectError::Size { most, found: nodes });
        }
        let start = child_offsets(parents)?;
        let children = children_by_parent(parents, &start);
        let mut order: Vec<u32> = (0..nodes as u32).filter(|&node| parents[node as usize].is_none()).collect();
        let roots = order.len();
        let mut first = Vec::with_capacity(nodes + 1);
        let mut visited = 0;
        while visited < order.len() {
            let node = order[visited] as usize;
            first.push(order.len() as u32);
            order.extend_from_slice(&children[start[node] as usize..start[node + 1] as usize]);
            visited += 1;
        }
        first.push(order.len() as u32);
        if order.len() < nodes {
            return Err(ProjectError::Cycle { node: on_a_cycle(parents, &order) });
        }
        let leaves = first.windows(2).filter(|pair| pair[0] == pair[1]).count();
        while first.len() > 1 && first[first.len() - 2] as usize == nodes {
            first.pop();
        }
        first.shrink_to_fit();
        let sorted = order.iter().enumerate().all(|(position, &node)| position == node as usize);
        Ok(Self { nodes, roots, leaves, first, order: (!sorted).then_some(order) })
    }

    /// A tree of `nodes` nodes from lines that each place a node below a parent, or as a root; a line may be repeated.
    ///
    /// # Errors
    /// Those of [`Tree::from_parents`], [`ProjectError::TwoParents`] and [`ProjectError::Orphan`].
    pub fn from_lines(nodes: usize, lines: impl IntoIterator<Item = (u32, Option<u32>)>) -> Result<Self, ProjectError> {
        let mut placed: Vec<Option<Option<u32>>> = vec![None; nodes];
        for (node, parent) in lines {
            let node = node as usize;
            match placed.get(node) {
                None => return Err(ProjectError::NoSuchNode { node, nodes }),
                Some(Some(other)) if *other != parent => {
                    return Err(ProjectError::TwoParents { node, first: name(*other), second: name(parent) });
                }
                Some(_) => placed[node] = Some(parent),
            }
        }
        let parents: Result<Vec<_>, _> =
            placed.into_iter().enumerate().map(|(node, parent)| parent.ok_or(ProjectError::Orphan { node })).collect();
        Self::from_parents(&parents?)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Number of nodes without children.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// Number of positions up to and including the last inner node.
    pub(crate) fn head(&self) -> usize {
        self.first.len() - 1
    }

    /// Positions of the roots.
    pub(crate) fn roots(&self) -> Range<usize> {
        0..self.roots
    }

    /// Positions of the children of a position.
    pub(crate) fn children(&self, position: usize) -> Range<usize> {
        if position < self.head() {
            self.first[position] as usize..self.first[position + 1] as usize
        } else {
            self.nodes..self.nodes
        }
    }

    /// `true` for a position without children.
    pub(crate) fn is_leaf(&self, position: usize) -> bool {
        position >= self.head() || self.first[position] == self.first[position + 1]
    }

    /// Positions with children, parents before children.
    pub(crate) fn inner(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (0..self.head()).filter(|&position| !self.is_leaf(position))
    }

    /// The parent of each position; a root is its own.
    pub(crate) fn parents(&self) -> Vec<u32> {
        let mut parents: Vec<u32> = self.roots().map(|root| root as u32).collect();
        for position in self.inner() {
            parents.resize(self.children(position).end, position as u32);
        }
        parents
    }

    /// Input index of a position.
    pub(crate) fn node(&self, position: usize) -> usize {
        self.order.as_ref().map_or(position, |order| order[position] as usize)
    }

    /// Position of each input index.
    pub(crate) fn positions(&self) -> Vec<u32> {
        let mut positions = vec![0; self.nodes];
        for position in 0..self.nodes {
            positions[self.node(position)] = position as u32;
        }
        positions
    }

    /// Entries in the order of the input, put into the order of positions.
    pub(crate) fn to_positions(&self, entries: Vec<f64>) -> Vec<f64> {
        match &self.order {
            None => entries,
            Some(order) => order.iter().map(|&node| entries[node as usize]).collect(),
        }
    }

    /// Entries in the order of positions, put into the order of the input.
    pub(crate) fn to_input(&self, entries: Vec<f64>) -> Vec<f64> {
        let Some(order) = &self.order else { return entries };
        let mut sorted = vec![0.0; entries.len()];
        for (&node, entry) in order.iter().zip(entries) {
            sorted[node as usize] = entry;
        }
        sorted
    }
}

fn name(parent: Option<u32>) -> String {
    parent.map_or_else(|| "none (a root)".into(), |parent| parent.to_string())
}

/// Where the children of each node begin in the list of all children.
fn child_offsets(parents: &[Option<u32>]) -> Result<Vec<u32>, ProjectError> {
    let nodes = parents.len();
    let mut start = vec![0_u32; nodes + 1];
    for parent in parents.iter().flatten().map(|&parent| parent as usize) {
        *start.get_mut(parent + 1).ok_or(ProjectError::NoSuchNode { node: parent, nodes })? += 1;
    }
    for node in 0..nodes {
        start[node + 1] += start[node];
    }
    Ok(start)
}

fn children_by_parent(parents: &[Option<u32>], start: &[u32]) -> Vec<u32> {
    let mut next = start.to_vec();
    let mut children = vec![0; start[parents.len()] as usize];
    for (node, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            children[next[*parent as usize] as usize] = node as u32;
            next[*parent as usize] += 1;
        }
    }
    children
}

/// A node that lies on a cycle, given the nodes that a root reaches.
fn on_a_cycle(parents: &[Option<u32>], reached: &[u32]) -> usize {
    let mut seen = vec![false; parents.len()];
    for &node in reached {
        seen[node as usize] = true;
    }
    let mut node = seen.iter().position(|seen| !seen).unwrap_or(0);
    while !seen[node] {
        seen[node] = true;
        node = parents[node].map_or(node, |parent| parent as usize);
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_breadth_first_and_map_back() {
        // 4 is the root; 0 and 2 below it; 3 and 1 below 0; 5 below 3.
        let tree = Tree::from_parents(&[Some(4), Some(0), Some(4), Some(0), None, Some(3)]).expect("a tree");
        let order: Vec<usize> = (0..6).map(|position| tree.node(position)).collect();
        assert_eq!(order, [4, 0, 2, 1, 3, 5]);
        assert_eq!((tree.children(0), tree.children(1), tree.children(4)), (1..3, 3..5, 5..6));
        assert_eq!((tree.head(), tree.leaves()), (5, 3));
        assert_eq!(tree.parents(), [0, 0, 0, 1, 1, 4]);
        let entries: Vec<f64> = (0..6).map(f64::from).collect();
        assert_eq!(tree.to_input(tree.to_positions(entries.clone())), entries);
    }

    #[test]
    fn every_malformed_shape_has_its_error() {
        assert_eq!(
            Tree::from_parents(&[]).expect_err("empty").to_string(),
            "a tree must have between 1 and 4294967294 nodes, got 0"
        );
        assert_eq!(Tree::from_parents(&[None, Some(7)]), Err(ProjectError::NoSuchNode { node: 7, nodes: 2 }));
        assert_eq!(Tree::from_parents(&[None, Some(1)]), Err(ProjectError::Cycle { node: 1 }));
        // 3 hangs on the cycle of 1 and 2, which is named.
        let computed = Tree::from_parents(&[None, Some(2), Some(1), Some(1)]);
        assert!(matches!(computed, Err(ProjectError::Cycle { node: 1 | 2 })), "{computed:?}");
        assert_eq!(Tree::from_lines(2, [(0, None)]), Err(ProjectError::Orphan { node: 1 }));
        let computed = Tree::from_lines(3, [(0, None), (1, Some(0)), (2, Some(0)), (2, Some(1))]);
        assert_eq!(
            computed.expect_err("two parents").to_string(),
            "node 2 has two parents, 0 and 1: a tree allows one"
        );
        assert!(Tree::from_lines(2, [(0, None), (1, Some(0)), (1, Some(0))]).is_ok());
    }

    #[test]
    fn leaves_alone_are_a_forest_of_roots() {
        let tree = Tree::from_parents(&[None, None]).expect("a forest");
        assert_eq!((tree.head(), tree.roots(), tree.leaves()), (0, 0..2, 2));
    }
}
