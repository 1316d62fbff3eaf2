//! The table of a column in a plan, from a codebook.

use std::fmt::Write;

use inbounds_data::{Column, Kind, RowFormat};
use inbounds_input::document::{key, quoted};

use super::{Codebook, Variable, variable::is_bare_number};

/// The questions about the bounds of a column, a line each.
pub(crate) const BOUNDS_ASKED: [&str; 2] = [
    "lower = ...        # (?) for sums, means and the like: the least number that can be",
    "upper = ...        # (?) the largest",
];
/// The longest label that a plan takes.
const LONGEST: usize = 120;

/// The table of a column of which a codebook says something: what it says is filled in, with the codebook beside it,
/// and what is left is a question.
pub(crate) fn column_table(column: &Column, variable: &Variable, codebook: &Codebook, format: RowFormat) -> String {
    let mut lines = Lines { text: format!("\n[columns.{}]\n", key(&column.name)), source: &codebook.name };
    match (variable.kind, format.has_types() && column.kind != Kind::Other) {
        (Some(kind), _) => lines.taken("type", &quoted(&kind.to_string())),
        (None, true) => {
            let stored = quoted(&column.kind.to_string());
            lines.asked(&format!("type = {stored}"), "the schema says so; would it for any rows?");
        }
        (None, false) => lines.asked("type = \"text\"", "the codebook does not say: text takes every cell as it is"),
    }
    let kind = variable.kind.unwrap_or(Kind::Text);
    if let Some(pattern) = &variable.format {
        lines.taken("format", &quoted(pattern));
    }
    if let Some(label) = &variable.label {
        lines.taken("label", &quoted(&shortened(label)));
    }
    if let Some(unit) = &variable.unit {
        lines.taken("unit", &quoted(&shortened(unit)));
    }
    if let (Some(lower), Some(upper)) = (&variable.lower, &variable.upper) {
        lines.taken("lower", &number(lower));
        lines.taken("upper", &number(upper));
    }
    if !variable.values.is_empty() {
        let is_bare = variable.has_numeric_codes();
        let values =
            variable.values.iter().map(|value| if is_bare { number(&value.code) } else { quoted(&value.code) });
        lines.taken("values", &format!("[{}]", values.collect::<Vec<_>>().join(", ")));
        let labels = variable.values.iter().filter_map(|value| {
            let label = value.label.as_ref()?;
            Some(format!("{} = {}", key(&value.code), quoted(&shortened(label))))
        });
        let labels: Vec<String> = labels.collect();
        if !labels.is_empty() {
            lines.taken("labels", &format!("{{ {} }}", labels.join(", ")));
        }
    }
    if !variable.missing.is_empty() {
        let codes = variable.missing.iter().map(|code| if is_bare_number(code) { code.clone() } else { quoted(code) });
        lines.taken("missing_values", &format!("[{}]", codes.collect::<Vec<_>>().join(", ")));
    }
    match kind {
        Kind::Integer | Kind::Number => {
            if variable.lower.is_none() && variable.values.is_empty() {
                BOUNDS_ASKED.into_iter().for_each(|line| lines.comment(line));
            }
            lines.comment("missing = \"drop\"   # or the number that a missing value counts as; statistics that read numbers need it");
        }
        Kind::Text if variable.values.is_empty() => {
            lines.comment("values = [\"...\"]   # for `by`: every value that can occur");
        }
        Kind::Text | Kind::Boolean | Kind::Date | Kind::Other => {}
    }
    variable.refused.iter().for_each(|refusal| lines.comment(&refusal.sentence()));
    lines.text
}

struct Lines<'a> {
    text: String,
    source: &'a str,
}

impl Lines<'_> {
    /// A key with what the codebook says.
    fn taken(&mut self, key: &str, value: &str) {
        writeln!(self.text, "{key} = {value}   # {}", self.source).expect("a String takes text");
    }

    /// A line that people have to agree to.
    fn asked(&mut self, line: &str, question: &str) {
        writeln!(self.text, "{line}   # (?) {question}").expect("a String takes text");
    }

    fn comment(&mut self, line: &str) {
        writeln!(self.text, "# {line}").expect("a String takes text");
    }
}

/// A number as TOML has it.
fn number(text: &str) -> String {
    if is_bare_number(text) {
        return text.to_owned();
    }
    // Codes such as `01` are the same whole number.
    text.parse::<i64>().map_or_else(
        |_| text.parse::<f64>().map_or_else(|_| quoted(text), |x| format!("{x:?}")),
        |whole| whole.to_string(),
    )
}

/// A label that a plan takes: the longest beginning, marked as one.
fn shortened(label: &str) -> String {
    if label.chars().count() <= LONGEST {
        return label.to_owned();
    }
    let beginning: String = label.chars().take(LONGEST - 1).collect();
    format!("{}…", beginning.trim_end())
}
