//! Contracts that every law, bounding and mechanism keeps, over tiny and huge scales.

use inbounds_core::{Epsilon, Guarantee, Rational, Sensitivity, StepRange};
use inbounds_mechanisms::{
    law::{DiscreteLaplace, Laplace, Noise},
    registry,
};

fn laws() -> Vec<(String, Box<dyn Noise>, f64)> {
    let mut laws: Vec<(String, Box<dyn Noise>, f64)> = Vec::new();
    for scale in [1e-9, 0.7, 1.0, 30.0, 1e12] {
        laws.push((format!("Laplace({scale})"), Box::new(Laplace::with_scale(scale).expect("positive")), scale));
    }
    for tau in ["1e-9", "0.01", "0.5", "1", "7"] {
        let law = DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("admissible");
        let scale = law.scale();
        laws.push((format!("DiscreteLaplace({tau})"), Box::new(law), scale));
    }
    laws
}

#[test]
fn distribution_and_survival_functions_are_complementary_and_monotone() {
    for (name, law, scale) in laws() {
        let points = [-400.0, -30.0, -3.0, -1.0, -0.01, 0.0, 0.01, 1.0, 3.0, 30.0, 400.0].map(|x| x * scale);
        for x in points {
            assert!((law.cdf(x) + law.sf(x) - 1.0).abs() < 1e-15, "{name} at {x}");
        }
        assert!(points.windows(2).all(|pair| law.cdf(pair[0]) <= law.cdf(pair[1])), "{name}");
        assert_eq!((law.cdf(f64::INFINITY), law.sf(f64::INFINITY)), (1.0, 0.0), "{name}");
        assert_eq!((law.cdf(f64::NEG_INFINITY), law.sf(f64::NEG_INFINITY)), (0.0, 1.0), "{name}");
        assert!(law.sf(400.0 * scale) > 0.0, "{name}: the far tail is not a subtraction");
    }
}

#[test]
fn quantile_inverts_the_distribution_function() {
    for (name, law, scale) in laws() {
        for p in [1e-300, 1e-9, 0.025, 0.3, 0.5, 0.500001, 0.975, 1.0 - 1e-9] {
            let x = law.quantile(p);
            assert!(law.cdf(x) >= p * (1.0 - 1e-9), "{name} at {p}");
            let before = if law.spacing() > 0.0 { x - law.spacing() } else { x - 1e-6 * scale };
            assert!(law.cdf(before) <= p * (1.0 + 1e-9), "{name} at {p}");
        }
        assert_eq!((law.quantile(0.0), law.quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY), "{name}");
        assert!(law.quantile(-0.1).is_nan() && law.quantile(f64::NAN).is_nan(), "{name}");
    }
}

#[test]
fn one_sided_moments_are_consistent() {
    for (name, law, scale) in laws() {
        let close = |found: f64, expected: f64, what: &str| {
            assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{name} {what}: {found:e} {expected:e}");
        };
        close(law.half_mass(f64::INFINITY), 0.5, "half mass");
        close(2.0 * law.half_second_moment(f64::INFINITY), law.variance(), "second moment");
        close(2.0 * law.capped_second_moment(f64::INFINITY), law.variance(), "uncapped second moment");
        for t in [1.0, 5.0, 60.0].map(|t: f64| (t * scale).ceil()) {
            // E min(N+, t)^2 = E[N^2; N <= t] + t^2 P(N > t), and E(N - 0)+ - E(N - t)+ = E[N; N <= t] + t P(N > t).
            close(law.capped_second_moment(t), law.half_second_moment(t) + t * t * law.sf(t), "capped");
            close(law.excess_between(0.0, t), law.first_moment_between(0.0, t) + t * law.sf(t), "excess");
            let split =
                law.first_moment_between(0.0, (t / 2.0).floor()) + law.first_moment_between((t / 2.0).floor(), t);
            close(split, law.first_moment_between(0.0, t), "additivity");
        }
        assert_eq!(law.first_moment_between(3.0, 3.0), 0.0, "{name}");
        assert_eq!(law.excess_between(f64::INFINITY, f64::INFINITY), 0.0, "{name}");
    }
}

#[test]
fn log_density_integrates_to_one() {
    for (name, law, scale) in laws() {
        let mass: f64 = if law.spacing() > 0.0 {
            if scale > 1e4 {
                continue;
            }
            let reach = (60.0 * scale).ceil() as i64;
            (-reach..=reach).map(|k| law.ln_density(k as f64).exp()).sum()
        } else {
            let step = scale / 1000.0;
            (-60_000..60_000).map(|k| law.ln_density((k as f64 + 0.5) * step).exp() * step).sum()
        };
        assert!((mass - 1.0).abs() < 1e-6, "{name}: {mass}");
    }
    let lattice = DiscreteLaplace::with_inverse_scale(Rational::ONE).expect("admissible");
    assert_eq!(lattice.ln_density(0.5), f64::NEG_INFINITY);
}

#[test]
fn laws_refuse_what_is_no_scale() {
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Laplace::with_scale(scale).is_err(), "{scale}");
    }
    for tau in ["0", "-1", "1e-31", "1001"] {
        assert!(DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).is_err(), "{tau}");
    }
}

/// Bias and error against sums over the published law, for every registered mechanism and shape of range.
#[test]
fn stated_errors_are_those_of_the_law() {
    let guarantee = Guarantee::Pure { epsilon: Epsilon::new("0.8".parse().expect("number")).expect("positive") };
    let sensitivity = Sensitivity { l1: 2, linf: 2, cells: 1, rule: "contract" };
    for (lower, upper) in [(Some(0), Some(9)), (Some(0), None), (None, Some(4)), (None, None)] {
        let range = StepRange::new(lower, upper).expect("ordered");
        for entry in registry::MECHANISMS {
            let mechanism = entry.calibrate(&guarantee, &sensitivity, range).expect("calibrates");
            let noise = mechanism.noise();
            let mut worst = 0f64;
            for q in lower.unwrap_or(-30)..=upper.unwrap_or(30) {
                // All raw values that matter, those a conditioned law excludes left out.
                let outputs = (q - 400..=q + 400).filter(|y| entry.is_post_processing() || range.clamp(*y) == *y);
                let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
                for y in outputs {
                    let weight = noise.ln_kernel((y - q) as f64).exp();
                    let estimate = mechanism.estimate(y);
                    let error = -estimate.distance_to(q);
                    let rounding = estimate.fraction * (1.0 - estimate.fraction);
                    mass += weight;
                    first += weight * error;
                    second += weight * (error * error + rounding);
                }
                let stated = mechanism.error_at(q);
                assert!((stated.bias - first / mass).abs() < 1e-10, "{} {range:?} at {q}", entry.name);
                assert!((stated.rmse - (second / mass).sqrt()).abs() < 1e-10, "{} {range:?} at {q}", entry.name);
                worst = worst.max(stated.bias.abs());
            }
            assert!((mechanism.worst_bias() - worst).abs() < 1e-10, "{} {range:?}", entry.name);
        }
    }
}
