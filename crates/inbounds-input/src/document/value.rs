//! One value of the TOML tree, read exactly or refused with its place.

use std::{collections::HashSet, hash::Hash, ops::Range};

use inbounds_core::Rational;
use toml::de::{DeInteger, DeValue};

use super::{
    Spanned,
    mistake::{Complaint, Mistakes, Reported},
};
use crate::nearest;

/// A value of the tree with the words that name it in messages.
#[derive(Clone)]
pub struct Item<'a, 'i> {
    /// For example "`epsilon` in `[privacy]`".
    pub subject: String,
    /// The value as the parser gives it.
    pub value: &'a DeValue<'i>,
    /// Its byte range in the text.
    pub span: Range<usize>,
}

impl<'a, 'i> Item<'a, 'i> {
    /// Notes that the value breaks a requirement: "subject must be requirement, got value".
    pub fn refuse(&self, requirement: &str, help: impl Into<String>, mistakes: &mut Mistakes) -> Reported {
        let message = format!("{} must be {requirement}, got {}", self.subject, self.shown(mistakes.text()));
        mistakes.note(&self.span, message, help)
    }

    /// Something at the place of this value.
    pub fn put<T>(&self, value: T) -> Spanned<T> {
        Spanned::new(value, self.span.clone())
    }

    /// A text of at least one character.
    pub fn text(&self, help: &str, mistakes: &mut Mistakes) -> Result<Spanned<String>, Reported> {
        match self.value {
            DeValue::String(text) if text.trim().is_empty() => {
                Err(self.refuse("a string that is not blank", help, mistakes))
            }
            DeValue::String(text) => Ok(self.put(text.to_string())),
            _ => Err(self.refuse("a string", help, mistakes)),
        }
    }

    /// One of a few words.
    pub fn word<T: Copy>(
        &self,
        words: &[(&str, T)],
        help: &str,
        mistakes: &mut Mistakes,
    ) -> Result<Spanned<T>, Reported> {
        let written = self.value.as_str();
        if let Some((_, meaning)) = words.iter().find(|(word, _)| Some(*word) == written) {
            return Ok(self.put(*meaning));
        }
        let known = |wanted: &str| words.iter().any(|(word, _)| *word == wanted);
        let other = written.and_then(other_name).filter(|(word, _)| known(word));
        let near = written.and_then(|text| nearest(text, words.iter().map(|(word, _)| *word)));
        let help = match (other, near) {
            (Some((word, remark)), _) => format!("did you mean \"{word}\"?{remark}"),
            (None, Some(word)) => format!("did you mean \"{word}\"?"),
            (None, None) => help.to_owned(),
        };
        Err(self.refuse(&alternatives(words.iter().map(|(word, _)| *word)), help, mistakes))
    }

    /// A number, exactly as written: no double is made on the way.
    pub fn number(&self, mistakes: &mut Mistakes) -> Result<Spanned<Rational>, Reported> {
        let help = "write a decimal such as 0.25, or a fraction in quotes such as \"1/3\"";
        let exact = match self.value {
            DeValue::Integer(digits) => integer(digits),
            DeValue::Float(digits) if digits.as_str().contains(['n', 'N', 'i', 'I']) => {
                return Err(self.refuse("a finite number", help, mistakes));
            }
            DeValue::Float(digits) => digits.as_str().parse().ok(),
            DeValue::String(text) => text.parse().ok(),
            _ => return Err(self.refuse("a number", help, mistakes)),
        };
        match (exact, self.value) {
            (Some(exact), _) => Ok(self.put(exact)),
            (None, DeValue::String(_)) => {
                Err(self.refuse("a decimal number or a fraction such as \"1/3\"", help, mistakes))
            }
            (None, _) => Err(self.refuse("a number whose decimal exponent is between -400 and 400", help, mistakes)),
        }
    }

    /// A whole number of at least 1.
    pub fn counting_number(&self, help: &str, mistakes: &mut Mistakes) -> Result<Spanned<u64>, Reported> {
        let digits = match self.value {
            DeValue::Integer(digits) => i128::from_str_radix(digits.as_str(), digits.radix()).ok(),
            _ => return Err(self.refuse("a whole number of at least 1", help, mistakes)),
        };
        match digits.map(u64::try_from) {
            Some(Ok(number)) if number >= 1 => Ok(self.put(number)),
            _ => Err(self.refuse("a whole number of at least 1 and below 2^64", help, mistakes)),
        }
    }

    /// A list with at least one entry, every entry read by `read`. All wrong entries are noted.
    pub fn list<T>(
        &self,
        help: &str,
        mistakes: &mut Mistakes,
        read: impl Fn(&Item, &mut Mistakes) -> Result<Spanned<T>, Reported>,
    ) -> Result<Spanned<Vec<Spanned<T>>>, Reported> {
        let DeValue::Array(array) = self.value else {
            return Err(self.refuse("a list", help, mistakes));
        };
        if array.is_empty() {
            return Err(mistakes.note(&self.span, format!("{} must not be empty", self.subject), help));
        }
        let entries: Vec<_> = array
            .iter()
            .map(|entry| {
                let subject = format!("each entry of {}", self.subject);
                read(&Item { subject, value: entry.get_ref(), span: entry.span() }, mistakes)
            })
            .collect();
        Ok(self.put(entries.into_iter().collect::<Result<Vec<_>, _>>()?))
    }

    /// The value as a message shows it: scalars as written, the rest by type.
    fn shown(&self, text: &str) -> String {
        match self.value {
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
            _ => shorten(text.get(self.span.clone()).unwrap_or_default()),
        }
    }
}

/// Every entry of a list that equals an earlier one is noted.
pub fn refuse_repeats<T: Eq + Hash>(
    list: &[Spanned<T>],
    mistakes: &mut Mistakes,
    complaint: impl Fn(&T) -> Complaint,
) -> Result<(), Reported> {
    let mut seen = HashSet::new();
    let mut outcome = Ok(());
    for entry in list {
        if !seen.insert(&entry.value) {
            outcome = Err(mistakes.note_complaint(&entry.span, complaint(&entry.value)));
        }
    }
    outcome
}

/// The word of a plan for what other languages and textbooks call differently, and a remark.
fn other_name(written: &str) -> Option<(&'static str, &'static str)> {
    let lower = written.to_lowercase();
    Some(match lower.as_str() {
        "median" => ("quantile", " The median is the quantile with probabilities = [0.5]"),
        "percentile" | "percentiles" | "quantiles" | "quartile" | "quartiles" => ("quantile", ""),
        "average" | "avg" => ("mean", ""),
        "total" => ("sum", ""),
        "sd" | "std" | "stddev" | "stdev" | "std-dev" => ("standard-deviation", ""),
        "var" => ("variance", ""),
        "cov" | "covar" => ("covariance", ""),
        "corr" | "cor" | "pearson" => ("correlation", ""),
        "frequency" | "frequencies" | "freq" | "tally" | "size" => ("count", ""),
        "share" | "shares" | "percentage" | "percent" | "prop" | "rate" => ("proportion", ""),
        "bins" | "hist" | "distribution" => ("histogram", ""),
        "float" | "double" | "real" | "decimal" | "numeric" | "f64" | "float64" => ("number", ""),
        "int" | "int32" | "int64" | "i64" | "bigint" | "long" | "whole" => ("integer", ""),
        "str" | "string" | "varchar" | "char" | "object" | "category" | "categorical" | "factor" => ("text", ""),
        "bool" | "logical" | "flag" => ("boolean", ""),
        "tsv" | "txt" => ("csv", ""),
        "add/remove" | "unbounded-dp" | "unbounded" => ("add-remove", ""),
        "swap" | "change-one" | "replace" | "bounded-dp" | "bounded" => ("substitute", ""),
        _ => return None,
    })
}

fn integer(digits: &DeInteger) -> Option<Rational> {
    if digits.radix() == 10 {
        return digits.as_str().parse().ok();
    }
    i128::from_str_radix(digits.as_str(), digits.radix()).ok().map(Rational::from)
}

/// "`a`, `b` or `c`" with the words in double quotes, as they stand in a plan.
fn alternatives<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let quoted: Vec<_> = words.map(|word| format!("\"{word}\"")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Text from a document made fit for one line of a message.
pub fn shorten(text: &str) -> String {
    const LONGEST: usize = 60;
    let line = text.replace(char::is_control, " ");
    match line.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}...", &line[..cut]),
        None => line,
    }
}

/// The header of a column's table as it would stand in a plan: the name in quotes where TOML needs them.
pub fn column_header(name: &str) -> String {
    format!("[columns.{}]", key(&shorten(name)))
}

/// A name as a key of TOML: bare where it can be, else in quotes.
pub fn key(name: &str) -> String {
    let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !name.is_empty() && name.bytes().all(bare) { name.to_owned() } else { quoted(name) }
}

/// A basic string of TOML, on one line whatever the text holds.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => quoted += &format!("\\u{:04X}", u32::from(letter)),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
