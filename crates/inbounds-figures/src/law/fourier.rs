//! The discrete Fourier transform of a power of two of numbers, in doubles that are the same on every machine.
//!
//! Idea: numbers of even place and numbers of odd place are transformed apart, and `X_k = E_k + w^k O_k` joins them
//! (Cooley and Tukey 1965), bottom up and in place, after the numbers were put in bit-reversed order.
//!
//! It is our own because published figures follow from it: libraries choose their instructions by processor and take
//! sines from the system, so that last digits would depend on the machine.

/// A complex number.
type Complex = (f64, f64);

/// Roots of unity of one size, with which arrays of that size are transformed.
pub(super) struct Transform {
    /// `exp(-2 pi i k / n)` for `k < n / 2`.
    roots: Vec<Complex>,
}

impl Transform {
    /// Of `size` numbers, a power of two.
    pub(super) fn new(size: usize) -> Self {
        debug_assert!(size.is_power_of_two());
        let root = |k: usize| {
            let (sine, cosine) = libm::sincos(-2.0 * std::f64::consts::PI * k as f64 / size as f64);
            (cosine, sine)
        };
        Self { roots: (0..size / 2).map(root).collect() }
    }

    /// The transform of real numbers that are even, `x_k = x_(n-k)`, which is real and even too; divided by nothing, so
    /// that twice gives `n` times the numbers.
    pub(super) fn of_even(&self, numbers: &[f64]) -> Vec<f64> {
        let mut values: Vec<Complex> = numbers.iter().map(|&number| (number, 0.0)).collect();
        self.run(&mut values);
        values.into_iter().map(|(real, _)| real).collect()
    }

    fn run(&self, values: &mut [Complex]) {
        let size = values.len();
        let bits = size.trailing_zeros();
        for place in 0..size {
            let other = place.reverse_bits() >> (usize::BITS - bits.max(1));
            if bits > 0 && place < other {
                values.swap(place, other);
            }
        }
        let mut half = 1;
        while half < size {
            let stride = size / (2 * half);
            for block in values.chunks_mut(2 * half) {
                let (even, odd) = block.split_at_mut(half);
                for (k, (even, odd)) in even.iter_mut().zip(odd).enumerate() {
                    let (cosine, sine) = self.roots[k * stride];
                    let turned = (odd.0 * cosine - odd.1 * sine, odd.0 * sine + odd.1 * cosine);
                    *odd = (even.0 - turned.0, even.1 - turned.1);
                    *even = (even.0 + turned.0, even.1 + turned.1);
                }
            }
            half *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_numbers_are_transformed_as_their_sum_of_cosines() {
        for size in [1usize, 2, 8, 64] {
            let at = |k: usize| 1.0 / (1.0 + k.min(size - k) as f64).powi(2);
            let numbers: Vec<f64> = (0..size).map(at).collect();
            let coefficients = Transform::new(size).of_even(&numbers);
            for (k, coefficient) in coefficients.iter().enumerate() {
                let angle = |j: usize| 2.0 * std::f64::consts::PI * (j * k % size) as f64 / size as f64;
                let expected: f64 = numbers.iter().enumerate().map(|(j, number)| number * angle(j).cos()).sum();
                assert!((coefficient - expected).abs() < 1e-13, "{size} {k}: {coefficient} {expected}");
            }
            let twice = Transform::new(size).of_even(&coefficients);
            assert!(twice.iter().zip(&numbers).all(|(twice, number)| (twice - size as f64 * number).abs() < 1e-12));
        }
    }
}
