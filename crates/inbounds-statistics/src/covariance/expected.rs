//! Errors to expect of a matrix whose columns are evenly spread between their bounds.

use super::layout::Layout;
use crate::{ExpectedError, Scenario, Simulated, expected};

/// A covariance matrix whose errors are asked for before anything is measured.
pub(super) trait Expected: Simulated {
    /// Its columns and entries.
    fn layout(&self) -> &Layout;

    /// Groups of the scenario, in words, with the outputs of a cell that are no entries; one without words where
    /// nothing need be assumed.
    fn groups(&self, scenario: &Scenario) -> Vec<(String, Vec<f64>)>;
}

/// A covariance matrix that is assumed to be the truth.
pub(super) struct Case {
    /// The scenario, in words.
    pub(super) words: String,
    /// The outputs of a cell.
    pub(super) truth: Vec<f64>,
}

/// Evenly spread columns, uncorrelated and with correlations of a half, in every group.
pub(super) fn cases<C: Expected>(compound: &C, scenario: &Scenario) -> Vec<Case> {
    let layout = compound.layout();
    let correlations = [("uncorrelated", 0.0), ("correlations of 1/2", 0.5)];
    let groups = compound.groups(scenario).into_iter();
    let cases = groups.flat_map(|group| correlations.map(|correlation| (group.clone(), correlation)));
    cases
        .map(|((group, beside), (name, correlation))| {
            let entry = |&(j, k): &(usize, usize)| {
                let share = if j == k { 1.0 } else { correlation };
                share * layout.area((j, k)) / 12.0
            };
            let truth = layout.pairs.iter().map(entry).chain(beside).collect();
            Case { words: format!("evenly spread, {name}{group}"), truth }
        })
        .collect()
}

/// Error of the entries together, with every column divided by the width of its bounds.
///
/// The bias is the Frobenius norm of the matrix of biases, the RMSE the root of the mean squared Frobenius norm of the
/// error.
pub(super) fn of_covariances<C: Expected>(compound: &C, scenario: &Scenario) -> Vec<ExpectedError> {
    let layout = compound.layout();
    let (words, truths): (Vec<_>, Vec<_>) =
        cases(compound, scenario).into_iter().map(|Case { words, truth }| (words, truth)).unzip();
    let errors = expected(compound, &truths);
    words
        .into_iter()
        .zip(errors)
        .map(|(words, errors)| {
            // An entry beside the diagonal stands in two places.
            let norm = |component: &dyn Fn((f64, f64)) -> f64| {
                let weighted = layout.pairs.iter().zip(&errors).map(|(&(j, k), error)| {
                    let places = if j == k { 1.0 } else { 2.0 };
                    places * (component(*error) / layout.area((j, k))).powi(2)
                });
                weighted.sum::<f64>().sqrt()
            };
            let case = format!("{words}: Frobenius norm in products of widths");
            ExpectedError { case, bias: norm(&|error| error.0), rmse: norm(&|error| error.1), half_width: None }
        })
        .collect()
}
