//! The short phrases of manifests: units, rules.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Serialises a type by its phrase, and reads it back from the phrase.
macro_rules! by_phrase {
    ($name:ident) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(Self::from)
            }
        }
    };
}

/// The unit of a number.
///
/// ```
/// use inbounds_bundle::UnitEntry;
///
/// let squared = UnitEntry::Squared("age".into());
/// assert_eq!(squared.to_string(), "unit of column age, squared");
/// assert_eq!(UnitEntry::from(squared.to_string()), squared);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitEntry {
    /// No unit: proportions, correlations.
    PureNumber,
    /// Rows.
    Rows,
    /// Privacy units.
    Units,
    /// The unit of a column.
    Column(String),
    /// The square of the unit of a column.
    Squared(String),
    /// A unit in other words, such as the product of those of several columns.
    Other(String),
}

const PURE_NUMBER: &str = "pure number";
const ROWS: &str = "rows";
const UNITS: &str = "units";
const OF_COLUMN: &str = "unit of column ";
const SQUARED: &str = ", squared";

impl UnitEntry {
    /// The product of the units of several columns.
    pub fn product(columns: &[&str]) -> Self {
        match columns {
            [] => Self::PureNumber,
            [one] => Self::Column((*one).to_owned()),
            [one, other] if one == other => Self::Squared((*one).to_owned()),
            more => Self::Other(format!("units of columns {}, multiplied", more.join(" and "))),
        }
    }
}

impl UnitEntry {
    /// The unit of a weighted sum over several columns.
    pub fn combined(columns: &[&str]) -> Self {
        match columns {
            [one] => Self::Column((*one).to_owned()),
            more => Self::Other(format!("units of columns {}, weighted", more.join(" and "))),
        }
    }
}

impl Default for UnitEntry {
    /// Unit of the first bundles, which do not state one.
    fn default() -> Self {
        Self::Other(String::new())
    }
}

impl fmt::Display for UnitEntry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PureNumber => formatter.write_str(PURE_NUMBER),
            Self::Rows => formatter.write_str(ROWS),
            Self::Units => formatter.write_str(UNITS),
            Self::Column(column) => write!(formatter, "{OF_COLUMN}{column}"),
            Self::Squared(column) => write!(formatter, "{OF_COLUMN}{column}{SQUARED}"),
            Self::Other(words) => formatter.write_str(words),
        }
    }
}

impl From<String> for UnitEntry {
    fn from(text: String) -> Self {
        match text.strip_prefix(OF_COLUMN).map(|column| (column, column.strip_suffix(SQUARED))) {
            Some((_, Some(column))) => Self::Squared(column.to_owned()),
            Some((column, None)) => Self::Column(column.to_owned()),
            None if text == PURE_NUMBER => Self::PureNumber,
            None if text == ROWS => Self::Rows,
            None if text == UNITS => Self::Units,
            None => Self::Other(text),
        }
    }
}

by_phrase!(UnitEntry);

/// Unit that the guarantee hides.
///
/// ```
/// use inbounds_bundle::PrivacyUnitEntry;
///
/// let people = PrivacyUnitEntry::Column("person".into());
/// assert_eq!(people.to_string(), "rows that share a `person`");
/// assert_eq!(PrivacyUnitEntry::from(people.to_string()), people);
/// assert_eq!(PrivacyUnitEntry::from("any 3 rows".to_owned()), PrivacyUnitEntry::Rows(3));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrivacyUnitEntry {
    /// One row.
    Row,
    /// All rows that share one value of this column.
    Column(String),
    /// Any rows, at most this many.
    Rows(u64),
    /// One of those that this column counts in each row.
    Counted(String),
    /// A unit in words that this version does not know.
    Other(String),
}

const ANY: (&str, &str) = ("any ", " rows");
const ANY_ROW: &str = "any one row";
const COUNTED: (&str, &str) = ("one of those that `", "` counts");
const ROW: &str = "row";
const SHARE: (&str, &str) = ("rows that share a `", "`");

impl fmt::Display for PrivacyUnitEntry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row => formatter.write_str(ROW),
            Self::Column(column) => write!(formatter, "{}{column}{}", SHARE.0, SHARE.1),
            Self::Rows(1) => formatter.write_str(ANY_ROW),
            Self::Rows(rows) => write!(formatter, "{}{rows}{}", ANY.0, ANY.1),
            Self::Counted(column) => write!(formatter, "{}{column}{}", COUNTED.0, COUNTED.1),
            Self::Other(words) => formatter.write_str(words),
        }
    }
}

impl From<String> for PrivacyUnitEntry {
    fn from(text: String) -> Self {
        let between = |(start, end): (&str, &str)| text.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        match (between(SHARE), between(ANY).and_then(|rows| rows.parse().ok())) {
            (Some(column), _) => Self::Column(column.to_owned()),
            (None, Some(rows)) => Self::Rows(rows),
            (None, None) if text == ROW => Self::Row,
            (None, None) if text == ANY_ROW => Self::Rows(1),
            (None, None) => match between(COUNTED) {
                Some(column) => Self::Counted(column.to_owned()),
                None => Self::Other(text),
            },
        }
    }
}

by_phrase!(PrivacyUnitEntry);

/// Treatment of rows with a missing value.
///
/// ```
/// use inbounds_bundle::MissingRule;
///
/// assert_eq!(MissingRule::CountedAs(0.5).to_string(), "counted as 0.5");
/// assert_eq!(MissingRule::from("dropped".to_owned()), MissingRule::Dropped);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum MissingRule {
    /// They were left out.
    Dropped,
    /// They counted with this value.
    CountedAs(f64),
    /// A rule in words that this version does not know.
    Other(String),
}

const DROPPED: &str = "dropped";
const COUNTED_AS: &str = "counted as ";

impl fmt::Display for MissingRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dropped => formatter.write_str(DROPPED),
            Self::CountedAs(value) => write!(formatter, "{COUNTED_AS}{value}"),
            Self::Other(words) => formatter.write_str(words),
        }
    }
}

impl From<String> for MissingRule {
    fn from(text: String) -> Self {
        match text.strip_prefix(COUNTED_AS).map(str::parse) {
            Some(Ok(value)) => Self::CountedAs(value),
            None if text == DROPPED => Self::Dropped,
            _ => Self::Other(text),
        }
    }
}

by_phrase!(MissingRule);

/// Treatment of a statistic's rows without a number in one of its columns.
///
/// ```
/// use inbounds_bundle::{MissingEntry, MissingRule};
///
/// let entry = |counts_as| MissingEntry { column: "income".to_owned(), rule: counts_as };
/// assert_eq!(entry(MissingRule::Dropped).sentence(), "Rows whose `income` is missing or cannot be read are left out.");
/// assert_eq!(entry(MissingRule::CountedAs(0.0)).sentence(), "A missing or unreadable `income` counts as 0.");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MissingEntry {
    /// The column.
    pub column: String,
    /// Rule of the plan for rows without a number in it.
    pub rule: MissingRule,
}

impl MissingEntry {
    /// Sentence beside the number, on the terminal and on the page.
    pub fn sentence(&self) -> String {
        let Self { column, rule } = self;
        match rule {
            MissingRule::Dropped => format!("Rows whose `{column}` is missing or cannot be read are left out."),
            MissingRule::CountedAs(value) => format!("A missing or unreadable `{column}` counts as {value}."),
            MissingRule::Other(words) => format!("Rows whose `{column}` is missing or cannot be read: {words}."),
        }
    }
}
