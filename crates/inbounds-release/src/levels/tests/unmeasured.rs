use inbounds_core::Rational;

use super::*;

const COUNTS: [i128; 6] = [40, 3, 0, 1, 0, 9];
/// Of values from -2 to 10.
const SUMS: [i128; 6] = [300, -4, 0, 10, 0, 20];

/// Half of epsilon for the total, half for the counties, nothing for the states.
fn without_states(measure: &AtLevels, text: &str) -> Levels {
    let half = || Rational::ratio(1, 2);
    levels_with(LevelShares::Given(vec![half(), Rational::ZERO, half()]), measure, epsilon(text), &ADD_REMOVE)
}

/// Ten counts raise a false alarm once in 3,000 seeds. Noise that is taken for half of what it is fails, also at the
/// level that is not measured.
#[test]
fn intervals_of_counts_cover_at_the_level() {
    let (levels, wrong) = (without_states(&AtLevels::Counts, "1"), without_states(&AtLevels::Counts, "2"));
    let (counties, truth) = (Counties { counts: COUNTS, sums: [0; 6] }, all_levels(COUNTS).map(Some));
    let right = misses(&levels, &levels, counties, &truth);
    assert!(right.iter().all(|&misses| misses <= MOST_MISSES), "{right:?}");
    let wrong = misses(&levels, &wrong, counties, &truth);
    assert!(wrong[1..4].iter().any(|&misses| misses > MOST_MISSES), "{wrong:?}");
}

/// 30 intervals raise a false alarm once in 1,000 seeds.
#[test]
fn intervals_of_means_cover_at_the_level() {
    let levels = without_states(&AtLevels::Means(column("-2", "10", true)), "3");
    let cells = all_levels(COUNTS).into_iter().zip(all_levels(SUMS));
    let truth = cells.flat_map(|(count, sum)| [(count > 0.0).then(|| sum / count), Some(count), Some(sum)]);
    let truth: Vec<_> = truth.collect();
    let missed = misses(&levels, &levels, Counties { counts: COUNTS, sums: SUMS }, &truth);
    assert!(missed.iter().all(|&misses| misses <= MOST_MISSES), "{missed:?}");
}

#[test]
fn a_level_without_a_part_has_estimates_and_no_measurement() {
    for measure in [AtLevels::Counts, AtLevels::Means(column("-2", "10", true))] {
        let levels = without_states(&measure, "3");
        let outputs = levels.outputs().len();
        assert_eq!(levels.components().len(), 2);
        assert_eq!(levels.events("people").len(), 2);
        assert_eq!(levels.rows_measured().len(), 2);
        let names: Vec<_> = levels.measured_levels().filter_map(|level| level.granularity.level()).collect();
        assert_eq!(names, ["all", "county"]);
        for seed in 0..20 {
            let (estimates, projection) = release(&levels, &levels, Counties { counts: COUNTS, sums: SUMS }, seed);
            assert_eq!(projection.solver.status.word(), "optimal");
            let states = outputs..4 * outputs;
            for (place, estimate) in estimates.iter().enumerate() {
                // The noisy count of a county may be below zero, and then it has no raw mean.
                let may_have_none = outputs > 1 && place.is_multiple_of(outputs);
                let is_measured = estimate.measurement.is_some();
                assert!(may_have_none || is_measured != states.contains(&place), "{place}: {estimate:?}");
                assert!(!states.contains(&place) || !is_measured, "{place}: {estimate:?}");
                assert!(estimate.value.is_finite() && estimate.rmse_at_estimate.is_finite(), "{estimate:?}");
            }
            let values: Vec<f64> =
                estimates.iter().skip(usize::from(outputs > 1)).step_by(outputs).map(|one| one.value).collect();
            assert_adds_up(&values, 1e-9);
        }
    }
}

/// From the tree alone, whatever epsilon is.
#[test]
fn balanced_parts_do_not_depend_on_epsilon_and_cost_all_of_it() {
    let parts = |text: &str| -> Vec<String> {
        let levels = levels_with(LevelShares::Balanced, &AtLevels::Counts, epsilon(text), &ADD_REMOVE);
        let spent = |component: &Component| component.mechanism.guarantee().epsilon().expect("pure").value().clone();
        let all = levels.components().into_iter().map(spent).fold(Rational::ZERO, |all, part| &all + &part);
        assert_eq!(all, text.parse::<Rational>().expect("a number"));
        levels.measured_levels().map(|level| level.granularity.level().expect("a level").to_owned()).collect()
    };
    assert_eq!(parts("1"), parts("0.01"));
    // States have three counties at most, so they are not measured, and neither is the total of three states.
    assert_eq!(parts("1"), ["county"]);
}
