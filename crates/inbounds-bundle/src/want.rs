//! The accuracy that a plan wants, and what it costs.

use serde::{Deserialize, Serialize};

use crate::{Exact, figures::figure};

/// An error that can be wanted to be small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WantedError {
    /// Root mean square error.
    Rmse,
    /// Half the width of the 95 % interval.
    Margin,
}

impl WantedError {
    /// With an article, in a sentence.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Rmse => "an RMSE",
            Self::Margin => "a margin",
        }
    }
}

/// Where the epsilon of a plan with wants comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EpsilonOrigin {
    /// The plan gives it, and wants have their parts of it first.
    Given,
    /// It is the least that wants need.
    Least,
}

/// Accuracy that one statistic wants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct WantEntry {
    pub statistic: String,
    pub error: WantedError,
    /// Its largest value that will do, in the unit of the statistic.
    pub most: Exact,
    /// The level or margin that it is for, in words; none for all.
    #[serde(default)]
    pub of: Option<String>,
    /// Rows of a group that it is for, where it depends on them.
    pub rows: Option<u64>,
    /// The moments of the column that it is for; none for all columns within the bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<MomentsEntry>,
    /// The least epsilon that meets all that the statistic wants.
    pub epsilon: Exact,
    /// The largest error at that epsilon, known before any row was read.
    pub stated: f64,
}

/// Public moments of a statistic's column, from the plan: its mean, its standard deviation or both, in its unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct MomentsEntry {
    pub mean: Option<Exact>,
    pub sd: Option<Exact>,
}

impl MomentsEntry {
    /// After a number of rows; nothing where neither is given.
    fn phrase(&self) -> String {
        let number = |exact: &Exact| figure(exact.to_f64());
        match (&self.mean, &self.sd) {
            (None, None) => String::new(),
            (Some(mean), None) => format!(" with mean {}", number(mean)),
            (None, Some(sd)) => format!(" with standard deviation {}", number(sd)),
            (Some(mean), Some(sd)) => format!(" with mean {} and standard deviation {}", number(mean), number(sd)),
        }
    }
}

impl WantEntry {
    fn phrase(&self) -> String {
        let rows = self.rows.map_or_else(String::new, |rows| format!(" for {} rows", figure(rows as f64)));
        let about = self.about.as_ref().map_or_else(String::new, MomentsEntry::phrase);
        let part = self.of.as_ref().map_or_else(String::new, |part| format!(" of {part}"));
        format!(
            "`{}` {} of at most {}{part}{rows}{about} (it has {}, for epsilon {})",
            self.statistic,
            self.error.phrase(),
            figure(self.most.to_f64()),
            figure(self.stated),
            self.epsilon
        )
    }
}

/// The accuracy that a plan wants, and the epsilon that it needs.
///
/// # Example
/// ```
/// use inbounds_bundle::WantsEntry;
/// let entry: WantsEntry = serde_json::from_str(r#"{ "epsilon": "least", "dearest": "income", "statistics": [
///     { "statistic": "people", "error": "rmse", "most": "5", "rows": null, "epsilon": "0.2829", "stated": 4.98 },
///     { "statistic": "income", "error": "margin", "most": "900", "rows": null, "epsilon": "0.5", "stated": 899.2 }
/// ] }"#)?;
/// assert!(entry.sentence().starts_with("Epsilon is the least, rounded up, that gives the plan the accuracy that it wants: \
///     `people` an RMSE of at most 5 (it has 4.98, for epsilon 0.2829), and `income` a margin of at most 900 "));
/// assert!(entry.sentence().ends_with("The dearest is `income`."));
///
/// let entry: WantsEntry = serde_json::from_str(r#"{ "epsilon": "least", "dearest": "visits", "statistics": [
///     { "statistic": "visits", "error": "rmse", "most": "0.5", "rows": 20190, "about": { "mean": "2.9", "sd": "4.5" },
///       "epsilon": "0.25", "stated": 0.498 }
/// ] }"#)?;
/// assert!(entry.sentence().contains("`visits` an RMSE of at most 0.5 for 20,190 rows with mean 2.9 and standard deviation 4.5 "));
/// assert!(entry.sentence().ends_with("other columns can err more."));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct WantsEntry {
    pub epsilon: EpsilonOrigin,
    /// The statistic whose want needs most.
    pub dearest: String,
    /// In plan order.
    pub statistics: Vec<WantEntry>,
}

/// Wants that are spoken of one by one.
const SPOKEN: usize = 8;

/// Which columns a want with moments is kept for.
const RESTRICTED: &str = "With a mean or standard deviation, which the plan states, the error is the largest of all columns within \
                          the bounds that have it in a group of so many rows; other columns can err more.";

impl WantsEntry {
    /// States the wanted accuracy, its cost, and the most expensive want.
    pub fn sentence(&self) -> String {
        let origin = match self.epsilon {
            EpsilonOrigin::Given => {
                "Statistics have the least part of epsilon that gives the accuracy that the plan wants"
            }
            EpsilonOrigin::Least => "Epsilon is the least, rounded up, that gives the plan the accuracy that it wants",
        };
        let mut phrases: Vec<String> = self.statistics.iter().take(SPOKEN).map(WantEntry::phrase).collect();
        match self.statistics.len() - phrases.len() {
            0 => {}
            1 => phrases.push("one other".to_owned()),
            more => phrases.push(format!("{more} others")),
        }
        let restricted = self.statistics.iter().any(|want| want.about.is_some());
        let kept = if restricted { format!(" {RESTRICTED}") } else { String::new() };
        let all = match phrases.as_slice() {
            [] => String::new(),
            [only] => return format!("{origin}: {only}.{kept}"),
            [most @ .., last] => format!("{}, and {last}", most.join(", ")),
        };
        format!("{origin}: {all}. The dearest is `{}`.{kept}", self.dearest)
    }
}
