//! Numbers of rows and of units in cells whose keys the plan did not list.

use std::sync::Arc;

use inbounds_core::{Answer, Epsilon, Grid, IntervalMethod, Neighbours, Quantity, Rational, Sensitivity, Tally};
use inbounds_mechanisms::{
    calibrate::CalibrationError,
    mechanism::{BiasFormula, Measurements, Mechanism},
    partition::{KeyNoise, KeySelection, NewCells},
    sampler::Entropy,
};

use crate::{
    Ask, Component, Estimate, ExpectedError, Output, PrivacyUnit, Reading, Scenario, Setting, Single, Statistic,
    StatisticError, Unit, of_distinct_units, of_sum,
};

/// A public space of keys, all of which get noise.
#[derive(Debug, Clone, PartialEq)]
pub struct SpaceOfKeys {
    /// Number of possible keys.
    pub cells: u64,
    /// Largest expected number of published cells without rows.
    pub spurious: Rational,
}

/// The keys that a choice is made from, and how.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyChoice {
    /// Those that rows have, by noise of a kind, with the delta of the setting.
    OfRows(KeyNoise),
    /// All of a public space, without delta.
    OfSpace(SpaceOfKeys),
}

/// Numbers of rows or of units in the cells that noise chose to publish, of all whose key some row has, or of all of a
/// space.
///
/// # Law
/// A cell of `n >= 1`, or in a space of `n >= 0`, is published with its noisy count `y = n + Z` if `y >= T`; see
/// [`KeySelection`]. Whatever is said of a published cell, its bias, error and interval, is given that it is published.
/// The sum over published cells misses all others. Claim: `plan-learned-keys`.
///
/// # Example
/// A published number of rows is never far below the threshold, and the interval of one at the threshold holds every
/// smaller count.
/// ```
/// use inbounds_core::{Delta, Epsilon, Neighbours};
/// use inbounds_mechanisms::{partition::KeyNoise, registry};
/// use inbounds_statistics::{Design, KeyChoice, LearnedCount, PrivacyUnit, Setting, Statistic};
/// let setting = Setting {
///     design: Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None },
///     cells: u64::MAX, grouped: true, filtered: false, mechanism: registry::default().into(),
///     epsilon: Epsilon::new("1".parse()?)?, delta: Delta::new("1e-9".parse()?)?, rho_rate: None, together: None,
/// };
/// let codes = LearnedCount::of_rows(&setting, &KeyChoice::OfRows(KeyNoise::Symmetric)).expect("calibrates");
/// assert_eq!((codes.selection().threshold(), codes.ranges()), (21, vec![(1.0, f64::INFINITY)]));
/// // Nothing is known of its cells before noise has chosen them.
/// assert_eq!((codes.cells(), codes.with_cells(3).cells()), (0, 3));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone)]
pub struct LearnedCount {
    selection: Arc<KeySelection>,
    single: Single,
}

impl LearnedCount {
    /// Numbers of rows; of the setting, cells and mechanism do not matter.
    ///
    /// # Guarantee
    /// `(epsilon, delta)` of the setting, for published keys and numbers together; of a space of keys `epsilon` alone.
    /// With `m` rows a unit the counts of all keys that can be move by `m` in l1 under add-remove and by `2 m` under
    /// substitution ([`of_sum`]), and one unit alone has at most `m` rows, in as many cells as it may have groups, with
    /// as many in each as it may have in a group.
    ///
    /// # Errors
    /// [`StatisticError::Calibration`]: without delta, or where noise or threshold are too extreme. None depends on
    /// data.
    pub fn of_rows(setting: &Setting, keys: &KeyChoice) -> Result<Self, StatisticError> {
        let unit = setting.design.contribution();
        let sensitivity = of_sum(&setting.design, (1, 1), u64::MAX, false);
        let new = NewCells::new(unit.groups(), unit.rows_per_group(), unit.rows())?;
        let selection = calibrated(setting, &sensitivity, new, keys)?;
        Ok(Self::new(setting, selection, Unit::Rows, Ask::default()))
    }

    /// Numbers of distinct units.
    ///
    /// # Guarantee
    /// As for rows, but a unit counts once in a cell ([`of_distinct_units`]), so that it alone has one in each of as
    /// many cells as it may have groups.
    ///
    /// # Errors
    /// [`StatisticError::UnitsAreRows`] where the unit is a row, and those of [`LearnedCount::of_rows`].
    pub fn of_units(setting: &Setting, keys: &KeyChoice) -> Result<Self, StatisticError> {
        if setting.design.unit == PrivacyUnit::Row {
            return Err(StatisticError::UnitsAreRows);
        }
        let groups = setting.design.contribution().groups();
        let sensitivity = of_distinct_units(&setting.design, u64::MAX);
        let selection = calibrated(setting, &sensitivity, NewCells::new(groups, 1, groups)?, keys)?;
        Ok(Self::new(setting, selection, Unit::Units, Ask { rows_per_cell: Some(1), ..Ask::default() }))
    }

    fn new(setting: &Setting, selection: KeySelection, unit: Unit, ask: Ask) -> Self {
        let selection = Arc::new(selection);
        let component =
            Component { role: Quantity::COUNT, mechanism: selection.clone(), grid: Grid::INTEGERS, divisor: 1 };
        // Cells are known when noise has chosen them.
        let none = Setting { cells: 0, ..setting.clone() };
        Self { selection, single: Single::new(&none, Reading::Units, unit, ask, component) }
    }

    /// The choice of cells, with its threshold.
    pub fn selection(&self) -> &KeySelection {
        &self.selection
    }

    /// The same, of `cells` published cells.
    pub fn with_cells(&self, cells: usize) -> Self {
        Self { single: Single { cells, ..self.single.clone() }, ..self.clone() }
    }

    /// Measurements of the cells that were published.
    pub fn measurements(&self, steps: Vec<i128>) -> Measurements {
        Measurements::from_published(self.selection.clone(), steps)
    }
}

fn calibrated(
    setting: &Setting,
    moved: &Sensitivity,
    new: NewCells,
    keys: &KeyChoice,
) -> Result<KeySelection, CalibrationError> {
    match keys {
        KeyChoice::OfRows(noise) => {
            let new = match setting.design.neighbours {
                Neighbours::AddRemove => new,
                Neighbours::Substitute => new.replaced(),
            };
            KeySelection::calibrate(&setting.epsilon, &setting.delta, moved, new, *noise)
        }
        KeyChoice::OfSpace(space) => {
            KeySelection::calibrate_space(&setting.epsilon, moved, space.cells, &space.spurious)
        }
    }
}

impl Statistic for LearnedCount {
    fn ask(&self) -> Ask {
        self.single.ask()
    }

    fn components(&self) -> Vec<&Component> {
        self.single.components()
    }

    fn outputs(&self) -> Vec<Output> {
        self.single.outputs()
    }

    /// Of published cells; none before they are known.
    fn cells(&self) -> usize {
        self.single.cells()
    }

    fn answers(&self, tally: Tally) -> Vec<Answer> {
        self.single.answers(tally)
    }

    /// # Panics
    /// Always: measuring chooses the cells too, by [`KeySelection::select`].
    fn measure_answers(&self, _: Vec<Answer>, _: &mut dyn Entropy) -> Vec<Measurements> {
        panic!("cells whose keys are learned are measured by the selection of keys")
    }

    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        self.single.estimate(measured, level, seed)
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        self.single.ranges()
    }

    fn epsilon(&self) -> &Epsilon {
        self.single.epsilon()
    }

    /// Given that the cell is published: at the threshold and far above it.
    fn expected_errors(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        let expected = |(case, count): (&str, i128)| {
            let error = self.selection.error_at(count);
            let half_width = |level: f64| {
                let interval = self.selection.interval(count, level);
                interval.upper.zip(interval.lower).map(|(upper, lower)| 0.5 * (upper - lower) as f64)
            };
            let half_width = scenario.level.and_then(half_width);
            ExpectedError { case: case.to_owned(), bias: error.bias, rmse: error.rmse, half_width }
        };
        let (threshold, far) = self.selection.landmarks();
        let at_threshold = threshold.map(|count| ("at the threshold", count));
        at_threshold.into_iter().chain([("far above the threshold", far)]).map(expected).collect()
    }

    fn worst_bias(&self) -> Option<f64> {
        self.single.worst_bias()
    }

    fn bias_formula(&self) -> BiasFormula {
        self.single.bias_formula()
    }

    fn interval_method(&self) -> IntervalMethod {
        self.single.interval_method()
    }
}
