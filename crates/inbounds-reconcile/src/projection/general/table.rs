//! A table and its margins, from the total down.

use inbounds_bundle::Method;
use inbounds_project::{
    certificate::Status,
    table::{
        Axes, FittedMargin, MeasuredMargin, TableNumbers, TableQueries, TableSolution, TableSystem, check, linear,
        off_means, shrunk_from, top_down_from,
    },
};

use super::{
    lattice::Lattice,
    linear::{DERIVED, Linear, ROUNDED_SUMS},
};
use crate::projection::{
    demand::Demand,
    model::Model,
    solved::{Ending, Solved},
    solver::{SHRUNK, Solver, half_squares},
};

/// All nodes, which are cells of a table and of its margins.
pub(super) struct OfTable {
    lattice: Lattice,
    fitting: Fitting,
    numbers: TableNumbers,
    /// True if sums are all that must hold.
    sums_alone: bool,
    /// True if numbers are shrunk towards zero.
    shrunk: bool,
}

/// Method of the linear fit.
enum Fitting {
    /// Every margin was measured with one variance, or not at all: a closed form. Numbers of the margins that were
    /// measured.
    Closed { measured: Vec<usize>, system: TableSystem },
    /// Some cells were measured better than others of their margin, or are missing.
    Rows {
        linear: Box<Linear>,
        /// Of each margin: the mean variance of the fit of its cells, or one where only whether it is exact counts, as
        /// in lists of numbers that are not shrunk.
        variances: Vec<f64>,
    },
}

impl OfTable {
    /// None where more is required than this solver knows: bounds, exact cells of a margin that is not exact, exact
    /// margins that contradict each other, or margins of three attributes of which none is the whole.
    pub(super) fn new(lattice: &Lattice, model: &Model, is_integer: bool, shrunk: bool) -> Option<Self> {
        let sums_alone = model.sums_alone();
        if model.bounded_nodes() > 0 || (!model.nonnegative && (is_integer || !sums_alone)) {
            return None;
        }
        let partly_exact = |(_, nodes): &(_, Vec<u32>)| {
            let exact = nodes.iter().filter(|&&node| model.exact(node as usize)).count();
            exact > 0 && exact < nodes.len()
        };
        if lattice.margins.iter().any(partly_exact) {
            return None;
        }
        let fitting = match (Fitting::closed(lattice, model), lattice.queries) {
            (Some(closed), _) => closed,
            (None, TableQueries::Margins) => Fitting::rows(lattice, model, is_integer, shrunk)?,
            (None, TableQueries::Residuals) => return None,
        };
        let numbers = if is_integer { TableNumbers::Whole } else { TableNumbers::Real };
        let table = Self { lattice: lattice.clone(), fitting, numbers, sums_alone, shrunk };
        let fit = table.fit(model, &model.value)?;
        (sums_alone || check(&fit, numbers).is_ok()).then_some(table)
    }

    /// The linear fit of every margin, with its variance; none if exact margins contradict each other.
    fn fit(&self, model: &Model, value: &[f64]) -> Option<Vec<FittedMargin>> {
        match &self.fitting {
            Fitting::Closed { measured, system } => {
                let margin =
                    |&index: &usize| self.lattice.margins[index].1.iter().map(|&node| value[node as usize]).collect();
                linear(&system.with(measured.iter().map(margin).collect())).ok()
            }
            Fitting::Rows { linear, variances } => {
                let fitted = linear.linear(model, value.to_vec());
                Some(self.lattice.gather(&fitted, variances))
            }
        }
    }

    fn fitted(&self, model: &Model, value: &[f64]) -> Vec<FittedMargin> {
        self.fit(model, value).expect("exact margins were seen to agree")
    }

    fn nodes_of(&self, model: &Model, fit: &[FittedMargin]) -> Vec<f64> {
        let mut all = self.lattice.scatter(fit.iter().map(|margin| margin.values.as_slice()));
        keep_exact(model, &mut all);
        all
    }

    fn down_from(&self, model: &Model, fit: &[FittedMargin]) -> Solved {
        let from = if self.shrunk { shrunk_from } else { top_down_from };
        let solution = from(&self.lattice.sizes, fit, self.numbers);
        let TableSolution { status, margins, certificate, .. } = solution.expect("the same margins were solved before");
        let mut estimates = self.lattice.scatter(margins.iter().map(Vec::as_slice));
        keep_exact(model, &mut estimates);
        let ending = if status == Status::Optimal { Ending::Optimal } else { Ending::IterationLimit };
        let grid = if self.numbers == TableNumbers::Whole { 1.0 } else { 0.0 };
        Solved { ending, estimates, certificate, grid }
    }
}

impl Fitting {
    fn rows(lattice: &Lattice, model: &Model, is_integer: bool, shrunk: bool) -> Option<Self> {
        let linear = Box::new(Linear::new(model, lattice.rows(model), is_integer).ok()?);
        let has_weights = lattice.margins.iter().any(|(axes, _)| axes.count() > 1);
        let each = if shrunk || has_weights { linear.linear_variances(model) } else { Vec::new() };
        let mean = |(_, nodes): &(_, Vec<u32>)| match nodes {
            _ if model.exact(nodes[0] as usize) => 0.0,
            _ if each.is_empty() => 1.0,
            _ => nodes.iter().map(|&node| each[node as usize]).sum::<f64>() / nodes.len() as f64,
        };
        let variances = lattice.margins.iter().map(mean).collect();
        Some(Self::Rows { linear, variances })
    }

    fn closed(lattice: &Lattice, model: &Model) -> Option<Self> {
        let (mut measured, mut margins) = (Vec::new(), Vec::new());
        for (index, (axes, nodes)) in lattice.margins.iter().enumerate() {
            let variance = model.variance[nodes[0] as usize];
            if !nodes.iter().all(|&node| alike(model.variance[node as usize], variance)) {
                return None;
            }
            if variance < f64::INFINITY {
                let values = nodes.iter().map(|&node| model.value[node as usize]).collect();
                measured.push(index);
                margins.push(MeasuredMargin { axes: *axes, values, variance });
            }
        }
        let new = match lattice.queries {
            TableQueries::Margins => TableSystem::new,
            TableQueries::Residuals => TableSystem::of_residuals,
        };
        let system = new(lattice.sizes.clone(), margins).ok()?;
        (system.margins().len() == lattice.margins.len()).then_some(Self::Closed { measured, system })
    }
}

/// `true` if two variances are the same up to rounding.
pub(crate) fn alike(one: f64, other: f64) -> bool {
    one == other || (one - other).abs() <= 1e-12 * other
}

impl Solver for OfTable {
    fn method(&self) -> Method {
        match (self.sums_alone, self.shrunk, self.numbers) {
            (true, ..) => Method::Table,
            (false, false, TableNumbers::Real) => Method::TableTopDown,
            (false, false, TableNumbers::Whole) => Method::TableTopDownRounded,
            (false, true, TableNumbers::Real) => Method::TableShrunk,
            (false, true, TableNumbers::Whole) => Method::TableShrunkRounded,
        }
    }

    fn solve(&self, model: &Model, value: Vec<f64>) -> Solved {
        if self.sums_alone {
            let certificate = self.linear_certificate(model);
            return Solved { ending: Ending::Optimal, estimates: self.linear(model, value), certificate, grid: 0.0 };
        }
        self.down_from(model, &self.fitted(model, &value))
    }

    fn linear(&self, model: &Model, value: Vec<f64>) -> Vec<f64> {
        self.nodes_of(model, &self.fitted(model, &value))
    }

    fn solve_with_linear(&self, model: &Model, value: Vec<f64>) -> (Solved, Vec<f64>) {
        if self.sums_alone {
            let solved = self.solve(model, value);
            let linear = solved.estimates.clone();
            return (solved, linear);
        }
        let fit = self.fitted(model, &value);
        (self.down_from(model, &fit), self.nodes_of(model, &fit))
    }

    fn linear_variances(&self, model: &Model) -> Vec<f64> {
        match &self.fitting {
            Fitting::Closed { .. } => {
                let fit = self.fitted(model, &model.value);
                let even: Vec<Vec<f64>> = fit.iter().map(|margin| vec![margin.variance; margin.values.len()]).collect();
                self.lattice.scatter(even.iter().map(Vec::as_slice))
            }
            Fitting::Rows { linear, .. } => linear.linear_variances(model),
        }
    }

    /// Of residuals, the residuals of the estimates of a margin are compared with those that were measured.
    fn objective(&self, model: &Model, estimates: &[f64]) -> f64 {
        let left = |(axes, nodes): &(Axes, Vec<u32>)| {
            off_means(&self.lattice.sizes, *axes, nodes.iter().map(|&node| estimates[node as usize]).collect())
        };
        match self.lattice.queries {
            TableQueries::Margins => half_squares(model, estimates),
            TableQueries::Residuals => {
                let left: Vec<Vec<f64>> = self.lattice.margins.iter().map(left).collect();
                half_squares(model, &self.lattice.scatter(left.iter().map(Vec::as_slice)))
            }
        }
    }

    fn groups(&self, _: &Model) -> Vec<u32> {
        let mut groups = vec![0; self.lattice.nodes()];
        for (group, (_, nodes)) in (0..).zip(&self.lattice.margins) {
            nodes.iter().for_each(|&node| groups[node as usize] = group);
        }
        groups
    }

    fn rules(&self) -> &'static [&'static str] {
        const SETTLED: &str = "A margin of two attributes that is part of no other settles those of one: its cells are the nonnegative \
                               numbers with the total nearest to their linear fit and, by their sums, to the margins of one attribute from \
                               the total down, whose squares count 3 V / V_m times those of cells, at most 10^6 times, with V and V_m the \
                               variances of a cell of either in the linear fit. If four cells or more, and an eighth, are below zero, this \
                               is done twice, and a cell at z in the first solution, which is approximate, weighs \
                               max(1, z / (3 sqrt V)) in the second. An attribute of several such margins has the mean of their sums.";
        const KEPT: &str = "A margin of three or more attributes keeps the margins of one attribute; those between are met as nearly \
                            as nonnegative cells can, each square of what is missed counting 3 V / V_m times that of a cell, at most \
                            1000 times, with V and V_m the variances of a cell of the table and of the margin in the linear fit. They \
                            are then its sums.";
        const ROUNDED: &str = "Each number is rounded up or down so that the sums hold and the sum of squares grows least, smaller \
                               margins first; a margin of three or more attributes by its last attribute.";
        match self.method() {
            Method::Table => &[ROUNDED_SUMS, DERIVED],
            Method::TableTopDownRounded => &[SETTLED, KEPT, ROUNDED, DERIVED],
            Method::TableShrunk => &[SHRUNK, SETTLED, KEPT, ROUNDED_SUMS, DERIVED],
            Method::TableShrunkRounded => &[SHRUNK, SETTLED, KEPT, ROUNDED, DERIVED],
            _ => &[SETTLED, KEPT, ROUNDED_SUMS, DERIVED],
        }
    }
}

/// Exact values as they were stated, to the last bit.
fn keep_exact(model: &Model, estimates: &mut [f64]) {
    for (node, estimate) in estimates.iter_mut().enumerate().filter(|(node, _)| model.exact(*node)) {
        *estimate = model.value[node];
    }
}
