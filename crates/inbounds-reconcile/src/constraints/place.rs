//! Constraints by number of node, once the measurements say what nodes there are.

use std::collections::{BTreeMap, HashMap};

use inbounds_input::document::{DocumentErrors, Mistake, Spanned};

use super::{Constraints, MatrixForm, system};
use crate::error::ReconcileError;
use crate::projection::{Places, Row, Whose};
use crate::sheet::Sheet;

/// Constraints by number of node.
#[derive(Debug, Default)]
pub(crate) struct Placed {
    pub(crate) fixed: Vec<(usize, f64)>,
    pub(crate) bounds: Vec<(usize, f64, f64)>,
    pub(crate) rows: Vec<Row>,
    pub(crate) total: Option<f64>,
    pub(crate) orders: Vec<Vec<u32>>,
    pub(crate) matrix: Option<Places>,
}

pub(super) fn place(constraints: &Constraints, sheet: &Sheet) -> Result<Placed, ReconcileError> {
    let mut placing = Placing { constraints, sheet, mistakes: Vec::new() };
    let mut placed = placing.place();
    if !placing.mistakes.is_empty() {
        return Err(DocumentErrors::new(&constraints.name, &constraints.text, placing.mistakes).into());
    }
    if let Some(files) = &constraints.system {
        let path = |file: &str| constraints.folder.join(file);
        placed.rows.extend(system::read(&path(&files.triplets), &path(&files.sides), &sheet.names)?);
    }
    Ok(placed)
}

struct Placing<'a> {
    constraints: &'a Constraints,
    sheet: &'a Sheet,
    mistakes: Vec<Mistake>,
}

impl Placing<'_> {
    fn place(&mut self) -> Placed {
        let constraints = self.constraints;
        let mut placed = Placed::default();
        for (name, value) in &constraints.fixed {
            placed.fixed.extend(self.fixed(name, *value));
        }
        for (name, lower, upper) in &constraints.bounds {
            placed.bounds.extend(self.find(name).map(|node| (node as usize, *lower, *upper)));
        }
        for row in &constraints.rows {
            let terms = row.terms.iter().filter_map(|(name, a)| Some((self.find(name)?, *a))).collect();
            let whose = Whose::Named(row.label.clone());
            placed.rows.push(Row { whose, terms, sense: row.sense, side: row.side });
        }
        placed.orders = constraints.orders.iter().map(|order| self.order(order)).collect();
        if self.mistakes.is_empty() {
            self.refuse_cycle(&placed.orders);
        }
        placed.total = constraints.total.as_ref().map(|total| total.value);
        if let Some(total) = constraints.total.as_ref().filter(|_| self.sheet.has_parents()) {
            let message = "`total` is the sum of all nodes, which says little where nodes have parents";
            self.note(total, message.to_owned(), "fix the root in [fixed], or write an [[equality]]".to_owned());
        }
        placed.matrix = constraints.matrix.as_ref().and_then(|form| self.matrix(form));
        placed
    }

    fn fixed(&mut self, name: &Spanned<String>, value: f64) -> Option<(usize, f64)> {
        let node = self.find(name)? as usize;
        match self.sheet.fixed(node) {
            Some(known) if known != value => {
                let file = self.sheet.file.display();
                let message = format!("node `{}` is fixed at {value} here and at {known} in {file}", name.value);
                self.note(name, message, "keep the right one".to_owned());
                None
            }
            _ => Some((node, value)),
        }
    }

    fn order(&mut self, order: &[Spanned<String>]) -> Vec<u32> {
        order.iter().filter_map(|name| self.find(name)).collect()
    }

    /// Notes the first order that closes a cycle: its nodes would all have to be equal, which is not an order.
    fn refuse_cycle(&mut self, orders: &[Vec<u32>]) {
        let mut next: HashMap<u32, Vec<u32>> = HashMap::new();
        for (order, names) in orders.iter().zip(&self.constraints.orders) {
            for (pair, name) in order.windows(2).zip(&names[1..]) {
                if let Some(path) = path(&next, pair[1], pair[0]) {
                    let shown: Vec<String> =
                        path.iter().take(6).map(|&node| format!("`{}`", self.sheet.names.name(node))).collect();
                    let message = format!("the order has a cycle: {} <= `{}`", shown.join(" <= "), name.value);
                    let help = "leave one of them out; an [[equality]] makes nodes equal".to_owned();
                    return self.note(name, message, help);
                }
                next.entry(pair[0]).or_default().push(pair[1]);
            }
        }
    }

    /// Row and column of every node, from its name.
    fn matrix(&mut self, form: &MatrixForm) -> Option<Places> {
        let place = Spanned::new((), form.span.clone());
        if self.sheet.has_parents() {
            let message = "entries of a [matrix] have no parents".to_owned();
            self.note(&place, message, "leave the column `parent` out".to_owned());
            return None;
        }
        let names: Vec<&str> = self.sheet.names.iter().collect();
        let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
        let mut taken: HashMap<(u32, u32), &str> = HashMap::new();
        let mut of = Vec::new();
        for name in names {
            let parts: Vec<&str> = name.split(&form.separator).collect();
            let &[row, column] = &parts[..] else {
                let message = format!("node `{name}` is no entry of a matrix");
                let help = format!("name it ROW{0}COLUMN, or choose another separator than \"{0}\"", form.separator);
                self.note(&place, message, help);
                return None;
            };
            let mut number = |part| {
                let next = numbers.len() as u32;
                *numbers.entry(part).or_insert(next)
            };
            let (row, column) = (number(row), number(column));
            if let Some(other) = taken.insert((row.min(column), row.max(column)), name) {
                let message = format!("nodes `{other}` and `{name}` are the same entry of a symmetric matrix");
                self.note(&place, message, "keep one of the two; several measurements take one name".to_owned());
                return None;
            }
            of.push((row, column));
        }
        let name = |number: u32| *numbers.iter().find(|(_, found)| **found == number).expect("a row").0;
        for row in 0..numbers.len() as u32 {
            let from = if form.unit_diagonal { row + 1 } else { row };
            if let Some(column) = (from..numbers.len() as u32).find(|&column| !taken.contains_key(&(row, column))) {
                let kind = if row == column { "diagonal entry" } else { "entry" };
                let (row, column) = (name(row), name(column));
                let message = format!("the matrix has no {kind} `{row}{}{column}`", form.separator);
                self.note(&place, message, "every pair of rows needs a measurement".to_owned());
                return None;
            }
        }
        Some(Places { size: numbers.len(), of, unit_diagonal: form.unit_diagonal })
    }

    fn find(&mut self, name: &Spanned<String>) -> Option<u32> {
        let found = self.sheet.names.find(&name.value);
        if found.is_none() {
            let near = inbounds_input::nearest(&name.value, self.sheet.names.iter());
            let help = near
                .map_or_else(|| "name a node of the column `node`".into(), |near| format!("did you mean `{near}`?"));
            self.note(name, format!("{} has no node `{}`", self.sheet.file.display(), name.value), help);
        }
        found
    }

    fn note<T>(&mut self, at: &Spanned<T>, message: String, help: String) {
        self.mistakes.push(Mistake::at(&at.span, message, Some(help)));
    }
}

/// Nodes on a way from one to another, both included.
fn path(next: &HashMap<u32, Vec<u32>>, from: u32, to: u32) -> Option<Vec<u32>> {
    let mut before: HashMap<u32, u32> = HashMap::from([(from, from)]);
    let mut waiting = vec![from];
    while let Some(node) = waiting.pop() {
        if node == to {
            let mut path = vec![node];
            while path.last() != Some(&from) {
                path.push(before[&path[path.len() - 1]]);
            }
            path.reverse();
            return Some(path);
        }
        for &after in next.get(&node).into_iter().flatten() {
            before.entry(after).or_insert_with(|| {
                waiting.push(after);
                node
            });
        }
    }
    None
}
