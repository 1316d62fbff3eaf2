//! A question about mechanisms, and the grid on which it is answered.

use inbounds_core::{CoreError, Delta, Epsilon, Grid, Rational, Sensitivity, StepRange};
use inbounds_mechanisms::{calibrate::CalibrationError, noise::NoiseKind, registry::Entry};
use thiserror::Error;

/// A question about the mechanisms for a statistic.
#[derive(Debug, Clone)]
pub struct Question {
    /// Epsilon of the statistic.
    pub epsilon: Epsilon,
    /// Its delta; mechanisms that need one are compared only where it is not zero.
    pub delta: Delta,
    /// Sensitivity: the largest change of the statistic by one unit.
    pub sensitivity: Rational,
    /// Lower end of its range, if any.
    pub lower: Option<Rational>,
    /// Upper end of its range, if any.
    pub upper: Option<Rational>,
    /// True for a statistic with whole values only, such as a count.
    pub integer: bool,
    /// True if errors are relative to the answer, for which the range needs a lower end above 0. Multiplied noise is
    /// compared only then.
    pub relative: bool,
    /// Count of numbers of the same rows that share this epsilon and delta, from 1 to [`Question::MOST_NUMBERS`]. One
    /// unit moves each of them equally far.
    pub numbers: u32,
}

impl Question {
    /// The most numbers that one vector of noise is drawn for.
    pub const MOST_NUMBERS: u32 = 64;

    /// Tests that the grant and the range suit a mechanism.
    pub(crate) fn allows(&self, entry: &Entry) -> bool {
        (!entry.needs_delta() || self.delta.value().is_positive())
            && (!entry.is_multiplied() || self.relative)
            // Its table holds no fine grid.
            && (entry.noise != NoiseKind::GeneralisedGaussian || self.integer)
            && (!entry.needs_both_ends() || self.integer && self.lower.is_some() && self.upper.is_some())
    }

    /// Share of epsilon and of delta for each of the numbers.
    pub(crate) fn part(&self) -> (Epsilon, Delta) {
        let part = Rational::ratio(1, self.numbers.into());
        let epsilon = self.epsilon.share(&part).expect("a part of an epsilon is positive");
        (epsilon, Delta::new(self.delta.value() * &part).expect("a part of a delta is a delta"))
    }

    /// The range for reading.
    pub fn range_in_words(&self) -> String {
        match (&self.lower, &self.upper) {
            (Some(lower), Some(upper)) => format!("range {lower} to {upper}"),
            (Some(lower), None) => format!("range from {lower} up"),
            (None, Some(upper)) => format!("range up to {upper}"),
            (None, None) => "no range".to_owned(),
        }
    }
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum AdviseError {
    /// A parameter is out of its admissible set.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// A mechanism cannot be calibrated.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    /// A whole-valued statistic with fractional parameters.
    #[error("{name} must be a whole number for an integer statistic, got {value}")]
    NotInteger {
        /// Name of the parameter.
        name: &'static str,
        /// Value found.
        value: Rational,
    },
    /// An error is no part of an answer that may be zero.
    #[error("relative errors need a lower end above 0 of the range, got {}", lower.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string))]
    NotPositive {
        /// Lower end given, if any.
        lower: Option<Rational>,
    },
    /// One unit moves the statistic further than the range is wide.
    #[error("sensitivity {sensitivity} is wider than the range, {width}: one unit cannot move it further than that")]
    SensitivityWiderThanRange {
        /// Sensitivity given.
        sensitivity: Rational,
        /// Width of the range.
        width: Rational,
    },
}

/// Steps per unit of sensitivity on the grid that stands for the real line.
const STEPS_PER_SENSITIVITY: u32 = 30;

/// The question in grid steps.
pub(crate) struct Lattice {
    pub(crate) grid: Grid,
    pub(crate) sensitivity: Sensitivity,
    pub(crate) range: StepRange,
}

impl Lattice {
    pub(crate) fn for_question(question: &Question) -> Result<Self, AdviseError> {
        let Question { sensitivity, lower, upper, numbers, .. } = question;
        if !(1..=Question::MOST_NUMBERS).contains(numbers) {
            return Err(CoreError::parameter("numbers", numbers, "between 1 and 64").into());
        }
        if !sensitivity.is_positive() {
            return Err(CoreError::parameter("sensitivity", sensitivity, "greater than 0").into());
        }
        if !sensitivity.to_f64().is_normal() {
            return Err(CoreError::parameter("sensitivity", sensitivity, "between 1e-300 and 1e300").into());
        }
        if question.relative && !lower.as_ref().is_some_and(Rational::is_positive) {
            return Err(AdviseError::NotPositive { lower: lower.clone() });
        }
        if let (Some(lower), Some(upper)) = (lower, upper) {
            if lower >= upper {
                return Err(CoreError::Bounds { lower: lower.to_f64(), upper: upper.to_f64() }.into());
            }
            if *sensitivity > upper - lower {
                let (sensitivity, width) = (sensitivity.clone(), upper - lower);
                return Err(AdviseError::SensitivityWiderThanRange { sensitivity, width });
            }
        }
        let parts = [("sensitivity", Some(sensitivity)), ("lower", lower.as_ref()), ("upper", upper.as_ref())];
        if question.integer
            && let Some((name, Some(value))) =
                parts.into_iter().find(|(_, value)| value.is_some_and(|v| !v.is_integer()))
        {
            return Err(AdviseError::NotInteger { name, value: value.clone() });
        }
        let grid = if question.integer {
            Grid::INTEGERS
        } else {
            Grid::power_of_two(sensitivity.to_f64().log2().floor() as i32 - STEPS_PER_SENSITIVITY as i32)?
        };
        let steps = |name, value: &Rational| {
            grid.floor(value).ok_or_else(|| CoreError::parameter(name, value, "within 2^90 times the sensitivity"))
        };
        let l1 = steps("sensitivity", sensitivity)?.unsigned_abs();
        // The range keeps its width; where it starts matters to relative errors alone.
        let start = match lower {
            Some(lower) if question.relative => steps("lower", lower)?,
            _ => 0,
        };
        let range = match (lower, upper) {
            (Some(lower), Some(upper)) => {
                StepRange::new(Some(start), Some(start + steps("upper", &(upper - lower))?.max(l1 as i128)))?
            }
            (Some(_), None) => StepRange::new(Some(start), None)?,
            (None, Some(_)) => StepRange::new(None, Some(0))?,
            (None, None) => StepRange::UNBOUNDED,
        };
        Ok(Self { grid, sensitivity: Sensitivity { l1, linf: l1, cells: 1, rule: "given", squares: None }, range })
    }
}
