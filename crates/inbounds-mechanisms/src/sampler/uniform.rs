//! A uniform integer from a uniform real that is drawn only as far as it is needed.

use inbounds_core::{Grid, Rational};

use super::{Entropy, exact::LazyUniform};

/// The integer part of `count * U`, `U` the real in `[0, 1)` whose binary digits are `word` and then those of
/// `entropy`.
///
/// # Postcondition
/// Every integer in `[0, count)` with probability `1 / count`, exactly. More words are read only while those read leave
/// room for two integers, with probability `count / 2^64` for the first of them; there is no rejection.
pub(crate) fn uniform_below(count: u64, word: u64, entropy: &mut dyn Entropy) -> u64 {
    let (quotient, mut rest) = split(u128::from(word) * u128::from(count));
    // What is still unknown adds less than count / 2^64 to the fraction `rest / 2^64`.
    while u128::from(rest) + u128::from(count) > 1 << 64 {
        let (carry, digits) = split(u128::from(entropy.word()) * u128::from(count));
        match rest.checked_add(carry) {
            None => return quotient + 1,
            Some(u64::MAX) => rest = digits,
            Some(_) => return quotient,
        }
    }
    quotient
}

/// An integer below `count`, for a count that may pass a word.
///
/// # Postcondition
/// Every integer in `[0, count)` with probability `1 / count`, exactly.
pub(crate) fn uniform_below_wide(count: u128, entropy: &mut dyn Entropy) -> u128 {
    let count = Rational::from(count);
    LazyUniform::new(entropy.word()).decide(entropy, |uniform| {
        let ends = uniform.ends().map(|end| &end * &count);
        // The upper end is never itself the uniform, so its floor is that of what lies just below it.
        let [low, high] = [ends[0].floor()?, Grid::INTEGERS.ceil(&ends[1])? - 1];
        if low == high { u128::try_from(low).ok() } else { None }
    })
}

/// High and low half.
fn split(product: u128) -> (u64, u64) {
    ((product >> 64) as u64, product as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Replay(Vec<u64>);

    impl Entropy for Replay {
        fn word(&mut self) -> u64 {
            self.0.remove(0)
        }
    }

    /// With one word in eight-bit steps, and with borders inside a word, against the product in 192 bits.
    #[test]
    fn digits_are_those_of_the_product() {
        for count in [1u64, 2, 3, 5, 10, 1 << 40, (1 << 54) - 1, u64::MAX] {
            for numerator in 0..64 {
                // A word next to a border of the cells of width 2^64 / count, and its successors.
                let border = (u128::from(count.min(64)) * numerator / 64) << 64;
                let word = (border / u128::from(count)).min(u128::from(u64::MAX)) as u64;
                for second in [0, 1, 1 << 63, u64::MAX - 1, u64::MAX] {
                    let mut words = Replay(vec![second, 1 << 62, 0, 0]);
                    let drawn = uniform_below(count, word, &mut words);
                    // floor(count * (word 2^128 + second 2^64 + third) / 2^192), by long multiplication.
                    let (third, count) = (1u128 << 62, u128::from(count));
                    let carry = ((count * third) >> 64) + count * u128::from(second);
                    let expected = (count * u128::from(word) + (carry >> 64)) >> 64;
                    assert_eq!(u128::from(drawn), expected, "{count} {word} {second}");
                }
            }
        }
    }
}
