//! Nodes of one name with different parents: Berlin the city in Berlin the state.
//!
//! Rows name parents without their own parents. A parent whose name several nodes have is the one of them that is not
//! the child itself; where that leaves more than one, nothing in the file says which is meant. Nodes that share a name
//! get a longer one, with the name of the parent before it.

use super::{ROOT, Sheet};
use crate::error::{Problem, ReconcileError};

/// Between the name of a parent and that of a node.
const BELOW: &str = " / ";

/// Finds the parents that are meant, and gives nodes that share a name longer ones.
///
/// # Errors
/// A parent that may be several nodes; and a root that shares its name with a node that is not below it, which one row
/// misplaces.
pub(super) fn resolve(sheet: &mut Sheet) -> Result<(), ReconcileError> {
    if sheet.twins.is_empty() {
        return Ok(());
    }
    let mut parents = sheet.parents.clone();
    for (node, parent) in parents.iter_mut().enumerate().filter(|(_, parent)| **parent != ROOT) {
        let Some(twins) = sheet.twins.get(parent) else { continue };
        let mut meant = twins.iter().copied().filter(|&other| other as usize != node);
        match (meant.next(), meant.next()) {
            (Some(only), None) => *parent = only,
            _ => return Err(sheet.wrong_node(node, ambiguous(sheet, node, *parent))),
        }
    }
    sheet.parents = parents;
    sheet.check_roots()?;
    for node in sheet.twins.values().flatten().copied().collect::<Vec<_>>() {
        if let Some(parent) = sheet.parent(node as usize) {
            let longer = format!("{}{BELOW}{}", sheet.names.plain(parent), sheet.names.plain(node));
            sheet.names.lengthen(node, longer);
        }
    }
    Ok(())
}

fn ambiguous(sheet: &Sheet, node: usize, parent: u32) -> Problem {
    let name = |number: u32| sheet.names.plain(number).to_owned();
    let above = |node: &u32| match sheet.parents[*node as usize] {
        ROOT => "no parent".to_owned(),
        above => format!("the parent `{}`", name(above)),
    };
    let parents = sheet.twins[&parent].iter().map(above).collect::<Vec<_>>().join(" and ");
    Problem::AmbiguousParent { node: name(node as u32), parent: name(parent), parents }
}

impl Sheet {
    /// Labels of nodes that share their name, first those of the name that comes first.
    pub(crate) fn namesakes(&self) -> Vec<String> {
        self.twins.values().flatten().map(|&node| self.names.name(node).to_owned()).collect()
    }

    /// Refuses a root of the name of a node that is not below it.
    fn check_roots(&self) -> Result<(), ReconcileError> {
        for twins in self.twins.values() {
            let all = || twins.iter().copied();
            let Some(root) = all().find(|&node| self.parents[node as usize] == ROOT) else { continue };
            let Some(apart) = all().find(|&node| self.root_of(node) != Some(root)) else { continue };
            let (first, second) = if root < apart { (root, apart) } else { (apart, root) };
            let parent = |node: u32| match self.parents[node as usize] {
                ROOT => "none (a root)".to_owned(),
                parent => format!("`{}`", self.names.plain(parent)),
            };
            let node = self.names.plain(first).to_owned();
            let problem = Problem::TwoParents { node, first: parent(first), second: parent(second) };
            return Err(self.wrong_node(second as usize, problem));
        }
        Ok(())
    }

    /// The root above a node; none on a circle of parents.
    fn root_of(&self, node: u32) -> Option<u32> {
        let mut at = node;
        for _ in 0..=self.nodes() {
            match self.parents[at as usize] {
                ROOT => return Some(at),
                parent => at = parent,
            }
        }
        None
    }
}
