//! Number of cells of a statistic that would keep their rank, if their numbers were those that a user supposes.
//!
//! # Law
//! Of cells with numbers `n_1, ..., n_k`, the rank of cell `i` is any place from `1 + #{n_j > n_i}` to
//! `#{n_j >= n_i}`, so that cells with equal numbers share theirs. Noise is drawn [`DRAWS`] times from a public seed;
//! estimates that are equal are put in a random order, and the probability that a cell keeps its rank is the mean, over
//! draws, of the part of its places that are among those of its rank. The numbers supposed are public or made up: no
//! row is read.

use inbounds_mechanisms::sampler::SeededEntropy;
use inbounds_statistics::Component;
use serde::Serialize;

use crate::view::Tried;

/// Draws of the noise.
const DRAWS: usize = 400;
/// Cells for which numbers are made up, and most for which they are taken.
const MADE_UP: usize = 12;
const MOST: usize = 2_000;

/// Cells that keep their rank.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RanksKept {
    /// Name of the statistic.
    pub statistic: String,
    /// The numbers supposed, as the grid has them.
    pub numbers: Vec<f64>,
    /// True if the user gave none.
    pub made_up: bool,
    /// The number of cells that keep their rank, on average.
    pub kept: f64,
    /// The probability that the largest one stays the largest.
    pub first: f64,
    /// The probability of each cell.
    pub each: Vec<f64>,
}

impl RanksKept {
    /// For a statistic of the plan with these numbers, or with made-up ones that fall like 1, 1/2, 1/3 from 1,000 on;
    /// `None` where its numbers do not stand by themselves, or are fewer than two.
    pub(crate) fn for_statistic(tried: &Tried, place: usize, numbers: Option<&[f64]>) -> Option<Self> {
        let task = tried.outline.tasks.get(place)?;
        let component = task.prepared.published_as_estimated()?;
        let made_up = numbers.is_none();
        let cells = task.prepared.cells().min(MADE_UP);
        let usual: Vec<f64> = (1..=cells).map(|rank| (1_000.0 / rank as f64).round()).collect();
        let numbers: Vec<f64> =
            numbers.unwrap_or(&usual).iter().copied().filter(|number| number.is_finite()).take(MOST).collect();
        if numbers.len() < 2 {
            return None;
        }
        let (each, answers) = kept(component, &numbers);
        let largest = (0..answers.len()).max_by_key(|cell| (answers[*cell], std::cmp::Reverse(*cell)))?;
        Some(Self {
            statistic: tried.plan.statistics[task.index].name.value.clone(),
            numbers: answers.iter().map(|answer| component.value(*answer)).collect(),
            made_up,
            kept: each.iter().sum(),
            first: each[largest],
            each,
        })
    }
}

/// The probability of each cell to keep its rank, and the numbers in steps.
fn kept(component: &Component, numbers: &[f64]) -> (Vec<f64>, Vec<i128>) {
    let (mechanism, step) = (&*component.mechanism, component.step());
    let answers: Vec<i128> =
        numbers.iter().map(|number| mechanism.range().clamp((number / step).round() as i128)).collect();
    let places = |values: &[i128]| -> Vec<(usize, usize)> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        // Places from the largest on: those above, and those at least as large.
        let above = |value: &i128| sorted.len() - sorted.partition_point(|other| other <= value);
        let least = |value: &i128| sorted.len() - sorted.partition_point(|other| other < value);
        values.iter().map(|value| (above(value), least(value))).collect()
    };
    let own = places(&answers);
    let mut each = vec![0.0; answers.len()];
    let mut entropy = SeededEntropy::from_seed(0);
    for _ in 0..DRAWS {
        let measured = mechanism.measure(&answers, &mut entropy);
        let estimates: Vec<i128> = measured.iter().map(|measurement| mechanism.estimate(*measurement).whole).collect();
        for ((probability, (first, last)), (from, to)) in each.iter_mut().zip(places(&estimates)).zip(&own) {
            let common = last.min(*to).saturating_sub(first.max(*from));
            *probability += common as f64 / (last - first) as f64 / DRAWS as f64;
        }
    }
    (each, answers)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;
    use crate::{View, view::Place};

    fn ranks(epsilon: &str, numbers: &[f64]) -> RanksKept {
        let text = format!(
            "data.path = 'rows.csv'\nprivacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = {epsilon} }}\n\
             columns.place = {{ type = 'text', values = ['a', 'b', 'c'] }}\n\
             [[statistic]]\nname = 'people'\nkind = 'count'\nby = ['place']\n"
        );
        let place = Place { name: "plan.toml", folder: Path::new(""), rows: None };
        let (_, tried) = View::prepare(place, &text, &BTreeMap::new(), 20);
        RanksKept::for_statistic(&tried.expect("a plan"), 0, Some(numbers)).expect("counts")
    }

    /// Of two cells whose difference is `d`, the order is kept with the probability that two discrete Laplace noises do
    /// not undo it.
    #[test]
    fn two_cells_keep_their_order_as_the_law_says() {
        let (epsilon, apart) = (0.5_f64, 3_i32);
        let stability = ranks("0.5", &[1_000.0 + f64::from(apart), 1_000.0]);
        // P(X - Y < d) + P(X - Y = d) / 2 of independent two-sided geometric X and Y, by sums.
        let p = (-epsilon).exp();
        let law = |x: i32| (1.0 - p) / (1.0 + p) * p.powi(x.abs());
        let difference = |d: i32| (-200..=200).map(|x| law(x) * law(x - d)).sum::<f64>();
        let expected = (-200..apart).map(difference).sum::<f64>() + 0.5 * difference(apart);
        // Of 400 draws a mean of halves and ones is within 0.08, but for one run in a thousand; the seed is fixed.
        for probability in [stability.first, stability.each[0], stability.each[1]] {
            assert!((probability - expected).abs() < 0.08, "{probability} {expected}");
        }
        assert!((stability.kept - 2.0 * stability.first).abs() < 1e-9, "both or none");
    }

    #[test]
    fn equal_numbers_share_a_rank_and_far_ones_keep_theirs() {
        let stability = ranks("100", &[50.0, 50.0, 10.0]);
        assert!(stability.kept > 2.999, "{stability:?}");
        assert!(ranks("0.001", &[30.0, 20.0, 10.0]).kept < 2.0);
        assert_eq!(ranks("1", &[7.0, 3.0]).numbers, [7.0, 3.0]);
    }
}
