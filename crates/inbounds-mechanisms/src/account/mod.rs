//! Events that ran, and their cost.
//!
//! An [`Event`] is a public fact whose meaning never changes; an accountant prices a list of events. There are two:
//! basic composition, where epsilons and deltas add, and zero-concentrated composition, where rhos add. Both are exact;
//! only the conversion of rhos, or of Gaussian noise by its law, to `(epsilon, delta)` rounds, upward.

mod composition;
mod event;

use std::fmt;

use inbounds_core::{Guarantee, Rational};
use thiserror::Error;

pub use composition::{basic_composition, concentrated_composition};
pub use event::Event;

use composition::approximate_cost;

/// Total cost of events; nothing, when there are none.
#[derive(Debug, Clone, PartialEq)]
pub enum Cost {
    /// Total epsilon.
    Pure {
        /// Total epsilon.
        epsilon: Rational,
    },
    /// Epsilon and delta together.
    Approximate {
        /// Epsilon.
        epsilon: Rational,
        /// Delta at that epsilon.
        delta: Rational,
    },
    /// Total rho.
    ZeroConcentrated {
        /// Total rho.
        rho: Rational,
    },
}

impl Cost {
    /// Epsilon and delta, where the cost is stated in them.
    pub fn epsilon_delta(&self) -> Option<(Rational, Rational)> {
        match self {
            Self::Pure { epsilon } => Some((epsilon.clone(), Rational::ZERO)),
            Self::Approximate { epsilon, delta } => Some((epsilon.clone(), delta.clone())),
            Self::ZeroConcentrated { .. } => None,
        }
    }

    /// In words that never say more than it is, for what is granted or left. [`Display`](fmt::Display) never says less,
    /// as what is spent must. Both are exact where the exact text is short.
    pub fn rounded_down(&self) -> String {
        self.in_words(Rational::to_f64_down)
    }

    /// `double` rounds what would be a long text.
    fn in_words(&self, double: fn(&Rational) -> f64) -> String {
        let short = |value: &Rational| {
            let exact = value.to_string();
            if exact.len() <= 24 { exact } else { format!("{:e}", double(value)) }
        };
        match self {
            Self::Pure { epsilon } => format!("epsilon = {}", short(epsilon)),
            Self::Approximate { epsilon, delta } => {
                format!("epsilon = {} and delta = {}", short(epsilon), short(delta))
            }
            Self::ZeroConcentrated { rho } => format!("rho = {}", short(rho)),
        }
    }
}

impl From<&Guarantee> for Cost {
    fn from(guarantee: &Guarantee) -> Self {
        match guarantee {
            Guarantee::Pure { epsilon } => Self::Pure { epsilon: epsilon.value().clone() },
            Guarantee::Approximate { epsilon, delta } => {
                Self::Approximate { epsilon: epsilon.value().clone(), delta: delta.value().clone() }
            }
            Guarantee::ZeroConcentrated { rho } => Self::ZeroConcentrated { rho: rho.value().clone() },
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.in_words(Rational::to_f64_up))
    }
}

/// The events cannot be afforded.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum OverBudget {
    /// They cost more than was granted.
    #[error("the statistics cost {spent} in all, but the release has {}", granted.rounded_down())]
    Spent {
        /// Total cost of the events.
        spent: Box<Cost>,
        /// The grant.
        granted: Box<Cost>,
    },
    /// One of them keeps no guarantee of the kind that was granted.
    #[error(
        "`{label}` keeps a guarantee that cannot be stated as the {granted} of the release: grant epsilon and delta, or \
         choose another mechanism for it"
    )]
    OtherKind {
        /// Which measurement.
        label: String,
        /// The grant.
        granted: Box<Cost>,
    },
}

/// Checks that events cost at most `granted`, to the last digit, and returns their cost.
///
/// Against a pure guarantee epsilons add; against rho, rhos. Against `(epsilon, delta)`, events without a rho compose
/// by basic composition. If any has a rho, rhos add and are converted at the epsilon that the others leave; pure events
/// are among these, or count as rhos, whichever costs less delta. Where all rhos are of Gaussian noise, its law is
/// converted ([`composed_delta`](crate::calibrate::gaussian::composed_delta)). Deltas add to the conversion's.
///
/// # Errors
/// [`OverBudget`].
///
/// # Example
/// ```
/// use inbounds_core::{Epsilon, Guarantee};
/// use inbounds_mechanisms::account::{Event, within};
/// let pure = |epsilon: &str| -> Result<Guarantee, inbounds_core::CoreError> {
///     Ok(Guarantee::Pure { epsilon: Epsilon::new(epsilon.parse()?)? })
/// };
/// let event = |epsilon: &str| Ok::<_, inbounds_core::CoreError>(Event::new("count".into(), pure(epsilon)?));
/// let events = [event("0.1")?, event("0.2")?, event("0.7")?];
/// assert_eq!(within(&events, &pure("1")?).expect("affordable").to_string(), "epsilon = 1");
/// assert!(within(&events, &pure("0.999999999999999999")?).is_err());
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn within(events: &[Event], granted: &Guarantee) -> Result<Cost, OverBudget> {
    let granted_cost = || Box::new(Cost::from(granted));
    let other_kind = |event: &Event| OverBudget::OtherKind { label: event.label().to_owned(), granted: granted_cost() };
    let (spent, is_within) = match granted {
        Guarantee::Pure { epsilon } => {
            if let Some(event) = events.iter().find(|event| !matches!(event, Event::Pure { .. })) {
                return Err(other_kind(event));
            }
            let (total, _) = basic_composition(events).map_err(other_kind)?;
            let is_within = total <= *epsilon.value();
            (Cost::Pure { epsilon: total }, is_within)
        }
        Guarantee::ZeroConcentrated { rho } => {
            let total = concentrated_composition(events).map_err(other_kind)?;
            let is_within = total <= *rho.value();
            (Cost::ZeroConcentrated { rho: total }, is_within)
        }
        Guarantee::Approximate { epsilon, delta } => {
            let (total, slack) = approximate_cost(events, epsilon.value());
            let is_within = total <= *epsilon.value() && slack <= *delta.value();
            (Cost::Approximate { epsilon: total, delta: slack }, is_within)
        }
    };
    if is_within { Ok(spent) } else { Err(OverBudget::Spent { spent: Box::new(spent), granted: granted_cost() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inbounds_core::{Delta, Epsilon, Rho};

    use crate::calibrate::gaussian::concentrated_delta;

    fn number(text: &str) -> Rational {
        text.parse().expect("number")
    }

    fn pure(epsilon: &str) -> Guarantee {
        Guarantee::Pure { epsilon: Epsilon::new(number(epsilon)).expect("positive") }
    }

    fn approximate(epsilon: &str, delta: &str) -> Guarantee {
        let epsilon = Epsilon::new(number(epsilon)).expect("positive");
        Guarantee::Approximate { epsilon, delta: Delta::new(number(delta)).expect("a probability") }
    }

    fn concentrated(rho: &str) -> Guarantee {
        Guarantee::ZeroConcentrated { rho: Rho::new(number(rho)).expect("positive") }
    }

    fn events(guarantees: &[Guarantee]) -> Vec<Event> {
        guarantees.iter().zip(1..).map(|(g, i)| Event::new(format!("event {i}"), g.clone())).collect()
    }

    #[test]
    fn basic_composition_adds_to_the_last_digit() {
        let events = events(&[pure("0.1"), approximate("0.2", "1e-6"), approximate("0.7", "2e-6")]);
        assert_eq!(basic_composition(&events), Ok((Rational::ONE, number("3e-6"))));
        assert!(within(&events, &approximate("1", "3e-6")).is_ok());
        assert!(within(&events, &approximate("1", "2.999999999999999999e-6")).is_err());
        let error = within(&events, &approximate("0.9", "1e-3")).expect_err("too much").to_string();
        assert!(
            error.contains("cost epsilon = 1 and delta = 0.000003 in all, but the release has epsilon = 0.9"),
            "{error}"
        );
    }

    /// Spent amounts are rounded up, remaining ones down.
    #[test]
    fn a_long_fraction_is_rounded_to_the_safe_side() {
        let third = Cost::Pure { epsilon: number("100000000000000/300000000000001") };
        assert_eq!(third.to_string(), "epsilon = 3.3333333333333226e-1");
        assert_eq!(third.rounded_down(), "epsilon = 3.333333333333322e-1");
        let short = Cost::Approximate { epsilon: number("1/3"), delta: number("1e-6") };
        assert_eq!(short.to_string(), short.rounded_down());
    }

    #[test]
    fn rhos_add_and_pure_epsilons_count_half_their_square() {
        let events = events(&[concentrated("0.1"), pure("0.2"), concentrated("0.03")]);
        assert_eq!(concentrated_composition(&events), Ok(number("0.15")));
        assert!(within(&events, &concentrated("0.15")).is_ok());
        assert!(within(&events, &concentrated("0.1499999999999")).is_err());
    }

    #[test]
    fn kinds_that_do_not_meet_are_named() {
        let error = within(&events(&[pure("0.1"), approximate("0.1", "1e-9")]), &pure("1")).expect_err("delta");
        assert!(error.to_string().starts_with("`event 2` keeps a guarantee"), "{error}");
        assert!(within(&events(&[concentrated("0.1")]), &pure("1")).is_err());
        assert!(within(&events(&[approximate("0.1", "1e-9")]), &concentrated("1")).is_err());
    }

    /// rho = 0.02 at epsilon 1 converts to 8.825254987e-8; an approximate event takes its share first.
    #[test]
    fn rho_is_converted_at_the_epsilon_left() {
        let mixed = events(&[concentrated("0.01"), approximate("0.5", "1e-6"), concentrated("0.01")]);
        assert!(within(&mixed, &approximate("1.5", "1.0883e-6")).is_ok());
        assert!(within(&mixed, &approximate("1.5", "1.0882e-6")).is_err());
        assert!(within(&mixed, &approximate("0.5", "0.999")).is_err());
        assert!(within(&[], &approximate("0.5", "0")).is_ok());
        // As a rho, the pure epsilon would cost far more than by itself.
        let beside = events(&[pure("1"), concentrated("0.02")]);
        assert!(within(&beside, &approximate("2", "8.8253e-8")).is_ok());
        assert!(within(&beside, &approximate("2", "8.8252e-8")).is_err());
        let small = events(&[pure("0.01"), concentrated("0.02")]);
        let Ok(Cost::Approximate { delta, .. }) = within(&small, &approximate("1", "1e-6")) else { unreachable!() };
        assert!(delta < concentrated_delta(&Rho::new(number("0.02")).expect("positive"), &number("0.99")));
    }
}
