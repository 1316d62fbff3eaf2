//! Boundings: how noise around an answer is kept inside a public range, over any law of noise.
//!
//! With noise `N`, an answer `q` in `[lower, upper]` and the distances `a = q - lower`, `c = upper - q`:
//!
//! - [`Clamped`] publishes the nearest point of the range to `q + N`.
//! - [`ShiftedRamp`] starts the ramp a little further in, so that the bias has both signs.
//! - [`Thresholded`] publishes the end itself below a threshold: the least worst-case bias there can be.
//! - [`Folded`] reflects `q + N` at the ends until it falls inside.
//! - [`TabulatedRule`] publishes the entry of a user's own table for `q + N`.
//! - [`Conditioned`] publishes `q + N` given that it falls inside.
//!
//! All are post-processing of `q + N` but the last: the mass inside depends on `q`.
//!
//! Names against the papers: `Clamped` is Liu's BIT, Holohan et al.'s truncated and McGlinchey and Mason's ramp;
//! `Conditioned` is Liu's truncated, Holohan et al.'s bounded, and McGlinchey and Mason's restricted mechanism.
//!
//! A [`GridMap`] is post-processing among them on the steps of a grid, where mechanisms run: the map and all that is
//! said of it.

// A map or a kind that no line below or in the registry makes is one that was forgotten there.
#![deny(dead_code)]

mod clamped;
mod conditioned;
mod extremes;
mod folded;
mod moments;
mod piecewise_linear;
mod range;
mod rule;
mod ruled;
mod shifted_ramp;
pub(crate) mod step_value;
mod tabulated;
mod tabulated_error;
mod thresholded;
mod thresholds;

use std::{fmt::Debug, sync::Arc};

use inbounds_core::{StepRange, ids};

pub(crate) use clamped::Clamp;
pub use clamped::Clamped;
pub use conditioned::Conditioned;
pub use folded::Folded;
pub use piecewise_linear::PiecewiseLinear;
pub use range::Range;
pub use rule::Rule;
pub use ruled::Ruled;
pub use shifted_ramp::ShiftedRamp;
pub use tabulated::{DesignedFor, TabulatedRow, TabulatedRule};
pub use tabulated_error::TabulatedRuleError;
pub use thresholded::Thresholded;
pub use thresholds::FarBias;

use crate::law::Noise;
use step_value::StepValue;

/// Effect of a bounding on the error of an answer `q` inside the range.
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

/// A public map from measurements to the range, in whole steps: post-processing, which costs no privacy.
pub trait GridMap: Debug + Send + Sync {
    /// The estimate for a measurement.
    fn value(&self, range: StepRange, measurement: i128) -> StepValue;

    /// Bias and mean square error, rounding to whole steps included, for an answer at these distances from the ends of
    /// the range.
    fn error(&self, noise: &dyn Noise, below: f64, above: f64) -> (f64, f64);

    /// The largest absolute bias over the range: that at a finite end, unless a map says otherwise.
    fn worst_bias(&self, noise: &dyn Noise, range: Range) -> f64 {
        range.finite_end().map_or(0.0, |end| {
            let (below, above) = range.distances(end);
            self.error(noise, below, above).0.abs()
        })
    }

    /// Steps from an end of the range beyond which the map moves every measurement alike; infinite if there are no
    /// such.
    fn reach(&self, _range: StepRange) -> f64 {
        0.0
    }

    /// Where the bias and the mean square error come from.
    fn formula(&self, noise: &dyn Noise) -> BoundingBias;

    /// Record of the map in manifests.
    fn record(&self) -> ProcessingRecord;
}

/// A map as manifests record it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessingRecord {
    /// Its name.
    pub rule: &'static str,
    /// Its numbers by their keys, in steps.
    pub numbers: Vec<(&'static str, f64)>,
    /// Of a table the estimates, in steps; else none.
    pub estimates: Vec<f64>,
}

/// Post-processing that a mechanism can take; the noise and the range decide its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProcessingKind {
    /// [`Clamped`].
    Clamped,
    /// [`ShiftedRamp::optimal`].
    ShiftedRamp,
    /// [`Thresholded::least_bias`].
    LeastBias(FarBias),
    /// [`Thresholded::unbiased_beyond`].
    UnbiasedBeyond,
    /// [`Folded`].
    Folded,
}

impl ProcessingKind {
    /// The map for calibrated noise.
    pub(crate) fn over(self, noise: &dyn Noise, range: Range) -> Arc<dyn GridMap> {
        match self {
            Self::Clamped => Arc::new(Clamp),
            Self::ShiftedRamp => Arc::new(ShiftedRamp::optimal(noise, range).rule()),
            Self::LeastBias(far) => Arc::new(Thresholded::least_bias(noise, range, far).rule()),
            Self::UnbiasedBeyond => Arc::new(Thresholded::unbiased_beyond(noise, range).rule()),
            Self::Folded => Arc::new(folded::Fold),
        }
    }
}

ids! {
    /// Where the bias and the mean square error of noise in a range come from.
    BoundingBias {
        /// Discrete Laplace noise, then the nearest point of the range, in closed form.
        ClampedDiscreteLaplace = "clamped-discrete-laplace-bias",
        /// Discrete Laplace noise given that the result is in the range, in closed form.
        ConditionedDiscreteLaplace = "conditioned-discrete-laplace-bias",
        /// Any other noise given that the result is in the range.
        Conditioned = "conditioned-bias",
        /// Any other noise, then the nearest point of the range.
        Clamped = "clamped-bias",
        /// A piecewise linear rule with a threshold, a ramp or one bit.
        Rule = "rule-bias",
        /// A table of one's own, summed over the noise.
        Tabulated = "tabulated-rule-bias",
        /// Reflection at the ends of the range.
        Folded = "folded-bias",
        /// Discrete log-Laplace noise, then the nearest point of the range.
        LogLaplace = "log-laplace-bias",
    }
}
