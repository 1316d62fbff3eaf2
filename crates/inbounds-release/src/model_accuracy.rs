//! Expected accuracy of a naive Bayes model, simulated before epsilon is spent: for the classes that the plan
//! describes, or for assumed ones.

use inbounds_statistics::{
    Scenario,
    bayes::{Bayes, ClassDistribution, ExpectedAccuracy},
};
use serde::Serialize;

/// Shares of new rows that are classified correctly.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ModelAccuracy {
    /// By the released model.
    pub released: f64,
    /// By a model of the same rows without noise.
    pub without_noise: f64,
    /// By always naming the largest class.
    pub guess: f64,
    /// True if the released model has less than a quarter of the gain over a guess that a model without noise has.
    pub useless: bool,
}

/// The accuracy that is expected of a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "classes", rename_all = "kebab-case")]
pub enum ExpectedModelAccuracy {
    /// For the classes that the plan describes.
    Described {
        /// Expected accuracy.
        accuracy: ModelAccuracy,
    },
    /// For assumed classes: normal columns whose deviation in a class is a sixth of the width of their bounds, with
    /// class means that scatter as much.
    #[serde(rename = "supposed")]
    Assumed {
        /// Rows of each class, with what is expected there.
        by_rows: Vec<(f64, ModelAccuracy)>,
    },
}

impl ExpectedModelAccuracy {
    pub(crate) fn for_model(model: &Bayes, described: &[ClassDistribution], scenario: &Scenario) -> Self {
        if !described.is_empty() {
            return Self::Described { accuracy: model.expected_accuracy(described).into() };
        }
        let by_rows = model.expected_accuracy_in_scenario(scenario);
        Self::Assumed { by_rows: by_rows.into_iter().map(|(rows, accuracy)| (rows, accuracy.into())).collect() }
    }

    /// Expected accuracy, as sentences.
    pub fn sentence(&self) -> String {
        match self {
            Self::Described { accuracy } => {
                let useless = if accuracy.useless { " It is useless: use more epsilon or fewer columns." } else { "" };
                format!("For the classes that the plan describes, this model {}.{useless}", accuracy.words())
            }
            Self::Assumed { by_rows } => {
                let useless = |accuracy: &ModelAccuracy| if accuracy.useless { ", and is useless there" } else { "" };
                let case = |(rows, accuracy): &(f64, ModelAccuracy)| {
                    format!("with {rows} rows a class it {}{}", accuracy.words(), useless(accuracy))
                };
                let cases: Vec<String> = by_rows.iter().map(case).collect();
                format!(
                    "What this model will be worth depends on how far its classes are apart, which the plan does not say; describe \
                     them with `classes`. Supposing normal columns whose deviation in a class is a sixth of the width of their \
                     bounds, and class means that scatter as much: {}.",
                    cases.join("; ")
                )
            }
        }
    }
}

impl ModelAccuracy {
    fn words(&self) -> String {
        let percent = |share: f64| (100.0 * share).round();
        format!(
            "classifies about {} % of new rows correctly; without noise it would be {} %, and a guess is right for {} %",
            percent(self.released),
            percent(self.without_noise),
            percent(self.guess)
        )
    }
}

impl From<ExpectedAccuracy> for ModelAccuracy {
    fn from(expected: ExpectedAccuracy) -> Self {
        let ExpectedAccuracy { released, without_noise, guess } = expected;
        Self { released, without_noise, guess, useless: expected.is_useless() }
    }
}
