//! Pool adjacent violators (Barlow, Bartholomew, Bremner and Brunk 1972).
//!
//! **Invariant.** The blocks so far are in order, and each holds the weighted mean of its cells. A new cell that is
//! smaller than the block before it is pooled with it, and the result with the block before that, until they are in
//! order again. Each block is absorbed at most once, so the time is linear.

use super::block::{Block, unit};

/// The increasing vector nearest to `values`.
pub(super) fn pool(values: &[f64], weights: &[f64]) -> Vec<f64> {
    let unit = unit(weights);
    let mut blocks: Vec<(Block, usize)> = Vec::new();
    for (&value, &weight) in values.iter().zip(weights) {
        let (mut block, mut cells) = (Block::cell(value, weight, unit), 1);
        while let Some((previous, before)) = blocks.pop_if(|(previous, _)| previous.mean > block.mean) {
            block.absorb(&previous);
            cells += before;
        }
        blocks.push((block, cells));
    }
    blocks.iter().flat_map(|(block, cells)| std::iter::repeat_n(block.mean, *cells)).collect()
}
