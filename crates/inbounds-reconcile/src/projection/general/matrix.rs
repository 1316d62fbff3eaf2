//! Nodes that are the entries of a symmetric matrix.

use inbounds_project::{
    certificate::Status,
    constraint::{MatrixConstraint, Symmetric},
    psd,
};

use super::reduce::Known;
use crate::projection::solve::{Ending, Solved};

/// Where each node stands in the matrix.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Places {
    pub(crate) size: usize,
    /// Row and column of each node; each pair of rows has one node, in either order.
    pub(crate) of: Vec<(u32, u32)>,
    /// Whether the diagonal is all ones; nodes of the diagonal may then be missing.
    pub(crate) unit_diagonal: bool,
}

impl Places {
    /// The matrix of some values.
    fn matrix(&self, value: &[f64]) -> Symmetric {
        let mut entries = vec![0.0; self.size * self.size];
        if self.unit_diagonal {
            (0..self.size).for_each(|row| entries[row * self.size + row] = 1.0);
        }
        for (&(row, column), &value) in self.of.iter().zip(value) {
            let (row, column) = (row as usize, column as usize);
            entries[row * self.size + column] = value;
            entries[column * self.size + row] = value;
        }
        Symmetric::from_rows(self.size, entries).expect("a symmetric matrix of finite entries")
    }

    fn is_diagonal(&self, node: usize) -> bool {
        self.of[node].0 == self.of[node].1
    }

    /// The nearest matrix without negative eigenvalues, all entries alike.
    pub(super) fn solve(&self, value: &[f64]) -> Solved {
        let constraint = match self.unit_diagonal {
            true => MatrixConstraint::correlation(self.size),
            false => MatrixConstraint::semidefinite(),
        };
        let found = psd::project(&self.matrix(value), &constraint, psd::Method::Newton);
        let found = found.expect("a matrix of entries that were judged when they were read");
        let matrix = found.matrix.expect("ones are not below zero");
        Solved {
            ending: if found.status == Status::Optimal { Ending::Optimal } else { Ending::IterationLimit },
            estimates: self.of.iter().map(|&(row, column)| matrix.at(row as usize, column as usize)).collect(),
            certificate: found.certificate.unwrap_or_default(),
            grid: 0.0,
        }
    }

    /// Half the squared Frobenius distance.
    pub(super) fn objective(&self, value: &[f64], estimates: &[f64]) -> f64 {
        let distance = self.matrix(value).distance(&self.matrix(estimates));
        distance * distance / 2.0
    }

    /// What semidefiniteness alone says of an entry.
    pub(super) fn range(&self, node: usize) -> (f64, f64) {
        match (self.is_diagonal(node), self.unit_diagonal) {
            (true, true) => (1.0, 1.0),
            (true, false) => (0.0, f64::INFINITY),
            (false, true) => (-1.0, 1.0),
            (false, false) => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// Whether the Frobenius norm weighs the entries as their variances would: it counts those off the diagonal twice.
    pub(super) fn is_weighed_right(&self, known: &Known<'_>) -> bool {
        let per_count = |node: usize| known.variance[node] * if self.is_diagonal(node) { 1.0 } else { 2.0 };
        let mut free = (0..self.of.len()).filter(|&node| known.variance[node] > 0.0).map(per_count);
        let Some(first) = free.next() else { return true };
        free.all(|variance| (variance - first).abs() <= 1e-9 * first)
    }
}
