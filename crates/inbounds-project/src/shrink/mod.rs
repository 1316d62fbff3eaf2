//! Numbers at zero or above, of which many are small, moved towards zero by what all of them together tell.
//!
//! **Prior.** A share of the numbers is zero, the others are a mixture of exponentials with fixed means: [`MEANS`] of
//! them, evenly on a logarithmic scale, from a tenth of the least standard deviation of the noise to the largest
//! number. The density falls everywhere and has no bumps, so no number is drawn to a particular value, and one that
//! stands far out moves by a fraction of its noise.
//!
//! **Noise** is taken to be normal: what is shrunk are estimates of a linear fit, each a combination of several
//! measurements.
//!
//! **Fit.** The shares maximise the likelihood, with a penalty of [`PENALTY`] numbers spread over all components, by
//! the EM algorithm over bins. The posterior is tabulated bin by bin; what is interpolated is how far a number is
//! moved.
//!
//! **Guard.** No number is raised: what is taken is the posterior mean, or the number itself (0, if it is negative)
//! where that is less. A prior that sees hardly any small number takes one near zero for a larger one that noise pushed
//! down. It would be right on average and wrong for each small number; such numbers keep what was measured of them.
//!
//! References: Robbins 1956, An empirical Bayes approach to statistics; Kiefer and Wolfowitz 1956, Consistency of the
//! maximum likelihood estimator (mixtures); Johnstone and Silverman 2004, Needles and straw in haystacks (an atom at
//! zero beside heavy tails).

mod bins;
mod law;

use self::{
    bins::{Class, classes},
    law::Evidence,
};

/// Target whose projections are the margins of a table, or the families of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aim {
    /// The linear fit.
    Fit,
    /// The linear fit, shrunk towards zero.
    Shrunk,
}

/// Exponentials of the prior.
const MEANS: usize = 12;
/// Components: these and zero, which is the first.
const COMPONENTS: usize = MEANS + 1;
/// EM ends when no share moves by more than this.
const SETTLED: f64 = 1e-5;
/// Steps after which EM ends at the latest.
const STEPS: usize = 300;
/// Numbers that the penalty stands for.
const PENALTY: f64 = 0.5;

/// From this many units of noise on, the shift of a number is a multiple of a [`PARTS`]th of its unit of noise.
/// Otherwise differences of shifts that mean nothing would break ties in rounding to whole numbers, always in favour of
/// the larger.
const FAR: f64 = 16.0;
/// Parts of a unit of noise.
const PARTS: f64 = 64.0;

/// Weight of the variance that a number of an upper level has anyway, beside its posterior variance. Sure zeros stay
/// where they are, but what they do not take is not left to a few large numbers alone.
pub(crate) const LEFT: f64 = 0.25;
/// Part of the way from the linear fit to the shrunk number, for a number of the lowest level. Many of these numbers
/// are small, and with a full move the few large ones would take all that is left over.
pub(crate) const HALFWAY: f64 = 0.5;

/// A number given all measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shrunk {
    /// The posterior mean, or less.
    pub(crate) value: f64,
    /// The posterior variance.
    pub(crate) variance: f64,
}

/// Shrunk numbers for measurements `values`, all with noise of positive and finite variances.
pub(crate) fn shrink(values: &[f64], variances: &[f64]) -> Vec<Shrunk> {
    let (classes, class_of) = classes(values, variances);
    let prior = Prior::fitted(&classes, values);
    // Of few numbers most bins are not interpolated from: an entry is made when a number asks for it.
    let mut tables: Vec<Vec<Option<Evidence>>> = classes.iter().map(|class| vec![None; class.bins.len()]).collect();
    let shrunk = |(value, class): (&f64, &u32)| {
        let (class, table) = (&classes[*class as usize], &mut tables[*class as usize]);
        let (below, way) = class.place(*value);
        let [low, high] = [below, below + 1]
            .map(|bin| *table[bin].get_or_insert_with(|| prior.posterior(class.middle(bin), class.unit)));
        let shift = low.mean + way * (high.mean - low.mean);
        let shift = class.unit * if *value > FAR * class.unit { (PARTS * shift).floor() / PARTS } else { shift };
        let variance = class.unit * class.unit * (low.variance + way * (high.variance - low.variance));
        Shrunk { value: (value - shift).min(value.max(0.0)), variance }
    };
    values.iter().zip(&class_of).map(shrunk).collect()
}

/// Shares of components, and means of the exponentials.
#[derive(Debug, Clone)]
struct Prior {
    shares: [f64; COMPONENTS],
    means: [f64; MEANS],
}

impl Prior {
    fn fitted(classes: &[Class], values: &[f64]) -> Self {
        let least = classes.iter().map(|class| class.unit).fold(f64::INFINITY, f64::min);
        let most = classes.iter().map(|class| class.unit).fold(0.0, f64::max);
        let largest = values.iter().copied().fold(2.0 * most, f64::max);
        let step = libm::log(largest / (0.1 * least)) / (MEANS - 1) as f64;
        let means = std::array::from_fn(|k| 0.1 * least * libm::exp(step * k as f64));
        let mut prior = Self { shares: [(COMPONENTS as f64).recip(); COMPONENTS], means };
        let mut rows: Vec<(f64, [f64; COMPONENTS])> = Vec::new();
        for class in classes {
            let filled = class.bins.iter().filter(|(count, _)| *count > 0.0);
            rows.extend(filled.map(|(count, sum)| (*count, likelihoods(&prior.evidence(sum / count, class.unit)))));
        }
        for _ in 0..STEPS {
            let next = prior.step(&rows);
            let moves = next.iter().zip(&prior.shares).map(|(next, share)| (next - share).abs());
            let moved = moves.fold(0.0, f64::max);
            prior.shares = next;
            if moved < SETTLED {
                break;
            }
        }
        prior
    }

    /// One step of EM.
    fn step(&self, rows: &[(f64, [f64; COMPONENTS])]) -> [f64; COMPONENTS] {
        let mut next = [PENALTY / COMPONENTS as f64; COMPONENTS];
        for (count, likelihoods) in rows {
            let parts: [f64; COMPONENTS] = std::array::from_fn(|k| likelihoods[k] * self.shares[k]);
            let each = count / parts.iter().sum::<f64>();
            next.iter_mut().zip(parts).for_each(|(next, part)| *next += each * part);
        }
        let all: f64 = next.iter().sum();
        next.map(|share| share / all)
    }

    /// Evidence of a measurement under each component, in this unit.
    fn evidence(&self, t: f64, unit: f64) -> [Evidence; COMPONENTS] {
        std::array::from_fn(|k| match k {
            0 => Evidence::of_zero(t),
            _ => Evidence::of_exponential(t, self.means[k - 1] / unit),
        })
    }

    /// Given a measurement, in this unit: how far the posterior mean is below it, and the posterior variance.
    fn posterior(&self, t: f64, unit: f64) -> Evidence {
        let evidence = self.evidence(t, unit);
        let likelihoods = likelihoods(&evidence);
        let parts: [f64; COMPONENTS] = std::array::from_fn(|k| likelihoods[k] * self.shares[k]);
        let all: f64 = parts.iter().sum();
        let over = |f: &dyn Fn(&Evidence) -> f64| {
            evidence.iter().zip(parts).map(|(evidence, part)| part * f(evidence)).sum::<f64>() / all
        };
        // Distances to the measurement are small where numbers are large.
        let shift = over(&|evidence| t - evidence.mean);
        let off = |evidence: &Evidence| evidence.variance + (t - evidence.mean - shift).powi(2);
        Evidence { log: libm::log(all), mean: shift, variance: over(&off) }
    }
}

/// Likelihoods, the largest of which is one.
fn likelihoods(evidence: &[Evidence; COMPONENTS]) -> [f64; COMPONENTS] {
    let most = evidence.iter().fold(f64::NEG_INFINITY, |most, evidence| most.max(evidence.log));
    std::array::from_fn(|k| libm::exp(evidence[k].log - most))
}

#[cfg(test)]
mod tests;
