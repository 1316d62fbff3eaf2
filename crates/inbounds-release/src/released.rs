//! Results of a release for its statistics, and the source of its randomness.

use inbounds_bundle::{DiagnosticsEntry, LeftOutEntry, Notice, ProjectionEntry};
use inbounds_mechanisms::mechanism::Measurements;
use inbounds_statistics::{Estimate, ExpectedError, Unit, population::Interval};

use crate::{
    prepared_statistic::{Ends, PreparedStatistic},
    rounded::{Place, Rounded},
};

/// Level of the margins that notices and diagnostics state, whatever the plan chooses for its statistics.
pub const LEVEL: f64 = inbounds_bundle::NOTICE_LEVEL;

/// Where randomness comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Randomness {
    /// The operating system. The only choice for a private release.
    Secure,
    /// A seed anyone can guess; the bundle is marked as not private.
    Seeded(u64),
}

/// State of a ledger's entry for a bundle that stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entered {
    /// The plan names no ledger.
    NoLedger,
    /// The bundle is not private, so no budget accounts for it and nothing was charged.
    NotCharged,
    /// It has entered the bundle.
    Done,
    /// It has the price and could not enter that the bundle stands, for this reason; a check of the ledger will.
    Missed(String),
}

impl Entered {
    /// Note to show beside the numbers; nothing where the manifest says all.
    pub fn sentence(&self) -> Option<String> {
        match self {
            Self::NoLedger | Self::Done => None,
            Self::NotCharged => Some(
                "The ledger of the plan was neither asked nor charged: a budget accounts for what noise hides, and seeded noise \
                 hides nothing."
                    .to_owned(),
            ),
            Self::Missed(reason) => Some(format!(
                "The bundle is complete and its price counts, but the ledger could not enter that it stands: {reason}. Run \
                 `inbounds ledger check` to enter it."
            )),
        }
    }
}

/// Inputs of a run besides rows and plan.
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
    pub task: PreparedStatistic,
    /// Raw measurements, one vector a component.
    pub measured: Vec<Measurements>,
    /// Estimates, one a cell.
    pub estimates: Vec<Estimate>,
    /// Projection that made levels or margins add up; `None` for cells by themselves.
    pub projection: Option<ProjectionEntry>,
    /// Estimates as they are shown, where the plan rounds counts and they are such.
    pub rounded: Option<Rounded>,
    /// Intervals for the population, one an estimate; empty where none were asked for.
    pub population: Vec<Option<Interval>>,
    /// Errors to expect, before anything is measured.
    pub expected: Vec<ExpectedError>,
    /// Largest absolute bias of an estimate over its range, where that is known.
    pub worst_bias: Option<f64>,
    /// Notices to read before using the estimates.
    pub notices: Vec<Notice>,
}

impl Released {
    /// Shows its numbers as multiples, if they are counts.
    pub(crate) fn round(&mut self, to: u64) {
        let outputs = self.task.prepared.outputs();
        if !outputs.iter().all(|output| matches!(output.unit, Unit::Rows | Unit::Units)) {
            return;
        }
        let columns = self.task.key_columns().len();
        let labels = self.task.labels();
        let places: Vec<Place<'_>> =
            labels.iter().map(|label| (0..columns).map(|column| label.key.get(column)).collect()).collect();
        let values: Vec<f64> = self.estimates.iter().map(|estimate| estimate.value).collect();
        let intervals: Vec<(f64, f64)> =
            self.estimates.iter().map(|estimate| (estimate.lower, estimate.upper)).collect();
        self.rounded = Some(Rounded::new(&values, &intervals, &places, to));
    }

    /// Of each estimate whether its interval is nearly all of its range, so that it tells nothing.
    pub fn tells_nothing(&self) -> impl Iterator<Item = bool> {
        let ranges = self.task.prepared.ends().into_iter().cycle();
        self.estimates.iter().zip(ranges).map(|(estimate, range)| tells_nothing(estimate, &range))
    }
}

/// Published numbers of a release, without their description.
pub(crate) struct Published<'a> {
    /// Statistics in plan order.
    pub(crate) statistics: &'a [Released],
    /// Measurements of the rows themselves.
    pub(crate) diagnostics: Option<DiagnosticsEntry>,
    /// Rows that statistics leave out.
    pub(crate) left_out: Vec<LeftOutEntry>,
}

/// `true` if the interval of an estimate is nearly all of its range.
pub(crate) fn tells_nothing(estimate: &Estimate, (lower, upper): &Ends) -> bool {
    estimate.tells_nothing((lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY)))
}
