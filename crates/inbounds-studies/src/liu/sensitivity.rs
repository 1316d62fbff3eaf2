//! Sensitivities, by trying every data set of a few rows and every neighbour.

use crate::{Check, Claim, statement::liu as said};

/// All of them.
pub(super) fn checks() -> Vec<Check> {
    let mut checks = of_moments();
    checks.push(of_covariance());
    checks.extend(of_shares());
    checks
}

/// Calls `visit` with every list of `rows` values of `values`.
fn lists<T: Copy>(values: &[T], rows: usize, mut visit: impl FnMut(&[T])) {
    let mut places = vec![0usize; rows];
    let mut list = vec![values[0]; rows];
    loop {
        list.iter_mut().zip(&places).for_each(|(value, &place)| *value = values[place]);
        visit(&list);
        let Some(turn) = places.iter().position(|&place| place + 1 < values.len()) else { return };
        places[..turn].fill(0);
        places[turn] += 1;
    }
}

/// The largest change of a statistic when the first row of a list is replaced; every row can be the first.
fn largest_change<T: Copy>(values: &[T], rows: usize, statistic: impl Fn(&[T]) -> f64) -> f64 {
    let mut largest = 0.0f64;
    lists(values, rows, |list| {
        let before = statistic(list);
        let mut other = list.to_vec();
        for &value in values {
            other[0] = value;
            largest = largest.max((statistic(&other) - before).abs());
        }
    });
    largest
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

/// Sum of products of deviations over one less than the number of rows.
fn covariance(rows: &[(f64, f64)]) -> f64 {
    let (x, y) = (mean(rows.iter().map(|row| row.0)), mean(rows.iter().map(|row| row.1)));
    rows.iter().map(|row| (row.0 - x) * (row.1 - y)).sum::<f64>() / (rows.len() as f64 - 1.0)
}

/// Means and variances of six values in `[0, 1]`.
fn of_moments() -> Vec<Check> {
    const ROWS: usize = 6;
    let values = [0.0, 0.25, 0.5, 0.75, 1.0];
    let variance = |list: &[f64]| covariance(&list.iter().map(|&x| (x, x)).collect::<Vec<_>>());
    let printed = Claim::exactly(1.0 / ROWS as f64);
    let of_mean = largest_change(&values, ROWS, |list| mean(list.iter().copied()));
    let of_variance = largest_change(&values, ROWS, variance);
    vec![
        Check::reproduced(&said::SENSITIVITIES, "sensitivity of a mean of 6 values in [0, 1]", printed, of_mean, 0.0),
        Check::reproduced(&said::SENSITIVITIES, "sensitivity of their sample variance", printed, of_variance, 0.0),
    ]
}

/// The covariance of four pairs in `[0, 1] x [0, 2]`.
fn of_covariance() -> Check {
    let pairs: Vec<(f64, f64)> = [0.0, 0.5, 1.0].into_iter().flat_map(|x| [0.0, 1.0, 2.0].map(|y| (x, y))).collect();
    let computed = largest_change(&pairs, 4, covariance);
    let quantity = "sensitivity of the sample covariance of 4 pairs in [0, 1] x [0, 2]";
    Check::reproduced(&said::TABLE_1, quantity, Claim::exactly(0.5), computed, 0.0)
}

/// The `l1` sensitivity of four shares of ten rows.
fn of_shares() -> Vec<Check> {
    const ROWS: u32 = 10;
    let shares = |counts: &[u32]| -> Vec<f64> {
        let total = f64::from(counts.iter().sum::<u32>());
        counts.iter().map(|&count| f64::from(count) / total).collect()
    };
    let apart =
        |one: &[u32], other: &[u32]| shares(one).iter().zip(shares(other)).map(|(x, y)| (x - y).abs()).sum::<f64>();
    let (mut replaced, mut removed) = (0.0f64, 0.0f64);
    let counts: Vec<u32> = (0..=ROWS).collect();
    lists(&counts, 4, |list| {
        if list.iter().sum::<u32>() != ROWS {
            return;
        }
        for from in (0..4).filter(|&from| list[from] > 0) {
            let mut fewer = list.to_vec();
            fewer[from] -= 1;
            removed = removed.max(apart(list, &fewer));
            for to in 0..4 {
                let mut other = fewer.clone();
                other[to] += 1;
                replaced = replaced.max(apart(list, &other));
            }
        }
    });
    let n = f64::from(ROWS);
    let quantity = |relation: &str| format!("l1 sensitivity of 4 shares of {ROWS} rows, {relation}");
    let (replace, remove) = (quantity("a row is replaced"), quantity("a row comes or goes"));
    let once = "only two of the shares move, by 1/n each";
    let all = "the number of rows changes, and with it every share";
    vec![
        Check::reproduced(&said::SHARES_SENSITIVITY, replace.clone(), Claim::exactly(2.0 / n), replaced, 0.0),
        Check::differs(&said::SHARES_SENSITIVITY, remove, Claim::exactly(1.0 / n), removed, 0.0, all, 39),
        Check::differs(&said::SUMMED_SENSITIVITY, replace, Claim::exactly(4.0 / n), replaced, 0.0, once, 38),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_tried_once() {
        let mut seen = Vec::new();
        lists(&[0, 1, 2], 2, |list| seen.push(list.to_vec()));
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 9);
        assert_eq!(covariance(&[(0.0, 0.0), (1.0, 2.0)]), 1.0);
    }
}
