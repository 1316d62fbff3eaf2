//! `possible`: the files of combinations that can occur.

use inbounds_input::document::{Item, Mistakes, Reported, Spanned};
use toml::de::DeValue;

use super::{
    public::{Listed, read_csv},
    rule::PublicFiles,
};
use crate::plan::PossibleFile;

const HELP: &str = "list public CSV files whose columns are some of `by`, with a line for each combination that can occur, such as possible = \
                    [\"age_by_status.csv\"]";

pub(super) fn read(
    item: &Item,
    place: &str,
    files: &PublicFiles,
    mistakes: &mut Mistakes,
) -> Result<Spanned<Vec<PossibleFile>>, Reported> {
    let paths = match item.value {
        DeValue::String(_) => item.put(vec![item.text(HELP, mistakes)?]),
        _ => item.list(HELP, mistakes, |entry, mistakes| entry.text(HELP, mistakes))?,
    };
    let read = |path: &Spanned<String>| {
        let Listed { file, columns, rows } = read_csv(path, files)
            .map_err(|problem| mistakes.note(&path.span, format!("`possible` in {place}: {problem}"), HELP))?;
        Ok(PossibleFile { file: path.clone().map(|_| file), columns, rows })
    };
    let files: Vec<Result<PossibleFile, Reported>> = paths.value.iter().map(read).collect();
    Ok(Spanned::new(files.into_iter().collect::<Result<_, _>>()?, paths.span))
}
