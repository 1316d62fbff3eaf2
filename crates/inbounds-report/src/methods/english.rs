//! English.

use super::{Hidden, Speaks, Statement, Typical, numbers::Writing};

pub(super) struct English;

const NUMBERS: Writing = Writing { decimal: ".", group: "," };

impl Speaks for English {
    fn heading(&self) -> &'static str {
        "Methods"
    }

    fn sentence(&self, statement: &Statement) -> String {
        match statement {
            Statement::About { things, period, source } => {
                let things = things.unwrap_or("rows");
                let period = period.map_or_else(String::new, |period| format!(", {period}"));
                let source = source.map_or_else(String::new, |source| format!(" Source: {source}."));
                format!("The numbers are about {things}{period}.{source}")
            }
            Statement::Noise { hidden, epsilon, delta } => {
                let delta = delta.map_or_else(String::new, |delta| format!(", delta = {}", NUMBERS.digits(delta)));
                let epsilon = NUMBERS.digits(epsilon);
                format!(
                    "The numbers are not exact: random noise was added so that the published numbers hardly depend on {}, however much \
                     else somebody knows (differential privacy, epsilon = {epsilon}{delta}).",
                    hidden_words(*hidden)
                )
            }
            Statement::Seeded => {
                "The numbers are a demonstration: noise was added, but from a known seed, so that it protects nobody.".to_owned()
            }
            Statement::Limit { rows: 1, column } => format!("At most one row of each “{column}” was used."),
            Statement::Limit { rows, column } => format!("At most {rows} rows of each “{column}” were used."),
            Statement::Clipped { column, lower, upper, unit } => format!(
                "Values of {column} below {} or above {}{} counted as these limits.",
                NUMBERS.number(*lower),
                NUMBERS.number(*upper),
                spaced(unit)
            ),
            Statement::Dropped { column } => {
                format!("Rows without a value of {column} are left out of the numbers that use it.")
            }
            Statement::CountedAs { column, value, unit } => {
                format!("A missing value of {column} counted as {}{}.", NUMBERS.number(*value), spaced(unit))
            }
            Statement::AddsUp { in_integers: true } => {
                "Totals are exactly the sums of their parts, in whole numbers, because the noisy numbers were adjusted together."
                    .to_owned()
            }
            Statement::AddsUp { in_integers: false } => {
                "Totals are the sums of their parts, because the noisy numbers were adjusted together.".to_owned()
            }
            Statement::KeptInRange => {
                "No published number lies outside what is possible. Small numbers can therefore be too high on average; by \
                 how much is published beside each number."
                    .to_owned()
            }
            Statement::Margin { level } => format!(
                "The plus or minus beside a number is made so that the number without noise lies within it with a probability of {} %. \
                 This holds for each number by itself, not for all of a table at once.",
                NUMBERS.number(100.0 * level)
            ),
            Statement::Scope => {
                "It covers the noise only, and no errors in the data themselves, such as wrong or missing answers.".to_owned()
            }
            Statement::TellNothing { numbers: 1 } => {
                "One number is marked “tells nothing”: it might be nearly anything, and should not be quoted.".to_owned()
            }
            Statement::TellNothing { numbers } => format!(
                "{numbers} numbers are marked “tells nothing”: they might be nearly anything, and should not be quoted."
            ),
            Statement::Contact(contact) => format!("Questions: {contact}."),
            Statement::Made { program, digest } => format!(
                "Made with {program}. The parameters of the noise and every unrounded number are in release.json (SHA-256 {digest}) and the \
                 tables beside it."
            ),
        }
    }

    fn how_sure(&self, level: f64, typical: &[Typical]) -> String {
        let each =
            |one: &Typical| format!("{} within {}{}", one.name, one.plus_minus, one.unit.behind("percentage points"));
        format!(
            "How sure they are: with {} % confidence each, at least half of the numbers are known this well: {}.",
            NUMBERS.number(100.0 * level),
            typical.iter().map(each).collect::<Vec<_>>().join("; ")
        )
    }
}

fn hidden_words(hidden: Hidden) -> String {
    match hidden {
        Hidden::Row => "whether any one row is in the data".to_owned(),
        Hidden::Rows(rows) => format!("whether any {rows} rows are in the data"),
        Hidden::Unit(unit) => format!("whether the rows of any one “{unit}” are in the data"),
        Hidden::Values => "the values of any one row".to_owned(),
        Hidden::ValuesOf(rows) => format!("the values of any {rows} rows"),
    }
}

fn spaced(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}
