//! Kinds and rules of the columns from whose listed values combinations are made.

use crate::{Derivation, Kind};

/// Known facts about columns, by name.
pub trait Rules {
    /// Kind of a column, if it is known.
    fn kind(&self, column: &str) -> Option<Kind>;

    /// Rule that makes a column from others, if one does.
    fn rule(&self, column: &str) -> Option<&Derivation>;
}
