//! Measurements of the tables of a tree.

use super::{
    super::{MOST_CELLS, axes::Axes, system::MeasuredMargin},
    components::Components,
};
use crate::{ProjectError, check, constraint::tree::Tree};

/// A table at every node of a tree, and the margins that were measured of each.
///
/// All tables have the same attributes, and the table of an inner node is the sum of those of its children. Any margins
/// may be measured of any node, each with one variance; a margin of variance zero is known exactly.
///
/// # Example
/// ```
/// use inbounds_project::{constraint::tree::Tree, table::{Axes, MeasuredMargin, tree::TableTree}};
/// // A state of two counties, with men and women of each.
/// let tree = Tree::from_parents(&[None, Some(0), Some(0)])?;
/// let cells = |values: [f64; 2]| vec![MeasuredMargin { axes: Axes::new([0]), values: values.to_vec(), variance: 2.0 }];
/// let measured = vec![cells([9.0, 4.0]), cells([3.0, 1.0]), cells([5.0, 2.0])];
/// assert_eq!(TableTree::new(vec![2], tree, measured)?.nodes(), 3);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
#[derive(Debug, Clone)]
pub struct TableTree {
    pub(super) components: Components,
    pub(super) tree: Tree,
    /// By node.
    pub(super) measured: Vec<Vec<MeasuredMargin>>,
}

impl TableTree {
    /// Tables whose attributes have these numbers of values, with the measurements of each node.
    ///
    /// # Errors
    /// [`ProjectError`] if there is not one list of margins for each node, a margin is there twice, has an attribute
    /// that is not there or a wrong number of cells, an attribute has no value, there are more than 2^28 numbers in
    /// all, where an attribute of `n` values counts for `n + 1`, or a number is not finite or a variance negative.
    pub fn new(sizes: Vec<usize>, tree: Tree, measured: Vec<Vec<MeasuredMargin>>) -> Result<Self, ProjectError> {
        let number = |name, place: String, requirement, value| ProjectError::Number { name, place, requirement, value };
        check::length("lists of margins", "nodes", tree.nodes(), measured.len())?;
        if let Some(attribute) = sizes.iter().position(|&size| size == 0) {
            return Err(number("number of values", format!("attribute {attribute}"), "at least 1", 0.0));
        }
        let all = sizes.iter().try_fold(tree.nodes(), |all, size| all.checked_mul(size + 1));
        if all.is_none_or(|all| all > MOST_CELLS) || sizes.len() > Self::MOST_ATTRIBUTES {
            let requirement = "at most 2^28, of at most 16 attributes";
            let count = all.map_or(f64::INFINITY, |all| all as f64);
            return Err(number("number of numbers", "the tables".to_owned(), requirement, count));
        }
        let components = Components::new(&sizes);
        for (node, margins) in measured.iter().enumerate() {
            for (index, MeasuredMargin { axes, values, variance }) in margins.iter().enumerate() {
                let place = || format!("margin {axes} of node {node}");
                if let Some(axis) = axes.iter().find(|&axis| axis >= sizes.len()) {
                    return Err(number("attribute", place(), "an attribute of the table", axis as f64));
                }
                if margins[..index].iter().any(|other| other.axes == *axes) {
                    return Err(number("number of margins", place(), "1 of each set of attributes", 2.0));
                }
                check::length("values of a margin", "cells", components.cells(*axes), values.len())?;
                check::finite("value", "cell", values)?;
                if !(*variance >= 0.0 && variance.is_finite()) {
                    return Err(number("variance", place(), "finite and not negative", *variance));
                }
            }
        }
        Ok(Self { components, tree, measured })
    }

    /// Most attributes of a table.
    pub const MOST_ATTRIBUTES: usize = 16;

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.tree.nodes()
    }

    /// All attributes.
    pub fn attributes(&self) -> Axes {
        self.components.all()
    }
}
