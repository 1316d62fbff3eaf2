//! Rooted trees: each cell absorbs its largest child blocks (Pardalos and Xue 1999).
//!
//! **Invariant.** When a cell is reached, everything below it is in order, and its heap has the blocks right below its
//! own. As long as the largest of these exceeds the cell's block, the two are merged and the blocks below the merged
//! one enter the heap. Only the largest can be out of order after a merge, so no merge has to be undone.

use super::{
    block::{Block, unit},
    heap::Heaps,
};
use crate::{ProjectError, check};

/// All cells, each after its children.
///
/// # Errors
/// [`ProjectError::Length`], [`ProjectError::NoSuchNode`] or [`ProjectError::Cycle`] if the parents are not those of a
/// forest.
pub(super) fn leaves_first(parents: &[Option<usize>], cells: usize) -> Result<Vec<usize>, ProjectError> {
    check::length("parents", "values", cells, parents.len())?;
    let mut waiting_for = vec![0_usize; cells];
    for &parent in parents.iter().flatten() {
        *waiting_for.get_mut(parent).ok_or(ProjectError::NoSuchNode { node: parent, nodes: cells })? += 1;
    }
    let mut order: Vec<usize> = (0..cells).filter(|&cell| waiting_for[cell] == 0).collect();
    let mut next = 0;
    while let Some(&cell) = order.get(next) {
        next += 1;
        if let Some(parent) = parents[cell] {
            waiting_for[parent] -= 1;
            if waiting_for[parent] == 0 {
                order.push(parent);
            }
        }
    }
    match waiting_for.iter().position(|&children| children > 0) {
        None => Ok(order),
        Some(start) => Err(ProjectError::Cycle { node: on_cycle(parents, start) }),
    }
}

/// A cell on the cycle that the path of parents from `start`, which never reaches a root, runs into.
fn on_cycle(parents: &[Option<usize>], start: usize) -> usize {
    (0..parents.len()).fold(start, |cell, _| parents[cell].unwrap_or(cell))
}

/// The vector nearest to `values` in which no cell is larger than its parent.
pub(super) fn absorb(values: &[f64], weights: &[f64], parents: &[Option<usize>], leaves_first: &[usize]) -> Vec<f64> {
    let unit = unit(weights);
    let mut blocks: Vec<Block> = values.iter().zip(weights).map(|(&y, &w)| Block::cell(y, w, unit)).collect();
    // The blocks right below each cell's block, as a heap; and the cell whose block took a block in.
    let mut below: Vec<Option<usize>> = vec![None; values.len()];
    let mut absorbed_by: Vec<Option<usize>> = vec![None; values.len()];
    let mut heaps = Heaps::singletons(values.len());
    for &cell in leaves_first {
        while let Some(child) = below[cell].filter(|&child| blocks[child].mean > blocks[cell].mean) {
            let rest = heaps.pop(child, |i| blocks[i].mean);
            below[cell] = heaps.merge(rest, below[child], |i| blocks[i].mean);
            let taken = blocks[child];
            blocks[cell].absorb(&taken);
            absorbed_by[child] = Some(cell);
        }
        if let Some(parent) = parents[cell] {
            below[parent] = heaps.merge(below[parent], Some(cell), |i| blocks[i].mean);
        }
    }
    let mut x: Vec<f64> = blocks.iter().map(|block| block.mean).collect();
    for &cell in leaves_first.iter().rev() {
        if let Some(head) = absorbed_by[cell] {
            x[cell] = x[head];
        }
    }
    x
}
