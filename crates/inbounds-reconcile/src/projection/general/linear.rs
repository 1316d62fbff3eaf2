//! Rows, by the solvers of linear systems.

use inbounds_bundle::Method;
use inbounds_project::{
    Solution,
    certificate::{Certificate, Requirement, Status},
    constraint::{Bounds, Rows, System},
    linear::{self, Covariance},
};

use super::{eliminate::Known, groups::groups, reduce::Reduced};
use crate::projection::{
    model::Model,
    row::{Row, Sense},
    solved::{Cause, Ending, Solved},
    solver::Solver,
};

/// A system of rows, ready to be solved for any values.
pub(super) struct Linear {
    reduced: Reduced,
    rows: Vec<Row>,
    /// Bounds of all nodes, rounded inwards for whole numbers.
    limits: Vec<(f64, f64)>,
    is_integer: bool,
}

impl Linear {
    /// # Errors
    /// A node that has no measurement and that no equality tells.
    pub(super) fn new(model: &Model, rows: Vec<Row>, is_integer: bool) -> Result<Self, usize> {
        let inwards =
            |(lower, upper): (f64, f64)| if is_integer { (lower.ceil(), upper.floor()) } else { (lower, upper) };
        let limits: Vec<(f64, f64)> = (0..model.nodes()).map(|node| inwards(model.limits(node))).collect();
        let known = Known { value: &model.value, variance: &model.variance, limits: &limits };
        let reduced = Reduced::new(&known, &rows)?;
        Ok(Self { reduced, rows, limits, is_integer })
    }

    /// Requirements that contradict each other whatever was measured.
    fn hopeless(&self, value: &[f64]) -> Option<Vec<Cause>> {
        let crossing = |node: &usize| self.limits[*node].0 > self.limits[*node].1;
        let broken = |node: &usize| self.is_integer && self.reduced.is_constant(*node) && value[*node].fract() != 0.0;
        let node = (0..self.limits.len()).find(|node| crossing(node) || broken(node));
        node.map(|node| vec![Cause::Node(node)]).or_else(|| self.reduced.hopeless.clone())
    }

    /// Estimates of all nodes; their certificate judges the rows as they were asked for, too.
    fn certified(&self, value: &[f64], solution: Solution) -> Solved {
        let mut estimates = self.reduced.expand(&solution.estimates);
        let mut certificate = solution.certificate.unwrap_or_default();
        let size = value.iter().chain(&estimates).fold(0.0, |size: f64, x| size.max(x.abs()));
        for (estimate, &(lower, upper)) in estimates.iter_mut().zip(&self.limits) {
            // A node that follows from others may come out a rounding outside its bounds.
            let inside = estimate.max(lower).min(upper);
            certificate.feasibility = certificate.feasibility.max(relative((*estimate - inside).abs(), size));
            *estimate = inside;
        }
        for row in &self.rows {
            certificate.feasibility = certificate.feasibility.max(violation(row, &estimates, size));
        }
        let optimal = solution.status == Status::Optimal && certificate.worst() <= Certificate::TOLERANCE;
        let ending = if optimal { Ending::Optimal } else { Ending::IterationLimit };
        Solved { ending, estimates, certificate, grid: 0.0 }
    }

    /// The nearest whole solution next to a solution.
    fn rounded(&self, value: &[f64], solved: Solved) -> Solved {
        if let Some(row) = self.rows.iter().position(|row| row.sense != Sense::Equal) {
            let reason =
                "rounding keeps equalities and [bounds] of single nodes, no inequality of another kind".to_owned();
            return Solved::refused(reason, Some(row));
        }
        let one = |(index, row): (usize, &Row)| {
            row.terms.iter().map(move |&(node, a)| (index, node as usize, a)).collect::<Vec<_>>()
        };
        let triplets: Vec<_> = self.rows.iter().enumerate().flat_map(one).collect();
        let right = self.rows.iter().map(|row| row.side).collect();
        let rows = Rows::from_triplets(value.len(), &triplets, right).expect("finite coefficients");
        let solution = match linear::round(&solved.estimates, &self.reduced.weights_of_nodes(), &rows) {
            Ok(solution) => solution,
            Err(error) => {
                let counted = "rows and columns count from 0: equalities in the order of the files, sums along a tree after \
                               them, and nodes as the measurements name them";
                return Solved::refused(format!("{error} ({counted})"), None);
            }
        };
        if let Status::Infeasible { conflict } = &solution.status {
            let rows = conflict.iter().filter_map(|part| match part {
                Requirement::Equality(row) => Some(Cause::Row(*row)),
                _ => None,
            });
            return Solved::infeasible(rows.collect());
        }
        let mut both = solved.certificate;
        let own = solution.certificate.unwrap_or_default();
        both.stationarity = both.stationarity.max(own.stationarity);
        both.feasibility = both.feasibility.max(own.feasibility);
        let optimal = solved.ending == Ending::Optimal && solution.status == Status::Optimal;
        let ending = if optimal { Ending::Optimal } else { Ending::IterationLimit };
        Solved { ending, estimates: solution.estimates, certificate: both, grid: 1.0 }
    }

    fn causes(&self, conflict: &[Requirement]) -> Vec<Cause> {
        let (mut equalities, mut inequalities, mut cells) = (Vec::new(), Vec::new(), Vec::new());
        for part in conflict {
            match *part {
                Requirement::Equality(row) => equalities.push(row),
                Requirement::Inequality(row) => inequalities.push(row),
                Requirement::Lower(cell) | Requirement::Upper(cell) => cells.push(cell),
                _ => {}
            }
        }
        self.reduced.causes(&equalities, &inequalities, &cells)
    }
}

impl Solver for Linear {
    fn method(&self) -> Method {
        let System { inequalities, bounds, .. } = &self.reduced.system;
        match self.is_integer {
            true => Method::Rounded,
            false if inequalities.is_empty() && *bounds == Bounds::None => Method::Linear,
            false => Method::LinearBounded,
        }
    }

    fn solve(&self, _: &Model, value: Vec<f64>) -> Solved {
        if let Some(conflict) = self.hopeless(&value) {
            return Solved::infeasible(conflict);
        }
        let Reduced { system, weights, .. } = &self.reduced;
        let solution = linear::project(&self.reduced.values(&value), weights, system);
        let solution = solution.expect("numbers that were judged when they were read");
        if let Status::Infeasible { conflict } = &solution.status {
            return Solved::infeasible(self.causes(conflict));
        }
        let solved = self.certified(&value, solution);
        if self.is_integer && !solved.estimates.is_empty() { self.rounded(&value, solved) } else { solved }
    }

    fn linear(&self, _: &Model, value: Vec<f64>) -> Vec<f64> {
        let plane = System::equalities(self.reduced.system.equalities.clone());
        let solution = linear::project(&self.reduced.values(&value), &self.reduced.weights, &plane);
        self.reduced.expand(&solution.expect("numbers that were judged when they were read").estimates)
    }

    fn linear_variances(&self, _: &Model) -> Vec<f64> {
        let Reduced { system, weights, cells, derived, .. } = &self.reduced;
        let covariance = Covariance::new(&system.equalities, weights).expect("weights of measurements");
        let mut all = vec![0.0; self.limits.len()];
        cells.iter().zip(covariance.variances()).for_each(|(&node, variance)| all[node] = variance);
        for node in derived {
            all[node.node] = covariance.combination(&node.terms).expect("cells that exist");
        }
        all
    }

    fn groups(&self, model: &Model) -> Vec<u32> {
        groups(model.nodes(), &self.rows)
    }

    fn rows(&self) -> &[Row] {
        &self.rows
    }

    fn rules(&self) -> &'static [&'static str] {
        const UP_OR_DOWN: &str = "The optimum over real numbers is rounded, each node up or down, so that all equalities hold \
                                  and the sum of squares grows least: not always the optimum over whole numbers.";
        if self.is_integer { &[UP_OR_DOWN, DERIVED] } else { &[ROUNDED_SUMS, DERIVED] }
    }
}

pub(super) const ROUNDED_SUMS: &str = "Equalities hold up to the rounding of doubles, as `solver.certificate.feasibility` \
                                       says; bounds that bind hold to the last bit.";
pub(super) const DERIVED: &str = "A node without a measurement has the value that the equalities give it.";

/// Violation of a row, relative to the largest of its terms, were every node of the given size.
fn violation(row: &Row, estimates: &[f64], size: f64) -> f64 {
    let over = row.terms.iter().map(|&(node, a)| a * estimates[node as usize]).sum::<f64>() - row.side;
    let missed = match row.sense {
        Sense::Equal => over.abs(),
        Sense::AtMost => over.max(0.0),
        Sense::AtLeast => (-over).max(0.0),
    };
    relative(missed, row.terms.iter().map(|(_, a)| a.abs() * size).fold(row.side.abs(), f64::max))
}

fn relative(part: f64, total: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / total }
}
