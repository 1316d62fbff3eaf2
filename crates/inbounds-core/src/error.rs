//! Errors in numbers, found before any data is read.

use thiserror::Error;

/// A broken requirement on a public parameter.
///
/// Every variant holds the name of the parameter, the value found and the requirement in words, so that a caller
/// can point at the place. No variant ever holds a private value: this crate sees none.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CoreError {
    /// A parameter lies outside its admissible set.
    #[error("{name} must be {requirement}, got {value}")]
    Parameter {
        /// Name of the parameter, as the user writes it.
        name: &'static str,
        /// The offending value, as text.
        value: String,
        /// The admissible set in words.
        requirement: &'static str,
    },
    /// A text is not a number this project can read exactly.
    #[error("`{text}` is not a decimal number or a fraction such as 0.5, 1e-6 or 1/3")]
    NotANumber {
        /// The text as found.
        text: String,
    },
    /// A lower bound is not below its upper bound.
    #[error("lower must be less than upper, got lower = {lower} and upper = {upper}")]
    Bounds {
        /// Lower bound found.
        lower: f64,
        /// Upper bound found.
        upper: f64,
    },
}

impl CoreError {
    /// A [`CoreError::Parameter`] whose value is shown with `Display`.
    pub fn parameter(name: &'static str, value: impl ToString, requirement: &'static str) -> Self {
        Self::Parameter { name, value: value.to_string(), requirement }
    }
}
