//! Rows on nodes as a system of measured cells.
//!
//! The solvers of linear systems take cells that all have a measurement. A node that is known exactly becomes a number
//! on the right-hand sides. One without a measurement must be told by an equality: solved for the node, that equality
//! leaves the system and is put into all others (Gaussian elimination, exact for coefficients 1 and -1), and the node's
//! bounds become inequalities in the cells that are left.

use std::collections::{BTreeMap, HashMap};

use inbounds_project::constraint::{Bounds, Rows, System};

use super::row::{Row, Sense};
use crate::projection::solve::Cause;

/// What is left of a sum that should be zero, relative to its terms, where it is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// As little may equalities without any free cell be off, relative to their terms.
const CONTRADICTION: f64 = 1e-9;

/// Weight of a node without a measurement, relative to the lightest of one with.
const FREE: f64 = 1e-20;

/// What is known of each node by itself.
pub(super) struct Known<'a> {
    pub(super) value: &'a [f64],
    /// Zero if exact, infinite where there is no measurement.
    pub(super) variance: &'a [f64],
    pub(super) limits: &'a [(f64, f64)],
}

/// A system of measured cells, and how all nodes follow from them.
pub(super) struct Reduced {
    nodes: usize,
    /// Node of each cell.
    pub(super) cells: Vec<usize>,
    pub(super) weights: Vec<f64>,
    pub(super) system: System,
    equality_causes: Vec<Vec<Cause>>,
    inequality_causes: Vec<Vec<Cause>>,
    constants: Vec<(usize, f64)>,
    pub(super) derived: Vec<Derived>,
    /// Requirements that exact values alone contradict.
    pub(super) hopeless: Option<Vec<Cause>>,
}

/// A node without a measurement: `constant + sum of coefficient * cell`.
pub(super) struct Derived {
    pub(super) node: usize,
    constant: f64,
    pub(super) terms: Vec<(usize, f64)>,
}

impl Reduced {
    /// Reduces rows.
    ///
    /// # Errors
    /// A node that has no measurement and that no equality tells.
    pub(super) fn new(known: &Known<'_>, rows: &[Row]) -> Result<Self, usize> {
        let mut drafts = Drafts::new(known, rows);
        for node in (0..known.value.len()).filter(|&node| known.variance[node] == f64::INFINITY) {
            drafts.eliminate(node)?;
        }
        Ok(drafts.finish(known))
    }

    /// The values of the cells.
    pub(super) fn values(&self, value: &[f64]) -> Vec<f64> {
        self.cells.iter().map(|&node| value[node]).collect()
    }

    /// Whether a node is known exactly.
    pub(super) fn is_constant(&self, node: usize) -> bool {
        self.constants.binary_search_by_key(&node, |&(constant, _)| constant).is_ok()
    }

    /// The weight of each node. One without a measurement may go anywhere at next to no cost.
    pub(super) fn weights_of_nodes(&self) -> Vec<f64> {
        let lightest = self.weights.iter().copied().fold(1.0, f64::min);
        let mut all = vec![FREE * lightest; self.nodes];
        self.cells.iter().zip(&self.weights).for_each(|(&node, &weight)| all[node] = weight);
        all
    }

    /// All nodes from the cells.
    pub(super) fn expand(&self, cells: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.nodes];
        self.constants.iter().for_each(|&(node, value)| all[node] = value);
        self.cells.iter().zip(cells).for_each(|(&node, &value)| all[node] = value);
        for Derived { node, constant, terms } in &self.derived {
            all[*node] = constant + terms.iter().map(|&(cell, a)| a * cells[cell]).sum::<f64>();
        }
        all
    }

    /// The requirements behind some equalities and inequalities of the system.
    pub(super) fn causes(&self, equalities: &[usize], inequalities: &[usize], nodes: &[usize]) -> Vec<Cause> {
        let of_equalities = equalities.iter().flat_map(|&row| &self.equality_causes[row]);
        let of_rows = of_equalities.chain(inequalities.iter().flat_map(|&row| &self.inequality_causes[row]));
        let mut causes: Vec<Cause> =
            of_rows.copied().chain(nodes.iter().map(|&cell| Cause::Node(self.cells[cell]))).collect();
        causes.sort_unstable();
        causes.dedup();
        causes
    }
}

/// A row on its way: `sum of terms = right`, or at most that.
#[derive(Clone)]
struct Draft {
    terms: BTreeMap<usize, f64>,
    right: f64,
    /// The largest of the terms that went into the right-hand side.
    size: f64,
    causes: Vec<Cause>,
}

impl Draft {
    /// A row with exact values put in; one of at least is turned around.
    fn new(known: &Known<'_>, index: usize, row: &Row) -> Self {
        let sign = if row.sense == Sense::AtLeast { -1.0 } else { 1.0 };
        let mut draft = Self {
            terms: BTreeMap::new(),
            right: sign * row.side,
            size: row.side.abs(),
            causes: vec![Cause::Row(index)],
        };
        for &(node, coefficient) in &row.terms {
            let node = node as usize;
            if known.variance[node] == 0.0 {
                let term = sign * coefficient * known.value[node];
                draft.right -= term;
                draft.size = draft.size.max(term.abs());
                draft.causes.push(Cause::Node(node));
            } else {
                *draft.terms.entry(node).or_default() += sign * coefficient;
            }
        }
        draft.without_rounding()
    }

    fn without_rounding(mut self) -> Self {
        if self.right.abs() <= ROUNDING * self.size {
            self.right = 0.0;
        }
        self
    }

    /// Puts in what a pivot says of its node; returns the nodes that came in with it.
    fn put_in(&mut self, node: usize, pivot: &Self) -> Vec<usize> {
        let Some(own) = self.terms.remove(&node) else { return Vec::new() };
        let factor = own / pivot.terms[&node];
        let mut new = Vec::new();
        for (&other, &coefficient) in pivot.terms.iter().filter(|&(&other, _)| other != node) {
            let before = self.terms.get(&other).copied();
            let after = before.unwrap_or(0.0) - factor * coefficient;
            if after.abs() <= ROUNDING * (factor * coefficient).abs() {
                self.terms.remove(&other);
            } else {
                self.terms.insert(other, after);
                new.extend(before.is_none().then_some(other));
            }
        }
        self.right -= factor * pivot.right;
        self.size = self.size.max(factor.abs() * pivot.size);
        self.causes.extend(&pivot.causes);
        self.causes.sort_unstable();
        self.causes.dedup();
        *self = self.clone().without_rounding();
        new
    }

    /// Worse pivots are larger: small coefficients lose digits, long rows fill others in.
    fn price_as_pivot(&self, node: usize) -> (bool, usize) {
        let largest = self.terms.values().fold(0.0, |size: f64, a| size.max(a.abs()));
        (self.terms[&node].abs() < 0.01 * largest, self.terms.len())
    }
}

struct Drafts {
    /// Equalities, then inequalities.
    rows: Vec<Draft>,
    equalities: usize,
    /// The node that an equality was solved for.
    pivot_of: Vec<Option<usize>>,
    /// Rows that have, or had, a node without a measurement.
    with: HashMap<usize, Vec<usize>>,
}

impl Drafts {
    fn new(known: &Known<'_>, rows: &[Row]) -> Self {
        let of = |equal: bool| {
            let chosen = rows.iter().enumerate().filter(move |(_, row)| (row.sense == Sense::Equal) == equal);
            chosen.map(|(index, row)| Draft::new(known, index, row))
        };
        let drafts: Vec<Draft> = of(true).chain(of(false)).collect();
        let mut with: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, draft) in drafts.iter().enumerate() {
            for &node in draft.terms.keys().filter(|&&node| known.variance[node] == f64::INFINITY) {
                with.entry(node).or_default().push(index);
            }
        }
        let equalities = rows.iter().filter(|row| row.sense == Sense::Equal).count();
        Self { pivot_of: vec![None; equalities], rows: drafts, equalities, with }
    }

    /// Solves an equality for a node and puts that into all other rows.
    fn eliminate(&mut self, node: usize) -> Result<(), usize> {
        let rows = self.with.remove(&node).unwrap_or_default();
        let is_free = |&&row: &&usize| {
            row < self.equalities && self.pivot_of[row].is_none() && self.rows[row].terms.contains_key(&node)
        };
        let cheapest = rows.iter().filter(is_free).min_by_key(|&&row| self.rows[row].price_as_pivot(node));
        let chosen = *cheapest.ok_or(node)?;
        self.pivot_of[chosen] = Some(node);
        let pivot = self.rows[chosen].clone();
        for row in rows.into_iter().filter(|&row| row != chosen) {
            for new in self.rows[row].put_in(node, &pivot) {
                // Measured nodes are kept too; nobody asks for them.
                self.with.entry(new).or_default().push(row);
            }
        }
        Ok(())
    }

    fn finish(self, known: &Known<'_>) -> Reduced {
        let nodes = known.value.len();
        let cells: Vec<usize> =
            (0..nodes).filter(|&node| known.variance[node] > 0.0 && known.variance[node] < f64::INFINITY).collect();
        let cell_of: HashMap<usize, usize> = cells.iter().enumerate().map(|(cell, &node)| (node, cell)).collect();
        let (mut equalities, mut inequalities, mut derived) = (Vec::new(), Vec::new(), Vec::new());
        for (index, draft) in self.rows.into_iter().enumerate() {
            match self.pivot_of.get(index) {
                Some(Some(node)) => derived.push((*node, draft)),
                Some(None) => equalities.push(draft),
                None => inequalities.push(draft),
            }
        }
        for (node, pivot) in &derived {
            inequalities.extend(bounds_of(*node, pivot, known));
        }
        let derived = derived.into_iter().map(|(node, pivot)| {
            let own = pivot.terms[&node];
            let others = pivot.terms.iter().filter(|&(&other, _)| other != node);
            let terms = others.map(|(other, a)| (cell_of[other], -a / own)).collect();
            Derived { node, constant: pivot.right / own, terms }
        });
        let hopeless = |draft: &Draft, equal: bool| {
            let off = if equal { draft.right.abs() } else { -draft.right };
            draft.terms.is_empty() && off > CONTRADICTION * draft.size
        };
        let equality = equalities.iter().find(|draft| hopeless(draft, true));
        let contradicted = equality.or_else(|| inequalities.iter().find(|draft| hopeless(draft, false)));
        let contradicted = contradicted.map(|draft| draft.causes.clone());
        equalities.retain(|draft| !draft.terms.is_empty());
        inequalities.retain(|draft| !draft.terms.is_empty());
        Reduced {
            nodes,
            weights: cells.iter().map(|&node| known.variance[node].recip()).collect(),
            derived: derived.collect(),
            hopeless: contradicted,
            system: System {
                equalities: rows(&equalities, &cell_of),
                inequalities: rows(&inequalities, &cell_of),
                bounds: cell_bounds(&cells, known),
            },
            cells,
            equality_causes: equalities.into_iter().map(|draft| draft.causes).collect(),
            inequality_causes: inequalities.into_iter().map(|draft| draft.causes).collect(),
            constants: (0..nodes)
                .filter(|&node| known.variance[node] == 0.0)
                .map(|node| (node, known.value[node]))
                .collect(),
        }
    }
}

fn rows(drafts: &[Draft], cell_of: &HashMap<usize, usize>) -> Rows {
    let of_row = |(row, draft): (usize, &Draft)| {
        draft.terms.iter().map(move |(node, &a)| (row, cell_of[node], a)).collect::<Vec<_>>()
    };
    let triplets: Vec<_> = drafts.iter().enumerate().flat_map(of_row).collect();
    let right = drafts.iter().map(|draft| draft.right).collect();
    Rows::from_triplets(cell_of.len(), &triplets, right).expect("finite coefficients of cells that exist")
}

fn cell_bounds(cells: &[usize], known: &Known<'_>) -> Bounds {
    let (lower, upper): (Vec<f64>, Vec<f64>) = cells.iter().map(|&node| known.limits[node]).unzip();
    if lower.iter().all(|&lower| lower == f64::NEG_INFINITY) && upper.iter().all(|&upper| upper == f64::INFINITY) {
        return Bounds::None;
    }
    Bounds::Each { lower, upper }
}

/// The bounds of a node without a measurement as rows, but for those that the bounds of the cells imply.
fn bounds_of(node: usize, pivot: &Draft, known: &Known<'_>) -> Vec<Draft> {
    let own = pivot.terms[&node];
    let (lower, upper) = known.limits[node];
    let row = |sign: f64, bound: f64| {
        let terms = pivot.terms.iter().filter(|&(&other, _)| other != node);
        let terms: BTreeMap<usize, f64> = terms.map(|(&other, a)| (other, -sign * a / own)).collect();
        let constant = pivot.right / own;
        let mut causes = pivot.causes.clone();
        causes.push(Cause::Node(node));
        let size = bound.abs().max(pivot.size / own.abs());
        Draft { terms, right: sign * (bound - constant), size, causes }.without_rounding()
    };
    let most = |draft: &Draft| -> f64 {
        let end =
            |(&node, &a): (&usize, &f64)| if a > 0.0 { a * known.limits[node].1 } else { a * known.limits[node].0 };
        draft.terms.iter().map(end).sum()
    };
    let both = [(lower.is_finite(), -1.0, lower), (upper.is_finite(), 1.0, upper)];
    let asked = both.into_iter().filter(|(finite, ..)| *finite).map(|(_, sign, bound)| row(sign, bound));
    asked.filter(|draft| most(draft) > draft.right).collect()
}
