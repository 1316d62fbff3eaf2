//! Numbers of rows and of units, and shares of a public number of rows.

use inbounds_core::{Grid, Quantity, Rational};

use crate::{
    Ask, OutputRange, PrivacyUnit, Reading, Setting, Single, StatisticError, Unit, of_distinct_units, of_sum,
    population::Parameter,
};

/// The number of rows of each cell, described.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Count {
    /// Where estimates must lie.
    pub range: OutputRange,
}

impl Count {
    /// Calibrates one count a cell.
    ///
    /// # Guarantee
    /// One row moves one cell by one under add-remove, two cells by one each under substitution; see [`of_sum`].
    ///
    /// # Errors
    /// [`StatisticError::PublicCount`] where the number of rows is public, and what range and calibration refuse. None
    /// depends on data.
    ///
    /// # Example
    /// A count under add-remove: one row moves it by 1, and it is not negative.
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{Count, Design, PrivacyUnit, Setting, Statistic};
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None },
    ///     cells: 1, grouped: false, filtered: false, mechanism: registry::default().into(),
    ///     epsilon: Epsilon::new("0.5".parse()?)?, delta: Delta::ZERO, rho_rate: None, together: None,
    /// };
    /// let count = Count::default().prepare(&setting).expect("valid");
    /// assert_eq!((count.components()[0].scale(), count.ranges()), (2.0, vec![(0.0, f64::INFINITY)]));
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn prepare(&self, setting: &Setting) -> Result<Single, StatisticError> {
        match setting.rows() {
            Some(_) => Err(StatisticError::PublicCount),
            None => counted(setting, &self.range, Quantity::COUNT, 1, setting.design.rows),
        }
    }
}

/// The number of distinct privacy units with a row in each cell, described.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DistinctUnits {
    /// Where estimates must lie.
    pub range: OutputRange,
}

impl DistinctUnits {
    /// Calibrates one number of units a cell.
    ///
    /// # Guarantee
    /// A unit counts at most once in a cell, and in at most as many cells as it may have rows; see
    /// [`of_distinct_units`]. So without groups it moves the number by 1, however many rows it may have.
    ///
    /// # Errors
    /// [`StatisticError::UnitsAreRows`] where the unit is a row, and what range and calibration refuse. None depends on
    /// data.
    ///
    /// # Example
    /// Persons with up to 20 rows each: the scale of the noise is that of one row.
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{Contribution, Design, DistinctUnits, PrivacyUnit, Setting, Statistic};
    /// let unit = PrivacyUnit::Column(Contribution::of_rows(20));
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::AddRemove, unit, rows: None },
    ///     cells: 1, grouped: false, filtered: false, mechanism: registry::default().into(),
    ///     epsilon: Epsilon::new("0.5".parse()?)?, delta: Delta::ZERO, rho_rate: None, together: None,
    /// };
    /// let persons = DistinctUnits::default().prepare(&setting).expect("valid");
    /// assert_eq!((persons.components()[0].scale(), persons.ranges()), (2.0, vec![(0.0, f64::INFINITY)]));
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn prepare(&self, setting: &Setting) -> Result<Single, StatisticError> {
        if setting.design.unit == PrivacyUnit::Row {
            return Err(StatisticError::UnitsAreRows);
        }
        let step = (Grid::INTEGERS, 1);
        let range = self.range.in_steps(step, (Some(0), None))?;
        let sensitivity = of_distinct_units(&setting.design, setting.cells);
        let component = setting.bounded_component((Quantity::COUNT, &Rational::ONE), step, &sensitivity, range)?;
        let ask = Ask { rows_per_cell: Some(1), ..Ask::default() };
        Ok(Single::new(setting, Reading::Units, Unit::Units, ask, component))
    }
}

/// The share of a public number of rows that a filter selects, or that belong to a key, described.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Share {
    /// Where estimates must lie.
    pub range: OutputRange,
}

impl Share {
    /// Calibrates one share a cell: a count over the public number `n` of rows, so that one row moves it by `1/n`.
    ///
    /// # Errors
    /// [`StatisticError::PublicCount`] where all rows are selected, [`StatisticError::NoRows`] and
    /// [`StatisticError::FewRows`] without a public number of rows, and what range and calibration refuse. None depends
    /// on data.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{Design, PrivacyUnit, Setting, Share, Statistic};
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(400) },
    ///     cells: 1, grouped: false, filtered: true, mechanism: registry::default().into(),
    ///     epsilon: Epsilon::new("0.5".parse()?)?, delta: Delta::ZERO, rho_rate: None, together: None,
    /// };
    /// let share = Share::default().prepare(&setting).expect("valid");
    /// assert_eq!((share.components()[0].scale(), share.ranges()), (0.005, vec![(0.0, 1.0)]));
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn prepare(&self, setting: &Setting) -> Result<Single, StatisticError> {
        match setting.design.public_rows() {
            _ if setting.rows().is_some() => Err(StatisticError::PublicCount),
            None => Err(StatisticError::NoRows { quantity: "a proportion" }),
            Some(0) => Err(StatisticError::FewRows { quantity: "a proportion", least: 1, found: 0 }),
            Some(rows) => {
                let share = counted(setting, &self.range, Quantity::Proportion, rows, Some(rows))?;
                Ok(share.of_population(Parameter::Proportion { rows }))
            }
        }
    }
}

/// Numbers of at most this many rows, over a divisor.
pub(crate) fn counted(
    setting: &Setting,
    range: &OutputRange,
    quantity: Quantity,
    divisor: u64,
    most: Option<u64>,
) -> Result<Single, StatisticError> {
    let unit = if quantity == Quantity::Proportion { Unit::None } else { Unit::Rows };
    let step = (Grid::INTEGERS, divisor);
    let range = range.in_steps(step, (Some(0), most.map(i128::from)))?;
    let sensitivity = of_sum(&setting.design, (1, 1), setting.cells, false);
    let component = setting.bounded_component((quantity, &Rational::ONE), step, &sensitivity, range)?;
    Ok(Single::new(setting, Reading::Count, unit, Ask::default(), component))
}
