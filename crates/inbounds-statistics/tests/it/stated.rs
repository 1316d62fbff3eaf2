//! Errors that are stated beside estimates against those that are made, over many releases of one data set.

use inbounds_core::{Answer, Rational, Tally};
use inbounds_mechanisms::sampler::SeededEntropy;
use inbounds_statistics::{
    Estimate, Simulated,
    proportion::{Negative, ProportionVector, ShareRule, Total},
    quantile::{Quantiles, Values},
};

use crate::engine::clamped;

/// Root mean squares over the outputs: of the error that was made, of the RMSE and of the bias that were stated, and of
/// the bias that was made.
struct Stated {
    rmse: f64,
    stated_rmse: f64,
    bias: f64,
    stated_bias: f64,
    /// Smallest ratio of stated to made RMSE among outputs.
    worst: f64,
}

impl Stated {
    fn words(&self) -> String {
        let Self { rmse, stated_rmse, bias, stated_bias, worst } = self;
        format!("RMSE {rmse:.4} stated {stated_rmse:.4}, bias {bias:.4} stated {stated_bias:.4}, worst {worst:.2}")
    }
}

/// Releases counts `runs` times.
fn stated<C: Simulated>(prepared: &C, counts: &[i128], truth: &[f64], runs: u64) -> Stated {
    errors(&estimates(prepared, counts, runs), truth)
}

/// The estimates of `runs` releases of counts.
fn estimates<C: Simulated>(prepared: &C, counts: &[i128], runs: u64) -> Vec<Vec<Estimate>> {
    let mut entropy = SeededEntropy::from_seed(5);
    let release = |seed| {
        let moments = Tally { counts: Answer::new(counts.to_vec()), sums: Vec::new(), products: Vec::new() };
        prepared.estimate(&prepared.measure(moments, &mut entropy), 0.95, seed)
    };
    (0..runs).map(release).collect()
}

/// The errors of estimates against one truth.
fn errors(releases: &[Vec<Estimate>], truth: &[f64]) -> Stated {
    let mut sums = vec![[0.0; 4]; truth.len()];
    for estimates in releases {
        for ((sums, estimate), truth) in sums.iter_mut().zip(estimates).zip(truth) {
            let error = estimate.value - truth;
            let terms = [error, error * error, estimate.bias_at_estimate, estimate.rmse_at_estimate.powi(2)];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term / releases.len() as f64);
        }
    }
    let mean = |square: fn(&[f64; 4]) -> f64| (sums.iter().map(square).sum::<f64>() / truth.len() as f64).sqrt();
    Stated {
        rmse: mean(|sums| sums[1]),
        stated_rmse: mean(|sums| sums[3]),
        bias: mean(|sums| sums[0] * sums[0]),
        stated_bias: mean(|sums| sums[2] * sums[2]),
        worst: sums.iter().map(|sums| (sums[3] / sums[1]).sqrt()).fold(f64::INFINITY, f64::min),
    }
}

/// Shares of 300 rows in eight categories, some of them empty, by every rule: the stated RMSE is that which is made.
/// 100 releases of fixed seeds tell it to about 3 % over eight shares, 20 of the slow rule to 6 %.
#[test]
#[allow(clippy::print_stdout, reason = "a table")]
fn proportions_state_the_error_that_they_make() {
    let counts: [i128; 8] = [140, 80, 40, 25, 10, 5, 0, 0];
    let truth: Vec<f64> = counts.iter().map(|count| *count as f64 / 300.0).collect();
    let all_but_one = ShareRule::AllButOne { calculated: 0, negative: Negative::Zeroed };
    let rules = [
        (ShareRule::SimplexProjection, 1),
        (ShareRule::Rescaling, 1),
        (ShareRule::Rescaling, 5),
        (all_but_one, 1),
        (ShareRule::UniversalHistogram { fan_out: 2 }, 1),
        (ShareRule::Conditioning, 1),
    ];
    for (rule, releases) in rules {
        for epsilon in ["0.2", "1"] {
            for total in [Total::Public, Total::Measured] {
                if rule == all_but_one && total == Total::Measured
                    || rule == ShareRule::Conditioning && epsilon == "0.2"
                {
                    continue;
                }
                let rows = (total == Total::Public).then_some(300);
                let prepared = ProportionVector { rule, total, releases };
                let prepared = prepared.prepare(&clamped(rows, 8, epsilon)).expect("valid");
                let runs = if rule == ShareRule::Conditioning { 20 } else { 100 };
                let simulated = stated(&prepared, &counts, &truth, runs);
                let case = format!("{} x{releases} {epsilon} {total:?}: {}", rule.name(), simulated.words());
                println!("{case}");
                assert!((0.9..1.15).contains(&(simulated.stated_rmse / simulated.rmse)), "{case}");
                // Drawn around the estimates themselves, five releases state half of their bias.
                assert!(releases == 1 || simulated.stated_bias > 0.75 * simulated.bias, "{case}");
            }
        }
    }
}

/// Quantiles of whole numbers in bins of their own, and of numbers that are all heaped at the lower or at the upper
/// edges of their bins: what is stated is at least what is made.
#[allow(clippy::print_stdout, reason = "a table")]
fn quantiles_state_their_error(counts: &[i128]) {
    let rows: i128 = counts.iter().sum();
    let bin = |p: f64| {
        let mut below = 0;
        let reaches = |count: &i128| {
            below += count;
            below as f64 >= p * rows as f64 - 1e-9
        };
        counts.iter().position(reaches).expect("all rows are in a bin") as f64
    };
    let bins: Vec<f64> = [0.1, 0.5, 0.9].map(bin).to_vec();
    for epsilon in ["0.05", "0.2", "1"] {
        for total in [Total::Public, Total::Measured] {
            for (values, heaps) in [(Values::Whole, &[0.5][..]), (Values::Real, &[0.0, 1.0])] {
                let quantiles = Quantiles {
                    // A last edge at the next whole number would hold two of them.
                    edges: (0..=counts.len())
                        .map(|edge| &Rational::from(edge as i128) - &Rational::ratio(1, 2))
                        .collect(),
                    probabilities: ["0.1", "0.5", "0.9"].map(|p| p.parse().expect("number")).to_vec(),
                    total,
                    values,
                };
                let public = (total == Total::Public).then_some(rows as u64);
                let prepared = quantiles.prepare(&clamped(public, 1, epsilon)).expect("valid");
                let releases = estimates(&prepared, counts, 60);
                // The place of the numbers in their bins, which changes the truth and nothing that is released.
                for heap in heaps {
                    let truth: Vec<f64> = bins.iter().map(|bin| bin + heap - 0.5).collect();
                    let simulated = errors(&releases, &truth);
                    let case = format!("{epsilon} {total:?} {values:?} {heap}: {}", simulated.words());
                    println!("{case}");
                    assert!(simulated.stated_rmse >= 0.8 * simulated.rmse, "{case}");
                }
            }
        }
    }
}

#[test]
fn quantiles_of_children_in_families_state_the_error_that_they_make() {
    quantiles_state_their_error(&[400, 1300, 700, 400, 120, 50, 20, 10, 0, 0]);
}

#[test]
fn quantiles_of_ages_with_heaps_state_the_error_that_they_make() {
    let ages: Vec<i128> = (0..60).map(|age| if age % 10 == 0 { 60 } else { 5 - age / 15 }).collect();
    quantiles_state_their_error(&ages);
}

#[test]
fn quantiles_of_few_values_state_the_error_that_they_make() {
    quantiles_state_their_error(&[40, 0, 0, 8, 12]);
}
