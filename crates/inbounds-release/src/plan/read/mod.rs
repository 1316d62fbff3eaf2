//! From text to a draft: each table read on its own, every mistake noted.
//!
//! The rules that tie tables together need whatever could be read, so a draft keeps every part as a `Result`: an
//! `Err` is a part that is wrong and has been noted, and is not complained about twice.

mod cells;
mod column;
mod data;
mod details;
mod key_value;
mod labels;
mod privacy;
mod statistic;

use std::collections::HashSet;

use inbounds_input::document::{Document, Field, Mistake, Mistakes, Regions, Reported, Spanned, Table, given};

use super::{Column, Data, Format, Privacy, Statistic};

pub(super) use super::kind::KindWord;
pub(super) use column::ColumnDraft;
pub(super) use data::DataDraft;
pub(super) use details::{Details, OfWord};
pub(super) use privacy::PrivacyDraft;
pub(super) use statistic::StatisticDraft;

/// The file that a plan stands in.
pub(super) const PLAN: Document = Document {
    what: "plan",
    keys: &["title", "data", "privacy", "columns", "statistic"],
    former: &[],
    shape: "one of the tables [data], [privacy], [columns.NAME] or [[statistic]]",
};

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
        let tree = PLAN.parse(mistakes)?;
        let root = Table::open("the plan", 0..0, &tree, PLAN.keys, mistakes);
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

impl Draft {
    /// The parts in which nothing is wrong, if there is a statistic among them and nothing is wrong with what all share.
    pub(super) fn finish_sound(self, text: &str, mistakes: &[Mistake]) -> Option<Parts> {
        let regions = Regions::new(text, mistakes);
        let (data, privacy) = (self.data.ok()?.finish().ok()?, self.privacy.ok()?.finish().ok()?);
        if ![&data.path.span, &privacy.epsilon.span].into_iter().all(|span| regions.sound(span)) {
            return None;
        }
        let (columns, wrong): (Vec<_>, Vec<_>) =
            self.columns.ok()?.into_iter().partition(|column| regions.sound(&column.name.span));
        let wrong: HashSet<String> = wrong.into_iter().map(|column| column.name.value).collect();
        let fits = |statistic: &StatisticDraft| {
            let by = given(&statistic.by).into_iter().flat_map(|by| &by.value);
            regions.sound(&statistic.span)
                && statistic.columns().into_iter().chain(by).all(|column| !wrong.contains(&column.value))
        };
        let statistics = self.statistics.ok()?.into_iter().filter(fits);
        let statistics: Vec<Statistic> = statistics.filter_map(|statistic| statistic.finish().ok()).collect();
        (!statistics.is_empty()).then_some(())?;
        Some(Parts {
            title: None,
            data,
            privacy,
            columns: columns.into_iter().map(ColumnDraft::finish).collect::<Result<_, _>>().ok()?,
            statistics,
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
