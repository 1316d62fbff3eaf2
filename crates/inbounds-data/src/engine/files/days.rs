//! Cells to days, and days to the numbers that are taken from them, without a way to fail: what is no date becomes null.

use arrow::array::{ArrayRef, AsArray, Int64Array};
use arrow::datatypes::{DataType, Int64Type, TimeUnit};
use arrow::error::Result;

use super::read::{cast, map_text};
use crate::cell_rules::CellReader;
use crate::{DatePart, Day, Kind};

/// Days since 1970 of a column of dates, times or texts.
pub(super) fn days(array: &ArrayRef, reader: &CellReader) -> Result<Int64Array> {
    if Kind::of(array.data_type()) == Kind::Text {
        return map_text(array, |cell| reader.day(cell).map(Day::days));
    }
    // Units of the clock in a day: stored times are those of their own zone, UTC.
    let in_a_day = match array.data_type() {
        DataType::Date64 | DataType::Timestamp(TimeUnit::Millisecond, _) => 86_400_000,
        DataType::Timestamp(TimeUnit::Second, _) => 86_400,
        DataType::Timestamp(TimeUnit::Microsecond, _) => 86_400_000_000,
        DataType::Timestamp(TimeUnit::Nanosecond, _) => 86_400_000_000_000,
        _ => 1,
    };
    let stored = cast(array, &DataType::Int64)?;
    let day = |stored: i64| Day::from_days(stored.div_euclid(in_a_day)).filter(|day| !reader.is_day_code(*day));
    Ok(stored.as_primitive::<Int64Type>().unary_opt(|stored| day(stored).map(Day::days)))
}

/// A number of each day.
pub(super) fn parts(days: &Int64Array, part: DatePart) -> Int64Array {
    days.unary_opt(|days| Day::from_days(days).map(|day| part.of(day)))
}
