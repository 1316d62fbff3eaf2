//! Polynomials times an exponential, and their sums over the integers.
//!
//! In the basis `y^e / e! e^-y`, `y = tau (x - offset)`, tails are sums of coefficients, and a factor `x` shifts them.

use inbounds_core::quadrature;

/// `f(x) = sum_e c_e y^e / e! e^-y` with `y = tau (x - offset)`, over `x >= offset >= 0`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ErlangSum {
    tau: f64,
    offset: f64,
    coefficients: Vec<f64>,
}

/// Up to this `tau` long sums are integrals with corrections, whose first omitted term, `127 tau^7 / 154,828,800` of
/// the coefficients, is below `1e-18` of them.
const SMOOTH: f64 = 0.02;

/// Sums of at most this many terms are taken term by term.
const DIRECT_TERMS: f64 = 200.0;

/// Length in `y` of a panel of quadrature.
const PANEL: f64 = 2.0;

impl ErlangSum {
    pub(super) fn new(tau: f64, coefficients: Vec<f64>) -> Self {
        Self { tau, offset: 0.0, coefficients }
    }

    /// `x -> f(factor x - shift)`.
    pub(super) fn stretched(&self, factor: f64, shift: f64) -> Self {
        let (tau, offset) = (self.tau * factor, (self.offset + shift) / factor);
        Self { tau, offset, coefficients: self.coefficients.clone() }
    }

    /// `x -> f(x) - f(x + 1)`.
    ///
    /// `(y + tau)^e / e! = sum_i y^i / i! tau^(e-i) / (e-i)!`, so the coefficients lose `e^-tau` times such sums.
    pub(super) fn decrease(&self) -> Self {
        let (ratio, gap) = (libm::exp(-self.tau), -libm::expm1(-self.tau));
        let coefficient = |i: usize| {
            let later = self.coefficients[i + 1..].iter().enumerate();
            let (_, lost) = later.fold((1.0, 0.0), |(power, sum): (f64, f64), (j, c)| {
                let power = power * self.tau / (j + 1) as f64;
                (power, sum + c * power)
            });
            self.coefficients[i] * gap - ratio * lost
        };
        Self { coefficients: (0..self.coefficients.len()).map(coefficient).collect(), ..self.clone() }
    }

    /// `x -> e^(rate x) f(x)`, for `rate < tau`.
    pub(super) fn tilted(&self, rate: f64) -> Self {
        let tau = self.tau - rate;
        let first = libm::exp(rate * self.offset);
        let scaled = self.coefficients.iter().scan(first, |power, c| {
            let scaled = c * *power;
            *power *= self.tau / tau;
            Some(scaled)
        });
        Self { tau, offset: self.offset, coefficients: scaled.collect() }
    }

    /// `f(x)`; zero at infinity.
    pub(super) fn at(&self, x: f64) -> f64 {
        let y = self.tau * (x - self.offset);
        if y == f64::INFINITY {
            return 0.0;
        }
        // Half of the exponential at a time: the polynomial may be large where the exponential is no normal double.
        let half = libm::exp(-0.5 * y);
        self.polynomial(y) * half * half
    }

    /// `ln f(x)`.
    pub(super) fn ln_at(&self, x: f64) -> f64 {
        let y = self.tau * (x - self.offset);
        if y == f64::INFINITY { f64::NEG_INFINITY } else { libm::log(self.polynomial(y)) - y }
    }

    /// `sum_e c_e y^e / e!`, by Horner's scheme.
    fn polynomial(&self, y: f64) -> f64 {
        self.coefficients.iter().enumerate().rev().fold(0.0, |sum, (e, c)| c + sum * y / (e + 1) as f64)
    }

    /// `x f(x)`.
    pub(super) fn times_x(&self) -> Self {
        let before = |e: usize| e.checked_sub(1).map_or(0.0, |before| e as f64 * self.coefficients[before] / self.tau);
        let own = |e: usize| self.coefficients.get(e).map_or(0.0, |c| c * self.offset);
        Self { coefficients: (0..=self.coefficients.len()).map(|e| before(e) + own(e)).collect(), ..self.clone() }
    }

    /// `f'`.
    fn derivative(&self) -> Self {
        let next = |e: usize| self.coefficients.get(e + 1).copied().unwrap_or(0.0);
        let coefficients = self.coefficients.iter().enumerate().map(|(e, c)| self.tau * (next(e) - c)).collect();
        Self { coefficients, ..self.clone() }
    }

    /// `x -> integral of f from x to infinity`.
    fn tail(&self) -> Self {
        let mut sum = 0.0;
        let mut coefficients: Vec<f64> = self.coefficients.iter().rev().map(|c| (sum += c, sum / self.tau).1).collect();
        coefficients.reverse();
        Self { coefficients, ..self.clone() }
    }

    /// The integral over `[from, to]`, without subtraction of nearby numbers.
    fn integral(&self, from: f64, to: f64) -> f64 {
        let tail = self.tail();
        let (near, far) = (tail.at(from), tail.at(to));
        if far <= 0.5 * near {
            return near - far;
        }
        let panels = (self.tau * (to - from) / PANEL).ceil().max(1.0);
        let end = |index: f64| from + (to - from) * index / panels;
        let panel = |index: i32| {
            let index = f64::from(index);
            quadrature::integrate(end(index), end(index + 1.0), |x| self.at(x))
        };
        (0..panels as i32).map(panel).sum()
    }

    /// `sum_{s < j <= t} f(j)` over whole `j`, for whole `0 <= s <= t`.
    pub(super) fn sum(&self, s: f64, t: f64) -> f64 {
        let count = t - s;
        if s == t || s == f64::INFINITY {
            return 0.0;
        }
        if count.is_nan() {
            return count;
        }
        if self.tau >= SMOOTH || count <= DIRECT_TERMS {
            return self.term_by_term(s, count);
        }
        self.integral(s + 0.5, t + 0.5) + self.correction(s + 0.5) - self.correction(t + 0.5)
    }

    fn term_by_term(&self, s: f64, count: f64) -> f64 {
        // Past this every term is smaller than the one before.
        let past_peak = self.coefficients.len() as f64 / self.tau;
        let (mut sum, mut step) = (0.0, 1.0);
        while step <= count {
            let term = self.at(s + step);
            sum += term;
            if s + step > past_peak && term <= sum * 1e-18 {
                break;
            }
            step += 1.0;
        }
        sum
    }

    /// `sum_{j > k} f(j)` less the integral of `f` from `c = k + 1/2`, by Euler and Maclaurin.
    fn correction(&self, c: f64) -> f64 {
        let first = self.derivative();
        let third = first.derivative().derivative();
        let fifth = third.derivative().derivative();
        first.at(c) / 24.0 - 7.0 * third.at(c) / 5_760.0 + 31.0 * fifth.at(c) / 967_680.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sums_agree_with_plain_ones() {
        for coefficients in [vec![1.0], vec![0.3, 0.2, 0.0, 4.0], vec![1.0; 12]] {
            for tau in [0.003, 0.0199] {
                let f = ErlangSum::new(tau, coefficients.clone());
                for f in [f.clone(), f.times_x().times_x(), f.stretched(1.0, 0.4).times_x(), f.tail().decrease()] {
                    for (s, t) in [(0.0, 201.0), (0.0, 3000.0), (500.0, 900.0), (20.0, 30_000.0), (40.0, f64::INFINITY)]
                    {
                        let (sum, plain) = (f.sum(s, t), f.term_by_term(s, t - s));
                        assert!((sum / plain - 1.0).abs() < 1e-13, "{coefficients:?} {tau} {s} {t}: {sum} {plain}");
                    }
                }
            }
        }
    }
}
