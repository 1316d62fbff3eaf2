//! From text to a draft: each table read on its own, every mistake noted.
//!
//! The rules that tie tables together need whatever could be read, so a draft keeps every part as a `Result`: an
//! `Err` is a part that is wrong and has been noted, and is not complained about twice.

mod column;
mod data;
mod details;
mod privacy;
mod statistic;

use std::collections::HashSet;

use toml::de::DeTable;

use super::{
    Column, Data, Format, Privacy, Spanned, Statistic,
    mistake::{Mistake, Mistakes, Reported},
    table::{Field, Table},
};

pub(super) use super::kind::KindWord;
pub(super) use column::ColumnDraft;
pub(super) use data::DataDraft;
pub(super) use details::{Details, OfWord};
pub(super) use privacy::PrivacyDraft;
pub(super) use statistic::StatisticDraft;

/// A plan as far as it could be read.
pub(super) struct Draft {
    title: Field<Spanned<String>>,
    data: Result<DataDraft, Reported>,
    pub(super) privacy: Result<PrivacyDraft, Reported>,
    pub(super) columns: Result<Vec<ColumnDraft>, Reported>,
    pub(super) statistics: Result<Vec<StatisticDraft>, Reported>,
}

impl Draft {
    /// Reads the text of a plan.
    pub(super) fn read(mistakes: &mut Mistakes) -> Result<Self, Reported> {
        let tree = parse("plan", mistakes)?;
        let known = ["title", "data", "privacy", "columns", "statistic"];
        let root = Table::open("the plan", 0..0, &tree, &known, mistakes);
        Ok(Self {
            title: root.optional("title", |item| item.text("a title is for people: any words in quotes", mistakes)),
            data: data::read(&root, mistakes),
            privacy: privacy::read(&root, mistakes),
            columns: column::read_all(&root, mistakes),
            statistics: statistic::read_all(&root, mistakes),
        })
    }

    /// The column of this name, if the plan declares it.
    pub(super) fn column(&self, name: &str) -> Option<&ColumnDraft> {
        self.columns.iter().flatten().find(|column| column.name.value == name)
    }

    /// The format of the data, if it is known.
    pub(super) fn format(&self) -> Option<Format> {
        self.data.as_ref().ok()?.format.ok()
    }

    /// The finished parts of a plan, once nothing is wrong with any of them.
    pub(super) fn finish(self) -> Result<Parts, Reported> {
        Ok(Parts {
            title: self.title?.map(|title| title.value),
            data: self.data?.finish()?,
            privacy: self.privacy?.finish()?,
            columns: self.columns?.into_iter().map(ColumnDraft::finish).collect::<Result<_, _>>()?,
            statistics: self.statistics?.into_iter().map(StatisticDraft::finish).collect::<Result<_, _>>()?,
        })
    }
}

/// The parts of a [`Plan`](super::Plan) that come out of its tables.
pub(super) struct Parts {
    pub(super) title: Option<String>,
    pub(super) data: Data,
    pub(super) privacy: Privacy,
    pub(super) columns: Vec<Column>,
    pub(super) statistics: Vec<Statistic>,
}

/// The tree of a text that is TOML; what is not TOML is noted, once a line, and then nothing else is judged.
pub(crate) fn parse<'t>(what: &str, mistakes: &mut Mistakes<'t>) -> Result<DeTable<'t>, Reported> {
    let text = mistakes.text();
    let (tree, errors) = DeTable::parse_recoverable(text);
    let mut lines = HashSet::new();
    let mut outcome = Ok(tree.into_inner());
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        let message = format!("the {what} is not valid TOML: {}", error.message());
        let fraction = text.get(span.clone()).is_some_and(is_fraction);
        let help = fraction.then(|| "write a fraction in quotes, such as \"1/3\"".to_owned());
        let mistake = Mistake::at(text, &span, message, help);
        if lines.insert(mistake.line) {
            outcome = Err(mistakes.note_mistake(mistake));
        }
    }
    outcome
}

/// Whether a bare value looks like `1/3`.
fn is_fraction(written: &str) -> bool {
    written.contains('/') && written.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'.' | b' '))
}
