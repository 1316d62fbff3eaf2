//! What a reader has to know before using a number.
//!
//! A notice is data: the program finds it, the manifest keeps it, and terminal and page print the same sentence of it.

use serde::{Deserialize, Serialize};

/// A finding about a released number that a reader has to know before using it.
///
/// ```
/// use inbounds_bundle::Notice;
///
/// let notice = Notice::OutsideInterval { estimates: 2 };
/// assert_eq!(notice.sentence(), "2 estimates lie outside their own interval; do not quote them without it.");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum Notice {
    /// Estimates that lie outside their own interval, as making numbers add up can move them there.
    OutsideInterval {
        /// How many.
        estimates: usize,
    },
}

impl Notice {
    /// The notice as a complete sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::OutsideInterval { estimates: 1 } => {
                "1 estimate lies outside its own interval; do not quote it without it.".to_owned()
            }
            Self::OutsideInterval { estimates } => {
                format!("{estimates} estimates lie outside their own interval; do not quote them without it.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Notice;

    #[test]
    fn the_manifest_keeps_a_notice_by_its_id() {
        let notice = Notice::OutsideInterval { estimates: 1 };
        let json = serde_json::to_string(&notice).expect("serialises");
        assert_eq!(json, r#"{"id":"outside-interval","estimates":1}"#);
        assert_eq!(serde_json::from_str::<Notice>(&json).expect("reads"), notice);
    }
}
