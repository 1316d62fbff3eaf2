//! Words of the schema.

use std::fmt;

use inbounds_core::Named;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A word of the schema as a bundle has it.
///
/// A later version may write words that this one does not know; a bundle with them opens, and its reader has to
/// say what an unknown word means to them.
///
/// ```
/// use inbounds_bundle::Id;
/// use inbounds_core::Named;
/// use inbounds_mechanisms::{bounding::BoundingBias, mechanism::BiasFormula};
///
/// let read = |text: &str| serde_json::from_str::<Id<BiasFormula>>(text).expect("a word");
/// assert_eq!(read("\"folded-bias\""), Id::Known(BiasFormula::Bounding(BoundingBias::Folded)));
/// assert_eq!(read("\"later-bias\""), Id::Unknown("later-bias".into()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Id<T> {
    /// A word that this version knows.
    Known(T),
    /// Any other.
    Unknown(String),
}

impl<T: Named> Id<T> {
    /// The word itself.
    pub fn word(&self) -> &str {
        match self {
            Self::Known(known) => known.name(),
            Self::Unknown(word) => word,
        }
    }

    /// Meaning of the word, if this version knows it.
    pub fn known(&self) -> Option<T> {
        match self {
            Self::Known(known) => Some(*known),
            Self::Unknown(_) => None,
        }
    }

    /// `true` if the word stands for `other`.
    pub fn is(&self, other: T) -> bool
    where
        T: PartialEq,
    {
        self.known() == Some(other)
    }
}

impl<T> From<T> for Id<T> {
    fn from(known: T) -> Self {
        Self::Known(known)
    }
}

impl<T: Named> fmt::Display for Id<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

impl<T: Named> Serialize for Id<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl<'de, T: Named> Deserialize<'de> for Id<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Ok(T::named(&word).map_or(Self::Unknown(word), Self::Known))
    }
}
