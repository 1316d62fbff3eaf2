//! Columns that are made of others.

use std::{fmt::Display, ops::Range};

use inbounds_bundle::FileEntry;
use inbounds_data::{Cuts, DatePart, DateSpan, Derivation, Formula, KeyValue, NumberRange, Outcomes};
use inbounds_input::document::Spanned;

use super::Plan;

/// Derivation of a column from others.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Derived {
    /// The rule, in the form of the engine.
    pub rule: Derivation,
    /// The columns that it is made of.
    pub inputs: Vec<Spanned<String>>,
    /// The public file that it is looked up in, if it is.
    pub lookup: Option<FileEntry>,
    /// Where the plan says so.
    pub span: Range<usize>,
}

/// Most codes that a sentence lists.
const MOST_LISTED: usize = 12;

impl Derived {
    /// Description of a column of this name, as a sentence.
    pub fn sentence(&self, name: &str) -> String {
        match &self.rule {
            Derivation::Taken { from, part } => {
                let part = match part {
                    DatePart::Year => "the year".to_owned(),
                    DatePart::Month => "the month".to_owned(),
                    DatePart::Quarter => "the quarter".to_owned(),
                    DatePart::Week => "the week (ISO 8601)".to_owned(),
                    DatePart::Weekday => "the day of the week (1 is Monday)".to_owned(),
                    DatePart::Hour => "the hour".to_owned(),
                    DatePart::YearMonth => "the year and month".to_owned(),
                    DatePart::YearQuarter => "the year and quarter".to_owned(),
                    DatePart::YearWeek => "the year and week (ISO 8601)".to_owned(),
                    DatePart::AgeAt(day) => format!("the age at {day}"),
                };
                format!("`{name}` is {part} of the date `{from}`.")
            }
            Derivation::Elapsed { from, to, unit: DateSpan::Days } => {
                format!("`{name}` is the number of days from `{from}` to `{to}`.")
            }
            Derivation::Elapsed { from, to, unit: DateSpan::Years } => {
                format!("`{name}` is the number of completed years from `{from}` to `{to}`.")
            }
            Derivation::Cut { from, cuts, classes } => {
                format!("`{name}` is the class of `{from}`: {}.", cut(cuts, classes))
            }
            Derivation::Recoded { from, codes, others } => match &self.lookup {
                Some(file) => {
                    let lines = codes.len();
                    format!(
                        "`{name}` is looked up for `{from}` in {} ({lines} values); {}.",
                        file.name,
                        rest(others.as_ref())
                    )
                }
                None => format!("`{name}` is what `{from}` stands for: {}; {}.", listed(codes), rest(others.as_ref())),
            },
            Derivation::LookedUp { from, keys, to } => {
                let file = self.lookup.as_ref().map(|file| format!(" in {}", file.name)).unwrap_or_default();
                let others = match to {
                    Outcomes::Values { others, .. } => rest(others.as_ref()),
                    Outcomes::Numbers { others, .. } => rest(others.as_ref()),
                };
                let (from, lines) = (from.join("` and `"), keys.len());
                format!("`{name}` is looked up for `{from}`{file} ({lines} values); {others}.")
            }
            Derivation::Condition(text) => format!("`{name}` is whether {text}."),
            Derivation::Computed { formula, ranges } => format!("`{name}` is {formula}{}.", clipped(formula, ranges)),
        }
    }
}

fn cut(cuts: &Cuts, classes: &[KeyValue]) -> String {
    let begins: Vec<String> = match cuts {
        Cuts::Numbers(cuts) => cuts.iter().map(f64::to_string).collect(),
        Cuts::Days(cuts) => cuts.iter().map(ToString::to_string).collect(),
    };
    let lowest = begins.first().zip(classes.first()).map(|(first, class)| format!("{class} below {first}"));
    let others = begins.iter().zip(classes.iter().skip(1)).map(|(begin, class)| format!("{class} from {begin}"));
    lowest.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

fn listed(codes: &[(KeyValue, Option<KeyValue>)]) -> String {
    let one = |(code, to): &(KeyValue, Option<KeyValue>)| match to {
        Some(to) => format!("{code} is {to}"),
        None => format!("{code} is missing"),
    };
    let mut all: Vec<String> = codes.iter().take(MOST_LISTED).map(one).collect();
    if let Some(more) = codes.len().checked_sub(MOST_LISTED).filter(|more| *more > 0) {
        all.push(format!("and {more} more"));
    }
    all.join(", ")
}

fn rest(others: Option<&impl Display>) -> String {
    others.map_or_else(|| "every other value is missing".to_owned(), |others| format!("every other value is {others}"))
}

/// The ranges to which the columns of a formula are clipped.
fn clipped(formula: &Formula, ranges: &[NumberRange]) -> String {
    let one =
        |(name, range): (&String, &NumberRange)| format!("`{name}` clipped to {} to {}", range.lower, range.upper);
    let all: Vec<String> = formula.columns().iter().zip(ranges).map(one).collect();
    format!(", with {}", all.join(", "))
}

impl Plan {
    /// The columns that a column is made of, directly or through others, and itself.
    pub(crate) fn origins<'p>(&'p self, column: &'p str) -> Vec<&'p str> {
        let mut origins = vec![column];
        let mut next = 0;
        while let Some(name) = origins.get(next).copied() {
            next += 1;
            let derived = self.row_column(name).and_then(|column| column.derived.as_ref());
            for input in derived.iter().flat_map(|derived| &derived.inputs) {
                if !origins.contains(&input.value.as_str()) {
                    origins.push(&input.value);
                }
            }
        }
        origins
    }
}
