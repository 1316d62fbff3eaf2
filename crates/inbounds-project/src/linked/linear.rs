//! The linear fit: the finest cells whose sums are nearest to the measurements.
//!
//! With `G` the matrix of a grouping, `w` the weight of its measurements `y` and `N` the sum of all `w G'G`, the fit
//! solves `N z = sum of w G'y`. `N` has few different eigenvalues, so conjugate gradients end after a few dozen steps.
//! Where `z` is not determined the one of least norm is found; the sums that are determined do not depend on it.

use super::Groupings;
use crate::numeric::{dot, largest};

/// Remainder of the right-hand side at which the solver stops, relative to that side.
const ENOUGH: f64 = 1e-15;
/// Steps at most.
const STEPS: usize = 3_000;
/// Up to this number of cells the variance of every cell is computed.
const EXACT: usize = 1_500;
/// Beyond it, the variances of at most this many cells of each grouping, whose mean stands for the others.
const SAMPLE: usize = 64;

impl Groupings {
    /// Finest cells whose sums are the weighted least-squares fit of measured sums; a grouping of weight zero was not
    /// measured. Sums that measured groupings have among theirs are unbiased.
    pub fn linear(&self, measured: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
        self.solved(weights, &self.spread(measured, weights))
    }

    /// The variances of the sums of [`Groupings::linear`], where a measurement of weight `w` has variance `1 / w` and
    /// each grouping is among the sums of one that was measured. Of many cells some of each grouping are computed, and
    /// the others have their mean.
    pub fn variances(&self, weights: &[f64]) -> Vec<Vec<f64>> {
        let all: usize = self.cells().sum();
        let of_level = |level: &super::Level| {
            let step = if all <= EXACT { 1 } else { level.cells.div_ceil(SAMPLE) };
            let variance = |cell: usize| {
                let indicator: Vec<f64> =
                    level.cell_of.iter().map(|&own| if own as usize == cell { 1.0 } else { 0.0 }).collect();
                dot(&indicator, &self.solved(weights, &indicator)).max(0.0)
            };
            let computed: Vec<f64> = (0..level.cells).step_by(step).map(variance).collect();
            if step == 1 {
                return computed;
            }
            let mean = computed.iter().sum::<f64>() / computed.len() as f64;
            (0..level.cells).map(|cell| if cell % step == 0 { computed[cell / step] } else { mean }).collect()
        };
        self.levels.iter().map(of_level).collect()
    }

    /// The sum of all `w G'y`.
    pub(super) fn spread(&self, sums: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
        let mut spread = vec![0.0; self.finest];
        for ((level, sums), weight) in self.levels.iter().zip(sums).zip(weights).filter(|(_, weight)| **weight > 0.0) {
            spread.iter_mut().zip(&level.cell_of).for_each(|(spread, &cell)| *spread += weight * sums[cell as usize]);
        }
        spread
    }

    /// `N z`.
    pub(super) fn times(&self, z: &[f64], weights: &[f64]) -> Vec<f64> {
        let measured = self.levels.iter().zip(weights);
        let sums: Vec<Vec<f64>> =
            measured.map(|(level, weight)| if *weight > 0.0 { level.sums(z) } else { Vec::new() }).collect();
        self.spread(&sums, weights)
    }

    /// `z` with `N z = right`; the start is zero.
    fn solved(&self, weights: &[f64], right: &[f64]) -> Vec<f64> {
        conjugate(|z| self.times(z, weights), right, vec![0.0; self.finest], None)
    }
}

/// Conjugate gradients for a symmetric matrix without negative eigenvalues, on the free cells.
pub(super) fn conjugate(
    times: impl Fn(&[f64]) -> Vec<f64>,
    right: &[f64],
    mut z: Vec<f64>,
    free: Option<&[bool]>,
) -> Vec<f64> {
    let keep = |mut vector: Vec<f64>| {
        if let Some(free) = free {
            vector.iter_mut().zip(free).filter(|(_, free)| !**free).for_each(|(entry, _)| *entry = 0.0);
        }
        vector
    };
    let residual = |z: &[f64]| keep(right.iter().zip(times(z)).map(|(right, left)| right - left).collect());
    let size = largest(right).max(f64::MIN_POSITIVE);
    // A second start from the residual itself removes the rounding errors that the first has accumulated.
    for _ in 0..2 {
        let mut left = residual(&z);
        let mut way = left.clone();
        let mut squares = dot(&left, &left);
        for _ in 0..STEPS {
            if largest(&left) <= ENOUGH * size {
                break;
            }
            let along = keep(times(&way));
            let bent = dot(&way, &along);
            if bent <= 0.0 {
                break;
            }
            let length = squares / bent;
            z.iter_mut().zip(&way).for_each(|(z, way)| *z += length * way);
            left.iter_mut().zip(&along).for_each(|(left, along)| *left -= length * along);
            let next = dot(&left, &left);
            way.iter_mut().zip(&left).for_each(|(way, left)| *way = left + next / squares * *way);
            squares = next;
        }
    }
    z
}
