//! Intervals for the population of which the rows are a random sample.
//!
//! They stand beside the intervals for the rows, and read the same measurements, so that they cost nothing.

use inbounds_mechanisms::mechanism::Measurements;
use inbounds_statistics::{
    Component, StatisticError,
    compound::Compound,
    covariance,
    population::{self, Interval, Measured, Spread},
    variance::Measure,
};

use crate::{
    asked::Asked,
    plan::{MatrixRoute, StatisticKind},
};

/// One interval an estimate, in their order; none where the method has none.
pub(crate) type Intervals = Vec<Option<Interval>>;

/// Why a statistic has no interval for a population, said before rows are read; `None` if it has.
pub(crate) fn refusal(asked: &Asked) -> Option<&'static str> {
    let public = asked.rows().is_some();
    if asked.setting.design.rows.is_some_and(|rows| rows < 2) {
        return Some("one row says nothing of a population");
    }
    match &asked.kind {
        StatisticKind::Mean { .. } if !public => {
            Some("a mean has one only over a public number of rows: ask for a variance, which brings its mean")
        }
        StatisticKind::Covariance { route: MatrixRoute::Matrix, .. } => {
            Some("a covariance matrix has them only with measure = \"entries\"")
        }
        StatisticKind::Covariance { .. } if !public => Some("covariances have them only over a public number of rows"),
        _ => None,
    }
}

impl Asked {
    /// Intervals for the population at a level; `seed` is that of simulated samples, and may be published.
    ///
    /// # Errors
    /// [`StatisticError`] as in [`inbounds_statistics::population`]; none that [`refusal`] and the calibration let pass.
    pub(crate) fn population(
        &self,
        components: &[&Component],
        measured: &[Measurements],
        (level, seed): (f64, u64),
    ) -> Result<Intervals, StatisticError> {
        let public = self.rows();
        let one = |index: usize| Measured { component: components[index], steps: measured[index].steps()[0] };
        let bounds = |index: usize| {
            let bounds = &self.columns[index].bounds;
            (bounds.lower.to_f64(), bounds.upper.to_f64())
        };
        match &self.kind {
            StatisticKind::Mean { .. } => {
                let rows = public.ok_or(StatisticError::NoPopulation)?;
                Ok(vec![Some(population::mean(&one(0), rows, bounds(0), Spread::Bounds, level)?)])
            }
            StatisticKind::Proportion { .. } if !self.setting.grouped => {
                let rows = public.ok_or(StatisticError::NoPopulation)?;
                Ok(vec![Some(population::proportion(&one(0), rows, level)?)])
            }
            StatisticKind::Proportion { rule, total } => {
                let shares = self.proportions(*rule, *total).prepare(&self.setting)?;
                let steps: Vec<&[i128]> = measured.iter().map(Measurements::steps).collect();
                let of_cell = |ends: Option<(f64, f64)>| ends.map(|(lower, upper)| Interval { lower, upper });
                Ok(shares.population(&steps, level).into_iter().map(of_cell).collect())
            }
            StatisticKind::Variance { .. } | StatisticKind::StandardDeviation { .. } => {
                let of_variance = match self.kind {
                    StatisticKind::StandardDeviation { .. } => root,
                    _ => |interval| interval,
                };
                match public {
                    Some(rows) => Ok(vec![Some(of_variance(population::variance(&one(0), rows, bounds(0), level)?))]),
                    None => of_spread(&*self.spread(Measure::Variance)?, measured, (level, seed), of_variance),
                }
            }
            StatisticKind::Covariance { .. } => {
                let rows = public.ok_or(StatisticError::NoPopulation)?;
                let size = self.columns.len();
                let place = |j: usize, k: usize| covariance::place(size, j, k);
                let pairs = (0..size).flat_map(|j| (j..size).map(move |k| (j, k)));
                let entry = |(j, k): (usize, usize)| {
                    let found = if j == k {
                        population::variance(&one(place(j, j)), rows, bounds(j), level)?
                    } else {
                        let three = [one(place(j, j)), one(place(j, k)), one(place(k, k))];
                        population::covariance(three.each_ref(), rows, [bounds(j), bounds(k)], level)?
                    };
                    Ok(Some(found))
                };
                pairs.map(entry).collect()
            }
            _ => Err(StatisticError::NoPopulation),
        }
    }
}

/// From the interval of a variance to that of its root.
fn root(Interval { lower, upper }: Interval) -> Interval {
    Interval { lower: f64::sqrt(lower), upper: f64::sqrt(upper) }
}

/// Variance and mean of each cell over a private number of rows; the number of rows is of no population.
fn of_spread(
    variance: &dyn Compound,
    measured: &[Measurements],
    (level, seed): (f64, u64),
    of_variance: fn(Interval) -> Interval,
) -> Result<Intervals, StatisticError> {
    let cells = population::private_rows(variance, measured, level, seed)?;
    Ok(cells.into_iter().flat_map(|[variance, mean]| [Some(of_variance(variance)), Some(mean), None]).collect())
}
