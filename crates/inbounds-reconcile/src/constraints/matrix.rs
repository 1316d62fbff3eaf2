//! Nodes that are the entries of a positive semidefinite matrix.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

use inbounds_bundle::MatrixEntry;
use inbounds_input::document::{Field, Mistakes, Table};

use super::{
    kind::{Alone, Constraint, Form, Kind, any},
    placing::Placing,
    reading::switch,
};
use crate::{
    error::{Problem, ReconcileError},
    projection::{Demand, Fit, Model, Places, Row, Solver},
};

pub(super) const KIND: Kind = Kind {
    key: "matrix",
    form: Form::Single,
    alone: Some(Alone {
        reason: "its solver knows eigenvalues and ranges of entries alone",
        but: &["fixed", "bounds"],
    }),
    read: |root, mistakes| any(matrix(root, mistakes)),
};

/// Arrangement of nodes as entries of a symmetric matrix.
#[derive(Debug)]
struct MatrixForm {
    /// Between the two names of a node's row and column.
    separator: String,
    unit_diagonal: bool,
    span: Range<usize>,
}

impl Constraint for MatrixForm {
    fn place(&self, placing: &mut Placing) -> Result<(), ReconcileError> {
        // Entries of a matrix may well be negative.
        placing.placed.nonnegative.get_or_insert(false);
        let Some(places) = self.places(placing) else { return Ok(()) };
        if places.unit_diagonal {
            let diagonal = (0..places.entries.len()).filter(|&node| places.is_diagonal(node));
            let diagonal: Vec<usize> = diagonal.collect();
            self.check_diagonal(&diagonal, placing);
            placing.placed.fixed.extend(diagonal.into_iter().map(|node| (node, 1.0)));
            check_correlations(&places, placing)?;
        }
        let matrix = MatrixEntry { size: places.size, unit_diagonal: places.unit_diagonal };
        placing.demand(Some(places), |entry| entry.matrix = Some(matrix));
        Ok(())
    }
}

impl Demand for Places {
    /// None: the solver of rows knows no eigenvalues, and a matrix goes with nothing else.
    fn rows(&self, _: &Model) -> Vec<Row> {
        Vec::new()
    }

    fn solver(&self, model: &Model, is_integer: bool, _: Fit) -> Option<Box<dyn Solver>> {
        self.clone().solver(model, is_integer)
    }
}

/// Refuses entries beside which the ones on the diagonal are lost in rounding.
fn check_correlations(places: &Places, placing: &Placing) -> Result<(), ReconcileError> {
    const MOST: f64 = 1e6;
    let sheet = placing.sheet;
    let (pooled, _) = sheet.pooled();
    let value = |node: usize| sheet.fixed(node).unwrap_or(pooled[node]);
    let off_diagonal = (0..sheet.nodes()).filter(|&node| !places.is_diagonal(node));
    match off_diagonal.map(|node| (node, value(node))).find(|(_, value)| value.abs() > MOST) {
        None => Ok(()),
        Some((node, found)) => {
            let name = sheet.names().name(node as u32).to_owned();
            Err(sheet.wrong_node(node, Problem::NotACorrelation { node: name, found, most: MOST }))
        }
    }
}

impl MatrixForm {
    /// Notes entries of the diagonal that are known to be other than one.
    fn check_diagonal(&self, diagonal: &[usize], placing: &mut Placing) {
        let in_file = diagonal.iter().filter_map(|&node| Some((node, placing.sheet.fixed(node)?)));
        let stated = placing.placed.fixed.iter().copied().filter(|(node, _)| diagonal.contains(node));
        let Some((node, value)) = in_file.chain(stated).find(|(_, value)| *value != 1.0) else { return };
        let name = placing.sheet.names().name(node as u32).to_owned();
        let message = format!("`{name}` is fixed at {value}, and with unit_diagonal it is 1");
        placing.note(&self.span, message, "take unit_diagonal out, or the exact value");
    }

    /// Row and column of every node, from its name; none if something was noted.
    fn places(&self, placing: &mut Placing) -> Option<Places> {
        let sheet = placing.sheet;
        if sheet.tree.has_parents() {
            placing.note(&self.span, "entries of a [matrix] have no parents", "leave the column `parent` out");
            return None;
        }
        let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
        let mut taken: HashMap<(u32, u32), &str> = HashMap::new();
        let mut entries = Vec::new();
        for name in sheet.names().iter() {
            let parts: Vec<&str> = name.split(&self.separator).collect();
            let &[row, column] = &parts[..] else {
                let message = format!("node `{name}` is no entry of a matrix");
                let help = format!("name it ROW{0}COLUMN, or choose another separator than \"{0}\"", self.separator);
                placing.note(&self.span, message, help);
                return None;
            };
            let mut number = |part| {
                let next = numbers.len() as u32;
                *numbers.entry(part).or_insert(next)
            };
            let (row, column) = (number(row), number(column));
            if let Some(other) = taken.insert((row.min(column), row.max(column)), name) {
                let message = format!("nodes `{other}` and `{name}` are the same entry of a symmetric matrix");
                placing.note(&self.span, message, "keep one of the two; several measurements take one name");
                return None;
            }
            entries.push((row, column));
        }
        if let Some((row, column)) = self.missing(numbers.len() as u32, &taken) {
            let name = |number: u32| *numbers.iter().find(|(_, row)| **row == number).expect("a row").0;
            let kind = if row == column { "diagonal entry" } else { "entry" };
            let message = format!("the matrix has no {kind} `{}{}{}`", name(row), self.separator, name(column));
            placing.note(&self.span, message, "every pair of rows needs a measurement");
            return None;
        }
        Some(Places { size: numbers.len(), entries, unit_diagonal: self.unit_diagonal })
    }

    /// The first entry that no node stands for.
    fn missing(&self, size: u32, taken: &HashMap<(u32, u32), &str>) -> Option<(u32, u32)> {
        let first = |row: u32| if self.unit_diagonal { row + 1 } else { row };
        let pairs = (0..size).flat_map(|row| (first(row)..size).map(move |column| (row, column)));
        pairs.into_iter().find(|pair| !taken.contains_key(pair))
    }
}

fn matrix(root: &Table, mistakes: &mut Mistakes) -> Field<MatrixForm> {
    let known = ["positive_semidefinite", "unit_diagonal", "separator"];
    let Some(table) = root.table(KIND.key, "[matrix]", &known, mistakes)? else { return Ok(None) };
    let semidefinite = table.optional("positive_semidefinite", |item| Ok(item.put(switch(&item, mistakes)?)));
    let unit_diagonal = table.optional("unit_diagonal", |item| switch(&item, mistakes));
    let separator = table.optional("separator", |item| item.text("write separator = \":\"", mistakes));
    let help = "write positive_semidefinite = true, which is all that a matrix can be asked to be";
    let semidefinite = table.required("positive_semidefinite", semidefinite, help, mistakes)?;
    if !semidefinite.value {
        let message = "a [matrix] that need not be positive semidefinite has no constraint";
        return Err(mistakes.note(&semidefinite.span, message, help));
    }
    let separator = separator?.map_or_else(|| ":".to_owned(), |separator| separator.value);
    Ok(Some(MatrixForm { separator, unit_diagonal: unit_diagonal?.unwrap_or(false), span: table.span }))
}
