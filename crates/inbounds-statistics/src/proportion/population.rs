//! Intervals for shares of a population of which the rows are a sample.
//!
//! # Law
//! With `n` rows drawn independently, the count `C` of a category of population share `p` is binomial, and its
//! measurement is `Y = C + N` (or, over `m` releases, `m C + N_1 + ... + N_m`), with noise of known law. So
//!
//! ```text
//! P_p(Y >= y) = sum_c Bin(c; n, p) P(N >= y - c)
//! ```
//!
//! is known, and grows with `p`, because binomial laws of larger `p` are larger and so is `P(N >= y - c)` in `c`. The
//! interval is all `p` for which neither `P_p(Y >= y)` nor `P_p(Y <= y)` is at most `(1 - level)/2`. It covers every
//! `p` at every `n` and epsilon with probability at least `level`: sampling and noise are accounted for together and
//! exactly, and no constraint enters. Without noise it is Clopper and Pearson's interval. Measurements conditioned on a
//! range have their own law, of which the same is true: it grows with its location.
//!
//! *Sums of noise.* The law of several discrete Laplace variables is replaced by the continuous one, which costs a step
//! for each: `P(X >= j) <= P(X~ >= j - 1)` for every whole `j`, since `1 + e^-tau` is between `1` and `2` (both sides
//! of zero).
//!
//! *Unknown number of rows.* Where `n` is only measured, a first interval `[n-, n+]` takes a fifth of what may be
//! missed; the lower end of the share is then that at `n+` and the upper that at `n-`, as `P(Y >= y)` grows with `n`
//! too.

use inbounds_core::root;
use inbounds_mechanisms::{law::Noise, mechanism::Mechanism};

/// Outward allowance for the rounding of sums of masses.
const ROUNDING: f64 = 1e-11;

/// Ends of intervals are multiples of one over this, moved outward.
const CELLS: i128 = 1 << 40;

/// The part of what may be missed that an unknown number of rows takes.
const FOR_ROWS: f64 = 0.2;

/// The interval for a share of the population from one measured count among a public number of rows.
///
/// # Guarantee
/// That of the module: it covers with probability at least `level`, for every share, number of rows and noise. Claim:
/// `population-share-interval`.
///
/// # Parameters
/// - `mechanism`: that measured the count.
/// - `measured`: the raw measurement, in rows.
/// - `rows`: the public number of rows, a sample of the population.
/// - `level`: between 0 and 1.
///
/// # Example
/// 30 of 100 measured at epsilon 1: sampling alone leaves some 0.09 to each side, the noise adds little.
/// ```
/// use inbounds_core::{Epsilon, Guarantee, Sensitivity, StepRange};
/// use inbounds_mechanisms::registry;
/// use inbounds_statistics::proportion::population_share;
/// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "sum-substitute", squares: None };
/// let guarantee = Guarantee::Pure { epsilon: Epsilon::new("1".parse()?)? };
/// let range = StepRange::new(Some(0), Some(100))?;
/// let mechanism = registry::default().calibrate(&guarantee, &one, range).expect("calibrates");
/// let (lower, upper) = population_share(&*mechanism, 30, 100, 0.95);
/// assert!((lower - 0.2087).abs() < 1e-4 && (upper - 0.4037).abs() < 1e-4);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn population_share(mechanism: &dyn Mechanism, measured: i128, rows: u64, level: f64) -> (f64, f64) {
    Law { mechanism, terms: 1 }.shares(measured, 1, (rows, rows), 1.0 - level)
}

/// The law of a measurement as a function of the exact count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Law<'a> {
    mechanism: &'a dyn Mechanism,
    terms: usize,
}

impl<'a> Law<'a> {
    /// The sum of `terms` measurements; `None` where that law is not known.
    pub(super) fn for_sum(mechanism: &'a dyn Mechanism, terms: usize) -> Option<Self> {
        let plain = mechanism.processing().is_some() || mechanism.range().is_unbounded();
        (terms == 1 || plain && mechanism.noise().as_laplace().is_some()).then_some(Self { mechanism, terms })
    }

    /// An upper bound on `P(Y >= y)` for one count, or for the sum of one count over all releases.
    fn at_least(&self, y: i128, count: i128) -> f64 {
        if let Some((_, above)) = self.mechanism.tails(y, count).filter(|_| self.terms == 1) {
            return above;
        }
        let noise = self.mechanism.noise();
        if self.terms > 1 {
            let tau = noise.as_laplace().map_or(f64::NAN, |law| law.tau());
            return laplaces_above(self.terms, tau * (y - count - self.terms as i128) as f64);
        }
        let above = |x: i128| noise.sf((x - count - 1) as f64);
        if self.mechanism.processing().is_some() {
            return above(y);
        }
        // Conditioned on the range.
        let range = self.mechanism.range();
        let beyond = range.upper().map_or(0.0, |upper| above(upper + 1));
        let inside = range.lower().map_or(1.0, above) - beyond;
        ((above(y) - beyond) / inside).clamp(0.0, 1.0)
    }

    /// An upper bound on `P(Y <= y)`, by reflection: all laws of noise that is added are symmetric.
    fn at_most(&self, y: i128, count: i128) -> f64 {
        if let Some((below, _)) = self.mechanism.tails(y, count).filter(|_| self.terms == 1) {
            return below;
        }
        if self.terms == 1 && self.mechanism.processing().is_none() {
            return 1.0 - self.at_least(y + 1, count);
        }
        self.at_least(2 * count - y, count)
    }

    /// Numbers of rows that a measured number does not exclude.
    ///
    /// `measured` is the sum of `factor` measured numbers; here and below.
    pub(super) fn rows(&self, measured: i128, factor: i128, miss: f64) -> (u64, u64) {
        let tail = 0.5 * FOR_ROWS * miss - ROUNDING;
        let reach = 1i128 << 62;
        let excluded_below = root::bisect_integer(-reach, reach, |rows| self.at_least(measured, factor * rows) <= tail);
        let highest = root::bisect_integer(-reach, reach, |rows| self.at_most(measured, factor * rows) > tail);
        let rows = |rows: i128| u64::try_from(rows.max(1)).unwrap_or(u64::MAX);
        (rows(excluded_below + 1), rows(highest))
    }

    /// The shares that a measured count does not exclude, given the numbers of rows that are not.
    pub(super) fn shares(&self, measured: i128, factor: i128, (fewest, most): (u64, u64), miss: f64) -> (f64, f64) {
        let part = if fewest == most { 1.0 } else { 1.0 - FOR_ROWS };
        let tail = 0.5 * part * miss - ROUNDING;
        let above = |p: f64| binomial(most, p, |count| self.at_least(measured, factor * count));
        let below = |p: f64| binomial(fewest, p, |count| self.at_most(measured, factor * count));
        let lattice = |cell: i128| cell as f64 / CELLS as f64;
        let lower =
            if above(0.0) > tail { 0 } else { root::bisect_integer(0, CELLS, |cell| above(lattice(cell)) <= tail) };
        let upper = if below(1.0) > tail {
            CELLS
        } else {
            root::bisect_integer(0, CELLS, |cell| below(lattice(cell)) > tail) + 1
        };
        (lattice(lower), lattice(upper.max(lower)))
    }
}

/// `sum_c Bin(c; n, p) f(c)`, over all `c` whose mass is not negligible against the largest.
fn binomial(n: u64, p: f64, f: impl Fn(i128) -> f64) -> f64 {
    let (last, odds) = (i128::from(n), p / (1.0 - p));
    if p <= 0.0 || !odds.is_finite() {
        return f(if p <= 0.0 { 0 } else { last });
    }
    let mode = (((n as f64 + 1.0) * p) as i128).min(last);
    let up = |c: i128| (last - c) as f64 / (c + 1) as f64 * odds;
    let (mut mass, mut sum) = (1.0, f(mode));
    let mut weight = 1.0;
    for c in mode..last {
        weight *= up(c);
        if weight < 1e-18 {
            break;
        }
        mass += weight;
        sum += weight * f(c + 1);
    }
    weight = 1.0;
    for c in (0..mode).rev() {
        weight /= up(c);
        if weight < 1e-18 {
            break;
        }
        mass += weight;
        sum += weight * f(c);
    }
    sum / mass
}

/// `P(L_1 + ... + L_m > x)` for unit Laplace variables.
///
/// With `g_j` the density of `j` of them and `G_j` its tail at `x >= 0`: `g_1 = e^-x / 2`, `g_2 = (1 + x) e^-x / 4`,
/// `g_(j+1) = x^2 g_(j-1) / (4 j (j - 1)) + (2 j - 1)/(2 j) g_j` and `G_1 = g_1`,
/// `G_j = G_(j-1) + x g_(j-1) / (2 (j - 1))`, all positive.
fn laplaces_above(m: usize, x: f64) -> f64 {
    if x < 0.0 {
        return 1.0 - laplaces_above(m, -x);
    }
    // In units of e^(ln_unit - x), so that neither end of the doubles is reached.
    let (mut ln_unit, mut before, mut density, mut tail) = (0.0, 0.5, (1.0 + x) / 4.0, 0.5);
    for j in 2..=m {
        let j = j as f64;
        tail += x * before / (2.0 * (j - 1.0));
        let next = x * x * before / (4.0 * j * (j - 1.0)) + (2.0 * j - 1.0) / (2.0 * j) * density;
        (before, density) = (density, next);
        if tail > 1e200 {
            ln_unit += libm::log(tail);
            (before, density, tail) = (before / tail, density / tail, 1.0);
        }
    }
    libm::exp(ln_unit - x + libm::log(tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_laplaces_have_the_known_tails() {
        for x in [0.0, 0.3, 4.0, 50.0] {
            assert!((laplaces_above(1, x) - 0.5 * (-x).exp()).abs() < 1e-16);
            assert!((laplaces_above(2, x) - (0.5 + 0.25 * x) * (-x).exp()).abs() < 1e-16);
            let three = (0.5 + 5.0 * x / 16.0 + x * x / 16.0) * (-x).exp();
            assert!((laplaces_above(3, x) - three).abs() < 1e-15, "{x}");
            assert_eq!(laplaces_above(3, -x), if x == 0.0 { 0.5 } else { 1.0 - laplaces_above(3, x) });
        }
        // Ten thousand are nearly normal with variance 20,000, and not an underflow.
        let far = laplaces_above(10_000, 3.0 * 20_000f64.sqrt());
        assert!((far / 1.349_898e-3 - 1.0).abs() < 0.01, "{far}");
    }

    #[test]
    fn sums_over_binomials_are_means() {
        for (n, p) in [(1u64, 0.3), (50, 0.1), (400, 0.999), (1_000_000, 0.25)] {
            let mean = binomial(n, p, |c| c as f64);
            assert!((mean / (n as f64 * p) - 1.0).abs() < 1e-10, "{n} {p}: {mean}");
        }
        assert_eq!(binomial(7, 1.0, |c| c as f64), 7.0);
    }
}
