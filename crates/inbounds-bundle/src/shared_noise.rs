//! Statistics whose numbers are each measured once.

use inbounds_core::ids;
use serde::{Deserialize, Serialize};

use crate::{Exact, Id, names::listed};

ids! {
    /// The noise of numbers that statistics share.
    SharedLaw {
        /// One vector of noise for all numbers of a group of rows, uniform in cubes.
        Cube = "cube",
        /// Gaussian noise of its own for each number.
        Gaussian = "gaussian",
    }
}

/// Statistics that are made of the same numbers, with the noise of these.
///
/// # Example
/// ```
/// use inbounds_bundle::{SharedLaw, SharedNoiseEntry};
/// let entry = r#"{ "statistics": ["cost", "nights"], "law": "cube", "epsilon": "0.5", "numbers": 3, "needed": 4 }"#;
/// let entry: SharedNoiseEntry = serde_json::from_str(entry)?;
/// assert!((entry.gain() - 2.7).abs() < 1e-12);
/// assert!(entry.sentence().starts_with("The 3 numbers of which `cost` and `nights` are made get one vector of noise"));
/// let one = SharedNoiseEntry { numbers: 1, ..entry };
/// assert!(one.sentence().ends_with("need 4 times in all, is measured once, with epsilon = 0.5."));
/// let gaussian = SharedNoiseEntry { law: SharedLaw::Gaussian.into(), numbers: 3, ..one };
/// assert!(gaussian.sentence().contains("are made, and which they need 4 times in all, are measured once each, with Gaussian noise"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct SharedNoiseEntry {
    pub statistics: Vec<String>,
    /// Bundles from before there was a choice have none: cubes.
    #[serde(default = "cube")]
    pub law: Id<SharedLaw>,
    /// Epsilon of all of them together.
    pub epsilon: Exact,
    /// Numbers that are measured.
    pub numbers: u64,
    /// Number of times that the statistics need one of them, in all; none in bundles that do not state it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<u64>,
}

fn cube() -> Id<SharedLaw> {
    SharedLaw::Cube.into()
}

impl SharedNoiseEntry {
    /// `true` for one of these statistics.
    pub fn holds(&self, statistic: &str) -> bool {
        self.statistics.iter().any(|own| own == statistic)
    }

    /// With which others, and how, the first of them is measured.
    pub fn with_others(&self) -> String {
        let others = listed(self.statistics.get(1..).unwrap_or_default());
        match self.law {
            Id::Known(SharedLaw::Cube) => format!("with {others}, as one vector of noise"),
            Id::Known(SharedLaw::Gaussian) | Id::Unknown(_) => format!("with {others}, each number once"),
        }
    }

    /// By what factor variances of one vector are less than with equal parts of epsilon, one a number:
    /// `6 D^2 / ((D + 1)(D + 2))`.
    pub fn gain(&self) -> f64 {
        let numbers = self.numbers as f64;
        6.0 * numbers * numbers / ((numbers + 1.0) * (numbers + 2.0))
    }

    /// States the sharing and its saving.
    pub fn sentence(&self) -> String {
        let (numbers, statistics, epsilon) = (self.numbers, listed(&self.statistics), &self.epsilon);
        let needed =
            self.needed.map_or_else(String::new, |needed| format!(", and which they need {needed} times in all,"));
        let (made, measured, together) = match numbers {
            1 => (format!("The number of which {statistics} are made"), "is measured once", ""),
            _ => (
                format!("The {numbers} numbers of which {statistics} are made"),
                "are measured once each",
                " for all of them together",
            ),
        };
        match &self.law {
            // One vector of one number is that number with noise of its own.
            Id::Known(SharedLaw::Cube) if numbers == 1 => {
                format!("{made}{needed} {measured}, with epsilon = {epsilon}.")
            }
            Id::Known(SharedLaw::Cube) => format!(
                "{made} get one vector of noise, with epsilon = {epsilon}{together} (the K-norm mechanism of a box, Hardt and Talwar \
                 2010): its variance is {:.2} times less than with a part of epsilon for each number.",
                self.gain()
            ),
            Id::Known(SharedLaw::Gaussian) => {
                format!("{made}{needed} {measured}, with Gaussian noise and epsilon = {epsilon}{together}.")
            }
            Id::Unknown(law) => format!(
                "{made}{needed} {measured}, with epsilon = {epsilon}{together} and noise that this version does not know, `{law}`."
            ),
        }
    }
}
