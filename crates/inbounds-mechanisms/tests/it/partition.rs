//! Keys that are not listed in advance, by noise without end: the guarantee by enumeration of whole outputs, the
//! threshold, and the errors and intervals of a published cell.
//!
//! Probabilities are summed from the mass function; nothing here calls the formulas of the code.

use inbounds_core::{Answer, CoreError, Delta, Epsilon, Guarantee, Sensitivity};
use inbounds_mechanisms::{
    calibrate::CalibrationError,
    interval::StepInterval,
    mechanism::{ErrorAt, Mechanism, StepValue},
    partition::{KeyCandidates, KeyNoise, KeySelection, NewCells},
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
    let sensitivity = Sensitivity { l1, linf: l1, cells: 2 * new.2, rule: "audit", squares: None };
    let new = NewCells::new(new.0, new.1, new.2).expect("positive");
    KeySelection::calibrate(&epsilon(e), &delta(d), &sensitivity, new, KeyNoise::Unbounded).expect("calibrates")
}

fn delta_bound(selection: &KeySelection) -> f64 {
    let KeyCandidates::OfRows { delta_bound, .. } = selection.candidates() else { panic!("no space is known") };
    *delta_bound
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

/// The outcomes of one cell: absent, each measurement from the threshold up, and all beyond the last in one.
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

/// The largest divergence over neighbours with three keys, of which others have some rows, at a threshold and inverse
/// scale.
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
                        let outcomes_with = |unit: &[i128; 3]| outcomes(tau, threshold, base[i] + unit[i], width);
                        (outcomes_with(one), outcomes_with(other))
                    })
                    .collect();
                let turned: Vec<_> = cells.iter().map(|(p, q)| (q.clone(), p.clone())).collect();
                worst = worst.max(divergence(&cells, e)).max(divergence(&turned, e));
            }
        }
    }
    worst
}

/// Whole outputs of neighbours, also with keys in one of them only, keep (epsilon, delta), and no smaller delta is
/// kept: a threshold one lower or half the noise is caught.
#[test]
fn whole_outputs_keep_epsilon_and_delta_and_less_is_caught() {
    for (e, d) in [("1", "0.01"), ("2", "0.001")] {
        for (bounds, substitute) in
            [((1, 1, 1), false), ((1, 1, 1), true), ((2, 2, 2), false), ((2, 1, 2), true), ((3, 1, 3), false)]
        {
            let l1 = u128::from(bounds.2) * if substitute { 2 } else { 1 };
            let mechanism = selection(l1, (e, d), bounds);
            let (tau, threshold) = (tau(&mechanism), mechanism.threshold());
            let (e, d): (f64, f64) = (e.parse().expect("number"), d.parse().expect("number"));
            let case = format!("eps {e} delta {d} {bounds:?} substitute {substitute} T {threshold}");
            let kept = largest(tau, threshold, bounds, substitute, e);
            assert!(kept <= d * (1.0 + 1e-9), "{case}: {kept}");
            assert!(
                (kept / delta_bound(&mechanism) - 1.0).abs() < 1e-9,
                "{case}: {kept} for {}",
                delta_bound(&mechanism)
            );
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
        let mechanism = selection(bounds.2.into(), (e, d), bounds);
        let (tau, d): (f64, f64) = (tau(&mechanism), d.parse().expect("number"));
        let published = |threshold: i128| {
            let probability = |way: &[i128; 3]| {
                let missed = way.iter().filter(|r| **r > 0).map(|r| (-tail(tau, threshold - r)).ln_1p());
                -missed.sum::<f64>().exp_m1()
            };
            ways(bounds).iter().map(probability).fold(0.0, f64::max)
        };
        let threshold = mechanism.threshold();
        assert!(published(threshold) <= d, "eps {e} {bounds:?}: {} at {threshold}", published(threshold));
        assert!((published(threshold) / delta_bound(&mechanism) - 1.0).abs() < 1e-9, "eps {e} {bounds:?}");
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
    assert!(large.threshold() > 1_000_000 && delta_bound(&large) <= 1e-9, "{}", large.threshold());
    let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "audit", squares: None };
    let new = NewCells::new(1, 1, 1).expect("positive");
    let calibrate = |d: &Delta| KeySelection::calibrate(&epsilon("1"), d, &one, new, KeyNoise::Symmetric);
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
            let (computed, expected) = (selection.error_at(count), enumerated(count));
            let case = format!("{setting:?} count {count}");
            assert!(
                (computed.bias - expected.bias).abs() < 1e-8 * (1.0 + expected.bias),
                "{case}: {computed:?} {expected:?}"
            );
            assert!((computed.rmse - expected.rmse).abs() < 1e-8 * expected.rmse, "{case}: {computed:?} {expected:?}");
        }
        for (lower, upper) in [(1, threshold), (1, threshold + 40), (threshold + 1, threshold + 30)] {
            let over = selection.error_over(StepInterval { lower: Some(lower), upper: Some(upper) });
            let all: Vec<ErrorAt> = (lower..=upper).map(|count| selection.error_at(count)).collect();
            let largest = |error: fn(&ErrorAt) -> f64| all.iter().map(error).fold(0.0, f64::max);
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

/// 20,000 draws a count: published as often as stated, and with the measurements of the law. Frequencies of ten counts
/// lie within five standard errors of their probabilities but for one run in 170,000; the seed is fixed.
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
    for (count, computed) in counts.iter().zip(&published) {
        let p = selection.chance_of(*count);
        let deviation = (20_000.0 * p * (1.0 - p)).sqrt();
        assert!((f64::from(*computed) - 20_000.0 * p).abs() < 5.0 * deviation, "count {count}: {computed} for {p}");
    }
    assert_eq!(published[counts.len()], 0, "no noise is drawn for a key that no row has");
}

#[test]
fn bounds_of_a_unit_cut_one_another() -> Result<(), CoreError> {
    let new = NewCells::new(9, 5, 3)?;
    assert_eq!((new.cells(), new.rows_per_cell(), new.rows()), (3, 3, 3));
    Ok(())
}

/// As a mechanism a published cell has the likelihood of its law, up to what no count changes; its draws are those of
/// published cells.
#[test]
fn a_published_cell_is_a_measurement_like_any_other() {
    let selection = selection(2, ("1", "1e-4"), (1, 2, 2));
    let made: &dyn Mechanism = &selection;
    let threshold = selection.threshold();
    for y in [threshold, threshold + 1, threshold + 9] {
        let exact = |count: i128| {
            let of_y = published_law(&selection, count).into_iter().find(|(computed, _)| *computed == y);
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

fn of_space(e: &str, l1: u128, cells: u64, spurious: &str) -> KeySelection {
    let sensitivity = Sensitivity { l1, linf: l1, cells: 2, rule: "audit", squares: None };
    KeySelection::calibrate_space(&epsilon(e), &sensitivity, cells, &spurious.parse().expect("number"))
        .expect("calibrates")
}

/// The outcomes of one cell of a space, with noise on an empty one as on any other.
fn outcomes_of_space(tau: f64, threshold: i128, count: i128, width: i128) -> Vec<f64> {
    let mut all: Vec<f64> = (threshold..threshold + width).map(|y| mass(tau, y - count)).collect();
    all.push(tail(tau, threshold + width - count));
    all.insert(0, 1.0 - all.iter().sum::<f64>());
    all
}

/// Of a space no output is more than e^epsilon times as probable for a neighbour, and one is: with half the noise, or
/// without noise on empty cells, it is more.
#[test]
fn a_space_of_keys_keeps_epsilon_without_delta_and_less_is_caught() {
    for (e, l1) in [("1", 1), ("2", 2), ("0.5", 3)] {
        let mechanism = of_space(e, l1, 3, "0.5");
        assert_eq!(mechanism.guarantee(), &Guarantee::Pure { epsilon: epsilon(e) });
        let e: f64 = e.parse().expect("number");
        let largest = |tau: f64, cell_law: fn(f64, i128, i128, i128) -> Vec<f64>| {
            let mut worst = 0f64;
            for base in [0, 1, mechanism.threshold(), mechanism.threshold() + 3] {
                for change in 1..=l1 as i128 {
                    // One cell that moves by all, beside others that do not: ratios of whole outputs are products of
                    // those of cells.
                    let [left, right] =
                        [base, base + change].map(|count| cell_law(tau, mechanism.threshold(), count, 40));
                    let each = left.iter().zip(&right).filter(|(p, q)| **p + **q > 1e-300);
                    let log = |(p, q): (&f64, &f64)| if p.min(*q) <= 0.0 { f64::INFINITY } else { (p / q).ln().abs() };
                    worst = each.map(log).fold(worst, f64::max);
                }
            }
            worst
        };
        let tau = tau(&mechanism);
        let kept = largest(tau, outcomes_of_space);
        assert!(kept <= e * (1.0 + 1e-9) && kept >= 0.999 * e, "{kept} for {e}");
        assert!(largest(2.0 * tau, outcomes_of_space) > 1.5 * e, "half the noise is not caught");
        assert_eq!(largest(tau, outcomes), f64::INFINITY, "empty cells without noise are not caught");
    }
}

#[test]
fn the_threshold_of_a_space_is_the_least() {
    for (e, cells, spurious) in [("1", 1 << 63, "0.001"), ("0.1", 50_000, "2"), ("3", 7, "0.5"), ("1", 4, "1000")] {
        let mechanism = of_space(e, 1, cells, spurious);
        let (tau, most): (f64, f64) = (tau(&mechanism), spurious.parse().expect("number"));
        let expected = |threshold: i128| cells as f64 * (-tau * threshold as f64).exp() / (1.0 + (-tau).exp());
        let threshold = mechanism.threshold();
        assert!(expected(threshold) <= most && (threshold == 1 || expected(threshold - 1) > most), "{threshold}");
        let KeyCandidates::OfSpace { spurious_bound, .. } = mechanism.candidates() else { panic!("a space") };
        assert!((spurious_bound / expected(threshold) - 1.0).abs() < 1e-9, "{spurious_bound}");
    }
    let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "audit", squares: None };
    let wrong = |cells, spurious: &str| {
        KeySelection::calibrate_space(&epsilon("1"), &one, cells, &spurious.parse().expect("number"))
    };
    assert!(wrong(0, "1").is_err() && wrong(5, "0").is_err());
}

/// Whole outputs of four keys, of which two have rows: frequencies of 40,000 draws against the law of noise on every
/// key, by a chi-square that is above its limit in less than one run in a million; without noise on empty keys it is
/// far above. So the draw that skips empty keys has the law of the one that visits them.
#[test]
fn draws_from_a_space_have_the_law_of_noise_on_every_key() {
    const DRAWS: usize = 40_000;
    let mechanism = of_space("1", 1, 4, "1000");
    let (tau, threshold) = (tau(&mechanism), mechanism.threshold());
    assert_eq!(threshold, 1);
    // Rank 1 has two rows, and rank 2 was seen without any.
    let counts = [0, 2, 0, 0];
    let mut entropy = SeededEntropy::from_seed(17);
    let mut seen = std::collections::BTreeMap::<Vec<i128>, f64>::new();
    for _ in 0..DRAWS {
        let mut output = vec![0; 4];
        for cell in mechanism.select_of_space(&[1, 2], Answer::new(vec![2, 0]), &mut entropy) {
            // Three and more are one outcome.
            output[usize::try_from(cell.rank).expect("four keys")] = cell.measurement.min(3);
        }
        *seen.entry(output).or_default() += 1.0;
    }
    let chi_square = |cell_law: fn(f64, i128, i128, i128) -> Vec<f64>| {
        let laws: Vec<Vec<f64>> = counts.iter().map(|count| cell_law(tau, threshold, *count, 2)).collect();
        let mut square = 0.0;
        for output in (0..256).map(|i| [i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6].map(|part: i32| part as usize)) {
            let expected = DRAWS as f64 * output.iter().zip(&laws).map(|(part, law)| law[*part]).product::<f64>();
            let mechanism = seen.get(output.map(|part| part as i128).as_slice()).copied().unwrap_or(0.0);
            square += (mechanism - expected).powi(2) / expected.max(1e-3);
        }
        square
    };
    // 255 degrees of freedom: 255 + 6 sqrt(510), of outputs with an expected number of at least three.
    assert!(chi_square(outcomes_of_space) < 391.0, "{}", chi_square(outcomes_of_space));
    assert!(chi_square(outcomes) > 1e6, "{}", chi_square(outcomes));
}

/// In a space nothing tells small counts from none, and both are covered.
#[test]
fn a_published_cell_of_a_space_may_be_empty() {
    let selection = of_space("1", 1, 1_000_000, "0.1");
    let threshold = selection.threshold();
    assert_eq!((selection.least(), selection.interval(threshold, 0.95).lower), (0, Some(0)));
    for count in [0, 1, threshold - 1] {
        let covers = |(y, _): &&(i128, f64)| selection.interval(*y, 0.95).contains(count);
        let covered: f64 = published_law(&selection, count).iter().filter(covers).map(|(_, p)| p).sum();
        assert!(covered >= 0.95 - 1e-9, "{count}: {covered}");
    }
    assert!((selection.chance_of(0) - tail(tau(&selection), threshold)).abs() < 1e-15);
    let made: &dyn Mechanism = &selection;
    let empty = published_law(&selection, 0);
    let bias: f64 = empty.iter().map(|(y, p)| p * *y as f64).sum();
    assert!((made.worst_bias() - bias).abs() < 1e-8, "{} for {bias}", made.worst_bias());
}
