//! Intervals and posteriors of every mechanism, against enumeration.

use inbounds_core::{Epsilon, Guarantee, Sensitivity, StepRange};
use inbounds_mechanisms::{
    mechanism::Mechanism,
    posterior::{PosteriorError, Prior},
    registry::{self, Entry},
};

use std::sync::Arc;

fn calibrated(entry: &Entry, epsilon: &str, range: StepRange) -> Arc<dyn Mechanism> {
    let sensitivity = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "inference", squares: None };
    let (epsilon, delta) = (epsilon.parse().expect("number"), "1e-3".parse().expect("number"));
    let epsilon = Epsilon::new(epsilon).expect("positive");
    let guarantee = entry.guarantee(epsilon, inbounds_core::Delta::new(delta).expect("in [0, 1)"));
    entry.calibrate(&guarantee, &sensitivity, range).expect("calibrates")
}

fn ranges() -> Vec<StepRange> {
    let range = |lower, upper| StepRange::new(lower, upper).expect("ordered");
    vec![range(Some(0), Some(9)), range(Some(0), None), range(None, Some(4)), StepRange::UNBOUNDED]
}

/// Every measurement with its probability under `q`, from the likelihood, as far as `reach`.
fn law(mechanism: &dyn Mechanism, entry: &Entry, q: i128, reach: i128) -> Vec<(i128, f64)> {
    let at = inbounds_mechanisms::mechanism::StepValue::whole(q);
    let outputs = (q - reach..=q + reach).filter(|y| entry.is_post_processing() || mechanism.range().clamp(*y) == *y);
    let weights: Vec<(i128, f64)> = outputs.map(|y| (y, mechanism.ln_likelihood(y, at).exp())).collect();
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    weights.into_iter().map(|(y, weight)| (y, weight / total)).collect()
}

#[test]
fn intervals_cover_every_answer_at_their_level_and_hold_the_estimate() {
    for entry in registry::MECHANISMS.iter().filter(|entry| !entry.is_multiplied()) {
        for range in ranges().into_iter().filter(|range| range.width().is_some() || !entry.needs_both_ends()) {
            for epsilon in ["0.2", "1.5"] {
                let mechanism = calibrated(entry, epsilon, range);
                let answers = range.lower().unwrap_or(-25)..=range.upper().unwrap_or(25);
                for level in [0.8, 0.95] {
                    let mut least = 1f64;
                    for q in answers.clone() {
                        let covered = law(mechanism.as_ref(), entry, q, 400)
                            .iter()
                            .filter(|(y, _)| mechanism.interval(*y, level).contains(q))
                            .map(|(_, mass)| mass)
                            .sum::<f64>();
                        assert!(covered >= level - 1e-9, "{} {range:?} at {q}: {covered}", entry.name);
                        least = least.min(covered);
                    }
                    // Not idle: an interval that always covers says nothing. On short ranges it may have to.
                    assert!(least < 0.999 || range.width().is_some(), "{} {range:?}: {least}", entry.name);
                }
                for y in -40..=40 {
                    if !entry.is_post_processing() && range.clamp(y) != y {
                        continue;
                    }
                    let (estimate, interval) = (mechanism.estimate(y), mechanism.interval(y, 0.95));
                    let up = estimate.whole + i128::from(estimate.fraction > 0.0);
                    assert!(
                        interval.contains(estimate.whole) && interval.contains(up),
                        "{} {range:?} at {y}",
                        entry.name
                    );
                    assert!(
                        range.clamp(estimate.whole) == estimate.whole && range.clamp(up) == up,
                        "{} {y}",
                        entry.name
                    );
                }
            }
        }
    }
}

#[test]
fn posteriors_are_bayes_rule() {
    let prior = Prior::Table(vec![(0, 1.0), (3, 0.25), (6, 2.0), (8, 0.0)]);
    for entry in registry::MECHANISMS.iter().filter(|entry| !entry.is_multiplied()) {
        let mechanism = calibrated(entry, "0.7", StepRange::new(Some(0), Some(9)).expect("ordered"));
        for y in [0i128, 4, 9] {
            for prior in [&Prior::Flat, &prior] {
                let density = |q: i128| match prior {
                    Prior::Flat => 1.0,
                    Prior::Table(_) => [1.0, 1.0, 1.0, 0.25, 0.25, 0.25, 2.0, 2.0, 0.0, 0.0][q as usize],
                };
                // P(y | q) summed from the law itself, not from the likelihood's formula.
                let joint: Vec<f64> = (0..=9)
                    .map(|q| {
                        let mass =
                            law(mechanism.as_ref(), entry, q, 600).iter().find(|(x, _)| *x == y).expect("in reach").1;
                        density(q) * mass
                    })
                    .collect();
                let total: f64 = joint.iter().sum();
                let mean = joint.iter().enumerate().map(|(q, p)| q as f64 * p).sum::<f64>() / total;
                let posterior = mechanism.posterior(y, prior).expect("possible");
                assert!(
                    (posterior.mean() - mean).abs() < 1e-11,
                    "{} {y} {prior:?}: {} {mean}",
                    entry.name,
                    posterior.mean()
                );
                let mut below = 0.0;
                for (q, p) in joint.iter().enumerate() {
                    below += p / total;
                    let q = q as i128;
                    assert!((posterior.density(q) - p / total).abs() < 1e-12, "{} at {q}", entry.name);
                    assert!((posterior.cdf(q) - below).abs() < 1e-12, "{} at {q}", entry.name);
                    if *p > 0.0 {
                        assert_eq!(posterior.quantile(below - 1e-9), q, "{}", entry.name);
                    }
                }
                assert_eq!((posterior.cdf(-1), posterior.density(10)), (0.0, 0.0));
            }
        }
    }
}

/// On a fine grid, where cells are integrals: the posterior of clamped noise under a flat prior is the noise around the
/// measurement, conditioned on the range, in closed form.
#[test]
fn wide_posteriors_are_the_conditioned_law() {
    use inbounds_mechanisms::{
        bounding::{Bounding, Conditioned, Range},
        law::Noise,
    };
    let clamped = registry::default();
    let sensitivity = Sensitivity { l1: 1 << 30, linf: 1 << 30, cells: 1, rule: "inference", squares: None };
    let guarantee = Guarantee::Pure { epsilon: Epsilon::new("1".parse().expect("number")).expect("positive") };
    let top = 3i128 << 30;
    let mechanism = clamped
        .calibrate(&guarantee, &sensitivity, StepRange::new(Some(0), Some(top)).expect("ordered"))
        .expect("calibrates");
    let noise = mechanism.noise();
    for y in [0i128, 1 << 29, 2 << 30, 5 << 30, -(9i128 << 30)] {
        let posterior = mechanism.posterior(y, &Prior::Flat).expect("possible");
        let near = y.clamp(0, top);
        let law = Conditioned::new(noise, Range::new(-(near as f64), (top - near) as f64).expect("ordered"));
        let mean = near as f64 + law.bias(0.0);
        assert!((posterior.mean() / mean - 1.0).abs() < 1e-6, "{y}: {} {mean}", posterior.mean());
        for p in [0.025, 0.5, 0.975] {
            let q = posterior.quantile(p);
            assert!((posterior.cdf(q) - p).abs() < 1e-6 && q >= 0 && q <= top, "{y} {p}");
            // The conditioned law's own distribution function at that quantile.
            let inside = noise.cdf((q - near) as f64) - noise.cdf(-(near as f64) - 1.0);
            assert!((inside / law.mass(0.0) - p).abs() < 1e-4, "{y} {p}: {}", inside / law.mass(0.0));
        }
    }
}

#[test]
fn priors_that_are_none_are_refused() {
    let mechanism = calibrated(registry::default(), "1", StepRange::new(Some(0), Some(9)).expect("ordered"));
    let posterior = |table: Vec<(i128, f64)>| mechanism.posterior(3, &Prior::Table(table)).err();
    assert_eq!(posterior(vec![(0, 1.0), (0, 2.0)]), Some(PosteriorError::Table { index: 1 }));
    assert_eq!(posterior(vec![(0, -1.0)]), Some(PosteriorError::Table { index: 0 }));
    assert_eq!(posterior(vec![(0, f64::NAN)]), Some(PosteriorError::Table { index: 0 }));
    assert_eq!(posterior(vec![(10, 1.0)]), Some(PosteriorError::NoMass));
    assert_eq!(posterior(vec![]), Some(PosteriorError::NoMass));
    assert_eq!(posterior(vec![(-5, 1.0)]), None);
}
