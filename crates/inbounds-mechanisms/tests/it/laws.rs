//! Contracts that every law of noise keeps, over tiny and huge scales.
//!
//! Figures are compared with the law's own survival function, integrated here without any moment formula; the survival
//! function with the density, and both, for each law, with the reference tables.

use inbounds_core::{CoreError, Rational};
use inbounds_mechanisms::{
    bounding::{Bounding, Clamped, Conditioned, Range},
    law::{Accuracy, Gaussian, GeneralisedGaussian, Laplace, Noise, Staircase},
    noise::{DiscreteCube, DiscreteGaussian, DiscreteLaplace, DiscreteStaircase},
};

/// A law, the distance over which it falls, and one far out at which its tail is still a double.
struct Case {
    name: String,
    law: Box<dyn Noise>,
    scale: f64,
    far: f64,
    /// True if sums of density over a thousand cells a scale, up to sixty scales, must give its mass.
    plain_mass: bool,
}

fn number(text: &str) -> Rational {
    text.parse().expect("number")
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name: String, law: Box<dyn Noise>, scale: f64, far: f64, plain_mass: bool| {
        cases.push(Case { name, law, scale, far: far * scale, plain_mass });
    };
    for scale in [1e-9, 0.7, 1.0, 30.0, 1e12] {
        let (laplace, gaussian) = (Laplace::with_scale(scale), Gaussian::with_std_dev(scale));
        add(format!("Laplace({scale})"), Box::new(laplace.expect("positive")), scale, 400.0, true);
        add(format!("Gaussian({scale})"), Box::new(gaussian.expect("positive")), scale, 37.0, true);
        for (shape, far, plain_mass) in [(0.5, 4e5, false), (1.5, 70.0, true), (4.0, 5.0, true), (100.0, 1.06, true)] {
            let law = GeneralisedGaussian::with_shape_and_scale(shape, scale).expect("admissible");
            add(format!("GeneralisedGaussian({shape}, {scale})"), Box::new(law), scale, far, plain_mass);
        }
        for (epsilon, gamma, plain_mass) in [(0.5, 0.25, true), (3.0, 0.5, true), (1e-6, 0.3, false)] {
            let law = Staircase::new(scale, epsilon, gamma).expect("admissible");
            let fall = f64::max(scale, scale * 0.5 / epsilon);
            add(format!("Staircase({scale}, {epsilon}, {gamma})"), Box::new(law), fall, 200.0, plain_mass);
        }
    }
    for tau in ["1e-9", "0.01", "0.5", "1", "7"] {
        let law = DiscreteLaplace::with_inverse_scale(number(tau)).expect("admissible");
        let scale = law.scale();
        add(format!("DiscreteLaplace({tau})"), Box::new(law), scale, 400.0, true);
    }
    for variance in ["0.01", "0.25", "1", "30", "1600", "1601", "1e6", "1e24"] {
        let law = DiscreteGaussian::with_variance_parameter(number(variance)).expect("admissible");
        let scale = law.sigma_squared().to_f64().sqrt();
        // Below scale one the first steps already are far out.
        add(format!("DiscreteGaussian({variance})"), Box::new(law), scale, if scale < 1.0 { 8.0 } else { 36.0 }, true);
    }
    for (epsilon, sensitivity, high) in [("1", 1, 1), ("0.5", 10, 3), ("3", 100, 30), ("0.001", 7, 7), ("1e-9", 3, 2)] {
        let law = DiscreteStaircase::new(number(epsilon), sensitivity, high).expect("admissible");
        let scale = sensitivity as f64 / law.epsilon().to_f64();
        add(format!("DiscreteStaircase({epsilon}, {sensitivity}, {high})"), Box::new(law), scale, 400.0, true);
    }
    for (tau, dimensions) in [("1e-15", 5), ("1e-9", 2), ("0.003", 3), ("0.01", 40), ("0.5", 1), ("1", 4), ("7", 3)] {
        let law = DiscreteCube::new(number(tau), dimensions, 1).expect("admissible");
        let scale = (dimensions as f64 + 1.0) / law.tau();
        add(
            format!("DiscreteCube({tau}, {dimensions})"),
            Box::new(law),
            scale,
            400.0 / (dimensions as f64 + 1.0),
            true,
        );
    }
    for (tau, dimensions, parts) in
        [("1e-9", 3, 999_999_999u64), ("1e-14", 2, 1_234_567), ("0.01", 3, 55), ("1e-12", 7, 5)]
    {
        let law = DiscreteCube::new(number(tau), dimensions, parts).expect("admissible");
        let scale = (dimensions as f64 + 1.0) / law.tau();
        let name = format!("DiscreteCube({tau}, {dimensions}, {parts})");
        add(name, Box::new(law), scale, 400.0 / (dimensions as f64 + 1.0), true);
    }
    cases
}

#[test]
fn distribution_and_survival_functions_are_complementary_and_monotone() {
    for Case { name, law, scale, far, .. } in cases() {
        let points = [-400.0, -30.0, -3.0, -1.0, -0.01, 0.0, 0.01, 1.0, 3.0, 30.0, 400.0].map(|x| x * scale);
        for x in points {
            assert!((law.cdf(x) + law.sf(x) - 1.0).abs() < 1e-14, "{name} at {x}");
        }
        assert!(points.windows(2).all(|pair| law.cdf(pair[0]) <= law.cdf(pair[1])), "{name}");
        assert!(law.sf(far) > 0.0, "{name}: the far tail is not a subtraction");
        assert!(law.cdf(-far) > 0.0, "{name}: the far tail is not a subtraction");
    }
}

#[test]
fn infinities_and_nan_are_answered() {
    for Case { name, law, .. } in cases() {
        assert_eq!((law.cdf(f64::INFINITY), law.sf(f64::INFINITY)), (1.0, 0.0), "{name}");
        assert_eq!((law.cdf(f64::NEG_INFINITY), law.sf(f64::NEG_INFINITY)), (0.0, 1.0), "{name}");
        assert_eq!((law.quantile(0.0), law.quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY), "{name}");
        let nan = f64::NAN;
        for value in [law.quantile(-0.1), law.quantile(1.1), law.quantile(nan), law.cdf(nan), law.sf(nan)] {
            assert!(value.is_nan(), "{name}");
        }
        for value in [law.half_mass(nan), law.half_second_moment(nan), law.capped_second_moment(nan)] {
            assert!(value.is_nan(), "{name}");
        }
        assert_eq!((law.half_second_moment(0.0), law.capped_second_moment(0.0)), (0.0, 0.0), "{name}");
        for end in [0.0, 3.0, f64::INFINITY] {
            assert_eq!((law.first_moment_between(end, end), law.excess_between(end, end)), (0.0, 0.0), "{name}");
        }
    }
}

/// Where one step is lost in a double the search for a quantile still ends.
#[test]
fn quantiles_of_the_widest_scales_are_found() {
    for scale in ["3e15", "1e17", "1e30"] {
        let scale: Rational = scale.parse().expect("number");
        let noise = DiscreteLaplace::with_inverse_scale(&Rational::ONE / &scale).expect("admissible");
        for p in [1e-18, 0.025, 0.3, 0.7, 0.975] {
            assert!((noise.cdf(noise.quantile(p)) / p - 1.0).abs() < 1e-12, "{scale} {p}");
        }
    }
}

#[test]
fn quantile_inverts_the_distribution_function() {
    for Case { name, law, scale, .. } in cases() {
        for p in [1e-300, 1e-9, 0.025, 0.3, 0.5, 0.500001, 0.975, 1.0 - 1e-9] {
            let x = law.quantile(p);
            assert!(law.cdf(x) >= p * (1.0 - 1e-9), "{name} at {p}");
            let before = if law.spacing() > 0.0 { x - law.spacing() } else { x - 1e-6 * scale };
            assert!(law.cdf(before) <= p * (1.0 + 1e-9), "{name} at {p}");
        }
    }
}

#[test]
fn one_sided_moments_are_consistent() {
    for Case { name, law, scale, .. } in cases() {
        let close = |computed: f64, expected: f64, label: &str| {
            assert!((computed - expected).abs() <= 1e-12 * expected.abs(), "{name} {label}: {computed:e} {expected:e}");
        };
        close(law.half_mass(f64::INFINITY), 0.5, "half mass");
        close(2.0 * law.half_second_moment(f64::INFINITY), law.variance(), "second moment");
        close(2.0 * law.capped_second_moment(f64::INFINITY), law.variance(), "uncapped second moment");
        for t in [1.0, 5.0, 60.0].map(|t: f64| (t * scale).ceil()) {
            // E min(N+, t)^2 = E[N^2; N <= t] + t^2 P(N > t), and E(N - 0)+ - E(N - t)+ = E[N; N <= t] + t P(N > t).
            close(law.capped_second_moment(t), law.half_second_moment(t) + t * t * law.sf(t), "capped");
            close(law.excess_between(0.0, t), law.first_moment_between(0.0, t) + t * law.sf(t), "excess");
            let half = (t / 2.0).floor();
            let moment = |s, t| law.first_moment_between(s, t);
            close(moment(0.0, half) + moment(half, t), moment(0.0, t), "additivity");
            let excess = |s, t| law.excess_between(s, t);
            close(excess(0.0, half) + excess(half, t), excess(0.0, t), "additivity of the excess");
            close(law.half_mass(t) + law.sf(t), 0.5, "mass and tail");
        }
    }
}

/// Every moment against sums over the survival function: on small lattices point by point, else over thin cells.
#[test]
fn moments_are_those_of_the_survival_function() {
    for Case { name, law, scale, .. } in cases() {
        for (from, to) in [(0.0, 3.0), (0.5, 1.0), (2.0, 2.25)] {
            let (s, t) = ((from * scale).ceil(), (to * scale).ceil());
            let (s, t) = if law.spacing() > 0.0 { (s, t) } else { (from * scale, to * scale) };
            let step = if law.spacing() > 0.0 && scale < 1e4 { 1.0 } else { (t - s) / 20_000.0 };
            let cells = ((t - s) / step).round() as usize;
            let at = |cell: usize| s + cell as f64 * step;
            // Where a cell's mass lies: at its end on a small lattice, in its middle elsewhere.
            let place = |cell: usize| if step == 1.0 { at(cell + 1) } else { at(cell) + 0.5 * step };
            let tails: Vec<f64> = (0..=cells).map(|cell| law.sf(at(cell))).collect();
            let sum = |term: &dyn Fn(usize) -> f64| -> f64 { (0..cells).map(term).sum() };
            let first = sum(&|cell| (tails[cell] - tails[cell + 1]) * place(cell));
            let second = sum(&|cell| (tails[cell] - tails[cell + 1]) * place(cell) * place(cell));
            let middle = |cell: usize| if step == 1.0 { tails[cell] } else { 0.5 * (tails[cell] + tails[cell + 1]) };
            let excess = sum(&|cell| middle(cell) * step);
            let capped = sum(&|cell| middle(cell) * step * (at(cell) + at(cell + 1)));
            let second_between = law.half_second_moment(t) - law.half_second_moment(s);
            let capped_between = law.capped_second_moment(t) - law.capped_second_moment(s);
            for (computed, expected, label) in [
                (law.first_moment_between(s, t), first, "first"),
                (second_between, second, "second"),
                (law.excess_between(s, t), excess, "excess"),
                (capped_between, capped, "capped"),
            ] {
                let error = (computed - expected).abs();
                assert!(error <= 1e-6 * expected.abs() + 1e-12, "{name} {label} {s} {t}: {computed:e} {expected:e}");
            }
        }
    }
}

#[test]
fn log_density_integrates_to_one() {
    for Case { name, law, scale, plain_mass, .. } in cases() {
        let mass: f64 = if law.spacing() > 0.0 {
            if scale > 1e4 {
                continue;
            }
            let reach = (60.0 * scale).ceil() as i64;
            (-reach..=reach).map(|k| law.ln_density(k as f64).exp()).sum()
        } else {
            if !plain_mass {
                continue;
            }
            let step = scale / 1000.0;
            (-60_000..60_000).map(|k| law.ln_density((k as f64 + 0.5) * step).exp() * step).sum()
        };
        assert!((mass - 1.0).abs() < 1e-6, "{name}: {mass}");
    }
}

/// Slope of the distribution function on the line, its jumps on a lattice.
#[test]
fn density_is_the_derivative_of_the_distribution_function() {
    for Case { name, law, scale, .. } in cases() {
        let mut seen = 0;
        for x in [0.013, 0.3, 0.9, 1.7, 2.6].map(|x| x * scale) {
            let (x, step, width) =
                if law.spacing() > 0.0 { (x.ceil(), 1.0, 1.0) } else { (x, 1e-5 * scale, 2e-5 * scale) };
            let (low, high) = if law.spacing() > 0.0 { (x - step, x) } else { (x - step, x + step) };
            let jumps = law.spacing() == 0.0 && (law.ln_density(low) - law.ln_density(high)).abs() > 0.01;
            if jumps {
                continue;
            }
            seen += 1;
            let mass = law.ln_density(x).exp() * width;
            for slope in [law.sf(low) - law.sf(high), law.sf(-high - law.spacing()) - law.sf(-low - law.spacing())] {
                assert!((slope.abs() - mass).abs() < 1e-5 * mass + 1e-15, "{name} at {x}: {slope:e} {mass:e}");
            }
        }
        assert!(seen >= 3, "{name}");
        if law.spacing() > 0.0 {
            assert_eq!(law.ln_density(0.5), f64::NEG_INFINITY, "{name}");
        }
    }
}

/// Shapes 1 and 2 are the Laplace and the Gaussian law, and a staircase of one step is the discrete Laplace law.
#[test]
fn laws_meet_where_they_are_one() {
    let close = |computed: &dyn Noise, expected: &dyn Noise, points: [f64; 4], label: &str| {
        for x in points {
            let next = x + 1.0;
            for (computed, expected) in [
                (computed.ln_density(x), expected.ln_density(x)),
                (computed.sf(x), expected.sf(x)),
                (computed.half_mass(x), expected.half_mass(x)),
                (computed.first_moment_between(x, next), expected.first_moment_between(x, next)),
                (computed.half_second_moment(x), expected.half_second_moment(x)),
                (computed.excess_between(x, next), expected.excess_between(x, next)),
                (computed.capped_second_moment(x), expected.capped_second_moment(x)),
                (computed.quantile(0.01 * x / 3.0), expected.quantile(0.01 * x / 3.0)),
                (computed.variance(), expected.variance()),
            ] {
                assert!(
                    (computed - expected).abs() <= 1e-12 * expected.abs(),
                    "{label} at {x}: {computed:e} {expected:e}"
                );
            }
        }
    };
    let shaped = |shape, scale| GeneralisedGaussian::with_shape_and_scale(shape, scale).expect("admissible");
    let points = [1e-5, 0.5, 3.0, 11.0];
    close(&shaped(1.0, 1.5), &Laplace::with_scale(1.5).expect("positive"), points, "shape 1");
    let gaussian = Gaussian::with_std_dev(1.5).expect("positive");
    close(&shaped(2.0, 1.5 * std::f64::consts::SQRT_2), &gaussian, points, "shape 2");
    let staircase = DiscreteStaircase::new(number("0.7"), 1, 1).expect("admissible");
    let discrete = DiscreteLaplace::with_inverse_scale(number("0.7")).expect("admissible");
    close(&staircase, &discrete, [1.0, 2.0, 5.0, 40.0], "one step");
}

/// On a wide lattice the discrete law is the continuous one; the two ways to sum meet at their border.
#[test]
fn discrete_gaussian_is_continuous_in_its_parameter() {
    let discrete = |variance: &str| DiscreteGaussian::with_variance_parameter(number(variance)).expect("admissible");
    let (below, above) = (discrete("1600"), discrete("1600.0000000001"));
    for (s, t) in [(0.0, f64::INFINITY), (3.0, 450.0), (40.0, 600.0), (130.0, 700.0)] {
        for (computed, expected) in [
            (above.sf(s), below.sf(s)),
            (above.half_mass(t), below.half_mass(t)),
            (above.first_moment_between(s, t), below.first_moment_between(s, t)),
            (above.half_second_moment(t), below.half_second_moment(t)),
            (above.excess_between(s, t), below.excess_between(s, t)),
        ] {
            assert!((computed / expected - 1.0).abs() < 2e-12, "{s} {t}: {computed:e} {expected:e}");
        }
    }
}

#[test]
fn laws_refuse_what_is_no_parameter() {
    let refused = |computed: Result<(), CoreError>| matches!(computed, Err(CoreError::Parameter { .. }));
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refused(Laplace::with_scale(scale).map(drop)), "{scale}");
        assert!(refused(Gaussian::with_std_dev(scale).map(drop)), "{scale}");
        assert!(refused(GeneralisedGaussian::with_shape_and_scale(2.0, scale).map(drop)), "{scale}");
        assert!(refused(GeneralisedGaussian::with_shape_and_scale(scale, 1.0).map(drop)), "{scale}");
        assert!(refused(Staircase::new(scale, 1.0, 0.5).map(drop)), "{scale}");
        assert!(refused(Staircase::new(1.0, scale, 0.5).map(drop)), "{scale}");
        assert!(refused(Staircase::new(1.0, 1.0, scale).map(drop)), "{scale}");
        assert!(refused(Staircase::step_of_least_variance(scale).map(drop)), "{scale}");
    }
    for text in ["0", "-1", "1e-31", "1001"] {
        assert!(refused(DiscreteLaplace::with_inverse_scale(number(text)).map(drop)), "{text}");
        assert!(refused(DiscreteStaircase::new(number(text), 2, 1).map(drop)), "{text}");
    }
    for text in ["0", "-1", "1e-7", "1e31"] {
        assert!(refused(DiscreteGaussian::with_variance_parameter(number(text)).map(drop)), "{text}");
    }
    for (sensitivity, high) in [(0, 0), (0, 1), (3, 0), (3, 4), (u64::MAX, 1)] {
        assert!(refused(DiscreteStaircase::new(Rational::ONE, sensitivity, high).map(drop)), "{sensitivity} {high}");
    }
}

/// Any law serves any bounding: on a half line from its end up, and about the middle of a range.
#[test]
fn boundings_take_every_law() {
    for Case { name, law, scale, .. } in cases() {
        let half_line = Range::new(0.0, f64::INFINITY).expect("ordered");
        let clamped = Clamped::new(&*law, half_line);
        let close = |computed: f64, expected: f64| (computed - expected).abs() <= 1e-12 * expected.abs();
        // E N+, and half of E N^2.
        assert!(close(clamped.bias(0.0), law.first_moment_between(0.0, f64::INFINITY)), "{name}");
        assert!(close(clamped.mse(0.0), law.variance() / 2.0), "{name}");
        let reach = (3.0 * scale).ceil();
        let conditioned = Conditioned::new(&*law, Range::new(-reach, reach).expect("ordered"));
        assert_eq!(conditioned.bias(0.0), 0.0, "{name}");
        assert!(conditioned.mse(0.0) <= law.variance() * (1.0 + 1e-12), "{name}");
        assert!(close(conditioned.mass(0.0), 1.0 - 2.0 * law.sf(reach)), "{name}");
    }
}

/// A figure that is not in closed form has a bound within the contract's tolerance; pointers say what their law says.
#[test]
fn accuracy_is_stated() {
    for Case { name, law, .. } in cases() {
        let numeric =
            ["GeneralisedGaussian", "DiscreteGaussian", "DiscreteCube"].iter().any(|law| name.starts_with(law));
        let accuracy = |law: &dyn Noise| law.accuracy();
        assert_eq!(accuracy(&law), accuracy(&&*law), "{name}");
        match accuracy(&*law) {
            Accuracy::ClosedForm => assert!(!numeric, "{name}"),
            Accuracy::Quadrature { relative_error } => assert!(numeric && relative_error <= 1e-12, "{name}"),
        }
    }
}
