//! Statistics that get one vector of noise.

use serde::{Deserialize, Serialize};

use crate::{Exact, names::listed};

/// Statistics whose numbers get one vector of noise a group, with all of their epsilon.
///
/// # Example
/// ```
/// use inbounds_bundle::SharedNoiseEntry;
/// let entry: SharedNoiseEntry = serde_json::from_str(r#"{ "statistics": ["cost", "nights"], "epsilon": "0.5", "numbers": 3 }"#)?;
/// assert!((entry.gain() - 2.7).abs() < 1e-12);
/// assert!(entry.sentence().starts_with("The 3 numbers of which `cost` and `nights` are made get one vector of noise"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct SharedNoiseEntry {
    pub statistics: Vec<String>,
    /// Epsilon of all of them together.
    pub epsilon: Exact,
    /// Numbers in the vector.
    pub numbers: u64,
}

impl SharedNoiseEntry {
    /// Whether a statistic is one of these.
    pub fn holds(&self, statistic: &str) -> bool {
        self.statistics.iter().any(|own| own == statistic)
    }

    /// All but the first, in a sentence.
    pub fn others(&self) -> String {
        listed(self.statistics.get(1..).unwrap_or_default())
    }

    /// By what factor variances are less than with equal parts of epsilon, one a number: `6 D^2 / ((D + 1)(D + 2))`.
    pub fn gain(&self) -> f64 {
        let numbers = self.numbers as f64;
        6.0 * numbers * numbers / ((numbers + 1.0) * (numbers + 2.0))
    }

    /// What is shared, and what that saves.
    pub fn sentence(&self) -> String {
        format!(
            "The {} numbers of which {} are made get one vector of noise, with epsilon = {} for all of them together (the K-norm \
             mechanism of a box, Hardt and Talwar 2010): its variance is {:.2} times less than with a part of epsilon for each number.",
            self.numbers,
            listed(&self.statistics),
            self.epsilon,
            self.gain()
        )
    }
}
