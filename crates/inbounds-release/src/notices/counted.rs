//! Numbers of rows that a release measured, each with an interval.
//!
//! The probability that any interval misses is divided by Bonferroni: in equal parts among the statistics and what
//! diagnostics measure; half of a statistic's part for its total, a quarter for its cells, a quarter for what lies at
//! the ends of its bounds or, of a count, for its public numbers. Noise laws are known, so each radius is a bound that
//! holds for any data.

use inbounds_bundle::ODDS_OF_FALSE_NOTICE;
use inbounds_data::Keys;
use inbounds_mechanisms::{
    interval::sum_radius,
    mechanism::{Measurements, Mechanism},
};
use inbounds_statistics::{Entries, RowsMeasured};

use crate::{
    plan::{CellTotal, MostOfUnit, Plan, StatisticKind},
    released::{LEVEL, Released},
};

/// The part of a probability of error that each of `statistics` statistics has, diagnostics counting as one more.
pub(crate) fn miss_of_statistic(statistics: usize) -> f64 {
    1.0 / (f64::from(ODDS_OF_FALSE_NOTICE) * (statistics + 1) as f64)
}

/// A measured number and the interval that it gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Between {
    pub(crate) lower: f64,
    pub(crate) measured: f64,
    pub(crate) upper: f64,
}

impl Between {
    /// The sum of all of `steps`, which misses with probability at most `miss`.
    pub(crate) fn of_sum(mechanism: &dyn Mechanism, steps: impl ExactSizeIterator<Item = i128>, miss: f64) -> Self {
        let reach = Reach::new(mechanism, steps.len(), miss);
        reach.around(mechanism, steps)
    }

    pub(super) fn times(self, weight: f64) -> Self {
        Self { lower: self.lower * weight, measured: self.measured * weight, upper: self.upper * weight }
    }

    /// The width of the interval, infinite without a bound.
    pub(crate) fn width(&self) -> f64 {
        self.upper - self.lower
    }

    /// The measured number as a number of rows.
    pub(crate) fn rows(&self) -> u64 {
        self.measured.max(0.0).round() as u64
    }

    /// Largest error of the measured number either way, in rows; `None` without a bound.
    pub(crate) fn margin(&self) -> Option<u64> {
        let margin = (self.upper - self.measured).max(self.measured - self.lower);
        margin.is_finite().then(|| margin.ceil() as u64)
    }

    /// The upper end as a number of rows.
    pub(crate) fn at_most(&self) -> u64 {
        self.upper.max(0.0).ceil() as u64
    }
}

/// Largest distance of a sum of measurements from its answer.
pub(super) enum Reach {
    /// By this many steps, whatever the measurements.
    Radius(f64),
    /// By what each measurement leaves open at this probability of error: noise that is no plain sum.
    Each(f64),
}

impl Reach {
    pub(super) fn new(mechanism: &dyn Mechanism, terms: usize, miss: f64) -> Self {
        match mechanism.adds_noise() {
            true => Self::Radius(sum_radius(mechanism.noise(), terms, miss)),
            false => Self::Each(miss / terms.max(1) as f64),
        }
    }

    pub(super) fn around(&self, mechanism: &dyn Mechanism, steps: impl Iterator<Item = i128>) -> Between {
        match self {
            Self::Radius(radius) => {
                let measured = steps.sum::<i128>() as f64;
                Between { lower: measured - radius, measured, upper: measured + radius }
            }
            Self::Each(miss) => steps.fold(Between { lower: 0.0, measured: 0.0, upper: 0.0 }, |sum, steps| {
                let interval = mechanism.interval(steps, 1.0 - miss);
                Between {
                    lower: sum.lower + interval.lower.map_or(f64::NEG_INFINITY, |lower| lower as f64),
                    measured: sum.measured + steps as f64,
                    upper: sum.upper + interval.upper.map_or(f64::INFINITY, |upper| upper as f64),
                }
            }),
        }
    }
}

/// The numbers of rows of one statistic.
pub(super) struct Counted<'a> {
    pub(super) name: &'a str,
    pub(super) filter: Option<&'a str>,
    /// Grouping columns and their listed keys.
    pub(super) keys: Option<&'a Keys>,
    /// Columns whose missing values leave rows out.
    pub(super) dropped: Vec<&'a str>,
    /// Rows of a privacy unit that count at most; none where a row is the unit.
    pub(super) most_a_unit: Option<u64>,
    /// True if limits on the rows of a unit depend on the groups.
    pub(super) is_by_group: bool,
    /// True if its cells add up to all rows, because the plan says that all are in listed cells.
    pub(super) is_of_all: bool,
    /// Rows of all cells.
    pub(super) total: Between,
    /// The same at the level of published intervals, so that no notice calls hidden what an interval shows.
    pub(super) shown: Between,
    /// Rows of each key; empty where keys are not measured one by one.
    pub(super) cells: Vec<Between>,
    pub(super) ends: Option<Ends<'a>>,
}

/// Measurements at the ends of a column's bounds.
pub(super) struct Ends<'a> {
    pub(super) column: &'a str,
    pub(super) at: At,
}

pub(super) enum At {
    /// Distances of all rows together from the lower bound and to the upper one, in the same unit.
    Distances { bounds: (f64, f64), sums: [Between; 2] },
    /// Rows in the first and the last bin, with the inner edges of these.
    Bins { edges: (f64, f64), rows: [Between; 2] },
}

impl<'a> Counted<'a> {
    /// `None` where no number of rows was measured. All intervals hold together but with probability `miss`.
    pub(super) fn new(plan: &'a Plan, released: &'a Released, miss: f64) -> Option<Self> {
        let task = &released.task;
        let measured = task.prepared.rows_measured();
        let fine = measured.last()?;
        let statistic = &plan.statistics[task.index];
        // A row in several cells counts in each of them.
        if plan.set_of(statistic).is_some() {
            return None;
        }
        let cells = &released.measured[fine.component];
        let keys = task.query.keys.as_ref();
        let (mechanism, groups) = (&**cells.mechanism(), keys.map_or(1, Keys::len));
        let numbers = cells.steps().len();
        let (is_by_key, entries) = match task.prepared.measured_levels()[fine.component] {
            // The cells of a table need not be measured.
            Some((_, of_level)) => (of_level == groups, numbers / of_level),
            None if numbers.is_multiple_of(groups) => (true, numbers / groups),
            None => (false, 1),
        };
        let reach = Reach::new(mechanism, entries, 0.25 * miss / groups as f64);
        let of_cell = |steps: &[i128]| reach.around(mechanism, steps.iter().copied()).times(fine.weight());
        let by_key = if is_by_key { cells.steps() } else { &[] };
        let mut dropped: Vec<&str> = task.query.dropped().collect();
        dropped.dedup();
        Some(Self {
            name: &statistic.name.value,
            filter: statistic.filter.as_ref().map(|filter| filter.value.as_str()),
            keys,
            dropped,
            most_a_unit: task.query.bound.as_ref().map(|bound| bound.rows),
            is_by_group: plan.privacy.unit.most().is_some_and(MostOfUnit::is_by_group),
            is_of_all: match &statistic.kind {
                StatisticKind::Proportion(shares) => shares.total() == CellTotal::Rows && !statistic.by.is_empty(),
                StatisticKind::Count(count) => count.total() == CellTotal::Rows,
                _ => false,
            },
            shown: total(released, 1.0 - LEVEL)?,
            total: total(released, 0.5 * miss)?,
            cells: by_key.chunks_exact(entries).map(of_cell).collect(),
            ends: ends(released, (cells, entries), fine.entries, 0.25 * miss),
        })
    }

    /// Names of the grouping columns.
    pub(super) fn by(&self) -> Vec<String> {
        self.keys.map_or_else(Vec::new, |keys| keys.columns().to_vec())
    }

    /// Number of cells that the keys list.
    pub(super) fn groups(&self) -> usize {
        self.keys.map_or(1, Keys::len)
    }

    /// The listed keys, which two statistics may share.
    pub(super) fn listed(&self) -> Option<&Keys> {
        self.keys
    }
}

/// The rows that count in a statistic, in an interval that misses with probability at most `miss`; `None` where no
/// number of rows was measured.
pub(super) fn total(released: &Released, miss: f64) -> Option<Between> {
    // How wide an interval for noise is depends on no measurement, so the narrowest may be taken.
    let of_one = |one: &RowsMeasured| sum(&released.measured[one.component], miss).times(one.weight());
    released.task.prepared.rows_measured().iter().map(of_one).min_by(|a, b| a.width().total_cmp(&b.width()))
}

fn sum(measured: &Measurements, miss: f64) -> Between {
    Between::of_sum(&**measured.mechanism(), measured.steps().iter().copied(), miss)
}

/// Measurements at the ends, if the statistic is of one column and has them.
fn ends<'a>(
    released: &'a Released,
    (measured, of_cell): (&Measurements, usize),
    entries: Entries,
    miss: f64,
) -> Option<Ends<'a>> {
    let query = &released.task.query;
    let every = |first: usize| {
        let steps: Vec<i128> = measured.steps().iter().skip(first).step_by(of_cell).copied().collect();
        Between::of_sum(&**measured.mechanism(), steps.into_iter(), 0.5 * miss)
    };
    match (entries, &query.bins, &query.values[..]) {
        (Entries::Distances { .. }, None, [value]) => {
            let end = |steps: i64| value.grid.value(steps.into());
            let bounds = (end(value.lower), end(value.upper));
            Some(Ends { column: &value.column, at: At::Distances { bounds, sums: [every(0), every(1)] } })
        }
        (Entries::Rows, Some(bins), []) if bins.len() > 2 && of_cell == bins.len() => {
            let edges = (bins.edges()[1], bins.edges()[bins.len() - 1]);
            Some(Ends { column: bins.column(), at: At::Bins { edges, rows: [every(0), every(of_cell - 1)] } })
        }
        _ => None,
    }
}
