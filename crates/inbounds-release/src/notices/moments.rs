//! Estimates against what the plan says is public about a column.
//!
//! # Law
//! With the estimate `v` and its interval `[l, u]`, a stated moment `m` is contradicted where
//!
//! ```text
//! |m - v| > 3 max(v - l, u - v).
//! ```
//!
//! Of a true moment this happens with a probability of 1.2e-4 under Laplace noise, `exp(-3 ln 20)`, and less under
//! Gaussian noise. A test holds releases of a true plan to it.

use inbounds_bundle::{Moment, Notice};
use inbounds_core::{Quantity, Rational};
use inbounds_statistics::Estimate;

use crate::{
    plan::{Plan, PublicMoments, Spanned},
    released::Released,
};

/// Distance of an estimate from a moment that it contradicts, in reaches of its interval.
const REACHES: f64 = 3.0;

/// The moments that are wanted of a statistic and that its estimates contradict, each once.
pub(crate) fn of_moments(plan: &Plan, released: &Released) -> Vec<Notice> {
    let wants = plan.statistics[released.task.index].want.iter();
    let mut notices = Vec::new();
    for notice in
        wants.filter_map(|want| want.value.about.as_ref()).flat_map(|about| contradicted(&about.value, released))
    {
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }
    notices
}

fn contradicted(about: &PublicMoments, released: &Released) -> Vec<Notice> {
    let outputs = released.task.prepared.outputs();
    // In the unit of an output: a variance has that of the squared deviation.
    let stated = |quantity: &Quantity| -> Option<(Moment, &Spanned<Rational>, f64)> {
        match quantity {
            // The one number of a statistic that is a mean: others have no moments.
            Quantity::Statistic | Quantity::Mean { .. } => {
                about.mean.as_ref().map(|mean| (Moment::Mean, mean, mean.value.to_f64()))
            }
            Quantity::Variance { .. } => {
                about.sd.as_ref().map(|sd| (Moment::StandardDeviation, sd, sd.value.to_f64().powi(2)))
            }
            Quantity::StandardDeviation { .. } => {
                about.sd.as_ref().map(|sd| (Moment::StandardDeviation, sd, sd.value.to_f64()))
            }
            _ => None,
        }
    };
    let notice = |(place, quantity): (usize, &Quantity)| {
        let (moment, written, value) = stated(quantity)?;
        let estimates = released.estimates.iter().skip(place).step_by(outputs.len());
        let (total, estimates) = (estimates.len(), estimates.filter(|estimate| contradicts(estimate, value)).count());
        let stated = (&written.value).into();
        (estimates > 0).then_some(Notice::MomentContradicted { moment, stated, estimates, of: total })
    };
    outputs.iter().map(|output| &output.quantity).enumerate().filter_map(notice).collect()
}

fn contradicts(estimate: &Estimate, moment: f64) -> bool {
    let reach = (estimate.value - estimate.lower).max(estimate.upper - estimate.value);
    (moment - estimate.value).abs() > REACHES * reach
}
