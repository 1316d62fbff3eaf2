//! The fit that is not negative.
//!
//! Noise that zero cuts off in many small cells adds up in their sums, and must not move them: a grouping that is
//! coarser than another counts
//! [`KEPT`] times as much, each by the variance of its linear fit. What is made small is
//!
//! ```text
//! sum over groupings of k / v |G (z - z0)|^2  +  d |z - z0|^2,   z >= 0,
//! ```
//!
//! with `z0` the linear fit and `d` so small that it only decides where the sums do not. Where no finest cell of the
//! linear fit is negative it is the solution. Otherwise the cells that are above zero are found by turns: the best of
//! those that are free, then those at zero that would gain. Each turn lowers the sum, so that there is an end.

use super::{Groupings, linear::conjugate};
use crate::{
    certificate::{Certificate, Status},
    numeric::{dot, largest},
};

/// Factor on the weight of a grouping that is coarser than another.
const KEPT: f64 = 1_000.0;
/// Weight of a finest cell by itself, as a part of the least weight of a grouping.
const OWN: f64 = 1e-6;
/// Turns at most.
const TURNS: usize = 300;
/// A gain so small, relative to the terms of the gradient, is rounding.
const ROUNDING: f64 = 1e-13;

/// Finest cells, and how the conditions of an optimum hold.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LinkedSolution {
    /// Outcome of the solver.
    pub status: Status,
    /// The finest cells.
    pub finest: Vec<f64>,
    /// The conditions.
    pub certificate: Certificate,
}

/// The quadratic function of a fit.
struct Squares<'g> {
    groupings: &'g Groupings,
    weights: Vec<f64>,
    own: f64,
    /// The finest cells that it is nearest to.
    target: &'g [f64],
}

impl Squares<'_> {
    fn times(&self, z: &[f64]) -> Vec<f64> {
        let mut product = self.groupings.times(z, &self.weights);
        product.iter_mut().zip(z).for_each(|(product, z)| *product += self.own * z);
        product
    }

    /// Half the sum of squares, and its gradient.
    fn at(&self, z: &[f64]) -> (f64, Vec<f64>) {
        let off: Vec<f64> = z.iter().zip(self.target).map(|(z, target)| z - target).collect();
        let gradient = self.times(&off);
        (dot(&off, &gradient) / 2.0, gradient)
    }

    /// The size of the terms of a gradient, of which rounding takes its part.
    fn size(&self, z: &[f64]) -> f64 {
        let all: Vec<f64> = z.iter().zip(self.target).map(|(z, target)| z.abs().max(target.abs())).collect();
        largest(&self.times(&all)).max(f64::MIN_POSITIVE)
    }

    /// The best cells among those that are zero where they are not free.
    fn best(&self, from: Vec<f64>, free: &[bool]) -> Vec<f64> {
        conjugate(|z| self.times(z), &self.times(self.target), from, Some(free))
    }
}

impl Groupings {
    /// The finest cells without a negative one whose sums are nearest to those of a linear fit, which has these
    /// variances of each grouping; coarser sums are kept before finer ones.
    pub fn nonnegative(&self, linear: &[f64], variances: &[f64]) -> LinkedSolution {
        if linear.iter().all(|cell| *cell >= 0.0) {
            let (status, certificate) = (Status::Optimal, Certificate::default());
            return LinkedSolution { status, finest: linear.to_vec(), certificate };
        }
        let weights = self.kept(variances);
        let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
        let squares = Squares { groupings: self, weights, own: OWN * least, target: linear };
        squares.solution()
    }

    /// Weight of each grouping.
    pub(super) fn kept(&self, variances: &[f64]) -> Vec<f64> {
        let most = variances.iter().copied().filter(|variance| variance.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
        let weight = |(variance, is_coarser): (&f64, bool)| {
            let kept = if is_coarser { KEPT } else { 1.0 };
            kept / (variance / most).clamp(1e-9, 1.0)
        };
        variances.iter().zip(self.is_coarser()).map(weight).collect()
    }
}

impl Squares<'_> {
    fn solution(&self) -> LinkedSolution {
        let mut z: Vec<f64> = self.target.iter().map(|target| target.max(0.0)).collect();
        let mut free: Vec<bool> = z.iter().map(|z| *z > 0.0).collect();
        let size = self.size(&z);
        let mut status = Status::IterationLimit;
        for _ in 0..TURNS {
            let best = self.best(z.clone(), &free);
            if best.iter().zip(&free).any(|(best, free)| *free && *best < 0.0) {
                z = self.lower(&z, &best);
                free = z.iter().map(|z| *z > 0.0).collect();
                continue;
            }
            z = best;
            let (_, gradient) = self.at(&z);
            let gains = |(free, slope): (&bool, &f64)| !*free && *slope < -ROUNDING * size;
            if !free.iter().zip(&gradient).any(gains) {
                status = Status::Optimal;
                break;
            }
            free = free.iter().zip(&gradient).map(|pair| *pair.0 || gains(pair)).collect();
        }
        let certificate = self.certificate(&z, size);
        let holds = certificate.worst() <= Certificate::TOLERANCE;
        LinkedSolution { status: if holds { status } else { Status::IterationLimit }, finest: z, certificate }
    }

    /// A point without negative cells on the way to the best one, where the sum of squares is lower: its projection if
    /// it is, or where the first cell reaches zero.
    fn lower(&self, z: &[f64], best: &[f64]) -> Vec<f64> {
        let before = self.at(z).0;
        let mut part = 1.0;
        for _ in 0..30 {
            let there = z.iter().zip(best).map(|(z, best)| (z + part * (best - z)).max(0.0));
            let there: Vec<f64> = there.collect();
            if self.at(&there).0 < before {
                return there;
            }
            part *= 0.5;
        }
        let reach = z.iter().zip(best).filter(|(_, best)| **best < 0.0).map(|(z, best)| z / (z - best));
        let first = reach.fold(1.0, f64::min);
        let there =
            |(z, best): (&f64, &f64)| if *best < 0.0 && z / (z - best) <= first { 0.0 } else { z + first * (best - z) };
        z.iter().zip(best).map(there).collect()
    }

    fn certificate(&self, z: &[f64], size: f64) -> Certificate {
        let (_, gradient) = self.at(z);
        let mut certificate = Certificate::default();
        for (z, slope) in z.iter().zip(gradient) {
            // At zero only a slope downwards is left over.
            let left = if *z > 0.0 { slope.abs() } else { (-slope).max(0.0) };
            certificate.stationarity = certificate.stationarity.max(left / size);
        }
        certificate
    }
}
