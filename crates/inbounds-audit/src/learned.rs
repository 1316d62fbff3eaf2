//! Keys that are learned: two tables may have different ones, and their numbers are held beside each other by key.
//!
//! A key that no row of a table has counts 0 there; it gets no noise and is never published, unless keys are chosen
//! from a public space. So the keys of both tables can stand for those of each, and the numbers of both are vectors of
//! one length.

use std::collections::BTreeSet;

use inbounds_data::{KeyRow, KeyValue, Keys, LearnedKeys};
use inbounds_mechanisms::partition::{EndedNoise, KeySelection};
use inbounds_release::{ExactAnswers, LearnedTable};

use crate::vector::{Exact, Vector, steps};

/// Learned keys, in their order.
pub(crate) type LearnedRows = Vec<Vec<KeyValue>>;

/// The exact numbers of a table, with the keys of each vector whose keys are learned.
pub(crate) struct Keyed(Vec<(Vec<i128>, Option<LearnedRows>)>);

impl Keyed {
    /// The numbers alone.
    pub(crate) fn exact(self) -> Exact {
        self.0.into_iter().map(|(numbers, _)| numbers).collect()
    }
}

/// The exact numbers, and keys, of rows that the audit made up, which are of no person. They leave their types here.
pub(crate) fn public(exact: ExactAnswers) -> Keyed {
    let ExactAnswers { statistics, keys, diagnostics, left_out } = exact;
    let mut all = Vec::new();
    for (answers, keys) in statistics.iter().zip(keys) {
        let mut keys = keys.map(|keys| {
            let every: Vec<usize> = (0..answers[0].cells()).collect();
            keys.published(&every).map_or_else(Vec::new, |keys| keys.rows().map(KeyRow::to_vec).collect())
        });
        all.extend(answers.iter().map(|answer| (steps(answer), keys.take())));
    }
    all.extend(diagnostics.iter().chain(&left_out).map(|answer| (steps(answer), None)));
    Keyed(all)
}

/// Gives both tables the keys of both, in their order.
pub(crate) fn align(left: &mut Keyed, right: &mut Keyed) {
    for (left, right) in left.0.iter_mut().zip(&mut right.0) {
        let (Some(of_left), Some(of_right)) = (&left.1, &right.1) else { continue };
        let union: BTreeSet<Vec<KeyValue>> = of_left.iter().chain(of_right).cloned().collect();
        let counts = |numbers: &[i128], keys: &[Vec<KeyValue>]| -> Vec<i128> {
            let count = |key| keys.binary_search(key).map_or(0, |place| numbers[place]);
            union.iter().map(count).collect()
        };
        (left.0, right.0) = (counts(&left.0, of_left), counts(&right.0, of_right));
    }
}

/// Keys and numbers of these cells, as a release receives them. Keys are the first ones of the space of candidates or,
/// where any key can occur, places. Cells of a space without rows are left out, as they are where rows are read.
pub(crate) fn told(table: &LearnedTable, numbers: Vec<i128>) -> (LearnedKeys, Vec<i128>) {
    let Some(space) = table.space() else {
        // One at least, because a list is not empty.
        let rows = (0..numbers.len().max(1) as i64).map(|place| vec![KeyValue::Integer(place)]).collect();
        return (Keys::new(vec!["place".to_owned()], rows).expect("distinct numbers of one column").into(), numbers);
    };
    let seen: Vec<(u64, i128)> = (0..).zip(numbers).filter(|(_, number)| *number > 0).collect();
    let keys = seen.iter().map(|(rank, _)| space.key(*rank)).collect();
    (LearnedKeys::of_space(space, keys), seen.into_iter().map(|(_, number)| number).collect())
}

/// The numbers of all cells, from those that were published. Published keys beyond them are of cells that no table has
/// rows in.
pub(crate) fn all_cells(table: &LearnedTable, published: &[i128], keys: &[Vec<KeyValue>], cells: usize) -> Vec<i128> {
    let mut all = vec![table.count().selection().threshold() - 1; cells];
    for (steps, key) in published.iter().zip(keys) {
        let place = match (table.space(), &key[..]) {
            (Some(space), key) => space.rank(key),
            (None, [KeyValue::Integer(place)]) => u64::try_from(*place).ok(),
            (None, _) => None,
        };
        let cell = place.and_then(|place| all.get_mut(usize::try_from(place).ok()?));
        cell.into_iter().for_each(|cell| *cell = *steps);
    }
    all
}

/// Log probability of the output for a cell of `count` rows: a number from the threshold on, or none. An impossible one
/// counts as very unlikely.
pub(crate) fn ln_probability(vector: &Vector, seen: i128, count: i128) -> f64 {
    const IMPOSSIBLE: f64 = -1e4;
    let threshold = vector.threshold.unwrap_or(i128::MIN);
    match (seen >= threshold, count >= vector.least) {
        (true, false) => IMPOSSIBLE,
        (true, true) if ended(vector).is_some() => {
            ended(vector).map_or(IMPOSSIBLE, |noise| libm::log(noise.mass(seen - count)).max(IMPOSSIBLE))
        }
        (true, true) => -rate(vector) * seen.abs_diff(count) as f64 + libm::log(libm::tanh(0.5 * rate(vector))),
        (false, _) => libm::log1p(-chance(vector, count)).max(IMPOSSIBLE),
    }
}

/// The probability that a cell of `count` rows is published, by the law of its noise.
fn chance(vector: &Vector, count: i128) -> f64 {
    let Some(threshold) = vector.threshold.filter(|_| count >= vector.least) else { return 0.0 };
    if let Some(noise) = ended(vector) {
        return noise.chance_of_the_largest(noise.ends().1 + 1 - threshold + count);
    }
    let ratio = libm::exp(-rate(vector));
    let beyond = |steps: i128| libm::exp(-rate(vector) * steps as f64) / (1.0 + ratio);
    if threshold > count { beyond(threshold - count) } else { 1.0 - beyond(count - threshold + 1) }
}

/// The noise, where it has ends.
fn ended(vector: &Vector) -> Option<&EndedNoise> {
    vector.selection.as_ref().and_then(KeySelection::ended)
}

fn rate(vector: &Vector) -> f64 {
    vector.mechanism.noise().law().exponential_rate()
}

/// Cost of a pair of tables in epsilon, from the change of the cells common to both.
pub(crate) fn loss(vector: &Vector, left: &[i128], right: &[i128]) -> f64 {
    let shared = left.iter().zip(right).filter(|(a, b)| **a.min(b) >= vector.least);
    rate(vector) * shared.map(|(a, b)| a.abs_diff(*b) as f64).sum::<f64>()
}

/// The delta that a pair of tables spends, the larger of both ways. Of noise without end it is the probability that a
/// cell is published which only one of them has; of noise with ends the parts of all cells that moved, as what they
/// have within epsilon is a product.
pub(crate) fn delta(vector: &Vector, left: &[i128], right: &[i128]) -> f64 {
    if ended(vector).is_some() {
        let spent = |own: &[i128], other: &[i128]| {
            let cells = own.iter().zip(other).filter(|(own, other)| own != other);
            -libm::expm1(cells.map(|(own, other)| libm::log1p(-beyond(vector, *own, *other))).sum::<f64>())
        };
        return spent(left, right).max(spent(right, left));
    }
    let alone = |own: &[i128], other: &[i128]| {
        let cells = own.iter().zip(other).filter(|(own, other)| **own >= vector.least && **other < vector.least);
        -libm::expm1(cells.map(|(own, _)| libm::log1p(-chance(vector, *own))).sum::<f64>())
    };
    alone(left, right).max(alone(right, left))
}

/// `sum_y max(0, P(y) - e^(rate r) Q(y))` over all that is seen of a cell of `own` rows beside one of `other`, `r` rows
/// apart.
fn beyond(vector: &Vector, own: i128, other: i128) -> f64 {
    let (Some(noise), Some(threshold)) = (ended(vector), vector.threshold) else { return 0.0 };
    let grown = libm::exp(rate(vector) * own.abs_diff(other) as f64);
    // Masses that are as many times as large within epsilon differ by the rounding of doubles.
    let excess = |p: f64, q: f64| if p > grown * q * (1.0 + 1e-9) { p - grown * q } else { 0.0 };
    let mass = |seen: i128, count: i128| if count < vector.least { 0.0 } else { noise.mass(seen - count) };
    let seen = threshold..=(noise.ends().1 + own).max(threshold);
    let top = noise.ends().1 + 1 - threshold;
    let missed = |count: i128| if count < vector.least { 1.0 } else { noise.chance_of_the_rest(top + count) };
    seen.map(|seen| excess(mass(seen, own), mass(seen, other))).sum::<f64>() + excess(missed(own), missed(other))
}
