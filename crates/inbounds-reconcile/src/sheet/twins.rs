//! Nodes of one name with different parents: Berlin the city in Berlin the state.
//!
//! Rows name parents without their own parents. A parent whose name several nodes have is the one of them that is not
//! the child itself; where that leaves more than one, nothing in the file says which is meant. Nodes that share a name
//! get a longer one, with the name of the parent before it.

use super::named_tree::{NamedTree, WrongNode};
use crate::error::Problem;

/// Between the name of a parent and that of a node.
const BELOW: &str = " / ";

impl NamedTree {
    /// Finds the parents that are meant, and gives nodes that share a name longer ones.
    ///
    /// # Errors
    /// A parent that may be several nodes; and a root that shares its name with a node that is not below it, which one
    /// row misplaces.
    pub(super) fn resolve(&mut self) -> Result<(), WrongNode> {
        if self.twins.is_empty() {
            return Ok(());
        }
        let mut parents = self.parents.clone();
        for (node, parent) in parents.iter_mut().enumerate() {
            let Some(twins) = self.twins.get(parent) else { continue };
            let mut meant = twins.iter().copied().filter(|&other| other as usize != node);
            match (meant.next(), meant.next()) {
                (Some(only), None) => *parent = only,
                _ => return Err((node, self.ambiguous(node, *parent))),
            }
        }
        self.parents = parents;
        self.check_roots()?;
        for node in self.twins.values().flatten().copied().collect::<Vec<_>>() {
            if let Some(parent) = self.parent(node as usize) {
                let longer = format!("{}{BELOW}{}", self.names.plain(parent), self.names.plain(node));
                self.names.lengthen(node, longer);
            }
        }
        Ok(())
    }

    fn ambiguous(&self, node: usize, parent: u32) -> Problem {
        let name = |number: u32| self.names.plain(number).to_owned();
        let above = |&node: &u32| match self.parent(node as usize) {
            None => "no parent".to_owned(),
            Some(above) => format!("the parent `{}`", name(above)),
        };
        let parents = self.twins[&parent].iter().map(above).collect::<Vec<_>>().join(" and ");
        Problem::AmbiguousParent { node: name(node as u32), parent: name(parent), parents }
    }

    /// Labels of nodes that share their name, first those of the name that comes first.
    pub(crate) fn namesakes(&self) -> Vec<String> {
        self.twins.values().flatten().map(|&node| self.names.name(node).to_owned()).collect()
    }

    /// Refuses a root of the name of a node that is not below it.
    fn check_roots(&self) -> Result<(), WrongNode> {
        for twins in self.twins.values() {
            let all = || twins.iter().copied();
            let Some(root) = all().find(|&node| self.parent(node as usize).is_none()) else { continue };
            let Some(apart) = all().find(|&node| self.root_of(node) != Some(root)) else { continue };
            let (first, second) = if root < apart { (root, apart) } else { (apart, root) };
            let parent = |node: u32| match self.parent(node as usize) {
                None => "none (a root)".to_owned(),
                Some(parent) => format!("`{}`", self.names.plain(parent)),
            };
            let node = self.names.plain(first).to_owned();
            return Err((second as usize, Problem::TwoParents { node, first: parent(first), second: parent(second) }));
        }
        Ok(())
    }

    /// The root above a node; none on a circle of parents.
    fn root_of(&self, node: u32) -> Option<u32> {
        let mut at = node;
        for _ in 0..=self.len() {
            match self.parent(at as usize) {
                None => return Some(at),
                Some(parent) => at = parent,
            }
        }
        None
    }
}
