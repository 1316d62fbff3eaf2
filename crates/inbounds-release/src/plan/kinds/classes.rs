//! `classes` of a naive Bayes model: what its rows are expected to look like.

use inbounds_data::KeyValue;
use inbounds_input::document::{Item, Mistakes, Reported, Spanned, Table};
use toml::de::DeValue;

use super::{
    described_class::DescribedClass,
    reader::{NamedNumbers, numbers_by_name},
};
use crate::plan::read::key_value;

pub(super) const HELP: &str = "describe every class, such as \
    classes = [{ class = \"a\", rows = 500, means = { height = 170 }, deviations = { height = 8 } }, ...], or remove `classes`";
const HELP_CLASS: &str =
    "write the value of the `by` column, such as class = \"a\", or a list with one value a `by` column";
const HELP_ROWS: &str = "write about how many rows the class has, such as rows = 500";
const HELP_MEANS: &str = "write one number a column, such as { height = 170, weight = 65 }";
const KEYS: [&str; 4] = ["class", "rows", "means", "deviations"];

pub(super) fn read(item: &Item, mistakes: &mut Mistakes) -> Result<Vec<DescribedClass>, Reported> {
    let classes = item.list(HELP, mistakes, |entry, mistakes| {
        let DeValue::Table(entries) = entry.value else {
            return Err(entry.refuse("a table", HELP, mistakes));
        };
        let table = Table::open(entry.subject.clone(), entry.span.clone(), entries, &KEYS, mistakes);
        read_one(&table, mistakes).map(|class| entry.put(class))
    })?;
    Ok(classes.value.into_iter().map(|class| class.value).collect())
}

fn read_one(table: &Table, mistakes: &mut Mistakes) -> Result<DescribedClass, Reported> {
    let class = table.optional("class", |item| read_class(&item, mistakes));
    let rows = table.optional("rows", |item| item.counting_number(HELP_ROWS, mistakes));
    let means = table.optional("means", |item| read_numbers(&item, false, mistakes));
    let deviations = table.optional("deviations", |item| read_numbers(&item, true, mistakes));
    let class = table.required("class", class, HELP_CLASS, mistakes);
    let rows = table.required("rows", rows, HELP_ROWS, mistakes);
    let means = table.required("means", means, HELP_MEANS, mistakes);
    let deviations = table.required("deviations", deviations, HELP_MEANS, mistakes);
    Ok(DescribedClass { class: class?, rows: rows?, means: means?, deviations: deviations? })
}

fn read_class(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Vec<KeyValue>>, Reported> {
    if let DeValue::Array(_) = item.value {
        let values = item.list(HELP_CLASS, mistakes, key_value::read)?;
        return Ok(values.map(|values| values.into_iter().map(|value| value.value).collect()));
    }
    Ok(key_value::read(item, mistakes)?.map(|value| vec![value]))
}

fn read_numbers(item: &Item, positive: bool, mistakes: &mut Mistakes) -> Result<NamedNumbers, Reported> {
    let refused = ("a table with a number a column", HELP_MEANS);
    numbers_by_name(item, "number", refused, mistakes, |entry, number, mistakes| {
        if positive && !number.is_positive() {
            return Err(entry.refuse("greater than 0", "a standard deviation is positive", mistakes));
        }
        Ok(())
    })
}
