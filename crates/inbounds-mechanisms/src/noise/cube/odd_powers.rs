//! Sums of powers of odd numbers against powers of a ratio.
//!
//! # Law
//! For `0 < x < 1`
//!
//! ```text
//! sum_R (2R + 1)^n x^R = sum_j B(n, j) x^j / (1 - x)^(n+1),
//! B(n, j) = (2j + 1) B(n-1, j) + (2n - 2j + 1) B(n-1, j-1),   B(0, 0) = 1:
//! ```
//!
//! the Eulerian numbers of type B, which count signed permutations of `n` things by their descents. None is negative
//! and they add up to `2^n n!`. Here they are divided by that, `b(n, j) = B(n, j) / (2^n n!)`: weights that add up to
//! one.
//!
//! # References
//! Brenti (1994), q-Eulerian polynomials arising from Coxeter groups, section 3.

use inbounds_core::Rational;

/// The weights `b(n, 0), ..., b(n, n)` of each `n` up to `most`, within a few roundings of each.
pub(super) fn weights(most: usize) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![1.0]];
    for n in 1..=most {
        let before = &rows[n - 1];
        let entry = |j: usize| {
            let own = before.get(j).map_or(0.0, |weight| weight * (2 * j + 1) as f64);
            let other = j.checked_sub(1).map_or(0.0, |j| before[j] * (2 * (n - j) - 1) as f64);
            (own + other) / (2 * n) as f64
        };
        rows.push((0..=n).map(entry).collect());
    }
    rows
}

/// The weights `b(n, 0), ..., b(n, n)`, exactly.
pub(super) fn exact_weights(n: usize) -> Vec<Rational> {
    let (mut row, mut total) = (vec![Rational::ONE], Rational::ONE);
    let rational = |value: usize| Rational::from(value as u128);
    for n in 1..=n {
        let own = |j: usize| row.get(j).map_or(Rational::ZERO, |weight| weight * &rational(2 * j + 1));
        let other = |j: usize| j.checked_sub(1).map_or(Rational::ZERO, |j| &row[j] * &rational(2 * (n - j) - 1));
        row = (0..=n).map(|j| &own(j) + &other(j)).collect();
        total = &total * &rational(2 * n);
    }
    row.iter().map(|weight| weight / &total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_the_sums() {
        for n in 0..=12 {
            let exact = exact_weights(n);
            let rounded = &weights(12)[n];
            assert!(exact.iter().zip(rounded).all(|(one, other)| (one.to_f64() / other - 1.0).abs() < 1e-14));
            for x in [0.02f64, 0.5, 0.9] {
                let terms = 4000;
                let sum: f64 = (0..terms).map(|r| f64::from(2 * r + 1).powi(n as i32) * x.powi(r)).sum();
                let factorial: f64 = (1..=n).map(|i| 2.0 * i as f64).product();
                let polynomial: f64 = rounded.iter().rev().fold(0.0, |sum, weight| sum * x + weight);
                let closed = factorial * polynomial / (1.0 - x).powi(n as i32 + 1);
                assert!((sum / closed - 1.0).abs() < 1e-12, "{n} {x}: {sum} {closed}");
            }
        }
        assert_eq!(exact_weights(2), [1, 6, 1].map(|weight| Rational::ratio(weight, 8)));
    }
}
