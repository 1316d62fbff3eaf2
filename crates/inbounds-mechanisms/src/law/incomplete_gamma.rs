//! The regularised incomplete gamma functions `P(a, x)` and `Q(a, x) = 1 - P(a, x)`, each to full relative accuracy.
//!
//! For `0 < a <= 30` and any `x >= 0` the relative error is below `1e-13`, in the lower tail of `P` and in the upper
//! tail of `Q` alike, as long as the value is a normal double; `refs/tables/laws.json` holds it to that. Callers pass
//! `x^a` beside `x`: they know it better, and as a double even where `x` itself is too small for one.

/// Beyond this `Q` is below the smallest double for every admissible `a`.
const VANISHED: f64 = 2000.0;

/// `P(a, x) = 1/Gamma(a) * integral of y^(a - 1) e^-y over [0, x]`.
pub(super) fn lower(a: f64, x: f64, power: f64) -> f64 {
    if x < border(a) { weight(a, x, power) * power_series(a, x) } else { 1.0 - upper(a, x, power) }
}

/// `Q(a, x) = 1/Gamma(a) * integral of y^(a - 1) e^-y over [x, inf]`.
pub(super) fn upper(a: f64, x: f64, power: f64) -> f64 {
    if x > VANISHED {
        0.0
    } else if x >= border(a) {
        a * weight(a, x, power) * continued_fraction(a, x)
    } else if a < 1.0 {
        upper_of_small_shape(a, x, power)
    } else {
        1.0 - weight(a, x, power) * power_series(a, x)
    }
}

/// Where the series of `P` hands over to the continued fraction of `Q`: there neither is near one.
fn border(a: f64) -> f64 {
    if a < 1.0 { 1.0 } else { a + 1.0 }
}

/// `x^a e^-x / Gamma(a + 1)`; the exponential in two halves, so that it does not vanish before the product does.
fn weight(a: f64, x: f64, power: f64) -> f64 {
    let half = libm::exp(-0.5 * x);
    half * (power / libm::tgamma(a + 1.0)) * half
}

/// `sum_n x^n / ((a + 1) ... (a + n))`, all terms positive.
fn power_series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (1.0, 1.0, 1.0);
    while term > sum * 1e-18 {
        term *= x / (a + n);
        sum += term;
        n += 1.0;
    }
    sum
}

/// `1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...)))` by the modified Lentz method.
fn continued_fraction(a: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let mut c = f64::INFINITY;
    let mut d = 1.0 / b;
    let mut value = d;
    for n in 1..1000 {
        let n = f64::from(n);
        let numerator = -n * (n - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        let factor = c * d;
        value *= factor;
        if (factor - 1.0).abs() < 2e-16 {
            break;
        }
    }
    value
}

/// `Q` for `a < 1` and `x < 1`, where `1 - P` would cancel as `a` goes to zero:
/// `1 - x^a/Gamma(1 + a) + a x^a/Gamma(1 + a) * sum_{n >= 1} (-1)^(n + 1) x^n / (n! (a + n))`.
fn upper_of_small_shape(a: f64, x: f64, power: f64) -> f64 {
    let log_power = libm::log(power) - libm::lgamma(1.0 + a);
    let (mut term, mut sum, mut n) = (x, 0.0, 1.0);
    while term > 0.0 && term > 1e-18 * x {
        let sign = if n % 2.0 == 1.0 { 1.0 } else { -1.0 };
        sum += sign * term / (a + n);
        n += 1.0;
        term *= x / n;
    }
    a * libm::exp(log_power) * sum - libm::expm1(log_power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(a: f64, x: f64) -> (f64, f64) {
        (lower(a, x, libm::pow(x, a)), upper(a, x, libm::pow(x, a)))
    }

    /// `Q(1, x) = e^-x`, `Q(2, x) = (1 + x) e^-x`, `Q(1/2, x) = erfc(sqrt x)`.
    #[test]
    fn closed_forms() {
        for x in [1e-9, 0.3, 0.999, 1.0, 1.5, 2.0, 7.0, 50.0, 300.0, 700.0] {
            let cases = [
                (1.0, libm::exp(-x), -libm::expm1(-x)),
                (2.0, (1.0 + x) * libm::exp(-x), f64::NAN),
                (0.5, libm::erfc(libm::sqrt(x)), libm::erf(libm::sqrt(x))),
            ];
            for (a, above, below) in cases {
                let (lower, upper) = both(a, x);
                assert!((upper / above - 1.0).abs() < 3e-13, "Q({a}, {x})");
                assert!(below.is_nan() || (lower / below - 1.0).abs() < 1e-14, "P({a}, {x})");
            }
        }
    }

    #[test]
    fn ends() {
        for a in [0.01, 0.5, 1.0, 30.0] {
            assert_eq!(both(a, 0.0), (0.0, 1.0), "{a}");
            assert_eq!(both(a, f64::INFINITY), (1.0, 0.0), "{a}");
        }
    }
}
