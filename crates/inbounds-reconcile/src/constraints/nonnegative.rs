//! Nothing below zero, which holds unless it is switched off.

use super::{
    kind::{Constraint, Form, Kind, any},
    placing::Placing,
    reading::switch,
};
use crate::error::ReconcileError;

pub(super) const KIND: Kind = Kind {
    key: "nonnegative",
    form: Form::Single,
    alone: None,
    read: |root, mistakes| any(root.optional(KIND.key, |item| switch(&item, mistakes).map(Nonnegative))),
};

#[derive(Debug)]
struct Nonnegative(bool);

impl Constraint for Nonnegative {
    fn place(&self, placing: &mut Placing) -> Result<(), ReconcileError> {
        placing.placed.nonnegative = Some(self.0);
        Ok(())
    }
}
