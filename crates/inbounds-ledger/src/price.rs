//! Costs of mechanisms in the terms of a ledger. Conversions only go up: the charge is at least the loss.
//!
//! | mechanism keeps | pure ledger | `(epsilon, delta)` ledger | rho ledger |
//! |---|---|---|---|
//! | epsilon | epsilon | epsilon | `epsilon^2 / 2` |
//! | epsilon and delta | refused | both | refused, unless its noise is Gaussian, which has a rho |
//! | rho | refused | refused one by one; a whole release has an epsilon and delta | rho |

use inbounds_core::{Guarantee, Rational};
use inbounds_mechanisms::account::{Cost, Event, basic_composition, concentrated_composition};
use thiserror::Error;

/// A mechanism whose guarantee the accounting of a ledger cannot express.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unpriced {
    /// A delta in a ledger of pure epsilon.
    #[error(
        "`{label}` spends delta, and the ledger counts pure epsilon, which says nothing of such a mechanism; choose a mechanism \
         without delta for it, list its keys where they are learned, or keep a ledger that was created with --delta or --rho"
    )]
    Pure {
        /// The measurement.
        label: String,
    },
    /// A delta in a ledger of rho.
    #[error(
        "`{label}` has an epsilon with a delta, of which no rho is known, and the ledger counts rho; choose a Laplace or Gaussian \
         mechanism for it, and list its keys where they are learned"
    )]
    Concentrated {
        /// The measurement.
        label: String,
    },
    /// A rho where epsilons and deltas add.
    #[error("`{label}` has a rho, which alone is no epsilon and delta; state the cost of the whole release instead")]
    Approximate {
        /// The measurement.
        label: String,
    },
}

/// Cost of mechanisms that run on the same rows, in a ledger with this grant.
///
/// # Errors
/// [`Unpriced`], with the first mechanism that cannot be expressed.
///
/// # Example
/// ```
/// use inbounds_core::{Epsilon, Guarantee, Rho};
/// use inbounds_ledger::price::price;
/// use inbounds_mechanisms::account::Event;
/// let event = Event::Pure { label: "count".into(), epsilon: Epsilon::new("0.4".parse()?)? };
/// let rho = Guarantee::ZeroConcentrated { rho: Rho::new("1".parse()?)? };
/// assert_eq!(price(&[event], &rho).expect("priced").to_string(), "rho = 0.08");
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn price(events: &[Event], granted: &Guarantee) -> Result<Cost, Unpriced> {
    let label = |event: &Event| event.label().to_owned();
    match granted {
        Guarantee::Pure { .. } => match events.iter().find(|event| !matches!(event, Event::Pure { .. })) {
            Some(event) => Err(Unpriced::Pure { label: label(event) }),
            None => {
                let total = basic_composition(events).map_err(|event| Unpriced::Pure { label: label(event) })?;
                Ok(Cost::Pure { epsilon: total.0 })
            }
        },
        Guarantee::Approximate { .. } => {
            let total = basic_composition(events).map_err(|event| Unpriced::Approximate { label: label(event) })?;
            Ok(Cost::Approximate { epsilon: total.0, delta: total.1 })
        }
        Guarantee::ZeroConcentrated { .. } => {
            let total = concentrated_composition(events);
            let rho = total.map_err(|event| Unpriced::Concentrated { label: label(event) })?;
            Ok(Cost::ZeroConcentrated { rho })
        }
    }
}

/// A guarantee in the terms of a ledger: what something cost that ran elsewhere.
///
/// # Errors
/// [`Unpriced`].
pub fn price_of(label: &str, guarantee: Guarantee, granted: &Guarantee) -> Result<Cost, Unpriced> {
    price(&[Event::new(label.to_owned(), guarantee)], granted)
}

/// The two numbers of a cost, epsilon and delta or rho and nothing.
pub(crate) fn parts(cost: &Cost) -> [Rational; 2] {
    match cost {
        Cost::Pure { epsilon } => [epsilon.clone(), Rational::ZERO],
        Cost::Approximate { epsilon, delta } => [epsilon.clone(), delta.clone()],
        Cost::ZeroConcentrated { rho } => [rho.clone(), Rational::ZERO],
    }
}

/// The cost of these two numbers in a ledger with this grant.
pub(crate) fn cost([first, second]: [Rational; 2], granted: &Guarantee) -> Cost {
    match granted {
        Guarantee::Pure { .. } => Cost::Pure { epsilon: first },
        Guarantee::Approximate { .. } => Cost::Approximate { epsilon: first, delta: second },
        Guarantee::ZeroConcentrated { .. } => Cost::ZeroConcentrated { rho: first },
    }
}

/// Two costs of one accounting, number by number.
pub(crate) fn combine(one: &Cost, other: &Cost, granted: &Guarantee, by: fn(&Rational, &Rational) -> Rational) -> Cost {
    let ([first, second], [third, fourth]) = (parts(one), parts(other));
    cost([by(&first, &third), by(&second, &fourth)], granted)
}

/// The theorem by which charges of a ledger add up.
pub fn theorem(granted: &Guarantee) -> &'static str {
    match granted {
        Guarantee::Pure { .. } => {
            "Epsilons add, however each release was chosen in the light of those before (fully adaptive basic composition; Rogers, \
             Roth, Ullman and Vadhan 2016)."
        }
        Guarantee::Approximate { .. } => {
            "Epsilons add and deltas add, however each release was chosen in the light of those before (fully adaptive basic \
             composition; Rogers, Roth, Ullman and Vadhan 2016)."
        }
        Guarantee::ZeroConcentrated { .. } => {
            "Rhos add, however each release was chosen in the light of those before (fully adaptive composition of \
             zero-concentrated privacy; Whitehouse, Ramdas, Rogers and Wu 2023). An epsilon counts as its square halved (Bun and \
             Steinke 2016), Gaussian noise by its variance (Canonne, Kamath and Steinke 2020)."
        }
    }
}

#[cfg(test)]
mod tests {
    use inbounds_core::{Delta, Epsilon, Rho};

    use super::*;

    fn number(text: &str) -> Rational {
        text.parse().expect("number")
    }

    #[test]
    fn conversions_go_up_or_are_refused() {
        let pure = Guarantee::Pure { epsilon: Epsilon::new(number("0.5")).expect("positive") };
        let delta = Delta::new(number("1e-6")).expect("a probability");
        let both = Guarantee::Approximate { epsilon: Epsilon::new(number("0.5")).expect("positive"), delta };
        let rho = Guarantee::ZeroConcentrated { rho: Rho::new(number("0.02")).expect("positive") };
        let shown = |guarantee: &Guarantee, ledger: &Guarantee| {
            price_of("a", guarantee.clone(), ledger).map(|cost| cost.to_string())
        };
        assert_eq!(shown(&pure, &pure).as_deref(), Ok("epsilon = 0.5"));
        assert_eq!(shown(&pure, &both).as_deref(), Ok("epsilon = 0.5 and delta = 0"));
        assert_eq!(shown(&pure, &rho).as_deref(), Ok("rho = 0.125"));
        assert_eq!(shown(&both, &both).as_deref(), Ok("epsilon = 0.5 and delta = 0.000001"));
        assert_eq!(shown(&rho, &rho).as_deref(), Ok("rho = 0.02"));
        assert_eq!(shown(&both, &pure), Err(Unpriced::Pure { label: "a".into() }));
        assert_eq!(shown(&rho, &pure), Err(Unpriced::Pure { label: "a".into() }));
        assert_eq!(shown(&both, &rho), Err(Unpriced::Concentrated { label: "a".into() }));
        assert_eq!(shown(&rho, &both), Err(Unpriced::Approximate { label: "a".into() }));
    }
}
