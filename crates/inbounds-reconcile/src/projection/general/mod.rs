//! What may be required beyond sums along a tree and bounds of nodes, each kind with its solver.
//!
//! - `row`, `eliminate`, `reduce`, `linear`: linear equalities and inequalities, sums along a tree among them;
//! - `total`: one known total; `ordered`: values in order; `matrix`: entries of a semidefinite matrix.

mod eliminate;
mod linear;
mod matrix;
mod ordered;
mod reduce;
mod row;
mod total;

pub(crate) use matrix::Places;
pub(crate) use row::{Row, Sense, Whose};

use inbounds_bundle::Method;

use self::{linear::Linear, ordered::Ordered, reduce::Known, total::Total};
use super::{model::Model, solve::Solved};

/// Requirements beyond the tree.
#[derive(Debug, Default)]
pub(crate) struct Demands {
    pub(crate) rows: Vec<Row>,
    /// The sum of all nodes, none of which has a parent.
    pub(crate) total: Option<f64>,
    /// Nodes of which each is at most the next; without cycles.
    pub(crate) orders: Vec<Vec<u32>>,
    /// Goes with no other requirement.
    pub(crate) matrix: Option<Places>,
    /// Whether estimates must be whole.
    pub(crate) whole: bool,
}

impl Demands {
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.total.is_none() && self.orders.is_empty() && self.matrix.is_none()
    }

    /// Everything as rows.
    fn into_rows(self, model: &Model) -> Vec<Row> {
        let mut rows = self.rows;
        rows.extend(self.total.map(|total| total_row(model, total)));
        for pair in self.orders.iter().flat_map(|order| order.windows(2)) {
            let terms = vec![(pair[0], 1.0), (pair[1], -1.0)];
            rows.push(Row { whose: Whose::Order, terms, sense: Sense::AtMost, side: 0.0 });
        }
        let shape = &model.shape;
        let mut sums: Vec<Vec<(u32, f64)>> = (0..model.nodes() as u32).map(|node| vec![(node, 1.0)]).collect();
        for node in (0..model.nodes()).filter(|&node| !shape.is_root(node)) {
            sums[shape.parent[node] as usize].push((node as u32, -1.0));
        }
        let of_children = sums.into_iter().filter(|terms| terms.len() > 1);
        rows.extend(of_children.map(|terms| Row { whose: Whose::Children, terms, sense: Sense::Equal, side: 0.0 }));
        rows
    }
}

fn total_row(model: &Model, total: f64) -> Row {
    let terms = (0..model.nodes() as u32).map(|node| (node, 1.0)).collect();
    Row { whose: Whose::Total, terms, sense: Sense::Equal, side: total }
}

/// Requirements with the solver that takes them.
pub(crate) struct General {
    /// The rows that a conflict may name.
    pub(crate) rows: Vec<Row>,
    kind: Kind,
    whole: bool,
    /// Whether the solver weighs nodes by their variances.
    pub(crate) weighs_by_variance: bool,
}

enum Kind {
    Rows(Linear),
    /// Bounds by sorting; the plane by its row.
    Total(Total, Linear),
    Ordered(Ordered),
    Matrix(Places),
}

impl General {
    /// The solver for what a model and demands require together.
    ///
    /// # Errors
    /// A node without a measurement whose value no equality tells.
    pub(super) fn new(model: &Model, mut demands: Demands) -> Result<Self, usize> {
        let limits: Vec<(f64, f64)> = (0..model.nodes()).map(|node| model.limits(node)).collect();
        let known = Known { value: &model.value, variance: &model.variance, limits: &limits };
        let whole = demands.whole;
        let flat = model.shape.levels() == 1;
        if let Some(places) = demands.matrix.take() {
            let weighs_by_variance = places.is_weighed_right(&known);
            return Ok(Self { rows: Vec::new(), kind: Kind::Matrix(places), whole, weighs_by_variance });
        }
        let alone = flat && demands.rows.is_empty();
        if alone
            && demands.total.is_none()
            && let Some(ordered) = Ordered::new(&known, &demands.orders, whole)
        {
            return Ok(Self { rows: Vec::new(), kind: Kind::Ordered(ordered), whole, weighs_by_variance: true });
        }
        let total = demands.total.filter(|_| alone && demands.orders.is_empty());
        let total = total.and_then(|total| Total::new(&known, total, whole));
        let rows = demands.into_rows(model);
        let linear = Linear::new(&known, rows.clone(), whole)?;
        let kind = match total {
            Some(total) => Kind::Total(total, linear),
            None => Kind::Rows(linear),
        };
        Ok(Self { rows, kind, whole, weighs_by_variance: true })
    }

    /// How many equalities and inequalities the constraints state.
    pub(crate) fn stated_rows(&self) -> (usize, usize) {
        let stated = |equal: bool| {
            let of_file = self.rows.iter().filter(|row| matches!(row.whose, Whose::Named(_)));
            of_file.filter(|row| (row.sense == Sense::Equal) == equal).count()
        };
        (stated(true), stated(false))
    }

    /// The number of rows of the matrix, if it is one.
    pub(crate) fn matrix_size(&self) -> Option<usize> {
        match &self.kind {
            Kind::Matrix(places) => Some(places.size),
            _ => None,
        }
    }

    /// How estimates are found.
    pub(super) fn method(&self) -> Method {
        match (&self.kind, self.whole) {
            (Kind::Rows(_), true) => Method::Rounded,
            (Kind::Total(..), true) => Method::TotalInteger,
            (Kind::Rows(linear), false) if linear.is_plane() => Method::Linear,
            (Kind::Rows(_), false) => Method::LinearBounded,
            (Kind::Total(total, _), false) if total.is_plane() => Method::Total,
            (Kind::Total(..), false) => Method::TotalBounded,
            (Kind::Ordered(_), false) => Method::Isotonic,
            (Kind::Ordered(_), true) => Method::IsotonicInteger,
            (Kind::Matrix(places), _) if places.unit_diagonal => Method::Correlation,
            (Kind::Matrix(_), _) => Method::Semidefinite,
        }
    }

    /// Estimates for values of the nodes.
    pub(super) fn solve(&self, value: &[f64]) -> Solved {
        match &self.kind {
            Kind::Matrix(_) if self.whole => {
                Solved::refused("matrices of whole numbers are beyond the solver of eigenvalues".to_owned(), None)
            }
            Kind::Rows(linear) => linear.solve(value),
            Kind::Total(total, _) => total.solve(value),
            Kind::Ordered(ordered) => ordered.solve(value),
            Kind::Matrix(places) => places.solve(value),
        }
    }

    /// Estimates under equalities and exact values alone, which must not contradict each other: linear in the values.
    pub(super) fn linear(&self, value: Vec<f64>) -> Vec<f64> {
        match &self.kind {
            Kind::Rows(linear) | Kind::Total(_, linear) => linear.on_plane(&value),
            Kind::Ordered(_) | Kind::Matrix(_) => value,
        }
    }

    /// The variances of [`General::linear`].
    pub(super) fn linear_variances(&self, model: &Model) -> Vec<f64> {
        match &self.kind {
            Kind::Rows(linear) | Kind::Total(_, linear) => linear.variances(),
            Kind::Ordered(_) | Kind::Matrix(_) => model.variance.clone(),
        }
    }

    /// Half the sum of squares that the solver makes small.
    pub(super) fn objective(&self, model: &Model, estimates: &[f64]) -> f64 {
        if let Kind::Matrix(places) = &self.kind {
            return places.objective(&model.value, estimates);
        }
        let measured = |&node: &usize| model.variance[node] > 0.0 && model.variance[node] < f64::INFINITY;
        let square = |node: usize| {
            let off = estimates[node] - model.value[node];
            off * off / model.variance[node]
        };
        (0..model.nodes()).filter(measured).map(square).sum::<f64>() / 2.0
    }

    /// Where the requirements keep a node, as far as is told without solving.
    pub(super) fn range(&self, model: &Model, node: usize) -> (f64, f64) {
        match &self.kind {
            Kind::Matrix(places) => places.range(node),
            Kind::Total(total, _) => total.range(model.limits(node)),
            _ => model.limits(node),
        }
    }
}
