//! Proportion vectors: shares of categories, each in [0, 1], that add up to one.
//!
//! What is measured are counts of the categories; a [`ShareRule`] makes shares of the noisy counts. Every rule is
//! post-processing of plain noise (or of the conditioned mechanism, where that is chosen for each count), so the
//! guarantee is that of the counts: one row moves two of them by one each under substitution, one by one under
//! add-remove.

mod conditioning;
mod geometric;
mod over_interval;
mod population;
mod prepared;
mod rule;
mod student;
mod synthesis;
mod universal;

use inbounds_core::{Grid, Quantity, Rational, StepRange};
use inbounds_mechanisms::{
    noise::NoiseKind,
    registry::{self, Entry},
};

pub use conditioning::condition;
pub use population::population_share;
pub use prepared::Proportions;
pub use rule::{Negative, all_but_one, onto_simplex, rescale};
pub use synthesis::{Combined, combine};
pub(crate) use universal::least_squares;
pub use universal::{layer_sizes, universal_histogram};

use crate::{Component, RawRule, Setting, StatisticError, of_sum};

/// Rule that turns noisy counts into shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareRule {
    /// Each count kept in its range, then divided by their sum; see [`rescale`].
    Rescaling,
    /// One category is not measured but calculated from the others; see [`all_but_one`]. Needs a public number of rows.
    AllButOne {
        /// Place of the calculated category.
        calculated: usize,
        /// Treatment of a calculated share below zero.
        negative: Negative,
    },
    /// Counts of groups of categories are measured too; see [`universal_histogram`].
    UniversalHistogram {
        /// Children of a node, at least 2.
        fan_out: usize,
    },
    /// The nearest shares to the raw counts; see [`onto_simplex`].
    SimplexProjection,
    /// The mean of what the raw counts leave to believe; see [`condition`]. Needs discrete Laplace noise.
    Conditioning,
}

impl ShareRule {
    /// The name used in plans.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rescaling => "re-scaling",
            Self::AllButOne { .. } => "all-but-one",
            Self::UniversalHistogram { .. } => "universal-histogram",
            Self::SimplexProjection => "simplex",
            Self::Conditioning => "conditioning",
        }
    }

    /// `true` if it reads counts before any bounding.
    fn reads_raw(self) -> bool {
        matches!(self, Self::SimplexProjection | Self::Conditioning)
    }

    /// Refuses mechanisms whose bounding or noise the rule would ignore.
    fn accepts(self, mechanism: &Entry) -> Result<(), StatisticError> {
        let laplace = |mechanism: &Entry| mechanism.is_clamped() && mechanism.noise == NoiseKind::Laplace;
        let (rule, usable): (_, fn(&Entry) -> bool) = match self {
            Self::SimplexProjection => (RawRule::Simplex, Entry::is_clamped),
            Self::Conditioning => (RawRule::Conditioning, laplace),
            Self::Rescaling | Self::AllButOne { .. } | Self::UniversalHistogram { .. } if mechanism.is_tabulated() => {
                return Err(StatisticError::RuleOfOneNumber);
            }
            Self::Rescaling | Self::AllButOne { .. } | Self::UniversalHistogram { .. } => return Ok(()),
        };
        if usable(mechanism) {
            return Ok(());
        }
        let accepted = registry::names(usable, "", "or");
        Err(StatisticError::RuleMechanism { rule, mechanism: mechanism.plan_name, accepted })
    }
}

/// Total of the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Total {
    /// The public number of rows: every row is of one of the categories. If that is false, privacy holds all the same,
    /// and shares add up to more than the truth.
    Public,
    /// The sum of the noisy counts, at least 1.
    Measured,
}

/// A proportion vector, described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProportionVector {
    /// Rule that turns noisy counts into shares.
    pub rule: ShareRule,
    /// Total of the counts.
    pub total: Total,
    /// Number `m` of independent releases, each at `epsilon / m`, whose mean is the estimate; 1 for one.
    pub releases: u32,
}

impl ProportionVector {
    /// Calibrates the counts of the setting's cells, which are the categories.
    ///
    /// # Guarantee
    /// Epsilon is split evenly over releases, and within each over the layers of a universal histogram. Each measured
    /// vector has the sensitivity of a (grouped) count; see [`of_sum`]. Claim: `proportion-vector`.
    ///
    /// # Errors
    /// [`StatisticError`]: fewer than two categories, a category, fan-out or number of releases that is not admissible,
    /// no public number of rows where one is needed, a mechanism that the rule would ignore, or no calibration.
    ///
    /// # Example
    /// Four categories over 100 rows at epsilon 1: two counts move by one, so the noise has scale 2 rows, 0.02 in
    /// shares.
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{Design, PrivacyUnit, Simulated, Statistic, Setting};
    /// use inbounds_statistics::proportion::{ProportionVector, ShareRule, Total};
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(100) },
    ///     cells: 4, grouped: true, filtered: false, mechanism: registry::default().into(),
    ///     epsilon: Epsilon::new("1".parse()?)?, delta: Delta::ZERO, rho_rate: None, together: None,
    /// };
    /// let vector = ProportionVector { rule: ShareRule::SimplexProjection, total: Total::Public, releases: 1 };
    /// let shares = vector.prepare(&setting).expect("valid");
    /// assert_eq!(shares.components()[0].scale(), 0.02);
    /// assert_eq!(shares.point(&[&[70, 40, 0, -10]]), [0.65, 0.35, 0.0, 0.0]);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn prepare(&self, setting: &Setting) -> Result<Proportions, StatisticError> {
        let categories = usize::try_from(setting.cells).unwrap_or(usize::MAX);
        self.prepare_groups(setting, vec![(0..categories).collect()])
    }

    /// Calibrates the counts of the setting's cells, of which those of each group are categories whose shares add up to
    /// 1: the shares of smokers and others among women, and those among men. Each cell is in one group.
    ///
    /// # Guarantee
    /// As [`ProportionVector::prepare`]: the measured counts are the same.
    ///
    /// # Errors
    /// The same, for a group of fewer than two cells, and [`StatisticError::GroupedShares`] for rules and totals that
    /// are of all cells.
    ///
    /// # Panics
    /// Unless each cell is in exactly one group.
    pub fn prepare_within(&self, setting: &Setting, groups: Vec<Vec<usize>>) -> Result<Proportions, StatisticError> {
        let of_all = matches!(self.rule, ShareRule::AllButOne { .. } | ShareRule::UniversalHistogram { .. });
        if of_all || self.total == Total::Public {
            return Err(StatisticError::GroupedShares);
        }
        let mut cells: Vec<usize> = groups.iter().flatten().copied().collect();
        cells.sort_unstable();
        assert!(
            cells.iter().copied().eq(0..cells.len()) && cells.len() as u64 == setting.cells,
            "each cell is in one group"
        );
        if let Some(few) = groups.iter().find(|group| group.len() < 2) {
            return Err(StatisticError::FewCategories { found: few.len() });
        }
        self.prepare_groups(setting, groups)
    }

    fn prepare_groups(&self, setting: &Setting, groups: Vec<Vec<usize>>) -> Result<Proportions, StatisticError> {
        let categories = usize::try_from(setting.cells).unwrap_or(usize::MAX);
        self.check(categories)?;
        self.rule.accepts(setting.mechanism.entry())?;
        let rows =
            match self.total {
                Total::Public => Some(setting.covered_rows().ok_or(StatisticError::NoRows {
                    quantity: "a total of all rows, which no filter may select from,",
                })?),
                Total::Measured if matches!(self.rule, ShareRule::AllButOne { .. }) => {
                    return Err(StatisticError::NoRows { quantity: "a share calculated from the others" });
                }
                Total::Measured => None,
            };
        if rows == Some(0) {
            return Err(StatisticError::FewRows { quantity: "a proportion", least: 1, found: 0 });
        }
        let range = match (self.rule.reads_raw(), rows) {
            (true, _) => StepRange::UNBOUNDED,
            (false, rows) => StepRange::new(Some(0), rows.map(i128::from))?,
        };
        let layers = self.layers(categories);
        let parts = u128::from(self.releases) * layers.len() as u128;
        let share = Rational::ratio(1, parts);
        let counted = |(level, nodes): (usize, &usize)| {
            let design = setting.design.with(|unit| unit.in_nodes(*nodes as u64, setting.cells));
            let sensitivity = of_sum(&design, (1, 1), *nodes as u64, false);
            let role = self.role(1, level, layers.len());
            setting.component((role, &share), (Grid::INTEGERS, rows.unwrap_or(1)), &sensitivity, range)
        };
        // Releases are alike but for their names, so each layer is calibrated once.
        let once: Vec<Component> = layers.iter().enumerate().map(counted).collect::<Result<_, _>>()?;
        if self.rule == ShareRule::Conditioning {
            let largest = groups.iter().map(Vec::len).max().unwrap_or(categories);
            conditioning::affordable(largest, once[0].mechanism.noise().scale(), rows)?;
        }
        let release = |release: u32| {
            let named = |(level, component): (usize, &Component)| Component {
                role: self.role(release, level, layers.len()),
                ..component.clone()
            };
            once.iter().enumerate().map(named).collect::<Vec<_>>()
        };
        let components = (1..=self.releases).flat_map(release).collect();
        let mut group_of = vec![0; categories];
        for (place, group) in groups.iter().enumerate() {
            group.iter().for_each(|cell| group_of[*cell] = place);
        }
        Ok(Proportions {
            description: *self,
            categories,
            group_of,
            groups,
            rows,
            layers: layers.len(),
            components,
            epsilon: setting.epsilon.clone(),
        })
    }

    fn check(&self, categories: usize) -> Result<(), StatisticError> {
        if categories < 2 {
            return Err(StatisticError::FewCategories { found: categories });
        }
        if self.releases == 0 {
            return Err(StatisticError::AtLeast { name: "releases", least: 1, found: 0 });
        }
        match self.rule {
            ShareRule::AllButOne { calculated, .. } if calculated >= categories => {
                Err(StatisticError::NoSuchCategory { calculated, categories })
            }
            ShareRule::UniversalHistogram { fan_out } if fan_out < 2 => {
                Err(StatisticError::AtLeast { name: "fan-out", least: 2, found: fan_out as u64 })
            }
            _ => Ok(()),
        }
    }

    /// Numbers of measured counts, layer by layer from the categories up.
    fn layers(&self, categories: usize) -> Vec<usize> {
        match self.rule {
            ShareRule::AllButOne { .. } => vec![categories - 1],
            ShareRule::UniversalHistogram { fan_out } => {
                let mut sizes = layer_sizes(categories, fan_out);
                if self.total == Total::Public {
                    // The root is known.
                    sizes.pop();
                }
                sizes
            }
            ShareRule::Rescaling | ShareRule::SimplexProjection | ShareRule::Conditioning => vec![categories],
        }
    }

    fn role(&self, release: u32, level: usize, layers: usize) -> Quantity {
        Quantity::Count { layer: (layers > 1).then_some(level), release: (self.releases > 1).then_some(release) }
    }
}
