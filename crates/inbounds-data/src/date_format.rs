//! Notation of dates: one pattern, or several that never read one text as different days.

use std::fmt::Write as _;

use chrono::format::{Fixed, Item, Numeric, StrftimeItems};
use chrono::{NaiveDate, NaiveDateTime, NaiveTime, Timelike};

use crate::Day;

/// Notation of dates.
///
/// # Example
/// ```
/// use inbounds_data::DateFormat;
/// assert!(DateFormat::new("%d.%m.%Y").is_ok());
/// assert_eq!(DateFormat::new("%d.%m.%y").unwrap_err(), "must write the year in four digits, as %Y");
/// assert!(DateFormat::any(&["%Y-%m-%d", "%d.%m.%Y"]).is_ok());
/// let both = DateFormat::any(&["%d/%m/%Y", "%m/%d/%Y"]).unwrap_err();
/// assert!(both.starts_with("must not read one text as two days, but `02/01/2000` is 2000-01-02 by \"%d/%m/%Y\""));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "crate::records::DateFormatRecord")]
pub struct DateFormat {
    /// Patterns of `strftime`, in the order in which they are tried; none for ISO 8601.
    patterns: Vec<String>,
}

impl DateFormat {
    /// The patterns of `strftime`, in the order in which they are tried; none for ISO 8601.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// The format with this pattern of `strftime`, such as `%d.%m.%Y` or `%m/%d/%Y %H:%M`. The default is ISO 8601.
    /// Behind a pattern
    /// without a time of day a cell may have one all the same, which is left out as everywhere.
    ///
    /// # Errors
    /// What is wrong, in words: an unknown sign after `%`, a year of two digits, or a pattern that does not tell the
    /// day.
    pub fn new(pattern: &str) -> Result<Self, &'static str> {
        let items: Vec<Item> = StrftimeItems::new(pattern).collect();
        let has =
            |wanted: Numeric| items.iter().any(|item| matches!(item, Item::Numeric(field, _) if *field == wanted));
        if items.contains(&Item::Error) {
            return Err("has an unknown sign after %");
        }
        let short = [Numeric::YearMod100, Numeric::YearDiv100, Numeric::IsoYearMod100, Numeric::IsoYearDiv100];
        if short.into_iter().any(has) {
            return Err("must write the year in four digits, as %Y");
        }
        let format = Self { patterns: vec![pattern.to_owned()] };
        // Two days apart in every part, written and read again.
        let days = ["2024-12-31", "1987-02-03"].map(|day| Day::parse(day).expect("a day"));
        let is_read = |day: &Day| written(pattern, *day).is_some_and(|text| format.read(&text) == Some(*day));
        if days.iter().all(is_read) {
            Ok(format)
        } else {
            Err("must tell the day, the month and the year, as %Y-%m-%d does")
        }
    }

    /// The format with these patterns, tried in their order.
    ///
    /// # Errors
    /// What is wrong, in words: as [`new`](Self::new), and two patterns by which one text is two days.
    pub fn any(patterns: &[impl AsRef<str>]) -> Result<Self, String> {
        let mut all = Vec::with_capacity(patterns.len());
        for pattern in patterns {
            all.extend(Self::new(pattern.as_ref()).map_err(str::to_owned)?.patterns);
        }
        for one in &all {
            for other in all.iter().filter(|other| *other != one) {
                if let Some((text, [first, second])) = read_apart(one, other) {
                    return Err(format!(
                        "must not read one text as two days, but `{text}` is {first} by \"{one}\" and {second} by \
                            \"{other}\""
                    ));
                }
            }
        }
        Ok(Self { patterns: all })
    }

    /// The day of a cell without blanks around it.
    pub(crate) fn read(&self, cell: &str) -> Option<Day> {
        if self.patterns.is_empty() {
            return Day::parse(cell);
        }
        self.patterns.iter().find_map(|pattern| by_pattern(pattern, cell)).map(|(day, _)| day)
    }

    /// The day of a cell and its hour, if it has a time of day.
    pub(crate) fn read_time(&self, cell: &str) -> Option<(Day, Option<u32>)> {
        if self.patterns.is_empty() {
            let (_, time) = cell.split_at_checked(10)?;
            return Day::parse(cell).map(|day| (day, Day::hour_of(time)));
        }
        let matched = self.patterns.iter().find_map(|pattern| Some((pattern, by_pattern(pattern, cell)?)));
        matched.map(|(pattern, (day, rest))| {
            let hour_of_cell = || NaiveDateTime::parse_from_str(cell, pattern).ok().map(|time| time.hour());
            (day, if rest.is_empty() { hour_of_cell() } else { Day::hour_of(rest) })
        })
    }
}

/// The day of a cell by a pattern, and what stands behind it: a time of day, or nothing.
fn by_pattern<'c>(pattern: &str, cell: &'c str) -> Option<(Day, &'c str)> {
    let (date, rest) = NaiveDate::parse_and_remainder(cell, pattern).ok()?;
    let read = &cell[..cell.len() - rest.len()];
    // A sign before a number is read by the library, and a year with one has no four digits. In a zone it may stand.
    if read.contains('+') && !pattern.contains(['z', '+']) {
        return None;
    }
    let is_time = rest.is_empty() || Day::hour_of(rest).is_some() && !has_time(pattern);
    Day::from_date(date).filter(|_| is_time).map(|day| (day, rest))
}

/// `true` for a pattern with a time of day, behind which no other may stand.
fn has_time(pattern: &str) -> bool {
    StrftimeItems::new(pattern).any(|item| match item {
        Item::Numeric(part, _) => {
            matches!(part, Numeric::Hour | Numeric::Hour12 | Numeric::Minute | Numeric::Second | Numeric::Timestamp)
        }
        Item::Fixed(part) => matches!(part, Fixed::RFC2822 | Fixed::RFC3339 | Fixed::LowerAmPm | Fixed::UpperAmPm),
        _ => false,
    })
}

/// A day as a pattern writes it. Some signs can be read and not written.
fn written(pattern: &str, day: Day) -> Option<String> {
    let mut text = String::new();
    write!(text, "{}", day.date().and_time(NaiveTime::MIN).and_utc().format(pattern)).ok().map(|()| text)
}

/// A text that is one day by one pattern and another day by another: looked for among all days of years in which every
/// order of digits
/// occurs.
fn read_apart(one: &str, other: &str) -> Option<(String, [Day; 2])> {
    let years = [2000, 1912, 1999, 2010, 2011, 2012, 2020, 2024];
    let days = years.into_iter().flat_map(|year| (1..=366).filter_map(move |day| NaiveDate::from_yo_opt(year, day)));
    days.filter_map(Day::from_date).find_map(|day| {
        let text = written(one, day)?;
        let (read, _) = by_pattern(other, &text)?;
        (read != day).then_some((text, [day, read]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ["9.3.24", "31.02.2024", "2024-03-09", "9.3.2024 ", "", "x", "9.3.2024 x", "9.3.20245"]
                .map(|cell| german.read(cell)),
            [None; 8]
        );
        assert_eq!(["9.3.2024 17:05", "9.3.2024T17:05:00+01:00"].map(|cell| german.read(cell)), [day; 2]);
        for (pattern, problem) in [
            ("%d.%m.%Q", "has an unknown sign after %"),
            ("%d.%m.%y", "must write the year in four digits, as %Y"),
            ("%m/%Y", "must tell the day, the month and the year, as %Y-%m-%d does"),
            ("", "must tell the day, the month and the year, as %Y-%m-%d does"),
        ] {
            assert_eq!(DateFormat::new(pattern), Err(problem), "{pattern}");
        }
    }

    #[test]
    fn several_patterns_are_tried_in_order_and_never_disagree() {
        let day = Day::parse("2021-12-31");
        let any = DateFormat::any(&["%Y-%m-%d", "%d.%m.%Y", "%Y/%m/%d"]).expect("patterns");
        for cell in ["2021-12-31", "31.12.2021", "2021/12/31", "2021-12-31 00:00:00", "31.12.2021 10:00"] {
            assert_eq!(any.read(cell), day, "{cell}");
        }
        assert_eq!(["12/31/2021", "31-12-2021", "2021.12.31"].map(|cell| any.read(cell)), [None; 3]);
        for (one, other) in [
            ("%d/%m/%Y", "%m/%d/%Y"),
            ("%m/%d/%Y", "%d/%m/%Y"),
            ("%Y%m%d", "%d%m%Y"),
            ("%Y%m%d", "%Y%d%m"),
            ("%Y-%m-%d", "%Y-%d-%m"),
            ("%Y-%j", "%Y-%m%d"),
        ] {
            let refused = DateFormat::any(&[one, other]).err().unwrap_or_default();
            let is_told = refused.starts_with("must not read one text as two days");
            assert!(is_told || one == "%Y-%j", "{one} {other}: {refused}");
        }
        assert!(DateFormat::any(&["%d %b %Y", "%d %B %Y", "%d/%m/%Y %H:%M", "%d/%m/%Y"]).is_ok());
    }

    #[test]
    fn hours_are_read_where_there_is_a_time() {
        let hour = |format: &DateFormat, cell: &str| format.read_time(cell).and_then(|(_, hour)| hour);
        let iso = DateFormat::default();
        let cells = ["2024-02-29T23:59:60Z", "2024-02-29 00:30:00+02:00", "2024-02-29", "2024-02-30 10:00"];
        assert_eq!(cells.map(|cell| hour(&iso, cell)), [Some(23), Some(0), None, None]);
        let american = DateFormat::new("%m/%d/%Y %I:%M %p").expect("a pattern");
        assert_eq!(["02/29/2024 05:30 PM", "02/29/2024"].map(|cell| hour(&american, cell)), [Some(17), None]);
        let german = DateFormat::new("%d.%m.%Y").expect("a pattern");
        assert_eq!(["29.02.2024 7:05", "29.02.2024"].map(|cell| hour(&german, cell)), [Some(7), None]);
    }
}
