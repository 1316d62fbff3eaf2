//! Grouped counts that add up: every level of a hierarchy measured, all of them solved for together.
//!
//! The engine answers the finest cells once. The answers of coarser levels are their sums along the public tree, so that a
//! row whose key is not listed counts at no level. One unit moves a level as it moves a grouped count with the level's
//! number of cells; each level has noise of its own for its share of epsilon, and the shares add up to 1. What follows
//! is post-processing: whole numbers at zero or above that add up, by weighted least squares, and their errors by
//! drawing the noise again. Claim: `levels-sensitivity`.

mod estimate;
mod hierarchy;
mod split;

use inbounds_core::{Answer, Delta, Epsilon};
use inbounds_data::{KeyValue, Keys};
use inbounds_mechanisms::{account::Event, mechanism::Measurements, registry, sampler::Entropy};
use inbounds_project::constraint::tree::Tree;
use inbounds_statistics::{Component, Design, ExpectedError, Kind, OutputRange, Statistic, StatisticError, of_sum};
use thiserror::Error;

pub use estimate::ProjectionEntry;

use self::hierarchy::Hierarchy;
use crate::{plan, projection::Law};

/// Least and largest scale of a level's noise, in rows. Below, its variance is lost among doubles; above, whole numbers
/// that add up may be.
const SCALES: (f64, f64) = (1.0 / 128.0, 1_099_511_627_776.0);

/// Why levels cannot be measured. Public: nothing here was read from rows.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LevelsError {
    /// A level by itself cannot be.
    #[error(transparent)]
    Statistic(#[from] StatisticError),
    /// Noise that solvers cannot weigh.
    #[error(
        "the noise of level `{level}` must have a scale between {} and {} rows, got {scale:.3e}: change the epsilon of \
         the statistic, or `level_shares`",
        SCALES.0, SCALES.1
    )]
    Scale {
        /// The level.
        level: String,
        /// Its noise scale.
        scale: f64,
    },
}

/// A count with levels, ready to be measured.
#[derive(Debug, Clone)]
pub struct Levels {
    hierarchy: Hierarchy,
    /// One a level.
    components: Vec<Component>,
    epsilon: Epsilon,
    /// The public number of rows, which no count exceeds.
    rows: Option<u64>,
}

impl Levels {
    /// Divides epsilon and calibrates every level.
    pub(crate) fn prepare(
        asked: &plan::Levels,
        keys: &Keys,
        filtered: bool,
        epsilon: Epsilon,
        design: &Design,
    ) -> Result<Self, LevelsError> {
        let hierarchy = Hierarchy::new(&asked.names, keys);
        let cells: Vec<u64> = hierarchy.levels.iter().map(|level| level.cells() as u64).collect();
        let noise = |level: usize, share: f64| {
            let l1 = of_sum(design, (1, 1), cells[level], false).l1 as f64;
            let scale = l1 / (share * epsilon.value().to_f64());
            Law::DiscreteLaplace.variance(scale.clamp(SCALES.0, SCALES.1))
        };
        let shares = split::shares(&asked.shares.value, &hierarchy, noise);
        let mut components = Vec::new();
        for ((level, cells), share) in hierarchy.levels.iter().zip(cells).zip(&shares) {
            let count = Statistic {
                kind: Kind::Count,
                column: None,
                cells,
                grouped: true,
                filtered,
                mechanism: registry::default(),
                range: OutputRange::Natural,
                epsilon: epsilon.share(share).map_err(StatisticError::from)?,
                delta: Delta::ZERO,
            };
            let component = count.prepare(design)?.components()[0].clone();
            let scale = component.scale();
            if !(SCALES.0..=SCALES.1).contains(&scale) {
                return Err(LevelsError::Scale { level: level.name.clone(), scale });
            }
            components.push(component);
        }
        Ok(Self { hierarchy, components, epsilon, rows: design.rows })
    }

    /// Epsilon of all levels together.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// Ends of the range of every count.
    pub(crate) fn ends(&self) -> (Option<f64>, Option<f64>) {
        (Some(0.0), self.rows.map(|rows| rows as f64))
    }

    /// The measured vectors, one a level, from coarse to fine.
    pub fn components(&self) -> Vec<&Component> {
        self.components.iter().collect()
    }

    /// Names of the levels, in the same order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.hierarchy.levels.iter().map(|level| level.name.as_str())
    }

    /// Numbers of cells of the levels, in the same order.
    pub fn cells(&self) -> impl Iterator<Item = usize> {
        self.hierarchy.levels.iter().map(hierarchy::Level::cells)
    }

    /// The key of each cell, level after level: of a coarser level, the part of a key that its cells share.
    pub(crate) fn keys<'k>(&self, keys: &'k Keys) -> Vec<&'k [KeyValue]> {
        self.hierarchy.keys(keys)
    }

    /// What measuring costs, one event a level.
    pub fn events(&self, label: &str) -> Vec<Event> {
        let event = |(component, level): (&Component, &str)| {
            Event::new(format!("{label}: level {level}"), component.mechanism.guarantee().clone())
        };
        self.components.iter().zip(self.names()).map(event).collect()
    }

    /// Measures every level. **The only step that reads the answers.**
    pub(crate) fn measure(&self, counts: Answer, entropy: &mut dyn Entropy) -> Vec<Measurements> {
        let measure = |(level, component): (&hierarchy::Level, &Component)| {
            Measurements::take(component.mechanism.clone(), level.sums(&counts), entropy)
        };
        self.hierarchy.levels.iter().zip(&self.components).map(measure).collect()
    }

    /// Variance of each level's noise.
    fn noise(&self) -> Vec<f64> {
        self.components.iter().map(|component| Law::DiscreteLaplace.variance(component.scale())).collect()
    }

    /// Root mean square error of the estimates of each level, averaged over its cells, where no count is near an end of
    /// its range, so that the sums are all that matters.
    pub fn expected_errors(&self) -> Vec<ExpectedError> {
        let tree = Tree::from_parents(&self.hierarchy.parents()).expect("prefixes of keys are a forest");
        let variances = split::variances(&tree, &self.hierarchy, &self.noise());
        let expected = |(level, variance): (&str, f64)| ExpectedError {
            case: format!("level {level}, far from the end"),
            bias: 0.0,
            rmse: libm::sqrt(variance),
        };
        self.names().zip(variances).map(expected).collect()
    }
}
