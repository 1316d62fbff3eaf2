//! Requirements on numbers that every solver shares.

use crate::ProjectError;

/// Every cell has a value and a weight: as many of each, values finite, weights positive with finite reciprocal.
pub(crate) fn measurements(values: &[f64], weights: &[f64]) -> Result<(), ProjectError> {
    length("weights", "values", values.len(), weights.len())?;
    finite("value", "cell", values)?;
    match weights.iter().position(|&w| !(w > 0.0 && w.is_finite() && w.recip().is_finite())) {
        None => Ok(()),
        Some(cell) => Err(ProjectError::Number {
            name: "weight",
            place: format!("cell {cell}"),
            requirement: "finite and positive, with a finite reciprocal",
            value: weights[cell],
        }),
    }
}

/// All of `numbers` are finite.
pub(crate) fn finite(name: &'static str, entry: &str, numbers: &[f64]) -> Result<(), ProjectError> {
    match numbers.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) => {
            Err(ProjectError::Number { name, place: format!("{entry} {i}"), requirement: "finite", value: numbers[i] })
        }
    }
}

/// A list has one entry for each of what it belongs to.
pub(crate) fn length(
    name: &'static str,
    entries: &'static str,
    wanted: usize,
    found: usize,
) -> Result<(), ProjectError> {
    if wanted == found { Ok(()) } else { Err(ProjectError::Length { name, entries, wanted, found }) }
}

/// A cell's bounds contain a number: `lower <= upper`, neither NaN, and not both the same infinity.
pub(crate) fn bounds(cell: usize, lower: f64, upper: f64) -> Result<(), ProjectError> {
    let place = || format!("cell {cell}");
    if lower.is_nan() || lower == f64::INFINITY {
        let requirement = "a number or minus infinity";
        return Err(ProjectError::Number { name: "lower bound", place: place(), requirement, value: lower });
    }
    if !(upper >= lower && upper > f64::NEG_INFINITY) {
        let requirement = "a number at or above the lower bound, or infinity";
        return Err(ProjectError::Number { name: "upper bound", place: place(), requirement, value: upper });
    }
    Ok(())
}

/// All of `numbers` are whole and of a size at which doubles still count one by one.
pub(crate) fn whole(name: &'static str, entry: &str, numbers: &[f64], largest: f64) -> Result<(), ProjectError> {
    match numbers.iter().position(|x| x.fract() != 0.0 || x.abs() >= largest) {
        None => Ok(()),
        Some(i) => {
            let place = format!("{entry} {i}");
            Err(ProjectError::Number { name, place, requirement: "whole and below 2^53", value: numbers[i] })
        }
    }
}
