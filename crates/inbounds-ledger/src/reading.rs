//! Rules by which the unit of a release is made and read: everything that decides which rows are one unit.
//!
//! **Idea.** A ledger adds up what one unit loses, so all releases must mean the same units. The name of a column is
//! not enough: plans make columns of others, and read their cells by rules of their own. A reading lists everything in
//! a plan that decides which rows share a unit, each as public text. Two plans with one reading put every row into the
//! same unit.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use sha2::{Digest, Sha256};

/// One thing that decides which rows are one unit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// The version of the reader of cells.
    Reader,
    /// Separator of the fields of a text file. Files of other formats have none.
    Separator,
    /// The quotation mark of a text file.
    Quote,
    /// The encoding of a text file.
    Encoding,
    /// Number of lines of a text file before the one that names its columns.
    Skip,
    /// First character of the lines of a text file that are neither names of columns nor rows.
    Comment,
    /// The rule that makes a column of others, with all that was looked up for it.
    Rule(String),
    /// The column that says how many rows each row stands for, with its bounds.
    Frequency(String),
    /// The type as which the cells of a column are read.
    Type(String),
    /// Treatment of blanks around a text.
    Trim(String),
    /// Spelling of a missing value.
    MissingValues(String),
    /// The separator of groups of three digits.
    Thousands(String),
    /// The separator of decimals.
    Decimal(String),
    /// Further notation of numbers.
    Numbers(String),
    /// The format of dates.
    Format(String),
}

impl Aspect {
    /// `true` for the layout of a text file: a data set may also come in files without such a layout.
    fn is_layout(&self) -> bool {
        match self {
            Self::Separator | Self::Quote | Self::Encoding | Self::Skip | Self::Comment => true,
            Self::Reader
            | Self::Rule(_)
            | Self::Type(_)
            | Self::Frequency(_)
            | Self::Trim(_)
            | Self::MissingValues(_)
            | Self::Thousands(_)
            | Self::Decimal(_)
            | Self::Numbers(_)
            | Self::Format(_) => false,
        }
    }
}

/// In the words of plans.
impl fmt::Display for Aspect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reader => formatter.write_str("the version of the reader"),
            Self::Separator => formatter.write_str("`separator` of [data]"),
            Self::Quote => formatter.write_str("`quote` of [data]"),
            Self::Encoding => formatter.write_str("`encoding` of [data]"),
            Self::Skip => formatter.write_str("`skip` of [data]"),
            Self::Comment => formatter.write_str("`comment` of [data]"),
            Self::Rule(column) => write!(formatter, "the rule that makes `{column}`"),
            Self::Type(column) => write!(formatter, "`type` of `{column}`"),
            Self::Trim(column) => write!(formatter, "`trim` of `{column}`"),
            Self::MissingValues(column) => write!(formatter, "`missing_values` of `{column}`"),
            Self::Thousands(column) => write!(formatter, "`thousands` of `{column}`"),
            Self::Decimal(column) => write!(formatter, "`decimal` of `{column}`"),
            Self::Frequency(column) => write!(formatter, "`frequency` by `{column}`"),
            Self::Numbers(column) => write!(formatter, "`marks`, `numbers`, `negative` or `groups` of `{column}`"),
            Self::Format(column) => write!(formatter, "`format` of `{column}`"),
        }
    }
}

/// All that decides which rows are one unit, each aspect as exact text. Public: a plan says all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitReading(BTreeMap<Aspect, String>);

/// An aspect in which two readings differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The aspect.
    pub aspect: Aspect,
    /// Of the reading that the ledger holds, if it has the aspect.
    pub ledger: Option<String>,
    /// Of the plan, if it has the aspect.
    pub plan: Option<String>,
}

impl UnitReading {
    /// A reading of these aspects.
    pub fn new(aspects: impl IntoIterator<Item = (Aspect, String)>) -> Self {
        Self(aspects.into_iter().collect())
    }

    /// The aspects, in a fixed order.
    pub fn aspects(&self) -> impl Iterator<Item = (&Aspect, &str)> {
        self.0.iter().map(|(aspect, value)| (aspect, value.as_str()))
    }

    /// Where a plan's reading is another one than this; empty if both make the same units. The layout of text is
    /// compared where both are of text files.
    ///
    /// # Example
    /// ```
    /// use inbounds_ledger::{Aspect, UnitReading};
    /// let of = |kind: &str| UnitReading::new([(Aspect::Type("patient".into()), kind.to_owned())]);
    /// assert!(of("text").differences(&of("text")).is_empty());
    /// let said = of("text").differences(&of("integer"))[0].to_string();
    /// assert_eq!(said, "`type` of `patient` is text there and integer in the plan");
    /// ```
    pub fn differences(&self, plan: &Self) -> Vec<Difference> {
        let aspects: BTreeSet<&Aspect> = self.0.keys().chain(plan.0.keys()).collect();
        let difference = |aspect: &Aspect| {
            let (ledger, plan) = (self.0.get(aspect), plan.0.get(aspect));
            let is_none = aspect.is_layout() && (ledger.is_none() || plan.is_none());
            let differ = !is_none && ledger != plan;
            differ.then(|| Difference { aspect: aspect.clone(), ledger: ledger.cloned(), plan: plan.cloned() })
        };
        aspects.into_iter().filter_map(difference).collect()
    }
}

/// Most letters of a value that a sentence quotes.
const MOST_QUOTED: usize = 100;

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { aspect, ledger, plan } = self;
        let shown = |value: &Option<String>| value.as_deref().map_or_else(|| "not there".to_owned(), quoted);
        match (ledger, plan) {
            (None, Some(plan)) => write!(formatter, "{aspect} is not there, and {} in the plan", quoted(plan)),
            (Some(ledger), None) => write!(formatter, "{aspect} is {} there, and the plan has none", quoted(ledger)),
            _ => write!(formatter, "{aspect} is {} there and {} in the plan", shown(ledger), shown(plan)),
        }
    }
}

/// A value as a sentence can hold it: what is long by its beginning and its digest.
fn quoted(value: &str) -> String {
    if value.chars().count() <= MOST_QUOTED {
        return value.to_owned();
    }
    let beginning: String = value.chars().take(MOST_QUOTED / 2).collect();
    let digest: String = Sha256::digest(value.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("{beginning}... (SHA-256 {digest}...)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading_of(aspects: &[(Aspect, &str)]) -> UnitReading {
        UnitReading::new(aspects.iter().map(|(aspect, value)| (aspect.clone(), (*value).to_owned())))
    }

    #[test]
    fn layout_is_compared_where_both_have_one_and_all_else_always() {
        let (csv, other) =
            (reading_of(&[(Aspect::Quote, "\""), (Aspect::Reader, "1")]), reading_of(&[(Aspect::Reader, "1")]));
        assert!(csv.differences(&other).is_empty() && other.differences(&csv).is_empty());
        assert_eq!(csv.differences(&reading_of(&[(Aspect::Quote, "'"), (Aspect::Reader, "1")])).len(), 1);
        assert_eq!(other.differences(&reading_of(&[])).len(), 1);
        assert_eq!(reading_of(&[]).differences(&reading_of(&[(Aspect::Rule("a".into()), "b")])).len(), 1);
    }

    #[test]
    fn what_differs_is_said_however_long_it_is() {
        let rule = |text: &str| reading_of(&[(Aspect::Rule("home".into()), text)]);
        let said = |one: &UnitReading, other: &UnitReading| one.differences(other)[0].to_string();
        assert_eq!(said(&rule("a"), &reading_of(&[])), "the rule that makes `home` is a there, and the plan has none");
        assert_eq!(said(&reading_of(&[]), &rule("a")), "the rule that makes `home` is not there, and a in the plan");
        let long = said(&rule(&("x".repeat(100) + "a")), &rule(&("x".repeat(100) + "b")));
        let digests: Vec<&str> = long.split("SHA-256 ").skip(1).collect();
        assert!(digests.len() == 2 && digests[0][..12] != digests[1][..12], "{long}");
    }
}
