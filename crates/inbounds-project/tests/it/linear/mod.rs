//! Linear systems against dense algebra, enumeration of active sets and enumeration of roundings.

mod equalities;
mod inequalities;
mod rounding;

use crate::draws::Draws;

/// A dense matrix, one inner vector a row.
type Dense = Vec<Vec<f64>>;

/// Small whole coefficients, about half of them zero.
fn random_rows(draws: &mut Draws, rows: usize, columns: usize) -> Dense {
    let entry = |draws: &mut Draws| [0.0, 0.0, 0.0, 1.0, 1.0, -1.0, 2.0][draws.between(0, 7)];
    (0..rows).map(|_| (0..columns).map(|_| entry(draws)).collect()).collect()
}

fn times(rows: &Dense, x: &[f64]) -> Vec<f64> {
    rows.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

fn sparse(rows: &Dense, columns: usize, right: Vec<f64>) -> inbounds_project::constraint::Rows {
    let triplets: Vec<(usize, usize, f64)> =
        rows.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(move |(j, &a)| (i, j, a))).collect();
    inbounds_project::constraint::Rows::from_triplets(columns, &triplets, right).expect("well-formed")
}

/// Both margins of a table of `width` columns that holds `cells`, row by row; one of them is redundant.
fn table_margins(cells: &[f64], width: usize) -> inbounds_project::constraint::Rows {
    let height = cells.len() / width;
    let places = |cell: usize| [(cell / width, cell, 1.0), (height + cell % width, cell, 1.0)];
    let triplets: Vec<(usize, usize, f64)> = (0..cells.len()).flat_map(places).collect();
    let mut margins = vec![0.0; height + width];
    triplets.iter().for_each(|&(row, cell, _)| margins[row] += cells[cell]);
    inbounds_project::constraint::Rows::from_triplets(cells.len(), &triplets, margins).expect("well-formed")
}

/// An orthonormal basis of the rows of `A V^(1/2)` with the right-hand sides of the basis, by Gram and Schmidt twice;
/// none if a dependent row contradicts the others.
fn basis(rows: &Dense, right: &[f64], variances: &[f64]) -> Option<Vec<(Vec<f64>, f64)>> {
    let mut basis: Vec<(Vec<f64>, f64)> = Vec::new();
    for (row, &right) in rows.iter().zip(right) {
        let mut vector: Vec<f64> = row.iter().zip(variances).map(|(a, v)| a * v.sqrt()).collect();
        let (before, mut right) = (norm(&vector), right);
        for _ in 0..2 {
            for (q, of_q) in &basis {
                let share: f64 = vector.iter().zip(q).map(|(a, b)| a * b).sum();
                vector.iter_mut().zip(q).for_each(|(a, b)| *a -= share * b);
                right -= share * of_q;
            }
        }
        let length = norm(&vector);
        if length > 1e-8 * before {
            basis.push((vector.iter().map(|a| a / length).collect(), right / length));
        } else if right.abs() > 1e-7 {
            return None;
        }
    }
    Some(basis)
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|a| a * a).sum::<f64>().sqrt()
}

/// The nearest point with `A x = b`; a cell of variance zero stays. None if there is no point.
fn dense_projection(values: &[f64], variances: &[f64], rows: &Dense, right: &[f64]) -> Option<Vec<f64>> {
    let gaps: Vec<f64> = times(rows, values).iter().zip(right).map(|(ax, b)| b - ax).collect();
    let mut x = values.to_vec();
    for (q, gap) in basis(rows, &gaps, variances)? {
        x.iter_mut().zip(q).zip(variances).for_each(|((x, q), v)| *x += v.sqrt() * q * gap);
    }
    Some(x)
}
