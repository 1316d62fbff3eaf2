//! The two accountants, and what joins them.
//!
//! Epsilons and deltas add, and so do rhos; both sums are exact. Where events with a rho stand beside events with a
//! delta, pure epsilons count as rho too. The epsilon that the events with a delta leave of the grant is that to which
//! the total rho is converted, at the delta that this takes.

use inbounds_core::{Rational, Rho};

use super::event::Event;
use crate::calibrate::gaussian::{GaussianVector, composed_delta, concentrated_delta};

/// Total epsilon and delta under basic composition: the exact sums; `Err` with the first event that has only a rho.
///
/// # References
/// Dwork and Roth (2014), Theorem 3.16. Claim: `basic-composition`.
pub fn basic_composition(events: &[Event]) -> Result<(Rational, Rational), &Event> {
    events.iter().try_fold((Rational::ZERO, Rational::ZERO), |(total, slack), event| match event {
        Event::Pure { epsilon, .. } => Ok((&total + epsilon.value(), slack)),
        Event::Approximate { epsilon, delta, .. } => Ok((&total + epsilon.value(), &slack + delta.value())),
        Event::ZeroConcentrated { .. } | Event::Gaussian { .. } => Err(event),
    })
}

/// Total rho under zero-concentrated composition, where pure epsilon counts as `epsilon^2 / 2`; `Err` with the first
/// event that has a delta.
///
/// # References
/// Bun and Steinke (2016), Proposition 1.4 and Lemma 1.7. Claim: `zcdp-composition`.
pub fn concentrated_composition(events: &[Event]) -> Result<Rational, &Event> {
    events.iter().try_fold(Rational::ZERO, |total, event| match event {
        Event::Pure { epsilon, .. } => {
            let square = epsilon.value() * epsilon.value();
            Ok(&total + &(&square / &Rational::from(2u128)))
        }
        Event::ZeroConcentrated { .. } | Event::Gaussian { .. } | Event::Approximate { .. } => {
            event.rho().map(|rho| &total + &rho).ok_or(event)
        }
    })
}

/// Epsilon and delta of events of any kind; with a rho among them, at the epsilon granted. Pure events count as rhos or
/// by their epsilons, whichever leaves the smaller delta.
pub(super) fn approximate_cost(events: &[Event], granted: &Rational) -> (Rational, Rational) {
    if let Ok(cost) = basic_composition(events) {
        return cost;
    }
    let (mut total, mut slack) = (Rational::ZERO, Rational::ZERO);
    let (mut rho, mut pure, mut rho_of_pure) = (Rational::ZERO, Rational::ZERO, Rational::ZERO);
    // The laws of all events with a rho, as long as all are known.
    let mut vectors = Some(Vec::new());
    for event in events {
        match event {
            Event::ZeroConcentrated { rho: more, .. } => (rho, vectors) = (&rho + more.value(), None),
            Event::Gaussian { vector, .. } => {
                rho = &rho + &vector.rho();
                vectors.iter_mut().for_each(|vectors| vectors.push(vector.clone()));
            }
            Event::Pure { epsilon, .. } => {
                pure = &pure + epsilon.value();
                rho_of_pure = &rho_of_pure + &(&(epsilon.value() * epsilon.value()) / &Rational::from(2u128));
            }
            Event::Approximate { epsilon, delta, .. } => {
                (total, slack) = (&total + epsilon.value(), &slack + delta.value());
            }
        }
    }
    let converted = |rho: Rational, vectors: Option<&Vec<GaussianVector>>, spent: &Rational| {
        let left = granted - spent;
        let rho = Rho::new(rho).ok().filter(|_| left.is_positive())?;
        Some(vectors.map_or_else(|| concentrated_delta(&rho, &left), |vectors| composed_delta(vectors, &left)))
    };
    let of_all = converted(&rho + &rho_of_pure, vectors.as_ref().filter(|_| !pure.is_positive()), &total);
    let of_others = || converted(rho, vectors.as_ref(), &(&total + &pure));
    let least = of_all.into_iter().chain(pure.is_positive().then(of_others).flatten()).min();
    match least {
        Some(delta) => (granted.clone(), &slack + &delta),
        // No epsilon is left for the events with a rho: no delta below one covers them.
        None => (total, Rational::ONE),
    }
}
