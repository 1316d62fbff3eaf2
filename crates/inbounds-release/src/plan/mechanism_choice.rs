//! Mechanism of a statistic.

use std::{ops::Range, sync::Arc};

use inbounds_bundle::FileEntry;
use inbounds_mechanisms::{
    bounding::TabulatedRule,
    registry::{self, Chosen, Entry},
};

/// Which mechanism a statistic has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MechanismChoice {
    /// This one.
    Named(&'static Entry),
    /// Noise, then a rule of one's own.
    Rule(RuleFile),
    /// Of clamped Laplace and clamped Gaussian noise, and for quantiles a choice of bins, the one with which the plan
    /// errs least, as far as [`check`](crate::check::check) can tell before rows are read.
    Best,
}

impl MechanismChoice {
    /// The word of plans that leaves the choice to the program.
    const BEST: &str = "best";

    /// The word of plans.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Named(entry) => entry.plan_name,
            Self::Rule(rule) => rule.rule.entry().plan_name,
            Self::Best => Self::BEST,
        }
    }

    /// The mechanism; of [`MechanismChoice::Best`] the one that it is as long as nothing is known to be better.
    pub fn entry(&self) -> &'static Entry {
        match self {
            Self::Named(entry) => entry,
            Self::Rule(rule) => rule.rule.entry(),
            Self::Best => registry::default(),
        }
    }

    /// Mechanism that measures a number.
    pub(crate) fn chosen(&self) -> Chosen {
        match self {
            Self::Rule(file) => Chosen::Own(file.rule.clone()),
            Self::Named(_) | Self::Best => Chosen::Listed(self.entry()),
        }
    }

    /// The file of a rule of one's own, if it is one.
    pub fn rule_file(&self) -> Option<&RuleFile> {
        match self {
            Self::Rule(file) => Some(file),
            Self::Named(_) | Self::Best => None,
        }
    }

    /// `true` if a quantile may be one of its bins, chosen by ranks.
    pub(crate) fn may_choose_bins(&self) -> bool {
        [Self::Best, Self::Named(&registry::RANKS)].contains(self)
    }

    /// `true` if it is Laplace noise, clamped, or may be.
    pub(crate) fn may_be_default(&self) -> bool {
        self.entry() == registry::default()
    }

    /// `true` if its numbers may be measured for other statistics too.
    pub(crate) fn may_be_shared(&self) -> bool {
        self.may_be_default() || self.entry().is_clamped_gaussian()
    }
}

/// A rule of one's own, as it was read with the plan that names its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFile {
    /// The file, by the name that it has in the plan, and the digest of what was read.
    pub file: FileEntry,
    /// Where the plan names it.
    pub span: Range<usize>,
    /// Its rows, and the noise that they follow.
    pub rule: Arc<TabulatedRule>,
}

impl Default for MechanismChoice {
    fn default() -> Self {
        Self::Named(registry::default())
    }
}
