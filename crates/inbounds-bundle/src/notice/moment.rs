//! Estimates against what a plan says is public about a column.

use serde::{Deserialize, Serialize};

use crate::{Exact, figures::figure};

/// A moment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moment {
    /// The mean.
    Mean,
    /// The standard deviation.
    StandardDeviation,
}

impl Moment {
    fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::StandardDeviation => "standard deviation",
        }
    }

    /// Sentence that this many of all estimates are too far from the stated value.
    pub(super) fn contradicted(self, stated: &Exact, estimates: usize, total: usize) -> String {
        let (name, stated) = (self.name(), figure(stated.to_f64()));
        let subject = match (estimates, total) {
            (1, 1) => "The estimate contradicts it".to_owned(),
            (1, _) => format!("1 of {total} estimates contradicts it"),
            _ => format!("{estimates} of {total} estimates contradict it"),
        };
        format!(
            "The plan says in `about` that the {name} is {stated}. {subject}, by more than three times the reach of its \
             interval, so the error that was wanted is not promised there: use the interval and the errors that are stated with it."
        )
    }
}
