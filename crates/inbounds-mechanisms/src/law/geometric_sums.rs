//! Finite sums of powers of a ratio, as lattice laws with geometric tails need them.

use inbounds_core::special::finite_product;

/// Sums of `a^j` and its first moments, `a = exp(-tau)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GeometricSums {
    tau: f64,
}

impl GeometricSums {
    /// The sums of ratio `exp(-tau)`, `tau > 0`.
    pub(super) fn with_decay(tau: f64) -> Self {
        Self { tau }
    }

    /// `tau`.
    pub(super) fn decay(&self) -> f64 {
        self.tau
    }

    /// `a = exp(-tau)`.
    pub(super) fn ratio(&self) -> f64 {
        self.power(1.0)
    }

    /// `a^t`.
    pub(super) fn power(&self, t: f64) -> f64 {
        libm::exp(-self.tau * t)
    }

    /// `1 - a^t`, without cancellation.
    pub(super) fn missing_power(&self, t: f64) -> f64 {
        -libm::expm1(-self.tau * t)
    }

    /// `sum_{j=1}^t w(j) a^j` for `w` a polynomial, from its direct form where `t tau >= 1` and from a series of
    /// positive terms below, where the direct form cancels.
    ///
    /// With `g = 1/a - 1`, `a^j = a^t (1 + g)^(t - j)`; expanding and summing over `j` leaves
    /// `a^t sum_i g^i choose(t + 1, i + 2) weight(i)`, which converges like the exponential series of `t tau`.
    pub(super) fn by_series(&self, t: f64, weight: impl Fn(f64) -> f64) -> f64 {
        let growth = libm::expm1(self.tau);
        let mut binomial = t * (t + 1.0) / 2.0;
        let (mut sum, mut index) = (0.0, 0.0);
        loop {
            let term = binomial * weight(index);
            sum += term;
            if index + 2.0 > t || term <= sum * 1e-18 {
                return self.power(t) * sum;
            }
            binomial *= growth * (t - 1.0 - index) / (index + 3.0);
            index += 1.0;
        }
    }

    /// `true` if the direct forms of the sums up to `t` cancel.
    pub(super) fn cancels(&self, t: f64) -> bool {
        t * self.tau < 1.0
    }

    /// `sum_{j=1}^t j a^j`.
    pub(super) fn first(&self, t: f64) -> f64 {
        if self.cancels(t) {
            return self.by_series(t, |_| 1.0);
        }
        let (ratio, gap) = (self.ratio(), self.missing_power(1.0));
        let power = self.power(t);
        ratio * (1.0 - power - finite_product(t, gap * power)) / (gap * gap)
    }

    /// `sum_{j=1}^t j^2 a^j`.
    pub(super) fn second(&self, t: f64) -> f64 {
        if self.cancels(t) {
            return self.by_series(t, |i| (2.0 * t + 1.0 - i) / (i + 3.0));
        }
        let (ratio, gap) = (self.ratio(), self.missing_power(1.0));
        let power = self.power(t);
        // (1 + a) - a^t [ (t gap)^2 + 2 t gap + 1 + a ], the closed form regrouped in t (1 - a).
        let reach = finite_product(t, gap);
        let tail = finite_product(power, reach * reach + 2.0 * reach + 1.0 + ratio);
        ratio * (1.0 + ratio - tail) / (gap * gap * gap)
    }
}
