//! The mean as a ratio: stated errors and coverage against simulation of the mechanism that runs.
//!
//! Each comparison fails by chance with probability below 1e-5 (4.5 standard errors), over fixed seeds.

use inbounds_core::{Answer, Delta, Epsilon, Neighbours};
use inbounds_mechanisms::{registry, sampler::SeededEntropy};
use inbounds_statistics::{ColumnBounds, Design, Kind, Missing, OutputRange, Prepared, PrivacyUnit, Statistic};

const REPLICATES: usize = 2000;

fn mean(epsilon: &str, integer: bool) -> Prepared {
    let bounds = ColumnBounds {
        lower: "0".parse().expect("number"),
        upper: "10".parse().expect("number"),
        integer,
        missing: Missing::Unset,
    };
    Statistic { column: Some(bounds), ..description(epsilon) }.prepare(&DESIGN).expect("valid")
}

const DESIGN: Design = Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None };

/// A mean without its column.
fn description(epsilon: &str) -> Statistic {
    Statistic {
        kind: Kind::Mean,
        column: None,
        cells: 1,
        grouped: false,
        filtered: false,
        mechanism: registry::default(),
        range: OutputRange::Natural,
        epsilon: Epsilon::new(epsilon.parse().expect("number")).expect("positive"),
        delta: Delta::ZERO,
    }
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
        let grid = prepared.clip.expect("clips").grid;
        let sum = (truth * rows as f64 / grid.spacing()).round() as i128;
        let truth = grid.value(sum) / rows as f64;
        let mut entropy = SeededEntropy::from_seed(case as u64);
        let (mut errors, mut squares, mut fourth, mut covered) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..REPLICATES {
            let measured = prepared.measure(Answer::new(vec![rows]), Some(Answer::new(vec![sum])), &mut entropy);
            let estimate = prepared.estimate(&measured, 0.95, &mut entropy)[0];
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
        // What the statistic says of itself at this very truth: evaluated by feeding it the exact answers as measurements.
        let exact = stated_at(&prepared, rows, sum);
        assert!((bias - exact.bias_at_estimate).abs() < 4.5 * bias_se + 1e-9, "case {case}: bias {bias} {exact:?}");
        assert!((mse - exact.rmse_at_estimate.powi(2)).abs() < 4.5 * mse_se, "case {case}: mse {mse} {exact:?}");
        assert!(covered / n > 0.95 - 4.5 * (0.95f64 * 0.05 / n).sqrt(), "case {case}: coverage {}", covered / n);
        assert!(exact.worst_bias.expect("known") >= exact.bias_at_estimate.abs() * 0.999);
    }
}

fn stated_at(prepared: &Prepared, rows: i128, sum: i128) -> inbounds_statistics::Estimate {
    use inbounds_mechanisms::mechanism::Measurements;
    let inbounds_statistics::Estimator::Ratio(ratio) = &prepared.estimator else {
        panic!("a mean under add-remove is a ratio")
    };
    let sums =
        Measurements::from_published(ratio.sum.mechanism.clone(), vec![sum * ratio.refinement - ratio.middle * rows]);
    let counts = Measurements::from_published(ratio.count.mechanism.clone(), vec![rows]);
    // A ratio rounds nothing.
    prepared.estimate(&[sums, counts], 0.95, &mut SeededEntropy::from_seed(0))[0]
}

/// Coverage is not bought with idle intervals: with plenty of rows the interval is narrow.
#[test]
fn intervals_shrink_with_the_group() {
    let prepared = mean("1", true);
    let width = |rows: i128| {
        let estimate = stated_at(&prepared, rows, 4 * rows);
        estimate.upper - estimate.lower
    };
    // Radius at |mean - middle| = 1 is close to ln(20) scales of the sum noise, 10 each, over the number of rows.
    assert!(width(10_000) < 2.0 * 36.0 / 10_000.0, "{}", width(10_000));
    assert!(width(10_000) > 2.0 * 29.0 / 10_000.0, "{}", width(10_000));
    assert_eq!(width(0), 10.0);
}

/// A mean of whole numbers lies on no grid: declared ends stay where they are, and the middle is exact.
#[test]
fn ranges_and_middles_of_whole_numbers_are_not_rounded() {
    let prepare = |lower: &str, upper: &str, range: OutputRange| {
        let read = |text: &str| text.parse().expect("number");
        let bounds = ColumnBounds { lower: read(lower), upper: read(upper), integer: true, missing: Missing::Unset };
        let statistic = Statistic { column: Some(bounds), range, ..description("1") };
        statistic.prepare(&DESIGN).expect("valid")
    };
    let declared = |lower: &str, upper: &str| OutputRange::Declared {
        lower: Some(lower.parse().expect("number")),
        upper: Some(upper.parse().expect("number")),
    };
    assert_eq!(prepare("0", "10", declared("2.5", "7.5")).range, (2.5, 7.5));
    assert_eq!(prepare("0", "1", declared("0.1", "0.9")).range, (0.1, 0.9));
    let proportion = prepare("0", "1", OutputRange::Natural);
    let inbounds_statistics::Estimator::Ratio(ratio) = &proportion.estimator else { panic!("a ratio") };
    assert_eq!(ratio.centre(), 0.5);
    // Half the width over half of epsilon.
    assert_eq!(ratio.sum.scale(), 1.0);
}
