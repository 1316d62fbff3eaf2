//! The normal law, enclosed: its density, the density's derivatives and its tail.

use inbounds_core::{Enclosure, Rational};

/// The normal law of variance `s` around zero, at a precision of `bits`.
pub(super) struct Normal<'a> {
    s: &'a Rational,
    bits: usize,
    two_pi: Enclosure,
}

impl<'a> Normal<'a> {
    pub(super) fn new(s: &'a Rational, bits: usize) -> Self {
        Self { s, bits, two_pi: Enclosure::pi(bits).times(2) }
    }

    /// The density `f(x) = e^(-x^2 / (2 s)) / sqrt(2 pi s)`.
    fn density(&self, x: &Rational) -> Enclosure {
        let half_square = &self.square(x) / &Rational::from(2u128);
        let width = self.two_pi.mul(&self.enclose(self.s)).sqrt();
        Enclosure::exp_neg(&half_square, self.bits).div(&width)
    }

    /// `-f'(x) = x f(x) / s`.
    pub(super) fn slope(&self, x: &Rational) -> Enclosure {
        self.density(x).mul(&self.enclose(&(x / self.s)))
    }

    /// `f''(x) = (x^2 / s - 1) f(x) / s`.
    pub(super) fn curvature(&self, x: &Rational) -> Enclosure {
        let factor = &(&self.square(x) - &Rational::ONE) / self.s;
        self.density(x).mul(&self.enclose(&factor))
    }

    /// The mass above `x`: for `z^2 = x^2 / s` and `x >= 0`
    ///
    /// ```text
    /// 1/2 - sqrt(z^2 / (2 pi)) e^(-z^2 / 2) sum_n z^(2n) / (1 3 5 .. (2n + 1)),
    /// ```
    ///
    /// a series of positive terms; one less that of `-x` below zero.
    pub(super) fn tail(&self, x: &Rational) -> Enclosure {
        let one = Enclosure::one(self.bits);
        if *x < Rational::ZERO {
            return one.sub(&self.tail(&(&Rational::ZERO - x)));
        }
        let z_squared = self.square(x);
        let root = self.enclose(&z_squared).div(&self.two_pi).sqrt();
        let falling = Enclosure::exp_neg(&(&z_squared / &Rational::from(2u128)), self.bits);
        one.half().sub(&root.mul(&falling).mul(&self.series(&z_squared)))
    }

    fn series(&self, z_squared: &Rational) -> Enclosure {
        let factor = self.enclose(z_squared);
        let twice = 2.0 * z_squared.to_f64();
        let mut term = Enclosure::one(self.bits);
        let mut sum = term.clone();
        let mut odd = 1u64;
        loop {
            odd += 2;
            term = term.mul(&factor).over(odd);
            sum = sum.add(&term);
            // From here on each term is less than half of the one before, so the rest is below this term.
            if odd as f64 > twice + 1.0 && term.is_at_most_units(16) {
                return sum.add(&Enclosure::zero(self.bits).hull(&term));
            }
        }
    }

    fn square(&self, x: &Rational) -> Rational {
        &(x * x) / self.s
    }

    fn enclose(&self, value: &Rational) -> Enclosure {
        Enclosure::from_rational(value, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_agree_with_tables() {
        // Upper tails of the standard normal law, from 50-digit arithmetic.
        for (x, tail) in [
            ("0", 0.5),
            ("1", 0.158_655_253_931_457_05),
            ("-1", 0.841_344_746_068_542_9),
            ("5", 2.866_515_718_791_939e-7),
            ("10", 7.619_853_024_160_526e-24),
            ("37", 5.725_571_222_524_577e-300),
        ] {
            let one = Rational::ONE;
            let normal = Normal::new(&one, 2600);
            let computed = normal.tail(&x.parse().expect("number")).to_f64();
            assert!((computed / tail - 1.0).abs() < 1e-14, "{x}: {computed:e}");
        }
    }

    #[test]
    fn derivatives_are_those_of_the_density() {
        let variance = Rational::from(4u128);
        let normal = Normal::new(&variance, 300);
        let (x, f) = (Rational::ratio(3, 1), (-9.0f64 / 8.0).exp() / (8.0 * std::f64::consts::PI).sqrt());
        assert!((normal.slope(&x).to_f64() / (0.75 * f) - 1.0).abs() < 1e-14);
        assert!((normal.curvature(&x).to_f64() / (1.25 / 4.0 * f) - 1.0).abs() < 1e-14);
    }
}
