//! What a naive Bayes model will be worth, simulated before epsilon is spent: for the classes that the plan describes,
//! or for supposed ones.

use std::ops::Range;

use inbounds_core::Rational;
use inbounds_data::{KeyValue, Keys};
use inbounds_input::nearest;
use inbounds_statistics::{
    Supposed,
    bayes::{Bayes, ExpectedAccuracy, SupposedClass},
};
use serde::Serialize;

use crate::plan::{DescribedClass, Mistake, NaiveBayes, Plan, Spanned};

/// Shares of new rows that are classified correctly.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ModelAccuracy {
    /// By the released model.
    pub released: f64,
    /// By a model of the same rows without noise.
    pub without_noise: f64,
    /// By always naming the largest class.
    pub guess: f64,
    /// Whether the released model has less than a quarter of what a model without noise gains over a guess.
    pub useless: bool,
}

/// The accuracy that is expected of a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "classes", rename_all = "kebab-case")]
pub enum ModelWorth {
    /// For the classes that the plan describes.
    Described {
        /// What is expected.
        accuracy: ModelAccuracy,
    },
    /// For supposed classes: normal columns whose deviation in a class is a sixth of the width of their bounds, with
    /// class means that scatter as much.
    Supposed {
        /// Rows of each class, with what is expected there.
        by_rows: Vec<(f64, ModelAccuracy)>,
    },
}

impl ModelWorth {
    pub(crate) fn of(model: &Bayes, described: &[SupposedClass], supposed: &Supposed) -> Self {
        if !described.is_empty() {
            return Self::Described { accuracy: model.expected_accuracy(described).into() };
        }
        let by_rows = model.expected_accuracy_of_supposed(supposed);
        Self::Supposed { by_rows: by_rows.into_iter().map(|(rows, accuracy)| (rows, accuracy.into())).collect() }
    }

    /// What is expected, as sentences.
    pub fn sentence(&self) -> String {
        match self {
            Self::Described { accuracy } => {
                let useless = if accuracy.useless { " It is useless: use more epsilon or fewer columns." } else { "" };
                format!("For the classes that the plan describes, this model {}.{useless}", accuracy.words())
            }
            Self::Supposed { by_rows } => {
                let useless = |accuracy: &ModelAccuracy| if accuracy.useless { ", and is useless there" } else { "" };
                let case = |(rows, accuracy): &(f64, ModelAccuracy)| {
                    format!("with {rows} rows a class it {}{}", accuracy.words(), useless(accuracy))
                };
                let cases: Vec<String> = by_rows.iter().map(case).collect();
                format!(
                    "What this model will be worth depends on how far its classes are apart, which the plan does not say; describe \
                     them with `classes`. Supposing normal columns whose deviation in a class is a sixth of the width of their \
                     bounds, and class means that scatter as much: {}.",
                    cases.join("; ")
                )
            }
        }
    }
}

impl ModelAccuracy {
    fn words(&self) -> String {
        let percent = |share: f64| (100.0 * share).round();
        format!(
            "classifies about {} % of new rows correctly; without noise it would be {} %, and a guess is right for {} %",
            percent(self.released),
            percent(self.without_noise),
            percent(self.guess)
        )
    }
}

impl From<ExpectedAccuracy> for ModelAccuracy {
    fn from(expected: ExpectedAccuracy) -> Self {
        let ExpectedAccuracy { released, without_noise, guess } = expected;
        Self { released, without_noise, guess, useless: expected.is_useless() }
    }
}

/// The classes that a statistic describes, in the order of the keys; none if it describes none.
///
/// # Errors
/// Every mistake in the descriptions, at its place.
pub(crate) fn described(
    plan: &Plan,
    name: &str,
    NaiveBayes { columns, classes }: &NaiveBayes,
    keys: &Keys,
) -> Result<Vec<SupposedClass>, Vec<Mistake>> {
    let Some(first) = classes.first() else { return Ok(Vec::new()) };
    let mut mistakes: Vec<Mistake> = classes.iter().flat_map(|class| of_class(plan, class, columns, keys)).collect();
    mistakes.extend(repeated(plan, classes));
    let place = |key: &Vec<KeyValue>| classes.iter().find(|class| class.class.value == *key);
    let undescribed = keys.rows().iter().filter(|key| place(key).is_none()).map(|key| shown(key)).collect::<Vec<_>>();
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
    Ok(keys.rows().iter().filter_map(place).map(|class| supposed(class, columns)).collect())
}

fn of_class(plan: &Plan, class: &DescribedClass, columns: &[Spanned<String>], keys: &Keys) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    if !keys.rows().contains(&class.class.value) {
        let name = shown(&class.class.value);
        let known: Vec<String> = keys.rows().iter().map(|key| shown(key)).collect();
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

fn supposed(class: &DescribedClass, columns: &[Spanned<String>]) -> SupposedClass {
    let of = |numbers: &[(Spanned<String>, Spanned<Rational>)]| {
        columns.iter().filter_map(|column| number(numbers, column)).map(|number| number.value.to_f64()).collect()
    };
    SupposedClass { rows: class.rows.value as f64, means: of(&class.means), deviations: of(&class.deviations) }
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
