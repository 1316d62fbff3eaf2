//! A table with a row a variable: `variable,type,min,max,values,missing,label,unit`, in any order.

use csv::{ReaderBuilder, StringRecord};
use inbounds_data::Kind;

use super::{CodebookError, CodedValue, Refusal, Variable, variable::one_line};

/// The columns of the table, and what else they are called.
const COLUMNS: [(&str, &[&str]); 8] = [
    ("variable", &["name", "column", "field", "variable name", "variable_name", "varname"]),
    ("type", &["data type", "data_type", "datatype", "kind"]),
    ("min", &["minimum", "lower"]),
    ("max", &["maximum", "upper"]),
    ("values", &["categories", "codes", "levels", "enum"]),
    ("missing", &["missing values", "missing_values", "missing codes", "na"]),
    ("label", &["description", "title", "variable label", "variable_label"]),
    ("unit", &["units"]),
];

/// A table of text with its header, and which of its columns is which.
struct Named {
    places: [Option<usize>; COLUMNS.len()],
}

impl Named {
    fn find(name: &str, header: &StringRecord) -> Result<Self, CodebookError> {
        let heads: Vec<String> = header.iter().map(|head| head.trim().to_lowercase()).collect();
        let places = COLUMNS
            .map(|(column, others)| heads.iter().position(|head| head == column || others.contains(&head.as_str())));
        if places[0].is_none() {
            let reason = format!("its first line is {}", header.iter().collect::<Vec<_>>().join(","));
            return Err(CodebookError::UnknownFormat { name: name.to_owned(), reason });
        }
        Ok(Self { places })
    }

    /// The cell of a column of a row; none where it is empty or there is no such column.
    fn cell<'r>(&self, row: &'r StringRecord, column: &str) -> Option<&'r str> {
        let which = COLUMNS.iter().position(|(known, _)| *known == column)?;
        row.get(self.places[which]?).map(str::trim).filter(|cell| !cell.is_empty())
    }
}

/// The separator of a table, by its first line.
pub(super) fn separator(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    match (first.contains('\t'), first.matches(';').count() > first.matches(',').count()) {
        (true, _) => b'\t',
        (false, true) => b';',
        (false, false) => b',',
    }
}

pub(super) fn read(name: &str, text: &str) -> Result<Vec<Variable>, CodebookError> {
    let mut reader = ReaderBuilder::new().delimiter(separator(text)).flexible(true).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| CodebookError::damaged(name, error))?.clone();
    let named = Named::find(name, &header)?;
    let mut variables = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| CodebookError::damaged(name, error))?;
        if let Some(variable) = named.cell(&row, "variable") {
            if variables.iter().any(|known: &Variable| known.names[0] == variable) {
                let reason =
                    format!("`{variable}` has several lines: write one, with all of its values in the column `values`");
                return Err(CodebookError::damaged(name, reason));
            }
            variables.push(described(&named, &row, variable));
        }
    }
    Ok(variables)
}

fn described(named: &Named, row: &StringRecord, name: &str) -> Variable {
    let cell = |column: &str| named.cell(row, column);
    let mut variable = Variable::new(name).labelled(cell("label"));
    variable.unit = cell("unit").map(one_line);
    if let Some(word) = cell("type") {
        match kind(word) {
            Some(kind) => variable.kind = Some(kind),
            None => variable.refused.push(Refusal::Type(word.to_owned())),
        }
    }
    (variable.lower, variable.upper) = (cell("min").map(str::to_owned), cell("max").map(str::to_owned));
    if let Some(values) = cell("values") {
        match listed(values) {
            Listed::Values(values) => variable.values = values,
            Listed::Range(lower, upper) => {
                variable.lower.get_or_insert(lower);
                variable.upper.get_or_insert(upper);
            }
            Listed::Mixed(part) => {
                variable.refused.push(Refusal::Values(format!("`{part}` is no code; write 1=male|2=female")))
            }
        }
    }
    variable.missing = cell("missing").map(coded).unwrap_or_default().into_iter().map(|value| value.code).collect();
    variable.settled()
}

/// A type by any of its usual names.
pub(super) fn kind(word: &str) -> Option<Kind> {
    match word.to_lowercase().as_str() {
        "integer" | "int" | "whole" | "whole number" | "count" | "year" | "long" | "short" | "byte" => {
            Some(Kind::Integer)
        }
        "number" | "numeric" | "num" | "dbl" | "float" | "double" | "decimal" | "real" | "continuous" => {
            Some(Kind::Number)
        }
        "text" | "string" | "character" | "char" | "chr" | "str" | "varchar" | "ordinal" | "ordered"
        | "categorical" | "category" | "factor" | "nominal" | "any" => Some(Kind::Text),
        "boolean" | "bool" | "logical" | "logi" | "binary" => Some(Kind::Boolean),
        "date" => Some(Kind::Date),
        _ => None,
    }
}

/// Content of a cell of values.
enum Listed {
    Values(Vec<CodedValue>),
    /// Whole numbers from one to another.
    Range(String, String),
    /// Values that are written in no known way, one of them.
    Mixed(String),
}

/// Values, each with a label or none; labels stand behind `=`, or `: ` or ` - ` in all of them.
fn listed(cell: &str) -> Listed {
    let separators = ['|', ';', '\n'].into_iter().find(|separator| cell.contains(*separator));
    let parts: Vec<&str> =
        cell.split(separators.unwrap_or(',')).map(str::trim).filter(|part| !part.is_empty()).collect();
    if let [range] = parts[..] {
        let ends = ["..", " to ", "-"].into_iter().find_map(|sign| range.split_once(sign));
        if let Some((lower, upper)) = ends
            && let (Ok(lower), Ok(upper)) = (lower.trim().parse::<i64>(), upper.trim().parse::<i64>())
        {
            return Listed::Range(lower.to_string(), upper.to_string());
        }
    }
    for mark in ["=", ": ", " - "] {
        let labelled = |part: &&str| part.contains(mark);
        let (with, all) = (parts.iter().filter(|part| labelled(part)).count(), parts.len());
        if with == all {
            let value = |part: &str| {
                let (code, label) = part.split_once(mark).unwrap_or((part, ""));
                let label = Some(one_line(label)).filter(|label| !label.is_empty());
                CodedValue { code: code.trim().to_owned(), label }
            };
            return Listed::Values(parts.into_iter().map(value).filter(|value| !value.code.is_empty()).collect());
        }
        if with > 0 && mark == "=" {
            let odd = parts.iter().find(|part| !labelled(part)).map_or("", |part| part);
            return Listed::Mixed(odd.to_owned());
        }
    }
    // A number with a word behind it is a code with a label in no known way.
    let has_word = |part: &&&str| {
        part.split_once([' ', '-', ':']).is_some_and(|(code, word)| {
            code.parse::<i64>().is_ok() && word.trim_start().starts_with(char::is_alphabetic)
        })
    };
    match parts.iter().find(has_word) {
        Some(odd) => Listed::Mixed((*odd).to_owned()),
        None => {
            Listed::Values(parts.into_iter().map(|part| CodedValue { code: part.to_owned(), label: None }).collect())
        }
    }
}

/// Values with their labels: `1=male|2=female`, with `;` or `|` between them, or `,` where there is neither.
pub(super) fn coded(cell: &str) -> Vec<CodedValue> {
    let separator = ['|', ';'].into_iter().find(|separator| cell.contains(*separator)).unwrap_or(',');
    let value = |part: &str| {
        let (code, label) = part.split_once('=').map_or((part, None), |(code, label)| (code, Some(one_line(label))));
        CodedValue { code: code.trim().to_owned(), label: label.filter(|label| !label.is_empty()) }
    };
    cell.split(separator).map(value).filter(|value| !value.code.is_empty()).collect()
}
