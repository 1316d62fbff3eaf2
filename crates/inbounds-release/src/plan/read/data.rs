//! The `[data]` table.

use std::path::Path;

use inbounds_data::{ColumnTypes, ForeignFormat, Longer};

use super::{cells, layout, longer};
use crate::plan::{Data, RowFormat, TextLayout};
use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table, shorten};

const HELP_PATH: &str = "write path = \"file.csv\": a file, folder or glob, relative to the plan's folder";
const HELP_NAME: &str =
    "write the name by which a ledger knows these rows, such as name = \"stays\"; leave it out for none";
const HELP_FORMAT: &str = "write format = \"csv\", \"tsv\", \"json-lines\", \"arrow\", \"parquet\", \"sav\", \"dta\", \"xpt\", \
                           \"xlsx\" or \"ods\"";

const HELP_TYPES: &str = "write types = \"public\" if the schema is that of a database, which no row can change; leave it out otherwise, and \
                          give each column its `type`";

const HELP_FREQUENCY: &str = "name the column that says how many rows each row stands for, such as frequency = \"n\"; leave it out if that is one";

const HELP_EXPECT: &str = "write the least and the largest number of rows: expect_rows = \"15000 to 25000\"";

/// `[data]` as far as it could be read.
pub(in crate::plan) struct DataDraft {
    pub(super) path: Result<Spanned<String>, Reported>,
    pub(in crate::plan) format: Result<RowFormat, Reported>,
    types: Field<Spanned<ColumnTypes>>,
    name: Field<Spanned<String>>,
    expect_rows: Field<Spanned<(u64, u64)>>,
    pub(super) missing_values: Field<Spanned<Vec<Spanned<String>>>>,
    pub(super) frequency: Field<Spanned<String>>,
    pub(super) longer: Field<Spanned<Longer>>,
    layout: layout::LayoutDraft,
}

impl DataDraft {
    pub(in crate::plan) fn finish(self) -> Result<Data, Reported> {
        let missing_values = self.missing_values?.map(|values| values.value).unwrap_or_default();
        let (text, decimal) = self.layout.finish()?;
        let (path, format, expect_rows) = (self.path?, self.format?, self.expect_rows?);
        let name = self.name?.map(|name| name.value);
        let types = self.types?.map(|types| types.value).unwrap_or_default();
        let (frequency, longer) = (self.frequency?, self.longer?);
        Ok(Data { path, name, format, types, text, decimal, expect_rows, missing_values, frequency, longer })
    }

    /// The format, where the plan has to say of which type columns are.
    pub(in crate::plan) fn untyped(&self) -> Option<RowFormat> {
        let types = self.types.as_ref().ok()?.as_ref().map(|types| types.value).unwrap_or_default();
        self.format.ok().filter(|format| !types.are_in(*format))
    }

    pub(super) fn decimal(&self) -> Option<char> {
        self.layout.decimal()
    }

    /// Description of the data that is enough to open them, whatever else is wrong; a wrong format is replaced by that
    /// of the path.
    pub(super) fn openable(self) -> Option<Data> {
        let path = self.path.ok()?;
        let format = self.format.ok().or_else(|| told_by(&path.value))?;
        let (text, decimal) = self.layout.finish().unwrap_or_else(|_| (TextLayout::default(), None));
        let types = self.types.ok().flatten().map(|types| types.value).unwrap_or_default();
        let missing_values = Vec::new();
        Some(Data {
            path,
            name: None,
            format,
            types,
            text,
            decimal,
            expect_rows: None,
            missing_values,
            frequency: None,
            longer: self.longer.ok().flatten(),
        })
    }
}

pub(super) fn read(root: &Table, mistakes: &mut Mistakes) -> Result<DataDraft, Reported> {
    let known: Vec<&str> = ["path", "name", "format", "types"]
        .into_iter()
        .chain(layout::KEYS)
        .chain(["missing_values", "expect_rows", "frequency", "longer"])
        .collect();
    let Some(table) = root.table("data", "[data]", &known, mistakes)? else {
        return Err(mistakes.note(&root.span, "the table [data] is missing", HELP_PATH));
    };
    let path = table.optional("path", |item| item.text(HELP_PATH, mistakes));
    let path = table.required("path", path, HELP_PATH, mistakes);
    let words = RowFormat::ALL.map(|format| (format.word(), format));
    let format = table.optional("format", |item| item.word(&words, HELP_FORMAT, mistakes));
    let format = match format {
        Ok(Some(format)) => Ok(format.value),
        Ok(None) => path.as_ref().map_err(|reported| *reported).and_then(|path| format_of(path, mistakes)),
        Err(reported) => Err(reported),
    };
    let types = table.optional("types", |item| {
        let types = item.word(&[ColumnTypes::Public].map(|types| (types.word(), types)), HELP_TYPES, mistakes)?;
        match format.as_ref().ok().filter(|format| !format.has_types()) {
            None => Ok(types),
            Some(format) => {
                let message = format!("{} must be left out for {format} data, which carry no types", item.subject);
                Err(mistakes.note(&item.span, message, "give each column its `type`"))
            }
        }
    });
    let name = table.optional("name", |item| item.text(HELP_NAME, mistakes));
    let expect_rows = table.optional("expect_rows", |item| read_expected(&item, mistakes));
    let missing_values = cells::missing_values(&table, mistakes);
    let frequency = table.optional("frequency", |item| item.text(HELP_FREQUENCY, mistakes));
    let longer = longer::read(&table, mistakes);
    let layout = layout::read(&table, format.as_ref().ok().copied(), mistakes);
    Ok(DataDraft { path, types, name, format, expect_rows, missing_values, frequency, longer, layout })
}

/// Two whole numbers with ` to ` between them.
fn read_expected(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<(u64, u64)>, Reported> {
    let text = item.text(HELP_EXPECT, mistakes)?;
    let ends = text.value.split_once(" to ").map(|(lower, upper)| (lower.trim().parse(), upper.trim().parse()));
    match ends {
        Some((Ok(lower), Ok(upper))) if lower <= upper => Ok(item.put((lower, upper))),
        Some((Ok(_), Ok(_))) => Err(item.refuse("two numbers, the smaller one first", HELP_EXPECT, mistakes)),
        _ => Err(item.refuse("two whole numbers with \" to \" between them", HELP_EXPECT, mistakes)),
    }
}

fn format_of(path: &Spanned<String>, mistakes: &mut Mistakes) -> Result<RowFormat, Reported> {
    told_by(&path.value).ok_or_else(|| {
        let message = format!("the format of the data cannot be told from the path `{}`", shorten(&path.value));
        match ForeignFormat::from_path(Path::new(&path.value)) {
            Some(foreign) => mistakes.note(&path.span, message, foreign.to_string()),
            None => mistakes.note(&path.span, message, HELP_FORMAT),
        }
    })
}

/// The format told by the extension of the last part of a path.
fn told_by(path: &str) -> Option<RowFormat> {
    path.rsplit(['/', '\\']).next().and_then(|file| RowFormat::from_path(Path::new(file)))
}
