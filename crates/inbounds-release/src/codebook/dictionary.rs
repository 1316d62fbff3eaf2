//! What files of SPSS, Stata and SAS say of their own variables.

use std::path::Path;

use inbounds_data::{DictionaryVariable, Kind, dictionary};

use super::{CodebookError, CodedValue, Refusal, Variable};

/// Most whole numbers of a range of codes that are listed one by one.
const LISTED: i64 = 20;

/// The variables of a file; none where it has no dictionary.
///
/// `of_rows` is true where the rows are in the same file: then cells that it declares missing are missing when they are
/// read. Of any other file they are codes.
pub(super) fn read(path: &Path, of_rows: bool) -> Result<Option<Vec<Variable>>, CodebookError> {
    let name = || path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy()).into_owned();
    let found =
        dictionary(path).map_err(|source| CodebookError::Dictionary { name: name(), source: Box::new(source) })?;
    Ok(found.map(|variables| variables.into_iter().map(|variable| described(variable, of_rows)).collect()))
}

fn described(found: DictionaryVariable, of_rows: bool) -> Variable {
    let mut variable = Variable::new(found.name).labelled(found.label.as_deref());
    variable.kind = found.kind;
    let value = |value: inbounds_data::DictionaryValue| CodedValue { code: value.code, label: Some(value.label) };
    variable.values = found.values.into_iter().map(value).collect();
    // A label of one number, such as `98 = 98 and more`, is of no list.
    if found.kind.is_none() && variable.values.len() == 1 {
        variable.refused.push(Refusal::CodesBesideNumbers(std::mem::take(&mut variable.values)));
    }
    if !variable.values.is_empty() {
        variable.refused.push(Refusal::LabelledValues);
    }
    if variable.values.is_empty() {
        // What is left are numbers that need not be whole.
        variable.kind.get_or_insert(Kind::Number);
    }
    for missing in found.missing {
        match codes(&missing) {
            _ if of_rows => variable.refused.push(Refusal::ReadAsMissing(missing)),
            Some(codes) => variable.missing.extend(codes),
            None => variable.refused.push(Refusal::MissingRange(missing)),
        }
    }
    variable.settled()
}

/// A code, or the whole numbers of a range of few.
pub(super) fn codes(missing: &str) -> Option<Vec<String>> {
    let Some((least, largest)) = missing.split_once(" to ") else {
        let is_open = missing.ends_with(" and more") || missing.ends_with(" and less");
        return (!is_open).then(|| vec![missing.to_owned()]);
    };
    let (least, largest) = (least.parse::<i64>().ok()?, largest.parse::<i64>().ok()?);
    (least..=largest).contains(&least).then_some(())?;
    (largest - least < LISTED).then(|| (least..=largest).map(|code| code.to_string()).collect())
}
