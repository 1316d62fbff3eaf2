//! `public`: numbers of cells that everyone knows, and the files that they stand in.

use inbounds_bundle::FileEntry;
use inbounds_input::{
    document::{Item, Mistakes, Reported, Spanned, Table, shorten},
    located,
};
use toml::de::DeValue;

use super::{names, rule::PublicFiles};
use crate::plan::{PublicCells, PublicNumbers};

const HELP: &str = "list what is public, such as public = [{ level = \"state\", margin = [], file = \"apportionment.csv\" }], or remove `public`";
const HELP_FILE: &str =
    "write the path of a public CSV file with the columns that tell the cells apart and a column of numbers";
const HELP_COLUMN: &str = "write the name of the column with the numbers, or leave it out for `count`";
const HELP_NUMBER: &str = "write a number of rows, such as number = 331449281, for what is one cell";

/// The name of the column of numbers, where a plan names none.
const COLUMN: &str = "count";

const KEYS: &[&str] = &["level", "margin", "file", "column", "number"];

pub(super) fn read(
    item: &Item,
    place: &str,
    files: &PublicFiles,
    mistakes: &mut Mistakes,
) -> Result<Spanned<Vec<Spanned<PublicNumbers>>>, Reported> {
    item.list(HELP, mistakes, |item, mistakes| read_one(item, place, files, mistakes))
}

fn read_one(
    item: &Item,
    place: &str,
    files: &PublicFiles,
    mistakes: &mut Mistakes,
) -> Result<Spanned<PublicNumbers>, Reported> {
    let DeValue::Table(entries) = item.value else {
        return Err(item.refuse("a table with `file` or `number`", HELP, mistakes));
    };
    let place = format!("`public` in {place}");
    let table = Table::open(place.clone(), item.span.clone(), entries, KEYS, mistakes);
    let level = table.optional("level", |item| item.text(HELP, mistakes));
    let margin = table.optional("margin", |item| match item.value {
        DeValue::Array(columns) if columns.is_empty() => Ok(item.put(Vec::new())),
        _ => names(&item, HELP, mistakes),
    });
    let file = table.optional("file", |item| item.text(HELP_FILE, mistakes));
    let column = table.optional("column", |item| item.text(HELP_COLUMN, mistakes));
    let number = table.optional("number", |item| item.counting_number(HELP_NUMBER, mistakes));
    let (level, margin, column) = (level?, margin?, column?);
    let cells = match (file?, number?) {
        (Some(file), None) => {
            let column = column.map_or_else(|| COLUMN.to_owned(), |column| column.value);
            read_file(&file, &column, files)
                .map_err(|problem| mistakes.note(&file.span, format!("`file` of {place}: {problem}"), HELP_FILE))?
        }
        (None, Some(number)) => match column {
            Some(column) => {
                let message = format!("{place} must not have `column` beside `number`, which is in no file");
                return Err(mistakes.note(&column.span, message, "remove `column`"));
            }
            None => PublicCells::Number(number.value),
        },
        _ => {
            let message = format!("{place} must have one of `file` and `number`");
            return Err(mistakes.note(&item.span, message, HELP));
        }
    };
    Ok(item.put(PublicNumbers { level, margin, cells }))
}

fn read_file(path: &Spanned<String>, column: &str, files: &PublicFiles) -> Result<PublicCells, String> {
    let Listed { file, mut columns, rows: lines } = read_csv(path, files)?;
    let at = columns.iter().position(|name| name == column).ok_or_else(|| {
        let near = inbounds_input::nearest(column, columns.iter().map(String::as_str));
        let near = near.map(|near| format!("; did you mean column = \"{near}\"?")).unwrap_or_default();
        format!("line 1: the column `{column}` is missing{near}")
    })?;
    columns.remove(at);
    let mut rows = Vec::new();
    for (line, mut key) in lines {
        let number = key.remove(at);
        let number = number.parse::<u64>().map_err(|_| {
            format!("line {line}: `{column}` must be a whole number, 0 or above, got {:?}", shorten(&number))
        })?;
        rows.push((line, key, number));
    }
    Ok(PublicCells::File { file, columns, rows })
}

/// A public CSV file, as text.
pub(super) struct Listed {
    pub(super) file: FileEntry,
    pub(super) columns: Vec<String>,
    /// The line of each row, and its cells.
    pub(super) rows: Vec<(u64, Vec<String>)>,
}

/// Reads a public CSV file, which holds no rows of the data.
pub(super) fn read_csv(path: &Spanned<String>, files: &PublicFiles) -> Result<Listed, String> {
    let place = located(files.folder, &path.value);
    if files.is_data(&place) {
        return Err(
            "the file must be another than the data: what it says is published, and rows are private".to_owned()
        );
    }
    let (file, bytes) = files.read(&path.value)?;
    // A byte order mark, as spreadsheets write it, is none of a name.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text);
    let columns = reader.headers().map_err(|error| error.to_string())?.iter().map(str::to_owned).collect();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        rows.push((line, record.iter().map(str::to_owned).collect()));
    }
    Ok(Listed { file, columns, rows })
}
