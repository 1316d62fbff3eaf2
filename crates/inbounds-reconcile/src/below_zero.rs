//! Numbers that are further below zero than noise explains, where nothing may be negative.
//!
//! That numbers are not negative is assumed unless the constraints say otherwise. Were it so, a measurement `y < 0`
//! would be a draw of noise at or below `y`, of which the stated law gives the probability. The same holds for the
//! least-squares fit under sums alone, whose error is a weighted sum of independent noises, with a bound on the tail of
//! such sums. Half of the false-alarm rate goes to the measurements and half to the fits, in each half evenly: by the
//! union bound noise alone causes the notice no more often than stated.

use inbounds_bundle::Notice;
use inbounds_project::table::TableQueries;

use super::sheet::Sheet;
use crate::projection::{Law, Measured, Model};

/// Largest probability of the notice where no true number is negative.
const FALSE_ALARM: f64 = 0.001;
/// Scale from which the tails of sums of discrete noise are bounded as those of continuous noise.
const FINE: f64 = 4.0;
/// Part of the standard deviations that counts there: with `cosh(t) - 1 <= t^2 / 2 (1 + t^2 / 11)` for `t < 1`, and
/// `t^2 < 2 / V <= 1 / 16`, the moments of discrete Laplace noise are those of continuous noise of at most 1.006 times
/// the variance.
const FINE_PART: f64 = 0.997;

/// A number below zero, and how little of it noise explains.
struct Low {
    node: usize,
    value: f64,
    variance: f64,
    /// Logarithm of a bound on the probability that noise alone puts it there.
    odds: f64,
}

/// The notice, if there is reason for it.
pub(super) fn notice(sheet: &Sheet, model: &Model, linear: &[f64], variance: &[f64]) -> Option<Notice> {
    let assumed = |node: usize| !model.exact(node) && model.limits(node).0 == 0.0;
    let are_nodes = sheet.cells.as_ref().is_none_or(|cells| cells.queries != TableQueries::Residuals);
    let measured =
        sheet.measured_nodes.iter().zip(&sheet.measured).filter(|(node, _)| are_nodes && assumed(**node as usize));
    let lows = measured.clone().filter(|(_, measured)| measured.value < 0.0).map(|(&node, measured)| Low {
        node: node as usize,
        value: measured.value,
        variance: measured.variance,
        odds: of_measurement(measured),
    });
    let mut low = unexplained(lows, measured.clone().count());
    let tail = tail_of_sums(&sheet.measured);
    let fitted =
        || (0..model.nodes()).filter(|&node| assumed(node) && variance[node] > 0.0 && variance[node] < f64::INFINITY);
    let lows = fitted().filter(|&node| linear[node] < 0.0).filter_map(|node| {
        let odds = tail.as_ref()?.odds(-linear[node] / libm::sqrt(variance[node]));
        Some(Low { node, value: linear[node], variance: variance[node], odds })
    });
    low.extend(unexplained(lows, fitted().count()));
    let furthest = low.iter().min_by(|one, other| one.odds.total_cmp(&other.odds))?;
    let mut nodes: Vec<usize> = low.iter().map(|low| low.node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    Some(Notice::BelowZero {
        numbers: nodes.len(),
        node: sheet.names().name(furthest.node as u32).to_owned(),
        value: furthest.value,
        deviation: libm::sqrt(furthest.variance),
        false_alarm: FALSE_ALARM,
    })
}

/// Those that noise explains too rarely, where `tested` numbers share half of the false-alarm rate.
fn unexplained(lows: impl Iterator<Item = Low>, tested: usize) -> Vec<Low> {
    let rarely = libm::log(FALSE_ALARM / 2.0 / tested.max(1) as f64);
    lows.filter(|low| low.odds < rarely).collect()
}

/// Logarithm of a bound on the probability of noise as low as a negative measurement.
fn of_measurement(measured: &Measured) -> f64 {
    let (law, scale) = measured.law();
    let off = -measured.value / measured.step;
    match law {
        Law::Laplace => -off / scale - std::f64::consts::LN_2,
        // P(N >= k) = a^k / (1 + a), a = exp(-1 / scale).
        Law::DiscreteLaplace => -off.ceil() / scale - libm::log1p(libm::exp(-1.0 / scale)),
        Law::Gaussian => -off * off / (2.0 * scale * scale) - std::f64::consts::LN_2,
        // Subgaussian with the square of its scale.
        Law::DiscreteGaussian => -off.ceil() * off.ceil() / (2.0 * scale * scale),
    }
}

/// Bound on the tail of a weighted sum of the noises.
enum Tail {
    Gaussian,
    /// Standard deviations count as a part of them.
    Laplace(f64),
}

impl Tail {
    /// Logarithm of a bound on the probability that a sum is `off` standard deviations below its mean, by Chernoff: no
    /// weighted sum has larger exponential moments than one noise of the same variance.
    fn odds(&self, off: f64) -> f64 {
        match *self {
            Self::Gaussian => -off * off / 2.0,
            Self::Laplace(part) => {
                let off = part * off;
                // The least of exp(-s off) / (1 - s^2 / 2).
                let s = 2.0 * off / (1.0 + libm::sqrt(1.0 + 2.0 * off * off));
                -s * off - libm::log1p(-s * s / 2.0)
            }
        }
    }
}

/// The bound for sums of some noises; none where discrete noise is coarse.
fn tail_of_sums(measured: &[Measured]) -> Option<Tail> {
    let laws = || measured.iter().filter_map(|measured| measured.noise);
    if laws().any(|(law, scale)| matches!(law, Law::DiscreteLaplace | Law::DiscreteGaussian) && scale < FINE) {
        return None;
    }
    if laws().any(|(law, _)| law == Law::DiscreteLaplace) {
        return Some(Tail::Laplace(FINE_PART));
    }
    Some(if laws().any(|(law, _)| law == Law::Laplace) { Tail::Laplace(1.0) } else { Tail::Gaussian })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projection::Draws;

    /// Every bound against draws: at the value that it allows once in 50, no law is passed more often.
    #[test]
    fn noise_passes_no_bound_more_often_than_it_says() {
        const DRAWS: u32 = 200_000;
        let mut draws = Draws::from_seed(3);
        let laws =
            [(Law::Laplace, 2.5), (Law::DiscreteLaplace, 5.0), (Law::Gaussian, 0.7), (Law::DiscreteGaussian, 4.5)];
        for (law, scale) in laws {
            let measured =
                |value| Measured { value, variance: law.variance(scale), noise: Some((law, scale)), step: 1.0 };
            let tail = tail_of_sums(&[measured(0.0)]).expect("fine noise");
            let (mut one, mut sum) = (0, 0);
            for _ in 0..DRAWS {
                let [first, second] = [0; 2].map(|_| draws.noise(law, scale));
                one += u32::from(first < 0.0 && of_measurement(&measured(first)) < (0.02_f64).ln());
                // Weights 0.8 and 0.6 keep the variance.
                let off = -(0.8 * first + 0.6 * second) / law.variance(scale).sqrt();
                sum += u32::from(off > 0.0 && tail.odds(off) < (0.02_f64).ln());
            }
            // Six standard errors of a rate of 0.02 are 0.0019.
            let most = (0.0219 * f64::from(DRAWS)) as u32;
            assert!((DRAWS / 2_000..=most).contains(&one), "{law:?}: {one}");
            assert!((1..=most).contains(&sum), "{law:?}: {sum}");
        }
    }
}
