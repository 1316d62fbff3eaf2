//! Classes of numbers and dates: `cut` and `classes`.

use std::ops::Range;

use inbounds_core::Rational;
use inbounds_data::{Cuts, Day};
use inbounds_input::document::{Item, Mistakes, Reported, Spanned, Table};
use toml::de::DeValue;

use super::recode::named;
use crate::plan::{KeyValue, Kind};

const HELP_CUT: &str =
    "list where classes begin, in order, such as cut = [18, 65] for three classes, or dates, such as [\"2020-03-01\"]";
const HELP_CLASSES: &str = "name the class below the first cut, and one from each cut on: cut = [18, 65] needs three, such as \
                            classes = [\"child\", \"adult\", \"old\"]; left out, they are called by their cuts";

/// Where classes begin, and what they are called.
pub(in crate::plan) struct CutDraft {
    pub(in crate::plan) cuts: Spanned<Cuts>,
    /// One more than cuts, of one type.
    pub(in crate::plan) classes: Vec<KeyValue>,
}

/// A number or a day.
#[derive(PartialEq, PartialOrd)]
enum Cut {
    Number(Rational),
    Day(Day),
}

pub(super) fn read(item: &Item, table: &Table, mistakes: &mut Mistakes) -> Result<CutDraft, Reported> {
    let list = item.list(HELP_CUT, mistakes, |entry, mistakes| match entry.value {
        DeValue::String(text) if Day::parse(text).is_some() => {
            Ok(entry.put(Cut::Day(Day::parse(text).expect("it was parsed"))))
        }
        _ => Ok(entry.number(mistakes)?.map(Cut::Number)),
    })?;
    for pair in list.value.windows(2) {
        // Of a number and a day neither comes first.
        if pair[0].value.partial_cmp(&pair[1].value) != Some(std::cmp::Ordering::Less)
            || std::mem::discriminant(&pair[0].value) != std::mem::discriminant(&pair[1].value)
        {
            let message = format!("{} must increase, and be of numbers or of dates alone", item.subject);
            return Err(mistakes.note(&pair[1].span, message, HELP_CUT));
        }
    }
    let default = default_classes(&list.value.iter().map(|cut| &cut.value).collect::<Vec<_>>());
    let classes = table.optional("classes", |item| {
        let classes = item.list(HELP_CLASSES, mistakes, named)?;
        check_classes(&classes.value, default.len(), &item, mistakes)?;
        Ok(classes.value.into_iter().map(|class| class.value).collect::<Vec<_>>())
    })?;
    let cuts = cuts(list.value.into_iter().map(|cut| cut.value), &item.span, item, mistakes)?;
    Ok(CutDraft { cuts: item.put(cuts), classes: classes.unwrap_or(default) })
}

fn check_classes(
    classes: &[Spanned<KeyValue>],
    wanted: usize,
    item: &Item,
    mistakes: &mut Mistakes,
) -> Result<(), Reported> {
    if classes.len() != wanted {
        let message =
            format!("{} must name {wanted} classes, one more than there are cuts, got {}", item.subject, classes.len());
        return Err(mistakes.note(&item.span, message, HELP_CLASSES));
    }
    if let Some(missing) = classes.iter().find(|class| class.value == KeyValue::Missing) {
        let message =
            format!("{} must not be `missing`, which is the class of a missing number by itself", item.subject);
        return Err(mistakes.note(&missing.span, message, "give the class another name"));
    }
    let kind = classes[0].value.kind();
    match classes.iter().find(|class| class.value.kind() != kind) {
        Some(other) => {
            let kind = kind.map_or("another", Kind::name);
            let message = format!("each entry of {} must be of type {kind}, as the first is", item.subject);
            Err(mistakes.note(&other.span, message, "write all of them with quotes, or all without"))
        }
        None => Ok(()),
    }
}

/// Up to here every whole number is a double of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Cuts as the rows meet them: decimals as the doubles nearest to them, as cells are read.
fn cuts(
    all: impl Iterator<Item = Cut>,
    span: &Range<usize>,
    item: &Item,
    mistakes: &mut Mistakes,
) -> Result<Cuts, Reported> {
    let (mut numbers, mut days) = (Vec::new(), Vec::new());
    for cut in all {
        match cut {
            Cut::Number(number) if number.to_f64().abs() > EXACT => {
                let message =
                    format!("{} must lie within 2^53, where whole numbers are doubles, got {number}", item.subject);
                return Err(mistakes.note(span, message, "compare such numbers in a condition: `is`"));
            }
            Cut::Number(number) => numbers.push(number.to_f64()),
            Cut::Day(day) => days.push(day),
        }
    }
    if !days.is_empty() {
        return Ok(Cuts::Days(days));
    }
    if numbers.is_sorted_by(|a, b| a < b) && numbers.iter().all(|number| number.is_finite()) {
        return Ok(Cuts::Numbers(numbers));
    }
    let message = format!("{} must be finite numbers that are apart as doubles", item.subject);
    Err(mistakes.note(span, message, HELP_CUT))
}

/// Default names of classes, by their cuts.
fn default_classes(cuts: &[&Cut]) -> Vec<KeyValue> {
    let class = |place: usize| match (place.checked_sub(1).map(|below| cuts[below]), cuts.get(place)) {
        (None, Some(Cut::Number(to))) => format!("under {to}"),
        (Some(Cut::Number(from)), Some(Cut::Number(to))) => format!("{from} to under {to}"),
        (Some(Cut::Number(from)), _) => format!("{from} and over"),
        (None, Some(Cut::Day(to))) => format!("before {to}"),
        (Some(Cut::Day(from)), Some(Cut::Day(to))) => format!("{from} to before {to}"),
        (Some(Cut::Day(from)), _) => format!("{from} and later"),
        (None, None) => "all".to_owned(),
    };
    (0..=cuts.len()).map(|place| KeyValue::Text(class(place))).collect()
}
