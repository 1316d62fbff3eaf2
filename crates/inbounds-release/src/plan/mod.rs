//! Reading a plan: the TOML file that says what to release, of which data, under which protection.
//!
//! A plan goes through three stages, each its own module:
//!
//! - `read` takes each table of the spanned TOML tree on its own and keeps whatever could be read;
//! - `rules` compares the tables with one another;
//! - `resolve` compares the plan with the schema of the data.
//!
//! All mistakes are collected, not only the first. Numbers that privacy or exactness rest on are read from their
//! decimal text into [`Rational`](inbounds_core::Rational); no double is made on the way.

mod column;
pub(crate) mod columns;
mod data;
mod derived;
mod domain;
mod fit;
mod granularity;
mod interval;
mod kinds;
mod levels;
mod margins;
mod mechanism_choice;
mod per_unit;
mod possible;
mod possible_file;
mod privacy;
mod public_numbers;
mod read;
mod rejected;
mod resolve;
mod rules;
mod statistic;
mod want;

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

pub use column::{Bounds, Column, ColumnCells, PublicMap, SetOfValues};
pub use data::Data;
pub(crate) use data::Frequency;
pub use derived::Derived;
pub(crate) use domain::domain;
pub use granularity::Granularity;
pub use inbounds_bundle::{PerUnitWord, PublicationEntry, QualityEntry};
use inbounds_core::Approval;
pub use inbounds_data::{
    CellRules, DateFormat, DatePart, Day, KeyValue, Kind, Negative, NumberStyle, RowFormat, TextEncoding, TextLayout,
};
use inbounds_data::{DataError, Keys, MemoryRows, Shares};
pub use inbounds_input::document::{DocumentErrors, MOST_MISTAKES, Mistake, PlacedMistake, Spanned};
use inbounds_project::table::Axes;
use inbounds_statistics::Estimate;
pub use inbounds_statistics::{Missing, OutputRange};
pub use interval::IntervalChoice;
pub(crate) use kinds::{AtLevels, Setup};
pub use kinds::{
    CellTotal, Combination, Correlation, Count, Covariance, DescribedClass, Histogram, Mean, NaiveBayes, Proportion,
    ProportionRule, Quantile, StandardDeviation, StatisticKind, Sum, Units, Variance, kinds,
};
pub use levels::{LevelShares, Levels};
pub use margins::{CountedMargins, MarginColumns, MarginShares, Margins};
pub(crate) use margins::{beside_large, largest_margins};
pub use mechanism_choice::{MechanismChoice, RuleFile};
pub use per_unit::TakenPerUnit;
pub(crate) use per_unit::adds_without_bounds;
pub(crate) use possible::{Cells, OfPlan};
pub use possible_file::PossibleFile;
pub use privacy::{GrantedEpsilon, MostOfUnit, Privacy, Sharing, Unit};
pub use public_numbers::{PublicCells, PublicNumbers};
pub(crate) use read::UNDECIDED;
pub use statistic::Statistic;
pub use want::{PublicMoments, Want, WantedError};

pub use inbounds_reconcile::Fit;

use inbounds_bundle::digest::sha256;
use inbounds_figures::FiguresFile;
use inbounds_input::document::Mistakes;
pub(crate) use rejected::{Rejected, Sound};

/// A plan in which nothing is wrong that can be judged without the data.
///
/// The fields are plain records. What may turn out not to fit the data carries its place ([`Spanned`]), and
/// [`Plan::mistake`] and [`Plan::errors`] report it in the same form as the reader's own mistakes.
///
/// # Example
/// ```
/// use inbounds_core::Rational;
/// use inbounds_release::plan::{GrantedEpsilon, Plan};
/// use std::path::Path;
/// let text = r#"
///     [data]
///     path = "people.parquet"
///     [privacy]
///     unit = "row"
///     neighbours = "add-remove"
///     epsilon = "1/3"
///     [[statistic]]
///     name = "people"
///     kind = "count"
/// "#;
/// let plan = Plan::parse(text, Path::new("plans"))?;
/// assert!(matches!(&plan.privacy.epsilon.value, GrantedEpsilon::Given(epsilon) if *epsilon.value() == Rational::ratio(1, 3)));
/// assert_eq!(plan.locate(&plan.data.path.value), Path::new("plans/people.parquet"));
/// # Ok::<(), inbounds_release::plan::DocumentErrors>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Plan {
    /// Title for people, if any.
    pub title: Option<String>,
    /// Subject of the numbers, for their readers.
    pub publication: PublicationEntry,
    /// Classes of the numbers by their relative error, if it has any.
    pub quality: Option<QualityEntry>,
    /// Of what page and workbook show counts as multiples, if they do.
    pub round: Option<u64>,
    /// Where the rows are.
    pub data: Data,
    /// Who is protected, and how well.
    pub privacy: Privacy,
    /// Columns of the plan, in the order of the text.
    pub columns: Vec<Column>,
    /// The columns of units, in the order of the text, where the rows of each unit are first made into one.
    pub per_unit: Option<Vec<Column>>,
    /// Statistics to release, in the order of the text; at least one.
    pub statistics: Vec<Statistic>,
    /// Figures to make of their numbers, if any.
    pub figures: Option<FiguresFile>,
    /// Which intervals there are where a statistic or a figure says nothing else.
    pub interval: IntervalChoice,
    /// Folder to which the paths of the plan are relative.
    pub folder: PathBuf,
    /// SHA-256 of the plan's exact bytes, in lower-case hexadecimal.
    pub digest: String,
    /// Rows in memory, which take the place of those at [`Data::path`].
    pub rows: Option<MemoryRows>,
    /// True if rows that statistics leave out are counted where that costs nothing. They are, unless an audit compares
    /// bundles of rows that differ in nothing else.
    pub counts_left_out: bool,
    /// Approval under which it is released: the release is refused unless the plan, with the public files that it
    /// names, has the approved digest.
    pub approval: Option<Approval>,
    /// Shares of rows that are elsewhere, for [`OpenedPlan::question`](crate::OpenedPlan::question).
    pub shares: Option<Arc<Shares>>,
    name: String,
    text: String,
}

impl Plan {
    /// Reads a plan file. Its folder becomes [`Plan::folder`].
    ///
    /// # Errors
    /// [`DocumentErrors`] with every mistake found; also where the file cannot be read or is not UTF-8 text.
    pub fn read(path: &Path) -> Result<Self, DocumentErrors> {
        let text = read::PLAN.read(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::from_text(&path.display().to_string(), text, folder)
    }

    /// Reads a plan from its text, with paths relative to `folder`. Mistakes go by the file name `plan.toml`.
    ///
    /// # Errors
    /// [`DocumentErrors`] with every mistake found.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, DocumentErrors> {
        Self::from_text("plan.toml", text.to_owned(), folder)
    }

    fn from_text(name: &str, text: String, folder: &Path) -> Result<Self, DocumentErrors> {
        Self::read_text(name, text, folder).map_err(Rejected::into_errors)
    }

    /// Reads a plan file; if it has mistakes, also what is right of it.
    pub(crate) fn read_far(path: &Path) -> Result<Self, Rejected> {
        let text = read::PLAN.read(path).map_err(Rejected::Unread)?;
        Self::read_text(&path.display().to_string(), text, path.parent().unwrap_or(Path::new("")))
    }

    /// Reads a plan from its text; if it has mistakes, also what is right of it.
    pub(crate) fn parse_far(name: &str, text: &str, folder: &Path) -> Result<Self, Rejected> {
        Self::read_text(name, text.to_owned(), folder)
    }

    /// This plan, of rows in memory in place of those at its path. Cells are read by the same rules; nothing that is
    /// said of the layout of text applies.
    pub fn with_rows(mut self, rows: MemoryRows) -> Self {
        self.data.format = RowFormat::Memory;
        self.data.text = TextLayout::default();
        self.rows = Some(rows);
        self
    }

    fn read_text(name: &str, text: String, folder: &Path) -> Result<Self, Rejected> {
        let mut mistakes = Mistakes::new(&text);
        let parts = read::Draft::read(folder, &mut mistakes).ok().and_then(|draft| {
            rules::check(&draft, &mut mistakes);
            if mistakes.is_empty() {
                draft.finish().ok().map(|parts| (parts, None))
            } else {
                draft.finish_sound(&text, mistakes.list()).map(|(parts, left)| (parts, Some(left)))
            }
        });
        let mistakes = mistakes.into_list();
        let plan = |parts: read::Parts| Self {
            title: parts.title,
            publication: parts.publication,
            quality: parts.quality,
            round: parts.round,
            data: parts.data,
            privacy: parts.privacy,
            columns: parts.columns,
            per_unit: parts.per_unit,
            statistics: parts.statistics,
            figures: parts.figures,
            interval: parts.interval,
            folder: folder.to_owned(),
            digest: sha256(text.as_bytes()),
            rows: None,
            counts_left_out: true,
            approval: None,
            shares: None,
            name: name.to_owned(),
            text: text.clone(),
        };
        // What cannot be finished has been noted, so the list of mistakes is never empty.
        let sound = match parts {
            Some((parts, None)) => return Ok(plan(parts)),
            Some((parts, Some(left))) => Some(Box::new(Sound { plan: plan(parts), left })),
            None => None,
        };
        Err(Rejected::Mistaken { name: name.to_owned(), text, mistakes, sound })
    }

    /// A path of the plan, seen from where the program runs. An absolute path and the URL of an object stay as they
    /// are; `file:///` leads to a file of this machine.
    pub fn locate(&self, path: &str) -> PathBuf {
        inbounds_input::located(&self.folder, path)
    }

    /// The plan's description of a column that statistics can read.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.read_columns().iter().find(|column| column.name.value == name)
    }

    /// The columns that statistics can read, as far as the plan says something of them: those of units, if there are
    /// any.
    pub fn read_columns(&self) -> &[Column] {
        self.per_unit.as_deref().unwrap_or(&self.columns)
    }

    /// The plan's description of a column of the rows.
    pub fn row_column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name.value == name)
    }

    /// Spelling of the cells of a column of the rows, with or without a table for it in the plan.
    pub fn cell_rules(&self, name: &str) -> CellRules {
        let bare = ColumnCells::default();
        let cells = self.row_column(name).map_or(&bare, |column| &column.cells);
        let missing = cells.missing_values.as_ref().map_or(&self.data.missing_values, |own| &own.value);
        let default = CellRules::default();
        let mut number = cells.number.as_ref().map(|number| number.value.clone()).unwrap_or_default();
        let decimal = cells.decimal.as_ref().or(self.data.decimal.as_ref()).map(|separator| separator.value);
        number.either_decimal |= self.data.reads_either(decimal);
        CellRules {
            trim: cells.trim.as_ref().map_or(default.trim, |trim| trim.value),
            missing: missing.iter().map(|code| code.value.clone()).collect(),
            thousands: cells.thousands.as_ref().map(|separator| separator.value),
            decimal: decimal.unwrap_or(default.decimal),
            number,
            date: cells.date.as_ref().map(|date| date.value.clone()).unwrap_or_default(),
        }
    }

    /// Spelling of keys of a column that statistics group by: that of the cells from which it is taken.
    pub(crate) fn rules_of_keys(&self, name: &str) -> CellRules {
        let Some(columns) = &self.per_unit else { return self.cell_rules(name) };
        let taken = columns.iter().find(|column| column.name.value == name).and_then(|column| column.per_unit.as_ref());
        let from = taken.filter(|taken| taken.take.value.is_cell()).and_then(|taken| taken.from.as_ref());
        from.map_or_else(CellRules::default, |from| self.cell_rules(&from.value))
    }

    /// The cells of a statistic whose grouping columns list their values: every combination that the rules of the plan
    /// let a row have, the first column changing slowest. `None` if the statistic has no `by`, takes its cells from a
    /// key file or learns them, or if its margins are counted one by one ([`Plan::listed_margins`]).
    ///
    /// The list is at most ten million cells long; the reader refuses plans with more.
    ///
    /// # Example
    /// ```
    /// # use inbounds_release::plan::{KeyValue, Plan};
    /// # let text = "data = { path = 'a.parquet', types = 'public' }\ncolumns.ward.values = [1, 2]\ncolumns.open.values = [true, false]\n\
    /// #     [privacy]\nunit = 'row'\nneighbours = 'add-remove'\nepsilon = 1\n\
    /// #     [[statistic]]\nname = 'a'\nkind = 'count'\nby = ['ward', 'open']";
    /// # let plan = Plan::parse(text, ".".as_ref())?;
    /// // by = ["ward", "open"], where ward has values = [1, 2] and open has values = [true, false]
    /// let keys = plan.listed_keys(&plan.statistics[0]).expect("both columns list their values");
    /// assert_eq!(keys?.row(1).to_vec(), [KeyValue::Integer(1), KeyValue::Boolean(false)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`DataError::Keys`] of a list that is none.
    pub fn listed_keys(&self, statistic: &Statistic) -> Option<Result<Keys, DataError>> {
        if self.listed_margins(statistic).is_some() {
            return None;
        }
        let columns = statistic.by.iter().map(|column| column.value.clone()).collect();
        Some(self.cells(statistic)?.keys(columns))
    }

    /// The margins that are counted: those that are part of no other, where a unit is one row and they have fewer cells
    /// than the table. `None` where the cells of the table are counted, or a statistic has no margins.
    ///
    /// # Example
    /// ```
    /// # use inbounds_release::plan::{KeyValue, Plan};
    /// # let text = "data = { path = 'a.parquet', types = 'public' }\ncolumns.ward.values = [1, 2, 3]\ncolumns.open.values = [true, false]\n\
    /// #     [privacy]\nunit = 'row'\nneighbours = 'add-remove'\nepsilon = 1\n\
    /// #     [[statistic]]\nname = 'a'\nkind = 'count'\nby = ['ward', 'open']\nmargins = [['ward'], ['open'], []]";
    /// # let plan = Plan::parse(text, ".".as_ref())?;
    /// // by = ["ward", "open"] and margins = [["ward"], ["open"], []]
    /// let counted = plan.listed_margins(&plan.statistics[0]).expect("fewer cells than the table");
    /// assert_eq!((counted.values[0].len(), counted.margins), (3, vec![vec![0], vec![1]]));
    /// # Ok::<(), inbounds_release::plan::DocumentErrors>(())
    /// ```
    pub fn listed_margins(&self, statistic: &Statistic) -> Option<CountedMargins> {
        let margins =
            statistic.margins.as_ref().filter(|_| statistic.levels.is_none() && self.privacy.unit.bound().is_none())?;
        let possible = self.cells(statistic).filter(Cells::are_all)?;
        let values = possible.values();
        let largest = largest_margins(&margins.sets.value, &statistic.by)?;
        let cells = |axes: &Axes| axes.iter().fold(1_usize, |cells, axis| cells.saturating_mul(values[axis].len()));
        let counted = largest.iter().map(cells).fold(0, usize::saturating_add);
        let is_less = counted < cells(&Axes::new(0..values.len())) && !largest.contains(&Axes::NONE);
        is_less.then(|| CountedMargins {
            values: values.to_vec(),
            margins: largest.iter().map(|axes| axes.iter().collect()).collect(),
        })
    }

    /// Number of first grouping columns that identify the cells that a key file lists: all, or those down to the last
    /// level where a statistic has tables at every level.
    pub(crate) fn columns_of_places(&self, statistic: &Statistic) -> usize {
        let all = statistic.by.len();
        let last =
            statistic.levels.as_ref().filter(|_| statistic.margins.is_some()).and_then(|levels| levels.names.last());
        last.map_or(all, |last| {
            statistic.by.iter().position(|column| column.value == last.value).map_or(0, |place| place + 1)
        })
    }

    /// The class of the relative error of an estimate, if the plan has classes.
    pub fn class_of(&self, estimate: &Estimate) -> Option<&str> {
        let Estimate { value, lower, upper, rmse_at_estimate, .. } = *estimate;
        self.quality.as_ref().map(|quality| quality.class_of(value, (lower, upper), rmse_at_estimate))
    }

    /// The values that a column lists.
    pub(crate) fn listed_values(&self, name: &str) -> Vec<KeyValue> {
        let values = self.column(name).and_then(|column| column.values.as_ref());
        values.map_or_else(Vec::new, |values| values.iter().map(|value| value.value.clone()).collect())
    }

    /// Most cells that a statistic can have.
    pub(crate) const MOST_CELLS: usize = 10_000_000;

    /// Most cells of tables at every level whose places a file lists.
    pub(crate) const MOST_CELLS_AT_PLACES: usize = 30_000_000;

    /// The cells of a statistic, where all grouping columns list values.
    pub(crate) fn cells(&self, statistic: &Statistic) -> Option<Cells> {
        if statistic.by.is_empty() || statistic.keys.is_some() || statistic.learn_keys.value.is_some() {
            return None;
        }
        let values = |name: &Spanned<String>| {
            let values = self.column(&name.value)?.values.as_ref()?;
            Some(values.iter().map(|value| value.value.clone()).collect())
        };
        let values = statistic.by.iter().map(values).collect::<Option<_>>()?;
        Some(self.possible(statistic, values))
    }

    /// Which of some values of its grouping columns can stand in one row.
    pub(crate) fn possible(&self, statistic: &Statistic, values: Vec<Vec<KeyValue>>) -> Cells {
        let columns: Vec<&str> = statistic.by.iter().map(|column| column.value.as_str()).collect();
        let cells = Cells::new(&columns, values, &OfPlan(self));
        statistic.possible.iter().fold(cells, |cells, file| cells.restricted(&columns, file))
    }

    /// Compares the plan with the schema of the data: columns that are missing, types that contradict the plan, and
    /// columns whose type does not suit their use. Empty if all is well; sorted by place.
    ///
    /// A use is judged by the type in the data only where the plan declares none: the reader has judged the others,
    /// and a declared type that is not that of the data is a mistake of its own. Declaring `number` over integers is
    /// allowed.
    ///
    /// # Example
    /// ```
    /// # use inbounds_release::plan::{Kind, Plan};
    /// # let text = "data = { path = 'a.parquet', types = 'public' }\ncolumns.age = { lower = 0, upper = 110, missing = 'drop' }\n\
    /// #     [privacy]\nunit = 'row'\nneighbours = 'add-remove'\nepsilon = 1\n\
    /// #     [[statistic]]\nname = 'a'\nkind = 'sum'\ncolumn = 'age'";
    /// # let plan = Plan::parse(text, ".".as_ref())?;
    /// // the sum of a column `age`
    /// assert!(plan.resolve(&[("age".to_owned(), Kind::Integer)]).is_empty());
    /// let mistakes = plan.resolve(&[("ages".to_owned(), Kind::Integer)]);
    /// assert_eq!(mistakes[0].help.as_deref(), Some("did you mean `ages`?"));
    /// assert!(plan.errors(mistakes).to_string().contains("the data must have a column `age`"));
    /// # Ok::<(), inbounds_release::plan::DocumentErrors>(())
    /// ```
    pub fn resolve(&self, schema: &[(String, Kind)]) -> Vec<Mistake> {
        resolve::resolve(self, schema, &[])
    }

    /// The same, and of further columns whether they are in the data.
    pub(crate) fn resolve_with(&self, schema: &[(String, Kind)], named: &[Spanned<String>]) -> Vec<Mistake> {
        resolve::resolve(self, schema, named)
    }

    /// Mistake of a schema that cannot be that of the data, because no column has a name that the plan uses, or one
    /// that is `named` besides. Formats with a schema are always right.
    pub(crate) fn first_line_mistake(&self, schema: &[(String, Kind)], named: &[Spanned<String>]) -> Option<Mistake> {
        resolve::first_line(self, schema, named)
    }

    /// Names of the statistics at these places.
    pub(crate) fn statistic_names(&self, places: &[usize]) -> Vec<String> {
        places.iter().map(|place| self.statistics[*place].name.value.clone()).collect()
    }

    /// A mistake at a place of this plan, found by a later phase.
    pub fn mistake(&self, span: Range<usize>, message: impl Into<String>, help: Option<String>) -> Mistake {
        Mistake::at(&span, message, help)
    }

    /// Mistakes of this plan as an error, sorted by place.
    pub fn errors(&self, mistakes: Vec<Mistake>) -> DocumentErrors {
        DocumentErrors::new(&self.name, &self.text, mistakes)
    }

    /// Refuses a plan whose author has not chosen the unit of privacy yet.
    pub(crate) fn decided(&self) -> Result<(), DocumentErrors> {
        let Some(place) = &self.privacy.undecided else { return Ok(()) };
        let message = "nobody has chosen whose data the guarantee hides, so that nothing is released";
        Err(self.errors(vec![Mistake::at(place, message, Some(read::HELP_UNIT.to_owned()))]))
    }

    /// The whole text of the plan, as read, byte for byte.
    pub fn text(&self) -> &str {
        &self.text
    }
}
