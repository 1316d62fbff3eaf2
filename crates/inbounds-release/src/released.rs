//! What a release says of its statistics, and where its randomness came from.

use inbounds_bundle::{DiagnosticsEntry, Notice, ProjectionEntry};
use inbounds_mechanisms::mechanism::Measurements;
use inbounds_statistics::{Estimate, population::Interval};

use crate::task::{Ends, Task};

/// Level of every interval.
pub const LEVEL: f64 = 0.95;

/// Where randomness comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Randomness {
    /// The operating system. The only choice for a private release.
    Secure,
    /// A seed anyone can guess; the bundle is marked as not private.
    Seeded(u64),
}

/// What a run drew on besides rows and plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    /// Where the noise came from.
    pub(crate) randomness: Randomness,
    /// Seed of the rounding of estimates, published.
    pub(crate) rounding_seed: u64,
}

/// A statistic with its public results.
pub struct Released {
    /// Question and mechanisms.
    pub task: Task,
    /// Raw measurements, one vector a component.
    pub measured: Vec<Measurements>,
    /// Estimates, one a cell.
    pub estimates: Vec<Estimate>,
    /// How levels were made to add up; `None` for cells by themselves.
    pub projection: Option<ProjectionEntry>,
    /// Intervals for the population, one an estimate; empty where none were asked for.
    pub population: Vec<Option<Interval>>,
    /// What a reader has to know before using the estimates.
    pub notices: Vec<Notice>,
}

impl Released {
    /// Of each estimate whether its interval is nearly all of its range, so that it tells nothing.
    pub fn tells_nothing(&self) -> Vec<bool> {
        tells_nothing(&self.estimates, &self.task.prepared.ends())
    }
}

/// What a release publishes besides what is said about it.
pub(crate) struct Published<'a> {
    /// Statistics in plan order.
    pub(crate) statistics: &'a [Released],
    /// What was measured of the rows themselves.
    pub(crate) diagnostics: Option<DiagnosticsEntry>,
}

/// Of each estimate whether its interval is nearly all of its range.
pub(crate) fn tells_nothing(estimates: &[Estimate], ranges: &[Ends]) -> Vec<bool> {
    let open = |(lower, upper): &Ends| (lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY));
    estimates
        .iter()
        .zip(ranges.iter().map(open).cycle())
        .map(|(estimate, range)| estimate.tells_nothing(range))
        .collect()
}
