//! The `[[statistic]]` tables.

use std::ops::Range;

use inbounds_bundle::KindWord;
use inbounds_core::{Named as _, Neighbours, Rational};
use inbounds_input::document::{Field, Item, Mistakes, Reported, Spanned, Table, given, shorten};
use inbounds_mechanisms::{partition::KeyNoise, registry};
use toml::de::DeValue;

use super::{
    Draft,
    column::note_order,
    interval::IntervalDraft,
    labels, margins, names, possible, public,
    rule::{self, PublicFiles},
    want,
};
use crate::plan::{
    Fit, LevelShares, MarginColumns, MarginShares, MechanismChoice, OutputRange, PossibleFile, PublicNumbers, Want,
    kinds::{self, KindDraft},
};

/// Keys that every kind has; of the others each kind names its own.
const KEYS: [&str; 22] = [
    "name",
    "label",
    "kind",
    "by",
    "keys",
    "possible",
    "learn_keys",
    "spurious",
    "levels",
    "level_shares",
    "margins",
    "margin_shares",
    "every_margin",
    "fit",
    "public",
    "where",
    "share",
    "want",
    "mechanism",
    "spend_delta",
    "interval",
    "joint",
];
const HELP_STATISTIC: &str = "add [[statistic]] with at least `name` and `kind`";
const HELP_NAME: &str = "a name is made of letters A to Z, digits, `_` and `-`, such as name = \"people-by-sex\"";
const HELP_KIND: &str = "write a kind such as kind = \"count\", \"sum\" or \"mean\"";
const HELP_BY: &str = "list the grouping columns, such as by = [\"sex\", \"region\"], or remove `by`";
const HELP_KEYS: &str = "write the path of a public CSV or Parquet file that lists the cells";
const HELP_LEARN_KEYS: &str = "write learn_keys = true to publish the keys whose noisy counts are large, or learn_keys = \"optimal\" for as many keys as can be; leave it out \
     for listed keys";
const HELP_SPURIOUS: &str =
    "write how many published cells may be empty on average, such as spurious = 0.1, or leave it out and give a delta";
const HELP_WHERE: &str = "write a condition such as where = \"age >= 65\", or remove `where`";
const HELP_SHARE: &str = "a share is a part of the whole epsilon, such as 0.25; remove all shares for equal parts";
const HELP_MECHANISM: &str =
    "leave `mechanism` out for \"clamped\", or write mechanism = \"best\" for the one that errs least";
const HELP_SPEND_DELTA: &str =
    "write spend_delta = true for less of any noise where delta buys that; leave it out to keep epsilon with certainty";
const HELP_RANGE: &str = "write range = { lower = 0, upper = 500 } with either end or both, or range = \"unbounded\"";

const HELP_LEVELS: &str =
    "list the levels from coarse to fine, such as levels = [\"all\", \"state\", \"county\"], or remove `levels`";
const HELP_LEVEL_SHARES: &str =
    "write \"balanced\", or one part a level, such as level_shares = [0.2, 0.8], or leave it out for equal parts";

const HELP_POPULATION: &str = "write population = true if the rows are a random sample of a population";
const HELP_EVERY_MARGIN: &str = "write every_margin = false to publish the listed margins alone";
const HELP_FIT: &str = "leave `fit` out for \"top-down\", in which bounds of lower levels never move upper ones";

/// Most empty cells that may be published on average.
const MOST_SPURIOUS: u128 = 1000;

/// `[[statistic]]` as far as it could be read.
pub(in crate::plan) struct StatisticDraft {
    /// Its name in messages: "statistic `people-by-sex`", or by number while it has no good name.
    pub(in crate::plan) place: String,
    pub(in crate::plan) span: Range<usize>,
    pub(in crate::plan) name: Result<Spanned<String>, Reported>,
    pub(in crate::plan) label: Field<String>,
    pub(in crate::plan) kind: Result<KindDraft, Reported>,
    pub(in crate::plan) by: Field<Spanned<Vec<Spanned<String>>>>,
    pub(in crate::plan) keys: Field<Spanned<String>>,
    pub(in crate::plan) possible: Field<Spanned<Vec<PossibleFile>>>,
    pub(in crate::plan) learn_keys: Field<Spanned<Option<KeyNoise>>>,
    pub(in crate::plan) spurious: Field<Spanned<Rational>>,
    pub(in crate::plan) filter: Field<Spanned<String>>,
    pub(in crate::plan) share: Field<Spanned<Rational>>,
    pub(in crate::plan) want: Field<Spanned<Vec<Spanned<Want>>>>,
    pub(in crate::plan) mechanism: Field<Spanned<MechanismChoice>>,
    pub(in crate::plan) spend_delta: Field<Spanned<bool>>,
    pub(in crate::plan) range: Field<Spanned<OutputRange>>,
    pub(in crate::plan) levels: Field<Spanned<Vec<Spanned<String>>>>,
    pub(in crate::plan) level_shares: Field<Spanned<LevelShares>>,
    pub(in crate::plan) margins: Field<Spanned<Vec<MarginColumns>>>,
    pub(in crate::plan) margin_shares: Field<Spanned<MarginShares>>,
    pub(in crate::plan) every_margin: Field<Spanned<bool>>,
    pub(in crate::plan) fit: Field<Spanned<Fit>>,
    pub(in crate::plan) public: Field<Spanned<Vec<Spanned<PublicNumbers>>>>,
    pub(in crate::plan) population: Field<Spanned<bool>>,
    pub(in crate::plan) interval: IntervalDraft,
}

impl StatisticDraft {
    /// The columns whose values it reads, as far as they are known.
    pub(in crate::plan) fn columns(&self) -> &[Spanned<String>] {
        self.kind.as_ref().map_or(&[], |kind| &kind.columns)
    }

    /// `true` if its keys are to be learned, as far as that could be read.
    pub(in crate::plan) fn learns_keys(&self) -> bool {
        given(&self.learn_keys).is_some_and(|learn| learn.value.is_some())
    }

    /// The mechanism that it names or, where it names none, the plan's, as far as they could be read.
    pub(in crate::plan) fn mechanism_in(&self, draft: &Draft) -> Option<MechanismChoice> {
        match self.mechanism.as_ref().ok()? {
            Some(mechanism) => Some(mechanism.value.clone()),
            None => draft.privacy.as_ref().ok()?.mechanism.clone().ok().map(Option::unwrap_or_default),
        }
    }

    /// Why the number of rows that count is private, if it is.
    pub(in crate::plan) fn private_rows(&self, draft: &Draft) -> Option<&'static str> {
        let privacy = draft.privacy.as_ref().ok()?;
        let drops = |column: &Spanned<String>| draft.column(&column.value).is_some_and(|column| column.drops_missing());
        if self.by != Ok(None) {
            Some("with `by`")
        } else if self.filter != Ok(None) {
            Some("with `where`")
        } else if privacy.neighbours == Ok(Neighbours::AddRemove) {
            Some("under neighbours = \"add-remove\"")
        } else if matches!(privacy.unit, Ok(crate::plan::Unit::Column { .. })) {
            Some("with a unit column")
        } else if self.columns().iter().any(drops) {
            Some("of a column with missing = \"drop\"")
        } else {
            None
        }
    }
}

pub(super) fn read_all(
    root: &Table,
    files: &PublicFiles,
    mistakes: &mut Mistakes,
) -> Result<Vec<StatisticDraft>, Reported> {
    let Some(item) = root.item("statistic") else {
        return Err(mistakes.note(&root.span, "the plan must have at least one statistic", HELP_STATISTIC));
    };
    let array = match item.value {
        DeValue::Array(array) if array.is_empty() => {
            return Err(mistakes.note(&item.span, "the plan must have at least one statistic", HELP_STATISTIC));
        }
        DeValue::Array(array) => array,
        _ => return Err(item.refuse("a list of tables", "write [[statistic]] with two brackets", mistakes)),
    };
    let drafts: Vec<_> = array
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            let subject = format!("statistic {}", index + 1);
            let item = Item { subject, value: entry.get_ref(), span: entry.span() };
            let DeValue::Table(entries) = item.value else {
                return Err(item.refuse("a table", HELP_STATISTIC, mistakes));
            };
            let place = match entries.get("name").map(|name| name.get_ref()) {
                Some(DeValue::String(name)) if !name.trim().is_empty() => format!("statistic `{}`", shorten(name)),
                _ => item.subject.clone(),
            };
            let keys = [&KEYS[..], &kinds::keys_of_any()].concat();
            let table = Table::open(place.clone(), item.span.clone(), entries, &keys, mistakes);
            Ok(read_one(&table, place, files, mistakes))
        })
        .collect();
    drafts.into_iter().collect()
}

fn read_one(table: &Table, place: String, files: &PublicFiles, mistakes: &mut Mistakes) -> StatisticDraft {
    let name = table.optional("name", |item| read_name(&item, mistakes));
    let words: Vec<_> = KindWord::all().iter().map(|kind| (kind.name(), *kind)).collect();
    let word = table.optional("kind", |item| item.word(&words, HELP_KIND, mistakes));
    let word = table.required("kind", word, HELP_KIND, mistakes);
    StatisticDraft {
        span: table.span.clone(),
        name: table.required("name", name, HELP_NAME, mistakes),
        label: labels::read_label(table, mistakes),
        kind: word.map(|word| kinds::read(word.value, table, &place, mistakes)),
        by: table.optional("by", |item| names(&item, HELP_BY, mistakes)),
        keys: table.optional("keys", |item| item.text(HELP_KEYS, mistakes)),
        possible: table.optional("possible", |item| possible::read(&item, &place, files, mistakes)),
        learn_keys: table.optional("learn_keys", |item| read_learn_keys(&item, mistakes)),
        spurious: table.optional("spurious", |item| read_spurious(&item, mistakes)),
        filter: table.optional("where", |item| item.text(HELP_WHERE, mistakes)),
        share: table.optional("share", |item| read_share(&item, mistakes)),
        want: table.optional("want", |item| want::read(&item, &place, mistakes)),
        mechanism: table.optional("mechanism", |item| read_mechanism(&item, &place, files, mistakes)),
        spend_delta: table.optional("spend_delta", |item| read_truth(&item, HELP_SPEND_DELTA, mistakes)),
        range: table.optional("range", |item| read_range(&item, &place, mistakes)),
        levels: table.optional("levels", |item| {
            item.list(HELP_LEVELS, mistakes, |entry, mistakes| entry.text(HELP_LEVELS, mistakes))
        }),
        level_shares: table.optional("level_shares", |item| read_level_shares(&item, mistakes)),
        margins: table.optional("margins", |item| margins::read(&item, mistakes)),
        margin_shares: table.optional("margin_shares", |item| margins::read_shares(&item, mistakes)),
        every_margin: table.optional("every_margin", |item| read_truth(&item, HELP_EVERY_MARGIN, mistakes)),
        fit: table.optional("fit", |item| item.word(&Fit::ALL, HELP_FIT, mistakes)),
        public: table.optional("public", |item| public::read(&item, &place, files, mistakes)),
        population: table.optional("population", |item| read_truth(&item, HELP_POPULATION, mistakes)),
        interval: IntervalDraft::read(table, mistakes),
        place,
    }
}

/// A word, or a table with a rule of one's own.
fn read_mechanism(
    item: &Item,
    place: &str,
    files: &PublicFiles,
    mistakes: &mut Mistakes,
) -> Result<Spanned<MechanismChoice>, Reported> {
    if let DeValue::Table(_) = item.value {
        return rule::read(item, place, files, mistakes);
    }
    let named: Vec<MechanismChoice> = registry::MECHANISMS
        .iter()
        .chain([&registry::RANKS])
        .map(MechanismChoice::Named)
        .chain([MechanismChoice::Best])
        .collect();
    let words: Vec<_> = named.iter().map(|choice| (choice.word(), choice)).collect();
    Ok(item.word(&words, HELP_MECHANISM, mistakes)?.map(MechanismChoice::clone))
}

fn read_truth(item: &Item, help: &str, mistakes: &mut Mistakes) -> Result<Spanned<bool>, Reported> {
    let value = item.value.as_bool();
    value.map(|value| item.put(value)).ok_or_else(|| item.refuse("true or false", help, mistakes))
}

fn read_learn_keys(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Option<KeyNoise>>, Reported> {
    let noise = match (item.value.as_bool(), item.value.as_str()) {
        (Some(true), _) => Some(KeyNoise::Symmetric),
        (Some(false), _) => None,
        (None, Some(word)) if word == KeyNoise::Optimal.name() => Some(KeyNoise::Optimal),
        _ => return Err(item.refuse("true, false or \"optimal\"", HELP_LEARN_KEYS, mistakes)),
    };
    Ok(item.put(noise))
}

fn read_spurious(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Rational>, Reported> {
    let spurious = item.number(mistakes)?;
    let is_admissible = spurious.value.is_positive() && spurious.value <= Rational::from(MOST_SPURIOUS);
    if is_admissible {
        Ok(spurious)
    } else {
        Err(item.refuse("greater than 0 and at most 1000", HELP_SPURIOUS, mistakes))
    }
}

fn read_name(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<String>, Reported> {
    let name = item.text(HELP_NAME, mistakes)?;
    if name.value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
        Ok(name)
    } else {
        Err(item.refuse("made of letters A to Z, digits, `_` and `-`", HELP_NAME, mistakes))
    }
}

/// A list of columns, or one column.
fn read_share(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Rational>, Reported> {
    let share = item.number(mistakes)?;
    if share.value.is_positive() { Ok(share) } else { Err(item.refuse("greater than 0", HELP_SHARE, mistakes)) }
}

fn read_level_shares(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<LevelShares>, Reported> {
    if let DeValue::Array(_) = item.value {
        let shares = item.list(HELP_LEVEL_SHARES, mistakes, read_level_share)?;
        return Ok(shares.map(|shares| LevelShares::Given(shares.into_iter().map(|share| share.value).collect())));
    }
    if item.value.as_str() == Some("least-error") {
        let message = format!(
            "{} must be \"even\", \"balanced\" or a list: \"least-error\" served the finest level alone and left every other \
             level a thousandth of epsilon",
            item.subject
        );
        return Err(mistakes.note(&item.span, message, HELP_LEVEL_SHARES));
    }
    let word = item.word(&[("even", false), ("balanced", true)], HELP_LEVEL_SHARES, mistakes)?;
    Ok(word.map(|balanced| if balanced { LevelShares::Balanced } else { LevelShares::Even }))
}

fn read_level_share(item: &Item, mistakes: &mut Mistakes) -> Result<Spanned<Rational>, Reported> {
    let share = item.number(mistakes)?;
    if share.value >= Rational::ZERO {
        return Ok(share);
    }
    Err(item.refuse("at least 0", "a level with the part 0 is not measured, and follows from the others", mistakes))
}

fn read_range(item: &Item, place: &str, mistakes: &mut Mistakes) -> Result<Spanned<OutputRange>, Reported> {
    let entries = match item.value {
        DeValue::String(word) if word == "unbounded" => return Ok(item.put(OutputRange::Unbounded)),
        DeValue::Table(entries) => entries,
        _ => return Err(item.refuse("\"unbounded\" or a table with `lower` and `upper`", HELP_RANGE, mistakes)),
    };
    let place = format!("`range` in {place}");
    let table = Table::open(place.clone(), item.span.clone(), entries, &["lower", "upper"], mistakes);
    let lower = table.optional("lower", |item| item.number(mistakes));
    let upper = table.optional("upper", |item| item.number(mistakes));
    let (lower, upper) = (lower?, upper?);
    match (&lower, &upper) {
        (Some(lower), Some(upper)) if lower.value >= upper.value => Err(note_order(&place, lower, upper, mistakes)),
        (None, None) => Err(mistakes.note(&item.span, format!("{place} must have an end"), HELP_RANGE)),
        _ => {
            let (lower, upper) = (lower.map(|end| end.value), upper.map(|end| end.value));
            Ok(item.put(OutputRange::Declared { lower, upper }))
        }
    }
}
