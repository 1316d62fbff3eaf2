//! Exact numbers about the rows, for the eyes of the curator who may see the rows themselves. **Not private.**
//!
//! The one way besides a mechanism on which private numbers leave the type [`Answer`]: `exact`. Nothing of it enters a
//! bundle, and no call fails for what the cells hold.

mod spellings;

use inbounds_bundle::PerUnitEntry;
use inbounds_core::Answer;
pub use inbounds_data::Kind;
use inbounds_data::{Bounded, Engine as _, FileEngine, KeyValue, Questions, Source, Survey, UnitMemory};
use serde::Serialize;

use self::spellings::Spellings;
pub use self::spellings::{PeekedSpelling, PeekedSpellings};
use crate::{
    OpenedPlan, ReleaseError,
    bundle::per_unit,
    open_data::source,
    plan::{Frequency, Plan},
};

/// Exact contents of the cells, under the words of the plan. **Private.**
#[derive(Serialize)]
pub struct Peek {
    /// Rule that made one row of the rows of each unit, if there is one: a row is then a unit.
    pub per_unit: Option<PerUnitEntry>,
    /// Rows that were read.
    pub rows: u64,
    /// The rows of the data that stand for them, if each stands for several.
    pub frequency: Option<PeekedFrequency>,
    /// Rows that can count, where a column names the privacy unit; none where a row is the unit.
    pub counting: Option<PeekedUnits>,
    /// Number of rows that the plan says, if it does.
    pub public_rows: Option<u64>,
    /// Least and largest number of rows that the plan expects, if it does.
    pub expected_rows: Option<(u64, u64)>,
    /// One a grouping column.
    pub listed: Vec<PeekedKeys>,
    /// One a column whose numbers are read.
    pub columns: Vec<PeekedColumn>,
}

/// Rows of the data, each of which stands for as many rows as a column says.
#[derive(Serialize)]
pub struct PeekedFrequency {
    /// Number of rows of the data.
    pub lines: u64,
    /// How their cells of the column are read: counts of rows of the data, not of rows that they stand for.
    pub column: PeekedColumn,
    /// Rows that one without a readable number stands for; none where it is left out.
    pub missing: Option<i64>,
}

/// Rows that the privacy unit keeps.
#[derive(Serialize)]
pub struct PeekedUnits {
    /// The column of the unit.
    pub column: String,
    /// Most rows of a unit that count.
    pub max_rows: u64,
    /// Rows of readable units, at most this many each.
    pub rows: u64,
}

/// The cells of a grouping column.
#[derive(Serialize)]
pub struct PeekedKeys {
    /// Its name.
    pub column: String,
    /// Type by which the plan reads it.
    #[serde(serialize_with = "word_of_type")]
    pub column_type: Kind,
    /// True if the missing cell is a listed key, so that empty cells and codes for missing are listed.
    pub lists_missing: bool,
    /// Rows with a listed key.
    pub listed: u64,
    /// Rows with another, or with a code for missing that is not listed.
    pub unlisted: u64,
    /// Rows with an empty cell that is not listed.
    pub empty: u64,
    /// True if a cell holds several answers, of which `others` counts each by itself.
    pub answers: bool,
    /// Contents of the cells that are neither listed nor missing; none of a column that the plan makes of others.
    pub others: Option<PeekedSpellings>,
}

/// The cells of a column whose numbers are read.
#[derive(Serialize)]
pub struct PeekedColumn {
    /// Its name.
    pub column: String,
    /// Type by which the plan reads it.
    #[serde(serialize_with = "word_of_type")]
    pub column_type: Kind,
    /// Its bounds, or the outer edges of its bins.
    pub bounds: (f64, f64),
    /// Rows with a number below the bounds.
    pub below: u64,
    /// Rows with a number within them.
    pub within: u64,
    /// Rows with a number above them.
    pub above: u64,
    /// Rows with an empty cell that has no number by the rule of a column.
    pub empty: u64,
    /// Rows with a cell that is missing without being empty: no number, or a code for missing.
    pub unreadable: u64,
    /// Contents of the cells that are no numbers and no codes; none of a column that the plan makes of others.
    pub others: Option<PeekedSpellings>,
}

/// Counts what the cells of a plan's data hold: all rows, without conditions and without a bound on the rows of a unit.
/// Columns with cells that the plan cannot use are read once more, for their spellings.
///
/// # Errors
/// [`ReleaseError`]: a plan that is wrong or files that cannot be read. None depends on the value of a cell.
pub fn peek(plan: &Plan, memory: &UnitMemory) -> Result<Peek, ReleaseError> {
    let mut opened = OpenedPlan::new(plan)?;
    opened.engine.limit_units(memory);
    let survey = Survey { rows: true, empty: true, bound: None, ..opened.survey.clone() };
    let bound = opened.survey.bound.as_ref();
    let bounded = bound.map(|bound| Survey { rows: true, bound: Some(bound.clone()), ..Survey::default() });
    let surveys = std::iter::once(&survey).chain(&bounded).collect();
    let answers = opened.engine.answer(&Questions { surveys, ..Questions::default() })?;
    let mut answers = answers.surveys.into_iter().map(exact);
    let mut counts = answers.next().expect("one answer for each survey").into_iter();
    let counting = bound.zip(answers.next()).map(|(bound, counts)| PeekedUnits {
        column: bound.unit.clone(),
        max_rows: bound.rows,
        rows: counts[0],
    });
    let mut next = || counts.next().expect("as many counts as the survey asks for");
    let rows = next();
    let listed: Vec<u64> = survey.listed.iter().map(|_| next()).collect();
    let bounded: Vec<[u64; 3]> = survey.bounded.iter().map(|_| [next(), next(), next()]).collect();
    let spellings = Spellings::new(plan, opened.engine.columns());
    let keys = survey.listed.iter().zip(listed).map(|(keys, listed)| {
        let (column, empty) = (keys.columns()[0].clone(), next());
        let unlisted = rows - listed - empty;
        let answers = spellings.separator(&column).is_some();
        let others = if answers || unlisted > 0 { spellings.not_listed(keys)? } else { None };
        let lists_missing = keys.values(0).any(|value| *value == KeyValue::Missing);
        let column_type = spellings.kind(&column);
        Ok(PeekedKeys { column, column_type, lists_missing, listed, unlisted, empty, answers, others })
    });
    let listed: Vec<PeekedKeys> = keys.collect::<Result<_, ReleaseError>>()?;
    let columns = survey
        .bounded
        .iter()
        .zip(bounded)
        .map(|(bounded, numbers)| PeekedColumn::new(bounded, (rows, numbers, next()), &spellings));
    let columns: Vec<PeekedColumn> = columns.collect::<Result<_, ReleaseError>>()?;
    Ok(Peek {
        per_unit: per_unit(plan),
        rows,
        frequency: plan.frequency().map(|frequency| frequency_of(plan, &frequency, &spellings)).transpose()?,
        counting,
        public_rows: opened.design.rows,
        expected_rows: plan.data.expect_rows.as_ref().map(|expected| expected.value),
        columns,
        listed,
    })
}

impl PeekedColumn {
    /// Of all rows: those with a number below the bounds, within and above them, and those with an empty cell.
    fn new(
        bounded: &Bounded,
        (rows, [below, within, above], empty): (u64, [u64; 3], u64),
        spellings: &Spellings,
    ) -> Result<Self, ReleaseError> {
        let column = bounded.column.clone();
        let unreadable = rows - below - within - above - empty;
        let others = if unreadable > 0 { spellings.no_numbers(&column)? } else { None };
        let (column_type, bounds) = (spellings.kind(&column), (bounded.lower, bounded.upper));
        Ok(Self { column, column_type, bounds, below, within, above, empty, unreadable, others })
    }
}

/// How the cells are read that say how many rows each row of the data stands for.
fn frequency_of(
    plan: &Plan,
    frequency: &Frequency<'_>,
    spellings: &Spellings,
) -> Result<PeekedFrequency, ReleaseError> {
    let (column, (lower, upper)) = (frequency.column.value.clone(), frequency.bounds);
    let bounded = Bounded { column, lower: lower as f64, upper: upper as f64 };
    let survey = Survey { rows: true, empty: true, bounded: vec![bounded.clone()], ..Survey::default() };
    let engine = FileEngine::open(&Source { frequency: None, ..source(plan) })?;
    let counts: [u64; 5] = exact(engine.survey(&survey)?).try_into().expect("as many counts as were asked for");
    let [lines, below, within, above, empty] = counts;
    let column = PeekedColumn::new(&bounded, (lines, [below, within, above], empty), spellings)?;
    Ok(PeekedFrequency { lines, column, missing: frequency.missing })
}

/// A type as plans write it.
fn word_of_type<S: serde::Serializer>(column_type: &Kind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(column_type)
}

/// The exact counts of an answer. Private numbers leave their type here, for [`peek`] and nothing else.
fn exact(answer: Answer) -> Vec<u64> {
    answer.private_steps().iter().map(|count| u64::try_from(*count).expect("a count of rows")).collect()
}
