//! One variable of a codebook.

use inbounds_data::Kind;

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
            Self::Type(word) => format!("the codebook calls the type `{word}`, which no column of a plan has"),
            Self::Bounds(what) => format!("bounds of the codebook are not taken: {what}"),
            Self::Values(what) => format!("values of the codebook are not taken: {what}"),
            Self::ReadAsMissing(codes) => format!("the file declares {codes} missing: such cells are missing"),
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
    /// Cells that stand for a missing value.
    pub missing: Vec<String>,
    /// Statements that are not taken.
    pub refused: Vec<Refusal>,
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

    /// The same with what follows from what is known: a type from its values, and nothing that a plan would refuse.
    ///
    /// # Postcondition
    /// Bounds are two numbers in order, whole for an integer; values are distinct and of the type, and none of them is
    /// missing.
    pub(super) fn settled(mut self) -> Self {
        self.values.retain(|value| !self.missing.contains(&value.code));
        if self.kind.is_none() && !self.values.is_empty() {
            let whole = self.values.iter().all(|value| is_whole(&value.code));
            self.kind = Some(if whole { Kind::Integer } else { Kind::Text });
        }
        // Codes of a scale that has bounds are whole numbers where both ends are.
        if let (Some(lower), Some(upper), None) = (&self.lower, &self.upper, self.kind) {
            self.kind = Some(if is_whole(lower) && is_whole(upper) { Kind::Integer } else { Kind::Number });
        }
        self.settle_bounds();
        self.settle_values();
        self
    }

    fn settle_bounds(&mut self) {
        let wrong = match (self.kind, &self.lower, &self.upper) {
            (_, None, None) => return,
            (_, Some(end), None) => Some(format!("there is no upper end beside {end}")),
            (_, None, Some(end)) => Some(format!("there is no lower end beside {end}")),
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
        let wrong = self.values.iter().enumerate().find_map(|(place, value)| {
            let code = &value.code;
            if self.values[..place].iter().any(|earlier| earlier.code == *code) {
                return Some(format!("`{code}` is listed twice"));
            }
            match self.kind {
                Some(Kind::Integer) if !is_whole(code) => Some(format!("`{code}` is not whole, as the column is")),
                Some(Kind::Number) => Some("the column has numbers that need not be whole".to_owned()),
                Some(Kind::Date) => Some("the column has dates".to_owned()),
                _ => None,
            }
        });
        // Truth values need no list.
        if self.kind == Some(Kind::Boolean) {
            self.values.clear();
        }
        if let Some(wrong) = wrong {
            self.refused.push(Refusal::Values(wrong));
            self.values.clear();
        }
    }

    /// `true` if its codes are numbers, as they are written in a plan.
    pub(super) fn has_numeric_codes(&self) -> bool {
        self.kind == Some(Kind::Integer)
    }
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
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        !whole.is_empty() && !fraction.is_empty() && (whole == "0" || !whole.starts_with('0'))
    }
}
