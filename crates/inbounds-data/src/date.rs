//! Days of the calendar. A date is a day of the Gregorian calendar with a year
//! of four digits; a time of day after it is left out, as it is written, without regard to time zones.

use std::fmt;

use chrono::{Datelike, NaiveDate, NaiveTime, Timelike};

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "i64", into = "i64")]
pub struct Day(NaiveDate);

impl Day {
    /// A day as ISO 8601 writes it, `2024-02-29`, with or without a time of day.
    pub fn parse(text: &str) -> Option<Self> {
        let (day, time) = text.split_at_checked(10).unwrap_or((text, ""));
        let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = day.as_bytes() else { return None };
        let number = |digits: &[u8]| {
            digits
                .iter()
                .try_fold(0, |number, digit| digit.is_ascii_digit().then(|| 10 * number + u32::from(digit - b'0')))
        };
        let year = i32::try_from(number(&[y1, y2, y3, y4])?).ok()?;
        let day = NaiveDate::from_ymd_opt(year, number(&[m1, m2])?, number(&[d1, d2])?)?;
        if is_time(time) { Self::from_date(day) } else { None }
    }

    /// Completed years from this day to another: a birthday on 29 February is completed on 1 March in other years.
    /// Negative where the
    /// other day is before.
    pub(crate) fn years_to(self, other: Self) -> i64 {
        let (Self(date), Self(at)) = (self, other);
        let to_come = (at.month(), at.day()) < (date.month(), date.day());
        i64::from(at.year() - date.year()) - i64::from(to_come)
    }

    /// The day by its number of days after 1 January 1970.
    pub(crate) fn from_days(days: i64) -> Option<Self> {
        NaiveDate::from_epoch_days(i32::try_from(days).ok()?).and_then(Self::from_date)
    }

    /// Days since 1 January 1970.
    pub(crate) fn days(self) -> i64 {
        self.0.to_epoch_days().into()
    }

    /// The years that a day can be in.
    pub(crate) const YEARS: std::ops::RangeInclusive<i32> = 1000..=9999;

    /// A day by its numbers, the first month and day being 1, if there is one.
    pub(crate) fn of_calendar(year: i32, month: u32, day: u32) -> Option<Self> {
        NaiveDate::from_ymd_opt(year, month, day).and_then(Self::from_date)
    }

    pub(crate) fn year(self) -> i32 {
        self.0.year()
    }

    pub(crate) fn month(self) -> u32 {
        self.0.month()
    }

    pub(crate) fn day(self) -> u32 {
        self.0.day()
    }

    /// The hour of a `T` or blank and a time of day, with or without a zone.
    pub(crate) fn hour_of(text: &str) -> Option<u32> {
        let time = text.strip_prefix(['T', 't', ' '])?;
        let zone = time.find(['Z', 'z', '+', '-', ' ']).unwrap_or(time.len());
        let (time, zone) = time.split_at(zone);
        let is_zone = zone.trim_start().chars().all(|sign| sign.is_ascii_digit() || "Zz+-:UTC".contains(sign));
        let patterns = ["%H:%M:%S%.f", "%H:%M"];
        let time = patterns.iter().find_map(|pattern| NaiveTime::parse_from_str(time, pattern).ok());
        time.filter(|_| is_zone).map(|time| time.hour())
    }

    /// The same in the words of the library.
    pub(crate) fn date(self) -> NaiveDate {
        self.0
    }

    /// A year of other than four digits is a slip, such as `24` for 2024, which no bounds would show.
    pub(crate) fn from_date(day: NaiveDate) -> Option<Self> {
        Self::YEARS.contains(&day.year()).then_some(Self(day))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Nothing, or a `T` or blank and a time of day, with or without a zone.
fn is_time(text: &str) -> bool {
    text.is_empty() || Day::hour_of(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_dates_are_read_with_and_without_times() {
        let day = Day::parse("2024-02-29").expect("a leap day");
        for text in [
            "2024-02-29T12:30",
            "2024-02-29 12:30:15.25",
            "2024-02-29T23:59:60Z",
            "2024-02-29T00:30:00+02:00",
            "2024-02-29 00:30:00 UTC",
        ] {
            assert_eq!(Day::parse(text), Some(day), "{text}");
        }
        for text in [
            "",
            "2024",
            "2024-2-29",
            "2023-02-29",
            "24-02-29",
            "0024-02-29",
            "2024-02-30",
            "20240229",
            "2024-02-29x",
            "2024-02-29T25:00",
            "2024-02-29Tnoon",
            "2024/02/29",
            "+2024-02-2",
            "２０２４-02-29",
            "2024-02-29T12:30é",
        ] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
        assert_eq!([day.days(), Day::parse("1969-12-31").expect("a day").days()], [19_782, -1]);
        assert_eq!(Day::from_days(19_782), Some(day));
        assert_eq!([Day::from_days(i64::MAX), Day::from_days(4_000_000), Day::from_days(-400_000)], [None; 3]);
    }
}
