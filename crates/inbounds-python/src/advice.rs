//! Which mechanism fits a range, and rules made for one.

use inbounds_advise::{
    Question, RankingCriterion, advise as ranked,
    design::{Aim, DesignQuestion, design as designed, noise_named, noise_words},
    figure,
};
use inbounds_cli::text;
use pyo3::prelude::*;

use crate::{exact, failure::Failure, work};

/// The question, as text.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    epsilon: String,
    delta: Option<String>,
    sensitivity: String,
    lower: Option<String>,
    upper: Option<String>,
}

/// Mechanisms for a range, best first: as JSON, as the command prints them, and drawn in SVG.
#[pyfunction]
pub(crate) fn advise(
    py: Python<'_>,
    asked: Asked,
    integer: bool,
    relative: bool,
    criterion: &str,
    numbers: u32,
) -> PyResult<(String, String, String)> {
    work::run(py, None, "nothing was published", |_| {
        let question = Question {
            epsilon: exact::epsilon(&asked.epsilon)?,
            delta: exact::delta(asked.delta.as_deref())?,
            sensitivity: exact::number("sensitivity", &asked.sensitivity)?,
            lower: exact::optional("lower", asked.lower.as_deref())?,
            upper: exact::optional("upper", asked.upper.as_deref())?,
            integer,
            relative,
            numbers,
        };
        let known = RankingCriterion::ALL.map(RankingCriterion::name);
        let criterion = RankingCriterion::ALL.into_iter().find(|one| one.name() == criterion);
        let criterion =
            criterion.ok_or_else(|| Failure::Parameter(format!("a criterion is one of {}", known.join(", "))))?;
        let ranking = ranked(&question, criterion)?;
        let json = serde_json::to_string(&ranking.advice).expect("strings, numbers and lists serialise");
        let words = text::advise(&question, criterion, &ranking, 100);
        Ok((json, words, figure(&question, &ranking.advice).to_svg()))
    })
}

/// The best rule for a range by a criterion, with its distance from the best possible: as JSON.
#[pyfunction]
#[pyo3(signature = (asked, step, noise, criterion, worst_bias, unbiased_far, monotone))]
#[expect(clippy::too_many_arguments, reason = "one argument for each key of the function in Python")]
pub(crate) fn design(
    py: Python<'_>,
    asked: Asked,
    step: &str,
    noise: &str,
    criterion: &str,
    worst_bias: Option<&str>,
    unbiased_far: bool,
    monotone: bool,
) -> PyResult<String> {
    work::run(py, None, "nothing was published", |_| {
        let unknown = |parameter: &str, known: Vec<&str>| {
            Failure::Parameter(format!("{parameter} is one of {}", known.join(", ")))
        };
        let aims = || Aim::ALL.map(Aim::name).to_vec();
        let aim = Aim::ALL.into_iter().find(|aim| aim.name() == criterion);
        let question = DesignQuestion {
            epsilon: exact::epsilon(&asked.epsilon)?,
            delta: exact::delta(asked.delta.as_deref())?,
            sensitivity: exact::number("sensitivity", &asked.sensitivity)?,
            lower: exact::number("lower", asked.lower.as_deref().unwrap_or("0"))?,
            upper: exact::optional("upper", asked.upper.as_deref())?,
            step: exact::number("step", step)?,
            noise: noise_named(noise).ok_or_else(|| unknown("noise", noise_words()))?,
            aim: aim.ok_or_else(|| unknown("a criterion", aims()))?,
            worst_bias: exact::optional("worst_bias", worst_bias)?,
            unbiased_far,
            monotone,
        };
        Ok(serde_json::to_string(&designed(&question)?).expect("strings, numbers and lists serialise"))
    })
}
