//! Destination of a draw: a number of its own, or part of a sum, of 64 bits or of 128.

/// Where noise goes, into numbers `T`.
pub(crate) trait Place<T> {
    /// Places noise of 64 bits.
    fn place(number: &mut T, noise: i64);

    /// Places any noise that is drawn.
    fn place_wide(number: &mut T, noise: i128);
}

/// Noise alone, whatever the number was.
pub(crate) struct Fill;

impl Place<i128> for Fill {
    #[inline(always)]
    fn place(number: &mut i128, noise: i64) {
        *number = noise.into();
    }

    #[inline(always)]
    fn place_wide(number: &mut i128, noise: i128) {
        *number = noise;
    }
}

/// The sum of number and noise.
pub(crate) struct Add;

/// Answers are below `2^117` and noise below `2^126` in size, for every law that can be constructed.
impl Place<i128> for Add {
    #[inline(always)]
    fn place(number: &mut i128, noise: i64) {
        *number += i128::from(noise);
    }

    #[inline(always)]
    fn place_wide(number: &mut i128, noise: i128) {
        *number += noise;
    }
}

/// The sum, or the nearest number of 64 bits.
impl Place<i64> for Add {
    #[inline(always)]
    fn place(number: &mut i64, noise: i64) {
        *number = number.saturating_add(noise);
    }

    #[inline(always)]
    fn place_wide(number: &mut i64, noise: i128) {
        *number = nearest(i128::from(*number) + noise);
    }
}

/// A number, or the nearest one of 64 bits.
#[inline(always)]
pub(crate) fn nearest(steps: i128) -> i64 {
    steps.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_beyond_their_bits_are_the_nearest() {
        let after = |mut number: i64, place: &dyn Fn(&mut i64)| {
            place(&mut number);
            number
        };
        for answer in [i64::MIN, -3, 0, 7, i64::MAX] {
            for noise in [i64::MIN, -1, 0, 2, i64::MAX] {
                let sum = nearest(i128::from(answer) + i128::from(noise));
                assert_eq!(after(answer, &|number| Add::place(number, noise)), sum);
                assert_eq!(after(answer, &|number| Add::place_wide(number, noise.into())), sum);
            }
        }
        assert_eq!(after(5, &|number| Add::place_wide(number, -(1 << 80))), i64::MIN);
        assert_eq!([1 << 70, -(1 << 70), -9].map(nearest), [i64::MAX, i64::MIN, -9]);
    }
}
