//! What ran, and what it costs.
//!
//! An [`Event`] is a public fact whose meaning never changes; an accountant prices a list of events. Basic composition
//! is the only accountant so far: epsilons add, exactly.

use inbounds_core::{Epsilon, Rational};
use thiserror::Error;

/// One mechanism run on private rows.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A mechanism that satisfies pure differential privacy.
    Pure {
        /// Which measurement it made.
        label: String,
        /// Its epsilon.
        epsilon: Epsilon,
    },
}

/// The events cost more than was granted.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("the statistics cost epsilon = {spent} in all, but the release has epsilon = {granted}")]
pub struct OverBudget {
    /// Total cost of the events.
    pub spent: Rational,
    /// Epsilon granted.
    pub granted: Rational,
}

/// Total epsilon of events under basic composition: the exact sum.
fn total_epsilon(events: &[Event]) -> Rational {
    events.iter().fold(Rational::ZERO, |sum, event| match event {
        Event::Pure { epsilon, .. } => &sum + epsilon.value(),
    })
}

/// Checks that events cost at most `granted`, to the last digit, and returns their cost.
///
/// # Errors
/// [`OverBudget`].
///
/// # Example
/// ```
/// use inbounds_core::Epsilon;
/// use inbounds_mechanisms::account::{Event, within};
/// let event = |epsilon: &str| -> Result<Event, inbounds_core::CoreError> {
///     Ok(Event::Pure { label: "count".into(), epsilon: Epsilon::new(epsilon.parse()?)? })
/// };
/// let events = [event("0.1")?, event("0.2")?, event("0.7")?];
/// assert!(within(&events, &Epsilon::new("1".parse()?)?).is_ok());
/// assert!(within(&events, &Epsilon::new("0.999999999999999999".parse()?)?).is_err());
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn within(events: &[Event], granted: &Epsilon) -> Result<Rational, OverBudget> {
    let spent = total_epsilon(events);
    if spent <= *granted.value() { Ok(spent) } else { Err(OverBudget { spent, granted: granted.value().clone() }) }
}
