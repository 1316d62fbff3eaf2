//! How far one privacy unit can move an answer.

/// The largest change of an integer answer between neighbours.
///
/// Neighbouring answers `q`, `q'` (one entry a cell) satisfy
///
/// ```text
/// sum_j |q_j - q'_j| <= l1,      max_j |q_j - q'_j| <= linf,      #{ j : q_j != q'_j } <= cells
/// ```
///
/// with `l1` and `linf` in grid steps. The number of cells matters for conditioned mechanisms, whose worst case spreads the change
/// over as many cells as it may (`refs/claims.toml`, `conditioned-vector-loss`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sensitivity {
    /// Largest l1 change in grid steps.
    pub l1: u128,
    /// Largest change of one cell in grid steps.
    pub linf: u128,
    /// Largest number of cells that change together.
    pub cells: u64,
    /// Name of the rule that gave the numbers; a row of `refs/claims.toml`.
    pub rule: &'static str,
}
