//! Effect of bounds on the measurements of a statistic, in sentences.
//!
//! Every sentence is chosen by an id of the manifest. A new formula or method does not compile here without its
//! sentence.

use inbounds_bundle::{ComponentEntry, Id, LevelSums, Method, ProjectionEntry, RESIDUALS_MEASURED, StatisticEntry};
use inbounds_core::Quantity;
use inbounds_mechanisms::mechanism::BiasFormula;

use super::{names::Names, words};
use crate::{
    cells::{Cells, Moves},
    figures::{figure, whole},
};

/// Most outputs of a cell that are spoken of one by one.
const SPOKEN: usize = 8;

/// Sentences about the measurements after bounding.
pub(super) fn cost(statistic: &StatisticEntry, cells: &Cells, names: &Names) -> Vec<String> {
    let mut sentences = match &statistic.projection {
        Some(projection) => levels(statistic, projection, (cells, names)),
        None if statistic.learned.is_some() => vec![
            "The estimate is the measurement. Only cells whose measurement reached the threshold are here, and given that, \
             measurements are too high on average: small cells are seen where their noise is large."
                .to_owned(),
        ],
        None if !statistic.keeps_measurements() => vec![
            "The noise was drawn given that the result is in the range, so the measurement is the estimate and there is no \
             unbiased value beside it."
                .to_owned(),
        ],
        None => vec![moves(statistic, cells, names)],
    };
    sentences.extend(bias(statistic, cells, names));
    sentences
}

/// Projection that made levels or margins add up, and the distance by which it moved each kind of number.
fn levels(statistic: &StatisticEntry, projection: &ProjectionEntry, (cells, names): (&Cells, &Names)) -> Vec<String> {
    let method = projection.solver.method.known();
    let is_whole = method.is_some_and(Method::is_whole);
    let has_levels = statistic.measured.iter().any(|component| component.level.is_some());
    let [all, of_all] = match (method.is_some_and(Method::is_of_table), has_levels) {
        (true, true) => ["All margins at all levels", "all margins at all levels"],
        (true, false) => ["All margins", "all margins"],
        (false, _) => ["All levels", "all levels"],
    };
    let is_residual = |component: &ComponentEntry| component.role.known() == Some(&Quantity::Residual);
    let residuals = statistic.measured.iter().any(is_residual);
    let adjustment = match statistic.traits().level_sums {
        LevelSums::CountsAndSums => {
            let kept = if is_whole { ", in whole numbers" } else { "" };
            format!("Counts and sums of {of_all} were made to add up{kept}; each mean is the sum divided by the count.")
        }
        LevelSums::Numbers if is_whole => format!("{all} were made whole and made to add up together."),
        LevelSums::Numbers => format!("{all} were made to add up together."),
    };
    let mut sentences = vec![adjustment];
    if residuals {
        sentences.insert(0, RESIDUALS_MEASURED.to_owned());
    }
    sentences.extend(parts(statistic, cells, names).map(|(name, unit, moves)| {
        let of_part = if name.is_empty() { String::new() } else { format!(" of the {name}") };
        if moves.moved == 0 {
            return format!("This moved no measurement{of_part}.");
        }
        format!(
            "This moved {} of {}{of_part} by {} ({unit}) in root mean square and by at most {}.",
            whole(moves.moved),
            words::counted(moves.measured, "measurement"),
            figure(moves.mean()),
            figure(moves.farthest),
        )
    }));
    sentences.push(match method.is_some_and(Method::is_linear) {
        true => format!(
            "The estimates have no bias, and their RMSE is exact; intervals are from {} simulations of the noise.",
            projection.replicates
        ),
        false => format!(
            "Bias and RMSE are from {} simulations that take the estimates as the truth; ± is their standard error.",
            projection.replicates
        ),
    });
    sentences
}

/// Distance by which the rule that keeps the range moved measurements.
fn moves(statistic: &StatisticEntry, cells: &Cells, names: &Names) -> String {
    let measured: usize = cells.parts.iter().map(|part| part.measured).sum();
    let moved: Vec<_> = parts(statistic, cells, names).filter(|(_, _, moves)| moves.moved > 0).collect();
    match &moved[..] {
        [] if measured == 0 => "The measurements give no raw value to compare the estimates with.".to_owned(),
        [] if measured == 1 => "The number did not have to be moved into its range.".to_owned(),
        [] => "No number had to be moved into its range.".to_owned(),
        [(_, unit, moves)] if cells.parts.len() == 1 => format!(
            "{} of {} had to be moved into the range, by {} ({unit}) at most.",
            whole(moves.moved),
            words::counted(moves.measured, "noisy number"),
            figure(moves.farthest)
        ),
        parts => {
            let one = |(name, unit, moves): &(String, String, &Moves)| {
                format!(
                    "{} of {} of the {name}, by {} ({unit}) at most",
                    moves.moved,
                    moves.measured,
                    figure(moves.farthest)
                )
            };
            let rest = parts.len().saturating_sub(SPOKEN);
            let more = if rest == 0 { String::new() } else { format!("; and those of {rest} more outputs") };
            let listed: Vec<String> = parts.iter().take(SPOKEN).map(one).collect();
            format!("Noisy numbers that had to be moved into their range: {}{more}.", listed.join("; "))
        }
    }
}

/// Name, unit and moves of each output of a cell, so that numbers of different kinds are never put into one mean.
fn parts<'a>(
    statistic: &'a StatisticEntry,
    cells: &'a Cells,
    names: &'a Names,
) -> impl Iterator<Item = (String, String, &'a Moves)> {
    cells.parts.iter().enumerate().map(|(index, moves)| {
        let output = statistic.outputs.get(index);
        let unit = output.map_or(&statistic.unit, |output| &output.unit);
        (output.map_or_else(String::new, |output| output.name.to_string()), names.short_unit(unit), moves)
    })
}

/// Bound on the bias.
fn bias(statistic: &StatisticEntry, cells: &Cells, names: &Names) -> Option<String> {
    let unit = names.short_unit(&statistic.unit);
    let worst = statistic.bias.worst.map(figure);
    let everywhere =
        |worst: String| format!("For every possible answer, the absolute bias is at most {worst} ({unit}).");
    match (&statistic.bias.formula, worst) {
        (Id::Known(BiasFormula::Unbiased), _) => Some("Nothing is cut off, so there is no bias.".to_owned()),
        (Id::Known(BiasFormula::Bounding(_)), worst) => worst.map(everywhere),
        (Id::Known(BiasFormula::LearnedKeys), worst) => worst.map(|worst| {
            format!(
                "Given that a cell is here its bias is at most {worst} ({unit}), for a cell of 1. It falls as the cell grows: the table above has \
                 the largest over each interval."
            )
        }),
        (Id::Known(BiasFormula::RatioOfDistances), worst) => worst.map(|worst| {
            let here = match cells.single_worst() {
                Some(here) => format!(
                    "With as many rows as were measured here, the estimate is off by at most {} ({unit}) on average.",
                    figure(here)
                ),
                None => "The table above has the worst bias for as many rows as were measured in each group.".to_owned(),
            };
            format!(
                "The bias depends on the number of rows in a group. {here} Over groups of 1, 2, 4 and so on to 1,024 rows it is \
                 at most {worst} ({unit}), by a scan and not by a proof."
            )
        }),
        (Id::Known(BiasFormula::ChosenBins), _) => Some(
            "Each value is the middle of a bin that was chosen; the largest bias over all possible columns is not known.".to_owned(),
        ),
        (Id::Known(BiasFormula::ParametricBootstrap), None) => {
            Some("The largest bias over all possible answers is not known.".to_owned())
        }
        (Id::Known(BiasFormula::ParametricBootstrap), Some(worst)) => Some(everywhere(worst)),
        (Id::Unknown(formula), _) => {
            Some(format!("The bias follows the formula “{formula}”, which this version of the program does not know."))
        }
    }
}
