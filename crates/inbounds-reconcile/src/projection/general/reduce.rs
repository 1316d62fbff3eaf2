//! Rows on nodes as a system of measured cells.
//!
//! The solvers of linear systems take cells that all have a measurement. A node that is known exactly becomes a number
//! on the right-hand sides. One without a measurement must be told by an equality: solved for the node, that equality
//! leaves the system and is put into all others (Gaussian elimination, exact for coefficients 1 and -1), and the node's
//! bounds become inequalities in the cells that are left.

use std::collections::HashMap;

use inbounds_project::constraint::{Bounds, Rows, System};

use super::eliminate::{Draft, Drafts, Known, bounds_of};
use crate::projection::{row::Row, solved::Cause};

/// As little may equalities without any free cell be off, relative to their terms.
const CONTRADICTION: f64 = 1e-9;

/// Weight of a node without a measurement, relative to the lightest of one with.
const FREE: f64 = 1e-20;

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
        Ok(Self::from_drafts(drafts, known))
    }

    /// The reduced system, once every node without a measurement has been solved for.
    fn from_drafts(drafts: Drafts, known: &Known<'_>) -> Self {
        let nodes = known.value.len();
        let cells: Vec<usize> =
            (0..nodes).filter(|&node| known.variance[node] > 0.0 && known.variance[node] < f64::INFINITY).collect();
        let cell_of: HashMap<usize, usize> = cells.iter().enumerate().map(|(cell, &node)| (node, cell)).collect();
        let (mut equalities, mut inequalities, mut derived) = (Vec::new(), Vec::new(), Vec::new());
        for (index, draft) in drafts.rows.into_iter().enumerate() {
            match drafts.pivot_of.get(index) {
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
        let contradicted = contradicted.map(|draft| draft.causes.iter().copied().collect());
        equalities.retain(|draft| !draft.terms.is_empty());
        inequalities.retain(|draft| !draft.terms.is_empty());
        Self {
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
            equality_causes: equalities.into_iter().map(|draft| draft.causes.into_iter().collect()).collect(),
            inequality_causes: inequalities.into_iter().map(|draft| draft.causes.into_iter().collect()).collect(),
            constants: (0..nodes)
                .filter(|&node| known.variance[node] == 0.0)
                .map(|node| (node, known.value[node]))
                .collect(),
        }
    }

    /// The values of the cells.
    pub(super) fn values(&self, value: &[f64]) -> Vec<f64> {
        self.cells.iter().map(|&node| value[node]).collect()
    }

    /// `true` if a node is known exactly.
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
