//! From text to a draft: each table read on its own, every mistake noted.
//!
//! The rules that tie tables together need whatever could be read, so a draft keeps every part as a `Result`: an
//! `Err` is a part that is wrong and has been noted, and is not complained about twice.

mod cells;
mod column;
mod data;
mod derived;
pub(super) mod key_value;
mod labels;
mod layout;
mod margins;
mod names;
pub(super) mod per_unit;
mod privacy;
mod public;
mod range;
mod rule;
mod statistic;
mod want;

use rule::PublicFiles;
use std::collections::HashSet;
use std::path::Path;

use inbounds_data::CellRules;
use inbounds_input::document::{
    Document, Field, Mistake, Mistakes, Regions, Reported, Spanned, Table, column_header, given,
};

use super::{Column, Data, Privacy, RowFormat, Statistic};

pub(super) use column::ColumnDraft;
pub(super) use data::DataDraft;
pub(super) use names::names;
pub(super) use privacy::PrivacyDraft;
pub(super) use statistic::StatisticDraft;

/// The file that a plan stands in.
pub(super) const PLAN: Document = Document {
    what: "plan",
    keys: &["title", "data", "privacy", "columns", "per_unit", "statistic"],
    former: &[],
    lists: &["statistic"],
    shape: "one of the tables [data], [privacy], [columns.NAME], [per_unit.NAME] or [[statistic]]",
};

/// A plan as far as it could be read.
pub(super) struct Draft {
    title: Field<Spanned<String>>,
    data: Result<DataDraft, Reported>,
    pub(super) privacy: Result<PrivacyDraft, Reported>,
    pub(super) columns: Result<Vec<ColumnDraft>, Reported>,
    /// The columns of units, where the rows of each are made into one.
    pub(super) per_unit: Field<Vec<ColumnDraft>>,
    pub(super) statistics: Result<Vec<StatisticDraft>, Reported>,
}

impl Draft {
    /// Reads the text of a plan, and the public files in a folder that its columns are looked up in and its rules stand
    /// in.
    pub(super) fn read(folder: &Path, mistakes: &mut Mistakes) -> Result<Self, Reported> {
        let tree = PLAN.parse(mistakes)?;
        let root = Table::open("the plan", 0..0, &tree, PLAN.keys, mistakes);
        let data = data::read(&root, mistakes);
        let statistics = statistic::read_all(&root, &PublicFiles::new(folder, &data), mistakes);
        let mut draft = Self {
            title: root.optional("title", |item| item.text("a title is for people: any words in quotes", mistakes)),
            data,
            privacy: privacy::read(&root, mistakes),
            columns: column::read_all(&root, mistakes),
            per_unit: Ok(None),
            statistics,
        };
        // Columns that are made of others take all columns, and cells of units take these.
        derived::complete(&mut draft, folder, mistakes);
        draft.per_unit = per_unit::read_all(&root, &draft.columns, mistakes);
        Ok(draft)
    }

    /// The column of this name that statistics can read, if the plan declares it.
    pub(super) fn column(&self, name: &str) -> Option<&ColumnDraft> {
        match &self.per_unit {
            Ok(None) => self.row_column(name),
            units => units.iter().flatten().flatten().find(|column| column.name.value == name),
        }
    }

    /// The column of this name in the rows of the data, if the plan declares it.
    pub(super) fn row_column(&self, name: &str) -> Option<&ColumnDraft> {
        self.columns.iter().flatten().find(|column| column.name.value == name)
    }

    /// Whether statistics read the rows themselves.
    fn reads_rows(&self) -> bool {
        matches!(self.per_unit, Ok(None))
    }

    /// Whether statistics may read a column of which the plan says nothing: one of data with types, unless they are of
    /// units.
    pub(super) fn may_be_undeclared(&self) -> bool {
        self.reads_rows() && self.columns.is_ok() && self.format().is_some() && self.untyped().is_none()
    }

    /// How messages name the table of a column that statistics read.
    pub(super) fn header(&self, name: &str) -> String {
        if self.reads_rows() { column_header(name) } else { per_unit::header(name) }
    }

    /// The format of the data, if it is known.
    pub(super) fn format(&self) -> Option<RowFormat> {
        self.data.as_ref().ok()?.format.ok()
    }

    /// The format of the data, where the plan has to say of which type columns are.
    pub(super) fn untyped(&self) -> Option<RowFormat> {
        self.data.as_ref().ok()?.untyped()
    }

    /// The columns of the rows that a column is made of, directly or through others, and itself.
    pub(super) fn origins(&self, column: &str) -> Vec<String> {
        let mut found = vec![column.to_owned()];
        let mut next = 0;
        while let Some(name) = found.get(next).cloned() {
            next += 1;
            let Some(Ok(Some(derived))) = self.row_column(&name).map(|column| &column.made) else { continue };
            let inputs = derived.inputs.iter().map(|input| input.value.clone());
            for input in inputs.chain(derived.rule.inputs().unwrap_or_default()) {
                if !found.contains(&input) {
                    found.push(input);
                }
            }
        }
        found
    }

    /// The column that says how many rows each row stands for.
    pub(super) fn frequency(&self) -> Option<&Spanned<String>> {
        self.data.as_ref().ok().and_then(|data| given(&data.frequency))
    }

    /// What stands for a missing value in a column: its own list, or that of [data].
    pub(super) fn missing_values(&self, column: &ColumnDraft) -> Vec<String> {
        let own = column.cells.as_ref().ok().and_then(|cells| cells.missing_values.as_ref());
        let of_all = self.data.as_ref().ok().and_then(|data| given(&data.missing_values));
        own.or(of_all).map(|codes| codes.value.iter().map(|code| code.value.clone()).collect()).unwrap_or_default()
    }

    /// The separator of decimals in columns that do not name their own.
    pub(super) fn decimal(&self) -> char {
        let decimal = self.data.as_ref().ok().and_then(DataDraft::decimal);
        decimal.unwrap_or(CellRules::default().decimal)
    }

    /// The finished parts of a plan, once nothing is wrong with any of them.
    pub(super) fn finish(self) -> Result<Parts, Reported> {
        let (privacy, statistics) = (self.privacy?.finish()?, self.statistics?.into_iter());
        Ok(Parts {
            title: self.title?.map(|title| title.value),
            data: self.data?.finish()?,
            columns: finished(self.columns?)?,
            per_unit: self.per_unit?.map(finished).transpose()?,
            statistics: statistics.map(|statistic| statistic.finish(&privacy.mechanism)).collect::<Result<_, _>>()?,
            privacy,
        })
    }
}

impl Draft {
    /// The parts in which nothing is wrong, and what the others name, if it is known where the data are.
    pub(super) fn finish_sound(self, text: &str, mistakes: &[Mistake]) -> Option<(Parts, Leftover)> {
        let regions = Regions::new(text, mistakes);
        let named = self.named();
        let data = self.data.ok()?.openable()?;
        let unit = self.privacy.as_ref().ok().and_then(|draft| draft.unit.as_ref().ok().cloned());
        let privacy = self.privacy.and_then(PrivacyDraft::finish).ok();
        let privacy = privacy.filter(|privacy| regions.sound(&privacy.epsilon.span));
        let columns = self.columns.unwrap_or_default();
        let (columns, wrong): (Vec<_>, Vec<_>) =
            columns.into_iter().partition(|column| regions.sound(&column.name.span));
        let mut wrong: HashSet<String> = wrong.into_iter().map(|column| column.name.value).collect();
        let columns = without_those_of(columns, &mut wrong);
        // Without its columns there is no table of units, and nothing of it can be judged.
        let per_unit = self.per_unit.ok()?;
        let per_unit = per_unit.map(|columns| {
            let (sound, unsound): (Vec<_>, Vec<_>) =
                columns.into_iter().partition(|column| regions.sound(&column.name.span) && !column.reads_any(&wrong));
            wrong = unsound.into_iter().map(|column| column.name.value).collect();
            sound
        });
        // A condition on a column that is declared wrongly cannot be judged.
        let is_judged = |condition: &&Spanned<String>| !wrong.iter().any(|name| condition.value.contains(name));
        let fits = |statistic: &StatisticDraft| {
            let by = given(&statistic.by).into_iter().flat_map(|by| &by.value);
            regions.sound(&statistic.span)
                && given(&statistic.filter).as_ref().is_none_or(is_judged)
                && statistic.columns().iter().chain(by).all(|column| !wrong.contains(&column.value))
        };
        let (fitting, others): (Vec<_>, Vec<_>) = self.statistics.unwrap_or_default().into_iter().partition(fits);
        let conditions = others.iter().filter_map(|statistic| given(&statistic.filter)).filter(is_judged);
        let left = Leftover { privacy: privacy.is_none(), named, conditions: conditions.cloned().collect() };
        let privacy = privacy.unwrap_or_else(|| privacy::stand_in(unit));
        let fitting = fitting.into_iter().filter_map(|statistic| statistic.finish(&privacy.mechanism).ok());
        let parts = Parts {
            title: None,
            data,
            columns: finished(columns).ok()?,
            per_unit: per_unit.map(finished).transpose().ok()?,
            statistics: fitting.collect(),
            privacy,
        };
        Some((parts, left))
    }

    /// Every column that the plan names, wherever it could be read.
    fn named(&self) -> Vec<Spanned<String>> {
        let unit = self.privacy.as_ref().ok().and_then(|draft| draft.unit_column.as_ref());
        let declared = self.columns.iter().flatten().map(|column| &column.name);
        let used = self.statistics.iter().flatten().flat_map(|statistic| {
            let by = given(&statistic.by).into_iter().flat_map(|by| &by.value);
            statistic.columns().iter().chain(by)
        });
        let of_units = self.per_unit.iter().flatten().flatten().filter_map(|column| given(&column.per_unit));
        let taken = of_units.flat_map(|taken| taken.from.iter().chain(&taken.order));
        let used = used.filter(|_| self.reads_rows());
        // What is wrong with a rule has been noted; that its column is not in the data would follow.
        let is_made = |name: &&Spanned<String>| {
            self.row_column(&name.value).is_some_and(|column| !matches!(column.derived, Ok(None)))
        };
        unit.into_iter().chain(declared).chain(used).chain(taken).filter(|name| !is_made(name)).cloned().collect()
    }
}

/// The columns that are made of none that is wrong; those that are count as wrong too.
fn without_those_of(mut columns: Vec<ColumnDraft>, wrong: &mut HashSet<String>) -> Vec<ColumnDraft> {
    loop {
        let is_made_of_wrong = |column: &ColumnDraft| {
            let inputs = given(&column.derived).map(derived::DerivedDraft::inputs).unwrap_or_default();
            inputs.iter().any(|input| wrong.contains(&input.value))
        };
        let (more, sound): (Vec<_>, Vec<_>) = columns.into_iter().partition(is_made_of_wrong);
        if more.is_empty() {
            return sound;
        }
        wrong.extend(more.into_iter().map(|column| column.name.value));
        columns = sound;
    }
}

/// What the wrong parts of a plan say that can be held against the data all the same.
pub(crate) struct Leftover {
    /// Whether [privacy] is among the wrong parts, without which no statistic can be prepared.
    pub(crate) privacy: bool,
    /// Every column that the plan names, in sound parts too.
    pub(crate) named: Vec<Spanned<String>>,
    /// Conditions of statistics that are not among the sound parts.
    pub(crate) conditions: Vec<Spanned<String>>,
}

/// The parts of a [`Plan`](super::Plan) that come out of its tables.
pub(super) struct Parts {
    pub(super) title: Option<String>,
    pub(super) data: Data,
    pub(super) privacy: Privacy,
    pub(super) columns: Vec<Column>,
    pub(super) per_unit: Option<Vec<Column>>,
    pub(super) statistics: Vec<Statistic>,
}

fn finished(columns: Vec<ColumnDraft>) -> Result<Vec<Column>, Reported> {
    columns.into_iter().map(ColumnDraft::finish).collect()
}
