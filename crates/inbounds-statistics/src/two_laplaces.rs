//! The law of `X + Y` for independent Laplace variables of scales `b1`, `b2`.

/// Below this relative difference of the scales the confluent form is used, at the larger scale.
const CONFLUENT: f64 = 1e-5;

/// `P(|X + Y| > v) = (b1^2 e^(-v/b1) - b2^2 e^(-v/b2)) / (b1^2 - b2^2)`, and `(1 + v/(2b)) e^(-v/b)` for equal scales.
pub(crate) fn tail(first: f64, second: f64, v: f64) -> f64 {
    let (large, small) = (first.max(second), first.min(second));
    if small <= 0.0 {
        return libm::exp(-v / large);
    }
    if large - small <= CONFLUENT * large {
        return (1.0 + v / (2.0 * large)) * libm::exp(-v / large);
    }
    let share = |b: f64| b * b * libm::exp(-v / b);
    (share(large) - share(small)) / ((large - small) * (large + small))
}

#[cfg(test)]
mod tests {
    use inbounds_core::root;

    use super::*;

    /// The `v` with `P(|X + Y| > v) = miss`.
    fn radius(first: f64, second: f64, miss: f64) -> f64 {
        let high = (first + second) * (2.0 - libm::log(miss)) * 2.0;
        root::bisect(0.0, high, |v| tail(first, second, v) > miss).1
    }

    #[test]
    fn tail_agrees_with_quadrature() {
        for (b1, b2) in [(1.0, 0.3), (2.0, 2.0), (2.0, 2.0 + 1e-7), (5.0, 0.01)] {
            for v in [0.0, 0.4, 3.0, 11.0] {
                // P(|X + Y| > v) = E over X of the two tails of Y.
                let step = b1 / 2000.0;
                let y = |t: f64| if t >= 0.0 { 0.5 * (-t / b2).exp() } else { 1.0 - 0.5 * (t / b2).exp() };
                let sum: f64 = (-80_000..80_000)
                    .map(|i| {
                        let x = (f64::from(i) + 0.5) * step;
                        (y(v - x) + y(v + x)) * (-x.abs() / b1).exp() / (2.0 * b1) * step
                    })
                    .sum();
                assert!((tail(b1, b2, v) - sum).abs() < 1e-5, "{b1} {b2} {v}: {} {sum}", tail(b1, b2, v));
            }
        }
    }

    #[test]
    fn radius_inverts_and_grows_no_faster_than_its_asymptote() {
        let slope = radius(0.0, 1.0, 0.05);
        assert!((slope - 20f64.ln()).abs() < 1e-12);
        let radii: Vec<f64> = (0..400).map(|i| radius(1.0, f64::from(i) * 0.05, 0.05)).collect();
        for (i, pair) in radii.windows(2).enumerate() {
            assert!(pair[1] >= pair[0] && pair[1] - pair[0] <= slope * 0.05 * (1.0 + 1e-9), "at {i}");
        }
        assert!((tail(1.0, 0.7, radius(1.0, 0.7, 0.05)) - 0.05).abs() < 1e-12);
    }
}
