//! `want`, and the epsilon that is found from it.

use inbounds_core::{Epsilon, Rational};
use inbounds_input::document::{Item, Mistakes, Reported, Spanned, Table};
use toml::de::DeValue;

use super::parameter::parameter;
use crate::{
    plan::granularity::Granularity,
    plan::{GrantedEpsilon, PublicMoments, Want, WantedError},
};

const HELP_WANT: &str =
    "write want = { rmse = 5 }, or want = { margin = 10 } for the half width of the interval, or a list of such";
const HELP_MOST: &str = "write the largest error that will do, in the unit of the statistic";
const HELP_OF: &str =
    "write a level such as of = \"county\", or a margin such as of = [\"sex\", \"region\"], or leave it out for all";
const HELP_ABOUT: &str =
    "write what is public about the column, such as about = { mean = 40, sd = 15 }, or leave it out for all columns";
const HELP_DEVIATION: &str = "write the standard deviation of the column, in its unit";
const HELP_ROWS: &str = "write a number of rows that the error is for, such as want = { rmse = 0.5, rows = 1000 }";

/// The word for an epsilon that is found from what statistics want.
const LEAST: &str = "least";

/// The errors that a statistic may have at most: one, or a list of them.
pub(super) fn read(item: &Item, place: &str, mistakes: &mut Mistakes) -> Result<Spanned<Vec<Spanned<Want>>>, Reported> {
    match item.value {
        DeValue::Array(_) => item.list(HELP_WANT, mistakes, |item, mistakes| read_one(item, place, mistakes)),
        _ => Ok(item.put(vec![read_one(item, place, mistakes)?])),
    }
}

const KEYS: &[&str] = &["rmse", "margin", "of", "rows", "about"];

fn read_one(item: &Item, place: &str, mistakes: &mut Mistakes) -> Result<Spanned<Want>, Reported> {
    let DeValue::Table(entries) = item.value else {
        return Err(item.refuse("a table with `rmse` or `margin`", HELP_WANT, mistakes));
    };
    let place = format!("`want` in {place}");
    let table = Table::open(place.clone(), item.span.clone(), entries, KEYS, mistakes);
    let rmse = table.optional("rmse", |item| positive(&item, mistakes));
    let margin = table.optional("margin", |item| positive(&item, mistakes));
    let granularity = table.optional("of", |item| read_of(&item, mistakes));
    let rows = table.optional("rows", |item| item.counting_number(HELP_ROWS, mistakes));
    let about = table.optional("about", |item| read_about(&item, &place, mistakes));
    let (error, most) = match (rmse?, margin?) {
        (Some(most), None) => (WantedError::Rmse, most),
        (None, Some(most)) => (WantedError::Margin, most),
        _ => {
            let message = format!("{place} must have one of `rmse` and `margin`");
            return Err(mistakes.note(&item.span, message, HELP_WANT));
        }
    };
    Ok(item.put(Want { error, most, granularity: granularity?, rows: rows?, about: about? }))
}

/// The moments of a column, one at least.
fn read_about(item: &Item, place: &str, mistakes: &mut Mistakes) -> Result<Spanned<PublicMoments>, Reported> {
    let DeValue::Table(entries) = item.value else {
        return Err(item.refuse("a table with `mean`, `sd` or both", HELP_ABOUT, mistakes));
    };
    let place = format!("`about` in {place}");
    let table = Table::open(place.clone(), item.span.clone(), entries, &["mean", "sd"], mistakes);
    let mean = table.optional("mean", |item| item.number(mistakes));
    let sd = table.optional("sd", |item| {
        let deviation = item.number(mistakes)?;
        if deviation.value < Rational::ZERO {
            return Err(item.refuse("at least 0", HELP_DEVIATION, mistakes));
        }
        Ok(deviation)
    });
    match (mean?, sd?) {
        (None, None) => Err(mistakes.note(&item.span, format!("{place} must have `mean`, `sd` or both"), HELP_ABOUT)),
        (mean, sd) => Ok(item.put(PublicMoments { mean, sd })),
    }
}

/// A level by its name, or a margin by its columns.
fn read_of(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Granularity>, Reported> {
    match item.value {
        DeValue::Array(columns) if columns.is_empty() => Ok(item.put(Granularity::Margin(Vec::new()))),
        DeValue::Array(_) => {
            let columns = item.list(HELP_OF, mistakes, |column, mistakes| column.text(HELP_OF, mistakes))?;
            Ok(columns.map(|columns| Granularity::Margin(columns.into_iter().map(|column| column.value).collect())))
        }
        _ => Ok(item.text(HELP_OF, mistakes)?.map(Granularity::Level)),
    }
}

fn positive(item: &Item, mistakes: &mut Mistakes) -> Result<Rational, Reported> {
    let most = item.number(mistakes)?.value;
    if most.is_positive() { Ok(most) } else { Err(item.refuse("greater than 0", HELP_MOST, mistakes)) }
}

/// An epsilon, or the word for one that is found.
pub(super) fn read_epsilon(
    item: &Item,
    help: &str,
    mistakes: &mut Mistakes,
) -> Result<Spanned<GrantedEpsilon>, Reported> {
    if item.value.as_str() == Some(LEAST) {
        return Ok(item.put(GrantedEpsilon::Least));
    }
    Ok(parameter(item, Epsilon::new, help, mistakes)?.map(GrantedEpsilon::Given))
}
