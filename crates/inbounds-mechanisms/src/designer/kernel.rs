//! A lattice law as a table of masses and of one-sided moments.
//!
//! Every figure of a design is a sum over this table. The table ends where one tail has a mass of `1e-24`; what lies
//! beyond is bounded by the law's own tail moments and added to every error, so that figures are never too small.

use super::{DesignError, sum::Sum};
use crate::law::Noise;

/// Moments of the part of the noise at or above a point: `P(N >= k)`, `E[N; N >= k]`, `E[N^2; N >= k]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    pub(super) mass: f64,
    pub(super) first: f64,
    pub(super) second: f64,
}

impl Part {
    const NONE: Self = Self { mass: 0.0, first: 0.0, second: 0.0 };
}

/// The masses `P(N = k)` for `|k| <= reach`, with the mass beyond bounded by the law's own tails.
#[derive(Debug, Clone)]
pub(super) struct Kernel {
    masses: Vec<f64>,
    upper: Vec<Part>,
    omitted: Part,
}

/// Mass that may lie beyond the table on one side.
const OMITTED_MASS: f64 = 1e-24;
/// The widest table.
const LARGEST_REACH: f64 = 100_000.0;
/// Largest error of a law's own masses, in units in the last place; their logarithms reach about 60.
const LAW_ULPS: f64 = 128.0;

impl Kernel {
    pub(super) fn new(noise: &dyn Noise) -> Result<Self, DesignError> {
        if noise.spacing() != 1.0 {
            return Err(DesignError::Lattice { spacing: noise.spacing() });
        }
        let reach = -noise.quantile(OMITTED_MASS);
        if reach < 1.0 {
            return Err(DesignError::TooNarrow);
        }
        if !(1.0..=LARGEST_REACH).contains(&reach) {
            return Err(DesignError::TooWide { outputs: 2.0 * reach + 1.0, largest: 2.0 * LARGEST_REACH + 1.0 });
        }
        let masses: Vec<f64> = (0..=reach as usize).map(|k| libm::exp(noise.ln_density(k as f64))).collect();
        let mut upper = vec![Part::NONE; masses.len() + 1];
        for (k, mass) in masses.iter().enumerate().rev() {
            let (distance, above) = (k as f64, upper[k + 1]);
            upper[k] = Part {
                mass: above.mass + mass,
                first: above.first + distance * mass,
                second: above.second + distance * distance * mass,
            };
        }
        let all = noise.half_second_moment(f64::INFINITY);
        let omitted = Part {
            mass: noise.sf(reach),
            first: noise.first_moment_between(reach, f64::INFINITY),
            second: (all - noise.half_second_moment(reach)).max(0.0) + f64::EPSILON * all,
        };
        Ok(Self { masses, upper, omitted })
    }

    /// The largest distance in the table.
    pub(super) fn reach(&self) -> i64 {
        self.masses.len() as i64 - 1
    }

    /// `P(N = k)`, zero beyond the reach.
    pub(super) fn mass(&self, k: i64) -> f64 {
        self.masses.get(k.unsigned_abs() as usize).copied().unwrap_or(0.0)
    }

    /// The part of the noise at or above `k`. Below zero it is what symmetry leaves of the whole.
    pub(super) fn at_least(&self, k: i64) -> Part {
        let tail = |k: i64| self.upper.get(k as usize).copied().unwrap_or(Part::NONE);
        if k > 0 {
            return tail(k);
        }
        let rest = tail(1 - k);
        Part { mass: 1.0 - rest.mass, first: rest.first, second: self.variance() - rest.second }
    }

    pub(super) fn variance(&self) -> f64 {
        2.0 * self.upper[0].second
    }

    /// The least distance that the noise exceeds, on one side, with at most this probability.
    pub(super) fn distance(&self, probability: f64) -> i64 {
        self.upper.partition_point(|part| part.mass > probability) as i64
    }

    /// The factor by which masses fall away from zero, where it is a constant. Then outputs on the far side of every
    /// answer all say the same.
    pub(super) fn ratio(&self) -> Option<f64> {
        let ratio = |pair: &[f64]| pair[1] / pair[0];
        let mut ratios = self.masses.windows(2).map(ratio);
        let first = ratios.next().unwrap_or(0.0);
        ratios.all(|ratio| (ratio - first).abs() <= 1e-10 * first).then_some(first)
    }

    /// An empty sum for terms made of masses or of sums of masses.
    pub(super) fn sum(&self) -> Sum {
        Sum::of_terms_within(LAW_ULPS + self.masses.len() as f64)
    }

    /// Bound on the bias from noise beyond the table, for a rule that moves no raw value by more than `move_by` beyond
    /// the distance to the answer: `|phi(q + N) - q| <= |N| + move_by`.
    pub(super) fn omitted_bias(&self, move_by: f64) -> f64 {
        2.0 * (self.omitted.first + self.omitted.mass * move_by)
    }

    /// The bound on the addition of the omitted mass to a mean squared error, by `(x + y)^2 <= 2 x^2 + 2 y^2`.
    pub(super) fn omitted_mse(&self, move_by: f64) -> f64 {
        4.0 * (self.omitted.second + self.omitted.mass * move_by * move_by)
    }
}
