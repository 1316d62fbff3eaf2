//! A survey in the engine's terms: each count is the sum of a value that is 0 or 1.

use datafusion::common::Result;
use datafusion::logical_expr::{Expr, lit, when};
use inbounds_core::Answer;

use super::cells::Shape;
use super::checked::{Checked, Columns};
use super::scan::ScanColumns;
use crate::schema::Table;
use crate::{DataError, Survey, Tally};

/// The survey as a query of one cell with a value for each count but that of the rows.
pub(super) fn checked(table: &Table, survey: &Survey) -> Result<Checked, DataError> {
    let names: Vec<String> = survey.listed.iter().flat_map(|keys| keys.columns()).cloned().collect();
    let scan = ScanColumns::new(table, &names);
    let columns = Columns { table, scan: &scan };
    let mut conditions = Vec::new();
    for keys in &survey.listed {
        let keys_end = u32::try_from(keys.len()).expect("fewer than 2^32 keys");
        conditions.push(columns.key(keys)?.lt(lit(keys_end)));
    }
    for bounded in &survey.bounded {
        let bin = columns.cell(&bounded.bins()?, lit(0u32), 1)?;
        conditions.extend((0..3u32).map(|number| bin.clone().eq(lit(number))));
    }
    if survey.empty {
        let bounded = survey.bounded.iter().map(|bounded| &bounded.column);
        for name in names.iter().chain(bounded) {
            conditions.push(scan.raw(table.column("survey", name)?).is_null());
        }
    }
    let steps = conditions.into_iter().map(one_if).collect::<Result<Vec<Expr>>>();
    let steps = steps.map_err(|error| super::failure::explain(&error, table))?;
    let bound = survey.bound.as_ref().map(|bound| columns.bound(bound)).transpose()?;
    let shape = Shape { cells: 1, values: steps.len(), products: Vec::new() };
    Ok(Checked { scan, filter: None, shape, cell: lit(0u32), steps, bound })
}

/// 1 where the condition holds, else 0; never null, so that every row counts.
fn one_if(condition: Expr) -> Result<Expr> {
    when(condition, lit(1i64)).otherwise(lit(0i64))
}

/// All counts of a survey, in the order of its documentation.
pub(super) fn answer(survey: &Survey, tally: Tally) -> Answer {
    let rows = survey.rows.then_some(tally.counts);
    let counts: Vec<Answer> = rows.into_iter().chain(tally.sums).collect();
    Answer::side_by_side(&counts)
}
