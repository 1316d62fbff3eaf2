//! Definiteness of a matrix where it is clear, without its eigenvalues.
//!
//! # Idea
//! With the slack `s`, `A - floor I - s I` has only positive pivots if its eigenvalues are positive, and
//! `A - floor I + s I` a negative one if it has a negative eigenvalue. Elimination is exact for a matrix that differs
//! by some `n 2^-52` of its largest entries, far less than the slack, so the decision is that of the eigenvalues, which
//! have the same rounding.

use crate::constraint::Symmetric;

/// Slack, relative to the largest entry: far above the rounding of pivots and eigenvalues.
const SLACK: f64 = 1e-9;

/// Most rows for which that is so.
const MOST_ROWS: usize = 1000;

/// Where the eigenvalues of a matrix lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// All clearly above the floor.
    Above,
    /// One clearly below it.
    Below,
    /// Neither.
    Unclear,
}

impl Position {
    pub(super) fn classify(matrix: &Symmetric, floor: f64) -> Self {
        let largest = matrix.entries().iter().fold(floor.abs(), |largest, entry| largest.max(entry.abs()));
        let slack = SLACK * largest;
        if matrix.size() > MOST_ROWS || slack.is_nan() || slack < f64::MIN_POSITIVE {
            return Self::Unclear;
        }
        if least_pivot(matrix, floor + slack, slack).is_some_and(|pivot| pivot > slack) {
            Self::Above
        } else if least_pivot(matrix, floor - slack, slack).is_some_and(|pivot| pivot < -slack) {
            Self::Below
        } else {
            Self::Unclear
        }
    }
}

/// The first pivot of `A - shift I` that is below zero, or the least if all are above `slack`; none if one is nearer to
/// zero.
fn least_pivot(matrix: &Symmetric, shift: f64, slack: f64) -> Option<f64> {
    let size = matrix.size();
    let (mut factors, mut pivots): (Vec<f64>, Vec<f64>) = (vec![0.0; size * size], Vec::with_capacity(size));
    let mut least = f64::INFINITY;
    for row in 0..size {
        for column in 0..row {
            let known = (0..column).map(|k| factors[row * size + k] * factors[column * size + k] * pivots[k]);
            let left = matrix.at(row, column) - known.sum::<f64>();
            factors[row * size + column] = left / pivots[column];
        }
        let known = (0..row).map(|k| factors[row * size + k] * factors[row * size + k] * pivots[k]);
        let pivot = matrix.at(row, row) - shift - known.sum::<f64>();
        if pivot < -slack {
            return Some(pivot);
        }
        if pivot.is_nan() || pivot <= slack {
            return None;
        }
        pivots.push(pivot);
        least = least.min(pivot);
    }
    Some(least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::psd::spectrum::Spectrum;

    /// On matrices of which many are nearly singular, the decision is never other than that of the eigenvalues, and
    /// mostly there is one.
    #[test]
    fn positions_are_those_of_the_eigenvalues() {
        let mut state = 1u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let (mut decided, mut above) = (0, 0);
        for case in 0..4000 {
            let (size, terms) = (1 + case % 6, 1 + case % 7);
            let noise = [0.0, 1e-12, 1e-6, 0.3][case % 4];
            let vectors: Vec<f64> = (0..size * terms).map(|_| uniform()).collect();
            let noises: Vec<f64> = (0..size * size).map(|_| noise * uniform()).collect();
            let matrix = Symmetric::from_lower(size, |i, j| {
                (0..terms).map(|k| vectors[i * terms + k] * vectors[j * terms + k]).sum::<f64>() + noises[i * size + j]
            });
            let spectrum = Spectrum::decompose(&matrix).expect("converges");
            for floor in [0.0, 0.01] {
                let fits = spectrum.is_at_least(floor);
                match Position::classify(&matrix, floor) {
                    Position::Above => assert!(fits, "{matrix:?} {floor}"),
                    Position::Below => assert!(!fits, "{matrix:?} {floor}"),
                    Position::Unclear => continue,
                }
                decided += 1;
                above += usize::from(fits);
            }
        }
        assert!(decided > 5000 && above > 1000 && decided - above > 1000, "{decided} {above}");
    }
}
