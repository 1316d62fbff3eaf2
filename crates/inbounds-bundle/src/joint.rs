//! Gaussian noise of several statistics, accounted for together.

use inbounds_mechanisms::calibrate::gaussian::GaussianAccount;
use serde::{Deserialize, Serialize};

use crate::{Exact, Id, figures::figure, names::listed};

/// Statistics that were each given less noise because their Gaussian noise is accounted for together.
///
/// # Example
/// ```
/// use inbounds_bundle::JointEntry;
/// let entry = r#"{ "statistics": ["men", "women"], "account": "zero-concentrated", "rho": "0.02", "noise": 0.75 }"#;
/// let entry: JointEntry = serde_json::from_str(entry)?;
/// assert!(entry.sentence().starts_with("The Gaussian noise of `men` and `women` is accounted for together, as rho = 0.02 "));
/// assert!(entry.sentence().contains("at most 0.75 times as wide"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct JointEntry {
    pub statistics: Vec<String>,
    /// By which theorem.
    pub account: Id<GaussianAccount>,
    /// The most that one row loses by them.
    pub rho: Exact,
    /// Largest standard deviation, as a part of that which each would need by itself.
    pub noise: f64,
}

impl JointEntry {
    /// States the saving, and the theorem behind it.
    pub fn sentence(&self) -> String {
        let whose = match self.statistics.as_slice() {
            [] => String::new(),
            [only] => format!(" of the vectors of `{only}`"),
            more => format!(" of {}", listed(more)),
        };
        let rho = figure(self.rho.to_f64_up());
        let how = match &self.account {
            Id::Known(GaussianAccount::ZeroConcentrated) => {
                format!("as rho = {rho} (composition of zero-concentrated privacy, Bun and Steinke 2016)")
            }
            Id::Known(GaussianAccount::Smoothed) => {
                format!("with rho = {rho} in all, by the exact divergence of Gaussian noise (Balle and Wang 2018)")
            }
            Id::Unknown(account) => {
                format!("with rho = {rho} in all, by a theorem that this version does not know, `{account}`")
            }
        };
        let noise = figure(self.noise);
        format!(
            "The Gaussian noise{whose} is accounted for together, {how}: it is at most {noise} times as wide as it would be one by one."
        )
    }
}
