//! Residuals of margins in place of margins, of a table of 2 by 3 by 2 cells and of the adult census extract.

use inbounds_core::Rational;
use inbounds_project::table::Axes;

use super::{
    margin_sums::{self, Row, in_margins, missed, released, tally_of},
    margins::{
        CELLS, COUNTS, SIZES, all_margins, assert_adds_up_in, assert_adds_up_within, assert_coverage, keys, plainly,
        tally,
    },
    neighbours::units,
    *,
};
use crate::plan::{Fit, MarginShares};

/// Of values from -2 to 10.
const SUMS: [i128; CELLS] = [300, -4, 0, 0, 0, 40, 0, 0, 10, 0, 0, 130];

/// All margins whose number of columns is in `sizes`.
fn sets(columns: usize, sizes: std::ops::RangeInclusive<usize>) -> Vec<Vec<usize>> {
    let all = Axes::new(0..columns).subsets().into_iter().filter(|axes| sizes.contains(&axes.count()));
    all.map(|axes| axes.iter().collect()).collect()
}

/// Margins of counts that err least over all cells under Gaussian noise, where a share `s` has `rho = s^2 rate`.
fn least(sizes: &[usize], sets: &[Vec<usize>], design: &Design, rate: Rational) -> Levels {
    least_of(&AtLevels::Counts, sizes, sets, design, rate)
}

/// The same of anything that adds up.
fn least_of(measure: &AtLevels, sizes: &[usize], sets: &[Vec<usize>], design: &Design, rate: Rational) -> Levels {
    let sets: Vec<&[usize]> = sets.iter().map(Vec::as_slice).collect();
    let asked = asked(&sets, MarginShares::LeastError, Fit::TopDown);
    let mechanism = registry::find("clamped-gaussian").expect("registered").into();
    let delta = Delta::new(Rational::ratio(1, 1_000_000_000)).expect("a delta");
    let setting = Setting { mechanism, delta, rho_rate: Some(rate), ..setting(epsilon("1"), design) };
    Levels::prepare(Asked::Margins(&asked), &keys(sizes), measure, &setting).expect("margins")
}

/// All pairs of columns, of which residuals err less than they do.
fn pairs(rate: Rational) -> Levels {
    pairs_of(&AtLevels::Counts, rate)
}

fn pairs_of(measure: &AtLevels, rate: Rational) -> Levels {
    let levels = least_of(measure, &SIZES, &sets(3, 2..=2), &ADD_REMOVE, rate);
    assert!(levels.hierarchy.has_residuals() && levels.measured_levels().count() == 7);
    levels
}

fn rho(levels: &Levels) -> f64 {
    let own = |component: &Component| component.mechanism.guarantee().rho().expect("zCDP").value().to_f64();
    levels.components().into_iter().map(own).sum()
}

/// Every row with a value at a bound or between, and every pair of such rows: each residual moves as far as its noise
/// is made for.
#[test]
fn a_unit_moves_a_residual_as_far_as_its_sensitivity() {
    let places = (0..CELLS).map(Some).chain([None]);
    let rows: Vec<Row> = places.flat_map(|cell| [-2, 3, 10].map(|value| (cell, value))).collect();
    let column = || column("-2", "10", true);
    for max_rows in [1, 2] {
        let unit = PrivacyUnit::Column(inbounds_statistics::Contribution::of_rows(max_rows));
        let design = Design { neighbours: Neighbours::AddRemove, unit, rows: None };
        for measure in [AtLevels::Counts, AtLevels::Sums(column()), AtLevels::Means(column())] {
            let levels = least_of(&measure, &SIZES, &sets(3, 2..=2), &design, Rational::ONE);
            assert!(levels.hierarchy.has_residuals());
            let mut largest_squares = vec![0; levels.components().len()];
            for unit in units(&rows, max_rows, tally_of) {
                for (largest, answer) in largest_squares.iter_mut().zip(levels.answers(unit)) {
                    *largest = answer.private_steps().iter().map(|steps| steps * steps).sum::<i128>().max(*largest);
                }
            }
            let stated = levels.components().into_iter().map(|one| one.mechanism.sensitivity().l2_squared());
            let largest_squares: Vec<Rational> =
                largest_squares.into_iter().map(|squares| Rational::from(squares as u128)).collect();
            assert_eq!(largest_squares, stated.collect::<Vec<_>>(), "{max_rows} rows, {measure:?}");
        }
    }
}

/// Distances have a residual of each, side by side: that of the sums less the lower bound of the counts, and of the
/// upper bound less these.
#[test]
fn answers_of_means_are_residuals_of_both_distances() {
    let answers = pairs_of(&AtLevels::Means(column("-2", "10", true)), Rational::ONE).answers(margin_sums::tally(SUMS));
    let of_counts = pairs(Rational::ONE).answers(tally(COUNTS));
    let of_sums = pairs_of(&AtLevels::Sums(column("-2", "10", true)), Rational::ONE).answers(margin_sums::tally(SUMS));
    for ((pairs, counts), sums) in answers.iter().zip(&of_counts).zip(&of_sums) {
        for ((pair, count), sum) in
            pairs.private_steps().chunks(2).zip(counts.private_steps()).zip(sums.private_steps())
        {
            assert_eq!(pair, [sum + 2 * count, 10 * count - sum]);
        }
    }
}

/// 24 sums of each of two columns, and 72 numbers beside means, raise a false alarm once in 270 seeds. Noise that is
/// taken for half of what it is fails in each output, and only the total has a measurement of its own.
#[test]
fn intervals_of_sums_and_means_cover_at_the_level() {
    let truth = |outputs: usize| -> Vec<Option<f64>> {
        let cells = in_margins(COUNTS).into_iter().zip(in_margins(SUMS));
        match outputs {
            1 => cells.map(|(_, sum)| Some(sum)).collect(),
            _ => cells.flat_map(|(n, sum)| [(n > 0.0).then(|| sum / n), Some(n), Some(sum)]).collect(),
        }
    };
    let (either, mean) = (AtLevels::Sums(column("-10", "10", true)), AtLevels::Means(column("-2", "10", true)));
    for measure in [either, AtLevels::Sums(column("-2", "10", false)), mean] {
        let (levels, wrong) = (pairs_of(&measure, Rational::ONE), pairs_of(&measure, Rational::from(4u128)));
        let steps = 1.0 / levels.additive.grid().spacing();
        let of_cells = SUMS.map(|sum| (sum as f64 * steps) as i128);
        let outputs = levels.outputs().len();
        let right = missed(&levels, &levels, of_cells, &truth(outputs));
        assert!(right.iter().all(|&misses| misses <= MOST_MISSES), "{measure:?}: {right:?}");
        let wrong = missed(&levels, &wrong, of_cells, &truth(outputs));
        for output in 0..outputs {
            let mut of_output = wrong.iter().skip(output).step_by(outputs);
            assert!(of_output.any(|&misses| misses > MOST_MISSES), "{measure:?}, {output}: {wrong:?}");
        }
        let (estimates, _) = released(&levels, &levels, margin_sums::tally(of_cells), 1);
        let measured = estimates.iter().take_while(|estimate| estimate.measurement.is_some()).count();
        assert_eq!((measured, estimates.iter().filter(|one| one.measurement.is_some()).count()), (outputs, outputs));
        let sums: Vec<f64> = estimates.iter().skip(outputs - 1).step_by(outputs).map(|one| one.value).collect();
        assert_adds_up_within(&sums, 7, 1e-9 * sums[0].abs());
    }
}

/// Residuals of a margin, by the numbers that smaller ones foretell: times its cells, all is whole.
#[test]
fn answers_are_what_smaller_margins_do_not_tell() {
    let levels = pairs(Rational::ONE);
    let answers = levels.answers(tally(COUNTS));
    let rows_in = |margin: usize| plainly(SIZES, all_margins()[margin], &COUNTS);
    assert_eq!(answers[0].private_steps(), rows_in(0));
    assert_eq!(answers[2].private_steps(), rows_in(2).iter().map(|rows| 3 * rows - rows_in(0)[0]).collect::<Vec<_>>());
    // The margin of both columns less those of one, and the total, which both of these hold.
    let expected =
        (0..6).map(|cell| 6 * rows_in(4)[cell] - 2 * rows_in(1)[cell / 3] - 3 * rows_in(2)[cell % 3] + rows_in(0)[0]);
    assert_eq!(answers[4].private_steps(), expected.collect::<Vec<_>>());
}

/// Table C of the study that asked for margins, at epsilon 1 and delta 10^-9, where one count has noise of 5.495: mean
/// RMSE of margins of one column, of two, and RMSE over all cells, for six columns of the adult census extract.
#[test]
fn residuals_of_the_adult_census_reproduce_the_study() {
    let levels = least(&[16, 15, 5, 2, 7, 9], &sets(6, 1..=2), &ADD_REMOVE, Rational::ONE);
    assert!(levels.hierarchy.has_residuals());
    let errors = levels.expected_errors(&Scenario::default()).into_iter().map(|error| error.rmse * error.rmse);
    let errors: Vec<f64> = errors.map(|square| 2.0 * rho(&levels) * square).collect();
    let cells: Vec<f64> = levels.cells_by_level().map(|cells| cells as f64).collect();
    let mean = |weights: &dyn Fn(usize) -> f64, margins: std::ops::Range<usize>| {
        let all: f64 = margins.clone().map(weights).sum();
        5.495 * (margins.map(|margin| weights(margin) * errors[margin]).sum::<f64>() / all).sqrt()
    };
    let ratios = [mean(&|_| 1.0, 1..7), mean(&|_| 1.0, 7..22), mean(&|margin| cells[margin], 1..22)];
    // Shares in ten-thousandths lose less than a thousandth.
    let near = |(ratio, expected): (&f64, f64)| (ratio / expected - 1.0).abs() < 0.004;
    assert!(ratios.iter().zip([29.6, 19.5, 17.5]).all(near), "{ratios:?}");
}

/// Noise that is taken for half of what it is fails. All estimates are whole and add up, and only the total has a
/// measurement of its own.
#[test]
fn intervals_cover_at_the_level() {
    assert_coverage([&pairs(Rational::ratio(1, 4)), &pairs(Rational::ONE)], |estimates| {
        assert_adds_up_in(&estimates.iter().map(|estimate| estimate.value).collect::<Vec<_>>(), 7);
        let measured = estimates.iter().position(|estimate| estimate.measurement.is_some());
        assert_eq!((measured, estimates[1..].iter().all(|estimate| estimate.measurement.is_none())), (Some(0), true));
    });
}

/// The linear fit has every residual that was measured, less what is none: noise of `prod n_j` numbers of which
/// residuals have `prod (n_j - 1)` directions, 14 more in all. Twice the objective has the law of chi-squared with as
/// many degrees of freedom, of whose mean over 200 releases 4.5 standard errors are allowed: one false alarm in 147,000
/// seeds.
#[test]
fn the_objective_is_of_what_no_residual_can_be() {
    let levels = pairs_of(&AtLevels::Sums(column("-10", "10", true)), Rational::ONE);
    let objective = |seed: u64| {
        let noisy = levels.measure(margin_sums::tally(SUMS), &mut SeededEntropy::from_seed(seed));
        levels.estimate_watched(&noisy, 0.95, seed, &Silent).projection.expect("a projection").solver.objective
    };
    let mean = 2.0 * (0..RELEASES).map(objective).sum::<f64>() / RELEASES as f64;
    let error = (28.0 / RELEASES as f64).sqrt();
    assert!((mean - 14.0).abs() < 4.5 * error, "{mean}");
}

/// Where all cells are far from 0, 200 releases err by what check states: the relative standard error of a root mean
/// square of 200 Gaussian errors is 5 %, and four of these are allowed for each of 7.
#[test]
fn what_check_states_is_what_releases_err_by() {
    let levels = pairs(Rational::ratio(1, 4));
    let counts = [1000; COUNTS.len()];
    let mut squares = [0.0; 7];
    for seed in 0..RELEASES {
        let noisy = levels.measure(tally(counts), &mut SeededEntropy::from_seed(seed));
        let mut estimates = levels.estimate_watched(&noisy, 0.95, seed, &Silent).estimates.into_iter();
        for (square, axes) in squares.iter_mut().zip(all_margins()) {
            let truth = plainly(SIZES, axes, &counts);
            let errors: f64 =
                truth.iter().zip(&mut estimates).map(|(x, estimate)| (estimate.value - *x as f64).powi(2)).sum();
            *square += errors / truth.len() as f64 / RELEASES as f64;
        }
    }
    for (square, expected) in squares.iter().zip(levels.expected_errors(&Scenario::default())) {
        let ratio = square.sqrt() / expected.rmse;
        assert!((0.8..1.2).contains(&ratio), "{}: {} for {}", expected.case, square.sqrt(), expected.rmse);
    }
}

/// Replacing a row moves residuals further than margins, and what has few columns gains nothing.
#[test]
fn margins_are_measured_where_residuals_gain_nothing() {
    let replaced = least(&SIZES, &sets(3, 2..=2), &substitute(100), Rational::ONE);
    let few = least(&SIZES, &sets(3, 1..=2), &ADD_REMOVE, Rational::ONE);
    for levels in [replaced, few] {
        assert!(!levels.hierarchy.has_residuals());
        assert!(levels.components().iter().all(|component| component.divisor == 1));
    }
}
