//! Values that a column can have, for keys that get noise without being listed.

use inbounds_core::Grid;
use inbounds_data::{KeyDomain, KeyValue, Kind};

use super::Bounds;

/// The values that a column can have: those that it lists, both truth values, or the whole numbers between its bounds.
/// `None` where the plan says nothing of the kind.
pub(crate) fn domain(kind: Option<Kind>, values: Option<Vec<KeyValue>>, bounds: Option<&Bounds>) -> Option<KeyDomain> {
    match (values, kind) {
        (Some(values), _) => Some(KeyDomain::of_values(values)),
        (None, Some(Kind::Boolean)) => Some(KeyDomain::of_values([false, true].map(KeyValue::Boolean))),
        (None, Some(Kind::Integer) | None) => integers(bounds?),
        (None, Some(_)) => None,
    }
}

/// The whole numbers between bounds; `None` if these are beyond 64 bits.
fn integers(bounds: &Bounds) -> Option<KeyDomain> {
    let first = Grid::INTEGERS.ceil(&bounds.lower.value)?;
    let last = bounds.upper.value.floor()?;
    Some(KeyDomain::Integers(i64::try_from(first).ok()?, i64::try_from(last).ok()?))
}
