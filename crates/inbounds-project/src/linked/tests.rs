use super::*;
use crate::{
    certificate::{Certificate, Status},
    numeric::dot,
};

/// Numbers between -1 and 1.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Twelve cells in a total, two groupings that are no part of one another, and the cells.
fn twelve() -> Groupings {
    let by = |cell_of: fn(u32) -> u32| (0..12).map(cell_of).collect::<Vec<u32>>();
    Groupings::new(12, vec![by(|_| 0), by(|cell| cell / 4), by(|cell| cell % 5), by(|cell| cell)])
}

fn noisy(groupings: &Groupings, truth: &[f64], size: f64, seed: &mut u64) -> Vec<Vec<f64>> {
    let mut sums = groupings.sums(truth);
    sums.iter_mut().flatten().for_each(|sum| *sum += size * random(seed));
    sums
}

/// A dense matrix solved by elimination, as a plain loop would.
fn dense(groupings: &Groupings, measured: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let n = groupings.finest;
    let unit = |place: usize| (0..n).map(|cell| f64::from(u8::from(cell == place))).collect::<Vec<f64>>();
    let mut rows: Vec<Vec<f64>> = (0..n).map(|place| groupings.times(&unit(place), weights)).collect();
    rows.iter_mut().zip(groupings.spread(measured, weights)).for_each(|(row, right)| row.push(right));
    for pivot in 0..n {
        let scaled: Vec<f64> = rows[pivot].iter().map(|entry| entry / rows[pivot][pivot]).collect();
        for (place, row) in rows.iter_mut().enumerate() {
            let factor = if place == pivot { 0.0 } else { row[pivot] };
            row.iter_mut().zip(&scaled).for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
        rows[pivot] = scaled;
    }
    rows.into_iter().map(|row| row[n]).collect()
}

#[test]
fn the_linear_fit_is_that_of_the_normal_equations() {
    let (groupings, mut seed) = (twelve(), 7);
    let truth: Vec<f64> = (0..12).map(f64::from).collect();
    for weights in [[1.0, 1.0, 1.0, 1.0], [3.0, 0.0, 0.5, 0.01]] {
        let measured = noisy(&groupings, &truth, 5.0, &mut seed);
        let (computed, expected) = (groupings.linear(&measured, &weights), dense(&groupings, &measured, &weights));
        assert!(
            computed.iter().zip(&expected).all(|(computed, expected)| (computed - expected).abs() < 1e-9),
            "{computed:?} {expected:?}"
        );
        // The variance of a sum is the row of the solution for a measurement of that sum alone.
        let variances = groupings.variances(&weights);
        let mut only: Vec<Vec<f64>> = groupings.cells().map(|cells| vec![0.0; cells]).collect();
        only[2][3] = 1.0;
        let by_itself = groupings.sums(&dense(&groupings, &only, &weights))[2][3] / weights[2];
        assert!((variances[2][3] - by_itself).abs() < 1e-9, "{variances:?} {by_itself}");
    }
}

/// No exchange of a little between any two cells, and no change of one, makes the sum of squares less.
#[test]
fn the_nonnegative_fit_has_no_better_neighbour() {
    let (groupings, mut seed) = (twelve(), 11);
    let variances = [1.0, 0.9, 0.8, 0.7];
    for round in 0..200 {
        let truth: Vec<f64> = (0..12).map(|cell| if (cell + round) % 3 == 0 { 4.0 } else { 0.0 }).collect();
        let linear = groupings.linear(&noisy(&groupings, &truth, 6.0, &mut seed), &[1.0; 4]);
        let solution = groupings.nonnegative(&linear, &variances);
        assert_eq!(solution.status, Status::Optimal);
        assert!(
            solution.certificate.worst() <= Certificate::TOLERANCE && solution.finest.iter().all(|cell| *cell >= 0.0)
        );
        let kept = groupings.kept(&variances);
        let loss = |z: &[f64]| -> f64 {
            let off: Vec<f64> = z.iter().zip(&linear).map(|(z, linear)| z - linear).collect();
            let squares = |(sums, weight): (Vec<f64>, &f64)| weight * dot(&sums, &sums);
            groupings.sums(&off).into_iter().zip(&kept).map(squares).sum()
        };
        let best = loss(&solution.finest);
        for (up, down) in (0..12).flat_map(|up| (0..12).map(move |down| (up, down))) {
            let mut moved = solution.finest.clone();
            moved[up] += 1e-3;
            if up != down {
                moved[down] -= 1e-3;
            }
            assert!(moved[down] < 0.0 || loss(&moved) >= best - 1e-6, "{up} {down}");
        }
    }
}

#[test]
fn a_large_total_over_empty_cells_stays_where_it_was_measured() {
    let (groupings, mut seed) = (Groupings::new(12, vec![vec![0; 12], (0..12).collect()]), 5);
    let mut truth = vec![0.0; 12];
    truth[0] = 1000.0;
    let off = (0..100).map(|_| {
        let linear = groupings.linear(&noisy(&groupings, &truth, 5.0, &mut seed), &[1.0; 2]);
        let total = |finest: &[f64]| groupings.sums(finest)[0][0];
        total(&groupings.nonnegative(&linear, &[0.5; 2]).finest) - total(&linear)
    });
    assert!(off.into_iter().all(|off| off.abs() < 0.2));
}

#[test]
fn two_hierarchies_of_the_same_cells_are_rounded_up_or_down() {
    let groupings = Groupings::new(4, vec![vec![0; 4], vec![0, 0, 1, 1], vec![0, 1, 1, 0]]);
    // States and regions are whole, and counties are not.
    let integers = groupings.whole(&[100.5, 112.5, 144.5, 144.5], &[1.0; 3]);
    assert_eq!(groupings.sums(&integers), [vec![502.0], vec![213.0, 289.0], vec![245.0, 257.0]]);
    let mut seed = 3;
    for groupings in
        [groupings, Groupings::new(4, vec![vec![0, 0, 1, 1], vec![0, 1, 1, 0], vec![0, 1, 0, 1], vec![0, 1, 2, 3]])]
    {
        for _ in 0..50 {
            let finest: Vec<f64> = (0..4).map(|_| 10.0 + 10.0 * random(&mut seed)).collect();
            let integers = groupings.whole(&finest, &[1.0; 4]);
            assert!(
                integers
                    .iter()
                    .zip(&finest)
                    .all(|(integer, cell)| integer.fract() == 0.0 && *integer >= 0.0 && (integer - cell).abs() <= 1.0)
            );
        }
    }
}
