//! Keys that nobody listed: the guarantee by enumeration of whole outputs, the threshold, and what is said of a published cell.
//!
//! Probabilities are summed from the mass function; nothing here calls the formulas of the code.

use inbounds_core::{Answer, CoreError, Delta, Epsilon, Guarantee, Sensitivity};
use inbounds_mechanisms::{
    calibrate::CalibrationError,
    interval::StepInterval,
    mechanism::{ErrorAt, Mechanism, StepValue},
    partition::{KeySelection, NewCells},
    registry,
    sampler::SeededEntropy,
};

fn epsilon(text: &str) -> Epsilon {
    Epsilon::new(text.parse().expect("number")).expect("positive")
}

fn delta(text: &str) -> Delta {
    Delta::new(text.parse().expect("number")).expect("in [0, 1)")
}

fn selection(l1: u128, (e, d): (&str, &str), new: (u64, u64, u64)) -> KeySelection {
    let sensitivity = Sensitivity { l1, linf: l1, cells: 2 * new.2, rule: "audit" };
    let new = NewCells::new(new.0, new.1, new.2).expect("positive");
    KeySelection::calibrate(&epsilon(e), &delta(d), &sensitivity, new).expect("calibrates")
}

fn tau(selection: &KeySelection) -> f64 {
    selection.noise().as_laplace().expect("Laplace noise").inverse_scale().to_f64()
}

/// `P(Z = k)`, from the definition.
fn mass(tau: f64, k: i128) -> f64 {
    let a = (-tau).exp();
    (1.0 - a) / (1.0 + a) * (-tau * (k as f64).abs()).exp()
}

/// Steps beyond which the noise has no mass that matters.
fn far(tau: f64) -> i128 {
    (45.0 / tau) as i128 + 2
}

/// `P(Z >= k)`, summed.
fn tail(tau: f64, k: i128) -> f64 {
    (k..k.max(0) + far(tau)).rev().map(|z| mass(tau, z)).sum()
}

/// What comes out of one cell: absent, each measurement from the threshold up, and all beyond the last in one.
fn outcomes(tau: f64, threshold: i128, count: i128, width: i128) -> Vec<f64> {
    let mut all = vec![0.0; width as usize + 2];
    if count == 0 {
        all[0] = 1.0;
        return all;
    }
    for y in threshold..threshold + width {
        all[(y - threshold) as usize + 1] = mass(tau, y - count);
    }
    all[width as usize + 1] = tail(tau, threshold + width - count);
    all[0] = 1.0 - all[1..].iter().sum::<f64>();
    all
}

/// The hockey-stick divergence of whole outputs: every cell with every outcome, beside every other.
fn divergence(cells: &[(Vec<f64>, Vec<f64>)], e: f64) -> f64 {
    fn over(cells: &[(Vec<f64>, Vec<f64>)], (p, q): (f64, f64), boost: f64) -> f64 {
        match cells.split_first() {
            _ if p == 0.0 => 0.0,
            None => (p - boost * q).max(0.0),
            Some((first, rest)) => {
                let each = first.0.iter().zip(&first.1).map(|(x, y)| over(rest, (p * x, q * y), boost));
                each.sum()
            }
        }
    }
    over(cells, (1.0, 1.0), e.exp())
}

/// All ways to have at most `rows` rows in three cells, at most `per_cell` in each and in at most `cells` of them.
fn ways((cells, per_cell, rows): (u64, u64, u64)) -> Vec<[i128; 3]> {
    let each = || 0..=per_cell as i128;
    let all = each().flat_map(|x| each().flat_map(move |y| each().map(move |z| [x, y, z])));
    let fits = |way: &[i128; 3]| {
        way.iter().sum::<i128>() <= rows as i128 && way.iter().filter(|r| **r > 0).count() as u64 <= cells
    };
    all.filter(fits).collect()
}

/// The largest divergence over neighbours with three keys, of which others have some rows, at a threshold and inverse scale.
fn largest(tau: f64, threshold: i128, bounds: (u64, u64, u64), substitute: bool, e: f64) -> f64 {
    let others = [[0, 0, 0], [1, 0, 0], [threshold, 0, 0], [threshold - 1, threshold + 1, 0], [threshold; 3]];
    let ways = ways(bounds);
    let width = (8.0 / tau).ceil() as i128;
    let mut worst = 0f64;
    for base in &others {
        for one in &ways {
            let against: &[[i128; 3]] = if substitute { &ways } else { &[[0, 0, 0]] };
            for other in against {
                let cells: Vec<(Vec<f64>, Vec<f64>)> = (0..3)
                    .map(|i| {
                        let of = |unit: &[i128; 3]| outcomes(tau, threshold, base[i] + unit[i], width);
                        (of(one), of(other))
                    })
                    .collect();
                let turned: Vec<_> = cells.iter().map(|(p, q)| (q.clone(), p.clone())).collect();
                worst = worst.max(divergence(&cells, e)).max(divergence(&turned, e));
            }
        }
    }
    worst
}

/// Whole outputs of neighbours, also with keys in one of them only, keep (epsilon, delta), and no smaller delta is kept: a threshold
/// one lower or half the noise is caught.
#[test]
fn whole_outputs_keep_epsilon_and_delta_and_less_is_caught() {
    for (e, d) in [("1", "0.01"), ("2", "0.001")] {
        for (bounds, substitute) in
            [((1, 1, 1), false), ((1, 1, 1), true), ((2, 2, 2), false), ((2, 1, 2), true), ((3, 1, 3), false)]
        {
            let l1 = u128::from(bounds.2) * if substitute { 2 } else { 1 };
            let found = selection(l1, (e, d), bounds);
            let (tau, threshold) = (tau(&found), found.threshold());
            let (e, d): (f64, f64) = (e.parse().expect("number"), d.parse().expect("number"));
            let case = format!("eps {e} delta {d} {bounds:?} substitute {substitute} T {threshold}");
            let kept = largest(tau, threshold, bounds, substitute, e);
            assert!(kept <= d * (1.0 + 1e-9), "{case}: {kept}");
            assert!((kept / found.delta_bound() - 1.0).abs() < 1e-9, "{case}: {kept} for {}", found.delta_bound());
            let lower = largest(tau, threshold - 1, bounds, substitute, e);
            assert!(lower > d, "{case}: one lower is not caught, {lower}");
            let halved = largest(2.0 * tau, threshold, bounds, substitute, e);
            assert!(halved > d, "{case}: half the noise is not caught, {halved}");
        }
    }
}

/// A unit without rows of others is published with the probability that all ways to have its rows have at most.
#[test]
fn the_threshold_is_the_least_for_the_worst_way_to_have_rows() {
    for (e, d, bounds) in [
        ("0.3", "1e-3", (3, 3, 3)),
        ("1", "1e-6", (3, 2, 5)),
        ("2", "0.2", (3, 3, 4)),
        ("5", "0.5", (2, 3, 6)),
        ("1", "0.9", (3, 3, 3)),
    ] {
        let found = selection(bounds.2.into(), (e, d), bounds);
        let (tau, d): (f64, f64) = (tau(&found), d.parse().expect("number"));
        let published = |threshold: i128| {
            let of = |way: &[i128; 3]| {
                let missed = way.iter().filter(|r| **r > 0).map(|r| (-tail(tau, threshold - r)).ln_1p());
                -missed.sum::<f64>().exp_m1()
            };
            ways(bounds).iter().map(of).fold(0.0, f64::max)
        };
        let threshold = found.threshold();
        assert!(published(threshold) <= d, "eps {e} {bounds:?}: {} at {threshold}", published(threshold));
        assert!((published(threshold) / found.delta_bound() - 1.0).abs() < 1e-9, "eps {e} {bounds:?}");
        assert!(threshold == 1 || published(threshold - 1) > d, "eps {e} {bounds:?}: {threshold} is not the least");
    }
}

/// Small deltas and large units, for which the closed form is known: `delta = a^(T - r) / (1 + a)` of one cell.
#[test]
fn extreme_calibrations_are_proved_or_refused() {
    let tiny = selection(1, ("1e-9", "1e-300"), (1, 1, 1));
    let expected = 1.0 + (300.0 * 10f64.ln() - 2f64.ln()) / 1e-9;
    assert!((tiny.threshold() as f64 / expected - 1.0).abs() < 1e-9, "{}", tiny.threshold());
    let large = selection(1_000_000, ("1", "1e-9"), (1_000_000, 1_000_000, 1_000_000));
    assert!(large.threshold() > 1_000_000 && large.delta_bound() <= 1e-9, "{}", large.threshold());
    let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "audit" };
    let new = NewCells::new(1, 1, 1).expect("positive");
    let calibrate = |d: &Delta| KeySelection::calibrate(&epsilon("1"), d, &one, new);
    assert_eq!(calibrate(&Delta::ZERO).err(), Some(CalibrationError::KeysNeedDelta));
    let hopeless = delta(&format!("1/1{}", "0".repeat(400)));
    assert!(matches!(calibrate(&hopeless), Err(CalibrationError::Unproved { .. })));
    assert_eq!(tiny.guarantee(), &Guarantee::Approximate { epsilon: epsilon("1e-9"), delta: delta("1e-300") });
}

/// The law of a published measurement: from the threshold on, scaled to one.
fn published_law(selection: &KeySelection, count: i128) -> Vec<(i128, f64)> {
    let (tau, threshold) = (tau(selection), selection.threshold());
    let weights: Vec<(i128, f64)> =
        (threshold..threshold.max(count) + far(tau)).map(|y| (y, mass(tau, y - count))).collect();
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    weights.into_iter().map(|(y, weight)| (y, weight / total)).collect()
}

const SETTINGS: [(&str, &str); 4] = [("1", "1e-6"), ("0.1", "1e-4"), ("3", "1e-9"), ("1", "0.3")];

#[test]
fn intervals_cover_given_that_the_cell_was_published() {
    for setting in SETTINGS {
        let selection = selection(1, setting, (1, 1, 1));
        let threshold = selection.threshold();
        for level in [0.5, 0.95] {
            let intervals: Vec<StepInterval> =
                published_law(&selection, threshold + 240).iter().map(|(y, _)| selection.interval(*y, level)).collect();
            let mut least = 1f64;
            for count in (1..=threshold).chain((1..80).map(|i| threshold + i * 3)) {
                let covers = |(y, _): &&(i128, f64)| intervals[(*y - threshold) as usize].contains(count);
                let covered: f64 = published_law(&selection, count).iter().filter(covers).map(|(_, p)| p).sum();
                assert!(covered >= level - 1e-9, "{setting:?} level {level} count {count}: {covered}");
                least = least.min(covered);
            }
            assert!(least < 1.0 - (1.0 - level) / 50.0, "{setting:?}: an interval that always covers says nothing");
        }
        let at = selection.interval(threshold, 0.95);
        assert_eq!(at.lower, Some(1), "{setting:?}: all counts up to the threshold look alike");
        let high = threshold + far(tau(&selection));
        assert!(
            selection.interval(high, 0.95).lower > Some(threshold) && selection.interval(high, 0.95).contains(high)
        );
    }
}

/// An interval that forgets the threshold misses small counts: this one would be noticed.
#[test]
fn an_interval_without_the_condition_does_not_cover() {
    let selection = selection(1, ("1", "1e-6"), (1, 1, 1));
    // 95 % of this noise is within 3 steps.
    let law = published_law(&selection, 2);
    let covered: f64 = law.iter().filter(|(y, _)| (y - 3..=y + 3).contains(&2)).map(|(_, p)| p).sum();
    assert!(covered < 0.01, "{covered}");
}

#[test]
fn errors_are_those_of_published_measurements() {
    for setting in SETTINGS {
        let selection = selection(1, setting, (1, 1, 1));
        let threshold = selection.threshold();
        let counts: Vec<i128> = (1..=threshold.min(40)).chain((-3..60).map(|i| (threshold + i).max(1))).collect();
        let enumerated = |count: i128| {
            let law = published_law(&selection, count);
            let moment = |power| law.iter().map(|(y, p)| p * ((y - count) as f64).powi(power)).sum::<f64>();
            ErrorAt { bias: moment(1), rmse: moment(2).sqrt() }
        };
        for &count in &counts {
            let (found, expected) = (selection.error_at(count), enumerated(count));
            let case = format!("{setting:?} count {count}");
            assert!(
                (found.bias - expected.bias).abs() < 1e-8 * (1.0 + expected.bias),
                "{case}: {found:?} {expected:?}"
            );
            assert!((found.rmse - expected.rmse).abs() < 1e-8 * expected.rmse, "{case}: {found:?} {expected:?}");
        }
        for (lower, upper) in [(1, threshold), (1, threshold + 40), (threshold + 1, threshold + 30)] {
            let over = selection.error_over(StepInterval { lower: Some(lower), upper: Some(upper) });
            let all: Vec<ErrorAt> = (lower..=upper).map(|count| selection.error_at(count)).collect();
            let largest = |of: fn(&ErrorAt) -> f64| all.iter().map(of).fold(0.0, f64::max);
            assert_eq!(
                (over.bias, over.rmse),
                (largest(|e| e.bias), largest(|e| e.rmse)),
                "{setting:?} {lower} {upper}"
            );
        }
    }
}

#[test]
fn chances_are_sums_of_the_law_and_least_counts_reach_them() {
    for setting in SETTINGS {
        let selection = selection(1, setting, (1, 1, 1));
        let (tau, threshold) = (tau(&selection), selection.threshold());
        for count in 1..threshold + 30 {
            let expected = tail(tau, threshold - count);
            assert!((selection.chance_of(count) - expected).abs() < 1e-12, "{setting:?} {count}: {expected}");
        }
        assert_eq!(selection.chance_of(0), 0.0, "a key without rows is never published");
        for chance in [1e-12, 0.05, 0.5, 0.95, 1.0 - 1e-9] {
            let least = selection.least_count(chance).expect("a chance");
            assert!(
                selection.chance_of(least) >= chance && selection.chance_of(least - 1) < chance,
                "{setting:?} {chance}"
            );
        }
        assert_eq!([0.0, 1.0, f64::NAN].map(|chance| selection.least_count(chance)), [None; 3]);
    }
}

/// 20,000 draws a count: published as often as stated, and with the measurements of the law. Frequencies of ten counts lie within
/// five standard errors of their probabilities but for one run in 170,000; the seed is fixed.
#[test]
fn draws_are_published_as_often_as_stated() {
    let selection = selection(1, ("0.5", "1e-3"), (1, 1, 1));
    let threshold = selection.threshold();
    let mut entropy = SeededEntropy::from_seed(11);
    let counts: Vec<i128> = (0..10).map(|i| threshold - 5 + i).collect();
    let mut published = vec![0u32; counts.len() + 1];
    for _ in 0..20_000 {
        // The last one has no row.
        let answer = Answer::new(counts.iter().copied().chain([0]).collect());
        let cells = selection.select(answer, &mut entropy);
        assert!(cells.windows(2).all(|pair| pair[0].place < pair[1].place), "in the order of the keys");
        for cell in cells {
            assert!(cell.measurement >= threshold);
            published[cell.place] += 1;
        }
    }
    for (count, found) in counts.iter().zip(&published) {
        let p = selection.chance_of(*count);
        let deviation = (20_000.0 * p * (1.0 - p)).sqrt();
        assert!((f64::from(*found) - 20_000.0 * p).abs() < 5.0 * deviation, "count {count}: {found} for {p}");
    }
    assert_eq!(published[counts.len()], 0, "no noise is drawn for a key that no row has");
}

#[test]
fn bounds_of_a_unit_cut_one_another() -> Result<(), CoreError> {
    let new = NewCells::new(9, 5, 3)?;
    assert_eq!((new.cells(), new.rows_per_cell(), new.rows()), (3, 3, 3));
    Ok(())
}

/// As a mechanism a published cell has the likelihood of its law, up to what no count changes; its draws are those of published cells.
#[test]
fn a_published_cell_is_a_measurement_like_any_other() {
    let selection = selection(2, ("1", "1e-4"), (1, 2, 2));
    let made: &dyn Mechanism = &selection;
    let threshold = selection.threshold();
    for y in [threshold, threshold + 1, threshold + 9] {
        let exact = |count: i128| {
            let of_y = published_law(&selection, count).into_iter().find(|(found, _)| *found == y);
            of_y.expect("published").1.ln()
        };
        let stated = |count: i128| made.ln_likelihood(y, StepValue::whole(count));
        for count in [1, threshold - 3, threshold, threshold + 2, threshold + 12] {
            let (exact, stated) = (exact(count) - exact(threshold + 5), stated(count) - stated(threshold + 5));
            assert!((exact - stated).abs() < 1e-9, "{y} of {count}: {stated} for {exact}");
        }
    }
    // Means of 20,000 draws: beyond six standard errors with a probability below 1e-8.
    let entropy = &mut SeededEntropy::from_seed(3);
    for count in [1, threshold - 2, threshold, threshold + 4] {
        let drawn = made.measure(&vec![count; 20_000], entropy);
        assert!(drawn.iter().all(|y| *y >= threshold));
        let mean = drawn.iter().map(|y| (y - count) as f64).sum::<f64>() / drawn.len() as f64;
        let ErrorAt { bias, rmse } = selection.error_at(count);
        assert!((mean - bias).abs() < 6.0 * rmse / 20_000f64.sqrt(), "{count}: {mean} for {bias}");
    }
    let again = registry::LEARNED.calibrate(made.guarantee(), made.sensitivity(), made.range()).expect("calibrates");
    assert_eq!((again.noise(), again.name()), (made.noise(), made.name()));
}
