//! Exact answers to one question.

use crate::Answer;

/// Exact answers per cell, in the order of the keys and within a key of the bins; one cell when there are neither.
/// **Private**, like its parts.
///
/// With the clipped integers `v_i(r)` of the rows `r` that count in a cell: `counts = sum 1`, `sums[i] = sum v_i(r)`,
/// `products[(i, j)] = sum v_i(r) v_j(r)`, all exact and all over the same rows.
pub struct Tally {
    /// Number of rows that count.
    pub counts: Answer,
    /// Sum of each value in its grid steps, in the order in which they were asked for.
    pub sums: Vec<Answer>,
    /// Sum of each product, in the product of the two grids' steps, in the order in which they were asked for.
    pub products: Vec<Answer>,
}

impl Tally {
    /// Tallies of the same values about other cells, one after another.
    pub fn one_after_another(tallies: &[Self]) -> Self {
        let joined = |answers: fn(&Self) -> &Vec<Answer>| {
            let places = 0..tallies.first().map_or(0, |first| answers(first).len());
            places.map(|place| Answer::one_after_another(tallies.iter().map(|tally| &answers(tally)[place]))).collect()
        };
        Self {
            counts: Answer::one_after_another(tallies.iter().map(|tally| &tally.counts)),
            sums: joined(|tally| &tally.sums),
            products: joined(|tally| &tally.products),
        }
    }
}
