//! Numbers that the guarantee rests on, as manifests write them.

use std::{fmt, ops::Deref, str::FromStr};

use inbounds_core::Rational;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A decimal or a fraction, exactly.
///
/// ```
/// use inbounds_bundle::Exact;
///
/// let exact: Exact = serde_json::from_str("\"0.1\"").expect("a decimal");
/// assert_eq!((exact.to_string(), serde_json::to_string(&exact).expect("text")), ("0.1".into(), "\"0.1\"".into()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exact(pub Rational);

impl Deref for Exact {
    type Target = Rational;

    fn deref(&self) -> &Rational {
        &self.0
    }
}

impl From<&Rational> for Exact {
    fn from(number: &Rational) -> Self {
        Self(number.clone())
    }
}

impl fmt::Display for Exact {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Rational::from_str(&text).map(Self).map_err(de::Error::custom)
    }
}
