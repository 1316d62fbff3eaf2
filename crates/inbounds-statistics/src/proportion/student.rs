//! Student's t law, for intervals from a handful of releases.

use inbounds_core::root;

/// Degrees of freedom from which the law is normal to the rounding of what is computed here.
const NORMAL: f64 = 1e8;

/// The `t` with `P(|T| > t) = miss` for `0 < miss < 1` and `freedom > 0` degrees of freedom, infinite ones included.
pub(super) fn two_sided(freedom: f64, miss: f64) -> f64 {
    let tail = |t: f64| {
        if freedom >= NORMAL {
            libm::erfc(t / std::f64::consts::SQRT_2)
        } else {
            // By halves, so that 1 - x is not subtracted.
            incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + t * t), t * t / (freedom + t * t))
        }
    };
    let mut high = 1.0;
    while tail(high) > miss && high < 1e150 {
        high *= 2.0;
    }
    root::bisect(0.0, high, |t| tail(t) > miss).1
}

/// `I_x(a, b)` with `y = 1 - x`, by the continued fraction of the side where it converges fast.
fn incomplete_beta(a: f64, b: f64, x: f64, y: f64) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::two_sided;

    #[test]
    fn quantiles_of_the_tables() {
        for (freedom, quantile) in [
            (1.0, 12.706_204_736_432_095),
            (2.0, 4.302_652_729_911_275),
            (4.0, 2.776_445_105_198_165_5),
            (30.0, 2.042_272_456_301_238),
            (1e5, 1.959_987_708_215_137),
            (f64::INFINITY, 1.959_963_984_540_054),
        ] {
            let found = two_sided(freedom, 0.05);
            assert!((found / quantile - 1.0).abs() < 1e-9, "{freedom}: {found}");
        }
    }
}
