//! Proof pair by pair that conditioned discrete Laplace noise meets `(epsilon, delta)`: exact, for coarse grids.
//!
//! With `u`, `v`, `p`, `T`, `T'` as in [`super::pair`] and `k = p e^epsilon`, the divergence of one pair of answers is
//!
//! ```text
//! delta(q) = 1 + p v / T + k u / T' - min_i f(i),    f(i) = a^i / T + k a^(1-i) / T',    i in {1, .., d}
//! ```
//!
//! where `f` is convex in `i`. Where `u` and `v` are at most `t`, every pair has
//! `delta(q) <= 1 + 2 (p + k) t / (1 + a - 2 t) - min_i (a^i + k a^(1-i)) / (1 + a)`.

use std::{cell::RefCell, collections::BTreeMap};

use inbounds_core::{Enclosure, Rational};

use super::Problem;

/// The numbers that all pairs share.
pub(super) struct Pairs<'a> {
    problem: &'a Problem<'a>,
    tau: &'a Rational,
    bits: usize,
    ratio: Enclosure,
    power_d: Enclosure,
    boosted: Enclosure,
    powers: Vec<Enclosure>,
    far_powers: RefCell<BTreeMap<u128, Enclosure>>,
}

impl<'a> Pairs<'a> {
    /// Readies a proof that takes `reach` pairs at each end one by one.
    pub(super) fn new(problem: &'a Problem<'a>, tau: &'a Rational, reach: u64) -> Self {
        // Neighbouring borders differ by about `tau^2`.
        let bits = problem.precision(tau) + (-2.0 * tau.to_f64().log2()).max(0.0) as usize;
        let ratio = Enclosure::exp_neg(tau, bits);
        let power_d = Enclosure::exp_neg(&(tau * &Rational::from(problem.d)), bits);
        let powers = std::iter::successors(Some(Enclosure::one(bits)), |power| Some(power.mul(&ratio)));
        let powers = powers.take(2 * reach as usize + 1).collect();
        let boosted = problem.boosted_power(tau, bits);
        Self { problem, tau, bits, ratio, power_d, boosted, powers, far_powers: RefCell::default() }
    }

    /// Proves that no pair of answers has a divergence above delta: `reach` pairs at each end one by one, and those
    /// between together.
    pub(super) fn are_within(&self, reach: u64) -> bool {
        let reach = u128::from(reach);
        let Some(width) = self.problem.width else {
            return (0..reach).all(|q| self.pair_is_within(q, None)) && self.middle_is_within(reach);
        };
        let last = width - self.problem.d;
        if last < 2 * reach {
            return (0..=last).all(|q| self.pair_is_within(q, Some(last - q)));
        }
        (0..reach).all(|q| self.pair_is_within(q, Some(last - q)) && self.pair_is_within(last - q, Some(q)))
            && self.middle_is_within(reach)
    }

    /// The pair `(q, q + d)` with `rest` steps from the upper answer to the upper end; in both orders on a half line.
    /// On a range the reversed order is the mirror image of another pair.
    fn pair_is_within(&self, q: u128, rest: Option<u128>) -> bool {
        let u = self.power(q + 1);
        let v = rest.map_or_else(|| Enclosure::zero(self.bits), |rest| self.power(rest + 1));
        let delta = Enclosure::from_rational(self.problem.delta, self.bits);
        self.is_within(&u, &v, &delta) && (rest.is_some() || self.is_within(&v, &u, &delta))
    }

    /// All pairs whose answers are at least `reach` steps from the ends.
    fn middle_is_within(&self, reach: u128) -> bool {
        let far = self.power(reach + 1);
        let one_plus_ratio = Enclosure::one(self.bits).add(&self.ratio);
        let least_mass = one_plus_ratio.sub(&far.times(2));
        let excess = self.power_d.add(&self.boosted).mul(&far).times(2).div(&least_mass);
        let zero = Enclosure::zero(self.bits);
        self.is_within(&zero, &zero, &Enclosure::from_rational(self.problem.delta, self.bits).sub(&excess))
    }

    /// Proves `(1 - delta) T T' + p v T' + k u T <= a^i T' + k a^(1-i) T` for every `i`.
    fn is_within(&self, u: &Enclosure, v: &Enclosure, delta: &Enclosure) -> bool {
        let one = Enclosure::one(self.bits);
        let one_plus_ratio = one.add(&self.ratio);
        let first = one_plus_ratio.sub(u).sub(&self.power_d.mul(v));
        let second = one_plus_ratio.sub(&self.power_d.mul(u)).sub(v);
        let needed = one.sub(delta).mul(&first).mul(&second);
        let needed = needed.add(&self.power_d.mul(v).mul(&second)).add(&self.boosted.mul(u).mul(&first));
        let top = self.boosted.mul(&self.ratio);
        let missed = |i: u128| {
            let power = self.power(i);
            power.mul(&second).add(&top.div(&power).mul(&first))
        };
        let (mut low, mut high) = self.likely_borders(first.to_f64() / second.to_f64());
        // Convexity: where the values rise away from the likely borders, they go on rising.
        while low > 1 && !missed(low).certainly_at_most(&missed(low - 1)) {
            low -= 1;
        }
        while high < self.problem.d && !missed(high).certainly_at_most(&missed(high + 1)) {
            high += 1;
        }
        (low..=high).all(|i| needed.certainly_at_most(&missed(i)))
    }

    /// Neighbouring borders between which the least value lies, by doubles.
    fn likely_borders(&self, mass_ratio: f64) -> (u128, u128) {
        let d = self.problem.d as f64;
        let shift = self.problem.epsilon.to_f64() + libm::log(mass_ratio);
        let border = ((d + 1.0 - shift / self.tau.to_f64()) / 2.0).clamp(1.0, d);
        let low = (border.floor() as u128).clamp(1, self.problem.d);
        (low, (border.ceil() as u128).clamp(low, self.problem.d))
    }

    /// `a^steps`: from a table of products near the ends, else computed once.
    fn power(&self, steps: u128) -> Enclosure {
        let near = usize::try_from(steps).ok().and_then(|steps| self.powers.get(steps));
        near.cloned().unwrap_or_else(|| {
            let mut far = self.far_powers.borrow_mut();
            let compute = || Enclosure::exp_neg(&(self.tau * &Rational::from(steps)), self.bits);
            far.entry(steps).or_insert_with(compute).clone()
        })
    }
}
