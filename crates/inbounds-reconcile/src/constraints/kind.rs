//! A kind of constraint, as the file states it and as it applies to the measurements.

use std::fmt::Debug;

use inbounds_input::document::{Field, Mistakes, Table};

use super::placing::Placing;
use crate::{cells::Structure, error::ReconcileError};

/// A kind of constraint: a key at the top of the file, and how what stands there is read.
pub(super) struct Kind {
    pub(super) key: &'static str,
    pub(super) form: Form,
    /// Why it does not go with others; none if it goes with all.
    pub(super) alone: Option<Alone>,
    /// Notes what is wrong with the value of the key, by itself.
    pub(super) read: fn(&Table, &mut Mistakes) -> Field<Box<dyn Constraint>>,
}

/// A kind that does not go with others.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "matrices"), allow(dead_code, reason = "matrices alone are such a kind"))]
pub(super) struct Alone {
    pub(super) reason: &'static str,
    /// Those with which it does.
    pub(super) but: &'static [&'static str],
}

/// Spelling of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Once.
    Single,
    /// In double brackets, as often as one likes.
    Listed,
}

/// A constraint by names, as it was read.
pub(super) trait Constraint: Debug {
    /// Finds the nodes that it names, notes the measurements that contradict it, and adds its demands and its
    /// entry in the manifest.
    ///
    /// # Errors
    /// Those of other files that it names, and of measurements that are beyond its solver.
    fn place(&self, placing: &mut Placing) -> Result<(), ReconcileError>;

    /// Adds its statement of which combinations of values are cells.
    fn structure(&self, _: &mut Structure) {}
}

/// Boxes a constraint that was read, whatever its kind.
pub(super) fn any<C: Constraint + 'static>(read: Field<C>) -> Field<Box<dyn Constraint>> {
    Ok(read?.map(|constraint| Box::new(constraint) as Box<dyn Constraint>))
}
