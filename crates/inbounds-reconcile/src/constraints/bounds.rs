//! Bounds of single nodes.

use inbounds_input::document::{Item, Mistakes, Reported, Spanned, Table};
use toml::de::DeValue;

use super::{
    kind::{Constraint, Form, Kind, any},
    placing::Placing,
    reading::{by_node, number},
};
use crate::error::ReconcileError;

const HELP: &str = "write \"name of a node\" = { lower = 0, upper = 10 } below [bounds]; either end may be left out";

pub(super) const KIND: Kind = Kind {
    key: "bounds",
    form: Form::Single,
    alone: None,
    read: |root, mistakes| any(by_node(root, KIND.key, HELP, mistakes, ends).map(|ends| ends.map(NodeBounds))),
};

#[derive(Debug)]
struct NodeBounds(Vec<(Spanned<String>, (f64, f64))>);

impl Constraint for NodeBounds {
    fn place(&self, placing: &mut Placing) -> Result<(), ReconcileError> {
        for (name, (lower, upper)) in &self.0 {
            let node = placing.find(name);
            placing.placed.bounds.extend(node.map(|node| (node as usize, *lower, *upper)));
        }
        Ok(())
    }
}

/// Both ends of an interval; infinite where one is left out.
fn ends(item: &Item, mistakes: &mut Mistakes) -> Result<(f64, f64), Reported> {
    let DeValue::Table(entries) = item.value else {
        return Err(item.refuse("a table with lower, upper or both", HELP, mistakes));
    };
    let table = Table::open(item.subject.clone(), item.span.clone(), entries, &["lower", "upper"], mistakes);
    let lower = table.optional("lower", |item| number(&item, HELP, mistakes));
    let upper = table.optional("upper", |item| number(&item, HELP, mistakes));
    let (lower, upper) = (lower?, upper?);
    let ends = (lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY));
    if ends.0 > ends.1 {
        let message = format!("{} has lower = {} above upper = {}", item.subject, ends.0, ends.1);
        return Err(mistakes.note(&item.span, message, "exchange them"));
    }
    Ok(ends)
}
