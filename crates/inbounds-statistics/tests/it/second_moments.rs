//! Sensitivities of variances, covariances and scatters against brute force: all small data sets, exact integers.

use inbounds_core::Rational;
use inbounds_statistics::{of_centred_product, of_covariance_matrix};

/// All multisets of `size` of `items`, by index.
fn multisets(items: usize, size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![vec![]];
    }
    let mut sets = Vec::new();
    for set in multisets(items, size - 1) {
        for item in set.last().copied().unwrap_or(0)..items {
            sets.push(set.iter().copied().chain([item]).collect());
        }
    }
    sets
}

/// Rows of columns, each with values `0..=width`.
fn rows_of(widths: &[i128]) -> Vec<Vec<i128>> {
    widths.iter().fold(vec![vec![]], |rows, width| {
        rows.iter().flat_map(|row| (0..=*width).map(move |x| row.iter().copied().chain([x]).collect())).collect()
    })
}

/// `n sum x y - (sum x)(sum y)` for all `j <= k`.
fn centred_products(rows: &[&Vec<i128>]) -> Vec<i128> {
    let n = rows.len() as i128;
    let columns = rows[0].len();
    let sum = |j: usize| rows.iter().map(|row| row[j]).sum::<i128>();
    let product = |j: usize, k: usize| rows.iter().map(|row| row[j] * row[k]).sum::<i128>();
    let entry = |(j, k): (usize, usize)| n * product(j, k) - sum(j) * sum(k);
    (0..columns).flat_map(|j| (j..columns).map(move |k| (j, k))).map(entry).collect()
}

/// Changes of all entries between neighbours, one row replaced, for all data sets of `n` rows.
fn changes(widths: &[i128], n: usize, mut see: impl FnMut(Vec<u128>)) {
    let rows = rows_of(widths);
    for others in multisets(rows.len(), n - 1) {
        let others: Vec<&Vec<i128>> = others.iter().map(|i| &rows[*i]).collect();
        let with = |row| centred_products(&others.iter().copied().chain([row]).collect::<Vec<_>>());
        let all: Vec<Vec<i128>> = rows.iter().map(with).collect();
        for a in &all {
            for b in &all {
                see(a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).collect());
            }
        }
    }
}

#[test]
fn variances_and_covariances_move_by_widths_over_rows_and_no_further() {
    for widths in [[1, 1], [2, 1], [3, 2]] {
        for n in 2..=4usize {
            let mut largest = [0; 3];
            changes(&widths, n, |change| {
                largest.iter_mut().zip(change).for_each(|(largest, change)| *largest = change.max(*largest));
            });
            let (x, y) = (widths[0] as u128, widths[1] as u128);
            let stated = [(x, x), (x, y), (y, y)].map(|widths| of_centred_product(n as u64, widths).l1);
            assert_eq!(largest, stated, "{widths:?} {n}");
        }
    }
}

#[test]
fn largest_variances_have_half_of_the_rows_at_either_end() {
    for n in 2..=7usize {
        let largest = multisets(4, n).into_iter().map(|set| {
            let rows: Vec<Vec<i128>> = set.iter().map(|x| vec![*x as i128]).collect();
            centred_products(&rows.iter().collect::<Vec<_>>())[0]
        });
        assert_eq!(largest.max(), Some(((n / 2) * (n - n / 2) * 9) as i128), "{n}");
    }
}

#[test]
fn whole_matrices_move_by_the_sum_of_their_entries() {
    for (columns, n) in [(2, 2), (2, 4), (3, 2), (3, 3)] {
        let entry = of_centred_product(n as u64, (1, 1)).l1;
        let stated = of_covariance_matrix(columns, entry);
        let (mut l1, mut linf, mut squares, mut cells) = (0, 0, 0, 0);
        changes(&vec![1; columns], n, |change| {
            l1 = change.iter().sum::<u128>().max(l1);
            squares = change.iter().map(|d| d * d).sum::<u128>().max(squares);
            linf = change.iter().copied().max().unwrap_or(0).max(linf);
            cells = (change.iter().filter(|d| **d > 0).count() as u64).max(cells);
        });
        assert_eq!((l1, linf, cells), (stated.l1, stated.linf, stated.cells), "{columns} {n}");
        assert_eq!(Rational::from(squares), stated.l2_squared(), "{columns} {n}");
    }
}
