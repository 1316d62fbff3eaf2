//! The noise of each level.

use inbounds_core::{Quantity, Rational, Sensitivity, StepRange};
use inbounds_mechanisms::noise::NoiseKind;
use inbounds_statistics::{Component, Setting, StatisticError, of_residual};
use thiserror::Error;

use super::{
    Asked,
    additive::Additive,
    granularity::Granularity,
    hierarchy::{Hierarchy, Level},
    split,
};
use crate::projection::{Law, Measured};

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
    /// A table in which some combinations are no cells, with too many cells.
    #[error(
        "a table with `margins` in which some combinations of values are no cells must have at most {} cells, got {cells}",
        super::MOST_LINKED
    )]
    Linked {
        /// Number of cells.
        cells: usize,
    },
    /// The same with shares that are to be solved.
    #[error("`margin_shares` must be parts where some combinations of values are no cells")]
    LinkedShares,
    /// The same with another fit.
    #[error("`fit` must be \"top-down\" where some combinations of values are no cells")]
    LinkedFit,
    /// A public total of a table in which some combinations of values are no cells.
    #[error("total = \"rows\" is not for margins where some combinations of values are no cells")]
    LinkedTotal,
    /// Keys of tables that are not the same table at every place.
    #[error(
        "with `levels` and `margins`, all combinations of the columns of `by` after that of the last level must be cells of every place: some \
         combinations of their values cannot be"
    )]
    Tables,
    /// A table at every place with too many columns.
    #[error(
        "with `levels` and `margins`, at most 8 columns of `by` may come after that of the last level, got {columns}"
    )]
    TableColumns {
        /// Number of columns.
        columns: usize,
    },
    /// Public numbers that contradict each other.
    #[error("{one} and {other} contradict each other: at {place} they are {first} and {second}")]
    Contradiction {
        /// What one of them is.
        one: String,
        /// What the other is.
        other: String,
        /// Where they do.
        place: String,
        /// What the one adds up to.
        first: u64,
        /// What the other is.
        second: u64,
    },
    /// A file of public numbers without one of a cell.
    #[error("{file} must have a number for each cell, and has none for {cell}")]
    PublicCell {
        /// The file, in backticks.
        file: String,
        /// The cell.
        cell: String,
    },
    /// A file of public numbers with one for what is no cell.
    #[error("{file} has a number for {cell}, which is no cell of the statistic")]
    PublicNoCell {
        /// The file, in backticks.
        file: String,
        /// What it names.
        cell: String,
    },
    /// Nothing that is left to measure.
    #[error("all that `levels` and `margins` would measure is public")]
    AllKnown,
    /// A part of epsilon for a number that is public.
    #[error("`{shares}` must give 0 to {}, which is public", called(.of))]
    KnownShare {
        /// The level or margin.
        of: Granularity,
        /// The key of the plan that divides epsilon.
        shares: &'static str,
    },
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
        Granularity::Both { level, margin } if margin.is_empty() => format!("the totals of level `{level}`"),
        Granularity::Both { level, margin } => format!("margin `{}` of level `{level}`", margin.join(", ")),
    }
}

/// What is measured of a hierarchy: itself, and one vector a level, from coarse to fine; none for a level without a
/// share.
pub(super) struct Calibrated {
    pub(super) hierarchy: Hierarchy,
    pub(super) components: Vec<Option<Component>>,
}

/// Vectors with shares of epsilon that add up to 1: of levels or margins, or of residuals of margins where these leave
/// less error.
pub(super) fn calibrated(
    additive: &dyn Additive,
    hierarchy: Hierarchy,
    (asked, known): (Asked<'_>, &[usize]),
    setting: &Setting,
) -> Result<Calibrated, LevelsError> {
    let kind = setting.mechanism.entry().noise;
    let design = |level: &Level| setting.design.with(|unit| unit.in_nodes(level.cells() as u64, setting.cells));
    let of_cells = |level: &Level| Vector {
        role: additive.role(),
        sensitivity: additive.terms().of_cells(&design(level), level.cells() as u64),
        divisor: 1,
    };
    let of_residual = |level: &Level| {
        let values: Vec<u64> = hierarchy.values(level).into_iter().map(|values| values as u64).collect();
        let role = if values.is_empty() { additive.role() } else { Quantity::Residual };
        Vector {
            role,
            sensitivity: of_residual(&design(level), additive.terms(), &values),
            divisor: level.cells() as u64,
        }
    };
    let moved = |vectors: &[Vector]| vectors.iter().map(|vector| vector.moved(kind)).collect::<Vec<f64>>();
    let vectors: Vec<Vector> = hierarchy.levels.iter().map(of_cells).collect();
    let of_cells = moved(&vectors);
    let shares = split::shares((asked, known), &hierarchy, (kind, &of_cells))?;
    let may_be_residuals = kind == NoiseKind::Gaussian && asked.is_for_least_error() && known.is_empty();
    let residuals = may_be_residuals.then(|| hierarchy.levels.iter().map(of_residual).collect::<Vec<Vector>>());
    let better = residuals.and_then(|residuals| {
        let found = split::residual_shares(&hierarchy, &shares, [&of_cells, &moved(&residuals)])?;
        Some((residuals, found))
    });
    let (hierarchy, vectors, shares) = match better {
        Some((residuals, found)) => (hierarchy.with_residuals(), residuals, found),
        None => (hierarchy, vectors, shares),
    };
    let components = components(additive, &hierarchy, asked, setting, vectors.into_iter().zip(&shares))?;
    Ok(Calibrated { hierarchy, components })
}

/// What is measured of a level.
struct Vector {
    role: Quantity,
    sensitivity: Sensitivity,
    /// A value is so many steps.
    divisor: u64,
}

impl Vector {
    /// How far a unit moves its values, in steps, in the norm that noise of this kind is made for.
    fn moved(&self, kind: NoiseKind) -> f64 {
        let steps = match kind {
            NoiseKind::Gaussian => libm::sqrt(self.sensitivity.l2_squared().to_f64()),
            _ => self.sensitivity.l1 as f64,
        };
        steps / self.divisor as f64
    }
}

fn components<'s>(
    additive: &dyn Additive,
    hierarchy: &Hierarchy,
    asked: Asked<'_>,
    setting: &Setting,
    vectors: impl Iterator<Item = (Vector, &'s Rational)>,
) -> Result<Vec<Option<Component>>, LevelsError> {
    let (grid, most) = (additive.grid(), if hierarchy.is_whole(additive) { MOST_WHOLE } else { MOST });
    let component = |(level, (vector, share)): (&Level, (Vector, &Rational))| {
        if !share.is_positive() {
            return Ok(None);
        }
        let (role, divisor) = ((vector.role, share), vector.divisor);
        // Parts are those of noise, and rho goes by their squares.
        let setting = Setting { rho_rate: setting.rho_rate.as_ref().map(|rate| rate * share), ..setting.clone() };
        let component = setting.component(role, (grid, divisor), &vector.sensitivity, StepRange::UNBOUNDED)?;
        let (least, most) = (LEAST * grid.spacing(), most * grid.spacing());
        let scale = component.scale();
        if (least..=most).contains(&scale) {
            Ok(Some(component))
        } else {
            let (of, shares, unit) = (level.granularity.clone(), asked.shares_key(), additive.unit());
            Err(LevelsError::Scale { of, shares, least, most, scale, unit })
        }
    };
    hierarchy.levels.iter().zip(vectors).map(component).collect()
}

/// A measurement with the noise of a level, before its value is known, for which zero stands; of infinite variance
/// without noise.
pub(super) fn without_value(component: Option<&Component>) -> Measured {
    let Some(component) = component else {
        return Measured { value: 0.0, variance: f64::INFINITY, noise: None, step: 1.0 };
    };
    let ((law, scale), divisor) = (noise(component), component.divisor as f64);
    let variance = law.variance(scale) / (divisor * divisor);
    Measured { value: 0.0, variance, noise: Some((law, scale)), step: divisor.recip() }
}

/// Law and scale of the noise of a level, in steps.
fn noise(component: &Component) -> (Law, f64) {
    let noise = component.mechanism.noise();
    let law = match noise.kind() {
        NoiseKind::Gaussian => Law::DiscreteGaussian,
        NoiseKind::Laplace => Law::DiscreteLaplace,
        NoiseKind::Staircase | NoiseKind::Cube | NoiseKind::Ranks | NoiseKind::LogLaplace => {
            unreachable!("plans with such noise are refused")
        }
    };
    (law, noise.scale())
}
