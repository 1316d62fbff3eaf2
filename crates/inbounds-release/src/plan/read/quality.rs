//! `quality`, `quality_of` and `suppress`: classes of the numbers by their relative error; `round`: multiples to show.

use inbounds_bundle::{QualityClass, QualityEntry, QualityMeasure};
use inbounds_core::Named;
use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table};
use toml::de::DeValue;

const HELP: &str = "write names of classes, each with its largest error as a part of the number, such as quality = { high = 0.1, low = 0.3 }; a name \
                    with \"beyond\" is for all that is worse";
const HELP_OF: &str = "write \"interval\" for half of the width of the interval, or \"rmse\"";

/// The word in place of an error, for what is beyond all others, and the name of that class where a plan has none.
const BEYOND: &str = "beyond";

pub(super) fn read(root: &Table, mistakes: &mut Mistakes) -> Field<QualityEntry> {
    let classes = root.optional("quality", |item| classes(&item, mistakes));
    let words: Vec<_> = QualityMeasure::all().iter().map(|measure| (measure.name(), *measure)).collect();
    let measure = root.optional("quality_of", |item| item.word(&words, HELP_OF, mistakes));
    let suppress = root.optional("suppress", |item| item.text("write the name of a class of `quality`", mistakes));
    let (Some(classes), measure, suppress) = (classes?, measure?, suppress?) else {
        for key in ["quality_of", "suppress"] {
            if let Some(item) = root.item(key) {
                let message = format!("`{key}` must come with `quality`, whose classes it is about");
                return Err(mistakes.note(&item.span, message, HELP));
            }
        }
        return Ok(None);
    };
    if let Some(suppress) = &suppress
        && classes.iter().all(|class| class.name != suppress.value)
    {
        let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
        let message = "`suppress` must be the name of a class of `quality`";
        return Err(mistakes.note(&suppress.span, message, format!("the classes are {}", names.join(", "))));
    }
    let measure = measure.map_or(QualityMeasure::HalfWidth, |measure| measure.value).into();
    Ok(Some(QualityEntry { of: measure, classes, suppress: suppress.map(|suppress| suppress.value) }))
}

/// Of what counts are shown as multiples.
pub(super) fn round(root: &Table, mistakes: &mut Mistakes) -> Field<Spanned<u64>> {
    let help = "write a whole number, such as round = 5; leave `round` out to show every number as it is";
    root.optional("round", |item| {
        let to = item.counting_number(help, mistakes)?;
        if to.value < 2 || to.value > MOST {
            return Err(item.refuse("between 2 and 1,000,000", help, mistakes));
        }
        Ok(to)
    })
}

/// The largest number that counts are rounded to.
const MOST: u64 = 1_000_000;

/// The classes, the best first, with one for what is beyond all errors.
fn classes(item: &Item, mistakes: &mut Mistakes) -> Result<Vec<QualityClass>, Reported> {
    let DeValue::Table(entries) = item.value else { return Err(item.refuse("a table", HELP, mistakes)) };
    let mut classes = Vec::new();
    let mut beyond = None;
    for (name, value) in entries {
        let name = name.get_ref().to_string();
        let subject = format!("`{name}` in `quality`");
        let one = Item { subject, value: value.get_ref(), span: value.span() };
        if matches!(one.value, DeValue::String(word) if word.as_ref() == BEYOND) {
            beyond = Some(name);
            continue;
        }
        let most = one.number(mistakes)?.value.to_f64();
        if most <= 0.0 {
            return Err(one.refuse("above 0", HELP, mistakes));
        }
        if classes.iter().any(|class: &QualityClass| class.most == Some(most)) {
            return Err(one.refuse("another error than that of each other class", HELP, mistakes));
        }
        classes.push(QualityClass { name, most: Some(most) });
    }
    if classes.is_empty() {
        return Err(item.refuse("a table with at least one error", HELP, mistakes));
    }
    classes.sort_by(|one, other| one.most.partial_cmp(&other.most).expect("numbers"));
    let name = beyond.unwrap_or_else(|| BEYOND.to_owned());
    classes.push(QualityClass { name, most: None });
    Ok(classes)
}
