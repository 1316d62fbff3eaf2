//! Exact numbers about the rows, for the eyes of the curator who may see the rows themselves. **Not private.**
//!
//! The one way besides a mechanism on which private numbers leave the type [`Answer`]: `exact`. Nothing of it enters a
//! bundle, and no call fails for what the cells hold.

mod spellings;

use inbounds_bundle::PerUnitEntry;
use inbounds_core::Answer;
use inbounds_data::{Questions, Survey, UnitMemory};
use serde::Serialize;

use self::spellings::Spellings;
pub use self::spellings::{PeekedSpelling, PeekedSpellings};
use crate::{OpenedPlan, ReleaseError, bundle::per_unit, plan::Plan};

/// Exact contents of the cells, under the words of the plan. **Private.**
#[derive(Serialize)]
pub struct Peek {
    /// Rule that made one row of the rows of each unit, if there is one: a row is then a unit.
    pub per_unit: Option<PerUnitEntry>,
    /// Rows that were read.
    pub rows: u64,
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
    /// Rows with a listed key.
    pub listed: u64,
    /// Rows with another, or with a code for missing.
    pub unlisted: u64,
    /// Rows with an empty cell.
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
    /// Its bounds, or the outer edges of its bins.
    pub bounds: (f64, f64),
    /// Rows with a number below the bounds.
    pub below: u64,
    /// Rows with a number within them.
    pub within: u64,
    /// Rows with a number above them.
    pub above: u64,
    /// Rows with an empty cell.
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
    let spellings = Spellings::new(plan);
    let keys = survey.listed.iter().zip(listed).map(|(keys, listed)| {
        // Where the missing cell is a key, an empty cell is listed.
        let (column, empty) = (keys.columns()[0].clone(), next().min(rows - listed));
        let unlisted = (rows - listed).saturating_sub(empty);
        let answers = spellings.separator(&column).is_some();
        let others = if answers || unlisted > 0 { spellings.not_listed(keys)? } else { None };
        Ok(PeekedKeys { column, listed, unlisted, empty, answers, others })
    });
    let listed: Vec<PeekedKeys> = keys.collect::<Result<_, ReleaseError>>()?;
    let columns = survey.bounded.iter().zip(bounded).map(|(column, [below, within, above])| {
        let empty = next();
        let unreadable = (rows - below - within - above).saturating_sub(empty);
        let others = if unreadable > 0 { spellings.no_numbers(&column.column)? } else { None };
        let bounds = (column.lower, column.upper);
        Ok(PeekedColumn { column: column.column.clone(), bounds, below, within, above, empty, unreadable, others })
    });
    let columns: Vec<PeekedColumn> = columns.collect::<Result<_, ReleaseError>>()?;
    Ok(Peek {
        per_unit: per_unit(plan),
        rows,
        counting,
        public_rows: opened.design.rows,
        expected_rows: plan.data.expect_rows.as_ref().map(|expected| expected.value),
        columns,
        listed,
    })
}

/// The exact counts of an answer. Private numbers leave their type here, for [`peek`] and nothing else.
fn exact(answer: Answer) -> Vec<u64> {
    answer.private_steps().iter().map(|count| u64::try_from(*count).expect("a count of rows")).collect()
}
