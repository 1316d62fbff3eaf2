//! A rule of a user's own: the estimate to publish for each noisy value, as a table in the unit of the statistic.

use std::sync::Arc;

use inbounds_core::{Guarantee, Rational, Sensitivity, StepRange};

use super::{PiecewiseLinear, TabulatedRuleError};
use crate::{
    calibrate::CalibrationError,
    mechanism::Mechanism,
    noise::NoiseKind,
    registry::{self, Entry},
};

/// A post-processing rule as a table, and the noise that it follows.
///
/// # Law
/// The estimate of a noisy value `y` is linear between the rows around it. Below the first row and above the last it is
/// that row's estimate where the range has an end on that side; on an open side `y` is moved as far as that row moves
/// its own.
///
/// # Parameters
/// Rows in the unit of the statistic, evenly spaced and rising, at least two and at most [`TabulatedRule::MOST_ROWS`];
/// estimates in the range; noise of one number.
///
/// # Guarantee
/// That of the noise, whatever the rows: the rule reads the noisy value alone. Its rows must be public, and chosen
/// without the data. Claim: `own-rule-loss`.
///
/// # Errors
/// [`TabulatedRuleError`], with the line of the row.
///
/// # Example
/// A count that is published as zero below 2: the bias at an answer of zero is `sum_(y >= 2) y P(N = y)`.
/// ```
/// use inbounds_core::{Epsilon, Guarantee, Rational, Sensitivity, StepRange};
/// use inbounds_mechanisms::{bounding::{TabulatedRow, TabulatedRule}, noise::NoiseKind};
/// let row = |y: i128, value: i128| TabulatedRow { line: y as u64 + 2, measurement: y.into(), estimate: value.into() };
/// let rule = TabulatedRule::new(NoiseKind::Laplace, vec![row(0, 0), row(1, 0), row(2, 2)], None)?;
/// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "given", squares: None };
/// let epsilon = Epsilon::new("1".parse()?)?;
/// let counts = StepRange::new(Some(0), None)?;
/// let mechanism = rule.calibrate(&Guarantee::Pure { epsilon }, &one, counts, &Rational::ONE)?;
/// let mass = |y: f64| (-y).exp() * (1.0 - f64::exp(-1.0)) / (1.0 + f64::exp(-1.0));
/// let bias: f64 = (2..60).map(|y| f64::from(y) * mass(f64::from(y))).sum();
/// assert!((mechanism.error_at(0).bias - bias).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # References
/// McGlinchey and Mason, section 3, post-processing functions on the half line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabulatedRule {
    entry: &'static Entry,
    rows: Vec<TabulatedRow>,
    designed_for: Option<DesignedFor>,
}

/// One row of a rule, in the unit of the statistic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TabulatedRow {
    /// The line of its file, for messages.
    pub line: u64,
    /// A noisy value.
    pub measurement: Rational,
    /// Estimate to publish for it.
    pub estimate: Rational,
}

/// The noise that a rule was designed for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesignedFor {
    /// Its kind.
    pub noise: NoiseKind,
    /// Its scale in the unit of the statistic: `b` of Laplace noise, the standard deviation of other noise.
    pub scale: Rational,
}

/// Rows are evenly spaced to one part in a thousand million, as decimals of thirds are.
const EVEN: u128 = 1_000_000_000;

/// Largest difference between the scale of a design and the drawn one, relative to the latter: the loss in its
/// decimals.
const SAME_SCALE: f64 = 1e-9;

impl TabulatedRule {
    /// Most rows.
    pub const MOST_ROWS: usize = 10_000;

    /// A rule of rows in the order of their measurements.
    ///
    /// # Errors
    /// [`TabulatedRuleError`]: a fault of the rows by themselves.
    pub fn new(
        noise: NoiseKind,
        rows: Vec<TabulatedRow>,
        designed_for: Option<DesignedFor>,
    ) -> Result<Self, TabulatedRuleError> {
        let entry =
            registry::tabulated(noise).ok_or(TabulatedRuleError::NoiseOfSeveral { noise: noise.about().word })?;
        if rows.len() < 2 {
            return Err(TabulatedRuleError::FewRows { found: rows.len() });
        }
        if rows.len() > Self::MOST_ROWS {
            return Err(TabulatedRuleError::ManyRows { most: Self::MOST_ROWS, found: rows.len() });
        }
        let spacing = &rows[1].measurement - &rows[0].measurement;
        let slack = &spacing * &Rational::ratio(1, EVEN);
        for pair in rows.windows(2) {
            let (before, found, line) = (pair[0].measurement.clone(), pair[1].measurement.clone(), pair[1].line);
            if found <= before {
                return Err(TabulatedRuleError::NotRising { line, before: before.into(), found: found.into() });
            }
            let expected = &before + &spacing;
            if found > &expected + &slack || found < &expected - &slack {
                let [spacing, before, found, expected] = [spacing, before, found, expected].map(Box::new);
                return Err(TabulatedRuleError::Gap { line, spacing, before, found, expected });
            }
        }
        Ok(Self { entry, rows, designed_for })
    }

    /// The mechanism that it makes of the noise, in the registry.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Its rows.
    pub fn rows(&self) -> &[TabulatedRow] {
        &self.rows
    }

    /// Calibrates the noise, and puts the rows on the grid whose steps have the length `step`.
    ///
    /// # Errors
    /// [`CalibrationError`]: rows that do not fit the range or the noise, or noise that keeps no such guarantee.
    pub fn calibrate(
        &self,
        guarantee: &Guarantee,
        sensitivity: &Sensitivity,
        range: StepRange,
        step: &Rational,
    ) -> Result<Arc<dyn Mechanism>, CalibrationError> {
        let origin = range.lower().or(range.upper()).ok_or(CalibrationError::TableNeedsEnd)?;
        let mechanism =
            self.entry.calibrate_table(self.on_grid(range, origin, step)?, guarantee, sensitivity, range)?;
        self.check_noise(mechanism.noise().scale() * step.to_f64())?;
        Ok(mechanism)
    }

    /// The rows as distances from an end of the range, in steps.
    fn on_grid(&self, range: StepRange, origin: i128, step: &Rational) -> Result<PiecewiseLinear, TabulatedRuleError> {
        let value = |end: Option<i128>| end.map(|end| &Rational::from(end) * step);
        let (lower, upper) = (value(range.lower()), value(range.upper()));
        let origin = &Rational::from(origin) * step;
        let steps = |value: &Rational| (&(value - &origin) / step).to_f64();
        for TabulatedRow { line, measurement, estimate } in &self.rows {
            let line = *line;
            if lower.as_ref().is_some_and(|lower| estimate < lower) || upper.as_ref().is_some_and(|end| estimate > end)
            {
                let range = match (&lower, &upper) {
                    (Some(lower), Some(upper)) => format!("{lower} to {upper}"),
                    (Some(lower), None) => format!("at least {lower}"),
                    (None, Some(upper)) => format!("at most {upper}"),
                    (None, None) => "all numbers".to_owned(),
                };
                return Err(TabulatedRuleError::OutsideRange { line, range, found: Box::new(estimate.clone()) });
            }
            let far = steps(measurement).abs().max(steps(estimate).abs());
            if far >= 2f64.powi(52) {
                return Err(TabulatedRuleError::FarAway { line, steps: far });
            }
        }
        let (first, last) = (&self.rows[0].measurement, &self.rows[self.rows.len() - 1].measurement);
        let spacing = (&(last - first) / step).to_f64() / (self.rows.len() - 1) as f64;
        let values = self.rows.iter().map(|row| steps(&row.estimate)).collect();
        let map = PiecewiseLinear::new(steps(first), spacing, values);
        map.ok_or(TabulatedRuleError::FarAway { line: self.rows[1].line, steps: spacing })
    }

    /// Checks that the noise is that of the design, where the rule names it.
    fn check_noise(&self, drawn_scale: f64) -> Result<(), TabulatedRuleError> {
        let Some(designed) = &self.designed_for else { return Ok(()) };
        let designed_scale = designed.scale.to_f64();
        let is_near = (designed_scale - drawn_scale).abs() <= SAME_SCALE * drawn_scale;
        if designed.noise == self.entry.noise && is_near {
            return Ok(());
        }
        Err(TabulatedRuleError::OtherNoise {
            designed: designed.noise.about().word,
            designed_scale,
            drawn: self.entry.noise.about().word,
            drawn_scale,
        })
    }
}
