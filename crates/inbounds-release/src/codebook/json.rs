//! Codebooks in JSON: Frictionless Table Schema and data packages, and CSV on the Web.

use std::path::Path;

use inbounds_data::{DateFormat, Kind};
use serde_json::{Map, Value};

use super::{CodebookError, CodebookFormat, CodedValue, Refusal, Variable, table, variable::one_line};

type Object = Map<String, Value>;

pub(super) fn read(name: &str, text: &str, data: &Path) -> Result<(CodebookFormat, Vec<Variable>), CodebookError> {
    let document: Value = serde_json::from_str(text).map_err(|error| CodebookError::damaged(name, error))?;
    let unknown = |reason: &str| CodebookError::UnknownFormat { name: name.to_owned(), reason: reason.to_owned() };
    let Value::Object(document) = document else { return Err(unknown("it is JSON, but no object")) };
    if let Some(Value::Array(resources)) = document.get("resources") {
        let resource = chosen(name, resources, data, &["path", "name"])?;
        if let Some(elsewhere) = resource.get("schema").and_then(Value::as_str) {
            return Err(unknown(&format!("its schema is another file, {elsewhere}: give that one as the codebook")));
        }
        let schema = resource.get("schema").and_then(Value::as_object);
        let schema = schema.ok_or_else(|| unknown("the resource has no `schema` with fields"))?;
        return Ok((CodebookFormat::TableSchema, table_schema(schema)));
    }
    if document.contains_key("fields") {
        return Ok((CodebookFormat::TableSchema, table_schema(&document)));
    }
    let table = match document.get("tables") {
        Some(Value::Array(tables)) => Some(chosen(name, tables, data, &["url"])?),
        _ => document.contains_key("tableSchema").then_some(&document),
    };
    let table =
        table.ok_or_else(|| unknown("it is JSON with none of `resources`, `fields`, `tableSchema` and `tables`"))?;
    Ok((CodebookFormat::CsvOnTheWeb, csv_on_the_web(table)))
}

/// The description of the file with rows, where there are several: the one that is called like it.
fn chosen<'v>(name: &str, all: &'v [Value], data: &Path, keys: &[&str]) -> Result<&'v Object, CodebookError> {
    let objects: Vec<&Object> = all.iter().filter_map(Value::as_object).collect();
    let called = |object: &Object| -> Vec<String> {
        let texts = keys.iter().filter_map(|key| match object.get(*key)? {
            Value::Array(parts) => parts.first()?.as_str(),
            other => other.as_str(),
        });
        texts.map(str::to_owned).collect()
    };
    let (file, stem) = (data.file_name().unwrap_or_default(), data.file_stem().unwrap_or_default());
    let is_it = |object: &&&Object| {
        called(object).iter().any(|text| {
            let path = Path::new(text);
            path.file_name() == Some(file) || path.file_stem() == Some(stem)
        })
    };
    match objects.as_slice() {
        [] => Err(CodebookError::NoVariables { name: name.to_owned() }),
        [only] => Ok(only),
        several => several.iter().find(is_it).copied().ok_or_else(|| CodebookError::WhichTable {
            name: name.to_owned(),
            tables: several
                .iter()
                .filter_map(|object| called(object).into_iter().next())
                .collect::<Vec<_>>()
                .join(", "),
            data: file.to_string_lossy().into_owned(),
        }),
    }
}

/// A text, or a number or truth value as it is written.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn text<'v>(object: &'v Object, key: &str) -> Option<&'v str> {
    object.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// Cells, of a list of texts or of objects with a value.
fn cells(value: Option<&Value>) -> Vec<String> {
    let one = |value: &Value| match value {
        Value::Object(object) => object.get("value").and_then(written),
        other => written(other),
    };
    match value {
        Some(Value::Array(list)) => list.iter().filter_map(one).collect(),
        Some(other) => one(other).into_iter().collect(),
        None => Vec::new(),
    }
}

/// Empty cells are missing anyway.
fn codes(value: Option<&Value>) -> Vec<String> {
    cells(value).into_iter().filter(|cell| !cell.trim().is_empty()).collect()
}

fn table_schema(schema: &Object) -> Vec<Variable> {
    let missing = codes(schema.get("missingValues"));
    let fields = schema.get("fields").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    fields.iter().filter_map(Value::as_object).filter_map(|field| field_of(field, &missing)).collect()
}

fn field_of(field: &Object, missing: &[String]) -> Option<Variable> {
    let mut variable =
        Variable::new(text(field, "name")?).labelled(text(field, "title").or(text(field, "description")));
    variable.unit = text(field, "unit").map(one_line);
    match text(field, "type").unwrap_or("any") {
        "any" => {}
        // A time of day is left out when a date is read.
        "date" | "datetime" => {
            variable.dated(text(field, "format"));
        }
        "boolean" => {
            let words = [cells(field.get("trueValues")), cells(field.get("falseValues"))].concat();
            variable.truth(words);
        }
        word @ ("time" | "yearmonth" | "duration" | "object" | "array" | "geopoint" | "geojson" | "list") => {
            variable.refused.push(Refusal::Type(word.to_owned()));
        }
        word => match table::kind(word) {
            Some(kind) => variable.kind = Some(kind),
            None => variable.refused.push(Refusal::Type(word.to_owned())),
        },
    }
    let none = Object::new();
    let constraints = field.get("constraints").and_then(Value::as_object).unwrap_or(&none);
    let end = |key: &str| constraints.get(key).and_then(written);
    if variable.kind != Some(Kind::Date) {
        (variable.lower, variable.upper) = (end("minimum"), end("maximum"));
    }
    let sign = |key: &str| text(field, key).and_then(|sign| sign.chars().next());
    variable.decimal = sign("decimalChar").filter(|sign| *sign != '.');
    variable.thousands = sign("groupChar");
    variable.values.extend(match field.get("categories") {
        Some(categories) => coded(categories),
        None => cells(constraints.get("enum")).into_iter().map(|code| CodedValue { code, label: None }).collect(),
    });
    let own = field.get("missingValues");
    variable.missing = if own.is_some() { codes(own) } else { missing.to_vec() };
    Some(variable.settled())
}

/// Categories of version 2 of the standard: values, or values with labels.
fn coded(categories: &Value) -> Vec<CodedValue> {
    let one = |value: &Value| match value {
        Value::Object(object) => {
            let label = text(object, "label").map(one_line);
            Some(CodedValue { code: written(object.get("value")?)?, label })
        }
        other => Some(CodedValue { code: written(other)?, label: None }),
    };
    categories.as_array().map(|list| list.iter().filter_map(one).collect()).unwrap_or_default()
}

impl Variable {
    /// Dates, written as a pattern says: one of `strftime`, or of letters as in `dd.MM.yyyy`.
    fn dated(&mut self, format: Option<&str>) {
        self.kind = Some(Kind::Date);
        let Some(format) = format.map(|format| format.trim_start_matches("fmt:")) else { return };
        if ["default", "any", "yyyy-MM-dd", "YYYY-MM-DD", "yyyy-MM-ddTHH:mm:ss"].contains(&format) {
            return;
        }
        let pattern = if format.contains('%') { format.to_owned() } else { letters(format) };
        match DateFormat::new(&pattern) {
            Ok(_) => self.format = Some(pattern),
            Err(_) => {
                self.kind = None;
                self.refused.push(Refusal::DatePattern(format.to_owned()));
            }
        }
    }

    /// Truth values; words that no reader knows are texts.
    fn truth(&mut self, words: Vec<String>) {
        const KNOWN: [&str; 10] = ["true", "false", "yes", "no", "t", "f", "y", "n", "1", "0"];
        let is_known = |word: &String| KNOWN.contains(&word.to_lowercase().as_str());
        if words.iter().all(is_known) {
            self.kind = Some(Kind::Boolean);
        } else {
            self.kind = Some(Kind::Text);
            self.values = words.into_iter().map(|code| CodedValue { code, label: None }).collect();
        }
    }
}

/// A pattern of letters, such as `dd.MM.yyyy HH:mm`, in the signs of `strftime`.
fn letters(pattern: &str) -> String {
    let mut signs = String::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|letter| letter != first).unwrap_or(rest.len());
        signs += match &rest[..end] {
            "yyyy" | "YYYY" => "%Y",
            "MM" => "%m",
            "M" => "%-m",
            "dd" | "DD" => "%d",
            "d" | "D" => "%-d",
            "HH" => "%H",
            "mm" => "%M",
            "ss" => "%S",
            other => other,
        };
        rest = &rest[end..];
    }
    signs
}

fn csv_on_the_web(table: &Object) -> Vec<Variable> {
    let none = Object::new();
    let schema = table.get("tableSchema").and_then(Value::as_object).unwrap_or(&none);
    let inherited = schema.get("null").or_else(|| table.get("null"));
    let columns = schema.get("columns").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    columns.iter().filter_map(Value::as_object).filter_map(|column| column_of(column, inherited)).collect()
}

/// Texts of a property that may be a text, a list of texts, or either by language.
fn natural(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Object(by_language)) => by_language.values().flat_map(|value| cells(Some(value))).collect(),
        other => cells(other),
    }
}

fn column_of(column: &Object, inherited: Option<&Value>) -> Option<Variable> {
    let is_virtual = column.get("virtual").and_then(Value::as_bool) == Some(true);
    // Titles are what stands in the header.
    let mut names = natural(column.get("titles"));
    names.extend(text(column, "name").map(str::to_owned));
    if is_virtual || names.is_empty() {
        return None;
    }
    let label =
        natural(column.get("dc:title").or_else(|| column.get("dc:description")).or_else(|| column.get("rdfs:label")));
    let mut variable = Variable { names, ..Variable::default() }.labelled(label.first().map(String::as_str));
    let none = Object::new();
    let (base, facets) = match column.get("datatype") {
        Some(Value::Object(datatype)) => (text(datatype, "base").unwrap_or("string"), datatype),
        other => (other.and_then(Value::as_str).unwrap_or("string"), &none),
    };
    match kind(base) {
        _ if column.contains_key("separator") => variable.refused.push(Refusal::Type("list".to_owned())),
        Some(Kind::Date) => variable.dated(text(facets, "format")),
        Some(Kind::Boolean) => {
            let words = text(facets, "format").map(|format| format.split('|').map(str::to_owned).collect());
            variable.truth(words.unwrap_or_default());
        }
        Some(kind) => variable.kind = Some(kind),
        None => variable.refused.push(Refusal::Type(base.to_owned())),
    }
    let end = |keys: [&str; 2]| keys.iter().find_map(|key| facets.get(*key).and_then(written));
    if matches!(variable.kind, Some(Kind::Integer | Kind::Number)) {
        (variable.lower, variable.upper) = (end(["minimum", "minInclusive"]), end(["maximum", "maxInclusive"]));
        if base == "nonNegativeInteger" && variable.lower.is_none() {
            variable.lower = Some("0".to_owned());
        }
    }
    let numbers = facets.get("format").and_then(Value::as_object);
    let sign = |key: &str| numbers.and_then(|numbers| text(numbers, key)).and_then(|sign| sign.chars().next());
    variable.decimal = sign("decimalChar").filter(|sign| *sign != '.');
    variable.thousands = sign("groupChar");
    // Of texts a format is a regular expression, and one such as `f|m` lists values.
    if let (Some(Kind::Text), Some(format), "string") = (variable.kind, text(facets, "format"), base) {
        variable.values = alternatives(format);
    }
    variable.missing = codes(column.get("null").or(inherited));
    Some(variable.settled())
}

/// The values of a regular expression that only lists some.
fn alternatives(expression: &str) -> Vec<CodedValue> {
    let expression = expression.trim_start_matches('^').trim_end_matches('$');
    let inner = expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(expression);
    let is_plain = |text: &str| !text.is_empty() && !text.contains(|letter: char| r"\.[]{}()*+?^$".contains(letter));
    let parts: Vec<&str> = inner.split('|').collect();
    if parts.len() < 2 || !parts.iter().all(|part| is_plain(part)) {
        return Vec::new();
    }
    parts.into_iter().map(|part| CodedValue { code: part.to_owned(), label: None }).collect()
}

/// The type of a column by the XML Schema type of its cells.
fn kind(base: &str) -> Option<Kind> {
    match base {
        "integer" | "int" | "long" | "short" | "byte" | "nonNegativeInteger" | "positiveInteger" | "unsignedInt"
        | "unsignedLong" | "unsignedShort" | "unsignedByte" | "nonPositiveInteger" | "negativeInteger" | "gYear" => {
            Some(Kind::Integer)
        }
        "decimal" | "double" | "float" | "number" => Some(Kind::Number),
        "string" | "normalizedString" | "token" | "anyAtomicType" | "any" | "anyURI" | "language" | "Name"
        | "NMTOKEN" => Some(Kind::Text),
        "boolean" => Some(Kind::Boolean),
        "date" | "dateTime" | "datetime" | "dateTimeStamp" => Some(Kind::Date),
        _ => None,
    }
}
