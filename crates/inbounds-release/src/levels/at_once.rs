//! Intervals of all cells that add up, at once.
//!
//! # Idea
//! The errors of a linear fit do not depend on the truth, so that the largest of them over all cells, each relative to
//! a scale that was fixed before anything was measured, is one number of known law: the real one and those of `R`
//! replicates are exchangeable. With `q` the `rank`-th smallest of the latter all errors are at most `q` times their
//! scales, at once, with probability `level` at least. The scales are the deviations of the fit, so that every cell has
//! about the same part in a miss.
//!
//! # Invariant
//! Scales depend on the plan alone.

use crate::projection::Largest;

/// The largest relative error of all cells, replicate after replicate.
pub(super) struct AtOnce {
    scales: Vec<f64>,
    largest: Largest,
}

impl AtOnce {
    /// Of errors with these scales, where `kept` replicates may be passed. What has the scale zero has no error.
    pub(super) fn new(scales: Vec<f64>, kept: usize) -> Self {
        Self { scales, largest: Largest::new(1, kept) }
    }

    /// Notes the errors of a replicate, in the order of the scales.
    pub(super) fn note(&mut self, errors: impl Iterator<Item = f64>) {
        let relative =
            errors.zip(&self.scales).map(|(error, scale)| if *scale > 0.0 { error.abs() / scale } else { 0.0 });
        self.largest.note(0, relative.fold(0.0, f64::max));
    }

    /// Largest error of this place, at once with all others.
    pub(super) fn half_width(&self, place: usize) -> f64 {
        self.largest.least(0) * self.scales[place]
    }
}

#[cfg(test)]
mod tests {
    use super::AtOnce;

    /// Three replicates, of which one may be passed: the half widths are the scales times its largest relative error.
    #[test]
    fn all_places_have_one_factor() {
        let mut all = AtOnce::new(vec![1.0, 10.0, 0.0], 1);
        for errors in [[0.5, 20.0, 0.0], [-3.0, 1.0, 0.0], [1.0, -1.0, 0.0]] {
            all.note(errors.into_iter());
        }
        assert_eq!([0, 1, 2].map(|place| all.half_width(place)), [3.0, 30.0, 0.0]);
    }
}
