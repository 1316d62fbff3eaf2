//! The mean as a ratio: stated errors and coverage against simulation of the mechanism that runs.
//!
//! Each comparison fails by chance with probability below 1e-5 (4.5 standard errors), over fixed seeds.

use std::sync::Arc;

use inbounds_core::{Answer, Tally};
use inbounds_mechanisms::{mechanism::Measurements, sampler::SeededEntropy};
use inbounds_statistics::{Column, ColumnBounds, Estimate, Mean, Missing, OutputRange, Statistic};

use crate::engine::{column, private_rows};

const REPLICATES: usize = 2000;

fn prepare(lower: &str, upper: &str, integer: bool, epsilon: &str, range: OutputRange) -> Arc<dyn Statistic> {
    let Column { name, bounds } = column("x", lower, upper);
    let column = Column { name, bounds: ColumnBounds { integer, missing: Missing::Drop, ..bounds } };
    Mean { column, range }.prepare(&private_rows(1, epsilon, "clamped")).expect("valid")
}

/// A mean of values between 0 and 10.
fn mean(epsilon: &str, integer: bool) -> Arc<dyn Statistic> {
    prepare("0", "10", integer, epsilon, OutputRange::Natural)
}

/// The exact answers about a group of rows with this sum, in steps of the column.
fn group(rows: i128, sum: i128) -> Tally {
    Tally { counts: Answer::new(vec![rows]), sums: vec![Answer::new(vec![sum])], products: Vec::new() }
}

#[test]
fn stated_bias_rmse_and_coverage_hold() {
    for (case, (epsilon, integer, rows, truth)) in [
        ("1", true, 5, 10.0),
        ("1", true, 40, 0.0),
        ("0.5", false, 40, 3.0),
        ("2", true, 1, 7.0),
        ("0.1", false, 200, 9.5),
        ("0.02", true, 3000, 5.0),
    ]
    .into_iter()
    .enumerate()
    {
        let prepared = mean(epsilon, integer);
        let grid = prepared.ask().clips[0].grid;
        let sum = (truth * rows as f64 / grid.spacing()).round() as i128;
        let truth = grid.value(sum) / rows as f64;
        let mut entropy = SeededEntropy::from_seed(case as u64);
        let (mut errors, mut squares, mut fourth, mut covered) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..REPLICATES {
            let measured = prepared.measure(group(rows, sum), &mut entropy);
            let estimate = prepared.estimate(&measured, 0.95, 0)[0];
            assert!(
                (0.0..=10.0).contains(&estimate.value)
                    && estimate.lower <= estimate.value
                    && estimate.value <= estimate.upper
            );
            let error = estimate.value - truth;
            errors += error;
            squares += error * error;
            fourth += error.powi(4);
            covered += f64::from(u8::from(estimate.lower <= truth && truth <= estimate.upper));
        }
        let n = REPLICATES as f64;
        let (bias, mse) = (errors / n, squares / n);
        let (bias_se, mse_se) = (((mse - bias * bias) / n).sqrt(), ((fourth / n - mse * mse) / n).sqrt());
        // What the statistic says of itself at this very truth: evaluated by feeding it the exact answers as
        // measurements.
        let exact = stated_at(&*prepared, rows, sum);
        assert!((bias - exact.bias_at_estimate).abs() < 4.5 * bias_se + 1e-9, "case {case}: bias {bias} {exact:?}");
        assert!((mse - exact.rmse_at_estimate.powi(2)).abs() < 4.5 * mse_se, "case {case}: mse {mse} {exact:?}");
        assert!(covered / n > 0.95 - 4.5 * (0.95f64 * 0.05 / n).sqrt(), "case {case}: coverage {}", covered / n);
        assert!(exact.worst_bias.expect("known") >= exact.bias_at_estimate.abs() * 0.999);
        // The same test rejects what halves of epsilon would give.
        let halves = rmse_of_halves(epsilon.parse().expect("number"), rows as f64, truth);
        assert!((mse - halves.powi(2)).abs() > 4.5 * mse_se, "case {case}: mse {mse} {halves}");
    }
}

/// The estimate from the exact answers, which no noise moved: the distances of all rows to 0 and to 10.
fn stated_at(prepared: &dyn Statistic, rows: i128, sum: i128) -> Estimate {
    let component = prepared.components()[0];
    let sum = prepared.ask().clips[0].grid.value(sum);
    let distances = [sum, 10.0 * rows as f64 - sum].map(|distance| (distance / component.step()).round() as i128);
    let measured = Measurements::from_published(component.mechanism.clone(), distances.into());
    prepared.estimate(&[measured], 0.95, 0)[0]
}

/// RMSE of another design on bounds 0 to 10: a sum of values less the middle and a count, with half of epsilon each.
/// Both noises are at the midpoints of cells with their mass.
fn rmse_of_halves(epsilon: f64, rows: f64, mean: f64) -> f64 {
    const STEP: f64 = 0.05;
    let noise: Vec<(f64, f64)> =
        (-600..600).map(|i| (f64::from(i) + 0.5) * STEP).map(|x| (x, (-x.abs()).exp() * (0.5 * STEP).sinh())).collect();
    let mut squares = 0.0;
    for (x, p) in &noise {
        for (y, q) in &noise {
            let (sum, count) = (rows * (mean - 5.0) + x * 10.0 / epsilon, (rows + y * 2.0 / epsilon).max(1.0));
            squares += p * q * ((5.0 + sum / count).clamp(0.0, 10.0) - mean).powi(2);
        }
    }
    squares.sqrt()
}

/// The table in the module's documentation.
#[test]
fn halves_of_epsilon_err_by_the_square_root_of_two_more() {
    let prepared = mean("1", true);
    for (rows, ratios) in [(20, [1.396, 1.412, 1.408]), (100, [1.406, 1.415, 1.414]), (10_000, [1.414; 3])] {
        for (sum, stated) in [0, 5 * rows / 2, 5 * rows].into_iter().zip(ratios) {
            let now = stated_at(&*prepared, rows, sum).rmse_at_estimate;
            let ratio = rmse_of_halves(1.0, rows as f64, sum as f64 / rows as f64) / now;
            assert!((ratio - stated).abs() < 0.001, "{rows} {sum}: {ratio}");
        }
    }
}

/// Coverage is not bought with idle intervals: with plenty of rows the interval is narrow.
#[test]
fn intervals_shrink_with_the_group() {
    let prepared = mean("1", true);
    let width = |rows: i128| {
        let estimate = stated_at(&*prepared, rows, 4 * rows);
        estimate.upper - estimate.lower
    };
    // Radius at 4 of 10: the noises have scales 6 and 4, and P(|6 x - 4 y| > v) = (36 e^(-v/6) - 16 e^(-v/4)) / 20 is
    // 5 % at v = 21.02.
    assert!((width(10_000) - 2.0 * 21.02 / 10_000.0).abs() < 2e-5, "{}", width(10_000));
    assert_eq!(width(0), 10.0);
}

/// A mean of whole numbers lies on no grid: declared ends stay where they are.
#[test]
fn ranges_of_whole_numbers_are_not_rounded() {
    let of_integers = |upper: &str, range: OutputRange| prepare("0", upper, true, "1", range);
    let declared = |lower: &str, upper: &str| OutputRange::Declared {
        lower: Some(lower.parse().expect("number")),
        upper: Some(upper.parse().expect("number")),
    };
    assert_eq!(of_integers("10", declared("2.5", "7.5")).ranges(), [(2.5, 7.5)]);
    assert_eq!(of_integers("1", declared("0.1", "0.9")).ranges(), [(0.1, 0.9)]);
    let proportion = of_integers("1", OutputRange::Natural);
    // The width over epsilon.
    assert_eq!((proportion.ranges(), proportion.components()[0].scale()), (vec![(0.0, 1.0)], 1.0));
}

/// One row moves what is measured by exactly what the noise is scaled to, wherever it lies.
#[test]
fn every_row_moves_the_distances_by_the_stated_sensitivity() {
    for prepared in [mean("1", true), mean("0.3", false)] {
        let (component, clip) = (prepared.components()[0], prepared.ask().clips[0]);
        let measure = |rows, sum| prepared.measure(group(rows, sum), &mut SeededEntropy::from_seed(1)).remove(0);
        for row in [clip.lower, clip.lower + 1, clip.upper / 3, clip.upper] {
            let (one, none) = (measure(1, row.into()), measure(0, 0));
            let moved: u128 = one.steps().iter().zip(none.steps()).map(|(one, none)| one.abs_diff(*none)).sum();
            assert_eq!(moved, component.mechanism.sensitivity().l1);
        }
    }
}
