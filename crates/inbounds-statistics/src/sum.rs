//! Sums and means of a clipped column.

use std::sync::Arc;

use inbounds_core::{Quantity, Rational};

use crate::{
    Ask, Clip, Column, OutputRange, Ratio, Reading, Setting, SharedMean, SharedSum, Single, Statistic, StatisticError,
    Unit, of_sum, population::Parameter, sensitivity::range_of_sum,
};

/// The sum of a column in each cell, described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    /// The column, with the bounds to which rows are clipped.
    pub column: Column,
    /// Where estimates must lie.
    pub range: OutputRange,
}

impl Sum {
    /// Of a column, in the range that follows from its bounds.
    pub fn new(column: Column) -> Self {
        Self { column, range: OutputRange::Natural }
    }

    /// Calibrates one sum a cell.
    ///
    /// # Guarantee
    /// For bounds `[l, u]` one row moves its cell by at most `max(|l|, |u|)` under add-remove, and the sum over a
    /// public number of rows by at most `u - l`; see [`of_sum`]. Where numbers are shared with other statistics, a sum
    /// over a private number of rows is made of that number and of the sum of distances from the middle of the bounds.
    ///
    /// # Errors
    /// [`StatisticError::Bounds`], and what range and calibration refuse. None depends on data.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{Column, ColumnBounds, Design, Missing, OutputRange, PrivacyUnit, Setting, Sum};
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None },
    ///     cells: 1, grouped: false, filtered: false, mechanism: registry::default().into(),
    ///     epsilon: Epsilon::new("0.5".parse()?)?, delta: Delta::ZERO, rho_rate: None, together: None,
    /// };
    /// let bounds = ColumnBounds { lower: "0".parse()?, upper: "30".parse()?, integer: true, missing: Missing::Drop };
    /// let nights = Sum { column: Column { name: "nights".into(), bounds }, range: OutputRange::Natural };
    /// assert_eq!(nights.prepare(&setting).expect("valid").components()[0].scale(), 60.0);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn prepare(&self, setting: &Setting) -> Result<Arc<dyn Statistic>, StatisticError> {
        let rows = setting.complete_rows(std::slice::from_ref(&self.column));
        if rows.is_none() && setting.together.is_some() {
            return Ok(Arc::new(SharedSum::prepare(setting, &self.column, &self.range)?));
        }
        Ok(Arc::new(summed(setting, &self.column, &self.range, (Quantity::Sum, 1), rows)?))
    }
}

/// The mean of a column in each cell, described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mean {
    /// The column, with the bounds to which rows are clipped.
    pub column: Column,
    /// Where estimates must lie.
    pub range: OutputRange,
}

impl Mean {
    /// Of a column, in the range that follows from its bounds.
    pub fn new(column: Column) -> Self {
        Self { column, range: OutputRange::Natural }
    }

    /// Calibrates one mean a cell: of a public number of rows that all count, the sum over it ([`Single`]); elsewhere a
    /// ratio of noisy sums, of two distances or, with Gaussian noise and where numbers are shared, of a centred sum and
    /// the number of rows.
    ///
    /// # Errors
    /// [`StatisticError::Bounds`], [`StatisticError::RatioMechanism`] and [`StatisticError::UnboundedRatio`] for a
    /// private number of rows, and what range and calibration refuse. None depends on data.
    ///
    /// # Example
    /// One of 400 rows moves a mean over `[0, 1]` by 1/400.
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{Column, ColumnBounds, Design, Mean, Missing, OutputRange, PrivacyUnit, Setting};
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(400) },
    ///     cells: 1, grouped: false, filtered: false, mechanism: registry::default().into(),
    ///     epsilon: Epsilon::new("0.5".parse()?)?, delta: Delta::ZERO, rho_rate: None, together: None,
    /// };
    /// let missing = Missing::Impute("0".parse()?);
    /// let bounds = ColumnBounds { lower: "0".parse()?, upper: "1".parse()?, integer: true, missing };
    /// let mean = Mean { column: Column { name: "insured".into(), bounds }, range: OutputRange::Natural };
    /// assert_eq!(mean.prepare(&setting).expect("valid").components()[0].scale(), 0.005);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn prepare(&self, setting: &Setting) -> Result<Arc<dyn Statistic>, StatisticError> {
        let Some(rows) = setting.complete_rows(std::slice::from_ref(&self.column)) else {
            let shared = match &setting.together {
                Some(_) => Some(setting.clone()),
                None => setting.mechanism.entry().is_clamped_gaussian().then(|| setting.clone().with_numbers(2)),
            };
            if let Some(setting) = shared {
                return Ok(Arc::new(SharedMean::prepare(&setting, &self.column, &self.range)?));
            }
            return Ok(Arc::new(Ratio::prepare(setting, &self.column.bounds, &self.range)?));
        };
        let mean = summed(setting, &self.column, &self.range, (Quantity::MEAN, rows), Some(rows))?;
        Ok(Arc::new(mean.of_population(Parameter::Mean { rows, bounds: self.column.bounds.ends() })))
    }
}

/// The sum of a column over a divisor; `rows` where it is that of a public number of them.
fn summed(
    setting: &Setting,
    column: &Column,
    range: &OutputRange,
    (quantity, divisor): (Quantity, u64),
    rows: Option<u64>,
) -> Result<Single, StatisticError> {
    let clip = Clip::for_sums(&column.bounds, &setting.epsilon)?;
    let sensitivity = of_sum(&setting.design, clip.ends(), setting.cells, rows.is_some());
    let step = (clip.grid, divisor);
    let range = range.in_steps(step, range_of_sum(clip.ends(), rows, setting.design.rows))?;
    let component = setting.bounded_component((quantity, &Rational::ONE), step, &sensitivity, range)?;
    let ask = Ask { clips: vec![clip], ..Ask::default() };
    Ok(Single::new(setting, Reading::Sum, Unit::Columns(vec![0]), ask, component))
}
