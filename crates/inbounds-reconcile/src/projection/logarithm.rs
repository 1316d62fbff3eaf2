//! A logarithm that runs in lanes and has the bits of the one that does not.

/// [`libm::log`] of a positive normal double to the last bit, without its branches, so that it runs in lanes.
#[inline(always)]
pub(super) fn ln(x: f64) -> f64 {
    const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];
    const MANTISSA: u64 = (1 << 52) - 1;
    /// The high word of the root of one half.
    const ROOT: u64 = 0x3fe6_a09e << 32;
    let shifted = x.to_bits() + (1.0_f64.to_bits() - ROOT);
    let exponent = (shifted >> 52) as f64 - 1023.0;
    let f = f64::from_bits((shifted & MANTISSA) + ROOT) - 1.0;
    let half_square = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (3.999_999_999_940_942e-1 + w * (2.222_219_843_214_978_4e-1 + w * 1.531_383_769_920_937_3e-1));
    let odd = z
        * (6.666_666_666_666_735e-1
            + w * (2.857_142_874_366_239e-1 + w * (1.818_357_216_161_805e-1 + w * 1.479_819_860_511_658_6e-1)));
    s * (half_square + (odd + even)) + exponent * LN_2[1] - half_square + f + exponent * LN_2[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_of_libm() {
        let spread = |index: u64| index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
        let inside = (0..1_000_000).map(|index| (spread(index) as f64 + 0.5) / (1_u64 << 53) as f64);
        let ends = [f64::MIN_POSITIVE, 0.5_f64.powi(54), 0.5, 0.5_f64.sqrt(), 1.0_f64.next_down(), 1.0, 2.0, f64::MAX];
        for x in inside.chain(ends) {
            assert_eq!(ln(x).to_bits(), libm::log(x).to_bits(), "{x}");
        }
    }
}
