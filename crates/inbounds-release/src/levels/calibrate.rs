//! The noise of each level.

use inbounds_core::{Rational, StepRange};
use inbounds_mechanisms::noise::NoiseKind;
use inbounds_statistics::{Component, Setting, StatisticError};
use thiserror::Error;

use super::{
    Asked,
    additive::Additive,
    granularity::Granularity,
    hierarchy::{Hierarchy, Level},
    split,
};

/// Least scale of a level's noise, in steps: below, its variance is lost among doubles.
const LEAST: f64 = 1.0 / 128.0;
/// Largest scale of what is whole, in steps: above, whole numbers that add up may not be doubles.
const MOST_WHOLE: f64 = 1_099_511_627_776.0;
/// Largest scale of all else, in steps: the largest that can be drawn.
const MOST: f64 = 1e30;

/// Why levels cannot be measured. Public: nothing here was read from rows.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LevelsError {
    /// A level by itself cannot be.
    #[error(transparent)]
    Statistic(#[from] StatisticError),
    /// Noise that solvers cannot weigh.
    #[error(
        "the noise of {} must have a scale between {least} and {most} {unit}, got {scale:.3e}: change the epsilon of the \
         statistic, or `{shares}`", called(.of)
    )]
    Scale {
        /// The level or margin.
        of: Granularity,
        /// The key of the plan that divides epsilon.
        shares: &'static str,
        /// The least scale that can be weighed.
        least: f64,
        /// The largest one.
        most: f64,
        /// The level's noise scale.
        scale: f64,
        /// The unit of the three.
        unit: &'static str,
    },
}

/// A level or margin, told from words.
fn called(of: &Granularity) -> String {
    match of {
        Granularity::Level(level) => format!("level `{level}`"),
        Granularity::Margin(columns) if columns.is_empty() => "the total".to_owned(),
        Granularity::Margin(columns) => format!("margin `{}`", columns.join(", ")),
    }
}

/// One measured vector a level, from coarse to fine, with shares of epsilon that add up to 1; none for a level without a share.
pub(super) fn components(
    additive: &dyn Additive,
    hierarchy: &Hierarchy,
    asked: Asked<'_>,
    setting: &Setting,
) -> Result<Vec<Option<Component>>, LevelsError> {
    let cells: Vec<u64> = hierarchy.levels.iter().map(|level| level.cells() as u64).collect();
    let (grid, most) = (additive.grid(), if additive.whole() { MOST_WHOLE } else { MOST });
    let sensitivity =
        |cells: u64| additive.sensitivity(&setting.design.with(|unit| unit.in_nodes(cells, setting.cells)), cells);
    let kind = setting.mechanism.noise;
    let moved = |&cells: &u64| match kind {
        NoiseKind::Gaussian => libm::sqrt(sensitivity(cells).l2_squared().to_f64()),
        _ => sensitivity(cells).l1 as f64,
    };
    let moved: Vec<f64> = cells.iter().map(moved).collect();
    let shares = split::shares(asked, hierarchy, (kind, &moved));
    let component = |((level, cells), share): ((&Level, u64), &Rational)| {
        if !share.is_positive() {
            return Ok(None);
        }
        let role = (additive.role(), share);
        let component = setting.component(role, (grid, 1), &sensitivity(cells), StepRange::UNBOUNDED)?;
        let (least, most) = (LEAST * grid.spacing(), most * grid.spacing());
        let scale = component.scale();
        if (least..=most).contains(&scale) {
            Ok(Some(component))
        } else {
            let (of, shares, unit) = (level.granularity.clone(), asked.shares_key(), additive.unit());
            Err(LevelsError::Scale { of, shares, least, most, scale, unit })
        }
    };
    hierarchy.levels.iter().zip(cells.iter().copied()).zip(&shares).map(component).collect()
}
