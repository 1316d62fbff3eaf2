//! Procedures that make four sanitised shares add up, and construct their intervals.

use inbounds_mechanisms::bounding::Range;
use inbounds_statistics::proportion::{Negative, all_but_one, combine, rescale, universal_histogram};

use super::super::mechanism::{Calibrated, Mechanism};
use crate::{StudyError, draws::Draws};

/// Releases of multiple synthesis.
const RELEASES: usize = 5;

/// The paper's procedures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::liu) enum Procedure {
    /// The shares of the sample, not sanitised.
    Original,
    /// Each share divided by their sum.
    Rescaling,
    /// The first share is what the others leave.
    AllButOne(Negative),
    /// Shares of two pairs at half of epsilon, shares of the four at the other half, made consistent.
    UniversalHistogram,
    /// The same with the pairs (p1, p4) and (p2, p3).
    OtherGrouping,
    /// The same as the first with Laplace noise that is bounded only where the tree is made consistent (footnote 3).
    BoundedLast,
    /// Five re-scaled releases at a fifth of epsilon, combined.
    MultipleSynthesis,
}

impl Procedure {
    /// Its name in tables and pictures.
    pub(in crate::liu) fn name(self) -> &'static str {
        match self {
            Self::Original => "original data",
            Self::Rescaling => "re-scaling",
            Self::AllButOne(Negative::Kept) => "all-but-one, negative kept",
            Self::AllButOne(Negative::Zeroed) => "all-but-one, negative zeroed",
            Self::UniversalHistogram => "universal histogram",
            Self::OtherGrouping => "universal histogram, (p1, p4) and (p2, p3)",
            Self::BoundedLast => "universal histogram, bounded last",
            Self::MultipleSynthesis => "multiple synthesis",
        }
    }

    /// Into how many parts epsilon is split.
    fn parts(self) -> f64 {
        match self {
            Self::Original | Self::Rescaling | Self::AllButOne(_) => 1.0,
            Self::UniversalHistogram | Self::OtherGrouping | Self::BoundedLast => 2.0,
            Self::MultipleSynthesis => RELEASES as f64,
        }
    }

    /// The mechanism for one share of `rows` rows, of which one more moves a share by `1 / rows` as the paper has it.
    pub(super) fn calibrate(self, mechanism: Mechanism, epsilon: f64, rows: f64) -> Result<Calibrated, StudyError> {
        mechanism.calibrate(epsilon / self.parts(), 1.0 / rows, Range::new(0.0, 1.0)?)
    }

    /// Sanitised shares of a sample's; several for multiple synthesis.
    pub(super) fn release(self, sample: &[f64], mechanism: &Calibrated, draws: &mut Draws) -> Vec<Vec<f64>> {
        let mut noisy = |shares: &[f64]| -> Vec<f64> { shares.iter().map(|&p| mechanism.draw(draws, p)).collect() };
        match self {
            Self::Original => vec![sample.to_vec()],
            Self::Rescaling => vec![rescale(&noisy(sample))],
            Self::AllButOne(negative) => vec![all_but_one(&noisy(&sample[1..]), 0, negative)],
            Self::UniversalHistogram => vec![histogram(sample, noisy)],
            Self::OtherGrouping => {
                let [p1, p4, p2, p3] = [0, 3, 1, 2].map(|share| sample[share]);
                let estimates = histogram(&[p1, p4, p2, p3], noisy);
                vec![[0, 2, 3, 1].map(|place| estimates[place]).to_vec()]
            }
            Self::BoundedLast => {
                let noise = mechanism.noise();
                vec![histogram(sample, |shares: &[f64]| shares.iter().map(|p| p + draws.laplace(&noise)).collect())]
            }
            Self::MultipleSynthesis => (0..RELEASES).map(|_| rescale(&noisy(sample))).collect(),
        }
    }
}

/// The universal histogram of four shares in two pairs.
fn histogram(shares: &[f64], mut noisy: impl FnMut(&[f64]) -> Vec<f64>) -> Vec<f64> {
    let pairs: Vec<f64> = shares.chunks(2).map(|pair| pair.iter().sum()).collect();
    let layers = [noisy(shares), noisy(&pairs)];
    universal_histogram(&layers, &[1.0, 1.0], 2, 1.0)
}

/// The estimate of a share from its releases, and whether its 95 % interval covers `truth`: Wald's for one release, the
/// combining rule's for several.
pub(super) fn estimate(releases: &[f64], rows: f64, truth: f64) -> (f64, bool) {
    const NORMAL: f64 = 1.959_963_984_540_054;
    // Two-sided quantile of Student's law with four degrees of freedom, the fewest there are with five releases.
    const WIDEST: f64 = 2.776_445_105_198;
    if let [p] = *releases {
        return (p, (p - truth).abs() <= NORMAL * libm::sqrt((p * (1.0 - p)).max(0.0) / rows));
    }
    let combined = combine(releases, rows);
    let off = (combined.estimate - truth).abs() / libm::sqrt(combined.variance);
    let covers = if (NORMAL..WIDEST).contains(&off) {
        let (lower, upper) = combined.interval(0.95);
        (lower..=upper).contains(&truth)
    } else {
        off < NORMAL
    };
    (combined.estimate, covers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quantile is only computed where it decides; everywhere else the decision is the same.
    #[test]
    fn coverage_is_that_of_the_interval() {
        let mut draws = Draws::from_seed(5);
        let mut outcomes = [0, 0];
        for _ in 0..2_000 {
            let releases: Vec<f64> = (0..5).map(|_| 0.2 + 0.05 * draws.normal()).collect();
            let truth = 0.2 + 0.07 * draws.normal();
            let (lower, upper) = combine(&releases, 400.0).interval(0.95);
            let covers = estimate(&releases, 400.0, truth.clamp(0.0, 1.0)).1;
            assert_eq!(covers, (lower..=upper).contains(&truth.clamp(0.0, 1.0)));
            outcomes[usize::from(covers)] += 1;
        }
        assert!(outcomes.iter().all(|count| *count > 200), "{outcomes:?}");
        assert!(estimate(&[0.2], 100.0, 0.278).1 && !estimate(&[0.2], 100.0, 0.279).1);
        assert!(!estimate(&[-0.1], 100.0, 0.0).1);
    }
}
