//! Proportion vectors as a release uses them: sensitivities, ranges, and intervals for the population.

use inbounds_core::{Answer, Delta, Epsilon, Neighbours, Tally};
use inbounds_mechanisms::{
    law::Noise,
    registry,
    sampler::{Entropy, SeededEntropy},
};
use inbounds_statistics::{
    Design, PrivacyUnit, Setting, Share, Simulated, Statistic, StatisticError,
    proportion::{Negative, ProportionVector, Proportions, ShareRule, Total, population_share},
};

use crate::engine::{private_rows, public_rows};

const RULES: [ShareRule; 6] = [
    ShareRule::Rescaling,
    ShareRule::AllButOne { calculated: 1, negative: Negative::Zeroed },
    ShareRule::AllButOne { calculated: 0, negative: Negative::Kept },
    ShareRule::UniversalHistogram { fan_out: 2 },
    ShareRule::SimplexProjection,
    ShareRule::Conditioning,
];

fn setting(cells: u64, rows: Option<u64>, epsilon: &str, mechanism: &str) -> Setting {
    let neighbours = if rows.is_some() { Neighbours::Substitute } else { Neighbours::AddRemove };
    Setting {
        design: Design { neighbours, unit: PrivacyUnit::Row, rows },
        cells,
        grouped: true,
        filtered: false,
        mechanism: registry::find(mechanism).expect("registered").into(),
        epsilon: Epsilon::new(epsilon.parse().expect("number")).expect("positive"),
        delta: Delta::ZERO,
        rho_rate: None,
        together: None,
    }
}

fn vector(rule: ShareRule, total: Total, releases: u32) -> ProportionVector {
    ProportionVector { rule, total, releases }
}

fn prepare(rule: ShareRule, cells: u64, rows: Option<u64>, epsilon: &str, releases: u32) -> Proportions {
    let total = if rows.is_some() { Total::Public } else { Total::Measured };
    vector(rule, total, releases).prepare(&setting(cells, rows, epsilon, "clamped")).expect("valid")
}

fn measure(shares: &Proportions, counts: Vec<i128>, entropy: &mut dyn Entropy) -> Vec<Vec<i128>> {
    let moments = Tally { counts: Answer::new(counts), sums: Vec::new(), products: Vec::new() };
    shares.measure(moments, entropy).iter().map(|measured| measured.steps().to_vec()).collect()
}

fn borrow(measured: &[Vec<i128>]) -> Vec<&[i128]> {
    measured.iter().map(Vec::as_slice).collect()
}

/// Count of each component for rows of the given categories (`None`: of no listed one).
fn answers(shares: &Proportions, rows: &[Option<usize>]) -> Vec<Vec<i128>> {
    let counts = |component: usize| {
        let spans = shares.spans(component).unwrap_or_else(|| (0..shares.cells()).map(|k| k..k + 1).collect());
        let count = |span: &std::ops::Range<usize>| rows.iter().flatten().filter(|k| span.contains(k)).count() as i128;
        spans.iter().map(count).collect()
    };
    (0..shares.components().len()).map(counts).collect()
}

/// All data sets of this many rows, each of a category or of none.
fn data_sets(rows: usize, categories: usize) -> Vec<Vec<Option<usize>>> {
    (0..rows).fold(vec![Vec::new()], |sets, _| {
        let grow = |set: &Vec<Option<usize>>| {
            let set = set.clone();
            (0..=categories).map(move |k| [set.clone(), vec![(k < categories).then_some(k)]].concat())
        };
        sets.iter().flat_map(grow).collect()
    })
}

#[test]
fn no_neighbour_passes_the_sensitivity_of_any_layer_and_one_attains_it() {
    for (categories, rows) in [(2usize, Some(3u64)), (3, Some(3)), (5, Some(2)), (2, None), (3, None), (5, None)] {
        for rule in RULES {
            if rows.is_none() && matches!(rule, ShareRule::AllButOne { .. }) {
                continue;
            }
            let shares = prepare(rule, categories as u64, rows, "1", 1);
            let mut largest = vec![(0u128, 0u128, 0u64); shares.components().len()];
            for set in data_sets(rows.unwrap_or(2) as usize, categories) {
                // One row replaced, or one removed.
                for place in 0..set.len() {
                    let others = [&set[..place], &set[place + 1..]].concat();
                    let replaced = (0..=categories).map(|k| {
                        let row = (k < categories).then_some(k);
                        [others.clone(), vec![row]].concat()
                    });
                    let neighbours: Vec<_> = if rows.is_some() { replaced.collect() } else { vec![others.clone()] };
                    for neighbour in neighbours {
                        let pairs = answers(&shares, &set).into_iter().zip(answers(&shares, &neighbour));
                        for (largest, (a, b)) in largest.iter_mut().zip(pairs) {
                            let changes = || a.iter().zip(&b).map(|(a, b)| a.abs_diff(*b));
                            largest.0 = largest.0.max(changes().sum());
                            largest.1 = largest.1.max(changes().max().unwrap_or(0));
                            largest.2 = largest.2.max(changes().filter(|change| *change > 0).count() as u64);
                        }
                    }
                }
            }
            for (component, largest_change) in shares.components().iter().zip(largest) {
                let stated = component.mechanism.sensitivity();
                assert_eq!((stated.l1, stated.linf, stated.cells), largest_change, "{rule:?} {categories} {rows:?}");
            }
        }
    }
}

#[test]
fn shares_add_up_and_stay_in_range_whatever_was_measured() {
    let mut entropy = SeededEntropy::from_seed(5);
    for mechanism in ["clamped", "conditioned", "thresholded", "folded"] {
        for (rule, rows, releases) in
            RULES.into_iter().flat_map(|rule| [(rule, Some(20), 1), (rule, Some(20), 3), (rule, None, 2)])
        {
            let total = if rows.is_some() { Total::Public } else { Total::Measured };
            let Ok(shares) = vector(rule, total, releases).prepare(&setting(5, rows, "0.2", mechanism)) else {
                let raw =
                    matches!(rule, ShareRule::SimplexProjection | ShareRule::Conditioning) && mechanism != "clamped";
                assert!(raw || rows.is_none(), "{rule:?} {mechanism}");
                continue;
            };
            let (lower, upper) = shares.ranges()[0];
            for _ in 0..50 {
                let measured = measure(&shares, vec![13, 0, 2, 0, 5], &mut entropy);
                let point = shares.point(&borrow(&measured));
                assert!((point.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{rule:?} {mechanism} {point:?}");
                assert!(point.iter().all(|share| (lower..=upper).contains(share)), "{rule:?} {mechanism} {point:?}");
                let raw: Vec<f64> = shares.raw(&borrow(&measured)).into_iter().flatten().collect();
                let adds_up = rows.is_none() && !matches!(rule, ShareRule::UniversalHistogram { .. });
                assert!(raw.is_empty() || !adds_up || (raw.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{rule:?} {raw:?}");
            }
        }
    }
}

/// Liu's shares, numbers of rows and epsilons.
const SHARES: [f64; 4] = [0.1, 0.2, 0.3, 0.4];

/// `P(C = c)` for all counts of a binomial law.
fn binomial(n: u64, p: f64) -> Vec<f64> {
    let mut masses = vec![1.0];
    for _ in 0..n {
        let stay = |c: usize| masses.get(c).map_or(0.0, |mass| mass * (1.0 - p));
        let step = |c: usize| c.checked_sub(1).map_or(0.0, |c| masses[c] * p);
        masses = (0..=masses.len()).map(|c| stay(c) + step(c)).collect();
    }
    masses
}

/// Coverage by summing the exact law of one measured count: nothing here is random, so no false alarm is possible.
/// The interval that ignores noise covers far less at the same design.
#[test]
fn intervals_for_the_population_cover_exactly_where_walds_do_not() {
    let mut least_wald = 1.0f64;
    for rows in [50u64, 500] {
        for epsilon in ["0.1", "0.5", "1"] {
            let shares = prepare(ShareRule::SimplexProjection, 4, Some(rows), epsilon, 1);
            let noise = shares.components()[0].mechanism.noise();
            let reach = (25.0 * noise.scale()).ceil() as i128;
            let masses = SHARES.map(|p| binomial(rows, p));
            let (mut covered, mut wald) = ([0.0; 4], [0.0; 4]);
            for y in -reach..=i128::from(rows) + reach {
                let (lower, upper) = population_share(&*shares.components()[0].mechanism, y, rows, 0.95);
                let plain = (y as f64 / rows as f64).clamp(0.0, 1.0);
                let radius = 1.959_964 * (plain * (1.0 - plain) / rows as f64).sqrt();
                for (k, p) in SHARES.iter().enumerate() {
                    let law = masses[k].iter().enumerate();
                    let mass: f64 = law.map(|(c, m)| m * noise.ln_density((y - c as i128) as f64).exp()).sum();
                    covered[k] += if lower <= *p && *p <= upper { mass } else { 0.0 };
                    wald[k] += if (plain - p).abs() <= radius { mass } else { 0.0 };
                }
            }
            let (lower, upper) = population_share(&*shares.components()[0].mechanism, 9, rows, 0.95);
            assert_eq!(shares.population(&[&[9, 0, 0, 0]], 0.95)[0], Some((lower, upper)));
            assert!(covered.iter().all(|covered| *covered >= 0.95 - 1e-9), "{rows} {epsilon}: {covered:?}");
            assert!(covered.iter().all(|covered| *covered <= 0.985), "idle: {rows} {epsilon}: {covered:?}");
            least_wald = wald.iter().copied().fold(least_wald, f64::min);
        }
    }
    assert!(least_wald < 0.5, "{least_wald}");
}

/// A multinomial draw.
fn sample(rows: u64, shares: &[f64], entropy: &mut dyn Entropy) -> Vec<i128> {
    let mut counts = vec![0; shares.len()];
    for _ in 0..rows {
        let uniform = entropy.word() as f64 / 2f64.powi(64);
        let mut sum = 0.0;
        let above = |share: &f64| {
            sum += share;
            uniform < sum
        };
        counts[shares.iter().position(above).unwrap_or(shares.len() - 1)] += 1;
    }
    counts
}

/// Sampling and noise drawn together, for every rule, several releases, conditioned counts and unknown totals.
///
/// Coverage 0.95 gives fewer than 129 of 150 with probability 5e-6; over all comparisons less than 1e-3.
#[test]
fn intervals_for_the_population_cover_for_every_rule() {
    const REPLICATES: usize = 150;
    // The other rules measure the same counts as rescaling.
    let rules = [RULES[0], RULES[1], RULES[3]];
    let cases = rules.into_iter().flat_map(|rule| {
        let known = [("clamped", Some(50), 1), ("clamped", Some(50), 5), ("conditioned", Some(50), 1)];
        known.into_iter().chain([("clamped", None, 2)]).map(move |case| (rule, case))
    });
    let mut entropy = SeededEntropy::from_seed(77);
    for (rule, (mechanism, rows, releases)) in cases {
        let total = if rows.is_some() { Total::Public } else { Total::Measured };
        let Ok(shares) = vector(rule, total, releases).prepare(&setting(4, rows, "0.5", mechanism)) else { continue };
        let mut covered = [0.0; 4];
        for _ in 0..REPLICATES {
            let counts = sample(rows.unwrap_or(80), &SHARES, &mut entropy);
            let measured = measure(&shares, counts, &mut entropy);
            let intervals = shares.population(&borrow(&measured), 0.95);
            for ((covered, interval), p) in covered.iter_mut().zip(intervals).zip(SHARES) {
                // The sum of conditioned counts has no known law: the calculated category goes without.
                let (lower, upper) = interval.unwrap_or((0.0, 1.0));
                *covered += f64::from(u8::from(lower <= p && p <= upper)) / REPLICATES as f64;
            }
        }
        assert!(
            covered.iter().all(|c| *c >= 129.0 / 150.0 - 1e-9),
            "{rule:?} {mechanism} {rows:?} {releases}: {covered:?}"
        );
    }
}

/// Liu's rule over unbiased releases: its interval covers nearly at the level, and the one that forgets `B` does not.
///
/// 2,000 draws: the bound 0.93 is more than four standard errors below 0.95.
#[test]
fn several_releases_combine_to_their_variance() {
    let shares = prepare(ShareRule::AllButOne { calculated: 3, negative: Negative::Kept }, 4, Some(500), "1", 5);
    let mut entropy = SeededEntropy::from_seed(3);
    let (mut covered, mut without_noise, draws) = (0.0, 0.0, 2000);
    let (mut first, mut second, mut stated) = (0.0, 0.0, 0.0);
    for _ in 0..draws {
        let counts = sample(500, &SHARES, &mut entropy);
        let measured = measure(&shares, counts, &mut entropy);
        let combined = shares.combined(&borrow(&measured)).expect("five releases")[3];
        let (lower, upper) = combined.interval(0.95);
        let holds = |lower: f64, upper: f64| f64::from(u8::from(lower <= 0.4 && 0.4 <= upper)) / f64::from(draws);
        covered += holds(lower, upper);
        let radius = 1.959_964 * (combined.estimate * (1.0 - combined.estimate) / 500.0).max(0.0).sqrt();
        without_noise += holds(combined.estimate - radius, combined.estimate + radius);
        first += combined.estimate / f64::from(draws);
        second += combined.estimate * combined.estimate / f64::from(draws);
        stated += combined.variance / f64::from(draws);
    }
    assert!(covered > 0.93, "{covered}");
    assert!(without_noise < 0.9, "{without_noise}");
    let variance = second - first * first;
    assert!((stated / variance - 1.0).abs() < 0.15, "{stated} {variance}");
}

#[test]
fn estimates_state_errors_and_intervals_around_themselves() {
    for (rule, rows) in
        [(ShareRule::SimplexProjection, Some(200)), (ShareRule::Conditioning, Some(200)), (ShareRule::Rescaling, None)]
    {
        let shares = prepare(rule, 3, rows, "1", 1);
        let mut entropy = SeededEntropy::from_seed(9);
        let moments = Tally { counts: Answer::new(vec![150, 50, 0]), sums: Vec::new(), products: Vec::new() };
        let measured = shares.measure(moments, &mut entropy);
        let estimates = shares.estimate(&measured, 0.95, 1);
        for (estimate, truth) in estimates.iter().zip([0.75, 0.25, 0.0]) {
            assert!(estimate.lower <= estimate.value && estimate.value <= estimate.upper);
            assert!((estimate.value - truth).abs() < 0.1 && estimate.rmse_at_estimate < 0.03, "{rule:?} {estimate:?}");
        }
        let expected = shares.expected_errors(&Default::default());
        assert_eq!(expected.len(), if rows.is_some() { 3 } else { 6 });
        // A category with none is estimated from above.
        assert!(expected[2].bias > 0.0 && expected[1].bias < 0.0, "{expected:?}");
    }
}

/// One proportion: the share of rows that a filter selects.
#[test]
fn a_filtered_share_moves_by_one_row() {
    let setting = Setting { filtered: true, ..public_rows(40, "0.5", "clamped") };
    let share = Share::default();
    let prepared = share.prepare(&setting).expect("valid");
    assert_eq!((prepared.ranges()[0], prepared.components()[0].sensitivity()), ((0.0, 1.0), 1.0 / 40.0));
    assert_eq!(prepared.components()[0].scale(), 0.05);
    // Brute force: every row is selected or not; replacing one moves the count by at most one.
    let counts = |set: u32| set.count_ones();
    let pairs = (0u32..16).flat_map(|set| (0..4).map(move |row| (set, set ^ (1 << row))));
    let largest = pairs.map(|(a, b)| counts(a).abs_diff(counts(b))).max();
    assert_eq!(largest.map(u128::from), Some(prepared.components()[0].mechanism.sensitivity().l1));
    let unfiltered = Setting { filtered: false, ..setting.clone() };
    assert_eq!(share.prepare(&unfiltered).expect_err("refused"), StatisticError::PublicCount);
    let unknown = private_rows(1, "0.5", "clamped");
    assert!(matches!(share.prepare(&unknown), Err(StatisticError::NoRows { .. })));
}

#[test]
fn vectors_that_make_no_sense_are_refused() {
    let valid = setting(4, Some(10), "1", "clamped");
    let refuse = |vector: ProportionVector, setting: &Setting| vector.prepare(setting).expect_err("refused");
    let plain = |rule| vector(rule, Total::Public, 1);
    assert_eq!(
        refuse(plain(ShareRule::Rescaling), &Setting { cells: 1, ..valid.clone() }),
        StatisticError::FewCategories { found: 1 }
    );
    let beyond = ShareRule::AllButOne { calculated: 4, negative: Negative::Kept };
    assert_eq!(refuse(plain(beyond), &valid), StatisticError::NoSuchCategory { calculated: 4, categories: 4 });
    assert!(matches!(
        refuse(plain(ShareRule::UniversalHistogram { fan_out: 1 }), &valid),
        StatisticError::AtLeast { name: "fan-out", least: 2, found: 1 }
    ));
    assert!(matches!(refuse(vector(ShareRule::Rescaling, Total::Public, 0), &valid), StatisticError::AtLeast { .. }));
    // 100 categories are conditioned at any scale that leaves something to see, 20,000 at none.
    let conditioned =
        |cells, epsilon| plain(ShareRule::Conditioning).prepare(&setting(cells, Some(1_000_000), epsilon, "clamped"));
    assert!(conditioned(100, "0.1").is_ok());
    assert!(matches!(
        conditioned(20_000, "1").expect_err("slow"),
        StatisticError::SlowConditioning { categories: 20_000, scale: 2.0 }
    ));
    let filtered = Setting { filtered: true, ..valid.clone() };
    assert!(matches!(refuse(plain(ShareRule::Rescaling), &filtered), StatisticError::NoRows { .. }));
    let none = setting(4, Some(0), "1", "clamped");
    assert!(matches!(refuse(plain(ShareRule::Rescaling), &none), StatisticError::FewRows { .. }));
    let conditioned = setting(4, Some(10), "1", "conditioned");
    assert!(matches!(refuse(plain(ShareRule::SimplexProjection), &conditioned), StatisticError::RuleMechanism { .. }));
    let staircase = setting(4, Some(10), "1", "clamped-staircase");
    assert!(matches!(refuse(plain(ShareRule::Conditioning), &staircase), StatisticError::RuleMechanism { .. }));
}

/// Over counts drawn evenly from the simplex, conditioning errs least of all rules, by more than four standard errors
/// of the paired difference of squares: a false alarm has probability below 1e-4.
#[test]
fn conditioning_errs_least_on_average_over_the_simplex() {
    const DRAWS: u32 = 1500;
    let prepared = RULES.map(|rule| prepare(rule, 4, Some(30), "0.5", 1));
    let mut entropy = SeededEntropy::from_seed(21);
    let mut squares = vec![Vec::new(); RULES.len()];
    for _ in 0..DRAWS {
        // Three bars among 33 places leave four counts that add up to 30, every vector as likely as any other.
        let mut bars = Vec::new();
        while bars.len() < 3 {
            let place = i128::from(entropy.word() % 33);
            if !bars.contains(&place) {
                bars.push(place);
            }
        }
        bars.sort_unstable();
        let counts = vec![bars[0], bars[1] - bars[0] - 1, bars[2] - bars[1] - 1, 32 - bars[2]];
        for (shares, squares) in prepared.iter().zip(&mut squares) {
            let measured = measure(shares, counts.clone(), &mut entropy);
            let errors = shares.point(&borrow(&measured)).into_iter().zip(&counts);
            squares.push(errors.map(|(share, count)| (share - *count as f64 / 30.0).powi(2)).sum::<f64>());
        }
    }
    let (conditioning, others) = squares.split_last().expect("rules");
    for (rule, squares) in RULES.iter().zip(others) {
        let gains: Vec<f64> = squares.iter().zip(conditioning).map(|(other, own)| other - own).collect();
        let mean = gains.iter().sum::<f64>() / f64::from(DRAWS);
        let spread = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / f64::from(DRAWS);
        assert!(mean > 4.0 * (spread / f64::from(DRAWS)).sqrt(), "{rule:?}: {mean} {spread}");
    }
}
