//! One change of a plan's text that leaves comments, order and spelling of everything else.
//!
//! The text is the plan: a slider changes a value in it, and all that is shown follows from the text as if a person had
//! typed it. So a change can be undone, saved and read by the command.

use serde::Deserialize;
use thiserror::Error;
use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

/// What a control of the page changes. Numbers are as they are to be written.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "set", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Change {
    /// Epsilon of the whole release.
    Epsilon {
        /// As written: a number, a fraction in words, or `least`.
        value: String,
    },
    /// The shares of all statistics, in the order of the plan.
    Shares {
        /// One a statistic.
        values: Vec<String>,
    },
    /// The mechanism of a statistic.
    Mechanism {
        /// Its place in the plan.
        statistic: usize,
        /// The word for plans.
        name: String,
    },
    /// Accuracy in place of epsilon: the least epsilon, no shares, and of each statistic what is wanted.
    Wants {
        /// One a statistic.
        values: Vec<Wanted>,
    },
    /// An epsilon in place of wants: that which was found, and no wants.
    Grant {
        /// Epsilon of the whole release.
        epsilon: String,
        /// Shares of the statistics.
        shares: Vec<String>,
    },
}

/// What is wanted of a statistic.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// What is to be small.
    pub error: WantedWord,
    /// The largest that will do.
    pub most: String,
    /// Rows of the group that it is for, where error depends on them.
    pub rows: Option<u64>,
}

/// The words for errors in plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WantedWord {
    /// Root mean square error.
    Rmse,
    /// Half the width of the 95 % interval.
    Margin,
}

impl WantedWord {
    fn key(self) -> &'static str {
        match self {
            Self::Rmse => "rmse",
            Self::Margin => "margin",
        }
    }
}

/// Why a text was not changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// The text is no TOML.
    #[error("the plan is not valid TOML: mend it in its text first")]
    NotToml,
    /// There is no table to change.
    #[error("the plan has no {0}: write it in the text of the plan first")]
    Missing(&'static str),
    /// There are as many values as statistics, or the change is for another plan.
    #[error("the plan has {statistics} statistics, and the change is for {values}")]
    Number {
        /// Statistics of the plan.
        statistics: usize,
        /// Values of the change.
        values: usize,
    },
    /// A value is no number.
    #[error("{0:?} must be a number, such as 0.5, or a fraction, such as 1/3")]
    NoNumber(String),
}

impl Change {
    /// The text of a plan with this change.
    ///
    /// # Errors
    /// [`ChangeError`]. Whether the values will do is the plan's to say.
    ///
    /// # Example
    /// ```
    /// use inbounds_explore::Change;
    /// let text = "[privacy]\nepsilon = 2   # of the committee\nunit = \"row\"\n";
    /// let change = Change::Epsilon { value: "0.5".to_owned() };
    /// assert_eq!(change.apply(text)?, "[privacy]\nepsilon = 0.5   # of the committee\nunit = \"row\"\n");
    /// # Ok::<(), inbounds_explore::ChangeError>(())
    /// ```
    pub fn apply(&self, text: &str) -> Result<String, ChangeError> {
        // toml_edit drops a byte order mark and writes line feeds: what a person has is put back.
        let (mark, body) = text.strip_prefix('\u{feff}').map_or(("", text), |body| ("\u{feff}", body));
        let mut document: DocumentMut = body.parse().map_err(|_| ChangeError::NotToml)?;
        match self {
            Self::Epsilon { value } => set_epsilon(&mut document, value)?,
            Self::Shares { values } => each(&mut document, values, |statistic, share| {
                statistic.remove("want");
                set(statistic, "share", number(share)?);
                Ok(())
            })?,
            Self::Mechanism { statistic, name } => {
                let mut statistics = statistics(&mut document)?;
                let (all, place) = (statistics.len(), *statistic);
                let one = statistics.get_mut(place);
                let one = one.ok_or(ChangeError::Number { statistics: all, values: place + 1 })?;
                set(*one, "mechanism", name.as_str().into());
            }
            Self::Wants { values } => {
                set_epsilon(&mut document, "least")?;
                each(&mut document, values, |statistic, wanted| {
                    statistic.remove("share");
                    let mut want = InlineTable::new();
                    want.insert(wanted.error.key(), number(&wanted.most)?);
                    if let Some(rows) = wanted.rows {
                        want.insert("rows", i64::try_from(rows).unwrap_or(i64::MAX).into());
                    }
                    set(statistic, "want", want.into());
                    Ok(())
                })?;
            }
            Self::Grant { epsilon, shares } => {
                set_epsilon(&mut document, epsilon)?;
                each(&mut document, shares, |statistic, share| {
                    statistic.remove("want");
                    set(statistic, "share", number(share)?);
                    Ok(())
                })?;
            }
        }
        let changed = document.to_string();
        let changed = if body.contains("\r\n") { changed.replace("\r\n", "\n").replace('\n', "\r\n") } else { changed };
        Ok(format!("{mark}{changed}"))
    }
}

fn set_epsilon(document: &mut DocumentMut, written: &str) -> Result<(), ChangeError> {
    let privacy = document.get_mut("privacy").and_then(Item::as_table_like_mut);
    let value = if written == "least" { written.into() } else { number(written)? };
    set(privacy.ok_or(ChangeError::Missing("[privacy]"))?, "epsilon", value);
    Ok(())
}

/// Does something to every statistic with its value.
fn each<T>(
    document: &mut DocumentMut,
    values: &[T],
    mut change: impl FnMut(&mut dyn TableLike, &T) -> Result<(), ChangeError>,
) -> Result<(), ChangeError> {
    let statistics = statistics(document)?;
    if statistics.len() != values.len() {
        return Err(ChangeError::Number { statistics: statistics.len(), values: values.len() });
    }
    statistics.into_iter().zip(values).try_for_each(|(statistic, value)| change(statistic, value))
}

/// The tables of statistics, in double brackets or in a list.
fn statistics(document: &mut DocumentMut) -> Result<Vec<&mut dyn TableLike>, ChangeError> {
    match document.get_mut("statistic") {
        Some(Item::ArrayOfTables(tables)) => Ok(tables.iter_mut().map(|table| table as &mut dyn TableLike).collect()),
        Some(Item::Value(Value::Array(list))) => list
            .iter_mut()
            .map(|value| value.as_inline_table_mut().map(|table| table as &mut dyn TableLike))
            .collect::<Option<_>>()
            .ok_or(ChangeError::Missing("[[statistic]]")),
        _ => Err(ChangeError::Missing("[[statistic]]")),
    }
}

/// A number as it is written; a fraction in quotes.
fn number(written: &str) -> Result<Value, ChangeError> {
    let wrong = || ChangeError::NoNumber(written.to_owned());
    if written.parse::<inbounds_core::Rational>().is_err() {
        return Err(wrong());
    }
    if written.contains('/') {
        return Ok(written.into());
    }
    written.parse::<Value>().ok().filter(|value| value.is_integer() || value.is_float()).ok_or_else(wrong)
}

/// A value of a key, with the spaces and the comment of the one before.
fn set(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "# of 2026\n[privacy]\nepsilon = 2 # why\n\n[[statistic]]\nname = \"a\" # first\nshare = 0.5\n\n\
                        [[statistic]]\nname = \"b\"\nshare = 0.5 # half\n";

    #[test]
    fn nothing_else_moves() {
        let shares = Change::Shares { values: vec!["0.25".to_owned(), "3/4".to_owned()] };
        let expected =
            PLAN.replace("share = 0.5\n", "share = 0.25\n").replace("share = 0.5 # half", "share = \"3/4\" # half");
        assert_eq!(shares.apply(PLAN).as_deref(), Ok(expected.as_str()));
        let windows = format!("\u{feff}{}", PLAN.replace('\n', "\r\n"));
        let back = Change::Epsilon { value: "2".to_owned() }.apply(&windows);
        assert_eq!(back.as_deref(), Ok(windows.as_str()));
        let inline = "privacy = { epsilon = 1 }\nstatistic = [{ name = \"a\" }, { name = \"b\" }]\n";
        let changed = shares.apply(inline).expect("it changes");
        assert!(changed.contains("{ name = \"a\" , share = 0.25 }") || changed.contains("share = 0.25"), "{changed}");
    }

    #[test]
    fn wants_take_the_place_of_shares_and_back() {
        let want = |most: &str, rows| Wanted { error: WantedWord::Rmse, most: most.to_owned(), rows };
        let wanting = Change::Wants { values: vec![want("5", None), want("2.5", Some(300))] }.apply(PLAN);
        let wanting = wanting.expect("it changes");
        assert!(wanting.contains("epsilon = \"least\" # why") && wanting.contains("want = { rmse = 5 }"), "{wanting}");
        assert!(wanting.contains("want = { rmse = 2.5, rows = 300 }") && !wanting.contains("share"), "{wanting}");
        let shares = vec!["1/2".to_owned(), "1/2".to_owned()];
        let back = Change::Grant { epsilon: "1.35".to_owned(), shares }.apply(&wanting).expect("it changes");
        assert!(back.contains("epsilon = 1.35 # why") && !back.contains("want"), "{back}");
    }

    #[test]
    fn what_cannot_be_changed_is_said() {
        let epsilon = |value: &str, text: &str| Change::Epsilon { value: value.to_owned() }.apply(text);
        assert_eq!(epsilon("1", "[privacy"), Err(ChangeError::NotToml));
        assert_eq!(epsilon("1", "title = 1"), Err(ChangeError::Missing("[privacy]")));
        assert_eq!(epsilon("1\nx = 2", PLAN), Err(ChangeError::NoNumber("1\nx = 2".to_owned())));
        assert_eq!(epsilon("inf", PLAN), Err(ChangeError::NoNumber("inf".to_owned())));
        let one = Change::Shares { values: vec!["1".to_owned()] }.apply(PLAN);
        assert_eq!(one, Err(ChangeError::Number { statistics: 2, values: 1 }));
        let mechanism = Change::Mechanism { statistic: 7, name: "clamped".to_owned() }.apply(PLAN);
        assert_eq!(mechanism, Err(ChangeError::Number { statistics: 2, values: 8 }));
    }
}
