//! Gaussian elimination of nodes without a measurement, one equality for each.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::projection::{
    row::{Row, Sense},
    solved::Cause,
};

/// Remainder of a sum that should be zero, relative to its terms, up to which it is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Value, variance and limits of each node by itself.
pub(super) struct Known<'a> {
    pub(super) value: &'a [f64],
    /// Zero if exact, infinite where there is no measurement.
    pub(super) variance: &'a [f64],
    pub(super) limits: &'a [(f64, f64)],
}

/// A row on its way: `sum of terms = right`, or at most that.
#[derive(Clone)]
pub(super) struct Draft {
    pub(super) terms: BTreeMap<usize, f64>,
    pub(super) right: f64,
    /// The largest of the terms that went into the right-hand side.
    pub(super) size: f64,
    pub(super) causes: BTreeSet<Cause>,
}

impl Draft {
    /// A row with exact values put in; one of at least is turned around.
    fn new(known: &Known<'_>, index: usize, row: &Row) -> Self {
        let sign = if row.sense == Sense::AtLeast { -1.0 } else { 1.0 };
        let mut draft = Self {
            terms: BTreeMap::new(),
            right: sign * row.side,
            size: row.side.abs(),
            causes: BTreeSet::from([Cause::Row(index)]),
        };
        for &(node, coefficient) in &row.terms {
            let node = node as usize;
            if known.variance[node] == 0.0 {
                let term = sign * coefficient * known.value[node];
                draft.right -= term;
                draft.size = draft.size.max(term.abs());
                draft.causes.insert(Cause::Node(node));
            } else {
                *draft.terms.entry(node).or_default() += sign * coefficient;
            }
        }
        draft.clear_rounding();
        draft
    }

    /// Takes away what only rounding has left on the right.
    fn clear_rounding(&mut self) {
        if self.right.abs() <= ROUNDING * self.size {
            self.right = 0.0;
        }
    }

    /// Substitutes the pivot's row for its node; returns the nodes that came in with it.
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
        self.clear_rounding();
        new
    }

    /// Worse pivots are larger: small coefficients lose digits, long rows fill others in.
    fn price_as_pivot(&self, node: usize) -> (bool, usize) {
        let largest = self.terms.values().fold(0.0, |size: f64, a| size.max(a.abs()));
        (self.terms[&node].abs() < 0.01 * largest, self.terms.len())
    }
}

pub(super) struct Drafts {
    /// Equalities, then inequalities.
    pub(super) rows: Vec<Draft>,
    equalities: usize,
    /// The node that an equality was solved for.
    pub(super) pivot_of: Vec<Option<usize>>,
    /// Rows that have, or had, a node without a measurement.
    with: HashMap<usize, Vec<usize>>,
}

impl Drafts {
    pub(super) fn new(known: &Known<'_>, rows: &[Row]) -> Self {
        let drafts_where = |equal: bool| {
            let chosen = rows.iter().enumerate().filter(move |(_, row)| (row.sense == Sense::Equal) == equal);
            chosen.map(|(index, row)| Draft::new(known, index, row))
        };
        let drafts: Vec<Draft> = drafts_where(true).chain(drafts_where(false)).collect();
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
    pub(super) fn eliminate(&mut self, node: usize) -> Result<(), usize> {
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
                // Measured nodes are kept too, though no caller asks for them.
                self.with.entry(new).or_default().push(row);
            }
        }
        Ok(())
    }
}

/// The bounds of a node without a measurement as rows, but for those that the bounds of the cells imply.
pub(super) fn bounds_of(node: usize, pivot: &Draft, known: &Known<'_>) -> Vec<Draft> {
    let own = pivot.terms[&node];
    let (lower, upper) = known.limits[node];
    let row = |sign: f64, bound: f64| {
        let terms = pivot.terms.iter().filter(|&(&other, _)| other != node);
        let terms: BTreeMap<usize, f64> = terms.map(|(&other, a)| (other, -sign * a / own)).collect();
        let constant = pivot.right / own;
        let mut causes = pivot.causes.clone();
        causes.insert(Cause::Node(node));
        let size = bound.abs().max(pivot.size / own.abs());
        let mut draft = Draft { terms, right: sign * (bound - constant), size, causes };
        draft.clear_rounding();
        draft
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
