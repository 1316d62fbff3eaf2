//! Subject of the numbers, for their readers.

use inbounds_bundle::{Language, PublicationEntry};
use inbounds_core::Named;
use inbounds_input::document::{Mistakes, Reported, Table};

const HELP_UNIT: &str = "what rows are, in the plural, such as \"people\" or \"hospital stays\"";
const HELP_PERIOD: &str = "when what is counted was so, such as \"2024\" or \"1 January 2025\"";
const HELP_SOURCE: &str = "where the rows come from, such as \"Population register\"";
const HELP_CONTACT: &str = "whom to ask, such as \"statistics@example.org\"";
const HELP_LANGUAGE: &str = "the language of the methods on the page: \"en\", \"de\" or \"fr\"";

/// Reads the keys that stand beside the title.
pub(super) fn read(root: &Table, mistakes: &mut Mistakes) -> Result<PublicationEntry, Reported> {
    let mut words = |key: &str, help: &str| {
        root.optional(key, |item| item.text(help, mistakes)).map(|text| text.map(|text| text.value))
    };
    let unit_of_rows = words("unit_of_rows", HELP_UNIT);
    let (period, source) = (words("period", HELP_PERIOD), words("source", HELP_SOURCE));
    let contact = words("contact", HELP_CONTACT);
    let languages: Vec<_> = Language::all().iter().map(|language| (language.name(), *language)).collect();
    let language = root.optional("language", |item| item.word(&languages, HELP_LANGUAGE, mistakes));
    Ok(PublicationEntry {
        unit_of_rows: unit_of_rows?,
        period: period?,
        source: source?,
        contact: contact?,
        language: language?.map(|language| language.value.into()),
    })
}
