//! Values from a first to a last one: whole numbers and periods of the calendar.

use inbounds_data::{DatePart, Day};

use crate::plan::{KeyValue, Kind};

/// Most values of a range.
const MOST: i64 = 100_000;

/// Requirement on a range.
pub(super) const WANTED: &str =
    "a list, or two whole numbers or two periods with \" to \" between them, the earlier one first";

/// The values of a range such as `2019 to 2024`, `2023-01 to 2024-06`, `2023Q1 to 2024Q4` or `2023-W01 to 2023-W52`,
/// written as its ends are.
pub(super) fn values(text: &str, kind: Kind) -> Option<Vec<KeyValue>> {
    let (first, last) = text.split_once(" to ")?;
    let (first, last) = (first.trim(), last.trim());
    if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
        let all = up_to(first, last)?;
        let value = |number: i64| match kind {
            Kind::Text => KeyValue::Text(number.to_string()),
            _ => KeyValue::Integer(number),
        };
        return Some(all.map(value).collect());
    }
    let period = Period::parse(first)?;
    let last = Period::parse(last).filter(|last| last.shape == period.shape)?;
    let all = period.up_to(last)?;
    Some(all.into_iter().map(KeyValue::Text).collect())
}

fn up_to(first: i64, last: i64) -> Option<std::ops::RangeInclusive<i64>> {
    let more = last.checked_sub(first)?;
    (0..MOST).contains(&more).then_some(first..=last)
}

/// Sign between the year and the number in it, and limits of the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    sign: &'static str,
    digits: usize,
    /// The largest number; none for weeks, of which years have 52 or 53.
    most: Option<i64>,
}

/// `2023Q4` and the like, `2023-W05` and `2023W05`, and `2023-10` or with another sign.
const SHAPES: [Shape; 8] = [
    Shape { sign: "Q", digits: 1, most: Some(4) },
    Shape { sign: "-Q", digits: 1, most: Some(4) },
    Shape { sign: " Q", digits: 1, most: Some(4) },
    Shape { sign: "-W", digits: 2, most: None },
    Shape { sign: "W", digits: 2, most: None },
    Shape { sign: "-", digits: 2, most: Some(12) },
    Shape { sign: "/", digits: 2, most: Some(12) },
    Shape { sign: ".", digits: 2, most: Some(12) },
];

impl Shape {
    /// The number with which a text behind the year goes on.
    fn number(self, rest: &str) -> Option<i64> {
        let number = rest.strip_prefix(self.sign).filter(|number| number.len() == self.digits)?;
        number.bytes().all(|digit| digit.is_ascii_digit()).then(|| number.parse().ok())?
    }

    /// The largest number in a year.
    fn last(self, year: i64) -> Option<i64> {
        self.most.map_or_else(|| weeks_of(year), Some)
    }
}

struct Period {
    shape: Shape,
    year: i64,
    /// In the year, from 1.
    number: i64,
}

impl Period {
    fn parse(text: &str) -> Option<Self> {
        let (year, rest) = text.split_at_checked(4)?;
        let (shape, number) = SHAPES.iter().find_map(|shape| Some((*shape, shape.number(rest)?)))?;
        let year = year.bytes().all(|digit| digit.is_ascii_digit()).then(|| year.parse::<i64>().ok())??;
        (1..=shape.last(year)?).contains(&number).then_some(Self { shape, year, number })
    }

    /// All periods up to another one.
    fn up_to(self, last: Self) -> Option<Vec<String>> {
        let Self { shape, mut year, mut number } = self;
        let mut all = Vec::new();
        while (year, number) <= (last.year, last.number) {
            let Shape { sign, digits, .. } = shape;
            all.push(format!("{year}{sign}{number:0digits$}"));
            (year, number) = if number < shape.last(year)? { (year, number + 1) } else { (year + 1, 1) };
        }
        (!all.is_empty()).then_some(all)
    }
}

/// Weeks of ISO 8601 in a year: that of 28 December is the last.
fn weeks_of(year: i64) -> Option<i64> {
    Day::parse(&format!("{year}-12-28")).and_then(|day| DatePart::Week.number(day))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(range: &str) -> Option<Vec<String>> {
        Some(values(range, Kind::Text)?.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn ranges_are_written_out() {
        assert_eq!(values("2019 to 2021", Kind::Integer), Some([2019, 2020, 2021].map(KeyValue::Integer).to_vec()));
        assert_eq!(texts("2019 to 2020").unwrap_or_default(), ["2019", "2020"]);
        assert_eq!(texts("2023-11 to 2024-02").unwrap_or_default(), ["2023-11", "2023-12", "2024-01", "2024-02"]);
        assert_eq!(texts("2023Q3 to 2024Q1").unwrap_or_default(), ["2023Q3", "2023Q4", "2024Q1"]);
        assert_eq!(texts("2023-Q4 to 2023-Q4").unwrap_or_default(), ["2023-Q4"]);
        assert_eq!(texts("2020-W52 to 2021-W01").unwrap_or_default(), ["2020-W52", "2020-W53", "2021-W01"]);
        assert_eq!(texts("2023/01 to 2023/02").unwrap_or_default(), ["2023/01", "2023/02"]);
        for range in [
            "2021 to 2019",
            "2023-01",
            "2023-13 to 2024-01",
            "2023-01 to 2023Q1",
            "a to b",
            "2021-W53 to 2022-W01",
            "1 to 900000",
            "2023-1 to 2023-2",
            "",
        ] {
            assert_eq!(values(range, Kind::Text), None, "{range}");
        }
    }
}
