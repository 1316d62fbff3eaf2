//! Logarithm and exponential with proven error bounds, in operations that every processor rounds alike.
//!
//! Both are straight lines of `+`, `-`, `*`, `/` and bit shifts on doubles, each rounded to nearest as IEEE 754
//! prescribes, so the compiler can run one loop over as many lanes as there are. They come in two forms: one rounds
//! every product and gives the same bits with and without vector instructions; the other is `FUSED`, for processors on
//! which a product and a sum are one instruction with one rounding, and may differ from it in the last bits.
//!
//! Write `u = 2^-53` for the largest relative error of one rounding. The bounds count the roundings of the first form;
//! the second has fewer of them and none that is new, so they hold for both.
//!
//! **Logarithm.** `t = m 2^e` with `m` in `[sqrt(1/2), sqrt(2))`, taken from the bits, exact. With `z = (m-1)/(m+1)`,
//! `|z| < 0.1716`, `ln m = 2 atanh z = z (2 + 2/3 z^2 + ... + 2/19 z^18) + R`.
//! - Cut off: `|R| <= 2 |z|^21 / (21 (1 - z^2)) < 2^-56` (a geometric series).
//! - `m - 1` is exact (Sterbenz), so `z` has relative error below `2.01u`, which moves `2 atanh z` by less than
//!   `2/(1-z^2) |z| 2.01u < 0.72u`.
//! - The bracket is `even + odd z^2`, each part a polynomial in `z^4 < 0.0009`. `even` is in `[2, 2.0004]` and its last
//!   sum errs by `2u`, the one with `odd z^2 < 0.02` by another `2u`; all that is multiplied by powers of `z^2` stays
//!   below `0.2u`; the product with `z` errs relatively by `u`. Times `|z|` that is less than
//!   `0.1716 (4.2u + 2.03u) < 1.07u`.
//! - `e HI` is exact (7 bits times 32), `HI + LO` is `ln 2` to within `2^-86`, and `e LO` is below `2^-26`, so its
//!   rounding is nothing; the inner sum is below `0.36` and errs by `2^-55`. The outer sum is at most 32 in absolute
//!   value for `2^-45 <= t <= 2` and errs by `2^-49`.
//!
//! Altogether less than `2^-56 + 1.8u + 2^-55 + 2^-49 < 2^-48` (`LN_ERROR`).
//!
//! **Exponential.** `x = n ln 2 + r` with `n` the integer nearest to `x / ln 2` up to rounding, `|r| <= 0.3467`;
//! `e^-x = 2^-n e^-r`, and `e^-r` is summed to `r^13/13!`.
//! - Cut off: `|r|^14 e^|r| / 14! < 2^-57`.
//! - `n HI` is exact (7 bits times 32), `x - n HI` too (Sterbenz for `n >= 1`), `n LO` is below `2^-25`, and the
//!   subtraction of `n LO` errs by `2^-55`; a change of `r` by that much changes `e^-r` relatively by as much.
//! - The sum is `even - odd r`, each part a polynomial in `r^2 < 0.1203`. `even` and `odd` are in `[1, 1.07]` and their
//!   last sums err by `u`; what is multiplied by `r^2` or more stays below `0.2u`; the product `odd r` errs by `0.36u`
//!   more, and the difference, in `[0.7, 1.42]`, by `u`. Together less than `u + 0.36u + 0.2u + 0.36u + u < 3u`.
//! - Scaling by `2^-n` is exact. From `x = 50` on the value at 50, below `2^-72`, stands for all.
//!
//! Altogether less than `2^-57 + 1.42 * 2^-55 + 3u < 2^-51` for given `x` (`EXP_ERROR`). The same sums give
//! `e^x = 2^n e^r` as `even + odd r`, at least `0.707`, with the same errors: relatively less than
//! `(2^-57 + 3u) / 0.707 + 2^-55 < 4.7u` (`GROWN_ERROR`). Claim: `sampler-elementary`.

/// Largest absolute error of [`minus_ln`].
#[cfg(test)]
const LN_ERROR: f64 = power_of_two(-48);

/// Largest absolute error of [`exp_neg`].
#[cfg(test)]
const EXP_ERROR: f64 = power_of_two(-51);

/// Largest relative error of the growing half of [`exp_both`].
#[cfg(test)]
const GROWN_ERROR: f64 = 4.7 * power_of_two(-53);

/// `ln 2`, cut after 32 bits, and the rest.
const LN2_HI: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
const LN2_LO: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);

/// Added to a double of less than `2^51` in absolute value, it leaves the nearest integer in the low bits.
pub(super) const ROUND: f64 = 1.5 * power_of_two(52);

const MANTISSA: u64 = (1 << 52) - 1;
const ONE: u64 = 1.0f64.to_bits();
const ROOT_HALF: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();

/// `2^exponent` for a normal double.
pub(super) const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// `a b + c`, rounded once or twice.
#[inline(always)]
pub(super) fn multiply_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// `ones` where the mask is all ones, `zeros` where it is zero.
#[inline(always)]
pub(super) fn select(mask: u64, ones: f64, zeros: f64) -> f64 {
    f64::from_bits(zeros.to_bits() ^ ((zeros.to_bits() ^ ones.to_bits()) & mask))
}

/// `-ln t` to within `LN_ERROR`, and `2^-e >= 1 / (t sqrt(2))`, for `2^-45 <= t <= 2`; any two numbers else.
#[inline(always)]
pub(super) fn minus_ln<const FUSED: bool>(t: f64) -> (f64, f64) {
    let shifted = t.to_bits().wrapping_add(ONE - ROOT_HALF);
    let biased = shifted >> 52;
    let m = f64::from_bits((shifted & MANTISSA) + ROOT_HALF);
    let e = f64::from_bits(power_of_two(52).to_bits() | biased) - (power_of_two(52) + 1023.0);
    let z = (m - 1.0) / (m + 1.0);
    let square = z * z;
    let fourth = square * square;
    let (mut even, mut odd) = (2.0 / 17.0, 2.0 / 19.0);
    for k in [13.0, 9.0, 5.0, 1.0] {
        even = multiply_add::<FUSED>(even, fourth, 2.0 / k);
        odd = multiply_add::<FUSED>(odd, fourth, 2.0 / (k + 2.0));
    }
    let series = multiply_add::<FUSED>(odd, square, even);
    let inner = multiply_add::<FUSED>(e, LN2_LO, z * series);
    (-multiply_add::<FUSED>(e, LN2_HI, inner), f64::from_bits(2046u64.wrapping_sub(biased) << 52))
}

/// `e^-x` to within `EXP_ERROR`, for `0 <= x <= infinity`.
#[inline(always)]
pub(super) fn exp_neg<const FUSED: bool>(x: f64) -> f64 {
    exp_both::<FUSED>(x).0
}

/// [`exp_neg`], and `e^x` to within `GROWN_ERROR` for `0 <= x <= 50`, the value at 50 from there on.
#[inline(always)]
pub(super) fn exp_both<const FUSED: bool>(x: f64) -> (f64, f64) {
    let x = if x < 50.0 { x } else { 50.0 };
    let rounded = multiply_add::<FUSED>(x, std::f64::consts::LOG2_E, ROUND);
    let n = rounded - ROUND;
    let r = multiply_add::<FUSED>(n, -LN2_LO, multiply_add::<FUSED>(n, -LN2_HI, x));
    let square = r * r;
    let (mut even, mut odd) = (INVERSE_FACTORIALS[12], INVERSE_FACTORIALS[13]);
    for k in [10, 8, 6, 4, 2, 0] {
        even = multiply_add::<FUSED>(even, square, INVERSE_FACTORIALS[k]);
        odd = multiply_add::<FUSED>(odd, square, INVERSE_FACTORIALS[k + 1]);
    }
    let exponent = rounded.to_bits().wrapping_sub(ROUND.to_bits());
    let [shrunk, grown] = [-odd, odd].map(|odd| multiply_add::<FUSED>(odd, r, even));
    let [down, up] =
        [1023u64.wrapping_sub(exponent), exponent.wrapping_add(1023)].map(|biased| f64::from_bits(biased << 52));
    (shrunk * down, grown * up)
}

/// `1/k!`.
const INVERSE_FACTORIALS: [f64; 14] = {
    let mut table = [1.0; 14];
    let (mut k, mut factorial) = (1, 1.0);
    while k < 14 {
        factorial *= k as f64;
        table[k] = 1.0 / factorial;
        k += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use inbounds_core::{Enclosure, Rational};

    use super::*;

    const BITS: usize = 160;

    fn rational(x: f64) -> Rational {
        Rational::from_f64(x).expect("finite")
    }

    fn enclosure(x: f64) -> Enclosure {
        Enclosure::from_rational(&rational(x), BITS)
    }

    /// Proves `e^-x <= t` for a rational `x` of either sign.
    fn power_is_at_most(x: &Rational, t: f64) -> bool {
        if *x >= Rational::ZERO {
            Enclosure::exp_neg(x, BITS).certainly_at_most(&enclosure(t))
        } else {
            Enclosure::one(BITS).certainly_at_most(&Enclosure::exp_neg(&(&Rational::ZERO - x), BITS).mul(&enclosure(t)))
        }
    }

    /// Proves that the logarithm of `t` is right to within `error`.
    fn logarithm_is_within<const FUSED: bool>(error: f64, t: f64) -> bool {
        let (depth, error) = (rational(minus_ln::<FUSED>(t).0), rational(error));
        let flipped = &(&Rational::ZERO - &depth) + &error;
        // t <= e^-(depth - error) in the form e^(depth - error) <= 1/t, multiplied by a power of two to stay exact.
        power_is_at_most(&(&depth + &error), t)
            && if flipped >= Rational::ZERO {
                enclosure(t).mul(&Enclosure::exp_neg(&flipped, BITS)).certainly_at_most(&Enclosure::one(BITS))
            } else {
                enclosure(t).certainly_at_most(&Enclosure::exp_neg(&(&Rational::ZERO - &flipped), BITS))
            }
    }

    /// Arguments of the logarithm: every border between two exponents with its neighbours, one, and a dense set.
    fn arguments() -> Vec<f64> {
        let root = ROOT_HALF.wrapping_sub(3)..ROOT_HALF + 3;
        let ones = (ONE - 3..ONE + 3).map(f64::from_bits);
        let borders: Vec<f64> = root.map(f64::from_bits).chain(ones).collect();
        let dense: Vec<f64> = (0..3000u32).map(|i| 0.7 + f64::from(i) / 4200.0).collect();
        let octave = |e: i64| borders.iter().chain(dense.iter().step_by(if e < 2 { 1 } else { 29 }));
        (0..45).flat_map(|e| octave(e).map(move |t| t * power_of_two(-e)).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn logarithms_are_within_the_proven_bound() {
        let arguments: Vec<f64> = arguments().into_iter().filter(|t| (power_of_two(-45)..=2.0).contains(t)).collect();
        for is_within in [logarithm_is_within::<false>, logarithm_is_within::<true>] {
            assert!(arguments.iter().all(|t| is_within(LN_ERROR, *t)));
            assert!(!arguments.iter().all(|t| is_within(LN_ERROR / 4.0, *t)), "the check has no power");
        }
        assert!(arguments.iter().all(|t| (0.707..1.415).contains(&(minus_ln::<false>(*t).1 * t))));
    }

    /// Arguments of the exponential: every border between two exponents with its neighbours, a dense set, and some
    /// beyond.
    fn exponents() -> Vec<f64> {
        let borders = (0..70).flat_map(|n| {
            let border = (f64::from(n) + 0.5) * std::f64::consts::LN_2;
            (border.to_bits() - 3..border.to_bits() + 3).map(f64::from_bits)
        });
        let dense = (0..5000u32).map(|i| f64::from(i) / 100.0);
        borders.chain(dense).chain([0.0, 1e-300, 1e-9, 50.0, 49.999_999, 60.0]).collect()
    }

    #[test]
    fn exponentials_are_within_the_proven_bound() {
        let arguments = exponents();
        for exp_neg in [exp_neg::<false>, exp_neg::<true>] {
            let is_within = |error: f64, x: &f64| {
                let (truth, value) = (Enclosure::exp_neg(&rational(*x), BITS), enclosure(exp_neg(*x)));
                let error = enclosure(error);
                truth.sub(&error).certainly_at_most(&value) && value.certainly_at_most(&truth.add(&error))
            };
            assert!(arguments.iter().all(|x| is_within(EXP_ERROR, x)));
            assert!(!arguments.iter().all(|x| is_within(EXP_ERROR / 4.0, x)), "the check has no power");
            assert!(exp_neg(f64::INFINITY) < power_of_two(-72));
        }
    }

    #[test]
    fn growing_exponentials_are_within_the_proven_bound() {
        let one = Enclosure::one(BITS);
        for exp_both in [exp_both::<false>, exp_both::<true>] {
            let is_within = |error: f64, x: &f64| {
                let ratio = enclosure(exp_both(*x).1).mul(&Enclosure::exp_neg(&rational(*x), BITS));
                let error = enclosure(error);
                one.sub(&error).certainly_at_most(&ratio) && ratio.certainly_at_most(&one.add(&error))
            };
            let arguments: Vec<f64> = exponents().into_iter().filter(|x| *x <= 50.0).collect();
            assert!(arguments.iter().all(|x| is_within(GROWN_ERROR, x)));
            assert!(!arguments.iter().all(|x| is_within(GROWN_ERROR / 4.0, x)), "the check has no power");
            assert_eq!(exp_both(f64::INFINITY), exp_both(50.0));
        }
    }

    /// Remainders of the series, in exact arithmetic at the largest arguments.
    #[test]
    fn series_are_cut_off_where_the_proof_says() {
        let power = |x: &Rational, n: u32| (0..n).fold(Rational::ONE, |power, _| &power * x);
        let root: Rational = "1.41422".parse().expect("number");
        let z = &(&root - &Rational::ONE) / &(&root + &Rational::ONE);
        let logarithm =
            &(&Rational::from(2u128) * &power(&z, 21)) / &(&Rational::from(21u128) * &(&Rational::ONE - &(&z * &z)));
        assert!(root.clone() * root > Rational::from(2u128) && logarithm < rational(power_of_two(-56)));
        // e^0.3467 < 1.415, and r goes no farther than half of ln 2 and a rounding.
        let r: Rational = "0.3467".parse().expect("number");
        let factorial = (1..=14u128).product::<u128>();
        let exponential = &(&power(&r, 14) * &"1.415".parse().expect("number")) / &Rational::from(factorial);
        assert!(exponential < rational(power_of_two(-57)));
    }
}
