//! From description to calibrated mechanisms.

use std::sync::Arc;

use inbounds_core::{Answer, Epsilon, Grid, IntervalMethod, Neighbours, Quantity, Rational, StepRange};
use inbounds_mechanisms::{
    account::Event,
    mechanism::{BiasFormula, Measurements, Mechanism},
    registry,
    sampler::Entropy,
};

use crate::{
    Clip, ClipMissing, ColumnBounds, Design, Direct, Estimate, ExpectedError, Kind, Missing, OutputRange, PrivacyUnit,
    Ratio, RowsMeasured, Statistic, StatisticError, Supposed,
    grids::{self, Gridded},
    ratio,
    sensitivity::{of_distances, of_sum, range_of_sum},
};

/// One measured vector: a mechanism and the meaning of its steps.
#[derive(Debug, Clone)]
pub struct Component {
    /// What is measured.
    pub role: Quantity,
    /// The calibrated mechanism.
    pub mechanism: Arc<dyn Mechanism>,
    /// Grid of the answer.
    pub grid: Grid,
    /// A value is `steps * grid spacing / divisor`.
    pub divisor: u64,
}

impl Component {
    /// One step in the statistic's unit.
    pub fn step(&self) -> f64 {
        self.grid.spacing() / self.divisor as f64
    }

    /// The value of a step count.
    pub fn value(&self, steps: i128) -> f64 {
        self.grid.value(steps) / self.divisor as f64
    }

    /// The l1 sensitivity in the statistic's unit.
    pub fn sensitivity(&self) -> f64 {
        self.mechanism.sensitivity().l1 as f64 * self.step()
    }

    /// The noise scale in the statistic's unit.
    pub fn scale(&self) -> f64 {
        self.mechanism.noise().scale() * self.step()
    }
}

/// How measurements become estimates.
#[derive(Debug, Clone)]
pub enum Estimator {
    /// One component, bounded by its own mechanism.
    Direct(Direct),
    /// A mean from noisy distances to both bounds.
    Ratio(Ratio),
}

/// A statistic ready to be measured.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// What the engine does to each value; `None` for a count.
    pub clip: Option<Clip>,
    /// How measurements become estimates.
    pub estimator: Estimator,
    /// Range of the estimates in the statistic's unit, perhaps infinite.
    pub range: (f64, f64),
    epsilon: Epsilon,
}

impl Prepared {
    /// The measured vectors, in the order of [`Prepared::measure`].
    pub fn components(&self) -> Vec<&Component> {
        match &self.estimator {
            Estimator::Direct(direct) => vec![&direct.component],
            Estimator::Ratio(ratio) => vec![&ratio.distances],
        }
    }

    /// Names of what each cell contributes to a measured vector, in order; one empty name where that is one number.
    pub fn entries(&self) -> &'static [&'static str] {
        match &self.estimator {
            Estimator::Direct(_) => &[""],
            Estimator::Ratio(_) => &ratio::ENTRIES,
        }
    }

    /// The measured vector that says how many rows each cell is of; `None` where no number of rows is measured.
    pub fn rows_measured(&self) -> Option<RowsMeasured> {
        match &self.estimator {
            Estimator::Direct(_) => self.clip.is_none().then_some(RowsMeasured::COUNTS),
            Estimator::Ratio(ratio) => Some(RowsMeasured::distances(0, ratio.steps_a_row())),
        }
    }

    /// What measuring costs, one event a component.
    pub fn events(&self, label: &str) -> Vec<Event> {
        let event = |component: &&Component| {
            Event::new(format!("{label}: {}", component.role), component.mechanism.guarantee().clone())
        };
        self.components().iter().map(event).collect()
    }

    /// Ends of the range in the statistic's unit, `None` for an open one.
    pub fn ends(&self) -> (Option<f64>, Option<f64>) {
        let finite = |end: f64| end.is_finite().then_some(end);
        (finite(self.range.0), finite(self.range.1))
    }

    /// Epsilon of the statistic.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// Measures the engine's exact answers. **The only step that reads them.**
    ///
    /// # Panics
    /// If a statistic over values is given no sums: the query that [`Prepared::clip`] asks for returns them.
    pub fn measure(&self, counts: Answer, sums: Option<Answer>, entropy: &mut dyn Entropy) -> Vec<Measurements> {
        let sums = self.clip.map(|_| sums.expect("a clipped query sums"));
        let (component, answer) = match &self.estimator {
            Estimator::Direct(direct) => (&direct.component, sums.unwrap_or(counts)),
            Estimator::Ratio(ratio) => (&ratio.distances, ratio.answer(&sums.expect("a ratio clips"), &counts)),
        };
        vec![Measurements::take(component.mechanism.clone(), answer, entropy)]
    }

    /// Estimates from measurements, one a cell. Post-processing: costs no privacy. `rounding` settles estimates between grid
    /// points; it may be published.
    pub fn estimate(&self, measured: &[Measurements], level: f64, rounding: &mut dyn Entropy) -> Vec<Estimate> {
        match &self.estimator {
            Estimator::Direct(direct) => direct.estimate(&measured[0], level, rounding),
            Estimator::Ratio(ratio) => ratio.estimate(&measured[0], level),
        }
    }

    /// Error to expect for a few candidate truths, before anything is measured.
    pub fn expected_errors(&self, supposed: &Supposed) -> Vec<ExpectedError> {
        match &self.estimator {
            Estimator::Direct(direct) => direct.expected_errors(supposed),
            Estimator::Ratio(ratio) => ratio.expected_errors(supposed),
        }
    }

    /// The largest absolute bias over the range; for a ratio, over the range and groups of 1, 2, 4, ..., 1024 rows.
    pub fn worst_bias(&self) -> f64 {
        match &self.estimator {
            Estimator::Direct(direct) => direct.worst_bias(),
            Estimator::Ratio(ratio) => ratio.worst_bias(),
        }
    }

    /// Identifier of the bias formula.
    pub fn bias_formula(&self) -> BiasFormula {
        match &self.estimator {
            Estimator::Direct(direct) => direct.component.mechanism.bias_formula(),
            Estimator::Ratio(_) => BiasFormula::RatioOfDistances,
        }
    }

    /// Identifier of the interval's method.
    pub fn interval_method(&self) -> IntervalMethod {
        match &self.estimator {
            Estimator::Direct(direct) => direct.component.mechanism.interval_method(),
            Estimator::Ratio(_) => IntervalMethod::DistancesTestInverted,
        }
    }
}

impl Statistic {
    /// Chooses grid, sensitivity, range and scale.
    ///
    /// # Errors
    /// [`StatisticError`]; none depends on data.
    ///
    /// # Example
    /// A count under add-remove: one row moves it by 1, and it is not negative.
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{Design, Kind, OutputRange, PrivacyUnit, Statistic};
    /// let design = Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None };
    /// let count = Statistic {
    ///     kind: Kind::Count, column: None, cells: 1, grouped: false, filtered: false,
    ///     mechanism: registry::find("clamped").expect("registered"),
    ///     range: OutputRange::Natural, epsilon: Epsilon::new("0.5".parse()?)?, delta: Delta::ZERO,
    /// };
    /// let prepared = count.prepare(&design).expect("valid");
    /// assert_eq!((prepared.components()[0].scale(), prepared.range), (2.0, (0.0, f64::INFINITY)));
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn prepare(&self, design: &Design) -> Result<Prepared, StatisticError> {
        let counts_each_row_once = design.neighbours == Neighbours::Substitute
            && design.unit == PrivacyUnit::Row
            && !self.grouped
            && !self.filtered;
        let rows = design.rows.filter(|_| counts_each_row_once);
        // Where rows may be left out, the number of those that count is private.
        let all = |bounds: &ColumnBounds| rows.filter(|_| bounds.missing != Missing::Drop);
        match (self.kind, &self.column) {
            (Kind::Count, _) if rows.is_some() => Err(StatisticError::PublicCount),
            (Kind::Count, _) => self.prepare_count(design),
            (Kind::Proportion, _) if rows.is_some() => Err(StatisticError::PublicCount),
            (Kind::Proportion, _) => self.prepare_proportion(design),
            (kind, None) => Err(StatisticError::NoBounds { kind: kind.name() }),
            (Kind::Sum, Some(bounds)) => self.prepare_sum(design, bounds, all(bounds), 1),
            (Kind::Mean, Some(bounds)) => match all(bounds) {
                Some(rows) => self.prepare_sum(design, bounds, Some(rows), rows),
                None => self.prepare_ratio(design, bounds),
            },
        }
    }

    fn prepare_count(&self, design: &Design) -> Result<Prepared, StatisticError> {
        let natural = (Some(0), design.rows.map(i128::from));
        self.direct(
            design,
            Role { quantity: Quantity::COUNT, grid: Grid::INTEGERS, divisor: 1 },
            (1, 1),
            natural,
            None,
            None,
        )
    }

    /// A count over the public number of rows: one row moves it by `1/n` in one cell.
    fn prepare_proportion(&self, design: &Design) -> Result<Prepared, StatisticError> {
        let what = "a proportion";
        let public = design.neighbours == Neighbours::Substitute && design.unit == PrivacyUnit::Row;
        match design.rows.filter(|_| public) {
            None => Err(StatisticError::NoRows { what }),
            Some(0) => Err(StatisticError::FewRows { what, least: 1, found: 0 }),
            Some(rows) => {
                let role = Role { quantity: Quantity::Proportion, grid: Grid::INTEGERS, divisor: rows };
                self.direct(design, role, (1, 1), (Some(0), Some(i128::from(rows))), None, None)
            }
        }
    }

    /// A sum, or a mean over a public number of rows, which is a sum divided by it.
    fn prepare_sum(
        &self,
        design: &Design,
        bounds: &ColumnBounds,
        rows: Option<u64>,
        divisor: u64,
    ) -> Result<Prepared, StatisticError> {
        let gridded = grids::choose(bounds, &self.epsilon)?;
        let (lower, upper) = (i128::from(gridded.lower), i128::from(gridded.upper));
        let natural = range_of_sum((lower, upper), rows, design.rows);
        let quantity = if self.kind == Kind::Mean { Quantity::MEAN } else { Quantity::Sum };
        let role = Role { quantity, grid: gridded.grid, divisor };
        self.direct(design, role, (lower, upper), natural, Some(clip(bounds, &gridded)), rows)
    }

    fn direct(
        &self,
        design: &Design,
        role: Role,
        contributions: (i128, i128),
        natural: (Option<i128>, Option<i128>),
        clip: Option<Clip>,
        rows: Option<u64>,
    ) -> Result<Prepared, StatisticError> {
        let sensitivity = of_sum(design, contributions, self.cells, rows.is_some());
        let range = self.range_in_steps(&role, natural)?;
        let unit = role.grid.spacing() / role.divisor as f64;
        if let Some(width) = range.width().filter(|width| *width < sensitivity.linf) {
            return Err(StatisticError::SensitivityWiderThanRange {
                width: width as f64 * unit,
                sensitivity: sensitivity.linf as f64 * unit,
            });
        }
        let mechanism = self.mechanism.calibrate(&self.guarantee(), &sensitivity, range)?;
        let component = Component { role: role.quantity, mechanism, grid: role.grid, divisor: role.divisor };
        let end = |steps: Option<i128>, open: f64| steps.map_or(open, |steps| component.value(steps));
        let range = (end(range.lower(), f64::NEG_INFINITY), end(range.upper(), f64::INFINITY));
        Ok(Prepared { clip, estimator: Estimator::Direct(Direct { component }), range, epsilon: self.epsilon.clone() })
    }

    /// The natural range cut to what the plan declares, moved inward onto the grid.
    fn range_in_steps(
        &self,
        role: &Role,
        (natural_lower, natural_upper): (Option<i128>, Option<i128>),
    ) -> Result<StepRange, StatisticError> {
        let (lower, upper) = match &self.range {
            OutputRange::Unbounded => return Ok(StepRange::UNBOUNDED),
            OutputRange::Natural => (None, None),
            OutputRange::Declared { lower, upper } => {
                let scaled = |value: &Rational| value * &Rational::from(u128::from(role.divisor));
                let inside = |value: &Rational, steps: Option<i128>| {
                    steps.ok_or_else(|| inbounds_core::CoreError::parameter("range", value, "within 2^120 grid steps"))
                };
                let lower = lower.as_ref().map(|l| inside(l, role.grid.ceil(&scaled(l)))).transpose()?;
                let upper = upper.as_ref().map(|u| inside(u, role.grid.floor(&scaled(u)))).transpose()?;
                (lower, upper)
            }
        };
        let lower = natural_lower.max(lower);
        let upper = [natural_upper, upper].into_iter().flatten().min();
        StepRange::new(lower, upper).map_err(|_| {
            let value = |steps: Option<i128>, open: f64| {
                steps.map_or(open, |steps| role.grid.value(steps) / role.divisor as f64)
            };
            StatisticError::EmptyRange {
                lower: value(natural_lower, f64::NEG_INFINITY),
                upper: value(natural_upper, f64::INFINITY),
            }
        })
    }

    /// A mean from the distances of rows to both bounds, one vector with all of epsilon.
    fn prepare_ratio(&self, design: &Design, bounds: &ColumnBounds) -> Result<Prepared, StatisticError> {
        if self.mechanism != registry::default() {
            return Err(StatisticError::RatioMechanism);
        }
        let gridded = grids::choose(bounds, &self.epsilon)?;
        let (lower, upper) = (i128::from(gridded.lower), i128::from(gridded.upper));
        let bits = refinement_bits(bounds, lower.abs().max(upper.abs()));
        let grid = Grid::power_of_two(gridded.grid.exponent() - bits)?;
        let refinement = 1 << bits;
        let width = lower.abs_diff(upper);
        let sensitivity = of_distances(design, width, self.cells).scaled(&Rational::from(refinement));
        let mechanism = self.mechanism.calibrate(&self.guarantee(), &sensitivity, StepRange::UNBOUNDED)?;
        let distances = Component { role: Quantity::Distances, mechanism, grid, divisor: 1 };
        let range = self.ratio_range((gridded.grid.value(lower), gridded.grid.value(upper)))?;
        let ratio = Ratio { distances, refinement, bounds_in_steps: (lower, upper), range };
        Ok(Prepared {
            clip: Some(clip(bounds, &gridded)),
            estimator: Estimator::Ratio(ratio),
            range,
            epsilon: self.epsilon.clone(),
        })
    }

    /// The bounds of the column cut to what the plan declares. A ratio lives on no grid, so the ends stay as they are.
    fn ratio_range(&self, (lowest, highest): (f64, f64)) -> Result<(f64, f64), StatisticError> {
        let (lower, upper) = match &self.range {
            OutputRange::Unbounded => return Err(StatisticError::UnboundedRatio),
            OutputRange::Natural => (lowest, highest),
            OutputRange::Declared { lower, upper } => {
                let end = |end: &Option<Rational>, natural: f64| end.as_ref().map_or(natural, Rational::to_f64);
                (end(lower, lowest).max(lowest), end(upper, highest).min(highest))
            }
        };
        if lower < upper {
            Ok((lower, upper))
        } else {
            Err(StatisticError::EmptyRange { lower: lowest, upper: highest })
        }
    }
}

/// How many times the grid of distances is halved against the column's: for whole numbers so often that their noise is
/// near enough continuous for the figures of a ratio.
///
/// With `2^40` steps a row, `2^63` rows and these bits, or `2^54` steps a row and none, a sum stays below `2^118`.
fn refinement_bits(bounds: &ColumnBounds, largest: i128) -> i32 {
    if bounds.integer && largest <= 1 << 39 { 14 } else { 0 }
}

/// What a direct component measures.
struct Role {
    quantity: Quantity,
    grid: Grid,
    divisor: u64,
}

impl Clip {
    /// How the values of a column are added up in cells:
    /// on the grid that suits noise of this epsilon, and smaller ones.
    ///
    /// # Errors
    /// [`StatisticError::Bounds`].
    ///
    /// # Example
    /// ```
    /// use inbounds_core::{Epsilon, Grid};
    /// use inbounds_statistics::{Clip, ColumnBounds, Missing};
    /// let bounds = |integer| ColumnBounds {
    ///     lower: "0".parse().expect("0"), upper: "110".parse().expect("110"), integer, missing: Missing::Drop,
    /// };
    /// let epsilon = Epsilon::new("1".parse()?)?;
    /// let ages = Clip::in_cells(&bounds(true), &epsilon).expect("fits");
    /// assert_eq!((ages.grid, ages.lower, ages.upper), (Grid::INTEGERS, 0, 110));
    /// assert_eq!(Clip::in_cells(&bounds(false), &epsilon).expect("fits").grid.exponent(), -26);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn in_cells(bounds: &ColumnBounds, epsilon: &Epsilon) -> Result<Self, StatisticError> {
        Ok(clip(bounds, &grids::choose(bounds, epsilon)?))
    }
}

/// The engine's rule for a column.
pub(crate) fn clip(bounds: &ColumnBounds, gridded: &Gridded) -> Clip {
    let missing = match &bounds.missing {
        Missing::Impute(value) => ClipMissing::Impute(grids::nearest(gridded, value)),
        Missing::Drop => ClipMissing::Drop,
    };
    Clip { grid: gridded.grid, lower: gridded.lower, upper: gridded.upper, missing }
}
