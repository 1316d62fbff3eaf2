//! Permute-and-flip over ranks: its privacy loss by enumeration, and draws against its law.

use std::collections::HashMap;

use inbounds_core::{Epsilon, Rational};
use inbounds_mechanisms::{
    sampler::SeededEntropy,
    selection::{MovedRows, RankSelection},
};

fn number(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn selection(epsilon: &str, probabilities: &[&str], bins: usize, moved: MovedRows) -> RankSelection {
    let epsilon = Epsilon::new(number(epsilon)).expect("positive");
    let probabilities: Vec<Rational> = probabilities.iter().map(|p| number(p)).collect();
    RankSelection::calibrate(&epsilon, &probabilities, bins, moved).expect("calibrates")
}

/// All non-decreasing outcomes.
fn outcomes(bins: usize, quantiles: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..quantiles {
        let longer = |outcome: &Vec<usize>| {
            let least = outcome.last().copied().unwrap_or(0);
            (least..bins).map(|bin| [outcome.as_slice(), &[bin]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Tables of counts: small ones, wide gaps, heaps, and none.
fn tables(bins: usize) -> Vec<Vec<i128>> {
    let mut all = vec![vec![0; bins], vec![1; bins], vec![40; bins]];
    for heap in [1, 5, 60] {
        for place in [0, bins / 3, bins - 1] {
            let mut counts = vec![0; bins];
            counts[place] = heap;
            all.push(counts.clone());
            counts[0] += heap;
            all.push(counts.clone());
            counts[bins - 1] += 2 * heap;
            all.push(counts);
        }
    }
    all
}

/// The largest log ratio over outcomes of two tables.
fn loss(selection: &RankSelection, outcomes: &[Vec<usize>], left: &[i128], right: &[i128]) -> f64 {
    if selection.probabilities().len() == 1 {
        let law = |counts: &[i128]| selection.law(&counts.iter().map(|count| *count as f64).collect::<Vec<_>>());
        let ratio = |(one, other): (&f64, &f64)| if one.min(*other) > 0.0 { (one / other).ln().abs() } else { 0.0 };
        return law(left).iter().zip(&law(right)).map(ratio).fold(0.0, f64::max);
    }
    let ratio = |chosen: &Vec<usize>| {
        let [one, other] = [left, right].map(|counts| selection.ln_probability(counts, chosen));
        if one.is_finite() && other.is_finite() { (one - other).abs() } else { 0.0 }
    };
    outcomes.iter().map(ratio).fold(0.0, f64::max)
}

/// A neighbour of every table: a row more in each bin, or a row of one bin in another.
fn neighbours(counts: &[i128], moved: MovedRows) -> Vec<Vec<i128>> {
    let added = |bin: usize, rows: i128, counts: &[i128]| {
        let mut other = counts.to_vec();
        other[bin] += rows;
        other
    };
    match moved {
        MovedRows::Added(rows) => (0..counts.len()).map(|bin| added(bin, rows.into(), counts)).collect(),
        MovedRows::Replaced(rows) | MovedRows::ReplacedInPlace(rows) => {
            let rows = i128::from(rows);
            let from = (0..counts.len()).filter(|bin| counts[*bin] >= rows);
            let to = |from| (0..counts.len()).map(move |bin| added(bin, rows, &added(from, -rows, counts)));
            from.flat_map(to).collect()
        }
    }
}

/// The loss of one cell over all tables, neighbours and outcomes is at most epsilon, and nearly attained by one
/// quantile where bins are many: a gap of many bins without a row is chosen almost as a whole. Rates that are a
/// hundredth too large pass epsilon.
#[test]
fn the_loss_is_epsilon() {
    let mut largest: HashMap<&str, f64> = HashMap::new();
    for (epsilon, bins, moved, probabilities) in [
        ("0.1", 150, MovedRows::Added(1), &["0.5"][..]),
        ("1", 150, MovedRows::Added(1), &["0.5"]),
        ("1", 150, MovedRows::Added(2), &["0.5"]),
        ("1", 150, MovedRows::ReplacedInPlace(1), &["0.5"]),
        ("1", 150, MovedRows::Added(1), &["0.9"]),
        ("0.5", 150, MovedRows::ReplacedInPlace(1), &["0.9"]),
        ("2", 30, MovedRows::Replaced(1), &["0.3"]),
        ("1", 9, MovedRows::Added(1), &["0.25", "0.5", "0.75"]),
        ("1", 7, MovedRows::Added(1), &["0.1", "0.2", "0.5", "0.9"]),
        ("3", 9, MovedRows::ReplacedInPlace(1), &["0.5", "0.9"]),
    ] {
        let choice = selection(epsilon, probabilities, bins, moved);
        let outcomes = outcomes(bins, probabilities.len());
        let granted = number(epsilon).to_f64();
        let step = if bins > 100 { 29 } else { 1 };
        for table in tables(bins) {
            for other in neighbours(&table, moved).into_iter().step_by(step) {
                let computed = loss(&choice, &outcomes, &table, &other);
                assert!(computed <= granted * (1.0 + 1e-9), "{epsilon} {moved:?} {probabilities:?}: {computed}");
                if bins > 100 {
                    let most = largest.entry(probabilities[0]).or_default();
                    *most = most.max(computed / granted);
                }
            }
        }
    }
    // The worst gap: the rows of a table lie at both ends, and a row more is added next to the lower ones.
    let bins = 1 << 14;
    for epsilon in ["0.1", "1"] {
        let choice = selection(epsilon, &["0.5"], bins, MovedRows::Added(1));
        let too_much =
            selection(&(&number(epsilon) * &number("1.02")).to_string(), &["0.5"], bins, MovedRows::Added(1));
        let mut table = vec![0; bins];
        (table[0], table[1], table[bins - 1]) = (200, 0, 201);
        let mut other = table.clone();
        other[1] += 1;
        let all = [vec![0], vec![1], vec![2], vec![bins / 2], vec![bins - 1]];
        let computed = loss(&choice, &all, &table, &other) / number(epsilon).to_f64();
        assert!((0.99..=1.0 + 1e-9).contains(&computed), "{epsilon}: {computed}");
        assert!(loss(&too_much, &all, &table, &other) > number(epsilon).to_f64(), "a rate too large is seen");
    }
}

/// 200,000 choices of one quantile and of three against the law: a chi-squared test of false-alarm rate 1e-9, which
/// rejects the law of a rate that is a tenth larger.
#[test]
fn draws_follow_the_law() {
    let counts = [3, 0, 4, 9, 0, 0, 2, 6];
    for probabilities in [&["0.5"][..], &["0.25", "0.5", "0.75"]] {
        let choice = selection("0.8", probabilities, counts.len(), MovedRows::Added(1));
        let other = selection("0.88", probabilities, counts.len(), MovedRows::Added(1));
        let mut entropy = SeededEntropy::from_seed(7);
        let runs = 200_000;
        let mut seen: HashMap<Vec<usize>, f64> = HashMap::new();
        for _ in 0..runs {
            *seen.entry(choice.choose(&counts, &mut entropy)).or_default() += 1.0;
        }
        let statistic = |law: &RankSelection| {
            let (mut sum, mut classes, mut rest) = (0.0, 0, (0.0, 0.0));
            for outcome in outcomes(counts.len(), probabilities.len()) {
                let expected = f64::from(runs) * law.ln_probability(&counts, &outcome).exp();
                let observed = seen.get(&outcome).copied().unwrap_or(0.0);
                if expected < 20.0 {
                    rest = (rest.0 + expected, rest.1 + observed);
                } else {
                    sum += (observed - expected).powi(2) / expected;
                    classes += 1;
                }
            }
            if rest.0 >= 20.0 {
                sum += (rest.1 - rest.0).powi(2) / rest.0;
                classes += 1;
            }
            // Wilson and Hilferty: a normal deviate.
            let freedom = f64::from(classes - 1);
            ((sum / freedom).cbrt() - (1.0 - 2.0 / (9.0 * freedom))) / (2.0 / (9.0 * freedom)).sqrt()
        };
        assert!(statistic(&choice) < 6.0, "{probabilities:?}: {}", statistic(&choice));
        assert!(statistic(&other) > 6.0, "{probabilities:?}: {}", statistic(&other));
    }
}

/// The law for counts in doubles is that for whole counts, and adds up to 1.
#[test]
fn laws_for_counts_in_doubles_agree() {
    let counts = [3, 0, 4, 9, 0, 0, 2, 6];
    let choice = selection("0.8", &["0.3"], counts.len(), MovedRows::Added(1));
    let law = choice.law(&counts.map(|count| count as f64));
    for (bin, mass) in law.iter().enumerate() {
        assert!((mass - choice.ln_probability(&counts, &[bin]).exp()).abs() < 1e-12);
    }
    assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn what_cannot_be_chosen_is_refused() {
    let epsilon = Epsilon::new(Rational::ONE).expect("positive");
    let calibrated = |probabilities: &[&str], bins| {
        let probabilities: Vec<Rational> = probabilities.iter().map(|p| number(p)).collect();
        RankSelection::calibrate(&epsilon, &probabilities, bins, MovedRows::Added(1))
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(calibrated(&["0.5"], 1), Ok(()));
    assert!(calibrated(&["0.5"], 0).is_err_and(|error| error.contains("1 to 262144 bins, got 0")));
    assert!(calibrated(&["0.5"], 262_145).is_err());
    assert!(calibrated(&[], 4).is_err());
    assert!(calibrated(&["0.5", "0.5"], 4).is_err_and(|error| error.contains("got 0.5")));
    assert!(calibrated(&["1"], 4).is_err());
    assert!(calibrated(&["0.333333333333333333"], 4).is_err());
}
