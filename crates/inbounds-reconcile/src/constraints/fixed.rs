//! Nodes whose value is known exactly.

use inbounds_input::document::Spanned;

use super::{
    kind::{Constraint, Form, Kind, any},
    placing::Placing,
    reading::{by_node, number},
};
use crate::error::ReconcileError;

const HELP: &str = "write \"name of a node\" = 12 below [fixed]";

pub(super) const KIND: Kind = Kind {
    key: "fixed",
    form: Form::Single,
    alone: None,
    read: |root, mistakes| {
        let read = by_node(root, KIND.key, HELP, mistakes, |item, mistakes| number(item, HELP, mistakes));
        any(read.map(|values| values.map(Fixed)))
    },
};

#[derive(Debug)]
struct Fixed(Vec<(Spanned<String>, f64)>);

impl Constraint for Fixed {
    fn place(&self, placing: &mut Placing) -> Result<(), ReconcileError> {
        for (name, value) in &self.0 {
            let Some(node) = placing.find(name).map(|node| node as usize) else { continue };
            match placing.sheet.fixed(node).filter(|known| known != value) {
                Some(known) => {
                    let file = placing.sheet.file.display();
                    let message = format!("node `{}` is fixed at {value} here and at {known} in {file}", name.value);
                    placing.note(&name.span, message, "keep the right one");
                }
                None => placing.placed.fixed.push((node, *value)),
            }
        }
        Ok(())
    }
}
