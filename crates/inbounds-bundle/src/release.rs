//! `release.json`: what was released, under which guarantee, by which numbers. No private value.

use std::fmt;

use inbounds_core::{Approval, IntervalMethod, Neighbours};
use inbounds_mechanisms::mechanism::BiasFormula;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    ApartEntry, ChosenMechanism, ComponentEntry, DiagnosticsEntry, Exact, FileEntry, Id, JointEntry, KindTraits,
    KindWord, LearnedKeysEntry, LedgerEntry, LeftOutEntry, MissingEntry, MissingRule, Notice, OtherReleases,
    PerUnitEntry, PrivacyUnitEntry, Program, ProjectionEntry, PublicationEntry, QualityEntry, QuantityEntry,
    RoundingEntry, SharedNoiseEntry, UnitEntry, WantsEntry, program,
};

/// Name and version of the manifest's schema. Fields are added within a version, never renamed or removed.
pub const RELEASE_SCHEMA: &str = "inbounds/release/1";

/// The manifest of a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct ReleaseManifest {
    pub schema: String,
    pub program: Program,
    pub title: Option<String>,
    /// Subject of the numbers, where the plan states it.
    #[serde(default, skip_serializing_if = "PublicationEntry::is_empty")]
    pub publication: PublicationEntry,
    /// Classes of the numbers by their relative error, where the plan has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<QualityEntry>,
    pub private: bool,
    /// Seed of the rounding of estimates that fall between grid points.
    #[serde(default)]
    pub rounding_seed: String,
    pub guarantee: GuaranteeEntry,
    #[serde(default)]
    pub plan_sha256: String,
    /// Approval under which it was released, if it needed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    pub rules: Vec<String>,
    /// Columns for which the plan has words; none in bundles of versions that did not write them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnEntry>,
    /// Reduction of the rows of each unit to one, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_unit: Option<PerUnitEntry>,
    pub statistics: Vec<StatisticEntry>,
    /// Measurements of the rows themselves, where the plan asks for them.
    #[serde(default)]
    pub diagnostics: Option<DiagnosticsEntry>,
    /// Rows that statistics leave out, measured beside them for nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutEntry>,
    pub files: Vec<FileEntry>,
}

impl ReleaseManifest {
    /// Name of its file.
    pub const FILE: &str = "release.json";

    /// The text of the file.
    pub fn to_json(&self) -> Vec<u8> {
        program::to_json(self)
    }

    /// Noun for the rows, in the plural.
    pub fn things(&self) -> &str {
        self.publication.unit_of_rows.as_deref().unwrap_or("rows")
    }

    /// A unit in words, in which rows are called what they are.
    pub fn unit_called(&self, unit: &UnitEntry) -> String {
        match unit {
            UnitEntry::Rows => self.things().to_owned(),
            unit => unit.to_string(),
        }
    }

    /// The entry of a column, if it has one.
    pub fn column(&self, name: &str) -> Option<&ColumnEntry> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Sentences on the cells of a statistic's columns that hold no number: the treatment of their rows, and that their
    /// number is not measured, where nothing in the release tells it. Empty for a statistic without such a column.
    pub fn about_missing(&self, statistic: &StatisticEntry) -> String {
        let mut sentences: Vec<String> = statistic.missing.iter().map(MissingEntry::sentence).collect();
        let is_counted = self.left_out.iter().any(|entry| entry.statistics.contains(&statistic.name));
        // A notice about rows that are lost to missing cells alone says how many have one.
        let is_noticed = |column: &String| {
            statistic.notices.iter().any(|notice| match notice {
                Notice::RowsLost { by, columns, .. } => by.is_empty() && columns.contains(column),
                _ => false,
            })
        };
        let is_known = |entry: &MissingEntry| match &entry.rule {
            // Of a public number of rows those that count leave the others.
            MissingRule::Dropped => is_counted || self.guarantee.public_rows.is_some() || is_noticed(&entry.column),
            MissingRule::CountedAs(_) => false,
            MissingRule::Other(_) => true,
        };
        if self.diagnostics.is_none() && !statistic.missing.iter().all(is_known) {
            let unmeasured = "How many there are is not measured; `diagnostics` in the plan would measure it.";
            sentences.push(unmeasured.to_owned());
        }
        sentences.join(" ")
    }

    /// Largest part of each privacy unit in the numbers of a statistic, if that may be less than all: "at most 3 rows
    /// of each `patient`".
    pub fn most_of_each_unit(&self, statistic: &StatisticEntry) -> Option<String> {
        let guarantee = &self.guarantee;
        let PrivacyUnitEntry::Column(column) = &guarantee.privacy_unit else { return None };
        // One row is made of all rows of a unit, or each unit is counted once.
        if self.per_unit.is_some() || statistic.kind == Id::Known(KindWord::Units) {
            return None;
        }
        let rows = |rows: u64| if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
        let most = match (guarantee.groups_per_unit, guarantee.rows_per_group) {
            (Some(1), Some(of_group)) => format!("{} in 1 group", rows(of_group)),
            (Some(groups), Some(of_group)) => format!("{} in each of {groups} groups", rows(of_group)),
            (Some(1), None) => format!("{} in 1 group", rows(guarantee.rows_per_unit)),
            (Some(groups), None) => format!("{} in {groups} groups", rows(guarantee.rows_per_unit)),
            (None, Some(of_group)) => format!("{}, {of_group} in a group", rows(guarantee.rows_per_unit)),
            (None, None) => rows(guarantee.rows_per_unit),
        };
        Some(format!("at most {most} of each `{column}`"))
    }
}

/// Readable names of a column and its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReleaseManifest")]
pub struct ColumnEntry {
    pub name: String,
    pub label: Option<String>,
    pub unit: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<ValueLabelEntry>,
    /// Origin of the column, where the data do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<DerivedEntry>,
    /// The areas that its values are called by, if there is a map of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<MapEntry>,
}

impl ColumnEntry {
    /// Its name for people: its label, or its name.
    pub fn called(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }

    /// Name of one of its values for people, by the value as tables write it.
    pub fn value_called<'n>(&'n self, written: &'n str) -> &'n str {
        let label = self.labels.iter().find(|label| label.value.to_string() == written);
        label.map_or(written, |label| &label.label)
    }
}

/// A map of the values of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReleaseManifest")]
pub struct MapEntry {
    /// The name that the file has in the plan.
    pub source: String,
    /// Its copy in the bundle.
    pub file: FileEntry,
    /// The property of an area that is the value.
    pub key: String,
}

/// Inputs of a derived column; the rules state its construction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReleaseManifest")]
pub struct DerivedEntry {
    pub from: Vec<String>,
    /// The public file that it is looked up in, by the name that it has in the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookup: Option<FileEntry>,
}

/// Readable name of a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReleaseManifest")]
pub struct ValueLabelEntry {
    pub value: ValueEntry,
    pub label: String,
}

/// A value of a grouping column, typed as in the data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ValueEntry {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// Text.
    Text(String),
}

impl fmt::Display for ValueEntry {
    /// The value as tables write it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => value.fmt(formatter),
            Self::Integer(value) => value.fmt(formatter),
            Self::Text(value) => value.fmt(formatter),
        }
    }
}

/// The guarantee in words and numbers; epsilon and delta are exact decimals or fractions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReleaseManifest")]
pub struct GuaranteeEntry {
    pub words: String,
    pub privacy_unit: PrivacyUnitEntry,
    pub rows_per_unit: u64,
    /// Most groups in which rows of one unit count, and most rows in one, where the plan limits them.
    #[serde(default)]
    pub groups_per_unit: Option<u64>,
    #[serde(default)]
    pub rows_per_group: Option<u64>,
    pub neighbours: Id<Neighbours>,
    pub public_rows: Option<u64>,
    pub epsilon_granted: Exact,
    pub delta_granted: Exact,
    pub epsilon_spent: Exact,
    pub delta_spent: Exact,
    /// Which statistics no row can count in together, if that lowers what is spent.
    #[serde(default)]
    pub apart: Option<ApartEntry>,
    /// Groups of statistics whose Gaussian noise is accounted for together.
    #[serde(default)]
    pub joint: Vec<JointEntry>,
    /// The accuracy that the plan wants, if it wants any.
    #[serde(default)]
    pub wants: Option<WantsEntry>,
    /// Groups of statistics that get one vector of noise.
    #[serde(default)]
    pub together: Vec<SharedNoiseEntry>,
    /// The mechanisms of statistics that left the choice to the program.
    #[serde(default)]
    pub chosen: Vec<ChosenMechanism>,
    /// The ledger from which it was paid, if there is one.
    #[serde(default)]
    pub ledger: Option<LedgerEntry>,
    /// Notices that a reader of the promise needs.
    #[serde(default)]
    pub notices: Vec<Notice>,
}

impl GuaranteeEntry {
    /// Accounting of this release together with others from the same rows.
    pub fn other_releases(&self) -> OtherReleases<'_> {
        self.ledger.as_ref().map_or(OtherReleases::Untold, OtherReleases::Ledger)
    }
}

/// One statistic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReleaseManifest")]
pub struct StatisticEntry {
    pub name: String,
    /// Readable name.
    #[serde(default)]
    pub label: Option<String>,
    pub kind: Id<KindWord>,
    pub column: Option<String>,
    /// All columns that are read, in the order of `clips`.
    #[serde(default)]
    pub columns: Vec<String>,
    pub by: Vec<String>,
    /// Columns of `by` in each of whose groups shares add up to 1; none for shares of all cells, and for all that are
    /// no shares.
    #[serde(default)]
    pub within: Vec<String>,
    /// The file that lists its keys, by the name that it has in the plan; null where the plan lists them.
    #[serde(default)]
    pub keys: Option<FileEntry>,
    /// The files of combinations that can occur, by the names that they have in the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub possible: Vec<FileEntry>,
    /// Public numbers of cells that it meets exactly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub public: Vec<PublicEntry>,
    /// The file of its rule, by the name that it has in the plan, where it has one of its own; the rows stand in
    /// `processing`.
    #[serde(default)]
    pub rule: Option<FileEntry>,
    #[serde(rename = "where")]
    pub filter: Option<String>,
    pub cells: usize,
    /// The range of all its numbers; an output may have a range of its own.
    #[serde(default)]
    pub unit: UnitEntry,
    pub epsilon: Exact,
    pub clip: Option<ClipEntry>,
    #[serde(default)]
    pub clips: Vec<ClipEntry>,
    #[serde(default)]
    pub range: RangeEntry,
    /// Published outputs of each cell.
    #[serde(default)]
    pub outputs: Vec<OutputEntry>,
    pub measured: Vec<ComponentEntry>,
    pub bias: BiasEntry,
    pub expected_error: Vec<ExpectedErrorEntry>,
    pub interval: IntervalEntry,
    /// Treatment of rows without a number in a column, for each column whose numbers are read.
    #[serde(default)]
    pub missing: Vec<MissingEntry>,
    /// Summands and their weights, for a combination.
    #[serde(default)]
    pub combination: Option<CombinationEntry>,
    /// Selection of the cells by noise, where keys were learned from the rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<LearnedKeysEntry>,
    /// Projection that made levels or margins add up.
    pub projection: Option<ProjectionEntry>,
    /// Rounding of its numbers on page and in workbook, if they are rounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounding: Option<RoundingEntry>,
    /// Notices to read before the numbers are used.
    #[serde(default)]
    pub notices: Vec<Notice>,
}

/// Public numbers of the cells of a level, of a margin, or of a margin of a level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct PublicEntry {
    pub level: Option<String>,
    pub margin: Vec<String>,
    /// The file that they stand in, by the name that it has in the plan; none for a number of the plan.
    pub file: Option<FileEntry>,
    pub number: Option<u64>,
}

impl StatisticEntry {
    /// `true` if an unbiased measurement stands beside each estimate.
    pub fn keeps_measurements(&self) -> bool {
        self.measured.iter().all(|component| component.processing.is_some())
    }

    /// Notes for the reader on keys that were learned from the rows, whose cells count `noun`: which cells are
    /// published, and that none is.
    pub fn about_learned_keys(&self, noun: &str) -> Option<String> {
        let learned = self.learned.as_ref()?.sentence(noun);
        Some(match self.cells {
            0 => format!("{learned} Here no cell is published."),
            _ => learned,
        })
    }

    /// Words for its kind, and the display of its numbers; those of an unknown kind are shown plainly.
    pub fn traits(&self) -> KindTraits {
        self.kind.known().map_or_else(|| KindTraits::plain("Statistic"), KindWord::traits)
    }

    /// Headings above columns of bias and RMSE; `bounded` where all are the largest over the interval.
    pub fn error_names(&self, bounded: bool) -> [&'static str; 2] {
        match (bounded, self.kind.known()) {
            (true, _) => ["bias at most", "RMSE at most"],
            // Rows may be heaped anywhere in the bin of the estimate.
            (false, Some(KindWord::Quantile)) => ["largest bias in the bin", "largest RMSE in the bin"],
            (false, _) => ["simulated bias", "simulated RMSE"],
        }
    }
}

/// A weighted sum of the sums or means of columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CombinationEntry {
    /// Quantity of each column that is added up.
    pub of: Combined,
    /// One weight a column, in the order of `columns`.
    pub weights: Vec<Exact>,
}

/// Quantity of each column that is combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Combined {
    /// Sums.
    Sum,
    /// Means.
    Mean,
}

/// Clipping of values, in the column's unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReleaseManifest")]
pub struct ClipEntry {
    pub lower: f64,
    pub upper: f64,
    #[serde(default)]
    pub grid_spacing: f64,
    pub missing: MissingRule,
}

/// One number that is published of every cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReleaseManifest")]
pub struct OutputEntry {
    /// The quantity: `name` in words, `quantity` as data.
    #[serde(flatten, with = "crate::quantity::name")]
    pub name: QuantityEntry,
    pub unit: UnitEntry,
    pub range: RangeEntry,
}

/// A range; an end without bound is null.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReleaseManifest")]
pub struct RangeEntry {
    pub lower: Option<f64>,
    pub upper: Option<f64>,
}

/// Expected bias: the identifier of its formula in `docs/bundle.md`, and its largest absolute value over the range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReleaseManifest")]
pub struct BiasEntry {
    pub formula: Id<BiasFormula>,
    pub worst: Option<f64>,
}

/// Error to expect for a candidate truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReleaseManifest")]
pub struct ExpectedErrorEntry {
    pub case: String,
    /// NaN, in JSON null, where the case cannot occur.
    #[serde(deserialize_with = "or_nan")]
    pub bias: f64,
    #[serde(deserialize_with = "or_nan")]
    pub rmse: f64,
    /// Half the width of a typical interval; null where intervals come from simulated errors.
    #[serde(default)]
    pub half_width: Option<f64>,
}

/// A number; NaN for null, which is what JSON has for it.
fn or_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// Construction of the intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see ReleaseManifest")]
pub struct IntervalEntry {
    pub level: f64,
    /// True if it is the probability with which all intervals of the statistic hold at once.
    #[serde(default)]
    pub joint: bool,
    pub method: Id<IntervalMethod>,
}
