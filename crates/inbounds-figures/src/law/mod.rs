//! Intervals for figures made of several noisy numbers, by inverting the laws of their noise. Nothing here knows a
//! bundle.
//!
//! A figure is a linear form `sum_j c_j q_j` of answers, or a quotient of two. Each answer `q_j` was measured as
//! `m_j = q_j + n_j`, with noise `n_j` of a known law. So for every candidate value of the figure there is a number
//! that is noise alone: `M - v` for a form with the measured value `M`, and `N - r D` for a quotient `r` with the
//! measured numerator `N` and denominator `D`. The interval is the set of candidates for which that number is not
//! surprising. It covers whatever the answers are, small denominators too.
//!
//! - [`NoiseSum`]: the law of a sum of independent scaled noises, convolved on a lattice, with a certified radius;
//! - [`QuotientLaw`]: the ratios of two numbers with independent noise that are not rejected, by a certified search;
//! - [`JointDraws`]: any other joint law, by drawing it again: forms by rank, quotients by an exact sweep over the
//!   draws;
//! - [`places`]: ranks, by what pairs rule out.

mod fourier;
mod quotient;
mod ranks;
mod replicates;
mod sum;

pub use quotient::QuotientLaw;
pub use ranks::places;
pub use replicates::{JointDraws, NoiseVector, draws_for};
pub use sum::{NoiseSum, SumRadius, WeightedNoise};

/// A set of real numbers by its smallest interval; an end is infinite where nothing bounds the set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AcceptedSet {
    /// Numbers between two ends.
    Between {
        /// The lower end.
        lower: f64,
        /// The upper end.
        upper: f64,
    },
    /// Every number asked about is rejected.
    Empty,
}

impl AcceptedSet {
    /// The set of all numbers from `lower` to `upper`.
    pub fn between(lower: f64, upper: f64) -> Self {
        Self::Between { lower, upper }
    }

    /// `true` if the smallest interval contains a number.
    ///
    /// ```
    /// use inbounds_figures::law::AcceptedSet;
    /// assert!(AcceptedSet::between(0.0, f64::INFINITY).contains(7.0) && !AcceptedSet::Empty.contains(7.0));
    /// ```
    pub fn contains(&self, number: f64) -> bool {
        match *self {
            Self::Between { lower, upper } => lower <= number && number <= upper,
            Self::Empty => false,
        }
    }
}

/// By how much chances of a miss are lowered, relatively, for the rounding of doubles.
const OUTWARD: f64 = 1e-9;
