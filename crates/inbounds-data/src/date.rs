//! Dates: how they are written, and the numbers that are taken from them. A date is a day of the Gregorian calendar with a year
//! of four digits; a time of day after it is left out, as it is written, without regard to time zones.

use std::fmt::{self, Write as _};

use chrono::format::{Item, Numeric, StrftimeItems};
use chrono::{Datelike, NaiveDate, NaiveTime};

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(
    feature = "distributed",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "i64", into = "i64")
)]
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
        if is_time(time) { Self::of(day) } else { None }
    }

    /// The day that is so many days after 1 January 1970.
    pub(crate) fn from_days(days: i64) -> Option<Self> {
        NaiveDate::from_epoch_days(i32::try_from(days).ok()?).and_then(Self::of)
    }

    /// Days since 1 January 1970.
    pub(crate) fn days(self) -> i64 {
        self.0.to_epoch_days().into()
    }

    /// The years that a day can be in.
    pub(crate) const YEARS: std::ops::RangeInclusive<i32> = 1000..=9999;

    /// A day by its numbers, the first month and day being 1, if there is one.
    pub(crate) fn of_calendar(year: i32, month: u32, day: u32) -> Option<Self> {
        NaiveDate::from_ymd_opt(year, month, day).and_then(Self::of)
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

    /// A year of other than four digits is a slip, such as `24` for 2024, which no bounds would show.
    fn of(day: NaiveDate) -> Option<Self> {
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
    let Some(time) = text.strip_prefix(['T', 't', ' ']) else { return text.is_empty() };
    let zone = time.find(['Z', 'z', '+', '-', ' ']).unwrap_or(time.len());
    let (time, zone) = time.split_at(zone);
    let is_zone = zone.trim_start().chars().all(|sign| sign.is_ascii_digit() || "Zz+-:UTC".contains(sign));
    let patterns = ["%H:%M:%S%.f", "%H:%M"];
    is_zone && patterns.iter().any(|pattern| NaiveTime::parse_from_str(time, pattern).is_ok())
}

/// How dates are written.
///
/// # Example
/// ```
/// use inbounds_data::DateFormat;
/// assert!(DateFormat::new("%d.%m.%Y").is_ok());
/// assert_eq!(DateFormat::new("%d.%m.%y").unwrap_err(), "must write the year in four digits, as %Y");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "distributed",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "crate::records::DateFormatRecord")
)]
pub struct DateFormat {
    /// A pattern of `strftime`, or none for ISO 8601.
    pattern: Option<String>,
}

impl DateFormat {
    /// The format with this pattern of `strftime`, such as `%d.%m.%Y` or `%m/%d/%Y %H:%M`. The default is ISO 8601.
    ///
    /// # Errors
    /// What is wrong, in words: an unknown sign after `%`, a year of two digits, or a pattern that does not tell the day.
    pub fn new(pattern: &str) -> Result<Self, &'static str> {
        let items: Vec<Item> = StrftimeItems::new(pattern).collect();
        let has =
            |wanted: Numeric| items.iter().any(|item| matches!(item, Item::Numeric(found, _) if *found == wanted));
        if items.contains(&Item::Error) {
            return Err("has an unknown sign after %");
        }
        let short = [Numeric::YearMod100, Numeric::YearDiv100, Numeric::IsoYearMod100, Numeric::IsoYearDiv100];
        if short.into_iter().any(has) {
            return Err("must write the year in four digits, as %Y");
        }
        let format = Self { pattern: Some(pattern.to_owned()) };
        // Two days apart in every part, written and read again.
        let days = ["2024-12-31", "1987-02-03"].map(|day| Day::parse(day).expect("a day"));
        let written = |day: &Day| {
            let mut text = String::new();
            // Some signs can be read and not written.
            write!(text, "{}", day.0.and_time(NaiveTime::MIN).and_utc().format(pattern)).ok().map(|()| text)
        };
        let is_read = |day: &Day| written(day).is_some_and(|text| format.read(&text) == Some(*day));
        if days.iter().all(is_read) {
            Ok(format)
        } else {
            Err("must tell the day, the month and the year, as %Y-%m-%d does")
        }
    }

    /// The pattern of `strftime`; `None` for ISO 8601.
    pub fn pattern(&self) -> Option<&str> {
        self.pattern.as_deref()
    }

    /// The day of a cell without blanks around it.
    pub(crate) fn read(&self, cell: &str) -> Option<Day> {
        match &self.pattern {
            None => Day::parse(cell),
            // A sign before a number is read by the library, and a year with one has no four digits. In a zone it may stand.
            Some(pattern) if cell.contains('+') && !pattern.contains(['z', '+']) => None,
            Some(pattern) => NaiveDate::parse_from_str(cell, pattern).ok().and_then(Day::of),
        }
    }
}

/// A whole number that is taken from a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "distributed", derive(serde::Serialize, serde::Deserialize))]
pub enum DatePart {
    /// The year.
    Year,
    /// The month, from 1 to 12.
    Month,
    /// Completed years from the date to this day: a birthday on 29 February is completed on 1 March in other years. A date
    /// after this day gives a negative number.
    AgeAt(Day),
}

impl DatePart {
    /// The number that is taken from a day.
    ///
    /// # Example
    /// ```
    /// use inbounds_data::{DatePart, Day};
    /// let day = |text| Day::parse(text).expect("a date");
    /// let age = |at| DatePart::AgeAt(day(at)).of(day("2000-02-29"));
    /// assert_eq!([age("2023-02-28"), age("2023-03-01"), age("2000-02-28")], [22, 23, -1]);
    /// ```
    pub fn of(self, day: Day) -> i64 {
        let Day(date) = day;
        match self {
            Self::Year => date.year().into(),
            Self::Month => date.month().into(),
            Self::AgeAt(Day(at)) => {
                let to_come = (at.month(), at.day()) < (date.month(), date.day());
                i64::from(at.year() - date.year()) - i64::from(to_come)
            }
        }
    }
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

    #[test]
    fn other_formats_are_read_by_their_pattern() {
        let day = Day::parse("2024-03-09");
        for (pattern, cell) in [
            ("%d.%m.%Y", "09.03.2024"),
            ("%d.%m.%Y", "9.3.2024"),
            ("%m/%d/%Y %H:%M", "03/09/2024 17:05"),
            ("%d %b %Y", "9 Mar 2024"),
            ("%Y%m%d", "20240309"),
            ("%Y-%j", "2024-069"),
        ] {
            assert_eq!(DateFormat::new(pattern).expect(pattern).read(cell), day, "{pattern}");
        }
        let german = DateFormat::new("%d.%m.%Y").expect("a pattern");
        assert_eq!(
            ["9.3.24", "31.02.2024", "2024-03-09", "9.3.2024 ", "", "x"].map(|cell| german.read(cell)),
            [None; 6]
        );
        for (pattern, problem) in [
            ("%d.%m.%Q", "has an unknown sign after %"),
            ("%d.%m.%y", "must write the year in four digits, as %Y"),
            ("%m/%Y", "must tell the day, the month and the year, as %Y-%m-%d does"),
            ("", "must tell the day, the month and the year, as %Y-%m-%d does"),
        ] {
            assert_eq!(DateFormat::new(pattern), Err(problem), "{pattern}");
        }
    }
}
