//! Intervals of figures over thousands of seeded draws, beside the delta method and beside wrong laws.

use std::sync::Arc;

use inbounds_figures::law::{AcceptedSet, JointDraws, NoiseSum, NoiseVector, QuotientLaw, WeightedNoise, places};
use inbounds_mechanisms::{
    law::Noise,
    noise::{DiscreteCube, DiscreteGaussian, DiscreteLaplace, GridNoise, fill_discrete_cube},
    sampler::SeededEntropy,
};

const TRIALS: usize = 2000;
const MISS: f64 = 0.05;

/// Least share of covered answers: 4.5 standard deviations below the level. A right interval falls below it once in
/// 300,000 seeds.
fn least() -> f64 {
    1.0 - MISS - 4.5 * (MISS * (1.0 - MISS) / TRIALS as f64).sqrt()
}

fn laplace(tau: &str) -> Arc<GridNoise> {
    Arc::new(GridNoise::Laplace(DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("law")))
}

fn gaussian(variance: &str) -> Arc<GridNoise> {
    let law = DiscreteGaussian::with_variance_parameter(variance.parse().expect("number")).expect("law");
    Arc::new(GridNoise::Gaussian(law))
}

fn weighted(noise: &Arc<GridNoise>, step: f64) -> WeightedNoise {
    WeightedNoise { noise: noise.clone(), step }
}

/// Draws of noise, one a trial.
fn drawn(noise: &GridNoise, seed: u64) -> Vec<f64> {
    let steps = noise.add_to(&vec![0; TRIALS], &mut SeededEntropy::from_seed(seed));
    steps.into_iter().map(|steps| steps as f64).collect()
}

fn share(hits: impl Iterator<Item = bool>) -> f64 {
    hits.filter(|hit| *hit).count() as f64 / TRIALS as f64
}

/// Ratios with true denominators of 0, 1, 3, 10 and 1,000: whatever the denominator the interval covers, and the delta
/// method does not.
#[test]
fn ratios_cover_whatever_the_denominator_where_the_delta_method_does_not() {
    let laws = [(laplace("0.5"), laplace("0.5")), (gaussian("9"), gaussian("9")), (laplace("1"), gaussian("4"))];
    let mut fewest_by_delta: f64 = 1.0;
    for (place, (top, bottom)) in laws.iter().enumerate() {
        let law = QuotientLaw::new(&[weighted(top, 1.0)], &[weighted(bottom, 1.0)]);
        let (x, y) = (drawn(top, 2 * place as u64), drawn(bottom, 2 * place as u64 + 1));
        for (numerator, denominator) in
            [(30.0, 1.0), (1.0, 3.0), (30.0, 3.0), (4.0, 10.0), (60.0, 10.0), (500.0, 1000.0)]
        {
            let truth = numerator / denominator;
            let sets = x
                .iter()
                .zip(&y)
                .map(|(x, y)| law.accepted((numerator + x, denominator + y), MISS, (0.0, f64::INFINITY)));
            let sets: Vec<AcceptedSet> = sets.collect();
            let covered = share(sets.iter().map(|set| set.contains(truth)));
            assert!(covered >= least(), "law {place}, {numerator} of {denominator}: {covered}");
            let by_delta = share(x.iter().zip(&y).map(|(x, y)| {
                let (a, b) = (numerator + x, denominator + y);
                let ratio = a / b;
                let deviation = (top.variance() + ratio * ratio * bottom.variance()).sqrt() / b.abs();
                (ratio - truth).abs() <= 1.96 * deviation
            }));
            if denominator == 1000.0 {
                // Where nothing is small the two are near, so the guarantee costs little there.
                assert!((by_delta - covered).abs() < 0.04, "{by_delta} {covered}");
                assert!(sets.iter().all(|set| matches!(set, AcceptedSet::Between { upper, .. } if upper.is_finite())));
            } else {
                fewest_by_delta = fewest_by_delta.min(by_delta);
            }
        }
        // A denominator of 0: no number of the range is the ratio, and it must not be bounded from above.
        let unbounded = x
            .iter()
            .zip(&y)
            .map(|(x, y)| law.accepted((30.0 + x, *y), MISS, (0.0, f64::INFINITY)).contains(f64::INFINITY));
        let unbounded = share(unbounded);
        assert!(unbounded >= least(), "law {place}: bounded although the denominator is 0: {unbounded}");
    }
    assert!(fewest_by_delta < 0.9, "the delta method covers {fewest_by_delta}");
}

/// The same intervals made for noise of half the scale do not cover.
#[test]
fn a_wrong_law_does_not_cover() {
    let (right, wrong) = (laplace("0.5"), laplace("1"));
    let terms = |noise: &Arc<GridNoise>| [weighted(noise, 1.0)];
    let law = QuotientLaw::new(&terms(&wrong), &terms(&wrong));
    let (x, y) = (drawn(&right, 1), drawn(&right, 2));
    let covered = share(
        x.iter().zip(&y).map(|(x, y)| law.accepted((60.0 + x, 100.0 + y), MISS, (0.0, f64::INFINITY)).contains(0.6)),
    );
    assert!(covered < 0.9, "{covered}");
    let both = [weighted(&wrong, 1.0), weighted(&wrong, -1.0)];
    let radius = NoiseSum::radius_of(&both, MISS).value;
    let covered = share(x.iter().zip(&y).map(|(x, y)| (x - y).abs() <= radius));
    assert!(covered < 0.9, "{covered}");
}

/// Differences and weighted sums cover at the level and are the shortest: one step less does not cover by the law
/// itself.
#[test]
fn sums_cover_and_are_no_wider_than_they_must() {
    let (one, other) = (laplace("0.3"), gaussian("30"));
    let cases: [Vec<WeightedNoise>; 3] = [
        vec![weighted(&one, 1.0), weighted(&one, -1.0)],
        vec![weighted(&one, 1.0), weighted(&other, 1.0)],
        (0..18).map(|k| weighted(if k % 2 == 0 { &one } else { &other }, 0.05 * f64::from(k) + 0.013)).collect(),
    ];
    for (place, terms) in cases.iter().enumerate() {
        let radius = NoiseSum::radius_of(terms, MISS);
        let mut sums = vec![0.0; TRIALS];
        for (k, term) in terms.iter().enumerate() {
            let noise = drawn(&term.noise, (100 * place + k) as u64);
            sums.iter_mut().zip(noise).for_each(|(sum, noise)| *sum += term.step * noise);
        }
        let covered = share(sums.iter().map(|sum| sum.abs() <= radius.value));
        assert!(covered >= least(), "case {place}: {covered}");
        assert!(covered <= 2.0 * (1.0 - MISS) - least() + 0.015, "case {place} is too wide: {covered}");
        // The interval of each by itself, added up, is wider.
        let added: f64 = terms.iter().map(|term| NoiseSum::radius_of(std::slice::from_ref(term), MISS).value).sum();
        assert!(radius.value < 0.85 * added, "{} {added}", radius.value);
    }
}

/// Two numbers of one vector: by their joint law the ratio covers; as if they were independent it is another interval.
#[test]
fn numbers_of_one_vector_are_taken_by_their_joint_law() {
    let law = Arc::new(DiscreteCube::new("0.1".parse().expect("number"), 2, 1).expect("law"));
    let vector = |steps: [[f64; 2]; 2]| NoiseVector { coordinates: steps.map(|steps| (law.clone(), steps)).into() };
    let draws = JointDraws::new(&[], &[vector([[1.0, 0.0], [0.0, 1.0]])], 1999, 0);
    let mut noise = vec![0i128; 2 * TRIALS];
    fill_discrete_cube(&law, &mut SeededEntropy::from_seed(9), &mut noise);
    for (numerator, denominator) in [(40.0, 3.0), (40.0, 10.0), (700.0, 1000.0)] {
        let covered = share(noise.chunks(2).map(|noise| {
            let measured = (numerator + noise[0] as f64, denominator + noise[1] as f64);
            draws.accepted(measured, MISS, (0.0, f64::INFINITY)).contains(numerator / denominator)
        }));
        // The draws are drawn once: their own rank is off by up to 0.5 %, three standard deviations 1.5 %.
        assert!(covered >= least() - 0.015, "{numerator} of {denominator}: {covered}");
    }
    // The sum of both numbers: as if independent the radius would be another one.
    let sum = JointDraws::new(&[], &[vector([[1.0, 0.0], [1.0, 0.0]])], 1999, 0).radius(MISS);
    let covered = share(noise.chunks(2).map(|noise| ((noise[0] + noise[1]) as f64).abs() <= sum));
    assert!((covered - 0.95).abs() < 0.03, "{covered}");
}

/// Places of seven numbers, three of them alike: each is in its interval at the level.
#[test]
fn places_cover() {
    let noise = laplace("0.2");
    let truth = [90.0, 60.0, 60.0, 60.0, 52.0, 10.0, 0.0];
    let count = truth.len();
    let pair = [weighted(&noise, 1.0), weighted(&noise, -1.0)];
    let radius = NoiseSum::radius_of(&pair, 2.0 * MISS / (count - 1) as f64).value;
    let draws: Vec<Vec<f64>> = (0..count).map(|k| drawn(&noise, 40 + k as u64)).collect();
    let mut hits = vec![0usize; count];
    let mut narrow = 0;
    for trial in 0..TRIALS {
        let measured: Vec<f64> = truth.iter().zip(&draws).map(|(truth, draws)| truth + draws[trial]).collect();
        let ranges = places::<()>(&measured, |_, _| Ok(radius)).expect("no error");
        for (k, (least, most)) in ranges.iter().enumerate() {
            let place = 1 + truth.iter().filter(|other| **other > truth[k]).count();
            hits[k] += usize::from((*least..=*most).contains(&place));
            narrow += usize::from(most - least + 1 < count);
        }
    }
    assert!(hits.iter().all(|hits| *hits as f64 / TRIALS as f64 >= least()), "{hits:?}");
    assert!(narrow > TRIALS * count / 2, "places say something: {narrow}");
}
