//! Several tables of one shape that share nothing, or numbers that are at most zero: each is what the solver of one
//! table takes.

use inbounds_bundle::Method;
use inbounds_project::certificate::Certificate;

use super::{lattice::Lattice, table::OfTable};
use crate::projection::{
    model::Model,
    solved::{Ending, Solved},
    solver::Solver,
};

/// All nodes of one table, then all of the next.
pub(super) struct Tables {
    tables: Vec<(Model, Box<dyn Solver>)>,
    /// Ratio of the numbers of the tables to those of the nodes: -1 where none of these is above zero.
    sign: f64,
}

impl Tables {
    /// As many tables as the nodes are times those of the lattice. None where [`OfTable::new`] takes one of them for
    /// none of its own.
    pub(super) fn new(lattice: &Lattice, model: &Model, is_integer: bool, shrunk: bool) -> Option<Self> {
        Self::with_solver(lattice.nodes(), model, |own| Some(Box::new(OfTable::new(lattice, own, is_integer, shrunk)?)))
    }

    /// As many tables as the nodes are times the nodes of one, each with the solver that is made for it. None where one
    /// of them has none.
    pub(super) fn with_solver(
        size: usize,
        model: &Model,
        mut solver: impl FnMut(&Model) -> Option<Box<dyn Solver>>,
    ) -> Option<Self> {
        let is_mirrored = model.is_nonpositive();
        if !model.nodes().is_multiple_of(size) || (model.bounded_nodes() > 0 && !is_mirrored) {
            return None;
        }
        let sign = if is_mirrored { -1.0 } else { 1.0 };
        let mut tables = Vec::with_capacity(model.nodes() / size);
        for (value, variance) in model.value.chunks(size).zip(model.variance.chunks(size)) {
            let numbers = (signed(value, sign), variance.to_vec());
            let own = Model::new(&vec![None; size], numbers, model.nonnegative || is_mirrored, None).ok()?;
            let solver = solver(&own)?;
            tables.push((own, solver));
        }
        Some(Self { tables, sign })
    }

    fn first(&self) -> &dyn Solver {
        &*self.tables[0].1
    }

    /// Each table with the values of its nodes.
    fn parts(&self, value: &[f64]) -> impl Iterator<Item = (&dyn Solver, &Model, Vec<f64>)> {
        let values = value.chunks(self.tables[0].0.nodes());
        self.tables.iter().zip(values).map(|((model, table), value)| (&**table, model, signed(value, self.sign)))
    }

    /// Solutions of the tables, joined to one of all.
    fn joined(&self, components: Vec<Solved>) -> Solved {
        let mut all =
            Solved { ending: Ending::Optimal, estimates: Vec::new(), certificate: Certificate::default(), grid: 0.0 };
        for Solved { ending, estimates, certificate, grid } in components {
            if ending != Ending::Optimal {
                all.ending = ending;
            }
            all.estimates.extend(signed(&estimates, self.sign));
            all.certificate.take_in(certificate);
            all.grid = grid;
        }
        all
    }
}

/// Numbers with another sign, or the same; zero has none.
pub(super) fn signed(numbers: &[f64], sign: f64) -> Vec<f64> {
    numbers.iter().map(|number| sign * number + 0.0).collect()
}

impl Solver for Tables {
    fn method(&self) -> Method {
        self.first().method()
    }

    fn solve(&self, _: &Model, value: Vec<f64>) -> Solved {
        self.joined(self.parts(&value).map(|(table, model, value)| table.solve(model, value)).collect())
    }

    fn linear(&self, _: &Model, value: Vec<f64>) -> Vec<f64> {
        self.parts(&value).flat_map(|(table, model, value)| signed(&table.linear(model, value), self.sign)).collect()
    }

    fn solve_with_linear(&self, _: &Model, value: Vec<f64>) -> (Solved, Vec<f64>) {
        let each = self.parts(&value).map(|(table, model, value)| table.solve_with_linear(model, value));
        let (solved, linear): (Vec<Solved>, Vec<Vec<f64>>) = each.unzip();
        (self.joined(solved), linear.iter().flat_map(|linear| signed(linear, self.sign)).collect())
    }

    fn linear_variances(&self, _: &Model) -> Vec<f64> {
        self.tables.iter().flat_map(|(model, table)| table.linear_variances(model)).collect()
    }

    fn objective(&self, _: &Model, estimates: &[f64]) -> f64 {
        self.parts(estimates).map(|(table, model, estimates)| table.objective(model, &estimates)).sum()
    }

    fn groups(&self, _: &Model) -> Vec<u32> {
        self.tables.iter().flat_map(|(model, table)| table.groups(model)).collect()
    }

    fn rules(&self) -> &'static [&'static str] {
        self.first().rules()
    }
}
