//! Largest errors of the estimates of a model, wherever in their intervals the truth is.
//!
//! # Idea
//! A variance that noise hides is drawn to what the classes have in common, and that to the bounds. Were the estimates
//! the truth, the estimates would be nearly unbiased, whatever the truth is: errors around the estimates alone say
//! nothing then. So noise is drawn around corners of the intervals too, and the largest bias and RMSE of all are
//! stated.
//!
//! # Corners
//! A class's variance is biased most where it is at one end of its interval and those of the other classes at the
//! other. Every class (from nine classes on, every eighth one together) is at either end alone, and all are there
//! together; means go with the variances. In all corners numbers of rows are at their lower ends, where noise is
//! largest.

use super::Bayes;
use crate::{Estimate, Simulation, errors_at};

/// Classes, or runs of them, that are moved alone.
const GROUPS: usize = 8;

/// Draws of the noise in a corner: an RMSE is known to some 7 %.
const REPLICATES: usize = 100;

/// Sets the largest bias and RMSE of each estimate over the corners of all intervals.
pub(super) fn over_intervals(bayes: &Bayes, estimates: &mut [Estimate], simulation: &Simulation) {
    let simulation = Simulation { replicates: REPLICATES, ..*simulation };
    let mut largest: Vec<(f64, f64)> =
        estimates.iter().map(|estimate| (estimate.bias_at_estimate, estimate.rmse_at_estimate)).collect();
    let truths = corners(bayes.sums.cells()).iter().map(|corner| truth(bayes, estimates, corner)).collect();
    for errors in errors_at(bayes, truths, &simulation) {
        for (largest, (bias, rmse)) in largest.iter_mut().zip(errors) {
            if bias.abs() > largest.0.abs() {
                largest.0 = bias;
            }
            largest.1 = largest.1.max(rmse);
        }
    }
    for (estimate, (bias, rmse)) in estimates.iter_mut().zip(largest) {
        estimate.bias_over_interval = Some(bias);
        estimate.rmse_over_interval = Some(rmse);
    }
}

/// Where the means and variances of a class are put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Estimate,
    Lower,
    Upper,
}

/// The places of all classes, a corner each.
fn corners(classes: usize) -> Vec<Vec<Place>> {
    let alone = |group: usize, here: Place, others: Place| {
        (0..classes).map(|class| if class % GROUPS == group { here } else { others }).collect::<Vec<_>>()
    };
    let single = (0..classes.min(GROUPS))
        .flat_map(|group| [alone(group, Place::Lower, Place::Upper), alone(group, Place::Upper, Place::Lower)]);
    let together = [Place::Estimate, Place::Lower, Place::Upper].map(|place| vec![place; classes]);
    let mut corners: Vec<_> = together.into_iter().chain(single).collect();
    // Where one of two classes is alone, so is the other.
    if classes == 2 {
        corners.truncate(5);
    }
    corners
}

fn truth(bayes: &Bayes, estimates: &[Estimate], corner: &[Place]) -> Vec<f64> {
    let stride = bayes.stride();
    let class = |(outputs, place): (&[Estimate], &Place)| {
        let moved = |estimate: &Estimate| match place {
            Place::Estimate => estimate.value,
            Place::Lower => estimate.lower,
            Place::Upper => estimate.upper,
        };
        let rows = outputs[stride - 1].lower.max(1.0);
        outputs[..stride - 1].iter().map(moved).chain([rows]).collect::<Vec<_>>()
    };
    estimates.chunks(stride).zip(corner).flat_map(class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_alone_at_either_end() {
        assert_eq!(corners(2).len(), 5);
        for classes in [2, 3, 8, 20] {
            let corners = corners(classes);
            for class in 0..classes {
                for (here, there) in [(Place::Lower, Place::Upper), (Place::Upper, Place::Lower)] {
                    let apart = |corner: &&Vec<Place>| {
                        corner[class] == here
                            && (0..classes).all(|c| c % GROUPS == class % GROUPS || corner[c] == there)
                    };
                    assert!(corners.iter().any(|corner| apart(&corner)), "{class} of {classes}");
                }
            }
            assert!(corners.len() <= 3 + 2 * GROUPS);
        }
    }
}
