//! Errors of a matrix as one number each.

use super::layout::Layout;
use crate::{
    ExpectedError,
    compound::{Compound, expected},
};

/// Error of the entries together for evenly spread columns, with every column divided by the width of its bounds.
///
/// The bias is the Frobenius norm of the matrix of biases, the RMSE the root of the mean squared Frobenius norm of the error.
/// `beside` are the outputs of a cell that are no entries.
pub(super) fn matrix_errors<C: Compound>(
    compound: &C,
    layout: &Layout,
    beside: &[(&str, Vec<f64>)],
) -> Vec<ExpectedError> {
    let correlations = [("uncorrelated", 0.0), ("correlations of 1/2", 0.5)];
    let cases = beside.iter().flat_map(|beside| correlations.map(|correlation| (beside, correlation)));
    cases
        .map(|((group, beside), (name, correlation))| {
            let entry = |&(j, k): &(usize, usize)| {
                let share = if j == k { 1.0 } else { correlation };
                share * layout.area((j, k)) / 12.0
            };
            let truth: Vec<f64> = layout.pairs.iter().map(entry).chain(beside.iter().copied()).collect();
            let errors = expected(compound, &truth);
            // An entry beside the diagonal stands in two places.
            let norm = |of: &dyn Fn((f64, f64)) -> f64| {
                let weighted = layout.pairs.iter().zip(&errors).map(|(&(j, k), error)| {
                    let places = if j == k { 1.0 } else { 2.0 };
                    places * (of(*error) / layout.area((j, k))).powi(2)
                });
                weighted.sum::<f64>().sqrt()
            };
            let case = format!("evenly spread, {name}{group}: Frobenius norm in products of widths");
            ExpectedError { case, bias: norm(&|error| error.0), rmse: norm(&|error| error.1), half_width: None }
        })
        .collect()
}
