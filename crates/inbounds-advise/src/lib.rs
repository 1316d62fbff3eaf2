//! Which mechanism fits a range: every registered one, calibrated and compared by its own figures. No row is read.
//!
//! [`advise`] ranks the mechanisms of the registry for one [`Question`]; [`design`](mod@design) makes a post-processing rule
//! to measure. With the feature `plot`, [`figure`](fn@figure) draws the errors of a ranking.

#![deny(missing_docs)]

mod curve;
pub mod design;
#[cfg(feature = "plot")]
mod figure;
mod question;

use std::sync::Arc;

use inbounds_mechanisms::{
    calibrate::CalibrationError,
    mechanism::Mechanism,
    registry::{self, Entry},
};
use serde::Serialize;

pub use curve::{Curve, Point};
#[cfg(feature = "plot")]
pub use figure::figure;
use question::Lattice;
pub use question::{AdviseError, Question};

/// Figures of one mechanism, in the statistic's unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Advice {
    /// Registered name.
    pub mechanism: &'static str,
    /// The word for a plan.
    pub plan_name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Scale of the noise: `b` of Laplace, the standard deviation of other noise.
    pub scale: f64,
    /// Largest absolute bias over the range.
    pub worst_bias: f64,
    /// Largest root mean square error over the answers of its [`Curve`] and the middle.
    pub worst_rmse: f64,
    /// Root mean square error at the lower end (at the upper one where there is no lower).
    pub rmse_at_lower: f64,
    /// Root mean square error in the middle of the range, or far from the end of a half line.
    pub rmse_in_middle: f64,
    /// Whether the raw, unbiased measurement stays available beside the estimate.
    pub keeps_measurement: bool,
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

/// What mechanisms are ranked by.
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

    /// How figures and arguments call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::WorstRmse => "worst-rmse",
            Self::WorstBias => "worst-bias",
            Self::RmseAtEnd => "rmse-at-end",
            Self::RmseInMiddle => "rmse-in-middle",
        }
    }

    /// The figure it compares.
    pub fn of(self, advice: &Advice) -> f64 {
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
///     lower: Some("0".parse()?), upper: None, integer: false,
/// };
/// let ranked = advise(&question, RankingCriterion::WorstBias).expect("valid").advice;
/// assert!((ranked[0].worst_bias - 0.2784645).abs() < 1e-6 && ranked[0].plan_name.contains("thresholded"));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn advise(question: &Question, criterion: RankingCriterion) -> Result<Ranking, AdviseError> {
    let lattice = Lattice::of(question)?;
    let (mut rows, mut refused) = (Vec::new(), Vec::new());
    for entry in registry::MECHANISMS.iter().filter(|entry| question.allows(entry)) {
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
    let places: Vec<(RankingCriterion, Vec<usize>)> = [criterion]
        .into_iter()
        .chain(RankingCriterion::ALL)
        .map(|criterion| (criterion, places(&rows, criterion)))
        .collect();
    for (criterion, places) in &places[1..] {
        for (row, _) in rows.iter_mut().zip(places).filter(|(_, place)| **place == 0) {
            row.best_by.push(criterion.name());
        }
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|index| places.iter().map(|(_, places)| places[*index]).collect::<Vec<usize>>());
    Ok(Ranking { advice: order.into_iter().map(|index| rows[index].clone()).collect(), refused })
}

/// The place of each row by a criterion, 0 for the best; ties share a place.
fn places(rows: &[Advice], criterion: RankingCriterion) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|a, b| criterion.of(&rows[*a]).total_cmp(&criterion.of(&rows[*b])));
    let mut places = vec![0; rows.len()];
    let (mut place, mut first) = (0, f64::NAN);
    for index in order {
        let figure = criterion.of(&rows[index]);
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
    let guarantee = entry.guarantee(question.epsilon.clone(), question.delta.clone());
    let mechanism: Arc<dyn Mechanism> = entry.calibrate(&guarantee, &lattice.sensitivity, lattice.range)?;
    let step = lattice.grid.spacing();
    let (end, middle) = mechanism.landmarks();
    let curve = Curve::of(mechanism.as_ref(), step);
    let middle_rmse = mechanism.error_at(middle).rmse * step;
    Ok(Advice {
        mechanism: entry.name,
        plan_name: entry.plan_name,
        summary: entry.summary,
        scale: mechanism.noise().scale() * step,
        worst_bias: mechanism.worst_bias() * step,
        worst_rmse: curve.worst_rmse().max(middle_rmse),
        rmse_at_lower: mechanism.error_at(end.unwrap_or(middle)).rmse * step,
        rmse_in_middle: middle_rmse,
        keeps_measurement: entry.is_post_processing(),
        best_by: Vec::new(),
        curve,
    })
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
        };
        advise(&question, RankingCriterion::WorstBias).map(|ranking| ranking.advice)
    }

    /// Root of the sup MSE and worst bias of math reference tables: width 1, sensitivity `D`.
    #[test]
    fn figures_agree_with_the_reference_and_the_winner_flips_with_the_range() {
        let of = |table: &[Advice], name: &str| table.iter().find(|row| row.plan_name == name).expect("listed").clone();
        let near = |row: &Advice, bias: f64| assert!((row.worst_bias - bias).abs() < 5e-6, "{row:?}");
        let table = ask("0.1", "0.01", Some("0"), Some("1")).expect("valid");
        near(&of(&table, "clamped"), 0.05);
        near(&of(&table, "conditioned"), 0.18912);
        near(&of(&table, "thresholded"), 0.02785);
        assert_eq!((table[0].plan_name, table[0].best_by[0]), ("thresholded", "worst-bias"));
        let narrow = ask("0.1", "1", Some("0"), Some("1")).expect("valid");
        near(&of(&narrow, "clamped"), 0.47581);
        near(&of(&narrow, "conditioned"), 0.49167);
        near(&of(&narrow, "thresholded"), 0.47561);
        assert_eq!(of(&narrow, "conditioned").best_by, ["worst-rmse", "rmse-at-end", "rmse-in-middle"]);
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
        };
        let ranking = advise(&question, RankingCriterion::WorstRmse).expect("some can");
        assert!(ranking.advice.iter().any(|row| row.plan_name == "clamped"));
        assert!(
            ranking.refused.iter().any(|refused| refused.plan_name == "clamped-staircase"),
            "{:?}",
            ranking.refused
        );
    }

    #[test]
    fn questions_without_answer_are_refused_with_the_reason() {
        let message = |result: Result<Vec<Advice>, AdviseError>| result.expect_err("refused").to_string();
        assert!(message(ask("1", "0", None, None)).starts_with("sensitivity must be greater than 0"));
        assert!(message(ask("1", "1", Some("3"), Some("3"))).starts_with("lower must be less than upper"));
        assert!(message(ask("1", "5", Some("0"), Some("3"))).contains("wider than the range"));
    }
}
