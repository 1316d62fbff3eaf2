//! The syntax tree of a formula.

use inbounds_core::Rational;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Term {
    /// By its place among the columns.
    Column(usize),
    Number(Rational),
    Of(Function1, Box<Term>),
    Between(Function2, Box<Term>, Box<Term>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function1 {
    Minus,
    Abs,
    Floor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function2 {
    Plus,
    Minus,
    Times,
    Over,
    Least,
    Greatest,
}
