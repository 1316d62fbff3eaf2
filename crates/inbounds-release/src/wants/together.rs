//! Needs of Gaussian noise that is accounted for together.
//!
//! # Law
//! Let `s_i` be the standard deviation of the noise of statistic `i` at the least epsilon that it needs by itself: with
//! that, and no more, it errs by what is wanted. At epsilons `e` it has the standard deviation `s_i(e)` together with
//! the others, which falls about as `1 / e_i`. So `e_i` is replaced by `e_i s_i(e) / s_i`, rounded up to four digits,
//! until each `s_i(e)` is at most `s_i` and not below 0.998 of it.

use inbounds_core::{Epsilon, Rational};
use inbounds_statistics::Component;

use super::{BudgetSearch, Needs, short_decimal::ShortDecimal};
use crate::{plan::Mistake, prepared_statistic::CalibratedStatistic};

/// Least ratio to the wanted standard deviation that is accepted.
const NEARLY: f64 = 0.998;

/// Times that epsilons are replaced.
const STEPS: usize = 24;

impl BudgetSearch<'_> {
    /// Less of what statistics with Gaussian noise need, where it is accounted for together; as before where that saves
    /// nothing.
    pub(super) fn together(&self, alone: Needs) -> Result<Needs, Mistake> {
        let gaussian = |place: &usize| self.plan.statistics[*place].mechanism.value.entry().needs_delta();
        let wanting: Vec<usize> = (0..alone.by_statistic.len())
            .filter(|place| alone.by_statistic[*place].is_some())
            .filter(gaussian)
            .collect();
        if wanting.is_empty() {
            return Ok(alone);
        }
        let wanted = wanting.iter().map(|place| self.alone(*place, &alone)).collect::<Result<Vec<_>, _>>()?;
        let mut needs = alone.clone();
        for _ in 0..STEPS {
            let prepared = (self.prepare_together)(&self.affordable(&needs))?;
            let parts: Vec<f64> = wanting
                .iter()
                .zip(&wanted)
                .map(|(place, wanted)| {
                    prepared[*place].as_ref().map_or(1.0, |now| largest_part(&deviations(now), wanted))
                })
                .collect();
            if parts.iter().all(|part| (NEARLY..=1.0).contains(part)) {
                return Ok(needs);
            }
            for (place, part) in wanting.iter().zip(parts) {
                let scaled = needs.by_statistic[*place]
                    .as_ref()
                    .map(|need| ShortDecimal::near(need.value().to_f64() * part).epsilon());
                needs.by_statistic[*place] = scaled;
            }
        }
        Ok(alone)
    }

    /// The standard deviations that a statistic needs no less than.
    fn alone(&self, place: usize, alone: &Needs) -> Result<Vec<f64>, Mistake> {
        let epsilon = alone.by_statistic[place].clone().expect("it wants something");
        let delta = self.delta(&epsilon, &alone.granted);
        (self.prepare)(place, epsilon, delta).map(|prepared| deviations(&prepared))
    }

    /// The same needs, with a total epsilon that is enough for them and leaves some for the others.
    fn affordable(&self, needs: &Needs) -> Needs {
        let need = &self.total(&needs.by_statistic) / &self.left;
        let granted = match self.plan.privacy.epsilon.value.given() {
            None => self.rounded(&needs.by_statistic),
            Some(_) if need < *needs.granted.value() => needs.granted.clone(),
            // It is not enough, which is seen when all is done.
            Some(_) => Epsilon::new(&need * &Rational::ratio(101, 100)).expect("something is wanted"),
        };
        Needs { granted, by_statistic: needs.by_statistic.clone() }
    }
}

/// Standard deviations of the noise of each measured vector, in the unit of the statistic.
fn deviations(prepared: &CalibratedStatistic) -> Vec<f64> {
    prepared.components().into_iter().map(Component::scale).collect()
}

/// The largest of the numbers as a part of what was wanted.
fn largest_part(now: &[f64], wanted: &[f64]) -> f64 {
    now.iter().zip(wanted).map(|(now, wanted)| now / wanted).fold(0.0, f64::max)
}
