//! Gains of a plan from another choice, told before the release.

use serde::{Deserialize, Serialize};

use crate::names::listed;

/// Statistics that would err less if numbers that they need were measured once for all of them.
///
/// # Example
/// ```
/// use inbounds_bundle::SharingGain;
/// let gain = SharingGain { statistics: vec!["cost".into(), "nights".into()], least: 1.5, most: 2.04 };
/// assert_eq!(
///     gain.sentence(),
///     "If `cost` and `nights` shared measurements, their errors would be 1.5 to 2.0 times less: remove together = \"none\" from [privacy]."
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SharingGain {
    /// Their names.
    pub statistics: Vec<String>,
    /// Factor by which the error of the statistic that gains least would fall.
    pub least: f64,
    /// Factor by which the error of the statistic that gains most would fall.
    pub most: f64,
}

impl SharingGain {
    /// States the gain, and the change of the plan that brings it.
    pub fn sentence(&self) -> String {
        format!(
            "If {} shared measurements, their errors would be {} less: remove together = \"none\" from [privacy].",
            listed(&self.statistics),
            times(self.least, self.most)
        )
    }
}

/// Statistics that would err less with another mechanism.
///
/// # Example
/// ```
/// use inbounds_bundle::MechanismGain;
/// let gain = MechanismGain { statistics: vec!["cost".into()], mechanism: "clamped".into(), least: 1.52, most: 1.52 };
/// assert_eq!(gain.sentence(), "With mechanism = \"clamped\" for `cost`, errors would be 1.5 times less.");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MechanismGain {
    /// Their names.
    pub statistics: Vec<String>,
    /// The mechanism, as plans name it.
    pub mechanism: String,
    /// Factor by which the error of the statistic that gains least would fall.
    pub least: f64,
    /// Factor by which the error of the statistic that gains most would fall.
    pub most: f64,
}

impl MechanismGain {
    /// States the gain, and the change of the plan that brings it.
    pub fn sentence(&self) -> String {
        let Self { statistics, mechanism, least, most } = self;
        format!(
            "With mechanism = \"{mechanism}\" for {}, errors would be {} less.",
            listed(statistics),
            times(*least, *most)
        )
    }
}

/// The mechanism of statistics that left the choice to the program.
///
/// # Example
/// ```
/// use inbounds_bundle::{ChosenMechanism, OtherMechanism};
/// let other = OtherMechanism { mechanism: "clamped".into(), least: 1.21, most: 1.52 };
/// let chosen = ChosenMechanism { statistics: vec!["cost".into()], mechanism: "clamped-gaussian".into(), other: Some(other) };
/// assert_eq!(
///     chosen.sentence(),
///     "For `cost`, mechanism = \"best\" is \"clamped-gaussian\": with \"clamped\", errors would be 1.2 to 1.5 times as large."
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct ChosenMechanism {
    pub statistics: Vec<String>,
    /// As plans name it.
    pub mechanism: String,
    pub other: Option<OtherMechanism>,
}

/// Price of the other mechanism, as the ratio of its errors to those of the chosen one; for a statistic that wants an
/// accuracy, as the ratio of epsilons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct OtherMechanism {
    pub mechanism: String,
    /// Of the statistic that would lose least, at most [`LARGEST_FACTOR`].
    pub least: f64,
    /// Of the statistic that would lose most, at most [`LARGEST_FACTOR`].
    pub most: f64,
}

impl ChosenMechanism {
    /// States the chosen mechanism, and the price of the other.
    pub fn sentence(&self) -> String {
        let Self { statistics, mechanism, other } = self;
        let chosen = format!("For {}, mechanism = \"best\" is \"{mechanism}\"", listed(statistics));
        match other {
            None => format!("{chosen}, the only one that can be chosen there."),
            Some(OtherMechanism { mechanism, least, most }) => {
                format!("{chosen}: with \"{mechanism}\", errors would be {} as large.", times(*least, *most))
            }
        }
    }
}

/// Largest factor that is told: an error may be zero beside one that is not.
pub const LARGEST_FACTOR: f64 = 1e6;

/// Rounded factor, or range of factors, in words.
fn times(least: f64, most: f64) -> String {
    let in_words = |factor: f64| {
        if factor < LARGEST_FACTOR { format!("{factor:.1} times") } else { "a million times or more".to_owned() }
    };
    let [low, high] = [least, most].map(in_words);
    match low.strip_suffix(" times") {
        _ if low == high => high,
        Some(number) => format!("{number} to {high}"),
        None => high,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_of_an_error_that_is_zero_is_told_in_words() {
        assert_eq!(times(1.24, 1.21), "1.2 times");
        assert_eq!(times(1.2, 3.0), "1.2 to 3.0 times");
        assert_eq!(times(2.0, LARGEST_FACTOR), "2.0 to a million times or more");
        assert_eq!(times(LARGEST_FACTOR, LARGEST_FACTOR), "a million times or more");
    }
}
