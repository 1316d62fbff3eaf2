//! A mechanism made again from what the manifest says of it.
//!
//! Calibration is a function of guarantee, sensitivity and range, so it can be redone; a mechanism that comes out with
//! the published noise and rule is the one that ran, and its errors are known everywhere.

use std::sync::Arc;

use inbounds_bundle::{CandidatesEntry, ComponentEntry, LearnedKeysEntry, ProcessingEntry, StatisticEntry};
use inbounds_core::{Delta, Epsilon, Guarantee, Rational, Rho, Sensitivity, StepRange};
use inbounds_mechanisms::{
    law::Noise,
    mechanism::{Mechanism, Together},
    partition::{KeySelection, NewCells},
};

/// The mechanism of a component; why not, if it cannot be made again or comes out otherwise.
fn again(component: &ComponentEntry, learned: Option<&LearnedKeysEntry>) -> Result<Arc<dyn Mechanism>, String> {
    let range = range(component).ok_or("the manifest does not say its range in steps")?;
    let entry = component.mechanism.known().ok_or("this version knows no mechanism of this name")?;
    let unreadable = || "its parameters cannot be read".to_owned();
    let guarantee = match (&component.rho, &component.epsilon) {
        (Some(rho), _) => Guarantee::ZeroConcentrated { rho: Rho::new(rho.0.clone()).map_err(|_| unreadable())? },
        (None, Some(epsilon)) => {
            let epsilon = Epsilon::new(epsilon.0.clone()).map_err(|_| unreadable())?;
            entry.spending(epsilon, Delta::new(component.delta.0.clone()).map_err(|_| unreadable())?)
        }
        (None, None) => return Err("it has no epsilon of its own".to_owned()),
    };
    let steps = |text: &str| text.parse().map_err(|_| unreadable());
    let sensitivity = Sensitivity {
        l1: steps(&component.sensitivity.l1_steps)?,
        linf: steps(&component.sensitivity.linf_steps)?,
        cells: component.sensitivity.cells,
        rule: "manifest",
        squares: component.sensitivity.squares_steps.as_ref().map(|squares| squares.0.clone()),
    };
    if let Some(learned) = learned {
        let made = selection(learned, &guarantee, &sensitivity)?;
        return if component.parameters == made.noise().into() {
            Ok(Arc::new(made))
        } else {
            Err("this version gives it another noise".to_owned())
        };
    }
    let made = match component.parameters.cube() {
        None if entry.is_tabulated() => {
            let table = component.processing.as_ref().and_then(ProcessingEntry::table);
            let table = table.ok_or("its manifest has no rows of its rule")?;
            entry.calibrate_table(table, &guarantee, &sensitivity, range)
        }
        None => entry.calibrate(&guarantee, &sensitivity, range),
        Some(law) => {
            let together = guarantee.epsilon().and_then(|epsilon| Together::of_law(epsilon.clone(), &law));
            let together = together.ok_or("its parts are no part of its epsilon")?;
            together.coordinate(&sensitivity, range, 1)
        }
    };
    let made = made.map_err(|_| "it cannot be calibrated to these parameters".to_owned())?;
    let same_noise = component.law.is(made.noise().kind()) && component.parameters == made.noise().into();
    if same_noise && component.processing == made.processing().map(ProcessingEntry::from) {
        Ok(made)
    } else {
        Err("this version gives it another noise or rule".to_owned())
    }
}

/// The choice of keys, with the threshold that the manifest states.
fn selection(
    learned: &LearnedKeysEntry,
    guarantee: &Guarantee,
    sensitivity: &Sensitivity,
) -> Result<KeySelection, String> {
    let failed = "it cannot be calibrated to these parameters";
    let epsilon = guarantee.epsilon().ok_or(failed)?;
    let made = match &learned.candidates {
        CandidatesEntry::OfRows { unit_cells, unit_rows_per_cell, unit_rows, unit_replaced, noise, .. } => {
            let new = NewCells::new(*unit_cells, *unit_rows_per_cell, *unit_rows).map_err(|_| failed)?;
            let new = if *unit_replaced { new.replaced() } else { new };
            let noise = noise.known().ok_or("this version knows no noise of this name")?;
            let made = KeySelection::calibrate(epsilon, guarantee.delta().ok_or(failed)?, sensitivity, new, noise);
            if made.as_ref().is_ok_and(|made| made.kind() != noise) {
                return Err("this version gives it another noise".to_owned());
            }
            made
        }
        CandidatesEntry::OfSpace { space_cells, spurious, .. } => {
            KeySelection::calibrate_space(epsilon, sensitivity, *space_cells, &spurious.0)
        }
    };
    let made = made.map_err(|_| failed)?;
    if learned.threshold.0 == Rational::from(made.threshold()) {
        Ok(made)
    } else {
        Err("this version gives it another threshold".to_owned())
    }
}

/// The mechanism of a statistic that is measured once and put into its range cell by cell, so that its errors are those
/// of the mechanism.
pub(super) fn alone(statistic: &StatisticEntry) -> Option<Arc<dyn Mechanism>> {
    let made = match statistic.measured.as_slice() {
        // What is said of learned keys is given that they are published.
        [component] if statistic.learned.is_none() => again(component, None).ok(),
        _ => None,
    };
    made.filter(|made| statistic.bias.formula.is(made.bias_formula()))
}

/// Checks that a component's noise is that of its guarantee, sensitivity and range.
pub(super) fn verdict(component: &ComponentEntry, learned: Option<&LearnedKeysEntry>) -> Result<(), String> {
    again(component, learned).map(drop)
}

/// Bias and RMSE at candidate answers, `(answer, bias, rmse)` in the unit of the statistic, from an end inwards; none
/// where no end is felt.
pub(super) fn curve(mechanism: &dyn Mechanism, step: f64) -> Vec<(f64, f64, f64)> {
    if mechanism.range().is_unbounded() {
        return vec![];
    }
    let point = |candidate: i128| {
        let error = mechanism.error_at(candidate);
        (candidate as f64 * step, error.bias * step, error.rmse * step)
    };
    let mut points: Vec<_> = mechanism.candidates().into_iter().map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// Standard deviation of the noise in the unit of the statistic.
pub(super) fn deviation(mechanism: &dyn Mechanism, step: f64) -> f64 {
    match mechanism.relative_error() {
        // That of the smallest answer.
        Some(_) => libm::sqrt(2.0) * mechanism.noise().scale() * step,
        None => mechanism.noise().variance().sqrt() * step,
    }
}

/// One step in the unit of the statistic.
pub(super) fn step(component: &ComponentEntry) -> f64 {
    component.grid_spacing / component.divisor as f64
}

/// The range in which a component's mechanism keeps its measurements or estimates.
fn range(component: &ComponentEntry) -> Option<StepRange> {
    let range = component.range_steps.as_ref()?;
    let end =
        |text: &Option<String>| text.as_ref().map(|text| text.parse().ok()).map_or(Some(None), |end| end.map(Some));
    StepRange::new(end(&range.lower)?, end(&range.upper)?).ok()
}
