//! Quantiles chosen among bins: their intervals, and the errors that are stated.

use inbounds_core::{Answer, Neighbours, Rational, Tally};
use inbounds_mechanisms::{registry, sampler::SeededEntropy};
use inbounds_statistics::{
    Design, PrivacyUnit, Scenario, Setting, Statistic, StatisticError,
    quantile::{ChosenQuantiles, PreparedChoice, Values},
};

use crate::engine::clamped;

/// Rows are added or removed, or replaced where their number is public.
fn setting(rows: Option<u64>, epsilon: &str) -> Setting {
    let neighbours = if rows.is_some() { Neighbours::Substitute } else { Neighbours::AddRemove };
    let design = Design { neighbours, unit: PrivacyUnit::Row, rows };
    Setting { mechanism: (&registry::RANKS).into(), design, ..clamped(None, 1, epsilon) }
}

fn chosen(bins: u32, probabilities: &[&str], share: Option<&str>) -> ChosenQuantiles {
    ChosenQuantiles {
        edges: (0..=bins).map(|edge| Rational::from(u128::from(edge))).collect(),
        probabilities: probabilities.iter().map(|p| p.parse().expect("a number")).collect(),
        values: Values::Real,
        interval_share: share.map(|share| share.parse().expect("a number")),
        least_rows: None,
    }
}

fn tally(counts: &[i128]) -> Tally {
    Tally { counts: Answer::new(counts.to_vec()), sums: Vec::new(), products: Vec::new() }
}

/// Rows that thin out to the right from a fifth of the bins on; half of them in few heaps if wanted.
fn rows(bins: usize, rows: i128, heaped: bool) -> Vec<i128> {
    let mut counts = vec![0; bins];
    for row in 0..rows {
        let part = (row as f64 + 0.5) / rows as f64;
        let place = 0.2 - 0.1 * (1.0 - part).ln();
        let place = if heaped && row % 2 == 0 { (20.0 * place).round() / 20.0 } else { place };
        counts[((place * bins as f64) as usize).min(bins - 1)] += 1;
    }
    counts
}

/// The bin that holds the order statistic.
fn bin_of(counts: &[i128], p: f64) -> usize {
    let all = counts.iter().sum::<i128>() as f64;
    let mut below = 0;
    let reaches = |count: &i128| {
        below += count;
        below as f64 >= p * all
    };
    counts.iter().position(reaches).expect("all rows are below the last edge")
}

/// 200 releases: coverage 0.95 gives fewer than 172 with probability below 1e-6, over all comparisons with less than
/// 1e-4. An interval is shorter than the range where rows are many.
#[test]
fn intervals_hold_the_order_statistic() {
    for (bins, all, public, probabilities, share, heaped) in [
        (512, 300, false, &["0.5"][..], "0.25", false),
        (512, 300, true, &["0.5"], "0.25", true),
        (512, 4000, false, &["0.25", "0.5", "0.75"], "0.25", false),
        (512, 4000, true, &["0.1", "0.9"], "0.04", true),
        (3, 50, false, &["0.5"], "0.5", false),
    ] {
        let prepared: PreparedChoice = chosen(bins, probabilities, Some(share))
            .prepare(&setting(public.then_some(all as u64), "1"))
            .expect("valid");
        let counts = rows(bins as usize, all, heaped);
        let mut entropy = SeededEntropy::from_seed(u64::from(bins) + all as u64);
        let mut held = vec![0; probabilities.len()];
        let mut width = 0.0;
        for seed in 0..200 {
            let measured = prepared.measure(tally(&counts), &mut entropy);
            for (output, estimate) in prepared.estimate(&measured, 0.95, seed).iter().enumerate() {
                let bin = bin_of(&counts, probabilities[output].parse().expect("a number")) as f64;
                assert!(estimate.lower <= estimate.value && estimate.value <= estimate.upper);
                held[output] += u32::from(estimate.lower <= bin && bin + 1.0 <= estimate.upper);
                width += (estimate.upper - estimate.lower) / f64::from(200 * bins) / probabilities.len() as f64;
            }
        }
        assert!(held.iter().all(|held| *held >= 172), "{bins} {all} {public} {probabilities:?}: {held:?}");
        assert!(all < 4000 || width < 0.25, "{bins} {all} {public} {probabilities:?}: {width}");
    }
}

/// Where counts tell much, stated RMSEs are the real ones of 1,000 choices within a quarter, and the expected ones of
/// `check` hold for rows that are spread evenly within a twentieth, or three standard errors of a simulation.
#[test]
fn stated_errors_are_the_real_ones() {
    let (bins, all) = (256_usize, 3000);
    let even: Vec<i128> = (0..bins).map(|bin| all * (bin as i128 + 1) / 256 - all * bin as i128 / 256).collect();
    for probabilities in [&["0.5"][..], &["0.25", "0.5", "0.75"]] {
        let prepared = chosen(bins as u32, probabilities, Some("0.5")).prepare(&setting(None, "0.1")).expect("valid");
        let scenario = Scenario { group_sizes: vec![all as u64], ..Scenario::default() };
        let expected = prepared.expected_errors(&scenario);
        let mut entropy = SeededEntropy::from_seed(3);
        let mut squares = vec![0.0; probabilities.len()];
        let mut stated = vec![0.0; probabilities.len()];
        let runs = 1000;
        for run in 0..runs {
            let measured = prepared.measure(tally(&even), &mut entropy);
            for (output, p) in probabilities.iter().enumerate() {
                let p: f64 = p.parse().expect("a number");
                let place = measured[0].steps()[output] as f64 + 0.5;
                squares[output] += (place - p * 256.0).powi(2) / f64::from(runs);
            }
            if run % 25 == 0 {
                let estimates = prepared.estimate(&measured, 0.95, run as u64);
                stated.iter_mut().zip(&estimates).for_each(|(sum, one)| *sum += one.rmse_at_estimate / 40.0);
            }
        }
        for (output, square) in squares.iter().enumerate() {
            let real = square.sqrt();
            assert!((stated[output] / real - 1.0).abs() < 0.25, "{probabilities:?}: {} {real}", stated[output]);
            let miss = if probabilities.len() == 1 { 0.1 } else { 0.25 };
            assert!(
                (expected[output].rmse / real - 1.0).abs() < miss,
                "{probabilities:?}: {:?} {real}",
                expected[output]
            );
        }
    }
}

/// With few rows one chosen quantile errs less than half as much as one from counts of as many bins.
#[test]
fn few_rows_err_less_than_with_counts() {
    use inbounds_statistics::{proportion::Total, quantile::Quantiles};
    let scenario = Scenario { group_sizes: vec![300], ..Scenario::default() };
    let choice = chosen(128, &["0.5"], None);
    let counted = Quantiles {
        edges: choice.edges.clone(),
        probabilities: choice.probabilities.clone(),
        total: Total::Measured,
        values: Values::Real,
    };
    let own = choice.prepare(&setting(None, "0.5")).expect("valid").expected_errors(&scenario);
    let other = counted.prepare(&clamped(None, 1, "0.5")).expect("valid").expected_errors(&scenario);
    assert_eq!(own[0].case, other[0].case);
    assert!(2.0 * own[0].rmse < other[0].rmse, "{own:?} {other:?}");
}

/// A public number of rows that is too small for a twenty-fifth to narrow the range leaves all to the choice, whose
/// interval is the range.
#[test]
fn what_tells_nothing_is_not_measured() {
    let few = chosen(64, &["0.5"], None).prepare(&setting(Some(100), "0.1")).expect("valid");
    assert_eq!(few.components().len(), 1);
    let measured = few.measure(tally(&rows(64, 100, false)), &mut SeededEntropy::from_seed(1));
    let estimate = &few.estimate(&measured, 0.95, 1)[0];
    assert_eq!((estimate.lower, estimate.upper), (0.0, 64.0));
    assert!(estimate.rmse_at_estimate >= 32.0, "{estimate:?}");
    // Without counts the half width is known before rows are read.
    let scenario = Scenario { level: Some(0.95), ..Scenario::default() };
    assert!(few.expected_errors(&scenario).iter().all(|error| error.half_width == Some(32.0)));
    let many = chosen(64, &["0.5"], None).prepare(&setting(Some(100_000), "0.1")).expect("valid");
    assert_eq!(many.components().len(), 2);
    let refused = chosen(64, &["0.5"], Some("1")).prepare(&setting(None, "1"));
    assert!(matches!(refused, Err(StatisticError::IntervalShare { .. })));
}

/// Counts that are noise alone rule nothing out, and no small error is stated beside the whole range. Noise shortens an
/// interval of level 0.95 in at most a twentieth of the releases: in 40 of 400 with probability below 1e-4.
#[test]
fn an_interval_that_is_the_range_has_the_largest_error() {
    let prepared = chosen(100, &["0.5"], None).prepare(&setting(None, "1")).expect("valid");
    let mut entropy = SeededEntropy::from_seed(5);
    let mut shortened = 0;
    for run in 0..400 {
        let measured = prepared.measure(tally(&rows(100, 4, false)), &mut entropy);
        let estimate = &prepared.estimate(&measured, 0.95, run)[0];
        if (estimate.lower, estimate.upper) == (0.0, 100.0) {
            let farthest = estimate.value.max(100.0 - estimate.value);
            assert_eq!((estimate.bias_at_estimate.abs(), estimate.rmse_at_estimate), (farthest, farthest));
        } else {
            shortened += 1;
        }
    }
    assert!(shortened < 40, "{shortened}");
}
