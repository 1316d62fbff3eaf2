//! Nodes that are the entries of a symmetric matrix.

use inbounds_bundle::Method;
use inbounds_project::{
    certificate::{Requirement, Status},
    constraint::{MatrixConstraint, Symmetric},
    psd::{self, EntryRange, MatrixSolution},
};

use crate::projection::{
    model::Model,
    solved::{Cause, Ending, Solved},
    solver::Solver,
};

/// Why a matrix with known or bounded entries is not given.
const NOT_FOUND: &str = "no positive semidefinite matrix with these exact values and bounds was found: they leave it no room, or next to none, \
                         as a correlation of exactly 1 or -1 does. Leave out one of two rows that are the same, or give these entries as \
                         measurements";

/// Where each node stands in the matrix.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    pub(crate) size: usize,
    /// Row and column of each node; each pair of rows has one node, in either order.
    pub(crate) entries: Vec<(u32, u32)>,
    /// True if the diagonal is all ones; nodes of the diagonal may then be missing.
    pub(crate) unit_diagonal: bool,
}

impl Places {
    /// The matrix of some values.
    fn matrix(&self, value: &[f64]) -> Symmetric {
        let mut entries = vec![0.0; self.size * self.size];
        if self.unit_diagonal {
            (0..self.size).for_each(|row| entries[row * self.size + row] = 1.0);
        }
        for (&(row, column), &value) in self.entries.iter().zip(value) {
            let (row, column) = (row as usize, column as usize);
            entries[row * self.size + column] = value;
            entries[column * self.size + row] = value;
        }
        Symmetric::from_rows(self.size, entries).expect("a symmetric matrix of finite entries")
    }

    pub(crate) fn is_diagonal(&self, node: usize) -> bool {
        self.entries[node].0 == self.entries[node].1
    }

    /// The solver for nodes that stand there; `whole` matrices it refuses. None if an entry has neither a measurement
    /// nor an exact value.
    pub(crate) fn solver(self, model: &Model, is_integer: bool) -> Option<Box<dyn Solver>> {
        if model.variance.contains(&f64::INFINITY) {
            return None;
        }
        let weights = self.weights(model);
        let ranges = self.entry_ranges(model);
        Some(Box::new(Nearest { places: self, is_integer, weights, ranges }))
    }

    /// The ranges of entries that the model states, with the node of each; empty if semidefiniteness and a given
    /// diagonal are all.
    fn entry_ranges(&self, model: &Model) -> Vec<(Option<usize>, EntryRange)> {
        let of_node = |node: usize| {
            let ((row, column), (lower, upper)) = (self.entries[node], model.limits(node));
            (Some(node), EntryRange { row: row as usize, column: column as usize, lower, upper })
        };
        let is_stated = |(node, range): &(Option<usize>, EntryRange)| {
            let given = self.unit_diagonal && node.is_some_and(|node| self.is_diagonal(node));
            !given && (range.lower > f64::NEG_INFINITY || range.upper < f64::INFINITY)
        };
        let mut ranges: Vec<_> = (0..self.entries.len()).map(of_node).filter(is_stated).collect();
        if !ranges.is_empty() && self.unit_diagonal {
            let one = |row: usize| (None, EntryRange { row, column: row, lower: 1.0, upper: 1.0 });
            ranges.extend((0..self.size).map(one));
        }
        ranges
    }

    /// Range of an entry by semidefiniteness alone.
    fn range(&self, node: usize) -> (f64, f64) {
        match (self.is_diagonal(node), self.unit_diagonal) {
            (true, true) => (1.0, 1.0),
            (true, false) => (0.0, f64::INFINITY),
            (false, true) => (-1.0, 1.0),
            (false, false) => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// Agreement of the entries' variances with their weights in the Frobenius norm, which counts entries off the
    /// diagonal twice.
    fn weights(&self, model: &Model) -> Weights {
        let same = |one: f64, other: f64| (one - other).abs() <= 1e-9 * other;
        let free = || (0..self.entries.len()).filter(|&node| model.variance[node] > 0.0);
        let per_count = |node: usize| model.variance[node] * if self.is_diagonal(node) { 1.0 } else { 2.0 };
        let Some(first) = free().next() else { return Weights::Right };
        match model.variance[first] {
            _ if free().all(|node| same(per_count(node), per_count(first))) => Weights::Right,
            variance if free().all(|node| same(model.variance[node], variance)) => Weights::AllAlike { variance },
            _ => Weights::Different,
        }
    }
}

/// Agreement of the variances of entries with the Frobenius norm.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Weights {
    /// The nearest matrix is the least-squares optimum by variance.
    Right,
    /// All entries have one variance, so that those on the diagonal weigh half of what they should.
    AllAlike {
        variance: f64,
    },
    Different,
}

impl Weights {
    fn warning(self) -> Option<String> {
        match self {
            Self::Right => None,
            Self::AllAlike { variance } => Some(format!(
                "all entries have the variance {variance}, and the nearest matrix is the least-squares optimum by variance only if those on \
                 the diagonal have twice that of the others, which count twice"
            )),
            Self::Different => Some(
                "the variances of the entries differ otherwise than the Frobenius norm, in which entries off the diagonal count twice: the \
                 nearest matrix is not the least-squares optimum by variance"
                    .to_owned(),
            ),
        }
    }
}

/// The nearest matrix without negative eigenvalues, all entries alike.
struct Nearest {
    places: Places,
    is_integer: bool,
    weights: Weights,
    /// Entries that are known or have bounds, with their nodes.
    ranges: Vec<(Option<usize>, EntryRange)>,
}

impl Nearest {
    fn find(&self, value: &[f64]) -> MatrixSolution {
        let (places, matrix) = (&self.places, self.places.matrix(value));
        let solution = if self.ranges.is_empty() {
            let constraint = match places.unit_diagonal {
                true => MatrixConstraint::correlation(places.size),
                false => MatrixConstraint::semidefinite(),
            };
            psd::project(&matrix, &constraint, psd::Method::Newton)
        } else {
            let ranges: Vec<EntryRange> = self.ranges.iter().map(|(_, range)| *range).collect();
            psd::project_within(&matrix, &ranges)
        };
        solution.expect("a matrix of entries and ranges that were judged when they were read")
    }

    /// The nodes of a conflict.
    fn causes(&self, conflict: &[Requirement]) -> Vec<Cause> {
        let node = |part: &Requirement| match part {
            Requirement::Entry(index) => self.ranges[*index].0.map(Cause::Node),
            _ => None,
        };
        conflict.iter().filter_map(node).collect()
    }
}

impl Solver for Nearest {
    fn method(&self) -> Method {
        if self.places.unit_diagonal { Method::Correlation } else { Method::Semidefinite }
    }

    fn solve(&self, _: &Model, value: Vec<f64>) -> Solved {
        if self.is_integer {
            let reason = "matrices of whole numbers are beyond the solver of eigenvalues";
            return Solved::refused(reason.to_owned(), None);
        }
        let solution = self.find(&value);
        if let Status::Infeasible { conflict } = &solution.status {
            return Solved::infeasible(self.causes(conflict));
        }
        let is_optimal = solution.status == Status::Optimal;
        if !is_optimal && !self.ranges.is_empty() {
            return Solved::not_found(NOT_FOUND.to_owned());
        }
        let matrix = solution.matrix.expect("ones are not below zero");
        Solved {
            ending: if is_optimal { Ending::Optimal } else { Ending::IterationLimit },
            estimates: self
                .places
                .entries
                .iter()
                .map(|&(row, column)| matrix.at(row as usize, column as usize))
                .collect(),
            certificate: solution.certificate.unwrap_or_default(),
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
        let range = |node: usize| {
            let ((lower, upper), (low, high)) = (self.places.range(node), model.limits(node));
            (lower.max(low).min(high), upper.min(high).max(low))
        };
        (0..model.nodes()).map(range).unzip()
    }

    fn rules(&self) -> &'static [&'static str] {
        &[
            "The matrix is the nearest in the Frobenius norm, in which entries off the diagonal count twice and variances do \
           not count.",
        ]
    }

    fn warning(&self) -> Option<String> {
        self.weights.warning()
    }
}
