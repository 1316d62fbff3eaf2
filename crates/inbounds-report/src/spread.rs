//! A number with its interval, in the digits that distinguish the ends of the interval.

use crate::figures::{figure, group_digits};

/// Style of numbers of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Numbers as they are.
    Plain,
    /// Numbers of things, which are whole.
    Whole,
    /// Parts of a whole, as percent.
    Percent,
}

/// A number with its interval, for reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spread {
    pub(crate) value: String,
    /// Both ends of the interval; empty without one.
    pub(crate) interval: String,
    /// Distance of the ends from the number; empty where it is outside of them.
    pub(crate) plus_minus: String,
}

/// Two ends nearer than this part of the other distance count as equally far.
const EVEN: f64 = 0.02;

impl Spread {
    pub(crate) fn new(value: f64, interval: Option<(f64, f64)>, style: Style) -> Self {
        // What a number of percent is off by is told in percentage points.
        let (factor, sign, points) = match style {
            Style::Whole => return Self::rounded(value, interval),
            Style::Plain => (1.0, "", ""),
            Style::Percent => (100.0, " %", " pp"),
        };
        let value = value * factor;
        let Some((lower, upper)) = interval.map(|(lower, upper)| (lower * factor, upper * factor)) else {
            return Self { value: figure(value) + sign, interval: String::new(), plus_minus: String::new() };
        };
        let digits = Digits::telling(value, lower, upper);
        let ends = format!("{} to {}{sign}", digits.write(lower), digits.write(upper));
        let plus_minus = match (value - lower, upper - value) {
            (down, up) if down < 0.0 || up < 0.0 => String::new(),
            (down, up) if (down - up).abs() <= EVEN * down.max(up) || digits.write(down) == digits.write(up) => {
                format!("± {}{points}", digits.write(down.max(up)))
            }
            (down, up) => {
                let [down, up] = [("−", down), ("+", up)].map(|(side, distance)| (side, digits.write(distance)));
                let far = |(side, distance): &(&str, String)| {
                    let nothing = !distance.contains(|digit| matches!(digit, '1'..='9'));
                    (!nothing).then(|| format!("{side}{distance}"))
                };
                let sides: Vec<String> = [down, up].iter().filter_map(far).collect();
                format!("{}{points}", sides.join(" / "))
            }
        };
        Self { value: digits.write(value) + sign, interval: ends, plus_minus }
    }

    /// The text beside the number: its margin of error, or else its interval.
    pub(crate) fn beside(&self) -> &str {
        if self.plus_minus.is_empty() { &self.interval } else { &self.plus_minus }
    }

    /// The same with the class of its quality, if it has one, of which alone is said if the number is not shown.
    pub(crate) fn of_class(self, quality: &str, hidden: bool) -> Self {
        if hidden {
            return Self { value: "–".to_owned(), interval: quality.to_owned(), plus_minus: quality.to_owned() };
        }
        let beside = |ends: String| match (ends.as_str(), quality) {
            ("", _) | (_, "") => ends,
            _ => format!("{ends}, {quality}"),
        };
        Self { value: self.value, interval: beside(self.interval), plus_minus: beside(self.plus_minus) }
    }

    /// A number of things: the nearest whole one, with the ends of its interval moved outwards to whole ones.
    fn rounded(value: f64, interval: Option<(f64, f64)>) -> Self {
        let ends = interval.map(|(lower, upper)| (lower.floor(), upper.ceil()));
        let is_inside = |(lower, upper): (f64, f64)| lower <= value && value <= upper;
        let shown = Self::new(value.round(), ends, Style::Plain);
        if interval.is_none_or(is_inside) { shown } else { Self { plus_minus: String::new(), ..shown } }
    }
}

/// Digits that a number needs beside another.
#[derive(Clone, Copy)]
enum Digits {
    /// This many decimals.
    Decimals(usize),
    /// A power of ten with this many decimals before it.
    Power(usize),
}

impl Digits {
    /// Two significant digits of the half width of the interval, at least: ends that differ are written differently.
    fn telling(value: f64, lower: f64, upper: f64) -> Self {
        let size = value.abs().max(lower.abs()).max(upper.abs());
        let half = 0.5 * (upper - lower);
        if [value, lower, upper].iter().all(|number| number.fract() == 0.0) && size < 1e15 {
            return Self::Decimals(0);
        }
        // Without a width, four digits of the number itself.
        let place = if half > 0.0 { half.log10().floor() - 1.0 } else { size.max(1e-300).log10().floor() - 3.0 };
        if size < 1e15 && place >= -9.0 {
            Self::Decimals((-place).max(0.0) as usize)
        } else {
            Self::Power((size.max(1e-300).log10().floor() - place).clamp(1.0, 16.0) as usize)
        }
    }

    fn write(self, number: f64) -> String {
        match self {
            Self::Decimals(decimals) => {
                let text = format!("{number:.decimals$}");
                // What rounds to nothing has no sign.
                let zero = !text.contains(|digit| matches!(digit, '1'..='9'));
                group_digits(if zero { text.trim_start_matches('-') } else { &text })
            }
            Self::Power(decimals) => format!("{number:.decimals$e}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(value: f64, lower: f64, upper: f64) -> [String; 3] {
        let spread = Spread::new(value, Some((lower, upper)), Style::Plain);
        [spread.value, spread.interval, spread.plus_minus]
    }

    #[test]
    fn the_digits_are_those_of_the_interval() {
        assert_eq!(plain(133.31, 133.24, 133.38), ["133.310", "133.240 to 133.380", "± 0.070"]);
        assert_eq!(plain(1423.0, 1412.0, 1434.0), ["1,423", "1,412 to 1,434", "± 11"]);
        assert_eq!(plain(12_620_126.29, 12_387_971.4, 12_852_281.2)[1], "12,387,971 to 12,852,281");
        assert_eq!(plain(4.7, 0.0, 12.2)[2], "−4.7 / +7.5");
        assert_eq!(plain(0.0, 0.0, 5.0), ["0", "0 to 5", "+5"]);
        assert_eq!(plain(3.0, 5.0, 9.0)[2], "", "outside its interval");
    }

    #[test]
    fn ends_that_differ_are_written_differently() {
        let cases = [(1e9, 1e-3), (0.3333, 1e-8), (5e17, 1e3), (1e-12, 3e-13), (-7.25, 0.5), (123_456.789, 0.02)];
        for (value, half) in cases {
            let text = plain(value, value - half, value + half)[1].clone();
            let (lower, upper) = text.split_once(" to ").expect("two ends");
            assert_ne!(lower, upper, "{value} and {half}");
        }
    }

    #[test]
    fn numbers_of_things_are_whole() {
        let shown = |value: f64, lower: f64, upper: f64| {
            let spread = Spread::new(value, Some((lower, upper)), Style::Whole);
            [spread.value, spread.interval, spread.plus_minus]
        };
        assert_eq!(shown(216.0, 203.4, 229.2), ["216", "203 to 230", "−13 / +14"]);
        assert_eq!(shown(389.3, 380.0, 399.5), ["389", "380 to 400", "−9 / +11"]);
        assert_eq!(shown(0.3, 0.0, 5.1), ["0", "0 to 6", "+6"]);
        assert_eq!(shown(4.0, 4.4, 9.0), ["4", "4 to 9", ""], "outside its interval");
        assert_eq!(Spread::new(12.7, None, Style::Whole).value, "13");
    }

    #[test]
    fn shares_are_percent() {
        let spread = Spread::new(0.195, Some((0.185, 0.205)), Style::Percent);
        assert_eq!([spread.value, spread.interval, spread.plus_minus], ["19.5 %", "18.5 to 20.5 %", "± 1.0 pp"]);
        assert_eq!(Spread::new(0.5, None, Style::Percent).value, "50 %");
    }
}
