//! Matrices where their solver was left out of the build: every one is refused.

use std::convert::Infallible;

use super::{
    kind::{Constraint, Form, Kind, any},
    placing::Placing,
};
use crate::error::ReconcileError;

pub(super) const KIND: Kind = Kind {
    key: "matrix",
    form: Form::Single,
    alone: None,
    read: |root, mistakes| {
        any(root.optional(KIND.key, |item| {
            let message = "[matrix] needs the solver of eigenvalues, which was left out of this build";
            Err::<NoMatrix, _>(mistakes.note(&item.span, message, "build with the feature `matrices`"))
        }))
    },
};

/// No matrix.
#[derive(Debug)]
struct NoMatrix(Infallible);

impl Constraint for NoMatrix {
    fn place(&self, _: &mut Placing) -> Result<(), ReconcileError> {
        match self.0 {}
    }
}
