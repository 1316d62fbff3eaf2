//! Multipliers at which members of a family agree.

/// Marginal costs that members of a family agree on.
pub(super) struct Agreed {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) weight: f64,
}
