//! Output of a draw: it overwrites a number or is added to it, in 64 bits or in 128.

/// The way in which noise is written to numbers `T`.
pub(crate) trait Output<T> {
    /// Writes noise of 64 bits.
    fn write(number: &mut T, noise: i64);

    /// Writes any noise that is drawn.
    fn write_wide(number: &mut T, noise: i128);
}

/// The noise replaces the number.
pub(crate) struct Overwrite;

impl Output<i128> for Overwrite {
    #[inline(always)]
    fn write(number: &mut i128, noise: i64) {
        *number = noise.into();
    }

    #[inline(always)]
    fn write_wide(number: &mut i128, noise: i128) {
        *number = noise;
    }
}

/// The noise is added to the number.
pub(crate) struct AddTo;

/// Answers are below `2^117` and noise below `2^126` in size, for every law that can be constructed.
impl Output<i128> for AddTo {
    #[inline(always)]
    fn write(number: &mut i128, noise: i64) {
        *number += i128::from(noise);
    }

    #[inline(always)]
    fn write_wide(number: &mut i128, noise: i128) {
        *number += noise;
    }
}

/// The sum, or the nearest number of 64 bits.
impl Output<i64> for AddTo {
    #[inline(always)]
    fn write(number: &mut i64, noise: i64) {
        *number = number.saturating_add(noise);
    }

    #[inline(always)]
    fn write_wide(number: &mut i64, noise: i128) {
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
                assert_eq!(after(answer, &|number| AddTo::write(number, noise)), sum);
                assert_eq!(after(answer, &|number| AddTo::write_wide(number, noise.into())), sum);
            }
        }
        assert_eq!(after(5, &|number| AddTo::write_wide(number, -(1 << 80))), i64::MIN);
        assert_eq!([1 << 70, -(1 << 70), -9].map(nearest), [i64::MAX, i64::MIN, -9]);
    }
}
