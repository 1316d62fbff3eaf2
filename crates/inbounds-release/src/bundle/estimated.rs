//! The rows of the table of estimates.

use inbounds_statistics::{Estimate, population::Interval};

use super::rows::{Row, Rows, Vector};
use crate::{Released, entries, plan::Plan, prepared_statistic::Ends, released::tells_nothing};

/// Published numbers of a statistic.
pub(super) struct Estimated<'a> {
    estimates: &'a [Estimate],
    /// Of each output of a cell.
    units: Vec<String>,
    ends: Vec<Ends>,
    /// Level of the intervals, and whether it is that of all at once.
    interval: (f64, bool),
    /// One an estimate, or none.
    population: &'a [Option<Interval>],
    /// Multiples to show, if there are any.
    rounded: Option<&'a [f64]>,
    /// Which may have classes of their relative errors.
    plan: &'a Plan,
}

impl<'r> Row<'r, Estimated<'_>> {
    pub(super) fn estimate(&self) -> &'r Estimate {
        &self.vector.known.estimates[self.place]
    }

    pub(super) fn unit(&self) -> &'r str {
        let units = &self.vector.known.units;
        &units[self.place % units.len()]
    }

    pub(super) fn population(&self) -> Option<Interval> {
        self.vector.known.population.get(self.place).copied().flatten()
    }

    /// Level of its interval, and whether it is that of all of its statistic at once.
    pub(super) fn interval(&self) -> (f64, bool) {
        self.vector.known.interval
    }

    /// `true` if the plan rounds counts.
    pub(super) fn rounds(&self) -> bool {
        self.vector.known.plan.round.is_some()
    }

    /// The multiple that is shown, where counts are rounded.
    pub(super) fn rounded(&self) -> Option<f64> {
        self.vector.known.rounded.map(|values| values[self.place])
    }

    /// The class of its relative error, if the plan has any.
    pub(super) fn quality(&self) -> Option<&'r str> {
        self.vector.known.plan.class_of(self.estimate())
    }

    pub(super) fn tells_nothing(&self) -> bool {
        let ends = &self.vector.known.ends;
        tells_nothing(self.estimate(), &ends[self.place % ends.len()])
    }
}

/// The rows of all statistics, in plan order.
pub(super) fn estimated<'a>(plan: &'a Plan, statistics: &'a [Released]) -> Rows<'a, Estimated<'a>> {
    let vector = |released: &'a Released| {
        let (described, prepared) = (&plan.statistics[released.task.index], &released.task.prepared);
        let unit = |unit: &_| entries::unit(plan, described, unit).to_string();
        let known = Estimated {
            estimates: &released.estimates,
            units: prepared.outputs().iter().map(|output| unit(&output.unit)).collect(),
            ends: prepared.ends(),
            interval: (released.task.coverage.level, released.task.coverage.joint),
            population: &released.population,
            rounded: released.rounded.as_ref().map(|rounded| rounded.values.as_slice()),
            plan,
        };
        let labels = released.task.labels();
        assert_eq!(labels.len(), released.estimates.len(), "one label an estimate");
        Vector::new(plan, released, labels, known)
    };
    Rows::new(statistics, statistics.iter().map(vector).collect())
}
