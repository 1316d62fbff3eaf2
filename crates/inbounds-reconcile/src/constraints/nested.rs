//! Attributes whose values lie in those of another, as regions in states.

use inbounds_input::document::{Item, Mistakes, Reported, Spanned};

use super::{
    kind::{Constraint, Form, Kind, any},
    placing::Placing,
    reading::entries,
};
use crate::{cells::Structure, error::ReconcileError};

const HELP: &str = "write nested = { region = \"state\" }, each attribute with the one that its values lie in";

pub(super) const KIND: Kind = Kind {
    key: "nested",
    form: Form::Single,
    alone: None,
    read: |root, mistakes| any(root.optional(KIND.key, |item| pairs(&item, mistakes).map(Nested))),
};

/// Attributes, each with the one that its values lie in.
#[derive(Debug)]
struct Nested(Vec<(Spanned<String>, Spanned<String>)>);

impl Constraint for Nested {
    fn place(&self, placing: &mut Placing) -> Result<(), ReconcileError> {
        placing.expect_attributes(self.0.iter().flat_map(|(inner, outer)| [inner, outer]), HELP);
        for (inner, outer) in &self.0 {
            if self.is_above(&inner.value, &outer.value, self.0.len()) {
                placing.note(&inner.span, format!("`{}` would lie in itself", inner.value), HELP);
            }
        }
        Ok(())
    }

    fn structure(&self, structure: &mut Structure) {
        structure.nested.extend(self.0.iter().map(|(inner, outer)| (inner.value.clone(), outer.value.clone())));
    }
}

impl Nested {
    /// `true` if going outwards from an attribute leads to another.
    fn is_above(&self, wanted: &str, from: &str, steps: usize) -> bool {
        let outer = || self.0.iter().find(|(inner, _)| inner.value == from).map(|(_, outer)| outer.value.as_str());
        from == wanted || steps > 0 && outer().is_some_and(|outer| self.is_above(wanted, outer, steps - 1))
    }
}

/// An inner attribute, and the one that it lies in.
type Pair = (Spanned<String>, Spanned<String>);

fn pairs(item: &Item, mistakes: &mut Mistakes) -> Result<Vec<Pair>, Reported> {
    entries(item, "[nested]", HELP, mistakes, |item, mistakes| item.text(HELP, mistakes))
}
