//! A redundant level: one that need not be measured.
//!
//! Two neighbouring levels of families of `f`, with half of a budget each, give the parent a variance of
//! `8 f / (f + 1)` times that of the whole budget for one of them, and the children alone, with all of it, give it
//! `2 f`: no more for families of up to 3, and their own is far smaller. Whether that holds for a plan is computed:
//! with the part of a level given to the next finer one that is measured, no level may be worse.

use std::fmt;

use inbounds_core::{Epsilon, Guarantee, StepRange};
use inbounds_mechanisms::registry;
use inbounds_statistics::Component;

use super::{Levels, hierarchy::Nesting};
use crate::projection::Law;

/// A difference of RMSE that is rounding.
const ROUNDING: f64 = 1e-6;

/// A level whose measurement can be left out: every level is as accurate without it, or more.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RedundantLevel {
    level: String,
    finer: String,
    /// RMSE of the level and of the finer one, with its measurement and without.
    before: [f64; 2],
    after: [f64; 2],
}

impl Levels {
    /// The finest measured level of a hierarchy but the last that need not be, if one is.
    pub(crate) fn redundant_level(&self) -> Option<RedundantLevel> {
        if !matches!(self.hierarchy.nesting, Nesting::Tree) {
            return None;
        }
        let noise = self.noise();
        let before = self.hierarchy.variances(&noise);
        let redundant = |level: usize| {
            let own = self.components[level].as_ref()?;
            let next = (level + 1..self.components.len()).find(|&next| self.components[next].is_some())?;
            let both = with_both(own, self.components[next].as_ref()?)?;
            let mut noise = noise.clone();
            (noise[level], noise[next]) = (f64::INFINITY, both);
            let after = self.hierarchy.variances(&noise);
            let is_worse = |(after, before): (&f64, &f64)| *after > before * (1.0 + ROUNDING);
            if after.iter().zip(&before).any(is_worse) {
                return None;
            }
            let step = own.grid.spacing();
            let rmse = |variances: &[f64], level: usize| libm::sqrt(variances[level]) * step;
            let name = |level: usize| self.hierarchy.levels[level].granularity.level().unwrap_or_default().to_owned();
            Some(RedundantLevel {
                level: name(level),
                finer: name(next),
                before: [rmse(&before, level), rmse(&before, next)],
                after: [rmse(&after, level), rmse(&after, next)],
            })
        };
        (0..self.components.len() - 1).rev().find_map(redundant)
    }
}

/// Variance of the noise of the finer level with the parts of both.
fn with_both(own: &Component, finer: &Component) -> Option<f64> {
    let epsilon = |component: &Component| Some(component.mechanism.guarantee().epsilon()?.value().clone());
    let both = Epsilon::new(&epsilon(own)? + &epsilon(finer)?).ok()?;
    let guarantee = Guarantee::Pure { epsilon: both };
    let mechanism =
        registry::default().calibrate(&guarantee, finer.mechanism.sensitivity(), StepRange::UNBOUNDED).ok()?;
    Some(Law::DiscreteLaplace.variance(mechanism.noise().scale()))
}

impl fmt::Display for RedundantLevel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { level, finer, before, after } = self;
        let figure = inbounds_bundle::figures::figure;
        write!(
            formatter,
            "Level `{level}` need not be measured: with its part of epsilon given to `{finer}` (`level_shares`, 0 for `{level}`), \
             the RMSE under the sums is {} instead of {} at `{level}`, {} instead of {} at `{finer}`, and no larger at any \
             other level.",
            figure(after[0]),
            figure(before[0]),
            figure(after[1]),
            figure(before[1])
        )
    }
}
