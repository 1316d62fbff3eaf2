//! What the plan asks for.

use inbounds_core::{Named as _, Rational};
use inbounds_data::KeyValue;
use inbounds_input::document::Spanned;
use inbounds_mechanisms::registry::Entry;
use inbounds_statistics::OutputRange;

use super::kind::KindWord;
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
    /// SQL condition on rows, as written; whether it is valid SQL is for the engine to say.
    pub filter: Option<Spanned<String>>,
    /// Part of the whole epsilon; given on all statistics or on none.
    pub share: Option<Spanned<Rational>>,
    /// How the noisy value is kept inside its range; placed at the name where the plan leaves it out.
    pub mechanism: Spanned<&'static Entry>,
    /// Range of the published value; placed at the name where the plan leaves it out.
    pub range: Spanned<OutputRange>,
    /// Levels at which a grouped count, sum or mean is measured, if it is to add up; `None` for cells by themselves.
    pub levels: Option<Levels>,
    /// Whether intervals are for the population of which the rows are a random sample, not for the rows; placed at the name
    /// where the plan leaves it out.
    pub population: Spanned<bool>,
}

impl Statistic {
    /// What people call it, with its name in the bundle: the label before the name, or the name.
    pub fn called(&self) -> String {
        let name = &self.name.value;
        self.label.as_ref().map_or_else(|| name.clone(), |label| format!("{label} ({name})"))
    }

    /// The columns whose values it reads; none for counts and proportions.
    pub fn columns(&self) -> Vec<&Spanned<String>> {
        match &self.kind {
            StatisticKind::Count | StatisticKind::Proportion { .. } => Vec::new(),
            StatisticKind::Sum { column }
            | StatisticKind::Mean { column }
            | StatisticKind::Variance { column }
            | StatisticKind::StandardDeviation { column }
            | StatisticKind::Histogram { column, .. }
            | StatisticKind::Quantile { column, .. } => vec![column],
            StatisticKind::Covariance { columns, .. }
            | StatisticKind::Correlation { columns, .. }
            | StatisticKind::NaiveBayes { columns, .. } => columns.iter().collect(),
            StatisticKind::Combination { weights, .. } => weights.iter().map(|(column, _)| column).collect(),
        }
    }

    /// The edges that the plan gives a statistic that has bins.
    pub fn edges(&self) -> Option<&Spanned<Vec<Rational>>> {
        match &self.kind {
            StatisticKind::Histogram { edges, .. } => Some(edges),
            StatisticKind::Quantile { edges, .. } => edges.as_ref(),
            _ => None,
        }
    }

    /// The column of a statistic that reads one.
    pub fn column(&self) -> Option<&Spanned<String>> {
        match self.columns()[..] {
            [column] => Some(column),
            _ => None,
        }
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
    /// Positive parts that add up to 1, one a level.
    Given(Vec<Rational>),
}

/// What is computed of the rows of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are the keys of the plan, which docs/plan.md describes")]
pub enum StatisticKind {
    /// Number of rows.
    Count,
    /// Sum of the clipped values of a column.
    Sum { column: Spanned<String> },
    /// Mean of the clipped values of a column.
    Mean { column: Spanned<String> },
    /// Sample variance of the clipped values of a column.
    Variance { column: Spanned<String> },
    /// Square root of the sample variance.
    StandardDeviation { column: Spanned<String> },
    /// Sample covariance matrix, positive semidefinite.
    Covariance { columns: Vec<Spanned<String>>, route: MatrixRoute },
    /// Correlation matrix, positive semidefinite with unit diagonal.
    Correlation { columns: Vec<Spanned<String>>, route: MatrixRoute },
    /// With `by`, the parts of the rows in the cells, which add up to 1; else the part that meets `where`.
    Proportion { rule: ProportionRule, total: ProportionTotal },
    /// Numbers of rows between edges.
    Histogram { column: Spanned<String>, edges: Spanned<Vec<Rational>> },
    /// Quantiles, by numbers of rows between edges; without edges, of each whole number.
    Quantile { column: Spanned<String>, edges: Option<Spanned<Vec<Rational>>>, probabilities: Vec<Rational> },
    /// Weighted sum of the sums, or means, of columns.
    Combination { weights: Vec<(Spanned<String>, Rational)>, means: bool },
    /// Gaussian naive Bayes model that predicts the grouping column; `classes` are described for a forecast of its accuracy, or
    /// none is.
    NaiveBayes { columns: Vec<Spanned<String>>, classes: Vec<DescribedClass> },
}

/// What the rows of a class are expected to look like, from public knowledge; it changes no released number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedClass {
    /// Its value in each column of `by`.
    pub class: Spanned<Vec<KeyValue>>,
    /// Number of its rows.
    pub rows: Spanned<u64>,
    /// Mean of each column, in the order of the text.
    pub means: Vec<(Spanned<String>, Spanned<Rational>)>,
    /// Standard deviation of each column, positive, in the order of the text.
    pub deviations: Vec<(Spanned<String>, Spanned<Rational>)>,
}

/// How the entries of a matrix are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixRoute {
    /// Each by itself, variances first.
    Entries,
    /// All at once, as one vector.
    Matrix,
}

/// What proportions of cells are shares of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProportionTotal {
    /// The rows in the listed cells, a number that is measured.
    Listed,
    /// The public number of rows: the plan says that each row is in a listed cell.
    Rows,
}

impl ProportionTotal {
    /// The words of plans.
    pub const WORDS: [(&str, Self); 2] = [("listed", Self::Listed), ("rows", Self::Rows)];
}

/// How noisy proportions are made to add up to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProportionRule {
    /// The nearest point of the simplex.
    Simplex,
    /// Divided by their sum.
    Rescaling,
    /// The first cell is what the others leave.
    AllButOne,
    /// A binary tree of sums, made to agree.
    UniversalHistogram,
    /// Several releases by re-scaling, combined.
    MultipleSynthesis,
    /// Their mean given the noise, over all points of the simplex.
    Conditioning,
}

impl ProportionRule {
    /// The words of plans.
    pub const WORDS: [(&str, Self); 6] = [
        ("simplex", Self::Simplex),
        ("re-scaling", Self::Rescaling),
        ("all-but-one", Self::AllButOne),
        ("universal-histogram", Self::UniversalHistogram),
        ("multiple-synthesis", Self::MultipleSynthesis),
        ("conditioning", Self::Conditioning),
    ];
}

impl StatisticKind {
    /// The name used in plans.
    pub fn name(&self) -> &'static str {
        self.word().name()
    }

    pub(crate) fn word(&self) -> KindWord {
        match self {
            Self::Count => KindWord::Count,
            Self::Sum { .. } => KindWord::Sum,
            Self::Mean { .. } => KindWord::Mean,
            Self::Variance { .. } => KindWord::Variance,
            Self::StandardDeviation { .. } => KindWord::StandardDeviation,
            Self::Covariance { .. } => KindWord::Covariance,
            Self::Correlation { .. } => KindWord::Correlation,
            Self::Proportion { .. } => KindWord::Proportion,
            Self::Histogram { .. } => KindWord::Histogram,
            Self::Quantile { .. } => KindWord::Quantile,
            Self::Combination { .. } => KindWord::Combination,
            Self::NaiveBayes { .. } => KindWord::NaiveBayes,
        }
    }
}
