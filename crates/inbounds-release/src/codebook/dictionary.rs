//! Dictionaries in files of SPSS, Stata and SAS, on their own variables.

use std::path::Path;

use inbounds_data::{DictionaryVariable, Kind, dictionary};

use super::{CodebookError, CodedValue, Refusal, Variable, variable::file_name};

/// The variables of a file; none where it has no dictionary.
///
/// `of_rows` is true where the rows are in the same file: then cells that it declares missing are missing when they are
/// read. Of any other file they are codes.
pub(super) fn read(path: &Path, of_rows: bool) -> Result<Option<Vec<Variable>>, CodebookError> {
    let refused = |source| CodebookError::Dictionary { name: file_name(path), source: Box::new(source) };
    let variables_read = dictionary(path).map_err(refused)?;
    Ok(variables_read.map(|variables| variables.into_iter().map(|variable| described(variable, of_rows)).collect()))
}

fn described(read: DictionaryVariable, of_rows: bool) -> Variable {
    let mut variable = Variable::new(read.name).labelled(read.label.as_deref());
    variable.kind = read.kind;
    let value = |value: inbounds_data::DictionaryValue| CodedValue { code: value.code, label: Some(value.label) };
    variable.values = read.values.into_iter().map(value).collect();
    // A label of one number, such as `98 = 98 and more`, is of no list.
    if read.kind.is_none() && variable.values.len() == 1 {
        variable.refused.push(Refusal::CodesBesideNumbers(std::mem::take(&mut variable.values)));
    }
    if variable.values.is_empty() {
        // What is left are numbers that need not be whole.
        variable.kind.get_or_insert(Kind::Number);
    } else {
        variable.refused.push(Refusal::LabelledValues);
    }
    for missing in read.missing {
        match of_rows {
            true => variable.refused.push(Refusal::ReadAsMissing(missing.to_string())),
            false => variable.declare_missing(&missing),
        }
    }
    variable.settled()
}
