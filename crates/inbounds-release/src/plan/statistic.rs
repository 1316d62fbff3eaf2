//! What the plan asks for.

use std::{ops::Range, sync::Arc};

use inbounds_bundle::FileEntry;
use inbounds_core::Rational;
use inbounds_data::KeyValue;
use inbounds_input::document::Spanned;
use inbounds_mechanisms::{
    bounding::TabulatedRule,
    partition::KeyNoise,
    registry::{self, Chosen, Entry},
};
use inbounds_project::table::Axes;
use inbounds_statistics::OutputRange;

use super::{StatisticKind, Want};
use crate::projection::Fit;

/// One `[[statistic]]` table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistic {
    /// Unique name of ASCII letters, digits, `_` and `-`.
    pub name: Spanned<String>,
    /// What people call it.
    pub label: Option<String>,
    /// What is computed in each cell.
    pub kind: StatisticKind,
    /// Grouping columns, in order; empty for one number over all rows.
    pub by: Vec<Spanned<String>>,
    /// Public file that lists the cells, relative to the plan's folder; `None` if the columns list their values.
    pub keys: Option<Spanned<String>>,
    /// The noise by which its keys are learned from the rows, with the values of the columns that list theirs; `None`
    /// where they are listed. Placed at the name where the plan leaves it out.
    pub learn_keys: Spanned<Option<KeyNoise>>,
    /// Where all keys that can be get noise, without delta: how many cells without rows may be published on average.
    pub spurious: Option<Spanned<Rational>>,
    /// SQL condition on rows, as written; whether it is valid SQL is for the engine to say.
    pub filter: Option<Spanned<String>>,
    /// Part of the epsilon that wants leave, which is the whole where there are none; given on all statistics without a
    /// want or on none.
    pub share: Option<Spanned<Rational>>,
    /// How accurate it is to be, in all of these ways, from which its part of epsilon follows; never beside a share.
    pub want: Vec<Spanned<Want>>,
    /// How the value is made noisy and kept inside its range; placed at the name where the plan leaves it out.
    pub mechanism: Spanned<MechanismChoice>,
    /// Whether noise that needs no delta spends its part of it too, where that spares a hundredth of the error or more;
    /// placed at the name where the plan leaves it out.
    pub spend_delta: Spanned<bool>,
    /// Range of the published value; placed at the name where the plan leaves it out.
    pub range: Spanned<OutputRange>,
    /// Levels at which a grouped count, sum or mean is measured, if it is to add up; `None` for cells by themselves.
    pub levels: Option<Levels>,
    /// Margins in which a grouped count, sum or mean is measured, if they are to add up; with levels, those of a table
    /// at every level.
    pub margins: Option<Margins>,
    /// Numbers of cells of levels or margins that are public, which a count with them meets exactly.
    pub public: Vec<Spanned<PublicNumbers>>,
    /// Whether intervals are for the population of which the rows are a random sample, not for the rows; placed at the
    /// name where the plan leaves it out.
    pub population: Spanned<bool>,
}

impl Statistic {
    /// Whether its noise may spend delta, which needs it or is given it.
    pub fn spends_delta(&self) -> bool {
        self.learn_keys.value.is_none() && (self.spend_delta.value || self.mechanism.value.entry().needs_delta())
    }

    /// What people call it, with its name in the bundle: the label before the name, or the name.
    pub fn called(&self) -> String {
        let name = &self.name.value;
        self.label.as_ref().map_or_else(|| name.clone(), |label| format!("{label} ({name})"))
    }

    /// The columns whose values it reads; none for counts and proportions.
    pub fn columns(&self) -> Vec<&Spanned<String>> {
        self.kind.planned().columns()
    }

    /// Columns of `by` in each of whose groups shares add up to 1; none for shares of all cells, and for all that are
    /// no shares.
    pub fn within(&self) -> &[Spanned<String>] {
        match &self.kind {
            StatisticKind::Proportion(shares) => shares.within(),
            _ => &[],
        }
    }

    /// The edges that the plan gives a statistic that has bins.
    pub fn edges(&self) -> Option<&Spanned<Vec<Rational>>> {
        self.kind.planned().edges()
    }

    /// The column of a statistic that reads one.
    pub fn column(&self) -> Option<&Spanned<String>> {
        match self.columns()[..] {
            [column] => Some(column),
            _ => None,
        }
    }
}

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

    /// What measures a number.
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

    /// Whether it is Laplace noise, clamped, or may be.
    pub(crate) fn may_be_default(&self) -> bool {
        self.entry() == registry::default()
    }

    /// Whether its numbers may be measured for other statistics too.
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

/// The levels of a grouped statistic, coarsest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// [`Levels::ALL`], or the last column of the part of `by` that tells the cells of the level apart. The last level
    /// has the cells of the statistic.
    pub names: Vec<Spanned<String>>,
    /// How epsilon is divided; placed at the name of the statistic where the plan leaves it out.
    pub shares: Spanned<LevelShares>,
    /// How the levels are made to add up.
    pub fit: Fit,
}

impl Levels {
    /// The level of the total over all listed cells.
    pub const ALL: &str = "all";
}

/// How a statistic's epsilon is divided among its levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LevelShares {
    /// Equal parts.
    Even,
    /// The parts that gain most on average over the levels, by the public tree alone, where no level has an RMSE more
    /// than 5 % above that of equal parts.
    Balanced,
    /// Parts that add up to 1, one a level; a level with none is not measured, and the last has one.
    Given(Vec<Rational>),
}

/// The margins of a grouped count, sum or mean: tables by some of its grouping columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Margins {
    /// Those that the plan lists, each a set of columns of `by`; the empty set is the total. Every margin of one of
    /// them is published too.
    pub sets: Spanned<Vec<MarginColumns>>,
    /// How epsilon is divided; placed at the name of the statistic where the plan leaves it out.
    pub shares: Spanned<MarginShares>,
    /// How small numbers are fitted; never [`Fit::Joint`].
    pub fit: Fit,
}

/// Public numbers of the cells of a level, of a margin, or of a margin at a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicNumbers {
    /// The level, where there are levels.
    pub level: Option<Spanned<String>>,
    /// The columns of the margin; left out for the total.
    pub margin: Option<Spanned<Vec<Spanned<String>>>>,
    /// The numbers.
    pub cells: PublicCells,
}

/// Where public numbers come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicCells {
    /// The plan, of one cell.
    Number(u64),
    /// A file.
    File {
        /// The file, by the name that it has in the plan, and the digest of what was read.
        file: FileEntry,
        /// Its columns but that of numbers.
        columns: Vec<String>,
        /// The line of each row, its cells in these columns, and its number.
        rows: Vec<(u64, Vec<String>, u64)>,
    },
}

impl PublicNumbers {
    /// The file that they stand in, if it is one.
    pub fn file(&self) -> Option<&FileEntry> {
        match &self.cells {
            PublicCells::Number(_) => None,
            PublicCells::File { file, .. } => Some(file),
        }
    }
}

/// Margins that are counted, in place of the cells of their table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedMargins {
    /// The values of each grouping column.
    pub values: Vec<Vec<KeyValue>>,
    /// The columns of each margin, as places among the grouping columns, in ascending order.
    pub margins: Vec<Vec<usize>>,
}

/// The columns of a margin, as the plan lists them.
pub type MarginColumns = Spanned<Vec<Spanned<String>>>;

/// The margins that are part of no other, as places of columns in `by`, in the order of the list; none if one names
/// another column, or there are too many columns.
pub(crate) fn largest_margins(margins: &[MarginColumns], by: &[Spanned<String>]) -> Option<Vec<Axes>> {
    let place = |column: &Spanned<String>| by.iter().position(|by| by.value == column.value);
    if by.len() > Axes::MOST {
        return None;
    }
    let axes = |margin: &MarginColumns| Some(Axes::of(margin.value.iter().map(place).collect::<Option<Vec<_>>>()?));
    let all: Vec<Axes> = margins.iter().map(axes).collect::<Option<_>>()?;
    Some(all.iter().copied().filter(|axes| axes.is_largest(all.iter().copied())).collect())
}

/// The first margin that is not part of a largest one of three columns or more, which the solver of tables does not
/// take.
pub(crate) fn beside_large(margins: &[Axes]) -> Option<usize> {
    let large = margins.iter().find(|axes| axes.count() > 2 && axes.is_largest(margins.iter().copied()))?;
    margins.iter().position(|other| !large.includes(*other))
}

/// How a statistic's epsilon is divided among the margins that the plan lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarginShares {
    /// Equal parts.
    Even,
    /// The parts that gain most on average over the margins where none has an RMSE more than 5 % above that of equal
    /// parts.
    Balanced,
    /// The parts with the least mean square error over all cells of the listed margins.
    LeastError,
    /// Parts that add up to 1, one a margin; one with none is not measured, and one that is part of no other has one.
    Given(Vec<Rational>),
}
