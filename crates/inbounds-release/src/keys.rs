//! Public keys of a statistic, and the files that hold them.

use inbounds_bundle::{FileEntry, digest::sha256_of_file};
use std::collections::HashSet;

use inbounds_data::{DataError, Engine, KeyColumn, KeyRow, KeyValue, Keys, Kind, Source, read_keys};

use crate::{
    key::Key,
    levels::{Granularity, PublicMargin},
    plan::{CountedMargins, Mistake, Plan, PossibleFile, PublicCells, PublicNumbers, Spanned, Statistic},
};

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
            let places = plan.columns_of_places(statistic);
            let typed: Vec<KeyColumn> = columns[..places].iter().filter_map(typed).collect();
            let listed = read_keys(&plan.locate(&file.value), &typed);
            let listed = listed.and_then(|listed| with_tables(plan, statistic, listed, &columns));
            (listed.and_then(|keys| that_are_possible(statistic, keys)), file.span.clone())
        }
        (None, Some(listed)) => (listed, statistic.name.span.clone()),
        (None, None) => match plan.listed_margins(statistic) {
            Some(CountedMargins { values, margins }) => {
                (Keys::of_margins(columns, values, margins), statistic.name.span.clone())
            }
            None => return Ok(None),
        },
    };
    let keys = keys.map_err(|error: DataError| plan.mistake(place.clone(), error.to_string(), None))?;
    check_possible(plan, statistic, &keys)?;
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

/// Places with all cells of a table at each, where a statistic has tables at every level.
fn with_tables(plan: &Plan, statistic: &Statistic, places: Keys, columns: &[String]) -> Result<Keys, DataError> {
    let table = &columns[places.columns().len()..];
    if table.is_empty() {
        return Ok(places);
    }
    let values: Vec<Vec<KeyValue>> = table.iter().map(|column| plan.listed_values(column)).collect();
    let cells = values.iter().fold(1_usize, |cells, values| cells.saturating_mul(values.len()));
    let most = Plan::MOST_CELLS_AT_PLACES;
    if places.len().saturating_mul(cells) > most {
        let problem = format!(
            "`{}` has {} cells at {} places, and at most {most} can be counted",
            statistic.name.value,
            cells,
            places.len()
        );
        return Err(DataError::Keys { problem });
    }
    places.crossed(table.iter().cloned().zip(values).collect())
}

/// The keys whose values stand in every file of possible combinations.
fn that_are_possible(statistic: &Statistic, keys: Keys) -> Result<Keys, DataError> {
    if statistic.possible.is_empty() {
        return Ok(keys);
    }
    let columns = keys.columns();
    let of_file = |file: &PossibleFile| {
        let places: Vec<usize> =
            file.columns.iter().filter_map(|name| columns.iter().position(|column| column == name)).collect();
        let rows: HashSet<Vec<String>> = file.rows.iter().map(|(_, cells)| cells.clone()).collect();
        (places, rows)
    };
    let files: Vec<(Vec<usize>, HashSet<Vec<String>>)> = statistic.possible.iter().map(of_file).collect();
    let is_possible = |row: KeyRow<'_>| {
        files.iter().all(|(places, rows)| {
            rows.contains(&places.iter().map(|&place| row[place].to_string()).collect::<Vec<String>>())
        })
    };
    keys.filtered(is_possible)
}

/// Refuses a combination with a value that its column does not list.
fn check_possible(plan: &Plan, statistic: &Statistic, keys: &Keys) -> Result<(), Mistake> {
    for PossibleFile { file, columns, rows } in &statistic.possible {
        for (index, name) in columns.iter().enumerate() {
            let mut known: HashSet<String> = plan.listed_values(name).iter().map(ToString::to_string).collect();
            if let Some(column) = keys.columns().iter().position(|column| column == name).filter(|_| known.is_empty()) {
                known = keys.values(column).map(ToString::to_string).collect();
            }
            if let Some((line, cells)) = rows.iter().find(|(_, cells)| !known.contains(&cells[index])) {
                let problem = format!("`{}`, line {line}: `{}` is no value of `{name}`", file.value.name, cells[index]);
                let help = "write it as in `values` of the column, or in the file of places, or remove the line";
                return Err(plan.mistake(file.span.clone(), problem, Some(help.to_owned())));
            }
        }
    }
    Ok(())
}

/// The public numbers of a statistic, with keys as its cells have them.
///
/// # Errors
/// The first cell in a file that is not one of its column, or a column that is missing.
pub(crate) fn public(plan: &Plan, statistic: &Statistic, keys: &Keys) -> Result<Vec<PublicMargin>, Mistake> {
    let by: Vec<&str> = statistic.by.iter().map(|column| column.value.as_str()).collect();
    let one = |numbers: &Spanned<PublicNumbers>| {
        let PublicNumbers { level, margin, cells } = &numbers.value;
        let is_of_margin = |name: &&str| {
            margin.as_ref().is_some_and(|margin| margin.value.iter().any(|column| column.value == **name))
        };
        let margin: Vec<String> = by.iter().copied().filter(is_of_margin).map(str::to_owned).collect();
        let depth = level.as_ref().and_then(|level| by.iter().position(|column| *column == level.value));
        let mut columns: Vec<usize> = (0..depth.map_or(0, |depth| depth + 1)).collect();
        columns.extend(
            by.iter()
                .enumerate()
                .filter(|(_, column)| margin.iter().any(|name| name == *column))
                .map(|(place, _)| place),
        );
        let granularity = match (level, statistic.margins.is_some()) {
            (Some(level), true) => Granularity::Both { level: level.value.clone(), margin },
            (Some(level), false) => Granularity::Level(level.value.clone()),
            (None, _) => Granularity::Margin(margin),
        };
        let mistake = |problem: String| plan.mistake(numbers.span.clone(), problem, None);
        match cells {
            PublicCells::Number(number) => {
                Ok(PublicMargin { granularity, file: "the plan".to_owned(), rows: vec![(Vec::new(), *number)] })
            }
            PublicCells::File { file, columns: header, rows } => {
                let place = |&column: &usize| {
                    let name = by[column];
                    let position = header.iter().position(|own| own == name);
                    position.ok_or_else(|| mistake(format!("`{}` must have a column `{name}`", file.name)))
                };
                let places = columns.iter().map(place).collect::<Result<Vec<usize>, Mistake>>()?;
                let read = |(line, cells, number): &(u64, Vec<String>, u64)| {
                    let value = |(&column, &place): (&usize, &usize)| {
                        let name = by[column].to_owned();
                        let kind = keys.values(column).find_map(KeyValue::kind).unwrap_or(Kind::Text);
                        let typed = KeyColumn { cells: plan.rules_of_keys(&name), name, kind };
                        typed.read(&cells[place]).ok_or_else(|| {
                            mistake(format!(
                                "`{}`, line {line}: `{}` is no value of `{}`",
                                file.name, cells[place], typed.name
                            ))
                        })
                    };
                    Ok((columns.iter().zip(&places).map(value).collect::<Result<Vec<KeyValue>, Mistake>>()?, *number))
                };
                let rows: Vec<(Vec<KeyValue>, u64)> = rows.iter().map(read).collect::<Result<_, Mistake>>()?;
                let mut seen = HashSet::new();
                if let Some((key, _)) = rows.iter().find(|(key, _)| !seen.insert(key)) {
                    let key: Vec<String> = key.iter().map(|value| format!("`{value}`")).collect();
                    return Err(mistake(format!(
                        "`{}` must have one number a cell, and has several of {}",
                        file.name,
                        key.join(", ")
                    )));
                }
                Ok(PublicMargin { granularity, file: format!("`{}`", file.name), rows })
            }
        }
    };
    statistic.public.iter().map(one).collect()
}

/// Message about a key that is no option of a column of several answers: no row has it.
fn no_option(plan: &Plan, statistic: &Statistic, keys: &Keys) -> Option<String> {
    let set = plan.set_of(statistic)?;
    let place = keys.columns().iter().position(|column| *column == set.column)?;
    let other = keys.values(place).find(|value| !set.options.contains(&value.to_string()))?;
    let (name, column) = (&statistic.name.value, &set.column);
    Some(format!("`keys` in statistic `{name}` lists `{other}`, which is none of the `values` of `{column}`"))
}

/// Message about a key of a file that the rules of the plan give to no row.
fn impossible(plan: &Plan, statistic: &Statistic, keys: &Keys) -> Option<String> {
    statistic.keys.as_ref()?;
    let values = (0..keys.columns().len()).map(|place| keys.values(place).cloned().collect()).collect();
    let possible = plan.possible(statistic, values);
    let cell = possible.impossible(keys)?;
    let (name, cell) = (&statistic.name.value, Key::whole(cell).in_words(keys.columns()));
    Some(format!("`keys` in statistic `{name}` lists a cell that no row can be in by the rules of the plan: {cell}"))
}

/// The file that holds the keys of a statistic, as the plan names it, with the digest of its bytes: a plan with the
/// same name in it and another file asks for other cells.
pub(crate) fn file(plan: &Plan, statistic: &Statistic) -> Result<Option<FileEntry>, Mistake> {
    let Some(file) = &statistic.keys else { return Ok(None) };
    let path = plan.locate(&file.value);
    match sha256_of_file(&path) {
        Ok(sha256) => Ok(Some(FileEntry { name: file.value.clone(), sha256 })),
        Err(error) => Err(plan.mistake(file.span.clone(), format!("cannot read {}: {error}", path.display()), None)),
    }
}
