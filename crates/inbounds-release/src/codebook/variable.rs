//! One variable of a codebook.

use std::path::Path;

use inbounds_data::{CellRules, DeclaredMissing, KeyColumn, KeyValue, Kind};

/// A value that a variable can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodedValue {
    /// As it stands in cells.
    pub code: String,
    /// Its label, for people.
    pub label: Option<String>,
}

/// A statement of a codebook that the plan does not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The least and the largest value that were observed.
    Observed,
    /// A valid range in a format whose programs write the observed one there.
    MaybeObserved,
    /// Values without labels, listed with how often each occurred.
    ObservedValues,
    /// Codes beside numbers, such as 97 for a person who does not know.
    CodesBesideNumbers(Vec<CodedValue>),
    /// Values whose labels say that something is not known.
    LooksMissing(Vec<CodedValue>),
    /// A pattern of dates that a plan does not have.
    DatePattern(String),
    /// A type that no column of a plan has.
    Type(String),
    /// One end of a range, or ends that are no numbers or not in order.
    Bounds(String),
    /// Values that are not of the type of the variable.
    Values(String),
    /// Cells that no statistic reads, such as free text and files.
    FreeText,
    /// That the variable identifies people.
    Identifier,
    /// Codes for missing of the file with the rows, whose cells are missing as they are read.
    ReadAsMissing(String),
    /// That values have labels does not say that no other can occur.
    LabelledValues,
    /// A range of codes for missing, too long to be listed.
    MissingRange(String),
}

impl Refusal {
    /// The same as a line of a plan.
    pub fn sentence(&self) -> String {
        match self {
            Self::Observed => {
                "minimum and maximum of the codebook were taken from the rows, so they are private: give bounds that were \
                 known before"
                    .to_owned()
            }
            Self::MaybeObserved => {
                "the codebook has a valid range, where programs write the least and largest number of the rows: give bounds that \
                 were known before"
                    .to_owned()
            }
            Self::ObservedValues => {
                "the codebook lists values without labels, with how often each occurred, so they are those of the rows: list the \
                 values that are possible"
                    .to_owned()
            }
            Self::CodesBesideNumbers(codes) => {
                format!("codes beside numbers, which are missing if `missing_values` lists them: {}", shown(codes))
            }
            Self::LooksMissing(codes) => {
                format!("missing? Then list them in `missing_values`, and not in `values`: {}", shown(codes))
            }
            Self::DatePattern(pattern) => {
                format!("the codebook writes dates as `{pattern}`: say it as `format = \"%d.%m.%Y\"` does")
            }
            Self::Type(word) => format!("the codebook calls the type `{word}`, which no column of a plan has"),
            Self::Bounds(reason) => format!("bounds of the codebook are not taken: {reason}"),
            Self::Values(reason) => format!("values of the codebook are not taken: {reason}"),
            Self::ReadAsMissing(codes) => format!("the file declares {codes} missing: such cells are missing"),
            Self::LabelledValues => {
                "these values have labels in the file: add others that can occur, or leave the list out for a number".to_owned()
            }
            Self::MissingRange(codes) => {
                format!("the codebook declares {codes} missing: list the codes that occur in `missing_values`")
            }
            Self::FreeText => "free text: no statistic reads it".to_owned(),
            Self::Identifier => {
                "the codebook says that it identifies people: use it as the unit, or not at all".to_owned()
            }
        }
    }
}

/// A codebook's entry for one column.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Variable {
    /// Names that the column may have.
    pub names: Vec<String>,
    /// Its label, for people.
    pub label: Option<String>,
    /// The unit of its values.
    pub unit: Option<String>,
    /// Its type, where it is known and one of a plan.
    pub kind: Option<Kind>,
    /// The pattern of its dates, where it is not that of ISO 8601.
    pub format: Option<String>,
    /// The least number that can be, as it is written.
    pub lower: Option<String>,
    /// The largest.
    pub upper: Option<String>,
    /// The values that can occur, in the order of the codebook; empty where they are not listed.
    pub values: Vec<CodedValue>,
    /// The separator of decimals, where it is no point.
    pub decimal: Option<char>,
    /// The separator of groups of three digits.
    pub thousands: Option<char>,
    /// Cells that stand for a missing value.
    pub missing: Vec<String>,
    /// Statements that are not taken.
    pub refused: Vec<Refusal>,
}

/// Words for a cell without anything.
const EMPTY: [&str; 7] = ["", "sysmiss", "blank", "(blank)", "empty", "system missing", "."];

/// A whole number as a plan writes it, of codes such as `01` and `1.0`.
fn integer_code(code: &str) -> Option<String> {
    let number = code.trim().parse::<f64>().ok().filter(|number| number.fract() == 0.0 && number.abs() < 1e15)?;
    Some(format!("{number}"))
}

/// `true` for labels that say that something is not known or was not asked.
fn says_unknown(label: &str) -> bool {
    const WORDS: [&str; 16] = [
        "missing",
        "refused",
        "refusal",
        "refuse",
        "don't know",
        "dont know",
        "do not know",
        "doesn't know",
        "dk",
        "no answer",
        "not stated",
        "unknown",
        "niu",
        "not applicable",
        "no sabe",
        "keine angabe",
    ];
    let label = label.to_lowercase();
    let label = label.trim();
    WORDS.iter().any(|word| {
        let rest = label.strip_prefix(word);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

/// Codes with their labels.
fn shown(codes: &[CodedValue]) -> String {
    let one = |value: &CodedValue| match &value.label {
        Some(label) => format!("{} ({})", value.code, one_line(label)),
        None => value.code.clone(),
    };
    codes.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The truth value that rows with this cell have.
fn truth(code: &str) -> Option<bool> {
    let column = KeyColumn { name: String::new(), kind: Kind::Boolean, cells: CellRules::default() };
    match column.read(code)? {
        KeyValue::Boolean(is_true) => Some(is_true),
        KeyValue::Integer(_) | KeyValue::Text(_) | KeyValue::Missing => None,
    }
}

fn is_whole(text: &str) -> bool {
    text.parse::<i64>().is_ok()
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_finite)
}

impl Variable {
    /// A variable of which nothing is known.
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self { names: vec![name.into()], ..Self::default() }
    }

    /// Takes a label, unless it is empty.
    pub(super) fn labelled(mut self, label: Option<&str>) -> Self {
        self.label = label.map(one_line).filter(|label| !label.is_empty());
        self
    }

    /// Takes codes that are declared missing; a range that is too long for a list is left to people.
    pub(super) fn declare_missing(&mut self, declared: &DeclaredMissing) {
        match declared.codes() {
            Some(codes) => self.missing.extend(codes),
            None => self.refused.push(Refusal::MissingRange(declared.to_string())),
        }
    }

    /// The same with what follows from what is known: a type from its values, and nothing that a plan would refuse.
    ///
    /// # Postcondition
    /// Bounds are two numbers in order, whole for an integer; values are distinct and of the type, and none of them is
    /// missing.
    pub(super) fn settled(mut self) -> Self {
        self.settle_codes();
        self.values.retain(|value| !self.missing.contains(&value.code));
        // Programs call what is coded with numbers a number.
        if self.kind == Some(Kind::Number)
            && !self.values.is_empty()
            && self.values.iter().all(|value| is_whole(&value.code))
        {
            self.kind = Some(Kind::Integer);
        }
        if self.kind.is_none() && !self.values.is_empty() {
            let all_are_integers = self.values.iter().all(|value| is_whole(&value.code));
            self.kind = Some(if all_are_integers { Kind::Integer } else { Kind::Text });
        }
        // Codes of a scale that has bounds are whole numbers where both ends are.
        if let (Some(lower), Some(upper), None) = (&self.lower, &self.upper, self.kind) {
            self.kind = Some(if is_whole(lower) && is_whole(upper) { Kind::Integer } else { Kind::Number });
        }
        self.settle_bounds();
        self.settle_values();
        self.settle_codes_beside_numbers();
        let looks_missing = |value: &&CodedValue| value.label.as_deref().is_some_and(says_unknown);
        let unknown: Vec<CodedValue> = self.values.iter().filter(looks_missing).cloned().collect();
        self.refused.extend((!unknown.is_empty()).then_some(Refusal::LooksMissing(unknown)));
        self
    }

    /// Each code once, whole numbers as such, and without words for an empty cell, which is missing anyway.
    fn settle_codes(&mut self) {
        let numbers = self.values.iter().map(|value| &value.code);
        let all_whole = self.kind != Some(Kind::Text) && numbers.clone().all(|code| integer_code(code).is_some());
        if all_whole {
            self.values.iter_mut().for_each(|value| value.code = integer_code(&value.code).unwrap_or_default());
        }
        let mut seen: Vec<String> = Vec::new();
        for code in std::mem::take(&mut self.missing) {
            let code = integer_code(&code).filter(|_| all_whole).unwrap_or(code);
            if !EMPTY.contains(&code.trim().to_lowercase().as_str()) && !seen.contains(&code) {
                seen.push(code);
            }
        }
        self.missing = seen;
    }

    /// Where a range is given, codes beyond it are no numbers; and a list that leaves out numbers within it is no list
    /// of all values.
    fn settle_codes_beside_numbers(&mut self) {
        let end = |end: &Option<String>| end.as_ref().and_then(|end| end.parse::<i64>().ok());
        let (Some(lower), Some(upper)) = (end(&self.lower), end(&self.upper)) else { return };
        let within = |value: &CodedValue| value.code.parse::<i64>().is_ok_and(|code| (lower..=upper).contains(&code));
        let (inside, beside): (Vec<_>, Vec<_>) = std::mem::take(&mut self.values).into_iter().partition(within);
        if !beside.is_empty() {
            self.refused.push(Refusal::CodesBesideNumbers(beside));
        }
        let is_whole_list = i64::try_from(inside.len()).is_ok_and(|listed| listed > upper.saturating_sub(lower));
        self.values = if is_whole_list { inside } else { Vec::new() };
    }

    fn settle_bounds(&mut self) {
        let wrong = match (self.kind, &self.lower, &self.upper) {
            (_, None, None) => return,
            // The other end is a question.
            (Some(Kind::Integer), Some(end), None) | (Some(Kind::Integer), None, Some(end)) if is_whole(end) => return,
            (Some(Kind::Number), Some(end), None) | (Some(Kind::Number), None, Some(end)) if is_number(end) => return,
            (_, Some(end), None) | (_, None, Some(end)) => Some(format!("{end} is of no number")),
            (Some(Kind::Integer | Kind::Number), Some(lower), Some(upper)) => {
                match (lower.parse::<f64>(), upper.parse::<f64>()) {
                    (Ok(least), Ok(most)) if least < most && least.is_finite() && most.is_finite() => {
                        let is_fine = self.kind == Some(Kind::Number) || is_whole(lower) && is_whole(upper);
                        (!is_fine).then(|| format!("{lower} and {upper} are not whole, as the column is"))
                    }
                    _ => Some(format!("{lower} and {upper} are not two numbers in order")),
                }
            }
            (_, Some(lower), Some(upper)) => Some(format!("{lower} and {upper} are of no number")),
        };
        if let Some(wrong) = wrong {
            self.refused.push(Refusal::Bounds(wrong));
            (self.lower, self.upper) = (None, None);
        }
    }

    fn settle_values(&mut self) {
        if self.kind == Some(Kind::Boolean) {
            for value in &mut self.values {
                value.code = truth(&value.code).map_or_else(|| value.code.clone(), |is_true| is_true.to_string());
            }
        }
        let wrong = self.values.iter().enumerate().find_map(|(place, value)| {
            let code = &value.code;
            if self.values[..place].iter().any(|earlier| earlier.code == *code) {
                return Some(format!("`{code}` is listed twice"));
            }
            match self.kind {
                Some(Kind::Integer) if !is_whole(code) => Some(format!("`{code}` is not whole, as the column is")),
                Some(Kind::Number) => Some("the column has numbers that need not be whole".to_owned()),
                Some(Kind::Date) => Some("the column has dates".to_owned()),
                Some(Kind::Boolean) if truth(code).is_none() => {
                    Some(format!("`{code}` is neither true nor false, as the column is"))
                }
                _ => None,
            }
        });
        if let Some(wrong) = wrong {
            self.refused.push(Refusal::Values(wrong));
            self.values.clear();
        }
    }

    /// `true` if the codebook has a type for it that no column of a plan has.
    pub(super) fn has_unknown_type(&self) -> bool {
        self.refused.iter().any(|refusal| matches!(refusal, Refusal::Type(_)))
    }

    /// `true` if its codes are numbers, as they are written in a plan.
    pub(super) fn has_numeric_codes(&self) -> bool {
        self.kind == Some(Kind::Integer)
    }
}

/// The name of a codebook's file, as the plan mentions it.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy()).into_owned()
}

/// A text on one line, with single blanks.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `true` if a code is written in a plan as a number.
pub(super) fn is_bare_number(code: &str) -> bool {
    is_number(code) && code.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-' || byte == b'.') && {
        // TOML has neither `007` nor `.5` nor `5.`.
        let digits = code.trim_start_matches('-');
        let (integer_part, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        !integer_part.is_empty() && !fraction.is_empty() && (integer_part == "0" || !integer_part.starts_with('0'))
    }
}
