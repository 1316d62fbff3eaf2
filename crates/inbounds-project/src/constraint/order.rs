//! Orderings of cells.

/// Which way values go along a chain or up a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Later cells, and parents, are at least as large.
    Increasing,
    /// Later cells, and parents, are at most as large.
    Decreasing,
}

/// An ordering that the values must follow.
///
/// # Contract
/// With [`Direction::Increasing`], a chain means `x_0 <= x_1 <= ...` and a forest means `x_i <= x_p` for every cell `i`
/// with parent `p`; with [`Direction::Decreasing`] every inequality is reversed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// One cell after the other.
    Chain(Direction),
    /// Rooted trees; a chain is a tree in which each cell's parent is the next.
    Forest {
        /// The parent of each cell, none for a root.
        parents: Vec<Option<usize>>,
        /// Which way values go towards the root.
        direction: Direction,
    },
}

impl Order {
    /// The direction of the ordering.
    pub fn direction(&self) -> Direction {
        match self {
            Self::Chain(direction) | Self::Forest { direction, .. } => *direction,
        }
    }

    /// The cell that cell `i` of `cells` must not pass.
    pub(crate) fn parent(&self, i: usize, cells: usize) -> Option<usize> {
        match self {
            Self::Chain(_) => (i + 1 < cells).then_some(i + 1),
            Self::Forest { parents, .. } => parents[i],
        }
    }
}
