//! A post-processing rule made for one statistic: the best by a criterion, with its distance from the best possible.

use std::sync::Arc;

use inbounds_core::{CoreError, Delta, Epsilon, Guarantee, Named, Rational, Sensitivity, StepRange};
pub use inbounds_mechanisms::noise::{Drawn, NoiseKind};
use inbounds_mechanisms::{
    bounding::{TabulatedRow, TabulatedRule},
    calibrate::CalibrationError,
    designer::{Answers, Criterion, DesignError, DesignStatus, Designer, Errors, RuleDesign, Table, Tail},
    mechanism::Mechanism,
};
use serde::Serialize;
use thiserror::Error;

/// A question of design: a statistic on the multiples of `step` from `lower` up.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignQuestion {
    /// Epsilon of the statistic.
    pub epsilon: Epsilon,
    /// Its delta, which Gaussian noise needs.
    pub delta: Delta,
    /// Sensitivity: the largest change of the statistic by one unit.
    pub sensitivity: Rational,
    /// Lower end of its range.
    pub lower: Rational,
    /// Upper end of its range, if any.
    pub upper: Option<Rational>,
    /// Distance between its possible values; 1 for a count.
    pub step: Rational,
    /// The noise that is added.
    pub noise: NoiseKind,
    /// The criterion to minimise.
    pub aim: Aim,
    /// Bound on the worst bias, in the statistic's unit; only and always with an aim on the error.
    pub worst_bias: Option<Rational>,
    /// No bias for large answers.
    pub unbiased_far: bool,
    /// Larger measurements never give smaller estimates.
    pub monotone: bool,
}

/// Criterion that a design minimises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// Largest absolute bias.
    WorstBias,
    /// Mean squared error averaged over the answers of the window.
    MeanMse,
    /// Largest mean squared error.
    WorstMse,
}

impl Aim {
    /// All aims.
    pub const ALL: [Self; 3] = [Self::WorstBias, Self::MeanMse, Self::WorstMse];

    /// Name of the aim in arguments.
    pub fn name(self) -> &'static str {
        match self {
            Self::WorstBias => "worst-bias",
            Self::MeanMse => "mean-mse",
            Self::WorstMse => "worst-mse",
        }
    }
}

/// A designed rule, in the statistic's unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Designed {
    /// Name of the noise's law.
    pub law: &'static str,
    /// Its scale: `b` of Laplace noise, the standard deviation of other noise.
    pub scale: f64,
    /// Name of the minimised criterion.
    pub criterion: &'static str,
    /// `optimal`, `stalled`, `iteration-limit` or `infeasible`.
    pub status: &'static str,
    /// Errors of the rule.
    pub errors: RuleErrors,
    /// Errors of the clamp, on the same answers.
    pub clamp: RuleErrors,
    /// No rule of the same form has a smaller value of the criterion.
    pub lower_bound: f64,
    /// The rule's value of the criterion less that bound.
    pub gap: f64,
    /// Estimates by measurement.
    pub rule: Vec<RuleRow>,
    /// Shift subtracted from measurements above the last one; null if the last estimate stands for them.
    pub shift_above: Option<f64>,
    /// Question that the rule answers.
    #[serde(skip)]
    question: DesignQuestion,
}

/// Error of a rule over all answers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RuleErrors {
    /// Largest absolute bias.
    pub worst_bias: f64,
    /// Mean squared error averaged over the answers of the window.
    pub mean_mse: f64,
    /// Largest mean squared error.
    pub worst_mse: f64,
}

/// One line of a rule. Measurements below the first take its estimate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RuleRow {
    /// Noisy value.
    pub measurement: f64,
    /// Estimate to publish for it.
    pub estimate: f64,
}

/// Why there is no design.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DesignFailure {
    /// A parameter is out of its admissible set.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// The noise cannot be calibrated.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    /// The program cannot be set up.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// A number that is no multiple of the step.
    #[error("{name} must be a multiple of the step {step}, got {value}")]
    OffGrid {
        /// Name of the parameter.
        name: &'static str,
        /// The step.
        step: Rational,
        /// Value found.
        value: Rational,
    },
    /// A criterion on the error without a bound on the bias.
    #[error(
        "the criterion {criterion} needs the largest bias that is allowed: add --worst-bias NUMBER (in Python, `worst_bias`)"
    )]
    NoBound {
        /// Name of the criterion to minimise.
        criterion: &'static str,
    },
    /// A bound on the bias beside the criterion that minimises it.
    #[error(
        "the criterion worst-bias makes the bias as small as can be and takes no bound on it: leave --worst-bias (in Python, \
         `worst_bias`) out, or choose the criterion mean-mse or worst-mse"
    )]
    Bound,
}

/// Words for the kinds of noise of one number, such as `laplace`.
pub fn noise_words() -> Vec<&'static str> {
    of_one_number().map(|kind| kind.about().word).collect()
}

/// The kind of noise of a word.
pub fn noise_named(word: &str) -> Option<NoiseKind> {
    of_one_number().find(|kind| kind.about().word == word)
}

fn of_one_number() -> impl Iterator<Item = NoiseKind> {
    NoiseKind::all().iter().copied().filter(|kind| kind.about().drawn == Drawn::Alone)
}

/// Designs the best rule.
///
/// # Errors
/// [`DesignFailure`].
///
/// # Example
/// For a count, with epsilon 1, the least worst bias is `1 / (1 + e)`; the clamp's is 0.425.
/// ```
/// use inbounds_core::{Delta, Epsilon, Rational};
/// use inbounds_advise::design::{Aim, DesignQuestion, NoiseKind, design};
/// let question = DesignQuestion {
///     epsilon: Epsilon::new("1".parse()?)?, delta: Delta::ZERO, sensitivity: Rational::ONE,
///     lower: Rational::ZERO, upper: None, step: Rational::ONE, noise: NoiseKind::Laplace,
///     aim: Aim::WorstBias, worst_bias: None, unbiased_far: false, monotone: false,
/// };
/// let designed = design(&question).expect("valid");
/// assert_eq!(designed.status, "optimal");
/// assert!((designed.errors.worst_bias - 0.2689414213699951).abs() < 1e-7);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn design(question: &DesignQuestion) -> Result<Designed, DesignFailure> {
    let step = question.step.to_f64();
    if !question.step.is_positive() {
        return Err(CoreError::parameter("step", &question.step, "greater than 0").into());
    }
    let steps = |name, value: &Rational| steps_of(name, value, &question.step);
    let (guarantee, sensitivity) = question.promise()?;
    steps("lower", &question.lower)?;
    let width = question.upper.as_ref().map(|upper| steps("upper", &(upper - &question.lower))).transpose()?;
    StepRange::new(Some(0), width)?;
    let noise = question.noise.calibrate(&guarantee, &sensitivity)?;

    let answers = match width {
        None => Answers::HalfLine,
        Some(top) => Answers::UpTo(
            u32::try_from(top)
                .map_err(|_| DesignError::TooWide { outputs: top as f64, largest: Designer::LARGEST_WINDOW as f64 })?,
        ),
    };
    let mut designer = Designer::new(&noise, answers)?;
    if question.unbiased_far {
        designer = designer.unbiased_at_infinity();
    }
    if question.monotone {
        designer = designer.monotone();
    }
    let bound = question.worst_bias.as_ref().map(|bound| bound.to_f64() / step);
    let criterion = match (question.aim, bound) {
        (Aim::WorstBias, None) => Criterion::WorstBias,
        (Aim::MeanMse, Some(worst_bias)) => Criterion::MeanMse { worst_bias },
        (Aim::WorstMse, Some(worst_bias)) => Criterion::WorstMse { worst_bias },
        (Aim::WorstBias, Some(_)) => return Err(DesignFailure::Bound),
        (aim @ (Aim::MeanMse | Aim::WorstMse), None) => return Err(DesignFailure::NoBound { criterion: aim.name() }),
    };
    let design = designer.design(criterion)?;
    let clamp = designer.errors(&clamp_of(answers, &design.rule)?);
    Ok(in_unit(question, &design, clamp, question.noise.name(), noise.scale() * step))
}

impl DesignQuestion {
    /// Guarantee of the noise, and sensitivity of the statistic in steps.
    fn promise(&self) -> Result<(Guarantee, Sensitivity), DesignFailure> {
        let l1 = steps_of("sensitivity", &self.sensitivity, &self.step)?.unsigned_abs();
        let sensitivity = Sensitivity { l1, linf: l1, cells: 1, rule: "given", squares: None };
        Ok((self.noise.guarantee(self.epsilon.clone(), self.delta.clone()), sensitivity))
    }
}

/// A number of steps.
fn steps_of(name: &'static str, value: &Rational, step: &Rational) -> Result<i128, DesignFailure> {
    let steps = value / step;
    let exact = steps.floor().filter(|_| steps.is_integer());
    exact.ok_or_else(|| DesignFailure::OffGrid { name, step: step.clone(), value: value.clone() })
}

/// The nearest point of the range, on the window of a rule.
fn clamp_of(answers: Answers, rule: &Table) -> Result<Table, DesignError> {
    let top = answers.top().map_or(f64::INFINITY, f64::from);
    let values = (rule.first()..=rule.last()).map(|y| (y as f64).clamp(0.0, top)).collect();
    let above = if answers.top().is_some() { Tail::Constant } else { Tail::Shifted(0.0) };
    Table::new(rule.first(), values, above)
}

fn in_unit(question: &DesignQuestion, design: &RuleDesign, clamp: Errors, law: &'static str, scale: f64) -> Designed {
    let (step, lower) = (question.step.to_f64(), question.lower.to_f64());
    let errors = |errors: Errors| RuleErrors {
        worst_bias: errors.worst_bias * step,
        mean_mse: errors.mean_mse * step * step,
        worst_mse: errors.worst_mse * step * step,
    };
    let unit = if question.aim == Aim::WorstBias { step } else { step * step };
    let measurement = |y: i64| (&question.lower + &(&Rational::from(i128::from(y)) * &question.step)).to_f64();
    // Doubles may pass the upper end by a hair.
    let upper = question.upper.as_ref().map_or(f64::INFINITY, Rational::to_f64);
    let row = |(y, value): (i64, f64)| RuleRow {
        measurement: measurement(y),
        estimate: (lower + value * step).clamp(lower, upper),
    };
    Designed {
        law,
        scale,
        criterion: question.aim.name(),
        status: match design.status {
            DesignStatus::Optimal => "optimal",
            DesignStatus::IterationLimit => "iteration-limit",
            DesignStatus::Stalled => "stalled",
            DesignStatus::Infeasible { .. } => "infeasible",
        },
        errors: errors(design.errors),
        clamp: errors(clamp),
        lower_bound: design.lower_bound * unit,
        gap: design.gap * unit,
        rule: design.rule.rows().map(row).collect(),
        shift_above: match design.rule.above() {
            Tail::Constant => None,
            Tail::Shifted(shift) => Some(shift * step),
        },
        question: question.clone(),
    }
}

impl Designed {
    /// The rule as CSV, `measurement,estimate,noise,scale`, as a plan reads it in `mechanism = { rule = "rule.csv" }`.
    ///
    /// Above the last row a range without an upper end has the last move, so that a row with it ends the file.
    pub fn to_csv(&self) -> String {
        let (noise, scale) = (self.question.noise.about().word, self.scale);
        let rows = self.rows().map(|row| format!("{},{},{noise},{scale}\n", row.measurement, row.estimate));
        std::iter::once("measurement,estimate,noise,scale\n".to_owned()).chain(rows).collect()
    }

    /// The rows, and one more that has the move of all measurements above.
    fn rows(&self) -> impl Iterator<Item = RuleRow> {
        let above = self.shift_above.zip(self.rule.last()).map(|(shift, last)| {
            let measurement = last.measurement + self.question.step.to_f64();
            RuleRow { measurement, estimate: measurement - shift }
        });
        self.rule.iter().copied().chain(above)
    }

    /// The rule and its noise, calibrated as they were asked for. Numbers are in steps of `step`: an answer `q` is
    /// `q / step`.
    ///
    /// # Errors
    /// [`DesignFailure`]; none where the design was made.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Rational};
    /// use inbounds_advise::design::{Aim, DesignQuestion, NoiseKind, design};
    /// let question = DesignQuestion {
    ///     epsilon: Epsilon::new("1".parse()?)?, delta: Delta::ZERO, sensitivity: Rational::ONE,
    ///     lower: Rational::ZERO, upper: None, step: Rational::ONE, noise: NoiseKind::Laplace,
    ///     aim: Aim::WorstBias, worst_bias: None, unbiased_far: false, monotone: false,
    /// };
    /// let designed = design(&question).expect("valid");
    /// let mechanism = designed.mechanism().expect("calibrated once already");
    /// assert!((mechanism.worst_bias() - designed.errors.worst_bias).abs() < 1e-12);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn mechanism(&self) -> Result<Arc<dyn Mechanism>, DesignFailure> {
        let DesignQuestion { noise, step, lower, upper, .. } = &self.question;
        let row = |(line, row): (u64, RuleRow)| {
            let exact = |value: f64| Rational::from_f64(value).expect("a designed number is finite");
            TabulatedRow { line, measurement: exact(row.measurement), estimate: exact(row.estimate) }
        };
        let rows = (2..).zip(self.rows()).map(row).collect();
        let rule = TabulatedRule::new(*noise, rows, None).map_err(CalibrationError::from)?;
        let upper = upper.as_ref().map(|upper| steps_of("upper", upper, step)).transpose()?;
        let range = StepRange::new(Some(steps_of("lower", lower, step)?), upper)?;
        let (guarantee, sensitivity) = self.question.promise()?;
        Ok(rule.calibrate(&guarantee, &sensitivity, range, step)?)
    }
}
