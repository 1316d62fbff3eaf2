//! Probability laws of noise: one file per law, the same headings in each.
//!
//! A law here is symmetric noise around zero. Besides density, distribution and survival function it answers the few
//! one-sided moments from which *every* bounding gets its bias and error ([`crate::bounding`]), so that a new law
//! serves all boundings and a new bounding all laws.

mod discrete_laplace;
mod geometric_sums;
mod laplace;

pub use discrete_laplace::DiscreteLaplace;
pub use laplace::Laplace;

/// Symmetric unimodal noise `N` around zero.
///
/// Distances are in the law's own unit: the statistic's unit for continuous laws, grid steps for lattice laws. Every
/// function of a distance `t` takes `t` in `[0, inf]`; lattice laws take whole `t`.
pub trait Noise {
    /// Log density at `x` (log mass for a lattice law; minus infinity off the lattice).
    fn ln_density(&self, x: f64) -> f64;

    /// `P(N <= x)`.
    fn cdf(&self, x: f64) -> f64;

    /// `P(N > x)`, written for the upper tail.
    fn sf(&self, x: f64) -> f64;

    /// The smallest `x` with `cdf(x) >= p`, for `p` in `[0, 1]`; the support ends at 0 and 1, NaN elsewhere.
    fn quantile(&self, p: f64) -> f64;

    /// `E N^2`.
    fn variance(&self) -> f64;

    /// Distance between points of the lattice, zero for a continuous law.
    fn spacing(&self) -> f64;

    /// Mass of `[0, t]`, an atom at zero counted half.
    fn half_mass(&self, t: f64) -> f64;

    /// `E[N; s < N <= t]` for `s <= t`, as a sum of positive terms.
    fn first_moment_between(&self, s: f64, t: f64) -> f64;

    /// `E[N^2; 0 < N <= t]`.
    fn half_second_moment(&self, t: f64) -> f64;

    /// `E (N - s)+ - E (N - t)+` for `s <= t`, without subtraction of nearby numbers.
    fn excess_between(&self, s: f64, t: f64) -> f64;

    /// `E min(N+, t)^2`.
    fn capped_second_moment(&self, t: f64) -> f64;
}
