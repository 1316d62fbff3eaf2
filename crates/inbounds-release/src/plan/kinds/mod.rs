//! Kinds of statistics. Each has one file, which knows all that a plan says of it: its keys with their help, how they
//! are read, which other keys it needs or refuses, and how the statistic is prepared. A kind is added by its file, its
//! line in the list below, and its word in [`KindWord`].

mod at_levels;
mod classes;
mod combination;
mod count;
mod described_class;
mod histogram;
mod matrix;
mod mean;
mod naive_bayes;
mod proportion;
mod quantile;
mod reader;
mod setup;
mod spread;
mod sum;
mod units;

use std::{fmt, sync::Arc};

use inbounds_bundle::KindWord;
use inbounds_core::{Named as _, Rational};
use inbounds_data::{Keys, Kind};
use inbounds_input::document::{Complaint, Mistake, Mistakes, Reported, Spanned, shorten};
use inbounds_statistics::{
    Column, KeyChoice, LearnedCount, OutputRange, Scenario, Setting, Statistic, StatisticError,
    bayes::ClassDistribution, population::Population,
};

pub use combination::Combination;
pub use count::Count;
pub use described_class::DescribedClass;
pub use histogram::Histogram;
pub use matrix::{Correlation, Covariance};
pub use mean::Mean;
pub use naive_bayes::NaiveBayes;
pub use proportion::{CellTotal, Proportion, ProportionRule};
pub use quantile::Quantile;
pub(super) use reader::{KindDraft, keys_of_any, read};
pub use spread::{StandardDeviation, Variance};
pub use sum::Sum;
pub use units::Units;

pub(crate) use at_levels::AtLevels;
pub(crate) use setup::Setup;

use super::{
    Plan,
    columns::Columns,
    fit,
    read::{Draft, StatisticDraft},
};
use crate::model_accuracy::ExpectedModelAccuracy;
use reader::{COLUMN, Key, KindReader};

/// A calibrated statistic, or why there is none; no reason depends on data.
type Calibrated = Result<Arc<dyn Statistic>, StatisticError>;

/// Abilities of a kind once its keys have been read.
pub(crate) trait Planned: fmt::Debug {
    /// The columns whose values it reads.
    fn columns(&self) -> Vec<&Spanned<String>> {
        Vec::new()
    }

    /// Edges of bins that the plan gives.
    fn edges(&self) -> Option<&Spanned<Vec<Rational>>> {
        None
    }

    /// Chooses grids, sensitivities, ranges and scales.
    ///
    /// # Errors
    /// [`StatisticError`]; none depends on data.
    fn prepare(&self, range: &OutputRange, columns: &Columns, setting: &Setting) -> Calibrated;

    /// The same where what is published of a cell depends on the keys of others; `None` for all else.
    fn prepare_by(&self, keys: &Keys, setting: &Setting) -> Option<Calibrated> {
        let _ = (keys, setting);
        None
    }

    /// The same in cells whose keys are learned by a choice; `None` for what is not counted there.
    fn prepare_learned(&self, setting: &Setting, keys: &KeyChoice) -> Option<Result<LearnedCount, StatisticError>> {
        let _ = (setting, keys);
        None
    }

    /// Quantity that can be measured at levels; `column` is the one that it reads.
    fn at_levels(&self, column: Option<Column>) -> Option<AtLevels> {
        let _ = column;
        None
    }

    /// True if what is published of each cell follows from measurements of that cell alone, so that the errors of
    /// different cells are independent.
    fn has_independent_cells(&self) -> bool {
        false
    }

    /// The public number of rows that it is of, where there is one.
    fn rows(&self, setup: &Setup) -> Option<u64> {
        setup.complete_rows()
    }

    /// The remedy in the words of a plan, for errors that do not say it; `drops` if rows without a value are left out.
    fn remedy(&self, error: &StatisticError, drops: bool) -> Option<&'static str> {
        let _ = (error, drops);
        None
    }

    /// A group of cells whose shares add up to 1 that has one cell, by its key; none where every group has several.
    fn lone_group(&self, keys: &Keys) -> Option<String> {
        let _ = keys;
        None
    }

    /// A sentence about a choice that has a better one; only what can be said before rows are read.
    fn advice(&self, setup: &Setup) -> Option<String> {
        let _ = setup;
        None
    }

    /// The classes that the plan describes, in the order of the keys.
    ///
    /// # Errors
    /// Every mistake in the descriptions, at its place.
    fn described_classes(&self, plan: &Plan, name: &str, keys: &Keys) -> Result<Vec<ClassDistribution>, Vec<Mistake>> {
        let _ = (plan, name, keys);
        Ok(Vec::new())
    }

    /// Expected accuracy of a model; `None` for other kinds.
    fn expected_accuracy(&self, setup: &Setup, scenario: &Scenario) -> Option<ExpectedModelAccuracy> {
        let _ = (setup, scenario);
        None
    }

    /// Populations on which it is tried at other numbers of rows, each in words: one in the middle of its range and one
    /// near an end; none for what has no parameter of a population.
    fn populations(&self, setup: &Setup) -> Vec<(String, Population)> {
        let _ = setup;
        Vec::new()
    }
}

/// Reading of a kind.
trait Read: Planned + Sized {
    /// Its word in plans and manifests.
    const WORD: KindWord;
    /// Its name in messages, with an article.
    const WITH_ARTICLE: &'static str;
    /// The keys that only some kinds have, and it has.
    const KEYS: &'static [Key];
    /// The key that names what it reads.
    const COLUMN_KEY: &'static str = COLUMN.name;
    /// True if edges can stand for the bounds of its column.
    const HAS_EDGES: bool = false;
    /// True if it can be measured at levels, because it comes from sums; see [`Planned::at_levels`].
    const ADDS_UP: bool = false;
    /// True if it is made of sums whose noise can be one vector with that of other statistics.
    const SHARES_NOISE: bool = false;
    /// True if it can be counted in cells whose keys are learned; see [`Planned::prepare_learned`].
    const LEARNS_KEYS: bool = false;

    /// Reads its keys; each that is wrong is noted.
    ///
    /// # Errors
    /// [`Reported`] if any is wrong.
    fn read(reader: &mut KindReader) -> Result<Self, Reported>;

    /// Notes what other tables and keys of the statistic do not go with it; `kind` if its own keys could be read.
    fn check(kind: Option<&Self>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
        let _ = (kind, statistic, draft, mistakes);
    }
}

/// A kind, as those know it who read plans.
pub(super) struct KindEntry {
    pub(in crate::plan) word: KindWord,
    pub(super) with_article: &'static str,
    keys: &'static [Key],
    /// The key that names what it reads.
    pub(super) column_key: &'static str,
    pub(super) has_edges: bool,
    /// True if it can be measured at levels.
    pub(super) adds_up: bool,
    /// True if its noise can be one vector with that of other statistics.
    pub(super) shares_noise: bool,
    /// True if it can be counted in cells whose keys are learned.
    pub(super) learns_keys: bool,
    read: fn(&mut KindReader) -> Result<StatisticKind, Reported>,
    check: fn(&KindDraft, &StatisticDraft, &Draft, &mut Mistakes),
}

impl KindEntry {
    /// Checks that a column of this type has a statistic of this kind. `role` is the key that names it, as "`column` in
    /// statistic `a`".
    pub(super) fn judge(&self, role: &str, column: &str, column_type: Kind) -> Result<(), Complaint> {
        if fit::is_numeric(column_type) && !(column_type == Kind::Boolean && self.has_edges) {
            return Ok(());
        }
        let (column, with_article) = (shorten(column), self.with_article);
        Err(Complaint::new(
            format!("{role} must be a number for {with_article}, but `{column}` is of type {column_type}"),
            fit::of_dates(column_type)
                .unwrap_or("name a column of type integer or number, or count rows with kind = \"count\" and `where`"),
        ))
    }

    /// Notes what does not go with the rest of the plan.
    pub(super) fn check(&self, draft: &KindDraft, statistic: &StatisticDraft, plan: &Draft, mistakes: &mut Mistakes) {
        (self.check)(draft, statistic, plan, mistakes);
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Quantity that is computed from the rows of a cell.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum StatisticKind {
            $($(#[$doc])* $name($name),)*
        }

        impl StatisticKind {
            pub(crate) fn planned(&self) -> &dyn Planned {
                match self {
                    $(Self::$name(kind) => kind,)*
                }
            }

            pub(crate) fn word(&self) -> KindWord {
                match self {
                    $(Self::$name(_) => <$name as Read>::WORD,)*
                }
            }
        }

        /// All kinds.
        static ENTRIES: &[KindEntry] = &[$(KindEntry {
            word: <$name as Read>::WORD,
            with_article: <$name as Read>::WITH_ARTICLE,
            keys: <$name as Read>::KEYS,
            column_key: <$name as Read>::COLUMN_KEY,
            has_edges: <$name as Read>::HAS_EDGES,
            adds_up: <$name as Read>::ADDS_UP,
            shares_noise: <$name as Read>::SHARES_NOISE,
            learns_keys: <$name as Read>::LEARNS_KEYS,
            read: |reader| <$name as Read>::read(reader).map(StatisticKind::$name),
            check: |draft, statistic, plan, mistakes| {
                let kind = match &draft.kind {
                    Ok(StatisticKind::$name(kind)) => Some(kind),
                    _ => None,
                };
                <$name as Read>::check(kind, statistic, plan, mistakes);
            },
        },)*];

        /// Reader of a kind. A word without a kind does not compile.
        pub(super) fn entry(word: KindWord) -> &'static KindEntry {
            let place = match word {
                $(KindWord::$name => Place::$name,)*
            };
            &ENTRIES[place as usize]
        }

        /// Places among [`ENTRIES`].
        enum Place {
            $($name,)*
        }
    };
}

kinds! {
    /// Number of rows.
    Count,
    /// Number of distinct privacy units.
    Units,
    /// Sum of the clipped values of a column.
    Sum,
    /// Mean of the clipped values of a column.
    Mean,
    /// Sample variance of the clipped values of a column.
    Variance,
    /// Square root of the sample variance.
    StandardDeviation,
    /// Sample covariance matrix, positive semidefinite.
    Covariance,
    /// Correlation matrix, positive semidefinite with unit diagonal.
    Correlation,
    /// With `by`, the parts of the rows in the cells, which add up to 1; else the part that meets `where`.
    Proportion,
    /// Numbers of rows between edges.
    Histogram,
    /// Quantiles, by numbers of rows between edges; without edges, of each whole number.
    Quantile,
    /// Weighted sum of the sums, or means, of columns.
    Combination,
    /// Gaussian naive Bayes model that predicts the grouping column.
    NaiveBayes,
}

/// Each kind by its word in plans, with the keys that not all kinds have.
pub fn kinds() -> Vec<(&'static str, Vec<&'static str>)> {
    ENTRIES.iter().map(|entry| (entry.word.name(), entry.keys.iter().map(|key| key.name).collect())).collect()
}

/// The kinds that can share their noise, in a sentence.
pub(super) fn that_share_noise() -> String {
    let such: Vec<&str> = ENTRIES.iter().filter(|entry| entry.shares_noise).map(|entry| entry.with_article).collect();
    let (last, first) = such.split_last().expect("counts do");
    format!("{} and {last}", first.join(", "))
}

impl StatisticKind {
    /// `true` if its noise can be one vector with that of other statistics.
    pub(crate) fn shares_noise(&self) -> bool {
        entry(self.word()).shares_noise
    }

    /// The name used in plans.
    pub fn name(&self) -> &'static str {
        self.word().name()
    }
}
