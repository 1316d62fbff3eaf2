//! `classes` of a naive Bayes model: what its rows are expected to look like.

use inbounds_core::Rational;
use inbounds_data::KeyValue;
use inbounds_input::document::{Item, Mistakes, Reported, Spanned, Table, shorten};
use toml::de::DeValue;

use super::key_value;
use crate::plan::DescribedClass;

const HELP_CLASSES: &str = "describe every class, such as \
    classes = [{ class = \"a\", rows = 500, means = { height = 170 }, deviations = { height = 8 } }, ...], or remove `classes`";
const HELP_CLASS: &str =
    "write the value of the `by` column, such as class = \"a\", or a list with one value a `by` column";
const HELP_ROWS: &str = "write about how many rows the class has, such as rows = 500";
const HELP_MEANS: &str = "write one number a column, such as { height = 170, weight = 65 }";
const KEYS: [&str; 4] = ["class", "rows", "means", "deviations"];

/// A number a column, in the order of the text.
type Numbers = Vec<(Spanned<String>, Spanned<Rational>)>;

pub(super) fn read(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Vec<DescribedClass>>, Reported> {
    let classes = item.list(HELP_CLASSES, mistakes, |entry, mistakes| {
        let DeValue::Table(entries) = entry.value else {
            return Err(entry.refuse("a table", HELP_CLASSES, mistakes));
        };
        let table = Table::open(entry.subject.clone(), entry.span.clone(), entries, &KEYS, mistakes);
        read_one(&table, mistakes).map(|class| entry.put(class))
    })?;
    Ok(classes.map(|classes| classes.into_iter().map(|class| class.value).collect()))
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

fn read_numbers(item: &Item, positive: bool, mistakes: &mut Mistakes) -> Result<Numbers, Reported> {
    let entries = match item.value {
        DeValue::Table(entries) if !entries.is_empty() => entries,
        _ => return Err(item.refuse("a table with a number a column", HELP_MEANS, mistakes)),
    };
    let mut numbers = Vec::with_capacity(entries.len());
    let mut outcome = Ok(());
    for (name, value) in entries {
        let subject = format!("the number of `{}` in {}", shorten(name.get_ref()), item.subject);
        let entry = Item { subject, value: value.get_ref(), span: value.span() };
        match entry.number(mistakes) {
            Ok(number) if positive && !number.value.is_positive() => {
                outcome = Err(entry.refuse("greater than 0", "a standard deviation is positive", mistakes));
            }
            Ok(number) => numbers.push((Spanned::new(name.get_ref().to_string(), name.span()), number)),
            Err(reported) => outcome = Err(reported),
        }
    }
    numbers.sort_by_key(|(name, _)| name.span.start);
    outcome.map(|()| numbers)
}
