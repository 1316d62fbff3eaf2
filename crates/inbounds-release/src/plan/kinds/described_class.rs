//! Classes of a model as a plan describes them, and what is wrong with their descriptions.

use std::ops::Range;

use inbounds_core::Rational;
use inbounds_data::{KeyRow, KeyValue, Keys};
use inbounds_input::{
    document::{Mistake, Spanned},
    nearest,
};
use inbounds_statistics::bayes::ClassDistribution;

use crate::plan::Plan;

/// Expected rows of a class, from public knowledge; the description changes no released number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedClass {
    /// Its value in each column of `by`.
    pub class: Spanned<Vec<KeyValue>>,
    /// Number of its rows.
    pub rows: Spanned<u64>,
    /// Mean of each column, in the order of the text.
    pub means: Vec<(Spanned<String>, Spanned<Rational>)>,
    /// Standard deviation of each column, positive, in the order of the text.
    pub deviations: Vec<(Spanned<String>, Spanned<Rational>)>,
}

/// The classes that a statistic describes, in the order of the keys; none if it describes none.
///
/// # Errors
/// Every mistake in the descriptions, at its place.
pub(super) fn described(
    plan: &Plan,
    name: &str,
    (columns, classes): (&[Spanned<String>], &[DescribedClass]),
    keys: &Keys,
) -> Result<Vec<ClassDistribution>, Vec<Mistake>> {
    let Some(first) = classes.first() else { return Ok(Vec::new()) };
    let mut mistakes: Vec<Mistake> = classes.iter().flat_map(|class| of_class(plan, class, columns, keys)).collect();
    mistakes.extend(repeated(plan, classes));
    let place = |key: KeyRow<'_>| classes.iter().find(|class| key == class.class.value);
    let undescribed =
        keys.rows().filter(|key| place(*key).is_none()).map(|key| shown(&key.to_vec())).collect::<Vec<_>>();
    if let Some(example) = undescribed.first().filter(|_| mistakes.is_empty()) {
        let message = format!(
            "`classes` in statistic `{}` must describe every class, and {} of {} are missing, such as `{example}`",
            name,
            undescribed.len(),
            keys.len()
        );
        mistakes.push(plan.mistake(first.class.span.clone(), message, Some("describe it too".to_owned())));
    }
    mistakes.extend(too_many(plan, classes));
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    Ok(keys.rows().filter_map(place).map(|class| distribution(class, columns)).collect())
}

fn of_class(plan: &Plan, class: &DescribedClass, columns: &[Spanned<String>], keys: &Keys) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    if !keys.rows().any(|key| key == class.class.value) {
        let name = shown(&class.class.value);
        let known: Vec<String> = keys.rows().map(|key| shown(&key.to_vec())).collect();
        let near = nearest(&name, known.iter().map(String::as_str));
        let example = || format!("the classes are the listed values of {}", keys.columns().join(", "));
        let help = near.map_or_else(example, |near| format!("did you mean `{near}`?"));
        let message = format!("`{name}` must be a class, that is, a listed value of {}", keys.columns().join(", "));
        mistakes.push(plan.mistake(class.class.span.clone(), message, Some(help)));
    }
    for (key, numbers) in [("means", &class.means), ("deviations", &class.deviations)] {
        for (name, _) in numbers.iter().filter(|(name, _)| columns.iter().all(|column| column.value != name.value)) {
            let near = nearest(&name.value, columns.iter().map(|column| column.value.as_str()));
            let help = near.map_or_else(|| "remove it".to_owned(), |near| format!("did you mean `{near}`?"));
            let message = format!("`{}` in `{key}` must be one of the `columns` of the model", name.value);
            mistakes.push(plan.mistake(name.span.clone(), message, Some(help)));
        }
        for column in columns.iter().filter(|column| number(numbers, column).is_none()) {
            let message = format!("`{key}` of class `{}` must have `{}`", shown(&class.class.value), column.value);
            let help = "write one number a column of the model".to_owned();
            mistakes.push(plan.mistake(class.class.span.clone(), message, Some(help)));
        }
    }
    mistakes.extend(class.means.iter().filter_map(|(name, mean)| outside(plan, name, mean)));
    mistakes
}

/// A mean outside the bounds of its column: rows that are clipped cannot have it.
fn outside(plan: &Plan, name: &Spanned<String>, mean: &Spanned<Rational>) -> Option<Mistake> {
    let bounds = plan.column(&name.value)?.bounds.as_ref()?;
    let (lower, upper) = (&bounds.lower.value, &bounds.upper.value);
    if (lower..=upper).contains(&&mean.value) {
        return None;
    }
    let message = format!(
        "the mean of `{}` must be within the bounds of the column, {lower} and {upper}, got {}",
        name.value, mean.value
    );
    let help = "mend it, or the bounds: values are clipped to them".to_owned();
    Some(plan.mistake(mean.span.clone(), message, Some(help)))
}

fn repeated(plan: &Plan, classes: &[DescribedClass]) -> Vec<Mistake> {
    let earlier = |(index, class): &(usize, &DescribedClass)| {
        classes[..*index].iter().any(|other| other.class.value == class.class.value)
    };
    let mistake = |(_, class): (usize, &DescribedClass)| {
        let message = format!("class `{}` must be described once", shown(&class.class.value));
        plan.mistake(class.class.span.clone(), message, Some("remove the second description".to_owned()))
    };
    classes.iter().enumerate().filter(earlier).map(mistake).collect()
}

/// More rows than the plan says there are.
fn too_many(plan: &Plan, classes: &[DescribedClass]) -> Option<Mistake> {
    let public = plan.privacy.rows.as_ref()?.value;
    let total = classes.iter().map(|class| u128::from(class.rows.value)).sum::<u128>();
    let place: Range<usize> = classes.last().map(|class| class.rows.span.clone())?;
    (total > u128::from(public)).then(|| {
        let message =
            format!("`rows` of all classes together must be at most the {public} of [privacy], and are {total}");
        plan.mistake(place, message, Some("mend the rows of the classes".to_owned()))
    })
}

fn distribution(class: &DescribedClass, columns: &[Spanned<String>]) -> ClassDistribution {
    let by_column = |numbers: &[(Spanned<String>, Spanned<Rational>)]| {
        columns.iter().filter_map(|column| number(numbers, column)).map(|number| number.value.to_f64()).collect()
    };
    ClassDistribution {
        rows: class.rows.value as f64,
        means: by_column(&class.means),
        deviations: by_column(&class.deviations),
    }
}

fn number<'n>(
    numbers: &'n [(Spanned<String>, Spanned<Rational>)],
    column: &Spanned<String>,
) -> Option<&'n Spanned<Rational>> {
    numbers.iter().find(|(name, _)| name.value == column.value).map(|(_, number)| number)
}

fn shown(key: &[KeyValue]) -> String {
    key.iter().map(KeyValue::to_string).collect::<Vec<_>>().join(", ")
}
