//! Intervals of levels that hold at once.

use super::*;

/// In how many of the releases all intervals hold, and how often single ones do.
fn held(levels: &Levels, counties: Counties, truth: &[f64], coverage: (f64, bool)) -> (u64, Vec<u64>) {
    let (mut all, mut each) = (0, vec![0; truth.len()]);
    for seed in 0..RELEASES {
        let measured = levels.measure(counties.tally(), &mut SeededEntropy::from_seed(seed));
        let estimates = levels.estimate_covering(&measured, coverage, RELEASES + seed, &Silent).estimates;
        let outputs = estimates.len() / truth.len();
        let holds = |cell: usize| {
            let estimate = &estimates[cell * outputs];
            (estimate.lower..=estimate.upper).contains(&truth[cell])
        };
        each.iter_mut().enumerate().for_each(|(cell, each)| *each += u64::from(holds(cell)));
        all += u64::from((0..truth.len()).all(holds));
    }
    (all, each)
}

/// Least number of releases that hold at a level: 4.5 standard deviations below it, which a right interval falls below
/// once in 300,000 seeds.
fn least(level: f64) -> u64 {
    let releases = RELEASES as f64;
    (releases * level - 4.5 * (releases * level * (1.0 - level)).sqrt()) as u64
}

/// Counts at levels hold at the level that is asked for: each by itself, and with `joint` all ten at once, which
/// intervals for single numbers do not.
#[test]
fn counts_hold_at_once_where_that_is_asked_for() {
    let counties = Counties { counts: [40, 3, 0, 1, 0, 9], sums: [0; 6] };
    let truth = all_levels(counties.counts);
    let levels = levels(&AtLevels::Counts, epsilon("1"), &ADD_REMOVE);
    for level in [0.8, 0.9, 0.99] {
        let (alone, each) = held(&levels, counties, &truth, (level, false));
        assert!(each.iter().all(|held| *held >= least(level)), "{level}: {each:?}");
        let (all, _) = held(&levels, counties, &truth, (level, true));
        assert!(all >= least(level), "{level}: {all} of {RELEASES}");
        assert!(level > 0.9 || alone < least(level), "{level}: {alone} hold at once though nobody asked for it");
    }
}

/// Means, counts and sums at levels hold at once too: the first number of each cell is its mean.
#[test]
fn means_hold_at_once_where_that_is_asked_for() {
    let counties = Counties { counts: [40, 30, 25, 100, 50, 9], sums: [200, 90, 0, 800, -50, 30] };
    let (rows, sums) = (all_levels(counties.counts), all_levels(counties.sums));
    let truth: Vec<f64> = sums.iter().zip(rows).map(|(sum, rows)| sum / rows).collect();
    let levels = levels(&AtLevels::Means(column("-2", "10", true)), epsilon("1"), &ADD_REMOVE);
    for level in [0.8, 0.99] {
        let (all, _) = held(&levels, counties, &truth, (level, true));
        assert!(all >= least(level), "{level}: {all} of {RELEASES}");
    }
}
