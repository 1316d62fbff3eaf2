//! Meaning of a number of a manifest: as data, and in words.

use std::fmt;

use inbounds_core::Quantity;
use serde::{Deserialize, Serialize};

/// Meaning of a number, as a bundle states it: in words, and beside them as data in the field `quantity`.
///
/// A later version may write data that this one does not know, and older ones wrote the words alone; what is left is
/// the words.
#[derive(Debug, Clone, PartialEq)]
pub enum QuantityEntry {
    /// Data that this version knows.
    Known(Quantity),
    /// The words of another version.
    Words(String),
}

impl QuantityEntry {
    /// The quantity as data, if this version knows it.
    pub fn known(&self) -> Option<&Quantity> {
        match self {
            Self::Known(quantity) => Some(quantity),
            Self::Words(_) => None,
        }
    }

    /// The quantity in words, with `called` giving the names of columns where the data are known.
    pub fn in_words(&self, called: impl Fn(&str) -> String) -> String {
        match self {
            Self::Known(quantity) => quantity.in_words(called),
            Self::Words(words) => words.clone(),
        }
    }

    fn read(words: String, quantity: serde_json::Value) -> Self {
        serde_json::from_value(quantity).map_or(Self::Words(words), Self::Known)
    }
}

impl From<Quantity> for QuantityEntry {
    fn from(quantity: Quantity) -> Self {
        Self::Known(quantity)
    }
}

impl fmt::Display for QuantityEntry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.in_words(str::to_owned))
    }
}

/// Writes and reads the words in the field of this name, and the data in `quantity` beside it.
macro_rules! beside_words {
    ($words:ident) => {
        pub(crate) mod $words {
            use serde::{Deserializer, Serializer};

            use super::*;

            #[derive(Serialize, Deserialize)]
            struct Fields<T> {
                $words: String,
                #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
                quantity: Option<T>,
            }

            pub(crate) fn serialize<S: Serializer>(entry: &QuantityEntry, serializer: S) -> Result<S::Ok, S::Error> {
                Fields { $words: entry.to_string(), quantity: entry.known() }.serialize(serializer)
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<QuantityEntry, D::Error> {
                let Fields { $words, quantity } = Fields::deserialize(deserializer)?;
                Ok(QuantityEntry::read($words, quantity.unwrap_or_default()))
            }
        }
    };
}

beside_words!(role);
beside_words!(name);

#[cfg(test)]
mod tests {
    use inbounds_core::Quantity;
    use serde_json::json;

    use super::QuantityEntry;
    use crate::OutputEntry;

    #[test]
    fn words_and_data_stand_side_by_side() {
        let range = json!({ "lower": 0.0, "upper": null });
        let written = json!({
            "name": "variance of age",
            "quantity": { "id": "variance", "column": "age" },
            "unit": "unit of column age, squared",
            "range": range,
        });
        let output: OutputEntry = serde_json::from_value(written.clone()).expect("an output");
        assert_eq!(output.name.known(), Some(&Quantity::Variance { column: "age".into() }));
        assert_eq!(serde_json::to_value(&output).expect("JSON"), written);
        // Of an older version, and of a later one.
        for quantity in [json!(null), json!({ "id": "skewness", "column": "age" })] {
            let other =
                json!({ "name": "skewness of age", "quantity": quantity, "unit": "pure number", "range": range });
            let output: OutputEntry = serde_json::from_value(other).expect("an output");
            assert_eq!(output.name, QuantityEntry::Words("skewness of age".to_owned()));
        }
    }

    #[test]
    fn every_quantity_is_read_back() {
        let name = || "a b".to_owned();
        for quantity in [
            Quantity::Statistic,
            Quantity::Rows,
            Quantity::COUNT,
            Quantity::Count { layer: Some(3), release: Some(2) },
            Quantity::Residual,
            Quantity::Sum,
            Quantity::MEAN,
            Quantity::Mean { column: Some(name()) },
            Quantity::Quantile { probability: 0.1 },
            Quantity::Covariance { row: name(), column: "c".into() },
            Quantity::CentredProducts { row: name(), column: "c".into() },
        ] {
            let json = serde_json::to_string(&quantity).expect("JSON");
            assert_eq!(serde_json::from_str::<Quantity>(&json).expect(&json), quantity);
        }
    }
}
