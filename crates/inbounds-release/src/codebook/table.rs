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
    fn of(name: &str, header: &StringRecord) -> Result<Self, CodebookError> {
        let heads: Vec<String> = header.iter().map(|head| head.trim().to_lowercase()).collect();
        let places = COLUMNS
            .map(|(column, others)| heads.iter().position(|head| head == column || others.contains(&head.as_str())));
        if places[0].is_none() {
            let what = format!("its first line is {}", header.iter().collect::<Vec<_>>().join(","));
            return Err(CodebookError::UnknownFormat { name: name.to_owned(), what });
        }
        Ok(Self { places })
    }

    /// The cell of a column of a row; none where it is empty or there is no such column.
    fn cell<'r>(&self, row: &'r StringRecord, column: &str) -> Option<&'r str> {
        let which = COLUMNS.iter().position(|(known, _)| *known == column)?;
        row.get(self.places[which]?).map(str::trim).filter(|cell| !cell.is_empty())
    }
}

pub(super) fn read(name: &str, text: &str) -> Result<Vec<Variable>, CodebookError> {
    let separator = if text.lines().next().is_some_and(|line| line.contains('\t')) {
        b'\t'
    } else if text.lines().next().is_some_and(|line| line.contains(';') && !line.contains(',')) {
        b';'
    } else {
        b','
    };
    let mut reader = ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| CodebookError::damaged(name, error))?.clone();
    let named = Named::of(name, &header)?;
    let mut variables = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| CodebookError::damaged(name, error))?;
        if let Some(variable) = named.cell(&row, "variable") {
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
    variable.values = cell("values").map(coded).unwrap_or_default();
    variable.missing = cell("missing").map(coded).unwrap_or_default().into_iter().map(|value| value.code).collect();
    variable.settled()
}

/// A type by any of its usual names.
pub(super) fn kind(word: &str) -> Option<Kind> {
    match word.to_lowercase().as_str() {
        "integer" | "int" | "whole" | "whole number" | "count" | "year" | "long" | "short" | "byte" => {
            Some(Kind::Integer)
        }
        "number" | "numeric" | "float" | "double" | "decimal" | "real" | "continuous" => Some(Kind::Number),
        "text" | "string" | "character" | "char" | "categorical" | "category" | "factor" | "nominal" | "any" => {
            Some(Kind::Text)
        }
        "boolean" | "bool" | "logical" | "binary" => Some(Kind::Boolean),
        "date" => Some(Kind::Date),
        _ => None,
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
