//! Places of numbers among all of their figure.

use crate::{
    Extent, FigureCell, Refusal,
    file::Asked,
    law::places,
    method::FigureMethod,
    numbers::{Form, Key},
    operand::{Number, Sources},
    solve::{Solved, Solver, TooRare},
};

/// Places among all cells, the largest first, with the places that no pair of cells rules out.
///
/// The chance of a miss is divided over the pairs of a cell with all others, or over all pairs where the places are to
/// hold together: see
/// [`places`].
pub(crate) fn ranks(
    asked: &Asked,
    numbers: &[(Key, Number)],
    sources: &Sources,
    solver: &mut Solver,
) -> Result<Vec<FigureCell>, Refusal> {
    let (count, miss) = (numbers.len(), 1.0 - asked.level);
    let pairs = if asked.joint { count * count.saturating_sub(1) / 2 } else { count.saturating_sub(1) };
    let of_pair = miss / pairs.max(1) as f64;
    let forms: Option<Vec<&Form>> = numbers.iter().map(|(_, number)| number.form()).collect();
    let sure: Vec<(usize, usize)> = match forms {
        Some(forms) => {
            let measured: Vec<f64> = forms.iter().map(|form| form.value(sources.atoms)).collect();
            places(&measured, |one, other| {
                let form = forms[one].clone().plus(-1.0, forms[other]);
                // Noise is symmetric: on one side half of the chance.
                let (radius, _) = solver.radius(&form, (2.0 * of_pair).min(1.0))?;
                Ok::<f64, TooRare>(radius.value)
            })?
        }
        None => {
            // Of quotients intervals that hold together: two of them that do not meet are a pair that is sure.
            let own = miss / count as f64;
            let intervals: Result<Vec<Solved>, TooRare> =
                numbers.iter().map(|(_, number)| solver.interval(&number.raw, own, number.range)).collect();
            let intervals = intervals?;
            let middles: Vec<f64> = intervals.iter().map(|one| 0.5 * (one.lower + one.upper)).collect();
            let half = |one: &Solved| 0.5 * (one.upper - one.lower);
            places(&middles, |one, other| Ok::<f64, TooRare>(half(&intervals[one]) + half(&intervals[other])))?
        }
    };
    let above = |values: &[f64], own: f64| 1 + values.iter().filter(|value| **value > own).count();
    let estimates: Vec<f64> = numbers.iter().map(|(_, number)| number.estimate).collect();
    // A number without a measurement has its place among those of others by its estimate, and none of its own.
    let measured: Vec<Option<f64>> = numbers.iter().map(|(_, number)| number.raw.value(sources.atoms)).collect();
    let raws: Vec<f64> =
        measured.iter().zip(&estimates).map(|(measured, estimate)| measured.unwrap_or(*estimate)).collect();
    let cell = |place: usize| {
        let (lower, upper) = sure[place];
        let estimate = above(&estimates, estimates[place]);
        let ends = (lower.min(estimate) as f64, upper.max(estimate) as f64);
        FigureCell {
            key: numbers[place].0.clone(),
            output: String::new(),
            unit: "place".to_owned(),
            estimate: Some(estimate as f64),
            raw: measured[place].map(|_| above(&raws, raws[place]) as f64),
            lower: ends.0,
            upper: ends.1,
            extent: Extent::classify(ends.0, ends.1, (1.0, count as f64), lower > upper),
            against: None,
            against_all: None,
            method: FigureMethod::PairwiseRanks,
            method_error: 0.0,
            miss: if asked.joint { miss / count as f64 } else { miss },
            raw_rmse: None,
            errors_at_estimate: None,
            quality: None,
        }
    };
    Ok((0..count).map(cell).collect())
}
