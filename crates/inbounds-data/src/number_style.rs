//! Numbers as people write them: with marks around them, in words, negative in brackets, in other groups of digits.

use std::borrow::Cow;

use crate::nfc;

/// Notation of the numbers of a column beyond digits, a sign and separators. Public, as all
/// [`CellRules`](crate::CellRules) are: written before any row is read, and applied to each cell by itself.
///
/// The default reads plain numbers. Whatever the style, other minus signs (`−`, `‐`, `–`, `﹣`, `－`) stand for `-`.
///
/// # Example
/// Ages up to `85+`, amounts in brackets where they are negative, and a word for none:
/// ```
/// use inbounds_data::{CellRules, Negative, NumberStyle};
/// let number = NumberStyle {
///     marks: vec!["+".into(), "€".into()],
///     spelled: vec![("none".into(), "0".into()), ("<5".into(), "2.5".into())],
///     negative: Negative::Brackets,
///     ..NumberStyle::default()
/// };
/// let rules = CellRules { number, ..CellRules::default() };
/// rules.check()?;
/// assert_eq!(["85+", "€ 5", "(7)", "none", "<5"].map(|cell| rules.number(cell).unwrap()), [85.0, 5.0, -7.0, 0.0, 2.5]);
/// assert_eq!(["<6", "85 years"].map(|cell| rules.number(cell)), [None, None]);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
pub struct NumberStyle {
    /// Texts that may stand before or behind a number, blanks between them or not, and are no part of it.
    pub marks: Vec<String>,
    /// Whole cells that stand for a number, and its decimal text.
    pub spelled: Vec<(String, String)>,
    /// Notation of negative numbers, beside a minus sign in front.
    pub negative: Negative,
    /// True if a point and a comma both stand before decimals, whichever a cell has; there are then no separators of
    /// thousands.
    pub either_decimal: bool,
    /// Number of digits in a group, from the last group to the first; the last entry repeats. Empty for threes.
    pub groups: Vec<u8>,
}

/// A way to write negative numbers, beside the minus sign in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
pub enum Negative {
    /// No other way: `-5`.
    #[default]
    Sign,
    /// In brackets: `(5)`.
    Brackets,
    /// With the sign behind it: `5-`.
    Behind,
}

/// Signs that mean a minus: the hyphen, its siblings in Unicode, and the dash.
const MINUS: [char; 6] = ['-', '\u{2212}', '\u{2010}', '\u{2013}', '\u{fe63}', '\u{ff0d}'];

/// The separators that stand inside a number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Separators {
    pub(crate) thousands: Option<char>,
    pub(crate) decimal: char,
}

impl NumberStyle {
    /// `true` for plain numbers.
    fn is_plain(&self) -> bool {
        let Self { marks, spelled, negative, either_decimal, groups } = self;
        marks.is_empty() && spelled.is_empty() && *negative == Negative::Sign && !either_decimal && groups.is_empty()
    }

    /// Checks marks, words and groups beside the separators.
    pub(crate) fn check(&self, separators: Separators) -> Result<(), &'static str> {
        let inside = |letter: char| {
            letter.is_numeric()
                || MINUS.contains(&letter)
                || letter == separators.decimal
                || self.either_decimal && matches!(letter, '.' | ',')
                || Some(letter) == separators.thousands
        };
        let is_bracket = |letter: char| self.negative == Negative::Brackets && matches!(letter, '(' | ')');
        if self.marks.iter().any(|mark| mark.trim().is_empty()) {
            return Err("must not have a mark without letters");
        }
        if self.marks.iter().any(|mark| mark.contains(inside)) {
            return Err("must not have a digit, a minus sign or a separator of numbers in a mark");
        }
        if self.marks.iter().any(|mark| is_word_for_number(mark.trim())) {
            return Err("must not have a mark that is a number or a truth value by itself, such as `inf` or `true`");
        }
        if self.spelled.iter().any(|(text, _)| is_decimal_or_word(text.trim())) {
            return Err("must not have a cell in `numbers` that is a number or a truth value already");
        }
        if self.marks.iter().any(|mark| mark.contains(is_bracket)) {
            return Err("must not have brackets both as marks and for negative numbers");
        }
        if self.spelled.iter().any(|(text, number)| text.trim().is_empty() || !is_decimal(number)) {
            return Err("must have a number for each cell that is spelled out");
        }
        if self.either_decimal && matches!(separators.thousands, Some('.' | ',')) {
            return Err("must not have a point or a comma between thousands where both stand before decimals");
        }
        if !self.groups.is_empty() && separators.thousands.is_none() {
            return Err("must have `thousands` with `groups`, between which it stands");
        }
        if self.groups.contains(&0) {
            return Err("must have at least one digit in each group");
        }
        Ok(())
    }

    /// The same with texts in the normal form [NFC](nfc), in which cells are compared.
    pub(crate) fn normal(&self) -> Self {
        let normal = |text: &String| nfc(text).into_owned();
        Self {
            marks: self.marks.iter().map(normal).collect(),
            spelled: self.spelled.iter().map(|(text, number)| (normal(text), number.clone())).collect(),
            ..self.clone()
        }
    }

    /// The number that a trimmed cell spells, as parsers of numbers read it: with a point for decimals, without
    /// anything else. None for a cell whose groups are not those of the style. What is no number stays what it is.
    pub(crate) fn plain<'a>(&self, text: &'a str, separators: Separators) -> Option<Cow<'a, str>> {
        if self.is_plain() {
            return self.with_sign(text, separators);
        }
        if let Some((_, number)) = self.spelled.iter().find(|(spelled, _)| spelled.trim() == text) {
            return Some(Cow::Owned(number.clone()));
        }
        let bare = self.unmarked(text);
        let inner = match self.negative {
            Negative::Sign => None,
            Negative::Brackets => bare.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')),
            Negative::Behind => bare.strip_suffix(MINUS),
        };
        match inner {
            None => match bare.strip_prefix(MINUS) {
                // Between a sign and the digits a mark can stand, too: `-€5`.
                Some(behind) => self.negated(behind, separators),
                None => self.with_sign(bare, separators),
            },
            Some(inner) => self.negated(inner, separators),
        }
    }

    /// A number with a sign or without one.
    fn with_sign<'a>(&self, text: &'a str, separators: Separators) -> Option<Cow<'a, str>> {
        let is_plain = separators.thousands.is_none() && separators.decimal == '.' && !self.either_decimal;
        if is_plain && text.is_ascii() {
            return Some(Cow::Borrowed(text));
        }
        match text.strip_prefix(MINUS) {
            Some(rest) => Some(Cow::Owned(format!("-{}", self.unsigned(rest, separators)?))),
            None => match text.strip_prefix('+') {
                Some(rest) => Some(Cow::Owned(format!("+{}", self.unsigned(rest, separators)?))),
                None => self.unsigned(text, separators),
            },
        }
    }

    /// A number without a sign.
    fn unsigned<'a>(&self, digits: &'a str, separators: Separators) -> Option<Cow<'a, str>> {
        let is_decimal =
            |letter: char| letter == separators.decimal || self.either_decimal && matches!(letter, '.' | ',');
        let (integral, fraction) = digits.split_once(is_decimal).map_or((digits, None), |(a, b)| (a, Some(b)));
        let integral = ungrouped(integral, separators.thousands, &self.groups)?;
        // Whatever is neither separator is refused by the parser of numbers, but for a point that stands for nothing
        // here.
        let has_point = || integral.contains('.') || fraction.is_some_and(|fraction| fraction.contains('.'));
        if (separators.decimal != '.' || self.either_decimal) && has_point() {
            return None;
        }
        Some(match fraction {
            None => integral,
            Some(fraction) => Cow::Owned(format!("{integral}.{fraction}")),
        })
    }

    /// The negative of a number that has no sign of its own.
    fn negated<'a>(&self, text: &'a str, separators: Separators) -> Option<Cow<'a, str>> {
        let number = self.unsigned(self.unmarked(text.trim()), separators)?;
        let is_unsigned = !number.starts_with(['-', '+']) && number.parse::<f64>().is_ok_and(|number| !number.is_nan());
        is_unsigned.then(|| Cow::Owned(format!("-{number}")))
    }

    /// A text without the marks at its ends, of which the longest that fits is taken.
    fn unmarked<'a>(&self, text: &'a str) -> &'a str {
        let mut rest = text;
        loop {
            let shorter = |mark: &String| {
                let mark = mark.trim();
                rest.strip_prefix(mark).or_else(|| rest.strip_suffix(mark)).map(str::trim)
            };
            match self.marks.iter().filter_map(shorter).min_by_key(|shorter| shorter.len()) {
                Some(shorter) => rest = shorter,
                None => return rest,
            }
        }
    }
}

/// Digits without their separators, if these stand between groups of the right lengths.
fn ungrouped<'a>(digits: &'a str, thousands: Option<char>, groups: &[u8]) -> Option<Cow<'a, str>> {
    const THREES: &[u8] = &[3];
    let is_separator = |letter: char| match thousands {
        Some(' ') => letter.is_whitespace(),
        separator => separator == Some(letter),
    };
    if !digits.contains(is_separator) {
        return Some(Cow::Borrowed(digits));
    }
    let groups = if groups.is_empty() { THREES } else { groups };
    let parts: Vec<&str> = digits.split(is_separator).collect();
    let well_formed = |(place, part): (usize, &&str)| {
        let length = usize::from(groups[place.min(groups.len() - 1)]);
        let is_first = place + 1 == parts.len();
        let fits = if is_first { (1..=length).contains(&part.len()) } else { part.len() == length };
        fits && part.bytes().all(|digit| digit.is_ascii_digit())
    };
    parts.iter().rev().enumerate().all(well_formed).then(|| Cow::Owned(parts.concat()))
}

/// `true` for a word that is read as a number or a truth value.
fn is_word_for_number(text: &str) -> bool {
    let is_truth = ["true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word));
    is_truth || text.parse::<f64>().is_ok()
}

/// `true` for such a word, or a number with another minus sign.
fn is_decimal_or_word(text: &str) -> bool {
    is_word_for_number(&text.replace(MINUS, "-"))
}

/// `true` for a finite decimal, as a plan writes numbers.
fn is_decimal(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Separators = Separators { thousands: None, decimal: '.' };

    fn marks(marks: &[&str]) -> NumberStyle {
        NumberStyle { marks: marks.iter().map(|&mark| mark.to_owned()).collect(), ..NumberStyle::default() }
    }

    fn number(style: &NumberStyle, separators: Separators, cell: &str) -> Option<f64> {
        style.plain(cell.trim(), separators)?.parse().ok()
    }

    #[test]
    fn marks_stand_on_either_side() {
        let style = marks(&["+", "<", "b", "€", "%", "and over", "EUR"]);
        let cells = ["85+", "< 5", "12.3 b", "€5", "-€5", "€-5", "80 %", "85 and over", "<5 b", "+85", "+5+", "EUR 7"];
        let read = [85.0, 5.0, 12.3, 5.0, -5.0, -5.0, 80.0, 85.0, 5.0, 85.0, 5.0, 7.0];
        for (cell, expected) in cells.into_iter().zip(read) {
            assert_eq!(number(&style, PLAIN, cell), Some(expected), "{cell}");
        }
        for cell in ["b", "8+5", "85x", "--5", "-€-5", "", "5 c"] {
            assert_eq!(number(&style, PLAIN, cell), None, "{cell}");
        }
    }

    #[test]
    fn negative_numbers_are_written_in_three_ways() {
        let in_brackets = NumberStyle { negative: Negative::Brackets, ..marks(&["€"]) };
        assert_eq!(number(&in_brackets, PLAIN, "-inf"), Some(f64::NEG_INFINITY));
        for cell in ["(5)", "-5", "(€5)", "€(5)", "( 5 )", "\u{2212}5"] {
            assert_eq!(number(&in_brackets, PLAIN, cell), Some(-5.0), "{cell}");
        }
        assert_eq!(["(-5)", "(5", "5)", "()", "((5))"].map(|cell| number(&in_brackets, PLAIN, cell)), [None; 5]);
        let behind = NumberStyle { negative: Negative::Behind, ..NumberStyle::default() };
        assert_eq!(
            ["5-", "-5", "5", "-5-", "-"].map(|cell| number(&behind, PLAIN, cell)),
            [Some(-5.0), Some(-5.0), Some(5.0), None, None]
        );
        for minus in MINUS {
            assert_eq!(number(&NumberStyle::default(), PLAIN, &format!("{minus}5.5")), Some(-5.5), "{minus}");
        }
    }

    #[test]
    fn groups_of_digits_are_those_of_a_country() {
        let commas = Separators { thousands: Some(','), decimal: '.' };
        let indian = NumberStyle { groups: vec![3, 2], ..NumberStyle::default() };
        let read = |style: &NumberStyle, cell: &str| number(style, commas, cell);
        assert_eq!(read(&indian, "1,23,45,678.5"), Some(12_345_678.5));
        assert_eq!(["123,456", "1,234,567", "1,23,45", ",23,456"].map(|cell| read(&indian, cell)), [None; 4]);
        let fours = NumberStyle { groups: vec![4], ..NumberStyle::default() };
        assert_eq!([read(&fours, "1,2345,6789"), read(&fours, "1,234")], [Some(123_456_789.0), None]);
    }

    #[test]
    fn a_point_and_a_comma_can_both_stand_before_decimals() {
        let either = NumberStyle { either_decimal: true, ..NumberStyle::default() };
        for (cell, expected) in [("70.5", Some(70.5)), ("70,5", Some(70.5)), ("-70,5", Some(-70.5)), ("70", Some(70.0))]
        {
            assert_eq!(number(&either, PLAIN, cell), expected, "{cell}");
        }
        assert_eq!(["1.234,5", "1,234.5", "1,2,3", "1.2.3"].map(|cell| number(&either, PLAIN, cell)), [None; 4]);
        assert!(either.check(Separators { thousands: Some(','), decimal: '.' }).is_err());
        let blanks = Separators { thousands: Some(' '), decimal: '.' };
        assert_eq!((number(&either, blanks, "1 234,5"), either.check(blanks)), (Some(1234.5), Ok(())));
    }

    #[test]
    fn a_style_that_would_hide_digits_is_refused() {
        let with = |mark: &str, negative| NumberStyle { negative, ..marks(&[mark]) };
        for mark in ["", "  ", "5", "-", "\u{2212}b", ".", "x1", "inf", "NaN", "True"] {
            assert!(with(mark, Negative::Sign).check(PLAIN).is_err(), "{mark}");
        }
        assert!(
            with("(e)", Negative::Brackets).check(PLAIN).is_err() && with("(e)", Negative::Sign).check(PLAIN).is_ok()
        );
        let spelled =
            |number: &str| NumberStyle { spelled: vec![("few".into(), number.into())], ..NumberStyle::default() };
        assert!(
            spelled("2.5").check(PLAIN).is_ok()
                && ["", "x", "inf", "2,5"].iter().all(|text| spelled(text).check(PLAIN).is_err())
        );
        assert!(NumberStyle { groups: vec![3, 0], ..NumberStyle::default() }.check(PLAIN).is_err());
    }
}
