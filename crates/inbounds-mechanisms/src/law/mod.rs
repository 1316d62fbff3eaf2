//! Probability laws of noise: one file per law, the same headings in each.
//!
//! A law here is symmetric noise around zero. Besides density, distribution and survival function it answers the few
//! one-sided moments from which *every* bounding gets its bias and error ([`crate::bounding`]), so that a new law
//! serves all boundings and a new bounding all laws. The one multiplicative law, [`LogLaplace`], stands apart.

pub(crate) mod discrete_laplace;
mod gaussian;
mod generalised_gaussian;
mod geometric_sums;
mod incomplete_gamma;
mod laplace;
pub(crate) mod lattice;
pub(crate) mod log_laplace;
mod staircase;
pub(crate) mod stairs;

pub use gaussian::Gaussian;
pub use generalised_gaussian::GeneralisedGaussian;
pub use laplace::Laplace;
pub use log_laplace::{LogLaplace, Moment};
pub use staircase::Staircase;

/// `W(1/e)`, the root of `w e^w = 1/e`: the half-line minimax bias of unit Laplace noise (claim
/// `half-line-least-bias`).
const OMEGA: f64 = 0.278_464_542_761_073_8;

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

    /// `E min(N+, t)^2 = E[N^2; 0 < N <= t] + t^2 P(N > t)`, a sum of positive terms.
    fn capped_second_moment(&self, t: f64) -> f64 {
        let tail = self.sf(t);
        self.half_second_moment(t) + if tail == 0.0 { 0.0 } else { t * t * tail }
    }

    /// Method by which the figures above are computed.
    fn accuracy(&self) -> Accuracy {
        Accuracy::ClosedForm
    }

    /// `1 - P(N > s + t | N > s)` where that is the same for every `s >= 0`, in the support: the noise has no memory.
    fn decay(&self, _t: f64) -> Option<f64> {
        None
    }

    /// The least worst-case bias of any nonnegative function of `q + N` over all answers `q >= 0`, and the least
    /// measurement that attaining it keeps; `None` where no closed form is known.
    fn half_line_minimax(&self) -> Option<(f64, f64)> {
        None
    }
}

/// Method by which the figures of a law are computed, to mark numerical integration as such.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Accuracy {
    /// Closed forms in elementary and special functions, to the rounding of doubles.
    ClosedForm,
    /// Some moments by numerical quadrature or summation.
    Quadrature {
        /// Bound on the relative error that the method adds to the rounding of doubles.
        relative_error: f64,
    },
}

/// `Noise` for a type that holds a law: each call goes to the law inside.
macro_rules! forward_noise {
    ([$($generics:tt)*] $holder:ty => |$this:ident| $law:expr) => {
        impl<$($generics)*> Noise for $holder {
            forward_noise! { @ $this $law;
                ln_density(x) cdf(x) sf(x) quantile(p) half_mass(t) half_second_moment(t) capped_second_moment(t)
                variance() spacing() first_moment_between(s, t) excess_between(s, t)
            }
            fn accuracy(&self) -> Accuracy {
                let $this = self;
                $law.accuracy()
            }
            fn decay(&self, t: f64) -> Option<f64> {
                let $this = self;
                $law.decay(t)
            }
            fn half_line_minimax(&self) -> Option<(f64, f64)> {
                let $this = self;
                $law.half_line_minimax()
            }
        }
    };
    (@ $this:ident $law:expr; $($name:ident($($argument:ident),*))*) => {$(
        fn $name(&self, $($argument: f64),*) -> f64 {
            let $this = self;
            $law.$name($($argument),*)
        }
    )*};
}
pub(crate) use forward_noise;

// A bounding may borrow its noise, or choose it at run time.
forward_noise!([N: Noise + ?Sized] &N => |law| (**law));
forward_noise!([N: Noise + ?Sized] Box<N> => |law| (**law));
