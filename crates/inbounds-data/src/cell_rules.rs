//! Spelling of the cells of a column, and the one reading of a cell that everything shares: rows, key files, filters.
//!
//! A cell becomes a value by rules that are fixed beforehand, each cell on its own, and nothing here can fail: what
//! cannot be read is missing.

use std::borrow::Cow;

use crate::number_style::Separators;
use crate::{DateFormat, Day, Kind, NumberStyle, nfc};

/// Spelling of the cells of a column. Public: it is written before any row is read.
///
/// A cell is *missing* if it is null, empty, listed in `missing`, or cannot be read as the column's
/// [`Kind`](crate::Kind). Blanks around a number or a truth value never count; around a text they do not count unless
/// `trim` is false. A text is read in the
/// normal form [NFC](nfc).
///
/// # Example
/// Numbers as they are written in Berlin, and two words for "unknown":
/// ```
/// use inbounds_data::CellRules;
/// let rules = CellRules {
///     missing: vec!["-9".into(), "k. A.".into()],
///     thousands: Some('.'),
///     decimal: ',',
///     ..CellRules::default()
/// };
/// rules.check()?;
/// assert_eq!(rules.number(" 1.234,5 "), Some(1234.5));
/// assert_eq!(rules.number("-9,0"), None);
/// assert_eq!(rules.text(" k. A. "), None);
/// assert_eq!(rules.text("Orle\u{301}ans").as_deref(), Some("Orl\u{e9}ans"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct CellRules {
    /// True if blanks (Unicode white space) around a text are no part of it.
    pub trim: bool,
    /// Spellings that stand for a missing value. A text is compared as it is read, letter by letter; a number by value
    /// too, so that `-99` is also `-99.0`; and both before anything is clipped.
    pub missing: Vec<String>,
    /// The separator of groups of three digits, one of [`Self::THOUSANDS`]; a blank stands for white space of any
    /// width. `None` takes no separator.
    pub thousands: Option<char>,
    /// The decimal separator: `.` or `,`.
    pub decimal: char,
    /// Further notation of numbers.
    pub number: NumberStyle,
    /// Notation of dates.
    pub date: DateFormat,
}

impl Default for CellRules {
    fn default() -> Self {
        Self {
            trim: true,
            missing: Vec::new(),
            thousands: None,
            decimal: '.',
            number: NumberStyle::default(),
            date: DateFormat::default(),
        }
    }
}

impl CellRules {
    /// Separators that may stand between groups of three digits.
    pub const THOUSANDS: [char; 6] = [',', '.', ' ', '\'', '\u{2019}', '_'];

    /// Checks the separators, and the style of numbers beside them.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check(&self) -> Result<(), &'static str> {
        if !matches!(self.decimal, '.' | ',') {
            return Err("must have `.` or `,` as decimal separator");
        }
        match self.thousands {
            Some(separator) if separator == self.decimal => {
                Err("must not have one separator for decimals and thousands")
            }
            Some(separator) if !Self::THOUSANDS.contains(&separator) => {
                Err("must have a comma, point, blank, apostrophe or underscore between thousands")
            }
            _ => self.number.check(self.separators()),
        }
    }

    /// The text of a cell in the normal form [NFC](nfc), or `None` if it is missing.
    pub fn text<'a>(&self, cell: &'a str) -> Option<Cow<'a, str>> {
        CellReader::new(self).text(cell)
    }

    /// The number of a cell, or `None` if it is missing; a `NaN` is.
    pub fn number(&self, cell: &str) -> Option<f64> {
        CellReader::new(self).number(cell)
    }

    /// A text as it is compared: without blanks that do not count, in its normal form.
    fn read<'a>(&self, text: &'a str) -> Cow<'a, str> {
        nfc(if self.trim { text.trim() } else { text })
    }

    /// The number that a text spells, in the form that parsers of numbers read; see [`NumberStyle`].
    fn plain<'a>(&self, text: &'a str) -> Option<Cow<'a, str>> {
        self.number.plain(text, self.separators())
    }

    fn separators(&self) -> Separators {
        Separators { thousands: self.thousands, decimal: self.decimal }
    }
}

/// Rules made ready for many cells.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct CellReader {
    rules: CellRules,
    /// Missing values as texts are compared with them.
    texts: Vec<String>,
    /// Missing values that are numbers, as the bits of doubles that are no negative zero.
    numbers: Vec<u64>,
    /// Missing values that are 64-bit whole numbers.
    integers: Vec<i64>,
    /// Missing values that are dates.
    days: Vec<Day>,
}

impl CellReader {
    /// `true` if blanks around a text are no part of it.
    pub(crate) fn trims(&self) -> bool {
        self.rules.trim
    }

    pub(crate) fn new(rules: &CellRules) -> Self {
        // A code is written as the cells are, or as a program writes numbers; one with a mark is that text alone.
        let bare = CellRules { missing: Vec::new(), number: NumberStyle::default(), ..rules.clone() };
        let codes = rules.missing.iter().map(|code| code.trim());
        let spellings: Vec<Cow<str>> =
            codes.flat_map(|code| bare.plain(code).into_iter().chain([Cow::Borrowed(code)])).collect();
        let number = |text: &Cow<str>| text.parse::<f64>().ok().filter(|number| !number.is_nan()).map(bits);
        Self {
            numbers: spellings.iter().filter_map(number).collect(),
            integers: spellings.iter().filter_map(|text| exact_integer(text)).collect(),
            days: rules.missing.iter().filter_map(|code| day(rules, code)).collect(),
            texts: rules.missing.iter().map(|code| rules.read(code).into_owned()).collect(),
            rules: CellRules { number: rules.number.normal(), ..rules.clone() },
        }
    }

    /// `true` if any number stands for a missing value.
    pub(crate) fn has_codes(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// `true` for a number that stands for a missing value.
    pub(crate) fn is_code(&self, number: f64) -> bool {
        self.numbers.contains(&bits(number))
    }

    /// `true` for a whole number that stands for a missing value.
    pub(crate) fn is_whole_code(&self, integer: i64) -> bool {
        self.integers.contains(&integer)
    }

    /// The number among the missing values that a 32-bit float would be read from.
    pub(crate) fn is_narrow_code(&self, number: f64) -> bool {
        self.numbers.iter().any(|code| f64::from(f64::from_bits(*code) as f32) == number)
    }

    /// The separator of decimals.
    pub(crate) fn decimal(&self) -> char {
        self.rules.decimal
    }

    pub(crate) fn text<'a>(&self, cell: &'a str) -> Option<Cow<'a, str>> {
        let text = self.rules.read(cell);
        (!text.is_empty() && !self.texts.iter().any(|code| *code == text)).then_some(text)
    }

    /// Spelling of a cell that is no code. A code can have the marks of numbers, as `85+` can.
    fn spelt<'a>(&self, cell: &'a str) -> Option<Cow<'a, str>> {
        let text = match nfc(cell.trim()) {
            Cow::Borrowed(cell) => self.rules.plain(cell)?,
            Cow::Owned(cell) => Cow::Owned(self.rules.plain(&cell)?.into_owned()),
        };
        let is_code = || self.texts.iter().any(|code| code.trim() == cell.trim());
        (text == cell.trim() || !is_code()).then_some(text)
    }

    /// A number; `true` and `false` are 1 and 0, as they are where a truth value is stored as one.
    pub(crate) fn number(&self, cell: &str) -> Option<f64> {
        let text = self.spelt(cell)?;
        let number = text.parse().ok().or_else(|| word_of_truth(&text).map(f64::from))?;
        (!f64::is_nan(number) && !self.is_code(number)).then_some(number + 0.0)
    }

    /// The day of a cell.
    pub(crate) fn day(&self, cell: &str) -> Option<Day> {
        day(&self.rules, cell).filter(|day| !self.is_day_code(*day))
    }

    /// The hour of a cell, from 0 to 23; a date without a time of day has none.
    pub(crate) fn hour(&self, cell: &str) -> Option<i64> {
        let (day, hour) = self.rules.date.read_time(cell.trim())?;
        hour.filter(|_| !self.is_day_code(day)).map(i64::from)
    }

    /// `true` for a day that stands for a missing value.
    pub(crate) fn is_day_code(&self, day: Day) -> bool {
        self.days.contains(&day)
    }

    /// A whole number, however it is spelled: `7`, `07`, `7.0`, `7e0`; `true` and `false` are 1 and 0. Numbers beyond
    /// 64 bits and infinities saturate.
    pub(crate) fn integer(&self, cell: &str) -> Option<i64> {
        let text = self.spelt(cell)?;
        text.parse()
            .ok()
            .or_else(|| exact_integer(&text))
            .or_else(|| whole_double(text.parse().ok()?))
            .or_else(|| word_of_truth(&text).map(i64::from))
            .filter(|integer| !self.is_whole_code(*integer))
    }

    /// A whole number of at most 38 digits: one number for each unit, and no two units on one.
    pub(crate) fn unit(&self, cell: &str) -> Option<i128> {
        let text = self.spelt(cell)?;
        let unit = text.parse::<i64>().map(i128::from).ok().or_else(|| wide(&text))?;
        let is_code = i64::try_from(unit).is_ok_and(|unit| self.is_whole_code(unit));
        (!is_code).then_some(unit)
    }

    /// True or false: `true`, `t`, `yes`, `y` and 1, or `false`, `f`, `no`, `n` and 0, in any case and as any number.
    pub(crate) fn boolean(&self, cell: &str) -> Option<bool> {
        let text = cell.trim();
        if self.rules.missing.iter().any(|code| code.trim() == text) {
            return None;
        }
        let is = |words: [&str; 4]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
        if is(["true", "t", "yes", "y"]) {
            return Some(true);
        }
        if is(["false", "f", "no", "n"]) { Some(false) } else { truth(self.number(text)?) }
    }
}

impl CellReader {
    /// `true` for a cell whose content is not of a kind: neither empty, nor listed as missing, nor a `NaN`.
    pub(crate) fn is_unreadable(&self, cell: &str, kind: Kind) -> bool {
        let text = cell.trim();
        if self.text(text).is_none() || text.eq_ignore_ascii_case("nan") {
            return false;
        }
        match kind {
            Kind::Integer => self.integer(text).is_none() && !self.spells_code(text),
            Kind::Number => self.number(text).is_none() && !self.spells_code(text),
            Kind::Boolean => self.boolean(text).is_none() && !self.spells_code(text),
            Kind::Date => day(&self.rules, text).is_none(),
            Kind::Text | Kind::Other => false,
        }
    }

    /// `true` for a text that is the number of a missing value.
    fn spells_code(&self, text: &str) -> bool {
        let number = self.rules.plain(text).and_then(|text| text.parse::<f64>().ok());
        number.is_some_and(|number| self.is_code(number))
    }
}

/// The day that a cell says, missing values included: they are written as the cells are.
fn day(rules: &CellRules, cell: &str) -> Option<Day> {
    rules.date.read(cell.trim())
}

/// A truth value as programs write it where they print one.
fn word_of_truth(text: &str) -> Option<bool> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    if is("true") { Some(true) } else { is("false").then_some(false) }
}

/// Truth value that a number stands for.
pub(crate) fn truth(number: f64) -> Option<bool> {
    if number == 1.0 { Some(true) } else { (number == 0.0).then_some(false) }
}

/// A double that is whole, saturated; none for a fraction or a NaN.
pub(crate) fn whole_double(number: f64) -> Option<i64> {
    // Beyond 2^53 every double is whole, and the conversion saturates.
    (number.is_infinite() || number.fract() == 0.0).then_some(number as i64)
}

fn bits(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

/// The whole number that a decimal spells exactly, `-7`, `007`, `7.00` or `70e-1`, if 64 bits hold it.
fn exact_integer(text: &str) -> Option<i64> {
    text.parse().ok().or_else(|| i64::try_from(wide(text)?).ok())
}

/// The same of at most 38 digits, as many as the decimals of tables hold.
fn wide(text: &str) -> Option<i128> {
    const MOST: i128 = 10i128.pow(38) - 1;
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (negative, digits) = match mantissa.as_bytes().first()? {
        b'-' => (true, &mantissa[1..]),
        b'+' => (false, &mantissa[1..]),
        _ => (false, mantissa),
    };
    let (integral, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = || integral.bytes().chain(fraction.bytes());
    if all().next().is_none() || !all().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    // Digits that stand before the point once the exponent has moved it; what is behind must be zeros.
    let point = i64::try_from(integral.len()).ok()? + i64::from(exponent);
    let mut value: i128 = 0;
    for (place, digit) in (0i64..).zip(all()) {
        match (place < point, digit) {
            (true, digit) => value = value.checked_mul(10)?.checked_add((digit - b'0').into())?,
            (false, b'0') => {}
            (false, _) => return None,
        }
        if value > MOST {
            return None;
        }
    }
    let written = i64::try_from(all().count()).ok()?;
    if value != 0 {
        for _ in written..point {
            value = value.checked_mul(10).filter(|value| *value <= MOST)?;
        }
    }
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(missing: &[&str], thousands: Option<char>, decimal: char) -> CellRules {
        let missing = missing.iter().map(|&code| code.to_owned()).collect();
        CellRules { missing, thousands, decimal, ..CellRules::default() }
    }

    #[test]
    fn thousands_stand_between_groups_of_three() {
        let english = rules(&[], Some(','), '.');
        for (cell, number) in [("1,234", 1234.0), ("-12,345,678.5", -12_345_678.5), ("999", 999.0), (" +1,000e2 ", 1e5)]
        {
            let parsed = CellReader::new(&english).number(cell);
            assert_eq!(parsed, if cell.contains('e') { None } else { Some(number) }, "{cell}");
        }
        for cell in ["1,2", "1,23,456", ",123", "1234,567", "1,234,", "12,34"] {
            assert_eq!(english.number(cell), None, "{cell}");
        }
        let german = rules(&[], Some('.'), ',');
        assert_eq!(german.number("1.234.567,25"), Some(1_234_567.25));
        assert_eq!(german.number("0,5e1"), Some(5.0));
        assert_eq!(german.number("1.5"), None);
        let french = rules(&[], Some(' '), ',');
        assert_eq!(french.number("1\u{202f}234,5"), Some(1234.5));
        assert_eq!(rules(&[], None, ',').number("1.5"), None);
    }

    #[test]
    fn whole_numbers_are_read_exactly() {
        let read = |cells: &[&str]| cells.iter().map(|cell| exact_integer(cell)).collect::<Vec<_>>();
        assert_eq!(read(&["7", "07", "7.0", "70e-1", "0.7e1", "+7", "7e0"]), [Some(7); 7]);
        assert_eq!(read(&["", ".", "-", "7.5", "e", "1e", "0x7", "inf", "1e19", "1e2147483647"]), [None; 10]);
        assert_eq!(read(&["0e999999", "-0", "-9007199254740993.0"]), [Some(0), Some(0), Some(-9_007_199_254_740_993)]);
        assert_eq!(read(&["9223372036854775807.0", "-9223372036854775808.00"]), [Some(i64::MAX), Some(i64::MIN)]);
        assert_eq!(read(&["9223372036854775808.0"]), [None]);
    }

    #[test]
    fn missing_values_are_compared_as_they_are_read() {
        let reader = CellReader::new(&rules(&["NA", " -99 ", "?", "", "1,5"], None, ','));
        for cell in ["NA", " NA ", "-99", "-99,0", "-9,9e1", "?", "", "  ", "1,5"] {
            assert_eq!(
                (reader.text(cell).is_some(), reader.number(cell)),
                (cell.contains(",0") || cell.contains('e'), None)
            );
        }
        assert_eq!((reader.text("na").as_deref(), reader.number("99")), (Some("na"), Some(99.0)));
        let exact = CellRules { trim: false, ..rules(&["NA"], None, '.') };
        assert_eq!([" NA", "NA", " "].map(|cell| exact.text(cell)), [Some(" NA".into()), None, Some(" ".into())]);
    }

    #[test]
    fn marks_and_words_are_compared_in_the_normal_form() {
        let number = NumberStyle {
            marks: vec!["e\u{301}".into()],
            spelled: vec![("ho\u{308}chstens".into(), "3".into())],
            ..NumberStyle::default()
        };
        let reader = CellReader::new(&CellRules { number, ..CellRules::default() });
        let cells = ["5 \u{e9}", "5 e\u{301}", "h\u{f6}chstens", "ho\u{308}chstens"];
        assert_eq!(cells.map(|cell| reader.number(cell)), [Some(5.0), Some(5.0), Some(3.0), Some(3.0)]);
    }

    #[test]
    fn truth_has_many_spellings() {
        let reader = CellReader::new(&rules(&["9"], None, '.'));
        for cell in ["true", " T ", "Yes", "y", "1", "1.0", "01", "1e0"] {
            assert_eq!(reader.boolean(cell), Some(true), "{cell}");
        }
        for cell in ["FALSE", "f", "no", "N", "0", "0.0", "-0", "0.00"] {
            assert_eq!(reader.boolean(cell), Some(false), "{cell}");
        }
        for cell in ["", "2", "9", "on", "NaN", "yess", "-1"] {
            assert_eq!(reader.boolean(cell), None, "{cell}");
        }
    }
}
