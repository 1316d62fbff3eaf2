//! Quality of published numbers, in classes of their relative error.

use inbounds_core::ids;
use serde::{Deserialize, Serialize};

use crate::{Id, figures::figure};

ids! {
    /// Definition of the relative error of a number.
    QualityMeasure {
        /// Half of the width of its interval over its size.
        HalfWidth = "interval",
        /// Its RMSE at the estimate over its size.
        Rmse = "rmse",
    }
}

/// Classes of published numbers by their relative error `e / |x|`, where `x` is the estimate and `e` half of the width
/// of its interval, or its RMSE.
///
/// # Contract
/// A number is in the first class whose `most` is at least its relative error; the last class has none. An estimate of
/// 0 with an error above 0 is in the last class, and an error of 0 is in the first.
///
/// # Example
/// ```
/// use inbounds_bundle::{QualityClass, QualityEntry, QualityMeasure};
/// let class = |name: &str, most| QualityClass { name: name.to_owned(), most };
/// let quality = QualityEntry {
///     of: QualityMeasure::HalfWidth.into(),
///     classes: vec![class("high", Some(0.1)), class("low", Some(0.3)), class("beyond", None)],
///     suppress: Some("low".to_owned()),
/// };
/// assert_eq!(quality.class_of(100.0, (91.0, 109.0), 5.0), "high");
/// assert_eq!(quality.class_of(0.0, (0.0, 7.0), 2.0), "beyond");
/// assert!(quality.hides("beyond") && !quality.hides("high"));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct QualityEntry {
    pub of: Id<QualityMeasure>,
    /// The best first.
    pub classes: Vec<QualityClass>,
    /// The best class that page and workbook do not show; none if they show all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppress: Option<String>,
}

/// A class of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see QualityEntry")]
pub struct QualityClass {
    pub name: String,
    /// The largest relative error; none for what is beyond all others.
    pub most: Option<f64>,
}

impl QualityEntry {
    /// The class of a number with its interval and RMSE.
    pub fn class_of(&self, value: f64, (lower, upper): (f64, f64), rmse: f64) -> &str {
        let error = match self.of.known() {
            Some(QualityMeasure::Rmse) => rmse,
            Some(QualityMeasure::HalfWidth) | None => 0.5 * (upper - lower),
        };
        // Nothing is known where an error is not a number.
        let is_within = |class: &&QualityClass| class.most.is_none_or(|most| error <= most * value.abs());
        self.classes.iter().find(is_within).map_or("", |class| &class.name)
    }

    /// `true` if page and workbook do not show numbers of a class.
    pub fn hides(&self, class: &str) -> bool {
        let place = |name: &str| self.classes.iter().position(|class| class.name == name);
        self.suppress.as_deref().and_then(place).zip(place(class)).is_some_and(|(from, own)| own >= from)
    }

    /// Sentence on the classes and on the numbers that are not shown.
    pub fn sentence(&self) -> String {
        let measure = match self.of.known() {
            Some(QualityMeasure::Rmse) => "the RMSE",
            Some(QualityMeasure::HalfWidth) | None => "half of the width of the interval",
        };
        let class = |class: &QualityClass| match class.most {
            Some(most) => format!("`{}`, at most {} %", class.name, figure(100.0 * most)),
            None => format!("`{}`, more", class.name),
        };
        let classes: Vec<String> = self.classes.iter().map(class).collect();
        let hidden = self.suppress.as_ref().map_or_else(String::new, |class| {
            format!(
                " Page and workbook do not show numbers of class `{class}` or worse; all are in the tables of the bundle."
            )
        });
        format!("Quality is {measure} in percent of the estimate, before any rounding: {}.{hidden}", classes.join("; "))
    }
}
