//! `map` of a column: a public file of areas.

use inbounds_input::{
    document::{Field, Item, Mistakes, Reported, Spanned, Table, given, shorten},
    located,
};
use inbounds_report::Areas;
use toml::de::DeValue;

use super::PublicFiles;
use crate::plan::{KeyValue, PublicMap};

/// The key of a column.
pub(super) const KEY: &str = "map";

const HELP: &str = "name a GeoJSON file of areas beside the plan, and the property of an area that is the value, such as map = { file = \"districts.geojson\", \
                    key = \"NAME\" }";

pub(super) fn read(
    table: &Table,
    files: &PublicFiles,
    values: &Field<Vec<Spanned<KeyValue>>>,
    mistakes: &mut Mistakes,
) -> Field<PublicMap> {
    table.optional(KEY, |item| read_one(&item, files, values, mistakes))
}

fn read_one(
    item: &Item,
    files: &PublicFiles,
    values: &Field<Vec<Spanned<KeyValue>>>,
    mistakes: &mut Mistakes,
) -> Result<PublicMap, Reported> {
    let DeValue::Table(entries) = item.value else {
        return Err(item.refuse("a table with `file` and `key`", HELP, mistakes));
    };
    let table = Table::open(item.subject.clone(), item.span.clone(), entries, &["file", "key"], mistakes);
    let file = table.optional("file", |item| item.text(HELP, mistakes));
    let key = table.optional("key", |item| item.text(HELP, mistakes));
    let file = table.required("file", file, HELP, mistakes);
    let key = table.required("key", key, HELP, mistakes);
    let (file, key) = (file?, key?);
    if files.is_data(&located(files.folder, &file.value)) {
        let message =
            format!("{} must be another file than the data: a map is published, and rows are private", item.subject);
        return Err(mistakes.note(&file.span, message, HELP));
    }
    let wrong = |problem: String| format!("{}: {problem}", item.subject);
    let (entry, bytes) = files.read(&file.value).map_err(|problem| mistakes.note(&file.span, wrong(problem), HELP))?;
    let areas = Areas::parse(&bytes, &key.value)
        .map_err(|problem| mistakes.note(&file.span, wrong(format!("{}: {problem}", file.value)), HELP))?;
    if let Some(values) = given(values)
        && !values.iter().any(|value| areas.has(&value.value.to_string()))
    {
        let first = areas.names().next().map(shorten).unwrap_or_default();
        let message = format!("{}: no area of {} is one of the `values` of the column", item.subject, file.value);
        let help = format!("the first area has `{}` = {first:?}; is another property the value?", shorten(&key.value));
        return Err(mistakes.note(&key.span, message, help));
    }
    Ok(PublicMap { file: entry, key: key.value, bytes: bytes.into() })
}
