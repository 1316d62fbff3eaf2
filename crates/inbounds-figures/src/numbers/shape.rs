//! Of a statistic what decides how its numbers are made, whether they are published or planned.

use inbounds_bundle::{ComponentEntry, Id, KindWord, OutputEntry, RangeEntry, StatisticEntry};
use inbounds_core::{Quantity, Rational};
use inbounds_mechanisms::noise::{GridNoise, NoiseKind};

use crate::Refusal;

/// A statistic without its numbers, as a manifest states it or a plan will have it.
#[derive(Debug, Clone)]
pub struct StatisticShape {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Id<KindWord>,
    /// The columns that it is grouped by.
    pub by: Vec<String>,
    /// True if noise chooses its cells.
    pub is_learned: bool,
    /// True if its numbers are fitted so that levels or margins add up.
    pub is_fitted: bool,
    /// The bounds of its column, on the grid; none where it reads no column, or several.
    pub bounds: Option<(f64, f64)>,
    /// The range of all its numbers; an output may have a range of its own.
    pub range: RangeEntry,
    /// Outputs of each cell.
    pub outputs: Vec<OutputEntry>,
    /// Its measured vectors.
    pub measured: Vec<ComponentEntry>,
}

impl From<&StatisticEntry> for StatisticShape {
    fn from(entry: &StatisticEntry) -> Self {
        Self {
            name: entry.name.clone(),
            kind: entry.kind.clone(),
            by: entry.by.clone(),
            is_learned: entry.learned.is_some(),
            is_fitted: entry.projection.is_some(),
            bounds: entry.clip.as_ref().map(|clip| (clip.lower, clip.upper)),
            range: entry.range.clone(),
            outputs: entry.outputs.clone(),
            measured: entry.measured.clone(),
        }
    }
}

impl StatisticShape {
    /// The range of an output.
    pub(crate) fn range(&self, output: &str) -> (f64, f64) {
        let own = self.outputs.iter().find(|known| known.name.to_string() == output);
        let range = own.map_or(&self.range, |output| &output.range);
        (range.lower.unwrap_or(f64::NEG_INFINITY), range.upper.unwrap_or(f64::INFINITY))
    }

    /// `true` if residuals of margins are measured.
    pub(super) fn has_residuals(&self) -> bool {
        self.measured.iter().any(|component| component.role.to_string() == Quantity::Residual.to_string())
    }
}

/// The law of the noise of a component, as the manifest states it.
pub(super) fn law_of(shape: &StatisticShape, component: &ComponentEntry) -> Result<GridNoise, Refusal> {
    let statistic = || shape.name.clone();
    if shape.is_learned {
        return Err(Refusal::Learned { statistic: statistic() });
    }
    if component.law.is(NoiseKind::Ranks) {
        return Err(Refusal::Chosen { statistic: statistic() });
    }
    if component.processing.is_none() {
        return Err(Refusal::Conditioned { statistic: statistic(), mechanism: component.mechanism.word().to_owned() });
    }
    let cells = Rational::from(u128::from(component.sensitivity.cells.max(1)));
    let level = component.epsilon.as_ref().map(|epsilon| &epsilon.0 / &cells);
    let unknown = || Refusal::UnknownLaw { statistic: statistic(), law: component.law.word().to_owned() };
    let noise = component.parameters.noise(level.as_ref()).ok_or_else(unknown)?;
    // The scale is stated beside the parameters: what both say is sure.
    let scale = noise.scale() * component.grid_spacing / component.divisor as f64;
    if (scale / component.scale - 1.0).abs() > 1e-6 { Err(unknown()) } else { Ok(noise) }
}
