//! Boundings: how noise around an answer is kept inside a public range, over any law of noise.
//!
//! With noise `N`, an answer `q` in `[lower, upper]` and the distances `a = q - lower`, `c = upper - q`:
//!
//! - [`Clamped`] publishes the nearest point of the range to `q + N`.
//! - [`ShiftedRamp`] starts the ramp a little further in, so that the bias has both signs.
//! - [`Thresholded`] publishes the end itself below a threshold: the least worst-case bias there can be.
//! - [`Folded`] reflects `q + N` at the ends until it falls inside.
//! - [`Conditioned`] publishes `q + N` given that it falls inside.
//!
//! All are post-processing of `q + N` but the last: the mass inside depends on `q`.
//!
//! Names against the papers: `Clamped` is Liu's BIT, Holohan et al.'s truncated and McGlinchey and Mason's ramp;
//! `Conditioned` is Liu's truncated, Holohan et al.'s bounded, and McGlinchey and Mason's restricted mechanism.

mod clamped;
mod conditioned;
mod extremes;
pub(crate) mod folded;
mod moments;
mod range;
mod rule;
mod shifted_ramp;
mod thresholded;
mod thresholds;

pub use clamped::Clamped;
pub use conditioned::Conditioned;
pub use folded::Folded;
pub use range::Range;
pub use rule::{Rule, Ruled};
pub use shifted_ramp::ShiftedRamp;
pub use thresholded::Thresholded;
pub use thresholds::FarBias;

/// What a bounding does to the error of an answer `q` inside the range.
///
/// All figures are functions of public parameters and a *candidate* `q`; none reads an answer.
pub trait Bounding {
    /// `E(X | q) - q`.
    fn bias(&self, q: f64) -> f64;

    /// `E((X - q)^2 | q)`.
    fn mse(&self, q: f64) -> f64;

    /// The range of the output.
    fn range(&self) -> Range;

    /// The largest `|bias(q)|` over the range: that at a finite end, unless a bounding says otherwise.
    fn worst_bias(&self) -> f64 {
        self.range().finite_end().map_or(0.0, |end| self.bias(end).abs())
    }

    /// `E((X - E X)^2 | q)`.
    fn variance(&self, q: f64) -> f64 {
        let bias = self.bias(q);
        self.mse(q) - bias * bias
    }
}
