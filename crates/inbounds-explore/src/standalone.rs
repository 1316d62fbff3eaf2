//! The page as one file, with numbers that were computed when it was written: for mail, archives and notebooks.
//!
//! It is the page that is served, with its modules one after another and its numbers inside. Its epsilon takes the
//! values that were computed ([`FACTORS`] around that of the plan), and its truths the nearest of [`SCALES`].

use std::collections::BTreeMap;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use inbounds_core::Rational;
use inbounds_release::plan::Plan;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::{
    Change, Compared, DOTS, RanksKept,
    page::{FILES, PageFile},
    published::PublishedLaw,
    view::{Place, Tried, View},
};

/// Epsilons as multiples of that of the plan.
const FACTORS: [f64; 9] = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// Truths as distances from the end of the range, in scales of the noise at the epsilon of the plan.
const SCALES: [f64; 5] = [0.0, 1.0, 3.0, 6.0, 12.0];

/// Why there is no page.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StandaloneError {
    /// The plan has mistakes, or cannot be checked.
    #[error(transparent)]
    Release(#[from] inbounds_release::ReleaseError),
}

/// The page of a plan as one file, which calls the plan `name`. Reads no row.
///
/// # Errors
/// [`StandaloneError`].
pub fn standalone(name: &str, plan: &Plan) -> Result<String, StandaloneError> {
    let text = plan.text();
    let place = Place { name, folder: &plan.folder, rows: plan.rows.as_ref() };
    let dots = *DOTS.start();
    let own = Tried::prepare(place, text)?;
    let truths = truths(&own);
    let granted = own.outline.grants.granted().value().to_f64();
    let mut views = Vec::new();
    let mut own_place = 0;
    for factor in FACTORS {
        let epsilon = granted * factor;
        let (text, seen) = if factor == 1.0 {
            own_place = views.len();
            (text.to_owned(), View::prepare(place, text, &BTreeMap::new(), dots))
        } else {
            let Ok(text) = (Change::Epsilon { value: three_digits(epsilon) }).apply(text) else { continue };
            let seen = View::prepare(place, &text, &BTreeMap::new(), dots);
            (text, seen)
        };
        // An epsilon that does not suffice for what the plan wants has no numbers.
        let (View::Sound(view), Some(tried)) = seen else { continue };
        let mut view = json!({ "is": "sound", "view": view })["view"].take();
        view["is"] = json!("sound");
        view["published"] = published(&tried, &truths, dots);
        let ranks = (0..tried.outline.tasks.len()).map(|task| RanksKept::for_statistic(&tried, task, None));
        view["ranks"] = json!(ranks.collect::<Vec<_>>());
        views.push(json!({ "epsilon": epsilon, "text": text, "view": view }));
    }
    let compared: Vec<Option<Compared>> =
        (0..own.outline.tasks.len()).map(|task| Compared::for_statistic(&own, task).and_then(Result::ok)).collect();
    let numbers = json!({ "path": name, "own": own_place, "views": views, "compared": compared });
    Ok(one_file(&numbers))
}

/// The laws of every statistic at its truths, the first of which is shown first.
fn published(tried: &Tried, truths: &[Vec<f64>], dots: usize) -> Value {
    let laws = |(task, truths): (&inbounds_release::PreparedStatistic, &Vec<f64>)| {
        let law = |truth: &f64| PublishedLaw::find(&tried.plan, &task.prepared, Some(*truth), dots);
        truths.iter().map(law).collect::<Option<Vec<_>>>().filter(|laws| !laws.is_empty())
    };
    json!(tried.outline.tasks.iter().zip(truths).map(laws).collect::<Vec<_>>())
}

fn truths(own: &Tried) -> Vec<Vec<f64>> {
    let truths_of = |task: &inbounds_release::PreparedStatistic| {
        let Some(first) = PublishedLaw::find(&own.plan, &task.prepared, None, *DOTS.start()) else { return Vec::new() };
        let (end, sign) = match first.range {
            (Some(lower), _) => (lower, 1.0),
            (None, Some(upper)) => (upper, -1.0),
            (None, None) => (first.truth, 1.0),
        };
        let others = SCALES.iter().map(|scales| end + sign * scales * first.scale);
        std::iter::once(first.truth).chain(others).collect()
    };
    own.outline.tasks.iter().map(truths_of).collect()
}

/// A decimal of three significant digits.
fn three_digits(value: f64) -> String {
    let places = (2.0 - value.log10().floor()).max(0.0) as usize;
    let written = format!("{value:.places$}");
    // What is left is a number by construction; a rational prints without needless zeros.
    written.parse::<Rational>().map_or(written.clone(), |_| match written.contains('.') {
        true => written.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => written,
    })
}

fn file(name: &str) -> &'static PageFile {
    FILES.iter().find(|file| file.name == name).expect("the page has this file")
}

/// The modules in the order in which they are needed, as one.
fn script() -> String {
    let modules = FILES.iter().filter(|file| file.name.ends_with(".js"));
    let lines = modules.flat_map(|module| module.text.lines()).filter(|line| !line.starts_with("import "));
    lines.map(|line| format!("{}\n", line.strip_prefix("export ").unwrap_or(line))).collect()
}

fn one_file(numbers: &Value) -> String {
    let (style, script) = (format!("\n{}", file("style.css").text), format!("\n{}", script()));
    let hash = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()));
    // A document cannot end inside of its numbers.
    let numbers = numbers.to_string().replace('<', "\\u003c");
    let policy = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-{}'; style-src \
         'sha256-{}'; base-uri 'none'; form-action 'none'\">",
        hash(&script),
        hash(&style)
    );
    file("")
        .text
        .replace("<meta charset=\"utf-8\">", &format!("<meta charset=\"utf-8\">\n{policy}"))
        .replace("<link rel=\"stylesheet\" href=\"style.css\">", &format!("<style>{style}</style>"))
        .replace("<link rel=\"icon\" href=\"icon.svg\">\n", "")
        .replace("<script type=\"module\" src=\"app.js\"></script>", "")
        .replace(
            "</body>",
            &format!(
                "<script type=\"application/json\" id=\"numbers\">{numbers}</script>\n\
                 <script type=\"module\">{script}</script>\n</body>"
            ),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epsilons_are_short_decimals() {
        let decimals = [0.0625, 0.125, 2.0, 1.0 / 3.0, 12.3456, 160.0, 0.001].map(three_digits);
        assert_eq!(decimals, ["0.0625", "0.125", "2", "0.333", "12.3", "160", "0.001"]);
    }

    #[test]
    fn modules_become_one_script() {
        let script = script();
        assert!(!script.contains("\nimport ") && !script.contains("\nexport "), "{script}");
        let names: Vec<&str> = script
            .lines()
            .filter_map(|line| {
                ["function ", "const ", "class ", "async function ", "let "]
                    .iter()
                    .find_map(|word| line.strip_prefix(word))
            })
            .filter_map(|rest| rest.split(|character: char| !character.is_alphanumeric()).next())
            .filter(|name| !name.is_empty())
            .collect();
        let mut apart = names.clone();
        apart.sort_unstable();
        apart.dedup();
        assert_eq!(apart.len(), names.len(), "two modules use a name: {names:?}");
    }
}
