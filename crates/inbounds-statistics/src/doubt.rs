//! Doubts that a statistic finds in its own measurements: its numbers are of no use.

/// Why numbers of a statistic say little, decided by a stated rule on what was measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// Classes of a model whose means differ no more than noise alone makes means differ in one of twenty draws.
    ClassesLikeNoise,
    /// Variances of a model whose noise has a standard deviation above their estimate.
    VariancesLikeNoise {
        /// Number of variances.
        variances: usize,
        /// Number of all.
        total: usize,
    },
}
