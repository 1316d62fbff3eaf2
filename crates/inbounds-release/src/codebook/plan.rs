//! The table of a column in a plan, from a codebook.

use std::fmt::Write;

use inbounds_data::{Column, Kind, RowFormat};
use inbounds_input::document::{key, quoted};

use super::{Codebook, Refusal, Variable, variable::is_bare_number};

/// The questions about the bounds of a column, a line each.
pub(crate) const BOUNDS_ASKED: [&str; 2] = [
    "lower = ...        # (?) for sums, means and the like: the least number that can be",
    "upper = ...        # (?) the largest",
];
/// The question about the values of a column that rows are counted by.
pub(crate) const VALUES_ASKED: &str = "every value that can occur: public knowledge, not a look at the rows";
/// The questions about bounds where nothing asks for them yet.
const LOWER: &str = "lower = ...        # for sums, means and the like: the least number that can be";
const UPPER: &str = "upper = ...        # the largest";
/// The longest label that a plan takes.
const LONGEST: usize = 120;

/// The table of a column of which a codebook says something: what it says is filled in, with the codebook beside it,
/// and what is left is a question.
///
/// `is_grouped` is true for a column that rows are counted by, of which all values have to be known.
pub(crate) fn column_table(
    column: &Column,
    (variable, codebook): (&Variable, &Codebook),
    format: RowFormat,
    is_grouped: bool,
) -> String {
    let mut lines = Lines { text: format!("\n[columns.{}]\n", key(&column.name)), source: &codebook.name };
    match (variable.kind, format.has_types() && column.kind != Kind::Other) {
        // Values and bounds say themselves what they are.
        (Some(kind), _) if variable.has_unknown_type() => {
            let (kind, name) = (quoted(&kind.to_string()), &codebook.name);
            lines.comment_behind(&format!("type = {kind}"), &format!("by the values or bounds in {name}"));
        }
        (Some(kind), _) => lines.taken("type", &quoted(&kind.to_string())),
        (None, true) => {
            let stored = quoted(&column.kind.to_string());
            lines.asked(&format!("type = {stored}"), "the schema says so; would it for any rows?");
        }
        (None, false)
            if variable.refused.iter().any(|refusal| matches!(refusal, Refusal::Type(_) | Refusal::DatePattern(_))) =>
        {
            lines.asked("type = \"text\"", "text takes every cell as it is");
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
    match (&variable.lower, &variable.upper) {
        (Some(lower), Some(upper)) => {
            lines.taken("lower", &number(lower));
            lines.taken("upper", &number(upper));
        }
        (Some(lower), None) => {
            lines.comment(&format!("lower = {}   # {}", number(lower), codebook.name));
            lines.comment(UPPER);
        }
        (None, Some(upper)) => {
            lines.comment(LOWER);
            lines.comment(&format!("upper = {}   # {}", number(upper), codebook.name));
        }
        (None, None) => {}
    }
    for (key, sign) in [("decimal", variable.decimal), ("thousands", variable.thousands)] {
        if let Some(sign) = sign {
            lines.taken(key, &quoted(&sign.to_string()));
        }
    }
    // Truth values need no list.
    let is_listed = !variable.values.is_empty() && kind != Kind::Boolean;
    if is_listed {
        let is_bare = variable.has_numeric_codes();
        let values =
            variable.values.iter().map(|value| if is_bare { number(&value.code) } else { quoted(&value.code) });
        lines.taken("values", &format!("[{}]", values.collect::<Vec<_>>().join(", ")));
    }
    if !variable.values.is_empty() {
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
    if is_grouped && !is_listed {
        match kind {
            Kind::Boolean => lines.text += "values = [true, false]\n",
            Kind::Integer => lines.comment(&format!("values = [...]   # (?) {VALUES_ASKED}")),
            Kind::Text => lines.comment(&format!("values = [\"...\"]   # (?) {VALUES_ASKED}")),
            Kind::Number | Kind::Date | Kind::Other => {
                lines.comment("no column to count by: `cut` makes classes of it")
            }
        }
    }
    match kind {
        Kind::Integer | Kind::Number => {
            let integers =
                variable.values.iter().map(|value| value.code.parse::<i64>().ok()).collect::<Option<Vec<i64>>>();
            let ends = integers.as_ref().and_then(|integers| Some((integers.iter().min()?, integers.iter().max()?)));
            match (&variable.lower, &variable.upper, ends) {
                (None, None, Some((least, largest))) => {
                    lines.comment(&format!("lower = {least}   # the least of the values, for means"));
                    lines.comment(&format!("upper = {largest}   # the largest"));
                }
                (None, None, None) => [LOWER, UPPER].into_iter().for_each(|line| lines.comment(line)),
                _ => {}
            }
            lines.comment("missing = \"drop\"   # or the number that a missing value counts as; statistics that read numbers need it");
        }
        Kind::Text if variable.values.is_empty() && !is_grouped && !is_private(variable) => {
            lines.comment("values = [\"...\"]   # for `by`: every value that can occur");
        }
        Kind::Text | Kind::Boolean | Kind::Date | Kind::Other => {}
    }
    variable.refused.iter().for_each(|refusal| lines.comment(&refusal.sentence()));
    lines.text
}

/// `true` for a column that no count is by: free text, and what identifies people.
fn is_private(variable: &Variable) -> bool {
    variable.refused.iter().any(|refusal| matches!(refusal, Refusal::FreeText | Refusal::Identifier))
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

    /// A line with what it follows from.
    fn comment_behind(&mut self, line: &str, comment: &str) {
        writeln!(self.text, "{line}   # {comment}").expect("a String takes text");
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
        |integer| integer.to_string(),
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
