//! Public keys of a statistic, and the files that hold them.

use inbounds_bundle::{FileEntry, digest::sha256_of_file};
use inbounds_data::{DataError, Engine, KeyColumn, Keys, Source, read_keys};

use crate::plan::{CountedMargins, Mistake, Plan, Statistic};

/// The keys of a statistic, or what is wrong with them.
pub(crate) type FoundKeys = Result<Option<Keys>, Mistake>;

/// The keys of a statistic, listed in the plan or in a file; `None` without grouping columns.
pub(crate) fn keys(
    plan: &Plan,
    statistic: &Statistic,
    engine: &dyn Engine,
    data: &Source,
) -> Result<Option<Keys>, Mistake> {
    let columns: Vec<String> = statistic.by.iter().map(|column| column.value.clone()).collect();
    let (keys, place) = match (&statistic.keys, plan.listed_keys(statistic)) {
        // Keys are published: of a file with rows not even a mistake in it is shown.
        (Some(file), _) if data.holds(&plan.locate(&file.value)) => {
            let place = format!("`keys` in statistic `{}`", statistic.name.value);
            let message =
                format!("{place} must be another file than the data: keys are published, and rows are private");
            let help =
                "list in a file of its own every key that can occur, from public knowledge and not from the rows";
            return Err(plan.mistake(file.span.clone(), message, Some(help.to_owned())));
        }
        (Some(file), _) => {
            let typed = |name: &String| {
                let kind = engine.columns().iter().find(|column| column.name == *name).map(|column| column.kind)?;
                Some(KeyColumn { name: name.clone(), kind, cells: plan.rules_of_keys(name) })
            };
            let typed: Vec<KeyColumn> = columns.iter().filter_map(typed).collect();
            (read_keys(&plan.locate(&file.value), &typed), file.span.clone())
        }
        (None, Some(listed)) => (Keys::new(columns, listed), statistic.name.span.clone()),
        (None, None) => match plan.listed_margins(statistic) {
            Some(CountedMargins { values, margins }) => {
                (Keys::of_margins(columns, values, margins), statistic.name.span.clone())
            }
            None => return Ok(None),
        },
    };
    let keys = keys.map_err(|error: DataError| plan.mistake(place.clone(), error.to_string(), None))?;
    if let Some(problem) = no_option(plan, statistic, &keys) {
        let help = "add it to `values` of the column, or remove it from the file";
        return Err(plan.mistake(place, problem, Some(help.to_owned())));
    }
    match impossible(plan, statistic, &keys) {
        Some(problem) => {
            let help = "remove it from the file, or mend the rule of the column";
            Err(plan.mistake(place, problem, Some(help.to_owned())))
        }
        None => Ok(Some(keys)),
    }
}

/// What is wrong with a key that is no option of a column of several answers: no row has it.
fn no_option(plan: &Plan, statistic: &Statistic, keys: &Keys) -> Option<String> {
    let set = plan.set_of(statistic)?;
    let place = keys.columns().iter().position(|column| *column == set.column)?;
    let other = keys.values(place).find(|value| !set.options.contains(&value.to_string()))?;
    let (name, column) = (&statistic.name.value, &set.column);
    Some(format!("`keys` in statistic `{name}` lists `{other}`, which is none of the `values` of `{column}`"))
}

/// What is wrong with a key of a file that the rules of the plan give to no row.
fn impossible(plan: &Plan, statistic: &Statistic, keys: &Keys) -> Option<String> {
    statistic.keys.as_ref()?;
    let values = (0..keys.columns().len()).map(|place| keys.values(place).cloned().collect()).collect();
    let possible = plan.possible(statistic, values);
    let cell = possible.impossible(keys.rows())?;
    let written: Vec<String> =
        keys.columns().iter().zip(cell).map(|(name, value)| format!("{name} = {value}")).collect();
    let name = &statistic.name.value;
    Some(format!(
        "`keys` in statistic `{name}` lists a cell that no row can be in by the rules of the plan: {}",
        written.join(", ")
    ))
}

/// The file that holds the keys of a statistic, as the plan names it, with the digest of its bytes: a plan with the same name in
/// it and another file asks for other cells.
pub(crate) fn file(plan: &Plan, statistic: &Statistic) -> Result<Option<FileEntry>, Mistake> {
    let Some(file) = &statistic.keys else { return Ok(None) };
    let path = plan.locate(&file.value);
    match sha256_of_file(&path) {
        Ok(sha256) => Ok(Some(FileEntry { name: file.value.clone(), sha256 })),
        Err(error) => Err(plan.mistake(file.span.clone(), format!("cannot read {}: {error}", path.display()), None)),
    }
}
