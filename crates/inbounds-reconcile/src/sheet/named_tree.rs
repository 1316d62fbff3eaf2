//! Nodes by name and parent, as rows name them.

use std::collections::BTreeMap;

use inbounds_project::{ProjectError, constraint::tree::Tree};

use crate::{
    error::Problem,
    names::{MOST, Names},
    projection::Shape,
};

/// Parent of a root.
const ROOT: u32 = u32::MAX;
/// Parent of a node that no row has placed.
const UNPLACED: u32 = u32::MAX - 1;

/// A node, and what is wrong with it.
pub(crate) type WrongNode = (usize, Problem);

/// A forest whose nodes have a number in the order in which rows first name them.
#[derive(Default)]
pub(crate) struct NamedTree {
    pub(crate) names: Names,
    pub(super) parents: Vec<u32>,
    /// First place in the file of each node.
    first: Vec<u64>,
    last_parent: Option<u32>,
    /// Nodes that share a name, by the number of the first of them, which comes first.
    pub(super) twins: BTreeMap<u32, Vec<u32>>,
}

impl NamedTree {
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Number of the parent of each node; none for a root.
    pub(crate) fn parents(&self) -> Vec<Option<u32>> {
        (0..self.len()).map(|node| self.parent(node)).collect()
    }

    /// Number of the parent of a node; none for a root.
    pub(crate) fn parent(&self, node: usize) -> Option<u32> {
        (self.parents[node] != ROOT).then_some(self.parents[node])
    }

    /// `true` if any node has a parent.
    pub(crate) fn has_parents(&self) -> bool {
        self.parents.iter().any(|&parent| parent != ROOT)
    }

    /// First place of a node in the file.
    pub(crate) fn first(&self, node: usize) -> u64 {
        self.first[node]
    }

    /// The number of a node below a parent, which is empty for a root; a new one if it is new. `place` is where the
    /// file says so.
    pub(crate) fn place(&mut self, name: &str, parent: &str, place: u64) -> Result<usize, Problem> {
        let node = self.number(name)? as usize;
        let parent = match (parent, self.last_parent) {
            ("", _) => ROOT,
            // Children of one node mostly stand together.
            (name, Some(last)) if self.names.name(last) == name => last,
            (name, _) => {
                let number = self.number(name)?;
                self.last_parent = Some(number);
                number
            }
        };
        let known = &mut self.parents[node];
        if *known == UNPLACED {
            *known = parent;
            self.first[node] = place;
        }
        if self.parents[node] == parent { Ok(node) } else { self.place_twin(node as u32, parent, (name, place)) }
    }

    /// The node of the same name below another parent.
    fn place_twin(&mut self, first: u32, parent: u32, (name, place): (&str, u64)) -> Result<usize, Problem> {
        let known = self.twins.get(&first).into_iter().flatten().copied();
        if let Some(twin) = known.into_iter().find(|&twin| self.parents[twin as usize] == parent) {
            return Ok(twin as usize);
        }
        let twin = self.names.another(name).ok_or(Problem::TooMany { most: MOST })?;
        self.parents.push(parent);
        self.first.push(place);
        self.twins.entry(first).or_insert_with(|| vec![first]).push(twin);
        Ok(twin as usize)
    }

    fn number(&mut self, name: &str) -> Result<u32, Problem> {
        let number = self.names.number(name).ok_or(Problem::TooMany { most: MOST })?;
        if number as usize == self.parents.len() {
            self.parents.push(UNPLACED);
            self.first.push(0);
        }
        Ok(number)
    }

    /// Every node placed, and those that share a name under longer ones.
    pub(crate) fn finish(&mut self) -> Result<(), WrongNode> {
        let orphan = |&parent: &u32| parent < UNPLACED && self.parents[parent as usize] == UNPLACED;
        if let Some(node) = self.parents.iter().position(orphan) {
            let parent = self.names.name(self.parents[node]).to_owned();
            return Err((node, Problem::Orphan { node: self.names.name(node as u32).to_owned(), parent }));
        }
        self.resolve()
    }

    /// The levels of the tree, once it is finished.
    pub(crate) fn shape(&self) -> Result<Shape, WrongNode> {
        let parents = self.parents();
        match Tree::from_parents(&parents) {
            Ok(_) => Ok(Shape::new(&parents)),
            Err(ProjectError::Cycle { node }) => Err((node, self.cycle(node))),
            Err(other) => unreachable!("every node is placed: {other}"),
        }
    }

    /// The cycle that a node lies on, its first names.
    pub(crate) fn cycle(&self, node: usize) -> Problem {
        const SHOWN: usize = 6;
        let name = |node: usize| self.names.name(node as u32).to_owned();
        let mut path = vec![name(node)];
        let mut above = self.parent(node).map(|parent| parent as usize);
        while let Some(next) = above.filter(|&next| next != node) {
            if path.len() == SHOWN {
                path.push("...".to_owned());
                break;
            }
            path.push(name(next));
            above = self.parent(next).map(|parent| parent as usize);
        }
        path.push(name(node));
        Problem::Cycle { node: name(node), path: path.join(" < ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_steps_to_the_root_and_a_cycle_is_refused() {
        let levels = |rows: &[(&str, &str)]| {
            let mut tree = NamedTree::default();
            for (node, parent) in rows {
                tree.place(node, parent, 0).expect("room");
            }
            tree.finish().expect("all are placed");
            tree.shape().map(|shape| shape.level)
        };
        assert_eq!(levels(&[("c", "b"), ("b", "a"), ("a", ""), ("d", "a"), ("e", "")]), Ok(vec![2, 1, 0, 1, 0]));
        let (_, problem) = levels(&[("r", ""), ("x", "z"), ("y", "x"), ("z", "y")]).expect_err("a cycle");
        assert!(matches!(problem, Problem::Cycle { .. }), "{problem}");
    }
}
