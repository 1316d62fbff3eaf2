//! Cells to days and hours, and days to what is taken from them, without a way to fail: what is no date becomes null.
//!
//! A stored time with a zone lies on the day that the calendar of its zone shows, as a cell of text lies on the day
//! that is written in
//! it: the same rows are the same days in every format. The zone stands in the schema, and is public. Claim:
//! `days-of-their-zone`.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, DictionaryArray, Int32Array, Int64Array, StringArray};
use arrow::datatypes::{DataType, Int32Type, Int64Type, TimeUnit};
use arrow::error::Result;

use super::cast::{cast, map_text};
use crate::cell_rules::CellReader;
use crate::zone::Zone;
use crate::{DatePart, DateSpan, Day, Kind};

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Days since 1970 of a column of dates, times or texts.
pub(super) fn days(array: &ArrayRef, reader: &CellReader) -> Result<Int64Array> {
    if Kind::from_data_type(array.data_type()) == Kind::Text {
        return map_text(array, |cell| reader.day(cell).map(Day::days));
    }
    let day = |days: i64| Day::from_days(days).filter(|day| !reader.is_day_code(*day)).map(Day::days);
    let stored = stored(array)?;
    Ok(match Clock::from_data_type(array.data_type()) {
        None => stored.unary_opt(day),
        Some(clock) => stored.unary_opt(|stored| day(clock.seconds(stored)?.div_euclid(DAY))),
    })
}

/// Hours of the day, from 0 to 23, of a column of times or texts; a date without a time has none.
pub(super) fn hours(array: &ArrayRef, reader: &CellReader) -> Result<Int64Array> {
    if Kind::from_data_type(array.data_type()) == Kind::Text {
        return map_text(array, |cell| reader.hour(cell));
    }
    let stored = stored(array)?;
    let Some(clock) = Clock::from_data_type(array.data_type()).filter(|_| *array.data_type() != DataType::Date64)
    else {
        return Ok(Int64Array::new_null(array.len()));
    };
    Ok(stored.unary_opt(|stored| {
        let seconds = clock.seconds(stored)?;
        let day = Day::from_days(seconds.div_euclid(DAY)).filter(|day| !reader.is_day_code(*day));
        day.map(|_| seconds.rem_euclid(DAY) / 3600)
    }))
}

fn stored(array: &ArrayRef) -> Result<Int64Array> {
    Ok(cast(array, &DataType::Int64)?.as_primitive::<Int64Type>().clone())
}

/// Unit of a stored time, and the zone whose calendar gives its day.
struct Clock {
    units_in_a_second: i64,
    /// None where times are those of their place already.
    zone: Option<Zone>,
}

impl Clock {
    /// None for days.
    fn from_data_type(stored: &DataType) -> Option<Self> {
        let (unit, zone) = match stored {
            DataType::Date64 => (TimeUnit::Millisecond, None),
            DataType::Timestamp(unit, zone) => (*unit, zone.as_deref()),
            _ => return None,
        };
        Some(Self { units_in_a_second: units_in_a_second(unit), zone: zone.and_then(Zone::named) })
    }

    /// Seconds since 1970 on the clock of the zone.
    fn seconds(&self, stored: i64) -> Option<i64> {
        let seconds = stored.div_euclid(self.units_in_a_second);
        let offset = self.zone.as_ref().map_or(Some(0), |zone| zone.offset(seconds))?;
        seconds.checked_add(offset)
    }
}

/// The time from each day to another one of its row.
pub(super) fn elapsed(from: &Int64Array, to: &Int64Array, unit: DateSpan) -> Int64Array {
    let between = |(from, to): (Option<i64>, Option<i64>)| match unit {
        DateSpan::Days => Some(to? - from?),
        DateSpan::Years => Some(Day::from_days(from?)?.years_to(Day::from_days(to?)?)),
    };
    from.iter().zip(to).map(between).collect()
}

pub(super) fn units_in_a_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// Part of each day.
pub(super) fn parts(days: &Int64Array, part: DatePart) -> Result<ArrayRef> {
    if part == DatePart::Hour {
        // Read as such.
        return Ok(Arc::new(days.clone()));
    }
    if part.kind() == Kind::Integer {
        return Ok(Arc::new(
            days.unary_opt::<_, Int64Type>(|days| Day::from_days(days).and_then(|day| part.number(day))),
        ));
    }
    // A name for each period, and each once: whatever is asked of them is then asked once.
    let (mut names, mut places): (Vec<String>, HashMap<String, i32>) = (Vec::new(), HashMap::new());
    let mut known: HashMap<i64, Option<i32>> = HashMap::new();
    let mut place = |days: i64| {
        let name = part.name(Day::from_days(days)?);
        let next = i32::try_from(names.len()).ok()?;
        Some(*places.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            next
        }))
    };
    let keys: Int32Array =
        days.iter().map(|days| days.and_then(|days| *known.entry(days).or_insert_with(|| place(days)))).collect();
    let names = StringArray::from_iter_values(&names);
    Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::new(names))?))
}

#[cfg(test)]
mod tests {
    use arrow::array::{TimestampMillisecondArray, TimestampSecondArray};

    use super::*;
    use crate::CellRules;

    fn read(array: ArrayRef) -> (Vec<Option<String>>, Vec<Option<i64>>) {
        let reader = CellReader::new(&CellRules::default());
        let days = days(&array, &reader).expect("days");
        let days = days.iter().map(|days| days.and_then(Day::from_days).map(|day| day.to_string())).collect();
        (days, hours(&array, &reader).expect("hours").iter().collect())
    }

    /// Midnight at a place, before and after clocks are put forward, and where they were once in another zone.
    #[test]
    fn a_stored_time_lies_on_the_day_of_its_zone() {
        let some = |day: &str| Some(day.to_owned());
        for (zone, time, day, hour) in [
            ("Europe/Berlin", 1_577_833_200, "2020-01-01", 0),
            ("Europe/Berlin", 1_592_172_000, "2020-06-15", 0),
            ("Europe/Berlin", 1_592_171_999, "2020-06-14", 23),
            ("America/Los_Angeles", 1_577_865_600, "2020-01-01", 0),
            ("Asia/Kolkata", 1_577_817_000, "2020-01-01", 0),
            ("+02:00", 1_577_829_600, "2020-01-01", 0),
            ("-0330", 1_577_849_400, "2020-01-01", 0),
            ("UTC", 1_577_836_800, "2020-01-01", 0),
            ("Z", 1_577_836_800, "2020-01-01", 0),
            ("Etc/GMT-1", 1_577_833_200, "2020-01-01", 0),
        ] {
            let array: ArrayRef = Arc::new(TimestampSecondArray::from(vec![Some(time), None]).with_timezone(zone));
            assert_eq!(read(array), (vec![some(day), None], vec![Some(hour), None]), "{zone} {time}");
        }
        let extremes: ArrayRef =
            Arc::new(TimestampMillisecondArray::from(vec![i64::MIN, i64::MAX]).with_timezone("Europe/Berlin"));
        assert_eq!(read(extremes), (vec![None, None], vec![None, None]));
        let bare: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![-1]));
        assert_eq!(read(bare), (vec![some("1969-12-31")], vec![Some(23)]));
    }
}
