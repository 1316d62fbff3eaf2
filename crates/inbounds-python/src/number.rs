//! Statistics of what is in memory, without a plan.

use inbounds_statistics::{
    Column, Count, Describe, Mean, Missing, Protected, Published, Publisher, Records, StandardDeviation, Sum, Variance,
};
use pyo3::prelude::*;

use crate::{exact, failure::Failure, work};

/// Value, measurement, interval, bias and RMSE of a published number, with its name among others.
type Number = (String, f64, Option<f64>, (f64, f64), f64, f64);

/// Whom a statistic protects, and how.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Protection {
    epsilon: String,
    delta: Option<String>,
    neighbours: String,
    max_rows: Option<u64>,
    rows: Option<u64>,
    mechanism: Option<String>,
    level: f64,
    seed: Option<u64>,
}

impl Protection {
    /// A description with whom it protects.
    fn protect<D: Describe>(&self, description: D) -> Result<Protected<D>, Failure> {
        let neighbours = exact::neighbours(&self.neighbours)?;
        let protected = match (self.rows, self.max_rows) {
            (Some(_), Some(_)) => {
                let message = "give the public number of `rows`, or `max_rows` of a unit, not both";
                return Err(Failure::Parameter(message.to_owned()));
            }
            (Some(rows), None) => {
                let protected = description.among_rows(rows);
                if neighbours != inbounds_core::Neighbours::Substitute {
                    let message = "a number of `rows` is public only where neighbours = \"substitute\"";
                    return Err(Failure::Parameter(message.to_owned()));
                }
                protected
            }
            (None, Some(most)) => description.per_unit(neighbours, most),
            (None, None) => description.per_row(neighbours),
        };
        let protected = match &self.mechanism {
            Some(word) => protected.mechanism(exact::mechanism(word)?),
            None => protected,
        };
        Ok(protected.delta(exact::delta(self.delta.as_deref())?))
    }

    fn calibrated<D: Describe>(&self, protected: Protected<D>) -> Result<Publisher<D>, Failure> {
        exact::epsilon(&self.epsilon)?;
        Ok(protected.epsilon(&self.epsilon)?.level(self.level))
    }
}

fn numbers(published: Vec<Published>) -> Vec<Number> {
    let one = |one: Published| {
        let interval = (one.interval.lower, one.interval.upper);
        (one.quantity.to_string(), one.value, one.measurement, interval, one.bias, one.rmse)
    };
    published.into_iter().map(one).collect()
}

/// Publishes exact counts, of one group each, or of all rows.
#[pyfunction]
pub(crate) fn release_counts(
    py: Python<'_>,
    counts: Vec<u64>,
    grouped: bool,
    protection: Protection,
) -> PyResult<Vec<Number>> {
    let released = || -> Result<Vec<Number>, Failure> {
        let protected = protection.protect(Count::default())?;
        let protected = if grouped { protected.groups(counts.len() as u64) } else { protected };
        let publisher = protection.calibrated(protected)?;
        let mut entropy = exact::entropy(protection.seed)?;
        Ok(numbers(publisher.release_all(counts, &mut *entropy)))
    };
    work::apart(py, released)
}

/// Public facts about a column of values.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Bounds {
    lower: String,
    upper: String,
    missing: String,
    integer: bool,
}

impl Bounds {
    fn column(&self) -> Result<Column, Failure> {
        let missing = match self.missing.as_str() {
            "drop" => Missing::Drop,
            number => Missing::Impute(exact::number("missing", number)?),
        };
        exact::number("lower", &self.lower)?;
        exact::number("upper", &self.upper)?;
        let made = if self.integer { Column::whole } else { Column::new };
        Ok(made("values", &self.lower, &self.upper, missing)?)
    }
}

/// Publishes a statistic of values, which are private: `sum`, `mean`, `variance` or `standard-deviation`.
#[pyfunction]
pub(crate) fn release_values(
    py: Python<'_>,
    kind: &str,
    values: Vec<f64>,
    bounds: Bounds,
    protection: Protection,
) -> PyResult<Vec<Number>> {
    let released = || -> Result<Vec<Number>, Failure> {
        let (column, rows) = (bounds.column()?, Records::of_column(&values));
        let mut entropy = exact::entropy(protection.seed)?;
        macro_rules! publish {
            ($description:expr) => {
                protection.calibrated(protection.protect($description)?)?.release_rows(&rows, &mut *entropy)
            };
        }
        Ok(numbers(match kind {
            "sum" => publish!(Sum::new(column)),
            "mean" => publish!(Mean::new(column)),
            "variance" => publish!(Variance { column }),
            "standard-deviation" => publish!(StandardDeviation { column }),
            other => return Err(Failure::Parameter(format!("there is no statistic \"{other}\" of values"))),
        }))
    };
    work::apart(py, released)
}
