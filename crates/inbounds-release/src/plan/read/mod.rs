//! From text to a draft: each table read on its own, every mistake noted.
//!
//! The rules that tie tables together need whatever could be read, so a draft keeps every part as a `Result`: an
//! `Err` is a part that is wrong and has been noted, and is not complained about twice.

mod cells;
mod column;
mod data;
mod derived;
mod finish;
mod gathered;
mod interval;
pub(super) mod key_value;
mod labels;
mod layout;
mod longer;
mod map;
mod margins;
mod names;
mod parameter;
pub(super) mod per_unit;
mod possible;
mod privacy;
mod public;
mod publication;
mod quality;
mod range;
mod rule;
mod statistic;
mod want;

use rule::PublicFiles;
use std::path::Path;

use inbounds_bundle::{PublicationEntry, QualityEntry};
use inbounds_data::{CellRules, Longer};
use inbounds_figures::FiguresFile;
use inbounds_input::document::{Document, Field, Mistakes, Reported, Spanned, Table, column_header, given};

use super::RowFormat;

pub(super) use column::ColumnDraft;
pub(super) use data::DataDraft;
pub(crate) use finish::Leftover;
pub(super) use finish::Parts;
pub(super) use interval::IntervalDraft;
pub(super) use names::names;
pub(crate) use privacy::UNDECIDED;
pub(super) use privacy::{HELP_UNIT, PrivacyDraft};
pub(super) use statistic::StatisticDraft;

/// The file that a plan stands in.
pub(super) const PLAN: Document = Document {
    noun: "plan",
    keys: &[
        "title",
        "interval",
        "joint",
        "unit_of_rows",
        "period",
        "source",
        "contact",
        "language",
        "quality",
        "quality_of",
        "suppress",
        "round",
        "data",
        "privacy",
        "columns",
        "per_unit",
        "statistic",
        "figure",
    ],
    former: &[],
    lists: &["statistic", "figure"],
    shape: "one of the tables [data], [privacy], [columns.NAME], [per_unit.NAME], [[statistic]] or [[figure]]",
};

/// A plan as far as it could be read.
pub(super) struct Draft {
    pub(super) title: Field<Spanned<String>>,
    /// Of what says nothing of its intervals.
    pub(super) interval: IntervalDraft,
    pub(super) publication: Result<PublicationEntry, Reported>,
    pub(super) quality: Field<QualityEntry>,
    /// Of what counts are shown as multiples.
    pub(super) round: Field<Spanned<u64>>,
    pub(super) data: Result<DataDraft, Reported>,
    pub(super) privacy: Result<PrivacyDraft, Reported>,
    pub(super) columns: Result<Vec<ColumnDraft>, Reported>,
    /// The columns of units, where the rows of each are made into one.
    pub(super) per_unit: Field<Vec<ColumnDraft>>,
    pub(super) statistics: Result<Vec<StatisticDraft>, Reported>,
    /// Figures that are made of their numbers.
    pub(super) figures: Field<FiguresFile>,
}

impl Draft {
    /// Reads the text of a plan, and the public files in a folder that its columns are looked up in and its rules stand
    /// in.
    pub(super) fn read(folder: &Path, mistakes: &mut Mistakes) -> Result<Self, Reported> {
        let tree = PLAN.parse(mistakes)?;
        let root = Table::open("the plan", 0..0, &tree, PLAN.keys, mistakes);
        let data = data::read(&root, mistakes);
        let files = PublicFiles::new(folder, &data);
        let statistics = statistic::read_all(&root, &files, mistakes);
        let mut columns = column::read_all(&root, &files, mistakes);
        if let (Ok(data), Ok(columns)) = (&data, &mut columns) {
            gathered::complete(given(&data.longer), columns);
        }
        let interval = IntervalDraft::read(&root, mistakes);
        let figures = FiguresFile::of_plan(&root, interval.usual(), folder, mistakes);
        let mut draft = Self {
            title: root.optional("title", |item| item.text("a title is for people: any words in quotes", mistakes)),
            interval,
            publication: publication::read(&root, mistakes),
            quality: quality::read(&root, mistakes),
            round: quality::round(&root, mistakes),
            data,
            privacy: privacy::read(&root, mistakes),
            columns,
            per_unit: Ok(None),
            statistics,
            figures,
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

    /// `true` if statistics read the rows themselves.
    pub(super) fn reads_rows(&self) -> bool {
        matches!(self.per_unit, Ok(None))
    }

    /// `true` if statistics may read a column without a table in the plan: one of data with types, unless they are of
    /// units.
    pub(super) fn may_be_undeclared(&self) -> bool {
        self.reads_rows() && self.columns.is_ok() && self.format().is_some() && self.untyped().is_none()
    }

    /// Name, in messages, of the table of a column that statistics read.
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
        let mut origins = vec![column.to_owned()];
        let mut next = 0;
        while let Some(name) = origins.get(next).cloned() {
            next += 1;
            let Some(Ok(Some(derived))) = self.row_column(&name).map(|column| &column.made) else { continue };
            let inputs = derived.inputs.iter().map(|input| input.value.clone());
            for input in inputs.chain(derived.rule.inputs().unwrap_or_default()) {
                if !origins.contains(&input) {
                    origins.push(input);
                }
            }
        }
        origins
    }

    /// The column that says how many rows each row stands for.
    pub(super) fn frequency(&self) -> Option<&Spanned<String>> {
        self.data.as_ref().ok().and_then(|data| given(&data.frequency))
    }

    /// `true` if the unit is not chosen yet.
    pub(super) fn is_undecided(&self) -> bool {
        self.privacy.as_ref().is_ok_and(|privacy| privacy.undecided.is_some())
    }

    /// Columns of the files that are gathered in one.
    pub(super) fn longer(&self) -> Option<&Spanned<Longer>> {
        self.data.as_ref().ok().and_then(|data| given(&data.longer))
    }

    /// Codes of a missing value in a column: its own list, or that of [data].
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
}
