//! `[data.longer]`: columns of the files that are gathered in one.

use inbounds_data::Longer;
use inbounds_input::document::{Complaint, Field, Item, Mistakes, Reported, Spanned, Table, refuse_repeats, shorten};
use toml::de::DeValue;

/// Keys of the table.
const KEYS: [&str; 3] = ["columns", "names_to", "values_to"];

/// Most columns that are gathered.
const MOST: u64 = 1_000;

const HELP_COLUMNS: &str = "list the columns that hold one quantity, such as columns = [\"2019\", \"2020\"], or \
                            columns = \"2019 to 2024\" for those that are called by the whole numbers between";
const HELP_NAMES: &str = "write a name for the column of their names, such as names_to = \"year\"";
const HELP_VALUES: &str = "write a name for the column of their cells, such as values_to = \"income\"";

/// Reads the table, if [data] has it.
pub(super) fn read(data: &Table, mistakes: &mut Mistakes) -> Field<Spanned<Longer>> {
    let Some(table) = data.table("longer", "[data.longer]", &KEYS, mistakes)? else { return Ok(None) };
    let columns = table.optional("columns", |item| columns(&item, mistakes));
    let columns = table.required("columns", columns, HELP_COLUMNS, mistakes);
    let names_to = table.optional("names_to", |item| item.text(HELP_NAMES, mistakes));
    let names_to = table.required("names_to", names_to, HELP_NAMES, mistakes);
    let values_to = table.optional("values_to", |item| item.text(HELP_VALUES, mistakes));
    let values_to = table.required("values_to", values_to, HELP_VALUES, mistakes);
    let (columns, names_to, values_to) = (columns?, names_to?, values_to?);
    for made in [&names_to, &values_to] {
        if columns.contains(&made.value) {
            let message = format!("[data.longer] must not make a column `{}` of itself", shorten(&made.value));
            return Err(mistakes.note(&made.span, message, "give it another name"));
        }
    }
    if names_to.value == values_to.value {
        let message = "`names_to` and `values_to` of [data.longer] must be two columns";
        return Err(mistakes.note(&values_to.span, message, HELP_VALUES));
    }
    let longer = Longer { columns, names_to: names_to.value, values_to: values_to.value };
    Ok(Some(Spanned::new(longer, table.span)))
}

fn columns(item: &Item, mistakes: &mut Mistakes) -> Result<Vec<String>, Reported> {
    if let DeValue::String(range) = item.value {
        let ends =
            range.split_once(" to ").map(|(first, last)| (first.trim().parse::<u64>(), last.trim().parse::<u64>()));
        let Some((Ok(first), Ok(last))) = ends else {
            return Err(item.refuse("a list, or two whole numbers with \" to \" between them", HELP_COLUMNS, mistakes));
        };
        return match last.checked_sub(first) {
            None => Err(item.refuse("two numbers, the smaller one first", HELP_COLUMNS, mistakes)),
            Some(more) if more >= MOST => {
                Err(item.refuse(&format!("of at most {MOST} columns"), HELP_COLUMNS, mistakes))
            }
            Some(_) => Ok((first..=last).map(|number| number.to_string()).collect()),
        };
    }
    let listed = item.list(HELP_COLUMNS, mistakes, |entry, mistakes| entry.text(HELP_COLUMNS, mistakes))?;
    if listed.value.len() as u64 > MOST {
        return Err(item.refuse(&format!("a list of at most {MOST} columns"), HELP_COLUMNS, mistakes));
    }
    refuse_repeats(&listed.value, mistakes, |column| {
        let message =
            format!("{} must list each column once, and `{}` stands there twice", item.subject, shorten(column));
        Complaint::new(message, "leave it out once")
    })?;
    Ok(listed.value.into_iter().map(|column| column.value).collect())
}
