//! Numbers that the guarantee rests on, as the manifest writes them.

use std::{fmt, str::FromStr};

use inbounds_core::Rational;
use serde::{Deserialize, Deserializer, de};

/// A decimal or a fraction, exactly.
pub(crate) struct Exact(pub(crate) Rational);

impl Exact {
    pub(crate) fn is_positive(&self) -> bool {
        self.0.is_positive()
    }

    pub(crate) fn to_f64_up(&self) -> f64 {
        self.0.to_f64_up()
    }
}

impl fmt::Display for Exact {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Rational::from_str(&text).map(Self).map_err(de::Error::custom)
    }
}
