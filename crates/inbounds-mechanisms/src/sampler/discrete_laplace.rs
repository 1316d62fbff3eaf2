//! The discrete Laplace law on any integer range, by certified inversion.
//!
//! Two random words are read for every draw, whatever the answer: one for the side of zero, one for the distance. Each
//! decision is first taken in doubles with an outward error bound; only where the bound straddles a border does
//! [`super::exact`] decide, extending the same random word by further words. There is no rejection loop, so neither
//! the number of words nor the course of the computation tells where in the range the answer lies, but for the exact
//! decisions. Those are about as frequent for every answer: near one draw in `2^44 / b` for a scale of `b` steps, that
//! is one in millions for counts, one in thousands on the fine grids of `number` columns (`b` from `2^32`), and most
//! draws when epsilon is so small that `b` passes `2^44`.

use inbounds_core::special::times_exp_neg;

use super::{Entropy, exact};
use crate::law::DiscreteLaplace;

/// How far noise may go to each side of the answer, in steps; `None` for no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// Largest step down.
    pub below: Option<u128>,
    /// Largest step up.
    pub above: Option<u128>,
}

impl Reach {
    /// Noise without limits.
    pub const UNLIMITED: Self = Self { below: None, above: None };
}

/// Relative error allowed to a chain of a few `libm` calls, each within one unit in the last place (2^-52), with a
/// factor of more than ten to spare.
pub(super) const SLACK: f64 = 1.0 / (1u64 << 45) as f64;

/// The size of one unit of a 64-bit random word.
pub(super) const WORD: f64 = 1.0 / 18_446_744_073_709_551_616.0;

/// Draws noise.
///
/// # Postcondition
/// The result is `k` with probability `a^|k| / sum_j a^|j|`, `a = exp(-tau)`, over the integers `k` with
/// `-below <= k <= above`, exactly.
///
/// # Example
/// ```
/// use inbounds_mechanisms::{law::DiscreteLaplace, sampler::{Reach, SeededEntropy, sample_discrete_laplace}};
/// let law = DiscreteLaplace::with_inverse_scale("0.5".parse()?)?;
/// let reach = Reach { below: Some(3), above: None };
/// let mut entropy = SeededEntropy::from_seed(1);
/// let draws: Vec<i128> = (0..1000).map(|_| sample_discrete_laplace(&law, reach, &mut entropy)).collect();
/// assert_eq!(draws.iter().min(), Some(&-3));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn sample_discrete_laplace(law: &DiscreteLaplace, reach: Reach, entropy: &mut dyn Entropy) -> i128 {
    let (side, distance) = (entropy.word(), entropy.word());
    if is_below(law, reach, side, entropy) {
        let limit = reach.below.map(|below| below - 1);
        -1 - geometric(law, limit, distance, entropy)
    } else {
        geometric(law, reach.above, distance, entropy)
    }
}

/// Whether the noise is negative: probability `a (1 - a^below) / ((1 - a^(above+1)) + a (1 - a^below))`.
fn is_below(law: &DiscreteLaplace, reach: Reach, word: u64, entropy: &mut dyn Entropy) -> bool {
    if reach.below == Some(0) {
        return false;
    }
    let ratio = libm::exp(-law.tau());
    let below = ratio * missing_power(law, reach.below);
    let above = missing_power(law, reach.above.map(|steps| steps + 1));
    let border = below / (below + above);
    let uniform = (word as f64 + 0.5) * WORD;
    if (uniform - border).abs() > border * SLACK + WORD {
        uniform < border
    } else {
        exact::is_below(law, reach, word, entropy)
    }
}

/// A geometric distance: `k` with probability proportional to `a^k` on `0 <= k <= limit`.
///
/// With `W` uniform on (0, 1) and `A = a^(limit + 1)`, this is the floor of `-ln(W + (1 - W) A) / tau`.
pub(super) fn geometric(law: &DiscreteLaplace, limit: Option<u128>, word: u64, entropy: &mut dyn Entropy) -> i128 {
    let beyond = limit.map_or(0.0, |limit| times_exp_neg(1.0, law.tau() * (limit as f64 + 1.0)));
    let within = missing_power(law, limit.map(|limit| limit + 1));
    let uniform = (word as f64 + 0.5) * WORD;
    let complement = (!word as f64 + 0.5) * WORD;
    let argument = uniform + complement * beyond;
    // Near one the logarithm is taken of the complement, which is known to full relative accuracy.
    let depth = if argument < 0.5 { -libm::log(argument) } else { -libm::log1p(-complement * within) };
    let steps = depth / law.tau();
    let error = steps * SLACK + within / (argument * law.tau()) * WORD;
    let (low, high) = ((steps - error).floor(), (steps + error).floor());
    let top = limit.map_or(i128::MAX, |limit| limit as i128);
    // The word zero stands for depths without end, which no error bound covers: more words must say how deep.
    if word != 0 && low == high && high < 2f64.powi(53) {
        (low as i128).clamp(0, top)
    } else {
        exact::geometric(law, limit, word, (low, high), entropy)
    }
}

/// `1 - a^steps`, which is one when there is no limit.
fn missing_power(law: &DiscreteLaplace, steps: Option<u128>) -> f64 {
    steps.map_or(1.0, |steps| -libm::expm1(-law.tau() * steps as f64))
}
