//! The rules that a designer considers.

/// The answers that are possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// `0, 1, 2, ...`
    HalfLine,
    /// `0, ..., top`
    UpTo(u32),
}

impl Answers {
    /// The largest answer, if there is one.
    pub fn top(self) -> Option<u32> {
        if let Self::UpTo(top) = self { Some(top) } else { None }
    }
}

/// Which rules are considered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) answers: Answers,
    pub(super) first: i64,
    pub(super) last: i64,
    pub(super) free_shift: bool,
    pub(super) monotone: bool,
}

impl Form {
    /// `true` if the shift of the tail is a variable.
    pub(super) fn has_shift(&self) -> bool {
        self.answers == Answers::HalfLine && self.free_shift
    }

    /// The upper end of the range.
    pub(super) fn top(&self) -> f64 {
        self.answers.top().map_or(f64::INFINITY, f64::from)
    }
}
