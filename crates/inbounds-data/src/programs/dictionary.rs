//! The dictionary of a file: labels of its variables, their values, and their codes for missing.

use std::fmt;

use super::cells::number_text;
use crate::Kind;

/// A variable of a file of a statistical program, as its header describes it. No row is read.
///
/// Cells that the file declares missing are read as missing, and none of them is among the values.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DictionaryVariable {
    /// Its name.
    pub name: String,
    /// Its label.
    pub label: Option<String>,
    /// Its kind; none for numbers that need not be whole, since one that is shown without decimals is not whole by that
    /// alone.
    pub kind: Option<Kind>,
    /// Labelled values, in order.
    pub values: Vec<DictionaryValue>,
    /// Cells that the file declares missing.
    pub missing: Vec<DeclaredMissing>,
}

/// A value with a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DictionaryValue {
    /// The value, as its cells are read.
    pub code: String,
    /// Its label.
    pub label: String,
}

/// Cells that are declared missing. As a text a code, or a range such as `97 to 99` or `97 and more`.
#[derive(Debug, Clone, PartialEq)]
pub enum DeclaredMissing {
    /// A number.
    Number(f64),
    /// All numbers between two, these among them; a range without an end has the outermost number there.
    Range(f64, f64),
    /// A text.
    Text(String),
}

impl DeclaredMissing {
    /// Most whole numbers of a range that are listed one by one.
    const LISTED: f64 = 20.0;

    pub(super) fn is_number(&self, number: f64) -> bool {
        match self {
            Self::Number(missing) => number.total_cmp(missing).is_eq(),
            Self::Range(least, largest) => (*least..=*largest).contains(&number),
            Self::Text(_) => false,
        }
    }

    pub(super) fn is_text(&self, text: &str) -> bool {
        matches!(self, Self::Text(missing) if missing == text)
    }

    /// The codes one by one, as cells have them: of a range its whole numbers, where both ends are whole and they are
    /// at most 20. `None` for any other range.
    ///
    /// ```
    /// use inbounds_data::DeclaredMissing;
    ///
    /// assert_eq!(DeclaredMissing::Range(97.0, 99.0).codes().unwrap(), ["97", "98", "99"]);
    /// assert_eq!(DeclaredMissing::Range(97.0, f64::MAX).codes(), None);
    /// ```
    pub fn codes(&self) -> Option<Vec<String>> {
        match self {
            Self::Number(_) | Self::Text(_) => Some(vec![self.to_string()]),
            Self::Range(least, largest) => {
                let is_short = least <= largest && largest - least < Self::LISTED;
                let is_whole = least.fract() == 0.0 && largest.fract() == 0.0;
                let codes =
                    || std::iter::successors(Some(*least), |code| Some(code + 1.0)).take_while(|code| code <= largest);
                (is_short && is_whole).then(|| codes().map(number_text).collect())
            }
        }
    }
}

impl fmt::Display for DeclaredMissing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = number_text;
        match self {
            Self::Number(number) => formatter.write_str(&text(*number)),
            Self::Range(least, largest) if *largest >= f64::MAX => write!(formatter, "{} and more", text(*least)),
            Self::Range(least, largest) if *least <= -f64::MAX.next_down() => {
                write!(formatter, "{} and less", text(*largest))
            }
            Self::Range(least, largest) => write!(formatter, "{} to {}", text(*least), text(*largest)),
            Self::Text(text) => formatter.write_str(text),
        }
    }
}
