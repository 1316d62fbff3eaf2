//! The columns of units in the engine's form.

use inbounds_core::Grid;
use inbounds_data::{Clip, Kind, PerUnit, UnitColumn, UnitTake};
use inbounds_statistics::Missing;

use crate::plan::{self, Bounds, Column, Mistake, PerUnitWord, Plan, TakenPerUnit};

/// Bits of the larger bound in the grid on which fractional numbers of a unit are added: an error of at most 2^-41 of
/// it a row.
const BITS: i32 = 40;

/// The row that is made of each unit's rows, if the plan says so; `kind` is the type of a column of the rows.
pub(crate) fn per_unit(plan: &Plan, kind: &dyn Fn(&str) -> Option<Kind>) -> Option<PerUnit> {
    let columns = plan.per_unit.as_ref()?;
    let unit = plan.privacy.unit.column()?.value.clone();
    let column = |column: &Column| {
        let taken = column.per_unit.as_ref()?;
        let filter = taken.filter.as_ref().map(|filter| filter.value.clone());
        Some(UnitColumn { name: column.name.value.clone(), take: take(plan, column, taken, kind)?, filter })
    };
    Some(PerUnit { unit, columns: columns.iter().filter_map(column).collect() })
}

/// Mistakes of columns that add fractional numbers without any bounds.
pub(crate) fn unbounded(plan: &Plan, kind: &dyn Fn(&str) -> Option<Kind>) -> Vec<Mistake> {
    let mistake = |column: &Column| {
        let taken = column.per_unit.as_ref()?;
        let from = taken.from.as_ref().filter(|_| taken.take.value.adds())?;
        let is_bounded = |column: &Column| column.bounds.is_some();
        let bounded = is_bounded(column) || plan.row_column(&from.value).is_some_and(is_bounded);
        let fractional = kind(&from.value) == Some(Kind::Number);
        (fractional && !bounded).then(|| plan::adds_without_bounds(&column.name, &from.value))
    };
    plan.per_unit.iter().flatten().filter_map(mistake).collect()
}

fn take(plan: &Plan, column: &Column, taken: &TakenPerUnit, kind: &dyn Fn(&str) -> Option<Kind>) -> Option<UnitTake> {
    let from = || taken.from.as_ref().map(|from| from.value.clone());
    let order = || taken.order.as_ref().map(|order| order.value.clone());
    let clip = || {
        let from = from()?;
        let of_rows = plan.row_column(&from);
        let bounds = of_rows.and_then(|rows| rows.bounds.as_ref());
        let is_whole = kind(&from).is_none_or(|kind| kind != Kind::Number);
        let imputed = of_rows.and_then(|rows| match &rows.missing {
            Some(Missing::Impute(value)) => Some(value.to_f64()),
            Some(Missing::Drop) | None => None,
        });
        clip(from, (bounds, column.bounds.as_ref()), is_whole, imputed)
    };
    Some(match taken.take.value {
        PerUnitWord::Rows => UnitTake::Rows,
        PerUnitWord::Sum => UnitTake::Sum(clip()?),
        PerUnitWord::Mean => UnitTake::Mean(clip()?),
        PerUnitWord::Min => UnitTake::Min(from()?),
        PerUnitWord::Max => UnitTake::Max(from()?),
        PerUnitWord::First => UnitTake::First { column: from()?, order: order()? },
        PerUnitWord::Last => UnitTake::Last { column: from()?, order: order()? },
        PerUnitWord::Any => UnitTake::Any(from()?),
        PerUnitWord::All => UnitTake::All(from()?),
    })
}

/// Clipping of the cells of a unit before they are added: to the bounds of the rows, and without any to as much as the
/// grid can hold, which is thousands of times the bounds of the unit.
///
/// `None` for fractional numbers without any bounds, which have no grid.
fn clip(
    column: String,
    (of_rows, of_unit): (Option<&Bounds>, Option<&Bounds>),
    is_whole: bool,
    imputed: Option<f64>,
) -> Option<Clip> {
    let ends = |bounds: &Bounds| (bounds.lower.value.to_f64(), bounds.upper.value.to_f64());
    let exponent = match (is_whole, of_rows.or(of_unit).map(ends)) {
        (true, _) => 0,
        (false, Some((lower, upper))) => exponent(lower.abs().max(upper.abs())),
        (false, None) => return None,
    };
    let grid = Grid::power_of_two(exponent).expect("an exponent of a double");
    // Both ends are moved inward, as the bounds of every column are.
    let steps = |end: f64| end * 2f64.powi(-exponent);
    let (least, most) = match of_rows.map(ends) {
        Some((lower, upper)) => (steps(lower).ceil() as i64, steps(upper).floor() as i64),
        None => (-Clip::MAX_STEPS, Clip::MAX_STEPS),
    };
    let inside = |steps: i64| steps.clamp(-Clip::MAX_STEPS, Clip::MAX_STEPS);
    let (least, most) = (inside(least), inside(most));
    let missing = match imputed {
        None => inbounds_data::Missing::Drop,
        Some(value) => inbounds_data::Missing::Impute((steps(value).round_ties_even() as i64).max(least).min(most)),
    };
    Some(Clip { column, lower: least, upper: most, grid, missing })
}

/// The exponent of a grid on which a number is at least 2^`BITS` steps.
fn exponent(number: f64) -> i32 {
    if number == 0.0 { -BITS } else { (libm::ilogb(number) - BITS).clamp(-1000, 1000) }
}
