//! The staircase law on the integers.

use inbounds_core::{CoreError, Rational, root::bisect_integer};

use crate::{
    law::{Accuracy, Noise, forward_noise, stairs::Stairs},
    noise::DiscreteLaplace,
};

/// Staircase noise on the integers.
///
/// # Law
/// `P(N = k)` proportional to `a^level(|k|)` with `level(n) = floor((n + D - r) / D)` and `a = exp(-epsilon)`: of each
/// `D` steps away from zero the first `r` are high. Sensitivity `D` and high steps `r` in grid steps, epsilon an exact
/// rational; the moments use its nearest double. `D = 1` is the discrete Laplace law.
///
/// # Guarantee
/// A shift of at most `D` moves `|k|` by at most `D` and the level by at most one: the loss is at most epsilon.
/// Claim: `discrete-staircase-loss`. This is for **one** answer: a change of a single step can cost all of epsilon, so
/// cells that share a sensitivity `D` between them cost epsilon each, unlike with Laplace noise.
///
/// # Example
/// ```
/// use inbounds_core::Rational;
/// use inbounds_mechanisms::{law::Noise, noise::DiscreteStaircase};
/// let epsilon: Rational = "4".parse()?;
/// let high = DiscreteStaircase::best_high(&epsilon, 100)?;
/// assert_eq!(high, 20);
/// let noise = DiscreteStaircase::new(epsilon, 100, high)?;
/// assert!((noise.variance() - 649.710228710582).abs() < 1e-11);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Geng and Viswanath, The optimal noise-adding mechanism in differential privacy, section VI, for integer answers.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscreteStaircase {
    levels: DiscreteLaplace,
    sensitivity: u64,
    high: u64,
    stairs: Stairs,
}

/// The largest sensitivity, `2^53`: beyond it doubles do not distinguish neighbouring steps.
const LARGEST_SENSITIVITY: u64 = 1 << 53;

impl DiscreteStaircase {
    /// The law of level `epsilon`, sensitivity `D` and `r` high steps.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless `1e-12 <= epsilon <= 700`, `1 <= D <= 2^53` and `1 <= r <= D`.
    pub fn new(epsilon: Rational, sensitivity: u64, high: u64) -> Result<Self, CoreError> {
        check(&epsilon, sensitivity)?;
        if !(1..=sensitivity).contains(&high) {
            return Err(CoreError::parameter("high steps", high, "between 1 and the sensitivity"));
        }
        let levels = DiscreteLaplace::with_inverse_scale(epsilon)?;
        let stairs = Stairs::on_integers(sensitivity as f64, levels.tau(), high as f64);
        Ok(Self { levels, sensitivity, high, stairs })
    }

    /// The number of high steps of least variance.
    ///
    /// One more high step moves mass `2 (1 - a) a^j` to `j D + r`, `j` = 0, 1, ...; it pays as long as the mean square
    /// of these places, `(r + m)^2 + D^2 a / (1 - a)^2` with `m = D a / (1 - a)`, is below the variance. The former
    /// grows with `r`, so there is one switch. Doubles decide it; the guarantee is the same for every `r`.
    ///
    /// # Errors
    /// As [`DiscreteStaircase::new`].
    pub fn best_high(epsilon: &Rational, sensitivity: u64) -> Result<u64, CoreError> {
        check(epsilon, sensitivity)?;
        let (tau, period) = (epsilon.to_f64(), sensitivity as f64);
        let (ratio, gap) = (libm::exp(-tau), -libm::expm1(-tau));
        let mean_square_of_next = |high: f64| {
            (high + period * ratio / gap) * (high + period * ratio / gap) + period * period * ratio / (gap * gap)
        };
        let pays =
            |high: i128| mean_square_of_next(high as f64) < Stairs::on_integers(period, tau, high as f64).variance();
        // The largest r whose predecessor was worth leaving.
        Ok(bisect_integer(1, i128::from(sensitivity) + 1, |high| high == 1 || pays(high - 1)) as u64)
    }

    /// The exact level epsilon.
    pub fn epsilon(&self) -> &Rational {
        self.levels.inverse_scale()
    }

    /// The sensitivity `D` in steps.
    pub fn sensitivity(&self) -> u64 {
        self.sensitivity
    }

    /// The number `r` of high steps.
    pub fn high(&self) -> u64 {
        self.high
    }

    /// The log moment `ln E exp(rate N)`, infinite from `rate D >= epsilon` on; `rate > 0`.
    ///
    /// # Law
    /// The steps of one side are `1..r` of weight 1 and then stairs of `D` steps, the `j`-th of weight `a^j`: geometric
    /// sums, so that a side adds `(e^(t r) - e^t + a e^(t r) (e^(t D) - 1) / (1 - a e^(t D))) / (e^t - 1)` at
    /// `t = rate` and at `t = -rate`, over the same at 0.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::Rational;
    /// use inbounds_mechanisms::{law::Noise, noise::DiscreteStaircase};
    /// let noise = DiscreteStaircase::new("3".parse()?, 50, 14)?;
    /// // Near 0 it is half the variance times the square of the rate.
    /// let ratio = noise.ln_exponential_moment(1e-4) / (0.5e-8 * noise.variance());
    /// assert!((ratio - 1.0).abs() < 1e-4);
    /// assert_eq!(noise.ln_exponential_moment(0.06), f64::INFINITY);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn ln_exponential_moment(&self, rate: f64) -> f64 {
        let (tau, period, high) = (self.levels.tau(), self.sensitivity as f64, self.high as f64);
        if rate * period >= tau {
            return f64::INFINITY;
        }
        // `(1 - a e^(t D))` and the like from `expm1`, so that nothing cancels at small rates.
        let side = |t: f64| {
            let first = libm::exp(t) * libm::expm1(t * (high - 1.0));
            let stairs = libm::exp(t * high - tau) * libm::expm1(t * period) / -libm::expm1(t * period - tau);
            (first + stairs) / libm::expm1(t)
        };
        let mass = 1.0 + 2.0 * (high - 1.0 + period / libm::expm1(tau));
        libm::log((1.0 + side(rate) + side(-rate)) / mass)
    }

    /// The law of the levels above the first: `a^j`.
    pub(crate) fn levels(&self) -> &DiscreteLaplace {
        &self.levels
    }
}

fn check(epsilon: &Rational, sensitivity: u64) -> Result<(), CoreError> {
    let value = epsilon.to_f64();
    if !(1e-12..=700.0).contains(&value) {
        return Err(CoreError::parameter("epsilon", value, "between 1e-12 and 700"));
    }
    if !(1..=LARGEST_SENSITIVITY).contains(&sensitivity) {
        return Err(CoreError::parameter("sensitivity", sensitivity, "between 1 and 2^53 steps"));
    }
    Ok(())
}

forward_noise!([] DiscreteStaircase => |law| law.stairs);

#[cfg(test)]
mod tests {
    use super::*;

    /// The moment against its sum over the steps.
    #[test]
    fn the_moment_is_the_sum_over_the_law() {
        for (epsilon, sensitivity, high) in [("0.3", 1, 1), ("3", 50, 14), ("1", 7, 7), ("10", 3, 1)] {
            let law = DiscreteStaircase::new(epsilon.parse().expect("number"), sensitivity, high).expect("admissible");
            let end = law.epsilon().to_f64() / sensitivity as f64;
            for rate in [0.01 * end, 0.3 * end, 0.9 * end] {
                let sum: f64 =
                    (-20_000..=20_000).map(|k| libm::exp(law.ln_density(f64::from(k)) + rate * f64::from(k))).sum();
                let moment = law.ln_exponential_moment(rate);
                assert!((libm::log(sum) - moment).abs() < 1e-12, "{law:?} {rate}: {} and {moment}", libm::log(sum));
            }
            assert_eq!(law.ln_exponential_moment(end), f64::INFINITY);
        }
    }

    /// The best number of high steps, by trying all of them.
    #[test]
    fn best_high_is_best() {
        for epsilon in ["0.01", "0.5", "1", "3", "10"] {
            let epsilon: Rational = epsilon.parse().expect("number");
            for sensitivity in [1, 2, 3, 10, 101] {
                let variance =
                    |high| DiscreteStaircase::new(epsilon.clone(), sensitivity, high).expect("admissible").variance();
                let best = DiscreteStaircase::best_high(&epsilon, sensitivity).expect("admissible");
                let least = (1..=sensitivity).map(variance).fold(f64::INFINITY, f64::min);
                assert!(variance(best) <= least * (1.0 + 1e-15), "{epsilon} {sensitivity}: {best}");
            }
        }
    }
}
