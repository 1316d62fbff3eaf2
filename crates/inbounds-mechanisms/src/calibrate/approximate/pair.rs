//! The hockey-stick divergence of conditioned discrete Laplace noise in doubles: proposes, proves nothing.

use crate::calibrate::continuous::largest;

/// Noise conditioned on `{0, .., width}` (infinite on a half line), for a change of `d` steps at `epsilon`.
pub(super) struct Conditioned {
    pub(super) epsilon: f64,
    pub(super) d: f64,
    pub(super) width: f64,
}

impl Conditioned {
    /// The divergence of the pair `(q, q + d)` at inverse scale `tau`, with the border between the answers whole or
    /// real.
    ///
    /// With `u = a^(q+1)`, `v = a^(width-q-d+1)`, `p = a^d`, the masses `T = 1 + a - u - p v`, `T' = 1 + a - p u - v`
    /// and the event of all outputs below `q + i`,
    ///
    /// ```text
    /// T delta = (1 - A) + (a - B) - u (1 - B a^(i-1)),    A = a^i,    B = e^epsilon a^(d+1-i) T / T'
    /// ```
    fn pair(&self, tau: f64, q: f64, is_integer: bool) -> f64 {
        let missing = |x: f64| -libm::expm1(-x);
        let ratio = libm::exp(-tau);
        let u = libm::exp(-tau * (q + 1.0));
        let v = libm::exp(-tau * (self.width - q - self.d + 1.0));
        let mass = missing(tau * (q + 1.0)) + ratio * missing(tau * (self.width - q));
        let shift = self.epsilon - libm::log1p(missing(tau * self.d) * (u - v) / mass);
        let at = |border: f64| {
            let above = tau * (self.d + 1.0 - border) - shift;
            let first = missing(tau * border) + ratio * missing(above - tau);
            (first - u * missing(above + tau * (border - 1.0))) / mass
        };
        let border = ((self.d + 1.0 - shift / tau) / 2.0).clamp(1.0, self.d);
        if is_integer { at(border.floor()).max(at(border.ceil())) } else { at(border) }
    }

    /// The largest divergence over the answers, and where: over whole answers up to `reach` steps from the ends and in
    /// the middle, or, where there are too many, over real answers.
    fn worst(&self, tau: f64, reach: Option<u64>) -> (f64, f64) {
        let last = self.width - self.d;
        let Some(reach) = reach else {
            let place = |depth: f64| depth / tau;
            let end = (last * tau / 2.0).min(60.0);
            let best = largest(0.0, end, |depth| self.pair(tau, place(depth), false));
            return (best.0, place(best.1));
        };
        let lower = (0..=reach).map(|q| q as f64).take_while(|q| *q <= last);
        let upper = (0..=reach).map(|q| last - q as f64).filter(|q| q.is_finite() && *q > reach as f64);
        let middle = [(last / 2.0).floor().min(1e3 / tau + reach as f64)];
        let all = lower.chain(upper).chain(middle).map(|q| (self.pair(tau, q, true), q));
        all.fold((0.0, 0.0), |best, answer| if answer.0 > best.0 { answer } else { best })
    }

    /// About the largest `tau` above `pure` whose divergence is at most `delta`.
    ///
    /// The worst answer moves little with `tau`, so the root is found for one answer at a time.
    pub(super) fn propose(&self, pure: f64, delta: f64, reach: impl Fn(f64) -> Option<u64>) -> f64 {
        let mut tau = 2.0 * pure;
        while self.worst(tau, reach(tau)).0 <= delta && tau < 1e3 {
            tau *= 2.0;
        }
        for _ in 0..12 {
            let (divergence, q) = self.worst(tau, reach(tau));
            if divergence <= delta * (1.0 + 1e-9) {
                break;
            }
            let is_integer = reach(tau).is_some();
            tau = inbounds_core::root::bisect(pure, tau, |t| t <= pure || self.pair(t, q, is_integer) <= delta).0;
        }
        tau
    }
}
