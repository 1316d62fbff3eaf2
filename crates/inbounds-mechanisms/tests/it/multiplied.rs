//! Noise that is multiplied: its privacy loss, errors and intervals, by enumeration and by draws.

use std::sync::Arc;

use inbounds_core::{Delta, Epsilon, Guarantee, Sensitivity, StepRange};
use inbounds_mechanisms::{
    calibrate::CalibrationError,
    law::{LogLaplace, Moment, Noise},
    mechanism::{Mechanism, StepValue},
    noise::{DiscreteLogLaplace, GridNoise},
    posterior::Prior,
    registry,
    sampler::SeededEntropy,
};

fn pure(epsilon: &str) -> Guarantee {
    Guarantee::Pure { epsilon: Epsilon::new(epsilon.parse().expect("number")).expect("positive") }
}

fn moved(l1: u128, linf: u128, cells: u64) -> Sensitivity {
    Sensitivity { l1, linf, cells, rule: "test", squares: None }
}

fn range(lower: i128, upper: Option<i128>) -> StepRange {
    StepRange::new(Some(lower), upper).expect("ordered")
}

fn mechanism(epsilon: &str, l1: u128, range: StepRange) -> Result<Arc<dyn Mechanism>, CalibrationError> {
    registry::find("log-laplace").expect("registered").calibrate(&pure(epsilon), &moved(l1, l1, 1), range)
}

fn law(mechanism: &dyn Mechanism) -> &DiscreteLogLaplace {
    match mechanism.noise() {
        GridNoise::LogLaplace(law) => law,
        other => panic!("{other:?}"),
    }
}

/// The place of an answer counted up from the lower end, by logarithms in doubles: cells next to an edge are left out.
fn place_by_logarithm(law: &DiscreteLogLaplace, answer: i128) -> Option<i128> {
    let cells = (answer as f64 / law.lower() as f64).ln() / law.cell().to_f64();
    ((cells - cells.round()).abs() > 1e-6).then(|| cells.floor() as i128)
}

/// Every pair of neighbours of short ranges, by the places that are computed: no noisy place, hence nothing that is
/// published, loses more than epsilon, and a pair loses 0.999 of it. The loss of noisy places is `tau` a place,
/// attained beyond the two of them. Claim: `log-laplace-places`.
#[test]
fn no_place_loses_more_than_epsilon_and_little_is_left() {
    for (epsilon, l1, lower, upper) in [
        ("0.1", 1u128, 1i128, Some(400)),
        ("1", 1, 1, Some(400)),
        ("3", 1, 20, None),
        ("1", 7, 3, Some(60)),
        ("0.5", 50, 1000, Some(2500)),
        ("2", 400, 3, Some(500)),
        ("5", 1, 100_000, Some(100_900)),
    ] {
        let mechanism = mechanism(epsilon, l1, range(lower, upper)).expect("calibrates");
        let law = law(&*mechanism);
        let answers: Vec<i128> = (lower..=upper.unwrap_or(lower + 800)).collect();
        let places: Vec<i128> = answers.iter().map(|answer| law.place(*answer)).collect();
        for (answer, place) in answers.iter().zip(&places) {
            assert!(place_by_logarithm(law, *answer).is_none_or(|other| other == *place), "{answer}: {place}");
        }
        let mut most = 0;
        for (index, place) in places.iter().enumerate() {
            for other in places.iter().skip(index).take(l1 as usize + 1) {
                most = most.max(other - place);
            }
        }
        let tau = law.places().inverse_scale().to_f64();
        let (loss, epsilon): (f64, f64) = (most as f64 * tau, epsilon.parse().expect("number"));
        assert!(loss <= epsilon * (1.0 + 1e-12) && loss >= 0.999 * epsilon, "{l1} {lower} {upper:?}: {loss}");
        // A scale for the relative change that is half as large is rejected by the same enumeration.
        let finer = DiscreteLogLaplace::for_range(&pure("1"), &moved(l1, l1, 1), range(2 * lower, None));
        if let Ok(finer) = finer {
            let halved = finer.places().inverse_scale().to_f64();
            let change = (l1 as f64 / lower as f64).ln_1p() / finer.cell().to_f64();
            assert!(change.ceil() * halved > 1.001, "{l1} {lower}: {change}");
        }
    }
}

/// A change that is spread over several cells moves all places together by no more than is calibrated for, at every way
/// to spread it.
#[test]
fn changes_of_several_answers_are_covered() {
    for (l1, linf, cells, lower) in [(2u128, 1u128, 2u64, 1i128), (5, 3, 2, 4), (6, 6, 3, 2), (9, 4, 4, 7)] {
        let sensitivity = moved(l1, linf, cells);
        let law = DiscreteLogLaplace::for_range(&pure("4"), &sensitivity, range(lower, Some(90))).expect("calibrates");
        let places: Vec<i128> = (lower..=90).map(|answer| law.place(answer)).collect();
        // The furthest that a change of `d` moves a place.
        let furthest = |d: usize| (d..places.len()).map(|index| places[index] - places[index - d]).max().expect("some");
        let single: Vec<i128> = (0..=linf as usize).map(furthest).collect();
        let mut best = vec![0i128; l1 as usize + 1];
        for _ in 0..cells {
            let before = best.clone();
            for total in 0..=l1 as usize {
                for (d, moved) in single.iter().enumerate().take(total + 1) {
                    best[total] = best[total].max(before[total - d] + moved);
                }
            }
        }
        let loss = *best.last().expect("some") as f64 * law.places().inverse_scale().to_f64();
        assert!((0.8 * 4.0..=4.0 * (1.0 + 1e-12)).contains(&loss), "{l1} {linf} {cells} {lower}: {loss}");
    }
}

/// Published masses of small ranges, summed over places with the rounding: no output distinguishes neighbours by more
/// than epsilon, those of a law for half the noise do, and the likelihood is these masses.
#[test]
fn published_masses_keep_epsilon() {
    for (epsilon, upper) in [("0.7", Some(12)), ("2", Some(12)), ("2", None)] {
        let mechanism = mechanism(epsilon, 1, range(1, upper)).expect("calibrates");
        let masses = |q: i128, tau_by: f64| -> Vec<f64> {
            let law = law(&*mechanism);
            let tau = tau_by * law.places().tau();
            let (mut masses, place) = (vec![0.0; 3000], law.place(q));
            let far = (50.0 / tau) as i128;
            for noise in -far..=far {
                let value = law.value(place + noise).min(2990.0);
                let (floor, part) = (value.floor() as usize, value.fract());
                let mass = (tau / 2.0).tanh() * (-tau * (noise as f64).abs()).exp();
                masses[floor] += mass * (1.0 - part);
                masses[floor + 1] += mass * part;
            }
            masses
        };
        let most = |tau_by: f64| {
            let laws: Vec<Vec<f64>> = (1..=12).map(|q| masses(q, tau_by)).collect();
            let ratio = |a: &Vec<f64>, b: &Vec<f64>| {
                let pairs = a.iter().zip(b).take(2900).filter(|(a, b)| **a > 1e-12 && **b > 1e-12);
                pairs.map(|(a, b)| (a / b).ln().abs()).fold(0.0, f64::max)
            };
            laws.windows(2).map(|pair| ratio(&pair[0], &pair[1])).fold(0.0, f64::max)
        };
        let exact: f64 = epsilon.parse().expect("number");
        let (loss, wrong) = (most(1.0), most(2.0));
        assert!(loss <= exact * (1.0 + 1e-9) && loss > 0.99 * exact, "{epsilon} {upper:?}: {loss}");
        assert!(wrong > 1.5 * exact, "{wrong}");
        for q in [1, 2, 7] {
            for (x, mass) in masses(q, 1.0).iter().enumerate().take(40) {
                let stated = mechanism.ln_likelihood(x as i128, StepValue::whole(q)).exp();
                assert!((stated - mass).abs() <= 1e-9 * mass + 1e-12, "{epsilon} {q} {x}: {stated} {mass}");
            }
        }
    }
}

/// Stated bias and RMSE against sums over all places, at fine and coarse noise, near ends and far from them; and a
/// scale that is wrong by 1 % is detected.
#[test]
fn stated_errors_are_those_of_the_law() {
    for (epsilon, l1, lower, upper) in [
        ("0.4", 1u128, 1i128, Some(50i128)),
        ("2", 1, 1, Some(300)),
        ("3", 1, 1, None),
        ("1", 1, 60, None),
        ("0.05", 1, 1_000_000, Some(1_000_900)),
        ("1", 1 << 30, 1 << 33, Some(1 << 36)),
        ("80", 1, 1, Some(90)),
    ] {
        let mechanism = mechanism(epsilon, l1, range(lower, upper)).expect("calibrates");
        let law = law(&*mechanism);
        let tau = law.places().tau();
        let answers = [lower, lower + 1, 2 * lower, 3 * lower, 40 * lower, upper.unwrap_or(7 * lower)];
        for q in answers.into_iter().filter(|q| upper.is_none_or(|upper| *q <= upper)) {
            let far = ((45.0 / (1.0 - 2.0 * law.log_scale()).max(0.2)) / tau) as i128;
            let clamp = |value: f64| value.max(lower as f64).min(upper.map_or(f64::INFINITY, |upper| upper as f64));
            let (mut bias, mut square, place) = (0.0, 0.0, law.place(q));
            for noise in -far..=far {
                let value = law.value(place + noise);
                let (inside, error) = (clamp(value) == value, clamp(value) - q as f64);
                let mass = (tau / 2.0).tanh() * (-tau * (noise as f64).abs()).exp();
                bias += mass * error;
                square += mass * (error * error + if inside { value.fract() * (1.0 - value.fract()) } else { 0.0 });
            }
            let (stated, rmse) = (mechanism.error_at(q), square.sqrt());
            let case = format!("{epsilon} {l1} {lower} {upper:?} at {q}: {stated:?}, {bias} {rmse}");
            assert!((stated.rmse / rmse - 1.0).abs() < 5e-3, "{case}");
            assert!((stated.bias - bias).abs() < 1e-4 * rmse, "{case}");
        }
    }
}

/// In the limit of fine cells the error far from the ends is that of the log-Laplace law of the paper, corrected for
/// its bias.
#[test]
fn relative_errors_are_those_of_the_continuous_law() {
    for (epsilon, lower) in [("3", 1i128), ("1", 1000), ("0.2", 50_000)] {
        let mechanism = mechanism(epsilon, 1, range(lower, None)).expect("calibrates");
        let relative = mechanism.relative_error().expect("noise that is multiplied");
        let continuous = LogLaplace::new(1.0, relative.log_scale).expect("admissible");
        let factor = continuous.unbiased_factor().expect("a finite mean");
        let Moment::Finite(variance) = continuous.variance() else { panic!("infinite") };
        let rmse = relative.rmse.expect("a finite variance");
        assert!((rmse / (factor * variance.sqrt()) - 1.0).abs() < 1e-9, "{rmse}");
        let far = 10_000_000 * lower;
        let computed = mechanism.error_at(far).rmse / far as f64;
        assert!((computed / rmse - 1.0).abs() < 1e-4, "{epsilon} {lower}: {computed} {rmse}");
    }
}

/// Where one unit may add as much as the smallest answer is, that answer errs 4 % less than with noise that is clamped,
/// and twice that answer more.
#[test]
fn the_smallest_answer_alone_errs_less() {
    let (unit, counts) = (1i128 << 30, range(1 << 30, None));
    let multiplied = mechanism("3", 1 << 30, counts).expect("calibrates");
    let clamped = registry::default().calibrate(&pure("3"), &moved(1 << 30, 1 << 30, 1), counts).expect("calibrates");
    let relative = |mechanism: &dyn Mechanism, answer: i128| mechanism.error_at(answer).rmse / unit as f64;
    assert!((relative(&*multiplied, unit) - 0.3190).abs() < 5e-4, "{}", relative(&*multiplied, unit));
    assert!((relative(&*clamped, unit) - 1.0 / 3.0).abs() < 1e-6);
    assert!(relative(&*multiplied, 2 * unit) > 1.3 * relative(&*clamped, 2 * unit));
}

/// 20,000 draws at each answer: RMSE within 4 %, no bias of the measurement beyond 5 standard errors, and intervals
/// that cover 0.95 of them but for chance. The first two fail with a probability below 1e-5 in all; 19,000 less 220 is
/// 7 standard deviations.
#[test]
fn draws_have_the_stated_errors_and_intervals_cover() {
    for (epsilon, l1, lower, upper) in [("3", 1u128, 1i128, None), ("2", 1, 5, Some(400)), ("0.5", 1000, 80_000, None)]
    {
        let mechanism = mechanism(epsilon, l1, range(lower, upper)).expect("calibrates");
        let mut entropy = SeededEntropy::from_seed(3);
        for q in [lower, 2 * lower, 20 * lower] {
            let draws = mechanism.measure(&vec![q; 20_000], &mut entropy);
            let errors: Vec<f64> = draws.iter().map(|y| -mechanism.estimate(*y).distance_to(q)).collect();
            let runs = errors.len() as f64;
            let rmse = (errors.iter().map(|error| error * error).sum::<f64>() / runs).sqrt();
            let stated = mechanism.error_at(q);
            assert!((rmse / stated.rmse - 1.0).abs() < 0.04, "{epsilon} {q}: {rmse} {stated:?}");
            let bias = errors.iter().sum::<f64>() / runs;
            assert!((bias - stated.bias).abs() < 5.0 * rmse / runs.sqrt(), "{epsilon} {q}: {bias} {stated:?}");
            let raw = draws.iter().map(|y| *y as f64).sum::<f64>() / runs;
            assert!(
                (raw / q as f64 - 1.0).abs() < 6.0 * stated.rmse.max(rmse) / (q as f64 * runs.sqrt()) + 1e-3,
                "{raw} {q}"
            );
            let covered = draws.iter().filter(|y| mechanism.interval(**y, 0.95).contains(q)).count();
            assert!(covered >= 18_780, "{epsilon} {lower} at {q}: {covered}");
            // Near the lower end the range itself covers.
            assert!(q < 20 * lower || covered <= 19_500, "{epsilon} {lower} at {q}: idle, {covered}");
            let held = draws.iter().take(200).all(|y| {
                let (estimate, interval) = (mechanism.estimate(*y), mechanism.interval(*y, 0.95));
                interval.contains(estimate.whole) && mechanism.range().clamp(estimate.whole) == estimate.whole
            });
            assert!(held);
        }
    }
}

/// 100,000 draws where the fourth moment is small: RMSE within 2 %, six standard errors or more.
#[test]
fn narrow_factors_err_as_stated_to_two_percent() {
    for (epsilon, l1, lower) in [("8", 1u128, 1i128), ("0.5", 1000, 80_000)] {
        let mechanism = mechanism(epsilon, l1, range(lower, None)).expect("calibrates");
        let mut entropy = SeededEntropy::from_seed(12);
        for q in [lower, 20 * lower] {
            let draws = mechanism.measure(&vec![q; 100_000], &mut entropy);
            let squares: f64 = draws.iter().map(|y| mechanism.estimate(*y).distance_to(q).powi(2)).sum();
            let (rmse, stated) = ((squares / draws.len() as f64).sqrt(), mechanism.error_at(q).rmse);
            assert!((rmse / stated - 1.0).abs() < 0.02, "{epsilon} {q}: {rmse} {stated}");
            let covered = draws.iter().filter(|y| mechanism.interval(**y, 0.95).contains(q)).count();
            assert!(covered >= 94_500, "{epsilon} {q}: {covered}");
        }
    }
}

#[test]
fn posteriors_are_bayes_rule() {
    let mechanism = mechanism("1.5", 1, range(1, Some(30))).expect("calibrates");
    for x in [0i128, 1, 4, 29, 80] {
        let weights: Vec<f64> = (1..=30).map(|q| mechanism.ln_likelihood(x, StepValue::whole(q)).exp()).collect();
        let mean = weights.iter().enumerate().map(|(index, weight)| (index + 1) as f64 * weight).sum::<f64>()
            / weights.iter().sum::<f64>();
        let posterior = mechanism.posterior(x, &Prior::Flat).expect("possible");
        assert!((posterior.mean() - mean).abs() < 1e-9, "{x}: {} {mean}", posterior.mean());
    }
}

/// The largest error over an interval is at no answer exceeded.
#[test]
fn no_answer_of_an_interval_errs_more() {
    use inbounds_mechanisms::interval::StepInterval;
    let mechanism = mechanism("1.5", 1, range(3, Some(200))).expect("calibrates");
    for (from, to) in [(3i128, 200i128), (3, 12), (40, 90), (150, 200)] {
        let stated = mechanism.error_over(StepInterval { lower: Some(from), upper: Some(to) });
        let all = (from..=to).map(|answer| mechanism.error_at(answer));
        let (bias, rmse) =
            all.fold((0f64, 0f64), |(bias, rmse), error| (bias.max(error.bias.abs()), rmse.max(error.rmse)));
        assert!((stated.rmse / rmse - 1.0).abs() < 2e-3, "{from} {to}: {stated:?} {rmse}");
        assert!((stated.bias.abs() - bias).abs() < 2e-3 * bias.max(0.1 * rmse), "{from} {to}: {stated:?} {bias}");
    }
}

#[test]
fn what_cannot_be_multiplied_is_refused() {
    let refused = |epsilon: &str, range: StepRange| mechanism(epsilon, 1, range).expect_err("refused");
    assert_eq!(refused("1", StepRange::UNBOUNDED), CalibrationError::NeedsPositiveRange);
    assert_eq!(refused("1", range(0, Some(9))), CalibrationError::NeedsPositiveRange);
    assert!(matches!(refused("1", range(1, None)), CalibrationError::HeavyTail { .. }));
    // ln 2 / epsilon = 1/2.
    assert!(mechanism("1.387", 1, range(1, None)).is_ok() && mechanism("1.386", 1, range(1, None)).is_err());
    assert!(mechanism("1", 1, range(1, Some(9))).is_ok());
    assert!(matches!(refused("1", range(1 << 40, None)), CalibrationError::RelativeChange { .. }));
    let rho = Guarantee::ZeroConcentrated { rho: inbounds_core::Rho::new("1".parse().expect("number")).expect("rho") };
    let entry = registry::find("log-laplace").expect("registered");
    assert!(matches!(entry.calibrate(&rho, &moved(1, 1, 1), range(1, Some(9))), Err(CalibrationError::NeedsEpsilon)));
}

/// A delta is spent where it spares a hundredth of the error, and is refused no worse than by any vector of places.
#[test]
fn delta_is_spent_as_by_laplace_noise() {
    let entry = registry::find("log-laplace").expect("registered");
    let (epsilon, delta) = ("0.3".parse().expect("number"), "0.1".parse().expect("number"));
    let (epsilon, delta) = (Epsilon::new(epsilon).expect("positive"), Delta::new(delta).expect("in [0, 1)"));
    let spent = entry.calibrate_spending(epsilon, delta, &moved(1, 1, 1), range(20, Some(90))).expect("calibrates");
    let pure = mechanism("0.3", 1, range(20, Some(90))).expect("calibrates");
    assert!(spent.guarantee().delta().is_some() && law(&*spent).log_scale() < 0.7 * law(&*pure).log_scale());
    assert!(spent.noise().variance() < pure.noise().variance());
}
