//! Which mechanism fits a range: every registered one, calibrated and compared by its own figures. No row is read.
//!
//! [`advise`] ranks the mechanisms of the registry for one [`Question`]; [`design`](mod@design) makes a post-processing
//! rule to measure. With the feature `plot`, [`figure`](fn@figure) draws the errors of a ranking.

#![deny(missing_docs)]

mod curve;
pub mod design;
#[cfg(feature = "plot")]
mod figure;
mod question;

use std::sync::Arc;

use inbounds_core::{Guarantee, Rational, Rho, StepRange};
use inbounds_mechanisms::{
    calibrate::{
        CalibrationError,
        gaussian::{GaussianVector, largest_precision},
    },
    law::Noise,
    mechanism::{self, Mechanism, Together},
    noise::NoiseKind,
    registry::{self, Entry},
};
use serde::Serialize;

pub use curve::{Curve, Point};
#[cfg(feature = "plot")]
pub use figure::figure;
use question::Lattice;
pub use question::{AdviseError, Question};

/// Figures of one mechanism, in the statistic's unit; errors as parts of the answer where the question is for relative
/// ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// Registered name.
    pub mechanism: &'static str,
    /// The word for a plan.
    pub plan_name: &'static str,
    /// Short description of the mechanism.
    pub summary: &'static str,
    /// Scale of the noise in the statistic's unit: `b` of Laplace, that at the lower end where noise is multiplied, the
    /// standard deviation of other noise.
    pub scale: f64,
    /// Largest absolute bias over the range.
    pub worst_bias: f64,
    /// Largest root mean square error over the answers of its [`Curve`] and the middle.
    pub worst_rmse: f64,
    /// Root mean square error at the lower end (at the upper one where there is no lower).
    pub rmse_at_lower: f64,
    /// Root mean square error in the middle of the range, or far from the end of a half line.
    pub rmse_in_middle: f64,
    /// True if the raw, unbiased measurement stays available beside the estimate.
    pub keeps_measurement: bool,
    /// True if it spends delta that it could do without: `spend_delta = true` in a plan.
    pub spends_delta: bool,
    /// Criteria by which no other mechanism is better.
    pub best_by: Vec<&'static str>,
    /// Error against the answer.
    #[serde(skip)]
    pub curve: Curve,
}

/// Mechanisms, best first, and those that cannot do it.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// Mechanisms that can be calibrated.
    pub advice: Vec<Advice>,
    /// The others, in the order of the registry.
    pub refused: Vec<Refused>,
}

/// A mechanism that cannot be calibrated to the question.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// The word for a plan.
    pub plan_name: &'static str,
    /// Why.
    pub reason: CalibrationError,
}

/// Error by which mechanisms are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankingCriterion {
    /// Largest root mean square error over the range.
    WorstRmse,
    /// Largest absolute bias over the range.
    WorstBias,
    /// Root mean square error at an end.
    RmseAtEnd,
    /// Root mean square error in the middle, or far from an end.
    RmseInMiddle,
}

impl RankingCriterion {
    /// All criteria; earlier ones settle ties of later ones.
    pub const ALL: [Self; 4] = [Self::WorstRmse, Self::WorstBias, Self::RmseAtEnd, Self::RmseInMiddle];

    /// Name of the criterion in figures and arguments.
    pub fn name(self) -> &'static str {
        match self {
            Self::WorstRmse => "worst-rmse",
            Self::WorstBias => "worst-bias",
            Self::RmseAtEnd => "rmse-at-end",
            Self::RmseInMiddle => "rmse-in-middle",
        }
    }

    /// The figure it compares.
    pub fn figure(self, advice: &Advice) -> f64 {
        match self {
            Self::WorstRmse => advice.worst_rmse,
            Self::WorstBias => advice.worst_bias,
            Self::RmseAtEnd => advice.rmse_at_lower,
            Self::RmseInMiddle => advice.rmse_in_middle,
        }
    }
}

/// The word for the mechanism of plans that name none.
pub fn default_name() -> &'static str {
    registry::default().plan_name
}

/// Figures this close are a tie: they differ by the fineness of the grid, or a scan.
const TIE: f64 = 1e-6;

/// Compares all registered mechanisms, best first; ties are settled by the other criteria.
///
/// Of several numbers each has an equal part of epsilon and delta, Gaussian ones are accounted for together where that
/// is less noise, and one vector of noise for all of them ([`Together`]) is compared too.
///
/// # Errors
/// [`AdviseError`], of a mechanism's calibration only if none can be calibrated.
///
/// # Example
/// On a half line thresholds have the least worst-case bias, 0.28 of a scale where clamping has 0.5.
/// ```
/// use inbounds_core::{Delta, Epsilon};
/// use inbounds_advise::{RankingCriterion, Question, advise};
/// let question = Question {
///     epsilon: Epsilon::new("1".parse()?)?, delta: Delta::ZERO, sensitivity: "1".parse()?,
///     lower: Some("0".parse()?), upper: None, integer: false, relative: false, numbers: 1,
/// };
/// let ranked = advise(&question, RankingCriterion::WorstBias).expect("valid").advice;
/// assert!((ranked[0].worst_bias - 0.2784645).abs() < 1e-6 && ranked[0].plan_name.contains("thresholded"));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn advise(question: &Question, criterion: RankingCriterion) -> Result<Ranking, AdviseError> {
    let lattice = Lattice::for_question(question)?;
    let (mut rows, mut refused) = (Vec::new(), Vec::new());
    let of_several = (question.numbers > 1).then_some(&registry::TOGETHER);
    for entry in registry::MECHANISMS.iter().filter(|entry| question.allows(entry)).chain(of_several) {
        match advice(question, &lattice, entry) {
            Ok(row) => rows.push(row),
            Err(reason) => refused.push(Refused { plan_name: entry.plan_name, reason }),
        }
    }
    if rows.is_empty()
        && let Some(first) = refused.first()
    {
        return Err(first.reason.clone().into());
    }
    let ranks: Vec<(RankingCriterion, Vec<usize>)> = [criterion]
        .into_iter()
        .chain(RankingCriterion::ALL)
        .map(|criterion| (criterion, ranks_by(&rows, criterion)))
        .collect();
    for (criterion, places) in &ranks[1..] {
        for (row, _) in rows.iter_mut().zip(places).filter(|(_, place)| **place == 0) {
            row.best_by.push(criterion.name());
        }
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|index| ranks.iter().map(|(_, places)| places[*index]).collect::<Vec<usize>>());
    Ok(Ranking { advice: order.into_iter().map(|index| rows[index].clone()).collect(), refused })
}

/// The place of each row by a criterion, 0 for the best; ties share a place.
fn ranks_by(rows: &[Advice], criterion: RankingCriterion) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|a, b| criterion.figure(&rows[*a]).total_cmp(&criterion.figure(&rows[*b])));
    let mut places = vec![0; rows.len()];
    let (mut place, mut first) = (0, f64::NAN);
    for index in order {
        let figure = criterion.figure(&rows[index]);
        if first.is_nan() {
            first = figure;
        } else if figure > first * (1.0 + TIE) {
            (place, first) = (place + 1, figure);
        }
        places[index] = place;
    }
    places
}

fn advice(question: &Question, lattice: &Lattice, entry: &Entry) -> Result<Advice, CalibrationError> {
    let mechanism = calibrated(question, lattice, entry)?;
    let step = lattice.grid.spacing();
    let (end, middle, candidates) = places(question, &*mechanism, lattice.range);
    let unit = |answer: i128| if question.relative { 1.0 / answer as f64 } else { step };
    let curve = Curve::at_candidates(&*mechanism, &candidates, unit, step);
    let rmse_at = |answer: i128| mechanism.error_at(answer).rmse * unit(answer);
    let worst_bias = match question.relative {
        true => curve.worst_bias(),
        false => mechanism.worst_bias() * step,
    };
    let middle_rmse = rmse_at(middle);
    let is_corrected = mechanism.relative_error().is_some_and(|error| error.rmse.is_some());
    Ok(Advice {
        mechanism: entry.name,
        plan_name: entry.plan_name,
        summary: entry.summary,
        scale: mechanism.noise().scale() * step,
        worst_bias,
        worst_rmse: curve.worst_rmse().max(middle_rmse),
        rmse_at_lower: rmse_at(end.unwrap_or(middle)),
        rmse_in_middle: middle_rmse,
        keeps_measurement: entry.is_post_processing() || is_corrected,
        spends_delta: !entry.needs_delta() && mechanism.guarantee().delta().is_some(),
        best_by: Vec::new(),
        curve,
    })
}

/// An answer at an end, one well inside, and those of the curve: the same for all mechanisms where errors are relative.
fn places(question: &Question, measuring: &dyn Mechanism, range: StepRange) -> (Option<i128>, i128, Vec<i128>) {
    match question.relative.then(|| mechanism::inside(range).zip(mechanism::in_ratios(range))).flatten() {
        Some((middle, candidates)) => (range.lower(), middle, candidates),
        None => {
            let (end, middle) = measuring.landmarks();
            (end, middle, measuring.candidates())
        }
    }
}

/// The mechanism of one of the numbers.
fn calibrated(question: &Question, lattice: &Lattice, entry: &Entry) -> Result<Arc<dyn Mechanism>, CalibrationError> {
    let Lattice { sensitivity, range, .. } = lattice;
    if entry.noise == NoiseKind::Cube {
        let together = Together::new(question.epsilon.clone(), question.numbers as usize, 1);
        return together.coordinate(sensitivity, *range, 1);
    }
    let (epsilon, delta) = question.part();
    let alone = entry.calibrate_spending(epsilon, delta, sensitivity, *range);
    match joint(question, lattice, entry).transpose()? {
        Some(joint) if alone.as_ref().is_ok_and(|alone| alone.noise().variance() <= joint.noise().variance()) => alone,
        Some(joint) => Ok(joint),
        None => alone,
    }
}

/// The same with Gaussian noise that is accounted for together; none for other noise and for one number.
fn joint(
    question: &Question,
    lattice: &Lattice,
    entry: &Entry,
) -> Option<Result<Arc<dyn Mechanism>, CalibrationError>> {
    if entry.noise != NoiseKind::Gaussian || !entry.is_post_processing() || question.numbers == 1 {
        return None;
    }
    // At this variance rho is one.
    let variance = &lattice.sensitivity.l2_squared() / &Rational::from(2u128);
    let vectors = vec![GaussianVector::new(&lattice.sensitivity, variance); question.numbers as usize];
    let (rho, _) = largest_precision(&vectors, &question.epsilon, &question.delta)?;
    let guarantee = Guarantee::ZeroConcentrated { rho: Rho::new(rho).ok()? };
    Some(entry.calibrate(&guarantee, &lattice.sensitivity, lattice.range))
}

#[cfg(test)]
mod tests {
    use inbounds_core::{Delta, Epsilon, Rational};

    use super::*;

    fn ask(
        epsilon: &str,
        sensitivity: &str,
        lower: Option<&str>,
        upper: Option<&str>,
    ) -> Result<Vec<Advice>, AdviseError> {
        let read = |text: &str| text.parse::<Rational>().expect("number");
        let question = Question {
            epsilon: Epsilon::new(read(epsilon)).expect("positive"),
            delta: Delta::ZERO,
            sensitivity: read(sensitivity),
            lower: lower.map(read),
            upper: upper.map(read),
            integer: false,
            relative: false,
            numbers: 1,
        };
        advise(&question, RankingCriterion::WorstBias).map(|ranking| ranking.advice)
    }

    /// Root of the sup MSE and worst bias of math reference tables: width 1, sensitivity `D`.
    #[test]
    fn figures_agree_with_the_reference_and_the_winner_flips_with_the_range() {
        let row_of =
            |table: &[Advice], name: &str| table.iter().find(|row| row.plan_name == name).expect("listed").clone();
        let near = |row: &Advice, bias: f64| assert!((row.worst_bias - bias).abs() < 5e-6, "{row:?}");
        let table = ask("0.1", "0.01", Some("0"), Some("1")).expect("valid");
        near(&row_of(&table, "clamped"), 0.05);
        near(&row_of(&table, "conditioned"), 0.18912);
        near(&row_of(&table, "thresholded"), 0.02785);
        assert_eq!((table[0].plan_name, table[0].best_by[0]), ("thresholded", "worst-bias"));
        let narrow = ask("0.1", "1", Some("0"), Some("1")).expect("valid");
        near(&row_of(&narrow, "clamped"), 0.47581);
        near(&row_of(&narrow, "conditioned"), 0.49167);
        near(&row_of(&narrow, "thresholded"), 0.47561);
        assert_eq!(row_of(&narrow, "conditioned").best_by, ["worst-rmse", "rmse-at-end", "rmse-in-middle"]);
        for table in [table, narrow] {
            assert!(table.windows(2).all(|pair| pair[0].worst_bias <= pair[1].worst_bias * (1.0 + TIE)));
        }
    }

    #[test]
    fn one_mechanism_that_cannot_do_it_does_not_refuse_the_others() {
        let read = |text: &str| text.parse::<Rational>().expect("number");
        let question = Question {
            epsilon: Epsilon::new(read("750")).expect("positive"),
            delta: Delta::ZERO,
            sensitivity: read("1"),
            lower: Some(read("0")),
            upper: None,
            integer: true,
            relative: false,
            numbers: 1,
        };
        let ranking = advise(&question, RankingCriterion::WorstRmse).expect("some can");
        assert!(ranking.advice.iter().any(|row| row.plan_name == "clamped"));
        assert!(
            ranking.refused.iter().any(|refused| refused.plan_name == "clamped-staircase"),
            "{:?}",
            ranking.refused
        );
    }

    /// Against equal parts of epsilon the variance of one vector is less by `6 n^2 / ((n + 1) (n + 2))`, and that of
    /// Gaussian noise grows as `n`.
    #[test]
    fn several_numbers_are_measured_with_one_vector_or_with_parts() {
        let read = |text: &str| text.parse::<Rational>().expect("number");
        let mse_by_name = |numbers: u32| {
            let (epsilon, delta) =
                (Epsilon::new(read("0.1")).expect("positive"), Delta::new(read("1e-6")).expect("delta"));
            let (sensitivity, lower, upper) = (read("1"), None, None);
            let question =
                Question { epsilon, delta, sensitivity, lower, upper, integer: false, relative: false, numbers };
            let advice = advise(&question, RankingCriterion::WorstRmse).expect("valid").advice;
            move |name: &str| advice.iter().find(|row| row.plan_name == name).map(|row| row.worst_rmse.powi(2))
        };
        let one = mse_by_name(1);
        assert_eq!(one("together"), None);
        for numbers in [2, 5, 20] {
            let several = mse_by_name(numbers);
            let (n, mse) = (f64::from(numbers), |name: &str| several(name).expect("compared"));
            assert!((mse("clamped") / one("clamped").expect("compared") / n.powi(2) - 1.0).abs() < 1e-3);
            let gain = mse("clamped") / mse("together");
            assert!((gain / (6.0 * n * n / ((n + 1.0) * (n + 2.0))) - 1.0).abs() < 1e-3, "{numbers}: {gain}");
            let gaussian = mse("clamped-gaussian") / one("clamped-gaussian").expect("compared");
            assert!((gaussian / n - 1.0).abs() < 0.01, "{numbers}: {gaussian}");
        }
    }

    /// A count from 1 up at epsilon 3: at ten, noise that is a factor errs eleven times as much as noise that is added.
    #[test]
    fn relative_errors_compare_noise_that_is_multiplied() {
        let read = |text: &str| text.parse::<Rational>().expect("number");
        let ask = |lower: Option<&str>, relative: bool| {
            let (epsilon, delta) = (Epsilon::new(read("3")).expect("positive"), Delta::ZERO);
            let (sensitivity, lower) = (read("1"), lower.map(read));
            let question =
                Question { epsilon, delta, sensitivity, lower, upper: None, integer: true, relative, numbers: 1 };
            advise(&question, RankingCriterion::RmseInMiddle)
        };
        let row_of = |ranking: &Ranking, name: &str| {
            ranking.advice.iter().find(|row| row.plan_name == name).cloned().expect("compared")
        };
        let relative = ask(Some("1"), true).expect("valid");
        let (multiplied, clamped) = (row_of(&relative, "log-laplace"), row_of(&relative, "clamped"));
        // b = ln 2 / 3: b^2 (2 + b^2) / (1 - 4 b^2), and 2 a / (1 - a)^2 with a = e^-3, over ten.
        let b = 2f64.ln() / 3.0;
        let far = (b * b * (2.0 + b * b) / (1.0 - 4.0 * b * b)).sqrt();
        assert!((multiplied.rmse_in_middle / far - 1.0).abs() < 0.01, "{multiplied:?}");
        assert!((clamped.rmse_in_middle - 0.033209).abs() < 1e-5, "{clamped:?}");
        assert!(ask(Some("1"), false).expect("valid").advice.iter().all(|row| row.plan_name != "log-laplace"));
        assert!(matches!(ask(Some("0"), true), Err(AdviseError::NotPositive { .. })));
        assert!(matches!(ask(None, true), Err(AdviseError::NotPositive { .. })));
    }

    #[test]
    fn questions_without_answer_are_refused_with_the_reason() {
        let message = |result: Result<Vec<Advice>, AdviseError>| result.expect_err("refused").to_string();
        assert!(message(ask("1", "0", None, None)).starts_with("sensitivity must be greater than 0"));
        assert!(message(ask("1", "1", Some("3"), Some("3"))).starts_with("lower must be less than upper"));
        assert!(message(ask("1", "5", Some("0"), Some("3"))).contains("wider than the range"));
    }
}
