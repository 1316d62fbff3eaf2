//! Sums of a column in the margins of a table of 2 by 3 by 2 cells.

use inbounds_core::{Grid, Rational};

use super::{
    margins::{CELLS, COUNTS, LISTED, SIZES, all_margins, assert_adds_up_in, assert_adds_up_within, keys, plainly},
    neighbours::{largest_change, units},
    *,
};
use crate::plan::{Fit, MarginShares};

/// Of values from 0 to 10, and from -10 to 10.
const POSITIVE: [i128; CELLS] = [310, 12, 0, 0, 0, 70, 0, 0, 4, 0, 0, 130];
const MIXED: [i128; CELLS] = [-90, 12, 0, 0, 0, 70, 0, 0, -4, 0, 0, -130];

/// A column, as it is measured: see [`AtLevels`].
pub(super) fn measured(listed: &[&[usize]], fit: Fit, measure: &AtLevels, setting: &Setting) -> Levels {
    let asked = asked(listed, MarginShares::Even, fit);
    Levels::prepare(Asked::Margins(&asked), &keys(&SIZES), measure, setting).expect("margins")
}

fn sums((lower, upper): (&str, &str), integer: bool, fit: Fit, text: &str) -> Levels {
    measured(&LISTED, fit, &AtLevels::Sums(column(lower, upper, integer)), &setting(epsilon(text), &ADD_REMOVE))
}

pub(super) fn tally(sums: [i128; CELLS]) -> Tally {
    Tally { counts: Answer::new(COUNTS.to_vec()), sums: vec![Answer::new(sums.to_vec())], products: Vec::new() }
}

/// A row counts in a cell (or in none) with a value.
pub(super) type Row = (Option<usize>, i128);

/// The engine's answer for some rows of one unit.
pub(super) fn tally_of(rows: &[Row]) -> Tally {
    let (mut counts, mut sums) = ([0; CELLS], [0; CELLS]);
    for (cell, value) in rows.iter().filter_map(|(cell, value)| Some((cell.as_ref()?, value))) {
        counts[*cell] += 1;
        sums[*cell] += value;
    }
    Tally { counts: Answer::new(counts.to_vec()), ..tally(sums) }
}

/// Numbers of cells in all margins.
pub(super) fn in_margins(cells: [i128; CELLS]) -> Vec<f64> {
    all_margins().into_iter().flat_map(|axes| plainly(SIZES, axes, &cells)).map(|sum| sum as f64).collect()
}

/// The estimates of a release from a seed, by margins that may be stated otherwise than they were measured, with the
/// method.
pub(super) fn released(right: &Levels, stated: &Levels, tally: Tally, seed: u64) -> (Vec<Estimate>, String) {
    let noisy = right.measure(tally, &mut SeededEntropy::from_seed(seed));
    let estimated = stated.estimate_watched(&noisy, 0.95, RELEASES + seed, &Silent);
    let solver = estimated.projection.expect("margins are projected").solver;
    assert_eq!(solver.status.word(), "optimal", "{:?}", solver.certificate);
    (estimated.estimates, solver.method.word().to_owned())
}

/// Number of misses of each number by its interval; a number that does not exist counts as inside.
pub(super) fn missed(right: &Levels, stated: &Levels, sums: [i128; CELLS], truth: &[Option<f64>]) -> Vec<u32> {
    let mut misses = vec![0; truth.len()];
    for seed in 0..RELEASES {
        let (estimates, _) = released(right, stated, tally(sums), seed);
        for ((misses, estimate), truth) in misses.iter_mut().zip(estimates).zip(truth) {
            *misses += u32::from(truth.is_some_and(|truth| truth < estimate.lower || truth > estimate.upper));
        }
    }
    misses
}

/// Every way in which one unit's rows can lie in the cells or in none, with values at both bounds and between, and be
/// replaced: the largest change of each margin's numbers is what its noise is made for, in the norm of Laplace noise
/// exactly, and in that of Gaussian noise at most.
#[test]
fn a_unit_moves_a_margin_as_far_as_its_sensitivity() {
    let places = (0..CELLS).map(Some).chain([None]);
    for (bounds, values) in [(("-2", "10"), [-2, 3, 10]), (("2", "10"), [2, 3, 10])] {
        let rows: Vec<Row> = places.clone().flat_map(|cell| values.map(|value| (cell, value))).collect();
        for max_rows in [1, 2] {
            let units = units(&rows, max_rows, tally_of);
            for neighbours in [Neighbours::AddRemove, Neighbours::Substitute] {
                let unit = PrivacyUnit::Column(inbounds_statistics::Contribution::of_rows(max_rows));
                let setting = setting(epsilon("1"), &Design { neighbours, unit, rows: None });
                let column = || column(bounds.0, bounds.1, true);
                for measure in [AtLevels::Sums(column()), AtLevels::Means(column())] {
                    let levels = measured(&LISTED, Fit::TopDown, &measure, &setting);
                    let mut spent = Rational::ZERO;
                    for (level, component) in levels.levels_with_noise() {
                        let answer = |tally: &Tally| levels.additive.answer(level, tally).private_steps().to_vec();
                        let change = largest_change(neighbours, &units.iter().map(answer).collect());
                        let stated = component.mechanism.sensitivity();
                        let context = format!("{neighbours}, {max_rows} rows, {measure:?}, {}", level.granularity);
                        assert_eq!(change, stated.l1, "{context}");
                        let nothing = vec![0; answer(&units[0]).len()];
                        let from_nothing = units.iter().map(|unit| {
                            let moved = answer(unit).into_iter().zip(&nothing).map(|(one, other)| one - other);
                            moved.map(|change| change * change).sum::<i128>()
                        });
                        let squares = from_nothing.max().expect("some unit");
                        assert!(Rational::from(squares as u128) <= stated.l2_squared(), "{context}");
                        let own = component.mechanism.guarantee().epsilon().expect("pure").value().clone();
                        spent = &spent + &own;
                    }
                    assert_eq!(spent, Rational::ONE);
                }
            }
        }
    }
}

/// Twice 24 sums raise a false alarm once in 650 seeds. Noise that is taken for half of what it is fails.
#[test]
fn intervals_cover_at_the_level() {
    for (bounds, sums_of_cells) in [(("0", "10"), POSITIVE), (("-10", "10"), MIXED)] {
        let (levels, wrong) = (sums(bounds, true, Fit::TopDown, "1"), sums(bounds, true, Fit::TopDown, "2"));
        let truth: Vec<_> = in_margins(sums_of_cells).into_iter().map(Some).collect();
        let right = missed(&levels, &levels, sums_of_cells, &truth);
        assert!(right.iter().all(|&misses| misses <= MOST_MISSES), "{bounds:?}: {right:?}");
        let wrong = missed(&levels, &wrong, sums_of_cells, &truth);
        // The margin of column 0 is not measured.
        assert!(wrong[1..3].iter().any(|&misses| misses > MOST_MISSES), "{bounds:?}: {wrong:?}");
    }
}

/// Whole numbers of a column of whole numbers in the range that the signs leave, also where no sum is above zero, of
/// tables with all margins of two columns and with all three.
#[test]
fn sums_of_one_sign_are_whole_in_range_and_add_up() {
    let with_full_table: &[&[usize]] = &[&[0], &[2], &[0, 1, 2]];
    let signs = [(("0", "10"), (0.0, f64::INFINITY), 1), (("-10", "-1"), (f64::NEG_INFINITY, 0.0), -1)];
    let fits = [
        (Fit::TopDown, "table-top-down-least-squares-rounded"),
        (Fit::Shrunk, "table-top-down-empirical-bayes-rounded"),
    ];
    for ((bounds, range, sign), (fit, method)) in signs.into_iter().flat_map(|sign| fits.map(|fit| (sign, fit))) {
        for (listed, sets) in [(&LISTED[..], 7), (with_full_table, 8)] {
            let measure = AtLevels::Sums(column(bounds.0, bounds.1, true));
            let levels = measured(listed, fit, &measure, &setting(epsilon("0.5"), &ADD_REMOVE));
            assert_eq!(levels.ranges(), [range]);
            for seed in 0..5 {
                let (estimates, used) = released(&levels, &levels, tally(POSITIVE.map(|sum| sign * sum)), seed);
                assert_eq!(used, method);
                let values: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
                assert!(values.iter().all(|x| range.0 <= *x && *x <= range.1 && x.fract() == 0.0), "{values:?}");
                assert!(estimates.iter().all(|one| range.0 <= one.lower && one.upper <= range.1), "{estimates:?}");
                assert!(estimates.iter().all(|one| one.lower <= one.upper), "{estimates:?}");
                assert!((values[0] - f64::from(sign as i8) * 526.0).abs() < 300.0, "{values:?}");
                assert_adds_up_in(&values, sets);
                let given = estimates.iter().filter(|one| one.measurement.is_some()).count();
                assert_eq!(given, levels.measured_levels().map(|level| level.cells.len()).sum::<usize>());
            }
        }
    }
}

/// Sums of at most zero are solved for as sums of at least zero, with the other sign: the same noise with its sign
/// turned gives the same estimates.
#[test]
fn sums_below_zero_are_those_above_it_turned_round() {
    let (above, below) = (sums(("0", "10"), true, Fit::TopDown, "1"), sums(("-10", "0"), true, Fit::TopDown, "1"));
    let solved = |levels: &Levels, sign: f64| {
        let noisy = above.measure(tally(POSITIVE), &mut SeededEntropy::from_seed(7));
        let turned = |measured: Measured| Measured { value: sign * measured.value, ..measured };
        let measured: Vec<Measured> = levels.measured(&noisy).into_iter().map(turned).collect();
        let model = levels.additive.model(&levels.hierarchy.parents(), &measured);
        let solver = levels.hierarchy.solver(&model, levels.hierarchy.is_whole(&*levels.additive), levels.fit);
        let (solution, linear) = solver.solve_with_linear(&model, model.value.clone());
        assert_eq!(solver.linear(&model, model.value.clone()), linear);
        assert_eq!(solver.solve(&model, model.value.clone()).estimates, solution.estimates);
        (solution.estimates, linear, solver.linear_variances(&model))
    };
    let (plain, turned) = (solved(&above, 1.0), solved(&below, -1.0));
    let negative = |numbers: Vec<f64>| numbers.into_iter().map(|number| -number).collect::<Vec<f64>>();
    assert_eq!((plain.0, plain.1, plain.2), (negative(turned.0), negative(turned.1), turned.2));
}

/// On a fine grid, up to the rounding of doubles; of either sign they are the linear fit, without bias and with its
/// exact error.
#[test]
fn sums_of_any_numbers_add_up() {
    for (bounds, integer, method) in [
        (("0", "7.5"), false, "table-top-down-least-squares-in-bounds"),
        (("-2.5", "7.5"), false, "table-least-squares"),
        (("-10", "10"), true, "table-least-squares"),
    ] {
        let levels = sums(bounds, integer, Fit::TopDown, "0.5");
        let grid = levels.ask().clips[0].grid;
        assert_eq!(grid == Grid::INTEGERS, integer);
        let of_cells = MIXED.map(|sum| ((sum.abs() as f64 + 0.25) / grid.spacing()) as i128);
        for seed in 0..5 {
            let (estimates, used) = released(&levels, &levels, tally(of_cells), seed);
            assert_eq!(used, method);
            let values: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
            let size = values.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
            assert_adds_up_within(&values, 7, 1e-11 * size);
            assert!(values.iter().any(|value| value.fract() != 0.0));
            let exact = estimates.iter().all(|one| one.bias_error == 0.0 && one.bias_at_estimate == 0.0);
            assert_eq!(exact, method == "table-least-squares");
        }
    }
}

/// A row moves every margin of a sum by the largest value at most, where it moves that of a count by 1, and both
/// distances beside a mean by the width of the bounds, which a count from them is the sum of, over that width. What
/// noise of whole steps has less is below a hundredth.
#[test]
fn sums_err_as_counts_do_times_the_largest_value() {
    let setting = setting(epsilon("0.5"), &ADD_REMOVE);
    let errors =
        |measure: &AtLevels| measured(&LISTED, Fit::TopDown, measure, &setting).expected_errors(&Scenario::default());
    let counts = errors(&AtLevels::Counts);
    let sums = errors(&AtLevels::Sums(column("-10", "2", true)));
    let means = errors(&AtLevels::Means(column("-2", "10", true)));
    for (place, count) in counts.iter().enumerate() {
        for (error, factor) in [(&sums[place], 10.0), (&means[2 * place + 1], std::f64::consts::SQRT_2)] {
            assert!((error.rmse / (factor * count.rmse) - 1.0).abs() < 0.01, "{error:?} {count:?}");
        }
    }
}

/// Where all sums are far from 0 or have no range: 200 releases err by what check states. The relative standard error
/// of a root mean square of 200 Laplace errors is 8 %, so four of these and a little are allowed for each of 7 margins.
#[test]
fn what_check_states_is_what_releases_err_by() {
    for (bounds, of_cells) in [(("0", "10"), [20_000; CELLS]), (("-10", "10"), MIXED)] {
        let levels = sums(bounds, true, Fit::TopDown, "0.5");
        let mut squares = [0.0; 7];
        let truth = in_margins(of_cells);
        for seed in 0..RELEASES {
            let noisy = levels.measure(tally(of_cells), &mut SeededEntropy::from_seed(seed));
            let measured = levels.measured(&noisy);
            let model = levels.additive.model(&levels.hierarchy.parents(), &measured);
            let solver = levels.hierarchy.solver(&model, levels.hierarchy.is_whole(&*levels.additive), levels.fit);
            let estimates = solver.solve(&model, model.value.clone()).estimates;
            let mut errors = estimates.iter().zip(&truth).map(|(estimate, truth)| (estimate - truth).powi(2));
            for (square, cells) in squares.iter_mut().zip(levels.cells_by_level()) {
                *square += errors.by_ref().take(cells).sum::<f64>() / cells as f64 / RELEASES as f64;
            }
        }
        for (square, expected) in squares.iter().zip(levels.expected_errors(&Scenario::default())) {
            let ratio = square.sqrt() / expected.rmse;
            assert!((0.65..1.35).contains(&ratio), "{}: {} for {}", expected.case, square.sqrt(), expected.rmse);
        }
    }
}
