//! The noise of each level.

use inbounds_core::{Quantity, Rational, Sensitivity, StepRange};
use inbounds_mechanisms::noise::NoiseKind;
use inbounds_statistics::{Component, Setting, of_residual};

use super::{Asked, additive::Additive, error::LevelsError, hierarchy::Hierarchy, level::Level, split};
use crate::projection::{Law, Measured};

/// Least scale of a level's noise, in steps: below, its variance is lost among doubles.
const LEAST: f64 = 1.0 / 128.0;
/// Largest scale of what is whole, in steps: above, whole numbers that add up may not be doubles.
const MOST_WHOLE: f64 = 1_099_511_627_776.0;
/// Largest scale of all else, in steps: the largest that can be drawn.
const MOST: f64 = 1e30;

/// Measurements of a hierarchy: itself, and one vector a level, from coarse to fine; none for a level without a share.
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
        let shares_of_residuals = split::residual_shares(&hierarchy, &shares, [&of_cells, &moved(&residuals)])?;
        Some((residuals, shares_of_residuals))
    });
    let (hierarchy, vectors, shares) = match better {
        Some((residuals, shares_of_residuals)) => (hierarchy.with_residuals(), residuals, shares_of_residuals),
        None => (hierarchy, vectors, shares),
    };
    let components = components(additive, &hierarchy, asked, setting, vectors.into_iter().zip(&shares))?;
    Ok(Calibrated { hierarchy, components })
}

/// Measured vector of a level.
struct Vector {
    role: Quantity,
    sensitivity: Sensitivity,
    /// Number of steps of one value.
    divisor: u64,
}

impl Vector {
    /// Largest move of its values by a unit, in steps, in the norm that noise of this kind is made for.
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
            let (granularity, shares, unit) = (level.granularity.clone(), asked.shares_key(), additive.unit());
            Err(LevelsError::Scale { granularity, shares, least, most, scale, unit })
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
        NoiseKind::Staircase
        | NoiseKind::Cube
        | NoiseKind::Ranks
        | NoiseKind::LogLaplace
        | NoiseKind::GeneralisedGaussian => {
            unreachable!("plans with such noise are refused")
        }
    };
    (law, noise.scale())
}
