//! Margins of a table whose columns are made of one another: four counties in two states and two health regions,
//! crossed with sex.

use std::collections::HashMap;

use inbounds_core::Rational;

use super::neighbours::{assert_attained, spent, units};
use super::*;

/// State, health region and county of each county; each is crossed with two sexes.
const COUNTIES: [[i64; 3]; 4] = [[0, 0, 0], [0, 1, 1], [1, 0, 3], [1, 1, 2]];
const CELLS: usize = 8;

/// Columns of the keys, as `name` calls them: state, health region, sex, county.
const LISTED: [&[usize]; 5] = [&[], &[0, 2], &[1], &[3], &[2, 3]];

fn keys() -> Keys {
    let cells = COUNTIES.iter().flat_map(|[state, health, county]| [0, 1].map(|sex| [*state, *health, sex, *county]));
    let rows: Vec<Vec<KeyValue>> = cells.map(|row| row.map(KeyValue::Integer).to_vec()).collect();
    Keys::new((0..4).map(name).collect(), rows).expect("keys")
}

fn linked(listed: &[&[usize]], measure: &AtLevels, text: &str, design: &Design) -> Levels {
    let asked = asked(listed, MarginShares::Even, Fit::TopDown);
    Levels::prepare(Asked::Margins(&asked), &keys(), measure, &setting(epsilon(text), design)).expect("margins")
}

fn tally(counts: [i128; CELLS]) -> Tally {
    let sums = counts.map(|count| 3 * count - 1);
    Tally { counts: Answer::new(counts.to_vec()), sums: vec![Answer::new(sums.to_vec())], products: Vec::new() }
}

/// The estimates by their keys: pairs of a column and a value.
fn by_key(levels: &Levels, estimates: &[Estimate]) -> HashMap<Vec<(usize, i64)>, f64> {
    let keys = keys();
    let nodes = levels.nodes(&keys);
    let key = |node: usize| {
        let (key, _) = nodes.get(node);
        let pair = |column: usize| match key.get(column) {
            Some(KeyValue::Integer(value)) => Some((column, *value)),
            _ => None,
        };
        (0..4).filter_map(pair).collect::<Vec<_>>()
    };
    (0..nodes.len()).map(|node| (key(node), estimates[node].value)).collect()
}

#[test]
fn sums_hold_over_both_groupings_in_every_release() {
    for (counts, text) in
        [([40, 3, 0, 0, 0, 9, 0, 25], "0.5"), ([0, 1, 0, 0, 0, 0, 2, 0], "0.1"), ([9, 9, 7, 8, 3, 5, 1, 2], "5")]
    {
        let levels = linked(&LISTED, &AtLevels::Counts, text, &ADD_REMOVE);
        for seed in 0..40 {
            let noisy = levels.measure(tally(counts), &mut SeededEntropy::from_seed(seed));
            let estimated = levels.estimate_watched(&noisy, 0.95, seed, &Silent);
            assert_eq!(estimated.projection.expect("margins are projected").solver.status.word(), "optimal");
            let estimates = by_key(&levels, &estimated.estimates);
            assert!(estimates.values().all(|value| *value >= 0.0 && value.fract() == 0.0), "{estimates:?}");
            let county = |county: i64| estimates[&vec![(3, county)]];
            let state = |state: i64| estimates[&vec![(0, state)]];
            let health = |health: i64| estimates[&vec![(1, health)]];
            assert_eq!([state(0), state(1)], [county(0) + county(1), county(2) + county(3)]);
            assert_eq!([health(0), health(1)], [county(0) + county(3), county(1) + county(2)]);
            assert_eq!(estimates[&vec![]], state(0) + state(1));
            for sex in [0, 1] {
                let crossed = |county: i64| estimates[&vec![(2, sex), (3, county)]];
                assert_eq!(estimates[&vec![(0, 1), (2, sex)]], crossed(2) + crossed(3));
                assert_eq!(estimates[&vec![(2, sex)]], (0..4).map(crossed).sum::<f64>());
            }
            assert_eq!(county(1), estimates[&vec![(2, 0), (3, 1)]] + estimates[&vec![(2, 1), (3, 1)]]);
        }
    }
}

/// Results of groupings alone, without their common refinement.
#[test]
fn two_groupings_without_the_column_that_they_are_of_agree_on_what_both_tell() {
    let levels = linked(&[&[0], &[1], &[2]], &AtLevels::Counts, "2", &ADD_REMOVE);
    for seed in 0..40 {
        let noisy = levels.measure(tally([40, 3, 0, 0, 0, 9, 0, 25]), &mut SeededEntropy::from_seed(seed));
        let estimates = by_key(&levels, &levels.estimate_watched(&noisy, 0.95, seed, &Silent).estimates);
        let sum = |column: usize| (0..2).map(|value| estimates[&vec![(column, value)]]).sum::<f64>();
        assert_eq!([sum(0), sum(1), sum(2)], [estimates[&vec![]]; 3]);
    }
}

#[test]
fn means_have_counts_and_sums_that_add_up() {
    let levels = linked(&LISTED, &AtLevels::Means(column("-2", "10", true)), "2", &ADD_REMOVE);
    let noisy = levels.measure(tally([40, 30, 20, 25, 30, 90, 20, 25]), &mut SeededEntropy::from_seed(3));
    let all_estimates = levels.estimate_watched(&noisy, 0.95, 3, &Silent).estimates;
    let outputs = levels.outputs().len();
    let estimates_of = |output: usize| all_estimates.iter().skip(output).step_by(outputs).cloned().collect::<Vec<_>>();
    for (output, described) in levels
        .outputs()
        .iter()
        .enumerate()
        .filter(|(_, described)| !matches!(described.quantity, Quantity::Mean { .. }))
    {
        let estimates = by_key(&levels, &estimates_of(output));
        let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-6 * one.abs().max(1.0), "{described:?}");
        near(estimates[&vec![(1, 0)]], estimates[&vec![(3, 0)]] + estimates[&vec![(3, 3)]]);
        near(estimates[&vec![(0, 0)]], estimates[&vec![(3, 0)]] + estimates[&vec![(3, 1)]]);
    }
}

/// Intervals contain the truth, and linear fits err as much as is stated.
#[test]
fn intervals_of_linked_margins_contain_the_truth() {
    let counts = [40, 33, 60, 45, 50, 39, 70, 25];
    let levels = linked(&LISTED, &AtLevels::Counts, "1", &ADD_REMOVE);
    let exact = linked(&LISTED, &AtLevels::Counts, "300", &ADD_REMOVE);
    let noisy = exact.measure(tally(counts), &mut SeededEntropy::from_seed(1));
    let truth: Vec<f64> =
        exact.estimate_watched(&noisy, 0.95, 1, &Silent).estimates.iter().map(|estimate| estimate.value).collect();
    assert_eq!(truth[0], counts.iter().sum::<i128>() as f64);
    let expected = levels.hierarchy.variances(&levels.noise());
    let of_node = levels.hierarchy.level_of_nodes();
    let (mut misses, mut squares) = (vec![0; truth.len()], vec![0.0; expected.len()]);
    for seed in 0..RELEASES {
        let noisy = levels.measure(tally(counts), &mut SeededEntropy::from_seed(seed));
        let estimates = levels.estimate_watched(&noisy, 0.95, RELEASES + seed, &Silent).estimates;
        for (node, (estimate, truth)) in estimates.iter().zip(&truth).enumerate() {
            misses[node] += u32::from(*truth < estimate.lower || *truth > estimate.upper);
            squares[of_node[node] as usize] += (estimate.value - truth).powi(2) / RELEASES as f64;
        }
    }
    assert!(misses.iter().all(|misses| *misses <= MOST_MISSES), "{misses:?}");
    let cells: Vec<usize> = levels.cells_by_level().collect();
    for ((squares, cells), expected) in squares.iter().zip(cells).zip(expected) {
        let ratio = squares / cells as f64 / expected;
        assert!((0.7..1.4).contains(&ratio), "{ratio}");
    }
}

/// Every cell or none, for one row or two, and every replacement: no vector moves further than its noise is made for,
/// and some unit moves it so far.
#[test]
fn a_unit_moves_linked_margins_as_far_as_their_sensitivity() {
    let rows: Vec<Option<usize>> = (0..CELLS).map(Some).chain([None]).collect();
    let tally_of = |rows: &[Option<usize>]| {
        let mut counts = [0; CELLS];
        rows.iter().flatten().for_each(|&cell| counts[cell] += 1);
        Tally { counts: Answer::new(counts.to_vec()), sums: Vec::new(), products: Vec::new() }
    };
    for max_rows in [1, 2] {
        let units = units(&rows, max_rows, tally_of);
        for neighbours in [Neighbours::AddRemove, Neighbours::Substitute] {
            let unit = PrivacyUnit::Column(inbounds_statistics::Contribution::of_rows(max_rows));
            let levels = linked(&LISTED, &AtLevels::Counts, "1", &Design { neighbours, unit, rows: None });
            assert_attained(&levels, &units, neighbours, &format!("{neighbours}, {max_rows}"));
            assert_eq!(spent(&levels), Rational::ONE);
        }
    }
}
