//! Margins of a table of 2 by 3 by 2 cells.

use inbounds_core::Rational;
use inbounds_project::table::{Axes, parts};

use super::neighbours::{assert_attained, spent, units};
use super::*;
use crate::plan::{Fit, MarginShares};

pub(super) const SIZES: [usize; 3] = [2, 3, 2];
pub(super) const CELLS: usize = 12;
/// Most cells are empty.
pub(super) const COUNTS: [i128; CELLS] = [40, 3, 0, 0, 0, 9, 0, 0, 1, 0, 0, 25];

/// The total, one margin of one column and all of two, in an order of its own; the two other columns follow.
pub(super) const LISTED: [&[usize]; 5] = [&[0, 1], &[], &[1], &[1, 2], &[0, 2]];

pub(super) fn keys(sizes: &[usize]) -> Keys {
    let mut rows: Vec<Vec<KeyValue>> = vec![Vec::new()];
    for &size in sizes {
        let longer = |row: &Vec<KeyValue>, value: usize| [&row[..], &[KeyValue::Integer(value as i64)]].concat();
        rows = rows.iter().flat_map(|row| (0..size).map(move |value| longer(row, value))).collect();
    }
    Keys::new((0..sizes.len()).map(name).collect(), rows).expect("keys")
}

fn margins_of(listed: &[&[usize]], shares: MarginShares, fit: Fit, text: &str, design: &Design) -> Levels {
    let asked = asked(listed, shares, fit);
    Levels::prepare(Asked::Margins(&asked), &keys(&SIZES), &AtLevels::Counts, &setting(epsilon(text), design))
        .expect("margins")
}

fn margins(text: &str) -> Levels {
    margins_of(&LISTED, MarginShares::Even, Fit::TopDown, text, &ADD_REMOVE)
}

pub(super) fn tally(counts: [i128; CELLS]) -> Tally {
    Tally { counts: Answer::new(counts.to_vec()), sums: Vec::new(), products: Vec::new() }
}

fn released(measured: &Levels, stated: &Levels, seed: u64) -> Vec<Estimate> {
    let noisy = measured.measure(tally(COUNTS), &mut SeededEntropy::from_seed(seed));
    let estimated = stated.estimate_watched(&noisy, 0.95, RELEASES + seed, &Silent);
    assert_eq!(estimated.projection.expect("margins are projected").solver.status.word(), "optimal");
    estimated.estimates
}

/// Sums over all columns that a margin does not have, by a plain loop over the cells.
pub(super) fn plainly(sizes: [usize; 3], axes: Axes, counts: &[i128]) -> Vec<i128> {
    let mut sums = vec![0; axes.iter().map(|axis| sizes[axis]).product()];
    let mut cell = 0;
    for a in 0..sizes[0] {
        for b in 0..sizes[1] {
            for c in 0..sizes[2] {
                let code = [a, b, c];
                let place = axes.iter().fold(0, |place, axis| place * sizes[axis] + code[axis]);
                sums[place] += counts[cell];
                cell += 1;
            }
        }
    }
    sums
}

/// The total, the three columns and their pairs.
pub(super) fn all_margins() -> Vec<Axes> {
    let sets: [&[usize]; 7] = [&[], &[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2]];
    sets.iter().map(|columns| Axes::new(columns.iter().copied())).collect()
}

fn truth() -> Vec<f64> {
    all_margins().into_iter().flat_map(|axes| plainly(SIZES, axes, &COUNTS)).map(|count| count as f64).collect()
}

#[test]
fn answers_are_sums_of_a_plain_loop() {
    let levels = margins("1");
    let answers = levels.answers(tally(COUNTS));
    let steps: Vec<&[i128]> = answers.iter().map(Answer::private_steps).collect();
    let expected: Vec<Vec<i128>> =
        [0, 2, 4, 5, 6].map(|margin| plainly(SIZES, all_margins()[margin], &COUNTS)).into_iter().collect();
    assert_eq!(steps, expected.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let names: Vec<String> = levels.granularities().map(ToString::to_string).collect();
    assert_eq!(names[..2], ["total", "margin column 0"]);
    assert_eq!(names[6], "margin column 1, column 2");
    let public = keys(&SIZES);
    let nodes = levels.nodes(&public);
    let (key, margin) = nodes.get(13);
    let words: Vec<String> = key.values().map(ToString::to_string).collect();
    assert_eq!((words, key.get(2), nodes.len()), (vec!["1".to_owned(), "2".to_owned()], None, 1 + 7 + 6 + 4 + 6));
    assert_eq!(margin.to_string(), "margin column 0, column 1");
}

/// Every way in which one unit's rows can lie in the cells or in none, and be replaced: each margin moves as far as its
/// noise is made for, and all together cost the whole epsilon.
#[test]
fn a_unit_moves_a_margin_as_far_as_its_sensitivity() {
    let places: Vec<Option<usize>> = (0..CELLS).map(Some).chain([None]).collect();
    let of_rows = |rows: &[Option<usize>]| {
        let mut counts = [0; CELLS];
        rows.iter().flatten().for_each(|&cell| counts[cell] += 1);
        tally(counts)
    };
    for max_rows in [1, 2] {
        let units = units(&places, max_rows, of_rows);
        for neighbours in [Neighbours::AddRemove, Neighbours::Substitute] {
            let design = Design {
                neighbours,
                unit: PrivacyUnit::Column(inbounds_statistics::Contribution::of_rows(max_rows)),
                rows: None,
            };
            let levels = margins_of(&LISTED, MarginShares::Even, Fit::TopDown, "1", &design);
            assert_attained(&levels, &units, neighbours, &format!("{neighbours}, {max_rows} rows"));
            assert_eq!(spent(&levels), Rational::ONE);
        }
    }
}

/// That intervals cover where noise is what it is stated to be, and do not where it is taken for less; `see` looks at
/// every release. 24 counts raise a false alarm once in 1,300 seeds.
pub(super) fn assert_coverage([right, wrong]: [&Levels; 2], see: impl Fn(&[Estimate])) {
    let missed = |stated: &Levels| {
        let mut misses = vec![0; truth().len()];
        for seed in 0..RELEASES {
            let estimates = released(right, stated, seed);
            see(&estimates);
            for ((misses, estimate), truth) in misses.iter_mut().zip(estimates).zip(truth()) {
                *misses += u32::from(truth < estimate.lower || truth > estimate.upper);
            }
        }
        misses
    };
    let misses_by_margin = missed(right);
    assert!(misses_by_margin.iter().all(|&misses| misses <= MOST_MISSES), "{misses_by_margin:?}");
    let misses_by_margin = missed(wrong);
    assert!(misses_by_margin[1..3].iter().any(|&misses| misses > MOST_MISSES), "{misses_by_margin:?}");
}

/// Noise that is taken for half of what it is fails, also for margins that are not measured.
#[test]
fn intervals_cover_at_the_level() {
    assert_coverage([&margins("1"), &margins("2")], |_| ());
}

#[test]
fn estimates_are_whole_add_up_and_are_not_negative() {
    let with_full_table: &[&[usize]] = &[&[0], &[2], &[0, 1, 2]];
    for (listed, sets) in [(&LISTED[..], 7), (with_full_table, 8)] {
        for fit in [Fit::TopDown, Fit::Shrunk] {
            let levels = margins_of(listed, MarginShares::Even, fit, "0.5", &ADD_REMOVE);
            for seed in 0..5 {
                let estimates = released(&levels, &levels, seed);
                let values: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
                assert!(values.iter().all(|value| *value >= 0.0 && value.fract() == 0.0), "{values:?}");
                assert_adds_up_in(&values, sets);
                let measured = estimates.iter().filter(|one| one.measurement.is_some()).count();
                assert_eq!(measured, levels.measured_levels().map(|level| level.cells.len()).sum::<usize>());
            }
        }
    }
}

/// That every margin is the sum of every larger one, to the last bit.
pub(super) fn assert_adds_up_in(values: &[f64], sets: usize) {
    assert_adds_up_within(values, sets, 0.0);
}

/// That every margin is the sum of every larger one, up to a tolerance.
pub(super) fn assert_adds_up_within(values: &[f64], sets: usize, off: f64) {
    let all = Axes::new(0..3).subsets();
    let cells = |axes: &Axes| axes.iter().map(|axis| SIZES[axis]).product::<usize>();
    let begins: Vec<usize> = all.iter().scan(0, |end, axes| Some(std::mem::replace(end, *end + cells(axes)))).collect();
    let values_of = |index: usize| &values[begins[index]..begins[index] + cells(&all[index])];
    for (inner, outer) in (0..sets).flat_map(|inner| (0..sets).map(move |outer| (inner, outer))) {
        if all[outer].includes(all[inner]) {
            let mut sums = vec![0.0; cells(&all[inner])];
            parts(&SIZES, all[outer], all[inner])
                .into_iter()
                .zip(values_of(outer))
                .for_each(|(part, x)| sums[part] += x);
            let near = sums.iter().zip(values_of(inner)).all(|(sum, x)| (sum - x).abs() <= off);
            assert!(near, "{} of {}: {sums:?} for {:?}", all[inner], all[outer], values_of(inner));
        }
    }
}

/// Where all cells are far from 0, and where one has all rows: 200 releases err by what check states. The relative
/// standard error of a root mean square of 200 Laplace errors is 8 %, and of both sides together 11 %: four of these
/// are allowed for each of 14.
#[test]
fn what_check_states_is_what_releases_err_by() {
    let levels = margins("0.5");
    let (mut one, far) = ([0; CELLS], [1000; CELLS]);
    one[0] = 500;
    let scenario = Scenario { rows: Some(500), ..Scenario::default() };
    let cases = [(far, levels.expected_errors(&scenario)), (one, levels.expected_where_sparse(&scenario))];
    for (counts, expected) in cases {
        let mut squares = [0.0; 7];
        for seed in 0..RELEASES {
            let noisy = levels.measure(tally(counts), &mut SeededEntropy::from_seed(seed));
            let measured = levels.measured(&noisy);
            let model = levels.additive.model(&levels.hierarchy.parents(), &measured);
            let solver = levels.hierarchy.solver(&model, levels.hierarchy.is_whole(&*levels.additive), levels.fit);
            let mut estimates = solver.solve(&model, model.value.clone()).estimates.into_iter();
            for (square, axes) in squares.iter_mut().zip(all_margins()) {
                let truth = plainly(SIZES, axes, &counts);
                let errors: f64 =
                    truth.iter().zip(&mut estimates).map(|(x, estimate)| (estimate - *x as f64).powi(2)).sum();
                *square += errors / truth.len() as f64 / RELEASES as f64;
            }
        }
        assert_eq!(expected.len(), 7);
        for (square, expected) in squares.iter().zip(expected) {
            let ratio = square.sqrt() / expected.rmse;
            assert!((0.56..1.44).contains(&ratio), "{}: {} for {}", expected.case, square.sqrt(), expected.rmse);
        }
    }
}

#[test]
fn solved_parts_serve_their_goal_and_cost_all_of_epsilon() {
    let squares = |levels: &Levels| {
        let errors = levels.expected_errors(&Scenario::default()).into_iter().map(|error| error.rmse * error.rmse);
        errors.zip(levels.cells_by_level()).collect::<Vec<_>>()
    };
    let with_shares = |shares: MarginShares| margins_of(&LISTED, shares, Fit::TopDown, "1", &ADD_REMOVE);
    let [even, balanced, least] =
        [MarginShares::Even, MarginShares::Balanced, MarginShares::LeastError].map(with_shares);
    for levels in [&even, &balanced, &least] {
        assert_eq!(spent(levels), Rational::ONE);
    }
    // The listed ones in the order of all: the total, column 1 and the pairs.
    let listed = [0, 2, 4, 5, 6];
    let gain: Vec<f64> = listed.map(|margin| (squares(&even)[margin].0 / squares(&balanced)[margin].0).sqrt()).to_vec();
    assert!(gain.iter().all(|gain| *gain > 1.0 / 1.051), "{gain:?}");
    assert!(gain.iter().map(|gain| gain.ln()).sum::<f64>() > 0.3, "{gain:?}");
    let over_cells = |levels: &Levels| {
        let of_cells = squares(levels).into_iter().map(|(square, cells)| square * cells as f64);
        let of_cells: Vec<f64> = of_cells.collect();
        listed.iter().map(|&margin| of_cells[margin]).sum::<f64>()
    };
    let best = over_cells(&least);
    // No parts on a grid of tenths are better by more than a rounding.
    let tenths = |parts: [i128; 5]| MarginShares::Given(parts.map(|part| Rational::ratio(part, 10)).to_vec());
    for a in 1..9 {
        for (b, c) in (0..3).flat_map(|b| (0..3).map(move |c| (b, c))) {
            for d in 1..9 {
                let Some(e) = Some(10 - a - b - c - d).filter(|e| *e > 0) else { continue };
                let other = over_cells(&with_shares(tenths([a, b, c, d, e])));
                assert!(best < other * (1.0 + 1e-6), "{best} for {other}: {a} {b} {c} {d} {e}");
            }
        }
    }
}

/// Errors for the columns of the adult census extract, all margins of one and two of them, at epsilon 1: mean RMSE of
/// margins of one column, of two, and RMSE over all cells. The first two rows are those of table C of the study that
/// asked for margins (14.1 as measured, 10.5 / 11.8 / 12.5 and 20.2 / 25.1 / 26.3 by least squares); `least-error` is
/// as good as its best parts, 7.0 and 16.9 over all cells.
#[test]
fn shares_of_the_adult_census_reproduce_the_study() {
    let sizes = [16, 15, 5, 2, 7, 9];
    let expected = [
        (4, MarginShares::Even, [10.5, 11.8, 12.5]),
        (6, MarginShares::Even, [20.2, 25.1, 26.3]),
        (4, MarginShares::LeastError, [14.4, 8.6, 7.0]),
        (6, MarginShares::LeastError, [27.2, 20.8, 16.9]),
        (4, MarginShares::Balanced, [9.0, 8.9, 10.7]),
        (6, MarginShares::Balanced, [19.0, 20.0, 22.4]),
    ];
    for (columns, shares, expected) in expected {
        let sets: Vec<Axes> =
            Axes::new(0..columns).subsets().into_iter().filter(|axes| (1..=2).contains(&axes.count())).collect();
        let sets: Vec<Vec<usize>> = sets.into_iter().map(|axes| axes.iter().collect()).collect();
        let listed: Vec<&[usize]> = sets.iter().map(Vec::as_slice).collect();
        let asked = asked(&listed, shares.clone(), Fit::TopDown);
        let keys = keys(&sizes[..columns]);
        let levels =
            Levels::prepare(Asked::Margins(&asked), &keys, &AtLevels::Counts, &setting(epsilon("1"), &ADD_REMOVE));
        let levels = levels.expect("margins");
        let errors: Vec<f64> =
            levels.expected_errors(&Scenario::default()).iter().map(|error| error.rmse.powi(2)).collect();
        let cells: Vec<f64> = levels.cells_by_level().map(|cells| cells as f64).collect();
        // Means of squares as the study has them.
        let mean = |margins: std::ops::Range<usize>| {
            (errors[margins.clone()].iter().sum::<f64>() / margins.len() as f64).sqrt()
        };
        let all: f64 =
            (1..cells.len()).map(|margin| cells[margin] * errors[margin]).sum::<f64>() / cells[1..].iter().sum::<f64>();
        let ratios = [mean(1..columns + 1), mean(columns + 1..cells.len()), all.sqrt()];
        let near = |(ratio, expected): (&f64, f64)| (ratio - expected).abs() <= 0.06;
        assert!(ratios.iter().zip(expected).all(near), "{columns} {shares:?}: {ratios:?} for {expected:?}");
    }
}
