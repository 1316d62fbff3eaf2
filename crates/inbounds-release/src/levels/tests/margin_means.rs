//! Means of a column in the margins of a table of 2 by 3 by 2 cells.

use super::{
    margin_sums::{in_margins, measured, missed, released, tally},
    margins::{CELLS, COUNTS, LISTED, assert_adds_up_in, assert_adds_up_within},
    *,
};
use crate::plan::Fit;

/// Of values from -2 to 10.
const SUMS: [i128; CELLS] = [300, -4, 0, 0, 0, 40, 0, 0, 10, 0, 0, 130];

fn means(text: &str, design: &Design) -> Levels {
    let measure = AtLevels::Means(column("-2", "10", true));
    measured(&LISTED, Fit::TopDown, &measure, &setting(epsilon(text), design))
}

/// Mean, count and sum of all cells of all margins; no mean of no rows.
fn truth() -> Vec<Option<f64>> {
    let cells = in_margins(COUNTS).into_iter().zip(in_margins(SUMS));
    cells.flat_map(|(count, sum)| [(count > 0.0).then(|| sum / count), Some(count), Some(sum)]).collect()
}

/// One output of all cells.
fn output(estimates: &[Estimate], index: usize) -> Vec<f64> {
    estimates.iter().skip(index).step_by(3).map(|estimate| estimate.value).collect()
}

/// Twice 72 intervals at most raise a false alarm once in 230 seeds. Noise that is taken for half of what it is fails
/// in each output.
#[test]
fn intervals_cover_at_the_level() {
    // Replacing a row moves everything twice as far as adding one.
    for (half, full, design) in [("3", "6", &ADD_REMOVE), ("6", "12", &substitute(79))] {
        let (levels, wrong) = (means(half, design), means(full, design));
        let right = missed(&levels, &levels, SUMS, &truth());
        assert!(right.iter().all(|&misses| misses <= MOST_MISSES), "{half}: {right:?}");
        let wrong = missed(&levels, &wrong, SUMS, &truth());
        for output in 0..3 {
            let mut of_output = wrong.iter().skip(output).step_by(3);
            assert!(of_output.any(|&misses| misses > MOST_MISSES), "{half}, {output}: {wrong:?}");
        }
    }
}

#[test]
fn everything_is_in_range_and_consistent() {
    for (text, fit) in [("3", Fit::TopDown), ("0.05", Fit::TopDown), ("0.5", Fit::Shrunk)] {
        let measure = AtLevels::Means(column("-2", "10", true));
        let levels = measured(&LISTED, fit, &measure, &setting(epsilon(text), &substitute(79)));
        // A public number of rows is no end of a range here.
        assert_eq!(levels.ranges()[1], (0.0, f64::INFINITY));
        for seed in 0..10 {
            let (estimates, method) = released(&levels, &levels, tally(SUMS), seed);
            let expected = match fit {
                Fit::Shrunk => "table-top-down-empirical-bayes-in-bounds",
                _ => "table-top-down-least-squares-in-bounds",
            };
            assert_eq!(method, expected);
            let [mean, count, sum] = [0, 1, 2].map(|index| output(&estimates, index));
            let scale = 1e-11 * 12.0 * count[0].max(1.0);
            for cell in 0..count.len() {
                assert!((-2.0..=10.0).contains(&mean[cell]) && count[cell] >= 0.0, "{text}: {estimates:?}");
                assert!((mean[cell] * count[cell] - sum[cell]).abs() <= scale, "{text}: {estimates:?}");
            }
            for numbers in [&count, &sum] {
                assert_adds_up_within(numbers, 7, scale);
            }
            for (estimate, (lower, upper)) in estimates.iter().zip(levels.ranges().into_iter().cycle()) {
                assert!(lower <= estimate.lower && estimate.lower <= estimate.upper && estimate.upper <= upper);
            }
            for mean in estimates.iter().step_by(3) {
                assert!(mean.lower <= mean.value && mean.value <= mean.upper, "{mean:?}");
            }
            // The margins of columns 0 and 2 are not listed.
            assert!(estimates[3..9].iter().chain(&estimates[18..24]).all(|one| one.measurement.is_none()));
        }
    }
}

/// A column of zeros and ones: the numbers of either are whole, and the mean is a proportion.
#[test]
fn proportions_come_with_whole_counts() {
    let measure = AtLevels::Means(column("0", "1", true));
    let levels = measured(&LISTED, Fit::TopDown, &measure, &setting(epsilon("0.5"), &ADD_REMOVE));
    for seed in 0..10 {
        let (estimates, method) = released(&levels, &levels, tally([10, 3, 0, 0, 0, 9, 0, 0, 1, 0, 0, 2]), seed);
        assert_eq!(method, "table-top-down-least-squares-rounded");
        let [mean, count, sum] = [0, 1, 2].map(|index| output(&estimates, index));
        for numbers in [&count, &sum] {
            assert_adds_up_in(numbers, 7);
            assert!(numbers.iter().all(|number| number.fract() == 0.0 && *number >= 0.0));
        }
        assert!(sum.iter().zip(&count).all(|(sum, count)| sum <= count) && mean.iter().all(|mean| *mean <= 1.0));
        for cell in estimates.chunks(3).filter(|cell| cell[1].value == 0.0) {
            assert_eq!((cell[0].value, cell[0].lower, cell[0].upper, cell[2].value), (0.5, 0.0, 1.0, 0.0));
        }
    }
}

/// The distances of each margin have the error of one sum, and 200 releases of a table whose cells have 20,000 rows
/// each err by what check states, up to four and a half of the standard errors of 8 % that root mean squares of 200
/// Laplace errors have at most.
#[test]
fn what_check_states_is_what_releases_err_by() {
    const ROWS: i128 = 20_000;
    let levels = means("0.5", &ADD_REMOVE);
    let of_rows = |rows: i128, cells: usize| rows * 12 / cells as i128;
    let mut squares = [[0.0; 2]; 7];
    for seed in 0..RELEASES {
        let counts = Tally { counts: Answer::new(vec![ROWS; CELLS]), ..tally([4 * ROWS; CELLS]) };
        let noisy = levels.measure(counts, &mut SeededEntropy::from_seed(seed));
        let measured = levels.measured(&noisy);
        let model = levels.additive.model(&levels.hierarchy.parents(), &measured);
        let solver = levels.hierarchy.solver(&model, false, levels.fit);
        let solution = solver.solve(&model, model.value.clone()).estimates;
        let nodes = solution.len() / 2;
        let mut node = 0;
        for (squares, cells) in squares.iter_mut().zip(levels.cells_by_level()) {
            for _ in 0..cells {
                let (from, to) = (solution[node], solution[nodes + node]);
                let rows = of_rows(ROWS, cells) as f64;
                // To first order the noise of a mean of n rows is that of one of 1000, times n / 1000.
                squares[0] += ((-2.0 + 12.0 * from / (from + to) - 4.0) * rows).powi(2) / cells as f64;
                squares[1] += ((from + to) / 12.0 - rows).powi(2) / cells as f64;
                node += 1;
            }
        }
    }
    let expected = levels.expected_errors(&Scenario::default());
    assert_eq!(expected.len(), 14);
    for (squares, expected) in squares.iter().zip(expected.chunks(2)) {
        let rows: f64 = expected[0]
            .case
            .split("mean of ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next())
            .expect("rows")
            .parse()
            .expect("rows");
        for (square, stated) in squares.iter().zip([expected[0].rmse * rows, expected[1].rmse]) {
            let ratio = (square / RELEASES as f64).sqrt() / stated;
            assert!((0.65..1.35).contains(&ratio), "{}: {ratio}", expected[0].case);
        }
    }
}
