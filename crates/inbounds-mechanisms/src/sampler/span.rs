//! A range that many numbers share.
//!
//! **Idea.** The numbers of a vector nearly always have one range, so that `A + B = W` for all of them. Then
//! `p r = exp(-tau (W + 2)) = K` is one constant, and one exponential serves both sides (`p`, `r` and the rest as in
//! `inversion`): with `x = tau (min(A, B) + 1)`, the nearer side has `e^-x` and the other one `K e^x`. Where a limit is
//! missing, `K = 0`, and `x` belongs to the other limit.
//!
//! **Invariant.** Whether numbers share a range, and so which way they take, depends on the limits alone, which are
//! public. Where in the range an answer lies only selects sides, by masks.
//!
//! **Error.** Write `u = 2^-53` and `z = tau (max(A, B) + 1) >= x`. The error of `tau`, below `u`, is the same in `x`
//! and in the argument of `K`, so it moves that of `K e^x = e^-z` by at most `z u`. Other errors move it by
//! `2.01u (x + z)`, for the conversion and the product of `tau (W + 2)`, and by `3.02u x`, for a conversion, a product
//! and a sum in `x`: together less than `8.1u z`. With `2u` for `libm::exp`, `4.7u` for `e^x` (`elementary`) and `u`
//! for the product, `K e^x` errs by less than `e^-z (8.1 z + 7.75) u < 8u`. So does `e^-x`, whose argument errs by
//! `4.02u` of itself like those of `inversion`. From `x = 50` on the values at 50 stand for all. Then `K < e^-99`, so
//! either side, and what stands for it, is below `2^-70`.
//!
//! Claim: `sampler-error-bound`.

use super::{
    Reach,
    elementary::{exp_both, multiply_add, power_of_two, select},
};

/// Stands for no limit, where it is as far as no limit: twice this fits 63 bits.
const FAR: u64 = (1 << 62) - 1;

/// From this `tau` on, `e^(-tau FAR)` is past the end of the exponential, at 50.
const FAR_IS_UNLIMITED: f64 = power_of_two(-56);

/// A smaller `K` counts as zero: `K e^x` is below `2^-127` then. Numbers below the normal ones would take longer on
/// some processors, and which draws meet them would depend on the answer.
const NEGLIGIBLE: f64 = power_of_two(-200);

/// Common parameters of the reaches of many numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    tau: f64,
    /// True where there is a limit, first below, then above.
    limited: [bool; 2],
    /// `W`, or more than twice [`FAR`] where a limit is missing.
    width: u64,
    /// `K`.
    product: f64,
}

impl Span {
    /// That of one reach, unless it is too wide.
    pub(super) fn from_reach(tau: f64, first: Reach) -> Option<Self> {
        let limited = [first.below, first.above].map(|side| side.is_some());
        if let (Some(below), Some(above)) = (first.below, first.above) {
            let width = i64::try_from(below.checked_add(above)?).ok()? as u64;
            let product = libm::exp(-tau * (width + 2) as f64);
            Some(Self { tau, limited, width, product: if product < NEGLIGIBLE { 0.0 } else { product } })
        } else if tau >= FAR_IS_UNLIMITED {
            Some(Self { tau, limited, width: i64::MAX as u64, product: 0.0 })
        } else {
            None
        }
    }

    /// The distances to the lower limit, or to the upper one if there is no lower. False if a number has another range.
    #[inline(always)]
    pub(super) fn distances(&self, reach: impl Fn(usize) -> Reach, distances: &mut [u64]) -> bool {
        let (mut strays, width) = (0, u128::from(self.width));
        if self.limited == [true; 2] {
            for (index, distance) in distances.iter_mut().enumerate() {
                let Reach { below: Some(below), above: Some(above) } = reach(index) else { return false };
                *distance = below as u64;
                strays |= (below | above) >> 64 | (below.wrapping_add(above) ^ width);
            }
        } else {
            for (index, distance) in distances.iter_mut().enumerate() {
                let Reach { below, above } = reach(index);
                strays |= u128::from([below, above].map(|side| side.is_some()) != self.limited);
                *distance = below.or(above).map_or(FAR, |steps| steps.min(FAR.into()) as u64);
            }
        }
        strays == 0
    }

    /// `p` and `r` at a distance.
    #[inline(always)]
    pub(super) fn powers<const FUSED: bool>(&self, distance: u64) -> [f64; 2] {
        // Below zero where the other limit is nearer, by so much.
        let ahead = self.width.wrapping_sub(distance).wrapping_sub(distance);
        let other = (ahead as i64 >> 63) as u64;
        let nearest = distance.wrapping_add(ahead & other);
        let (near, grown) = exp_both::<FUSED>(multiply_add::<FUSED>(nearest as f64, self.tau, self.tau));
        let far = self.product * grown;
        let upper = if self.limited[0] { other } else { !other };
        [select(upper, far, near), select(upper, near, far)]
    }
}

#[cfg(test)]
mod tests {
    use inbounds_core::{Enclosure, Rational};

    use super::*;

    fn reach(below: u128, above: u128) -> Reach {
        Reach { below: Some(below), above: Some(above) }
    }

    /// The distances of reaches, if they are of the span of the first.
    fn distances(tau: f64, reaches: &[Reach]) -> Option<Vec<u64>> {
        let mut distances = vec![0; reaches.len()];
        let alike = Span::from_reach(tau, reaches[0])?.distances(|index| reaches[index], &mut distances);
        alike.then_some(distances)
    }

    #[test]
    fn numbers_of_one_range_are_told_from_others() {
        let [lower, upper] =
            [|below| Reach { below: Some(below), above: None }, |above| Reach { below: None, above: Some(above) }];
        assert_eq!(distances(0.1, &[reach(3, 7), reach(10, 0), reach(0, 10)]), Some(vec![3, 10, 0]));
        assert_eq!(distances(1e-18, &[reach(1 << 62, (1 << 62) - 1)]), Some(vec![1 << 62]));
        assert_eq!(distances(0.1, &[lower(3), lower(1 << 100)]), Some(vec![3, FAR]));
        assert_eq!(distances(0.1, &[upper(0), upper(5)]), Some(vec![0, 5]));
        assert_eq!(distances(0.1, &[Reach::UNLIMITED; 2]), Some(vec![FAR; 2]));
        let others = [
            [reach(3, 7), reach(3, 8)],
            [reach(3, 7), lower(3)],
            [lower(3), reach(3, 7)],
            [upper(7), reach(3, 7)],
            [lower(3), upper(3)],
            [upper(3), Reach::UNLIMITED],
            // The same width but for 2^128, or 2^64.
            [reach(3, 7), reach(u128::MAX, 11)],
            [reach(3, 7), reach(1 << 64, 10)],
            // Too wide.
            [reach(1 << 62, 1 << 62); 2],
            [reach(u128::MAX, 2); 2],
        ];
        assert!(others.iter().all(|pair| distances(0.1, pair).is_none()));
        assert_eq!(distances(1e-18, &[lower(3)]), None);
    }

    /// No limit is where the exponential is cut off.
    #[test]
    fn far_is_as_far_as_no_limit() {
        assert!(FAR_IS_UNLIMITED * FAR as f64 > 50.0);
        let powers = Span::from_reach(FAR_IS_UNLIMITED, Reach::UNLIMITED).map(|span| span.powers::<false>(FAR));
        assert!(powers.is_some_and(|[p, r]| r < power_of_two(-71) && p == 0.0));
    }

    /// Tests that both sides are right to within `error`, by enclosures, and no number is below the normal ones.
    fn powers_are_within<const FUSED: bool>(error: f64, tau: f64, distance: u64, width: u64) -> bool {
        let exact = |x: f64| Rational::from_f64(x).expect("finite");
        let enclosure = |x: f64| Enclosure::from_rational(&exact(x), 160);
        let span = Span::from_reach(tau, reach(0, width.into())).expect("narrow enough");
        span.powers::<FUSED>(distance).into_iter().zip([distance, width - distance]).all(|(power, steps)| {
            let truth = Enclosure::exp_neg(&(&exact(tau) * &Rational::from(u128::from(steps) + 1)), 160);
            truth.sub(&enclosure(error)).certainly_at_most(&enclosure(power))
                && enclosure(power).certainly_at_most(&truth.add(&enclosure(error)))
                && (power == 0.0 || power.is_normal())
        })
    }

    #[test]
    fn one_exponential_gives_both_sides() {
        let widths = [0, 1, 7, 400, 1_000, 12_345, 12_345_678, 1 << 46, (1 << 62) + 5, i64::MAX as u64];
        let distances = |width: u64| {
            let all = [0, 1, 3, width / 100, width / 3, width / 2, width / 2 + 1, width - width / 7, width];
            all.into_iter().filter(move |distance| *distance <= width)
        };
        for is_within in [powers_are_within::<false>, powers_are_within::<true>] {
            let all_within = |error: f64| {
                [300.0, 2.0, 0.05, 0.0123, 1e-3, 1e-9, 1e-13, 1e-18].into_iter().all(|tau| {
                    widths
                        .into_iter()
                        .all(|width| distances(width).all(|distance| is_within(error, tau, distance, width)))
                })
            };
            assert!(all_within(8.0 * power_of_two(-53)));
            assert!(!all_within(power_of_two(-53)), "the check has no power");
        }
    }
}
