//! The log-Laplace law, and the certificate of its scale.

use inbounds_core::{CoreError, Enclosure, Epsilon, Rational};
use inbounds_mechanisms::law::{LogLaplace, Moment};

const BITS: usize = 256;

fn epsilon(text: &str) -> Epsilon {
    Epsilon::new(text.parse().expect("number")).expect("positive")
}

/// True if `scale * epsilon >= log(1 + K)`, proved by enclosures.
fn keeps(scale: f64, epsilon: &Epsilon, change: &Rational) -> bool {
    let product = &Rational::from_f64(scale).expect("finite") * epsilon.value();
    let factor = Enclosure::from_rational(&(&Rational::ONE + change), BITS);
    Enclosure::exp_neg(&product, BITS).mul(&factor).certainly_at_most(&Enclosure::one(BITS))
}

#[test]
fn scale_is_the_smallest_double_that_keeps_epsilon() {
    for epsilon in ["1e-12", "0.1", "1", "7/3", "1000"].map(epsilon) {
        for change in ["1e-9", "0.01", "0.1", "1", "1/3", "1000", "1e9"] {
            let change: Rational = change.parse().expect("number");
            let scale = LogLaplace::scale_for(&epsilon, &change).expect("admissible");
            assert!(keeps(scale, &epsilon, &change), "{epsilon} {change}");
            assert!(!keeps(scale.next_down(), &epsilon, &change), "{epsilon} {change}: not the smallest");
        }
    }
    let refused = |change: &str| LogLaplace::scale_for(&epsilon("1"), &change.parse().expect("number"));
    assert!(["0", "-0.5", "1e-10", "1e10"].map(refused).iter().all(|r| matches!(r, Err(CoreError::Parameter { .. }))));
    assert!(LogLaplace::scale_for(&epsilon("1e-13"), &Rational::ONE).is_err());
}

/// The log ratio of densities of neighbours, scanned over outputs: at most epsilon, attained, and above it for the
/// scale `K / (2 epsilon)`, which is too small.
#[test]
fn loss_is_at_most_epsilon_and_attains_it() {
    for (rate, change) in [(0.1, 0.01), (1.0, 0.5), (3.0, 1.0)] {
        let epsilon = Epsilon::new(Rational::from_f64(rate).expect("finite")).expect("positive");
        let scale = LogLaplace::scale_for(&epsilon, &Rational::from_f64(change).expect("finite")).expect("admissible");
        let worst_loss = |scale: f64| {
            let law = |center: f64| LogLaplace::new(center, scale).expect("positive");
            let (low, high) = (law(7.0), law(7.0 * (1.0 + change)));
            let outputs = (-4000..=4000).map(|i| 7.0 * libm::exp(f64::from(i) * 0.01));
            outputs.map(|x| (low.ln_density(x) - high.ln_density(x)).abs()).fold(0.0, f64::max)
        };
        assert!((worst_loss(scale) / rate - 1.0).abs() < 1e-10, "{rate} {change}");
        assert!(worst_loss(0.5 * change / rate) > 1.2 * rate, "{rate} {change}: the scan is blind");
    }
}

#[test]
fn contract_of_the_law() {
    for (center, scale) in [(1.0, 0.3), (1e9, 0.01), (1e-6, 2.0), (3.7, 0.9)] {
        let law = LogLaplace::new(center, scale).expect("positive");
        assert_eq!((law.median(), law.quantile(0.5)), (center, center));
        assert_eq!((law.quantile(0.0), law.quantile(1.0)), (0.0, f64::INFINITY));
        assert!(law.quantile(1.5).is_nan() && law.cdf(f64::NAN).is_nan() && law.density(f64::NAN).is_nan());
        for x in [0.0, -1.0, f64::NEG_INFINITY] {
            assert_eq!((law.cdf(x), law.sf(x), law.density(x)), (0.0, 1.0, 0.0), "{x}");
        }
        assert_eq!((law.cdf(f64::INFINITY), law.sf(f64::INFINITY), law.density(f64::INFINITY)), (1.0, 0.0, 0.0));
        for p in [1e-100, 1e-6, 0.2, 0.7, 0.999] {
            let x = law.quantile(p);
            assert!((law.cdf(x) / p - 1.0).abs() < 1e-11 && (law.cdf(x) + law.sf(x) - 1.0).abs() < 1e-15, "{p}");
            let step = 1e-6 * x * scale;
            let slope = (law.cdf(x + step) - law.cdf(x - step)) / (2.0 * step);
            assert!((slope / law.density(x) - 1.0).abs() < 1e-6, "{center} {scale} {p}");
        }
    }
    for (center, scale) in [(0.0, 1.0), (-1.0, 1.0), (f64::NAN, 1.0), (1.0, 0.0), (1.0, f64::INFINITY)] {
        assert!(LogLaplace::new(center, scale).is_err(), "{center} {scale}");
    }
}

/// Moments against sums over the quantiles of equal steps in log x, and the factors against their definition.
#[test]
fn moments_are_those_of_the_law() {
    let law = LogLaplace::new(2.0, 0.2).expect("positive");
    // Cells of a thousandth of the scale in log x, to where x^2 times the mass no longer counts.
    let sum = |f: &dyn Fn(f64) -> f64| -> f64 {
        let edge = |i: i32| 2.0 * libm::exp(f64::from(i) * 2e-4);
        (-60_000..60_000).map(|i| f(edge(i) * 1.0001) * (law.sf(edge(i)) - law.sf(edge(i + 1)))).sum()
    };
    let is = |moment: Moment, expected: f64| match moment {
        Moment::Finite(computed) => assert!((computed / expected - 1.0).abs() < 1e-6, "{computed} {expected}"),
        Moment::Infinite => panic!("infinite"),
    };
    is(law.mean(), sum(&|x| x));
    is(law.bias(), sum(&|x| x - 2.0));
    is(law.mse(), sum(&|x| (x - 2.0) * (x - 2.0)));
    let error = |factor: f64| sum(&|x| (factor * x - 2.0) * (factor * x - 2.0));
    let best = law.least_mse_factor().expect("finite");
    assert!(error(best) < error(best * 1.001) && error(best) < error(best * 0.999));
    assert!((sum(&|x| law.unbiased_factor().expect("finite") * x) / 2.0 - 1.0).abs() < 1e-6);
    assert_eq!(LogLaplace::new(1.0, 1.0).expect("positive").mean(), Moment::Infinite);
    assert_eq!(LogLaplace::new(1.0, 0.5).expect("positive").mse(), Moment::Infinite);
}
