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
    /// Of the statistic that would lose least.
    pub least: f64,
    /// Of the statistic that would lose most.
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

/// Rounded factor, or range of factors, in words.
fn times(least: f64, most: f64) -> String {
    let [least, most] = [least, most].map(|gain| format!("{gain:.1}"));
    if least == most { format!("{least} times") } else { format!("{least} to {most} times") }
}
