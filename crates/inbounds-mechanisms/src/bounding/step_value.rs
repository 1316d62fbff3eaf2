//! Estimates between grid points.

use crate::sampler::Entropy;

/// The real number `whole + fraction`, in grid steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepValue {
    /// The largest grid point not above.
    pub whole: i128,
    /// Remainder, in `[0, 1)`.
    pub fraction: f64,
}

impl StepValue {
    /// A grid point.
    pub fn whole(whole: i128) -> Self {
        Self { whole, fraction: 0.0 }
    }

    /// `whole + offset` for any finite offset.
    pub fn offset(whole: i128, offset: f64) -> Self {
        let floor = offset.floor();
        let (whole, fraction) = (whole + floor as i128, offset - floor);
        // A hair below a grid point is that point in doubles.
        if fraction < 1.0 { Self { whole, fraction } } else { Self::whole(whole + 1) }
    }

    /// `point - self`.
    pub fn distance_to(self, point: i128) -> f64 {
        (point - self.whole) as f64 - self.fraction
    }

    /// Rounded to the grid at random, up with probability `fraction`, so that the mean stays.
    ///
    /// One word is read where there is something to round. The rounding is independent of every answer, so it may come
    /// from a published seed, and then anyone can redo it.
    ///
    /// # Example
    /// ```
    /// use inbounds_mechanisms::{mechanism::StepValue, sampler::SeededEntropy};
    /// let (value, mut entropy) = (StepValue::offset(3, -0.25), SeededEntropy::from_seed(1));
    /// let ups = (0..10_000).filter(|_| value.round(&mut entropy) == 3).count();
    /// assert!(ups.abs_diff(7_500) < 260); // six standard deviations
    /// ```
    pub fn round(self, entropy: &mut dyn Entropy) -> i128 {
        if self.fraction == 0.0 {
            return self.whole;
        }
        let threshold = (self.fraction * 2f64.powi(64)) as u64;
        self.whole + i128::from(entropy.word() < threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_stay_below_one() {
        assert_eq!(StepValue::offset(1, -1e-22), StepValue::whole(1));
        assert_eq!(StepValue::offset(3, -0.25), StepValue { whole: 2, fraction: 0.75 });
    }
}
