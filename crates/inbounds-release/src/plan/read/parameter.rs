//! Numbers that the vocabulary of privacy accepts.

use inbounds_core::{CoreError, Rational};
use inbounds_input::document::{Item, Mistakes, Reported, Spanned};

/// A number that the vocabulary of privacy accepts.
pub(super) fn parameter<T>(
    item: &Item,
    make: impl Fn(Rational) -> Result<T, CoreError>,
    help: &str,
    mistakes: &mut Mistakes,
) -> Result<Spanned<T>, Reported> {
    let number = item.number(mistakes)?;
    match make(number.value) {
        Ok(value) => Ok(item.put(value)),
        Err(CoreError::Parameter { requirement, .. }) => Err(item.refuse(requirement, help, mistakes)),
        Err(other) => Err(mistakes.note(&item.span, other.to_string(), help)),
    }
}
