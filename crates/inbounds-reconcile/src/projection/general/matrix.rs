//! Nodes that are the entries of a symmetric matrix.

use inbounds_bundle::Method;
use inbounds_project::{
    certificate::Status,
    constraint::{MatrixConstraint, Symmetric},
    psd,
};

use crate::projection::{
    model::Model,
    solved::{Ending, Solved},
    solver::Solver,
};

/// Where each node stands in the matrix.
#[derive(Debug, Clone)]
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

    pub(crate) fn is_diagonal(&self, node: usize) -> bool {
        self.of[node].0 == self.of[node].1
    }

    /// The solver for nodes that stand there; `whole` matrices it refuses.
    pub(crate) fn solver(self, model: &Model, whole: bool) -> Box<dyn Solver> {
        let weighed_right = self.is_weighed_right(model);
        Box::new(Nearest { places: self, whole, weighed_right })
    }

    /// What semidefiniteness alone says of an entry.
    fn range(&self, node: usize) -> (f64, f64) {
        match (self.is_diagonal(node), self.unit_diagonal) {
            (true, true) => (1.0, 1.0),
            (true, false) => (0.0, f64::INFINITY),
            (false, true) => (-1.0, 1.0),
            (false, false) => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// Whether the Frobenius norm weighs the entries as their variances would: it counts those off the diagonal twice.
    fn is_weighed_right(&self, model: &Model) -> bool {
        let per_count = |node: usize| model.variance[node] * if self.is_diagonal(node) { 1.0 } else { 2.0 };
        let mut free = (0..self.of.len()).filter(|&node| model.variance[node] > 0.0).map(per_count);
        let Some(first) = free.next() else { return true };
        free.all(|variance| (variance - first).abs() <= 1e-9 * first)
    }
}

/// The nearest matrix without negative eigenvalues, all entries alike.
struct Nearest {
    places: Places,
    whole: bool,
    weighed_right: bool,
}

impl Solver for Nearest {
    fn method(&self) -> Method {
        if self.places.unit_diagonal { Method::Correlation } else { Method::Semidefinite }
    }

    fn solve(&self, _: &Model, value: Vec<f64>) -> Solved {
        if self.whole {
            let reason = "matrices of whole numbers are beyond the solver of eigenvalues";
            return Solved::refused(reason.to_owned(), None);
        }
        let places = &self.places;
        let constraint = match places.unit_diagonal {
            true => MatrixConstraint::correlation(places.size),
            false => MatrixConstraint::semidefinite(),
        };
        let found = psd::project(&places.matrix(&value), &constraint, psd::Method::Newton);
        let found = found.expect("a matrix of entries that were judged when they were read");
        let matrix = found.matrix.expect("ones are not below zero");
        Solved {
            ending: if found.status == Status::Optimal { Ending::Optimal } else { Ending::IterationLimit },
            estimates: places.of.iter().map(|&(row, column)| matrix.at(row as usize, column as usize)).collect(),
            certificate: found.certificate.unwrap_or_default(),
            grid: 0.0,
        }
    }

    /// No equality: the measurements themselves.
    fn linear(&self, _: &Model, value: Vec<f64>) -> Vec<f64> {
        value
    }

    fn linear_variances(&self, model: &Model) -> Vec<f64> {
        model.variance.clone()
    }

    /// Half the squared Frobenius distance.
    fn objective(&self, model: &Model, estimates: &[f64]) -> f64 {
        let distance = self.places.matrix(&model.value).distance(&self.places.matrix(estimates));
        distance * distance / 2.0
    }

    fn ranges(&self, model: &Model) -> (Vec<f64>, Vec<f64>) {
        (0..model.nodes()).map(|node| self.places.range(node)).unzip()
    }

    fn rules(&self) -> &'static [&'static str] {
        &[
            "The matrix is the nearest in the Frobenius norm, in which entries off the diagonal count twice and variances do \
           not count.",
        ]
    }

    fn warning(&self) -> Option<&'static str> {
        (!self.weighed_right).then_some(
            "the variances of the entries differ, and the nearest matrix weighs all entries alike: it is not the least-squares \
             optimum by variance",
        )
    }
}
