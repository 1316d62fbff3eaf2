//! The designer: the best post-processing rule for a law of noise, computed, with a certificate.
//!
//! A mechanism publishes `phi(q + N)`: an answer `q` plus noise, sent through a rule `phi` into the range of the
//! answers. A rule sees the raw value only, so whatever it is, it is post-processing. Claim: `designed-rule-loss`.
//!
//! The best rule solves a convex programme in the values of `phi`. [`Designer`] sets the programme up, lets a conic
//! solver propose a solution, and returns a [`RuleDesign`] whose figures do not depend on that solver:
//!
//! - the errors of the rule are summed directly over the law, after the rule was moved into the range;
//! - the lower bound on the error of any rule of the same form is computed from multipliers, of which *any* are valid;
//! - their distance is the gap, which decides the [`DesignStatus`].
//!
//! # Form of the rules
//! On the answers `{0, ..., top}` a rule is tabulated over a window of raw values and constant beyond it. On the half
//! line it is constant below the window and `y - c` above it, where `c` is free, or zero if the rule is to be unbiased
//! for large answers. The lower bound is over rules of this form *and window*; a wider window can lower it. The errors
//! of a rule are, unlike the bound, taken over all answers, in the window or not.
//!
//! For discrete Laplace noise neither form nor default window costs anything in the worst bias: raw values beyond the
//! answers say nothing that the end does not say, and on the half line a best rule is a shift from some raw value on.
//! For thin tails a wider window goes on helping, by rules that jump: see [`Designer::monotone`].
//!
//! # Closed form
//! For discrete Laplace noise, `a = e^-tau`, the least worst bias on the half line is `B = max_q q / (1 + a^-q)`. No
//! rule has less: `P(y | q) <= a^-q P(y | 0)`, so `q - B <= E phi(q + N) <= a^-q E phi(N) <= a^-q B`.
//!
//! A continuous law is designed on a fine lattice, as everything here runs on grids.

mod certificate;
mod design;
mod error;
mod errors;
mod form;
mod kernel;
mod program;
mod solve;
mod sum;
mod table;

pub use design::{Criterion, DesignStatus, RuleDesign};
pub use error::DesignError;
pub use errors::Errors;
pub use form::Answers;
pub use table::{Table, Tail};

use crate::law::Noise;
use certificate::{Certificate, Multipliers};
use form::Form;
use kernel::Kernel;
use program::Program;
use solve::{Objective, Proposal, propose};

/// Designs rules for a law and a set of answers.
///
/// # Parameters
/// - `noise`: a law on the integers (spacing 1), symmetric around zero.
/// - `answers`: `{0, ..., top}` or `{0, 1, ...}`; an answer on another grid is shifted and scaled to these.
/// - a window of raw values over which the rule is tabulated, by default six standard deviations beyond zero on a half
///   line, and three beyond the answers where the noise makes raw values there informative;
/// - weights of the answers `0, 1, ...` for the mean error, by default equal over the answers in the window.
///
/// # Guarantee
/// `lower_bound <= value of the criterion at the best rule of the form <= value at the returned rule`, with rounding
/// and the noise beyond the tables counted against us. The law's own masses are trusted to 128 units in the last place.
/// Every value of the rule is in the range, so that publishing `phi(q + N)` is post-processing inside the range.
///
/// # Errors
/// [`DesignError`], on making the designer or on the call of [`Designer::design`].
///
/// # Example
/// On the half line, with discrete Laplace noise of `a = 1/e`, the least worst bias is `1/(1 + e)`, against
/// `e/(e^2 - 1) = 0.425` for the clamp.
/// ```
/// use inbounds_mechanisms::{designer::{Answers, Criterion, Designer, DesignStatus}, noise::DiscreteLaplace};
/// let noise = DiscreteLaplace::with_inverse_scale("1".parse()?)?;
/// let design = Designer::new(&noise, Answers::HalfLine)?.design(Criterion::WorstBias)?;
/// assert_eq!(design.status, DesignStatus::Optimal);
/// assert!((design.errors.worst_bias - 0.2689414213699951).abs() < 1e-8);
/// assert!(design.lower_bound <= 0.2689414213699951 && design.gap < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # References
/// McGlinchey and Mason ask for the least worst bias on the half line.
#[derive(Debug, Clone)]
pub struct Designer {
    kernel: Kernel,
    form: Form,
    weights: Vec<f64>,
    iterations: u32,
}

/// Probability of raw values outside the answers that get no place of their own: tiny coefficients spoil multipliers.
const RARE: f64 = 1e-6;
/// Spacing of the answers first taken above the window, in standard deviations.
const STRIDE: f64 = 0.25;

impl Designer {
    /// The relative gap up to which a design counts as optimal.
    pub const TOLERANCE: f64 = 1e-7;
    /// The most outputs of a window.
    pub const LARGEST_WINDOW: usize = 1000;

    /// A designer with the default window, equal weights and a free shift.
    ///
    /// # Errors
    /// [`DesignError::Lattice`], [`DesignError::TooNarrow`] and [`DesignError::TooWide`] for a law that cannot be
    /// tabulated, [`DesignError::Answers`] for a single answer.
    pub fn new(noise: &dyn Noise, answers: Answers) -> Result<Self, DesignError> {
        if answers == Answers::UpTo(0) {
            return Err(DesignError::Answers);
        }
        let kernel = Kernel::new(noise)?;
        let deviation = libm::sqrt(kernel.variance());
        let margin = if kernel.ratio().is_some() { 0 } else { libm::round(3.0 * deviation) as i64 };
        let last = match answers {
            Answers::HalfLine => libm::round(6.0 * deviation).max(4.0) as i64,
            Answers::UpTo(top) => i64::from(top) + margin,
        };
        let form = Form { answers, first: -margin, last, free_shift: true, monotone: false };
        Self { kernel, form, weights: Vec::new(), iterations: 200 }.with_window(-margin, last)
    }

    /// Tabulates the rule over the raw values from `first` to `last`, and weights the answers among them equally. Raw
    /// values that noise puts so far outside the answers with probability below `1e-6` fall in with the ends.
    ///
    /// # Errors
    /// [`DesignError::Window`] unless `first <= 0` and `last >= top` (at least 1 on a half line),
    /// [`DesignError::TooWide`] beyond [`Designer::LARGEST_WINDOW`].
    pub fn with_window(mut self, first: i64, last: i64) -> Result<Self, DesignError> {
        let must_hold = self.form.answers.top().map_or(1, i64::from);
        if first > 0 || last < must_hold {
            return Err(DesignError::Window { first, last, must_hold });
        }
        let outputs = last as f64 - first as f64 + 1.0;
        if outputs > Self::LARGEST_WINDOW as f64 {
            return Err(DesignError::TooWide { outputs, largest: Self::LARGEST_WINDOW as f64 });
        }
        let farthest = self.kernel.distance(RARE);
        self.form.first = first.max(-farthest);
        self.form.last = self.form.answers.top().map_or(last, |top| last.min(i64::from(top) + farthest));
        let count = self.weighable();
        self.weights = vec![1.0 / count as f64; count];
        Ok(self)
    }

    /// Weights the answers `0, 1, ...` for the mean error; scaled to sum to one, and zero beyond those given.
    ///
    /// # Errors
    /// [`DesignError::Weights`] unless they are finite, not negative, not all zero, and for answers in the window.
    pub fn with_weights(mut self, weights: &[f64]) -> Result<Self, DesignError> {
        let total: f64 = weights.iter().sum();
        let admissible = weights.iter().all(|weight| *weight >= 0.0) && total > 0.0 && total.is_finite();
        if !admissible || weights.len() > self.weighable() {
            return Err(DesignError::Weights { largest: self.weighable() });
        }
        self.weights = weights.iter().map(|weight| weight / total).collect();
        Ok(self)
    }

    /// Requires `phi(y) = y` above the window on a half line, so that the bias vanishes for large answers.
    pub fn unbiased_at_infinity(mut self) -> Self {
        self.form.free_shift = false;
        self
    }

    /// Requires that a larger raw value never gives a smaller published one.
    ///
    /// The least biased rules for a law with thin tails, such as the discrete Gaussian, otherwise jump between zero and
    /// values far above the raw one: their gain in bias costs many times as much in error.
    pub fn monotone(mut self) -> Self {
        self.form.monotone = true;
        self
    }

    /// Stops the solver after this many iterations.
    pub fn with_iteration_limit(mut self, iterations: u32) -> Self {
        self.iterations = iterations;
        self
    }

    /// `E phi(q + N) - q` for any rule.
    pub fn bias(&self, rule: &Table, answer: u32) -> f64 {
        errors::bias(&self.kernel, rule, i64::from(answer)).value()
    }

    /// `E (phi(q + N) - q)^2` for any rule.
    pub fn mse(&self, rule: &Table, answer: u32) -> f64 {
        errors::mse(&self.kernel, rule, i64::from(answer)).value()
    }

    /// The errors of any rule, such as the clamp, to hold a design against.
    pub fn errors(&self, rule: &Table) -> Errors {
        Errors::for_rule(&self.kernel, self.form.answers, &self.weights, rule)
    }

    /// The best rule for a criterion.
    ///
    /// For discrete Laplace noise the programme is a recurrence in the answers, solved in a time that grows with their
    /// number. For other laws, and should its gap be too large, each answer has a coefficient for each output. Far
    /// above the window of a half line errors change slowly with the answer, so at first this programme takes only some
    /// answers there. The errors are over all of them; if the gap shows that it matters, it is solved with all. What is
    /// returned is the best of these.
    ///
    /// # Errors
    /// [`DesignError::BiasBound`] unless a bound on the bias is finite and positive.
    pub fn design(&self, criterion: Criterion) -> Result<RuleDesign, DesignError> {
        if let Criterion::MeanMse { worst_bias } | Criterion::WorstMse { worst_bias } = criterion
            && !(worst_bias > 0.0 && worst_bias.is_finite())
        {
            return Err(DesignError::BiasBound { worst_bias });
        }
        let stride = libm::round(STRIDE * libm::sqrt(self.kernel.variance())).max(1.0) as usize;
        let every_answer = (stride > 1 && self.form.answers == Answers::HalfLine).then_some(1);
        let strides = [stride].into_iter().chain(every_answer);
        let full = strides.map(|stride| Program::new(&self.kernel, self.form, stride));
        let programs = Program::recurrent(&self.kernel, self.form).into_iter().chain(full);
        let mut best: Option<RuleDesign> = None;
        for program in programs {
            let design = self.attempt(criterion, &program);
            if best.as_ref().is_none_or(|best| design.is_better_than(best)) {
                best = Some(design);
            }
            if best.as_ref().is_some_and(|best| best.relative_gap() <= Self::TOLERANCE) {
                break;
            }
        }
        Ok(best.expect("the programme of some answers is always there"))
    }

    fn attempt(&self, criterion: Criterion, program: &Program) -> RuleDesign {
        match criterion {
            Criterion::WorstBias => self.least_bias(program),
            Criterion::MeanMse { worst_bias } => {
                let objective = Objective::MeanMse { weights: &self.weights, bias_bound: worst_bias };
                self.least_error(program, objective, worst_bias)
            }
            Criterion::WorstMse { worst_bias } => {
                self.least_error(program, Objective::WorstMse { bias_bound: worst_bias }, worst_bias)
            }
        }
    }

    /// Answers that may be weighted: those in the window.
    fn weighable(&self) -> usize {
        self.form.answers.top().map_or(self.form.last, i64::from) as usize + 1
    }

    fn least_bias(&self, program: &Program) -> RuleDesign {
        let proposal = self.propose(program, Objective::WorstBias);
        let rule = self.rule(program, &proposal.deviations);
        let errors = self.errors(&rule);
        let bound = Certificate::new(&self.kernel, program, errors.worst_bias).worst_bias(&proposal.multipliers);
        RuleDesign::certified(rule, errors, errors.worst_bias, bound, proposal.reached_limit)
    }

    fn least_error(&self, program: &Program, objective: Objective<'_>, bias_bound: f64) -> RuleDesign {
        let mut proposal = self.propose(program, objective);
        let mut rule = self.rule(program, &proposal.deviations);
        let mut errors = self.errors(&rule);
        if errors.worst_bias > bias_bound {
            let least_biased = self.least_bias(program);
            if least_biased.errors.worst_bias > bias_bound {
                let status = DesignStatus::Infeasible { least: least_biased.errors.worst_bias };
                return RuleDesign { status, ..least_biased };
            }
            proposal = self.propose(program, objective.relaxed());
            (rule, errors) = self.within_bias(&self.rule(program, &proposal.deviations), bias_bound, &least_biased);
        }
        let value = if matches!(objective, Objective::WorstMse { .. }) { errors.worst_mse } else { errors.mean_mse };
        let certificate = Certificate::new(&self.kernel, program, bias_bound);
        let bound = certificate.weighted_mse(&proposal.multipliers, value);
        RuleDesign::certified(rule, errors, value, bound, proposal.reached_limit)
    }

    /// Where the solver has nothing to say, the clamp without multipliers: its gap shows.
    fn propose(&self, program: &Program, objective: Objective<'_>) -> Proposal {
        let unit = libm::sqrt(self.kernel.variance());
        propose(program, objective, unit, self.iterations).unwrap_or_else(|| Proposal {
            deviations: vec![0.0; program.columns.len()],
            multipliers: Multipliers::none(program),
            reached_limit: false,
        })
    }

    /// The rule of these deviations, moved into the range and, where it must be, into order.
    fn rule(&self, program: &Program, deviations: &[f64]) -> Table {
        let Form { answers, first, last, monotone, .. } = self.form;
        let outputs = program.columns.iter().zip(deviations);
        let mut values: Vec<f64> = outputs.map(|(c, d)| (c.raw as f64 + d).clamp(0.0, self.form.top())).collect();
        let next = if self.form.has_shift() { values.pop() } else { None }.unwrap_or((last + 1) as f64);
        if monotone {
            let mut largest = 0.0;
            for value in &mut values {
                largest = f64::max(largest, value.min(next));
                *value = largest;
            }
        }
        let above = match answers {
            Answers::UpTo(_) => Tail::Constant,
            Answers::HalfLine => Tail::Shifted((last + 1) as f64 - next),
        };
        Table::of_finite(first, values, above)
    }

    /// The rule moved towards the one of least bias until it keeps the bound: biases are linear in the rule.
    fn within_bias(&self, rule: &Table, bias_bound: f64, least_biased: &RuleDesign) -> (Table, Errors) {
        let (start, least) = (self.errors(rule).worst_bias, least_biased.errors.worst_bias);
        let mut share = if start > bias_bound { (start - bias_bound) / (start - least) } else { 0.0 };
        loop {
            let blended = rule.blend(&least_biased.rule, share);
            let errors = self.errors(&blended);
            if errors.worst_bias <= bias_bound {
                return (blended, errors);
            }
            // Only rounding is in the way; at a share of one the rule is the least biased itself.
            share = 2.0 * share + f64::EPSILON;
        }
    }
}
