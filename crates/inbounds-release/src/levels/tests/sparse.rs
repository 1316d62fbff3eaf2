use inbounds_core::Rational;

use super::*;

/// All rows in the first county.
const FULL: [i128; 6] = [600, 0, 0, 0, 0, 0];

fn scenario() -> Scenario {
    Scenario { rows: Some(600), ..Scenario::default() }
}

/// Root mean square error of each level over releases.
fn rmse_of_releases(levels: &Levels, output: usize, sums: [i128; 6]) -> [f64; 3] {
    let (truth, outputs) = (all_levels(FULL), levels.outputs().len());
    let mut squares = [0.0; 3];
    for seed in 0..RELEASES {
        let (estimates, _) = release(levels, levels, Counties { counts: FULL, sums }, seed);
        let errors = estimates.iter().skip(output).step_by(outputs).zip(truth);
        let errors: Vec<f64> = errors.map(|(estimate, truth)| (estimate.value - truth).powi(2)).collect();
        let mean = |cells: &[f64]| cells.iter().sum::<f64>() / cells.len() as f64;
        let of_levels = [mean(&errors[..1]), mean(&errors[1..4]), mean(&errors[4..])];
        squares.iter_mut().zip(of_levels).for_each(|(sum, square)| *sum += square / RELEASES as f64);
    }
    squares.map(f64::sqrt)
}

/// The relative standard error of a root mean square of 200 Laplace errors is 8 %, and of both sides together 11 %:
/// four of these are allowed. Noise that is taken for half of what it is fails.
#[test]
fn what_check_states_is_what_releases_err_by() {
    let joint = |mut levels: Levels| {
        levels.fit = Fit::Joint;
        levels
    };
    let counts = |text: &str| levels(&AtLevels::Counts, epsilon(text), &ADD_REMOVE);
    let means = |text: &str| levels(&AtLevels::Means(column("-2", "10", true)), epsilon(text), &ADD_REMOVE);
    let half = || Rational::ratio(1, 2);
    let shares = LevelShares::Given(vec![half(), Rational::ZERO, half()]);
    let unmeasured = levels_with(shares, &AtLevels::Counts, epsilon("0.5"), &ADD_REMOVE);
    // In the middle of the bounds, where check supposes the mean.
    let middle = FULL.map(|count| 4 * count);
    for (name, levels, output, twice) in [
        ("counts", counts("0.5"), 0, counts("1")),
        ("joint counts", joint(counts("0.5")), 0, joint(counts("1"))),
        ("means", means("0.5"), 1, means("1")),
        ("without states", unmeasured, 0, counts("2")),
    ] {
        let of_releases = rmse_of_releases(&levels, output, middle);
        let off = |levels: &Levels| -> f64 {
            let stated = levels.expected_where_sparse(&scenario());
            assert_eq!(stated.len(), 3, "{name}");
            stated.iter().zip(of_releases).map(|(stated, rmse)| (stated.rmse / rmse).ln().abs()).fold(0.0, f64::max)
        };
        assert!(
            off(&levels) < 1.44_f64.ln(),
            "{name}: {of_releases:?} {:?}",
            levels.expected_where_sparse(&scenario())
        );
        assert!(off(&twice) > 1.44_f64.ln(), "{name}: half of the noise would pass");
    }
}

/// The root of the default fit is that of the linear fit, whose error has a formula; that of the joint fit is not.
#[test]
fn a_total_is_left_alone_by_default_and_moved_by_the_joint_fit() {
    let mut levels = levels(&AtLevels::Counts, epsilon("0.5"), &ADD_REMOVE);
    let far = levels.expected_errors(&scenario());
    let sparse = levels.expected_where_sparse(&scenario());
    assert_eq!(sparse[0].case, "level all, one finest cell has all rows");
    // Whole numbers add a twelfth of a square.
    assert!((sparse[0].rmse / far[0].rmse - 1.0).abs() < 0.01, "{} for {}", sparse[0].rmse, far[0].rmse);
    assert!(sparse[2].rmse < 0.9 * far[2].rmse, "{} for {}", sparse[2].rmse, far[2].rmse);
    levels.fit = Fit::Joint;
    let joint = levels.expected_where_sparse(&scenario());
    // What is cut off of five empty counties is added to it, while the default has no bias there.
    assert!(joint[0].bias > 1.0 && sparse[0].bias.abs() < 0.1, "{joint:?} {sparse:?}");
    // Sums of any sign have no bounds, and one error.
    let free = super::levels(&AtLevels::Sums(column("-2", "10", false)), epsilon("1"), &ADD_REMOVE);
    assert!(free.expected_where_sparse(&scenario()).is_empty());
}

/// Families of three, two and one: the level above counties need not be measured, and neither need the total of three
/// states.
#[test]
fn a_level_of_small_families_is_said_to_be_idle() {
    let levels = levels(&AtLevels::Counts, epsilon("1"), &ADD_REMOVE);
    let advice = levels.redundant_level().expect("states").to_string();
    assert!(
        advice.starts_with("Level `state` need not be measured: with its part of epsilon given to `county`"),
        "{advice}"
    );
    let parts = [1, 0, 2].map(|part| Rational::ratio(part, 3)).to_vec();
    let without = levels_with(LevelShares::Given(parts), &AtLevels::Counts, epsilon("1"), &ADD_REMOVE);
    let rmse = |levels: &Levels| levels.expected_errors(&scenario()).iter().map(|error| error.rmse).collect::<Vec<_>>();
    for (without, with) in rmse(&without).iter().zip(rmse(&levels)) {
        assert!(*without <= with * (1.0 + 1e-6), "{without} for {with}");
    }
}
