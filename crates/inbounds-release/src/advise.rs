//! Which mechanism fits a range: every registered one, calibrated and compared by its own figures.

use inbounds_core::{CoreError, Delta, Epsilon, Grid, Rational, Sensitivity, StepRange};
use inbounds_mechanisms::{
    calibrate::CalibrationError,
    registry::{self, Entry},
};
use serde::Serialize;
use thiserror::Error;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// Epsilon of the statistic.
    pub epsilon: Epsilon,
    /// How far one unit moves it.
    pub sensitivity: Rational,
    /// Lower end of its range, if any.
    pub lower: Option<Rational>,
    /// Upper end of its range, if any.
    pub upper: Option<Rational>,
    /// Whether it takes whole values only, as a count does.
    pub integer: bool,
}

/// Figures of one mechanism, in the statistic's unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// Registered name.
    pub mechanism: &'static str,
    /// The word for a plan.
    pub plan_name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Laplace scale.
    pub scale: f64,
    /// Largest absolute bias over the range.
    pub worst_bias: f64,
    /// Root mean square error at the lower end (at the upper one where there is no lower).
    pub rmse_at_lower: f64,
    /// Root mean square error in the middle of the range, or far from the end of a half line.
    pub rmse_in_middle: f64,
    /// Whether the raw, unbiased measurement stays available beside the estimate.
    pub keeps_measurement: bool,
    /// Criteria by which no other mechanism is better.
    pub best_by: Vec<&'static str>,
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

/// Compares all registered mechanisms.
///
/// # Errors
/// [`AdviseError`].
///
/// # Example
/// On a half line clamping wins on every criterion: half the bias of the naive conditioned scale, and less.
/// ```
/// use inbounds_core::Epsilon;
/// use inbounds_release::advise::{Question, advise};
/// let question = Question {
///     epsilon: Epsilon::new("1".parse()?)?, sensitivity: "1".parse()?,
///     lower: Some("0".parse()?), upper: None, integer: false,
/// };
/// let table = advise(&question).expect("valid");
/// assert_eq!(table[0].plan_name, "clamped");
/// assert!((table[0].worst_bias - 0.5).abs() < 1e-6 && (table[1].worst_bias - 1.6126).abs() < 1e-4);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn advise(question: &Question) -> Result<Vec<Advice>, AdviseError> {
    let lattice = Lattice::of(question)?;
    let advice: Result<Vec<Advice>, AdviseError> =
        registry::MECHANISMS.iter().map(|entry| lattice.advice(question, entry)).collect();
    let mut advice = advice?;
    for (name, figure) in CRITERIA {
        let best = advice.iter().map(figure).fold(f64::INFINITY, f64::min);
        for row in &mut advice {
            // Figures equal to within the grid's fineness are a tie.
            if figure(row) <= best * (1.0 + 1e-6) {
                row.best_by.push(name);
            }
        }
    }
    Ok(advice)
}

type Figure = fn(&Advice) -> f64;

const CRITERIA: [(&str, Figure); 3] = [
    ("worst bias", |row| row.worst_bias),
    ("rmse at the end", |row| row.rmse_at_lower),
    ("rmse in the middle", |row| row.rmse_in_middle),
];

/// The question in grid steps.
struct Lattice {
    grid: Grid,
    sensitivity: Sensitivity,
    range: StepRange,
}

impl Lattice {
    fn of(question: &Question) -> Result<Self, AdviseError> {
        let Question { sensitivity, lower, upper, .. } = question;
        if !sensitivity.is_positive() {
            return Err(CoreError::parameter("sensitivity", sensitivity, "greater than 0").into());
        }
        if !sensitivity.to_f64().is_normal() {
            return Err(CoreError::parameter("sensitivity", sensitivity, "between 1e-300 and 1e300").into());
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
        // The range keeps its width; where it starts does not matter to any figure.
        let range = match (lower, upper) {
            (Some(lower), Some(upper)) => {
                StepRange::new(Some(0), Some(steps("upper", &(upper - lower))?.max(l1 as i128)))?
            }
            (Some(_), None) => StepRange::new(Some(0), None)?,
            (None, Some(_)) => StepRange::new(None, Some(0))?,
            (None, None) => StepRange::UNBOUNDED,
        };
        Ok(Self { grid, sensitivity: Sensitivity { l1, linf: l1, cells: 1, rule: "given" }, range })
    }

    fn advice(&self, question: &Question, entry: &Entry) -> Result<Advice, AdviseError> {
        let guarantee = entry.guarantee(question.epsilon.clone(), Delta::ZERO);
        let mechanism = entry.calibrate(&guarantee, &self.sensitivity, self.range)?;
        let step = self.grid.spacing();
        let (end, middle) = mechanism.landmarks();
        Ok(Advice {
            mechanism: entry.name,
            plan_name: entry.plan_name,
            summary: entry.summary,
            scale: mechanism.noise().scale() * step,
            worst_bias: mechanism.worst_bias() * step,
            rmse_at_lower: mechanism.error_at(end.unwrap_or(middle)).rmse * step,
            rmse_in_middle: mechanism.error_at(middle).rmse * step,
            keeps_measurement: entry.is_post_processing(),
            best_by: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(
        epsilon: &str,
        sensitivity: &str,
        lower: Option<&str>,
        upper: Option<&str>,
    ) -> Result<Vec<Advice>, AdviseError> {
        let read = |text: &str| text.parse::<Rational>().expect("number");
        advise(&Question {
            epsilon: Epsilon::new(read(epsilon)).expect("positive"),
            sensitivity: read(sensitivity),
            lower: lower.map(read),
            upper: upper.map(read),
            integer: false,
        })
    }

    /// Root of the sup MSE and worst bias of math reference tables: width 1, sensitivity `D`.
    #[test]
    fn figures_agree_with_the_reference_and_the_winner_flips_with_the_range() {
        let table = ask("0.1", "0.01", Some("0"), Some("1")).expect("valid");
        assert!((table[0].worst_bias - 0.05000).abs() < 5e-6 && (table[1].worst_bias - 0.18912).abs() < 5e-6);
        assert!(table[0].best_by.contains(&"worst bias"));
        let narrow = ask("0.1", "1", Some("0"), Some("1")).expect("valid");
        assert!((narrow[1].worst_bias - 0.49167).abs() < 5e-6 && (narrow[0].worst_bias - 0.47581).abs() < 5e-6);
        assert_eq!(narrow[1].best_by, ["rmse at the end", "rmse in the middle"]);
    }

    #[test]
    fn questions_without_answer_are_refused_with_the_reason() {
        let message = |result: Result<Vec<Advice>, AdviseError>| result.expect_err("refused").to_string();
        assert!(message(ask("1", "0", None, None)).starts_with("sensitivity must be greater than 0"));
        assert!(message(ask("1", "1", Some("3"), Some("3"))).starts_with("lower must be less than upper"));
        assert!(message(ask("1", "5", Some("0"), Some("3"))).contains("wider than the range"));
    }
}
