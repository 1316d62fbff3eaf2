//! Margins that aim at shrunk numbers: empirical Bayes, margin by margin.

use super::{
    linear::FittedMargin,
    top_down::{TableNumbers, TableRefusal, TableSolution, solve},
};
use crate::shrink::Aim;

/// [`top_down_from`](super::top_down_from) with margins that aim at shrunk numbers: empirical Bayes.
///
/// # Contract
/// The cells of a margin are taken for numbers from one law: zero with some probability, otherwise a mixture of
/// exponentials. Its shares maximise the likelihood of the linear fit, whose errors are taken for normal with
/// `variance`, which has to be the true one here. With `x` the linear fit of a cell and `m` its posterior mean,
/// `t = min(m, max(x, 0))`. A margin that is part of a larger one aims at `t`, and if it has one attribute, with weight
/// `1 / (posterior variance + variance / 4)`; one that is part of no other aims at `(x + t) / 2`. Each is projected as
/// in [`top_down`](super::top_down()). Biased towards zero except for the total, which is that of
/// [`top_down`](super::top_down()).
///
/// # Errors
/// [`TableRefusal`], as [`top_down`](super::top_down()).
///
/// # Panics
/// As [`top_down_from`](super::top_down_from).
///
/// # Example
/// One cell of a thousand beside fifteen that are empty: what noise adds to them is hardly taken from it.
/// ```
/// use inbounds_project::table::{Axes, MeasuredMargin, TableNumbers, TableSystem, linear, shrunk_from, top_down_from};
/// let noise = [3.0, -2.0, 0.0, 1.0, -4.0, 2.0, -1.0, 5.0, -3.0, 0.0, 1.0, -1.0, 4.0, -2.0, 2.0, -1.0];
/// let mut values = noise.to_vec();
/// values[6] += 1000.0;
/// let margin = |axes, values, variance| MeasuredMargin { axes, values, variance };
/// let measured = vec![margin(Axes::new([0, 1]), values, 9.0), margin(Axes::NONE, vec![1000.0], 0.0)];
/// let fit = linear(&TableSystem::new(vec![4, 4], measured)?).expect("one exact margin");
/// let cell = |found: inbounds_project::table::TableSolution| found.margins[3][6];
/// let plain = cell(top_down_from(&[4, 4], &fit, TableNumbers::Real).expect("one table"));
/// let shrunk = cell(shrunk_from(&[4, 4], &fit, TableNumbers::Real).expect("one table"));
/// assert!(998.7 < plain && plain < shrunk && shrunk < 1000.0);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// Robbins (1956); Johnstone and Silverman (2004).
pub fn shrunk_from(
    sizes: &[usize],
    fit: &[FittedMargin],
    numbers: TableNumbers,
) -> Result<TableSolution, TableRefusal> {
    solve(sizes, fit, numbers, Aim::Shrunk)
}
