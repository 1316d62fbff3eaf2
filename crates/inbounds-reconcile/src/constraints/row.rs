//! Linear equalities and inequalities.

use inbounds_bundle::SystemEntry;
use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table};
use toml::de::DeValue;

use super::{
    kind::{Constraint, Form, Kind, any},
    placing::Placing,
    reading::{entries, is_coefficient, number},
};
use crate::{
    error::ReconcileError,
    projection::{Demand, Model, Row, Sense},
};

pub(super) const EQUALITY: Kind = Kind {
    key: "equality",
    form: Form::Listed,
    alone: None,
    read: |root, mistakes| any(rows(root, EQUALITY.key, &[("equals", Sense::Equal)], mistakes)),
};

pub(super) const INEQUALITY: Kind = Kind {
    key: "inequality",
    form: Form::Listed,
    alone: None,
    read: |root, mistakes| {
        any(rows(root, INEQUALITY.key, &[("at_most", Sense::AtMost), ("at_least", Sense::AtLeast)], mistakes))
    },
};

const HELP_TERMS: &str = "write terms = { \"name of a node\" = 1, \"another\" = -1 }";
const HELP_COEFFICIENT: &str = "leave nodes out that do not matter";
const HELP_SIDE: &str = "write the number on the other side";

/// All tables of one key.
#[derive(Debug)]
struct NamedRows(Vec<NamedRow>);

/// A row by names.
#[derive(Debug)]
struct NamedRow {
    label: String,
    terms: Vec<(Spanned<String>, f64)>,
    sense: Sense,
    side: f64,
}

impl Constraint for NamedRows {
    fn place(&self, placing: &mut Placing) -> Result<(), ReconcileError> {
        let row = |row: &NamedRow| {
            let terms = row.terms.iter().filter_map(|(name, a)| Some((placing.find(name)?, *a))).collect();
            Row::stated(row.label.clone(), terms, row.sense, row.side)
        };
        let rows = self.0.iter().map(row).collect();
        StatedRows(rows).place(placing, None);
        Ok(())
    }
}

/// Rows that a file states, by number of node.
pub(super) struct StatedRows(pub(super) Vec<Row>);

impl StatedRows {
    /// Demands the rows, and counts them for the manifest, which names the files that they come from.
    pub(super) fn place(self, placing: &mut Placing, files: Option<SystemEntry>) {
        let (rows, equalities) = (self.0.len(), self.0.iter().filter(|row| row.sense == Sense::Equal).count());
        placing.demand((rows > 0).then_some(self), |entry| {
            entry.equalities += equalities;
            entry.inequalities += rows - equalities;
            entry.system = entry.system.take().or(files);
        });
    }
}

impl Demand for StatedRows {
    fn rows(&self, _: &Model) -> Vec<Row> {
        self.0.clone()
    }
}

/// All `[[equality]]` or all `[[inequality]]`, which differ in the keys of their other side.
fn rows(root: &Table, key: &str, sides: &[(&str, Sense)], mistakes: &mut Mistakes) -> Field<NamedRows> {
    let Some(item) = root.item(key) else { return Ok(None) };
    let one_of = sides.iter().map(|(side, _)| *side).collect::<Vec<_>>().join(" or ");
    let help = format!("write [[{key}]] on a line of its own, with terms and {one_of} below");
    let DeValue::Array(list) = item.value else { return Err(item.refuse("a list of tables", help, mistakes)) };
    let mut rows = Vec::new();
    let mut outcome = Ok(());
    for (index, entry) in list.iter().enumerate() {
        let subject = format!("{key} {}", index + 1);
        let entry = Item { subject: subject.clone(), value: entry.get_ref(), span: entry.span() };
        let DeValue::Table(fields) = entry.value else {
            outcome = Err(entry.refuse("a table", help.clone(), mistakes));
            continue;
        };
        let known: Vec<&str> = ["name", "terms"].into_iter().chain(sides.iter().map(|(side, _)| *side)).collect();
        let table = Table::open(subject.clone(), entry.span.clone(), fields, &known, mistakes);
        match row(&table, subject, sides, mistakes) {
            Ok(row) => rows.push(row),
            Err(reported) => outcome = Err(reported),
        }
    }
    outcome.map(|()| Some(NamedRows(rows)))
}

fn row(table: &Table, subject: String, sides: &[(&str, Sense)], mistakes: &mut Mistakes) -> Result<NamedRow, Reported> {
    let name = table.optional("name", |item| item.text("a name is for messages: any words in quotes", mistakes));
    let terms = table.optional("terms", |item| terms(&item, &subject, mistakes));
    let terms = table.required("terms", terms, HELP_TERMS, mistakes);
    let given: Vec<_> = sides.iter().filter(|(side, _)| table.item(side).is_some()).collect();
    let &[&(side, sense)] = &given[..] else {
        let one_of = sides.iter().map(|(side, _)| *side).collect::<Vec<_>>().join(" or ");
        let message = format!("{subject} must have {one_of}");
        return Err(match given.len() {
            0 => mistakes.note(&table.span, message, HELP_SIDE),
            _ => mistakes.note(&table.span, format!("{message}, not both"), "write two inequalities"),
        });
    };
    let value = table.optional(side, |item| number(&item, HELP_SIDE, mistakes));
    let value = table.required(side, value, HELP_SIDE, mistakes);
    let label = name?.map_or(subject, |name| name.value);
    Ok(NamedRow { label, terms: terms?, sense, side: value? })
}

/// Coefficients by node.
fn terms(item: &Item, subject: &str, mistakes: &mut Mistakes) -> Result<Vec<(Spanned<String>, f64)>, Reported> {
    let place = format!("the terms of {subject}");
    let terms = entries(item, &place, HELP_TERMS, mistakes, |item, mistakes| {
        let value = item.number(mistakes)?.value.to_f64();
        let requirement = "between 1e-30 and 1e30 in absolute value";
        if is_coefficient(value) { Ok(value) } else { Err(item.refuse(requirement, HELP_COEFFICIENT, mistakes)) }
    })?;
    if terms.is_empty() {
        return Err(mistakes.note(&item.span, format!("{subject} has no terms"), HELP_TERMS));
    }
    Ok(terms)
}
