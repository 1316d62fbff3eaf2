//! Quantities taken from a date: numbers of the calendar, and names of periods.

use chrono::Datelike;

use crate::{Day, KeyValue, Kind};

/// Quantity taken from a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum DatePart {
    /// The year.
    Year,
    /// The month, from 1 to 12.
    Month,
    /// The quarter, from 1 to 4.
    Quarter,
    /// The week of ISO 8601, from 1 to 53: it begins on a Monday, and belongs to the year of its Thursday.
    Week,
    /// The day of the week, from 1 for Monday to 7 for Sunday.
    Weekday,
    /// The hour, from 0 to 23; missing where a date has no time of day.
    Hour,
    /// Year and month, `2023-10`.
    YearMonth,
    /// Year and quarter, `2023Q4`.
    YearQuarter,
    /// Year and week of ISO 8601, `2023-W05`; the year is that of the week.
    YearWeek,
    /// Completed years from the date to this day: a birthday on 29 February is completed on 1 March in other years. A
    /// date
    /// after this day gives a negative number.
    AgeAt(Day),
}

impl DatePart {
    /// Those that have a word of their own.
    pub const NAMED: [Self; 9] = [
        Self::Year,
        Self::Month,
        Self::Quarter,
        Self::Week,
        Self::Weekday,
        Self::Hour,
        Self::YearMonth,
        Self::YearQuarter,
        Self::YearWeek,
    ];

    /// The word for it in plans; that of an age has the day behind it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Week => "week",
            Self::Weekday => "weekday",
            Self::Hour => "hour",
            Self::YearMonth => "year-month",
            Self::YearQuarter => "year-quarter",
            Self::YearWeek => "year-week",
            Self::AgeAt(_) => "age at",
        }
    }

    /// Whole numbers, or texts where it is a period.
    pub fn kind(self) -> Kind {
        match self {
            Self::YearMonth | Self::YearQuarter | Self::YearWeek => Kind::Text,
            _ => Kind::Integer,
        }
    }

    /// All that it can be, where the calendar says so.
    pub fn values(self) -> Option<Vec<KeyValue>> {
        let all = match self {
            Self::Month => 1..=12,
            Self::Quarter => 1..=4,
            Self::Week => 1..=53,
            Self::Weekday => 1..=7,
            Self::Hour => 0..=23,
            Self::Year | Self::YearMonth | Self::YearQuarter | Self::YearWeek | Self::AgeAt(_) => return None,
        };
        Some(all.map(KeyValue::Integer).collect())
    }

    /// The number that is taken from a day; none for a period, and for an hour, which a day has not.
    ///
    /// # Example
    /// ```
    /// use inbounds_data::{DatePart, Day};
    /// let day = |text| Day::parse(text).expect("a date");
    /// let age = |at| DatePart::AgeAt(day(at)).number(day("2000-02-29"));
    /// assert_eq!([age("2023-02-28"), age("2023-03-01"), age("2000-02-28")], [Some(22), Some(23), Some(-1)]);
    /// assert_eq!(DatePart::Week.number(day("2021-01-03")), Some(53));
    /// ```
    pub fn number(self, day: Day) -> Option<i64> {
        let date = day.date();
        Some(match self {
            Self::Year => date.year().into(),
            Self::Month => date.month().into(),
            Self::Quarter => i64::from(date.month0() / 3) + 1,
            Self::Week => date.iso_week().week().into(),
            Self::Weekday => date.weekday().number_from_monday().into(),
            Self::AgeAt(at) => day.years_to(at),
            Self::Hour | Self::YearMonth | Self::YearQuarter | Self::YearWeek => return None,
        })
    }

    /// The period of a day.
    pub(crate) fn name(self, day: Day) -> String {
        let date = day.date();
        match self {
            Self::YearQuarter => format!("{}Q{}", date.year(), date.month0() / 3 + 1),
            Self::YearWeek => format!("{}-W{:02}", date.iso_week().year(), date.iso_week().week()),
            _ => format!("{}-{:02}", date.year(), date.month()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_are_those_of_iso_8601_and_periods_are_named() {
        let number = |part: DatePart, day: &str| part.number(Day::parse(day).expect("a day"));
        let name = |part: DatePart, day: &str| part.name(Day::parse(day).expect("a day"));
        for (day, week, weekday, name_of_week) in [
            ("2021-01-03", 53, 7, "2020-W53"),
            ("2021-01-04", 1, 1, "2021-W01"),
            ("2018-12-31", 1, 1, "2019-W01"),
            ("2024-02-29", 9, 4, "2024-W09"),
        ] {
            assert_eq!(
                (number(DatePart::Week, day), number(DatePart::Weekday, day)),
                (Some(week), Some(weekday)),
                "{day}"
            );
            assert_eq!(name(DatePart::YearWeek, day), name_of_week);
        }
        for (month, quarter) in (1..=12).zip([1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]) {
            let day = format!("2023-{month:02}-15");
            assert_eq!(number(DatePart::Quarter, &day), Some(quarter));
            assert_eq!(name(DatePart::YearQuarter, &day), format!("2023Q{quarter}"));
            assert_eq!(name(DatePart::YearMonth, &day), format!("2023-{month:02}"));
        }
    }
}
