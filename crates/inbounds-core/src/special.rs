//! Special functions in forms that keep their relative accuracy.
//!
//! All go through `libm`, so a result is the same on every platform. They describe error; no privacy claim rests on
//! them.

/// The distribution function of Gamma(`k`, 1) at `t`, that is `P_k(t) = 1 - e^-t sum_{j<k} t^j/j!`, for `k` in 1, 2, 3.
///
/// Below `t = 1` the all-positive series `e^-t sum_{j>=k} t^j/j!` is summed, which keeps full relative accuracy where
/// the definition loses everything.
///
/// # Example
/// ```
/// use inbounds_core::special::gamma_cdf;
/// assert!((gamma_cdf(2, 1e-8) / 5e-17 - 1.0).abs() < 1e-7);
/// assert_eq!(gamma_cdf(3, f64::INFINITY), 1.0);
/// ```
pub fn gamma_cdf(k: u32, t: f64) -> f64 {
    if t == f64::INFINITY {
        return 1.0;
    }
    if k == 1 {
        return -libm::expm1(-t);
    }
    if t < 1.0 {
        let mut term = (1..=k).fold(1.0, |power, j| power * t / f64::from(j));
        let mut sum = 0.0;
        let mut j = k;
        while term > sum * 1e-17 {
            sum += term;
            j += 1;
            term *= t / f64::from(j);
        }
        return libm::exp(-t) * sum;
    }
    let polynomial = if k == 2 { 1.0 + t } else { 1.0 + t + t * t / 2.0 };
    1.0 - polynomial * libm::exp(-t)
}

/// `a e^-b` that is zero, not NaN, when `b` is infinite.
pub fn times_exp_neg(a: f64, b: f64) -> f64 {
    if b == f64::INFINITY { 0.0 } else { a * libm::exp(-b) }
}

/// `x y` with `0 * inf = 0`: a mass that has vanished silences the distance it multiplies.
pub fn finite_product(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 { 0.0 } else { x * y }
}

/// The regularised incomplete beta function `I_x(a, b)` for positive `a` and `b`, with `y = 1 - x` as exactly as it is
/// known, by the continued fraction of the side where it converges fast.
///
/// # Example
/// ```
/// use inbounds_core::special::incomplete_beta;
/// // P(at least 2 heads of 3) = I_{1/2}(2, 2).
/// assert!((incomplete_beta(2.0, 2.0, 0.5, 0.5) - 0.5).abs() < 1e-15);
/// ```
pub fn incomplete_beta(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x <= 0.0 || y <= 0.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    let ln_front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log(y);
    let front = libm::exp(ln_front);
    if x < (a + 1.0) / (a + b + 2.0) { front * fraction(a, b, x) / a } else { 1.0 - front * fraction(b, a, y) / b }
}

/// Lentz's evaluation of the continued fraction (DLMF 8.17.22).
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let nonzero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut c, mut d) = (1.0, 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0)));
    let mut result = d;
    for m in 1..100_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / nonzero(1.0 + term * d);
            c = nonzero(1.0 + term / c);
            change = c * d;
            result *= change;
        }
        if (change - 1.0).abs() < 1e-16 {
            break;
        }
    }
    result
}
